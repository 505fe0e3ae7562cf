<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ja_JP" sourcelanguage="en_US">
<context>
    <name></name>
    <message>
        <source>New chat</source>
        <translation>新しいチャット</translation>
    </message>
    <message>
        <source>Temporary chat</source>
        <translation>一時チャット</translation>
    </message>
    <message>
        <source>Search chats</source>
        <translation>チャットを検索</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>このチャット内を検索</translation>
    </message>
    <message>
        <source>Edit the last question</source>
        <translation>最後の質問を編集</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>続ける</translation>
    </message>
    <message>
        <source>Previous branch</source>
        <translation>前のブランチ</translation>
    </message>
    <message>
        <source>Next branch</source>
        <translation>次のブランチ</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>もう一度試す</translation>
    </message>
    <message>
        <source>Dictate</source>
        <translation>音声入力</translation>
    </message>
    <message>
        <source>Talk hands-free</source>
        <translation>ハンズフリーで話す</translation>
    </message>
    <message>
        <source>Copy last answer</source>
        <translation>最後の回答をコピー</translation>
    </message>
    <message>
        <source>Read last answer aloud</source>
        <translation>最後の回答を読み上げる</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>チャット一覧</translation>
    </message>
    <message>
        <source>Dashboard</source>
        <translation>ダッシュボード</translation>
    </message>
    <message>
        <source>Drop a file here, press {key}, or add a widget with +.</source>
        <translation>ファイルをここにドロップするか、{key} を押すか、+ でウィジェットを追加します。</translation>
    </message>
    <message>
        <source>Drop a file here, or add a widget with +.</source>
        <translation>ファイルをここにドロップするか、+ でウィジェットを追加します。</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>入力欄へ</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>設定</translation>
    </message>
    <message>
        <source>Attach a table</source>
        <translation>表を添付</translation>
    </message>
    <message>
        <source>Open this address in your browser?

{link}</source>
        <translation>このアドレスをブラウザーで開きますか？

