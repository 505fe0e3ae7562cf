<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en_US">
<context>
    <name></name>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Temporary chat</source>
        <translation>临时对话</translation>
    </message>
    <message>
        <source>Search chats</source>
        <translation>搜索对话</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>在本对话中查找</translation>
    </message>
    <message>
        <source>Edit the last question</source>
        <translation>编辑上一个问题</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Previous branch</source>
        <translation>上一个分支</translation>
    </message>
    <message>
        <source>Next branch</source>
        <translation>下一个分支</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Dictate</source>
        <translation>听写</translation>
    </message>
    <message>
        <source>Talk hands-free</source>
        <translation>免提对话</translation>
    </message>
    <message>
        <source>Copy last answer</source>
        <translation>复制最后一个回答</translation>
    </message>
    <message>
        <source>Read last answer aloud</source>
        <translation>朗读最后一个回答</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>对话列表</translation>
    </message>
    <message>
        <source>Dashboard</source>
        <translation>仪表板</translation>
    </message>
    <message>
        <source>Drop a file here, press {key}, or add a widget with +.</source>
        <translation>把文件拖到这里，按 {key}，或用 + 添加组件。</translation>
    </message>
    <message>
        <source>Drop a file here, or add a widget with +.</source>
        <translation>把文件拖到这里，或用 + 添加组件。</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>输入问题</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Attach a table</source>
        <translation>添加表格</translation>
    </message>
    <message>
        <source>Open this address in your browser?

{link}</source>
        <translation>要在浏览器中打开这个地址吗？

