<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en_US">
<context>
    <name></name>
    <message>
        <source>The request requires a call to a tool, which is not offered.</source>
        <translation>要求调用一个工具，但该工具并未提供。</translation>
    </message>
    <message>
        <source>The request requires a call to the tool {a}, which is not offered.</source>
        <translation>要求调用工具 {a}，但该工具并未提供。</translation>
    </message>
    <message>
        <source>A change from zero has no percentage.</source>
        <translation>从零开始的变化没有百分比。</translation>
    </message>
    <message>
        <source>A context of {a} tokens is too small for this guard model.</source>
        <translation>{a} 个 token 的上下文对这个审核模型来说太小。</translation>
    </message>
    <message>
        <source>A context of {a} tokens needs more memory than there is; lower n_ctx.</source>
        <translation>{a} 个 token 的上下文所需内存超过现有内存；请减小 n_ctx。</translation>
    </message>
    <message>
        <source>A file changed while it ran.</source>
        <translation>运行期间有文件改变了。</translation>
    </message>
    <message>
        <source>A list of values needs one column.</source>
        <translation>值的列表只能有一列。</translation>
    </message>
    <message>
        <source>A newer Deskpilot ({a}) is running; this is {b}.</source>
        <translation>正在运行更新版本的 Deskpilot（{a}）；此程序是 {b}。</translation>
    </message>
    <message>
        <source>The document index was created by a newer Deskpilot.</source>
        <translation>文档索引由更新版本的 Deskpilot 创建。</translation>
    </message>
    <message>
        <source>A sample is different each time.</source>
        <translation>每次抽样的结果都不同。</translation>
    </message>
    <message>
        <source>A view of {a} cannot be read: {b}</source>
        <translation>无法读取 {a} 的一个视图：{b}</translation>
    </message>
    <message>
        <source>About Deskpilot</source>
        <translation>关于 Deskpilot</translation>
    </message>
    <message>
        <source>Add it again, or remove the widget.</source>
        <translation>请重新添加它，或移除组件。</translation>
    </message>
    <message>
        <source>Add it again.</source>
        <translation>请重新添加。</translation>
    </message>
    <message>
        <source>Add it to the dashboard first.</source>
        <translation>请先把它添加到仪表板。</translation>
    </message>
    <message>
        <source>Add one: deskpilot copilots add URL.</source>
        <translation>请添加一个：deskpilot copilots add URL。</translation>
    </message>
    <message>
        <source>Add one: deskpilot mcp add NAME.</source>
        <translation>请添加一个：deskpilot mcp add NAME。</translation>
    </message>
    <message>
        <source>Add one: deskpilot plugins add URL.</source>
        <translation>请添加一个：deskpilot plugins add URL。</translation>
    </message>
    <message>
        <source>Add one: deskpilot skills add FILE.</source>
        <translation>请添加一个：deskpilot skills add FILE。</translation>
    </message>
    <message>
        <source>Add them one by one: {a}.</source>
        <translation>请逐个添加：{a}。</translation>
    </message>
    <message>
        <source>Allow desktop apps to use it in Settings under Privacy &amp; security, Microphone.</source>
        <translation>请在“设置”的“隐私和安全性 › 麦克风”中允许桌面应用使用。</translation>
    </message>
    <message>
        <source>Allow it in System Settings under Privacy &amp; Security, Microphone, and start Deskpilot again.</source>
        <translation>请在“系统设置”的“隐私与安全性 › 麦克风”中允许，然后重新启动 Deskpilot。</translation>
    </message>
    <message>
        <source>Allow it in the system&apos;s settings, under Privacy; without a desktop, join the group audio.</source>
        <translation>请在系统设置的“隐私”中允许；没有桌面时，请加入 audio 用户组。</translation>
    </message>
    <message>
        <source>Allow it in the widget if you trust that server.</source>
        <translation>如果您信任该服务器，请在组件中允许它。</translation>
    </message>
    <message>
        <source>Allow more tokens.</source>
        <translation>请允许更多 token。</translation>
    </message>
    <message>
        <source>Allow {a} to read “{b}” of {c} ({d})?</source>
        <translation>允许 {a} 读取 {c}（{d}）的“{b}”吗？</translation>
    </message>
    <message>
        <source>Allow {a} to run “{b}” of {c} ({d})?</source>
        <translation>允许 {a} 执行 {c}（{d}）的“{b}”吗？</translation>
    </message>
    <message>
        <source>An image is neither an address nor base64.</source>
        <translation>有图片既不是地址也不是 base64。</translation>
    </message>
    <message>
        <source>Another Deskpilot has these conversations open.</source>
        <translation>另一个 Deskpilot 正打开着这些对话。</translation>
    </message>
    <message>
        <source>Answer in words.</source>
        <translation>请用文字回答。</translation>
    </message>
    <message>
        <source>Answer with it, or ask for something else.</source>
        <translation>请用它来回答，或索取别的内容。</translation>
    </message>
    <message>
        <source>Answer without it.</source>
        <translation>请不用它来回答。</translation>
    </message>
    <message>
        <source>Answer without it. Do not ask for it again.</source>
        <translation>请不用它来回答，不要再次请求。</translation>
    </message>
    <message>
        <source>Answer without running it, or tell the person how to run it.</source>
        <translation>请不运行它来回答，或告诉对方如何运行。</translation>
    </message>
    <message>
        <source>Answer without them.</source>
        <translation>请不用这些文件作答。</translation>
    </message>
    <message>
        <source>Answered from the attached text; not computed, so check it</source>
        <translation>根据所附文本作答；不是计算得出，请核对</translation>
    </message>
    <message>
        <source>Answered from {a} passages; cited: {b}</source>
        <translation>依据 {a} 段作答；引用：{b}</translation>
    </message>
    <message>
        <source>Ask for less at once.</source>
        <translation>请一次少要求一些。</translation>
    </message>
    <message>
        <source>Ask for less with the widget&apos;s parameters.</source>
        <translation>请用组件的参数少取一些。</translation>
    </message>
    <message>
        <source>Ask for less, or use another copilot.</source>
        <translation>请少问一些，或换一个助手。</translation>
    </message>
    <message>
        <source>Ask for less.</source>
        <translation>请少问一些。</translation>
    </message>
    <message>
        <source>Ask for one of the widgets of the request.</source>
        <translation>请索取请求中的某个组件。</translation>
    </message>
    <message>
        <source>Ask for text or json.</source>
        <translation>请要求 text 或 json。</translation>
    </message>
    <message>
        <source>Ask for the difference instead.</source>
        <translation>请改问差值。</translation>
    </message>
    <message>
        <source>Ask for wav or pcm.</source>
        <translation>请要求 wav 或 pcm。</translation>
    </message>
    <message>
        <source>Ask for {a} or fewer.</source>
        <translation>请要求 {a} 或更少。</translation>
    </message>
    <message>
        <source>Ask for {a} to {b} Hz.</source>
        <translation>请要求 {a} 到 {b} Hz。</translation>
    </message>
    <message>
        <source>Ask its maker, or choose another copilot.</source>
        <translation>请联系其开发者，或选择另一个助手。</translation>
    </message>
    <message>
        <source>Ask its maker.</source>
        <translation>请联系其开发者。</translation>
    </message>
    <message>
        <source>Ask the backend&apos;s maker.</source>
        <translation>请询问后端的开发者。</translation>
    </message>
    <message>
        <source>Ask the plugin&apos;s maker for a shorter one.</source>
        <translation>请向插件的开发者要一个短一些的。</translation>
    </message>
    <message>
        <source>Ask its administrator.</source>
        <translation>请询问其管理者。</translation>
    </message>
    <message>
        <source>Ask without code.</source>
        <translation>请不用代码来提问。</translation>
    </message>
    <message>
        <source>Attach CSV, Parquet, Excel, JSON, SQLite or DuckDB.</source>
        <translation>请添加 CSV、Parquet、Excel、JSON、SQLite 或 DuckDB。</translation>
    </message>
    <message>
        <source>Attach a database with rows.</source>
        <translation>请添加有行的数据库。</translation>
    </message>
    <message>
        <source>Attach a file with a header and rows.</source>
        <translation>请添加有表头和行的文件。</translation>
    </message>
    <message>
        <source>Attach a file with rows.</source>
        <translation>请添加有行的文件。</translation>
    </message>
    <message>
        <source>Attach a file.</source>
        <translation>请添加一个文件。</translation>
    </message>
    <message>
        <source>Attach a spreadsheet with a header and rows.</source>
        <translation>请添加有表头和行的电子表格。</translation>
    </message>
    <message>
        <source>Attach a table that has some.</source>
        <translation>请添加有行的表。</translation>
    </message>
    <message>
        <source>Attach a table: CSV, Parquet, Excel, JSON or SQLite.</source>
        <translation>请添加表格：CSV、Parquet、Excel、JSON 或 SQLite。</translation>
    </message>
    <message>
        <source>Attach it again to read it.</source>
        <translation>如需读取，请重新添加。</translation>
    </message>
    <message>
        <source>Attach it again.</source>
        <translation>请重新添加。</translation>
    </message>
    <message>
        <source>Attach it.</source>
        <translation>请先添加它。</translation>
    </message>
    <message>
        <source>Attach the file again.</source>
        <translation>请重新添加文件。</translation>
    </message>
    <message>
        <source>Change the parameters, or try again later.</source>
        <translation>请更改参数，或稍后再试。</translation>
    </message>
    <message>
        <source>Change the parameters, or try again.</source>
        <translation>请修改参数，或重试。</translation>
    </message>
    <message>
        <source>Change the parameters.</source>
        <translation>请修改参数。</translation>
    </message>
    <message>
        <source>Check address and key.</source>
        <translation>请检查地址和密钥。</translation>
    </message>
    <message>
        <source>Check both.</source>
        <translation>请检查这两项。</translation>
    </message>
    <message>
        <source>Check its address, and that it runs.</source>
        <translation>请检查地址，并确认它正在运行。</translation>
    </message>
    <message>
        <source>Check its address.</source>
        <translation>请检查它的地址。</translation>
    </message>
    <message>
        <source>Check its name.</source>
        <translation>请检查名称。</translation>
    </message>
    <message>
        <source>Check its permissions.</source>
        <translation>请检查其权限。</translation>
    </message>
    <message>
        <source>Check sslmode and its certificates.</source>
        <translation>请检查 sslmode 及其证书。</translation>
    </message>
    <message>
        <source>Check that it runs, and the network.</source>
        <translation>请确认它正在运行，并检查网络。</translation>
    </message>
    <message>
        <source>Check that it runs, then rate again.</source>
        <translation>请确认它正在运行，然后再次评价。</translation>
    </message>
    <message>
        <source>Check that it runs, then send the question again.</source>
        <translation>请确认它正在运行，然后重新发送问题。</translation>
    </message>
    <message>
        <source>Check that it works, or remove it.</source>
        <translation>请确认它能工作，或移除它。</translation>
    </message>
    <message>
        <source>Check the address, and that the copilot runs.</source>
        <translation>请检查地址，并确认助手正在运行。</translation>
    </message>
    <message>
        <source>Check the address, and that the server runs.</source>
        <translation>请检查地址，并确认服务器正在运行。</translation>
    </message>
    <message>
        <source>Check the address, and that this network reaches it.</source>
        <translation>请检查地址，并确认本网络能访问它。</translation>
    </message>
    <message>
        <source>Check the address, and the network.</source>
        <translation>请检查地址和网络。</translation>
    </message>
    <message>
        <source>Check the address, which often ends in /v1, and any proxy on the way.</source>
        <translation>请检查地址（通常以 /v1 结尾）以及途中的代理。</translation>
    </message>
    <message>
        <source>Check the address, which often ends in /v1, and the model&apos;s name.</source>
        <translation>请检查地址（通常以 /v1 结尾）和模型名称。</translation>
    </message>
    <message>
        <source>Check the address.</source>
        <translation>请检查地址。</translation>
    </message>
    <message>
        <source>Check the address; it needs agents.json or copilots.json.</source>
        <translation>请检查地址；那里需要有 agents.json 或 copilots.json。</translation>
    </message>
    <message>
        <source>Check the address; it needs widgets.json.</source>
        <translation>请检查地址；那里需要有 widgets.json。</translation>
    </message>
    <message>
        <source>Check the address; it needs {a}.</source>
        <translation>请检查地址；那里需要有 {a}。</translation>
    </message>
    <message>
        <source>Check the connection and the address.</source>
        <translation>请检查连接和地址。</translation>
    </message>
    <message>
        <source>Check the days.</source>
        <translation>请检查日期。</translation>
    </message>
    <message>
        <source>Check the disk&apos;s free space and permissions.</source>
        <translation>请检查磁盘的剩余空间和权限。</translation>
    </message>
    <message>
        <source>Check the disk&apos;s free space.</source>
        <translation>请检查磁盘的剩余空间。</translation>
    </message>
    <message>
        <source>Check the file.</source>
        <translation>请检查该文件。</translation>
    </message>
    <message>
        <source>Check the headers and keys of this backend.</source>
        <translation>请检查这个后端的请求头和密钥。</translation>
    </message>
    <message>
        <source>Check the input and the parameters.</source>
        <translation>请检查输入和参数。</translation>
    </message>
    <message>
        <source>Check the key and its permissions.</source>
        <translation>请检查密钥及其权限。</translation>
    </message>
    <message>
        <source>Check the key and what it allows.</source>
        <translation>请检查密钥及其权限。</translation>
    </message>
    <message>
        <source>Check the model&apos;s name, the input and the parameters.</source>
        <translation>请检查模型名称、输入和参数。</translation>
    </message>
    <message>
        <source>Check the path and its permissions.</source>
        <translation>请检查路径及其权限。</translation>
    </message>
    <message>
        <source>Check the path.</source>
        <translation>请检查路径。</translation>
    </message>
    <message>
        <source>Check the proxy.</source>
        <translation>请检查代理。</translation>
    </message>
    <message>
        <source>Check the quota.</source>
        <translation>请检查配额。</translation>
    </message>
    <message>
        <source>Choose a file created by `deskpilot chats backup`, or a copy of deskpilot.sqlite.</source>
        <translation>请选择 `deskpilot chats backup` 生成的文件，或 deskpilot.sqlite 的副本。</translation>
    </message>
    <message>
        <source>Choose a longer range.</source>
        <translation>请选择更长的范围。</translation>
    </message>
    <message>
        <source>Choose a multilingual model.</source>
        <translation>请选择多语言模型。</translation>
    </message>
    <message>
        <source>Choose a reranker.</source>
        <translation>请选择重排模型。</translation>
    </message>
    <message>
        <source>Choose a smaller model, or allow models more memory: deskpilot models set all memory=8GB</source>
        <translation>请选择更小的模型，或允许模型使用更多内存：deskpilot models set all memory=8GB</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>请选择另一个文件。</translation>
    </message>
    <message>
        <source>Choose another model.</source>
        <translation>请选择另一个模型。</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>请选择另一个名称。</translation>
    </message>
    <message>
        <source>Choose another one, or allow it where the desktop asks.</source>
        <translation>请选择另一个，或在桌面询问时允许。</translation>
    </message>
    <message>
        <source>Choose another one.</source>
        <translation>请选择另一个。</translation>
    </message>
    <message>
        <source>Choose another place.</source>
        <translation>请选择另一个位置。</translation>
    </message>
    <message>
        <source>Choose another provider.</source>
        <translation>请选择另一个提供商。</translation>
    </message>
    <message>
        <source>Choose another range.</source>
        <translation>请选择另一个范围。</translation>
    </message>
    <message>
        <source>Choose another shortcut.</source>
        <translation>请选择另一个快捷键。</translation>
    </message>
    <message>
        <source>Choose another symbol.</source>
        <translation>请选择另一个代码。</translation>
    </message>
    <message>
        <source>Choose another table.</source>
        <translation>请选择另一个表格。</translation>
    </message>
    <message>
        <source>Choose another value, or none.</source>
        <translation>请选择另一个值，或不设置。</translation>
    </message>
    <message>
        <source>Choose another voice.</source>
        <translation>请选择其他语音。</translation>
    </message>
    <message>
        <source>Choose another.</source>
        <translation>请选择另一个。</translation>
    </message>
    <message>
        <source>Choose at least one.</source>
        <translation>请至少选择一个。</translation>
    </message>
    <message>
        <source>Choose one that does, or correct its settings.</source>
        <translation>请选择能调用的，或更正其设置。</translation>
    </message>
    <message>
        <source>Choose one that is.</source>
        <translation>请选择可用的。</translation>
    </message>
    <message>
        <source>Choose one: {a}.</source>
        <translation>请选择一个：{a}。</translation>
    </message>
    <message>
        <source>Choose other names.</source>
        <translation>请选择其他名称。</translation>
    </message>
    <message>
        <source>Choose the ZIP or conversations.json of a ChatGPT export, a list of LMC messages, or a JSON file from Deskpilot.</source>
        <translation>请选择 ChatGPT 导出的 ZIP 或 conversations.json、LMC 消息列表，或 Deskpilot 的 JSON。</translation>
    </message>
    <message>
        <source>Choose: {a}.</source>
        <translation>请选择：{a}。</translation>
    </message>
    <message>
        <source>Close it and start it again.</source>
        <translation>请关闭后重新启动。</translation>
    </message>
    <message>
        <source>Close other programs, or choose a smaller model.</source>
        <translation>请关闭其他程序，或选择更小的模型。</translation>
    </message>
    <message>
        <source>Close the dashboard {a}? Widgets on it: {b}.</source>
        <translation>关闭仪表板 {a} 吗？其中有 {b} 个组件。</translation>
    </message>
    <message>
        <source>Compute with a smaller unit.</source>
        <translation>请用较小的单位计算。</translation>
    </message>
    <message>
        <source>Computed from {a}.</source>
        <translation>根据{a}计算得出。</translation>
    </message>
    <message>
        <source>Copy it to one: deskpilot models export-kit and import-kit.</source>
        <translation>请复制到其中一台：deskpilot models export-kit 和 import-kit。</translation>
    </message>
    <message>
        <source>Copy the kit again.</source>
        <translation>请重新复制套件。</translation>
    </message>
    <message>
        <source>Correct it and send the request again.</source>
        <translation>请更正后重新发送请求。</translation>
    </message>
    <message>
        <source>Correct it in the model&apos;s settings.</source>
        <translation>请在模型的设置中更正。</translation>
    </message>
    <message>
        <source>Correct it in the provider&apos;s settings.</source>
        <translation>请在提供商的设置中更正。</translation>
    </message>
    <message>
        <source>Correct the arguments.</source>
        <translation>请更正参数。</translation>
    </message>
    <message>
        <source>Correct the schema.</source>
        <translation>请更正结构。</translation>
    </message>
    <message>
        <source>Correct the workflow.</source>
        <translation>请更正工作流。</translation>
    </message>
    <message>
        <source>Create it with them.</source>
        <translation>请在创建时带上它们。</translation>
    </message>
    <message>
        <source>Declare it.</source>
        <translation>请声明它。</translation>
    </message>
    <message>
        <source>Deskpilot is offline, so the model hub can&apos;t be searched.</source>
        <translation>Deskpilot 处于离线模式，无法搜索模型中心。</translation>
    </message>
    <message>
        <source>Deskpilot is offline.</source>
        <translation>Deskpilot 处于离线状态。</translation>
    </message>
    <message>
        <source>Deskpilot is offline: no connection to {a} is made.</source>
        <translation>Deskpilot 处于离线模式：不会连接 {a}。</translation>
    </message>
    <message>
        <source>Detach large tables, or run deskpilot doctor to see what is missing.</source>
        <translation>请移除较大的表，或用 deskpilot doctor 查看缺少什么。</translation>
    </message>
    <message>
        <source>Do less at once.</source>
        <translation>请一次少做一些。</translation>
    </message>
    <message>
        <source>Download it again.</source>
        <translation>请重新下载。</translation>
    </message>
    <message>
        <source>Download it in your browser, and attach the file.</source>
        <translation>请用浏览器下载，然后添加文件。</translation>
    </message>
    <message>
        <source>Download it.</source>
        <translation>请下载它。</translation>
    </message>
    <message>
        <source>Draw it first.</source>
        <translation>请先画出它。</translation>
    </message>
    <message>
        <source>Enter its new address.</source>
        <translation>请填写新地址。</translation>
    </message>
    <message>
        <source>Fill it in.</source>
        <translation>请填写。</translation>
    </message>
    <message>
        <source>Free some space and try again.</source>
        <translation>请腾出空间后重试。</translation>
    </message>
    <message>
        <source>From {a}.</source>
        <translation>来自 {a}。</translation>
    </message>
    <message>
        <source>Give each step a name of its own.</source>
        <translation>请给每个步骤各自的名称。</translation>
    </message>
    <message>
        <source>Give it a value.</source>
        <translation>请给它一个值。</translation>
    </message>
    <message>
        <source>Give it another name.</source>
        <translation>请给它另一个名称。</translation>
    </message>
    <message>
        <source>Group by another column.</source>
        <translation>请按另一列分组。</translation>
    </message>
    <message>
        <source>If you trust that address, add it as a copilot.</source>
        <translation>如果信任那个地址，请把它添加为助手。</translation>
    </message>
    <message>
        <source>Import it again.</source>
        <translation>请重新导入。</translation>
    </message>
    <message>
        <source>Imported.</source>
        <translation>已导入。</translation>
    </message>
    <message>
        <source>Install Deskpilot again.</source>
        <translation>请重新安装 Deskpilot。</translation>
    </message>
    <message>
        <source>Install Node.js (apt-get install nodejs), or ask for Python.</source>
        <translation>请安装 Node.js（apt-get install nodejs），或要求用 Python。</translation>
    </message>
    <message>
        <source>Install R (apt-get install r-base-core), or ask for Python.</source>
        <translation>请安装 R（apt-get install r-base-core），或要求用 Python。</translation>
    </message>
    <message>
        <source>Install bash, or ask for Python.</source>
        <translation>请安装 bash，或要求用 Python。</translation>
    </message>
    <message>
        <source>Install it again.</source>
        <translation>请重新安装。</translation>
    </message>
    <message>
        <source>Install it first.</source>
        <translation>请先安装。</translation>
    </message>
    <message>
        <source>Install it: sudo apt install espeak-ng (Debian, Ubuntu), brew install espeak-ng (macOS).</source>
        <translation>请安装：sudo apt install espeak-ng（Debian、Ubuntu），brew install espeak-ng（macOS）。</translation>
    </message>
    <message>
        <source>Install it: {a}</source>
        <translation>请安装：{a}</translation>
    </message>
    <message>
        <source>Install them: {a}</source>
        <translation>请安装：{a}</translation>
    </message>
    <message>
        <source>Install what it needs.</source>
        <translation>请安装它所需的内容。</translation>
    </message>
    <message>
        <source>Installed are: none.</source>
        <translation>已安装：无。</translation>
    </message>
    <message>
        <source>Installed are: {a}.</source>
        <translation>已安装：{a}。</translation>
    </message>
    <message>
        <source>It asks this after reading answers from {a}.</source>
        <translation>这是在读取 {a} 的回答之后提出的。</translation>
    </message>
    <message>
        <source>No machine in the cluster has {a} with the same files.</source>
        <translation>集群中没有机器具有文件相同的 {a}。</translation>
    </message>
    <message>
        <source>Run this {a} code?</source>
        <translation>运行这段 {a} 代码吗？</translation>
    </message>
    <message>
        <source>Select one above the widget.</source>
        <translation>请在组件上方选择一个。</translation>
    </message>
    <message>
        <source>That part and those after it were removed. Try again; it will resume.</source>
        <translation>已删除这一部分及其后的部分。请重试，下载会继续。</translation>
    </message>
    <message>
        <source>The answer is sent to {a}.</source>
        <translation>结果会发送到 {a}。</translation>
    </message>
    <message>
        <source>The download of {a} was interrupted: no answer in time.</source>
        <translation>{a} 下载中断：等待响应超时。</translation>
    </message>
    <message>
        <source>The download of {a} was interrupted: no connection.</source>
        <translation>{a} 下载中断：没有网络连接。</translation>
    </message>
    <message>
        <source>The download of {a} was interrupted: the connection was lost.</source>
        <translation>{a} 下载中断：连接断开。</translation>
    </message>
    <message>
        <source>The model cannot be unpacked: {a}.</source>
        <translation>无法解包模型：{a}。</translation>
    </message>
    <message>
        <source>The model&apos;s replica failed.</source>
        <translation>该模型的副本出错。</translation>
    </message>
    <message>
        <source>The server asks you to wait until {a}.</source>
        <translation>它要求等到 {a}。</translation>
    </message>
    <message>
        <source>The server asks you to wait {a} seconds.</source>
        <translation>它要求等待 {a} 秒。</translation>
    </message>
    <message>
        <source>It has no parameter {a}.</source>
        <translation>它没有参数 {a}。</translation>
    </message>
    <message>
        <source>It has: none.</source>
        <translation>现有：无。</translation>
    </message>
    <message>
        <source>It has: nothing yet.</source>
        <translation>现有：还没有。</translation>
    </message>
    <message>
        <source>It has: {a}.</source>
        <translation>现有：{a}。</translation>
    </message>
    <message>
        <source>It is a {a}.</source>
        <translation>它是 {a}。</translation>
    </message>
    <message>
        <source>It is {a}.</source>
        <translation>它是 {a}。</translation>
    </message>
    <message>
        <source>It lists: {a}.</source>
        <translation>它列出：{a}。</translation>
    </message>
    <message>
        <source>It must be at least {a}.</source>
        <translation>必须不小于 {a}。</translation>
    </message>
    <message>
        <source>It must be at most {a}.</source>
        <translation>必须不大于 {a}。</translation>
    </message>
    <message>
        <source>It must be less than {a}.</source>
        <translation>必须小于 {a}。</translation>
    </message>
    <message>
        <source>It must be more than {a}.</source>
        <translation>必须大于 {a}。</translation>
    </message>
    <message>
        <source>It needs a list of objects, one for each row.</source>
        <translation>需要一个对象列表，每行一个对象。</translation>
    </message>
    <message>
        <source>It points to {a}, which is not on the internet, and not the host you named.</source>
        <translation>它指向 {a}，那不在互联网上，也不是您指定的主机。</translation>
    </message>
    <message>
        <source>It takes more than {a} s.</source>
        <translation>用时超过 {a} 秒。</translation>
    </message>
    <message>
        <source>It was not read.</source>
        <translation>没有读取。</translation>
    </message>
    <message>
        <source>It was removed. Try again, or ask the administrator of the index.</source>
        <translation>已将其移除。请重试，或询问索引的管理者。</translation>
    </message>
    <message>
        <source>Its copilot may have been removed.</source>
        <translation>它的助手可能已被移除。</translation>
    </message>
    <message>
        <source>Requesting its specification at {a} returned error {b}.</source>
        <translation>它的规范 {a} 返回错误 {b}。</translation>
    </message>
    <message>
        <source>Its variables are gone. Run the code again, or in smaller steps.</source>
        <translation>其变量已丢失。请重新运行代码，或分成更小的步骤。</translation>
    </message>
    <message>
        <source>Keep the ones you need.</source>
        <translation>请只保留需要的列。</translation>
    </message>
    <message>
        <source>Leave compute_type empty, or choose int8.</source>
        <translation>请把 compute_type 留空，或选择 int8。</translation>
    </message>
    <message>
        <source>Leave it out, or choose another model.</source>
        <translation>请去掉它，或选择另一个模型。</translation>
    </message>
    <message>
        <source>Leave it out.</source>
        <translation>请去掉它。</translation>
    </message>
    <message>
        <source>Let Deskpilot use the microphone in the system&apos;s settings, or choose another one.</source>
        <translation>请在系统设置中允许 Deskpilot 使用麦克风，或选择另一个麦克风。</translation>
    </message>
    <message>
        <source>Limit it with max_tokens, or choose another model.</source>
        <translation>请用 max_tokens 限制，或选择另一个模型。</translation>
    </message>
    <message>
        <source>Loop over rows or values.</source>
        <translation>请对行或值循环。</translation>
    </message>
    <message>
        <source>Make it smaller.</source>
        <translation>请把它缩小。</translation>
    </message>
    <message>
        <source>Make its folder writable.</source>
        <translation>请让其文件夹可写。</translation>
    </message>
    <message>
        <source>Make the kit with the same version of Deskpilot.</source>
        <translation>请用同一版本的 Deskpilot 制作套件。</translation>
    </message>
    <message>
        <source>Measure it again.</source>
        <translation>请重新测量。</translation>
    </message>
    <message>
        <source>No documents are attached.</source>
        <translation>没有添加文件。</translation>
    </message>
    <message>
        <source>No package index can be reached ({a}).</source>
        <translation>无法访问任何软件包索引（{a}）。</translation>
    </message>
    <message>
        <source>No package index offers {a} ({b}).</source>
        <translation>没有软件包索引提供 {a}（{b}）。</translation>
    </message>
    <message>
        <source>No package index offers {a}.</source>
        <translation>没有软件包索引提供 {a}。</translation>
    </message>
    <message>
        <source>No row has a price.</source>
        <translation>没有一行有价格。</translation>
    </message>
    <message>
        <source>No row meets these conditions.</source>
        <translation>没有符合这些条件的行。</translation>
    </message>
    <message>
        <source>No safe connection to {a} can be made: {b}.</source>
        <translation>无法与 {a} 建立安全连接：{b}。</translation>
    </message>
    <message>
        <source>No voice on this machine speaks the language {a}.</source>
        <translation>本机没有会说语言 {a} 的语音。</translation>
    </message>
    <message>
        <source>No hash is known for {a}.</source>
        <translation>没有任何来源说明 {a} 应有的哈希值。</translation>
    </message>
    <message>
        <source>This answer cannot be rated.</source>
        <translation>这个回答无法评价：没有接收评价的一方。</translation>
    </message>
    <message>
        <source>Not answered from your data</source>
        <translation>不是根据您的数据作答</translation>
    </message>
    <message>
        <source>Not found in any result: {a}</source>
        <translation>在任何结果中都未找到：{a}</translation>
    </message>
    <message>
        <source>A percentage of zero cannot be computed.</source>
        <translation>无法表示为零的百分之几。</translation>
    </message>
    <message>
        <source>Nothing was removed.</source>
        <translation>没有移除任何内容。</translation>
    </message>
    <message>
        <source>On this system, Deskpilot cannot receive shortcuts while another window is active.</source>
        <translation>在本系统上，别的窗口在前面时 Deskpilot 收不到按键。</translation>
    </message>
    <message>
        <source>Only lines, bars and points can be drawn over each other.</source>
        <translation>只有线、柱和点可以叠加绘制。</translation>
    </message>
    <message>
        <source>Only the person may close it.</source>
        <translation>只有本人可以关闭它。</translation>
    </message>
    <message>
        <source>Open Deskpilot once first.</source>
        <translation>请先打开一次 Deskpilot。</translation>
    </message>
    <message>
        <source>Open another one.</source>
        <translation>请打开另一个。</translation>
    </message>
    <message>
        <source>Open it again.</source>
        <translation>请重新打开。</translation>
    </message>
    <message>
        <source>Open it in binary mode.</source>
        <translation>请以二进制方式打开。</translation>
    </message>
    <message>
        <source>Parameter {a} is missing.</source>
        <translation>缺少参数 {a}。</translation>
    </message>
    <message>
        <source>Press its button again.</source>
        <translation>请再按一次它的按钮。</translation>
    </message>
    <message>
        <source>Print less, or write to a file.</source>
        <translation>请少输出一些，或写入文件。</translation>
    </message>
    <message>
        <source>Propose it under another name.</source>
        <translation>请用另一个名称提出。</translation>
    </message>
    <message>
        <source>Python could not be prepared: it gave no reason.</source>
        <translation>无法准备 Python：没有给出原因。</translation>
    </message>
    <message>
        <source>Python could not be prepared: {a}.</source>
        <translation>无法准备 Python：{a}。</translation>
    </message>
    <message>
        <source>Quoted from the best of {a} passages, word for word</source>
        <translation>逐字引自 {a} 段中最相关的一段</translation>
    </message>
    <message>
        <source>Read fewer rows, or a view that holds less.</source>
        <translation>请少读一些行，或读取内容较少的视图。</translation>
    </message>
    <message>
        <source>Stopped reading {a}; nothing was saved.</source>
        <translation>已停止读取 {a}；未保留任何内容。</translation>
    </message>
    <message>
        <source>Record again, or send another file.</source>
        <translation>请重新录制，或发送另一个文件。</translation>
    </message>
    <message>
        <source>Record again.</source>
        <translation>请重新录制。</translation>
    </message>
    <message>
        <source>Record or export it again.</source>
        <translation>请重新录制或导出。</translation>
    </message>
    <message>
        <source>Refresh the widget.</source>
        <translation>请刷新组件。</translation>
    </message>
    <message>
        <source>Remove it first: deskpilot plugins remove {a}.</source>
        <translation>请先移除它：deskpilot plugins remove {a}。</translation>
    </message>
    <message>
        <source>Remove it, and choose again: deskpilot models set</source>
        <translation>请删除它并重新选择：deskpilot models set</translation>
    </message>
    <message>
        <source>Remove it.</source>
        <translation>请移除它。</translation>
    </message>
    <message>
        <source>Remove some: deskpilot skills remove NAME.</source>
        <translation>请移除一些：deskpilot skills remove NAME。</translation>
    </message>
    <message>
        <source>Remove this tile.</source>
        <translation>请移除这个磁贴。</translation>
    </message>
    <message>
        <source>Remove those first.</source>
        <translation>请先移除那些。</translation>
    </message>
    <message>
        <source>Remove {a} and add it again.</source>
        <translation>请移除 {a} 并重新添加。</translation>
    </message>
    <message>
        <source>Rename it.</source>
        <translation>请重命名。</translation>
    </message>
    <message>
        <source>Rows can only be counted for each period.</source>
        <translation>按周期只能统计行数。</translation>
    </message>
    <message>
        <source>Run the same command again.</source>
        <translation>请再次运行同一命令。</translation>
    </message>
    <message>
        <source>Save it again as .xlsx.</source>
        <translation>请重新保存为 .xlsx。</translation>
    </message>
    <message>
        <source>Save it again.</source>
        <translation>请重新保存。</translation>
    </message>
    <message>
        <source>Save it as UTF-8.</source>
        <translation>请保存为 UTF-8。</translation>
    </message>
    <message>
        <source>Say it again.</source>
        <translation>请再说一遍。</translation>
    </message>
    <message>
        <source>Search again.</source>
        <translation>请重新搜索。</translation>
    </message>
    <message>
        <source>Search for the model again.</source>
        <translation>请重新搜索该模型。</translation>
    </message>
    <message>
        <source>Search for the model.</source>
        <translation>请搜索该模型。</translation>
    </message>
    <message>
        <source>See: deskpilot assistants list.</source>
        <translation>见：deskpilot assistants list。</translation>
    </message>
    <message>
        <source>See: deskpilot models list</source>
        <translation>见：deskpilot models list</translation>
    </message>
    <message>
        <source>Select one.</source>
        <translation>请选择一个。</translation>
    </message>
    <message>
        <source>Send a PNG, JPEG, WebP or GIF as a data URI or base64.</source>
        <translation>请以 data URI 或 base64 发送 PNG、JPEG、WebP 或 GIF。</translation>
    </message>
    <message>
        <source>Send another file: WAV, MP3, OGG, FLAC, M4A, WebM or any other common format.</source>
        <translation>请发送另一个文件：WAV、MP3、OGG、FLAC、M4A、WebM 或其他常见格式。</translation>
    </message>
    <message>
        <source>Send at least one message.</source>
        <translation>请至少发送一条消息。</translation>
    </message>
    <message>
        <source>Send less at a time.</source>
        <translation>请一次少发送一些。</translation>
    </message>
    <message>
        <source>Send letters or numbers.</source>
        <translation>请发送字母或数字。</translation>
    </message>
    <message>
        <source>Send one SELECT and nothing else.</source>
        <translation>请只发送一条 SELECT。</translation>
    </message>
    <message>
        <source>Send one SELECT over the tables it names.</source>
        <translation>请发送一条针对所列表的 SELECT。</translation>
    </message>
    <message>
        <source>Send one between {a} and {b}.</source>
        <translation>请发送 {a} 到 {b} 之间的值。</translation>
    </message>
    <message>
        <source>Send one, or use the chat mode.</source>
        <translation>请发送一条，或使用 chat 模式。</translation>
    </message>
    <message>
        <source>Send one, or use the mode chat.</source>
        <translation>请发送一条，或使用 chat 模式。</translation>
    </message>
    <message>
        <source>Send some text.</source>
        <translation>请发送一些文字。</translation>
    </message>
    <message>
        <source>Send text, numbers, lists or an open file.</source>
        <translation>请发送文本、数字、列表或打开的文件。</translation>
    </message>
    <message>
        <source>Send text.</source>
        <translation>请发送文本。</translation>
    </message>
    <message>
        <source>Send text; in LangChain: check_embedding_ctx_length=False.</source>
        <translation>请发送文本；在 LangChain 中设置 check_embedding_ctx_length=False。</translation>
    </message>
    <message>
        <source>Send the image itself, as a data URI or base64.</source>
        <translation>请以 data URI 或 base64 发送图片本身。</translation>
    </message>
    <message>
        <source>Send the question again, or use another copilot.</source>
        <translation>请重新发送问题，或换一个助手。</translation>
    </message>
    <message>
        <source>Send the question again.</source>
        <translation>请重新发送问题。</translation>
    </message>
    <message>
        <source>Set it, and start Deskpilot from there.</source>
        <translation>请设置它，并从那里启动 Deskpilot。</translation>
    </message>
    <message>
        <source>Set the device to one of: {a}.</source>
        <translation>请把设备设为其中之一：{a}。</translation>
    </message>
    <message>
        <source>Show less at once.</source>
        <translation>请一次少显示一些。</translation>
    </message>
    <message>
        <source>Sign in again, and allow it.</source>
        <translation>请重新登录并允许。</translation>
    </message>
    <message>
        <source>Sign in again.</source>
        <translation>请重新登录。</translation>
    </message>
    <message>
        <source>This system has no keyring.</source>
        <translation>此系统没有密钥环。</translation>
    </message>
    <message>
        <source>{a} could not be started on the cluster.</source>
        <translation>无法在集群上启动 {a}。</translation>
    </message>
    <message>
        <source>{a} has no data for these parameters.</source>
        <translation>{a} 没有这些参数的数据。</translation>
    </message>
    <message>
        <source>{a} is locked by another user or program.</source>
        <translation>{a} 正被别人锁定。</translation>
    </message>
    <message>
        <source>Speak closer to the microphone, or louder.</source>
        <translation>请靠近麦克风，或大声一点。</translation>
    </message>
    <message>
        <source>Split it.</source>
        <translation>请拆分文件。</translation>
    </message>
    <message>
        <source>Split or repair it.</source>
        <translation>请拆分或修复文件。</translation>
    </message>
    <message>
        <source>Start a new conversation or attach less.</source>
        <translation>请开始新对话，或少添加一些。</translation>
    </message>
    <message>
        <source>Step {a} uses {b}, which no earlier step produces.</source>
        <translation>步骤 {a} 使用 {b}，之前没有步骤产生它。</translation>
    </message>
    <message>
        <source>Stop it (process {a}) and start it again.</source>
        <translation>请停止它（进程 {a}）后重新启动。</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>The SELECT reads {a}, which is not declared.</source>
        <translation>SELECT 读取了未声明的 {a}。</translation>
    </message>
    <message>
        <source>The answer does not match the schema: {a}</source>
        <translation>回答不符合结构：{a}</translation>
    </message>
    <message>
        <source>The answer ended in the middle of a line.</source>
        <translation>回答在一行的中间断了。</translation>
    </message>
    <message>
        <source>The answer ended in the middle of an event.</source>
        <translation>回答在一个事件的中间断了。</translation>
    </message>
    <message>
        <source>The answer is nested too deeply to be shown.</source>
        <translation>回答嵌套太深，无法显示。</translation>
    </message>
    <message>
        <source>The answer is not text: {a}, {b} bytes.</source>
        <translation>回答不是文字，而是 {a}，{b} 字节。</translation>
    </message>
    <message>
        <source>The answer does not match the plugin&apos;s description: {a}.</source>
        <translation>回答与插件的描述不符：{a}。</translation>
    </message>
    <message>
        <source>Check the network. If it blocks this site, import a model from a file or a folder instead.</source>
        <translation>请检查网络。如果网络屏蔽了该网站，可以改为从文件或文件夹导入模型。</translation>
    </message>
    <message>
        <source>The answer from the server at {a} was cut off.</source>
        <translation>{a} 处服务器的回答被截断。</translation>
    </message>
    <message>
        <source>The answer from {a} is larger than {b} MB; it was not read.</source>
        <translation>{a} 的回答大于 {b} MB；没有读取。</translation>
    </message>
    <message>
        <source>The answer took too long.</source>
        <translation>回答用时太久。</translation>
    </message>
    <message>
        <source>The answer was stopped.</source>
        <translation>回答已停止。</translation>
    </message>
    <message>
        <source>The arguments have no {a}.</source>
        <translation>参数里没有 {a}。</translation>
    </message>
    <message>
        <source>The backend answered with a web page, not with data.</source>
        <translation>后端返回的是网页，不是数据。</translation>
    </message>
    <message>
        <source>The call cannot be sent to the model: {a}.</source>
        <translation>无法把调用发送给模型：{a}。</translation>
    </message>
    <message>
        <source>The call names no tabs.</source>
        <translation>调用没有指定标签页。</translation>
    </message>
    <message>
        <source>The call names no widget.</source>
        <translation>调用没有指定组件。</translation>
    </message>
    <message>
        <source>The call names {a} in {b}.</source>
        <translation>调用在 {b} 中指定了 {a} 个。</translation>
    </message>
    <message>
        <source>The call names {a} widgets.</source>
        <translation>调用指定了 {a} 个组件。</translation>
    </message>
    <message>
        <source>The call was stopped.</source>
        <translation>调用已停止。</translation>
    </message>
    <message>
        <source>The code was not run: Python did not start in time.</source>
        <translation>代码没有运行：Python 没有及时启动。</translation>
    </message>
    <message>
        <source>The code was not run: Python&apos;s kernel, ipykernel, is not installed.</source>
        <translation>代码没有运行：未安装 Python 的内核 ipykernel。</translation>
    </message>
    <message>
        <source>The code was not run: code runs on Linux and macOS only.</source>
        <translation>代码没有运行：代码只能在 Linux 和 macOS 上运行。</translation>
    </message>
    <message>
        <source>The code was not run: there is no Rscript on this machine.</source>
        <translation>代码没有运行：这台电脑上没有 Rscript。</translation>
    </message>
    <message>
        <source>The code was not run: there is no bash on this machine.</source>
        <translation>代码没有运行：这台电脑上没有 bash。</translation>
    </message>
    <message>
        <source>The code was not run: there is no node on this machine.</source>
        <translation>代码没有运行：这台电脑上没有 node。</translation>
    </message>
    <message>
        <source>The computation was stopped.</source>
        <translation>计算已停止。</translation>
    </message>
    <message>
        <source>The conversations are damaged: {a}.</source>
        <translation>对话已损坏：{a}。</translation>
    </message>
    <message>
        <source>The conversations cannot be written or read: {a}.</source>
        <translation>无法写入或读取对话：{a}。</translation>
    </message>
    <message>
        <source>The conversations in {a} are damaged: {b}.</source>
        <translation>{a} 中的对话已损坏：{b}。</translation>
    </message>
    <message>
        <source>The conversations in {a} cannot be opened: {b}.</source>
        <translation>无法打开 {a} 中的对话：{b}。</translation>
    </message>
    <message>
        <source>The copilot returned no answer.</source>
        <translation>助手什么也没回答。</translation>
    </message>
    <message>
        <source>The copilot asked for the same data again and again.</source>
        <translation>助手反复索取同样的数据。</translation>
    </message>
    <message>
        <source>The copilot made more than {a} calls for one question.</source>
        <translation>助手为一个问题发出了超过 {a} 次调用。</translation>
    </message>
    <message>
        <source>The copilot reported more than {a} steps for one question.</source>
        <translation>助手为一个问题报告了超过 {a} 个步骤。</translation>
    </message>
    <message>
        <source>The copy of the conversations cannot be written to {a}: {b}.</source>
        <translation>无法把对话副本写到 {a}：{b}。</translation>
    </message>
    <message>
        <source>The database reported an error: {a}.</source>
        <translation>数据库无法完成：{a}。</translation>
    </message>
    <message>
        <source>The database is starting or shutting down.</source>
        <translation>数据库正在启动或关闭。</translation>
    </message>
    <message>
        <source>The database refused the user name or the password.</source>
        <translation>数据库拒绝了用户名或密码。</translation>
    </message>
    <message>
        <source>The database {a} was removed.</source>
        <translation>数据库 {a} 已被移除。</translation>
    </message>
    <message>
        <source>The download of {a} is incomplete.</source>
        <translation>{a} 的下载不完整。</translation>
    </message>
    <message>
        <source>The environment variable {a} is not set.</source>
        <translation>环境变量 {a} 没有设置。</translation>
    </message>
    <message>
        <source>The file cannot be read: {a}</source>
        <translation>无法读取文件：{a}</translation>
    </message>
    <message>
        <source>The image cannot be read.</source>
        <translation>无法读取图片。</translation>
    </message>
    <message>
        <source>The image is given as a web address, and models on this machine cannot download it.</source>
        <translation>图片是一个地址，而本机的模型不会下载任何内容。</translation>
    </message>
    <message>
        <source>The image is larger than {a} MB.</source>
        <translation>图片大于 {a} MB。</translation>
    </message>
    <message>
        <source>The document index can&apos;t be opened.</source>
        <translation>无法打开文档索引。</translation>
    </message>
    <message>
        <source>The document index can&apos;t be read: {a}.</source>
        <translation>无法读取文档索引：{a}。</translation>
    </message>
    <message>
        <source>The document index can&apos;t be written: {a}.</source>
        <translation>无法写入文档索引：{a}。</translation>
    </message>
    <message>
        <source>This system&apos;s keyring cannot be used: {a}.</source>
        <translation>无法使用本系统的密钥环：{a}。</translation>
    </message>
    <message>
        <source>The kit was made by a newer Deskpilot.</source>
        <translation>套件由更新版本的 Deskpilot 制作。</translation>
    </message>
    <message>
        <source>The last design cannot be read.</source>
        <translation>无法读取上次的设计。</translation>
    </message>
    <message>
        <source>The library cannot be read.</source>
        <translation>无法读取工作流库。</translation>
    </message>
    <message>
        <source>The library has no {a}.</source>
        <translation>库里没有 {a}。</translation>
    </message>
    <message>
        <source>The list of copilots in {a} cannot be read.</source>
        <translation>无法读取 {a} 中的助手列表。</translation>
    </message>
    <message>
        <source>The kit&apos;s list of files, deskpilot-kit.json, is damaged: {a}.</source>
        <translation>套件的列表 deskpilot-kit.json 已损坏：{a}。</translation>
    </message>
    <message>
        <source>The microphone was closed.</source>
        <translation>麦克风已关闭。</translation>
    </message>
    <message>
        <source>The model stopped without giving a reason.</source>
        <translation>模型结束了，没有说明原因。</translation>
    </message>
    <message>
        <source>The model in {a} cannot be loaded: {b}</source>
        <translation>无法加载 {a} 中的模型：{b}</translation>
    </message>
    <message>
        <source>The model in {a} is a {b}, which is neither an embedder nor a reranker.</source>
        <translation>{a} 中的模型是 {b}，既不是嵌入模型也不是重排模型。</translation>
    </message>
    <message>
        <source>The model service answered {a}.</source>
        <translation>模型服务返回了 {a}。</translation>
    </message>
    <message>
        <source>The model service did not start.</source>
        <translation>模型服务未能启动。</translation>
    </message>
    <message>
        <source>The model was loaded again with other settings.</source>
        <translation>模型已用其他设置重新加载。</translation>
    </message>
    <message>
        <source>The parameter {a} is missing.</source>
        <translation>缺少参数 {a}。</translation>
    </message>
    <message>
        <source>The parameter {a} must be a number, not {b}.</source>
        <translation>参数 {a} 必须是数字，而不是 {b}。</translation>
    </message>
    <message>
        <source>The parameter {a} must be a number.</source>
        <translation>参数 {a} 必须是数字。</translation>
    </message>
    <message>
        <source>The parameter {a} must be a whole number, not {b}.</source>
        <translation>参数 {a} 必须是整数，而不是 {b}。</translation>
    </message>
    <message>
        <source>The parameter {a} must be at least {b}, not {c}.</source>
        <translation>参数 {a} 至少为 {b}，而不是 {c}。</translation>
    </message>
    <message>
        <source>The parameter {a} must be at most {b}, not {c}.</source>
        <translation>参数 {a} 最多为 {b}，而不是 {c}。</translation>
    </message>
    <message>
        <source>The parameter {a} must be one of {b}, not {c}.</source>
        <translation>参数 {a} 必须是 {b} 之一，而不是 {c}。</translation>
    </message>
    <message>
        <source>The parameter {a} must be text, not {b}.</source>
        <translation>参数 {a} 必须是文字，而不是 {b}。</translation>
    </message>
    <message>
        <source>The parameter {a} must be true or false, not {b}.</source>
        <translation>参数 {a} 必须是 true 或 false，而不是 {b}。</translation>
    </message>
    <message>
        <source>The pasted text can&apos;t be kept.</source>
        <translation>无法保存粘贴的文本。</translation>
    </message>
    <message>
        <source>The person has not let you ask other copilots.</source>
        <translation>没有得到询问其他助手的许可。</translation>
    </message>
    <message>
        <source>The preset {a} would be empty.</source>
        <translation>预设 {a} 会是空的。</translation>
    </message>
    <message>
        <source>The provider {a} cannot be loaded: {b}.</source>
        <translation>无法加载提供商 {a}：{b}。</translation>
    </message>
    <message>
        <source>The saved list of providers cannot be read ({a}: {b}).</source>
        <translation>无法理解已添加的提供商（{a}：{b}）。</translation>
    </message>
    <message>
        <source>The query is empty.</source>
        <translation>查询是空的。</translation>
    </message>
    <message>
        <source>The query names {a} widgets.</source>
        <translation>查询指定了 {a} 个组件。</translation>
    </message>
    <message>
        <source>The query ran for more than {a} s and was stopped.</source>
        <translation>查询运行超过 {a} 秒，已停止。</translation>
    </message>
    <message>
        <source>The search has no query.</source>
        <translation>搜索没有给出 query。</translation>
    </message>
    <message>
        <source>The server at {a} did not answer as an OpenAI-style server does: {b}.</source>
        <translation>{a} 处的服务器没有像 OpenAI 式服务器那样回答：{b}。</translation>
    </message>
    <message>
        <source>The server at {a} {b} ({c}){d}.</source>
        <translation>服务器 {a}：{b}（{c}）{d}。</translation>
    </message>
    <message>
        <source>The server at {a} {b}{c}.</source>
        <translation>服务器 {a}：{b}{c}。</translation>
    </message>
    <message>
        <source>The server at {a}: {b}</source>
        <translation>服务器 {a}：{b}</translation>
    </message>
    <message>
        <source>The server has no database of this name.</source>
        <translation>服务器上没有这个名称的数据库。</translation>
    </message>
    <message>
        <source>The setting {a} is not usable: {b}.</source>
        <translation>设置 {a} 不可用：{b}。</translation>
    </message>
    <message>
        <source>The audio file is empty.</source>
        <translation>声音文件是空的。</translation>
    </message>
    <message>
        <source>The audio file is empty: it has 0 bytes.</source>
        <translation>声音文件是空的：0 字节。</translation>
    </message>
    <message>
        <source>The starter embedder is not available.</source>
        <translation>没有可用的入门嵌入模型。</translation>
    </message>
    <message>
        <source>The system does not let Deskpilot use sound.</source>
        <translation>系统不允许 Deskpilot 使用声音。</translation>
    </message>
    <message>
        <source>The system does not let Deskpilot use {a}.</source>
        <translation>系统不允许 Deskpilot 使用{a}。</translation>
    </message>
    <message>
        <source>The table cannot answer that: {a}</source>
        <translation>表无法回答这个：{a}</translation>
    </message>
    <message>
        <source>The table has no column {a}.</source>
        <translation>表里没有列 {a}。</translation>
    </message>
    <message>
        <source>The task has no description.</source>
        <translation>任务没有描述。</translation>
    </message>
    <message>
        <source>The terminal returned nothing.</source>
        <translation>终端没有返回任何内容。</translation>
    </message>
    <message>
        <source>The to-do list did not start.</source>
        <translation>待办清单未能启动。</translation>
    </message>
    <message>
        <source>The values are too large for a forecast.</source>
        <translation>数值太大，无法预测。</translation>
    </message>
    <message>
        <source>The values are too small for a forecast.</source>
        <translation>数值太小，无法预测。</translation>
    </message>
    <message>
        <source>The voice {a} cannot be loaded: {b}: {c}</source>
        <translation>无法加载语音 {a}：{b}：{c}</translation>
    </message>
    <message>
        <source>There are no rows in which both have numbers.</source>
        <translation>没有两者都有数字的行。</translation>
    </message>
    <message>
        <source>There are no rows {a}.</source>
        <translation>没有行 {a}。</translation>
    </message>
    <message>
        <source>There are no rows.</source>
        <translation>没有行。</translation>
    </message>
    <message>
        <source>There are several values for one day.</source>
        <translation>同一天有多个值。</translation>
    </message>
    <message>
        <source>There are too few rows in which both change.</source>
        <translation>两者都有变化的行太少。</translation>
    </message>
    <message>
        <source>There are {a} names for {b} results.</source>
        <translation>{b} 个结果有 {a} 个名称。</translation>
    </message>
    <message>
        <source>There are {a} rows.</source>
        <translation>共有 {a} 行。</translation>
    </message>
    <message>
        <source>There are {a} skills.</source>
        <translation>已有 {a} 个技能。</translation>
    </message>
    <message>
        <source>There is no argument {a}.</source>
        <translation>没有参数 {a}。</translation>
    </message>
    <message>
        <source>There is no assistant {a}.</source>
        <translation>没有智能体 {a}。</translation>
    </message>
    <message>
        <source>There is no chart {a}.</source>
        <translation>没有图表 {a}。</translation>
    </message>
    <message>
        <source>There is no column {a}.</source>
        <translation>没有“{a}”这一列。</translation>
    </message>
    <message>
        <source>There is no conversation {a}.</source>
        <translation>没有对话 {a}。</translation>
    </message>
    <message>
        <source>There is no copilot {a}.</source>
        <translation>没有助手 {a}。</translation>
    </message>
    <message>
        <source>There is no dashboard here.</source>
        <translation>这里没有仪表板。</translation>
    </message>
    <message>
        <source>There is no data interface {a}.</source>
        <translation>没有数据接口 {a}。</translation>
    </message>
    <message>
        <source>There is no document called {a}.</source>
        <translation>没有名为 {a} 的文件。</translation>
    </message>
    <message>
        <source>There is no family of guard models called {a}.</source>
        <translation>没有叫 {a} 的审核模型系列。</translation>
    </message>
    <message>
        <source>There is no file or folder {a}.</source>
        <translation>没有文件或文件夹 {a}。</translation>
    </message>
    <message>
        <source>There is no file {a}.</source>
        <translation>没有文件 {a}。</translation>
    </message>
    <message>
        <source>There is no folder and no library “{a}”.</source>
        <translation>没有名为“{a}”的文件夹或文档库。</translation>
    </message>
    <message>
        <source>There is no folder {a}.</source>
        <translation>没有文件夹 {a}。</translation>
    </message>
    <message>
        <source>There is no interface {a}.</source>
        <translation>没有接口 {a}。</translation>
    </message>
    <message>
        <source>There is no kit in {a}.</source>
        <translation>{a} 里没有套件。</translation>
    </message>
    <message>
        <source>There is no loudspeaker on this machine.</source>
        <translation>本机没有扬声器。</translation>
    </message>
    <message>
        <source>There is no machine {a}.</source>
        <translation>没有机器 {a}。</translation>
    </message>
    <message>
        <source>There is no message to answer.</source>
        <translation>没有要回答的消息。</translation>
    </message>
    <message>
        <source>There is no microphone on this machine.</source>
        <translation>本机没有麦克风。</translation>
    </message>
    <message>
        <source>There is no model on this machine.</source>
        <translation>本机没有模型。</translation>
    </message>
    <message>
        <source>There is no model {a} on this machine.</source>
        <translation>本机没有模型 {a}。</translation>
    </message>
    <message>
        <source>There is no model {a}.</source>
        <translation>没有模型 {a}。</translation>
    </message>
    <message>
        <source>There is no operation {a}.</source>
        <translation>没有操作 {a}。</translation>
    </message>
    <message>
        <source>There is no parameter {a}.</source>
        <translation>没有参数 {a}。</translation>
    </message>
    <message>
        <source>There is no plugin {a}.</source>
        <translation>没有插件 {a}。</translation>
    </message>
    <message>
        <source>There is no provider {a}.</source>
        <translation>没有提供商 {a}。</translation>
    </message>
    <message>
        <source>There is no row {a}.</source>
        <translation>没有第 {a} 行。</translation>
    </message>
    <message>
        <source>There is no server {a}.</source>
        <translation>没有服务器 {a}。</translation>
    </message>
    <message>
        <source>There is no setting {a}.</source>
        <translation>没有设置 {a}。</translation>
    </message>
    <message>
        <source>There is no skill {a}.</source>
        <translation>没有技能 {a}。</translation>
    </message>
    <message>
        <source>There is no step {a}.</source>
        <translation>没有步骤 {a}。</translation>
    </message>
    <message>
        <source>There is no such table here.</source>
        <translation>这里没有这个表。</translation>
    </message>
    <message>
        <source>There is no such widget.</source>
        <translation>没有这个组件。</translation>
    </message>
    <message>
        <source>There is no tab {a}.</source>
        <translation>没有标签页 {a}。</translation>
    </message>
    <message>
        <source>There is no time zone {a}.</source>
        <translation>没有时区 {a}。</translation>
    </message>
    <message>
        <source>This system&apos;s keyring stores secrets in plain text ({a}).</source>
        <translation>此系统的密钥环以明文保存密钥（{a}）。</translation>
    </message>
    <message>
        <source>Update Deskpilot, then try again.</source>
        <translation>请更新 Deskpilot，然后重试。</translation>
    </message>
    <message>
        <source>{a} has no tool named {b}.</source>
        <translation>{a} 没有工具 {b}。</translation>
    </message>
    <message>
        <source>There is no unfinished design.</source>
        <translation>没有未完成的设计。</translation>
    </message>
    <message>
        <source>There is no voice {a}.</source>
        <translation>没有语音 {a}。</translation>
    </message>
    <message>
        <source>There is no {a} on this machine.</source>
        <translation>本机没有{a}。</translation>
    </message>
    <message>
        <source>There is no {a} {b} on this machine.</source>
        <translation>本机没有{a} {b}。</translation>
    </message>
    <message>
        <source>There is nothing at {a}.</source>
        <translation>{a} 处什么也没有。</translation>
    </message>
    <message>
        <source>There is nothing to draw.</source>
        <translation>没有可画的内容。</translation>
    </message>
    <message>
        <source>There is nothing to say.</source>
        <translation>没有要说的内容。</translation>
    </message>
    <message>
        <source>These are more than {a} rows.</source>
        <translation>这超过了 {a} 行。</translation>
    </message>
    <message>
        <source>These are more than {a} steps.</source>
        <translation>步骤超过 {a} 个。</translation>
    </message>
    <message>
        <source>These are several statements.</source>
        <translation>这里有多条语句。</translation>
    </message>
    <message>
        <source>These are {a} tables.</source>
        <translation>这里有 {a} 个表。</translation>
    </message>
    <message>
        <source>These conversations were written by a newer Deskpilot.</source>
        <translation>这些对话是由更新版本的 Deskpilot 写成的。</translation>
    </message>
    <message>
        <source>These conversations were written by another version of Deskpilot.</source>
        <translation>这些对话是由另一个版本的 Deskpilot 写成的。</translation>
    </message>
    <message>
        <source>These rows cannot be computed: {a}</source>
        <translation>无法计算这些行：{a}</translation>
    </message>
    <message>
        <source>These settings are not usable: {a}.</source>
        <translation>这些设置不可用：{a}。</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>正在思考</translation>
    </message>
    <message>
        <source>This database was not added.</source>
        <translation>没有添加过这个数据库。</translation>
    </message>
    <message>
        <source>On Wayland, a program cannot receive keyboard shortcuts while another window is active.</source>
        <translation>这个桌面（Wayland）在别的窗口位于前面时不会把按键交给程序。</translation>
    </message>
    <message>
        <source>This model does not know the language {a}.</source>
        <translation>这个模型不懂语言 {a}。</translation>
    </message>
    <message>
        <source>This terminal has no function {a}.</source>
        <translation>这个终端没有函数 {a}。</translation>
    </message>
    <message>
        <source>This voice needs parts of Piper that are not installed ({a}).</source>
        <translation>这个语音需要尚未安装的 Piper 部件（{a}）。</translation>
    </message>
    <message>
        <source>This widget has no parameters here.</source>
        <translation>这个组件在这里没有参数。</translation>
    </message>
    <message>
        <source>Thought</source>
        <translation>思考过程</translation>
    </message>
    <message>
        <source>Thought for {a} s</source>
        <translation>思考了 {a} 秒</translation>
    </message>
    <message>
        <source>Try again in a moment.</source>
        <translation>请稍候重试。</translation>
    </message>
    <message>
        <source>Try again in about {a} s.</source>
        <translation>请在约 {a} 秒后重试。</translation>
    </message>
    <message>
        <source>Try again later, or read fewer rows.</source>
        <translation>请稍后重试，或少读一些行。</translation>
    </message>
    <message>
        <source>Try again later, or remove it.</source>
        <translation>请稍后重试，或移除它。</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>请稍后重试。</translation>
    </message>
    <message>
        <source>Try again.</source>
        <translation>请重试。</translation>
    </message>
    <message>
        <source>Types: note and html with text, table and chart with rows; a chart with chart_params.</source>
        <translation>类型：note 和 html 带文本，table 和 chart 带行；chart 还要带 chart_params。</translation>
    </message>
    <message>
        <source>Update Deskpilot on this machine.</source>
        <translation>请更新本机的 Deskpilot。</translation>
    </message>
    <message>
        <source>Update Deskpilot.</source>
        <translation>请更新 Deskpilot。</translation>
    </message>
    <message>
        <source>Update it, or ask its maker.</source>
        <translation>请更新它，或联系其开发者。</translation>
    </message>
    <message>
        <source>Use PDF, Word, PowerPoint, Excel, EPUB, HTML, mail, Markdown or text.</source>
        <translation>请使用 PDF、Word、PowerPoint、Excel、EPUB、HTML、邮件、Markdown 或文本。</translation>
    </message>
    <message>
        <source>Use another copilot.</source>
        <translation>请换一个助手。</translation>
    </message>
    <message>
        <source>Use another copy.</source>
        <translation>请使用另一个副本。</translation>
    </message>
    <message>
        <source>Use another file of this model.</source>
        <translation>请使用这个模型的另一个文件。</translation>
    </message>
    <message>
        <source>Use another projector.</source>
        <translation>请使用另一个投影器。</translation>
    </message>
    <message>
        <source>Use invoke.</source>
        <translation>请使用 invoke。</translation>
    </message>
    <message>
        <source>Use it once for each value.</source>
        <translation>请对每个值使用一次。</translation>
    </message>
    <message>
        <source>Use it to rerank, or choose an embedder.</source>
        <translation>请用它重排，或选择嵌入模型。</translation>
    </message>
    <message>
        <source>Use letters, digits and hyphens.</source>
        <translation>请使用字母、数字和连字符。</translation>
    </message>
    <message>
        <source>Use one of its tools.</source>
        <translation>请使用它的某个工具。</translation>
    </message>
    <message>
        <source>Use that one, or close it.</source>
        <translation>请使用那一个，或把它关闭。</translation>
    </message>
    <message>
        <source>Use the newer one, or quit it first.</source>
        <translation>请使用较新的版本，或先退出它。</translation>
    </message>
    <message>
        <source>Wait a little, or check the quota.</source>
        <translation>请稍等，或检查配额。</translation>
    </message>
    <message>
        <source>Wait a moment.</source>
        <translation>请稍等。</translation>
    </message>
    <message>
        <source>Wait for it, or stop it.</source>
        <translation>请等它结束，或停止它。</translation>
    </message>
    <message>
        <source>Wait until one is answered.</source>
        <translation>请等其中一个得到回答。</translation>
    </message>
    <message>
        <source>Its result depends on the order of the rows; its SELECT must set that order.</source>
        <translation>其结果取决于各行的排列顺序；SELECT 必须指明按什么顺序。</translation>
    </message>
    <message>
        <source>The notes on the table {a} cannot be read: {b}.</source>
        <translation>无法读取关于表 {a} 的说明：{b}。</translation>
    </message>
    <message>
        <source>Try again; a download will resume.</source>
        <translation>请重试；下载会从中断处继续。</translation>
    </message>
    <message>
        <source>Try again; it will resume.</source>
        <translation>请重试；会从中断处继续。</translation>
    </message>
    <message>
        <source>Write it like 15:00, or 15:00 Asia/Shanghai.</source>
        <translation>请写成 15:00，或 15:00 Asia/Shanghai。</translation>
    </message>
    <message>
        <source>Write it like &gt; 5, 1..3 or = 2.</source>
        <translation>请写成 &gt; 5、1..3 或 = 2 这样。</translation>
    </message>
    <message>
        <source>Write it like Asia/Shanghai.</source>
        <translation>请写成 Asia/Shanghai。</translation>
    </message>
    <message>
        <source>Write it like X-API-KEY=secret.</source>
        <translation>请写成 X-API-KEY=secret 这样。</translation>
    </message>
    <message>
        <source>Write it like http://127.0.0.1:7779.</source>
        <translation>请写成 http://127.0.0.1:7779 这样。</translation>
    </message>
    <message>
        <source>Write it like http://127.0.0.1:7780.</source>
        <translation>请写成 http://127.0.0.1:7780 这样。</translation>
    </message>
    <message>
        <source>Write it like http://127.0.0.1:8000.</source>
        <translation>请写成 http://127.0.0.1:8000 这样。</translation>
    </message>
    <message>
        <source>Write it like postgresql://user@127.0.0.1:5432/shop.</source>
        <translation>请写成 postgresql://user@127.0.0.1:5432/shop 这样。</translation>
    </message>
    <message>
        <source>Write up to {a} characters of Markdown.</source>
        <translation>最多写 {a} 个字符的 Markdown。</translation>
    </message>
    <message>
        <source>answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>cannot be reached</source>
        <translation>无法访问</translation>
    </message>
    <message>
        <source>could not be reached</source>
        <translation>无法访问</translation>
    </message>
    <message>
        <source>does not allow this</source>
        <translation>不允许这样做</translation>
    </message>
    <message>
        <source>does not have this</source>
        <translation>没有这个</translation>
    </message>
    <message>
        <source>embedder</source>
        <translation>嵌入模型</translation>
    </message>
    <message>
        <source>espeak-ng failed: it ended with {a}</source>
        <translation>espeak-ng 失败：以 {a} 结束</translation>
    </message>
    <message>
        <source>espeak-ng failed: {a}</source>
        <translation>espeak-ng 失败：{a}</translation>
    </message>
    <message>
        <source>espeak-ng is not installed on this machine.</source>
        <translation>本机没有安装 espeak-ng。</translation>
    </message>
    <message>
        <source>guard model</source>
        <translation>审核模型</translation>
    </message>
    <message>
        <source>has moved</source>
        <translation>已迁移</translation>
    </message>
    <message>
        <source>has no usable address</source>
        <translation>没有可用的地址</translation>
    </message>
    <message>
        <source>input[{a}].content {b} is not supported here.</source>
        <translation>这里不支持 input[{a}].content {b}。</translation>
    </message>
    <message>
        <source>input[{a}].type {b} is not supported here.</source>
        <translation>这里不支持 input[{a}].type {b}。</translation>
    </message>
    <message>
        <source>is not available</source>
        <translation>不可用</translation>
    </message>
    <message>
        <source>is not ready</source>
        <translation>尚未就绪</translation>
    </message>
    <message>
        <source>its sign-in method has changed</source>
        <translation>它要求以另一种方式说明询问者的身份</translation>
    </message>
    <message>
        <source>language model</source>
        <translation>语言模型</translation>
    </message>
    <message>
        <source>llama.cpp failed: {a}</source>
        <translation>llama.cpp 失败：{a}</translation>
    </message>
    <message>
        <source>llm has no {a}.</source>
        <translation>llm 没有 {a}。</translation>
    </message>
    <message>
        <source>llm.{a} cannot be {b}.</source>
        <translation>llm.{a} 不能是 {b}。</translation>
    </message>
    <message>
        <source>only the first {a} of {b} operations are offered</source>
        <translation>{b} 个操作中只提供前 {a} 个</translation>
    </message>
    <message>
        <source>pixels is not base64.</source>
        <translation>pixels 不是 base64。</translation>
    </message>
    <message>
        <source>question</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>refused the credentials</source>
        <translation>拒绝了凭据</translation>
    </message>
    <message>
        <source>refused the key</source>
        <translation>拒绝了密钥</translation>
    </message>
    <message>
        <source>reranker</source>
        <translation>重排模型</translation>
    </message>
    <message>
        <source>text.{a} is not supported here.</source>
        <translation>这里不支持 text.{a}。</translation>
    </message>
    <message>
        <source>the schema is too large; below that point any value is accepted</source>
        <translation>结构太大；其余部分不加限制</translation>
    </message>
    <message>
        <source>the schema refers to itself; below that point any value is accepted</source>
        <translation>结构引用自身；其余部分不加限制</translation>
    </message>
    <message>
        <source>the schema: “{a}” is not sent to models; the server checks it</source>
        <translation>结构：不告诉模型“{a}”；由服务器检查</translation>
    </message>
    <message>
        <source>the system&apos;s loudspeaker</source>
        <translation>系统扬声器</translation>
    </message>
    <message>
        <source>the system&apos;s microphone</source>
        <translation>系统麦克风</translation>
    </message>
    <message>
        <source>tokenizer.json is missing from {a}.</source>
        <translation>{a} 中缺少 tokenizer.json。</translation>
    </message>
    <message>
        <source>tools[{a}].type {b} is not supported here.</source>
        <translation>这里不支持 tools[{a}].type {b}。</translation>
    </message>
    <message>
        <source>voice</source>
        <translation>语音</translation>
    </message>
    <message>
        <source>requires payment first</source>
        <translation>要求先付费</translation>
    </message>
    <message>
        <source>{a} ({b} MB) was not downloaded: {c}</source>
        <translation>{a}（{b} MB）未能下载：{c}</translation>
    </message>
    <message>
        <source>{a} ({b}) is required.</source>
        <translation>需要填写 {a}（{b}）。</translation>
    </message>
    <message>
        <source>{a} It may use {b}.</source>
        <translation>{a} 它最多可用 {b}。</translation>
    </message>
    <message>
        <source>{a} Nothing was checked.</source>
        <translation>{a} 什么也没有检查。</translation>
    </message>
    <message>
        <source>{a} Or set the device to one of: {b}.</source>
        <translation>{a} 或把设备设为其中之一：{b}。</translation>
    </message>
    <message>
        <source>{a} Or turn the check off in the settings (moderation.check).</source>
        <translation>{a} 或者在设置中关闭检查（moderation.check）。</translation>
    </message>
    <message>
        <source>{a} The embedder {b} ordered them, which is less exact. {c} {d}</source>
        <translation>{a} 由嵌入模型 {b} 排序，精度较低。{c} {d}</translation>
    </message>
    <message>
        <source>{a} sent a compressed answer that was not requested.</source>
        <translation>{a} 返回了压缩的内容，尽管没有要求压缩。</translation>
    </message>
    <message>
        <source>{a} answered with too few words to be measured.</source>
        <translation>{a} 回答的字数太少，无法测量。</translation>
    </message>
    <message>
        <source>{a} answered with {b}, not with a stream of events.</source>
        <translation>{a} 回答的是 {b}，不是事件流。</translation>
    </message>
    <message>
        <source>{a} can&apos;t be opened.</source>
        <translation>无法打开 {a}。</translation>
    </message>
    <message>
        <source>{a} can&apos;t be read.</source>
        <translation>无法读取 {a}。</translation>
    </message>
    <message>
        <source>{a} can&apos;t be read: the reader stopped unexpectedly.</source>
        <translation>无法读取 {a}：读取程序意外停止。</translation>
    </message>
    <message>
        <source>{a} can&apos;t be read: {b}.</source>
        <translation>无法读取 {a}：{b}。</translation>
    </message>
    <message>
        <source>{a} cannot be compared with {b} by {c}.</source>
        <translation>{a} 不能用 {c} 与 {b} 比较。</translation>
    </message>
    <message>
        <source>{a} cannot be found or read.</source>
        <translation>找不到或无法读取 {a}。</translation>
    </message>
    <message>
        <source>{a} cannot be found.</source>
        <translation>找不到 {a}。</translation>
    </message>
    <message>
        <source>{a} cannot be loaded: {b}.</source>
        <translation>无法加载 {a}：{b}。</translation>
    </message>
    <message>
        <source>{a} cannot be looped over.</source>
        <translation>不能对 {a} 循环。</translation>
    </message>
    <message>
        <source>{a} cannot be opened: {b}.</source>
        <translation>无法打开{a}：{b}。</translation>
    </message>
    <message>
        <source>{a} cannot be reached.</source>
        <translation>无法访问 {a}。</translation>
    </message>
    <message>
        <source>{a} cannot be reached: {b}.</source>
        <translation>无法访问 {a}：{b}。</translation>
    </message>
    <message>
        <source>{a} cannot be read as a copy of conversations: {b}.</source>
        <translation>无法把 {a} 作为对话副本读取：{b}。</translation>
    </message>
    <message>
        <source>{a} cannot be read.</source>
        <translation>无法读取 {a}。</translation>
    </message>
    <message>
        <source>{a} cannot be read: {b}.</source>
        <translation>无法读取 {a}：{b}。</translation>
    </message>
    <message>
        <source>{a} cannot be started: there is no such program.</source>
        <translation>无法启动 {a}：没有这个程序。</translation>
    </message>
    <message>
        <source>{a} cannot be written: {b}.</source>
        <translation>无法写入 {a}：{b}。</translation>
    </message>
    <message>
        <source>{a} cannot be {b}.</source>
        <translation>{a} 不能是 {b}。</translation>
    </message>
    <message>
        <source>{a} changed while it was being read.</source>
        <translation>读取 {a} 时文件发生了更改。</translation>
    </message>
    <message>
        <source>{a} closed the connection without an answer.</source>
        <translation>{a} 没有回答就关闭了连接。</translation>
    </message>
    <message>
        <source>{a} conversations fit {b}: {c}.</source>
        <translation>有 {a} 个对话符合 {b}：{c}。</translation>
    </message>
    <message>
        <source>{a} could not be started ({b}).</source>
        <translation>{a} 无法启动（{b}）。</translation>
    </message>
    <message>
        <source>{a} declares XML entities.</source>
        <translation>{a} 含有 XML 实体声明。</translation>
    </message>
    <message>
        <source>{a} does not describe a voice.</source>
        <translation>{a} 没有描述语音。</translation>
    </message>
    <message>
        <source>{a} is not available as a folder.</source>
        <translation>{a} 不是以文件夹形式提供的。</translation>
    </message>
    <message>
        <source>{a} does not know {b}.</source>
        <translation>{a} 不认识 {b}。</translation>
    </message>
    <message>
        <source>{a} does not say how large it is.</source>
        <translation>{a} 没有说明其大小。</translation>
    </message>
    <message>
        <source>{a} stopped without giving a reason.</source>
        <translation>{a} 结束了，没有说明原因。</translation>
    </message>
    <message>
        <source>{a} has a header but no rows.</source>
        <translation>{a} 有表头但没有行。</translation>
    </message>
    <message>
        <source>{a} has been silent for too long.</source>
        <translation>{a} 太久没有回应。</translation>
    </message>
    <message>
        <source>{a} has changed.</source>
        <translation>{a} 已更改。</translation>
    </message>
    <message>
        <source>{a} has more text than can be searched ({b} pages).</source>
        <translation>{a} 的文字超出可搜索的范围（{b} 页）。</translation>
    </message>
    <message>
        <source>{a} has more text than can be searched.</source>
        <translation>{a} 的文本过多，无法搜索。</translation>
    </message>
    <message>
        <source>{a} has more than {b} pages.</source>
        <translation>{a} 超过 {b} 页。</translation>
    </message>
    <message>
        <source>{a} has more than {b} values.</source>
        <translation>{a} 的值多于 {b} 个。</translation>
    </message>
    <message>
        <source>{a} has no column {b}.</source>
        <translation>{a} 没有列 {b}。</translation>
    </message>
    <message>
        <source>{a} has no columns.</source>
        <translation>{a} 没有列。</translation>
    </message>
    <message>
        <source>{a} has no feature {b} of its own.</source>
        <translation>{a} 没有自己的功能 {b}。</translation>
    </message>
    <message>
        <source>{a} has no model {b}.</source>
        <translation>{a} 中没有模型 {b}。</translation>
    </message>
    <message>
        <source>{a} has no page {b}.</source>
        <translation>{a} 没有第 {b} 页。</translation>
    </message>
    <message>
        <source>{a} has no parameter {b}.</source>
        <translation>{a} 没有参数 {b}。</translation>
    </message>
    <message>
        <source>{a} has no rows in its sheet {b}.</source>
        <translation>{a} 的工作表 {b} 中没有行。</translation>
    </message>
    <message>
        <source>{a} has no rows in its table {b}.</source>
        <translation>{a} 的表格 {b} 中没有行。</translation>
    </message>
    <message>
        <source>{a} has no sheet with rows.</source>
        <translation>{a} 里没有带行的工作表。</translation>
    </message>
    <message>
        <source>{a} has no sheet {b}.</source>
        <translation>{a} 中没有工作表 {b}。</translation>
    </message>
    <message>
        <source>{a} has no table with rows.</source>
        <translation>{a} 里没有带行的表。</translation>
    </message>
    <message>
        <source>{a} has no table {b}.</source>
        <translation>{a} 中没有表格 {b}。</translation>
    </message>
    <message>
        <source>{a} has no {b}.</source>
        <translation>{a} 没有 {b}。</translation>
    </message>
    <message>
        <source>{a} has not changed.</source>
        <translation>{a} 没有变化。</translation>
    </message>
    <message>
        <source>{a} is {b} GB; up to {c} GB can be opened.</source>
        <translation>{a} 有 {b} GB；最多能打开 {c} GB。</translation>
    </message>
    <message>
        <source>{a} has {b} columns; up to {c} can be shown.</source>
        <translation>{a} 有 {b} 列；最多能显示 {c} 列。</translation>
    </message>
    <message>
        <source>{a} has {b} tables: {c}.</source>
        <translation>{a} 中有 {b} 个表格：{c}。</translation>
    </message>
    <message>
        <source>{a} does not contain {b}.</source>
        <translation>{a} 中没有 {b}。</translation>
    </message>
    <message>
        <source>{a} does not contain {b}. Did you mean {c}?</source>
        <translation>{a} 中没有 {b}。是指 {c} 吗？</translation>
    </message>
    <message>
        <source>{a} in {b} cannot be read: {c}</source>
        <translation>无法读取 {b} 中的 {a}：{c}</translation>
    </message>
    <message>
        <source>{a} in {b} describes no model.</source>
        <translation>{b} 中的 {a} 没有描述模型。</translation>
    </message>
    <message>
        <source>{a} is a damaged GGUF file.</source>
        <translation>{a} 是损坏的 GGUF 文件。</translation>
    </message>
    <message>
        <source>{a} is another machine: the question and attached data would go there.</source>
        <translation>{a} 是另一台机器：问题和所附数据会发往那里。</translation>
    </message>
    <message>
        <source>{a} is damaged or is not a PDF.</source>
        <translation>{a} 已损坏，或不是 PDF。</translation>
    </message>
    <message>
        <source>{a} is damaged or locked.</source>
        <translation>{a} 已损坏或已加密。</translation>
    </message>
    <message>
        <source>{a} is damaged.</source>
        <translation>{a} 已损坏。</translation>
    </message>
    <message>
        <source>{a} is damaged: its hash differs.</source>
        <translation>{a} 已损坏：哈希值不同。</translation>
    </message>
    <message>
        <source>{a} is damaged: {b}.</source>
        <translation>{a} 已损坏：{b}。</translation>
    </message>
    <message>
        <source>{a} is empty.</source>
        <translation>{a} 是空的。</translation>
    </message>
    <message>
        <source>{a} is larger than 2 GB.</source>
        <translation>{a} 大于 2 GB。</translation>
    </message>
    <message>
        <source>{a} is larger than {b} MB.</source>
        <translation>{a} 大于 {b} MB。</translation>
    </message>
    <message>
        <source>{a} is longer than {b} characters</source>
        <translation>{a} 长于 {b} 个字符</translation>
    </message>
    <message>
        <source>{a} is longer than {b} characters.</source>
        <translation>{a} 长于 {b} 个字符。</translation>
    </message>
    <message>
        <source>{a} is missing from {b}.</source>
        <translation>{b} 中缺少 {a}。</translation>
    </message>
    <message>
        <source>{a} is not one of the values of {b}.</source>
        <translation>{a} 不是 {b} 的值。</translation>
    </message>
    <message>
        <source>{a} is not JSON in UTF-8.</source>
        <translation>{a} 不是 UTF-8 的 JSON。</translation>
    </message>
    <message>
        <source>{a} is not JSON: line {b} cannot be read.</source>
        <translation>{a} 不是 JSON：第 {b} 行无法读取。</translation>
    </message>
    <message>
        <source>{a} is not JSON: {b}</source>
        <translation>{a} 不是 JSON：{b}</translation>
    </message>
    <message>
        <source>{a} is not a GGUF file.</source>
        <translation>{a} 不是 GGUF 文件。</translation>
    </message>
    <message>
        <source>{a} is not a file.</source>
        <translation>{a} 不是文件。</translation>
    </message>
    <message>
        <source>{a} is not a folder.</source>
        <translation>{a} 不是文件夹。</translation>
    </message>
    <message>
        <source>{a} is not a number.</source>
        <translation>{a} 不是数字。</translation>
    </message>
    <message>
        <source>{a} is not a regular table: {b}.</source>
        <translation>{a} 不是规整的表：{b}。</translation>
    </message>
    <message>
        <source>{a} is not a text file.</source>
        <translation>{a} 不是文本文件。</translation>
    </message>
    <message>
        <source>{a} is not in the library “{b}”.</source>
        <translation>{a} 不在文档库“{b}”中。</translation>
    </message>
    <message>
        <source>{a} is not on this machine.</source>
        <translation>{a} 不在本机上。</translation>
    </message>
    <message>
        <source>{a} is not text.</source>
        <translation>{a} 不是文本。</translation>
    </message>
    <message>
        <source>{a} is not the file of {b}: its hash differs.</source>
        <translation>{a} 不是 {b} 的文件：哈希值不同。</translation>
    </message>
    <message>
        <source>{a} is not the file the catalogue names: its hash differs.</source>
        <translation>{a} 不是目录所列的文件：哈希值不同。</translation>
    </message>
    <message>
        <source>{a} cannot be chosen here.</source>
        <translation>这里不能选择 {a}。</translation>
    </message>
    <message>
        <source>{a} cannot be chosen here. Did you mean {b}?</source>
        <translation>这里不能选择 {a}。是指 {b} 吗？</translation>
    </message>
    <message>
        <source>{a} is outside the folder.</source>
        <translation>{a} 在文件夹之外。</translation>
    </message>
    <message>
        <source>{a} is part of the installed package.</source>
        <translation>{a} 是已安装软件包的一部分。</translation>
    </message>
    <message>
        <source>{a} is stale: {b}</source>
        <translation>{a} 已过时：{b}</translation>
    </message>
    <message>
        <source>{a} is the projector of another model.</source>
        <translation>{a} 是另一个模型的投影器。</translation>
    </message>
    <message>
        <source>{a} is too large for a list of copilots.</source>
        <translation>{a} 太大，不像助手列表。</translation>
    </message>
    <message>
        <source>{a} is too large.</source>
        <translation>{a} 太大。</translation>
    </message>
    <message>
        <source>{a} is too large; below that point any value is accepted</source>
        <translation>{a} 太大；其余部分不加限制</translation>
    </message>
    <message>
        <source>{a} refers to itself; below that point any value is accepted</source>
        <translation>{a} 引用自身；其余部分不加限制</translation>
    </message>
    <message>
        <source>{a} must be a number, not {b}.</source>
        <translation>{a} 必须是数字，而不是 {b}。</translation>
    </message>
    <message>
        <source>{a} must be a number, {b}, not {c}.</source>
        <translation>{a} 必须是数字，{b}，而不是 {c}。</translation>
    </message>
    <message>
        <source>{a} must be a whole number, not {b}.</source>
        <translation>{a} 必须是整数，而不是 {b}。</translation>
    </message>
    <message>
        <source>{a} must be a whole number, {b}, not {c}.</source>
        <translation>{a} 必须是整数，{b}，而不是 {c}。</translation>
    </message>
    <message>
        <source>{a} must be one of {b}.</source>
        <translation>{a} 必须是 {b} 之一。</translation>
    </message>
    <message>
        <source>{a} must be text.</source>
        <translation>{a} 必须是文字。</translation>
    </message>
    <message>
        <source>{a} must be true or false.</source>
        <translation>{a} 必须是 true 或 false。</translation>
    </message>
    <message>
        <source>{a} needs a column.</source>
        <translation>{a} 需要一列。</translation>
    </message>
    <message>
        <source>{a} needs two arguments.</source>
        <translation>{a} 需要两个参数。</translation>
    </message>
    <message>
        <source>{a} of {b} is missing from the kit or incomplete.</source>
        <translation>套件里缺少 {b} 的 {a}，或不完整。</translation>
    </message>
    <message>
        <source>{a} offers no {b} models.</source>
        <translation>{a} 不提供 {b} 模型。</translation>
    </message>
    <message>
        <source>{a} does not offer a copilot named {b}.</source>
        <translation>{a} 没有发布助手 {b}。</translation>
    </message>
    <message>
        <source>{a} does not offer a copilot.</source>
        <translation>{a} 没有发布助手。</translation>
    </message>
    <message>
        <source>{a} publishes no plugin.</source>
        <translation>{a} 没有发布插件。</translation>
    </message>
    <message>
        <source>{a} publishes no widgets.</source>
        <translation>{a} 没有发布组件。</translation>
    </message>
    <message>
        <source>{a} publishes {b} copilots.</source>
        <translation>{a} 发布了 {b} 个助手。</translation>
    </message>
    <message>
        <source>{a} refused access (error {b}).</source>
        <translation>{a} 拒绝访问（错误 {b}）。</translation>
    </message>
    <message>
        <source>{a} refused the search (HTTP {b}).</source>
        <translation>{a} 拒绝了搜索（HTTP {b}）。</translation>
    </message>
    <message>
        <source>One side matches {a} rows.</source>
        <translation>一侧有 {a} 行符合。</translation>
    </message>
    <message>
        <source>{a} sent {b}; the connection was closed.</source>
        <translation>{a} 发来了{b}；连接已关闭。</translation>
    </message>
    <message>
        <source>{a} takes too long.</source>
        <translation>{a} 用时太久。</translation>
    </message>
    <message>
        <source>{a} unpacks to more than {b} MB.</source>
        <translation>{a} 解压后超过 {b} MB。</translation>
    </message>
    <message>
        <source>{a} was damaged on the disk, in part {b} of {c}.</source>
        <translation>{a} 在磁盘上已损坏：共 {c} 个部分，损坏的是第 {b} 个。</translation>
    </message>
    <message>
        <source>{a} was not validated: {b}</source>
        <translation>{a} 未通过验证：{b}</translation>
    </message>
    <message>
        <source>{a} was not written: {b}.</source>
        <translation>{a} 未写入：{b}。</translation>
    </message>
    <message>
        <source>{a} was written by a newer Deskpilot.</source>
        <translation>{a} 是由更新版本的 Deskpilot 写成的。</translation>
    </message>
    <message>
        <source>{a} writes to the database when it is read, so it is not read.</source>
        <translation>读取 {a} 会写入数据库，因此不读取。</translation>
    </message>
    <message>
        <source>{a} {b} needs a list of values.</source>
        <translation>{a} {b} 需要一组值。</translation>
    </message>
    <message>
        <source>{a} {b} needs one value.</source>
        <translation>{a} {b} 需要一个值。</translation>
    </message>
    <message>
        <source>{a} {b} needs {c} values.</source>
        <translation>{a} {b} 需要 {c} 个值。</translation>
    </message>
    <message>
        <source>{a}() with one day counts up to today.</source>
        <translation>{a}() 只给一天时会算到今天。</translation>
    </message>
    <message>
        <source>{a}: no file is selected.</source>
        <translation>{a}：未选择文件。</translation>
    </message>
    <message>
        <source>{a}: the backend did not answer with a Plotly figure.</source>
        <translation>{a}：后端返回的不是 Plotly 图。</translation>
    </message>
    <message>
        <source>{a}: the backend did not answer with a file.</source>
        <translation>{a}：后端返回的不是文件。</translation>
    </message>
    <message>
        <source>{a}: the backend did not answer with a list of objects.</source>
        <translation>{a}：后端返回的不是对象列表。</translation>
    </message>
    <message>
        <source>{a}: the backend did not answer with a list of rows.</source>
        <translation>{a}：后端返回的不是行的列表。</translation>
    </message>
    <message>
        <source>{a}: the backend did not answer with bars.</source>
        <translation>{a}：后端返回的不是 K 线。</translation>
    </message>
    <message>
        <source>{a}: the backend did not answer with rows.</source>
        <translation>{a}：后端返回的不是行。</translation>
    </message>
    <message>
        <source>{a}: the backend has no price bars.</source>
        <translation>{a}：后端不提供 K 线。</translation>
    </message>
    <message>
        <source>{a}: there are no bars for this symbol and time.</source>
        <translation>{a}：该代码在这段时间没有 K 线。</translation>
    </message>
    <message>
        <source>{a}: there are no files.</source>
        <translation>{a}：没有文件。</translation>
    </message>
    <message>
        <source>{a}: there are no rows for these parameters.</source>
        <translation>{a}：这些参数没有对应的行。</translation>
    </message>
    <message>
        <source>{a}: this file type isn&apos;t supported.</source>
        <translation>{a}：不支持此文件类型。</translation>
    </message>
    <message>
        <source>{a}: “required: true” was moved from {b} to the object</source>
        <translation>{a}：“required: true”已从 {b} 移到对象上</translation>
    </message>
    <message>
        <source>{a}: “{b}” is not sent to models; the server checks it</source>
        <translation>{a}：不告诉模型“{b}”；由服务器检查</translation>
    </message>
    <message>
        <source>{a}{b}: it is larger than {c} MB.</source>
        <translation>{a}{b}：大于 {c} MB。</translation>
    </message>
    <message>
        <source>{a}{b}: it is nested too deeply.</source>
        <translation>{a}{b}：嵌套太深。</translation>
    </message>
    <message>
        <source>{a}{b}: {c} (column {d}).</source>
        <translation>{a}{b}：{c}（第 {d} 列）。</translation>
    </message>
    <message>
        <source>“{a}” takes more than {b} s.</source>
        <translation>“{a}”耗时超过 {b} 秒。</translation>
    </message>
    <message>
        <source>The picture of {a} cannot be saved: {b}.</source>
        <translation>无法保存 {a} 的图片：{b}。</translation>
    </message>
    <message>
        <source>Fix the file, or remove it and add the copilots again.</source>
        <translation>请修正该文件，或删除它并重新添加助手。</translation>
    </message>
    <message>
        <source>{a} stopped in the middle of its answer.</source>
        <translation>{a} 在回答途中中断了。</translation>
    </message>
    <message>
        <source>The answer grew without end, so the connection was closed.</source>
        <translation>回答不断变长，已被终止。</translation>
    </message>
    <message>
        <source>{a} answered with data of an unknown type, not with a stream of events.</source>
        <translation>{a} 的回答不是事件流。</translation>
    </message>
    <message>
        <source>{a} forwards questions to {b}; the question was not sent there.</source>
        <translation>{a} 要把问题转到 {b}；问题没有发往那里。</translation>
    </message>
    <message>
        <source>Add it again with the header or key it requires.</source>
        <translation>请带上它要求的请求头或密钥重新添加。</translation>
    </message>
    <message>
        <source>{a} returned error {b}.</source>
        <translation>{a} 返回了错误 {b}。</translation>
    </message>
    <message>
        <source>{a} cannot be updated: it does not respond.</source>
        <translation>无法告知 {a}：它没有回应。</translation>
    </message>
    <message>
        <source>{a} did not accept the rating (error {b}).</source>
        <translation>{a} 没有接受评价（错误 {b}）。</translation>
    </message>
    <message>
        <source>{a} The headers are not sent to {b}, because you entered them for another address.</source>
        <translation>{a} 请求头不会发往 {b}，因为它们是为另一个地址填写的。</translation>
    </message>
    <message>
        <source>If you want this, add --allow-host {a}.</source>
        <translation>如果愿意，请加上 --allow-host {a}。</translation>
    </message>
    <message>
        <source>{a} is not a web address.</source>
        <translation>{a} 不是网址。</translation>
    </message>
    <message>
        <source>{a} cannot receive attached tables; it gets only the question.</source>
        <translation>无法向{a}展示所附的表格；它只会收到文字。</translation>
    </message>
    <message>
        <source>{a}.{b} no longer exists.</source>
        <translation>{a}.{b} 已不存在。</translation>
    </message>
    <message>
        <source>List its tables again.</source>
        <translation>请重新列出它的表。</translation>
    </message>
    <message>
        <source>The copy cannot be saved: {a}.</source>
        <translation>无法保存副本：{a}。</translation>
    </message>
    <message>
        <source>Turn off offline mode first.</source>
        <translation>请先关闭离线模式。</translation>
    </message>
    <message>
        <source>The copy takes more than {a} GiB of disk space.</source>
        <translation>副本占用的磁盘超过 {a} GiB。</translation>
    </message>
    <message>
        <source>Create a view with what you need, or read fewer rows.</source>
        <translation>请建一个只含所需内容的视图，或少读一些行。</translation>
    </message>
    <message>
        <source>Reading the database stopped unexpectedly: {a}.</source>
        <translation>读取数据库时意外结束：{a}。</translation>
    </message>
    <message>
        <source>Reading the database stopped unexpectedly: no reason given.</source>
        <translation>读取数据库时意外结束：没有给出原因。</translation>
    </message>
    <message>
        <source>{a} has about {b} rows; up to {c} rows are copied without asking.</source>
        <translation>{a} 约有 {b} 行；不经询问最多复制 {c} 行。</translation>
    </message>
    <message>
        <source>{a} has more rows; up to {b} rows are copied without asking.</source>
        <translation>{a} 的行数更多；不经询问最多复制 {b} 行。</translation>
    </message>
    <message>
        <source>Create a view with what you need, or specify how many rows to copy.</source>
        <translation>请建一个只含所需内容的视图，或指定要复制多少行。</translation>
    </message>
    <message>
        <source>The database did not accept a read-only transaction.</source>
        <translation>数据库不保证只读。</translation>
    </message>
    <message>
        <source>The connection to the database was lost.</source>
        <translation>与数据库的连接断开了。</translation>
    </message>
    <message>
        <source>The database does not allow this user to connect.</source>
        <translation>数据库不允许此用户访问。</translation>
    </message>
    <message>
        <source>This user does not have permission to read {a}.</source>
        <translation>这个用户不得读取 {a}。</translation>
    </message>
    <message>
        <source>Ask its owner for the SELECT permission, or choose another.</source>
        <translation>请向其所有者申请 SELECT 权限，或选择另一个。</translation>
    </message>
    <message>
        <source>{a} no longer exists.</source>
        <translation>{a} 已不存在。</translation>
    </message>
    <message>
        <source>The columns of {a} have changed in the meantime.</source>
        <translation>{a} 的列在此期间变了。</translation>
    </message>
    <message>
        <source>The database took longer than {a} s for {b}.</source>
        <translation>数据库处理 {b} 用时超过 {a} 秒。</translation>
    </message>
    <message>
        <source>{a} contains text that is not in its database&apos;s encoding.</source>
        <translation>{a} 中有文字与其数据库的编码不符。</translation>
    </message>
    <message>
        <source>The database already has too many connections.</source>
        <translation>数据库的连接已经太多。</translation>
    </message>
    <message>
        <source>The database closed the connection.</source>
        <translation>数据库结束了连接。</translation>
    </message>
    <message>
        <source>The database crashed and is restarting.</source>
        <translation>数据库崩溃了，正在重新启动。</translation>
    </message>
    <message>
        <source>The model service lost the connection.</source>
        <translation>模型服务中断了。</translation>
    </message>
    <message>
        <source>Try again; it will be restarted.</source>
        <translation>请重试；它会重新启动。</translation>
    </message>
    <message>
        <source>The transcript was cut off.</source>
        <translation>转写中断了。</translation>
    </message>
    <message>
        <source>The model service keeps stopping.</source>
        <translation>模型服务不断退出。</translation>
    </message>
    <message>
        <source>Check {a}.</source>
        <translation>请查看 {a}。</translation>
    </message>
    <message>
        <source>Deskpilot was updated to version {a} while running; this window is still version {b}.</source>
        <translation>Deskpilot 在运行时已更新为版本 {a}；此程序仍是 {b}。</translation>
    </message>
    <message>
        <source>The running model service belongs to an older Deskpilot; this is version {a}.</source>
        <translation>正在运行的模型服务属于旧版本的 Deskpilot；此程序是 {a}。</translation>
    </message>
    <message>
        <source>An older model service (process {a}) could not be stopped.</source>
        <translation>无法结束旧版本的模型服务（进程 {a}）。</translation>
    </message>
    <message>
        <source>Stop it first.</source>
        <translation>请先结束它。</translation>
    </message>
    <message>
        <source>{a} contains the conversations themselves.</source>
        <translation>{a} 就是保存对话的文件。</translation>
    </message>
    <message>
        <source>Specify another file for the copy.</source>
        <translation>请为副本指定另一个文件。</translation>
    </message>
    <message>
        <source>Choose a writable folder with enough free space.</source>
        <translation>请选择可写且有空间的文件夹。</translation>
    </message>
    <message>
        <source>The copy in {a} cannot be restored: {b}.</source>
        <translation>无法恢复 {a} 中的副本：{b}。</translation>
    </message>
    <message>
        <source>{a} contains no Deskpilot conversations.</source>
        <translation>{a} 里没有 Deskpilot 的对话。</translation>
    </message>
    <message>
        <source>Start Deskpilot again: it checks them and restores the latest copy.</source>
        <translation>请重新启动 Deskpilot：它会检查对话，并恢复最近的副本。</translation>
    </message>
    <message>
        <source>The conversations cannot be saved in {a}: {b}.</source>
        <translation>无法把对话保存在 {a}：{b}。</translation>
    </message>
    <message>
        <source>Make the folder writable, or set DESKPILOT_HOME to another.</source>
        <translation>请让该文件夹可写，或用 DESKPILOT_HOME 指定另一个。</translation>
    </message>
    <message>
        <source>Restore a backup with `deskpilot chats restore FILE`, or move the file away and start again.</source>
        <translation>请用 `deskpilot chats restore FILE` 恢复备份，或移走该文件后重新启动。</translation>
    </message>
    <message>
        <source>The conversations were damaged; the copy from {a} was restored.</source>
        <translation>对话曾损坏；现已恢复到 {a} 的状态。</translation>
    </message>
    <message>
        <source>The damaged file is kept in {a}.</source>
        <translation>损坏的文件保存在 {a}。</translation>
    </message>
    <message>
        <source>Update Deskpilot, or restore the copy it made when it was updated (deskpilot chats restore).</source>
        <translation>请更新 Deskpilot，或恢复它更新时所做的副本（deskpilot chats restore）。</translation>
    </message>
    <message>
        <source>The display does not respond.</source>
        <translation>显示器没有回应。</translation>
    </message>
    <message>
        <source>Check whether other windows open.</source>
        <translation>请看看别的窗口能否打开。</translation>
    </message>
    <message>
        <source>This keyboard does not have the key {a}.</source>
        <translation>这个键盘没有 {a} 键。</translation>
    </message>
    <message>
        <source>Another program already uses the keys {a}.</source>
        <translation>另一个程序已占用按键 {a}。</translation>
    </message>
    <message>
        <source>In Deskpilot&apos;s own window, Ctrl+M starts dictation.</source>
        <translation>在 Deskpilot 自己的窗口里，可按 Ctrl+M 听写。</translation>
    </message>
    <message>
        <source>The desktop did not assign the shortcut to Deskpilot.</source>
        <translation>桌面没有把这个按键交给 Deskpilot。</translation>
    </message>
    <message>
        <source>{a} is already running.</source>
        <translation>{a} 已在运行。</translation>
    </message>
    <message>
        <source>Fix it, or move it away to start over.</source>
        <translation>请修正它，或移走它重新开始。</translation>
    </message>
    <message>
        <source>{a} does not contain a JSON object.</source>
        <translation>{a} 里不是 JSON 对象。</translation>
    </message>
    <message>
        <source>{a} does not contain a JSON list.</source>
        <translation>{a} 里不是 JSON 列表。</translation>
    </message>
    <message>
        <source>Unlock it, or install one (on Linux, GNOME Keyring or KWallet); secrets are stored nowhere else.</source>
        <translation>请解锁密钥环，或安装一个（Linux 上如 GNOME Keyring 或 KWallet）；密钥不会保存在别处。</translation>
    </message>
    <message>
        <source>This machine&apos;s sound system does not respond.</source>
        <translation>本机的声音系统没有回应。</translation>
    </message>
    <message>
        <source>Check whether sound works in other programs.</source>
        <translation>请看看别的程序能否发声。</translation>
    </message>
    <message>
        <source>Connect a microphone and try again.</source>
        <translation>请插上麦克风后重试。</translation>
    </message>
    <message>
        <source>Connect a loudspeaker and try again.</source>
        <translation>请插上扬声器后重试。</translation>
    </message>
    <message>
        <source>The microphone {a} is not connected.</source>
        <translation>麦克风 {a} 没有插上。</translation>
    </message>
    <message>
        <source>The loudspeaker {a} is not connected.</source>
        <translation>扬声器 {a} 没有插上。</translation>
    </message>
    <message>
        <source>Connect it again, or choose another one.</source>
        <translation>请重新插上，或选择另一个。</translation>
    </message>
    <message>
        <source>{a} is no longer available.</source>
        <translation>{a}已断开。</translation>
    </message>
    <message>
        <source>Specify another file.</source>
        <translation>请指定另一个文件。</translation>
    </message>
    <message>
        <source>{a} points to another server, {b}. No request was sent to it.</source>
        <translation>{a} 指向另一台服务器 {b}。没有访问那里。</translation>
    </message>
    <message>
        <source>{a} is not reporting changes now.</source>
        <translation>{a} 现在不通知变化。</translation>
    </message>
    <message>
        <source>Deskpilot keeps trying; the latest data received is shown.</source>
        <translation>会再次尝试；显示的是最后收到的内容。</translation>
    </message>
    <message>
        <source>{a} redirects too many times.</source>
        <translation>{a} 不断把请求转到下一个地址。</translation>
    </message>
    <message>
        <source>{a} returned error {b}: {c}.</source>
        <translation>{a} 返回了错误 {b}：{c}。</translation>
    </message>
    <message>
        <source>“{a}” is answered differently each time.</source>
        <translation>“{a}”每次的回答都不同。</translation>
    </message>
    <message>
        <source>It does not answer any of its requests.</source>
        <translation>它无法回答自己的任何请求。</translation>
    </message>
    <message>
        <source>Reduce it.</source>
        <translation>请把它缩减。</translation>
    </message>
    <message>
        <source>Specify one of {a}, and one of its arguments.</source>
        <translation>请指定 {a} 之一以及它的一个参数。</translation>
    </message>
    <message>
        <source>{a} is not a single value.</source>
        <translation>{a} 不是单个值。</translation>
    </message>
    <message>
        <source>Specify an argument such as result1.start.</source>
        <translation>请指定一个参数，例如 result1.start。</translation>
    </message>
    <message>
        <source>`deskpilot data library NAME` shows the arguments.</source>
        <translation>deskpilot data library NAME 会显示参数。</translation>
    </message>
    <message>
        <source>{a} contains no workflow.</source>
        <translation>{a} 中没有工作流。</translation>
    </message>
    <message>
        <source>The library was saved by a newer Deskpilot (file version {a}).</source>
        <translation>工作流库来自更新版本的 Deskpilot（文件版本 {a}）。</translation>
    </message>
    <message>
        <source>Use that one, or move library.json away to start over.</source>
        <translation>请使用该版本，或移走 library.json 重新开始。</translation>
    </message>
    <message>
        <source>Fix library.json, or move it away to start over.</source>
        <translation>请修正 library.json，或将其移走重新开始。</translation>
    </message>
    <message>
        <source>It returns a different result each time.</source>
        <translation>每次给出的结果都不同。</translation>
    </message>
    <message>
        <source>Create it again from a question about the current table.</source>
        <translation>请根据表的现状，用一个问题重新生成。</translation>
    </message>
    <message>
        <source>Fix it, or remove it.</source>
        <translation>请修正它，或移除它。</translation>
    </message>
    <message>
        <source>{a} cannot be used as a name.</source>
        <translation>{a} 不能作为名称。</translation>
    </message>
    <message>
        <source>Use lowercase letters, digits and _, starting with a letter.</source>
        <translation>请使用小写字母、数字和 _，以字母开头。</translation>
    </message>
    <message>
        <source>The columns of {a} have changed since it was created.</source>
        <translation>{a} 的列与生成时不同。</translation>
    </message>
    <message>
        <source>The columns of {a} have changed since it was created: {b}.</source>
        <translation>{a} 的列与生成时不同：{b}。</translation>
    </message>
    <message>
        <source>{a} does not use a single encoding: line {b} is not UTF-8.</source>
        <translation>{a} 的编码不统一：第 {b} 行不是 UTF-8。</translation>
    </message>
    <message>
        <source>{a} is not a regular table: line {b} does not match the header.</source>
        <translation>{a} 不是规整的表：第 {b} 行与表头不符。</translation>
    </message>
    <message>
        <source>Each row needs {a} cells, like the header; fix that row and attach the file again.</source>
        <translation>每行需要与表头一样的 {a} 个单元格；请修正该行后重新添加文件。</translation>
    </message>
    <message>
        <source>{a} does not use a single encoding: line {b} is not UTF-8, but others are.</source>
        <translation>{a} 的编码不统一：第 {b} 行不是 UTF-8，其他行是。</translation>
    </message>
    <message>
        <source>{a} does not use a single encoding (utf-8 was tried).</source>
        <translation>{a} 的编码不统一（试过 utf-8）。</translation>
    </message>
    <message>
        <source>{a} does not use a single encoding (gb18030 was tried).</source>
        <translation>{a} 的编码不统一（试过 gb18030）。</translation>
    </message>
    <message>
        <source>{a} does not use a single encoding ({b} was tried).</source>
        <translation>{a} 的编码不统一（试过 {b}）。</translation>
    </message>
    <message>
        <source>{a} is not a readable Parquet file.</source>
        <translation>{a} 不是可读取的 Parquet 文件。</translation>
    </message>
    <message>
        <source>Choose one of its tables.</source>
        <translation>请选择其中的一个表格。</translation>
    </message>
    <message>
        <source>{a} is not a readable DuckDB file.</source>
        <translation>{a} 不是可读取的 DuckDB 文件。</translation>
    </message>
    <message>
        <source>{a} contains no rows.</source>
        <translation>{a} 没有行。</translation>
    </message>
    <message>
        <source>Fix that line.</source>
        <translation>请修正该行。</translation>
    </message>
    <message>
        <source>{a} unpacks to {b} MB, far too much for a workbook of its size.</source>
        <translation>{a} 解压后达 {b} MB，远超同样大小的工作簿。</translation>
    </message>
    <message>
        <source>Save it again and attach the new file.</source>
        <translation>请重新保存后再添加。</translation>
    </message>
    <message>
        <source>{a} is not a readable SQLite file.</source>
        <translation>{a} 不是可读取的 SQLite 文件。</translation>
    </message>
    <message>
        <source>{a} is not a readable spreadsheet.</source>
        <translation>{a} 不是可读取的电子表格。</translation>
    </message>
    <message>
        <source>Available: {a}.</source>
        <translation>现有：{a}。</translation>
    </message>
    <message>
        <source>The widget {a} was not offered.</source>
        <translation>没有提供组件 {a}。</translation>
    </message>
    <message>
        <source>Use a widget from the request.</source>
        <translation>请使用请求中的组件。</translation>
    </message>
    <message>
        <source>Reduce it, or save it as Parquet.</source>
        <translation>请缩减它，或保存为 Parquet。</translation>
    </message>
    <message>
        <source>{a}: this file type cannot be read as a table.</source>
        <translation>{a} 的类型无法作为表读取。</translation>
    </message>
    <message>
        <source>You do not have permission to read {a}.</source>
        <translation>没有读取 {a} 的权限。</translation>
    </message>
    <message>
        <source>{a} no longer has numbers {b} over time.</source>
        <translation>{a} 已不再有随时间变化的数值 {b}。</translation>
    </message>
    <message>
        <source>Write two, separated by a comma.</source>
        <translation>请写两个，用逗号隔开。</translation>
    </message>
    <message>
        <source>A value is required.</source>
        <translation>这里必须填写。</translation>
    </message>
    <message>
        <source>{a} is not a whole number.</source>
        <translation>{a} 不是整数。</translation>
    </message>
    <message>
        <source>{a} is not a date. Write it like 2024-03-31.</source>
        <translation>{a} 不是日期。请写成 2024-03-31 这样。</translation>
    </message>
    <message>
        <source>{a} is damaged, locked or not the file type its name suggests.</source>
        <translation>{a} 已损坏、已加密或与扩展名不符。</translation>
    </message>
    <message>
        <source>Save it without a password and add that file.</source>
        <translation>请去掉密码重新保存后再添加。</translation>
    </message>
    <message>
        <source>Save it again and add the new file.</source>
        <translation>请重新保存后再添加。</translation>
    </message>
    <message>
        <source>{a} is protected by a password.</source>
        <translation>{a} 设有密码。</translation>
    </message>
    <message>
        <source>Save a copy without a password and add the copy.</source>
        <translation>请另存一份无密码的副本再添加。</translation>
    </message>
    <message>
        <source>Open it in another program to check it, or add it again.</source>
        <translation>请用其他程序打开检查，或重新添加。</translation>
    </message>
    <message>
        <source>Add the book again.</source>
        <translation>请重新添加这本书。</translation>
    </message>
    <message>
        <source>Check that the disk is not full and that the data folder is writable.</source>
        <translation>请检查磁盘空间以及数据文件夹是否可写。</translation>
    </message>
    <message>
        <source>Check the disk; rebuild the library if the problem remains.</source>
        <translation>请检查磁盘；如果仍然如此，请重建文档库。</translation>
    </message>
    <message>
        <source>The name of this file or folder is not valid text.</source>
        <translation>此文件或文件夹的名称不是有效文本。</translation>
    </message>
    <message>
        <source>Remove it the way it was added.</source>
        <translation>请按添加时的路径移除。</translation>
    </message>
    <message>
        <source>It will be read again at the next update.</source>
        <translation>下次更新时会重新读取。</translation>
    </message>
    <message>
        <source>It will be read again.</source>
        <translation>将重新读取。</translation>
    </message>
    <message>
        <source>{a} was not read: Deskpilot is closing.</source>
        <translation>{a} 未读取：Deskpilot 正在退出。</translation>
    </message>
    <message>
        <source>This is not the address of a database.</source>
        <translation>这不是数据库的地址。</translation>
    </message>
    <message>
        <source>This is not the address of a PostgreSQL database.</source>
        <translation>这不是 PostgreSQL 数据库的地址。</translation>
    </message>
    <message>
        <source>{a} cannot be part of a database address.</source>
        <translation>数据库的地址里不能有 {a}。</translation>
    </message>
    <message>
        <source>It can name {a}.</source>
        <translation>可以使用 {a}。</translation>
    </message>
    <message>
        <source>This call was already made in this turn; its result is above.</source>
        <translation>这个调用在本轮已经做过；结果就在上面。</translation>
    </message>
    <message>
        <source>{a} contains no readable conversations.</source>
        <translation>{a} 里没有可读取的对话。</translation>
    </message>
    <message>
        <source>Files can be up to 1 GB.</source>
        <translation>文件最大可为 1 GB。</translation>
    </message>
    <message>
        <source>{a} contains no conversations.json, or one that is too large.</source>
        <translation>{a} 里没有 conversations.json，或者它太大。</translation>
    </message>
    <message>
        <source>The table {a} cannot be passed to the code.</source>
        <translation>无法把表 {a} 交给代码。</translation>
    </message>
    <message>
        <source>Free some disk space, or detach it.</source>
        <translation>请腾出磁盘空间，或移除它。</translation>
    </message>
    <message>
        <source>The code&apos;s output cannot be saved.</source>
        <translation>无法保存代码输出的内容。</translation>
    </message>
    <message>
        <source>Free some disk space.</source>
        <translation>请腾出磁盘空间。</translation>
    </message>
    <message>
        <source>Specify one: {a}.</source>
        <translation>请指定一个：{a}。</translation>
    </message>
    <message>
        <source>No copilot named copilot:{a} has been added.</source>
        <translation>没有添加过助手 copilot:{a}。</translation>
    </message>
    <message>
        <source>No copilot named {a} has been added.</source>
        <translation>没有添加过助手 {a}。</translation>
    </message>
    <message>
        <source>Specify one of workspace_state.agents.</source>
        <translation>请指定 workspace_state.agents 中的一个。</translation>
    </message>
    <message>
        <source>Describe what is to be done.</source>
        <translation>请说明要做什么。</translation>
    </message>
    <message>
        <source>{a} returned an empty answer. {b}</source>
        <translation>{a} 什么也没回答。{b}</translation>
    </message>
    <message>
        <source>The question was not sent because it could not be checked: {a}</source>
        <translation>未经检查，因此问题没有发送：{a}</translation>
    </message>
    <message>
        <source>The question was withheld because it could not be checked: {a}</source>
        <translation>未经检查，因此问题被扣下：{a}</translation>
    </message>
    <message>
        <source>The answer was not sent because it could not be checked: {a}</source>
        <translation>未经检查，因此回答没有发送：{a}</translation>
    </message>
    <message>
        <source>The answer was withheld because it could not be checked: {a}</source>
        <translation>未经检查，因此回答被扣下：{a}</translation>
    </message>
    <message>
        <source>The question was not sent: the guard model classified it as harmful, in the category {a}.</source>
        <translation>问题没有发送：审核模型认为它有害，涉及：{a}。</translation>
    </message>
    <message>
        <source>The question was not sent: the guard model classified it as harmful.</source>
        <translation>问题没有发送：审核模型认为它有害。</translation>
    </message>
    <message>
        <source>The question was withheld: the guard model classified it as harmful, in the category {a}.</source>
        <translation>问题被扣下：审核模型认为它有害，涉及：{a}。</translation>
    </message>
    <message>
        <source>The question was withheld: the guard model classified it as harmful.</source>
        <translation>问题被扣下：审核模型认为它有害。</translation>
    </message>
    <message>
        <source>The answer was not sent: the guard model classified it as harmful, in the category {a}.</source>
        <translation>回答没有发送：审核模型认为它有害，涉及：{a}。</translation>
    </message>
    <message>
        <source>The answer was not sent: the guard model classified it as harmful.</source>
        <translation>回答没有发送：审核模型认为它有害。</translation>
    </message>
    <message>
        <source>The answer was withheld: the guard model classified it as harmful, in the category {a}.</source>
        <translation>回答被扣下：审核模型认为它有害，涉及：{a}。</translation>
    </message>
    <message>
        <source>The answer was withheld: the guard model classified it as harmful.</source>
        <translation>回答被扣下：审核模型认为它有害。</translation>
    </message>
    <message>
        <source>Rephrase it, or change the allowed categories in the settings (moderation).</source>
        <translation>请换个说法，或在设置中修改允许的内容（moderation）。</translation>
    </message>
    <message>
        <source>The guard model returned no verdict.</source>
        <translation>审核模型没有给出判断。</translation>
    </message>
    <message>
        <source>This conversation no longer exists.</source>
        <translation>这个对话已不存在。</translation>
    </message>
    <message>
        <source>`deskpilot chats list` shows their ids.</source>
        <translation>deskpilot chats list 会显示它们的编号。</translation>
    </message>
    <message>
        <source>{a} is not a valid skill name.</source>
        <translation>{a} 不能作为技能的名称。</translation>
    </message>
    <message>
        <source>A skill must contain some text.</source>
        <translation>技能需要一些文字。</translation>
    </message>
    <message>
        <source>A skill named {a} already exists.</source>
        <translation>已有技能 {a}。</translation>
    </message>
    <message>
        <source>The skill {a} was proposed by a copilot and is not saved yet.</source>
        <translation>技能 {a} 由助手提出，尚未保存。</translation>
    </message>
    <message>
        <source>Save it: deskpilot skills accept {a}</source>
        <translation>保存它：deskpilot skills accept {a}</translation>
    </message>
    <message>
        <source>Not run or loaded: {a} in the answer.</source>
        <translation>回答中的{a}既未运行也未获取。</translation>
    </message>
    <message>
        <source>The list of widget backends cannot be read.</source>
        <translation>无法理解组件后端的列表。</translation>
    </message>
    <message>
        <source>Move backends.json away, and add the backends again.</source>
        <translation>请移走 backends.json，然后重新添加后端。</translation>
    </message>
    <message>
        <source>This widget&apos;s backend was removed.</source>
        <translation>这个组件的后端已被移除。</translation>
    </message>
    <message>
        <source>{a} no longer publishes this widget.</source>
        <translation>{a} 不再发布这个组件。</translation>
    </message>
    <message>
        <source>The address contains a password or key, which would be stored in clear text.</source>
        <translation>地址里含有密码或密钥，会以明文保存。</translation>
    </message>
    <message>
        <source>Specify headers and keys separately; they are stored in the keyring.</source>
        <translation>请单独填写请求头和密钥；它们保存在密钥环中。</translation>
    </message>
    <message>
        <source>{a} is not a valid header or key name.</source>
        <translation>{a} 不是请求头或密钥的名称。</translation>
    </message>
    <message>
        <source>The list of databases cannot be read.</source>
        <translation>无法理解数据库的列表。</translation>
    </message>
    <message>
        <source>Move databases.json away, and add the databases again.</source>
        <translation>请移走 databases.json，然后重新添加。</translation>
    </message>
    <message>
        <source>`deskpilot data databases` lists them.</source>
        <translation>deskpilot data databases 会列出它们。</translation>
    </message>
    <message>
        <source>{a} is not a copy of a database table.</source>
        <translation>{a} 不是数据库表的副本。</translation>
    </message>
    <message>
        <source>{a} no longer publishes this dashboard.</source>
        <translation>{a} 不再发布这个仪表板。</translation>
    </message>
    <message>
        <source>The download cannot be saved: {a}.</source>
        <translation>无法保存取来的内容：{a}。</translation>
    </message>
    <message>
        <source>The backend closed the stream of changes.</source>
        <translation>后端结束了变化通知。</translation>
    </message>
    <message>
        <source>They will be requested again.</source>
        <translation>会重新请求。</translation>
    </message>
    <message>
        <source>Specify one of its columns.</source>
        <translation>请填写其中一列的名称。</translation>
    </message>
    <message>
        <source>{a} is not a time.</source>
        <translation>{a} 不是时间。</translation>
    </message>
    <message>
        <source>Specify the one you need, such as {a}.</source>
        <translation>请写明您需要的那一个，例如 {a}。</translation>
    </message>
    <message>
        <source>If you want this, put its own address in the question.</source>
        <translation>如果需要，请把它自己的地址写进问题。</translation>
    </message>
    <message>
        <source>{a} answered with {b}, which cannot be read.</source>
        <translation>{a} 返回的是 {b}，这里无法阅读。</translation>
    </message>
    <message>
        <source>{a} answered with data of an unknown type, which cannot be read.</source>
        <translation>{a} 返回了没有说明类型的内容，这里无法阅读。</translation>
    </message>
    <message>
        <source>Available: none.</source>
        <translation>现有：无。</translation>
    </message>
    <message>
        <source>{a} has not been read yet.</source>
        <translation>{a} 尚未读取。</translation>
    </message>
    <message>
        <source>The call is nested too deeply.</source>
        <translation>该调用嵌套太深。</translation>
    </message>
    <message>
        <source>Send one with less nesting.</source>
        <translation>请发送层次更少的调用。</translation>
    </message>
    <message>
        <source>Code cannot be run here; the {a} code was not run.</source>
        <translation>这里不运行代码；{a} 代码没有运行。</translation>
    </message>
    <message>
        <source>The widget without an id was not offered.</source>
        <translation>没有提供不带 id 的组件。</translation>
    </message>
    <message>
        <source>The call gives no value for {a}.</source>
        <translation>调用在 {a} 中没有指定任何内容。</translation>
    </message>
    <message>
        <source>Specify at least one in {a}.</source>
        <translation>请在 {a} 中至少指定一个。</translation>
    </message>
    <message>
        <source>Specify at most {a} at once.</source>
        <translation>一次最多指定 {a} 个。</translation>
    </message>
    <message>
        <source>This cannot be made into a widget of type {a}.</source>
        <translation>无法用这个做成 {a} 类型的组件。</translation>
    </message>
    <message>
        <source>The chart specifies no columns.</source>
        <translation>图表没有指定列。</translation>
    </message>
    <message>
        <source>Specify chart_params with chartType, xKey and yKey.</source>
        <translation>请给出 chart_params，含 chartType、xKey 和 yKey。</translation>
    </message>
    <message>
        <source>Available: create, add_tabs, rename_tabs, remove_tabs.</source>
        <translation>现有：create、add_tabs、rename_tabs、remove_tabs。</translation>
    </message>
    <message>
        <source>There can be at most {a} dashboards.</source>
        <translation>最多可有 {a} 个仪表板。</translation>
    </message>
    <message>
        <source>Use the ones available.</source>
        <translation>请使用现有的。</translation>
    </message>
    <message>
        <source>Rename them with rename_map, from old to new.</source>
        <translation>请在 rename_map 中指定，从旧名到新名。</translation>
    </message>
    <message>
        <source>{a} contains widgets.</source>
        <translation>{a} 里有组件。</translation>
    </message>
    <message>
        <source>Send the search text as query.</source>
        <translation>请在 query 中给出要查找的内容。</translation>
    </message>
    <message>
        <source>Omit documents to search all of them.</source>
        <translation>不指定文件即可搜索全部。</translation>
    </message>
    <message>
        <source>Skills cannot be saved here.</source>
        <translation>这里无法保存技能。</translation>
    </message>
    <message>
        <source>Specify one to {a} widgets in widget_uuids for each query.</source>
        <translation>请在每个查询的 widget_uuids 中指定 1 到 {a} 个组件。</translation>
    </message>
    <message>
        <source>Answer without it, or ask the person to allow it.</source>
        <translation>请自己回答，或请对方允许。</translation>
    </message>
    <message>
        <source>Specify one of the widgets in the request.</source>
        <translation>请指定请求中的某个组件。</translation>
    </message>
    <message>
        <source>The model chose something that was not offered.</source>
        <translation>模型选择了未提供的内容。</translation>
    </message>
    <message>
        <source>Start a new one.</source>
        <translation>请开始新的。</translation>
    </message>
    <message>
        <source>{a} has changed since the design began.</source>
        <translation>{a} 在设计开始后变了。</translation>
    </message>
    <message>
        <source>Specify up to {a} at once.</source>
        <translation>一次最多指定 {a} 个。</translation>
    </message>
    <message>
        <source>Specify the tables for a new one.</source>
        <translation>请指定新设计所涉及的表。</translation>
    </message>
    <message>
        <source>{a} is determined by the choice of {b}.</source>
        <translation>{a} 由所选的 {b} 决定。</translation>
    </message>
    <message>
        <source>Leave it as it was, or save this under another name.</source>
        <translation>请保持原样，或用另一个名称保存。</translation>
    </message>
    <message>
        <source>The model service stopped before it finished.</source>
        <translation>模型服务中途停止。</translation>
    </message>
    <message>
        <source>{a}, for dictation and spoken answers.</source>
        <translation>{a}：用于听写和听回答。</translation>
    </message>
    <message>
        <source>{a} and {b}, for dictation and spoken answers.</source>
        <translation>{a} 和 {b}：用于听写和听回答。</translation>
    </message>
    <message>
        <source>{a} is not a valid provider name.</source>
        <translation>{a} 不能作为提供商的名称。</translation>
    </message>
    <message>
        <source>Use lowercase letters, digits, dots and hyphens.</source>
        <translation>请使用小写字母、数字、点和连字符。</translation>
    </message>
    <message>
        <source>A provider named {a} already exists.</source>
        <translation>已有提供商 {a}。</translation>
    </message>
    <message>
        <source>Choose another name, or remove it.</source>
        <translation>请换一个名称，或移除它。</translation>
    </message>
    <message>
        <source>Nothing was saved. Put the key in an environment variable.</source>
        <translation>没有保存任何内容。请把密钥放在环境变量中。</translation>
    </message>
    <message>
        <source>Fix providers.json, or move it away and add the providers again.</source>
        <translation>请修正 providers.json，或移走它并重新添加提供商。</translation>
    </message>
    <message>
        <source>The key for {a} was kept only until Deskpilot was closed.</source>
        <translation>{a} 的密钥只保存到 Deskpilot 关闭为止。</translation>
    </message>
    <message>
        <source>The key for {a} is no longer in the keyring.</source>
        <translation>{a} 的密钥已不在密钥环中。</translation>
    </message>
    <message>
        <source>{a} Reset it: deskpilot settings reset {b}</source>
        <translation>{a} 撤回：deskpilot settings reset {b}</translation>
    </message>
    <message>
        <source>An answer cannot be saved: {a}.</source>
        <translation>无法保存一个回答：{a}。</translation>
    </message>
    <message>
        <source>The assistants file cannot be read.</source>
        <translation>无法理解智能体的列表。</translation>
    </message>
    <message>
        <source>Move assistants.json away, and create the assistants again.</source>
        <translation>请移走 assistants.json 并重新创建智能体。</translation>
    </message>
    <message>
        <source>Create one: deskpilot assistants create NAME.</source>
        <translation>请创建一个：deskpilot assistants create NAME。</translation>
    </message>
    <message>
        <source>{a} cannot be used as its name.</source>
        <translation>{a} 不能作为它的名称。</translation>
    </message>
    <message>
        <source>Use letters, digits, hyphens, underscores and full stops.</source>
        <translation>请使用字母、数字、-、_ 和点。</translation>
    </message>
    <message>
        <source>{a} has no tools from {b}.</source>
        <translation>{a} 没有 {b} 的工具。</translation>
    </message>
    <message>
        <source>{a} cannot call {b} on its own.</source>
        <translation>{a} 不得自行调用 {b}。</translation>
    </message>
    <message>
        <source>Turn off Offline in Settings, Network first.</source>
        <translation>请先在“设置”的“网络”中关闭离线。</translation>
    </message>
    <message>
        <source>Use lowercase letters, digits, hyphens and full stops.</source>
        <translation>请使用小写字母、数字、- 和点。</translation>
    </message>
    <message>
        <source>{a} is already used by other tools.</source>
        <translation>{a} 已被其他工具占用。</translation>
    </message>
    <message>
        <source>A plugin named {a} already exists, from {b}.</source>
        <translation>已有插件 {a}，来自 {b}。</translation>
    </message>
    <message>
        <source>There is nothing to approve.</source>
        <translation>没有需要同意的内容。</translation>
    </message>
    <message>
        <source>{a} has changed again in the meantime.</source>
        <translation>{a} 在此期间又变了。</translation>
    </message>
    <message>
        <source>Check it again.</source>
        <translation>请再看一遍。</translation>
    </message>
    <message>
        <source>{a} cannot be called with these arguments: {b}.</source>
        <translation>不能这样调用 {a}：{b}。</translation>
    </message>
    <message>
        <source>Correct this, or ask the person.</source>
        <translation>请改正，或询问本人。</translation>
    </message>
    <message>
        <source>{a} of {b} was not called: it was not allowed.</source>
        <translation>没有调用 {b} 的 {a}：没有得到允许。</translation>
    </message>
    <message>
        <source>This is only a part; the person has all of it in {a}.</source>
        <translation>这里只有一部分；完整内容在 {a} 中。</translation>
    </message>
    <message>
        <source>{a} contains no speech.</source>
        <translation>{a} 里没有说话的声音。</translation>
    </message>
    <message>
        <source>The {a} code ran longer than {b} s and was stopped.</source>
        <translation>{a} 代码运行超过 {b} 秒，已被结束。</translation>
    </message>
    <message>
        <source>The {a} code printed more than {b} and was stopped.</source>
        <translation>{a} 代码输出超过 {b}，已被结束。</translation>
    </message>
    <message>
        <source>The folder for code cannot be created: {a}.</source>
        <translation>无法创建代码的文件夹：{a}。</translation>
    </message>
    <message>
        <source>Free some disk space, or correct its permissions.</source>
        <translation>请腾出磁盘空间，或修正其权限。</translation>
    </message>
    <message>
        <source>Python stopped while the code was running.</source>
        <translation>Python 在代码运行时退出了。</translation>
    </message>
    <message>
        <source>Try again when fewer programs are running.</source>
        <translation>请在负载较小时重试。</translation>
    </message>
    <message>
        <source>Python sent more than {a} of output at once and was stopped.</source>
        <translation>Python 一次显示的内容超过 {a}，已被结束。</translation>
    </message>
    <message>
        <source>Run deskpilot doctor to see what is missing.</source>
        <translation>请用 deskpilot doctor 查看缺少什么。</translation>
    </message>
    <message>
        <source>It reports that this did not work.</source>
        <translation>它说这没有成功。</translation>
    </message>
    <message>
        <source>Part of the answer is not text: unknown type, {a} bytes.</source>
        <translation>回答的一部分不是文字，而是未说明类型的内容，{a} 字节。</translation>
    </message>
    <message>
        <source>Part of the answer is not text: {a}, {b} bytes.</source>
        <translation>回答的一部分不是文字，而是 {a}，{b} 字节。</translation>
    </message>
    <message>
        <source>It may have been carried out anyway.</source>
        <translation>它可能还是执行了。</translation>
    </message>
    <message>
        <source>{a} would be called at another path.</source>
        <translation>{a} 会被引到另一个路径。</translation>
    </message>
    <message>
        <source>Specify other values.</source>
        <translation>请给出其他值。</translation>
    </message>
    <message>
        <source>{a} is sent in a header, which can contain only ASCII characters.</source>
        <translation>{a} 要放进请求头，请求头只能含 ASCII 字母。</translation>
    </message>
    <message>
        <source>Use ASCII characters only.</source>
        <translation>请只使用 ASCII 字符。</translation>
    </message>
    <message>
        <source>{a} The call may have been carried out anyway; it was not repeated.</source>
        <translation>{a} 它可能还是执行了；没有再次尝试。</translation>
    </message>
    <message>
        <source>The answer is larger than {a} MB; only the beginning was read.</source>
        <translation>其回答大于 {a} MB；只读取了开头。</translation>
    </message>
    <message>
        <source>The answer is not text: unknown type, {a} bytes.</source>
        <translation>回答不是文字，而是未说明类型的内容，{a} 字节。</translation>
    </message>
    <message>
        <source>Its answer is declared as JSON but is not valid JSON.</source>
        <translation>它声称回答是 JSON，其实不是。</translation>
    </message>
    <message>
        <source>It points to {a}, which is not a web address.</source>
        <translation>它指向 {a}，那不是网址。</translation>
    </message>
    <message>
        <source>Do not use it, or ask its maker what this is for.</source>
        <translation>请不要使用它，或向其开发者询问那是做什么用的。</translation>
    </message>
    <message>
        <source>{a}{b}: it is not UTF-8 text.</source>
        <translation>{a}{b}：不是 UTF-8 文本。</translation>
    </message>
    <message>
        <source>{a}{b}: it contains no fields.</source>
        <translation>{a}{b}：没有字段。</translation>
    </message>
    <message>
        <source>{a}{b}: it is not JSON: {c}.</source>
        <translation>{a}{b}：不是 JSON：{c}。</translation>
    </message>
    <message>
        <source>{a}{b}: it is not YAML: {c}.</source>
        <translation>{a}{b}：不是 YAML：{c}。</translation>
    </message>
    <message>
        <source>{a}{b}: it contains too many aliases.</source>
        <translation>{a}{b}：别名过多，不断重复自身。</translation>
    </message>
    <message>
        <source>{a}{b}: it is too large once its aliases are expanded.</source>
        <translation>{a}{b}：展开别名后太大。</translation>
    </message>
    <message>
        <source>Ask the plugin&apos;s maker to fix this.</source>
        <translation>请插件的开发者改正。</translation>
    </message>
    <message>
        <source>name_for_model {a} contains more than letters, digits, _ and -; the name {b} is used</source>
        <translation>name_for_model {a} 不是由字母、数字、_ 和 - 组成；改称 {b}</translation>
    </message>
    <message>
        <source>you would sign in at {a}, and the token it issues is sent to {b}</source>
        <translation>您将在 {a} 登录，其签发的令牌会发往 {b}</translation>
    </message>
    <message>
        <source>This plugin requires you to sign in.</source>
        <translation>这个插件想获知询问者的身份。</translation>
    </message>
    <message>
        <source>Enter its token: deskpilot plugins sign-in NAME.</source>
        <translation>请给它令牌：deskpilot plugins sign-in NAME。</translation>
    </message>
    <message>
        <source>The plugin was not given permission to learn who asks.</source>
        <translation>没有允许插件获知询问者的身份。</translation>
    </message>
    <message>
        <source>The plugin issues no token (status {a}).</source>
        <translation>插件没有发放令牌（状态 {a}）。</translation>
    </message>
    <message>
        <source>models cannot set the header {a}</source>
        <translation>请求头 {a} 不由模型填写</translation>
    </message>
    <message>
        <source>{a}: its answer is not described</source>
        <translation>{a}：没有说明它会返回什么</translation>
    </message>
    <message>
        <source>{a}, which makes changes, is new</source>
        <translation>会写入的 {a} 是新增的</translation>
    </message>
    <message>
        <source>{a}, which makes changes, is different</source>
        <translation>会写入的 {a} 已改变</translation>
    </message>
    <message>
        <source>it is called at {a}</source>
        <translation>改在 {a} 访问</translation>
    </message>
    <message>
        <source>servers: the brackets around {a} were removed</source>
        <translation>servers：去掉了 {a} 两边的括号</translation>
    </message>
    <message>
        <source>{a} {b}: it has no usable operationId; it is named {c}</source>
        <translation>{a} {b}：没有由字母组成的 operationId；称为 {c}</translation>
    </message>
    <message>
        <source>{a} {b}: another operation is also called {c}; this one is named {d}</source>
        <translation>{a} {b}：另一个操作也叫 {c}；这个称为 {d}</translation>
    </message>
    <message>
        <source>{a}: models do not follow its pattern; the server checks it</source>
        <translation>{a}：其模式不约束模型；由服务器检查</translation>
    </message>
    <message>
        <source>the schema: models do not follow its pattern; the server checks it</source>
        <translation>结构：其模式不约束模型；由服务器检查</translation>
    </message>
    <message>
        <source>{a} leads to this machine. No request was sent.</source>
        <translation>{a} 指向本机，未向其发送请求。</translation>
    </message>
    <message>
        <source>If this is intended, write the address as 127.0.0.1 or localhost.</source>
        <translation>如果确实如此，请把地址写成 127.0.0.1 或 localhost。</translation>
    </message>
    <message>
        <source>{a} sent a compressed answer, although it was asked not to.</source>
        <translation>{a} 返回了压缩的内容，尽管要求不要压缩。</translation>
    </message>
    <message>
        <source>It points to another server, {a}. No request was sent to it.</source>
        <translation>它指向另一台服务器 {a}。没有访问那里。</translation>
    </message>
    <message>
        <source>If you trust that server, add the plugin again.</source>
        <translation>如果信任那台服务器，请重新添加插件。</translation>
    </message>
    <message>
        <source>{a} now leads to a different kind of network from when it was added. No request was sent.</source>
        <translation>{a} 现在指向与添加时不同类型的网络。没有访问那里。</translation>
    </message>
    <message>
        <source>If this is intended, add it again.</source>
        <translation>如果没问题，请重新添加。</translation>
    </message>
    <message>
        <source>The files of {a} are no longer where it was imported from.</source>
        <translation>{a} 的文件已不在导入时的位置。</translation>
    </message>
    <message>
        <source>{a} is incomplete on this machine.</source>
        <translation>{a} 在本机上不完整。</translation>
    </message>
    <message>
        <source>{a} is damaged: {b} has changed since it was downloaded.</source>
        <translation>{a} 已损坏：{b} 与取来时不同。</translation>
    </message>
    <message>
        <source>Remove the package that provides it.</source>
        <translation>请移除提供它的软件包。</translation>
    </message>
    <message>
        <source>A model named {a} already exists.</source>
        <translation>已有模型 {a}。</translation>
    </message>
    <message>
        <source>Specify another name with --id.</source>
        <translation>请用 --id 给出另一个名称。</translation>
    </message>
    <message>
        <source>{a} cannot be saved in {b}: {c}.</source>
        <translation>无法把 {a} 保存在 {b}：{c}。</translation>
    </message>
    <message>
        <source>Make it writable and free some disk space, or set DESKPILOT_MODELS to another folder.</source>
        <translation>请让它可写并留出磁盘空间，或用 DESKPILOT_MODELS 指定另一个文件夹。</translation>
    </message>
    <message>
        <source>{a} is not a setting of {b}.</source>
        <translation>{b} 没有 {a} 这一项可设置。</translation>
    </message>
    <message>
        <source>{a} is not a valid preset name.</source>
        <translation>{a} 不能作为预设的名称。</translation>
    </message>
    <message>
        <source>Use letters, digits, spaces, dots and hyphens.</source>
        <translation>请使用字母、数字、空格、点和连字符。</translation>
    </message>
    <message>
        <source>Choose a model parameter first.</source>
        <translation>请先选择模型的一个参数。</translation>
    </message>
    <message>
        <source>The preset {a} is part of Deskpilot and cannot be removed.</source>
        <translation>预设 {a} 随 Deskpilot 提供，不能移除。</translation>
    </message>
    <message>
        <source>The preset {a} does not exist.</source>
        <translation>没有预设 {a}。</translation>
    </message>
    <message>
        <source>Your presets: none.</source>
        <translation>您的预设：无。</translation>
    </message>
    <message>
        <source>Your presets: {a}.</source>
        <translation>您的预设：{a}。</translation>
    </message>
    <message>
        <source>{a} MB are needed in {b}, but only {c} MB are free.</source>
        <translation>{b} 需要 {a} MB，剩余 {c} MB。</translation>
    </message>
    <message>
        <source>Free some space, or set DESKPILOT_MODELS to another folder.</source>
        <translation>请腾出空间，或用 DESKPILOT_MODELS 指定另一个文件夹。</translation>
    </message>
    <message>
        <source>{a} does not name a file.</source>
        <translation>{a} 没有指向文件。</translation>
    </message>
    <message>
        <source>Specify the address of a GGUF file.</source>
        <translation>请给出 GGUF 文件的地址。</translation>
    </message>
    <message>
        <source>Specify it with --sha256; the file&apos;s publisher lists it.</source>
        <translation>请用 --sha256 给出；提供文件者会写明。</translation>
    </message>
    <message>
        <source>Check the address and the network.</source>
        <translation>请检查地址和网络。</translation>
    </message>
    <message>
        <source>Download it manually, then import the file.</source>
        <translation>请手动下载，然后导入文件。</translation>
    </message>
    <message>
        <source>{a} is not a repository on the model hub.</source>
        <translation>{a} 不是模型中心的仓库。</translation>
    </message>
    <message>
        <source>The kit contains a different version of {a} from the one this Deskpilot knows.</source>
        <translation>套件里的 {a} 与这个 Deskpilot 所知的版本不同。</translation>
    </message>
    <message>
        <source>Specify the folder that `deskpilot models export-kit` created.</source>
        <translation>请指定 `deskpilot models export-kit` 生成的文件夹。</translation>
    </message>
    <message>
        <source>Copy the kit again from its source.</source>
        <translation>请从制作处重新复制套件。</translation>
    </message>
    <message>
        <source>The kit does not contain {a}.</source>
        <translation>套件里没有 {a}。</translation>
    </message>
    <message>
        <source>It contains: {a}.</source>
        <translation>它含有：{a}。</translation>
    </message>
    <message>
        <source>Name a folder with a model for faster-whisper or sentence-transformers, a Piper voice (.onnx with its .onnx.json), or a GGUF file.</source>
        <translation>请指定 faster-whisper 的 Whisper 或 sentence-transformers 的文件夹、Piper 语音（.onnx 及其 .onnx.json）或 GGUF 文件。</translation>
    </message>
    <message>
        <source>{a} is not a model that can be used here.</source>
        <translation>{a} 不是这里能用的模型。</translation>
    </message>
    <message>
        <source>The model has {a}{b} parts, but {c} is not in the same folder as {d}.</source>
        <translation>模型有 {a}{b} 个部分，{c} 不在 {d} 旁边。</translation>
    </message>
    <message>
        <source>Download it, put it there, and run the same command again.</source>
        <translation>请取来它，放在那里，再运行同一命令。</translation>
    </message>
    <message>
        <source>Copy or download it again.</source>
        <translation>请重新复制或下载。</translation>
    </message>
    <message>
        <source>Import the model; a projector next to it is imported too.</source>
        <translation>请导入那个模型；旁边的投影器会一并带上。</translation>
    </message>
    <message>
        <source>Copy both of the voice&apos;s files.</source>
        <translation>请复制语音的两个文件。</translation>
    </message>
    <message>
        <source>{a} is not a valid model name.</source>
        <translation>{a} 不能作为模型的名称。</translation>
    </message>
    <message>
        <source>Specify an --id of letters, digits, dots and hyphens.</source>
        <translation>请用 --id 给出由字母、数字、点和连字符组成的名称。</translation>
    </message>
    <message>
        <source>Copy all of the model&apos;s files there.</source>
        <translation>请把模型的所有文件复制到那里。</translation>
    </message>
    <message>
        <source>Copy it again, or omit --id to import it as a model of your own.</source>
        <translation>请重新复制，或不写 --id 把它作为自己的模型导入。</translation>
    </message>
    <message>
        <source>No other program on this machine has a model named {a}.</source>
        <translation>没有其他程序在本机保存模型 {a}。</translation>
    </message>
    <message>
        <source>Found: {a}.</source>
        <translation>找到的有：{a}。</translation>
    </message>
    <message>
        <source>Found: none.</source>
        <translation>找到的有：无。</translation>
    </message>
    <message>
        <source>pip is configured with {a}, which cannot be used: {b}.</source>
        <translation>pip 设置了无法使用的 {a}：{b}。</translation>
    </message>
    <message>
        <source>Correct it; pip config list shows where it is set.</source>
        <translation>请更正：pip config list 会显示其位置。</translation>
    </message>
    <message>
        <source>Connect to the network, or configure pip to use an index that can be reached, then run the same command again.</source>
        <translation>请连接网络，或把 pip 设置为可以访问的索引，然后再次运行同一命令。</translation>
    </message>
    <message>
        <source>Connect to the network, or configure pip to use a mirror that has it, then run the same command again.</source>
        <translation>请连接网络，或把 pip 设置为有它的镜像，然后再次运行同一命令。</translation>
    </message>
    <message>
        <source>Models are downloaded with pip, which does not work in this Python.</source>
        <translation>模型通过 pip 的软件包索引获取，而这个 Python 没有可用的 pip。</translation>
    </message>
    <message>
        <source>A {a} model does not support streaming.</source>
        <translation>{a} 模型不能流式输出。</translation>
    </message>
    <message>
        <source>Check its log, or ask again.</source>
        <translation>请查看其日志，或再问一次。</translation>
    </message>
    <message>
        <source>Check the log.</source>
        <translation>请查看日志。</translation>
    </message>
    <message>
        <source>{a} is no longer on this machine in the cluster.</source>
        <translation>集群的这台机器上已没有 {a}。</translation>
    </message>
    <message>
        <source>Restore it, or ask again: another machine may have it.</source>
        <translation>请把它放回原处，或再问一次：别的机器上可能有。</translation>
    </message>
    <message>
        <source>Answered from the relevant parts of the attached text; not computed, so check it</source>
        <translation>根据所附文本中与问题相符的部分作答；不是计算得出，请核对</translation>
    </message>
    <message>
        <source>A sentence in the answer does not occur in any passage.</source>
        <translation>回答中有一句话在任何段落里都找不到。</translation>
    </message>
    <message>
        <source>The terminal returned something that is not the result of a computation.</source>
        <translation>终端返回的不是计算结果。</translation>
    </message>
    <message>
        <source>The query names a table that does not exist.</source>
        <translation>查询提到了一个这里没有的表格。</translation>
    </message>
    <message>
        <source>Specify one.</source>
        <translation>请指定一个。</translation>
    </message>
    <message>
        <source>Specify both.</source>
        <translation>请两个都给出。</translation>
    </message>
    <message>
        <source>Use fewer or different ones.</source>
        <translation>请减少条件或换一些条件再问。</translation>
    </message>
    <message>
        <source>Specify one value.</source>
        <translation>请给出一个值。</translation>
    </message>
    <message>
        <source>Compare two columns that contain numbers or dates.</source>
        <translation>请比较两个数字列或日期列。</translation>
    </message>
    <message>
        <source>{a} contains numbers, but {b} is not a number.</source>
        <translation>{a} 是数字列，{b} 不是数字。</translation>
    </message>
    <message>
        <source>Specify a number.</source>
        <translation>请给出数字。</translation>
    </message>
    <message>
        <source>Specify {a} values.</source>
        <translation>请给出 {a} 个值。</translation>
    </message>
    <message>
        <source>Specify a list of values.</source>
        <translation>请给出一组值。</translation>
    </message>
    <message>
        <source>The request is nested too deeply.</source>
        <translation>嵌套太深。</translation>
    </message>
    <message>
        <source>{a} is different each day or on each machine.</source>
        <translation>{a} 每天或在每台机器上都不同。</translation>
    </message>
    <message>
        <source>The request cannot be read: {a}</source>
        <translation>无法读取：{a}</translation>
    </message>
    <message>
        <source>This is not a single SELECT: {a}</source>
        <translation>这不是一条 SELECT：{a}</translation>
    </message>
    <message>
        <source>A declared SELECT cannot contain {a}.</source>
        <translation>声明的 SELECT 里没有 {a}。</translation>
    </message>
    <message>
        <source>Rows cannot come from {a}().</source>
        <translation>行不能来自 {a}()。</translation>
    </message>
    <message>
        <source>Specify the last day to count to.</source>
        <translation>请写明算到哪一天。</translation>
    </message>
    <message>
        <source>{a}() cannot be used here.</source>
        <translation>这里不能使用 {a}()。</translation>
    </message>
    <message>
        <source>Use functions that depend only on the values.</source>
        <translation>请只使用依赖值的函数。</translation>
    </message>
    <message>
        <source>The tables have {a} cells in total; a SELECT over several tables can use up to {b}.</source>
        <translation>这些表共有 {a} 个单元格；跨多表的 SELECT 最多处理 {b} 个。</translation>
    </message>
    <message>
        <source>Query each table separately, then join the results.</source>
        <translation>请分别询问每个表，再合并结果。</translation>
    </message>
    <message>
        <source>A forecast needs {a} values, but there are only {b}.</source>
        <translation>预测需要 {a} 个值，只有 {b} 个。</translation>
    </message>
    <message>
        <source>Choose one entity, or aggregate by period.</source>
        <translation>请选择一个对象，或按周期汇总。</translation>
    </message>
    <message>
        <source>The forecast starts in the year {a}.</source>
        <translation>预测从 {a} 年开始。</translation>
    </message>
    <message>
        <source>The days are {a} days apart, so they are not regular.</source>
        <translation>日期相隔 {a} 天：没有规律。</translation>
    </message>
    <message>
        <source>Aggregate them by week, month or quarter.</source>
        <translation>请按周、月或季度汇总。</translation>
    </message>
    <message>
        <source>Remove entries that are not real values.</source>
        <translation>请去掉不是真实数值的内容。</translation>
    </message>
    <message>
        <source>The values are too far apart for a forecast.</source>
        <translation>数值相差太大，无法预测。</translation>
    </message>
    <message>
        <source>{a} contains no numbers.</source>
        <translation>{a} 里没有数字。</translation>
    </message>
    <message>
        <source>Choose a numeric column.</source>
        <translation>请选择数字列。</translation>
    </message>
    <message>
        <source>Use fewer or different conditions.</source>
        <translation>请减少或更换条件再问。</translation>
    </message>
    <message>
        <source>No column contains no numbers.</source>
        <translation>没有任何列含有数字。</translation>
    </message>
    <message>
        <source>Specify which one, or ask for the sum or mean.</source>
        <translation>请说明是哪一行，或问总和或平均值。</translation>
    </message>
    <message>
        <source>{a} rows meet the conditions.</source>
        <translation>有 {a} 行符合。</translation>
    </message>
    <message>
        <source>There is nothing to compute a share of.</source>
        <translation>没有可求占比的内容。</translation>
    </message>
    <message>
        <source>{a} contains no dates.</source>
        <translation>{a} 里没有日期。</translation>
    </message>
    <message>
        <source>{a} needs a numeric column.</source>
        <translation>{a} 需要数字列。</translation>
    </message>
    <message>
        <source>{a} does not describe a point in time.</source>
        <translation>{a} 不表示时间点。</translation>
    </message>
    <message>
        <source>Specify a column with dates, months, quarters or years.</source>
        <translation>请指定日期、月份、季度或年份的列。</translation>
    </message>
    <message>
        <source>Specify columns, or `every`.</source>
        <translation>请指定列名，或 `every`。</translation>
    </message>
    <message>
        <source>Choose a different range, entity or condition.</source>
        <translation>请选择另一个范围、对象或条件。</translation>
    </message>
    <message>
        <source>{a} of {b} has fewer than two values in that range.</source>
        <translation>{b} 的 {a} 在该范围内没有两个值。</translation>
    </message>
    <message>
        <source>{a} has fewer than two values in that range.</source>
        <translation>{a} 在该范围内没有两个值。</translation>
    </message>
    <message>
        <source>A column named {a} already exists.</source>
        <translation>已有列 {a}。</translation>
    </message>
    <message>
        <source>Draw fewer values, or use a bar chart.</source>
        <translation>请少画一些，或画成柱状图。</translation>
    </message>
    <message>
        <source>A pie chart cannot show negative values.</source>
        <translation>小于零的部分不能画成饼图。</translation>
    </message>
    <message>
        <source>Use a bar chart.</source>
        <translation>请画柱状图。</translation>
    </message>
    <message>
        <source>Draw them separately.</source>
        <translation>请分开绘制。</translation>
    </message>
    <message>
        <source>{a} contains {b}.</source>
        <translation>{a} 的内容是{b}。</translation>
    </message>
    <message>
        <source>Join on columns of the same type.</source>
        <translation>请用同类的列连接。</translation>
    </message>
    <message>
        <source>Specify one for each.</source>
        <translation>请给每个结果一个名称。</translation>
    </message>
    <message>
        <source>Select fewer rows first.</source>
        <translation>请先减少行数。</translation>
    </message>
    <message>
        <source>Nothing can be computed for these.</source>
        <translation>对其中任何一个都无法计算。</translation>
    </message>
    <message>
        <source>{a} returns no value.</source>
        <translation>{a} 不给出值。</translation>
    </message>
    <message>
        <source>Loop over an interface that returns one.</source>
        <translation>请对能给出值的接口循环。</translation>
    </message>
    <message>
        <source>Two columns would have the same name.</source>
        <translation>两列会同名。</translation>
    </message>
    <message>
        <source>Two tables have the same name.</source>
        <translation>有两个表同名。</translation>
    </message>
    <message>
        <source>Give each a different name.</source>
        <translation>请给它们不同的名称。</translation>
    </message>
    <message>
        <source>The SELECT reads {a} cells; the limit is {b}.</source>
        <translation>SELECT 要读 {a} 个单元格；最多可读 {b} 个。</translation>
    </message>
    <message>
        <source>Specify fewer columns, or a smaller table.</source>
        <translation>请减少列，或指定更小的表。</translation>
    </message>
    <message>
        <source>The SELECT cannot be run: {a}</source>
        <translation>无法回答这个 SELECT：{a}</translation>
    </message>
    <message>
        <source>Fix the SELECT.</source>
        <translation>请修正 SELECT。</translation>
    </message>
    <message>
        <source>{a} or {b} is already a column.</source>
        <translation>已有列 {a} 或 {b}。</translation>
    </message>
    <message>
        <source>Rephrase the request.</source>
        <translation>请换个方式提问。</translation>
    </message>
    <message>
        <source>This is not a single SELECT.</source>
        <translation>这不是一条 SELECT。</translation>
    </message>
    <message>
        <source>The query cannot be run: {a}</source>
        <translation>无法回答这个查询：{a}</translation>
    </message>
    <message>
        <source>Fix the SQL.</source>
        <translation>请修正 SQL。</translation>
    </message>
    <message>
        <source>Choose fewer rows, or aggregate them by day, month or year.</source>
        <translation>请减少行数，或按日、月、年汇总。</translation>
    </message>
    <message>
        <source>Numeric columns: none.</source>
        <translation>数字列：无。</translation>
    </message>
    <message>
        <source>Numeric columns: {a}.</source>
        <translation>数字列：{a}。</translation>
    </message>
    <message>
        <source>This would produce {a} rows; the limit is {b}.</source>
        <translation>这将产生 {a} 行；最多可生成 {b} 行。</translation>
    </message>
    <message>
        <source>Merge on columns whose values identify each row.</source>
        <translation>请按能唯一标识每一行的列合并。</translation>
    </message>
    <message>
        <source>{a} returns {b}, which is not a number.</source>
        <translation>{a} 给出的是 {b}，不是数值。</translation>
    </message>
    <message>
        <source>Rank by something that returns numbers.</source>
        <translation>请对给出数值的内容排名。</translation>
    </message>
    <message>
        <source>These rows have no column with days.</source>
        <translation>这些行没有日期列。</translation>
    </message>
    <message>
        <source>Read them as a time series.</source>
        <translation>请把它们作为序列读取。</translation>
    </message>
    <message>
        <source>A loop over nothing, or over charts, produces no rows.</source>
        <translation>对空内容或图表的循环不产生行。</translation>
    </message>
    <message>
        <source>Two steps produce {a}.</source>
        <translation>有两个步骤都产生 {a}。</translation>
    </message>
    <message>
        <source>{a} accepts a number; {b} is not a number.</source>
        <translation>{a} 需要数字，{b} 不是。</translation>
    </message>
    <message>
        <source>{a} accepts text; {b} is not text.</source>
        <translation>{a} 需要文字，{b} 不是。</translation>
    </message>
    <message>
        <source>Specify text.</source>
        <translation>请给出文字。</translation>
    </message>
    <message>
        <source>Specify an existing argument.</source>
        <translation>请指定现有的参数。</translation>
    </message>
    <message>
        <source>{a} does not support the processor.</source>
        <translation>{a} 从不在处理器上计算。</translation>
    </message>
    <message>
        <source>{a} does not support an NVIDIA GPU.</source>
        <translation>{a} 从不在 NVIDIA GPU 上计算。</translation>
    </message>
    <message>
        <source>{a} does not support Apple&apos;s GPU.</source>
        <translation>{a} 从不在 Apple 的 GPU 上计算。</translation>
    </message>
    <message>
        <source>{a} does not support a GPU through Vulkan.</source>
        <translation>{a} 从不通过 Vulkan 在 GPU 上计算。</translation>
    </message>
    <message>
        <source>{a} cannot use the processor here: its build or the driver does not support it.</source>
        <translation>{a} 在这里无法使用处理器：构建或驱动不支持。</translation>
    </message>
    <message>
        <source>{a} cannot use an NVIDIA GPU here: its build or the driver does not support it.</source>
        <translation>{a} 在这里无法使用 NVIDIA GPU：构建或驱动不支持。</translation>
    </message>
    <message>
        <source>{a} cannot use Apple&apos;s GPU here: its build or the driver does not support it.</source>
        <translation>{a} 在这里无法使用 Apple 的 GPU：构建或驱动不支持。</translation>
    </message>
    <message>
        <source>{a} cannot use a GPU through Vulkan here: its build or the driver does not support it.</source>
        <translation>{a} 在这里无法通过 Vulkan 使用 GPU：构建或驱动不支持。</translation>
    </message>
    <message>
        <source>accepts no more requests now</source>
        <translation>现在不再接受请求</translation>
    </message>
    <message>
        <source>could not accept the request</source>
        <translation>无法接受请求</translation>
    </message>
    <message>
        <source>{a} did not stream although it was asked to.</source>
        <translation>{a} 被要求流式输出，却没有输出。</translation>
    </message>
    <message>
        <source>{a} kept sending after its last chunk.</source>
        <translation>{a} 在最后一块之后还在继续。</translation>
    </message>
    <message>
        <source>{a} bytes are not a readable image of {b} by {c} pixels.</source>
        <translation>{a} 字节不是可读取的 {b}×{c} 像素图片。</translation>
    </message>
    <message>
        <source>Send one grey byte for each pixel, at most {a}.</source>
        <translation>请发送每个像素一个字节的灰度值，最多 {a} 个。</translation>
    </message>
    <message>
        <source>State the question that the documents should answer.</source>
        <translation>请说明文档要回答什么。</translation>
    </message>
    <message>
        <source>{a} cannot translate.</source>
        <translation>{a} 不能翻译。</translation>
    </message>
    <message>
        <source>Transcribe without translating, or choose a multilingual Whisper model.</source>
        <translation>请改为转写，或选择多语言 Whisper 模型。</translation>
    </message>
    <message>
        <source>{a} returned {b} vectors for {c} texts.</source>
        <translation>{a} 为 {c} 个文本给出了 {b} 个向量。</translation>
    </message>
    <message>
        <source>Embeddings are not available for input type {a}.</source>
        <translation>文本不能作为 {a} 嵌入。</translation>
    </message>
    <message>
        <source>Send input_type {a}, or omit it.</source>
        <translation>请发送 input_type {a}，或不写。</translation>
    </message>
    <message>
        <source>The provider {a} does not describe itself correctly: {b}</source>
        <translation>提供商 {a} 对自己的描述不合规范：{b}</translation>
    </message>
    <message>
        <source>The parameter {a} accepts {b} decimals, not {c}.</source>
        <translation>参数 {a} 有 {b} 位小数，而不是 {c}。</translation>
    </message>
    <message>
        <source>Choose one by its language, {a} …, or specify none.</source>
        <translation>请按语言选择：{a}…；或不指定。</translation>
    </message>
    <message>
        <source>Specify the folder of a Whisper model.</source>
        <translation>请指定 Whisper 模型的文件夹。</translation>
    </message>
    <message>
        <source>Its folder is incomplete; download the model again, or copy all of its files.</source>
        <translation>其文件夹不完整；请重新下载模型，或复制它的所有文件。</translation>
    </message>
    <message>
        <source>If the message names CUDA or a driver, set the device to cpu; otherwise a file is damaged, so download the model again.</source>
        <translation>如果提到 CUDA 或驱动，请把设备设为 cpu；否则是文件损坏：请重新下载。</translation>
    </message>
    <message>
        <source>The model cannot run with these settings: {a}.</source>
        <translation>模型不能这样计算：{a}。</translation>
    </message>
    <message>
        <source>The audio contains values that are not numbers (NaN).</source>
        <translation>声音里有不是数字的值（NaN）。</translation>
    </message>
    <message>
        <source>The file contains no sound.</source>
        <translation>文件里没有声音。</translation>
    </message>
    <message>
        <source>The file cannot be read as audio: {a}.</source>
        <translation>无法把文件作为声音读取：{a}。</translation>
    </message>
    <message>
        <source>This model knows only English and cannot translate.</source>
        <translation>此模型只懂英语，不能翻译。</translation>
    </message>
    <message>
        <source>It knows only English; choose a multilingual model.</source>
        <translation>它只懂英语；请选择多语言模型。</translation>
    </message>
    <message>
        <source>Send an ISO 639-1 code such as en, zh or de, or none.</source>
        <translation>请发送 ISO 639-1 代码，如 en、zh、de，或不写。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template is not valid: {a}</source>
        <translation>模型的对话模板无效：{a}</translation>
    </message>
    <message>
        <source>The model&apos;s template does not accept these messages: {a}</source>
        <translation>模型的模板不接受这些消息：{a}</translation>
    </message>
    <message>
        <source>Remove what it names.</source>
        <translation>请去掉它提到的内容。</translation>
    </message>
    <message>
        <source>llama.cpp cannot enforce this schema: its grammar is too large.</source>
        <translation>llama.cpp 无法把回答约束到这个结构：语法太大。</translation>
    </message>
    <message>
        <source>Lower maxLength, maxItems and similar limits, or remove them.</source>
        <translation>请减小 maxLength、maxItems 等，或去掉它们。</translation>
    </message>
    <message>
        <source>json_schema is not a JSON schema: {a}</source>
        <translation>json_schema 不是 JSON 结构：{a}</translation>
    </message>
    <message>
        <source>llama.cpp cannot enforce this schema: {a}: {b}</source>
        <translation>llama.cpp 无法把回答约束到这个结构：{a}：{b}</translation>
    </message>
    <message>
        <source>Remove recursive references and patterns without anchors.</source>
        <translation>请去掉递归引用和没有锚点的模式。</translation>
    </message>
    <message>
        <source>Allow more tokens, or make the schema less strict.</source>
        <translation>请允许更多 token，或放宽结构。</translation>
    </message>
    <message>
        <source>Include the tool in the request.</source>
        <translation>请一并发送该工具。</translation>
    </message>
    <message>
        <source>No layer of {a} fits into the {b} GB that are free on the GPU.</source>
        <translation>GPU 剩余的 {b} GB 连 {a} 的一层都放不下。</translation>
    </message>
    <message>
        <source>Free some memory, choose a smaller model, or set the device to auto.</source>
        <translation>请腾出一些，选择更小的模型，或把设备设为 auto。</translation>
    </message>
    <message>
        <source>The call was interrupted: {a}</source>
        <translation>调用中断了：{a}</translation>
    </message>
    <message>
        <source>The conversation has {a} tokens, but the model accepts {b}.</source>
        <translation>对话有 {a} 个 token，模型能接受 {b} 个。</translation>
    </message>
    <message>
        <source>The file is damaged; remove it and download the model again: deskpilot models pull.</source>
        <translation>文件已损坏；请删除它并重新下载模型：deskpilot models pull。</translation>
    </message>
    <message>
        <source>The model has {a} parts, but {b} is not in the same folder.</source>
        <translation>模型有 {a} 个部分，{b} 不在其他部分旁边。</translation>
    </message>
    <message>
        <source>Put it there, or download the model again: deskpilot models pull.</source>
        <translation>请放到那里，或重新下载模型：deskpilot models pull。</translation>
    </message>
    <message>
        <source>Download the model again: deskpilot models pull.</source>
        <translation>请重新下载模型：deskpilot models pull。</translation>
    </message>
    <message>
        <source>Choose a model in the GGUF format.</source>
        <translation>请选择 GGUF 格式的模型。</translation>
    </message>
    <message>
        <source>Completions cannot call tools.</source>
        <translation>补全不调用工具。</translation>
    </message>
    <message>
        <source>Remove them, or use the mode chat.</source>
        <translation>请去掉它们，或使用 chat 模式。</translation>
    </message>
    <message>
        <source>A completion needs exactly one user message.</source>
        <translation>补全只能接在一条用户消息之后。</translation>
    </message>
    <message>
        <source>Models on llama.cpp accept text and images, but a message contains {a}.</source>
        <translation>llama.cpp 上的模型读取文字和图片，而有消息含有 {a}。</translation>
    </message>
    <message>
        <source>This model accepts only text, but a message contains an image.</source>
        <translation>这个模型只读文字，而有消息含有图片。</translation>
    </message>
    <message>
        <source>Remove the image, or choose a model with a projector (mmproj), whose file is set in projector_path.</source>
        <translation>请去掉图片，或选择带投影器（mmproj）的模型，其文件填在 projector_path。</translation>
    </message>
    <message>
        <source>The guard model returned {a} instead of a verdict.</source>
        <translation>审核模型没有给出判断，而是 {a}。</translation>
    </message>
    <message>
        <source>This file does not say which family of guard models it belongs to.</source>
        <translation>这个文件没有说明属于哪个审核模型系列。</translation>
    </message>
    <message>
        <source>Specify it in the setting guard: {a}.</source>
        <translation>请在设置 guard 中说明：{a}。</translation>
    </message>
    <message>
        <source>The policy of this guard model is missing: its file contains no template.</source>
        <translation>缺少这个审核模型的准则：文件里没有模板。</translation>
    </message>
    <message>
        <source>The template of this guard model ignores the text.</source>
        <translation>这个审核模型的模板漏掉了文本。</translation>
    </message>
    <message>
        <source>Increase n_ctx to 4096.</source>
        <translation>请把 n_ctx 增大到 4096。</translation>
    </message>
    <message>
        <source>The image has {a} million pixels; at most {b} million are supported.</source>
        <translation>图片有 {a} 百万像素；最多能看 {b}。</translation>
    </message>
    <message>
        <source>The image is not valid base64.</source>
        <translation>图片不是 base64。</translation>
    </message>
    <message>
        <source>The image took {a} positions, not {b}.</source>
        <translation>图片占了 {a} 个位置，而不是 {b}。</translation>
    </message>
    <message>
        <source>{a} is damaged, or is not a projector for this model.</source>
        <translation>{a} 已损坏，或不是这个模型的投影器。</translation>
    </message>
    <message>
        <source>Download the projector (mmproj) that belongs to the model.</source>
        <translation>请下载这个模型的投影器（mmproj）。</translation>
    </message>
    <message>
        <source>{a} is not an image projector.</source>
        <translation>{a} 不是图片用的投影器。</translation>
    </message>
    <message>
        <source>The model&apos;s template ignores images.</source>
        <translation>模型的模板漏掉了图片。</translation>
    </message>
    <message>
        <source>The images cannot be prepared ({a}).</source>
        <translation>无法处理图片（{a}）。</translation>
    </message>
    <message>
        <source>Send smaller ones, or others.</source>
        <translation>请发送小一些的，或其他图片。</translation>
    </message>
    <message>
        <source>Its file is damaged; remove the folder and download the model again.</source>
        <translation>其文件已损坏；请删除文件夹并重新下载模型。</translation>
    </message>
    <message>
        <source>This model cannot call tools.</source>
        <translation>这个模型不调用工具。</translation>
    </message>
    <message>
        <source>json_schema is not JSON: {a}</source>
        <translation>json_schema 不是 JSON：{a}</translation>
    </message>
    <message>
        <source>Remove the image, choose another model, or state in this model&apos;s settings that it accepts images.</source>
        <translation>请去掉图片，选择另一个模型，或在其设置中说明它能看图。</translation>
    </message>
    <message>
        <source>The server&apos;s answer has no end.</source>
        <translation>服务器的回答没有结束。</translation>
    </message>
    <message>
        <source>The server at {a} has sent nothing useful for {b} seconds.</source>
        <translation>{a} 处的服务器已有 {b} 秒没有发来有用的内容。</translation>
    </message>
    <message>
        <source>Try again in a moment. If the server is slow, increase the timeout in the provider&apos;s settings.</source>
        <translation>请稍候重试。如果它很慢，请在提供商的设置中给它更长的时间。</translation>
    </message>
    <message>
        <source>did not accept the connection in time</source>
        <translation>没有及时接受连接</translation>
    </message>
    <message>
        <source>stopped sending data</source>
        <translation>没有再响应</translation>
    </message>
    <message>
        <source>Try again in a moment. If the server is slow, increase the timeout.</source>
        <translation>请稍候重试。如果它很慢，请给它更长的时间。</translation>
    </message>
    <message>
        <source>stopped reading the request</source>
        <translation>停止接收请求</translation>
    </message>
    <message>
        <source>had no free connection</source>
        <translation>没有空闲的连接</translation>
    </message>
    <message>
        <source>cannot be reached through the proxy</source>
        <translation>无法通过代理访问</translation>
    </message>
    <message>
        <source>closed the connection</source>
        <translation>断开了连接</translation>
    </message>
    <message>
        <source>does not accept this request</source>
        <translation>不能向它发送这个</translation>
    </message>
    <message>
        <source>sent data that cannot be decompressed</source>
        <translation>发来了无法解压的内容</translation>
    </message>
    <message>
        <source>is behind a proxy that requires a password</source>
        <translation>位于要求密码的代理之后</translation>
    </message>
    <message>
        <source>timed out waiting for the request</source>
        <translation>等待请求太久</translation>
    </message>
    <message>
        <source>does not accept anything this large</source>
        <translation>不接受这么大的内容</translation>
    </message>
    <message>
        <source>does not accept a conversation this long</source>
        <translation>不接受这么长的对话</translation>
    </message>
    <message>
        <source>Allow more tokens, or use a server that enforces schemas.</source>
        <translation>请允许更多 token，或使用能把回答约束到结构的服务器。</translation>
    </message>
    <message>
        <source>{a} cannot be requested.</source>
        <translation>不能要求 {a}。</translation>
    </message>
    <message>
        <source>Choose one of {a}, or specify none.</source>
        <translation>请选择其中之一：{a}；或不指定。</translation>
    </message>
    <message>
        <source>Its files are incomplete; download the voice again, or copy both files.</source>
        <translation>其文件不完整；请重新下载语音，或复制两个文件。</translation>
    </message>
    <message>
        <source>A file is damaged or belongs to another kind of model; download it again, or choose another.</source>
        <translation>文件损坏或属于另一类模型；请重新下载，或选择另一个。</translation>
    </message>
    <message>
        <source>Models for sentence-transformers need a library that is not installed: {a}.</source>
        <translation>sentence-transformers 的模型需要这里没有的库：{a}。</translation>
    </message>
    <message>
        <source>Specify the folder of a model.</source>
        <translation>请指定模型的文件夹。</translation>
    </message>
    <message>
        <source>The model in {a} has {b} classes, so it returns no score.</source>
        <translation>{a} 中的模型区分 {b} 个类别：不给出分数。</translation>
    </message>
    <message>
        <source>The model returned scores that are not numbers.</source>
        <translation>模型给出的分数不是数字。</translation>
    </message>
    <message>
        <source>Its weights are damaged; download the model again.</source>
        <translation>其权重已损坏；请重新下载。</translation>
    </message>
    <message>
        <source>The model in {a} is a reranker, which does not produce vectors.</source>
        <translation>{a} 中的模型是重排模型：不生成向量。</translation>
    </message>
    <message>
        <source>The model returned values that are not numbers.</source>
        <translation>模型给出的值不是数字。</translation>
    </message>
    <message>
        <source>Speech is not possible at a speed of {a}.</source>
        <translation>无法以 {a} 的速度朗读。</translation>
    </message>
    <message>
        <source>{a} cannot be created.</source>
        <translation>无法生成 {a}。</translation>
    </message>
    <message>
        <source>A sample rate of {a} Hz is not supported.</source>
        <translation>无法生成 {a} Hz。</translation>
    </message>
    <message>
        <source>There is nothing to say: the text contains no words.</source>
        <translation>没有要说的内容：文字里没有词语。</translation>
    </message>
    <message>
        <source>{a} has reached its limit of {b} requests at once.</source>
        <translation>{a} 最多可同时有 {b} 个请求，现已达到。</translation>
    </message>
    <message>
        <source>{a} has reached its limit of {b} requests a minute.</source>
        <translation>{a} 每分钟最多可发 {b} 个请求，现已达到。</translation>
    </message>
    <message>
        <source>{a} has reached its limit of {b} tokens a minute.</source>
        <translation>{a} 每分钟最多可用 {b} 个 token，现已用完。</translation>
    </message>
    <message>
        <source>The model service had an internal error ({a}). Send the question again; if it fails again, see the service&apos;s log.</source>
        <translation>模型服务出错了（{a}）。请重新发送问题；如果再次失败，服务的日志里有位置。</translation>
    </message>
    <message>
        <source>{a} is not allowed to use {b}.</source>
        <translation>{a} 不可使用 {b}。</translation>
    </message>
    <message>
        <source>Use another model; /v1/models lists them.</source>
        <translation>请换一个模型，参见 /v1/models。</translation>
    </message>
    <message>
        <source>{a} is not a reranker.</source>
        <translation>{a} 不是重排模型。</translation>
    </message>
    <message>
        <source>{a} Or import Llama Guard, Qwen3Guard or ShieldGemma as GGUF: deskpilot models import FILE.gguf</source>
        <translation>{a} 或者带来 GGUF 格式的 Llama Guard、Qwen3Guard 或 ShieldGemma：deskpilot models import FILE.gguf</translation>
    </message>
    <message>
        <source>OCR model</source>
        <translation>读取扫描页的模型</translation>
    </message>
    <message>
        <source>speech recognition model</source>
        <translation>语音识别模型</translation>
    </message>
    <message>
        <source>{a} requests are already waiting for this model.</source>
        <translation>已有 {a} 个请求在等待此模型。</translation>
    </message>
    <message>
        <source>Still waiting after {a} s.</source>
        <translation>{a} 秒内没有轮到。</translation>
    </message>
    <message>
        <source>This model returns no timestamps, so subtitles are not possible.</source>
        <translation>这个模型不给出时间，因此没有字幕。</translation>
    </message>
    <message>
        <source>The file is {a} MB; at most {b} MB are accepted.</source>
        <translation>文件有 {a} MB，最多接受 {b} MB。</translation>
    </message>
    <message>
        <source>Save it as MP3, OGG or FLAC, or split it in two.</source>
        <translation>请保存为 MP3、OGG 或 FLAC，或分成两段。</translation>
    </message>
    <message>
        <source>The voice produced no readable sound.</source>
        <translation>该语音没有生成可读取的声音。</translation>
    </message>
    <message>
        <source>{a} is in use.</source>
        <translation>{a} 正在使用中。</translation>
    </message>
    <message>
        <source>Stop its task, or wait until it finishes.</source>
        <translation>请停止它正在做的事，或等它结束。</translation>
    </message>
    <message>
        <source>Waiting for the model: place {a} in the queue</source>
        <translation>正在等待模型：第 {a} 位</translation>
    </message>
    <message>
        <source>input contains token ids, which stand for other words in this model.</source>
        <translation>input 中是 token 编号，对此模型来说代表其他词。</translation>
    </message>
    <message>
        <source>This model produces vectors with {a} dimensions, not {b}.</source>
        <translation>此模型生成 {a} 维向量，而不是 {b} 维。</translation>
    </message>
    <message>
        <source>Send one grey byte for each pixel, in base64.</source>
        <translation>请以 base64 发送每个像素一个字节的灰度值。</translation>
    </message>
    <message>
        <source>prompt contains token ids, which stand for other words in this model.</source>
        <translation>prompt 中是 token 编号，对此模型来说代表其他词。</translation>
    </message>
    <message>
        <source>{a} needs {b} of memory; only {c} is free (in use: {d}).</source>
        <translation>{a} 需要 {b} 内存；除正在使用的 {d} 之外，剩余 {c}。</translation>
    </message>
    <message>
        <source>{a} needs {b} of memory; only {c} is free.</source>
        <translation>{a} 需要 {b} 内存；剩余 {c}。</translation>
    </message>
    <message>
        <source>The file returns text, not bytes.</source>
        <translation>文件给出的是文本，不是字节。</translation>
    </message>
    <message>
        <source>The process of {a} keeps stopping.</source>
        <translation>{a} 的进程不断退出。</translation>
    </message>
    <message>
        <source>Choose another model, or check the log.</source>
        <translation>请选择另一个模型，或查看日志。</translation>
    </message>
    <message>
        <source>The model&apos;s process has stopped.</source>
        <translation>运行模型的进程已退出。</translation>
    </message>
    <message>
        <source>Send the question again; the service will be restarted.</source>
        <translation>请重新发送问题；它会重新启动。</translation>
    </message>
    <message>
        <source>{a} does not respond.</source>
        <translation>{a} 没有回应。</translation>
    </message>
    <message>
        <source>{a} did not respond within {b} s.</source>
        <translation>{a} 在 {b} 秒内没有回应。</translation>
    </message>
    <message>
        <source>No server responds at {a}.</source>
        <translation>读取 {a} 会写入数据库，因此不读取。</translation>
    </message>
    <message>
        <source>The model service doesn&apos;t respond. This machine may be busy.</source>
        <translation>模型服务没有响应。这台电脑可能正忙。</translation>
    </message>
    <message>
        <source>{a} did not respond: {b}.</source>
        <translation>{a} 没有回应：{b}。</translation>
    </message>
    <message>
        <source>You did not sign in.</source>
        <translation>没有人登录。</translation>
    </message>
    <message>
        <source>Download it with: deskpilot models pull {a}</source>
        <translation>获取：deskpilot models pull {a}</translation>
    </message>
    <message>
        <source>Download some with: deskpilot models pull --starter</source>
        <translation>获取一些：deskpilot models pull --starter</translation>
    </message>
    <message>
        <source>Download it: deskpilot models pull {a}</source>
        <translation>获取：deskpilot models pull {a}</translation>
    </message>
    <message>
        <source>Download one with: deskpilot models pull {a} ({b} MB, {c}); or {d}</source>
        <translation>获取：deskpilot models pull {a}（{b} MB，{c}）；或 {d}</translation>
    </message>
    <message>
        <source>Download one with: deskpilot models pull {a} ({b} MB, {c})</source>
        <translation>获取：deskpilot models pull {a}（{b} MB，{c}）</translation>
    </message>
    <message>
        <source>Download one with: deskpilot models pull {a} ({b}); or {c}</source>
        <translation>获取：deskpilot models pull {a}（{b}）；或 {c}</translation>
    </message>
    <message>
        <source>Download one with: deskpilot models pull {a} ({b})</source>
        <translation>获取：deskpilot models pull {a}（{b}）</translation>
    </message>
</context>
</TS>