{link}</translation>
    </message>
    <message>
        <source>Attach tables or documents</source>
        <translation>表や文書を添付</translation>
    </message>
    <message>
        <source>Tables and documents</source>
        <translation>表と文書</translation>
    </message>
    <message>
        <source>A new assistant</source>
        <translation>新しいアシスタント</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Instructions for the assistant.</source>
        <translation>会話を始めるたびに、最初にアシスタントに伝えることば。</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>表</translation>
    </message>
    <message>
        <source>Add table …</source>
        <translation>表を追加…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>外す</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>文書</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Look in:</source>
        <translation>場所：</translation>
    </message>
    <message>
        <source>File name:</source>
        <translation>ファイル名：</translation>
    </message>
    <message>
        <source>Files of type:</source>
        <translation>ファイルの種類：</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>残す</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>あとで</translation>
    </message>
    <message>
        <source>Pin to dashboard</source>
        <translation>ダッシュボードに固定</translation>
    </message>
    <message>
        <source>Chart: {name}</source>
        <translation>グラフ：{name}</translation>
    </message>
    <message numerus="yes">
        <source>%n more rows</source>
        <translation>
            <numerusform>ほか %n 行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more columns</source>
        <translation>
            <numerusform>ほか %n 列</numerusform>
        </translation>
    </message>
    <message>
        <source>Ran</source>
        <translation>実行</translation>
    </message>
    <message>
        <source>Looked up</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>Listed</source>
        <translation>一覧</translation>
    </message>
    <message>
        <source>Counted</source>
        <translation>件数</translation>
    </message>
    <message>
        <source>Sent</source>
        <translation>送信</translation>
    </message>
    <message>
        <source>Searched</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>Computed</source>
        <translation>計算</translation>
    </message>
    <message>
        <source>Good answer</source>
        <translation>よい回答</translation>
    </message>
    <message>
        <source>Poor answer</source>
        <translation>よくない回答</translation>
    </message>
    <message>
        <source>Refused</source>
        <translation>拒否</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>Thought (interrupted)</source>
        <translation>思考は途中までです</translation>
    </message>
    <message>
        <source>{count:,} more characters</source>
        <translation>あと {count:,} 文字</translation>
    </message>
    <message>
        <source>Show more</source>
        <translation>続きを表示</translation>
    </message>
    <message>
        <source>{language} code</source>
        <translation>{language} のコード</translation>
    </message>
    <message numerus="yes">
        <source>%n rows</source>
        <translation>
            <numerusform>%n 行</numerusform>
        </translation>
    </message>
    <message>
        <source>Understood:</source>
        <translation>解釈：</translation>
    </message>
    <message>
        <source>Not understood: {names}</source>
        <translation>理解できなかった語：{names}</translation>
    </message>
    <message>
        <source>not understood: {names}</source>
        <translation>理解できなかった語：{names}</translation>
    </message>
    <message>
        <source>Did you mean:</source>
        <translation>もしかして：</translation>
    </message>
    <message>
        <source>row {row}, {column}</source>
        <translation>{row} 行目、{column}</translation>
    </message>
    <message numerus="yes">
        <source>%n cells of {column}</source>
        <translation>
            <numerusform>{column} の %n 個のセル</numerusform>
        </translation>
    </message>
    <message>
        <source>rows {first}–{last}, {cells} cells of {column}</source>
        <translation>{first}～{last} 行目、{column} の {cells} 個のセル</translation>
    </message>
    <message>
        <source>source</source>
        <translation>出典</translation>
    </message>
    <message>
        <source>, page {pages}</source>
        <translation>、{pages} ページ</translation>
    </message>
    <message>
        <source>, {place}</source>
        <translation>、{place}</translation>
    </message>
    <message>
        <source>: {value}</source>
        <translation>：{value}</translation>
    </message>
    <message>
        <source>fewer</source>
        <translation>折りたたむ</translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>ほか %n 件</numerusform>
        </translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>手順</translation>
    </message>
    <message>
        <source>The answer was interrupted.</source>
        <translation>回答が中断されました。</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>編集</translation>
    </message>
    <message>
        <source>Publish {name}</source>
        <translation>{name} を公開</translation>
    </message>
    <message>
        <source>Anyone with the token can use it. Calls you allow here run without asking you each time; you can revoke your permission at any time.</source>
        <translation>トークンを持つ人は誰でも質問できます。ここで許可したことは、誰にも確認せずに実行されます。いつでも取り消せます。</translation>
    </message>
    <message>
        <source>Publish</source>
        <translation>公開</translation>
    </message>
    <message>
        <source>Token (shown only once)</source>
        <translation>トークン（二度と表示されません）</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>コピー</translation>
    </message>
    <message>
        <source>Copy token</source>
        <translation>トークンをコピー</translation>
    </message>
    <message>
        <source>makes changes</source>
        <translation>変更します</translation>
    </message>
    <message>
        <source>only reads</source>
        <translation>読むだけです</translation>
    </message>
    <message>
        <source>{tool} of {server} ({does})</source>
        <translation>{server} の {tool}（{does}）</translation>
    </message>
    <message>
        <source>Read aloud</source>
        <translation>読み上げる</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>再生成</translation>
    </message>
    <message>
        <source>Edit question</source>
        <translation>質問を編集</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>チャットの内容</translation>
    </message>
    <message>
        <source>Jump to latest</source>
        <translation>最新へ移動</translation>
    </message>
    <message>
        <source>Jump to latest (End)</source>
        <translation>最新へ移動（End）</translation>
    </message>
    <message>
        <source>Reading the question …</source>
        <translation>質問を読んでいます…</translation>
    </message>
    <message>
        <source>Show on the dashboard</source>
        <translation>ダッシュボードに表示</translation>
    </message>
    <message>
        <source>A page</source>
        <translation>ページ</translation>
    </message>
    <message>
        <source>Writing the answer …</source>
        <translation>回答を書いています…</translation>
    </message>
    <message>
        <source>Previous (Shift+Enter)</source>
        <translation>前へ（Shift+Enter）</translation>
    </message>
    <message>
        <source>Next (Enter)</source>
        <translation>次へ（Enter）</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>閉じる（Esc）</translation>
    </message>
    <message>
        <source>{at} of {of:,}</source>
        <translation>{of:,} 件中 {at} 件目</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>見つかりません</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>見つかりませんでした</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>検索結果</translation>
    </message>
    <message>
        <source>Found by meaning: {words}</source>
        <translation>意味で見つかりました：{words}</translation>
    </message>
    <message>
        <source>Folder {text}, folded</source>
        <translation>フォルダー「{text}」、折りたたみ</translation>
    </message>
    <message>
        <source>Folder {text}, open</source>
        <translation>フォルダー「{text}」、展開</translation>
    </message>
    <message numerus="yes">
        <source>%n questions</source>
        <translation>
            <numerusform>%n 件の質問</numerusform>
        </translation>
    </message>
    <message>
        <source>Draft: {words}</source>
        <translation>下書き：{words}</translation>
    </message>
    <message>
        <source>MMMM yyyy</source>
        <comment>as QLocale writes a month</comment>
        <translation>yyyy年M月</translation>
    </message>
    <message>
        <source>Couldn&apos;t write {path}: {strerror}.</source>
        <translation>{path} に書き込めません：{strerror}。</translation>
    </message>
    <message>
        <source>Choose a writable folder with free space.</source>
        <translation>書き込みができ、空きのあるフォルダーを選んでください。</translation>
    </message>
    <message>
        <source>+ Fetch {host}</source>
        <translation>+ {host} を取得</translation>
    </message>
    <message>
        <source>Fetch {url} and add it to the context</source>
        <translation>{url} を取得してコンテキストに追加</translation>
    </message>
    <message>
        <source>Download this page from {host} and attach it to questions.</source>
        <translation>押すと {host} からこのページを取得し、以後の質問に添えます。</translation>
    </message>
    <message>
        <source>~{cost} tokens</source>
        <translation>約 {cost} トークン</translation>
    </message>
    <message numerus="yes">
        <source>%n tables</source>
        <translation>
            <numerusform>%n 個の表</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n documents</source>
        <translation>
            <numerusform>%n 件の文書</numerusform>
        </translation>
    </message>
    <message>
        <source>Show them, and choose which to attach to your questions</source>
        <translation>押すと一覧が開き、質問に添えるものを選べます</translation>
    </message>
    <message>
        <source>{name}, reading …</source>
        <translation>{name}を読み込み中…</translation>
    </message>
    <message>
        <source>Stop reading {name}</source>
        <translation>{name}の読み込みを中止</translation>
    </message>
    <message>
        <source>Questions wait until the file is read. Press to stop.</source>
        <translation>ファイルを読み終えてから質問します。押すと読み込みを中止します。</translation>
    </message>
    <message>
        <source>Remove {name} from the context</source>
        <translation>「{name}」をコンテキストから外す</translation>
    </message>
    <message>
        <source>Remove from the context</source>
        <translation>押すとコンテキストから外します</translation>
    </message>
    <message numerus="yes">
        <source>About %n tokens for a copilot that reads all of it.</source>
        <translation>
            <numerusform>コパイロットがすべてを読むと、約 %n トークンになります。</numerusform>
        </translation>
    </message>
    <message>
        <source>A token is a short piece of a word; a model can hold only a limited number.</source>
        <translation>トークンは単語の短い断片で、モデルが一度に扱える数には限りがあります。</translation>
    </message>
    <message>
        <source>This is attached to your questions, so copilots can read it.</source>
        <translation>質問と一緒に渡され、コパイロットが読めます。</translation>
    </message>
    <message>
        <source>Voice settings</source>
        <translation>音声の設定</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>送信</translation>
    </message>
    <message>
        <source>In context ✓</source>
        <translation>コンテキスト内 ✓</translation>
    </message>
    <message>
        <source>Ask anything, # for a widget, @ for a copilot, / for a command</source>
        <translation>何でも質問できます。# でウィジェット、@ でコパイロット、/ でコマンド</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>質問</translation>
    </message>
    <message>
        <source>Choices</source>
        <translation>選択候補</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>ほか %n 件</numerusform>
        </translation>
    </message>
    <message>
        <source>Next</source>
        <translation>次</translation>
    </message>
    <message>
        <source>Then</source>
        <translation>その次</translation>
    </message>
    <message>
        <source>Ask now</source>
        <translation>今すぐ質問</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>取り消す</translation>
    </message>
    <message>
        <source>Will be asked once {files} is read</source>
        <translation>{files}を読み終えたら質問します</translation>
    </message>
    <message>
        <source>Cancel editing</source>
        <translation>質問を元のままにする</translation>
    </message>
    <message>
        <source>Editing your question. The old one stays as a branch.</source>
        <translation>質問を編集しています。元の質問はブランチとして残ります。</translation>
    </message>
    <message>
        <source>Its copilot</source>
        <translation>そのコパイロット</translation>
    </message>
    <message>
        <source>In use ✓</source>
        <translation>使用中 ✓</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>アシスタント</translation>
    </message>
    <message>
        <source>Detect</source>
        <translation>自動判定</translation>
    </message>
    <message>
        <source>OpenBB, current</source>
        <translation>OpenBB（現行）</translation>
    </message>
    <message>
        <source>OpenBB, 2024</source>
        <translation>OpenBB（2024 年版）</translation>
    </message>
    <message>
        <source>Open Interpreter</source>
        <translation>Open Interpreter</translation>
    </message>
    <message>
        <source>OpenBB protocol, 2024</source>
        <translation>OpenBB プロトコル（2024 年版）</translation>
    </message>
    <message>
        <source>OpenBB protocol, current</source>
        <translation>OpenBB プロトコル（現行）</translation>
    </message>
    <message>
        <source>Open Interpreter (LMC)</source>
        <translation>Open Interpreter（LMC）</translation>
    </message>
    <message>
        <source>A copilot with the OpenBB protocol, or an Open Interpreter server.</source>
        <translation>OpenBB プロトコルに対応したコパイロット、または Open Interpreter 形式のサーバー。</translation>
    </message>
    <message>
        <source>Add copilot</source>
        <translation>コパイロットを追加</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>アドレス</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>optional; by default its own name</source>
        <translation>呼び出すときの名前。空なら本来の名前</translation>
    </message>
    <message>
        <source>Headers</source>
        <translation>ヘッダー</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>追加</translation>
    </message>
    <message>
        <source>One per line. Stored in the system&apos;s keyring and sent only to this copilot.</source>
        <translation>1 行に 1 つ。システムのキーリングに保存し、このコパイロットにだけ送ります。</translation>
    </message>
    <message>
        <source>Speaks</source>
        <comment>a protocol</comment>
        <translation>プロトコル</translation>
    </message>
    <message>
        <source>Speaks: {name}</source>
        <translation>プロトコル：{name}</translation>
    </message>
    <message>
        <source>Allow it if you trust that host.</source>
        <translation>よければ許可してください。</translation>
    </message>
    <message>
        <source>Allow {host}</source>
        <translation>{host} を許可</translation>
    </message>
    <message>
        <source>Looking …</source>
        <translation>確認しています…</translation>
    </message>
    <message>
        <source>Remove the assistant {name}? Programs that use it will get no answers.</source>
        <translation>アシスタント「{name}」を削除しますか？以後、質問しても答えは返りません。</translation>
    </message>
    <message>
        <source>An assistant named {name} already exists.</source>
        <translation>{name} というアシスタントはすでにあります。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
    <message>
        <source>Known as</source>
        <translation>呼び名</translation>
    </message>
    <message>
        <source>Questions go to</source>
        <translation>質問の送り先</translation>
    </message>
    <message>
        <source>Found at</source>
        <translation>見つけた場所</translation>
    </message>
    <message>
        <source>Features</source>
        <translation>機能</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>変更あり</translation>
    </message>
    <message>
        <source>Local copilot</source>
        <translation>ローカルのコパイロット</translation>
    </message>
    <message>
        <source>It can see every widget and request its data; otherwise, it sees only attachments.</source>
        <translation>すべてのウィジェットを知らされ、データを求められます。オフなら添付したものだけです。</translation>
    </message>
    <message>
        <source>Copilot</source>
        <translation>コパイロット</translation>
    </message>
    <message>
        <source>Who answers</source>
        <translation>回答する相手</translation>
    </message>
    <message>
        <source>Questions are answered on this machine.</source>
        <translation>質問にはこのマシンで答えます。</translation>
    </message>
    <message>
        <source>Questions go to {host}.</source>
        <translation>質問は {host} に送られます。</translation>
    </message>
    <message>
        <source>May see all widgets</source>
        <translation>すべてのウィジェットの閲覧を許可</translation>
    </message>
    <message>
        <source>It can hand tasks to the other copilots, which then see the question&apos;s attachments.</source>
        <translation>ほかのコパイロットに作業を任せられます。質問に添えた内容は相手にも見えます。</translation>
    </message>
    <message>
        <source>May ask the other copilots</source>
        <translation>ほかのコパイロットへの質問を許可</translation>
    </message>
    <message>
        <source>About {name} …</source>
        <translation>{name} について…</translation>
    </message>
    <message>
        <source>Add copilot …</source>
        <translation>コパイロットを追加…</translation>
    </message>
    <message>
        <source>Incorrect or made up</source>
        <translation>誤り、または作り話</translation>
    </message>
    <message>
        <source>Something else</source>
        <translation>その他</translation>
    </message>
    <message>
        <source>What is wrong with it?</source>
        <translation>どこがよくありませんか？</translation>
    </message>
    <message>
        <source>Sent to {name} at {host}: the question, its answer, and your comment.</source>
        <translation>{name} に伝わるもの：質問、その回答、ここに書いたこと。送り先は {host} です。</translation>
    </message>
    <message>
        <source>Comment</source>
        <translation>コメント</translation>
    </message>
    <message>
        <source>Optional</source>
        <translation>自由にお書きください（任意）</translation>
    </message>
    <message numerus="yes">
        <source>%n widgets of this dashboard are not published by the backend.</source>
        <translation>
            <numerusform>このダッシュボードのうち %n 個のウィジェットをバックエンドが公開していません。</numerusform>
        </translation>
    </message>
    <message>
        <source>The others are there.</source>
        <translation>残りは追加されました。</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>メモ</translation>
    </message>
    <message>
        <source>Add widget backend</source>
        <translation>ウィジェットのバックエンドを追加</translation>
    </message>
    <message>
        <source>A server that publishes widgets.json. Only this server is contacted; its keys are stored in the system&apos;s keyring.</source>
        <translation>widgets.json を公開しているサーバー。問い合わせ先はこのサーバーだけで、必要な資格情報はシステムのキーリングに保存します。</translation>
    </message>
    <message>
        <source>Address of the backend</source>
        <translation>バックエンドのアドレス</translation>
    </message>
    <message>
        <source>What went wrong</source>
        <translation>問題の内容</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>戻る</translation>
    </message>
    <message>
        <source>Headers and keys (optional)</source>
        <translation>ヘッダーとキー（必要な場合）</translation>
    </message>
    <message>
        <source>Asking …</source>
        <translation>問い合わせています…</translation>
    </message>
    <message>
        <source>Header</source>
        <translation>ヘッダー</translation>
    </message>
    <message>
        <source>Key in the address</source>
        <translation>アドレス内のキー</translation>
    </message>
    <message>
        <source>Header or key</source>
        <translation>ヘッダーまたはキー</translation>
    </message>
    <message>
        <source>Name, such as X-API-KEY</source>
        <translation>名前（例：X-API-KEY）</translation>
    </message>
    <message>
        <source>Name of the header or key</source>
        <translation>ヘッダーまたはキーの名前</translation>
    </message>
    <message>
        <source>Secret</source>
        <translation>シークレット</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>テキスト</translation>
    </message>
    <message>
        <source>Candlestick chart</source>
        <translation>ローソク足チャート</translation>
    </message>
    <message>
        <source>News</source>
        <translation>ニュース</translation>
    </message>
    <message>
        <source>PDF</source>
        <translation>PDF</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>画像</translation>
    </message>
    <message>
        <source>Web page</source>
        <translation>ウェブページ</translation>
    </message>
    <message>
        <source>Add a widget</source>
        <translation>ウィジェットを追加</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>Search widgets</source>
        <translation>ウィジェットを検索</translation>
    </message>
    <message>
        <source>Widgets</source>
        <translation>ウィジェット</translation>
    </message>
    <message>
        <source>Add to the dashboard</source>
        <translation>ダッシュボードに追加</translation>
    </message>
    <message>
        <source>Stop copying</source>
        <translation>コピーを中止</translation>
    </message>
    <message>
        <source>Remove backend</source>
        <translation>バックエンドを削除</translation>
    </message>
    <message>
        <source>Add widget backend …</source>
        <translation>ウィジェットのバックエンドを追加…</translation>
    </message>
    <message>
        <source>Add database …</source>
        <translation>データベースを追加…</translation>
    </message>
    <message numerus="yes">
        <source>{name}  ·  dashboard, %n widgets</source>
        <translation>
            <numerusform>{name}  ·  ダッシュボード、ウィジェット %n 個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n rows</source>
        <translation>
            <numerusform>約 %n 行</numerusform>
        </translation>
    </message>
    <message>
        <source>view</source>
        <translation>ビュー</translation>
    </message>
    <message>
        <source>Nothing to add yet. Add a widget backend or a database first.</source>
        <translation>まだ選べるものがありません。ウィジェットのバックエンドかデータベースを追加してください。</translation>
    </message>
    <message numerus="yes">
        <source>Copy the first %n rows</source>
        <translation>
            <numerusform>最初の %n 行をコピー</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove database</source>
        <translation>データベースを削除</translation>
    </message>
    <message>
        <source>Copying {name} …</source>
        <translation>{name} をコピーしています…</translation>
    </message>
    <message>
        <source>Stopped copying {name}. Nothing was saved.</source>
        <translation>{name} のコピーを中止しました。何も残していません。</translation>
    </message>
    <message>
        <source>Copying {name}: {far}</source>
        <translation>{name} をコピー中：{far}</translation>
    </message>
    <message>
        <source>Copying …</source>
        <translation>コピー中…</translation>
    </message>
    <message numerus="yes">
        <source>%n rows so far, {size}</source>
        <translation>
            <numerusform>これまでに %n 行、{size}</numerusform>
        </translation>
    </message>
    <message>
        <source>Candles of {name}</source>
        <translation>{name} のローソク足</translation>
    </message>
    <message>
        <source>Last bar: {bar}</source>
        <translation>最後の足：{bar}</translation>
    </message>
    <message>
        <source>Arrow keys read each bar; + and - zoom.</source>
        <translation>矢印キーで 1 本ずつ、+ と - で拡大・縮小します。</translation>
    </message>
    <message numerus="yes">
        <source>%n bars.</source>
        <translation>
            <numerusform>%n 本。</numerusform>
        </translation>
    </message>
    <message>
        <source>Vol {volume}</source>
        <translation>出来高 {volume}</translation>
    </message>
    <message>
        <source>unchanged</source>
        <translation>変化なし</translation>
    </message>
    <message>
        <source>{label}. Show the cell</source>
        <translation>{label}。セルを表示</translation>
    </message>
    <message>
        <source>Chart of {name}</source>
        <translation>{name} のグラフ</translation>
    </message>
    <message>
        <source>No values</source>
        <translation>値がありません</translation>
    </message>
    <message>
        <source>From {first} to {end}, between {low} and {high}; last {last}. Use the arrow keys to read each value; press Enter to show its cell.</source>
        <translation>{first} から {end} まで、{low} から {high} の間、最後は {last}。矢印キーで値を 1 つずつ、Enter でセルを表示します。</translation>
    </message>
    <message>
        <source>Sort ascending</source>
        <translation>昇順に並べ替え</translation>
    </message>
    <message>
        <source>Sort descending</source>
        <translation>降順に並べ替え</translation>
    </message>
    <message>
        <source>Filter …</source>
        <translation>絞り込み…</translation>
    </message>
    <message>
        <source>Original order, all rows</source>
        <translation>元の順序・すべての行</translation>
    </message>
    <message>
        <source>Text to find, or =text for an exact match</source>
        <translation>含まれる語、または = 語</translation>
    </message>
    <message>
        <source>&gt; 5, 1..3 or = 2</source>
        <translation>&gt; 5、1..3、= 2 など</translation>
    </message>
    <message>
        <source>Filter {name}</source>
        <translation>{name} を絞り込む</translation>
    </message>
    <message>
        <source>No widget of this dashboard has a parameter {param}.</source>
        <translation>このダッシュボードにパラメーター {param} を持つウィジェットはありません。</translation>
    </message>
    <message>
        <source>Add a widget from this backend that has it.</source>
        <translation>このバックエンドから、それを持つウィジェットを追加してください。</translation>
    </message>
    <message numerus="yes">
        <source>{sheet}, one of %n sheets</source>
        <translation>
            <numerusform>{sheet}（全 %n シート中）</numerusform>
        </translation>
    </message>
    <message>
        <source>{shown:,} of {count}</source>
        <translation>{shown:,} / {count}</translation>
    </message>
    <message>
        <source>Table {name}</source>
        <translation>表 {name}</translation>
    </message>
    <message>
        <source>Read {name} again</source>
        <translation>{name} をもう一度読み込む</translation>
    </message>
    <message>
        <source>Allow {server}</source>
        <translation>{server} を許可</translation>
    </message>
    <message>
        <source>Reading {name} …</source>
        <translation>{name} を読み込んでいます…</translation>
    </message>
    <message>
        <source>Reading {name}: {percent} %</source>
        <translation>{name} を読み込み中：{percent}%</translation>
    </message>
    <message>
        <source>Chart</source>
        <translation>グラフ</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>ファイル</translation>
    </message>
    <message>
        <source>, change {delta}</source>
        <translation>、変化 {delta}</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>無題</translation>
    </message>
    <message>
        <source>{title}. Open</source>
        <translation>{title}。開く</translation>
    </message>
    <message>
        <source>The article</source>
        <translation>記事</translation>
    </message>
    <message>
        <source>Write a note. You can attach it to questions.</source>
        <translation>メモを書いてください。質問に添えることもできます。</translation>
    </message>
    <message>
        <source>Pages of {name}</source>
        <translation>{name} のページ</translation>
    </message>
    <message>
        <source>Search {name}</source>
        <translation>{name} 内を検索</translation>
    </message>
    <message>
        <source>Next place</source>
        <translation>次の箇所</translation>
    </message>
    <message>
        <source>The file</source>
        <translation>このファイル</translation>
    </message>
    <message>
        <source>{name} is protected by a password.</source>
        <translation>{name} はパスワードで保護されています。</translation>
    </message>
    <message>
        <source>{name} can&apos;t be shown as a PDF.</source>
        <translation>{name} は表示できる PDF ファイルではありません。</translation>
    </message>
    <message>
        <source>Open it in another program.</source>
        <translation>ほかのプログラムで開いてください。</translation>
    </message>
    <message>
        <source>File</source>
        <translation>ファイル</translation>
    </message>
    <message>
        <source>Page {current} of {pages}</source>
        <translation>{pages} ページ中 {current} ページ</translation>
    </message>
    <message>
        <source>Picture {name}</source>
        <translation>画像 {name}</translation>
    </message>
    <message>
        <source>{name} can&apos;t be shown as a picture.</source>
        <translation>{name} は表示できる画像ではありません。</translation>
    </message>
    <message>
        <source>Save it as PNG or JPEG.</source>
        <translation>PNG か JPEG で保存し直してください。</translation>
    </message>
    <message>
        <source>This kind of widget can&apos;t be displayed; this is its data.</source>
        <translation>この種類のウィジェットは表示に対応していません。以下はそのデータです。</translation>
    </message>
    <message>
        <source>This kind of widget can&apos;t be displayed; this is its address.</source>
        <translation>この種類のウィジェットは表示に対応していません。以下はそのアドレスです。</translation>
    </message>
    <message>
        <source>Open externally</source>
        <translation>外部で開く</translation>
    </message>
    <message>
        <source>Open the data from {name} in another program</source>
        <translation>{name} のデータを外部で開く</translation>
    </message>
    <message>
        <source>Data of {name}</source>
        <translation>{name} のデータ</translation>
    </message>
    <message>
        <source>Page {name}</source>
        <translation>ページ {name}</translation>
    </message>
    <message>
        <source>Chart {name}</source>
        <translation>グラフ {name}</translation>
    </message>
    <message>
        <source>Column {x}, row {y}, {w} wide, {h} high</source>
        <translation>{x} 列目、{y} 行目、幅 {w}、高さ {h}</translation>
    </message>
    <message>
        <source>A tile of the dashboard. Arrow keys move it, Shift and arrow keys resize it, Enter opens it larger, Delete removes it.</source>
        <translation>ダッシュボードのタイル。矢印キーで移動、Shift+矢印キーでサイズ変更、Enter で拡大表示、Delete で削除します。</translation>
    </message>
    <message>
        <source>{title}: read the changed file again</source>
        <translation>{title}：変更されたファイルを読み直す</translation>
    </message>
    <message>
        <source>The file has changed since it was read. Read it again</source>
        <translation>読み込み後にファイルが変更されています。読み直します</translation>
    </message>
    <message>
        <source>{title}: refresh</source>
        <translation>{title}：更新</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>{title}: plot a column</source>
        <translation>{title}：列をグラフにする</translation>
    </message>
    <message>
        <source>Plot a column</source>
        <translation>列をグラフにする</translation>
    </message>
    <message>
        <source>{title}: open larger</source>
        <translation>{title}：拡大表示</translation>
    </message>
    <message>
        <source>Open larger</source>
        <translation>拡大表示</translation>
    </message>
    <message>
        <source>{title}: save</source>
        <translation>{title}：保存</translation>
    </message>
    <message>
        <source>{title}: more</source>
        <translation>{title}：その他</translation>
    </message>
    <message>
        <source>More</source>
        <translation>その他</translation>
    </message>
    <message>
        <source>{title}: remove</source>
        <translation>{title}：削除</translation>
    </message>
    <message>
        <source>{title}: stop</source>
        <translation>{title}：中止</translation>
    </message>
    <message>
        <source>Add as context</source>
        <translation>コンテキストに追加</translation>
    </message>
    <message>
        <source>Remove from context</source>
        <translation>コンテキストから外す</translation>
    </message>
    <message>
        <source>In context: attached to your questions, so copilots can read it.</source>
        <translation>コンテキスト内：質問と一緒に渡され、コパイロットが読めます。</translation>
    </message>
    <message>
        <source>Add this to the context to attach it to your questions.</source>
        <translation>コパイロットはコンテキスト内のものを読みます。追加すると、質問と一緒に渡されます。</translation>
    </message>
    <message>
        <source>of the last answer</source>
        <translation>最後の回答から</translation>
    </message>
    <message>
        <source>script</source>
        <translation>件のスクリプト</translation>
    </message>
    <message>
        <source>scripts</source>
        <translation>件のスクリプト</translation>
    </message>
    <message>
        <source>frame</source>
        <translation>件のフレーム</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>件のフレーム</translation>
    </message>
    <message>
        <source>form</source>
        <translation>件のフォーム</translation>
    </message>
    <message>
        <source>forms</source>
        <translation>件のフォーム</translation>
    </message>
    <message>
        <source>redirect to another page</source>
        <translation>件の別ページへの移動</translation>
    </message>
    <message>
        <source>redirects to another page</source>
        <translation>件の別ページへの移動</translation>
    </message>
    <message>
        <source>external address</source>
        <translation>件の外部アドレス</translation>
    </message>
    <message>
        <source>external addresses</source>
        <translation>件の外部アドレス</translation>
    </message>
    <message>
        <source>Press Run to load this.</source>
        <translation>「実行」を押すと取得します。</translation>
    </message>
    <message>
        <source>No backend</source>
        <translation>バックエンドなし</translation>
    </message>
    <message>
        <source>Not refreshed</source>
        <translation>更新できません</translation>
    </message>
    <message>
        <source>Not live</source>
        <translation>ライブではありません</translation>
    </message>
    <message>
        <source>Old</source>
        <translation>古いデータ</translation>
    </message>
    <message>
        <source>Loaded at {caption}. Refresh</source>
        <translation>{caption} に取得。取得し直します</translation>
    </message>
    <message>
        <source>left out: {words}</source>
        <translation>省略：{words}</translation>
    </message>
    <message>
        <source>Source: {source}</source>
        <translation>出典：{source}</translation>
    </message>
    <message>
        <source>Category: {category}</source>
        <translation>分類：{category}</translation>
    </message>
    <message>
        <source>Loaded: {at}</source>
        <translation>取得：{at}</translation>
    </message>
    <message>
        <source>Save as {kind} …</source>
        <translation>{kind} として保存…</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Table.csv</source>
        <translation>表.csv</translation>
    </message>
    <message>
        <source>Couldn&apos;t write {name}. Choose another place.</source>
        <translation>{name} に書き込めません。別の場所を選んでください。</translation>
    </message>
    <message>
        <source>Couldn&apos;t write {name}: {strerror}.</source>
        <translation>{name} に書き込めません：{strerror}。</translation>
    </message>
    <message>
        <source>Choose another place.</source>
        <translation>別の場所を選んでください。</translation>
    </message>
    <message numerus="yes">
        <source>Removed {name} and %n widgets drawn from it</source>
        <translation>
            <numerusform>{name} と、そこから作った %n 個のウィジェットを削除しました</numerusform>
        </translation>
    </message>
    <message>
        <source>Removed {name}</source>
        <translation>{name} を削除しました</translation>
    </message>
    <message>
        <source>Share with {name}</source>
        <translation>{name} と共有</translation>
    </message>
    <message numerus="yes">
        <source>Share with all %n</source>
        <translation>
            <numerusform>%n 個すべてと共有</numerusform>
        </translation>
    </message>
    <message>
        <source>Stop sharing</source>
        <translation>共有をやめる</translation>
    </message>
    <message>
        <source>Closed {name}</source>
        <translation>{name} を閉じました</translation>
    </message>
    <message>
        <source>Columns and their meaning</source>
        <translation>列とその意味</translation>
    </message>
    <message>
        <source>Type or press F2 to edit a column&apos;s meaning.</source>
        <translation>入力するか F2 を押して、列の意味を書きます。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>元に戻す</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>説明</translation>
    </message>
    <message>
        <source>Columns: double-click a meaning, or press F2, to edit it</source>
        <translation>列：意味をダブルクリックするか F2 を押して書き換えられます</translation>
    </message>
    <message>
        <source>About {name}</source>
        <translation>{name} について分かること</translation>
    </message>
    <message>
        <source>Column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>意味</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>型</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>{text}. Undo</source>
        <translation>{text}。元に戻す</translation>
    </message>
    <message>
        <source>Code waiting for permission</source>
        <translation>許可を待っているコード</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>コード</translation>
    </message>
    <message>
        <source>Don&apos;t ask again in this conversation</source>
        <translation>このチャットでは以後確認せずに実行</translation>
    </message>
    <message>
        <source>Deny</source>
        <translation>拒否</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>実行</translation>
    </message>
    <message>
        <source>Run this {language} code?</source>
        <translation>この {language} のコードを実行しますか？</translation>
    </message>
    <message>
        <source>The code runs in a sandbox without network access and without access to your files.</source>
        <translation>サンドボックス内で動きます。ネットワークもこのマシンのファイルも使えません。</translation>
    </message>
    <message>
        <source>This machine has no sandbox: the code can read your files and use the network.</source>
        <translation>このマシンでは隔離されません。ファイルを読み、ネットワークを使えます。</translation>
    </message>
    <message>
        <source>Limits: {limits}.</source>
        <translation>使える上限：{limits}。</translation>
    </message>
    <message>
        <source>Loading the list …</source>
        <translation>一覧を読み込んでいます…</translation>
    </message>
    <message>
        <source>any</source>
        <translation>すべて</translation>
    </message>
    <message>
        <source>Type a value</source>
        <translation>値を入力</translation>
    </message>
    <message>
        <source>Search {label}</source>
        <translation>{label} を検索</translation>
    </message>
    <message>
        <source>There is nothing to choose from.</source>
        <translation>選択肢がありません。</translation>
    </message>
    <message>
        <source>Shared with {names}</source>
        <translation>{names} と共有</translation>
    </message>
    <message>
        <source>Calendar</source>
        <translation>カレンダー</translation>
    </message>
    <message>
        <source>Any day</source>
        <translation>すべての日</translation>
    </message>
    <message>
        <source>any day</source>
        <translation>すべての日</translation>
    </message>
    <message>
        <source>Dashboards</source>
        <translation>ダッシュボード</translation>
    </message>
    <message>
        <source>This dashboard</source>
        <translation>このダッシュボード</translation>
    </message>
    <message>
        <source>Name of the dashboard</source>
        <translation>ダッシュボードの名前</translation>
    </message>
    <message>
        <source>Live data from a backend …</source>
        <translation>バックエンドのライブデータ…</translation>
    </message>
    <message>
        <source>File …</source>
        <translation>ファイル…</translation>
    </message>
    <message>
        <source>New dashboard</source>
        <translation>新しいダッシュボード</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>名前を変更</translation>
    </message>
    <message>
        <source>Ask: {question}</source>
        <translation>質問：{question}</translation>
    </message>
    <message>
        <source>Loaded</source>
        <translation>読み込み済み</translation>
    </message>
    <message>
        <source>On this machine</source>
        <translation>このマシン上</translation>
    </message>
    <message>
        <source>From providers</source>
        <translation>プロバイダー経由</translation>
    </message>
    <message>
        <source>All kinds</source>
        <translation>すべての種類</translation>
    </message>
    <message>
        <source>Verified: all files are intact.</source>
        <translation>検証済み：すべてのファイルが入手時のままです。</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Kind of model</source>
        <translation>モデルの種類</translation>
    </message>
    <message>
        <source>Add provider …</source>
        <translation>プロバイダーを追加…</translation>
    </message>
    <message>
        <source>Search …</source>
        <translation>検索…</translation>
    </message>
    <message>
        <source>Import  ▾</source>
        <translation>取り込む  ▾</translation>
    </message>
    <message>
        <source>Import a model from this machine</source>
        <translation>このマシンにあるモデルを取り込む</translation>
    </message>
    <message>
        <source>A file: GGUF, or a voice (.onnx) …</source>
        <translation>ファイル：GGUF または音声（.onnx）…</translation>
    </message>
    <message>
        <source>A folder: a Whisper, an embedder …</source>
        <translation>フォルダー：Whisper、埋め込みモデルなど…</translation>
    </message>
    <message>
        <source>Import a model</source>
        <translation>モデルを取り込む</translation>
    </message>
    <message>
        <source>Models (*.gguf *.onnx)</source>
        <translation>モデル (*.gguf *.onnx)</translation>
    </message>
    <message>
        <source>Loaded models use {taken} of {budget}.</source>
        <translation>読み込み済みのモデルは、合計上限 {budget} のうち {taken} を使っています。</translation>
    </message>
    <message>
        <source>Memory limit for all models: {budget}.</source>
        <translation>全モデル合計で {budget} までメモリを使えます。</translation>
    </message>
    <message>
        <source>Remove provider {provider}</source>
        <translation>プロバイダー {provider} を削除</translation>
    </message>
    <message>
        <source>recommended</source>
        <translation>おすすめ</translation>
    </message>
    <message>
        <source>about {pace} tokens/s</source>
        <translation>約 {pace} トークン/秒</translation>
    </message>
    <message>
        <source>{pace} tokens/s</source>
        <translation>{pace} トークン/秒</translation>
    </message>
    <message>
        <source>Download of {name}</source>
        <translation>{name} のダウンロード</translation>
    </message>
    <message>
        <source>Answers need small models that aren&apos;t on this machine yet. One-time download, {bytes}. You can open files in the meantime.</source>
        <translation>回答はこのコンピューター上の小さなモデルが作りますが、まだありません。ダウンロードは一度だけで、{bytes} です。その間もファイルを開いたり、表を見たりできます。</translation>
    </message>
    <message>
        <source>Download of the starter models</source>
        <translation>最初のモデルのダウンロード</translation>
    </message>
    <message>
        <source>Other models …</source>
        <translation>ほかのモデル…</translation>
    </message>
    <message>
        <source>Download ({bytes})</source>
        <translation>ダウンロード（{bytes}）</translation>
    </message>
    <message>
        <source>Downloading: {done} of {total}</source>
        <translation>ダウンロード中：{total} のうち {done}</translation>
    </message>
    <message>
        <source>The starter model is small. Larger models understand questions in your own words and are better for chat, and voice packs let you speak and listen.</source>
        <translation>最初のモデルは小さなものです。大きいモデルは自分の言葉での質問を理解し、会話にも向いています。音声パックを入れると、話したり聞いたりできます。</translation>
    </message>
    <message>
        <source>See what fits this machine</source>
        <translation>このマシンに合うものを見る</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>今はしない</translation>
    </message>
    <message>
        <source>The models that fit this machine are already here.</source>
        <translation>このマシンに合うものはすでにあります。</translation>
    </message>
    <message>
        <source>Ready.</source>
        <translation>準備できました。</translation>
    </message>
    <message>
        <source>{bytes} download, about {memory} of memory</source>
        <translation>ダウンロード {bytes}、メモリ約 {memory}</translation>
    </message>
    <message>
        <source>needs no model hub</source>
        <translation>モデルハブは不要</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>ダウンロード</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>メモリを解放</translation>
    </message>
    <message>
        <source>Use for chat</source>
        <translation>会話に使う</translation>
    </message>
    <message>
        <source>Parameters …</source>
        <translation>パラメーター…</translation>
    </message>
    <message>
        <source>Measure here</source>
        <translation>このマシンで測定</translation>
    </message>
    <message>
        <source>Searches the model hub for chat models (GGUF). Only your search words are sent.</source>
        <translation>モデルハブでチャットモデル（GGUF）を検索します。送信されるのは検索語だけです。</translation>
    </message>
    <message>
        <source>Offline mode is on: the model hub can&apos;t be searched.</source>
        <translation>オフラインモードのため、モデルハブは検索できません。</translation>
    </message>
    <message>
        <source>Searching …</source>
        <translation>検索中…</translation>
    </message>
    <message>
        <source>needs an account on the hub</source>
        <translation>ハブのアカウントが必要</translation>
    </message>
    <message>
        <source>Size of {name}</source>
        <translation>{name} のサイズ</translation>
    </message>
    <message>
        <source>{count:,} downloads a month</source>
        <translation>月間 {count:,} ダウンロード</translation>
    </message>
    <message>
        <source>Search for models</source>
        <translation>モデルを検索</translation>
    </message>
    <message>
        <source>Name of a model, for example qwen3</source>
        <translation>モデル名（例：qwen3）</translation>
    </message>
    <message>
        <source>{host}: chat models (GGUF), the most downloaded first.</source>
        <translation>{host}：チャットモデル（GGUF）、ダウンロード数の多い順。</translation>
    </message>
    <message>
        <source>{host} has no matching chat model (GGUF).</source>
        <translation>{host} に該当するチャットモデル（GGUF）はありません。</translation>
    </message>
    <message>
        <source>In use for chat</source>
        <translation>会話に使用中</translation>
    </message>
    <message>
        <source>Remove provider</source>
        <translation>プロバイダーを削除</translation>
    </message>
    <message>
        <source>{what}: {done} of {total}</source>
        <translation>{what}：{done} / {total}</translation>
    </message>
    <message>
        <source>Measuring …</source>
        <translation>測定しています…</translation>
    </message>
    <message>
        <source>Downloading</source>
        <translation>ダウンロード中</translation>
    </message>
    <message>
        <source>Checking</source>
        <translation>検証中</translation>
    </message>
    <message>
        <source>Unpacking</source>
        <translation>展開中</translation>
    </message>
    <message>
        <source>Preparing</source>
        <translation>準備中</translation>
    </message>
    <message>
        <source>Copying</source>
        <translation>コピー中</translation>
    </message>
    <message>
        <source>Waiting for another download</source>
        <translation>別のダウンロードを待っています</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>再開</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>一時停止</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>検証</translation>
    </message>
    <message>
        <source>Checks every file of the model for damage.</source>
        <translation>モデルのすべてのファイルを読み直し、入手時の内容と比べます。</translation>
    </message>
    <message>
        <source>Remove …</source>
        <translation>削除…</translation>
    </message>
    <message>
        <source>Deletes the model&apos;s files from this machine.</source>
        <translation>このコンピューターからモデルのファイルを削除します。</translation>
    </message>
    <message>
        <source>paused: {got} of {bytes}</source>
        <translation>一時停止中：{bytes} のうち {got} があります</translation>
    </message>
    <message>
        <source>{bytes} download</source>
        <translation>ダウンロード {bytes}</translation>
    </message>
    <message>
        <source>{bytes} on disk</source>
        <translation>ディスク {bytes}</translation>
    </message>
    <message>
        <source>{memory} of memory, in use</source>
        <translation>メモリ {memory}、使用中</translation>
    </message>
    <message>
        <source>{memory} of memory</source>
        <translation>メモリ {memory}</translation>
    </message>
    <message>
        <source>about {memory} of memory</source>
        <translation>メモリ約 {memory}</translation>
    </message>
    <message>
        <source>{needs}, more than the memory limit</source>
        <translation>{needs}、ここでモデルが使える量を超えます</translation>
    </message>
    <message>
        <source>runs at {host}</source>
        <translation>{host} で動作</translation>
    </message>
    <message>
        <source>runs on this machine</source>
        <translation>このマシンで動作</translation>
    </message>
    <message>
        <source>Choose a preset</source>
        <translation>プリセットを選択</translation>
    </message>
    <message>
        <source>Parameters of {name}</source>
        <translation>{name} のパラメーター</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>プリセット</translation>
    </message>
    <message>
        <source>Remove preset</source>
        <translation>プリセットを削除</translation>
    </message>
    <message>
        <source>Name of a new preset</source>
        <translation>新しいプリセットの名前</translation>
    </message>
    <message>
        <source>name of a new preset</source>
        <translation>新しいプリセットの名前</translation>
    </message>
    <message>
        <source>Save as preset</source>
        <translation>プリセットとして保存</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Used for every answer. Fields left empty use the default.</source>
        <translation>質問側で指定がないときに使います。空欄は既定値です。</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>読み込み</translation>
    </message>
    <message>
        <source>Takes effect with the next question; the model is reloaded.</source>
        <translation>次の質問から有効です。モデルを読み込み直します。</translation>
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
        <translation>繰り返しペナルティ</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>存在ペナルティ</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>頻度ペナルティ</translation>
    </message>
    <message>
        <source>Max tokens</source>
        <translation>最大トークン数</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>乱数シード</translation>
    </message>
    <message>
        <source>Response format</source>
        <translation>回答の形式</translation>
    </message>
    <message>
        <source>JSON schema</source>
        <translation>JSON schema</translation>
    </message>
    <message>
        <source>Model default</source>
        <translation>モデルの既定値</translation>
    </message>
    <message>
        <source>Another model</source>
        <translation>ほかのモデル</translation>
    </message>
    <message>
        <source>Its kind</source>
        <translation>その種類</translation>
    </message>
    <message>
        <source>Kind of {model}</source>
        <translation>{model} の種類</translation>
    </message>
    <message>
        <source>its name</source>
        <translation>その名前</translation>
    </message>
    <message>
        <source>Name of the model</source>
        <translation>モデルの名前</translation>
    </message>
    <message>
        <source>Keys are stored in the system&apos;s keyring.</source>
        <translation>キーはシステムのキーリングに保存します。</translation>
    </message>
    <message>
        <source>Try it out</source>
        <translation>試してみる</translation>
    </message>
    <message>
        <source>Add provider</source>
        <translation>プロバイダーを追加</translation>
    </message>
    <message>
        <source>Kind of provider</source>
        <translation>プロバイダーの種類</translation>
    </message>
    <message>
        <source>Keep the key only until Deskpilot is closed</source>
        <translation>キーを Deskpilot を閉じるまで保持</translation>
    </message>
    <message>
        <source>Change details of these models</source>
        <translation>これらのモデルの詳細を変更</translation>
    </message>
    <message>
        <source>Provider</source>
        <translation>プロバイダー</translation>
    </message>
    <message>
        <source>Display name</source>
        <translation>ここでの名前</translation>
    </message>
    <message>
        <source>What you send to these models goes to {host}.</source>
        <translation>これらのモデルに送る内容は {host} に送信されます。</translation>
    </message>
    <message>
        <source>Choose its models.</source>
        <translation>モデルを選んでください。</translation>
    </message>
    <message>
        <source>Name its model.</source>
        <translation>モデル名を入力してください。</translation>
    </message>
    <message>
        <source>{trouble} Keys can&apos;t be saved.</source>
        <translation>{trouble}そのため、キーを保存できません。</translation>
    </message>
    <message>
        <source>Trying …</source>
        <translation>試しています…</translation>
    </message>
    <message>
        <source>optional</source>
        <translation>空欄可</translation>
    </message>
    <message>
        <source>Trash · kept for 30 days</source>
        <translation>ゴミ箱 · 30 日間保存</translation>
    </message>
    <message>
        <source>Found by keyword only. {why}</source>
        <translation>単語だけで検索しました。{why}</translation>
    </message>
    <message>
        <source>This chat is in the trash. Restore it to read it?</source>
        <translation>このチャットはゴミ箱にあります。復元して読みますか？</translation>
    </message>
    <message>
        <source>Delete this conversation permanently?</source>
        <translation>このチャットを完全に削除しますか？</translation>
    </message>
    <message>
        <source>Moved to trash: {title}</source>
        <translation>ゴミ箱に移動：{title}</translation>
    </message>
    <message>
        <source>Delete permanently …</source>
        <translation>完全に削除…</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>固定を解除</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>Rename	F2</source>
        <translation>名前を変更	F2</translation>
    </message>
    <message>
        <source>Instructions …</source>
        <translation>指示…</translation>
    </message>
    <message>
        <source>Move to folder</source>
        <translation>フォルダーに移動</translation>
    </message>
    <message>
        <source>New folder …</source>
        <translation>新しいフォルダー…</translation>
    </message>
    <message>
        <source>Remove from {folder}</source>
        <translation>{folder} から出す</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>書き出す</translation>
    </message>
    <message>
        <source>Delete	Del</source>
        <translation>削除	Del</translation>
    </message>
    <message>
        <source>Name of the folder</source>
        <translation>フォルダーの名前</translation>
    </message>
    <message>
        <source>Import chats …</source>
        <translation>チャットを取り込む…</translation>
    </message>
    <message>
        <source>Saved {name}</source>
        <translation>{name} を保存しました</translation>
    </message>
    <message>
        <source>Import chats</source>
        <translation>チャットを取り込む</translation>
    </message>
    <message>
        <source>Export all …</source>
        <translation>すべて書き出す…</translation>
    </message>
    <message>
        <source>Back up …</source>
        <translation>バックアップ…</translation>
    </message>
    <message>
        <source>Restore …</source>
        <translation>復元…</translation>
    </message>
    <message>
        <source>Back to chats</source>
        <translation>チャット一覧に戻る</translation>
    </message>
    <message>
        <source>Empty the trash …</source>
        <translation>ゴミ箱を空にする…</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>ゴミ箱</translation>
    </message>
    <message>
        <source>Backup</source>
        <translation>バックアップ</translation>
    </message>
    <message>
        <source>Replace all chats, dashboards and choices with {name}?