{link}</translation>
    </message>
    <message>
        <source>Attach tables or documents</source>
        <translation>添加表格或文档</translation>
    </message>
    <message>
        <source>Tables and documents</source>
        <translation>表格和文档</translation>
    </message>
    <message>
        <source>A new assistant</source>
        <translation>新智能体</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Instructions for the assistant.</source>
        <translation>每次对话之前告诉智能体的话。</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Add table …</source>
        <translation>添加表格…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>去掉</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>文档</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Look in:</source>
        <translation>查找范围：</translation>
    </message>
    <message>
        <source>File name:</source>
        <translation>文件名：</translation>
    </message>
    <message>
        <source>Files of type:</source>
        <translation>文件类型：</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>以后再说</translation>
    </message>
    <message>
        <source>Pin to dashboard</source>
        <translation>固定到仪表板</translation>
    </message>
    <message>
        <source>Chart: {name}</source>
        <translation>图表：{name}</translation>
    </message>
    <message numerus="yes">
        <source>%n more rows</source>
        <translation>
            <numerusform>另有 %n 行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more columns</source>
        <translation>
            <numerusform>另有 %n 列</numerusform>
        </translation>
    </message>
    <message>
        <source>Ran</source>
        <translation>已运行</translation>
    </message>
    <message>
        <source>Looked up</source>
        <translation>已查询</translation>
    </message>
    <message>
        <source>Listed</source>
        <translation>已列出</translation>
    </message>
    <message>
        <source>Counted</source>
        <translation>已计数</translation>
    </message>
    <message>
        <source>Sent</source>
        <translation>已发送</translation>
    </message>
    <message>
        <source>Searched</source>
        <translation>已搜索</translation>
    </message>
    <message>
        <source>Computed</source>
        <translation>已计算</translation>
    </message>
    <message>
        <source>Good answer</source>
        <translation>回答得好</translation>
    </message>
    <message>
        <source>Poor answer</source>
        <translation>回答不好</translation>
    </message>
    <message>
        <source>Refused</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Thought (interrupted)</source>
        <translation>思考未完成</translation>
    </message>
    <message>
        <source>{count:,} more characters</source>
        <translation>还有 {count:,} 个字符</translation>
    </message>
    <message>
        <source>Show more</source>
        <translation>显示更多</translation>
    </message>
    <message>
        <source>{language} code</source>
        <translation>{language} 代码</translation>
    </message>
    <message numerus="yes">
        <source>%n rows</source>
        <translation>
            <numerusform>%n 行</numerusform>
        </translation>
    </message>
    <message>
        <source>Understood:</source>
        <translation>理解为：</translation>
    </message>
    <message>
        <source>Not understood: {names}</source>
        <translation>未能理解：{names}</translation>
    </message>
    <message>
        <source>not understood: {names}</source>
        <translation>未能理解：{names}</translation>
    </message>
    <message>
        <source>Did you mean:</source>
        <translation>您是想问：</translation>
    </message>
    <message>
        <source>row {row}, {column}</source>
        <translation>第 {row} 行，{column}</translation>
    </message>
    <message numerus="yes">
        <source>%n cells of {column}</source>
        <translation>
            <numerusform>{column} 的 %n 个单元格</numerusform>
        </translation>
    </message>
    <message>
        <source>rows {first}–{last}, {cells} cells of {column}</source>
        <translation>第 {first}–{last} 行，{column} 的 {cells} 个单元格</translation>
    </message>
    <message>
        <source>source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>, page {pages}</source>
        <translation>，第 {pages} 页</translation>
    </message>
    <message>
        <source>, {place}</source>
        <translation>，{place}</translation>
    </message>
    <message>
        <source>: {value}</source>
        <translation>：{value}</translation>
    </message>
    <message>
        <source>fewer</source>
        <translation>收起</translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>还有 %n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>The answer was interrupted.</source>
        <translation>回答被中断了。</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Publish {name}</source>
        <translation>发布 {name}</translation>
    </message>
    <message>
        <source>Anyone with the token can use it. Calls you allow here run without asking you each time; you can revoke your permission at any time.</source>
        <translation>持有令牌的人都可以向它提问。您在这里允许的操作会直接为他们执行，不再询问任何人；您可以随时收回。</translation>
    </message>
    <message>
        <source>Publish</source>
        <translation>发布</translation>
    </message>
    <message>
        <source>Token (shown only once)</source>
        <translation>它的令牌（不会再次显示）</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy token</source>
        <translation>复制令牌</translation>
    </message>
    <message>
        <source>makes changes</source>
        <translation>会更改内容</translation>
    </message>
    <message>
        <source>only reads</source>
        <translation>只读取</translation>
    </message>
    <message>
        <source>{tool} of {server} ({does})</source>
        <translation>{server} 的 {tool}（{does}）</translation>
    </message>
    <message>
        <source>Read aloud</source>
        <translation>朗读</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>重新生成</translation>
    </message>
    <message>
        <source>Edit question</source>
        <translation>编辑问题</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>对话内容</translation>
    </message>
    <message>
        <source>Jump to latest</source>
        <translation>跳到最新</translation>
    </message>
    <message>
        <source>Jump to latest (End)</source>
        <translation>跳到最新（End）</translation>
    </message>
    <message>
        <source>Reading the question …</source>
        <translation>正在理解问题…</translation>
    </message>
    <message>
        <source>Show on the dashboard</source>
        <translation>在仪表板上显示</translation>
    </message>
    <message>
        <source>A page</source>
        <translation>一个网页</translation>
    </message>
    <message>
        <source>Writing the answer …</source>
        <translation>正在写回答…</translation>
    </message>
    <message>
        <source>Previous (Shift+Enter)</source>
        <translation>上一处（Shift+Enter）</translation>
    </message>
    <message>
        <source>Next (Enter)</source>
        <translation>下一处（Enter）</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>关闭（Esc）</translation>
    </message>
    <message>
        <source>{at} of {of:,}</source>
        <translation>第 {at} 处，共 {of:,} 处</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>没有找到</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>搜索结果</translation>
    </message>
    <message>
        <source>Found by meaning: {words}</source>
        <translation>按含义找到：{words}</translation>
    </message>
    <message>
        <source>Folder {text}, folded</source>
        <translation>文件夹“{text}”，已折叠</translation>
    </message>
    <message>
        <source>Folder {text}, open</source>
        <translation>文件夹“{text}”，已展开</translation>
    </message>
    <message numerus="yes">
        <source>%n questions</source>
        <translation>
            <numerusform>%n 个问题</numerusform>
        </translation>
    </message>
    <message>
        <source>Draft: {words}</source>
        <translation>草稿：{words}</translation>
    </message>
    <message>
        <source>MMMM yyyy</source>
        <comment>as QLocale writes a month</comment>
        <translation>yyyy年M月</translation>
    </message>
    <message>
        <source>Couldn&apos;t write {path}: {strerror}.</source>
        <translation>无法写入 {path}：{strerror}。</translation>
    </message>
    <message>
        <source>Choose a writable folder with free space.</source>
        <translation>请选择一个可写且有足够空间的文件夹。</translation>
    </message>
    <message>
        <source>+ Fetch {host}</source>
        <translation>+ 获取 {host}</translation>
    </message>
    <message>
        <source>Fetch {url} and add it to the context</source>
        <translation>获取 {url} 并加入上下文</translation>
    </message>
    <message>
        <source>Download this page from {host} and attach it to questions.</source>
        <translation>点按即从 {host} 获取此网页，之后随问题一起发送。</translation>
    </message>
    <message>
        <source>~{cost} tokens</source>
        <translation>约 {cost} 个 token</translation>
    </message>
    <message numerus="yes">
        <source>%n tables</source>
        <translation>
            <numerusform>%n 个表格</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n documents</source>
        <translation>
            <numerusform>%n 个文档</numerusform>
        </translation>
    </message>
    <message>
        <source>Show them, and choose which to attach to your questions</source>
        <translation>点按可查看，并选择哪些随问题一起发送</translation>
    </message>
    <message>
        <source>{name}, reading …</source>
        <translation>{name}，正在读取…</translation>
    </message>
    <message>
        <source>Stop reading {name}</source>
        <translation>停止读取 {name}</translation>
    </message>
    <message>
        <source>Questions wait until the file is read. Press to stop.</source>
        <translation>读完文件后才会提问。点按可停止读取。</translation>
    </message>
    <message>
        <source>Remove {name} from the context</source>
        <translation>将“{name}”移出上下文</translation>
    </message>
    <message>
        <source>Remove from the context</source>
        <translation>点按以移出上下文</translation>
    </message>
    <message numerus="yes">
        <source>About %n tokens for a copilot that reads all of it.</source>
        <translation>
            <numerusform>若助手读取其全部内容，约为 %n 个 token。</numerusform>
        </translation>
    </message>
    <message>
        <source>A token is a short piece of a word; a model can hold only a limited number.</source>
        <translation>token 是词的一小段；模型一次能容纳的数量有限。</translation>
    </message>
    <message>
        <source>This is attached to your questions, so copilots can read it.</source>
        <translation>它会随您的问题一起发送，供助手读取。</translation>
    </message>
    <message>
        <source>Voice settings</source>
        <translation>语音设置</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>In context ✓</source>
        <translation>已在上下文中 ✓</translation>
    </message>
    <message>
        <source>Ask anything, # for a widget, @ for a copilot, / for a command</source>
        <translation>随便问，# 选组件，@ 选助手，/ 选命令</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Choices</source>
        <translation>可选项</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>还有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Next</source>
        <translation>接下来</translation>
    </message>
    <message>
        <source>Then</source>
        <translation>然后</translation>
    </message>
    <message>
        <source>Ask now</source>
        <translation>立即提问</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Will be asked once {files} is read</source>
        <translation>读完 {files} 后提问</translation>
    </message>
    <message>
        <source>Cancel editing</source>
        <translation>保持问题不变</translation>
    </message>
    <message>
        <source>Editing your question. The old one stays as a branch.</source>
        <translation>正在编辑您的问题。原问题会保留为一个分支。</translation>
    </message>
    <message>
        <source>Its copilot</source>
        <translation>它的助手</translation>
    </message>
    <message>
        <source>In use ✓</source>
        <translation>当前使用 ✓</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>Detect</source>
        <translation>自动检测</translation>
    </message>
    <message>
        <source>OpenBB, current</source>
        <translation>OpenBB（当前版）</translation>
    </message>
    <message>
        <source>OpenBB, 2024</source>
        <translation>OpenBB（2024 版）</translation>
    </message>
    <message>
        <source>Open Interpreter</source>
        <translation>Open Interpreter</translation>
    </message>
    <message>
        <source>OpenBB protocol, 2024</source>
        <translation>OpenBB 协议（2024 版）</translation>
    </message>
    <message>
        <source>OpenBB protocol, current</source>
        <translation>OpenBB 协议（当前版）</translation>
    </message>
    <message>
        <source>Open Interpreter (LMC)</source>
        <translation>Open Interpreter（LMC）</translation>
    </message>
    <message>
        <source>A copilot with the OpenBB protocol, or an Open Interpreter server.</source>
        <translation>任何支持 OpenBB 协议的助手，或 Open Interpreter 一类的服务器。</translation>
    </message>
    <message>
        <source>Add copilot</source>
        <translation>添加助手</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>optional; by default its own name</source>
        <translation>提问时使用的名称；留空则用它自己的</translation>
    </message>
    <message>
        <source>Headers</source>
        <translation>请求头</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>One per line. Stored in the system&apos;s keyring and sent only to this copilot.</source>
        <translation>每行一个；保存在系统密钥环中，只发送给这个助手。</translation>
    </message>
    <message>
        <source>Speaks</source>
        <comment>a protocol</comment>
        <translation>协议</translation>
    </message>
    <message>
        <source>Speaks: {name}</source>
        <translation>协议：{name}</translation>
    </message>
    <message>
        <source>Allow it if you trust that host.</source>
        <translation>如果您同意，请点“允许”。</translation>
    </message>
    <message>
        <source>Allow {host}</source>
        <translation>允许 {host}</translation>
    </message>
    <message>
        <source>Looking …</source>
        <translation>正在查找…</translation>
    </message>
    <message>
        <source>Remove the assistant {name}? Programs that use it will get no answers.</source>
        <translation>要移除智能体“{name}”吗？之后向它提问将不再得到回答。</translation>
    </message>
    <message>
        <source>An assistant named {name} already exists.</source>
        <translation>已有名为“{name}”的智能体。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Known as</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Questions go to</source>
        <translation>问题发送到</translation>
    </message>
    <message>
        <source>Found at</source>
        <translation>所在地址</translation>
    </message>
    <message>
        <source>Features</source>
        <translation>功能</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>已更改</translation>
    </message>
    <message>
        <source>Local copilot</source>
        <translation>本机助手</translation>
    </message>
    <message>
        <source>It can see every widget and request its data; otherwise, it sees only attachments.</source>
        <translation>它会得知所有组件，并可请求其数据；否则只知道已添加的内容。</translation>
    </message>
    <message>
        <source>Copilot</source>
        <translation>助手</translation>
    </message>
    <message>
        <source>Who answers</source>
        <translation>由谁回答</translation>
    </message>
    <message>
        <source>Questions are answered on this machine.</source>
        <translation>问题在本机回答。</translation>
    </message>
    <message>
        <source>Questions go to {host}.</source>
        <translation>问题会发送到 {host}。</translation>
    </message>
    <message>
        <source>May see all widgets</source>
        <translation>可查看所有组件</translation>
    </message>
    <message>
        <source>It can hand tasks to the other copilots, which then see the question&apos;s attachments.</source>
        <translation>它可以把任务交给其他助手，它们会看到随问题发送的内容。</translation>
    </message>
    <message>
        <source>May ask the other copilots</source>
        <translation>可询问其他助手</translation>
    </message>
    <message>
        <source>About {name} …</source>
        <translation>关于 {name}…</translation>
    </message>
    <message>
        <source>Add copilot …</source>
        <translation>添加助手…</translation>
    </message>
    <message>
        <source>Incorrect or made up</source>
        <translation>不正确或凭空捏造</translation>
    </message>
    <message>
        <source>Something else</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>What is wrong with it?</source>
        <translation>哪里不对？</translation>
    </message>
    <message>
        <source>Sent to {name} at {host}: the question, its answer, and your comment.</source>
        <translation>将告诉 {name}：问题、它的回答以及您在此处填写的内容。发送到 {host}。</translation>
    </message>
    <message>
        <source>Comment</source>
        <translation>意见</translation>
    </message>
    <message>
        <source>Optional</source>
        <translation>可用您自己的话说明</translation>
    </message>
    <message numerus="yes">
        <source>%n widgets of this dashboard are not published by the backend.</source>
        <translation>
            <numerusform>此仪表板中有 %n 个组件未由后端发布。</numerusform>
        </translation>
    </message>
    <message>
        <source>The others are there.</source>
        <translation>其余的已添加。</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>Add widget backend</source>
        <translation>添加组件后端</translation>
    </message>
    <message>
        <source>A server that publishes widgets.json. Only this server is contacted; its keys are stored in the system&apos;s keyring.</source>
        <translation>发布 widgets.json 的服务器。只会访问这台服务器；它需要的凭据保存在本系统的密钥环中。</translation>
    </message>
    <message>
        <source>Address of the backend</source>
        <translation>后端地址</translation>
    </message>
    <message>
        <source>What went wrong</source>
        <translation>出错信息</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Headers and keys (optional)</source>
        <translation>请求头和密钥（如需要）</translation>
    </message>
    <message>
        <source>Asking …</source>
        <translation>正在连接…</translation>
    </message>
    <message>
        <source>Header</source>
        <translation>请求头</translation>
    </message>
    <message>
        <source>Key in the address</source>
        <translation>地址中的密钥</translation>
    </message>
    <message>
        <source>Header or key</source>
        <translation>请求头或密钥</translation>
    </message>
    <message>
        <source>Name, such as X-API-KEY</source>
        <translation>名称，如 X-API-KEY</translation>
    </message>
    <message>
        <source>Name of the header or key</source>
        <translation>请求头或密钥的名称</translation>
    </message>
    <message>
        <source>Secret</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文字</translation>
    </message>
    <message>
        <source>Candlestick chart</source>
        <translation>K 线图</translation>
    </message>
    <message>
        <source>News</source>
        <translation>新闻</translation>
    </message>
    <message>
        <source>PDF</source>
        <translation>PDF</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Web page</source>
        <translation>网页</translation>
    </message>
    <message>
        <source>Add a widget</source>
        <translation>添加组件</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search widgets</source>
        <translation>搜索组件</translation>
    </message>
    <message>
        <source>Widgets</source>
        <translation>组件</translation>
    </message>
    <message>
        <source>Add to the dashboard</source>
        <translation>添加到仪表板</translation>
    </message>
    <message>
        <source>Stop copying</source>
        <translation>停止复制</translation>
    </message>
    <message>
        <source>Remove backend</source>
        <translation>移除后端</translation>
    </message>
    <message>
        <source>Add widget backend …</source>
        <translation>添加组件后端…</translation>
    </message>
    <message>
        <source>Add database …</source>
        <translation>添加数据库…</translation>
    </message>
    <message numerus="yes">
        <source>{name}  ·  dashboard, %n widgets</source>
        <translation>
            <numerusform>{name}  ·  仪表板，%n 个组件</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n rows</source>
        <translation>
            <numerusform>约 %n 行</numerusform>
        </translation>
    </message>
    <message>
        <source>view</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>Nothing to add yet. Add a widget backend or a database first.</source>
        <translation>还没有可选的内容：请添加组件后端或数据库。</translation>
    </message>
    <message numerus="yes">
        <source>Copy the first %n rows</source>
        <translation>
            <numerusform>复制前 %n 行</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove database</source>
        <translation>移除数据库</translation>
    </message>
    <message>
        <source>Copying {name} …</source>
        <translation>正在复制 {name}…</translation>
    </message>
    <message>
        <source>Stopped copying {name}. Nothing was saved.</source>
        <translation>已停止复制 {name}，没有保留任何内容。</translation>
    </message>
    <message>
        <source>Copying {name}: {far}</source>
        <translation>正在复制 {name}：{far}</translation>
    </message>
    <message>
        <source>Copying …</source>
        <translation>正在复制…</translation>
    </message>
    <message numerus="yes">
        <source>%n rows so far, {size}</source>
        <translation>
            <numerusform>已复制 %n 行，{size}</numerusform>
        </translation>
    </message>
    <message>
        <source>Candles of {name}</source>
        <translation>{name} 的 K 线</translation>
    </message>
    <message>
        <source>Last bar: {bar}</source>
        <translation>最后一根：{bar}</translation>
    </message>
    <message>
        <source>Arrow keys read each bar; + and - zoom.</source>
        <translation>方向键逐根查看，+ 和 - 缩放。</translation>
    </message>
    <message numerus="yes">
        <source>%n bars.</source>
        <translation>
            <numerusform>共 %n 根。</numerusform>
        </translation>
    </message>
    <message>
        <source>Vol {volume}</source>
        <translation>量 {volume}</translation>
    </message>
    <message>
        <source>unchanged</source>
        <translation>未变化</translation>
    </message>
    <message>
        <source>{label}. Show the cell</source>
        <translation>{label}。显示单元格</translation>
    </message>
    <message>
        <source>Chart of {name}</source>
        <translation>{name} 的图表</translation>
    </message>
    <message>
        <source>No values</source>
        <translation>没有数值</translation>
    </message>
    <message>
        <source>From {first} to {end}, between {low} and {high}; last {last}. Use the arrow keys to read each value; press Enter to show its cell.</source>
        <translation>从 {first} 到 {end}，介于 {low} 和 {high} 之间；最后为 {last}。方向键逐个读出数值，Enter 显示其单元格。</translation>
    </message>
    <message>
        <source>Sort ascending</source>
        <translation>升序排序</translation>
    </message>
    <message>
        <source>Sort descending</source>
        <translation>降序排序</translation>
    </message>
    <message>
        <source>Filter …</source>
        <translation>筛选…</translation>
    </message>
    <message>
        <source>Original order, all rows</source>
        <translation>恢复原样，显示所有行</translation>
    </message>
    <message>
        <source>Text to find, or =text for an exact match</source>
        <translation>包含的词，或 = 词</translation>
    </message>
    <message>
        <source>&gt; 5, 1..3 or = 2</source>
        <translation>&gt; 5、1..3 或 = 2</translation>
    </message>
    <message>
        <source>Filter {name}</source>
        <translation>筛选 {name}</translation>
    </message>
    <message>
        <source>No widget of this dashboard has a parameter {param}.</source>
        <translation>此仪表板中没有带参数 {param} 的组件。</translation>
    </message>
    <message>
        <source>Add a widget from this backend that has it.</source>
        <translation>请从此后端添加一个带该参数的组件。</translation>
    </message>
    <message numerus="yes">
        <source>{sheet}, one of %n sheets</source>
        <translation>
            <numerusform>{sheet}，共 %n 个工作表</numerusform>
        </translation>
    </message>
    <message>
        <source>{shown:,} of {count}</source>
        <translation>{shown:,} / {count}</translation>
    </message>
    <message>
        <source>Table {name}</source>
        <translation>表格 {name}</translation>
    </message>
    <message>
        <source>Read {name} again</source>
        <translation>重新读取 {name}</translation>
    </message>
    <message>
        <source>Allow {server}</source>
        <translation>允许 {server}</translation>
    </message>
    <message>
        <source>Reading {name} …</source>
        <translation>正在读取 {name}…</translation>
    </message>
    <message>
        <source>Reading {name}: {percent} %</source>
        <translation>正在读取 {name}：{percent}%</translation>
    </message>
    <message>
        <source>Chart</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>, change {delta}</source>
        <translation>，变化 {delta}</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>无标题</translation>
    </message>
    <message>
        <source>{title}. Open</source>
        <translation>{title}。打开</translation>
    </message>
    <message>
        <source>The article</source>
        <translation>文章</translation>
    </message>
    <message>
        <source>Write a note. You can attach it to questions.</source>
        <translation>写点什么。它可以随问题一起发送。</translation>
    </message>
    <message>
        <source>Pages of {name}</source>
        <translation>{name} 的页面</translation>
    </message>
    <message>
        <source>Search {name}</source>
        <translation>在 {name} 中搜索</translation>
    </message>
    <message>
        <source>Next place</source>
        <translation>下一处</translation>
    </message>
    <message>
        <source>The file</source>
        <translation>该文件</translation>
    </message>
    <message>
        <source>{name} is protected by a password.</source>
        <translation>{name} 受密码保护。</translation>
    </message>
    <message>
        <source>{name} can&apos;t be shown as a PDF.</source>
        <translation>{name} 不是可以显示的 PDF 文件。</translation>
    </message>
    <message>
        <source>Open it in another program.</source>
        <translation>请用其他程序打开。</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Page {current} of {pages}</source>
        <translation>第 {current} 页，共 {pages} 页</translation>
    </message>
    <message>
        <source>Picture {name}</source>
        <translation>图片 {name}</translation>
    </message>
    <message>
        <source>{name} can&apos;t be shown as a picture.</source>
        <translation>{name} 不是可以显示的图片。</translation>
    </message>
    <message>
        <source>Save it as PNG or JPEG.</source>
        <translation>请另存为 PNG 或 JPEG。</translation>
    </message>
    <message>
        <source>This kind of widget can&apos;t be displayed; this is its data.</source>
        <translation>此类组件在这里没有视图；以下是它的数据。</translation>
    </message>
    <message>
        <source>This kind of widget can&apos;t be displayed; this is its address.</source>
        <translation>此类组件在这里没有视图；以下是它的地址。</translation>
    </message>
    <message>
        <source>Open externally</source>
        <translation>在外部打开</translation>
    </message>
    <message>
        <source>Open the data from {name} in another program</source>
        <translation>在外部打开 {name} 的数据</translation>
    </message>
    <message>
        <source>Data of {name}</source>
        <translation>{name} 的数据</translation>
    </message>
    <message>
        <source>Page {name}</source>
        <translation>网页 {name}</translation>
    </message>
    <message>
        <source>Chart {name}</source>
        <translation>图表 {name}</translation>
    </message>
    <message>
        <source>Column {x}, row {y}, {w} wide, {h} high</source>
        <translation>第 {x} 列，第 {y} 行，宽 {w}，高 {h}</translation>
    </message>
    <message>
        <source>A tile of the dashboard. Arrow keys move it, Shift and arrow keys resize it, Enter opens it larger, Delete removes it.</source>
        <translation>仪表板上的磁贴。方向键移动，Shift+方向键调整大小，Enter 放大，Delete 移除。</translation>
    </message>
    <message>
        <source>{title}: read the changed file again</source>
        <translation>{title}：重新读取已更改的文件</translation>
    </message>
    <message>
        <source>The file has changed since it was read. Read it again</source>
        <translation>文件读取之后已更改。重新读取</translation>
    </message>
    <message>
        <source>{title}: refresh</source>
        <translation>{title}：刷新</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>刷新</translation>
    </message>
    <message>
        <source>{title}: plot a column</source>
        <translation>{title}：绘制某一列</translation>
    </message>
    <message>
        <source>Plot a column</source>
        <translation>绘制某一列</translation>
    </message>
    <message>
        <source>{title}: open larger</source>
        <translation>{title}：放大</translation>
    </message>
    <message>
        <source>Open larger</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>{title}: save</source>
        <translation>{title}：保存</translation>
    </message>
    <message>
        <source>{title}: more</source>
        <translation>{title}：更多</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>{title}: remove</source>
        <translation>{title}：移除</translation>
    </message>
    <message>
        <source>{title}: stop</source>
        <translation>{title}：停止</translation>
    </message>
    <message>
        <source>Add as context</source>
        <translation>加入上下文</translation>
    </message>
    <message>
        <source>Remove from context</source>
        <translation>移出上下文</translation>
    </message>
    <message>
        <source>In context: attached to your questions, so copilots can read it.</source>
        <translation>在上下文中：它会随您的问题一起发送，供助手读取。</translation>
    </message>
    <message>
        <source>Add this to the context to attach it to your questions.</source>
        <translation>助手会读取上下文中的内容：添加后，它会随您的问题一起发送。</translation>
    </message>
    <message>
        <source>of the last answer</source>
        <translation>来自最后一个回答</translation>
    </message>
    <message>
        <source>script</source>
        <translation>个脚本</translation>
    </message>
    <message>
        <source>scripts</source>
        <translation>个脚本</translation>
    </message>
    <message>
        <source>frame</source>
        <translation>个框架</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>个框架</translation>
    </message>
    <message>
        <source>form</source>
        <translation>个表单</translation>
    </message>
    <message>
        <source>forms</source>
        <translation>个表单</translation>
    </message>
    <message>
        <source>redirect to another page</source>
        <translation>次跳转</translation>
    </message>
    <message>
        <source>redirects to another page</source>
        <translation>次跳转</translation>
    </message>
    <message>
        <source>external address</source>
        <translation>个外部地址</translation>
    </message>
    <message>
        <source>external addresses</source>
        <translation>个外部地址</translation>
    </message>
    <message>
        <source>Press Run to load this.</source>
        <translation>点“运行”以获取数据。</translation>
    </message>
    <message>
        <source>No backend</source>
        <translation>无后端</translation>
    </message>
    <message>
        <source>Not refreshed</source>
        <translation>未能刷新</translation>
    </message>
    <message>
        <source>Not live</source>
        <translation>未实时更新</translation>
    </message>
    <message>
        <source>Old</source>
        <translation>已过时</translation>
    </message>
    <message>
        <source>Loaded at {caption}. Refresh</source>
        <translation>获取于 {caption}。重新获取</translation>
    </message>
    <message>
        <source>left out: {words}</source>
        <translation>已省略：{words}</translation>
    </message>
    <message>
        <source>Source: {source}</source>
        <translation>来源：{source}</translation>
    </message>
    <message>
        <source>Category: {category}</source>
        <translation>类别：{category}</translation>
    </message>
    <message>
        <source>Loaded: {at}</source>
        <translation>获取于：{at}</translation>
    </message>
    <message>
        <source>Save as {kind} …</source>
        <translation>另存为 {kind}…</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Table.csv</source>
        <translation>表格.csv</translation>
    </message>
    <message>
        <source>Couldn&apos;t write {name}. Choose another place.</source>
        <translation>无法写入 {name}。请选择其他位置。</translation>
    </message>
    <message>
        <source>Couldn&apos;t write {name}: {strerror}.</source>
        <translation>无法写入 {name}：{strerror}。</translation>
    </message>
    <message>
        <source>Choose another place.</source>
        <translation>请选择其他位置。</translation>
    </message>
    <message numerus="yes">
        <source>Removed {name} and %n widgets drawn from it</source>
        <translation>
            <numerusform>已移除 {name} 及由它绘制的 %n 个组件</numerusform>
        </translation>
    </message>
    <message>
        <source>Removed {name}</source>
        <translation>已移除 {name}</translation>
    </message>
    <message>
        <source>Share with {name}</source>
        <translation>与 {name} 共用</translation>
    </message>
    <message numerus="yes">
        <source>Share with all %n</source>
        <translation>
            <numerusform>与全部 %n 个共用</numerusform>
        </translation>
    </message>
    <message>
        <source>Stop sharing</source>
        <translation>不再共用</translation>
    </message>
    <message>
        <source>Closed {name}</source>
        <translation>已关闭 {name}</translation>
    </message>
    <message>
        <source>Columns and their meaning</source>
        <translation>各列及其含义</translation>
    </message>
    <message>
        <source>Type or press F2 to edit a column&apos;s meaning.</source>
        <translation>直接输入或按 F2 说明列的含义。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>简介</translation>
    </message>
    <message>
        <source>Columns: double-click a meaning, or press F2, to edit it</source>
        <translation>列：双击含义或按 F2 即可修改</translation>
    </message>
    <message>
        <source>About {name}</source>
        <translation>关于 {name} 的说明</translation>
    </message>
    <message>
        <source>Column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>含义</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>{text}. Undo</source>
        <translation>{text}。撤销</translation>
    </message>
    <message>
        <source>Code waiting for permission</source>
        <translation>等待您同意的代码</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>Don&apos;t ask again in this conversation</source>
        <translation>本对话后续代码不再询问，直接运行</translation>
    </message>
    <message>
        <source>Deny</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Run this {language} code?</source>
        <translation>要运行这段 {language} 代码吗？</translation>
    </message>
    <message>
        <source>The code runs in a sandbox without network access and without access to your files.</source>
        <translation>它在沙盒中运行：没有网络，也看不到您的文件。</translation>
    </message>
    <message>
        <source>This machine has no sandbox: the code can read your files and use the network.</source>
        <translation>在本机上未隔离：它可以读取您的文件并使用网络。</translation>
    </message>
    <message>
        <source>Limits: {limits}.</source>
        <translation>它最多可使用 {limits}。</translation>
    </message>
    <message>
        <source>Loading the list …</source>
        <translation>正在读取列表…</translation>
    </message>
    <message>
        <source>any</source>
        <translation>任意</translation>
    </message>
    <message>
        <source>Type a value</source>
        <translation>输入一个值</translation>
    </message>
    <message>
        <source>Search {label}</source>
        <translation>搜索 {label}</translation>
    </message>
    <message>
        <source>There is nothing to choose from.</source>
        <translation>没有可选项。</translation>
    </message>
    <message>
        <source>Shared with {names}</source>
        <translation>与 {names} 共用</translation>
    </message>
    <message>
        <source>Calendar</source>
        <translation>日历</translation>
    </message>
    <message>
        <source>Any day</source>
        <translation>任意日期</translation>
    </message>
    <message>
        <source>any day</source>
        <translation>任意日期</translation>
    </message>
    <message>
        <source>Dashboards</source>
        <translation>仪表板</translation>
    </message>
    <message>
        <source>This dashboard</source>
        <translation>此仪表板</translation>
    </message>
    <message>
        <source>Name of the dashboard</source>
        <translation>仪表板名称</translation>
    </message>
    <message>
        <source>Live data from a backend …</source>
        <translation>来自后端的实时数据…</translation>
    </message>
    <message>
        <source>File …</source>
        <translation>文件…</translation>
    </message>
    <message>
        <source>New dashboard</source>
        <translation>新建仪表板</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Ask: {question}</source>
        <translation>提问：{question}</translation>
    </message>
    <message>
        <source>Loaded</source>
        <translation>已加载</translation>
    </message>
    <message>
        <source>On this machine</source>
        <translation>在本机</translation>
    </message>
    <message>
        <source>From providers</source>
        <translation>通过提供商</translation>
    </message>
    <message>
        <source>All kinds</source>
        <translation>所有类型</translation>
    </message>
    <message>
        <source>Verified: all files are intact.</source>
        <translation>已校验：每个文件都与下载时一致。</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Kind of model</source>
        <translation>模型类型</translation>
    </message>
    <message>
        <source>Add provider …</source>
        <translation>添加提供商…</translation>
    </message>
    <message>
        <source>Search …</source>
        <translation>搜索…</translation>
    </message>
    <message>
        <source>Import  ▾</source>
        <translation>导入  ▾</translation>
    </message>
    <message>
        <source>Import a model from this machine</source>
        <translation>导入本机上的模型</translation>
    </message>
    <message>
        <source>A file: GGUF, or a voice (.onnx) …</source>
        <translation>文件：GGUF 或声音（.onnx）…</translation>
    </message>
    <message>
        <source>A folder: a Whisper, an embedder …</source>
        <translation>文件夹：Whisper、嵌入模型等…</translation>
    </message>
    <message>
        <source>Import a model</source>
        <translation>导入模型</translation>
    </message>
    <message>
        <source>Models (*.gguf *.onnx)</source>
        <translation>模型 (*.gguf *.onnx)</translation>
    </message>
    <message>
        <source>Loaded models use {taken} of {budget}.</source>
        <translation>已加载的模型共占用 {taken}，上限为 {budget}。</translation>
    </message>
    <message>
        <source>Memory limit for all models: {budget}.</source>
        <translation>所有模型合计最多可占用 {budget} 内存。</translation>
    </message>
    <message>
        <source>Remove provider {provider}</source>
        <translation>移除提供商 {provider}</translation>
    </message>
    <message>
        <source>recommended</source>
        <translation>推荐</translation>
    </message>
    <message>
        <source>about {pace} tokens/s</source>
        <translation>约 {pace} token/秒</translation>
    </message>
    <message>
        <source>{pace} tokens/s</source>
        <translation>{pace} token/秒</translation>
    </message>
    <message>
        <source>Download of {name}</source>
        <translation>{name} 的下载进度</translation>
    </message>
    <message>
        <source>Answers need small models that aren&apos;t on this machine yet. One-time download, {bytes}. You can open files in the meantime.</source>
        <translation>回答由本机上的小模型生成，这些模型尚未下载。只需下载一次，{bytes}。下载期间可以打开文件、查看表格。</translation>
    </message>
    <message>
        <source>Download of the starter models</source>
        <translation>下载入门模型</translation>
    </message>
    <message>
        <source>Other models …</source>
        <translation>其他模型…</translation>
    </message>
    <message>
        <source>Download ({bytes})</source>
        <translation>下载（{bytes}）</translation>
    </message>
    <message>
        <source>Downloading: {done} of {total}</source>
        <translation>正在下载：{done} / {total}</translation>
    </message>
    <message>
        <source>The starter model is small. Larger models understand questions in your own words and are better for chat, and voice packs let you speak and listen.</source>
        <translation>入门模型很小。更大的模型能看懂您用自己的话提出的问题，也更适合聊天；语音包让您可以说话和收听。</translation>
    </message>
    <message>
        <source>See what fits this machine</source>
        <translation>查看适合本机的</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>暂不</translation>
    </message>
    <message>
        <source>The models that fit this machine are already here.</source>
        <translation>适合本机的都已具备。</translation>
    </message>
    <message>
        <source>Ready.</source>
        <translation>就绪。</translation>
    </message>
    <message>
        <source>{bytes} download, about {memory} of memory</source>
        <translation>需下载 {bytes}，约占内存 {memory}</translation>
    </message>
    <message>
        <source>needs no model hub</source>
        <translation>不需要模型中心</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>释放内存</translation>
    </message>
    <message>
        <source>Use for chat</source>
        <translation>用它对话</translation>
    </message>
    <message>
        <source>Parameters …</source>
        <translation>参数…</translation>
    </message>
    <message>
        <source>Measure here</source>
        <translation>在本机测速</translation>
    </message>
    <message>
        <source>Searches the model hub for chat models (GGUF). Only your search words are sent.</source>
        <translation>在模型中心搜索对话模型（GGUF）。只会发送您输入的搜索词。</translation>
    </message>
    <message>
        <source>Offline mode is on: the model hub can&apos;t be searched.</source>
        <translation>离线模式已开启，无法搜索模型中心。</translation>
    </message>
    <message>
        <source>Searching …</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>needs an account on the hub</source>
        <translation>需要模型中心的账号</translation>
    </message>
    <message>
        <source>Size of {name}</source>
        <translation>{name} 的大小</translation>
    </message>
    <message>
        <source>{count:,} downloads a month</source>
        <translation>每月下载 {count:,} 次</translation>
    </message>
    <message>
        <source>Search for models</source>
        <translation>搜索模型</translation>
    </message>
    <message>
        <source>Name of a model, for example qwen3</source>
        <translation>模型名称，例如 qwen3</translation>
    </message>
    <message>
        <source>{host}: chat models (GGUF), the most downloaded first.</source>
        <translation>{host}：对话模型（GGUF），按下载量排序。</translation>
    </message>
    <message>
        <source>{host} has no matching chat model (GGUF).</source>
        <translation>{host} 上没有符合的对话模型（GGUF）。</translation>
    </message>
    <message>
        <source>In use for chat</source>
        <translation>正用于对话</translation>
    </message>
    <message>
        <source>Remove provider</source>
        <translation>移除提供商</translation>
    </message>
    <message>
        <source>{what}: {done} of {total}</source>
        <translation>{what}：{done} / {total}</translation>
    </message>
    <message>
        <source>Measuring …</source>
        <translation>正在测速…</translation>
    </message>
    <message>
        <source>Downloading</source>
        <translation>正在下载</translation>
    </message>
    <message>
        <source>Checking</source>
        <translation>正在校验</translation>
    </message>
    <message>
        <source>Unpacking</source>
        <translation>正在解压</translation>
    </message>
    <message>
        <source>Preparing</source>
        <translation>正在准备</translation>
    </message>
    <message>
        <source>Copying</source>
        <translation>正在复制</translation>
    </message>
    <message>
        <source>Waiting for another download</source>
        <translation>正在等待另一个下载</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>校验</translation>
    </message>
    <message>
        <source>Checks every file of the model for damage.</source>
        <translation>重新读取模型的每个文件，并与下载时的内容比较。</translation>
    </message>
    <message>
        <source>Remove …</source>
        <translation>移除…</translation>
    </message>
    <message>
        <source>Deletes the model&apos;s files from this machine.</source>
        <translation>从本机移除该模型的文件。</translation>
    </message>
    <message>
        <source>paused: {got} of {bytes}</source>
        <translation>已暂停：{bytes} 中已有 {got}</translation>
    </message>
    <message>
        <source>{bytes} download</source>
        <translation>需下载 {bytes}</translation>
    </message>
    <message>
        <source>{bytes} on disk</source>
        <translation>磁盘占用 {bytes}</translation>
    </message>
    <message>
        <source>{memory} of memory, in use</source>
        <translation>内存 {memory}，使用中</translation>
    </message>
    <message>
        <source>{memory} of memory</source>
        <translation>内存 {memory}</translation>
    </message>
    <message>
        <source>about {memory} of memory</source>
        <translation>约 {memory} 内存</translation>
    </message>
    <message>
        <source>{needs}, more than the memory limit</source>
        <translation>{needs}，超出本机上模型可用的内存</translation>
    </message>
    <message>
        <source>runs at {host}</source>
        <translation>运行于 {host}</translation>
    </message>
    <message>
        <source>runs on this machine</source>
        <translation>在本机运行</translation>
    </message>
    <message>
        <source>Choose a preset</source>
        <translation>选择预设</translation>
    </message>
    <message>
        <source>Parameters of {name}</source>
        <translation>{name} 的参数</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Remove preset</source>
        <translation>移除预设</translation>
    </message>
    <message>
        <source>Name of a new preset</source>
        <translation>新预设的名称</translation>
    </message>
    <message>
        <source>name of a new preset</source>
        <translation>新预设的名称</translation>
    </message>
    <message>
        <source>Save as preset</source>
        <translation>存为预设</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Used for every answer. Fields left empty use the default.</source>
        <translation>问题本身未指定时使用。留空则用默认值。</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>Takes effect with the next question; the model is reloaded.</source>
        <translation>从下一个问题起生效：模型会重新加载。</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Top P</source>
        <translation>Top P</translation>
    </message>
    <message>
        <source>Top K</source>
        <translation>Top K</translation>
    </message>
    <message>
        <source>Min P</source>
        <translation>Min P</translation>
    </message>
    <message>
        <source>Repeat penalty</source>
        <translation>重复惩罚</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>存在惩罚</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>频率惩罚</translation>
    </message>
    <message>
        <source>Max tokens</source>
        <translation>最多 token 数</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Response format</source>
        <translation>回答格式</translation>
    </message>
    <message>
        <source>JSON schema</source>
        <translation>JSON schema</translation>
    </message>
    <message>
        <source>Model default</source>
        <translation>按模型默认</translation>
    </message>
    <message>
        <source>Another model</source>
        <translation>其他模型</translation>
    </message>
    <message>
        <source>Its kind</source>
        <translation>其种类</translation>
    </message>
    <message>
        <source>Kind of {model}</source>
        <translation>{model} 的种类</translation>
    </message>
    <message>
        <source>its name</source>
        <translation>其名称</translation>
    </message>
    <message>
        <source>Name of the model</source>
        <translation>模型名称</translation>
    </message>
    <message>
        <source>Keys are stored in the system&apos;s keyring.</source>
        <translation>密钥保存在系统密钥环中。</translation>
    </message>
    <message>
        <source>Try it out</source>
        <translation>试一试</translation>
    </message>
    <message>
        <source>Add provider</source>
        <translation>添加提供商</translation>
    </message>
    <message>
        <source>Kind of provider</source>
        <translation>提供商类型</translation>
    </message>
    <message>
        <source>Keep the key only until Deskpilot is closed</source>
        <translation>密钥仅保留到 Deskpilot 关闭</translation>
    </message>
    <message>
        <source>Change details of these models</source>
        <translation>更改这些模型的细节</translation>
    </message>
    <message>
        <source>Provider</source>
        <translation>提供商</translation>
    </message>
    <message>
        <source>Display name</source>
        <translation>在此处的名称</translation>
    </message>
    <message>
        <source>What you send to these models goes to {host}.</source>
        <translation>您发给这些模型的内容会发送到 {host}。</translation>
    </message>
    <message>
        <source>Choose its models.</source>
        <translation>请选择它的模型。</translation>
    </message>
    <message>
        <source>Name its model.</source>
        <translation>请填写它的模型名称。</translation>
    </message>
    <message>
        <source>{trouble} Keys can&apos;t be saved.</source>
        <translation>{trouble}因此无法保存密钥。</translation>
    </message>
    <message>
        <source>Trying …</source>
        <translation>正在尝试…</translation>
    </message>
    <message>
        <source>optional</source>
        <translation>可留空</translation>
    </message>
    <message>
        <source>Trash · kept for 30 days</source>
        <translation>回收站 · 保留 30 天</translation>
    </message>
    <message>
        <source>Found by keyword only. {why}</source>
        <translation>仅按字词查找。{why}</translation>
    </message>
    <message>
        <source>This chat is in the trash. Restore it to read it?</source>
        <translation>此对话在回收站中。要恢复后查看吗？</translation>
    </message>
    <message>
        <source>Delete this conversation permanently?</source>
        <translation>要永久删除这个对话吗？</translation>
    </message>
    <message>
        <source>Moved to trash: {title}</source>
        <translation>已移到回收站：{title}</translation>
    </message>
    <message>
        <source>Delete permanently …</source>
        <translation>永久删除…</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消固定</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>Rename	F2</source>
        <translation>重命名	F2</translation>
    </message>
    <message>
        <source>Instructions …</source>
        <translation>指令…</translation>
    </message>
    <message>
        <source>Move to folder</source>
        <translation>移到文件夹</translation>
    </message>
    <message>
        <source>New folder …</source>
        <translation>新建文件夹…</translation>
    </message>
    <message>
        <source>Remove from {folder}</source>
        <translation>移出 {folder}</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Delete	Del</source>
        <translation>删除	Del</translation>
    </message>
    <message>
        <source>Name of the folder</source>
        <translation>文件夹名称</translation>
    </message>
    <message>
        <source>Import chats …</source>
        <translation>导入对话…</translation>
    </message>
    <message>
        <source>Saved {name}</source>
        <translation>已保存 {name}</translation>
    </message>
    <message>
        <source>Import chats</source>
        <translation>导入对话</translation>
    </message>
    <message>
        <source>Export all …</source>
        <translation>全部导出…</translation>
    </message>
    <message>
        <source>Back up …</source>
        <translation>备份…</translation>
    </message>
    <message>
        <source>Restore …</source>
        <translation>恢复…</translation>
    </message>
    <message>
        <source>Back to chats</source>
        <translation>返回对话列表</translation>
    </message>
    <message>
        <source>Empty the trash …</source>
        <translation>清空回收站…</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>回收站</translation>
    </message>
    <message>
        <source>Backup</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>Replace all chats, dashboards and choices with {name}?