The current ones are backed up first. The window then reopens.</source>
        <translation>ここにあるチャット、ダッシュボード、選択をすべて {name} で置き換えますか？

今の内容は先にコピーを残します。そのあとウィンドウを開き直します。</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>復元</translation>
    </message>
    <message>
        <source>Permanently delete everything in the trash?</source>
        <translation>ゴミ箱の中身をすべて完全に削除しますか？</translation>
    </message>
    <message>
        <source>Tables or documents …</source>
        <translation>表または文書…</translation>
    </message>
    <message>
        <source>Folder of documents …</source>
        <translation>文書のフォルダー…</translation>
    </message>
    <message>
        <source>Libraries</source>
        <translation>ライブラリ</translation>
    </message>
    <message>
        <source>Attach a folder of documents</source>
        <translation>文書のフォルダーを添付</translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation>貼り付けたテキスト</translation>
    </message>
    <message>
        <source>The copilot proposes a skill, {slug}. Save it? Its text is sent when you call it.</source>
        <translation>コパイロットがスキル {slug} を提案しています。残しますか？呼び出すと、その内容が一緒に送られます。</translation>
    </message>
    <message>
        <source>This table is not on a dashboard. Attach its file again (Ctrl+O) to see the cell.</source>
        <translation>この表はどのダッシュボードにもありません。セルを見るには、ファイルをもう一度添付してください（Ctrl+O）。</translation>
    </message>
    <message>
        <source>The table has changed since this answer; the cell may now hold a different value.</source>
        <translation>この回答のあとで表が変更されました。セルの値が変わっている可能性があります。</translation>
    </message>
    <message>
        <source>This source is not on a dashboard.</source>
        <translation>これが指すものはどのダッシュボードにもありません。</translation>
    </message>
    <message>
        <source>The document has changed since this answer; the passage may be elsewhere.</source>
        <translation>この回答の後に文書が変更されたため、該当箇所の位置が異なる場合があります。</translation>
    </message>
    <message>
        <source>An answer is still in progress. Stop it first, or wait for it to finish.</source>
        <translation>まだ回答中です。先に停止するか、終わるまでお待ちください。</translation>
    </message>
    <message>
        <source>Instructions for this chat</source>
        <translation>このチャットへの指示</translation>
    </message>
    <message>
        <source>Sent with every question in this chat, in addition to those in the settings. Answers from tables and documents don&apos;t follow them, nor does the starter model.</source>
        <translation>設定の指示に加えて、このチャットの質問ごとに送られます。表や文書に基づく回答には反映されず、スターターモデルも従いません。</translation>
    </message>
    <message>
        <source>Will be asked once this chat is loaded</source>
        <translation>このチャットを読み込んだら質問します</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>貼り付け</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>切り取り</translation>
    </message>
    <message>
        <source>Attached to your questions</source>
        <translation>質問に添えられます</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>すべて選択</translation>
    </message>
    <message>
        <source>Clear all</source>
        <translation>すべて解除</translation>
    </message>
    <message>
        <source>There is no guard model yet. Until there is one, every question is blocked as unchecked.</source>
        <translation>ガードモデルがまだありません。用意するまで、質問はすべて未検査として保留されます。</translation>
    </message>
    <message>
        <source>{key} is reserved for: {name}. Choose another key.</source>
        <translation>{key} は常に「{name}」です。別のキーを選んでください。</translation>
    </message>
    <message>
        <source>{key} is already used for: {name}. Choose another key, or change that one first.</source>
        <translation>{key} はすでに「{name}」です。別のキーを選ぶか、先にそちらを変えてください。</translation>
    </message>
    <message>
        <source>Same key as: {names}. It works only for the first of them.</source>
        <translation>次と同じキーです：{names}。最初のものにだけ効きます。</translation>
    </message>
    <message>
        <source>The model on this machine</source>
        <translation>このマシンにあるもの</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>ヘルプ</translation>
    </message>
    <message>
        <source>Search help</source>
        <translation>ヘルプ内を検索</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>ページ</translation>
    </message>
    <message>
        <source>The page</source>
        <translation>ページ</translation>
    </message>
    <message>
        <source>Skills</source>
        <translation>スキル</translation>
    </message>
    <message>
        <source>Permissions</source>
        <translation>許可</translation>
    </message>
    <message>
        <source>Diagnostics</source>
        <translation>診断情報</translation>
    </message>
    <message>
        <source>More for chats</source>
        <translation>チャットのその他の操作</translation>
    </message>
    <message>
        <source>Temporary chat, import, export, backup, trash</source>
        <translation>一時チャット、取り込み、書き出し、バックアップ、ゴミ箱</translation>
    </message>
    <message>
        <source>The trash is empty</source>
        <translation>ゴミ箱は空です</translation>
    </message>
    <message>
        <source>Light or dark</source>
        <translation>ライト／ダーク</translation>
    </message>
    <message>
        <source>Questions go to {host}</source>
        <translation>質問は {host} へ送信</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>オフライン</translation>
    </message>
    <message>
        <source>Every connection to another machine is refused. See Settings, Network.</source>
        <translation>ほかのマシンへの接続はすべて拒否されます。設定の「ネットワーク」で確かめられます。</translation>
    </message>
    <message>
        <source>System&apos;s default</source>
        <translation>システムの既定</translation>
    </message>
    <message>
        <source>Slow</source>
        <translation>遅い</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>標準</translation>
    </message>
    <message>
        <source>Fast</source>
        <translation>速い</translation>
    </message>
    <message>
        <source>Very fast</source>
        <translation>とても速い</translation>
    </message>
    <message>
        <source>Recognize the names in my tables</source>
        <translation>表の中の名前を聞き取りやすくする</translation>
    </message>
    <message>
        <source>Send dictated questions immediately</source>
        <translation>話した内容をすぐに送信</translation>
    </message>
    <message>
        <source>Keep the microphone open so the first word isn&apos;t missed</source>
        <translation>最初の言葉を逃さないよう、マイクを開いたままにする</translation>
    </message>
    <message>
        <source>Read answers aloud</source>
        <translation>回答を読み上げる</translation>
    </message>
    <message>
        <source>Let me interrupt</source>
        <translation>話の途中で割り込む</translation>
    </message>
    <message>
        <source>Chimes</source>
        <translation>チャイム</translation>
    </message>
    <message>
        <source>Microphone</source>
        <translation>マイク</translation>
    </message>
    <message>
        <source>Loudspeaker</source>
        <translation>スピーカー</translation>
    </message>
    <message>
        <source>I speak</source>
        <translation>話す言語</translation>
    </message>
    <message>
        <source>One for each language</source>
        <translation>言語ごとに 1 つ</translation>
    </message>
    <message>
        <source>Voice</source>
        <translation>音声</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速さ</translation>
    </message>
    <message>
        <source>{now} (not connected)</source>
        <translation>{now}（見つかりません）</translation>
    </message>
    <message>
        <source>{title} (none found)</source>
        <translation>{title}（なし）</translation>
    </message>
    <message>
        <source>Sound level</source>
        <translation>音量</translation>
    </message>
    <message>
        <source>Thinking …</source>
        <translation>考えています…</translation>
    </message>
    <message>
        <source>Listening. Ask a question; {key} ends the conversation.</source>
        <translation>聞いています。質問してください。{key} で会話を終えます。</translation>
    </message>
    <message>
        <source>Speaking. {key} ends the conversation.</source>
        <translation>話しています。{key} で会話を終えます。</translation>
    </message>
    <message>
        <source>Listening. Ask something.</source>
        <translation>聞いています。質問してください。</translation>
    </message>
    <message>
        <source>Speaking.</source>
        <translation>話しています。</translation>
    </message>
    <message>
        <source>No sound from {name}. It may be muted, or the system doesn&apos;t let Deskpilot use it.</source>
        <translation>{name} から音が届きません。ミュートされているか、システムが Deskpilot の使用を許可していません。</translation>
    </message>
    <message>
        <source>Loading speech models …</source>
        <translation>音声モデルを読み込んでいます…</translation>
    </message>
    <message>
        <source>End</source>
        <translation>終了</translation>
    </message>
    <message>
        <source>Listening. Release to finish.</source>
        <translation>聞いています。離すと終わります。</translation>
    </message>
    <message>
        <source>Nothing was heard. Speak closer to the microphone, or choose another one in the voice menu.</source>
        <translation>何も聞こえませんでした。マイクに近づいて話すか、音声メニューで別のマイクを選んでください。</translation>
    </message>
    <message>
        <source>Opening the microphone …</source>
        <translation>マイクを準備しています…</translation>
    </message>
    <message>
        <source>Transcribing …</source>
        <translation>書き起こしています…</translation>
    </message>
    <message>
        <source>Listening. Press again to finish.</source>
        <translation>聞いています。もう一度押すと終わります。</translation>
    </message>
    <message>
        <source>Listening. Press again to finish; {key} cancels.</source>
        <translation>聞いています。もう一度押すと終わり、{key} で取り消します。</translation>
    </message>
    <message>
        <source>Reading aloud. {key} stops it.</source>
        <translation>読み上げています。{key} で止まります。</translation>
    </message>
    <message>
        <source>Reading aloud.</source>
        <translation>読み上げています。</translation>
    </message>
    <message>
        <source>Dictation stopped unexpectedly. Try again, or type.</source>
        <translation>音声入力が予期せず止まりました。もう一度試すか、入力してください。</translation>
    </message>
    <message>
        <source>What was the unemployment rate in the third quarter of 2009?</source>
        <translation>2009年第3四半期の失業率は？</translation>
    </message>
    <message>
        <source>In which year was average inflation highest?</source>
        <translation>平均インフレ率が一番高い年は？</translation>
    </message>
    <message>
        <source>Show real GDP over time since 1990</source>
        <translation>1990年以降の実質GDPの推移を表示</translation>
    </message>
    <message>
        <source>Offline: every connection to another machine is refused.</source>
        <translation>オフライン：ほかのマシンへの接続はすべて拒否されます。</translation>
    </message>
    <message>
        <source>Try one of these with the sample table:</source>
        <translation>サンプルの表で試してみてください：</translation>
    </message>
    <message>
        <source>Ask about the tables on the dashboard.</source>
        <translation>ダッシュボードの表について質問できます。</translation>
    </message>
    <message>
        <source>Attach a file below to ask about it.</source>
        <translation>下にファイルを添付すると、それについて質問できます。</translation>
    </message>
    <message>
        <source>Almost ready</source>
        <translation>もうすぐ使えます</translation>
    </message>
    <message>
        <source>Loading chats …</source>
        <translation>チャットを読み込み中…</translation>
    </message>
    <message>
        <source>Temporary chat: it isn&apos;t saved and ends when you leave it.</source>
        <translation>一時チャット：どこにも保存されず、離れると消えます。</translation>
    </message>
    <message>
        <source>Loading …</source>
        <translation>読み込み中…</translation>
    </message>
    <message>
        <source>Ready. Ask something.</source>
        <translation>準備できました。質問をどうぞ。</translation>
    </message>
    <message>
        <source>Ask about what is attached below.</source>
        <translation>下に添付した内容について質問できます。</translation>
    </message>
    <message>
        <source>Questions and attachments go to {host}.</source>
        <translation>質問と添付したものは {host} に送られます。</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今日</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨日</translation>
    </message>
    <message>
        <source>Previous 7 days</source>
        <translation>過去 7 日間</translation>
    </message>
    <message>
        <source>Voice pack</source>
        <translation>音声パック</translation>
    </message>
    <message>
        <source>Embeddings</source>
        <translation>埋め込み</translation>
    </message>
    <message>
        <source>Reranking</source>
        <translation>並べ替え（リランク）</translation>
    </message>
    <message>
        <source>Speech to text</source>
        <translation>音声認識</translation>
    </message>
    <message>
        <source>Reads scanned pages</source>
        <translation>スキャンしたページを読む</translation>
    </message>
    <message>
        <source>Real GDP</source>
        <translation>実質 GDP</translation>
    </message>
    <message>
        <source>Key figures</source>
        <translation>主要な数値</translation>
    </message>
    <message>
        <source>Unemployment</source>
        <translation>失業率</translation>
    </message>
    <message>
        <source>Inflation</source>
        <translation>インフレ率</translation>
    </message>
    <message>
        <source>T-bill rate</source>
        <translation>短期国債利回り</translation>
    </message>
    <message>
        <source>Understands questions about your tables, asked in your own words.</source>
        <translation>自分の言葉で書いた表への質問を理解します。</translation>
    </message>
    <message>
        <source>Starter model. Phrases answers about tables; use a larger model for chat.</source>
        <translation>最初のモデル。表についての回答を文章にします。会話には大きいモデルが向いています。</translation>
    </message>
    <message>
        <source>Starter model. Matches questions with columns.</source>
        <translation>最初のモデル。質問が指す列を見つけます。</translation>
    </message>
    <message>
        <source>Short chats in 100 languages on any laptop; shows its reasoning.</source>
        <translation>どのノート PC でも百の言語で短いチャットができます。答える前に考えを述べます。</translation>
    </message>
    <message>
        <source>Chat and tool use in 100 languages with 8 GB of memory; shows its reasoning.</source>
        <translation>百の言語での会話とツール呼び出し。メモリ 8 GB 向け。答える前に考えを述べます。</translation>
    </message>
    <message>
        <source>Recommended with 8 GB of free memory. Chat, tool use and long texts; answers directly.</source>
        <translation>8 GB の余裕があればこれ。会話、ツール呼び出し、長文に。すぐに答えます。</translation>
    </message>
    <message>
        <source>The most capable of these; slow without a GPU. Shows its reasoning.</source>
        <translation>この中で最も高性能。GPU がないと時間がかかります。答える前に考えを述べます。</translation>
    </message>
    <message>
        <source>Describes images in English on any laptop.</source>
        <translation>画像を見て、英語で内容を説明します。どのノート PC でも動きます。</translation>
    </message>
    <message>
        <source>Fastest transcription for English.</source>
        <translation>英語の書き起こしが最速。</translation>
    </message>
    <message>
        <source>A male voice for US English.</source>
        <translation>米国英語の男性の音声。</translation>
    </message>
    <message>
        <source>Fastest transcription; for clear speech.</source>
        <translation>書き起こしが最速。はっきりした話し声向け。</translation>
    </message>
    <message>
        <source>Dictation on any laptop.</source>
        <translation>どのノート PC でも音声入力。</translation>
    </message>
    <message>
        <source>Fewer mistakes than base; takes about three times as long.</source>
        <translation>base より誤りが少なく、時間は約 3 倍。</translation>
    </message>
    <message>
        <source>The most accurate of these; for files, or with a GPU.</source>
        <translation>この中で最も正確。ファイル向け、または GPU があるとき。</translation>
    </message>
    <message>
        <source>English only; nearly as accurate as the large Whisper model, and faster than the turbo model.</source>
        <translation>英語のみ。大型 Whisper に近い精度で、turbo より速い。</translation>
    </message>
    <message>
        <source>A voice for US English.</source>
        <translation>米国英語の音声。</translation>
    </message>
    <message>
        <source>A voice for Chinese.</source>
        <translation>中国語の音声。</translation>
    </message>
    <message>
        <source>A voice for German.</source>
        <translation>ドイツ語の音声。</translation>
    </message>
    <message>
        <source>A voice for French.</source>
        <translation>フランス語の音声。</translation>
    </message>
    <message>
        <source>A voice for Spanish.</source>
        <translation>スペイン語の音声。</translation>
    </message>
    <message>
        <source>Searches long texts (up to 8,192 tokens) in 100 languages; slow without a GPU.</source>
        <translation>百の言語の長文（8,192 トークンまで）を探します。GPU がないと時間がかかります。</translation>
    </message>
    <message>
        <source>Orders English texts by relevance on any laptop.</source>
        <translation>英語の文章を答えとしてのよさで並べます。どのノート PC でも動きます。</translation>
    </message>
    <message>
        <source>Orders texts in 100 languages by relevance; the most accurate of these, slow without a GPU.</source>
        <translation>百の言語の文章を並べます。この中で最も正確。GPU がないと時間がかかります。</translation>
    </message>
    <message>
        <source>Checks questions and answers for harmful content, by category, in 119 languages.</source>
        <translation>119 の言語で、質問と回答の有害性を種類別に検査します。</translation>
    </message>
    <message>
        <source>Reads scanned pages in East Asian and Latin scripts.</source>
        <translation>東アジアの文字とラテン文字のスキャンしたページを読みます。</translation>
    </message>
    <message>
        <source>public domain</source>
        <translation>パブリックドメイン</translation>
    </message>
    <message>
        <source>unstated; see its MODEL_CARD</source>
        <translation>記載なし（MODEL_CARD を参照）</translation>
    </message>
    <message>
        <source>multilingual</source>
        <translation>多言語</translation>
    </message>
    <message>
        <source>Voice in English</source>
        <translation>英語の音声</translation>
    </message>
    <message>
        <source>Voice in Chinese</source>
        <translation>中国語の音声</translation>
    </message>
    <message>
        <source>Voice in German</source>
        <translation>ドイツ語の音声</translation>
    </message>
    <message>
        <source>Voice in French</source>
        <translation>フランス語の音声</translation>
    </message>
    <message>
        <source>Voice in Spanish</source>
        <translation>スペイン語の音声</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外観</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>テーマ</translation>
    </message>
    <message>
        <source>Light or dark; follows the system by default.</source>
        <translation>ライトかダーク。選ばなければシステムに従います。</translation>
    </message>
    <message>
        <source>Follow the system</source>
        <translation>システムに従う</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>ライト</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>ダーク</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字サイズ</translation>
    </message>
    <message>
        <source>Applies to all text in the window. Ctrl++ and Ctrl+- change it; Ctrl+0 resets it.</source>
        <translation>ウィンドウ内のすべての文字のサイズです。Ctrl++とCtrl+-で変更し、Ctrl+0で元に戻します。</translation>
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
        <translation>コントラスト</translation>
    </message>
    <message>
        <source>High: black on white or white on black, with thick focus frames.</source>
        <translation>高：白地に黒、または黒地に白。フォーカスのある部分を太い枠で示します。</translation>
    </message>
    <message>
        <source>High</source>
        <translation>高</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>言語</translation>
    </message>
    <message>
        <source>Language of the window. Takes effect after restart.</source>
        <translation>ウィンドウの言語。次回の起動から有効です。</translation>
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
        <translation>トレイのアイコン</translation>
    </message>
    <message>
        <source>Shown if the system has a tray. Closing the window keeps Deskpilot running there.</source>
        <translation>トレイのあるシステムで。閉じてもトレイに残り、すぐに使えます。</translation>
    </message>
    <message>
        <source>Shown</source>
        <translation>表示する</translation>
    </message>
    <message>
        <source>Shown; closing the window keeps it in the tray</source>
        <translation>表示し、ウィンドウを閉じるとトレイに入れる</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>チャット</translation>
    </message>
    <message>
        <source>Answers what tables can&apos;t. A provider&apos;s model receives your questions, wherever it runs.</source>
        <translation>表で答えられないときに文章を書きます。プロバイダーのモデルには、どこで動いていても質問が送られます。</translation>
    </message>
    <message>
        <source>Custom instructions</source>
        <translation>カスタム指示</translation>
    </message>
    <message>
        <source>Offer better models</source>
        <translation>よりよいモデルを勧める</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>回答の最長時間</translation>
    </message>
    <message>
        <source>A longer answer is stopped, and its text is kept. Takes effect after restart.</source>
        <translation>これより長い回答は打ち切り、それまでの内容を残します。次回の起動から有効です。</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>キー</translation>
    </message>
    <message>
        <source>This shortcut works anywhere in the window.</source>
        <translation>ウィンドウのどこにいても、このキーで。</translation>
    </message>
    <message>
        <source>Continue the answer</source>
        <translation>回答を続ける</translation>
    </message>
    <message>
        <source>Attach a table or document</source>
        <translation>表や文書を添付</translation>
    </message>
    <message>
        <source>Show or hide conversations</source>
        <translation>チャット一覧の表示／非表示</translation>
    </message>
    <message>
        <source>Show or hide the dashboard</source>
        <translation>ダッシュボードの表示／非表示</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>文字を大きく</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>文字を小さく</translation>
    </message>
    <message>
        <source>Usual text size</source>
        <translation>文字サイズを元に戻す</translation>
    </message>
    <message>
        <source>Export all chats</source>
        <translation>すべてのチャットを書き出す</translation>
    </message>
    <message>
        <source>Back up chats</source>
        <translation>チャットをバックアップ</translation>
    </message>
    <message>
        <source>Restore chats from a backup</source>
        <translation>バックアップからチャットを復元</translation>
    </message>
    <message>
        <source>Voice for answers; other voices speak the languages it can&apos;t.</source>
        <translation>回答を読み上げる音声。対応しない言語は別の音声が読みます。</translation>
    </message>
    <message>
        <source>1 is the normal speed.</source>
        <translation>1 がその音声の本来の速さです。</translation>
    </message>
    <message>
        <source>Each answer is read aloud as it streams.</source>
        <translation>回答を生成しながら読み上げます。</translation>
    </message>
    <message>
        <source>Recognition is better if you choose the language.</source>
        <translation>言語を指定すると聞き取りやすくなります。</translation>
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
        <translation>音声入力と会話に使うマイク。</translation>
    </message>
    <message>
        <source>The system&apos;s default</source>
        <translation>システムの既定</translation>
    </message>
    <message>
        <source>Loudspeaker for answers.</source>
        <translation>回答を再生するスピーカー。</translation>
    </message>
    <message>
        <source>Otherwise you can edit it first.</source>
        <translation>オフなら、送る前に確認して直せます。</translation>
    </message>
    <message>
        <source>Recognizes columns and names of attached tables better.</source>
        <translation>添付した表の列名や名前を聞き取りやすくします。</translation>
    </message>
    <message>
        <source>Keep the microphone open</source>
        <translation>マイクを開いたままにする</translation>
    </message>
    <message>
        <source>While the window is active, so the first word isn&apos;t missed. Nothing is recorded or sent.</source>
        <translation>ウィンドウが前面にある間だけ。最初の言葉を逃しません。何も保存・送信しません。</translation>
    </message>
    <message>
        <source>Dictate from any window</source>
        <translation>どのウィンドウからでも音声入力</translation>
    </message>
    <message>
        <source>A global shortcut: hold it and speak, or press it.</source>
        <translation>ほかのウィンドウが前面でも効くキー。押したまま話すか、1 回押します。</translation>
    </message>
    <message>
        <source>Press a key …</source>
        <translation>キーを押してください…</translation>
    </message>
    <message>
        <source>Include Ctrl or Alt …</source>
        <translation>Ctrl か Alt と一緒に押してください…</translation>
    </message>
    <message>
        <source>Press, then type the new shortcut. Backspace removes it, Esc cancels.</source>
        <translation>押してから新しいキーを。Backspace でなし、Esc でそのままにします。</translation>
    </message>
    <message>
        <source>None</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>リセット</translation>
    </message>
    <message>
        <source>Reset: {name}</source>
        <translation>リセット：{name}</translation>
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
        <translation>会話中、読み上げの途中でも話せます。マイクに入った読み上げの音声は取り除きます。</translation>
    </message>
    <message>
        <source>Plays a sound when it starts listening.</source>
        <translation>会話中、聞き取り中であることを音で知らせます。</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>メモリ</translation>
    </message>
    <message>
        <source>Memory for all models together</source>
        <translation>全モデル合計のメモリ</translation>
    </message>
    <message>
        <source>Unused models are unloaded; if one doesn&apos;t fit, a smaller one is suggested. Takes effect after restart.</source>
        <translation>使っていないモデルは必要なモデルに場所を譲ります。収まらないモデルは断り、小さいものを勧めます。次回の起動から有効です。</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>マシンに任せる</translation>
    </message>
    <message>
        <source>GB</source>
        <translation>GB</translation>
    </message>
    <message>
        <source>Unload a model after</source>
        <translation>使われていないモデルを解放するまで</translation>
    </message>
    <message>
        <source>It is loaded again when needed. Takes effect after restart.</source>
        <translation>必要になれば読み込み直します。次回の起動から有効です。</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>しない</translation>
    </message>
    <message>
        <source>minutes</source>
        <translation>分</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>ネットワーク</translation>
    </message>
    <message>
        <source>Refuses every connection to another machine from the window, the model service and its models. Restarts the service and stops the current answer.</source>
        <translation>ウィンドウ、モデルサービス、モデルから、ほかのマシンへの接続をすべて拒否します。サービスは再起動し、進行中の回答は中断されます。</translation>
    </message>
    <message>
        <source>Moderation</source>
        <translation>モデレーション</translation>
    </message>
    <message>
        <source>Text to speech</source>
        <translation>音声合成</translation>
    </message>
    <message>
        <source>Searches documents and chats by meaning, within and across 100 languages. Weights rounded to four bits.</source>
        <translation>文書とチャットを意味で検索します。百の言語に対応し、言語をまたいだ検索もできます。重みは 4 ビットに丸めてあります。</translation>
    </message>
    <message>
        <source>Sent with every question to every copilot. Each chat can have additional instructions. Answers computed from your tables or quoted from your documents don&apos;t follow them. The starter model is too small to follow them; larger models do.</source>
        <translation>すべてのコパイロットへの質問ごとに送られます。チャットごとに追加することもできます。表から計算した回答や文書から引用した回答には反映されません。スターターモデルは小さいため従えませんが、より大きなモデルは従います。</translation>
    </message>
    <message>
        <source>On the first page and after general questions, until you decline.</source>
        <translation>最初のページと一般的な質問の後に、辞退するまで表示します。</translation>
    </message>
    <message>
        <source>Check questions and answers</source>
        <translation>質問と回答を検査する</translation>
    </message>
    <message>
        <source>A guard model checks each question before it is sent and each answer before it is shown or spoken. Harmful or unchecked text is blocked.</source>
        <translation>ガードモデルが、送る前の質問と、表示・読み上げ前の回答を読みます。有害と判断したものも、検査できないものも保留します。</translation>
    </message>
    <message>
        <source>Allowed categories</source>
        <translation>通してよい有害の種類</translation>
    </message>
    <message>
        <source>As the guard model names them, separated by commas, for example: Specialized Advice, Elections.</source>
        <translation>ガードモデルの呼び名で、カンマ区切り。例：Specialized Advice, Elections。</translation>
    </message>
    <message>
        <source>Guard model</source>
        <translation>ガードモデル</translation>
    </message>
    <message>
        <source>A provider&apos;s model receives all questions and answers.</source>
        <translation>プロバイダーのモデルには、質問と回答のすべてが送られます。</translation>
    </message>
    <message numerus="yes">
        <source>… %n more characters.</source>
        <translation>
            <numerusform>…残り %n 文字は表示していません。</numerusform>
        </translation>
    </message>
    <message>
        <source>The picture</source>
        <translation>この画像</translation>
    </message>
    <message>
        <source>Show as table</source>
        <translation>表で表示</translation>
    </message>
    <message>
        <source>Show as chart</source>
        <translation>グラフで表示</translation>
    </message>
    <message>
        <source>{table}, pinned columns</source>
        <translation>{table}、固定列</translation>
    </message>
    <message>
        <source>The window</source>
        <translation>ウィンドウ</translation>
    </message>
    <message>
        <source>The model service</source>
        <translation>モデルサービス</translation>
    </message>
    <message>
        <source>A model&apos;s process</source>
        <translation>モデルのプロセス</translation>
    </message>
    <message>
        <source>succeeded</source>
        <translation>送信できました</translation>
    </message>
    <message>
        <source>looks up a name</source>
        <translation>名前を調べる</translation>
    </message>
    <message>
        <source>connects</source>
        <translation>接続する</translation>
    </message>
    <message>
        <source>connects by IPv6</source>
        <translation>IPv6 で接続する</translation>
    </message>
    <message>
        <source>sends a packet</source>
        <translation>パケットを送る</translation>
    </message>
    <message>
        <source>Each process tries to connect to other machines. Uses reserved test addresses.</source>
        <translation>各プロセスが実際にほかのマシンへの接続を試みます。文書用に予約されたアドレスを使うので、誰にも迷惑をかけません。</translation>
    </message>
    <message>
        <source>Check what can be reached</source>
        <translation>外に接続できるか確認</translation>
    </message>
    <message>
        <source>Refused: {refused} of {ways}.</source>
        <translation>拒否：{ways} 件中 {refused} 件。</translation>
    </message>
    <message>
        <source>Offline: only this machine can be reached.</source>
        <translation>オフライン：このマシン以外には届きません。</translation>
    </message>
    <message>
        <source>Other machines can be reached.</source>
        <translation>ほかのマシンに接続できます。</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>拒否</translation>
    </message>
    <message>
        <source>open</source>
        <translation>通過</translation>
    </message>
    <message>
        <source>{what} {pack} includes what is missing: {names}. One-time download, {size}.</source>
        <translation>{what} {pack} で不足分が揃います：{names}、ダウンロード {size}（一度だけ）。</translation>
    </message>
    <message>
        <source>Download {size}</source>
        <translation>ダウンロード {size}</translation>
    </message>
    <message>
        <source>Downloading {name} …</source>
        <translation>{name} をダウンロードしています…</translation>
    </message>
    <message>
        <source>Ready. Press the microphone and speak.</source>
        <translation>準備ができました。マイクを押して話してください。</translation>
    </message>
    <message>
        <source>Ready. Press the microphone and speak, or talk hands-free with {key}.</source>
        <translation>準備ができました。マイクを押して話すか、{key} でハンズフリーで話せます。</translation>
    </message>
    <message>
        <source>Remove the skill {name}? Its text is deleted.</source>
        <translation>スキル「{name}」を削除しますか？内容も失われます。</translation>
    </message>
    <message>
        <source>Type /skill:name to use these instructions.</source>
        <translation>「/skill:名前」で始まる質問に添えられる指示です。</translation>
    </message>
    <message>
        <source>Write a skill …</source>
        <translation>スキルを書く…</translation>
    </message>
    <message>
        <source>Address of a plugin, such as http://127.0.0.1:7781</source>
        <translation>プラグインのアドレス（例：http://127.0.0.1:7781）</translation>
    </message>
    <message>
        <source>Add plugin …</source>
        <translation>プラグインを追加…</translation>
    </message>
    <message>
        <source>Program and its arguments, or an address</source>
        <translation>プログラムと引数、またはアドレス</translation>
    </message>
    <message>
        <source>Add server</source>
        <translation>サーバーを追加</translation>
    </message>
    <message>
        <source>A named model with instructions, plugins and tables. Other programs can use a published one through the gateway, with a token.</source>
        <translation>モデル、指示、プラグイン、表を一つの名前にまとめたものです。公開すると、ほかのプログラムが専用のトークンを使い、ゲートウェイ経由で質問できます。</translation>
    </message>
    <message>
        <source>New assistant …</source>
        <translation>新しいアシスタント…</translation>
    </message>
    <message>
        <source>Assistants</source>
        <translation>アシスタント</translation>
    </message>
    <message>
        <source>Model: {name}</source>
        <translation>モデル：{name}</translation>
    </message>
    <message>
        <source>Default model</source>
        <translation>設定のモデル</translation>
    </message>
    <message>
        <source>No assistants yet.</source>
        <translation>アシスタントはまだありません。</translation>
    </message>
    <message>
        <source>Plugins: {names}</source>
        <translation>プラグイン：{names}</translation>
    </message>
    <message>
        <source>Tables: {names}</source>
        <translation>表：{names}</translation>
    </message>
    <message>
        <source>Edit …</source>
        <translation>編集…</translation>
    </message>
    <message>
        <source>Publish again …</source>
        <translation>公開し直す…</translation>
    </message>
    <message>
        <source>Publish …</source>
        <translation>公開…</translation>
    </message>
    <message>
        <source>Unpublish</source>
        <translation>公開をやめる</translation>
    </message>
    <message>
        <source>Published as the model {name} at {place}</source>
        <translation>公開中：{place} でモデル {name} に質問できます</translation>
    </message>
    <message>
        <source>Copy address</source>
        <translation>アドレスをコピー</translation>
    </message>
    <message>
        <source>Published. Available while the gateway runs: {command}</source>
        <translation>公開済みです。ゲートウェイが動けば質問できます：{command}</translation>
    </message>
    <message>
        <source>Can call {what} without asking</source>
        <translation>{what} を自分で呼び出せます</translation>
    </message>
    <message>
        <source>Plugins</source>
        <translation>プラグイン</translation>
    </message>
    <message>
        <source>Services that copilots can call. You are asked before one makes changes.</source>
        <translation>コパイロットが呼び出せるサービス。何かを変更する前に確認します。</translation>
    </message>
    <message>
        <source>MCP servers</source>
        <translation>Model Context Protocol のサーバー</translation>
    </message>
    <message>
        <source>Proposed by a copilot. {about}</source>
        <translation>コパイロットの提案。{about}</translation>
    </message>
    <message>
        <source>Save {name}</source>
        <translation>{name} を残す</translation>
    </message>
    <message>
        <source>validated</source>
        <translation>試行済み</translation>
    </message>
    <message>
        <source>out of date</source>
        <translation>古くなっています</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>saved by you</source>
        <translation>自分で保存</translation>
    </message>
    <message>
        <source>designed by the model</source>
        <translation>モデルが設計</translation>
    </message>
    <message>
        <source>designed by {model}</source>
        <translation>{model} が設計</translation>
    </message>
    <message>
        <source>version {number}</source>
        <translation>バージョン {number}</translation>
    </message>
    <message>
        <source>Answers: {requests}</source>
        <translation>答えられる質問：{requests}</translation>
    </message>
    <message>
        <source>Question: {question}</source>
        <translation>質問：{question}</translation>
    </message>
    <message>
        <source>Asks for: {names}</source>
        <translation>実行時に尋ねる値：{names}</translation>
    </message>
    <message>
        <source>Ran twice in {seconds} s with the same result.</source>
        <translation>2 回試し（{seconds} 秒）、同じ結果でした。</translation>
    </message>
    <message>
        <source>Run …</source>
        <translation>実行…</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>読む</translation>
    </message>
    <message>
        <source>Change …</source>
        <translation>変更…</translation>
    </message>
    <message>
        <source>Validate</source>
        <translation>試す</translation>
    </message>
    <message>
        <source>Read and change {name}</source>
        <translation>{name} を読んで変更</translation>
    </message>
    <message>
        <source>{name} is no longer in {folder}.</source>
        <translation>{name} は {folder} にもうありません。</translation>
    </message>
    <message>
        <source>{name} is no longer on a dashboard.</source>
        <translation>{name} はどのダッシュボードにもありません。</translation>
    </message>
    <message>
        <source>Find …</source>
        <translation>探す…</translation>
    </message>
    <message>
        <source>Find {name}</source>
        <translation>{name} を探す</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>{name} を削除</translation>
    </message>
    <message>
        <source>A new skill</source>
        <translation>新しいスキル</translation>
    </message>
    <message>
        <source>brief-answer</source>
        <translation>brief-answer</translation>
    </message>
    <message>
        <source>Answer in one line</source>
        <translation>1 行で答える</translation>
    </message>
    <message>
        <source>What the copilot should do, in Markdown.</source>
        <translation>コパイロットにしてほしいことを Markdown で。</translation>
    </message>
    <message>
        <source>No skills yet.</source>
        <translation>スキルはまだありません。</translation>
    </message>
    <message>
        <source>A skill named {name} already exists.</source>
        <translation>スキル「{name}」はすでにあります。</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>指示</translation>
    </message>
    <message>
        <source>For support: versions, settings, and a trace of the last questions by id. It contains no questions, answers, tables, file names, addresses or keys, and is not sent anywhere.</source>
        <translation>サポートする人のための情報です。バージョン、設定、最近の質問に対して各部分が何をしたか（ID 別）を含みます。質問、回答、表、ファイル名、アドレス、キーは含みません。自動でどこかへ送られることもありません。</translation>
    </message>
    <message>
        <source>Save …</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Questions and attachments go to the copilot {name}</source>
        <translation>コパイロット {name} への質問：質問と添付したものが渡ります</translation>
    </message>
    <message>
        <source>The copilot {name} may see all widgets</source>
        <translation>コパイロット {name} がすべてのウィジェットを見ること</translation>
    </message>
    <message>
        <source>The copilot {name} may ask the other copilots</source>
        <translation>コパイロット {name} がほかのコパイロットに質問すること</translation>
    </message>
    <message>
        <source>The models of {name} may be used; your questions go to them</source>
        <translation>{name} のモデルの使用：送った内容が渡ります</translation>
    </message>
    <message>
        <source>Widgets may be loaded from {name}</source>
        <translation>{name} からのウィジェットの取得</translation>
    </message>
    <message>
        <source>Copilots may call the plugin {name}; you are asked before each change</source>
        <translation>コパイロットによるプラグイン {name} の呼び出し（変更は毎回確認します）</translation>
    </message>
    <message>
        <source>The skill {name} is sent when you call it</source>
        <translation>スキル {name} を呼び出したときに内容を添えること</translation>
    </message>
    <message>
        <source>Code in the chat “{name}” runs without asking until Deskpilot is closed</source>
        <translation>チャット「{name}」のコードは、Deskpilot を閉じるまで確認なしで実行されます</translation>
    </message>
    <message>
        <source>Code in the temporary chat runs without asking until you leave it</source>
        <translation>一時チャットのコードは、そのチャットを離れるまで確認なしで実行されます</translation>
    </message>
    <message>
        <source>on this machine</source>
        <translation>このマシン上</translation>
    </message>
    <message>
        <source>Permissions you granted. Revoke one to be asked again.</source>
        <translation>許可したものの一覧です。取り消すと、必要なときに改めて確認します。</translation>
    </message>
    <message>
        <source>No permissions yet.</source>
        <translation>まだ何も許可していません。</translation>
    </message>
    <message>
        <source>Revoke</source>
        <translation>取り消す</translation>
    </message>
    <message>
        <source>Revoke: {what}</source>
        <translation>取り消す：{what}</translation>
    </message>
    <message>
        <source>(a picture that cannot be shown)</source>
        <translation>（表示できない画像）</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>ページ</translation>
    </message>
    <message>
        <source>First rows</source>
        <translation>最初の行</translation>
    </message>
    <message>
        <source>{shown} of {count:,} columns</source>
        <translation>{count:,} 列中 {shown} 列</translation>
    </message>
    <message>
        <source>All rows</source>
        <translation>すべての行</translation>
    </message>
    <message>
        <source>More rows</source>
        <translation>さらに表示</translation>
    </message>
    <message>
        <source>{shown} of {count:,} rows</source>
        <translation>{count:,} 行中 {shown} 行</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表</translation>
    </message>
    <message numerus="yes">
        <source>%n row(s)</source>
        <translation>
            <numerusform>%n 行</numerusform>
        </translation>
    </message>
    <message>
        <source>Search commands, settings and chats</source>
        <translation>コマンド、設定、チャットを検索</translation>
    </message>
    <message>
        <source>All commands</source>
        <translation>すべてのコマンド</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>コマンド</translation>
    </message>
    <message>
        <source>No matching command</source>
        <translation>この語を含むコマンドはありません</translation>
    </message>
    <message>
        <source>Show Deskpilot</source>
        <translation>Deskpilot を表示</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>終了</translation>
    </message>
    <message>
        <source>Reads: {names}</source>
        <translation>読み取り：{names}</translation>
    </message>
    <message>
        <source>Asks before: {names}</source>
        <translation>事前に確認：{names}</translation>
    </message>
    <message>
        <source>Calls go to {places}</source>
        <translation>問い合わせ先：{places}</translation>
    </message>
    <message>
        <source>Contact: {who}</source>
        <translation>連絡先：{who}</translation>
    </message>
    <message>
        <source>Choose folder …</source>
        <translation>フォルダーを選択…</translation>
    </message>
    <message>
        <source>Enter address …</source>
        <translation>アドレスを入力…</translation>
    </message>
    <message>
        <source>Files in a folder</source>
        <translation>フォルダー内のファイル</translation>
    </message>
    <message>
        <source>Lists, finds, reads and writes text files.</source>
        <translation>テキストファイルの一覧表示、検索、読み取り、書き込みを行います。</translation>
    </message>
    <message>
        <source>Can read everything in the folder you choose. Asks you before it writes a file. Has no other access.</source>
        <translation>選択したフォルダー内をすべて読み取れます。ファイルに書き込む前に確認します。ほかには何も読みません。</translation>
    </message>
    <message>
        <source>Git repository</source>
        <translation>Git リポジトリ</translation>
    </message>
    <message>
        <source>Shows status, history and changes, makes commits and branches.</source>
        <translation>状態、履歴、変更を表示し、コミットやブランチを作成します。</translation>
    </message>
    <message>
        <source>Can read the repository you choose. Asks you before it changes anything.</source>
        <translation>選択したリポジトリを読み取れます。変更する前に確認します。</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>時刻</translation>
    </message>
    <message>
        <source>Tells the time in any city, and converts between time zones.</source>
        <translation>各都市の時刻を示し、タイムゾーンを変換します。</translation>
    </message>
    <message>
        <source>Can read this machine&apos;s clock. Has no other access.</source>
        <translation>このコンピューターの時計だけを読み取ります。</translation>
    </message>
    <message>
        <source>Web pages</source>
        <translation>ウェブページ</translation>
    </message>
    <message>
        <source>Reads a web page as text.</source>
        <translation>ウェブページをテキストとして読み取ります。</translation>
    </message>
    <message>
        <source>Contacts other machines, and asks you before each page. Does not work while Deskpilot is offline.</source>
        <translation>ほかのコンピューターに接続します。ページごとに確認します。オフライン中は使えません。</translation>
    </message>
    <message>
        <source>PostgreSQL database</source>
        <translation>PostgreSQL データベース</translation>
    </message>
    <message>
        <source>Lists and describes tables, and runs SELECT.</source>
        <translation>表の一覧と説明を示し、SELECT を実行します。</translation>
    </message>
    <message>
        <source>Can only read. Asks you before each query. The password is kept in the keyring.</source>
        <translation>読み取り専用です。問い合わせごとに確認します。パスワードはキーリングに保存します。</translation>
    </message>
    <message>
        <source>To-do list</source>
        <translation>ToDo リスト</translation>
    </message>
    <message>
        <source>A sample plugin: notes things to do.</source>
        <translation>サンプルのプラグインです。やることを記録します。</translation>
    </message>
    <message>
        <source>Runs on this machine while Deskpilot is open; its list is not kept afterwards. Asks you before it changes the list.</source>
        <translation>Deskpilot を開いている間このコンピューターで動き、閉じるとリストを消します。変更する前に確認します。</translation>
    </message>
    <message>
        <source>It can&apos;t be reached now, so its last known version is used.</source>
        <translation>今は接続できません。前回公開された内容を使います。</translation>
    </message>
    <message>
        <source>It has changed and needs your approval: {why}</source>
        <translation>変更があり、確認を待っています：{why}</translation>
    </message>
    <message>
        <source>Approve</source>
        <translation>同意する</translation>
    </message>
    <message>
        <source>Sign in …</source>
        <translation>サインイン…</translation>
    </message>
    <message>
        <source>Terms</source>
        <translation>利用条件</translation>
    </message>
    <message>
        <source>Added</source>
        <translation>追加済み</translation>
    </message>
    <message>
        <source>Needs {program}, which is not on this machine.</source>
        <translation>{program} が必要ですが、このコンピューターにはありません。</translation>
    </message>
    <message>
        <source>No plugins yet.</source>
        <translation>プラグインはまだありません。</translation>
    </message>
    <message>
        <source>No MCP servers yet.</source>
        <translation>MCP サーバーはまだありません。</translation>
    </message>
    <message>
        <source>Gallery</source>
        <translation>ギャラリー</translation>
    </message>
    <message>
        <source>These come with Deskpilot; add them with one click.</source>
        <translation>Deskpilot に付属しています。ボタン一つで追加できます。</translation>
    </message>
    <message numerus="yes">
        <source>%n warnings</source>
        <translation>
            <numerusform>警告 %n 件</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools</source>
        <translation>
            <numerusform>ツール %n 個</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading what {address} can do …</source>
        <translation>{address} でできることを読み込んでいます…</translation>
    </message>
    <message>
        <source>Starting {name} and reading its tools …</source>
        <translation>{name} を起動し、ツールを読み込んでいます…</translation>
    </message>
    <message>
        <source>Address of the database, such as postgresql://user:password@127.0.0.1/shop</source>
        <translation>データベースのアドレス（例：postgresql://user:password@127.0.0.1/shop）</translation>
    </message>
    <message>
        <source>A server needs a name, and a program or an address.</source>
        <translation>サーバーには名前と、プログラムまたはアドレスが必要です。</translation>
    </message>
    <message>
        <source>The program&apos;s arguments have an unclosed quote.</source>
        <translation>プログラムの引数の引用符が閉じていません。</translation>
    </message>
    <message>
        <source>Your token for {name}; it is stored in the keyring.</source>
        <translation>{name} に本人を示すトークン。キーリングに保存します。</translation>
    </message>
    <message>
        <source>Client id for {name}:</source>
        <translation>{name} でのこのプログラムの名前（client id）：</translation>
    </message>
    <message>
        <source>Remove {name}? Copilots can no longer call it.</source>
        <translation>{name} を削除しますか？コパイロットは呼び出せなくなります。</translation>
    </message>
    <message>
        <source>Finish dictating</source>
        <translation>音声入力を終える</translation>
    </message>
    <message>
        <source>Dictate ({key}), or hold to talk</source>
        <translation>音声入力（{key}）、押したままでも話せます</translation>
    </message>
    <message>
        <source>Dictate, or hold to talk</source>
        <translation>音声入力、押したままでも話せます</translation>
    </message>
    <message>
        <source>Add database</source>
        <translation>データベースを追加</translation>
    </message>
    <message>
        <source>PostgreSQL. Tables you choose are copied to this machine; the database is never changed. The password is stored in the system&apos;s keyring.</source>
        <translation>PostgreSQL。選んだ表はこのマシンにコピーされ、ここで調べます。データベースは読むだけで、変更しません。パスワードはこのシステムのキーリングに保存されます。</translation>
    </message>
    <message>
        <source>Address of the database</source>
        <translation>データベースのアドレス</translation>
    </message>
    <message>
        <source>Password (optional)</source>
        <translation>パスワード（必要な場合）</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>パスワード</translation>
    </message>
    <message>
        <source>Embedding models …</source>
        <translation>意味を比べるモデル…</translation>
    </message>
    <message>
        <source>Found by keyword only. A small embedding model on this machine can search by meaning too.</source>
        <translation>単語だけで検索しました。小さなモデルがあれば意味でも検索でき、このマシンから外に出ません。</translation>
    </message>
    <message>
        <source>Found by keyword only. The embedding model on this machine doesn&apos;t know this language.</source>
        <translation>語句のみで検索しました。このマシンの埋め込みモデルはこの言語に対応していません。</translation>
    </message>
    <message>
        <source>≈ similar in meaning, worded differently</source>
        <translation>≈ 意味が近い別の表現</translation>
    </message>
    <message>
        <source>{read:,} of {of:,} answers can be found by meaning so far.</source>
        <translation>いまのところ {of:,} 件中 {read:,} 件の回答を意味で検索できます。</translation>
    </message>
    <message>
        <source>Run {name}</source>
        <translation>{name} を実行</translation>
    </message>
    <message>
        <source>No workflows yet. Ask something that takes several steps, then press Steps below the answer.</source>
        <translation>ワークフローはまだありません。複数の手順が要る質問をして、回答の下の「手順」を押してください。</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>ライブラリ</translation>
    </message>
    <message>
        <source>Saved workflows. They run again without a model once validated.</source>
        <translation>保存したワークフローです。試行に通れば、モデルなしで再び実行できます。</translation>
    </message>
    <message>
        <source>{name}, version {number} from the library, run without a model.</source>
        <translation>ライブラリの {name}（バージョン {number}）をモデルなしで実行しました。</translation>
    </message>
    <message>
        <source>The answer is in the conversation.</source>
        <translation>回答はチャットに表示されています。</translation>
    </message>
    <message>
        <source>{name} was validated: it ran twice with the same result and changed nothing.</source>
        <translation>{name} を試しました。2 回実行して同じ結果になり、何も変えませんでした。</translation>
    </message>
    <message>
        <source>{name} failed validation: {why}</source>
        <translation>{name} を試しましたが、信頼できません：{why}</translation>
    </message>
    <message>
        <source>Remove {name} from the library, with all its versions?</source>
        <translation>{name} をすべてのバージョンとともにライブラリから削除しますか？</translation>
    </message>
    <message>
        <source>Removed {name}.</source>
        <translation>{name} を削除しました。</translation>
    </message>
    <message>
        <source>{name} was restored.</source>
        <translation>{name} を元に戻しました。</translation>
    </message>
    <message>
        <source>Save as a new version …</source>
        <translation>新しいバージョンとして保存…</translation>
    </message>
    <message>
        <source>A step failed.</source>
        <translation>手順の 1 つが失敗しました。</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>停止しました。</translation>
    </message>
    <message>
        <source>Saved as version {number}.</source>
        <translation>バージョン {number} として保存しました。</translation>
    </message>
    <message>
        <source>all</source>
        <translation>すべて</translation>
    </message>
    <message>
        <source>choose …</source>
        <translation>選択…</translation>
    </message>
    <message>
        <source>none</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>Not open here: {names}. Add it to the dashboard to run this again.</source>
        <translation>ここで開かれていません：{names}。もう一度実行するにはダッシュボードに追加してください。</translation>
    </message>
    <message>
        <source>Fix the marked fields first.</source>
        <translation>先に印の付いた箇所を直してください。</translation>
    </message>
    <message>
        <source>A step failed; the answer stays as it was.</source>
        <translation>手順の 1 つが失敗しました。回答は元のままです。</translation>
    </message>
    <message>
        <source>Steps you changed, run without a model: {changes}</source>
        <translation>手順を手動で変更し、モデルなしで実行：{changes}</translation>
    </message>
    <message>
        <source>You ran this again, without a model.</source>
        <translation>手動で、モデルなしで再実行しました。</translation>
    </message>
    <message>
        <source>The new answer is in the conversation.</source>
        <translation>新しい回答はチャットに表示されています。</translation>
    </message>
    <message>
        <source>Saved as {name} in Settings, Library.</source>
        <translation>{name} として保存しました。設定の「ライブラリ」にあります。</translation>
    </message>
    <message>
        <source>Add a condition</source>
        <translation>条件を追加</translation>
    </message>
    <message>
        <source>Remove the condition on {column}</source>
        <translation>{column} の条件を削除</translation>
    </message>
    <message>
        <source>Save in the library</source>
        <translation>ライブラリに保存</translation>
    </message>
    <message>
        <source>shop_sales</source>
        <translation>shop_sales</translation>
    </message>
    <message>
        <source>Validate and save</source>
        <translation>試してから保存</translation>
    </message>
    <message>
        <source>Asked for at each run</source>
        <translation>実行するたびに尋ねる値</translation>
    </message>
    <message>
        <source>{argument}: {value} ({step})</source>
        <translation>{argument}：{value}（{step}）</translation>
    </message>
    <message>
        <source>Name of the parameter {text}</source>
        <translation>パラメーターの名前：{text}</translation>
    </message>
    <message>
        <source>Validating …</source>
        <translation>試しています…</translation>
    </message>
    <message numerus="yes">
        <source>%n steps</source>
        <translation>
            <numerusform>%n 個の手順</numerusform>
        </translation>
    </message>
    <message>
        <source>Change steps …</source>
        <translation>手順を変更…</translation>
    </message>
    <message>
        <source>Not run: an earlier step failed.</source>
        <translation>実行されませんでした：前の手順が失敗しました。</translation>
    </message>
    <message>
        <source>{name}: {value}</source>
        <translation>{name}：{value}</translation>
    </message>
    <message numerus="yes">
        <source>A chart of %n rows</source>
        <translation>
            <numerusform>%n 行のグラフ</numerusform>
        </translation>
    </message>
    <message>
        <source>number</source>
        <translation>数</translation>
    </message>
    <message>
        <source>text</source>
        <translation>文字</translation>
    </message>
    <message>
        <source>date</source>
        <translation>日付</translation>
    </message>
    <message>
        <source>yes or no</source>
        <translation>はい・いいえ</translation>
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
            <numerusform>異なる値 %n 個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n empty</source>
        <translation>
            <numerusform>空 %n 個</numerusform>
        </translation>
    </message>
    <message>
        <source>First row: {cells}</source>
        <translation>最初の行：{cells}</translation>
    </message>
    <message>
        <source>Last row: {cells}</source>
        <translation>最後の行：{cells}</translation>
    </message>
    <message>
        <source>For daily data from another time zone: when its day ends (optional)</source>
        <translation>別の時間帯の日次データ：1 日が終わる時刻（任意）</translation>
    </message>
    <message>
        <source>The input of this step isn&apos;t computed yet, so its columns are unknown.</source>
        <translation>この手順が使う行はまだ計算されていないため、列が分かりません。</translation>
    </message>
    <message>
        <source>Compute the steps before it</source>
        <translation>前の手順を計算</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>もう一度実行</translation>
    </message>
    <message>
        <source>Save in the library …</source>
        <translation>ライブラリに保存…</translation>
    </message>
    <message>
        <source>Running …</source>
        <translation>実行しています…</translation>
    </message>
    <message>
        <source>Changed, not run yet: {changes}</source>
        <translation>変更済み、未実行：{changes}</translation>
    </message>
    <message>
        <source>{step} (new)</source>
        <translation>{step}（新規）</translation>
    </message>
    <message>
        <source>{step} (changed)</source>
        <translation>{step}（変更済み）</translation>
    </message>
    <message>
        <source>{step} (failed)</source>
        <translation>{step}（失敗）</translation>
    </message>
    <message>
        <source>Read rows</source>
        <translation>行を読む</translation>
    </message>
    <message>
        <source>Read over time</source>
        <translation>時系列で読む</translation>
    </message>
    <message>
        <source>Read at one point in time</source>
        <translation>ある時点で読む</translation>
    </message>
    <message>
        <source>Read the members of a group</source>
        <translation>グループの構成要素を読む</translation>
    </message>
    <message>
        <source>Returns</source>
        <translation>収益率</translation>
    </message>
    <message>
        <source>Return between two days</source>
        <translation>2 日間の収益率</translation>
    </message>
    <message>
        <source>Growth from first to last</source>
        <translation>最初から最後までの伸び</translation>
    </message>
    <message>
        <source>Change from row to row</source>
        <translation>行ごとの変化</translation>
    </message>
    <message>
        <source>Running sum</source>
        <translation>累計</translation>
    </message>
    <message>
        <source>Moving window</source>
        <translation>移動窓</translation>
    </message>
    <message>
        <source>One row for each period</source>
        <translation>期間ごとに 1 行</translation>
    </message>
    <message>
        <source>Combine rows</source>
        <translation>行をまとめる</translation>
    </message>
    <message>
        <source>Combine rows, several columns at once</source>
        <translation>行をまとめる（複数の列）</translation>
    </message>
    <message>
        <source>Mean and median</source>
        <translation>平均と中央値</translation>
    </message>
    <message>
        <source>Correlation</source>
        <translation>相関</translation>
    </message>
    <message>
        <source>Correlation for each</source>
        <translation>それぞれの相関</translation>
    </message>
    <message>
        <source>Compute a column</source>
        <translation>列を計算</translation>
    </message>
    <message>
        <source>Technical indicator</source>
        <translation>テクニカル指標</translation>
    </message>
    <message>
        <source>Forecast</source>
        <translation>予測</translation>
    </message>
    <message>
        <source>Draw lines</source>
        <translation>線を描く</translation>
    </message>
    <message>
        <source>Draw bars</source>
        <translation>棒を描く</translation>
    </message>
    <message>
        <source>Draw points</source>
        <translation>点を描く</translation>
    </message>
    <message>
        <source>Draw a pie</source>
        <translation>円グラフを描く</translation>
    </message>
    <message>
        <source>Draw candles</source>
        <translation>ローソク足を描く</translation>
    </message>
    <message>
        <source>Overlay charts</source>
        <translation>グラフを重ねる</translation>
    </message>
    <message>
        <source>Show a table</source>
        <translation>表を表示</translation>
    </message>
    <message>
        <source>Keep columns and rows</source>
        <translation>列と行を絞る</translation>
    </message>
    <message>
        <source>Read one cell</source>
        <translation>1 つのセルを読む</translation>
    </message>
    <message>
        <source>Put side by side</source>
        <translation>横に並べる</translation>
    </message>
    <message>
        <source>Put one below the other</source>
        <translation>縦に並べる</translation>
    </message>
    <message>
        <source>Turn values into columns</source>
        <translation>値を列にする</translation>
    </message>
    <message>
        <source>Turn columns into rows</source>
        <translation>列を行に変える</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>順位付け</translation>
    </message>
    <message>
        <source>Compute for each, and rank</source>
        <translation>それぞれ計算して順位付け</translation>
    </message>
    <message>
        <source>Rename columns</source>
        <translation>列の名前を変える</translation>
    </message>
    <message>
        <source>Ask the database</source>
        <translation>データベースに尋ねる</translation>
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
        <translation>行の元</translation>
    </message>
    <message>
        <source>left rows of</source>
        <translation>左側の行の元</translation>
    </message>
    <message>
        <source>right rows of</source>
        <translation>右側の行の元</translation>
    </message>
    <message>
        <source>charts of</source>
        <translation>グラフの元</translation>
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
        <translation>比較</translation>
    </message>
    <message>
        <source>value</source>
        <translation>値</translation>
    </message>
    <message>
        <source>values</source>
        <translation>値</translation>
    </message>
    <message>
        <source>other column</source>
        <translation>別の列</translation>
    </message>
    <message>
        <source>time</source>
        <translation>時間</translation>
    </message>
    <message>
        <source>by</source>
        <translation>分け方</translation>
    </message>
    <message>
        <source>of</source>
        <translation>対象</translation>
    </message>
    <message>
        <source>from</source>
        <translation>開始</translation>
    </message>
    <message>
        <source>until</source>
        <translation>終了</translation>
    </message>
    <message>
        <source>at</source>
        <translation>時点</translation>
    </message>
    <message>
        <source>not before</source>
        <translation>これ以降</translation>
    </message>
    <message>
        <source>that day only</source>
        <translation>その日のみ</translation>
    </message>
    <message>
        <source>for each</source>
        <translation>期間</translation>
    </message>
    <message>
        <source>combined as</source>
        <translation>まとめ方</translation>
    </message>
    <message>
        <source>periods in words</source>
        <translation>期間を文字で</translation>
    </message>
    <message>
        <source>ordered by</source>
        <translation>並べ方</translation>
    </message>
    <message>
        <source>highest first</source>
        <translation>大きい順</translation>
    </message>
    <message>
        <source>at most</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>each once</source>
        <translation>重複なし</translation>
    </message>
    <message>
        <source>group</source>
        <translation>グループ</translation>
    </message>
    <message>
        <source>name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>names</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>members</source>
        <translation>構成要素</translation>
    </message>
    <message>
        <source>since the first row</source>
        <translation>最初の行から</translation>
    </message>
    <message>
        <source>how</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>rows before</source>
        <translation>何行前</translation>
    </message>
    <message>
        <source>window</source>
        <translation>窓</translation>
    </message>
    <message>
        <source>indicator</source>
        <translation>指標</translation>
    </message>
    <message>
        <source>how many</source>
        <translation>個数</translation>
    </message>
    <message>
        <source>confidence</source>
        <translation>信頼度</translation>
    </message>
    <message>
        <source>x axis</source>
        <translation>横軸</translation>
    </message>
    <message>
        <source>y axis</source>
        <translation>縦軸</translation>
    </message>
    <message>
        <source>title</source>
        <translation>題名</translation>
    </message>
    <message>
        <source>labels</source>
        <translation>ラベル</translation>
    </message>
    <message>
        <source>also saved</source>
        <translation>保存もする</translation>
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
        <translation>一致する列</translation>
    </message>
    <message>
        <source>label</source>
        <translation>ラベル</translation>
    </message>
    <message>
        <source>first</source>
        <translation>最初</translation>
    </message>
    <message>
        <source>second</source>
        <translation>次</translation>
    </message>
    <message>
        <source>sign</source>
        <translation>演算子</translation>
    </message>
    <message>
        <source>volume</source>
        <translation>出来高</translation>
    </message>
    <message>
        <source>opening price</source>
        <translation>始値</translation>
    </message>
    <message>
        <source>high</source>
        <translation>高値</translation>
    </message>
    <message>
        <source>low</source>
        <translation>安値</translation>
    </message>
    <message>
        <source>close</source>
        <translation>終値</translation>
    </message>
    <message>
        <source>pane</source>
        <translation>下のグラフ</translation>
    </message>
    <message>
        <source>fast</source>
        <translation>短期</translation>
    </message>
    <message>
        <source>slow</source>
        <translation>長期</translation>
    </message>
    <message>
        <source>signal</source>
        <translation>シグナル</translation>
    </message>
    <message>
        <source>put into</source>
        <translation>代入先</translation>
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
        <translation>だれの</translation>
    </message>
    <message>
        <source>first day</source>
        <translation>最初の日</translation>
    </message>
    <message>
        <source>last day</source>
        <translation>最後の日</translation>
    </message>
    <message>
        <source>how many rows</source>
        <translation>行数</translation>
    </message>
    <message>
        <source>how many values</source>
        <translation>値の数</translation>
    </message>
    <message>
        <source>standard deviations</source>
        <translation>標準偏差の倍数</translation>
    </message>
    <message>
        <source>how many, largest first</source>
        <translation>上位いくつ</translation>
    </message>
    <message>
        <source>which series</source>
        <translation>どの系列</translation>
    </message>
    <message>
        <source>which measure</source>
        <translation>どの指標</translation>
    </message>
    <message>
        <source>which column</source>
        <translation>どの列</translation>
    </message>
    <message>
        <source>sum</source>
        <translation>合計</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>median</source>
        <translation>中央値</translation>
    </message>
    <message>
        <source>min</source>
        <translation>最小値</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大値</translation>
    </message>
    <message>
        <source>count</source>
        <translation>件数</translation>
    </message>
    <message>
        <source>last</source>
        <translation>最後</translation>
    </message>
    <message>
        <source>absolute</source>
        <translation>差</translation>
    </message>
    <message>
        <source>percent</source>
        <translation>百分率</translation>
    </message>
    <message>
        <source>day</source>
        <translation>日</translation>
    </message>
    <message>
        <source>week</source>
        <translation>週</translation>
    </message>
    <message>
        <source>month</source>
        <translation>月</translation>
    </message>
    <message>
        <source>quarter</source>
        <translation>四半期</translation>
    </message>
    <message>
        <source>year</source>
        <translation>年</translation>
    </message>
    <message>
        <source>step {number}</source>
        <translation>手順 {number}</translation>
    </message>
    <message>
        <source> and </source>
        <translation> かつ </translation>
    </message>
    <message>
        <source>once for each {column} of {rows}</source>
        <translation>{rows}の {column} ごとに 1 回</translation>
    </message>
    <message>
        <source>new: {does}</source>
        <translation>追加：{does}</translation>
    </message>
    <message>
        <source>in another order</source>
        <translation>順序を変更</translation>
    </message>
    <message>
        <source>without {does}</source>
        <translation>{does}なし</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>はい</translation>
    </message>
    <message>
        <source>no</source>
        <translation>いいえ</translation>
    </message>
    <message numerus="yes">
        <source>An unfinished design: %n requests so far.</source>
        <translation>
            <numerusform>設計が終わっていません：これまでに %n 件の質問。</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading the tables …</source>
        <translation>表を読んでいます…</translation>
    </message>
    <message>
        <source>Designed {made} workflows from {asked} requests; {well} were validated.</source>
        <translation>{asked} 件の質問から {made} 個のワークフローを設計し、{well} 個が試行に通りました。</translation>
    </message>
    <message>
        <source>Stopped. Progress is saved.</source>
        <translation>停止しました。済んだ分は残ります。</translation>
    </message>
    <message>
        <source>new</source>
        <translation>新規</translation>
    </message>
    <message>
        <source>used again</source>
        <translation>再利用</translation>
    </message>
    <message>
        <source>Collecting questions</source>
        <translation>質問を考えています</translation>
    </message>
    <message>
        <source>Defining workflows</source>
        <translation>ワークフローを定義しています</translation>
    </message>
    <message>
        <source>Merging similar ones</source>
        <translation>似たものをまとめています</translation>
    </message>
    <message>
        <source>Validating</source>
        <translation>試しています</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完了</translation>
    </message>
    <message>
        <source>Tables for the design</source>
        <translation>設計に使う表</translation>
    </message>
    <message>
        <source>Design</source>
        <translation>設計</translation>
    </message>
    <message>
        <source>Design progress</source>
        <translation>設計の進み具合</translation>
    </message>
    <message>
        <source>Let the model design workflows</source>
        <translation>モデルにワークフローを設計させる</translation>
    </message>
    <message>
        <source>The model thinks of questions about some tables and builds workflows that answer them. Each is validated before it is listed below. This takes a few minutes and can be resumed.</source>
        <translation>表について尋ねられそうな質問をモデルが考え、それに答えるワークフローを作ります。どれも試行してから下に並びます。数分かかります。途中で止めても、あとで続けられます。</translation>
    </message>
    <message>
        <source>No table is open. Attach one in the chat first.</source>
        <translation>開いている表がありません。先に会話に添付してください。</translation>
    </message>
    <message>
        <source>Start a new design</source>
        <translation>新しい設計を始める</translation>
    </message>
    <message>
        <source>{phase}, {done} of {total}: {text}</source>
        <translation>{phase}、{done}/{total}：{text}</translation>
    </message>
    <message>
        <source>Paused.</source>
        <translation>一時停止しました。</translation>
    </message>
    <message>
        <source>The starter model understands only simple wording. This model understands questions about data in your own words:</source>
        <translation>最初のモデルが理解できる聞き方は限られています。次のモデルは、自分の言葉で書いたデータへの質問を理解します：</translation>
    </message>
    <message>
        <source>The starter model is made for tables. A larger model is better at general questions:</source>
        <translation>最初のモデルは表のためのものです。一般的な質問には、より大きなモデルが向いています：</translation>
    </message>
    <message>
        <source>Rows of a table that meet conditions.</source>
        <translation>条件に合う表の行をそのまま読みます。</translation>
    </message>
    <message>
        <source>Columns by day, or one row for each month, quarter or year.</source>
        <translation>列を日ごとに、または月・四半期・年ごとに一行で読みます。</translation>
    </message>
    <message>
        <source>One row for each shop, share or country, on one day or the latest.</source>
        <translation>ある日または最新の日の、店・株・国ごとの一行を読みます。</translation>
    </message>
    <message>
        <source>Members of a group, such as the shares of an index.</source>
        <translation>グループの構成員、たとえば指数の構成銘柄を読みます。</translation>
    </message>
    <message>
        <source>A read-only SQL SELECT on your tables.</source>
        <translation>表に対する SQL の SELECT です。読むだけです。</translation>
    </message>
    <message>
        <source>Return of a price in percent, since the start or from row to row.</source>
        <translation>価格の騰落率（％）。開始時から、または行ごとに計算します。</translation>
    </message>
    <message>
        <source>Return between two days in percent, as one number.</source>
        <translation>二つの日の間の収益率（％）を一つの数で求めます。</translation>
    </message>
    <message>
        <source>The first and last value of each, and their difference.</source>
        <translation>それぞれの最初と最後の値と、その差です。</translation>
    </message>
    <message>
        <source>Difference from the previous row, or year on year.</source>
        <translation>前の行との差、または前年比です。</translation>
    </message>
    <message>
        <source>The running sum of a column.</source>
        <translation>各行までの列の累計です。</translation>
    </message>
    <message>
        <source>Moving average, sum, highest or lowest of the last rows.</source>
        <translation>直近の行の移動平均・合計・最大・最小です。</translation>
    </message>
    <message>
        <source>Combines days into weeks, months, quarters or years.</source>
        <translation>日を週・月・四半期・年にまとめます。</translation>
    </message>
    <message>
        <source>Sum, mean, count and so on, for each group or for all rows.</source>
        <translation>合計・平均・件数などを、グループごと、または全行で求めます。</translation>
    </message>
    <message>
        <source>Aggregates of several columns, for each group and period.</source>
        <translation>複数の列を、グループと期間ごとに一度に合計・平均します。</translation>
    </message>
    <message>
        <source>Mean and median of a column.</source>
        <translation>列の平均と中央値です。</translation>
    </message>
    <message>
        <source>Correlation of two columns, from -1 to 1.</source>
        <translation>二つの列の相関を -1 から 1 の数で表します。</translation>
    </message>
    <message>
        <source>Correlation of two columns for each group.</source>
        <translation>グループごとに二つの列の相関を求めます。</translation>
    </message>
    <message>
        <source>A new column: one plus, minus, times or divided by another column or a number.</source>
        <translation>新しい列：ある列と別の列または数との足し算・引き算・掛け算・割り算です。</translation>
    </message>
    <message>
        <source>MACD, KDJ, RSI, Bollinger bands or CCI of a price.</source>
        <translation>価格の MACD、KDJ、RSI、ボリンジャーバンド、CCI です。</translation>
    </message>
    <message>
        <source>The next values of a series, with a likely range.</source>
        <translation>系列の次の値の予測と、その入りそうな範囲です。</translation>
    </message>
    <message>
        <source>A line chart, with one line for each column or group member.</source>
        <translation>折れ線グラフ。列またはグループごとに一本の線です。</translation>
    </message>
    <message>
        <source>A bar chart, for example of shops on one day.</source>
        <translation>棒グラフ。たとえばある日の店ごとの値です。</translation>
    </message>
    <message>
        <source>A scatter chart of two columns.</source>
        <translation>散布図。ある列を横に、別の列を縦にとります。</translation>
    </message>
    <message>
        <source>A pie chart.</source>
        <translation>円グラフ：全体に占める割合です。</translation>
    </message>
    <message>
        <source>A chart of opening, high, low and closing prices, with volume and indicators.</source>
        <translation>ローソク足：始値・高値・安値・終値に、出来高と指標を添えます。</translation>
    </message>
    <message>
        <source>Several charts in one, such as bars and a line.</source>
        <translation>複数の図を一つに重ねます。たとえば棒と線です。</translation>
    </message>
    <message>
        <source>Rows as a table in the answer; can be saved as CSV.</source>
        <translation>回答に表として示し、必要なら CSV に保存します。</translation>
    </message>
    <message>
        <source>Fewer columns, or only rows that meet conditions.</source>
        <translation>列を減らす、または条件に合う行だけを残します。</translation>
    </message>
    <message>
        <source>One cell, as a number or a word.</source>
        <translation>一つのセルを、数または語として読みます。</translation>
    </message>
    <message>
        <source>Joins two results where columns are the same.</source>
        <translation>列が同じところで二つの結果を結合します。</translation>
    </message>
    <message>
        <source>Rows of several results, one below the other.</source>
        <translation>複数の結果の行を縦に並べます。</translation>
    </message>
    <message>
        <source>A column for each value, as in a pivot table.</source>
        <translation>値ごとに列を作ります（クロス表）。</translation>
    </message>
    <message>
        <source>Columns become rows with a name and a value each.</source>
        <translation>列を行にします。名前と値が一つずつです。</translation>
    </message>
    <message>
        <source>Sorts rows by a column, highest or lowest first, and can keep only the top rows.</source>
        <translation>列で並べ替えます。高い順でも低い順でも、上位いくつかだけでも。</translation>
    </message>
    <message>
        <source>Computes a number for each distinct value in a column, and sorts by it.</source>
        <translation>列の値ごとに数を計算し、それで並べ替えます。</translation>
    </message>
    <message>
        <source>Renames columns.</source>
        <translation>列の名前を変えます。</translation>
    </message>
    <message>
        <source>Get</source>
        <translation>取得</translation>
    </message>
    <message>
        <source>Arrange</source>
        <translation>整える</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>計算</translation>
    </message>
    <message>
        <source>Predict</source>
        <translation>予測</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>表示</translation>
    </message>
    <message>
        <source>It needs the rows from an earlier step.</source>
        <translation>前の手順の行が必要です。</translation>
    </message>
    <message>
        <source>It needs the rows from two earlier steps.</source>
        <translation>前の二つの手順の行が必要です。</translation>
    </message>
    <message>
        <source>It needs two earlier charts.</source>
        <translation>前に描いた二つの図が必要です。</translation>
    </message>
    <message>
        <source>It needs an open table.</source>
        <translation>ここで開いている表が必要です。</translation>
    </message>
    <message>
        <source>Add a step after {step}</source>
        <translation>「{step}」の後に手順を追加</translation>
    </message>
    <message>
        <source>Search: average, join, chart, sort …</source>
        <translation>検索：平均、結合、グラフ、並べ替え…</translation>
    </message>
    <message>
        <source>Search steps</source>
        <translation>手順でできることを検索</translation>
    </message>
    <message>
        <source>No matching step.</source>
        <translation>この言葉に合う手順はありません。</translation>
    </message>
    <message numerus="yes">
        <source>A workflow has at most %n steps.</source>
        <translation>
            <numerusform>ワークフローの手順は最大 %n 個です。</numerusform>
        </translation>
    </message>
    <message>
        <source>Step {taker} ({takes}) uses the result of step {giver} ({gives}), so it must come after that step.</source>
        <translation>手順 {taker}（{takes}）は手順 {giver}（{gives}）の結果を使うため、その後になければなりません。</translation>
    </message>
    <message>
        <source>A workflow has at least one step.</source>
        <translation>ワークフローには少なくとも一つの手順が必要です。</translation>
    </message>
    <message>
        <source>Step {taker} ({takes}) uses the result of step {giver} ({gives}). First change the input of step {taker}, or remove that step.</source>
        <translation>手順 {taker}（{takes}）は手順 {giver}（{gives}）の結果を使います。先に別のものを使わせるか、それを先に削除してください。</translation>
    </message>
    <message>
        <source>Alt with an arrow key moves a step, Insert adds one after it, Delete removes it.</source>
        <translation>Alt と矢印キーで手順を動かし、Insert で後に追加し、Delete で削除します。</translation>
    </message>
    <message>
        <source>Add a step …</source>
        <translation>手順を追加…</translation>
    </message>
    <message>
        <source>After the selected step (Insert)</source>
        <translation>選んだ手順の後に（Insert）</translation>
    </message>
    <message>
        <source>Move up (Alt+Up)</source>
        <translation>上へ（Alt+↑）</translation>
    </message>
    <message>
        <source>Move down (Alt+Down)</source>
        <translation>下へ（Alt+↓）</translation>
    </message>
    <message>
        <source>Remove this step (Delete)</source>
        <translation>この手順を削除（Delete）</translation>
    </message>
    <message>
        <source>Undo the last change</source>
        <translation>直前の変更を元に戻す</translation>
    </message>
    <message>
        <source>Ctrl+Z</source>
        <translation>Ctrl+Z</translation>
    </message>
    <message>
        <source>Searching the table …</source>
        <translation>表の中を探しています…</translation>
    </message>
    <message>
        <source>Remove the downloaded part of {name}? {room} will be freed.</source>
        <translation>{name} のダウンロード済みの部分を削除しますか？{room} が空きます。</translation>
    </message>
    <message>
        <source>Remove {name}? {room} will be freed. It can be downloaded again.</source>
        <translation>{name} を削除しますか？{room} が空きます。もう一度ダウンロードできます。</translation>
    </message>
    <message>
        <source>Remove {name}? It was imported; you can import it again.</source>
        <translation>{name} を削除しますか？取り込んだモデルなので、また使うにはもう一度取り込みます。</translation>
    </message>
    <message>
        <source>Removed: {room} are free again.</source>
        <translation>削除しました：{room} が空きました。</translation>
    </message>
    <message>
        <source>About this table …</source>
        <translation>この表について分かること…</translation>
    </message>
    <message>
        <source>Saved. The next question uses it.</source>
        <translation>保存しました。次の質問から使われます。</translation>
    </message>
    <message>
        <source>Restored.</source>
        <translation>元に戻しました。</translation>
    </message>
    <message>
        <source>About</source>
        <translation>情報</translation>
    </message>
    <message>
        <source>Show developer settings</source>
        <translation>開発者向けの設定も表示</translation>
    </message>
    <message numerus="yes">
        <source>{name} holds %n tables. Which do you need?</source>
        <translation>
            <numerusform>{name} には %n 個の表があります。どれが必要ですか？</numerusform>
        </translation>
    </message>
    <message>
        <source>Moved {name} here from {dashboard}</source>
        <translation>{name} を {dashboard} からここに移動しました</translation>
    </message>
    <message>
        <source>Only the text of this page is shown, because the sandbox for web pages doesn&apos;t work here. To see the page, start Deskpilot as a user other than root.</source>
        <translation>このページは文字だけを表示しています。ページを描くサンドボックスがここでは使えません。ページを見るには、root 以外のユーザーで Deskpilot を起動してください。</translation>
    </message>
    <message>
        <source>Download the starter models</source>
        <translation>最初のモデルをダウンロード</translation>
    </message>
    <message>
        <source>Memory settings</source>
        <translation>メモリの設定</translation>
    </message>
    <message>
        <source>Page {page}</source>
        <translation>{page} ページ</translation>
    </message>
    <message>
        <source>This page is a picture; its text can&apos;t be read.</source>
        <translation>このページは画像のため、文字を読み取れません。</translation>
    </message>
    <message>
        <source>… the rest is not shown.</source>
        <translation>…残りは表示していません。</translation>
    </message>
    <message>
        <source>Name of the library</source>
        <translation>ライブラリの名前</translation>
    </message>
    <message>
        <source>Rebuild the index of “{name}”? Every document is read and embedded again, and can be found only once it has been read.</source>
        <translation>「{name}」の索引を作り直しますか？すべての文書を読み直して埋め込み直します。読み終わるまで検索では見つかりません。</translation>
    </message>
    <message>
        <source>Rebuild</source>
        <translation>作り直す</translation>
    </message>
    <message>
        <source>Add a folder of documents</source>
        <translation>文書のフォルダーを追加</translation>
    </message>
    <message numerus="yes">
        <source>about %n s left</source>
        <translation>
            <numerusform>残り約 %n 秒</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading {done} of {total}: {name}</source>
        <translation>{total} 件中 {done} 件目を読み込み中：{name}</translation>
    </message>
    <message>
        <source>Folders and files to search and cite by page. They stay where they are and are not changed.</source>
        <translation>検索してページ単位で引用できるフォルダーとファイルです。元の場所に置かれたまま、変更されません。</translation>
    </message>
    <message>
        <source>New library …</source>
        <translation>新しいライブラリ…</translation>
    </message>
    <message>
        <source>Attach to the chat</source>
        <translation>チャットに添付</translation>
    </message>
    <message>
        <source>Add folder …</source>
        <translation>フォルダーを追加…</translation>
    </message>
    <message>
        <source>Add files …</source>
        <translation>ファイルを追加…</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>Read new or changed files</source>
        <translation>新しいものや変更されたものを読み込みます</translation>
    </message>
    <message>
        <source>Rebuild …</source>
        <translation>作り直す…</translation>
    </message>
    <message>
        <source>Read and index every document of this library again</source>
        <translation>このライブラリのすべての文書を読み直して索引を作る</translation>
    </message>
    <message>
        <source>Embedders …</source>
        <translation>埋め込みモデル…</translation>
    </message>
    <message>
        <source>Models for search by meaning</source>
        <translation>言葉が違っても意味で見つけるモデル</translation>
    </message>
    <message>
        <source>Download the OCR model; it then works offline</source>
        <translation>スキャンしたページを読むモデルを一度だけダウンロードします。その後はオフラインで使えます</translation>
    </message>
    <message>
        <source>Read scanned pages ({size}) …</source>
        <translation>スキャンしたページを読む（{size}）…</translation>
    </message>
    <message>
        <source>{pages}, not searchable</source>
        <translation>{pages}。検索では見つかりません</translation>
    </message>
    <message>
        <source>{pages}; {model} is reading them</source>
        <translation>{pages}。{model} が読んでいます</translation>
    </message>
    <message>
        <source>Searched by keyword. With an embedder, search also works by meaning.</source>
        <translation>言葉で検索します。埋め込みモデルがあれば意味でも見つかります。</translation>
    </message>
    <message>
        <source>Searched by keyword and meaning, with {model}</source>
        <translation>言葉と意味で検索します（{model}）</translation>
    </message>
    <message>
        <source>Searched by keyword; {model} has read {done} of {total} passages</source>
        <translation>言葉で検索します。{model} は {total} 件中 {done} 件の段落を読みました</translation>
    </message>
    <message numerus="yes">
        <source>%n passages by keyword only, until you download an embedder for their language</source>
        <translation>
            <numerusform>%n 件の段落は言葉でのみ検索（その言語に対応する埋め込みモデルをダウンロードすると意味でも検索できます）</numerusform>
        </translation>
    </message>
    <message>
        <source>ordered by {model}</source>
        <translation>{model} で並べ替え</translation>
    </message>
    <message>
        <source>index: {size}</source>
        <translation>索引：{size}</translation>
    </message>
    <message numerus="yes">
        <source>about %n min left</source>
        <translation>
            <numerusform>残り約 %n 分</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n h left</source>
        <translation>
            <numerusform>残り約 %n 時間</numerusform>
        </translation>
    </message>
    <message>
        <source>Search these documents</source>
        <translation>この文書を検索</translation>
    </message>
    <message>
        <source>Ask about it</source>
        <translation>これについて質問</translation>
    </message>
    <message>
        <source>Attach this document and ask about the search text</source>
        <translation>この文書を添付し、検索した内容を質問します</translation>
    </message>
    <message>
        <source>Open this page</source>
        <translation>このページを開く</translation>
    </message>
    <message>
        <source>Similar documents</source>
        <translation>似た文書</translation>
    </message>
    <message numerus="yes">
        <source>%n passages</source>
        <translation>
            <numerusform>%n か所</numerusform>
        </translation>
    </message>
    <message>
        <source>Not in these documents.</source>
        <translation>この文書にはありません。</translation>
    </message>
    <message>
        <source>No document mentions {words}.</source>
        <translation>記載なし：{words}。</translation>
    </message>
    <message>
        <source>page {page}</source>
        <translation>{page} ページ</translation>
    </message>
    <message>
        <source>Page {page} of {name}</source>
        <translation>{name} の {page} ページ</translation>
    </message>
    <message numerus="yes">
        <source>%n not read yet</source>
        <translation>
            <numerusform>%n 件は未読み込み</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n can&apos;t be read</source>
        <translation>
            <numerusform>%n 件は読み込めません</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pages</source>
        <translation>
            <numerusform>%n ページ</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n scanned pages unread</source>
        <translation>
            <numerusform>スキャン画像 %n ページは未読み取り</numerusform>
        </translation>
    </message>
    <message>
        <source>No documents yet.</source>
        <translation>文書はまだありません。</translation>
    </message>
    <message numerus="yes">
        <source>… %n more</source>
        <translation>
            <numerusform>…ほか %n 件</numerusform>
        </translation>
    </message>
    <message>
        <source>The same text: {names}</source>
        <translation>同じ文章：{names}</translation>
    </message>
    <message>
        <source>Similar, with differences: {names}</source>
        <translation>似ているが違いあり：{names}</translation>
    </message>
    <message>
        <source>Not read yet</source>
        <translation>未読み込み</translation>
    </message>
    <message>
        <source>Drawing the chart …</source>
        <translation>グラフを描いています…</translation>
    </message>
    <message>
        <source>This chart can&apos;t be drawn.</source>
        <translation>このグラフは描けません。</translation>
    </message>
    <message>
        <source>The last answer took {used:,} of the {room:,} tokens the model can hold.</source>
        <translation>前回の回答は、モデルが扱える {room:,} トークンのうち {used:,} トークンを使いました。</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>モデルなし</translation>
    </message>
    <message>
        <source>Chat model</source>
        <translation>チャットモデル</translation>
    </message>
    <message>
        <source>Available to download</source>
        <translation>ダウンロードできます</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>コンテキスト</translation>
    </message>
    <message>
        <source>Search for models …</source>
        <translation>モデルを検索…</translation>
    </message>
    <message>
        <source>All models …</source>
        <translation>すべてのモデル…</translation>
    </message>
    <message>
        <source>too large for this machine</source>
        <translation>このマシンには大きすぎます</translation>
    </message>
    <message>
        <source>Estimated: {name} writes {pace} tokens a second here, and speed falls as size grows.</source>
        <translation>推定値です。{name} はここで毎秒 {pace} トークンを書き、モデルが大きいほど遅くなります。</translation>
    </message>
    <message>
        <source>Measured here, over its last answers.</source>
        <translation>最近の回答をもとに、ここで測定しました。</translation>
    </message>
    <message>
        <source>Measured here.</source>
        <translation>ここで測定しました。</translation>
    </message>
    <message>
        <source>The largest that leaves memory for voice and search on this machine.</source>
        <translation>このマシンで、音声と検索のメモリを残せる最大のモデルです。</translation>
    </message>
    <message>
        <source>run from its sources</source>
        <translation>ソースから実行</translation>
    </message>
    <message>
        <source>installed with pip</source>
        <translation>pip でインストール</translation>
    </message>
    <message>
        <source>installed with pipx</source>
        <translation>pipx でインストール</translation>
    </message>
    <message>
        <source>installed with uv</source>
        <translation>uv でインストール</translation>
    </message>
    <message>
        <source>installed as a Debian package</source>
        <translation>Debian パッケージとしてインストール</translation>
    </message>
    <message>
        <source>installed from an archive</source>
        <translation>アーカイブからインストール</translation>
    </message>
    <message>
        <source>Free software under the GNU General Public License, version 3 or later, without any warranty. It contains the components below. Choose one to see its licence and the location of its source code.</source>
        <translation>GNU 一般公衆利用許諾書バージョン 3 以降のもとで公開された自由ソフトウェアです。いかなる保証もありません。以下のコンポーネントを含みます。選択すると、ライセンスとソースコードの場所を表示します。</translation>
    </message>
    <message>
        <source>Search components and licences</source>
        <translation>コンポーネントとライセンスを検索</translation>
    </message>
    <message>
        <source>Component</source>
        <translation>コンポーネント</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>バージョン</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>ライセンス</translation>
    </message>
    <message>
        <source>Components</source>
        <translation>コンポーネント</translation>
    </message>
    <message>
        <source>About Deskpilot</source>
        <translation>Deskpilot について</translation>
    </message>
    <message>
        <source>Version {version}, {kind}.</source>
        <translation>バージョン {version}、{kind}。</translation>
    </message>
    <message>
        <source>Source code: {place}</source>
        <translation>ソースコード：{place}</translation>
    </message>
    <message>
        <source>This component has no licence text of its own.</source>
        <translation>このコンポーネントにはライセンス文が付属していません。</translation>
    </message>
    <message>
        <source>The licence cannot be read: {why}.</source>
        <translation>ライセンスを読み込めません：{why}。</translation>
    </message>
    <message>
        <source>MMM yyyy</source>
        <translation>yyyy年M月</translation>
    </message>
    <message>
        <source>Will be asked once Deskpilot is ready</source>
        <translation>Deskpilotの準備ができたら質問します</translation>
    </message>
</context>
</TS>