The current ones are backed up first. The window then reopens.</source>
        <translation>要用 {name} 替换这里的所有对话、仪表板和选择吗？

会先保留一份现有内容的副本，然后窗口重新打开。</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Permanently delete everything in the trash?</source>
        <translation>要永久删除回收站中的全部内容吗？</translation>
    </message>
    <message>
        <source>Tables or documents …</source>
        <translation>表格或文件…</translation>
    </message>
    <message>
        <source>Folder of documents …</source>
        <translation>文件夹…</translation>
    </message>
    <message>
        <source>Libraries</source>
        <translation>文档库</translation>
    </message>
    <message>
        <source>Attach a folder of documents</source>
        <translation>添加一个文件夹</translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation>粘贴的文本</translation>
    </message>
    <message>
        <source>The copilot proposes a skill, {slug}. Save it? Its text is sent when you call it.</source>
        <translation>助手提议一项技能：{slug}。要保留吗？调用它时，其内容会一并发送。</translation>
    </message>
    <message>
        <source>This table is not on a dashboard. Attach its file again (Ctrl+O) to see the cell.</source>
        <translation>这张表不在任何仪表板上。请重新附上它的文件（Ctrl+O）再查看该单元格。</translation>
    </message>
    <message>
        <source>The table has changed since this answer; the cell may now hold a different value.</source>
        <translation>此回答之后表格已更改；该单元格的值可能已不同。</translation>
    </message>
    <message>
        <source>This source is not on a dashboard.</source>
        <translation>它所指的内容不在任何仪表板上。</translation>
    </message>
    <message>
        <source>The document has changed since this answer; the passage may be elsewhere.</source>
        <translation>此回答之后文件已更改，这段话的位置可能不同。</translation>
    </message>
    <message>
        <source>An answer is still in progress. Stop it first, or wait for it to finish.</source>
        <translation>回答仍在进行中。请先停止，或等待其完成。</translation>
    </message>
    <message>
        <source>Instructions for this chat</source>
        <translation>此对话的指令</translation>
    </message>
    <message>
        <source>Sent with every question in this chat, in addition to those in the settings. Answers from tables and documents don&apos;t follow them, nor does the starter model.</source>
        <translation>随此对话的每个问题一起发送，与设置中的指令并用。根据表格和文档得出的回答不受其影响，入门模型也不会遵循。</translation>
    </message>
    <message>
        <source>Will be asked once this chat is loaded</source>
        <translation>载入此对话后提问</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>粘贴</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>剪切</translation>
    </message>
    <message>
        <source>Attached to your questions</source>
        <translation>随问题一起发送</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>Clear all</source>
        <translation>全部清除</translation>
    </message>
    <message>
        <source>There is no guard model yet. Until there is one, every question is blocked as unchecked.</source>
        <translation>还没有审核模型：在有之前，每个问题都会因未经审核而被拦下。</translation>
    </message>
    <message>
        <source>{key} is reserved for: {name}. Choose another key.</source>
        <translation>{key} 始终用于：{name}。请选择其他按键。</translation>
    </message>
    <message>
        <source>{key} is already used for: {name}. Choose another key, or change that one first.</source>
        <translation>{key} 已用于：{name}。请选择其他按键，或先更改那一个。</translation>
    </message>
    <message>
        <source>Same key as: {names}. It works only for the first of them.</source>
        <translation>与以下命令按键相同：{names}。只对第一个有效。</translation>
    </message>
    <message>
        <source>The model on this machine</source>
        <translation>本机模型</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Search help</source>
        <translation>在帮助中搜索</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>The page</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Skills</source>
        <translation>技能</translation>
    </message>
    <message>
        <source>Permissions</source>
        <translation>权限</translation>
    </message>
    <message>
        <source>Diagnostics</source>
        <translation>诊断信息</translation>
    </message>
    <message>
        <source>More for chats</source>
        <translation>更多对话操作</translation>
    </message>
    <message>
        <source>Temporary chat, import, export, backup, trash</source>
        <translation>临时对话、导入、导出、备份、回收站</translation>
    </message>
    <message>
        <source>The trash is empty</source>
        <translation>回收站是空的</translation>
    </message>
    <message>
        <source>Light or dark</source>
        <translation>浅色或深色</translation>
    </message>
    <message>
        <source>Questions go to {host}</source>
        <translation>问题发送到 {host}</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>离线</translation>
    </message>
    <message>
        <source>Every connection to another machine is refused. See Settings, Network.</source>
        <translation>所有到其他机器的连接都会被拒绝。可在“设置”的“网络”页查看证明。</translation>
    </message>
    <message>
        <source>System&apos;s default</source>
        <translation>系统默认</translation>
    </message>
    <message>
        <source>Slow</source>
        <translation>慢</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>正常</translation>
    </message>
    <message>
        <source>Fast</source>
        <translation>快</translation>
    </message>
    <message>
        <source>Very fast</source>
        <translation>很快</translation>
    </message>
    <message>
        <source>Recognize the names in my tables</source>
        <translation>优先识别表格中的名称</translation>
    </message>
    <message>
        <source>Send dictated questions immediately</source>
        <translation>说完立即发送</translation>
    </message>
    <message>
        <source>Keep the microphone open so the first word isn&apos;t missed</source>
        <translation>保持麦克风开启，以免漏掉第一个字</translation>
    </message>
    <message>
        <source>Read answers aloud</source>
        <translation>朗读回答</translation>
    </message>
    <message>
        <source>Let me interrupt</source>
        <translation>允许我打断</translation>
    </message>
    <message>
        <source>Chimes</source>
        <translation>提示音</translation>
    </message>
    <message>
        <source>Microphone</source>
        <translation>麦克风</translation>
    </message>
    <message>
        <source>Loudspeaker</source>
        <translation>扬声器</translation>
    </message>
    <message>
        <source>I speak</source>
        <translation>我说的语言</translation>
    </message>
    <message>
        <source>One for each language</source>
        <translation>每种语言各一个</translation>
    </message>
    <message>
        <source>Voice</source>
        <translation>语音</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>语速</translation>
    </message>
    <message>
        <source>{now} (not connected)</source>
        <translation>{now}（不可用）</translation>
    </message>
    <message>
        <source>{title} (none found)</source>
        <translation>{title}（未找到）</translation>
    </message>
    <message>
        <source>Sound level</source>
        <translation>音量</translation>
    </message>
    <message>
        <source>Thinking …</source>
        <translation>正在思考…</translation>
    </message>
    <message>
        <source>Listening. Ask a question; {key} ends the conversation.</source>
        <translation>正在听。请提问；按 {key} 结束对话。</translation>
    </message>
    <message>
        <source>Speaking. {key} ends the conversation.</source>
        <translation>正在说。按 {key} 结束对话。</translation>
    </message>
    <message>
        <source>Listening. Ask something.</source>
        <translation>正在听。请提问。</translation>
    </message>
    <message>
        <source>Speaking.</source>
        <translation>正在说。</translation>
    </message>
    <message>
        <source>No sound from {name}. It may be muted, or the system doesn&apos;t let Deskpilot use it.</source>
        <translation>{name} 没有声音：可能已静音，或系统不允许 Deskpilot 使用它。</translation>
    </message>
    <message>
        <source>Loading speech models …</source>
        <translation>正在加载语音模型…</translation>
    </message>
    <message>
        <source>End</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>Listening. Release to finish.</source>
        <translation>正在听。松开即结束。</translation>
    </message>
    <message>
        <source>Nothing was heard. Speak closer to the microphone, or choose another one in the voice menu.</source>
        <translation>没有听到声音。请靠近麦克风说话，或在语音菜单中选择其他麦克风。</translation>
    </message>
    <message>
        <source>Opening the microphone …</source>
        <translation>正在打开麦克风…</translation>
    </message>
    <message>
        <source>Transcribing …</source>
        <translation>正在转写…</translation>
    </message>
    <message>
        <source>Listening. Press again to finish.</source>
        <translation>正在听。再按一次结束。</translation>
    </message>
    <message>
        <source>Listening. Press again to finish; {key} cancels.</source>
        <translation>正在听。再按一次结束，按 {key} 放弃。</translation>
    </message>
    <message>
        <source>Reading aloud. {key} stops it.</source>
        <translation>正在朗读。按 {key} 停止。</translation>
    </message>
    <message>
        <source>Reading aloud.</source>
        <translation>正在朗读。</translation>
    </message>
    <message>
        <source>Dictation stopped unexpectedly. Try again, or type.</source>
        <translation>听写意外停止。请重试，或直接输入。</translation>
    </message>
    <message>
        <source>What was the unemployment rate in the third quarter of 2009?</source>
        <translation>2009 年第三季度的失业率是多少？</translation>
    </message>
    <message>
        <source>In which year was average inflation highest?</source>
        <translation>哪一年的平均通胀最高？</translation>
    </message>
    <message>
        <source>Show real GDP over time since 1990</source>
        <translation>显示 1990 年以来实际 GDP 的走势</translation>
    </message>
    <message>
        <source>Offline: every connection to another machine is refused.</source>
        <translation>离线：拒绝与其他机器的一切连接。</translation>
    </message>
    <message>
        <source>Try one of these with the sample table:</source>
        <translation>用示例表格试试这些问题：</translation>
    </message>
    <message>
        <source>Ask about the tables on the dashboard.</source>
        <translation>可就仪表板上的表格提问。</translation>
    </message>
    <message>
        <source>Attach a file below to ask about it.</source>
        <translation>在下方添加文件，即可就它提问。</translation>
    </message>
    <message>
        <source>Almost ready</source>
        <translation>即将就绪</translation>
    </message>
    <message>
        <source>Loading chats …</source>
        <translation>正在载入对话…</translation>
    </message>
    <message>
        <source>Temporary chat: it isn&apos;t saved and ends when you leave it.</source>
        <translation>临时对话：不会保存，离开即消失。</translation>
    </message>
    <message>
        <source>Loading …</source>
        <translation>正在载入…</translation>
    </message>
    <message>
        <source>Ready. Ask something.</source>
        <translation>准备就绪，请提问。</translation>
    </message>
    <message>
        <source>Ask about what is attached below.</source>
        <translation>可就下方添加的内容提问。</translation>
    </message>
    <message>
        <source>Questions and attachments go to {host}.</source>
        <translation>问题和添加的内容会发送到 {host}。</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>已固定</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨天</translation>
    </message>
    <message>
        <source>Previous 7 days</source>
        <translation>过去 7 天</translation>
    </message>
    <message>
        <source>Voice pack</source>
        <translation>语音包</translation>
    </message>
    <message>
        <source>Embeddings</source>
        <translation>嵌入模型</translation>
    </message>
    <message>
        <source>Reranking</source>
        <translation>重排序</translation>
    </message>
    <message>
        <source>Speech to text</source>
        <translation>语音识别</translation>
    </message>
    <message>
        <source>Reads scanned pages</source>
        <translation>读取扫描页</translation>
    </message>
    <message>
        <source>Real GDP</source>
        <translation>实际 GDP</translation>
    </message>
    <message>
        <source>Key figures</source>
        <translation>关键数字</translation>
    </message>
    <message>
        <source>Unemployment</source>
        <translation>失业率</translation>
    </message>
    <message>
        <source>Inflation</source>
        <translation>通胀率</translation>
    </message>
    <message>
        <source>T-bill rate</source>
        <translation>国债利率</translation>
    </message>
    <message>
        <source>Understands questions about your tables, asked in your own words.</source>
        <translation>能看懂您用自己的话提出的表格问题。</translation>
    </message>
    <message>
        <source>Starter model. Phrases answers about tables; use a larger model for chat.</source>
        <translation>入门模型。为有关表格的回答撰写文字；聊天请用更大的模型。</translation>
    </message>
    <message>
        <source>Starter model. Matches questions with columns.</source>
        <translation>入门模型。找出问题所指的列。</translation>
    </message>
    <message>
        <source>Short chats in 100 languages on any laptop; shows its reasoning.</source>
        <translation>可在任何笔记本上用一百种语言简短对话；回答前会先思考。</translation>
    </message>
    <message>
        <source>Chat and tool use in 100 languages with 8 GB of memory; shows its reasoning.</source>
        <translation>一百种语言的对话和工具调用，需 8 GB 内存；回答前会先思考。</translation>
    </message>
    <message>
        <source>Recommended with 8 GB of free memory. Chat, tool use and long texts; answers directly.</source>
        <translation>有 8 GB 空闲内存时的首选。对话、工具调用和长文本；直接回答。</translation>
    </message>
    <message>
        <source>The most capable of these; slow without a GPU. Shows its reasoning.</source>
        <translation>其中能力最强；需要 GPU 或耐心。回答前会先思考。</translation>
    </message>
    <message>
        <source>Describes images in English on any laptop.</source>
        <translation>能看图并用英语描述内容，任何笔记本都可用。</translation>
    </message>
    <message>
        <source>Fastest transcription for English.</source>
        <translation>英语转写最快。</translation>
    </message>
    <message>
        <source>A male voice for US English.</source>
        <translation>美式英语男声。</translation>
    </message>
    <message>
        <source>Fastest transcription; for clear speech.</source>
        <translation>转写最快；适合清晰的声音。</translation>
    </message>
    <message>
        <source>Dictation on any laptop.</source>
        <translation>任何笔记本都可听写。</translation>
    </message>
    <message>
        <source>Fewer mistakes than base; takes about three times as long.</source>
        <translation>比 base 错误更少；耗时约为三倍。</translation>
    </message>
    <message>
        <source>The most accurate of these; for files, or with a GPU.</source>
        <translation>其中最准确；适合文件或有 GPU 时。</translation>
    </message>
    <message>
        <source>English only; nearly as accurate as the large Whisper model, and faster than the turbo model.</source>
        <translation>仅英语；准确度接近大型 Whisper，比 turbo 更快。</translation>
    </message>
    <message>
        <source>A voice for US English.</source>
        <translation>美式英语语音。</translation>
    </message>
    <message>
        <source>A voice for Chinese.</source>
        <translation>中文语音。</translation>
    </message>
    <message>
        <source>A voice for German.</source>
        <translation>德语语音。</translation>
    </message>
    <message>
        <source>A voice for French.</source>
        <translation>法语语音。</translation>
    </message>
    <message>
        <source>A voice for Spanish.</source>
        <translation>西班牙语语音。</translation>
    </message>
    <message>
        <source>Searches long texts (up to 8,192 tokens) in 100 languages; slow without a GPU.</source>
        <translation>可查找一百种语言的长文本（最多 8,192 个 token）；需要 GPU 或耐心。</translation>
    </message>
    <message>
        <source>Orders English texts by relevance on any laptop.</source>
        <translation>按回答质量为英文文本排序，任何笔记本都可用。</translation>
    </message>
    <message>
        <source>Orders texts in 100 languages by relevance; the most accurate of these, slow without a GPU.</source>
        <translation>为一百种语言的文本排序，其中最准确；需要 GPU 或耐心。</translation>
    </message>
    <message>
        <source>Checks questions and answers for harmful content, by category, in 119 languages.</source>
        <translation>按类别审核 119 种语言的问题和回答是否有害。</translation>
    </message>
    <message>
        <source>Reads scanned pages in East Asian and Latin scripts.</source>
        <translation>读取东亚文字和拉丁字母的扫描页。</translation>
    </message>
    <message>
        <source>public domain</source>
        <translation>公有领域</translation>
    </message>
    <message>
        <source>unstated; see its MODEL_CARD</source>
        <translation>未说明（见其 MODEL_CARD）</translation>
    </message>
    <message>
        <source>multilingual</source>
        <translation>多语言</translation>
    </message>
    <message>
        <source>Voice in English</source>
        <translation>英语语音</translation>
    </message>
    <message>
        <source>Voice in Chinese</source>
        <translation>中文语音</translation>
    </message>
    <message>
        <source>Voice in German</source>
        <translation>德语语音</translation>
    </message>
    <message>
        <source>Voice in French</source>
        <translation>法语语音</translation>
    </message>
    <message>
        <source>Voice in Spanish</source>
        <translation>西班牙语语音</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Light or dark; follows the system by default.</source>
        <translation>浅色或深色；不选则跟随系统。</translation>
    </message>
    <message>
        <source>Follow the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source>Applies to all text in the window. Ctrl++ and Ctrl+- change it; Ctrl+0 resets it.</source>
        <translation>窗口中所有文字的大小。按 Ctrl++ 和 Ctrl+- 更改，按 Ctrl+0 恢复。</translation>
    </message>
    <message>
        <source>90 %</source>
        <translation>90%</translation>
    </message>
    <message>
        <source>100 %</source>
        <translation>100%</translation>
    </message>
    <message>
        <source>110 %</source>
        <translation>110%</translation>
    </message>
    <message>
        <source>125 %</source>
        <translation>125%</translation>
    </message>
    <message>
        <source>150 %</source>
        <translation>150%</translation>
    </message>
    <message>
        <source>175 %</source>
        <translation>175%</translation>
    </message>
    <message>
        <source>Contrast</source>
        <translation>对比度</translation>
    </message>
    <message>
        <source>High: black on white or white on black, with thick focus frames.</source>
        <translation>高：白底黑字或黑底白字，焦点处用粗框标出。</translation>
    </message>
    <message>
        <source>High</source>
        <translation>高</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Language of the window. Takes effect after restart.</source>
        <translation>窗口的语言。下次启动时生效。</translation>
    </message>
    <message>
        <source>English</source>
        <translation>English</translation>
    </message>
    <message>
        <source>简体中文</source>
        <translation>简体中文</translation>
    </message>
    <message>
        <source>日本語</source>
        <translation>日本語</translation>
    </message>
    <message>
        <source>Icon in the tray</source>
        <translation>托盘图标</translation>
    </message>
    <message>
        <source>Shown if the system has a tray. Closing the window keeps Deskpilot running there.</source>
        <translation>在有托盘的系统上。关闭到托盘后，Deskpilot 仍随时可用。</translation>
    </message>
    <message>
        <source>Shown</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Shown; closing the window keeps it in the tray</source>
        <translation>显示，关闭窗口时收进托盘</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Answers what tables can&apos;t. A provider&apos;s model receives your questions, wherever it runs.</source>
        <translation>在表格无法回答时撰写文字。提供商的模型无论在哪里运行，都会收到您的问题。</translation>
    </message>
    <message>
        <source>Custom instructions</source>
        <translation>自定义指令</translation>
    </message>
    <message>
        <source>Offer better models</source>
        <translation>推荐更好的模型</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>最长回答时间</translation>
    </message>
    <message>
        <source>A longer answer is stopped, and its text is kept. Takes effect after restart.</source>
        <translation>超过此时间的回答会被结束，已有内容会保留。下次启动时生效。</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>This shortcut works anywhere in the window.</source>
        <translation>在窗口任何位置都可用此按键。</translation>
    </message>
    <message>
        <source>Continue the answer</source>
        <translation>继续回答</translation>
    </message>
    <message>
        <source>Attach a table or document</source>
        <translation>添加表格或文档</translation>
    </message>
    <message>
        <source>Show or hide conversations</source>
        <translation>显示或隐藏对话列表</translation>
    </message>
    <message>
        <source>Show or hide the dashboard</source>
        <translation>显示或隐藏仪表板</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>放大文字</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>缩小文字</translation>
    </message>
    <message>
        <source>Usual text size</source>
        <translation>恢复文字大小</translation>
    </message>
    <message>
        <source>Export all chats</source>
        <translation>导出所有对话</translation>
    </message>
    <message>
        <source>Back up chats</source>
        <translation>备份对话</translation>
    </message>
    <message>
        <source>Restore chats from a backup</source>
        <translation>从备份恢复对话</translation>
    </message>
    <message>
        <source>Voice for answers; other voices speak the languages it can&apos;t.</source>
        <translation>用来朗读回答的声音；它不会的语言由其他声音朗读。</translation>
    </message>
    <message>
        <source>1 is the normal speed.</source>
        <translation>1 为该声音的原速。</translation>
    </message>
    <message>
        <source>Each answer is read aloud as it streams.</source>
        <translation>回答生成时即开始朗读。</translation>
    </message>
    <message>
        <source>Recognition is better if you choose the language.</source>
        <translation>指定语言后识别更准确。</translation>
    </message>
    <message>
        <source>中文</source>
        <translation>中文</translation>
    </message>
    <message>
        <source>Deutsch</source>
        <translation>Deutsch</translation>
    </message>
    <message>
        <source>Français</source>
        <translation>Français</translation>
    </message>
    <message>
        <source>Español</source>
        <translation>Español</translation>
    </message>
    <message>
        <source>Microphone for dictation and hands-free conversation.</source>
        <translation>用于听写和对话的麦克风。</translation>
    </message>
    <message>
        <source>The system&apos;s default</source>
        <translation>系统默认</translation>
    </message>
    <message>
        <source>Loudspeaker for answers.</source>
        <translation>用来播放回答。</translation>
    </message>
    <message>
        <source>Otherwise you can edit it first.</source>
        <translation>否则您可以先查看并修改。</translation>
    </message>
    <message>
        <source>Recognizes columns and names of attached tables better.</source>
        <translation>更容易识别所添加表格中的列名和名称。</translation>
    </message>
    <message>
        <source>Keep the microphone open</source>
        <translation>保持麦克风开启</translation>
    </message>
    <message>
        <source>While the window is active, so the first word isn&apos;t missed. Nothing is recorded or sent.</source>
        <translation>窗口在前台时保持开启，以免漏掉第一个字；不会保存或发送任何内容。</translation>
    </message>
    <message>
        <source>Dictate from any window</source>
        <translation>在任意窗口听写</translation>
    </message>
    <message>
        <source>A global shortcut: hold it and speak, or press it.</source>
        <translation>其他窗口在前台时也有效的按键：按住说话，或按一下。</translation>
    </message>
    <message>
        <source>Press a key …</source>
        <translation>请按一个键…</translation>
    </message>
    <message>
        <source>Include Ctrl or Alt …</source>
        <translation>请与 Ctrl 或 Alt 组合…</translation>
    </message>
    <message>
        <source>Press, then type the new shortcut. Backspace removes it, Esc cancels.</source>
        <translation>按下后再按新按键；Backspace 表示不设，Esc 保持不变。</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>Reset: {name}</source>
        <translation>重置：{name}</translation>
    </message>
    <message>
        <source>Ctrl+Alt+M</source>
        <translation>Ctrl+Alt+M</translation>
    </message>
    <message>
        <source>Ctrl+Alt+D</source>
        <translation>Ctrl+Alt+D</translation>
    </message>
    <message>
        <source>Ctrl+Alt+Space</source>
        <translation>Ctrl+Alt+Space</translation>
    </message>
    <message>
        <source>Super+Shift+M</source>
        <translation>Super+Shift+M</translation>
    </message>
    <message>
        <source>F8</source>
        <translation>F8</translation>
    </message>
    <message>
        <source>F9</source>
        <translation>F9</translation>
    </message>
    <message>
        <source>You can interrupt while it speaks; echo cancellation removes its own voice.</source>
        <translation>免提对话时可以在它说话时插话；麦克风听到的它自己的声音会被去除。</translation>
    </message>
    <message>
        <source>Plays a sound when it starts listening.</source>
        <translation>免提对话用声音提示正在听。</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Memory for all models together</source>
        <translation>所有模型的内存合计</translation>
    </message>
    <message>
        <source>Unused models are unloaded; if one doesn&apos;t fit, a smaller one is suggested. Takes effect after restart.</source>
        <translation>闲置的模型会为需要的模型让出空间；放不下的模型会被拒绝，并推荐更小的。下次启动时生效。</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>由本机决定</translation>
    </message>
    <message>
        <source>GB</source>
        <translation>GB</translation>
    </message>
    <message>
        <source>Unload a model after</source>
        <translation>释放闲置超过此时间的模型</translation>
    </message>
    <message>
        <source>It is loaded again when needed. Takes effect after restart.</source>
        <translation>需要时会重新加载。下次启动时生效。</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>minutes</source>
        <translation>分钟</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Refuses every connection to another machine from the window, the model service and its models. Restarts the service and stops the current answer.</source>
        <translation>窗口、模型服务及其模型到其他机器的所有连接都会被拒绝。模型服务会重新启动；正在生成的回答会中断。</translation>
    </message>
    <message>
        <source>Moderation</source>
        <translation>内容审核</translation>
    </message>
    <message>
        <source>Text to speech</source>
        <translation>语音合成</translation>
    </message>
    <message>
        <source>Searches documents and chats by meaning, within and across 100 languages. Weights rounded to four bits.</source>
        <translation>按含义搜索文档和对话，支持一百种语言，也可跨语言搜索。权重已舍入为 4 位。</translation>
    </message>
    <message>
        <source>Sent with every question to every copilot. Each chat can have additional instructions. Answers computed from your tables or quoted from your documents don&apos;t follow them. The starter model is too small to follow them; larger models do.</source>
        <translation>随每个问题发送给每个助手。每个对话还可以有自己的指令。根据表格计算和从文档引用的回答不受其影响；入门模型太小，无法遵循，较大的模型可以。</translation>
    </message>
    <message>
        <source>On the first page and after general questions, until you decline.</source>
        <translation>显示在首页和一般性问题之后，直到您拒绝为止。</translation>
    </message>
    <message>
        <source>Check questions and answers</source>
        <translation>审核问题和回答</translation>
    </message>
    <message>
        <source>A guard model checks each question before it is sent and each answer before it is shown or spoken. Harmful or unchecked text is blocked.</source>
        <translation>审核模型会在发送前阅读每个问题，并在显示或朗读前阅读每个回答。它认为有害的会被拦下；无法审核的也会被拦下。</translation>
    </message>
    <message>
        <source>Allowed categories</source>
        <translation>允许通过的类别</translation>
    </message>
    <message>
        <source>As the guard model names them, separated by commas, for example: Specialized Advice, Elections.</source>
        <translation>按审核模型的命名，以逗号分隔，例如：Specialized Advice, Elections。</translation>
    </message>
    <message>
        <source>Guard model</source>
        <translation>审核模型</translation>
    </message>
    <message>
        <source>A provider&apos;s model receives all questions and answers.</source>
        <translation>提供商的模型会收到您的所有提问和所有回答。</translation>
    </message>
    <message numerus="yes">
        <source>… %n more characters.</source>
        <translation>
            <numerusform>……还有 %n 个字符未显示。</numerusform>
        </translation>
    </message>
    <message>
        <source>The picture</source>
        <translation>该图片</translation>
    </message>
    <message>
        <source>Show as table</source>
        <translation>以表格显示</translation>
    </message>
    <message>
        <source>Show as chart</source>
        <translation>以图表显示</translation>
    </message>
    <message>
        <source>{table}, pinned columns</source>
        <translation>{table}，固定列</translation>
    </message>
    <message>
        <source>The window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>The model service</source>
        <translation>模型服务</translation>
    </message>
    <message>
        <source>A model&apos;s process</source>
        <translation>模型进程</translation>
    </message>
    <message>
        <source>succeeded</source>
        <translation>已发出</translation>
    </message>
    <message>
        <source>looks up a name</source>
        <translation>查询名称</translation>
    </message>
    <message>
        <source>connects</source>
        <translation>建立连接</translation>
    </message>
    <message>
        <source>connects by IPv6</source>
        <translation>以 IPv6 建立连接</translation>
    </message>
    <message>
        <source>sends a packet</source>
        <translation>发送数据包</translation>
    </message>
    <message>
        <source>Each process tries to connect to other machines. Uses reserved test addresses.</source>
        <translation>每个进程都会真正尝试访问其他机器。使用的是专供文档示例的地址，不会打扰任何人。</translation>
    </message>
    <message>
        <source>Check what can be reached</source>
        <translation>检查能否向外连接</translation>
    </message>
    <message>
        <source>Refused: {refused} of {ways}.</source>
        <translation>已拒绝：{refused} / {ways}。</translation>
    </message>
    <message>
        <source>Offline: only this machine can be reached.</source>
        <translation>离线：只能访问本机。</translation>
    </message>
    <message>
        <source>Other machines can be reached.</source>
        <translation>可以访问其他机器。</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>open</source>
        <translation>可通过</translation>
    </message>
    <message>
        <source>{what} {pack} includes what is missing: {names}. One-time download, {size}.</source>
        <translation>{what} {pack} 可补齐所缺内容：{names}，需下载 {size}，仅此一次。</translation>
    </message>
    <message>
        <source>Download {size}</source>
        <translation>下载 {size}</translation>
    </message>
    <message>
        <source>Downloading {name} …</source>
        <translation>正在下载 {name}…</translation>
    </message>
    <message>
        <source>Ready. Press the microphone and speak.</source>
        <translation>好了。按下麦克风即可说话。</translation>
    </message>
    <message>
        <source>Ready. Press the microphone and speak, or talk hands-free with {key}.</source>
        <translation>好了。按下麦克风即可说话，或按 {key} 免提对话。</translation>
    </message>
    <message>
        <source>Remove the skill {name}? Its text is deleted.</source>
        <translation>要移除技能“{name}”吗？其内容将一并删除。</translation>
    </message>
    <message>
        <source>Type /skill:name to use these instructions.</source>
        <translation>以 /skill: 加名称开头的问题会附带这些说明。</translation>
    </message>
    <message>
        <source>Write a skill …</source>
        <translation>编写技能…</translation>
    </message>
    <message>
        <source>Address of a plugin, such as http://127.0.0.1:7781</source>
        <translation>插件地址，如 http://127.0.0.1:7781</translation>
    </message>
    <message>
        <source>Add plugin …</source>
        <translation>添加插件…</translation>
    </message>
    <message>
        <source>Program and its arguments, or an address</source>
        <translation>程序及其参数，或地址</translation>
    </message>
    <message>
        <source>Add server</source>
        <translation>添加服务器</translation>
    </message>
    <message>
        <source>A named model with instructions, plugins and tables. Other programs can use a published one through the gateway, with a token.</source>
        <translation>以一个名称组合起来的模型、指令、插件和表格。发布后，其他程序可用它自己的令牌通过网关向它提问。</translation>
    </message>
    <message>
        <source>New assistant …</source>
        <translation>新建智能体…</translation>
    </message>
    <message>
        <source>Assistants</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>Model: {name}</source>
        <translation>模型：{name}</translation>
    </message>
    <message>
        <source>Default model</source>
        <translation>设置中的模型</translation>
    </message>
    <message>
        <source>No assistants yet.</source>
        <translation>还没有智能体。</translation>
    </message>
    <message>
        <source>Plugins: {names}</source>
        <translation>插件：{names}</translation>
    </message>
    <message>
        <source>Tables: {names}</source>
        <translation>表格：{names}</translation>
    </message>
    <message>
        <source>Edit …</source>
        <translation>编辑…</translation>
    </message>
    <message>
        <source>Publish again …</source>
        <translation>重新发布…</translation>
    </message>
    <message>
        <source>Publish …</source>
        <translation>发布…</translation>
    </message>
    <message>
        <source>Unpublish</source>
        <translation>取消发布</translation>
    </message>
    <message>
        <source>Published as the model {name} at {place}</source>
        <translation>已发布：在 {place} 使用模型 {name}</translation>
    </message>
    <message>
        <source>Copy address</source>
        <translation>复制地址</translation>
    </message>
    <message>
        <source>Published. Available while the gateway runs: {command}</source>
        <translation>已发布。网关运行后即可提问：{command}</translation>
    </message>
    <message>
        <source>Can call {what} without asking</source>
        <translation>可自行调用 {what}</translation>
    </message>
    <message>
        <source>Plugins</source>
        <translation>插件</translation>
    </message>
    <message>
        <source>Services that copilots can call. You are asked before one makes changes.</source>
        <translation>助手可以调用的服务。更改任何内容前都会询问您。</translation>
    </message>
    <message>
        <source>MCP servers</source>
        <translation>Model Context Protocol 服务器</translation>
    </message>
    <message>
        <source>Proposed by a copilot. {about}</source>
        <translation>由助手提议。{about}</translation>
    </message>
    <message>
        <source>Save {name}</source>
        <translation>保留 {name}</translation>
    </message>
    <message>
        <source>validated</source>
        <translation>已试运行</translation>
    </message>
    <message>
        <source>out of date</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>saved by you</source>
        <translation>由您保存</translation>
    </message>
    <message>
        <source>designed by the model</source>
        <translation>由模型设计</translation>
    </message>
    <message>
        <source>designed by {model}</source>
        <translation>由 {model} 设计</translation>
    </message>
    <message>
        <source>version {number}</source>
        <translation>第 {number} 版</translation>
    </message>
    <message>
        <source>Answers: {requests}</source>
        <translation>可回答：{requests}</translation>
    </message>
    <message>
        <source>Question: {question}</source>
        <translation>当时的问题：{question}</translation>
    </message>
    <message>
        <source>Asks for: {names}</source>
        <translation>运行时询问：{names}</translation>
    </message>
    <message>
        <source>Ran twice in {seconds} s with the same result.</source>
        <translation>试运行两次，共 {seconds} 秒，结果相同。</translation>
    </message>
    <message>
        <source>Run …</source>
        <translation>运行…</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>Change …</source>
        <translation>更改…</translation>
    </message>
    <message>
        <source>Validate</source>
        <translation>试运行</translation>
    </message>
    <message>
        <source>Read and change {name}</source>
        <translation>查看并修改 {name}</translation>
    </message>
    <message>
        <source>{name} is no longer in {folder}.</source>
        <translation>{name} 已不在 {folder} 中。</translation>
    </message>
    <message>
        <source>{name} is no longer on a dashboard.</source>
        <translation>{name} 已不在任何仪表板上。</translation>
    </message>
    <message>
        <source>Find …</source>
        <translation>查找…</translation>
    </message>
    <message>
        <source>Find {name}</source>
        <translation>查找 {name}</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>移除 {name}</translation>
    </message>
    <message>
        <source>A new skill</source>
        <translation>新技能</translation>
    </message>
    <message>
        <source>brief-answer</source>
        <translation>brief-answer</translation>
    </message>
    <message>
        <source>Answer in one line</source>
        <translation>用一行回答</translation>
    </message>
    <message>
        <source>What the copilot should do, in Markdown.</source>
        <translation>助手要做的事，使用 Markdown。</translation>
    </message>
    <message>
        <source>No skills yet.</source>
        <translation>还没有技能。</translation>
    </message>
    <message>
        <source>A skill named {name} already exists.</source>
        <translation>已有名为“{name}”的技能。</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>指令</translation>
    </message>
    <message>
        <source>For support: versions, settings, and a trace of the last questions by id. It contains no questions, answers, tables, file names, addresses or keys, and is not sent anywhere.</source>
        <translation>供帮助您的人使用：版本、设置，以及各部分为最近的问题做了什么（按编号）。其中没有任何问题、回答、表格、文件名、地址或密钥，也不会自行发送到任何地方。</translation>
    </message>
    <message>
        <source>Save …</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Questions and attachments go to the copilot {name}</source>
        <translation>可向助手 {name} 提问：它会收到问题及随附内容</translation>
    </message>
    <message>
        <source>The copilot {name} may see all widgets</source>
        <translation>助手 {name} 可查看所有组件</translation>
    </message>
    <message>
        <source>The copilot {name} may ask the other copilots</source>
        <translation>助手 {name} 可询问其他助手</translation>
    </message>
    <message>
        <source>The models of {name} may be used; your questions go to them</source>
        <translation>可使用 {name} 的模型：它们会收到发送给它们的内容</translation>
    </message>
    <message>
        <source>Widgets may be loaded from {name}</source>
        <translation>可从 {name} 获取组件</translation>
    </message>
    <message>
        <source>Copilots may call the plugin {name}; you are asked before each change</source>
        <translation>助手可调用插件 {name}；每次更改都会询问</translation>
    </message>
    <message>
        <source>The skill {name} is sent when you call it</source>
        <translation>调用技能 {name} 时会附带其内容</translation>
    </message>
    <message>
        <source>Code in the chat “{name}” runs without asking until Deskpilot is closed</source>
        <translation>对话“{name}”的代码无需先展示即可运行，直到关闭 Deskpilot</translation>
    </message>
    <message>
        <source>Code in the temporary chat runs without asking until you leave it</source>
        <translation>临时对话的代码无需先展示即可运行，直到您离开它</translation>
    </message>
    <message>
        <source>on this machine</source>
        <translation>在本机</translation>
    </message>
    <message>
        <source>Permissions you granted. Revoke one to be asked again.</source>
        <translation>您允许过的内容。收回后，需要时会再次询问。</translation>
    </message>
    <message>
        <source>No permissions yet.</source>
        <translation>尚未允许任何内容。</translation>
    </message>
    <message>
        <source>Revoke</source>
        <translation>收回</translation>
    </message>
    <message>
        <source>Revoke: {what}</source>
        <translation>收回：{what}</translation>
    </message>
    <message>
        <source>(a picture that cannot be shown)</source>
        <translation>（无法显示的图片）</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>网页</translation>
    </message>
    <message>
        <source>First rows</source>
        <translation>前几行</translation>
    </message>
    <message>
        <source>{shown} of {count:,} columns</source>
        <translation>{count:,} 列中的 {shown} 列</translation>
    </message>
    <message>
        <source>All rows</source>
        <translation>所有行</translation>
    </message>
    <message>
        <source>More rows</source>
        <translation>更多行</translation>
    </message>
    <message>
        <source>{shown} of {count:,} rows</source>
        <translation>{shown} / {count:,} 行</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message numerus="yes">
        <source>%n row(s)</source>
        <translation>
            <numerusform>%n 行</numerusform>
        </translation>
    </message>
    <message>
        <source>Search commands, settings and chats</source>
        <translation>搜索命令、设置和对话</translation>
    </message>
    <message>
        <source>All commands</source>
        <translation>所有命令</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>No matching command</source>
        <translation>没有包含这些词的命令</translation>
    </message>
    <message>
        <source>Show Deskpilot</source>
        <translation>显示 Deskpilot</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Reads: {names}</source>
        <translation>读取：{names}</translation>
    </message>
    <message>
        <source>Asks before: {names}</source>
        <translation>事先询问：{names}</translation>
    </message>
    <message>
        <source>Calls go to {places}</source>
        <translation>访问地址：{places}</translation>
    </message>
    <message>
        <source>Contact: {who}</source>
        <translation>联系：{who}</translation>
    </message>
    <message>
        <source>Choose folder …</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>Enter address …</source>
        <translation>输入地址…</translation>
    </message>
    <message>
        <source>Files in a folder</source>
        <translation>文件夹中的文件</translation>
    </message>
    <message>
        <source>Lists, finds, reads and writes text files.</source>
        <translation>列出、查找、读取和写入文本文件。</translation>
    </message>
    <message>
        <source>Can read everything in the folder you choose. Asks you before it writes a file. Has no other access.</source>
        <translation>可以读取您所选文件夹中的全部内容。写入文件前会询问您。不访问其他任何内容。</translation>
    </message>
    <message>
        <source>Git repository</source>
        <translation>Git 仓库</translation>
    </message>
    <message>
        <source>Shows status, history and changes, makes commits and branches.</source>
        <translation>显示状态、历史和更改，创建提交和分支。</translation>
    </message>
    <message>
        <source>Can read the repository you choose. Asks you before it changes anything.</source>
        <translation>可以读取您选择的仓库。更改任何内容前会询问您。</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Tells the time in any city, and converts between time zones.</source>
        <translation>告知任何城市的时间，并在时区之间换算。</translation>
    </message>
    <message>
        <source>Can read this machine&apos;s clock. Has no other access.</source>
        <translation>可以读取本机时钟。不访问其他任何内容。</translation>
    </message>
    <message>
        <source>Web pages</source>
        <translation>网页</translation>
    </message>
    <message>
        <source>Reads a web page as text.</source>
        <translation>将网页读取为文本。</translation>
    </message>
    <message>
        <source>Contacts other machines, and asks you before each page. Does not work while Deskpilot is offline.</source>
        <translation>会连接其他计算机：读取每个网页前会询问您。Deskpilot 离线时不可用。</translation>
    </message>
    <message>
        <source>PostgreSQL database</source>
        <translation>PostgreSQL 数据库</translation>
    </message>
    <message>
        <source>Lists and describes tables, and runs SELECT.</source>
        <translation>列出和描述表，并运行 SELECT。</translation>
    </message>
    <message>
        <source>Can only read. Asks you before each query. The password is kept in the keyring.</source>
        <translation>只能读取。每次查询前会询问您。密码保存在密钥环中。</translation>
    </message>
    <message>
        <source>To-do list</source>
        <translation>待办事项</translation>
    </message>
    <message>
        <source>A sample plugin: notes things to do.</source>
        <translation>示例插件：记录待办事项。</translation>
    </message>
    <message>
        <source>Runs on this machine while Deskpilot is open; its list is not kept afterwards. Asks you before it changes the list.</source>
        <translation>在 Deskpilot 打开期间于本机运行，之后清空清单。更改清单前会询问您。</translation>
    </message>
    <message>
        <source>It can&apos;t be reached now, so its last known version is used.</source>
        <translation>目前无法访问；使用它上次发布的内容。</translation>
    </message>
    <message>
        <source>It has changed and needs your approval: {why}</source>
        <translation>它已更改，等待您确认：{why}</translation>
    </message>
    <message>
        <source>Approve</source>
        <translation>同意</translation>
    </message>
    <message>
        <source>Sign in …</source>
        <translation>登录…</translation>
    </message>
    <message>
        <source>Terms</source>
        <translation>条款</translation>
    </message>
    <message>
        <source>Added</source>
        <translation>已添加</translation>
    </message>
    <message>
        <source>Needs {program}, which is not on this machine.</source>
        <translation>需要 {program}，本机上没有。</translation>
    </message>
    <message>
        <source>No plugins yet.</source>
        <translation>还没有插件。</translation>
    </message>
    <message>
        <source>No MCP servers yet.</source>
        <translation>还没有 MCP 服务器。</translation>
    </message>
    <message>
        <source>Gallery</source>
        <translation>精选</translation>
    </message>
    <message>
        <source>These come with Deskpilot; add them with one click.</source>
        <translation>这些随 Deskpilot 附带，按一下即可添加。</translation>
    </message>
    <message numerus="yes">
        <source>%n warnings</source>
        <translation>
            <numerusform>%n 个警告</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools</source>
        <translation>
            <numerusform>%n 个工具</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading what {address} can do …</source>
        <translation>正在读取 {address} 的功能…</translation>
    </message>
    <message>
        <source>Starting {name} and reading its tools …</source>
        <translation>正在启动 {name} 并读取其工具…</translation>
    </message>
    <message>
        <source>Address of the database, such as postgresql://user:password@127.0.0.1/shop</source>
        <translation>数据库地址，例如 postgresql://user:password@127.0.0.1/shop</translation>
    </message>
    <message>
        <source>A server needs a name, and a program or an address.</source>
        <translation>服务器需要名称，以及程序或地址。</translation>
    </message>
    <message>
        <source>The program&apos;s arguments have an unclosed quote.</source>
        <translation>程序参数中的引号没有闭合。</translation>
    </message>
    <message>
        <source>Your token for {name}; it is stored in the keyring.</source>
        <translation>{name} 用来识别您的令牌；保存在密钥环中。</translation>
    </message>
    <message>
        <source>Client id for {name}:</source>
        <translation>{name} 对本程序的称呼（client id）：</translation>
    </message>
    <message>
        <source>Remove {name}? Copilots can no longer call it.</source>
        <translation>要移除 {name} 吗？助手将无法再调用它。</translation>
    </message>
    <message>
        <source>Finish dictating</source>
        <translation>结束听写</translation>
    </message>
    <message>
        <source>Dictate ({key}), or hold to talk</source>
        <translation>听写（{key}），或按住说话</translation>
    </message>
    <message>
        <source>Dictate, or hold to talk</source>
        <translation>听写，或按住说话</translation>
    </message>
    <message>
        <source>Add database</source>
        <translation>添加数据库</translation>
    </message>
    <message>
        <source>PostgreSQL. Tables you choose are copied to this machine; the database is never changed. The password is stored in the system&apos;s keyring.</source>
        <translation>PostgreSQL。所选的表会复制到本机并在此查询；数据库只读，绝不更改。密码保存在本系统的密钥环中。</translation>
    </message>
    <message>
        <source>Address of the database</source>
        <translation>数据库地址</translation>
    </message>
    <message>
        <source>Password (optional)</source>
        <translation>密码（如果需要）</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>Embedding models …</source>
        <translation>比较含义的模型…</translation>
    </message>
    <message>
        <source>Found by keyword only. A small embedding model on this machine can search by meaning too.</source>
        <translation>仅按字词查找。小模型还能按含义查找，并且只在本机运行。</translation>
    </message>
    <message>
        <source>Found by keyword only. The embedding model on this machine doesn&apos;t know this language.</source>
        <translation>仅按字词查找。本机的嵌入模型不懂这种语言。</translation>
    </message>
    <message>
        <source>≈ similar in meaning, worded differently</source>
        <translation>≈ 含义相近，用词不同</translation>
    </message>
    <message>
        <source>{read:,} of {of:,} answers can be found by meaning so far.</source>
        <translation>目前 {of:,} 个回答中有 {read:,} 个可按含义查找。</translation>
    </message>
    <message>
        <source>Run {name}</source>
        <translation>运行 {name}</translation>
    </message>
    <message>
        <source>No workflows yet. Ask something that takes several steps, then press Steps below the answer.</source>
        <translation>还没有工作流。请提一个需要多个步骤的问题，然后点击回答下方的“步骤”。</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>工作流库</translation>
    </message>
    <message>
        <source>Saved workflows. They run again without a model once validated.</source>
        <translation>已保存的工作流：试运行通过后，无需模型即可再次运行。</translation>
    </message>
    <message>
        <source>{name}, version {number} from the library, run without a model.</source>
        <translation>运行了工作流库中的 {name} 第 {number} 版，未使用模型。</translation>
    </message>
    <message>
        <source>The answer is in the conversation.</source>
        <translation>回答已显示在对话中。</translation>
    </message>
    <message>
        <source>{name} was validated: it ran twice with the same result and changed nothing.</source>
        <translation>{name} 已试运行：运行两次，结果相同，没有改动任何文件。</translation>
    </message>
    <message>
        <source>{name} failed validation: {why}</source>
        <translation>{name} 试运行后不可信：{why}</translation>
    </message>
    <message>
        <source>Remove {name} from the library, with all its versions?</source>
        <translation>要从工作流库中移除 {name} 及其所有版本吗？</translation>
    </message>
    <message>
        <source>Removed {name}.</source>
        <translation>已移除 {name}。</translation>
    </message>
    <message>
        <source>{name} was restored.</source>
        <translation>{name} 已恢复。</translation>
    </message>
    <message>
        <source>Save as a new version …</source>
        <translation>保存为新版本…</translation>
    </message>
    <message>
        <source>A step failed.</source>
        <translation>有一个步骤失败。</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>Saved as version {number}.</source>
        <translation>已保存为第 {number} 版。</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>choose …</source>
        <translation>请选择…</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Not open here: {names}. Add it to the dashboard to run this again.</source>
        <translation>这里没有打开：{names}。请添加到仪表板后再运行。</translation>
    </message>
    <message>
        <source>Fix the marked fields first.</source>
        <translation>请先更正标出的内容。</translation>
    </message>
    <message>
        <source>A step failed; the answer stays as it was.</source>
        <translation>有一个步骤失败；回答保持不变。</translation>
    </message>
    <message>
        <source>Steps you changed, run without a model: {changes}</source>
        <translation>由您更改步骤并运行，未使用模型：{changes}</translation>
    </message>
    <message>
        <source>You ran this again, without a model.</source>
        <translation>由您再次运行，未使用模型。</translation>
    </message>
    <message>
        <source>The new answer is in the conversation.</source>
        <translation>新的回答已显示在对话中。</translation>
    </message>
    <message>
        <source>Saved as {name} in Settings, Library.</source>
        <translation>已保存为 {name}，可在“设置”的“工作流库”中找到。</translation>
    </message>
    <message>
        <source>Add a condition</source>
        <translation>添加条件</translation>
    </message>
    <message>
        <source>Remove the condition on {column}</source>
        <translation>移除对 {column} 的条件</translation>
    </message>
    <message>
        <source>Save in the library</source>
        <translation>保存到工作流库</translation>
    </message>
    <message>
        <source>shop_sales</source>
        <translation>shop_sales</translation>
    </message>
    <message>
        <source>Validate and save</source>
        <translation>试运行并保存</translation>
    </message>
    <message>
        <source>Asked for at each run</source>
        <translation>每次运行时询问</translation>
    </message>
    <message>
        <source>{argument}: {value} ({step})</source>
        <translation>{argument}：{value}（{step}）</translation>
    </message>
    <message>
        <source>Name of the parameter {text}</source>
        <translation>参数名称：{text}</translation>
    </message>
    <message>
        <source>Validating …</source>
        <translation>正在试运行…</translation>
    </message>
    <message numerus="yes">
        <source>%n steps</source>
        <translation>
            <numerusform>%n 个步骤</numerusform>
        </translation>
    </message>
    <message>
        <source>Change steps …</source>
        <translation>更改步骤…</translation>
    </message>
    <message>
        <source>Not run: an earlier step failed.</source>
        <translation>未运行：前面的步骤失败。</translation>
    </message>
    <message>
        <source>{name}: {value}</source>
        <translation>{name}：{value}</translation>
    </message>
    <message numerus="yes">
        <source>A chart of %n rows</source>
        <translation>
            <numerusform>由 %n 行绘制的图表</numerusform>
        </translation>
    </message>
    <message>
        <source>number</source>
        <translation>数字</translation>
    </message>
    <message>
        <source>text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>date</source>
        <translation>日期</translation>
    </message>
    <message>
        <source>yes or no</source>
        <translation>是或否</translation>
    </message>
    <message numerus="yes">
        <source>%n columns</source>
        <translation>
            <numerusform>%n 列</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n different values</source>
        <translation>
            <numerusform>%n 个不同的值</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n empty</source>
        <translation>
            <numerusform>%n 个为空</numerusform>
        </translation>
    </message>
    <message>
        <source>First row: {cells}</source>
        <translation>第一行：{cells}</translation>
    </message>
    <message>
        <source>Last row: {cells}</source>
        <translation>最后一行：{cells}</translation>
    </message>
    <message>
        <source>For daily data from another time zone: when its day ends (optional)</source>
        <translation>来自其他时区的每日数据：一天何时结束（可选）</translation>
    </message>
    <message>
        <source>The input of this step isn&apos;t computed yet, so its columns are unknown.</source>
        <translation>这一步所用的数据还没有计算，因此还不知道有哪些列。</translation>
    </message>
    <message>
        <source>Compute the steps before it</source>
        <translation>计算前面的步骤</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>再次运行</translation>
    </message>
    <message>
        <source>Save in the library …</source>
        <translation>保存到工作流库…</translation>
    </message>
    <message>
        <source>Running …</source>
        <translation>正在运行…</translation>
    </message>
    <message>
        <source>Changed, not run yet: {changes}</source>
        <translation>已更改，尚未运行：{changes}</translation>
    </message>
    <message>
        <source>{step} (new)</source>
        <translation>{step}（新）</translation>
    </message>
    <message>
        <source>{step} (changed)</source>
        <translation>{step}（已更改）</translation>
    </message>
    <message>
        <source>{step} (failed)</source>
        <translation>{step}（失败）</translation>
    </message>
    <message>
        <source>Read rows</source>
        <translation>读取行</translation>
    </message>
    <message>
        <source>Read over time</source>
        <translation>读取时间序列</translation>
    </message>
    <message>
        <source>Read at one point in time</source>
        <translation>读取某一时点</translation>
    </message>
    <message>
        <source>Read the members of a group</source>
        <translation>读取组的成员</translation>
    </message>
    <message>
        <source>Returns</source>
        <translation>收益率</translation>
    </message>
    <message>
        <source>Return between two days</source>
        <translation>两日之间的收益率</translation>
    </message>
    <message>
        <source>Growth from first to last</source>
        <translation>从首到尾的增长</translation>
    </message>
    <message>
        <source>Change from row to row</source>
        <translation>逐行变化</translation>
    </message>
    <message>
        <source>Running sum</source>
        <translation>累计和</translation>
    </message>
    <message>
        <source>Moving window</source>
        <translation>滑动窗口</translation>
    </message>
    <message>
        <source>One row for each period</source>
        <translation>每个周期一行</translation>
    </message>
    <message>
        <source>Combine rows</source>
        <translation>汇总各行</translation>
    </message>
    <message>
        <source>Combine rows, several columns at once</source>
        <translation>合并行（多列一起）</translation>
    </message>
    <message>
        <source>Mean and median</source>
        <translation>平均值与中位数</translation>
    </message>
    <message>
        <source>Correlation</source>
        <translation>相关系数</translation>
    </message>
    <message>
        <source>Correlation for each</source>
        <translation>各组的相关性</translation>
    </message>
    <message>
        <source>Compute a column</source>
        <translation>计算一列</translation>
    </message>
    <message>
        <source>Technical indicator</source>
        <translation>技术指标</translation>
    </message>
    <message>
        <source>Forecast</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Draw lines</source>
        <translation>绘制折线</translation>
    </message>
    <message>
        <source>Draw bars</source>
        <translation>绘制柱状图</translation>
    </message>
    <message>
        <source>Draw points</source>
        <translation>绘制散点</translation>
    </message>
    <message>
        <source>Draw a pie</source>
        <translation>绘制饼图</translation>
    </message>
    <message>
        <source>Draw candles</source>
        <translation>绘制 K 线</translation>
    </message>
    <message>
        <source>Overlay charts</source>
        <translation>叠加图表</translation>
    </message>
    <message>
        <source>Show a table</source>
        <translation>显示表格</translation>
    </message>
    <message>
        <source>Keep columns and rows</source>
        <translation>保留部分行列</translation>
    </message>
    <message>
        <source>Read one cell</source>
        <translation>读取一个单元格</translation>
    </message>
    <message>
        <source>Put side by side</source>
        <translation>左右合并</translation>
    </message>
    <message>
        <source>Put one below the other</source>
        <translation>上下合并</translation>
    </message>
    <message>
        <source>Turn values into columns</source>
        <translation>将值转为列</translation>
    </message>
    <message>
        <source>Turn columns into rows</source>
        <translation>把列变成行</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>排名</translation>
    </message>
    <message>
        <source>Compute for each, and rank</source>
        <translation>逐个计算并排名</translation>
    </message>
    <message>
        <source>Rename columns</source>
        <translation>重命名列</translation>
    </message>
    <message>
        <source>Ask the database</source>
        <translation>查询数据库</translation>
    </message>
    <message>
        <source>what it does</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>table</source>
        <translation>表</translation>
    </message>
    <message>
        <source>rows of</source>
        <translation>数据来自</translation>
    </message>
    <message>
        <source>left rows of</source>
        <translation>左侧数据来自</translation>
    </message>
    <message>
        <source>right rows of</source>
        <translation>右侧数据来自</translation>
    </message>
    <message>
        <source>charts of</source>
        <translation>图表来自</translation>
    </message>
    <message>
        <source>only where</source>
        <translation>条件</translation>
    </message>
    <message>
        <source>column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>compared</source>
        <translation>比较方式</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>values</source>
        <translation>值</translation>
    </message>
    <message>
        <source>other column</source>
        <translation>另一列</translation>
    </message>
    <message>
        <source>time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>by</source>
        <translation>按</translation>
    </message>
    <message>
        <source>of</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>from</source>
        <translation>从</translation>
    </message>
    <message>
        <source>until</source>
        <translation>到</translation>
    </message>
    <message>
        <source>at</source>
        <translation>时点</translation>
    </message>
    <message>
        <source>not before</source>
        <translation>不早于</translation>
    </message>
    <message>
        <source>that day only</source>
        <translation>仅当日</translation>
    </message>
    <message>
        <source>for each</source>
        <translation>每个周期</translation>
    </message>
    <message>
        <source>combined as</source>
        <translation>汇总方式</translation>
    </message>
    <message>
        <source>periods in words</source>
        <translation>用文字写时期</translation>
    </message>
    <message>
        <source>ordered by</source>
        <translation>排序依据</translation>
    </message>
    <message>
        <source>highest first</source>
        <translation>从高到低</translation>
    </message>
    <message>
        <source>at most</source>
        <translation>最多</translation>
    </message>
    <message>
        <source>each once</source>
        <translation>去重</translation>
    </message>
    <message>
        <source>group</source>
        <translation>组</translation>
    </message>
    <message>
        <source>name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>names</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>members</source>
        <translation>成员</translation>
    </message>
    <message>
        <source>since the first row</source>
        <translation>自首行起</translation>
    </message>
    <message>
        <source>how</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>rows before</source>
        <translation>前几行</translation>
    </message>
    <message>
        <source>window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>indicator</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>how many</source>
        <translation>个数</translation>
    </message>
    <message>
        <source>confidence</source>
        <translation>置信度</translation>
    </message>
    <message>
        <source>x axis</source>
        <translation>横轴</translation>
    </message>
    <message>
        <source>y axis</source>
        <translation>纵轴</translation>
    </message>
    <message>
        <source>title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>labels</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>also saved</source>
        <translation>同时保存</translation>
    </message>
    <message>
        <source>row</source>
        <translation>行</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>joined on</source>
        <translation>匹配列</translation>
    </message>
    <message>
        <source>label</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>first</source>
        <translation>第一个</translation>
    </message>
    <message>
        <source>second</source>
        <translation>第二个</translation>
    </message>
    <message>
        <source>sign</source>
        <translation>运算符</translation>
    </message>
    <message>
        <source>volume</source>
        <translation>成交量</translation>
    </message>
    <message>
        <source>opening price</source>
        <translation>开盘价</translation>
    </message>
    <message>
        <source>high</source>
        <translation>最高价</translation>
    </message>
    <message>
        <source>low</source>
        <translation>最低价</translation>
    </message>
    <message>
        <source>close</source>
        <translation>收盘价</translation>
    </message>
    <message>
        <source>pane</source>
        <translation>副图</translation>
    </message>
    <message>
        <source>fast</source>
        <translation>快线</translation>
    </message>
    <message>
        <source>slow</source>
        <translation>慢线</translation>
    </message>
    <message>
        <source>signal</source>
        <translation>信号线</translation>
    </message>
    <message>
        <source>put into</source>
        <translation>代入</translation>
    </message>
    <message>
        <source>tables</source>
        <translation>表</translation>
    </message>
    <message>
        <source>SELECT</source>
        <translation>SELECT</translation>
    </message>
    <message>
        <source>of whom</source>
        <translation>谁</translation>
    </message>
    <message>
        <source>first day</source>
        <translation>第一天</translation>
    </message>
    <message>
        <source>last day</source>
        <translation>最后一天</translation>
    </message>
    <message>
        <source>how many rows</source>
        <translation>多少行</translation>
    </message>
    <message>
        <source>how many values</source>
        <translation>多少个值</translation>
    </message>
    <message>
        <source>standard deviations</source>
        <translation>标准差倍数</translation>
    </message>
    <message>
        <source>how many, largest first</source>
        <translation>最大的多少个</translation>
    </message>
    <message>
        <source>which series</source>
        <translation>哪个序列</translation>
    </message>
    <message>
        <source>which measure</source>
        <translation>哪个指标</translation>
    </message>
    <message>
        <source>which column</source>
        <translation>哪一列</translation>
    </message>
    <message>
        <source>sum</source>
        <translation>总和</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均值</translation>
    </message>
    <message>
        <source>median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>min</source>
        <translation>最小值</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大值</translation>
    </message>
    <message>
        <source>count</source>
        <translation>计数</translation>
    </message>
    <message>
        <source>last</source>
        <translation>最后一个</translation>
    </message>
    <message>
        <source>absolute</source>
        <translation>差值</translation>
    </message>
    <message>
        <source>percent</source>
        <translation>百分比</translation>
    </message>
    <message>
        <source>day</source>
        <translation>日</translation>
    </message>
    <message>
        <source>week</source>
        <translation>周</translation>
    </message>
    <message>
        <source>month</source>
        <translation>月</translation>
    </message>
    <message>
        <source>quarter</source>
        <translation>季度</translation>
    </message>
    <message>
        <source>year</source>
        <translation>年</translation>
    </message>
    <message>
        <source>step {number}</source>
        <translation>步骤 {number}</translation>
    </message>
    <message>
        <source> and </source>
        <translation> 且 </translation>
    </message>
    <message>
        <source>once for each {column} of {rows}</source>
        <translation>对{rows}的每个 {column} 各一次</translation>
    </message>
    <message>
        <source>new: {does}</source>
        <translation>新增：{does}</translation>
    </message>
    <message>
        <source>in another order</source>
        <translation>顺序不同</translation>
    </message>
    <message>
        <source>without {does}</source>
        <translation>去掉{does}</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message numerus="yes">
        <source>An unfinished design: %n requests so far.</source>
        <translation>
            <numerusform>有一项设计尚未完成：目前有 %n 个问题。</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading the tables …</source>
        <translation>正在读取表…</translation>
    </message>
    <message>
        <source>Designed {made} workflows from {asked} requests; {well} were validated.</source>
        <translation>由 {asked} 个问题设计了 {made} 个工作流；其中 {well} 个试运行通过。</translation>
    </message>
    <message>
        <source>Stopped. Progress is saved.</source>
        <translation>已停止。已完成的部分会保留。</translation>
    </message>
    <message>
        <source>new</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>used again</source>
        <translation>沿用</translation>
    </message>
    <message>
        <source>Collecting questions</source>
        <translation>正在拟定问题</translation>
    </message>
    <message>
        <source>Defining workflows</source>
        <translation>正在定义工作流</translation>
    </message>
    <message>
        <source>Merging similar ones</source>
        <translation>正在合并相似的</translation>
    </message>
    <message>
        <source>Validating</source>
        <translation>正在试运行</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Tables for the design</source>
        <translation>设计所用的表</translation>
    </message>
    <message>
        <source>Design</source>
        <translation>设计</translation>
    </message>
    <message>
        <source>Design progress</source>
        <translation>设计进度</translation>
    </message>
    <message>
        <source>Let the model design workflows</source>
        <translation>让模型设计工作流</translation>
    </message>
    <message>
        <source>The model thinks of questions about some tables and builds workflows that answer them. Each is validated before it is listed below. This takes a few minutes and can be resumed.</source>
        <translation>模型会设想人们可能就所选的表提出的问题，并制作能够回答的工作流。每个工作流都要先试运行，才会列在下方。需要几分钟；停止后可以以后继续。</translation>
    </message>
    <message>
        <source>No table is open. Attach one in the chat first.</source>
        <translation>没有打开的表。请先在对话中添加一个。</translation>
    </message>
    <message>
        <source>Start a new design</source>
        <translation>开始新的设计</translation>
    </message>
    <message>
        <source>{phase}, {done} of {total}: {text}</source>
        <translation>{phase}，{done}/{total}：{text}</translation>
    </message>
    <message>
        <source>Paused.</source>
        <translation>已暂停。</translation>
    </message>
    <message>
        <source>The starter model understands only simple wording. This model understands questions about data in your own words:</source>
        <translation>入门模型只认识少数几种问法。这个模型能看懂您用自己的话提出的数据问题：</translation>
    </message>
    <message>
        <source>The starter model is made for tables. A larger model is better at general questions:</source>
        <translation>入门模型专为表格而设。一般问题更适合用更大的模型：</translation>
    </message>
    <message>
        <source>Rows of a table that meet conditions.</source>
        <translation>表中符合条件的行，原样读取。</translation>
    </message>
    <message>
        <source>Columns by day, or one row for each month, quarter or year.</source>
        <translation>按日读取各列，或按月、季度、年各取一行。</translation>
    </message>
    <message>
        <source>One row for each shop, share or country, on one day or the latest.</source>
        <translation>某一天或最新一天，每个店铺、股票或国家一行（截面）。</translation>
    </message>
    <message>
        <source>Members of a group, such as the shares of an index.</source>
        <translation>属于某一组的成员，例如指数的成分股。</translation>
    </message>
    <message>
        <source>A read-only SQL SELECT on your tables.</source>
        <translation>用 SQL 的 SELECT 查询您的表，只读。</translation>
    </message>
    <message>
        <source>Return of a price in percent, since the start or from row to row.</source>
        <translation>价格的涨跌幅（收益率，%），从起点累计或逐行计算。</translation>
    </message>
    <message>
        <source>Return between two days in percent, as one number.</source>
        <translation>两天之间的收益率（%），一个数字。</translation>
    </message>
    <message>
        <source>The first and last value of each, and their difference.</source>
        <translation>每一项的首值、末值及其增减。</translation>
    </message>
    <message>
        <source>Difference from the previous row, or year on year.</source>
        <translation>与上一行相比的变化，或同比、环比。</translation>
    </message>
    <message>
        <source>The running sum of a column.</source>
        <translation>某一列到每一行为止的累计和。</translation>
    </message>
    <message>
        <source>Moving average, sum, highest or lowest of the last rows.</source>
        <translation>最近若干行的移动平均、移动求和、最高或最低。</translation>
    </message>
    <message>
        <source>Combines days into weeks, months, quarters or years.</source>
        <translation>把每日数据汇总为周、月、季度或年。</translation>
    </message>
    <message>
        <source>Sum, mean, count and so on, for each group or for all rows.</source>
        <translation>求和、平均、计数等，分组或对所有行。</translation>
    </message>
    <message>
        <source>Aggregates of several columns, for each group and period.</source>
        <translation>多列一起按组、按时期求和或求平均。</translation>
    </message>
    <message>
        <source>Mean and median of a column.</source>
        <translation>某一列的平均值和中位数。</translation>
    </message>
    <message>
        <source>Correlation of two columns, from -1 to 1.</source>
        <translation>两列的相关系数，从 -1 到 1 的一个数字。</translation>
    </message>
    <message>
        <source>Correlation of two columns for each group.</source>
        <translation>各组中两列的相关系数。</translation>
    </message>
    <message>
        <source>A new column: one plus, minus, times or divided by another column or a number.</source>
        <translation>新的一列：一列与另一列或一个数字加、减、乘、除。</translation>
    </message>
    <message>
        <source>MACD, KDJ, RSI, Bollinger bands or CCI of a price.</source>
        <translation>价格的技术指标：MACD、KDJ、RSI、布林带或 CCI。</translation>
    </message>
    <message>
        <source>The next values of a series, with a likely range.</source>
        <translation>预测序列接下来的值，并给出可能的区间。</translation>
    </message>
    <message>
        <source>A line chart, with one line for each column or group member.</source>
        <translation>折线图，每一列或每一项一条线。</translation>
    </message>
    <message>
        <source>A bar chart, for example of shops on one day.</source>
        <translation>柱状图，例如某一天各店铺的数值。</translation>
    </message>
    <message>
        <source>A scatter chart of two columns.</source>
        <translation>散点图，一列为横轴，另一列为纵轴。</translation>
    </message>
    <message>
        <source>A pie chart.</source>
        <translation>饼图：整体中的各部分占比。</translation>
    </message>
    <message>
        <source>A chart of opening, high, low and closing prices, with volume and indicators.</source>
        <translation>K 线图：开盘、最高、最低、收盘价，附成交量和指标。</translation>
    </message>
    <message>
        <source>Several charts in one, such as bars and a line.</source>
        <translation>把几张图叠在一起，例如柱状图加折线。</translation>
    </message>
    <message>
        <source>Rows as a table in the answer; can be saved as CSV.</source>
        <translation>在回答中显示为表格，也可保存为 CSV。</translation>
    </message>
    <message>
        <source>Fewer columns, or only rows that meet conditions.</source>
        <translation>只保留部分列，或只保留符合条件的行（筛选）。</translation>
    </message>
    <message>
        <source>One cell, as a number or a word.</source>
        <translation>一个单元格，数字或文字。</translation>
    </message>
    <message>
        <source>Joins two results where columns are the same.</source>
        <translation>按相同的列把两个结果连接起来（合并）。</translation>
    </message>
    <message>
        <source>Rows of several results, one below the other.</source>
        <translation>把几个结果的行上下拼接。</translation>
    </message>
    <message>
        <source>A column for each value, as in a pivot table.</source>
        <translation>每个值一列，即交叉表（透视）。</translation>
    </message>
    <message>
        <source>Columns become rows with a name and a value each.</source>
        <translation>把列变成行：每行一个名称和一个值。</translation>
    </message>
    <message>
        <source>Sorts rows by a column, highest or lowest first, and can keep only the top rows.</source>
        <translation>按某一列排序，从高到低或从低到高；也可只取前几名。</translation>
    </message>
    <message>
        <source>Computes a number for each distinct value in a column, and sorts by it.</source>
        <translation>对某一列的每个值计算一个数字，并按它排序。</translation>
    </message>
    <message>
        <source>Renames columns.</source>
        <translation>给列改名。</translation>
    </message>
    <message>
        <source>Get</source>
        <translation>取数</translation>
    </message>
    <message>
        <source>Arrange</source>
        <translation>整理</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Predict</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>It needs the rows from an earlier step.</source>
        <translation>它需要前面某一步的行。</translation>
    </message>
    <message>
        <source>It needs the rows from two earlier steps.</source>
        <translation>它需要前面两步的行。</translation>
    </message>
    <message>
        <source>It needs two earlier charts.</source>
        <translation>它需要前面画好的两张图。</translation>
    </message>
    <message>
        <source>It needs an open table.</source>
        <translation>它需要一张已打开的表。</translation>
    </message>
    <message>
        <source>Add a step after {step}</source>
        <translation>在“{step}”之后添加步骤</translation>
    </message>
    <message>
        <source>Search: average, join, chart, sort …</source>
        <translation>搜索：平均、合并、图、排序…</translation>
    </message>
    <message>
        <source>Search steps</source>
        <translation>搜索步骤可以做什么</translation>
    </message>
    <message>
        <source>No matching step.</source>
        <translation>没有符合这些词的步骤。</translation>
    </message>
    <message numerus="yes">
        <source>A workflow has at most %n steps.</source>
        <translation>
            <numerusform>一个工作流最多有 %n 个步骤。</numerusform>
        </translation>
    </message>
    <message>
        <source>Step {taker} ({takes}) uses the result of step {giver} ({gives}), so it must come after that step.</source>
        <translation>步骤 {taker}（{takes}）要用步骤 {giver}（{gives}）的结果，所以必须排在它后面。</translation>
    </message>
    <message>
        <source>A workflow has at least one step.</source>
        <translation>一个工作流至少有一个步骤。</translation>
    </message>
    <message>
        <source>Step {taker} ({takes}) uses the result of step {giver} ({gives}). First change the input of step {taker}, or remove that step.</source>
        <translation>步骤 {taker}（{takes}）要用步骤 {giver}（{gives}）的结果。请先让它改用别的结果，或先删除它。</translation>
    </message>
    <message>
        <source>Alt with an arrow key moves a step, Insert adds one after it, Delete removes it.</source>
        <translation>Alt 加方向键移动步骤，Insert 在其后添加，Delete 删除。</translation>
    </message>
    <message>
        <source>Add a step …</source>
        <translation>添加步骤…</translation>
    </message>
    <message>
        <source>After the selected step (Insert)</source>
        <translation>在所选步骤之后（Insert）</translation>
    </message>
    <message>
        <source>Move up (Alt+Up)</source>
        <translation>上移（Alt+↑）</translation>
    </message>
    <message>
        <source>Move down (Alt+Down)</source>
        <translation>下移（Alt+↓）</translation>
    </message>
    <message>
        <source>Remove this step (Delete)</source>
        <translation>删除这一步（Delete）</translation>
    </message>
    <message>
        <source>Undo the last change</source>
        <translation>撤销上一次更改</translation>
    </message>
    <message>
        <source>Ctrl+Z</source>
        <translation>Ctrl+Z</translation>
    </message>
    <message>
        <source>Searching the table …</source>
        <translation>正在表中查找…</translation>
    </message>
    <message>
        <source>Remove the downloaded part of {name}? {room} will be freed.</source>
        <translation>要移除 {name} 已下载的部分吗？将释放 {room}。</translation>
    </message>
    <message>
        <source>Remove {name}? {room} will be freed. It can be downloaded again.</source>
        <translation>移除 {name}？将释放 {room}。之后可以重新下载。</translation>
    </message>
    <message>
        <source>Remove {name}? It was imported; you can import it again.</source>
        <translation>移除 {name}？它是导入的：若要再次使用，请重新导入。</translation>
    </message>
    <message>
        <source>Removed: {room} are free again.</source>
        <translation>已移除：释放了 {room}。</translation>
    </message>
    <message>
        <source>About this table …</source>
        <translation>关于这张表的说明…</translation>
    </message>
    <message>
        <source>Saved. The next question uses it.</source>
        <translation>已保存。接下来的问题会用到它。</translation>
    </message>
    <message>
        <source>Restored.</source>
        <translation>已恢复原样。</translation>
    </message>
    <message>
        <source>About</source>
        <translation>关于</translation>
    </message>
    <message>
        <source>Show developer settings</source>
        <translation>显示开发者选项</translation>
    </message>
    <message numerus="yes">
        <source>{name} holds %n tables. Which do you need?</source>
        <translation>
            <numerusform>{name} 中有 %n 个表格。您需要哪些？</numerusform>
        </translation>
    </message>
    <message>
        <source>Moved {name} here from {dashboard}</source>
        <translation>已将 {name} 从 {dashboard} 移到这里</translation>
    </message>
    <message>
        <source>Only the text of this page is shown, because the sandbox for web pages doesn&apos;t work here. To see the page, start Deskpilot as a user other than root.</source>
        <translation>仅显示此网页的文字：绘制网页的沙盒在此不可用。请以非 root 用户启动 Deskpilot 以查看网页。</translation>
    </message>
    <message>
        <source>Download the starter models</source>
        <translation>下载入门模型</translation>
    </message>
    <message>
        <source>Memory settings</source>
        <translation>内存设置</translation>
    </message>
    <message>
        <source>Page {page}</source>
        <translation>第 {page} 页</translation>
    </message>
    <message>
        <source>This page is a picture; its text can&apos;t be read.</source>
        <translation>此页是图像，无法读取文字。</translation>
    </message>
    <message>
        <source>… the rest is not shown.</source>
        <translation>……其余部分未显示。</translation>
    </message>
    <message>
        <source>Name of the library</source>
        <translation>文档库名称</translation>
    </message>
    <message>
        <source>Rebuild the index of “{name}”? Every document is read and embedded again, and can be found only once it has been read.</source>
        <translation>重建“{name}”的索引？所有文档都会重新读取并嵌入，读取完之后才能搜到。</translation>
    </message>
    <message>
        <source>Rebuild</source>
        <translation>重建</translation>
    </message>
    <message>
        <source>Add a folder of documents</source>
        <translation>添加文件夹</translation>
    </message>
    <message numerus="yes">
        <source>about %n s left</source>
        <translation>
            <numerusform>约剩 %n 秒</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading {done} of {total}: {name}</source>
        <translation>正在读取第 {done} 个，共 {total} 个：{name}</translation>
    </message>
    <message>
        <source>Folders and files to search and cite by page. They stay where they are and are not changed.</source>
        <translation>可以搜索并按页引用的文件夹和文件。它们留在原处，不会被更改。</translation>
    </message>
    <message>
        <source>New library …</source>
        <translation>新建文档库…</translation>
    </message>
    <message>
        <source>Attach to the chat</source>
        <translation>添加到对话</translation>
    </message>
    <message>
        <source>Add folder …</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Add files …</source>
        <translation>添加文件…</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>Read new or changed files</source>
        <translation>读取新增或更改的内容</translation>
    </message>
    <message>
        <source>Rebuild …</source>
        <translation>重建…</translation>
    </message>
    <message>
        <source>Read and index every document of this library again</source>
        <translation>重新读取并索引此文档库的所有文档</translation>
    </message>
    <message>
        <source>Embedders …</source>
        <translation>嵌入模型…</translation>
    </message>
    <message>
        <source>Models for search by meaning</source>
        <translation>按含义查找的模型，不限于字面用词</translation>
    </message>
    <message>
        <source>Download the OCR model; it then works offline</source>
        <translation>下载用于读取扫描页的组件，只需一次，之后可离线使用</translation>
    </message>
    <message>
        <source>Read scanned pages ({size}) …</source>
        <translation>读取扫描页（{size}）…</translation>
    </message>
    <message>
        <source>{pages}, not searchable</source>
        <translation>{pages}，搜索找不到这些页</translation>
    </message>
    <message>
        <source>{pages}; {model} is reading them</source>
        <translation>{pages}；{model} 正在读取</translation>
    </message>
    <message>
        <source>Searched by keyword. With an embedder, search also works by meaning.</source>
        <translation>按字词搜索。有嵌入模型时也能按含义查找。</translation>
    </message>
    <message>
        <source>Searched by keyword and meaning, with {model}</source>
        <translation>按字词和含义搜索，使用 {model}</translation>
    </message>
    <message>
        <source>Searched by keyword; {model} has read {done} of {total} passages</source>
        <translation>按字词搜索；{model} 已读 {done}/{total} 个段落</translation>
    </message>
    <message numerus="yes">
        <source>%n passages by keyword only, until you download an embedder for their language</source>
        <translation>
            <numerusform>%n 个段落只能按关键词搜索（下载支持其语言的嵌入模型后可按含义搜索）</numerusform>
        </translation>
    </message>
    <message>
        <source>ordered by {model}</source>
        <translation>由 {model} 排序</translation>
    </message>
    <message>
        <source>index: {size}</source>
        <translation>索引：{size}</translation>
    </message>
    <message numerus="yes">
        <source>about %n min left</source>
        <translation>
            <numerusform>约剩 %n 分钟</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n h left</source>
        <translation>
            <numerusform>约剩 %n 小时</numerusform>
        </translation>
    </message>
    <message>
        <source>Search these documents</source>
        <translation>搜索这些文件</translation>
    </message>
    <message>
        <source>Ask about it</source>
        <translation>就此提问</translation>
    </message>
    <message>
        <source>Attach this document and ask about the search text</source>
        <translation>添加此文件，并用搜索内容提问</translation>
    </message>
    <message>
        <source>Open this page</source>
        <translation>打开此页</translation>
    </message>
    <message>
        <source>Similar documents</source>
        <translation>相似文档</translation>
    </message>
    <message numerus="yes">
        <source>%n passages</source>
        <translation>
            <numerusform>%n 段</numerusform>
        </translation>
    </message>
    <message>
        <source>Not in these documents.</source>
        <translation>这些文件里没有。</translation>
    </message>
    <message>
        <source>No document mentions {words}.</source>
        <translation>没有提到：{words}。</translation>
    </message>
    <message>
        <source>page {page}</source>
        <translation>第 {page} 页</translation>
    </message>
    <message>
        <source>Page {page} of {name}</source>
        <translation>{name} 第 {page} 页</translation>
    </message>
    <message numerus="yes">
        <source>%n not read yet</source>
        <translation>
            <numerusform>%n 个尚未读取</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n can&apos;t be read</source>
        <translation>
            <numerusform>%n 个无法读取</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pages</source>
        <translation>
            <numerusform>%n 页</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n scanned pages unread</source>
        <translation>
            <numerusform>%n 页扫描图像未读取</numerusform>
        </translation>
    </message>
    <message>
        <source>No documents yet.</source>
        <translation>还没有文件。</translation>
    </message>
    <message numerus="yes">
        <source>… %n more</source>
        <translation>
            <numerusform>……还有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>The same text: {names}</source>
        <translation>相同文字：{names}</translation>
    </message>
    <message>
        <source>Similar, with differences: {names}</source>
        <translation>相似但有差异：{names}</translation>
    </message>
    <message>
        <source>Not read yet</source>
        <translation>尚未读取</translation>
    </message>
    <message>
        <source>Drawing the chart …</source>
        <translation>正在绘制图表…</translation>
    </message>
    <message>
        <source>This chart can&apos;t be drawn.</source>
        <translation>无法绘制此图表。</translation>
    </message>
    <message>
        <source>The last answer took {used:,} of the {room:,} tokens the model can hold.</source>
        <translation>上一个回答用了 {used:,} 个 token，模型最多可容纳 {room:,} 个。</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>没有模型</translation>
    </message>
    <message>
        <source>Chat model</source>
        <translation>对话模型</translation>
    </message>
    <message>
        <source>Available to download</source>
        <translation>可下载</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Search for models …</source>
        <translation>搜索模型…</translation>
    </message>
    <message>
        <source>All models …</source>
        <translation>所有模型…</translation>
    </message>
    <message>
        <source>too large for this machine</source>
        <translation>对本机来说太大</translation>
    </message>
    <message>
        <source>Estimated: {name} writes {pace} tokens a second here, and speed falls as size grows.</source>
        <translation>估计值：{name} 在本机每秒写 {pace} 个 token，模型越大速度越慢。</translation>
    </message>
    <message>
        <source>Measured here, over its last answers.</source>
        <translation>根据最近几次回答在本机测得。</translation>
    </message>
    <message>
        <source>Measured here.</source>
        <translation>在本机测得。</translation>
    </message>
    <message>
        <source>The largest that leaves memory for voice and search on this machine.</source>
        <translation>在本机上，能为语音和搜索留出内存的最大模型。</translation>
    </message>
    <message>
        <source>run from its sources</source>
        <translation>从源代码运行</translation>
    </message>
    <message>
        <source>installed with pip</source>
        <translation>通过 pip 安装</translation>
    </message>
    <message>
        <source>installed with pipx</source>
        <translation>通过 pipx 安装</translation>
    </message>
    <message>
        <source>installed with uv</source>
        <translation>通过 uv 安装</translation>
    </message>
    <message>
        <source>installed as a Debian package</source>
        <translation>作为 Debian 软件包安装</translation>
    </message>
    <message>
        <source>installed from an archive</source>
        <translation>从压缩包安装</translation>
    </message>
    <message>
        <source>Free software under the GNU General Public License, version 3 or later, without any warranty. It contains the components below. Choose one to see its licence and the location of its source code.</source>
        <translation>自由软件，按 GNU 通用公共许可证第 3 版或更高版本发布，不提供任何担保。它包含以下组件。选择一个组件，可查看其许可证以及源代码所在位置。</translation>
    </message>
    <message>
        <source>Search components and licences</source>
        <translation>搜索组件和许可证</translation>
    </message>
    <message>
        <source>Component</source>
        <translation>组件</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>Components</source>
        <translation>组件</translation>
    </message>
    <message>
        <source>About Deskpilot</source>
        <translation>关于 Deskpilot</translation>
    </message>
    <message>
        <source>Version {version}, {kind}.</source>
        <translation>版本 {version}，{kind}。</translation>
    </message>
    <message>
        <source>Source code: {place}</source>
        <translation>源代码：{place}</translation>
    </message>
    <message>
        <source>This component has no licence text of its own.</source>
        <translation>该组件没有附带许可证文本。</translation>
    </message>
    <message>
        <source>The licence cannot be read: {why}.</source>
        <translation>无法读取许可证：{why}。</translation>
    </message>
    <message>
        <source>MMM yyyy</source>
        <translation>yyyy年M月</translation>
    </message>
    <message>
        <source>Will be asked once Deskpilot is ready</source>
        <translation>Deskpilot 准备就绪后提问</translation>
    </message>
</context>
</TS>
