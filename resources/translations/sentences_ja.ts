<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ja_JP" sourcelanguage="en_US">
<context>
    <name></name>
    <message>
        <source>The request requires a call to a tool, which is not offered.</source>
        <translation>ツールの呼び出しが求められましたが、そのツールがありません。</translation>
    </message>
    <message>
        <source>The request requires a call to the tool {a}, which is not offered.</source>
        <translation>ツール {a} の呼び出しが求められましたが、提示されていません。</translation>
    </message>
    <message>
        <source>A change from zero has no percentage.</source>
        <translation>ゼロからの変化は百分率にできません。</translation>
    </message>
    <message>
        <source>A context of {a} tokens is too small for this guard model.</source>
        <translation>{a} トークンのコンテキストはこのガードモデルには小さすぎます。</translation>
    </message>
    <message>
        <source>A context of {a} tokens needs more memory than there is; lower n_ctx.</source>
        <translation>{a} トークンのコンテキストにはメモリが足りません。n_ctx を小さくしてください。</translation>
    </message>
    <message>
        <source>A file changed while it ran.</source>
        <translation>実行中にファイルが変わりました。</translation>
    </message>
    <message>
        <source>A list of values needs one column.</source>
        <translation>値の一覧には列が 1 つ必要です。</translation>
    </message>
    <message>
        <source>A newer Deskpilot ({a}) is running; this is {b}.</source>
        <translation>新しいバージョンの Deskpilot（{a}）が動いています。これは {b} です。</translation>
    </message>
    <message>
        <source>The document index was created by a newer Deskpilot.</source>
        <translation>文書の索引は新しいバージョンの Deskpilot で作られています。</translation>
    </message>
    <message>
        <source>A sample is different each time.</source>
        <translation>サンプルは毎回異なります。</translation>
    </message>
    <message>
        <source>A view of {a} cannot be read: {b}</source>
        <translation>{a} のビューを読み取れません：{b}</translation>
    </message>
    <message>
        <source>About Deskpilot</source>
        <translation>Deskpilot について</translation>
    </message>
    <message>
        <source>Add it again, or remove the widget.</source>
        <translation>追加し直すか、ウィジェットを削除してください。</translation>
    </message>
    <message>
        <source>Add it again.</source>
        <translation>もう一度追加してください。</translation>
    </message>
    <message>
        <source>Add it to the dashboard first.</source>
        <translation>先にダッシュボードへ追加してください。</translation>
    </message>
    <message>
        <source>Add one: deskpilot copilots add URL.</source>
        <translation>追加してください：deskpilot copilots add URL。</translation>
    </message>
    <message>
        <source>Add one: deskpilot mcp add NAME.</source>
        <translation>追加してください：deskpilot mcp add NAME。</translation>
    </message>
    <message>
        <source>Add one: deskpilot plugins add URL.</source>
        <translation>追加してください：deskpilot plugins add URL。</translation>
    </message>
    <message>
        <source>Add one: deskpilot skills add FILE.</source>
        <translation>追加してください：deskpilot skills add FILE。</translation>
    </message>
    <message>
        <source>Add them one by one: {a}.</source>
        <translation>1 つずつ追加してください：{a}。</translation>
    </message>
    <message>
        <source>Allow desktop apps to use it in Settings under Privacy &amp; security, Microphone.</source>
        <translation>「設定」の「プライバシーとセキュリティ」の「マイク」で、デスクトップ アプリの使用を許可してください。</translation>
    </message>
    <message>
        <source>Allow it in System Settings under Privacy &amp; Security, Microphone, and start Deskpilot again.</source>
        <translation>「システム設定」の「プライバシーとセキュリティ」の「マイク」で許可し、Deskpilot を起動し直してください。</translation>
    </message>
    <message>
        <source>Allow it in the system&apos;s settings, under Privacy; without a desktop, join the group audio.</source>
        <translation>システム設定の「プライバシー」で許可してください。デスクトップがない場合は audio グループに加わってください。</translation>
    </message>
    <message>
        <source>Allow it in the widget if you trust that server.</source>
        <translation>そのサーバーを信頼する場合は、ウィジェットで許可してください。</translation>
    </message>
    <message>
        <source>Allow more tokens.</source>
        <translation>トークン数を増やしてください。</translation>
    </message>
    <message>
        <source>Allow {a} to read “{b}” of {c} ({d})?</source>
        <translation>{a} が {c}（{d}）の「{b}」を読み取ることを許可しますか？</translation>
    </message>
    <message>
        <source>Allow {a} to run “{b}” of {c} ({d})?</source>
        <translation>{a} が {c}（{d}）の「{b}」を実行することを許可しますか？</translation>
    </message>
    <message>
        <source>An image is neither an address nor base64.</source>
        <translation>画像がアドレスでも base64 でもありません。</translation>
    </message>
    <message>
        <source>Another Deskpilot has these conversations open.</source>
        <translation>別の Deskpilot がこれらのチャットを開いています。</translation>
    </message>
    <message>
        <source>Answer in words.</source>
        <translation>言葉で答えてください。</translation>
    </message>
    <message>
        <source>Answer with it, or ask for something else.</source>
        <translation>それで答えるか、別のものを求めてください。</translation>
    </message>
    <message>
        <source>Answer without it.</source>
        <translation>それなしで答えてください。</translation>
    </message>
    <message>
        <source>Answer without it. Do not ask for it again.</source>
        <translation>それなしで答えてください。もう求めないでください。</translation>
    </message>
    <message>
        <source>Answer without running it, or tell the person how to run it.</source>
        <translation>実行せずに答えるか、実行方法を伝えてください。</translation>
    </message>
    <message>
        <source>Answer without them.</source>
        <translation>文書なしで答えてください。</translation>
    </message>
    <message>
        <source>Answered from the attached text; not computed, so check it</source>
        <translation>添付した文章から回答（計算ではないので確認してください）</translation>
    </message>
    <message>
        <source>Answered from {a} passages; cited: {b}</source>
        <translation>{a} か所をもとに回答。引用：{b}</translation>
    </message>
    <message>
        <source>Ask for less at once.</source>
        <translation>一度に求める量を減らしてください。</translation>
    </message>
    <message>
        <source>Ask for less with the widget&apos;s parameters.</source>
        <translation>ウィジェットのパラメーターで量を減らしてください。</translation>
    </message>
    <message>
        <source>Ask for less, or use another copilot.</source>
        <translation>一度に聞く量を減らすか、別のコパイロットを使ってください。</translation>
    </message>
    <message>
        <source>Ask for less.</source>
        <translation>一度に聞く量を減らしてください。</translation>
    </message>
    <message>
        <source>Ask for one of the widgets of the request.</source>
        <translation>リクエストにあるウィジェットを求めてください。</translation>
    </message>
    <message>
        <source>Ask for text or json.</source>
        <translation>text か json を求めてください。</translation>
    </message>
    <message>
        <source>Ask for the difference instead.</source>
        <translation>代わりに差を聞いてください。</translation>
    </message>
    <message>
        <source>Ask for wav or pcm.</source>
        <translation>wav か pcm を求めてください。</translation>
    </message>
    <message>
        <source>Ask for {a} or fewer.</source>
        <translation>{a} 以下を指定してください。</translation>
    </message>
    <message>
        <source>Ask for {a} to {b} Hz.</source>
        <translation>{a}～{b} Hz で求めてください。</translation>
    </message>
    <message>
        <source>Ask its maker, or choose another copilot.</source>
        <translation>作成者に問い合わせるか、別のコパイロットを選んでください。</translation>
    </message>
    <message>
        <source>Ask its maker.</source>
        <translation>作成者に問い合わせてください。</translation>
    </message>
    <message>
        <source>Ask the backend&apos;s maker.</source>
        <translation>バックエンドの作成者に問い合わせてください。</translation>
    </message>
    <message>
        <source>Ask the plugin&apos;s maker for a shorter one.</source>
        <translation>プラグインの作成者に短いものを求めてください。</translation>
    </message>
    <message>
        <source>Ask its administrator.</source>
        <translation>管理者に問い合わせてください。</translation>
    </message>
    <message>
        <source>Ask without code.</source>
        <translation>コードなしで質問してください。</translation>
    </message>
    <message>
        <source>Attach CSV, Parquet, Excel, JSON, SQLite or DuckDB.</source>
        <translation>CSV、Parquet、Excel、JSON、SQLite、DuckDB のどれかを添付してください。</translation>
    </message>
    <message>
        <source>Attach a database with rows.</source>
        <translation>行のあるデータベースを添付してください。</translation>
    </message>
    <message>
        <source>Attach a file with a header and rows.</source>
        <translation>見出しと行のあるファイルを添付してください。</translation>
    </message>
    <message>
        <source>Attach a file with rows.</source>
        <translation>行のあるファイルを添付してください。</translation>
    </message>
    <message>
        <source>Attach a file.</source>
        <translation>ファイルを添付してください。</translation>
    </message>
    <message>
        <source>Attach a spreadsheet with a header and rows.</source>
        <translation>見出しと行のあるスプレッドシートを添付してください。</translation>
    </message>
    <message>
        <source>Attach a table that has some.</source>
        <translation>行のある表を添付してください。</translation>
    </message>
    <message>
        <source>Attach a table: CSV, Parquet, Excel, JSON or SQLite.</source>
        <translation>表を添付してください：CSV、Parquet、Excel、JSON、SQLite。</translation>
    </message>
    <message>
        <source>Attach it again to read it.</source>
        <translation>読み込むには、もう一度追加してください。</translation>
    </message>
    <message>
        <source>Attach it again.</source>
        <translation>添付し直してください。</translation>
    </message>
    <message>
        <source>Attach it.</source>
        <translation>先に添付してください。</translation>
    </message>
    <message>
        <source>Attach the file again.</source>
        <translation>ファイルを添付し直してください。</translation>
    </message>
    <message>
        <source>Change the parameters, or try again later.</source>
        <translation>パラメーターを変えるか、後でもう一度試してください。</translation>
    </message>
    <message>
        <source>Change the parameters, or try again.</source>
        <translation>パラメーターを変えるか、やり直してください。</translation>
    </message>
    <message>
        <source>Change the parameters.</source>
        <translation>パラメーターを変えてください。</translation>
    </message>
    <message>
        <source>Check address and key.</source>
        <translation>アドレスとキーを確かめてください。</translation>
    </message>
    <message>
        <source>Check both.</source>
        <translation>両方を確かめてください。</translation>
    </message>
    <message>
        <source>Check its address, and that it runs.</source>
        <translation>アドレスと、動いているかを確かめてください。</translation>
    </message>
    <message>
        <source>Check its address.</source>
        <translation>アドレスを確かめてください。</translation>
    </message>
    <message>
        <source>Check its name.</source>
        <translation>名前を確かめてください。</translation>
    </message>
    <message>
        <source>Check its permissions.</source>
        <translation>権限を確かめてください。</translation>
    </message>
    <message>
        <source>Check sslmode and its certificates.</source>
        <translation>sslmode と証明書を確かめてください。</translation>
    </message>
    <message>
        <source>Check that it runs, and the network.</source>
        <translation>動いているか、ネットワークがつながっているかを確かめてください。</translation>
    </message>
    <message>
        <source>Check that it runs, then rate again.</source>
        <translation>動いているか確かめて、もう一度評価してください。</translation>
    </message>
    <message>
        <source>Check that it runs, then send the question again.</source>
        <translation>動いているか確かめて、質問を送り直してください。</translation>
    </message>
    <message>
        <source>Check that it works, or remove it.</source>
        <translation>動くか確かめるか、削除してください。</translation>
    </message>
    <message>
        <source>Check the address, and that the copilot runs.</source>
        <translation>アドレスと、コパイロットが動いているかを確かめてください。</translation>
    </message>
    <message>
        <source>Check the address, and that the server runs.</source>
        <translation>アドレスと、サーバーが動いているかを確かめてください。</translation>
    </message>
    <message>
        <source>Check the address, and that this network reaches it.</source>
        <translation>アドレスと、このネットワークから届くかを確かめてください。</translation>
    </message>
    <message>
        <source>Check the address, and the network.</source>
        <translation>アドレスとネットワークを確かめてください。</translation>
    </message>
    <message>
        <source>Check the address, which often ends in /v1, and any proxy on the way.</source>
        <translation>アドレス（多くは /v1 で終わります）と、途中のプロキシを確かめてください。</translation>
    </message>
    <message>
        <source>Check the address, which often ends in /v1, and the model&apos;s name.</source>
        <translation>アドレス（多くは /v1 で終わります）とモデル名を確かめてください。</translation>
    </message>
    <message>
        <source>Check the address.</source>
        <translation>アドレスを確かめてください。</translation>
    </message>
    <message>
        <source>Check the address; it needs agents.json or copilots.json.</source>
        <translation>アドレスを確かめてください。agents.json か copilots.json が必要です。</translation>
    </message>
    <message>
        <source>Check the address; it needs widgets.json.</source>
        <translation>アドレスを確かめてください。widgets.json が必要です。</translation>
    </message>
    <message>
        <source>Check the address; it needs {a}.</source>
        <translation>アドレスを確かめてください。{a} が必要です。</translation>
    </message>
    <message>
        <source>Check the connection and the address.</source>
        <translation>接続とアドレスを確かめてください。</translation>
    </message>
    <message>
        <source>Check the days.</source>
        <translation>日付を確認してください。</translation>
    </message>
    <message>
        <source>Check the disk&apos;s free space and permissions.</source>
        <translation>ディスクの空き容量と権限を確かめてください。</translation>
    </message>
    <message>
        <source>Check the disk&apos;s free space.</source>
        <translation>ディスクの空き容量を確かめてください。</translation>
    </message>
    <message>
        <source>Check the file.</source>
        <translation>ファイルを確かめてください。</translation>
    </message>
    <message>
        <source>Check the headers and keys of this backend.</source>
        <translation>このバックエンドのヘッダーとキーを確かめてください。</translation>
    </message>
    <message>
        <source>Check the input and the parameters.</source>
        <translation>入力とパラメーターを確かめてください。</translation>
    </message>
    <message>
        <source>Check the key and its permissions.</source>
        <translation>キーとその権限を確かめてください。</translation>
    </message>
    <message>
        <source>Check the key and what it allows.</source>
        <translation>キーとその権限を確かめてください。</translation>
    </message>
    <message>
        <source>Check the model&apos;s name, the input and the parameters.</source>
        <translation>モデル名、入力、パラメーターを確かめてください。</translation>
    </message>
    <message>
        <source>Check the path and its permissions.</source>
        <translation>パスと権限を確かめてください。</translation>
    </message>
    <message>
        <source>Check the path.</source>
        <translation>パスを確認してください。</translation>
    </message>
    <message>
        <source>Check the proxy.</source>
        <translation>プロキシを確かめてください。</translation>
    </message>
    <message>
        <source>Check the quota.</source>
        <translation>利用枠を確かめてください。</translation>
    </message>
    <message>
        <source>Choose a file created by `deskpilot chats backup`, or a copy of deskpilot.sqlite.</source>
        <translation>`deskpilot chats backup` で作ったファイルか、deskpilot.sqlite のコピーを選んでください。</translation>
    </message>
    <message>
        <source>Choose a longer range.</source>
        <translation>もっと長い範囲を選んでください。</translation>
    </message>
    <message>
        <source>Choose a multilingual model.</source>
        <translation>多言語モデルを選んでください。</translation>
    </message>
    <message>
        <source>Choose a reranker.</source>
        <translation>リランカーを選んでください。</translation>
    </message>
    <message>
        <source>Choose a smaller model, or allow models more memory: deskpilot models set all memory=8GB</source>
        <translation>小さいモデルを選ぶか、モデルに使えるメモリを増やしてください：deskpilot models set all memory=8GB</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>別のファイルを選んでください。</translation>
    </message>
    <message>
        <source>Choose another model.</source>
        <translation>別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>別の名前を選んでください。</translation>
    </message>
    <message>
        <source>Choose another one, or allow it where the desktop asks.</source>
        <translation>別のキーを選ぶか、デスクトップの確認で許可してください。</translation>
    </message>
    <message>
        <source>Choose another one.</source>
        <translation>別のものを選んでください。</translation>
    </message>
    <message>
        <source>Choose another place.</source>
        <translation>別の場所を選んでください。</translation>
    </message>
    <message>
        <source>Choose another provider.</source>
        <translation>別のプロバイダーを選んでください。</translation>
    </message>
    <message>
        <source>Choose another range.</source>
        <translation>別の範囲を選んでください。</translation>
    </message>
    <message>
        <source>Choose another shortcut.</source>
        <translation>別のショートカットを選んでください。</translation>
    </message>
    <message>
        <source>Choose another symbol.</source>
        <translation>別の銘柄を選んでください。</translation>
    </message>
    <message>
        <source>Choose another table.</source>
        <translation>別の表を選んでください。</translation>
    </message>
    <message>
        <source>Choose another value, or none.</source>
        <translation>別の値を選ぶか、空にしてください。</translation>
    </message>
    <message>
        <source>Choose another voice.</source>
        <translation>別の音声を選んでください。</translation>
    </message>
    <message>
        <source>Choose another.</source>
        <translation>別のものを選んでください。</translation>
    </message>
    <message>
        <source>Choose at least one.</source>
        <translation>1 つ以上選んでください。</translation>
    </message>
    <message>
        <source>Choose one that does, or correct its settings.</source>
        <translation>呼び出せるモデルを選ぶか、設定を直してください。</translation>
    </message>
    <message>
        <source>Choose one that is.</source>
        <translation>あるものを選んでください。</translation>
    </message>
    <message>
        <source>Choose one: {a}.</source>
        <translation>1 つ選んでください：{a}。</translation>
    </message>
    <message>
        <source>Choose other names.</source>
        <translation>別の名前を選んでください。</translation>
    </message>
    <message>
        <source>Choose the ZIP or conversations.json of a ChatGPT export, a list of LMC messages, or a JSON file from Deskpilot.</source>
        <translation>ChatGPT の書き出し（ZIP か conversations.json）、LMC メッセージのリスト、Deskpilot の JSON のどれかを選んでください。</translation>
    </message>
    <message>
        <source>Choose: {a}.</source>
        <translation>選べるもの：{a}。</translation>
    </message>
    <message>
        <source>Close it and start it again.</source>
        <translation>閉じてから、もう一度起動してください。</translation>
    </message>
    <message>
        <source>Close other programs, or choose a smaller model.</source>
        <translation>ほかのプログラムを閉じるか、小さいモデルを選んでください。</translation>
    </message>
    <message>
        <source>Close the dashboard {a}? Widgets on it: {b}.</source>
        <translation>ダッシュボード {a} を閉じますか？ウィジェットは {b} 個あります。</translation>
    </message>
    <message>
        <source>Compute with a smaller unit.</source>
        <translation>もっと小さい単位で計算してください。</translation>
    </message>
    <message>
        <source>Computed from {a}.</source>
        <translation>{a} から計算しました。</translation>
    </message>
    <message>
        <source>Copy it to one: deskpilot models export-kit and import-kit.</source>
        <translation>いずれかにコピーしてください：deskpilot models export-kit と import-kit。</translation>
    </message>
    <message>
        <source>Copy the kit again.</source>
        <translation>キットをコピーし直してください。</translation>
    </message>
    <message>
        <source>Correct it and send the request again.</source>
        <translation>直して、リクエストを送り直してください。</translation>
    </message>
    <message>
        <source>Correct it in the model&apos;s settings.</source>
        <translation>モデルの設定で直してください。</translation>
    </message>
    <message>
        <source>Correct it in the provider&apos;s settings.</source>
        <translation>プロバイダーの設定で直してください。</translation>
    </message>
    <message>
        <source>Correct the arguments.</source>
        <translation>引数を直してください。</translation>
    </message>
    <message>
        <source>Correct the schema.</source>
        <translation>スキーマを直してください。</translation>
    </message>
    <message>
        <source>Correct the workflow.</source>
        <translation>ワークフローを直してください。</translation>
    </message>
    <message>
        <source>Create it with them.</source>
        <translation>作成するときに加えてください。</translation>
    </message>
    <message>
        <source>Declare it.</source>
        <translation>宣言してください。</translation>
    </message>
    <message>
        <source>Deskpilot is offline, so the model hub can&apos;t be searched.</source>
        <translation>Deskpilot はオフラインのため、モデルハブを検索できません。</translation>
    </message>
    <message>
        <source>Deskpilot is offline.</source>
        <translation>Deskpilot はオフラインです。</translation>
    </message>
    <message>
        <source>Deskpilot is offline: no connection to {a} is made.</source>
        <translation>Deskpilot はオフラインです。{a} には接続しません。</translation>
    </message>
    <message>
        <source>Detach large tables, or run deskpilot doctor to see what is missing.</source>
        <translation>大きな表を外すか、deskpilot doctor で不足を確かめてください。</translation>
    </message>
    <message>
        <source>Do less at once.</source>
        <translation>一度にする量を減らしてください。</translation>
    </message>
    <message>
        <source>Download it again.</source>
        <translation>ダウンロードし直してください。</translation>
    </message>
    <message>
        <source>Download it in your browser, and attach the file.</source>
        <translation>ブラウザーでダウンロードして、ファイルを添付してください。</translation>
    </message>
    <message>
        <source>Download it.</source>
        <translation>ダウンロードしてください。</translation>
    </message>
    <message>
        <source>Draw it first.</source>
        <translation>先に描いてください。</translation>
    </message>
    <message>
        <source>Enter its new address.</source>
        <translation>新しいアドレスを入力してください。</translation>
    </message>
    <message>
        <source>Fill it in.</source>
        <translation>入力してください。</translation>
    </message>
    <message>
        <source>Free some space and try again.</source>
        <translation>空きを作ってからやり直してください。</translation>
    </message>
    <message>
        <source>From {a}.</source>
        <translation>{a} のモデルです。</translation>
    </message>
    <message>
        <source>Give each step a name of its own.</source>
        <translation>手順ごとに別の名前を付けてください。</translation>
    </message>
    <message>
        <source>Give it a value.</source>
        <translation>値を入れてください。</translation>
    </message>
    <message>
        <source>Give it another name.</source>
        <translation>別の名前を付けてください。</translation>
    </message>
    <message>
        <source>Group by another column.</source>
        <translation>別の列でまとめてください。</translation>
    </message>
    <message>
        <source>If you trust that address, add it as a copilot.</source>
        <translation>そのアドレスを信頼する場合は、コパイロットとして追加してください。</translation>
    </message>
    <message>
        <source>Import it again.</source>
        <translation>取り込み直してください。</translation>
    </message>
    <message>
        <source>Imported.</source>
        <translation>取り込み済み。</translation>
    </message>
    <message>
        <source>Install Deskpilot again.</source>
        <translation>Deskpilot を入れ直してください。</translation>
    </message>
    <message>
        <source>Install Node.js (apt-get install nodejs), or ask for Python.</source>
        <translation>Node.js を入れるか（apt-get install nodejs）、Python で求めてください。</translation>
    </message>
    <message>
        <source>Install R (apt-get install r-base-core), or ask for Python.</source>
        <translation>R を入れるか（apt-get install r-base-core）、Python で求めてください。</translation>
    </message>
    <message>
        <source>Install bash, or ask for Python.</source>
        <translation>bash を入れるか、Python で求めてください。</translation>
    </message>
    <message>
        <source>Install it again.</source>
        <translation>入れ直してください。</translation>
    </message>
    <message>
        <source>Install it first.</source>
        <translation>先にインストールしてください。</translation>
    </message>
    <message>
        <source>Install it: sudo apt install espeak-ng (Debian, Ubuntu), brew install espeak-ng (macOS).</source>
        <translation>入れてください：sudo apt install espeak-ng（Debian、Ubuntu）、brew install espeak-ng（macOS）。</translation>
    </message>
    <message>
        <source>Install it: {a}</source>
        <translation>入れてください：{a}</translation>
    </message>
    <message>
        <source>Install them: {a}</source>
        <translation>入れてください：{a}</translation>
    </message>
    <message>
        <source>Install what it needs.</source>
        <translation>必要なものを入れてください。</translation>
    </message>
    <message>
        <source>Installed are: none.</source>
        <translation>インストール済み：なし。</translation>
    </message>
    <message>
        <source>Installed are: {a}.</source>
        <translation>インストール済み：{a}。</translation>
    </message>
    <message>
        <source>It asks this after reading answers from {a}.</source>
        <translation>これは {a} の回答を読み取った後の要求です。</translation>
    </message>
    <message>
        <source>No machine in the cluster has {a} with the same files.</source>
        <translation>クラスタには、同じファイルの {a} を持つマシンがありません。</translation>
    </message>
    <message>
        <source>Run this {a} code?</source>
        <translation>この {a} コードを実行しますか？</translation>
    </message>
    <message>
        <source>Select one above the widget.</source>
        <translation>ウィジェットの上で選んでください。</translation>
    </message>
    <message>
        <source>That part and those after it were removed. Try again; it will resume.</source>
        <translation>その部分と、それより後の部分を削除しました。もう一度お試しください。続きから再開します。</translation>
    </message>
    <message>
        <source>The answer is sent to {a}.</source>
        <translation>結果は {a} に送信されます。</translation>
    </message>
    <message>
        <source>The download of {a} was interrupted: no answer in time.</source>
        <translation>{a} のダウンロードが中断されました。応答が時間内にありませんでした。</translation>
    </message>
    <message>
        <source>The download of {a} was interrupted: no connection.</source>
        <translation>{a} のダウンロードが中断されました。接続がありません。</translation>
    </message>
    <message>
        <source>The download of {a} was interrupted: the connection was lost.</source>
        <translation>{a} のダウンロードが中断されました。接続が切れました。</translation>
    </message>
    <message>
        <source>The model cannot be unpacked: {a}.</source>
        <translation>モデルを展開できません：{a}。</translation>
    </message>
    <message>
        <source>The model&apos;s replica failed.</source>
        <translation>モデルのレプリカでエラーが起きました。</translation>
    </message>
    <message>
        <source>The server asks you to wait until {a}.</source>
        <translation>{a} まで待つよう求めています。</translation>
    </message>
    <message>
        <source>The server asks you to wait {a} seconds.</source>
        <translation>{a} 秒待つよう求めています。</translation>
    </message>
    <message>
        <source>It has no parameter {a}.</source>
        <translation>パラメーター {a} はありません。</translation>
    </message>
    <message>
        <source>It has: none.</source>
        <translation>あるもの：なし。</translation>
    </message>
    <message>
        <source>It has: nothing yet.</source>
        <translation>登録されているもの：まだありません。</translation>
    </message>
    <message>
        <source>It has: {a}.</source>
        <translation>あるもの：{a}。</translation>
    </message>
    <message>
        <source>It is a {a}.</source>
        <translation>型は {a} です。</translation>
    </message>
    <message>
        <source>It is {a}.</source>
        <translation>使える値：{a}。</translation>
    </message>
    <message>
        <source>It lists: {a}.</source>
        <translation>一覧にあるもの：{a}。</translation>
    </message>
    <message>
        <source>It must be at least {a}.</source>
        <translation>{a} 以上にしてください。</translation>
    </message>
    <message>
        <source>It must be at most {a}.</source>
        <translation>{a} 以下にしてください。</translation>
    </message>
    <message>
        <source>It must be less than {a}.</source>
        <translation>{a} より小さくしてください。</translation>
    </message>
    <message>
        <source>It must be more than {a}.</source>
        <translation>{a} より大きくしてください。</translation>
    </message>
    <message>
        <source>It needs a list of objects, one for each row.</source>
        <translation>行ごとに 1 つのオブジェクトを持つリストが必要です。</translation>
    </message>
    <message>
        <source>It points to {a}, which is not on the internet, and not the host you named.</source>
        <translation>{a} を指していますが、インターネット上になく、指定したホストでもありません。</translation>
    </message>
    <message>
        <source>It takes more than {a} s.</source>
        <translation>{a} 秒を超えます。</translation>
    </message>
    <message>
        <source>It was not read.</source>
        <translation>読み込まれませんでした。</translation>
    </message>
    <message>
        <source>It was removed. Try again, or ask the administrator of the index.</source>
        <translation>削除しました。やり直すか、インデックスの管理者に問い合わせてください。</translation>
    </message>
    <message>
        <source>Its copilot may have been removed.</source>
        <translation>コパイロットが削除された可能性があります。</translation>
    </message>
    <message>
        <source>Requesting its specification at {a} returned error {b}.</source>
        <translation>その仕様 {a} がエラー {b} を返しました。</translation>
    </message>
    <message>
        <source>Its variables are gone. Run the code again, or in smaller steps.</source>
        <translation>変数は失われました。もう一度実行するか、手順を小さく分けてください。</translation>
    </message>
    <message>
        <source>Keep the ones you need.</source>
        <translation>必要な列だけ残してください。</translation>
    </message>
    <message>
        <source>Leave compute_type empty, or choose int8.</source>
        <translation>compute_type を空にするか、int8 を選んでください。</translation>
    </message>
    <message>
        <source>Leave it out, or choose another model.</source>
        <translation>省くか、別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>Leave it out.</source>
        <translation>省いてください。</translation>
    </message>
    <message>
        <source>Let Deskpilot use the microphone in the system&apos;s settings, or choose another one.</source>
        <translation>システムの設定で Deskpilot にマイクの使用を許可するか、別のマイクを選んでください。</translation>
    </message>
    <message>
        <source>Limit it with max_tokens, or choose another model.</source>
        <translation>max_tokens で制限するか、別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>Loop over rows or values.</source>
        <translation>行か値で繰り返してください。</translation>
    </message>
    <message>
        <source>Make it smaller.</source>
        <translation>小さくしてください。</translation>
    </message>
    <message>
        <source>Make its folder writable.</source>
        <translation>フォルダーに書き込めるようにしてください。</translation>
    </message>
    <message>
        <source>Make the kit with the same version of Deskpilot.</source>
        <translation>同じバージョンの Deskpilot でキットを作ってください。</translation>
    </message>
    <message>
        <source>Measure it again.</source>
        <translation>測定し直してください。</translation>
    </message>
    <message>
        <source>No documents are attached.</source>
        <translation>文書が添付されていません。</translation>
    </message>
    <message>
        <source>No package index can be reached ({a}).</source>
        <translation>パッケージインデックスに接続できません（{a}）。</translation>
    </message>
    <message>
        <source>No package index offers {a} ({b}).</source>
        <translation>{a} を配布するパッケージインデックスがありません（{b}）。</translation>
    </message>
    <message>
        <source>No package index offers {a}.</source>
        <translation>{a} を配布するパッケージインデックスがありません。</translation>
    </message>
    <message>
        <source>No row has a price.</source>
        <translation>価格のある行がありません。</translation>
    </message>
    <message>
        <source>No row meets these conditions.</source>
        <translation>この条件に合う行はありません。</translation>
    </message>
    <message>
        <source>No safe connection to {a} can be made: {b}.</source>
        <translation>{a} と安全に接続できません：{b}。</translation>
    </message>
    <message>
        <source>No voice on this machine speaks the language {a}.</source>
        <translation>言語 {a} を話す音声がこのマシンにありません。</translation>
    </message>
    <message>
        <source>No hash is known for {a}.</source>
        <translation>{a} の正しいハッシュがわかりません。</translation>
    </message>
    <message>
        <source>This answer cannot be rated.</source>
        <translation>この回答の評価を受け取る相手がいません。</translation>
    </message>
    <message>
        <source>Not answered from your data</source>
        <translation>お使いのデータからの回答ではありません</translation>
    </message>
    <message>
        <source>Not found in any result: {a}</source>
        <translation>どの結果にも見つかりません：{a}</translation>
    </message>
    <message>
        <source>A percentage of zero cannot be computed.</source>
        <translation>ゼロに対する割合は出せません。</translation>
    </message>
    <message>
        <source>Nothing was removed.</source>
        <translation>何も削除していません。</translation>
    </message>
    <message>
        <source>On this system, Deskpilot cannot receive shortcuts while another window is active.</source>
        <translation>このシステムでは、別のウィンドウが前にあるとき Deskpilot はキーを受け取れません。</translation>
    </message>
    <message>
        <source>Only lines, bars and points can be drawn over each other.</source>
        <translation>重ねて描けるのは折れ線、棒、点だけです。</translation>
    </message>
    <message>
        <source>Only the person may close it.</source>
        <translation>閉じられるのは本人だけです。</translation>
    </message>
    <message>
        <source>Open Deskpilot once first.</source>
        <translation>先に一度 Deskpilot を開いてください。</translation>
    </message>
    <message>
        <source>Open another one.</source>
        <translation>別のチャットを開いてください。</translation>
    </message>
    <message>
        <source>Open it again.</source>
        <translation>開き直してください。</translation>
    </message>
    <message>
        <source>Open it in binary mode.</source>
        <translation>バイナリーモードで開いてください。</translation>
    </message>
    <message>
        <source>Parameter {a} is missing.</source>
        <translation>パラメーター {a} がありません。</translation>
    </message>
    <message>
        <source>Press its button again.</source>
        <translation>もう一度ボタンを押してください。</translation>
    </message>
    <message>
        <source>Print less, or write to a file.</source>
        <translation>出力を減らすか、ファイルに書いてください。</translation>
    </message>
    <message>
        <source>Propose it under another name.</source>
        <translation>別の名前で提案してください。</translation>
    </message>
    <message>
        <source>Python could not be prepared: it gave no reason.</source>
        <translation>Python を準備できません。理由は示されませんでした。</translation>
    </message>
    <message>
        <source>Python could not be prepared: {a}.</source>
        <translation>Python を準備できません：{a}。</translation>
    </message>
    <message>
        <source>Quoted from the best of {a} passages, word for word</source>
        <translation>{a} か所のうち最も近い箇所をそのまま引用</translation>
    </message>
    <message>
        <source>Read fewer rows, or a view that holds less.</source>
        <translation>読む行を減らすか、内容の少ないビューを読んでください。</translation>
    </message>
    <message>
        <source>Stopped reading {a}; nothing was saved.</source>
        <translation>{a} の読み込みを中止しました。何も残していません。</translation>
    </message>
    <message>
        <source>Record again, or send another file.</source>
        <translation>録音し直すか、別のファイルを送ってください。</translation>
    </message>
    <message>
        <source>Record again.</source>
        <translation>録音し直してください。</translation>
    </message>
    <message>
        <source>Record or export it again.</source>
        <translation>録音か書き出しをやり直してください。</translation>
    </message>
    <message>
        <source>Refresh the widget.</source>
        <translation>ウィジェットを更新してください。</translation>
    </message>
    <message>
        <source>Remove it first: deskpilot plugins remove {a}.</source>
        <translation>先に削除してください：deskpilot plugins remove {a}。</translation>
    </message>
    <message>
        <source>Remove it, and choose again: deskpilot models set</source>
        <translation>削除して選び直してください：deskpilot models set</translation>
    </message>
    <message>
        <source>Remove it.</source>
        <translation>削除してください。</translation>
    </message>
    <message>
        <source>Remove some: deskpilot skills remove NAME.</source>
        <translation>減らしてください：deskpilot skills remove NAME。</translation>
    </message>
    <message>
        <source>Remove this tile.</source>
        <translation>このタイルを削除してください。</translation>
    </message>
    <message>
        <source>Remove those first.</source>
        <translation>先にそれらを削除してください。</translation>
    </message>
    <message>
        <source>Remove {a} and add it again.</source>
        <translation>{a} を削除して、追加し直してください。</translation>
    </message>
    <message>
        <source>Rename it.</source>
        <translation>名前を変更してください。</translation>
    </message>
    <message>
        <source>Rows can only be counted for each period.</source>
        <translation>期間ごとには行数を数えることしかできません。</translation>
    </message>
    <message>
        <source>Run the same command again.</source>
        <translation>同じコマンドをもう一度実行してください。</translation>
    </message>
    <message>
        <source>Save it again as .xlsx.</source>
        <translation>.xlsx で保存し直してください。</translation>
    </message>
    <message>
        <source>Save it again.</source>
        <translation>保存し直してください。</translation>
    </message>
    <message>
        <source>Save it as UTF-8.</source>
        <translation>UTF-8 で保存してください。</translation>
    </message>
    <message>
        <source>Say it again.</source>
        <translation>もう一度話してください。</translation>
    </message>
    <message>
        <source>Search again.</source>
        <translation>もう一度検索してください。</translation>
    </message>
    <message>
        <source>Search for the model again.</source>
        <translation>モデルをもう一度検索してください。</translation>
    </message>
    <message>
        <source>Search for the model.</source>
        <translation>モデルを検索してください。</translation>
    </message>
    <message>
        <source>See: deskpilot assistants list.</source>
        <translation>参照：deskpilot assistants list。</translation>
    </message>
    <message>
        <source>See: deskpilot models list</source>
        <translation>参照：deskpilot models list</translation>
    </message>
    <message>
        <source>Select one.</source>
        <translation>1 つ選んでください。</translation>
    </message>
    <message>
        <source>Send a PNG, JPEG, WebP or GIF as a data URI or base64.</source>
        <translation>PNG、JPEG、WebP、GIF を data URI か base64 で送ってください。</translation>
    </message>
    <message>
        <source>Send another file: WAV, MP3, OGG, FLAC, M4A, WebM or any other common format.</source>
        <translation>別のファイルを送ってください：WAV、MP3、OGG、FLAC、M4A、WebM など一般的な形式。</translation>
    </message>
    <message>
        <source>Send at least one message.</source>
        <translation>メッセージを 1 つ以上送ってください。</translation>
    </message>
    <message>
        <source>Send less at a time.</source>
        <translation>一度に送る量を減らしてください。</translation>
    </message>
    <message>
        <source>Send letters or numbers.</source>
        <translation>文字か数字を送ってください。</translation>
    </message>
    <message>
        <source>Send one SELECT and nothing else.</source>
        <translation>SELECT 文を 1 つだけ送ってください。</translation>
    </message>
    <message>
        <source>Send one SELECT over the tables it names.</source>
        <translation>示された表に対する SELECT を 1 つ送ってください。</translation>
    </message>
    <message>
        <source>Send one between {a} and {b}.</source>
        <translation>{a}～{b} の値を送ってください。</translation>
    </message>
    <message>
        <source>Send one, or use the chat mode.</source>
        <translation>1 つ送るか、chat モードを使ってください。</translation>
    </message>
    <message>
        <source>Send one, or use the mode chat.</source>
        <translation>1 つ送るか、chat モードを使ってください。</translation>
    </message>
    <message>
        <source>Send some text.</source>
        <translation>文章を送ってください。</translation>
    </message>
    <message>
        <source>Send text, numbers, lists or an open file.</source>
        <translation>文字列、数、リスト、開いたファイルのどれかを送ってください。</translation>
    </message>
    <message>
        <source>Send text.</source>
        <translation>テキストを送ってください。</translation>
    </message>
    <message>
        <source>Send text; in LangChain: check_embedding_ctx_length=False.</source>
        <translation>テキストを送ってください。LangChain では check_embedding_ctx_length=False とします。</translation>
    </message>
    <message>
        <source>Send the image itself, as a data URI or base64.</source>
        <translation>画像そのものを data URI か base64 で送ってください。</translation>
    </message>
    <message>
        <source>Send the question again, or use another copilot.</source>
        <translation>質問を送り直すか、別のコパイロットを使ってください。</translation>
    </message>
    <message>
        <source>Send the question again.</source>
        <translation>質問を送り直してください。</translation>
    </message>
    <message>
        <source>Set it, and start Deskpilot from there.</source>
        <translation>設定して、そこから Deskpilot を起動してください。</translation>
    </message>
    <message>
        <source>Set the device to one of: {a}.</source>
        <translation>デバイスを次のどれかにしてください：{a}。</translation>
    </message>
    <message>
        <source>Show less at once.</source>
        <translation>一度に表示する量を減らしてください。</translation>
    </message>
    <message>
        <source>Sign in again, and allow it.</source>
        <translation>もう一度サインインして、許可してください。</translation>
    </message>
    <message>
        <source>Sign in again.</source>
        <translation>もう一度サインインしてください。</translation>
    </message>
    <message>
        <source>This system has no keyring.</source>
        <translation>このシステムにはキーリングがありません。</translation>
    </message>
    <message>
        <source>{a} could not be started on the cluster.</source>
        <translation>{a} をクラスタで起動できませんでした。</translation>
    </message>
    <message>
        <source>{a} has no data for these parameters.</source>
        <translation>{a} には、このパラメーターのデータがありません。</translation>
    </message>
    <message>
        <source>{a} is locked by another user or program.</source>
        <translation>{a} はほかの人がロックしています。</translation>
    </message>
    <message>
        <source>Speak closer to the microphone, or louder.</source>
        <translation>マイクに近づくか、大きな声で話してください。</translation>
    </message>
    <message>
        <source>Split it.</source>
        <translation>分割してください。</translation>
    </message>
    <message>
        <source>Split or repair it.</source>
        <translation>分割または修復してください。</translation>
    </message>
    <message>
        <source>Start a new conversation or attach less.</source>
        <translation>新しいチャットを始めるか、添付を減らしてください。</translation>
    </message>
    <message>
        <source>Step {a} uses {b}, which no earlier step produces.</source>
        <translation>手順 {a} は {b} を使いますが、それまでに作られていません。</translation>
    </message>
    <message>
        <source>Stop it (process {a}) and start it again.</source>
        <translation>停止して（プロセス {a}）、もう一度起動してください。</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>停止しました。</translation>
    </message>
    <message>
        <source>The SELECT reads {a}, which is not declared.</source>
        <translation>SELECT が宣言されていない {a} を読んでいます。</translation>
    </message>
    <message>
        <source>The answer does not match the schema: {a}</source>
        <translation>回答がスキーマに合いません：{a}</translation>
    </message>
    <message>
        <source>The answer ended in the middle of a line.</source>
        <translation>回答が行の途中で終わりました。</translation>
    </message>
    <message>
        <source>The answer ended in the middle of an event.</source>
        <translation>回答がイベントの途中で終わりました。</translation>
    </message>
    <message>
        <source>The answer is nested too deeply to be shown.</source>
        <translation>返答の入れ子が深すぎて表示できません。</translation>
    </message>
    <message>
        <source>The answer is not text: {a}, {b} bytes.</source>
        <translation>返答が文字ではなく、{a}（{b} バイト）です。</translation>
    </message>
    <message>
        <source>The answer does not match the plugin&apos;s description: {a}.</source>
        <translation>返答がプラグインの説明と違います：{a}。</translation>
    </message>
    <message>
        <source>Check the network. If it blocks this site, import a model from a file or a folder instead.</source>
        <translation>ネットワークを確認してください。このサイトが遮断されている場合は、ファイルまたはフォルダーからモデルを取り込んでください。</translation>
    </message>
    <message>
        <source>The answer from the server at {a} was cut off.</source>
        <translation>{a} のサーバーの回答が途中で切れました。</translation>
    </message>
    <message>
        <source>The answer from {a} is larger than {b} MB; it was not read.</source>
        <translation>{a} の返答が {b} MB を超えるので、読み込みませんでした。</translation>
    </message>
    <message>
        <source>The answer took too long.</source>
        <translation>回答に時間がかかりすぎました。</translation>
    </message>
    <message>
        <source>The answer was stopped.</source>
        <translation>回答を停止しました。</translation>
    </message>
    <message>
        <source>The arguments have no {a}.</source>
        <translation>引数に {a} はありません。</translation>
    </message>
    <message>
        <source>The backend answered with a web page, not with data.</source>
        <translation>バックエンドがデータではなくウェブページを返しました。</translation>
    </message>
    <message>
        <source>The call cannot be sent to the model: {a}.</source>
        <translation>呼び出しをモデルに送れません：{a}。</translation>
    </message>
    <message>
        <source>The call names no tabs.</source>
        <translation>呼び出しにタブの指定がありません。</translation>
    </message>
    <message>
        <source>The call names no widget.</source>
        <translation>呼び出しにウィジェットの指定がありません。</translation>
    </message>
    <message>
        <source>The call names {a} in {b}.</source>
        <translation>呼び出しの {b} に {a} 個が指定されています。</translation>
    </message>
    <message>
        <source>The call names {a} widgets.</source>
        <translation>呼び出しに {a} 個のウィジェットが指定されています。</translation>
    </message>
    <message>
        <source>The call was stopped.</source>
        <translation>呼び出しを停止しました。</translation>
    </message>
    <message>
        <source>The code was not run: Python did not start in time.</source>
        <translation>コードは実行されませんでした。Python が時間内に起動しませんでした。</translation>
    </message>
    <message>
        <source>The code was not run: Python&apos;s kernel, ipykernel, is not installed.</source>
        <translation>コードは実行されませんでした。Python のカーネル ipykernel がありません。</translation>
    </message>
    <message>
        <source>The code was not run: code runs on Linux and macOS only.</source>
        <translation>コードは実行されませんでした。コードは Linux と macOS でのみ実行できます。</translation>
    </message>
    <message>
        <source>The code was not run: there is no Rscript on this machine.</source>
        <translation>コードは実行されませんでした。このコンピューターに Rscript がありません。</translation>
    </message>
    <message>
        <source>The code was not run: there is no bash on this machine.</source>
        <translation>コードは実行されませんでした。このコンピューターに bash がありません。</translation>
    </message>
    <message>
        <source>The code was not run: there is no node on this machine.</source>
        <translation>コードは実行されませんでした。このコンピューターに node がありません。</translation>
    </message>
    <message>
        <source>The computation was stopped.</source>
        <translation>計算を停止しました。</translation>
    </message>
    <message>
        <source>The conversations are damaged: {a}.</source>
        <translation>チャットが壊れています：{a}。</translation>
    </message>
    <message>
        <source>The conversations cannot be written or read: {a}.</source>
        <translation>チャットを読み書きできません：{a}。</translation>
    </message>
    <message>
        <source>The conversations in {a} are damaged: {b}.</source>
        <translation>{a} のチャットが壊れています：{b}。</translation>
    </message>
    <message>
        <source>The conversations in {a} cannot be opened: {b}.</source>
        <translation>{a} のチャットを開けません：{b}。</translation>
    </message>
    <message>
        <source>The copilot returned no answer.</source>
        <translation>コパイロットが何も答えませんでした。</translation>
    </message>
    <message>
        <source>The copilot asked for the same data again and again.</source>
        <translation>コパイロットが同じデータを何度も求めました。</translation>
    </message>
    <message>
        <source>The copilot made more than {a} calls for one question.</source>
        <translation>コパイロットが 1 つの質問に {a} 回を超える呼び出しをしました。</translation>
    </message>
    <message>
        <source>The copilot reported more than {a} steps for one question.</source>
        <translation>コパイロットが 1 つの質問に {a} を超える手順を知らせました。</translation>
    </message>
    <message>
        <source>The copy of the conversations cannot be written to {a}: {b}.</source>
        <translation>チャットのコピーを {a} に書き込めません：{b}。</translation>
    </message>
    <message>
        <source>The database reported an error: {a}.</source>
        <translation>データベースで実行できませんでした：{a}。</translation>
    </message>
    <message>
        <source>The database is starting or shutting down.</source>
        <translation>データベースが起動中か終了中です。</translation>
    </message>
    <message>
        <source>The database refused the user name or the password.</source>
        <translation>データベースがユーザー名かパスワードを拒否しました。</translation>
    </message>
    <message>
        <source>The database {a} was removed.</source>
        <translation>データベース {a} は削除されました。</translation>
    </message>
    <message>
        <source>The download of {a} is incomplete.</source>
        <translation>{a} のダウンロードが不完全です。</translation>
    </message>
    <message>
        <source>The environment variable {a} is not set.</source>
        <translation>環境変数 {a} が設定されていません。</translation>
    </message>
    <message>
        <source>The file cannot be read: {a}</source>
        <translation>ファイルを読み込めません：{a}</translation>
    </message>
    <message>
        <source>The image cannot be read.</source>
        <translation>画像を読み込めません。</translation>
    </message>
    <message>
        <source>The image is given as a web address, and models on this machine cannot download it.</source>
        <translation>画像がアドレスで示されていますが、このマシンのモデルは何も取得しません。</translation>
    </message>
    <message>
        <source>The image is larger than {a} MB.</source>
        <translation>画像が {a} MB を超えています。</translation>
    </message>
    <message>
        <source>The document index can&apos;t be opened.</source>
        <translation>文書の索引を開けません。</translation>
    </message>
    <message>
        <source>The document index can&apos;t be read: {a}.</source>
        <translation>文書の索引を読み込めません：{a}。</translation>
    </message>
    <message>
        <source>The document index can&apos;t be written: {a}.</source>
        <translation>文書の索引に書き込めません：{a}。</translation>
    </message>
    <message>
        <source>This system&apos;s keyring cannot be used: {a}.</source>
        <translation>このシステムのキーリングを使えません：{a}。</translation>
    </message>
    <message>
        <source>The kit was made by a newer Deskpilot.</source>
        <translation>キットは新しいバージョンの Deskpilot で作られています。</translation>
    </message>
    <message>
        <source>The last design cannot be read.</source>
        <translation>前回の設計を読み込めません。</translation>
    </message>
    <message>
        <source>The library cannot be read.</source>
        <translation>ライブラリを読み込めません。</translation>
    </message>
    <message>
        <source>The library has no {a}.</source>
        <translation>ライブラリに {a} はありません。</translation>
    </message>
    <message>
        <source>The list of copilots in {a} cannot be read.</source>
        <translation>{a} のコパイロット一覧を読み込めません。</translation>
    </message>
    <message>
        <source>The kit&apos;s list of files, deskpilot-kit.json, is damaged: {a}.</source>
        <translation>キットの一覧 deskpilot-kit.json が壊れています：{a}。</translation>
    </message>
    <message>
        <source>The microphone was closed.</source>
        <translation>マイクが閉じられました。</translation>
    </message>
    <message>
        <source>The model stopped without giving a reason.</source>
        <translation>モデルが理由を示さずに終わりました。</translation>
    </message>
    <message>
        <source>The model in {a} cannot be loaded: {b}</source>
        <translation>{a} のモデルを読み込めません：{b}</translation>
    </message>
    <message>
        <source>The model in {a} is a {b}, which is neither an embedder nor a reranker.</source>
        <translation>{a} のモデルは {b} で、埋め込みモデルでもリランカーでもありません。</translation>
    </message>
    <message>
        <source>The model service answered {a}.</source>
        <translation>モデルサービスが {a} を返しました。</translation>
    </message>
    <message>
        <source>The model service did not start.</source>
        <translation>モデルサービスが起動しませんでした。</translation>
    </message>
    <message>
        <source>The model was loaded again with other settings.</source>
        <translation>モデルは別の設定で読み込み直されました。</translation>
    </message>
    <message>
        <source>The parameter {a} is missing.</source>
        <translation>パラメーター {a} がありません。</translation>
    </message>
    <message>
        <source>The parameter {a} must be a number, not {b}.</source>
        <translation>パラメーター {a} は {b} ではなく数にしてください。</translation>
    </message>
    <message>
        <source>The parameter {a} must be a number.</source>
        <translation>パラメーター {a} は数にしてください。</translation>
    </message>
    <message>
        <source>The parameter {a} must be a whole number, not {b}.</source>
        <translation>パラメーター {a} は {b} ではなく整数にしてください。</translation>
    </message>
    <message>
        <source>The parameter {a} must be at least {b}, not {c}.</source>
        <translation>パラメーター {a} は {c} ではなく {b} 以上にしてください。</translation>
    </message>
    <message>
        <source>The parameter {a} must be at most {b}, not {c}.</source>
        <translation>パラメーター {a} は {c} ではなく {b} 以下にしてください。</translation>
    </message>
    <message>
        <source>The parameter {a} must be one of {b}, not {c}.</source>
        <translation>パラメーター {a} は {c} ではなく {b} のどれかにしてください。</translation>
    </message>
    <message>
        <source>The parameter {a} must be text, not {b}.</source>
        <translation>パラメーター {a} は {b} ではなく文字列にしてください。</translation>
    </message>
    <message>
        <source>The parameter {a} must be true or false, not {b}.</source>
        <translation>パラメーター {a} は {b} ではなく true か false にしてください。</translation>
    </message>
    <message>
        <source>The pasted text can&apos;t be kept.</source>
        <translation>貼り付けたテキストを保存できません。</translation>
    </message>
    <message>
        <source>The person has not let you ask other copilots.</source>
        <translation>ほかのコパイロットに聞くことは許可されていません。</translation>
    </message>
    <message>
        <source>The preset {a} would be empty.</source>
        <translation>プリセット {a} が空になります。</translation>
    </message>
    <message>
        <source>The provider {a} cannot be loaded: {b}.</source>
        <translation>プロバイダー {a} を読み込めません：{b}。</translation>
    </message>
    <message>
        <source>The saved list of providers cannot be read ({a}: {b}).</source>
        <translation>追加済みのプロバイダーを読み取れません（{a}: {b}）。</translation>
    </message>
    <message>
        <source>The query is empty.</source>
        <translation>クエリが空です。</translation>
    </message>
    <message>
        <source>The query names {a} widgets.</source>
        <translation>クエリに {a} 個のウィジェットが指定されています。</translation>
    </message>
    <message>
        <source>The query ran for more than {a} s and was stopped.</source>
        <translation>クエリが {a} 秒を超えたので停止しました。</translation>
    </message>
    <message>
        <source>The search has no query.</source>
        <translation>検索に query がありません。</translation>
    </message>
    <message>
        <source>The server at {a} did not answer as an OpenAI-style server does: {b}.</source>
        <translation>{a} のサーバーの返答が OpenAI 形式ではありません：{b}。</translation>
    </message>
    <message>
        <source>The server at {a} {b} ({c}){d}.</source>
        <translation>サーバー {a}: {b}（{c}）{d}。</translation>
    </message>
    <message>
        <source>The server at {a} {b}{c}.</source>
        <translation>サーバー {a}: {b}{c}。</translation>
    </message>
    <message>
        <source>The server at {a}: {b}</source>
        <translation>サーバー {a}: {b}</translation>
    </message>
    <message>
        <source>The server has no database of this name.</source>
        <translation>サーバーにこの名前のデータベースはありません。</translation>
    </message>
    <message>
        <source>The setting {a} is not usable: {b}.</source>
        <translation>設定 {a} は使えません：{b}。</translation>
    </message>
    <message>
        <source>The audio file is empty.</source>
        <translation>音声ファイルが空です。</translation>
    </message>
    <message>
        <source>The audio file is empty: it has 0 bytes.</source>
        <translation>音声ファイルが空です（0 バイト）。</translation>
    </message>
    <message>
        <source>The starter embedder is not available.</source>
        <translation>初期の埋め込みモデルは利用できません。</translation>
    </message>
    <message>
        <source>The system does not let Deskpilot use sound.</source>
        <translation>システムが Deskpilot に音声の使用を許可していません。</translation>
    </message>
    <message>
        <source>The system does not let Deskpilot use {a}.</source>
        <translation>システムが Deskpilot に{a}の使用を許可していません。</translation>
    </message>
    <message>
        <source>The table cannot answer that: {a}</source>
        <translation>表からは答えられません：{a}</translation>
    </message>
    <message>
        <source>The table has no column {a}.</source>
        <translation>表に列 {a} はありません。</translation>
    </message>
    <message>
        <source>The task has no description.</source>
        <translation>作業の説明がありません。</translation>
    </message>
    <message>
        <source>The terminal returned nothing.</source>
        <translation>端末から何も返りませんでした。</translation>
    </message>
    <message>
        <source>The to-do list did not start.</source>
        <translation>ToDo リストを開始できませんでした。</translation>
    </message>
    <message>
        <source>The values are too large for a forecast.</source>
        <translation>値が大きすぎて予測できません。</translation>
    </message>
    <message>
        <source>The values are too small for a forecast.</source>
        <translation>値が小さすぎて予測できません。</translation>
    </message>
    <message>
        <source>The voice {a} cannot be loaded: {b}: {c}</source>
        <translation>音声 {a} を読み込めません：{b}: {c}</translation>
    </message>
    <message>
        <source>There are no rows in which both have numbers.</source>
        <translation>両方に数のある行がありません。</translation>
    </message>
    <message>
        <source>There are no rows {a}.</source>
        <translation>行 {a} はありません。</translation>
    </message>
    <message>
        <source>There are no rows.</source>
        <translation>行がありません。</translation>
    </message>
    <message>
        <source>There are several values for one day.</source>
        <translation>同じ日に複数の値があります。</translation>
    </message>
    <message>
        <source>There are too few rows in which both change.</source>
        <translation>両方が変化する行が少なすぎます。</translation>
    </message>
    <message>
        <source>There are {a} names for {b} results.</source>
        <translation>結果 {b} 個に名前が {a} 個あります。</translation>
    </message>
    <message>
        <source>There are {a} rows.</source>
        <translation>{a} 行あります。</translation>
    </message>
    <message>
        <source>There are {a} skills.</source>
        <translation>スキルが {a} 個あります。</translation>
    </message>
    <message>
        <source>There is no argument {a}.</source>
        <translation>引数 {a} はありません。</translation>
    </message>
    <message>
        <source>There is no assistant {a}.</source>
        <translation>アシスタント {a} はありません。</translation>
    </message>
    <message>
        <source>There is no chart {a}.</source>
        <translation>グラフ {a} はありません。</translation>
    </message>
    <message>
        <source>There is no column {a}.</source>
        <translation>列「{a}」はありません。</translation>
    </message>
    <message>
        <source>There is no conversation {a}.</source>
        <translation>チャット {a} はありません。</translation>
    </message>
    <message>
        <source>There is no copilot {a}.</source>
        <translation>コパイロット {a} はありません。</translation>
    </message>
    <message>
        <source>There is no dashboard here.</source>
        <translation>ここにダッシュボードはありません。</translation>
    </message>
    <message>
        <source>There is no data interface {a}.</source>
        <translation>データインターフェイス {a} はありません。</translation>
    </message>
    <message>
        <source>There is no document called {a}.</source>
        <translation>{a} という文書はありません。</translation>
    </message>
    <message>
        <source>There is no family of guard models called {a}.</source>
        <translation>{a} というガードモデルの系列はありません。</translation>
    </message>
    <message>
        <source>There is no file or folder {a}.</source>
        <translation>ファイルまたはフォルダー {a} がありません。</translation>
    </message>
    <message>
        <source>There is no file {a}.</source>
        <translation>ファイル {a} はありません。</translation>
    </message>
    <message>
        <source>There is no folder and no library “{a}”.</source>
        <translation>「{a}」というフォルダーもライブラリもありません。</translation>
    </message>
    <message>
        <source>There is no folder {a}.</source>
        <translation>フォルダー {a} はありません。</translation>
    </message>
    <message>
        <source>There is no interface {a}.</source>
        <translation>インターフェイス {a} はありません。</translation>
    </message>
    <message>
        <source>There is no kit in {a}.</source>
        <translation>{a} にキットはありません。</translation>
    </message>
    <message>
        <source>There is no loudspeaker on this machine.</source>
        <translation>このマシンにはスピーカーがありません。</translation>
    </message>
    <message>
        <source>There is no machine {a}.</source>
        <translation>{a} というマシンはありません。</translation>
    </message>
    <message>
        <source>There is no message to answer.</source>
        <translation>答えるメッセージがありません。</translation>
    </message>
    <message>
        <source>There is no microphone on this machine.</source>
        <translation>このマシンにはマイクがありません。</translation>
    </message>
    <message>
        <source>There is no model on this machine.</source>
        <translation>このマシンにモデルがありません。</translation>
    </message>
    <message>
        <source>There is no model {a} on this machine.</source>
        <translation>このマシンにモデル {a} はありません。</translation>
    </message>
    <message>
        <source>There is no model {a}.</source>
        <translation>モデル {a} はありません。</translation>
    </message>
    <message>
        <source>There is no operation {a}.</source>
        <translation>操作 {a} はありません。</translation>
    </message>
    <message>
        <source>There is no parameter {a}.</source>
        <translation>パラメーター {a} はありません。</translation>
    </message>
    <message>
        <source>There is no plugin {a}.</source>
        <translation>プラグイン {a} はありません。</translation>
    </message>
    <message>
        <source>There is no provider {a}.</source>
        <translation>プロバイダー {a} はありません。</translation>
    </message>
    <message>
        <source>There is no row {a}.</source>
        <translation>{a} 行目はありません。</translation>
    </message>
    <message>
        <source>There is no server {a}.</source>
        <translation>サーバー {a} はありません。</translation>
    </message>
    <message>
        <source>There is no setting {a}.</source>
        <translation>設定 {a} はありません。</translation>
    </message>
    <message>
        <source>There is no skill {a}.</source>
        <translation>スキル {a} はありません。</translation>
    </message>
    <message>
        <source>There is no step {a}.</source>
        <translation>手順 {a} はありません。</translation>
    </message>
    <message>
        <source>There is no such table here.</source>
        <translation>その表はここにありません。</translation>
    </message>
    <message>
        <source>There is no such widget.</source>
        <translation>そのウィジェットはありません。</translation>
    </message>
    <message>
        <source>There is no tab {a}.</source>
        <translation>タブ {a} はありません。</translation>
    </message>
    <message>
        <source>There is no time zone {a}.</source>
        <translation>{a} という時間帯はありません。</translation>
    </message>
    <message>
        <source>This system&apos;s keyring stores secrets in plain text ({a}).</source>
        <translation>このシステムのキーリングは、秘密情報を平文で保存します（{a}）。</translation>
    </message>
    <message>
        <source>Update Deskpilot, then try again.</source>
        <translation>Deskpilot を更新してから、もう一度試してください。</translation>
    </message>
    <message>
        <source>{a} has no tool named {b}.</source>
        <translation>{a} にツール {b} はありません。</translation>
    </message>
    <message>
        <source>There is no unfinished design.</source>
        <translation>途中の設計はありません。</translation>
    </message>
    <message>
        <source>There is no voice {a}.</source>
        <translation>音声 {a} はありません。</translation>
    </message>
    <message>
        <source>There is no {a} on this machine.</source>
        <translation>このマシンに {a} はありません。</translation>
    </message>
    <message>
        <source>There is no {a} {b} on this machine.</source>
        <translation>このマシンに {a} {b} はありません。</translation>
    </message>
    <message>
        <source>There is nothing at {a}.</source>
        <translation>{a} には何もありません。</translation>
    </message>
    <message>
        <source>There is nothing to draw.</source>
        <translation>描くものがありません。</translation>
    </message>
    <message>
        <source>There is nothing to say.</source>
        <translation>読み上げる内容がありません。</translation>
    </message>
    <message>
        <source>These are more than {a} rows.</source>
        <translation>{a} 行を超えています。</translation>
    </message>
    <message>
        <source>These are more than {a} steps.</source>
        <translation>手順が {a} を超えています。</translation>
    </message>
    <message>
        <source>These are several statements.</source>
        <translation>複数の文があります。</translation>
    </message>
    <message>
        <source>These are {a} tables.</source>
        <translation>表が {a} 個あります。</translation>
    </message>
    <message>
        <source>These conversations were written by a newer Deskpilot.</source>
        <translation>これらのチャットは新しいバージョンの Deskpilot で書かれています。</translation>
    </message>
    <message>
        <source>These conversations were written by another version of Deskpilot.</source>
        <translation>これらのチャットは別のバージョンの Deskpilot で書かれています。</translation>
    </message>
    <message>
        <source>These rows cannot be computed: {a}</source>
        <translation>これらの行は計算できません：{a}</translation>
    </message>
    <message>
        <source>These settings are not usable: {a}.</source>
        <translation>この設定は使えません：{a}。</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>考え中</translation>
    </message>
    <message>
        <source>This database was not added.</source>
        <translation>このデータベースは追加されていません。</translation>
    </message>
    <message>
        <source>On Wayland, a program cannot receive keyboard shortcuts while another window is active.</source>
        <translation>このデスクトップ（Wayland）では、別のウィンドウが前にあるときプログラムにキーが渡りません。</translation>
    </message>
    <message>
        <source>This model does not know the language {a}.</source>
        <translation>このモデルは言語 {a} を知りません。</translation>
    </message>
    <message>
        <source>This terminal has no function {a}.</source>
        <translation>この端末に関数 {a} はありません。</translation>
    </message>
    <message>
        <source>This voice needs parts of Piper that are not installed ({a}).</source>
        <translation>この音声には、入っていない Piper の部品が必要です（{a}）。</translation>
    </message>
    <message>
        <source>This widget has no parameters here.</source>
        <translation>このウィジェットにはここで使えるパラメーターがありません。</translation>
    </message>
    <message>
        <source>Thought</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Thought for {a} s</source>
        <translation>{a} 秒考えました</translation>
    </message>
    <message>
        <source>Try again in a moment.</source>
        <translation>少し待ってやり直してください。</translation>
    </message>
    <message>
        <source>Try again in about {a} s.</source>
        <translation>約 {a} 秒後にもう一度お試しください。</translation>
    </message>
    <message>
        <source>Try again later, or read fewer rows.</source>
        <translation>あとでやり直すか、読む行を減らしてください。</translation>
    </message>
    <message>
        <source>Try again later, or remove it.</source>
        <translation>あとでやり直すか、削除してください。</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>あとでやり直してください。</translation>
    </message>
    <message>
        <source>Try again.</source>
        <translation>やり直してください。</translation>
    </message>
    <message>
        <source>Types: note and html with text, table and chart with rows; a chart with chart_params.</source>
        <translation>型：note と html は text、table と chart は rows。chart には chart_params も必要です。</translation>
    </message>
    <message>
        <source>Update Deskpilot on this machine.</source>
        <translation>このマシンの Deskpilot を更新してください。</translation>
    </message>
    <message>
        <source>Update Deskpilot.</source>
        <translation>Deskpilot を更新してください。</translation>
    </message>
    <message>
        <source>Update it, or ask its maker.</source>
        <translation>更新するか、作成者に問い合わせてください。</translation>
    </message>
    <message>
        <source>Use PDF, Word, PowerPoint, Excel, EPUB, HTML, mail, Markdown or text.</source>
        <translation>PDF、Word、PowerPoint、Excel、EPUB、HTML、メール、Markdown、テキストを使ってください。</translation>
    </message>
    <message>
        <source>Use another copilot.</source>
        <translation>別のコパイロットを使ってください。</translation>
    </message>
    <message>
        <source>Use another copy.</source>
        <translation>別のコピーを使ってください。</translation>
    </message>
    <message>
        <source>Use another file of this model.</source>
        <translation>このモデルの別のファイルを使ってください。</translation>
    </message>
    <message>
        <source>Use another projector.</source>
        <translation>別のプロジェクターを使ってください。</translation>
    </message>
    <message>
        <source>Use invoke.</source>
        <translation>invoke を使ってください。</translation>
    </message>
    <message>
        <source>Use it once for each value.</source>
        <translation>値ごとに 1 回使ってください。</translation>
    </message>
    <message>
        <source>Use it to rerank, or choose an embedder.</source>
        <translation>並べ替えに使うか、埋め込みモデルを選んでください。</translation>
    </message>
    <message>
        <source>Use letters, digits and hyphens.</source>
        <translation>英字、数字、ハイフンを使ってください。</translation>
    </message>
    <message>
        <source>Use one of its tools.</source>
        <translation>そのツールのどれかを使ってください。</translation>
    </message>
    <message>
        <source>Use that one, or close it.</source>
        <translation>そちらを使うか、閉じてください。</translation>
    </message>
    <message>
        <source>Use the newer one, or quit it first.</source>
        <translation>新しいほうを使うか、先にそちらを終了してください。</translation>
    </message>
    <message>
        <source>Wait a little, or check the quota.</source>
        <translation>少し待つか、利用枠を確かめてください。</translation>
    </message>
    <message>
        <source>Wait a moment.</source>
        <translation>しばらくお待ちください。</translation>
    </message>
    <message>
        <source>Wait for it, or stop it.</source>
        <translation>終わるのを待つか、停止してください。</translation>
    </message>
    <message>
        <source>Wait until one is answered.</source>
        <translation>一つの回答が終わるまでお待ちください。</translation>
    </message>
    <message>
        <source>Its result depends on the order of the rows; its SELECT must set that order.</source>
        <translation>結果が行の並び順で変わります。どの順かを SELECT で指定する必要があります。</translation>
    </message>
    <message>
        <source>The notes on the table {a} cannot be read: {b}.</source>
        <translation>表 {a} についての説明を読めません：{b}。</translation>
    </message>
    <message>
        <source>Try again; a download will resume.</source>
        <translation>もう一度試してください。ダウンロードは途中から再開します。</translation>
    </message>
    <message>
        <source>Try again; it will resume.</source>
        <translation>もう一度試してください。途中から再開します。</translation>
    </message>
    <message>
        <source>Write it like 15:00, or 15:00 Asia/Shanghai.</source>
        <translation>15:00 または 15:00 Asia/Shanghai のように書いてください。</translation>
    </message>
    <message>
        <source>Write it like &gt; 5, 1..3 or = 2.</source>
        <translation>&gt; 5、1..3、= 2 のように書いてください。</translation>
    </message>
    <message>
        <source>Write it like Asia/Shanghai.</source>
        <translation>Asia/Shanghai のように書いてください。</translation>
    </message>
    <message>
        <source>Write it like X-API-KEY=secret.</source>
        <translation>X-API-KEY=secret のように書いてください。</translation>
    </message>
    <message>
        <source>Write it like http://127.0.0.1:7779.</source>
        <translation>http://127.0.0.1:7779 のように書いてください。</translation>
    </message>
    <message>
        <source>Write it like http://127.0.0.1:7780.</source>
        <translation>http://127.0.0.1:7780 のように書いてください。</translation>
    </message>
    <message>
        <source>Write it like http://127.0.0.1:8000.</source>
        <translation>http://127.0.0.1:8000 のように書いてください。</translation>
    </message>
    <message>
        <source>Write it like postgresql://user@127.0.0.1:5432/shop.</source>
        <translation>postgresql://user@127.0.0.1:5432/shop のように書いてください。</translation>
    </message>
    <message>
        <source>Write up to {a} characters of Markdown.</source>
        <translation>Markdown で {a} 文字まで書けます。</translation>
    </message>
    <message>
        <source>answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>cannot be reached</source>
        <translation>接続できません</translation>
    </message>
    <message>
        <source>could not be reached</source>
        <translation>接続できませんでした</translation>
    </message>
    <message>
        <source>does not allow this</source>
        <translation>これを許可していません</translation>
    </message>
    <message>
        <source>does not have this</source>
        <translation>これを持っていません</translation>
    </message>
    <message>
        <source>embedder</source>
        <translation>埋め込みモデル</translation>
    </message>
    <message>
        <source>espeak-ng failed: it ended with {a}</source>
        <translation>espeak-ng が失敗しました：終了コード {a}</translation>
    </message>
    <message>
        <source>espeak-ng failed: {a}</source>
        <translation>espeak-ng が失敗しました：{a}</translation>
    </message>
    <message>
        <source>espeak-ng is not installed on this machine.</source>
        <translation>このマシンに espeak-ng が入っていません。</translation>
    </message>
    <message>
        <source>guard model</source>
        <translation>ガードモデル</translation>
    </message>
    <message>
        <source>has moved</source>
        <translation>移転しました</translation>
    </message>
    <message>
        <source>has no usable address</source>
        <translation>使えるアドレスがありません</translation>
    </message>
    <message>
        <source>input[{a}].content {b} is not supported here.</source>
        <translation>ここでは input[{a}].content {b} に対応していません。</translation>
    </message>
    <message>
        <source>input[{a}].type {b} is not supported here.</source>
        <translation>ここでは input[{a}].type {b} に対応していません。</translation>
    </message>
    <message>
        <source>is not available</source>
        <translation>利用できません</translation>
    </message>
    <message>
        <source>is not ready</source>
        <translation>準備ができていません</translation>
    </message>
    <message>
        <source>its sign-in method has changed</source>
        <translation>利用者の確認方法が変わります</translation>
    </message>
    <message>
        <source>language model</source>
        <translation>言語モデル</translation>
    </message>
    <message>
        <source>llama.cpp failed: {a}</source>
        <translation>llama.cpp が失敗しました：{a}</translation>
    </message>
    <message>
        <source>llm has no {a}.</source>
        <translation>llm に {a} はありません。</translation>
    </message>
    <message>
        <source>llm.{a} cannot be {b}.</source>
        <translation>llm.{a} を {b} にはできません。</translation>
    </message>
    <message>
        <source>only the first {a} of {b} operations are offered</source>
        <translation>{b} 個の操作のうち最初の {a} 個だけを使えます</translation>
    </message>
    <message>
        <source>pixels is not base64.</source>
        <translation>pixels が base64 ではありません。</translation>
    </message>
    <message>
        <source>question</source>
        <translation>質問</translation>
    </message>
    <message>
        <source>refused the credentials</source>
        <translation>資格情報を拒否しました</translation>
    </message>
    <message>
        <source>refused the key</source>
        <translation>キーを拒否しました</translation>
    </message>
    <message>
        <source>reranker</source>
        <translation>リランカー</translation>
    </message>
    <message>
        <source>text.{a} is not supported here.</source>
        <translation>ここでは text.{a} に対応していません。</translation>
    </message>
    <message>
        <source>the schema is too large; below that point any value is accepted</source>
        <translation>スキーマが大きすぎるので、その先は何でも受け付けます</translation>
    </message>
    <message>
        <source>the schema refers to itself; below that point any value is accepted</source>
        <translation>スキーマが自分自身に戻るので、その先は何でも受け付けます</translation>
    </message>
    <message>
        <source>the schema: “{a}” is not sent to models; the server checks it</source>
        <translation>スキーマ：「{a}」はモデルに伝えず、サーバーが確かめます</translation>
    </message>
    <message>
        <source>the system&apos;s loudspeaker</source>
        <translation>システムのスピーカー</translation>
    </message>
    <message>
        <source>the system&apos;s microphone</source>
        <translation>システムのマイク</translation>
    </message>
    <message>
        <source>tokenizer.json is missing from {a}.</source>
        <translation>{a} に tokenizer.json がありません。</translation>
    </message>
    <message>
        <source>tools[{a}].type {b} is not supported here.</source>
        <translation>ここでは tools[{a}].type {b} に対応していません。</translation>
    </message>
    <message>
        <source>voice</source>
        <translation>音声</translation>
    </message>
    <message>
        <source>requires payment first</source>
        <translation>先に支払いが必要です</translation>
    </message>
    <message>
        <source>{a} ({b} MB) was not downloaded: {c}</source>
        <translation>{a}（{b} MB）をダウンロードできませんでした：{c}</translation>
    </message>
    <message>
        <source>{a} ({b}) is required.</source>
        <translation>{a}（{b}）は必須です。</translation>
    </message>
    <message>
        <source>{a} It may use {b}.</source>
        <translation>{a} 使えるのは {b} までです。</translation>
    </message>
    <message>
        <source>{a} Nothing was checked.</source>
        <translation>{a} 何も確認していません。</translation>
    </message>
    <message>
        <source>{a} Or set the device to one of: {b}.</source>
        <translation>{a} またはデバイスを次のどれかにしてください：{b}。</translation>
    </message>
    <message>
        <source>{a} Or turn the check off in the settings (moderation.check).</source>
        <translation>{a} または設定でチェックをオフにしてください（moderation.check）。</translation>
    </message>
    <message>
        <source>{a} The embedder {b} ordered them, which is less exact. {c} {d}</source>
        <translation>{a} 埋め込みモデル {b} で並べました（精度は下がります）。{c} {d}</translation>
    </message>
    <message>
        <source>{a} sent a compressed answer that was not requested.</source>
        <translation>{a} が、求めていない圧縮形式で答えました。</translation>
    </message>
    <message>
        <source>{a} answered with too few words to be measured.</source>
        <translation>{a} の回答が短すぎて測定できません。</translation>
    </message>
    <message>
        <source>{a} answered with {b}, not with a stream of events.</source>
        <translation>{a} の返答は {b} で、イベントのストリームではありません。</translation>
    </message>
    <message>
        <source>{a} can&apos;t be opened.</source>
        <translation>{a} を開けません。</translation>
    </message>
    <message>
        <source>{a} can&apos;t be read.</source>
        <translation>{a} を読み込めません。</translation>
    </message>
    <message>
        <source>{a} can&apos;t be read: the reader stopped unexpectedly.</source>
        <translation>{a} を読み込めません：読み取りが予期せず終了しました。</translation>
    </message>
    <message>
        <source>{a} can&apos;t be read: {b}.</source>
        <translation>{a} を読み込めません：{b}。</translation>
    </message>
    <message>
        <source>{a} cannot be compared with {b} by {c}.</source>
        <translation>{a} と {b} を {c} で比べられません。</translation>
    </message>
    <message>
        <source>{a} cannot be found or read.</source>
        <translation>{a} が見つからないか、読み込めません。</translation>
    </message>
    <message>
        <source>{a} cannot be found.</source>
        <translation>{a} が見つかりません。</translation>
    </message>
    <message>
        <source>{a} cannot be loaded: {b}.</source>
        <translation>{a} を読み込めません：{b}。</translation>
    </message>
    <message>
        <source>{a} cannot be looped over.</source>
        <translation>{a} は繰り返せません。</translation>
    </message>
    <message>
        <source>{a} cannot be opened: {b}.</source>
        <translation>{a}を開けません：{b}。</translation>
    </message>
    <message>
        <source>{a} cannot be reached.</source>
        <translation>{a} に接続できません。</translation>
    </message>
    <message>
        <source>{a} cannot be reached: {b}.</source>
        <translation>{a} に接続できません：{b}。</translation>
    </message>
    <message>
        <source>{a} cannot be read as a copy of conversations: {b}.</source>
        <translation>{a} をチャットのコピーとして読み込めません：{b}。</translation>
    </message>
    <message>
        <source>{a} cannot be read.</source>
        <translation>{a} を読み込めません。</translation>
    </message>
    <message>
        <source>{a} cannot be read: {b}.</source>
        <translation>{a} を読み込めません：{b}。</translation>
    </message>
    <message>
        <source>{a} cannot be started: there is no such program.</source>
        <translation>{a} を起動できません。そのプログラムがありません。</translation>
    </message>
    <message>
        <source>{a} cannot be written: {b}.</source>
        <translation>{a} に書き込めません：{b}。</translation>
    </message>
    <message>
        <source>{a} cannot be {b}.</source>
        <translation>{a} を {b} にはできません。</translation>
    </message>
    <message>
        <source>{a} changed while it was being read.</source>
        <translation>{a} は読み込み中に変更されました。</translation>
    </message>
    <message>
        <source>{a} closed the connection without an answer.</source>
        <translation>{a} が答えずに接続を閉じました。</translation>
    </message>
    <message>
        <source>{a} conversations fit {b}: {c}.</source>
        <translation>{b} に合うチャットが {a} 件あります：{c}。</translation>
    </message>
    <message>
        <source>{a} could not be started ({b}).</source>
        <translation>{a} を起動できませんでした（{b}）。</translation>
    </message>
    <message>
        <source>{a} declares XML entities.</source>
        <translation>{a} は XML 実体を宣言しています。</translation>
    </message>
    <message>
        <source>{a} does not describe a voice.</source>
        <translation>{a} は音声の説明ではありません。</translation>
    </message>
    <message>
        <source>{a} is not available as a folder.</source>
        <translation>{a} はフォルダーの形ではありません。</translation>
    </message>
    <message>
        <source>{a} does not know {b}.</source>
        <translation>{a} は {b} を知りません。</translation>
    </message>
    <message>
        <source>{a} does not say how large it is.</source>
        <translation>{a} の大きさがわかりません。</translation>
    </message>
    <message>
        <source>{a} stopped without giving a reason.</source>
        <translation>{a} が理由を示さずに終わりました。</translation>
    </message>
    <message>
        <source>{a} has a header but no rows.</source>
        <translation>{a} には見出しだけで行がありません。</translation>
    </message>
    <message>
        <source>{a} has been silent for too long.</source>
        <translation>{a} からの応答が長く途絶えています。</translation>
    </message>
    <message>
        <source>{a} has changed.</source>
        <translation>{a} は変更されています。</translation>
    </message>
    <message>
        <source>{a} has more text than can be searched ({b} pages).</source>
        <translation>{a} の文字量が検索できる範囲（{b} ページ）を超えています。</translation>
    </message>
    <message>
        <source>{a} has more text than can be searched.</source>
        <translation>{a} はテキストが多すぎて検索できません。</translation>
    </message>
    <message>
        <source>{a} has more than {b} pages.</source>
        <translation>{a} は {b} ページを超えています。</translation>
    </message>
    <message>
        <source>{a} has more than {b} values.</source>
        <translation>{a} の値が {b} 個を超えています。</translation>
    </message>
    <message>
        <source>{a} has no column {b}.</source>
        <translation>{a} に列 {b} はありません。</translation>
    </message>
    <message>
        <source>{a} has no columns.</source>
        <translation>{a} に列がありません。</translation>
    </message>
    <message>
        <source>{a} has no feature {b} of its own.</source>
        <translation>{a} に機能 {b} はありません。</translation>
    </message>
    <message>
        <source>{a} has no model {b}.</source>
        <translation>{a} にモデル {b} はありません。</translation>
    </message>
    <message>
        <source>{a} has no page {b}.</source>
        <translation>{a} に {b} ページはありません。</translation>
    </message>
    <message>
        <source>{a} has no parameter {b}.</source>
        <translation>{a} にパラメーター {b} はありません。</translation>
    </message>
    <message>
        <source>{a} has no rows in its sheet {b}.</source>
        <translation>{a} のシート {b} には行がありません。</translation>
    </message>
    <message>
        <source>{a} has no rows in its table {b}.</source>
        <translation>{a} の表 {b} には行がありません。</translation>
    </message>
    <message>
        <source>{a} has no sheet with rows.</source>
        <translation>{a} に行のあるシートがありません。</translation>
    </message>
    <message>
        <source>{a} has no sheet {b}.</source>
        <translation>{a} にシート {b} はありません。</translation>
    </message>
    <message>
        <source>{a} has no table with rows.</source>
        <translation>{a} に行のある表がありません。</translation>
    </message>
    <message>
        <source>{a} has no table {b}.</source>
        <translation>{a} に表 {b} はありません。</translation>
    </message>
    <message>
        <source>{a} has no {b}.</source>
        <translation>{a} に {b} はありません。</translation>
    </message>
    <message>
        <source>{a} has not changed.</source>
        <translation>{a} は変わっていません。</translation>
    </message>
    <message>
        <source>{a} is {b} GB; up to {c} GB can be opened.</source>
        <translation>{a} は {b} GB あります。開けるのは {c} GB までです。</translation>
    </message>
    <message>
        <source>{a} has {b} columns; up to {c} can be shown.</source>
        <translation>{a} には {b} 列あります。表示できるのは {c} 列までです。</translation>
    </message>
    <message>
        <source>{a} has {b} tables: {c}.</source>
        <translation>{a} には {b} 個の表があります：{c}。</translation>
    </message>
    <message>
        <source>{a} does not contain {b}.</source>
        <translation>{a} に {b} はありません。</translation>
    </message>
    <message>
        <source>{a} does not contain {b}. Did you mean {c}?</source>
        <translation>{a} に {b} はありません。{c} のことですか？</translation>
    </message>
    <message>
        <source>{a} in {b} cannot be read: {c}</source>
        <translation>{b} の {a} を読み込めません：{c}</translation>
    </message>
    <message>
        <source>{a} in {b} describes no model.</source>
        <translation>{b} の {a} はモデルの説明ではありません。</translation>
    </message>
    <message>
        <source>{a} is a damaged GGUF file.</source>
        <translation>{a} は壊れた GGUF ファイルです。</translation>
    </message>
    <message>
        <source>{a} is another machine: the question and attached data would go there.</source>
        <translation>{a} は別のマシンです。質問と添付データがそこへ送られます。</translation>
    </message>
    <message>
        <source>{a} is damaged or is not a PDF.</source>
        <translation>{a} は壊れているか、PDF ではありません。</translation>
    </message>
    <message>
        <source>{a} is damaged or locked.</source>
        <translation>{a} は壊れているか、ロックされています。</translation>
    </message>
    <message>
        <source>{a} is damaged.</source>
        <translation>{a} は壊れています。</translation>
    </message>
    <message>
        <source>{a} is damaged: its hash differs.</source>
        <translation>{a} は壊れています。ハッシュが違います。</translation>
    </message>
    <message>
        <source>{a} is damaged: {b}.</source>
        <translation>{a} は壊れています：{b}。</translation>
    </message>
    <message>
        <source>{a} is empty.</source>
        <translation>{a} は空です。</translation>
    </message>
    <message>
        <source>{a} is larger than 2 GB.</source>
        <translation>{a} は 2 GB を超えています。</translation>
    </message>
    <message>
        <source>{a} is larger than {b} MB.</source>
        <translation>{a} は {b} MB を超えています。</translation>
    </message>
    <message>
        <source>{a} is longer than {b} characters</source>
        <translation>{a} が {b} 文字を超えています</translation>
    </message>
    <message>
        <source>{a} is longer than {b} characters.</source>
        <translation>{a} が {b} 文字を超えています。</translation>
    </message>
    <message>
        <source>{a} is missing from {b}.</source>
        <translation>{b} に {a} がありません。</translation>
    </message>
    <message>
        <source>{a} is not one of the values of {b}.</source>
        <translation>{a} は {b} の値にありません。</translation>
    </message>
    <message>
        <source>{a} is not JSON in UTF-8.</source>
        <translation>{a} は UTF-8 の JSON ではありません。</translation>
    </message>
    <message>
        <source>{a} is not JSON: line {b} cannot be read.</source>
        <translation>{a} は JSON ではありません。{b} 行目を読み込めません。</translation>
    </message>
    <message>
        <source>{a} is not JSON: {b}</source>
        <translation>{a} が JSON ではありません：{b}</translation>
    </message>
    <message>
        <source>{a} is not a GGUF file.</source>
        <translation>{a} は GGUF ファイルではありません。</translation>
    </message>
    <message>
        <source>{a} is not a file.</source>
        <translation>{a} はファイルではありません。</translation>
    </message>
    <message>
        <source>{a} is not a folder.</source>
        <translation>{a} はフォルダーではありません。</translation>
    </message>
    <message>
        <source>{a} is not a number.</source>
        <translation>{a} は数ではありません。</translation>
    </message>
    <message>
        <source>{a} is not a regular table: {b}.</source>
        <translation>{a} は整った表ではありません：{b}。</translation>
    </message>
    <message>
        <source>{a} is not a text file.</source>
        <translation>{a} はテキストファイルではありません。</translation>
    </message>
    <message>
        <source>{a} is not in the library “{b}”.</source>
        <translation>{a} はライブラリ「{b}」にありません。</translation>
    </message>
    <message>
        <source>{a} is not on this machine.</source>
        <translation>{a} はこのマシンにありません。</translation>
    </message>
    <message>
        <source>{a} is not text.</source>
        <translation>{a} はテキストではありません。</translation>
    </message>
    <message>
        <source>{a} is not the file of {b}: its hash differs.</source>
        <translation>{a} は {b} のファイルではありません。ハッシュが違います。</translation>
    </message>
    <message>
        <source>{a} is not the file the catalogue names: its hash differs.</source>
        <translation>{a} はカタログのファイルではありません。ハッシュが違います。</translation>
    </message>
    <message>
        <source>{a} cannot be chosen here.</source>
        <translation>ここで {a} は選べません。</translation>
    </message>
    <message>
        <source>{a} cannot be chosen here. Did you mean {b}?</source>
        <translation>ここで {a} は選べません。{b} のことですか？</translation>
    </message>
    <message>
        <source>{a} is outside the folder.</source>
        <translation>{a} はフォルダーの外にあります。</translation>
    </message>
    <message>
        <source>{a} is part of the installed package.</source>
        <translation>{a} はインストール済みパッケージの一部です。</translation>
    </message>
    <message>
        <source>{a} is stale: {b}</source>
        <translation>{a} は古くなっています：{b}</translation>
    </message>
    <message>
        <source>{a} is the projector of another model.</source>
        <translation>{a} は別のモデルのプロジェクターです。</translation>
    </message>
    <message>
        <source>{a} is too large for a list of copilots.</source>
        <translation>{a} はコパイロットの一覧としては大きすぎます。</translation>
    </message>
    <message>
        <source>{a} is too large.</source>
        <translation>{a} は大きすぎます。</translation>
    </message>
    <message>
        <source>{a} is too large; below that point any value is accepted</source>
        <translation>{a} が大きすぎるので、その先は何でも受け付けます</translation>
    </message>
    <message>
        <source>{a} refers to itself; below that point any value is accepted</source>
        <translation>{a} が自分自身に戻るので、その先は何でも受け付けます</translation>
    </message>
    <message>
        <source>{a} must be a number, not {b}.</source>
        <translation>{a} は {b} ではなく数にしてください。</translation>
    </message>
    <message>
        <source>{a} must be a number, {b}, not {c}.</source>
        <translation>{a} は {c} ではなく数（{b}）にしてください。</translation>
    </message>
    <message>
        <source>{a} must be a whole number, not {b}.</source>
        <translation>{a} は {b} ではなく整数にしてください。</translation>
    </message>
    <message>
        <source>{a} must be a whole number, {b}, not {c}.</source>
        <translation>{a} は {c} ではなく整数（{b}）にしてください。</translation>
    </message>
    <message>
        <source>{a} must be one of {b}.</source>
        <translation>{a} は {b} のどれかにしてください。</translation>
    </message>
    <message>
        <source>{a} must be text.</source>
        <translation>{a} は文字列にしてください。</translation>
    </message>
    <message>
        <source>{a} must be true or false.</source>
        <translation>{a} は true か false にしてください。</translation>
    </message>
    <message>
        <source>{a} needs a column.</source>
        <translation>{a} には列が必要です。</translation>
    </message>
    <message>
        <source>{a} needs two arguments.</source>
        <translation>{a} には引数が 2 つ必要です。</translation>
    </message>
    <message>
        <source>{a} of {b} is missing from the kit or incomplete.</source>
        <translation>キットの {b} の {a} がないか、途中で切れています。</translation>
    </message>
    <message>
        <source>{a} offers no {b} models.</source>
        <translation>{a} に {b} のモデルはありません。</translation>
    </message>
    <message>
        <source>{a} does not offer a copilot named {b}.</source>
        <translation>{a} はコパイロット {b} を公開していません。</translation>
    </message>
    <message>
        <source>{a} does not offer a copilot.</source>
        <translation>{a} はコパイロットを公開していません。</translation>
    </message>
    <message>
        <source>{a} publishes no plugin.</source>
        <translation>{a} はプラグインを公開していません。</translation>
    </message>
    <message>
        <source>{a} publishes no widgets.</source>
        <translation>{a} はウィジェットを公開していません。</translation>
    </message>
    <message>
        <source>{a} publishes {b} copilots.</source>
        <translation>{a} は {b} 個のコパイロットを公開しています。</translation>
    </message>
    <message>
        <source>{a} refused access (error {b}).</source>
        <translation>{a} がアクセスを拒否しました（エラー {b}）。</translation>
    </message>
    <message>
        <source>{a} refused the search (HTTP {b}).</source>
        <translation>{a} が検索を拒否しました（HTTP {b}）。</translation>
    </message>
    <message>
        <source>One side matches {a} rows.</source>
        <translation>片方に合う行が {a} 件あります。</translation>
    </message>
    <message>
        <source>{a} sent {b}; the connection was closed.</source>
        <translation>{a} から{b}が届いたので、接続を閉じました。</translation>
    </message>
    <message>
        <source>{a} takes too long.</source>
        <translation>{a} は時間がかかりすぎます。</translation>
    </message>
    <message>
        <source>{a} unpacks to more than {b} MB.</source>
        <translation>{a} は展開すると {b} MB を超えます。</translation>
    </message>
    <message>
        <source>{a} was damaged on the disk, in part {b} of {c}.</source>
        <translation>{a} がディスク上で壊れていました（全 {c} 個のうち {b} 番目の部分）。</translation>
    </message>
    <message>
        <source>{a} was not validated: {b}</source>
        <translation>{a} は検証を通りませんでした：{b}</translation>
    </message>
    <message>
        <source>{a} was not written: {b}.</source>
        <translation>{a} は書き込まれませんでした：{b}。</translation>
    </message>
    <message>
        <source>{a} was written by a newer Deskpilot.</source>
        <translation>{a} は新しいバージョンの Deskpilot で書かれています。</translation>
    </message>
    <message>
        <source>{a} writes to the database when it is read, so it is not read.</source>
        <translation>{a} は読むとデータベースに書き込むので、読みません。</translation>
    </message>
    <message>
        <source>{a} {b} needs a list of values.</source>
        <translation>{a} {b} には値のリストが必要です。</translation>
    </message>
    <message>
        <source>{a} {b} needs one value.</source>
        <translation>{a} {b} には値が 1 つ必要です。</translation>
    </message>
    <message>
        <source>{a} {b} needs {c} values.</source>
        <translation>{a} {b} には値が {c} 個必要です。</translation>
    </message>
    <message>
        <source>{a}() with one day counts up to today.</source>
        <translation>{a}() に日付を 1 つだけ渡すと、今日まで数えます。</translation>
    </message>
    <message>
        <source>{a}: no file is selected.</source>
        <translation>{a}：ファイルが選ばれていません。</translation>
    </message>
    <message>
        <source>{a}: the backend did not answer with a Plotly figure.</source>
        <translation>{a}：バックエンドの返答が Plotly の図ではありません。</translation>
    </message>
    <message>
        <source>{a}: the backend did not answer with a file.</source>
        <translation>{a}：バックエンドの返答がファイルではありません。</translation>
    </message>
    <message>
        <source>{a}: the backend did not answer with a list of objects.</source>
        <translation>{a}：バックエンドの返答がオブジェクトのリストではありません。</translation>
    </message>
    <message>
        <source>{a}: the backend did not answer with a list of rows.</source>
        <translation>{a}：バックエンドの返答が行のリストではありません。</translation>
    </message>
    <message>
        <source>{a}: the backend did not answer with bars.</source>
        <translation>{a}：バックエンドの返答が足（バー）ではありません。</translation>
    </message>
    <message>
        <source>{a}: the backend did not answer with rows.</source>
        <translation>{a}：バックエンドの返答が行ではありません。</translation>
    </message>
    <message>
        <source>{a}: the backend has no price bars.</source>
        <translation>{a}：バックエンドに足（バー）がありません。</translation>
    </message>
    <message>
        <source>{a}: there are no bars for this symbol and time.</source>
        <translation>{a}：この銘柄と期間の足（バー）はありません。</translation>
    </message>
    <message>
        <source>{a}: there are no files.</source>
        <translation>{a}：ファイルがありません。</translation>
    </message>
    <message>
        <source>{a}: there are no rows for these parameters.</source>
        <translation>{a}：このパラメーターに合う行がありません。</translation>
    </message>
    <message>
        <source>{a}: this file type isn&apos;t supported.</source>
        <translation>{a}：この形式には対応していません。</translation>
    </message>
    <message>
        <source>{a}: “required: true” was moved from {b} to the object</source>
        <translation>{a}:「required: true」を {b} からオブジェクトへ移しました</translation>
    </message>
    <message>
        <source>{a}: “{b}” is not sent to models; the server checks it</source>
        <translation>{a}:「{b}」はモデルに伝えず、サーバーが確かめます</translation>
    </message>
    <message>
        <source>{a}{b}: it is larger than {c} MB.</source>
        <translation>{a}{b}: {c} MB を超えています。</translation>
    </message>
    <message>
        <source>{a}{b}: it is nested too deeply.</source>
        <translation>{a}{b}：入れ子が深すぎます。</translation>
    </message>
    <message>
        <source>{a}{b}: {c} (column {d}).</source>
        <translation>{a}{b}: {c}（{d} 桁目）。</translation>
    </message>
    <message>
        <source>“{a}” takes more than {b} s.</source>
        <translation>「{a}」に {b} 秒より長くかかります。</translation>
    </message>
    <message>
        <source>The picture of {a} cannot be saved: {b}.</source>
        <translation>{a} の画像を保存できません：{b}。</translation>
    </message>
    <message>
        <source>Fix the file, or remove it and add the copilots again.</source>
        <translation>ファイルを直すか、削除してコパイロットを追加し直してください。</translation>
    </message>
    <message>
        <source>{a} stopped in the middle of its answer.</source>
        <translation>{a} が回答の途中で途切れました。</translation>
    </message>
    <message>
        <source>The answer grew without end, so the connection was closed.</source>
        <translation>回答が際限なく長くなったので閉じました。</translation>
    </message>
    <message>
        <source>{a} answered with data of an unknown type, not with a stream of events.</source>
        <translation>{a} の返答はイベントのストリームではありません。</translation>
    </message>
    <message>
        <source>{a} forwards questions to {b}; the question was not sent there.</source>
        <translation>{a} は質問を {b} へ回そうとします。そこへは送りませんでした。</translation>
    </message>
    <message>
        <source>Add it again with the header or key it requires.</source>
        <translation>求められるヘッダーまたはキーを付けて、もう一度追加してください。</translation>
    </message>
    <message>
        <source>{a} returned error {b}.</source>
        <translation>{a} がエラー {b} を返しました。</translation>
    </message>
    <message>
        <source>{a} cannot be updated: it does not respond.</source>
        <translation>{a} に伝えられません。応答がありません。</translation>
    </message>
    <message>
        <source>{a} did not accept the rating (error {b}).</source>
        <translation>{a} が評価を受け付けませんでした（エラー {b}）。</translation>
    </message>
    <message>
        <source>{a} The headers are not sent to {b}, because you entered them for another address.</source>
        <translation>{a} ヘッダーは {b} に送りません。入力時のアドレスと違います。</translation>
    </message>
    <message>
        <source>If you want this, add --allow-host {a}.</source>
        <translation>それでよければ --allow-host {a} を付けてください。</translation>
    </message>
    <message>
        <source>{a} is not a web address.</source>
        <translation>{a} はウェブアドレスではありません。</translation>
    </message>
    <message>
        <source>{a} cannot receive attached tables; it gets only the question.</source>
        <translation>{a} には添付の表を見せられません。言葉だけが届きます。</translation>
    </message>
    <message>
        <source>{a}.{b} no longer exists.</source>
        <translation>{a}.{b} はもうありません。</translation>
    </message>
    <message>
        <source>List its tables again.</source>
        <translation>表の一覧を取得し直してください。</translation>
    </message>
    <message>
        <source>The copy cannot be saved: {a}.</source>
        <translation>コピーを保存できません：{a}。</translation>
    </message>
    <message>
        <source>Turn off offline mode first.</source>
        <translation>先にオフラインを解除してください。</translation>
    </message>
    <message>
        <source>The copy takes more than {a} GiB of disk space.</source>
        <translation>コピーが {a} GiB を超えるディスクを使います。</translation>
    </message>
    <message>
        <source>Create a view with what you need, or read fewer rows.</source>
        <translation>必要なものだけのビューを作るか、読む行を減らしてください。</translation>
    </message>
    <message>
        <source>Reading the database stopped unexpectedly: {a}.</source>
        <translation>データベースの読み込みが予期せず終わりました：{a}。</translation>
    </message>
    <message>
        <source>Reading the database stopped unexpectedly: no reason given.</source>
        <translation>データベースの読み込みが予期せず終わりました。理由は示されませんでした。</translation>
    </message>
    <message>
        <source>{a} has about {b} rows; up to {c} rows are copied without asking.</source>
        <translation>{a} は約 {b} 行あります。確認なしでコピーするのは {c} 行までです。</translation>
    </message>
    <message>
        <source>{a} has more rows; up to {b} rows are copied without asking.</source>
        <translation>{a} の行はそれより多くあります。確認なしでコピーするのは {b} 行までです。</translation>
    </message>
    <message>
        <source>Create a view with what you need, or specify how many rows to copy.</source>
        <translation>必要なものだけのビューを作るか、コピーする行数を指定してください。</translation>
    </message>
    <message>
        <source>The database did not accept a read-only transaction.</source>
        <translation>データベースが読み取り専用を保証しません。</translation>
    </message>
    <message>
        <source>The connection to the database was lost.</source>
        <translation>データベースとの接続が切れました。</translation>
    </message>
    <message>
        <source>The database does not allow this user to connect.</source>
        <translation>データベースがこのユーザーのアクセスを認めません。</translation>
    </message>
    <message>
        <source>This user does not have permission to read {a}.</source>
        <translation>このユーザーは {a} を読めません。</translation>
    </message>
    <message>
        <source>Ask its owner for the SELECT permission, or choose another.</source>
        <translation>所有者に SELECT の権限を求めるか、別のものを選んでください。</translation>
    </message>
    <message>
        <source>{a} no longer exists.</source>
        <translation>{a} はもうありません。</translation>
    </message>
    <message>
        <source>The columns of {a} have changed in the meantime.</source>
        <translation>{a} の列がその間に変わりました。</translation>
    </message>
    <message>
        <source>The database took longer than {a} s for {b}.</source>
        <translation>データベースは {b} に {a} 秒を超えました。</translation>
    </message>
    <message>
        <source>{a} contains text that is not in its database&apos;s encoding.</source>
        <translation>{a} にデータベースの文字コードと異なる文字があります。</translation>
    </message>
    <message>
        <source>The database already has too many connections.</source>
        <translation>データベースの接続数がすでに上限です。</translation>
    </message>
    <message>
        <source>The database closed the connection.</source>
        <translation>データベースが接続を終えました。</translation>
    </message>
    <message>
        <source>The database crashed and is restarting.</source>
        <translation>データベースが異常終了し、再起動しています。</translation>
    </message>
    <message>
        <source>The model service lost the connection.</source>
        <translation>モデルサービスが途切れました。</translation>
    </message>
    <message>
        <source>Try again; it will be restarted.</source>
        <translation>やり直してください。新しく起動します。</translation>
    </message>
    <message>
        <source>The transcript was cut off.</source>
        <translation>文字起こしが途切れました。</translation>
    </message>
    <message>
        <source>The model service keeps stopping.</source>
        <translation>モデルサービスが終了を繰り返しています。</translation>
    </message>
    <message>
        <source>Check {a}.</source>
        <translation>{a} を見てください。</translation>
    </message>
    <message>
        <source>Deskpilot was updated to version {a} while running; this window is still version {b}.</source>
        <translation>Deskpilot は動作中にバージョン {a} に更新されました。これはまだ {b} です。</translation>
    </message>
    <message>
        <source>The running model service belongs to an older Deskpilot; this is version {a}.</source>
        <translation>動作中のモデルサービスは古いバージョンの Deskpilot のものです。これは {a} です。</translation>
    </message>
    <message>
        <source>An older model service (process {a}) could not be stopped.</source>
        <translation>古いモデルサービス（プロセス {a}）を終了できませんでした。</translation>
    </message>
    <message>
        <source>Stop it first.</source>
        <translation>先に終了してください。</translation>
    </message>
    <message>
        <source>{a} contains the conversations themselves.</source>
        <translation>{a} はチャットそのもののファイルです。</translation>
    </message>
    <message>
        <source>Specify another file for the copy.</source>
        <translation>コピーには別のファイルを指定してください。</translation>
    </message>
    <message>
        <source>Choose a writable folder with enough free space.</source>
        <translation>書き込めて空きのあるフォルダーを選んでください。</translation>
    </message>
    <message>
        <source>The copy in {a} cannot be restored: {b}.</source>
        <translation>{a} のコピーを復元できません：{b}。</translation>
    </message>
    <message>
        <source>{a} contains no Deskpilot conversations.</source>
        <translation>{a} に Deskpilot のチャットはありません。</translation>
    </message>
    <message>
        <source>Start Deskpilot again: it checks them and restores the latest copy.</source>
        <translation>Deskpilot を起動し直してください。会話を確認し、最新のコピーを戻します。</translation>
    </message>
    <message>
        <source>The conversations cannot be saved in {a}: {b}.</source>
        <translation>チャットを {a} に保存できません：{b}。</translation>
    </message>
    <message>
        <source>Make the folder writable, or set DESKPILOT_HOME to another.</source>
        <translation>フォルダーに書き込めるようにするか、DESKPILOT_HOME で別のフォルダーを指定してください。</translation>
    </message>
    <message>
        <source>Restore a backup with `deskpilot chats restore FILE`, or move the file away and start again.</source>
        <translation>`deskpilot chats restore FILE` でバックアップを戻すか、ファイルを移してから起動し直してください。</translation>
    </message>
    <message>
        <source>The conversations were damaged; the copy from {a} was restored.</source>
        <translation>チャットが壊れていたため、{a} の状態に戻しました。</translation>
    </message>
    <message>
        <source>The damaged file is kept in {a}.</source>
        <translation>壊れたファイルは {a} に残してあります。</translation>
    </message>
    <message>
        <source>Update Deskpilot, or restore the copy it made when it was updated (deskpilot chats restore).</source>
        <translation>Deskpilot を更新するか、更新時に作られたコピーを復元してください（deskpilot chats restore）。</translation>
    </message>
    <message>
        <source>The display does not respond.</source>
        <translation>ディスプレイが応答しません。</translation>
    </message>
    <message>
        <source>Check whether other windows open.</source>
        <translation>ほかのウィンドウが開くか確かめてください。</translation>
    </message>
    <message>
        <source>This keyboard does not have the key {a}.</source>
        <translation>このキーボードに {a} キーはありません。</translation>
    </message>
    <message>
        <source>Another program already uses the keys {a}.</source>
        <translation>{a} はほかのプログラムが使っています。</translation>
    </message>
    <message>
        <source>In Deskpilot&apos;s own window, Ctrl+M starts dictation.</source>
        <translation>Deskpilot のウィンドウでは Ctrl+M で音声入力できます。</translation>
    </message>
    <message>
        <source>The desktop did not assign the shortcut to Deskpilot.</source>
        <translation>デスクトップがこのキーを Deskpilot に渡しませんでした。</translation>
    </message>
    <message>
        <source>{a} is already running.</source>
        <translation>{a} はすでに動いています。</translation>
    </message>
    <message>
        <source>Fix it, or move it away to start over.</source>
        <translation>直すか、別の場所へ移して始め直してください。</translation>
    </message>
    <message>
        <source>{a} does not contain a JSON object.</source>
        <translation>{a} は JSON オブジェクトではありません。</translation>
    </message>
    <message>
        <source>{a} does not contain a JSON list.</source>
        <translation>{a} は JSON のリストではありません。</translation>
    </message>
    <message>
        <source>Unlock it, or install one (on Linux, GNOME Keyring or KWallet); secrets are stored nowhere else.</source>
        <translation>ロックを解除するか、キーリングを入れてください（Linux では GNOME Keyring や KWallet）。秘密の情報はほかの場所には保存しません。</translation>
    </message>
    <message>
        <source>This machine&apos;s sound system does not respond.</source>
        <translation>このマシンの音声システムが応答しません。</translation>
    </message>
    <message>
        <source>Check whether sound works in other programs.</source>
        <translation>ほかのプログラムで音が出るか確かめてください。</translation>
    </message>
    <message>
        <source>Connect a microphone and try again.</source>
        <translation>マイクをつないで、やり直してください。</translation>
    </message>
    <message>
        <source>Connect a loudspeaker and try again.</source>
        <translation>スピーカーをつないで、やり直してください。</translation>
    </message>
    <message>
        <source>The microphone {a} is not connected.</source>
        <translation>マイク {a} がつながっていません。</translation>
    </message>
    <message>
        <source>The loudspeaker {a} is not connected.</source>
        <translation>スピーカー {a} がつながっていません。</translation>
    </message>
    <message>
        <source>Connect it again, or choose another one.</source>
        <translation>つなぎ直すか、別のものを選んでください。</translation>
    </message>
    <message>
        <source>{a} is no longer available.</source>
        <translation>{a}がなくなりました。</translation>
    </message>
    <message>
        <source>Specify another file.</source>
        <translation>別のファイルを指定してください。</translation>
    </message>
    <message>
        <source>{a} points to another server, {b}. No request was sent to it.</source>
        <translation>{a} は別のサーバー {b} を指しています。そこへは問い合わせませんでした。</translation>
    </message>
    <message>
        <source>{a} is not reporting changes now.</source>
        <translation>{a} は今、変更を知らせていません。</translation>
    </message>
    <message>
        <source>Deskpilot keeps trying; the latest data received is shown.</source>
        <translation>再び試します。表示中のものは最後に届いた内容です。</translation>
    </message>
    <message>
        <source>{a} redirects too many times.</source>
        <translation>{a} が次々と別のアドレスへ転送します。</translation>
    </message>
    <message>
        <source>{a} returned error {b}: {c}.</source>
        <translation>{a} がエラー {b} を返しました：{c}。</translation>
    </message>
    <message>
        <source>“{a}” is answered differently each time.</source>
        <translation>「{a}」の答えが毎回変わります。</translation>
    </message>
    <message>
        <source>It does not answer any of its requests.</source>
        <translation>自分の依頼のどれにも答えられません。</translation>
    </message>
    <message>
        <source>Reduce it.</source>
        <translation>小さくしてください。</translation>
    </message>
    <message>
        <source>Specify one of {a}, and one of its arguments.</source>
        <translation>{a} のどれかと、その引数を指定してください。</translation>
    </message>
    <message>
        <source>{a} is not a single value.</source>
        <translation>{a} は単独の値ではありません。</translation>
    </message>
    <message>
        <source>Specify an argument such as result1.start.</source>
        <translation>result1.start のように引数を指定してください。</translation>
    </message>
    <message>
        <source>`deskpilot data library NAME` shows the arguments.</source>
        <translation>deskpilot data library NAME で引数を確認できます。</translation>
    </message>
    <message>
        <source>{a} contains no workflow.</source>
        <translation>{a} にワークフローがありません。</translation>
    </message>
    <message>
        <source>The library was saved by a newer Deskpilot (file version {a}).</source>
        <translation>ライブラリは新しい Deskpilot のものです（ファイルの版 {a}）。</translation>
    </message>
    <message>
        <source>Use that one, or move library.json away to start over.</source>
        <translation>そちらを使うか、library.json を移動してやり直してください。</translation>
    </message>
    <message>
        <source>Fix library.json, or move it away to start over.</source>
        <translation>library.json を直すか、移動してやり直してください。</translation>
    </message>
    <message>
        <source>It returns a different result each time.</source>
        <translation>毎回違う結果になります。</translation>
    </message>
    <message>
        <source>Create it again from a question about the current table.</source>
        <translation>今の表について質問し、作り直してください。</translation>
    </message>
    <message>
        <source>Fix it, or remove it.</source>
        <translation>直すか、削除してください。</translation>
    </message>
    <message>
        <source>{a} cannot be used as a name.</source>
        <translation>{a} は名前に使えません。</translation>
    </message>
    <message>
        <source>Use lowercase letters, digits and _, starting with a letter.</source>
        <translation>英小文字、数字、_ を使い、英字で始めてください。</translation>
    </message>
    <message>
        <source>The columns of {a} have changed since it was created.</source>
        <translation>{a} の列が作成時と違います。</translation>
    </message>
    <message>
        <source>The columns of {a} have changed since it was created: {b}.</source>
        <translation>{a} の列が作成時と違います：{b}。</translation>
    </message>
    <message>
        <source>{a} does not use a single encoding: line {b} is not UTF-8.</source>
        <translation>{a} の文字コードが統一されていません。{b} 行目が UTF-8 ではありません。</translation>
    </message>
    <message>
        <source>{a} is not a regular table: line {b} does not match the header.</source>
        <translation>{a} は整った表ではありません。{b} 行目が見出しと合いません。</translation>
    </message>
    <message>
        <source>Each row needs {a} cells, like the header; fix that row and attach the file again.</source>
        <translation>各行には見出しと同じ {a} 個のセルが必要です。その行を直して、ファイルを添付し直してください。</translation>
    </message>
    <message>
        <source>{a} does not use a single encoding: line {b} is not UTF-8, but others are.</source>
        <translation>{a} の文字コードが統一されていません。{b} 行目だけが UTF-8 ではありません。</translation>
    </message>
    <message>
        <source>{a} does not use a single encoding (utf-8 was tried).</source>
        <translation>{a} の文字コードが統一されていません（utf-8 を試しました）。</translation>
    </message>
    <message>
        <source>{a} does not use a single encoding (gb18030 was tried).</source>
        <translation>{a} の文字コードが統一されていません（gb18030 を試しました）。</translation>
    </message>
    <message>
        <source>{a} does not use a single encoding ({b} was tried).</source>
        <translation>{a} の文字コードが統一されていません（{b} を試しました）。</translation>
    </message>
    <message>
        <source>{a} is not a readable Parquet file.</source>
        <translation>{a} は読み込める Parquet ファイルではありません。</translation>
    </message>
    <message>
        <source>Choose one of its tables.</source>
        <translation>その中の表を選んでください。</translation>
    </message>
    <message>
        <source>{a} is not a readable DuckDB file.</source>
        <translation>{a} は読み込める DuckDB ファイルではありません。</translation>
    </message>
    <message>
        <source>{a} contains no rows.</source>
        <translation>{a} に行がありません。</translation>
    </message>
    <message>
        <source>Fix that line.</source>
        <translation>その行を直してください。</translation>
    </message>
    <message>
        <source>{a} unpacks to {b} MB, far too much for a workbook of its size.</source>
        <translation>{a} は展開すると {b} MB になり、同じ大きさのブックをはるかに超えます。</translation>
    </message>
    <message>
        <source>Save it again and attach the new file.</source>
        <translation>保存し直したものを添付してください。</translation>
    </message>
    <message>
        <source>{a} is not a readable SQLite file.</source>
        <translation>{a} は読み込める SQLite ファイルではありません。</translation>
    </message>
    <message>
        <source>{a} is not a readable spreadsheet.</source>
        <translation>{a} は読み込めるスプレッドシートではありません。</translation>
    </message>
    <message>
        <source>Available: {a}.</source>
        <translation>あるもの：{a}。</translation>
    </message>
    <message>
        <source>The widget {a} was not offered.</source>
        <translation>ウィジェット {a} は提示されていません。</translation>
    </message>
    <message>
        <source>Use a widget from the request.</source>
        <translation>リクエストにあるウィジェットを使ってください。</translation>
    </message>
    <message>
        <source>Reduce it, or save it as Parquet.</source>
        <translation>小さくするか、Parquet で保存してください。</translation>
    </message>
    <message>
        <source>{a}: this file type cannot be read as a table.</source>
        <translation>{a} は表として読み込めない種類です。</translation>
    </message>
    <message>
        <source>You do not have permission to read {a}.</source>
        <translation>{a} を読む権限がありません。</translation>
    </message>
    <message>
        <source>{a} no longer has numbers {b} over time.</source>
        <translation>{a} には時系列の数値 {b} がもうありません。</translation>
    </message>
    <message>
        <source>Write two, separated by a comma.</source>
        <translation>2 つをコンマで区切って書いてください。</translation>
    </message>
    <message>
        <source>A value is required.</source>
        <translation>ここには入力が必要です。</translation>
    </message>
    <message>
        <source>{a} is not a whole number.</source>
        <translation>{a} は整数ではありません。</translation>
    </message>
    <message>
        <source>{a} is not a date. Write it like 2024-03-31.</source>
        <translation>{a} は日付ではありません。2024-03-31 のように書いてください。</translation>
    </message>
    <message>
        <source>{a} is damaged, locked or not the file type its name suggests.</source>
        <translation>{a} は壊れているか、ロックされているか、拡張子と内容が違います。</translation>
    </message>
    <message>
        <source>Save it without a password and add that file.</source>
        <translation>パスワードなしで保存し直してから追加してください。</translation>
    </message>
    <message>
        <source>Save it again and add the new file.</source>
        <translation>保存し直してから追加してください。</translation>
    </message>
    <message>
        <source>{a} is protected by a password.</source>
        <translation>{a} にはパスワードがかかっています。</translation>
    </message>
    <message>
        <source>Save a copy without a password and add the copy.</source>
        <translation>パスワードなしのコピーを保存して追加してください。</translation>
    </message>
    <message>
        <source>Open it in another program to check it, or add it again.</source>
        <translation>ほかのアプリで開いて確認するか、追加し直してください。</translation>
    </message>
    <message>
        <source>Add the book again.</source>
        <translation>この本をもう一度追加してください。</translation>
    </message>
    <message>
        <source>Check that the disk is not full and that the data folder is writable.</source>
        <translation>ディスクの空きと、データフォルダーに書き込めることを確認してください。</translation>
    </message>
    <message>
        <source>Check the disk; rebuild the library if the problem remains.</source>
        <translation>ディスクを確認してください。それでも直らない場合は、ライブラリを再構築してください。</translation>
    </message>
    <message>
        <source>The name of this file or folder is not valid text.</source>
        <translation>このファイルまたはフォルダーの名前は有効なテキストではありません。</translation>
    </message>
    <message>
        <source>Remove it the way it was added.</source>
        <translation>追加したときと同じパスで削除してください。</translation>
    </message>
    <message>
        <source>It will be read again at the next update.</source>
        <translation>次の更新で読み直します。</translation>
    </message>
    <message>
        <source>It will be read again.</source>
        <translation>読み直します。</translation>
    </message>
    <message>
        <source>{a} was not read: Deskpilot is closing.</source>
        <translation>{a} は読み込まれません：Deskpilot を終了しています。</translation>
    </message>
    <message>
        <source>This is not the address of a database.</source>
        <translation>データベースのアドレスではありません。</translation>
    </message>
    <message>
        <source>This is not the address of a PostgreSQL database.</source>
        <translation>PostgreSQL データベースのアドレスではありません。</translation>
    </message>
    <message>
        <source>{a} cannot be part of a database address.</source>
        <translation>{a} はデータベースのアドレスに書けません。</translation>
    </message>
    <message>
        <source>It can name {a}.</source>
        <translation>使えるのは {a} です。</translation>
    </message>
    <message>
        <source>This call was already made in this turn; its result is above.</source>
        <translation>この呼び出しは今回すでに行われ、結果は上にあります。</translation>
    </message>
    <message>
        <source>{a} contains no readable conversations.</source>
        <translation>{a} に読み込めるチャットはありません。</translation>
    </message>
    <message>
        <source>Files can be up to 1 GB.</source>
        <translation>ファイルは 1 GB までです。</translation>
    </message>
    <message>
        <source>{a} contains no conversations.json, or one that is too large.</source>
        <translation>{a} に conversations.json がないか、大きすぎます。</translation>
    </message>
    <message>
        <source>The table {a} cannot be passed to the code.</source>
        <translation>表 {a} をコードに渡せません。</translation>
    </message>
    <message>
        <source>Free some disk space, or detach it.</source>
        <translation>ディスクを空けるか、添付を外してください。</translation>
    </message>
    <message>
        <source>The code&apos;s output cannot be saved.</source>
        <translation>コードの出力を保存できません。</translation>
    </message>
    <message>
        <source>Free some disk space.</source>
        <translation>ディスクを空けてください。</translation>
    </message>
    <message>
        <source>Specify one: {a}.</source>
        <translation>1 つ指定してください：{a}。</translation>
    </message>
    <message>
        <source>No copilot named copilot:{a} has been added.</source>
        <translation>コパイロット copilot:{a} は追加されていません。</translation>
    </message>
    <message>
        <source>No copilot named {a} has been added.</source>
        <translation>コパイロット {a} は追加されていません。</translation>
    </message>
    <message>
        <source>Specify one of workspace_state.agents.</source>
        <translation>workspace_state.agents のどれかを指定してください。</translation>
    </message>
    <message>
        <source>Describe what is to be done.</source>
        <translation>何をするのか書いてください。</translation>
    </message>
    <message>
        <source>{a} returned an empty answer. {b}</source>
        <translation>{a} は何も答えませんでした。{b}</translation>
    </message>
    <message>
        <source>The question was not sent because it could not be checked: {a}</source>
        <translation>確認できなかったため、質問は送りませんでした：{a}</translation>
    </message>
    <message>
        <source>The question was withheld because it could not be checked: {a}</source>
        <translation>確認できなかったため、質問を保留しました：{a}</translation>
    </message>
    <message>
        <source>The answer was not sent because it could not be checked: {a}</source>
        <translation>確認できなかったため、回答は送りませんでした：{a}</translation>
    </message>
    <message>
        <source>The answer was withheld because it could not be checked: {a}</source>
        <translation>確認できなかったため、回答を保留しました：{a}</translation>
    </message>
    <message>
        <source>The question was not sent: the guard model classified it as harmful, in the category {a}.</source>
        <translation>質問は送りませんでした。ガードモデルが有害と判断しました（内容：{a}）。</translation>
    </message>
    <message>
        <source>The question was not sent: the guard model classified it as harmful.</source>
        <translation>質問は送りませんでした。ガードモデルが有害と判断しました。</translation>
    </message>
    <message>
        <source>The question was withheld: the guard model classified it as harmful, in the category {a}.</source>
        <translation>質問を保留しました。ガードモデルが有害と判断しました（内容：{a}）。</translation>
    </message>
    <message>
        <source>The question was withheld: the guard model classified it as harmful.</source>
        <translation>質問を保留しました。ガードモデルが有害と判断しました。</translation>
    </message>
    <message>
        <source>The answer was not sent: the guard model classified it as harmful, in the category {a}.</source>
        <translation>回答は送りませんでした。ガードモデルが有害と判断しました（内容：{a}）。</translation>
    </message>
    <message>
        <source>The answer was not sent: the guard model classified it as harmful.</source>
        <translation>回答は送りませんでした。ガードモデルが有害と判断しました。</translation>
    </message>
    <message>
        <source>The answer was withheld: the guard model classified it as harmful, in the category {a}.</source>
        <translation>回答を保留しました。ガードモデルが有害と判断しました（内容：{a}）。</translation>
    </message>
    <message>
        <source>The answer was withheld: the guard model classified it as harmful.</source>
        <translation>回答を保留しました。ガードモデルが有害と判断しました。</translation>
    </message>
    <message>
        <source>Rephrase it, or change the allowed categories in the settings (moderation).</source>
        <translation>別の言い方をするか、設定で許可する内容を変えてください（moderation）。</translation>
    </message>
    <message>
        <source>The guard model returned no verdict.</source>
        <translation>ガードモデルが判定を出しませんでした。</translation>
    </message>
    <message>
        <source>This conversation no longer exists.</source>
        <translation>このチャットはもうありません。</translation>
    </message>
    <message>
        <source>`deskpilot chats list` shows their ids.</source>
        <translation>deskpilot chats list で ID を確認できます。</translation>
    </message>
    <message>
        <source>{a} is not a valid skill name.</source>
        <translation>{a} はスキルの名前に使えません。</translation>
    </message>
    <message>
        <source>A skill must contain some text.</source>
        <translation>スキルには文章が必要です。</translation>
    </message>
    <message>
        <source>A skill named {a} already exists.</source>
        <translation>スキル {a} はすでにあります。</translation>
    </message>
    <message>
        <source>The skill {a} was proposed by a copilot and is not saved yet.</source>
        <translation>スキル {a} はコパイロットの提案で、まだ保存されていません。</translation>
    </message>
    <message>
        <source>Save it: deskpilot skills accept {a}</source>
        <translation>保存するには：deskpilot skills accept {a}</translation>
    </message>
    <message>
        <source>Not run or loaded: {a} in the answer.</source>
        <translation>回答の中の {a} は実行も取得もしていません。</translation>
    </message>
    <message>
        <source>The list of widget backends cannot be read.</source>
        <translation>ウィジェットのバックエンドの一覧を読み取れません。</translation>
    </message>
    <message>
        <source>Move backends.json away, and add the backends again.</source>
        <translation>backends.json を移して、バックエンドを追加し直してください。</translation>
    </message>
    <message>
        <source>This widget&apos;s backend was removed.</source>
        <translation>このウィジェットのバックエンドは削除されました。</translation>
    </message>
    <message>
        <source>{a} no longer publishes this widget.</source>
        <translation>{a} はこのウィジェットの公開をやめました。</translation>
    </message>
    <message>
        <source>The address contains a password or key, which would be stored in clear text.</source>
        <translation>アドレスにパスワードかキーが含まれ、平文で保存されてしまいます。</translation>
    </message>
    <message>
        <source>Specify headers and keys separately; they are stored in the keyring.</source>
        <translation>ヘッダーとキーは別に入力してください。キーリングに保存します。</translation>
    </message>
    <message>
        <source>{a} is not a valid header or key name.</source>
        <translation>{a} はヘッダーやキーの名前ではありません。</translation>
    </message>
    <message>
        <source>The list of databases cannot be read.</source>
        <translation>データベースの一覧を読み取れません。</translation>
    </message>
    <message>
        <source>Move databases.json away, and add the databases again.</source>
        <translation>databases.json を移して、追加し直してください。</translation>
    </message>
    <message>
        <source>`deskpilot data databases` lists them.</source>
        <translation>deskpilot data databases で一覧を確認できます。</translation>
    </message>
    <message>
        <source>{a} is not a copy of a database table.</source>
        <translation>{a} はデータベースの表のコピーではありません。</translation>
    </message>
    <message>
        <source>{a} no longer publishes this dashboard.</source>
        <translation>{a} はこのダッシュボードの公開をやめました。</translation>
    </message>
    <message>
        <source>The download cannot be saved: {a}.</source>
        <translation>取得した内容を保存できません：{a}。</translation>
    </message>
    <message>
        <source>The backend closed the stream of changes.</source>
        <translation>バックエンドが変更の通知を終えました。</translation>
    </message>
    <message>
        <source>They will be requested again.</source>
        <translation>改めて求めます。</translation>
    </message>
    <message>
        <source>Specify one of its columns.</source>
        <translation>その列の一つを挙げてください。</translation>
    </message>
    <message>
        <source>{a} is not a time.</source>
        <translation>{a} は時刻ではありません。</translation>
    </message>
    <message>
        <source>Specify the one you need, such as {a}.</source>
        <translation>必要なものを {a} のように指定してください。</translation>
    </message>
    <message>
        <source>If you want this, put its own address in the question.</source>
        <translation>必要な場合は、そのアドレスを質問に書いてください。</translation>
    </message>
    <message>
        <source>{a} answered with {b}, which cannot be read.</source>
        <translation>{a} の返答は {b} で、ここでは読めません。</translation>
    </message>
    <message>
        <source>{a} answered with data of an unknown type, which cannot be read.</source>
        <translation>{a} の返答は種類が不明で、ここでは読めません。</translation>
    </message>
    <message>
        <source>Available: none.</source>
        <translation>現在：なし。</translation>
    </message>
    <message>
        <source>{a} has not been read yet.</source>
        <translation>{a} はまだ読み込まれていません。</translation>
    </message>
    <message>
        <source>The call is nested too deeply.</source>
        <translation>この呼び出しは入れ子が深すぎます。</translation>
    </message>
    <message>
        <source>Send one with less nesting.</source>
        <translation>入れ子の浅い呼び出しを送ってください。</translation>
    </message>
    <message>
        <source>Code cannot be run here; the {a} code was not run.</source>
        <translation>ここではコードを実行しません。{a} のコードは実行しませんでした。</translation>
    </message>
    <message>
        <source>The widget without an id was not offered.</source>
        <translation>id のないウィジェットは提示されていません。</translation>
    </message>
    <message>
        <source>The call gives no value for {a}.</source>
        <translation>呼び出しの {a} に何も指定されていません。</translation>
    </message>
    <message>
        <source>Specify at least one in {a}.</source>
        <translation>{a} に少なくとも 1 つ指定してください。</translation>
    </message>
    <message>
        <source>Specify at most {a} at once.</source>
        <translation>一度に指定できるのは {a} 個までです。</translation>
    </message>
    <message>
        <source>This cannot be made into a widget of type {a}.</source>
        <translation>これから {a} 型のウィジェットは作れません。</translation>
    </message>
    <message>
        <source>The chart specifies no columns.</source>
        <translation>グラフに列の指定がありません。</translation>
    </message>
    <message>
        <source>Specify chart_params with chartType, xKey and yKey.</source>
        <translation>chart_params に chartType、xKey、yKey を指定してください。</translation>
    </message>
    <message>
        <source>Available: create, add_tabs, rename_tabs, remove_tabs.</source>
        <translation>あるもの：create、add_tabs、rename_tabs、remove_tabs。</translation>
    </message>
    <message>
        <source>There can be at most {a} dashboards.</source>
        <translation>ダッシュボードは {a} 個までです。</translation>
    </message>
    <message>
        <source>Use the ones available.</source>
        <translation>今あるものを使ってください。</translation>
    </message>
    <message>
        <source>Rename them with rename_map, from old to new.</source>
        <translation>rename_map に旧名から新名への対応を書いてください。</translation>
    </message>
    <message>
        <source>{a} contains widgets.</source>
        <translation>{a} にはウィジェットがあります。</translation>
    </message>
    <message>
        <source>Send the search text as query.</source>
        <translation>探す内容を query で送ってください。</translation>
    </message>
    <message>
        <source>Omit documents to search all of them.</source>
        <translation>文書を指定しなければ全体を検索します。</translation>
    </message>
    <message>
        <source>Skills cannot be saved here.</source>
        <translation>ここではスキルを保存できません。</translation>
    </message>
    <message>
        <source>Specify one to {a} widgets in widget_uuids for each query.</source>
        <translation>各クエリの widget_uuids に 1～{a} 個のウィジェットを指定してください。</translation>
    </message>
    <message>
        <source>Answer without it, or ask the person to allow it.</source>
        <translation>自分で答えるか、許可を求めてください。</translation>
    </message>
    <message>
        <source>Specify one of the widgets in the request.</source>
        <translation>リクエストにあるウィジェットを指定してください。</translation>
    </message>
    <message>
        <source>The model chose something that was not offered.</source>
        <translation>モデルが提示していないものを選びました。</translation>
    </message>
    <message>
        <source>Start a new one.</source>
        <translation>新しく始めてください。</translation>
    </message>
    <message>
        <source>{a} has changed since the design began.</source>
        <translation>{a} は設計の開始後に変わりました。</translation>
    </message>
    <message>
        <source>Specify up to {a} at once.</source>
        <translation>一度に指定できるのは {a} 個までです。</translation>
    </message>
    <message>
        <source>Specify the tables for a new one.</source>
        <translation>新しい設計の対象となる表を指定してください。</translation>
    </message>
    <message>
        <source>{a} is determined by the choice of {b}.</source>
        <translation>{a} は選んだ {b} で決まります。</translation>
    </message>
    <message>
        <source>Leave it as it was, or save this under another name.</source>
        <translation>元のままにするか、別の名前で保存してください。</translation>
    </message>
    <message>
        <source>The model service stopped before it finished.</source>
        <translation>モデルサービスが途中で停止しました。</translation>
    </message>
    <message>
        <source>{a}, for dictation and spoken answers.</source>
        <translation>{a}：音声入力と、回答の読み上げに。</translation>
    </message>
    <message>
        <source>{a} and {b}, for dictation and spoken answers.</source>
        <translation>{a} と {b}：音声入力と、回答の読み上げに。</translation>
    </message>
    <message>
        <source>{a} is not a valid provider name.</source>
        <translation>{a} はプロバイダーの名前に使えません。</translation>
    </message>
    <message>
        <source>Use lowercase letters, digits, dots and hyphens.</source>
        <translation>英小文字、数字、ピリオド、ハイフンを使ってください。</translation>
    </message>
    <message>
        <source>A provider named {a} already exists.</source>
        <translation>プロバイダー {a} はすでにあります。</translation>
    </message>
    <message>
        <source>Choose another name, or remove it.</source>
        <translation>別の名前にするか、削除してください。</translation>
    </message>
    <message>
        <source>Nothing was saved. Put the key in an environment variable.</source>
        <translation>何も保存していません。キーは環境変数に入れてください。</translation>
    </message>
    <message>
        <source>Fix providers.json, or move it away and add the providers again.</source>
        <translation>providers.json を直すか、移してプロバイダーを追加し直してください。</translation>
    </message>
    <message>
        <source>The key for {a} was kept only until Deskpilot was closed.</source>
        <translation>{a} のキーは Deskpilot を閉じるまでの保存でした。</translation>
    </message>
    <message>
        <source>The key for {a} is no longer in the keyring.</source>
        <translation>{a} のキーはもうキーリングにありません。</translation>
    </message>
    <message>
        <source>{a} Reset it: deskpilot settings reset {b}</source>
        <translation>{a} 取り消すには：deskpilot settings reset {b}</translation>
    </message>
    <message>
        <source>An answer cannot be saved: {a}.</source>
        <translation>回答を保存できません：{a}。</translation>
    </message>
    <message>
        <source>The assistants file cannot be read.</source>
        <translation>アシスタントの一覧を読み取れません。</translation>
    </message>
    <message>
        <source>Move assistants.json away, and create the assistants again.</source>
        <translation>assistants.json を移して、アシスタントを作り直してください。</translation>
    </message>
    <message>
        <source>Create one: deskpilot assistants create NAME.</source>
        <translation>作成してください：deskpilot assistants create NAME。</translation>
    </message>
    <message>
        <source>{a} cannot be used as its name.</source>
        <translation>{a} は名前に使えません。</translation>
    </message>
    <message>
        <source>Use letters, digits, hyphens, underscores and full stops.</source>
        <translation>英字、数字、-、_、ピリオドを使ってください。</translation>
    </message>
    <message>
        <source>{a} has no tools from {b}.</source>
        <translation>{a} に {b} のツールはありません。</translation>
    </message>
    <message>
        <source>{a} cannot call {b} on its own.</source>
        <translation>{a} は {b} を自分の判断で呼び出せません。</translation>
    </message>
    <message>
        <source>Turn off Offline in Settings, Network first.</source>
        <translation>先に設定の「ネットワーク」でオフラインを解除してください。</translation>
    </message>
    <message>
        <source>Use lowercase letters, digits, hyphens and full stops.</source>
        <translation>英小文字、数字、-、ピリオドを使ってください。</translation>
    </message>
    <message>
        <source>{a} is already used by other tools.</source>
        <translation>{a} はほかのツールが使っています。</translation>
    </message>
    <message>
        <source>A plugin named {a} already exists, from {b}.</source>
        <translation>プラグイン {a} は {b} からすでに追加されています。</translation>
    </message>
    <message>
        <source>There is nothing to approve.</source>
        <translation>同意するものはありません。</translation>
    </message>
    <message>
        <source>{a} has changed again in the meantime.</source>
        <translation>{a} はその間にまた変わりました。</translation>
    </message>
    <message>
        <source>Check it again.</source>
        <translation>もう一度確かめてください。</translation>
    </message>
    <message>
        <source>{a} cannot be called with these arguments: {b}.</source>
        <translation>{a} はこのようには呼び出せません：{b}。</translation>
    </message>
    <message>
        <source>Correct this, or ask the person.</source>
        <translation>直すか、本人に聞いてください。</translation>
    </message>
    <message>
        <source>{a} of {b} was not called: it was not allowed.</source>
        <translation>{b} の {a} は、許可がないため呼び出しませんでした。</translation>
    </message>
    <message>
        <source>This is only a part; the person has all of it in {a}.</source>
        <translation>ここにあるのは一部です。全体は {a} にあります。</translation>
    </message>
    <message>
        <source>{a} contains no speech.</source>
        <translation>{a} に話し声がありません。</translation>
    </message>
    <message>
        <source>The {a} code ran longer than {b} s and was stopped.</source>
        <translation>{a} のコードが {b} 秒を超えたので終了しました。</translation>
    </message>
    <message>
        <source>The {a} code printed more than {b} and was stopped.</source>
        <translation>{a} のコードの出力が {b} を超えたので終了しました。</translation>
    </message>
    <message>
        <source>The folder for code cannot be created: {a}.</source>
        <translation>コード用のフォルダーを作れません：{a}。</translation>
    </message>
    <message>
        <source>Free some disk space, or correct its permissions.</source>
        <translation>ディスクを空けるか、権限を直してください。</translation>
    </message>
    <message>
        <source>Python stopped while the code was running.</source>
        <translation>コードの実行中に Python が終了しました。</translation>
    </message>
    <message>
        <source>Try again when fewer programs are running.</source>
        <translation>負荷の少ないときにやり直してください。</translation>
    </message>
    <message>
        <source>Python sent more than {a} of output at once and was stopped.</source>
        <translation>Python が一度に {a} を超えて表示したため、終了しました。</translation>
    </message>
    <message>
        <source>Run deskpilot doctor to see what is missing.</source>
        <translation>deskpilot doctor で不足を確かめてください。</translation>
    </message>
    <message>
        <source>It reports that this did not work.</source>
        <translation>うまくいかなかったと答えています。</translation>
    </message>
    <message>
        <source>Part of the answer is not text: unknown type, {a} bytes.</source>
        <translation>返答の一部が文字ではなく、種類不明の {a} バイトです。</translation>
    </message>
    <message>
        <source>Part of the answer is not text: {a}, {b} bytes.</source>
        <translation>返答の一部が文字ではなく、{a}（{b} バイト）です。</translation>
    </message>
    <message>
        <source>It may have been carried out anyway.</source>
        <translation>それでも実行された可能性があります。</translation>
    </message>
    <message>
        <source>{a} would be called at another path.</source>
        <translation>{a} は別のパスに送られることになります。</translation>
    </message>
    <message>
        <source>Specify other values.</source>
        <translation>別の値を指定してください。</translation>
    </message>
    <message>
        <source>{a} is sent in a header, which can contain only ASCII characters.</source>
        <translation>{a} はヘッダーに入るので、ASCII の文字しか使えません。</translation>
    </message>
    <message>
        <source>Use ASCII characters only.</source>
        <translation>ASCII 文字だけを使ってください。</translation>
    </message>
    <message>
        <source>{a} The call may have been carried out anyway; it was not repeated.</source>
        <translation>{a} それでも実行された可能性があります。再試行はしていません。</translation>
    </message>
    <message>
        <source>The answer is larger than {a} MB; only the beginning was read.</source>
        <translation>返答が {a} MB を超えるので、先頭だけ読み込みました。</translation>
    </message>
    <message>
        <source>The answer is not text: unknown type, {a} bytes.</source>
        <translation>返答が文字ではなく、種類不明の {a} バイトです。</translation>
    </message>
    <message>
        <source>Its answer is declared as JSON but is not valid JSON.</source>
        <translation>返答は JSON だとしていますが、違います。</translation>
    </message>
    <message>
        <source>It points to {a}, which is not a web address.</source>
        <translation>{a} を指していますが、ウェブアドレスではありません。</translation>
    </message>
    <message>
        <source>Do not use it, or ask its maker what this is for.</source>
        <translation>使わないか、何のためか作成者に問い合わせてください。</translation>
    </message>
    <message>
        <source>{a}{b}: it is not UTF-8 text.</source>
        <translation>{a}{b}: UTF-8 のテキストではありません。</translation>
    </message>
    <message>
        <source>{a}{b}: it contains no fields.</source>
        <translation>{a}{b}：フィールドがありません。</translation>
    </message>
    <message>
        <source>{a}{b}: it is not JSON: {c}.</source>
        <translation>{a}{b}：JSON ではありません：{c}。</translation>
    </message>
    <message>
        <source>{a}{b}: it is not YAML: {c}.</source>
        <translation>{a}{b}: YAML ではありません：{c}。</translation>
    </message>
    <message>
        <source>{a}{b}: it contains too many aliases.</source>
        <translation>{a}{b}：別名が多すぎて繰り返しになっています。</translation>
    </message>
    <message>
        <source>{a}{b}: it is too large once its aliases are expanded.</source>
        <translation>{a}{b}：別名を展開すると大きすぎます。</translation>
    </message>
    <message>
        <source>Ask the plugin&apos;s maker to fix this.</source>
        <translation>プラグインの作成者に修正を求めてください。</translation>
    </message>
    <message>
        <source>name_for_model {a} contains more than letters, digits, _ and -; the name {b} is used</source>
        <translation>name_for_model {a} は英数字、_、- ではないので {b} とします</translation>
    </message>
    <message>
        <source>you would sign in at {a}, and the token it issues is sent to {b}</source>
        <translation>{a} でサインインし、そこで発行されたトークンは {b} に渡ります</translation>
    </message>
    <message>
        <source>This plugin requires you to sign in.</source>
        <translation>このプラグインは利用者の確認を求めています。</translation>
    </message>
    <message>
        <source>Enter its token: deskpilot plugins sign-in NAME.</source>
        <translation>トークンを渡してください：deskpilot plugins sign-in NAME。</translation>
    </message>
    <message>
        <source>The plugin was not given permission to learn who asks.</source>
        <translation>プラグインに利用者の確認が許可されませんでした。</translation>
    </message>
    <message>
        <source>The plugin issues no token (status {a}).</source>
        <translation>プラグインがトークンを発行しません（状態 {a}）。</translation>
    </message>
    <message>
        <source>models cannot set the header {a}</source>
        <translation>ヘッダー {a} はモデルが入力するものではありません</translation>
    </message>
    <message>
        <source>{a}: its answer is not described</source>
        <translation>{a}: 何を返すかの説明がありません</translation>
    </message>
    <message>
        <source>{a}, which makes changes, is new</source>
        <translation>書き込みをする {a} が加わりました</translation>
    </message>
    <message>
        <source>{a}, which makes changes, is different</source>
        <translation>書き込みをする {a} が変わりました</translation>
    </message>
    <message>
        <source>it is called at {a}</source>
        <translation>問い合わせ先が {a} になります</translation>
    </message>
    <message>
        <source>servers: the brackets around {a} were removed</source>
        <translation>servers: {a} を囲む括弧を外しました</translation>
    </message>
    <message>
        <source>{a} {b}: it has no usable operationId; it is named {c}</source>
        <translation>{a} {b}：英字の operationId がないので {c} とします</translation>
    </message>
    <message>
        <source>{a} {b}: another operation is also called {c}; this one is named {d}</source>
        <translation>{a} {b}：別の操作も {c} という名前なので、こちらは {d} とします</translation>
    </message>
    <message>
        <source>{a}: models do not follow its pattern; the server checks it</source>
        <translation>{a}：パターンはモデルを縛らず、サーバーが確かめます</translation>
    </message>
    <message>
        <source>the schema: models do not follow its pattern; the server checks it</source>
        <translation>スキーマ：パターンはモデルを縛らず、サーバーが確かめます</translation>
    </message>
    <message>
        <source>{a} leads to this machine. No request was sent.</source>
        <translation>{a} はこのマシンを指しているため、接続しませんでした。</translation>
    </message>
    <message>
        <source>If this is intended, write the address as 127.0.0.1 or localhost.</source>
        <translation>正しい場合は、アドレスを 127.0.0.1 または localhost と書いてください。</translation>
    </message>
    <message>
        <source>{a} sent a compressed answer, although it was asked not to.</source>
        <translation>{a} が、断ったのに圧縮形式で答えました。</translation>
    </message>
    <message>
        <source>It points to another server, {a}. No request was sent to it.</source>
        <translation>別のサーバー {a} を指しています。そこへは問い合わせませんでした。</translation>
    </message>
    <message>
        <source>If you trust that server, add the plugin again.</source>
        <translation>そのサーバーを信頼する場合は、プラグインを追加し直してください。</translation>
    </message>
    <message>
        <source>{a} now leads to a different kind of network from when it was added. No request was sent.</source>
        <translation>{a} は追加したときと違う種類のネットワークを指しています。問い合わせませんでした。</translation>
    </message>
    <message>
        <source>If this is intended, add it again.</source>
        <translation>それで正しければ、追加し直してください。</translation>
    </message>
    <message>
        <source>The files of {a} are no longer where it was imported from.</source>
        <translation>{a} のファイルが取り込んだ場所からなくなっています。</translation>
    </message>
    <message>
        <source>{a} is incomplete on this machine.</source>
        <translation>{a} はこのマシンで不完全です。</translation>
    </message>
    <message>
        <source>{a} is damaged: {b} has changed since it was downloaded.</source>
        <translation>{a} は壊れています。{b} が取得時と違います。</translation>
    </message>
    <message>
        <source>Remove the package that provides it.</source>
        <translation>提供元のパッケージを削除してください。</translation>
    </message>
    <message>
        <source>A model named {a} already exists.</source>
        <translation>モデル {a} はすでにあります。</translation>
    </message>
    <message>
        <source>Specify another name with --id.</source>
        <translation>--id で別の名前を付けてください。</translation>
    </message>
    <message>
        <source>{a} cannot be saved in {b}: {c}.</source>
        <translation>{a} を {b} に保存できません：{c}。</translation>
    </message>
    <message>
        <source>Make it writable and free some disk space, or set DESKPILOT_MODELS to another folder.</source>
        <translation>書き込めるようにしてディスクを空けるか、DESKPILOT_MODELS で別のフォルダーを指定してください。</translation>
    </message>
    <message>
        <source>{a} is not a setting of {b}.</source>
        <translation>{a} は {b} に設定できません。</translation>
    </message>
    <message>
        <source>{a} is not a valid preset name.</source>
        <translation>{a} はプリセットの名前に使えません。</translation>
    </message>
    <message>
        <source>Use letters, digits, spaces, dots and hyphens.</source>
        <translation>英字、数字、空白、ピリオド、ハイフンを使ってください。</translation>
    </message>
    <message>
        <source>Choose a model parameter first.</source>
        <translation>先にモデルのパラメーターを選んでください。</translation>
    </message>
    <message>
        <source>The preset {a} is part of Deskpilot and cannot be removed.</source>
        <translation>プリセット {a} は Deskpilot に付属するので、削除できません。</translation>
    </message>
    <message>
        <source>The preset {a} does not exist.</source>
        <translation>プリセット {a} はありません。</translation>
    </message>
    <message>
        <source>Your presets: none.</source>
        <translation>自分のプリセット：なし。</translation>
    </message>
    <message>
        <source>Your presets: {a}.</source>
        <translation>自分のプリセット：{a}。</translation>
    </message>
    <message>
        <source>{a} MB are needed in {b}, but only {c} MB are free.</source>
        <translation>{b} に {a} MB 必要ですが、空きは {c} MB です。</translation>
    </message>
    <message>
        <source>Free some space, or set DESKPILOT_MODELS to another folder.</source>
        <translation>空きを作るか、DESKPILOT_MODELS で別のフォルダーを指定してください。</translation>
    </message>
    <message>
        <source>{a} does not name a file.</source>
        <translation>{a} はファイルを指していません。</translation>
    </message>
    <message>
        <source>Specify the address of a GGUF file.</source>
        <translation>GGUF ファイルのアドレスを指定してください。</translation>
    </message>
    <message>
        <source>Specify it with --sha256; the file&apos;s publisher lists it.</source>
        <translation>--sha256 で指定してください。配布元に書かれています。</translation>
    </message>
    <message>
        <source>Check the address and the network.</source>
        <translation>アドレスとネットワークを確かめてください。</translation>
    </message>
    <message>
        <source>Download it manually, then import the file.</source>
        <translation>手動で取得して、ファイルを取り込んでください。</translation>
    </message>
    <message>
        <source>{a} is not a repository on the model hub.</source>
        <translation>{a} はモデルハブのリポジトリではありません。</translation>
    </message>
    <message>
        <source>The kit contains a different version of {a} from the one this Deskpilot knows.</source>
        <translation>キットの {a} は、この Deskpilot が知る版と違います。</translation>
    </message>
    <message>
        <source>Specify the folder that `deskpilot models export-kit` created.</source>
        <translation>`deskpilot models export-kit` で作ったフォルダーを指定してください。</translation>
    </message>
    <message>
        <source>Copy the kit again from its source.</source>
        <translation>作った場所からキットをコピーし直してください。</translation>
    </message>
    <message>
        <source>The kit does not contain {a}.</source>
        <translation>キットに {a} はありません。</translation>
    </message>
    <message>
        <source>It contains: {a}.</source>
        <translation>入っているもの：{a}。</translation>
    </message>
    <message>
        <source>Name a folder with a model for faster-whisper or sentence-transformers, a Piper voice (.onnx with its .onnx.json), or a GGUF file.</source>
        <translation>faster-whisper 用 Whisper か sentence-transformers のフォルダー、Piper の音声（.onnx と .onnx.json）、GGUF ファイルのどれかを指定してください。</translation>
    </message>
    <message>
        <source>{a} is not a model that can be used here.</source>
        <translation>{a} はここで使えるモデルではありません。</translation>
    </message>
    <message>
        <source>The model has {a}{b} parts, but {c} is not in the same folder as {d}.</source>
        <translation>モデルは {a}{b} 個に分かれていますが、{c} が {d} と同じ場所にありません。</translation>
    </message>
    <message>
        <source>Download it, put it there, and run the same command again.</source>
        <translation>取得してそこに置き、同じコマンドをもう一度実行してください。</translation>
    </message>
    <message>
        <source>Copy or download it again.</source>
        <translation>コピーか取得をやり直してください。</translation>
    </message>
    <message>
        <source>Import the model; a projector next to it is imported too.</source>
        <translation>そのモデルを取り込んでください。隣にあるプロジェクターも一緒に取り込まれます。</translation>
    </message>
    <message>
        <source>Copy both of the voice&apos;s files.</source>
        <translation>音声の 2 つのファイルを両方コピーしてください。</translation>
    </message>
    <message>
        <source>{a} is not a valid model name.</source>
        <translation>{a} はモデルの名前に使えません。</translation>
    </message>
    <message>
        <source>Specify an --id of letters, digits, dots and hyphens.</source>
        <translation>--id に英字、数字、ピリオド、ハイフンの名前を指定してください。</translation>
    </message>
    <message>
        <source>Copy all of the model&apos;s files there.</source>
        <translation>モデルのファイルをすべてそこへコピーしてください。</translation>
    </message>
    <message>
        <source>Copy it again, or omit --id to import it as a model of your own.</source>
        <translation>コピーし直すか、--id を付けずに自分のモデルとして取り込んでください。</translation>
    </message>
    <message>
        <source>No other program on this machine has a model named {a}.</source>
        <translation>モデル {a} を持つほかのプログラムはありません。</translation>
    </message>
    <message>
        <source>Found: {a}.</source>
        <translation>見つかったもの：{a}。</translation>
    </message>
    <message>
        <source>Found: none.</source>
        <translation>見つかったもの：なし。</translation>
    </message>
    <message>
        <source>pip is configured with {a}, which cannot be used: {b}.</source>
        <translation>pip に設定された {a} は使えません：{b}。</translation>
    </message>
    <message>
        <source>Correct it; pip config list shows where it is set.</source>
        <translation>直してください。場所は pip config list でわかります。</translation>
    </message>
    <message>
        <source>Connect to the network, or configure pip to use an index that can be reached, then run the same command again.</source>
        <translation>ネットワークに接続するか、到達できるインデックスを pip に設定してから、同じコマンドを再実行してください。</translation>
    </message>
    <message>
        <source>Connect to the network, or configure pip to use a mirror that has it, then run the same command again.</source>
        <translation>ネットワークにつなぐか、それを持つミラーを pip に設定して、同じコマンドを実行してください。</translation>
    </message>
    <message>
        <source>Models are downloaded with pip, which does not work in this Python.</source>
        <translation>モデルは pip のパッケージインデックスから取得しますが、この Python には使える pip がありません。</translation>
    </message>
    <message>
        <source>A {a} model does not support streaming.</source>
        <translation>{a} のモデルはストリームできません。</translation>
    </message>
    <message>
        <source>Check its log, or ask again.</source>
        <translation>ログを確認するか、もう一度質問してください。</translation>
    </message>
    <message>
        <source>Check the log.</source>
        <translation>ログを確認してください。</translation>
    </message>
    <message>
        <source>{a} is no longer on this machine in the cluster.</source>
        <translation>クラスタのこのマシンには {a} はもうありません。</translation>
    </message>
    <message>
        <source>Restore it, or ask again: another machine may have it.</source>
        <translation>元に戻すか、もう一度質問してください。ほかのマシンにあるかもしれません。</translation>
    </message>
    <message>
        <source>Answered from the relevant parts of the attached text; not computed, so check it</source>
        <translation>添付した文章のうち質問に合う部分から回答（計算ではないので確認してください）</translation>
    </message>
    <message>
        <source>A sentence in the answer does not occur in any passage.</source>
        <translation>回答の一文はどの箇所にもありません。</translation>
    </message>
    <message>
        <source>The terminal returned something that is not the result of a computation.</source>
        <translation>端末から計算結果ではないものが返りました。</translation>
    </message>
    <message>
        <source>The query names a table that does not exist.</source>
        <translation>ここにないテーブルが問い合わせに含まれています。</translation>
    </message>
    <message>
        <source>Specify one.</source>
        <translation>1 つ指定してください。</translation>
    </message>
    <message>
        <source>Specify both.</source>
        <translation>両方を指定してください。</translation>
    </message>
    <message>
        <source>Use fewer or different ones.</source>
        <translation>条件を減らすか変えて聞いてください。</translation>
    </message>
    <message>
        <source>Specify one value.</source>
        <translation>値を 1 つ指定してください。</translation>
    </message>
    <message>
        <source>Compare two columns that contain numbers or dates.</source>
        <translation>数か日付の列どうしを比べてください。</translation>
    </message>
    <message>
        <source>{a} contains numbers, but {b} is not a number.</source>
        <translation>{a} は数の列ですが、{b} は数ではありません。</translation>
    </message>
    <message>
        <source>Specify a number.</source>
        <translation>数を指定してください。</translation>
    </message>
    <message>
        <source>Specify {a} values.</source>
        <translation>値を {a} 個指定してください。</translation>
    </message>
    <message>
        <source>Specify a list of values.</source>
        <translation>値のリストを指定してください。</translation>
    </message>
    <message>
        <source>The request is nested too deeply.</source>
        <translation>入れ子が深すぎます。</translation>
    </message>
    <message>
        <source>{a} is different each day or on each machine.</source>
        <translation>{a} は日やマシンごとに変わります。</translation>
    </message>
    <message>
        <source>The request cannot be read: {a}</source>
        <translation>読み取れません：{a}</translation>
    </message>
    <message>
        <source>This is not a single SELECT: {a}</source>
        <translation>SELECT 文 1 つではありません：{a}</translation>
    </message>
    <message>
        <source>A declared SELECT cannot contain {a}.</source>
        <translation>宣言された SELECT に {a} はありません。</translation>
    </message>
    <message>
        <source>Rows cannot come from {a}().</source>
        <translation>行を {a}() から取ることはできません。</translation>
    </message>
    <message>
        <source>Specify the last day to count to.</source>
        <translation>どの日まで数えるかを書いてください。</translation>
    </message>
    <message>
        <source>{a}() cannot be used here.</source>
        <translation>ここでは {a}() を使えません。</translation>
    </message>
    <message>
        <source>Use functions that depend only on the values.</source>
        <translation>値だけで決まる関数を使ってください。</translation>
    </message>
    <message>
        <source>The tables have {a} cells in total; a SELECT over several tables can use up to {b}.</source>
        <translation>表のセルは合わせて {a} 個です。複数の表の SELECT は {b} 個までです。</translation>
    </message>
    <message>
        <source>Query each table separately, then join the results.</source>
        <translation>表ごとに聞いて、結果を合わせてください。</translation>
    </message>
    <message>
        <source>A forecast needs {a} values, but there are only {b}.</source>
        <translation>予測には値が {a} 個必要ですが、{b} 個しかありません。</translation>
    </message>
    <message>
        <source>Choose one entity, or aggregate by period.</source>
        <translation>対象を 1 つ選ぶか、期間でまとめてください。</translation>
    </message>
    <message>
        <source>The forecast starts in the year {a}.</source>
        <translation>予測は {a} 年から始まります。</translation>
    </message>
    <message>
        <source>The days are {a} days apart, so they are not regular.</source>
        <translation>日付の間隔が {a} 日で、一定ではありません。</translation>
    </message>
    <message>
        <source>Aggregate them by week, month or quarter.</source>
        <translation>週、月、四半期でまとめてください。</translation>
    </message>
    <message>
        <source>Remove entries that are not real values.</source>
        <translation>本当の値でないものを除いてください。</translation>
    </message>
    <message>
        <source>The values are too far apart for a forecast.</source>
        <translation>値の開きが大きすぎて予測できません。</translation>
    </message>
    <message>
        <source>{a} contains no numbers.</source>
        <translation>{a} に数がありません。</translation>
    </message>
    <message>
        <source>Choose a numeric column.</source>
        <translation>数値の列を選んでください。</translation>
    </message>
    <message>
        <source>Use fewer or different conditions.</source>
        <translation>条件を減らすか変えて質問してください。</translation>
    </message>
    <message>
        <source>No column contains no numbers.</source>
        <translation>数の入った列がありません。</translation>
    </message>
    <message>
        <source>Specify which one, or ask for the sum or mean.</source>
        <translation>どれかを指定するか、合計か平均を聞いてください。</translation>
    </message>
    <message>
        <source>{a} rows meet the conditions.</source>
        <translation>{a} 行が合います。</translation>
    </message>
    <message>
        <source>There is nothing to compute a share of.</source>
        <translation>割合を出す対象がありません。</translation>
    </message>
    <message>
        <source>{a} contains no dates.</source>
        <translation>{a} に日付がありません。</translation>
    </message>
    <message>
        <source>{a} needs a numeric column.</source>
        <translation>{a} には数の列が必要です。</translation>
    </message>
    <message>
        <source>{a} does not describe a point in time.</source>
        <translation>{a} は時点を表していません。</translation>
    </message>
    <message>
        <source>Specify a column with dates, months, quarters or years.</source>
        <translation>日付、月、四半期、年の列を指定してください。</translation>
    </message>
    <message>
        <source>Specify columns, or `every`.</source>
        <translation>列名か `every` を指定してください。</translation>
    </message>
    <message>
        <source>Choose a different range, entity or condition.</source>
        <translation>別の範囲、対象、条件を選んでください。</translation>
    </message>
    <message>
        <source>{a} of {b} has fewer than two values in that range.</source>
        <translation>{b} の {a} は、その範囲に値が 2 つありません。</translation>
    </message>
    <message>
        <source>{a} has fewer than two values in that range.</source>
        <translation>{a} は、その範囲に値が 2 つありません。</translation>
    </message>
    <message>
        <source>A column named {a} already exists.</source>
        <translation>列 {a} はすでにあります。</translation>
    </message>
    <message>
        <source>Draw fewer values, or use a bar chart.</source>
        <translation>減らすか、棒グラフにしてください。</translation>
    </message>
    <message>
        <source>A pie chart cannot show negative values.</source>
        <translation>負の値は円グラフに描けません。</translation>
    </message>
    <message>
        <source>Use a bar chart.</source>
        <translation>棒グラフにしてください。</translation>
    </message>
    <message>
        <source>Draw them separately.</source>
        <translation>別々に描いてください。</translation>
    </message>
    <message>
        <source>{a} contains {b}.</source>
        <translation>{a} の中身は{b}です。</translation>
    </message>
    <message>
        <source>Join on columns of the same type.</source>
        <translation>同じ種類の列で結合してください。</translation>
    </message>
    <message>
        <source>Specify one for each.</source>
        <translation>それぞれに 1 つずつ付けてください。</translation>
    </message>
    <message>
        <source>Select fewer rows first.</source>
        <translation>先に行を減らしてください。</translation>
    </message>
    <message>
        <source>Nothing can be computed for these.</source>
        <translation>どれについても計算できません。</translation>
    </message>
    <message>
        <source>{a} returns no value.</source>
        <translation>{a} は値を返しません。</translation>
    </message>
    <message>
        <source>Loop over an interface that returns one.</source>
        <translation>値を返すインターフェイスで繰り返してください。</translation>
    </message>
    <message>
        <source>Two columns would have the same name.</source>
        <translation>2 つの列が同じ名前になります。</translation>
    </message>
    <message>
        <source>Two tables have the same name.</source>
        <translation>2 つの表が同じ名前です。</translation>
    </message>
    <message>
        <source>Give each a different name.</source>
        <translation>別々の名前を付けてください。</translation>
    </message>
    <message>
        <source>The SELECT reads {a} cells; the limit is {b}.</source>
        <translation>SELECT が読むセルは {a} 個です。読めるのは {b} 個までです。</translation>
    </message>
    <message>
        <source>Specify fewer columns, or a smaller table.</source>
        <translation>列を減らすか、小さい表を指定してください。</translation>
    </message>
    <message>
        <source>The SELECT cannot be run: {a}</source>
        <translation>この SELECT には答えられません：{a}</translation>
    </message>
    <message>
        <source>Fix the SELECT.</source>
        <translation>SELECT を直してください。</translation>
    </message>
    <message>
        <source>{a} or {b} is already a column.</source>
        <translation>列 {a} か {b} がすでにあります。</translation>
    </message>
    <message>
        <source>Rephrase the request.</source>
        <translation>別の聞き方をしてください。</translation>
    </message>
    <message>
        <source>This is not a single SELECT.</source>
        <translation>SELECT 文 1 つではありません。</translation>
    </message>
    <message>
        <source>The query cannot be run: {a}</source>
        <translation>このクエリには答えられません：{a}</translation>
    </message>
    <message>
        <source>Fix the SQL.</source>
        <translation>SQL を直してください。</translation>
    </message>
    <message>
        <source>Choose fewer rows, or aggregate them by day, month or year.</source>
        <translation>行を減らすか、日、月、年でまとめてください。</translation>
    </message>
    <message>
        <source>Numeric columns: none.</source>
        <translation>数値の列：なし。</translation>
    </message>
    <message>
        <source>Numeric columns: {a}.</source>
        <translation>数値の列：{a}。</translation>
    </message>
    <message>
        <source>This would produce {a} rows; the limit is {b}.</source>
        <translation>{a} 行になります。作れるのは {b} 行までです。</translation>
    </message>
    <message>
        <source>Merge on columns whose values identify each row.</source>
        <translation>各行を一つに決める列で結合してください。</translation>
    </message>
    <message>
        <source>{a} returns {b}, which is not a number.</source>
        <translation>{a} が返すのは {b} で、数値ではありません。</translation>
    </message>
    <message>
        <source>Rank by something that returns numbers.</source>
        <translation>数値を返すものに順位を付けてください。</translation>
    </message>
    <message>
        <source>These rows have no column with days.</source>
        <translation>これらの行に日付の列がありません。</translation>
    </message>
    <message>
        <source>Read them as a time series.</source>
        <translation>系列として読み込んでください。</translation>
    </message>
    <message>
        <source>A loop over nothing, or over charts, produces no rows.</source>
        <translation>空やグラフの繰り返しからは行ができません。</translation>
    </message>
    <message>
        <source>Two steps produce {a}.</source>
        <translation>2 つの手順が {a} を作ります。</translation>
    </message>
    <message>
        <source>{a} accepts a number; {b} is not a number.</source>
        <translation>{a} には数が必要ですが、{b} は数ではありません。</translation>
    </message>
    <message>
        <source>{a} accepts text; {b} is not text.</source>
        <translation>{a} には文字列が必要ですが、{b} は違います。</translation>
    </message>
    <message>
        <source>Specify text.</source>
        <translation>文字列を指定してください。</translation>
    </message>
    <message>
        <source>Specify an existing argument.</source>
        <translation>ある引数を指定してください。</translation>
    </message>
    <message>
        <source>{a} does not support the processor.</source>
        <translation>{a} は CPU では計算しません。</translation>
    </message>
    <message>
        <source>{a} does not support an NVIDIA GPU.</source>
        <translation>{a} は NVIDIA の GPU では計算しません。</translation>
    </message>
    <message>
        <source>{a} does not support Apple&apos;s GPU.</source>
        <translation>{a} は Apple の GPU では計算しません。</translation>
    </message>
    <message>
        <source>{a} does not support a GPU through Vulkan.</source>
        <translation>{a} は Vulkan 経由の GPU では計算しません。</translation>
    </message>
    <message>
        <source>{a} cannot use the processor here: its build or the driver does not support it.</source>
        <translation>{a} はここでは CPU を使えません。ビルドかドライバーが対応していません。</translation>
    </message>
    <message>
        <source>{a} cannot use an NVIDIA GPU here: its build or the driver does not support it.</source>
        <translation>{a} はここでは NVIDIA の GPU を使えません。ビルドかドライバーが対応していません。</translation>
    </message>
    <message>
        <source>{a} cannot use Apple&apos;s GPU here: its build or the driver does not support it.</source>
        <translation>{a} はここでは Apple の GPU を使えません。ビルドかドライバーが対応していません。</translation>
    </message>
    <message>
        <source>{a} cannot use a GPU through Vulkan here: its build or the driver does not support it.</source>
        <translation>{a} はここでは Vulkan 経由の GPU を使えません。ビルドかドライバーが対応していません。</translation>
    </message>
    <message>
        <source>accepts no more requests now</source>
        <translation>今はこれ以上リクエストを受け付けません</translation>
    </message>
    <message>
        <source>could not accept the request</source>
        <translation>リクエストを受け付けられませんでした</translation>
    </message>
    <message>
        <source>{a} did not stream although it was asked to.</source>
        <translation>{a} はストリームを求められましたが、何も返しませんでした。</translation>
    </message>
    <message>
        <source>{a} kept sending after its last chunk.</source>
        <translation>{a} が最後のチャンクのあとも続けました。</translation>
    </message>
    <message>
        <source>{a} bytes are not a readable image of {b} by {c} pixels.</source>
        <translation>{a} バイトは、読める {b}×{c} 画素の画像ではありません。</translation>
    </message>
    <message>
        <source>Send one grey byte for each pixel, at most {a}.</source>
        <translation>各画素につき 1 バイトのグレー値を、最大 {a} 画素まで送ってください。</translation>
    </message>
    <message>
        <source>State the question that the documents should answer.</source>
        <translation>文書から何を知りたいのか書いてください。</translation>
    </message>
    <message>
        <source>{a} cannot translate.</source>
        <translation>{a} は翻訳できません。</translation>
    </message>
    <message>
        <source>Transcribe without translating, or choose a multilingual Whisper model.</source>
        <translation>文字起こしにするか、多言語の Whisper を選んでください。</translation>
    </message>
    <message>
        <source>{a} returned {b} vectors for {c} texts.</source>
        <translation>{a} は {c} 件の文章に {b} 個のベクトルを返しました。</translation>
    </message>
    <message>
        <source>Embeddings are not available for input type {a}.</source>
        <translation>文章を {a} として埋め込めません。</translation>
    </message>
    <message>
        <source>Send input_type {a}, or omit it.</source>
        <translation>input_type に {a} を送るか、省いてください。</translation>
    </message>
    <message>
        <source>The provider {a} does not describe itself correctly: {b}</source>
        <translation>プロバイダー {a} の説明が形式に合いません：{b}</translation>
    </message>
    <message>
        <source>The parameter {a} accepts {b} decimals, not {c}.</source>
        <translation>パラメーター {a} の小数は {c} ではなく {b} 桁です。</translation>
    </message>
    <message>
        <source>Choose one by its language, {a} …, or specify none.</source>
        <translation>言語で選んでください：{a}…。指定しなくてもかまいません。</translation>
    </message>
    <message>
        <source>Specify the folder of a Whisper model.</source>
        <translation>Whisper モデルのフォルダーを指定してください。</translation>
    </message>
    <message>
        <source>Its folder is incomplete; download the model again, or copy all of its files.</source>
        <translation>フォルダーが不完全です。モデルを取得し直すか、すべてのファイルをコピーしてください。</translation>
    </message>
    <message>
        <source>If the message names CUDA or a driver, set the device to cpu; otherwise a file is damaged, so download the model again.</source>
        <translation>CUDA かドライバーのことなら、デバイスを cpu にしてください。そうでなければファイルが壊れています。取得し直してください。</translation>
    </message>
    <message>
        <source>The model cannot run with these settings: {a}.</source>
        <translation>モデルはこのようには計算できません：{a}。</translation>
    </message>
    <message>
        <source>The audio contains values that are not numbers (NaN).</source>
        <translation>音声に数でない値（NaN）があります。</translation>
    </message>
    <message>
        <source>The file contains no sound.</source>
        <translation>ファイルに音がありません。</translation>
    </message>
    <message>
        <source>The file cannot be read as audio: {a}.</source>
        <translation>ファイルを音声として読み込めません：{a}。</translation>
    </message>
    <message>
        <source>This model knows only English and cannot translate.</source>
        <translation>このモデルは英語専用で、翻訳できません。</translation>
    </message>
    <message>
        <source>It knows only English; choose a multilingual model.</source>
        <translation>英語専用です。多言語のモデルを選んでください。</translation>
    </message>
    <message>
        <source>Send an ISO 639-1 code such as en, zh or de, or none.</source>
        <translation>en、zh、de など ISO 639-1 のコードを送るか、省いてください。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template is not valid: {a}</source>
        <translation>モデルのチャットテンプレートが正しくありません：{a}</translation>
    </message>
    <message>
        <source>The model&apos;s template does not accept these messages: {a}</source>
        <translation>モデルのテンプレートはこれらのメッセージを扱えません：{a}</translation>
    </message>
    <message>
        <source>Remove what it names.</source>
        <translation>指摘されたものを省いてください。</translation>
    </message>
    <message>
        <source>llama.cpp cannot enforce this schema: its grammar is too large.</source>
        <translation>llama.cpp は回答をこのスキーマに合わせられません。文法が大きすぎます。</translation>
    </message>
    <message>
        <source>Lower maxLength, maxItems and similar limits, or remove them.</source>
        <translation>maxLength や maxItems などを小さくするか、省いてください。</translation>
    </message>
    <message>
        <source>json_schema is not a JSON schema: {a}</source>
        <translation>json_schema が JSON スキーマではありません：{a}</translation>
    </message>
    <message>
        <source>llama.cpp cannot enforce this schema: {a}: {b}</source>
        <translation>llama.cpp は回答をこのスキーマに合わせられません：{a}: {b}</translation>
    </message>
    <message>
        <source>Remove recursive references and patterns without anchors.</source>
        <translation>再帰参照とアンカーのないパターンを省いてください。</translation>
    </message>
    <message>
        <source>Allow more tokens, or make the schema less strict.</source>
        <translation>トークン数を増やすか、スキーマを緩めてください。</translation>
    </message>
    <message>
        <source>Include the tool in the request.</source>
        <translation>ツールも一緒に送ってください。</translation>
    </message>
    <message>
        <source>No layer of {a} fits into the {b} GB that are free on the GPU.</source>
        <translation>GPU の空き {b} GB には {a} の 1 層も入りません。</translation>
    </message>
    <message>
        <source>Free some memory, choose a smaller model, or set the device to auto.</source>
        <translation>空けるか、小さいモデルを選ぶか、デバイスを auto にしてください。</translation>
    </message>
    <message>
        <source>The call was interrupted: {a}</source>
        <translation>呼び出しが途切れました：{a}</translation>
    </message>
    <message>
        <source>The conversation has {a} tokens, but the model accepts {b}.</source>
        <translation>チャットは {a} トークンですが、モデルが扱えるのは {b} までです。</translation>
    </message>
    <message>
        <source>The file is damaged; remove it and download the model again: deskpilot models pull.</source>
        <translation>ファイルが壊れています。削除してモデルを取得し直してください：deskpilot models pull。</translation>
    </message>
    <message>
        <source>The model has {a} parts, but {b} is not in the same folder.</source>
        <translation>モデルは {a} 個に分かれていますが、{b} がほかと同じ場所にありません。</translation>
    </message>
    <message>
        <source>Put it there, or download the model again: deskpilot models pull.</source>
        <translation>そこに置くか、モデルを取得し直してください：deskpilot models pull。</translation>
    </message>
    <message>
        <source>Download the model again: deskpilot models pull.</source>
        <translation>モデルを取得し直してください：deskpilot models pull。</translation>
    </message>
    <message>
        <source>Choose a model in the GGUF format.</source>
        <translation>GGUF 形式のモデルを選んでください。</translation>
    </message>
    <message>
        <source>Completions cannot call tools.</source>
        <translation>補完ではツールを呼び出せません。</translation>
    </message>
    <message>
        <source>Remove them, or use the mode chat.</source>
        <translation>省くか、chat モードを使ってください。</translation>
    </message>
    <message>
        <source>A completion needs exactly one user message.</source>
        <translation>補完に使えるのはユーザーのメッセージ 1 つだけです。</translation>
    </message>
    <message>
        <source>Models on llama.cpp accept text and images, but a message contains {a}.</source>
        <translation>llama.cpp のモデルが読めるのは文章と画像ですが、メッセージに {a} があります。</translation>
    </message>
    <message>
        <source>This model accepts only text, but a message contains an image.</source>
        <translation>このモデルが読めるのは文章だけですが、メッセージに画像があります。</translation>
    </message>
    <message>
        <source>Remove the image, or choose a model with a projector (mmproj), whose file is set in projector_path.</source>
        <translation>画像を省くか、プロジェクター（mmproj）のあるモデルを選び、そのファイルを projector_path に指定してください。</translation>
    </message>
    <message>
        <source>The guard model returned {a} instead of a verdict.</source>
        <translation>ガードモデルが判定ではなく {a} を返しました。</translation>
    </message>
    <message>
        <source>This file does not say which family of guard models it belongs to.</source>
        <translation>このファイルからは、どの系列のガードモデルかわかりません。</translation>
    </message>
    <message>
        <source>Specify it in the setting guard: {a}.</source>
        <translation>設定 guard で指定してください：{a}。</translation>
    </message>
    <message>
        <source>The policy of this guard model is missing: its file contains no template.</source>
        <translation>このガードモデルの方針がありません。ファイルにテンプレートがありません。</translation>
    </message>
    <message>
        <source>The template of this guard model ignores the text.</source>
        <translation>このガードモデルのテンプレートに本文が入りません。</translation>
    </message>
    <message>
        <source>Increase n_ctx to 4096.</source>
        <translation>n_ctx を 4096 に増やしてください。</translation>
    </message>
    <message>
        <source>The image has {a} million pixels; at most {b} million are supported.</source>
        <translation>画像は {a} メガピクセルです。扱えるのは {b} までです。</translation>
    </message>
    <message>
        <source>The image is not valid base64.</source>
        <translation>画像が base64 ではありません。</translation>
    </message>
    <message>
        <source>The image took {a} positions, not {b}.</source>
        <translation>画像が {b} ではなく {a} 個分の場所を使いました。</translation>
    </message>
    <message>
        <source>{a} is damaged, or is not a projector for this model.</source>
        <translation>{a} は壊れているか、このモデルのプロジェクターではありません。</translation>
    </message>
    <message>
        <source>Download the projector (mmproj) that belongs to the model.</source>
        <translation>このモデルのプロジェクター（mmproj）を取得してください。</translation>
    </message>
    <message>
        <source>{a} is not an image projector.</source>
        <translation>{a} は画像用のプロジェクターではありません。</translation>
    </message>
    <message>
        <source>The model&apos;s template ignores images.</source>
        <translation>モデルのテンプレートに画像が入りません。</translation>
    </message>
    <message>
        <source>The images cannot be prepared ({a}).</source>
        <translation>画像を準備できません（{a}）。</translation>
    </message>
    <message>
        <source>Send smaller ones, or others.</source>
        <translation>小さくするか、別の画像を送ってください。</translation>
    </message>
    <message>
        <source>Its file is damaged; remove the folder and download the model again.</source>
        <translation>ファイルが壊れています。フォルダーを削除して、モデルを取得し直してください。</translation>
    </message>
    <message>
        <source>This model cannot call tools.</source>
        <translation>このモデルはツールを呼び出せません。</translation>
    </message>
    <message>
        <source>json_schema is not JSON: {a}</source>
        <translation>json_schema が JSON ではありません：{a}</translation>
    </message>
    <message>
        <source>Remove the image, choose another model, or state in this model&apos;s settings that it accepts images.</source>
        <translation>画像を省くか、別のモデルを選ぶか、画像を読めることを設定に書いてください。</translation>
    </message>
    <message>
        <source>The server&apos;s answer has no end.</source>
        <translation>サーバーの回答が終わりません。</translation>
    </message>
    <message>
        <source>The server at {a} has sent nothing useful for {b} seconds.</source>
        <translation>{a} のサーバーから {b} 秒間、意味のあるものが届いていません。</translation>
    </message>
    <message>
        <source>Try again in a moment. If the server is slow, increase the timeout in the provider&apos;s settings.</source>
        <translation>少し待ってやり直してください。遅い場合はプロバイダーの設定で待ち時間を延ばしてください。</translation>
    </message>
    <message>
        <source>did not accept the connection in time</source>
        <translation>時間内に接続を受け付けませんでした</translation>
    </message>
    <message>
        <source>stopped sending data</source>
        <translation>応答が途絶えました</translation>
    </message>
    <message>
        <source>Try again in a moment. If the server is slow, increase the timeout.</source>
        <translation>少し待ってやり直してください。遅い場合は待ち時間を延ばしてください。</translation>
    </message>
    <message>
        <source>stopped reading the request</source>
        <translation>リクエストの受信を止めました</translation>
    </message>
    <message>
        <source>had no free connection</source>
        <translation>空いている接続がありませんでした</translation>
    </message>
    <message>
        <source>cannot be reached through the proxy</source>
        <translation>プロキシ経由で接続できません</translation>
    </message>
    <message>
        <source>closed the connection</source>
        <translation>接続を切りました</translation>
    </message>
    <message>
        <source>does not accept this request</source>
        <translation>これは送れません</translation>
    </message>
    <message>
        <source>sent data that cannot be decompressed</source>
        <translation>展開できないものを送ってきました</translation>
    </message>
    <message>
        <source>is behind a proxy that requires a password</source>
        <translation>パスワードの要るプロキシの先にあります</translation>
    </message>
    <message>
        <source>timed out waiting for the request</source>
        <translation>リクエストを待ちすぎました</translation>
    </message>
    <message>
        <source>does not accept anything this large</source>
        <translation>これほど大きなものは受け付けません</translation>
    </message>
    <message>
        <source>does not accept a conversation this long</source>
        <translation>これほど長い会話を受け付けません</translation>
    </message>
    <message>
        <source>Allow more tokens, or use a server that enforces schemas.</source>
        <translation>トークン数を増やすか、回答をスキーマに合わせられるサーバーを使ってください。</translation>
    </message>
    <message>
        <source>{a} cannot be requested.</source>
        <translation>{a} は求められません。</translation>
    </message>
    <message>
        <source>Choose one of {a}, or specify none.</source>
        <translation>次のどれかを選んでください：{a}。指定しなくてもかまいません。</translation>
    </message>
    <message>
        <source>Its files are incomplete; download the voice again, or copy both files.</source>
        <translation>ファイルが不完全です。音声を取得し直すか、2 つともコピーしてください。</translation>
    </message>
    <message>
        <source>A file is damaged or belongs to another kind of model; download it again, or choose another.</source>
        <translation>ファイルが壊れているか、別の種類のモデルです。取得し直すか、別のものを選んでください。</translation>
    </message>
    <message>
        <source>Models for sentence-transformers need a library that is not installed: {a}.</source>
        <translation>sentence-transformers のモデルに必要なライブラリがありません：{a}。</translation>
    </message>
    <message>
        <source>Specify the folder of a model.</source>
        <translation>モデルのフォルダーを指定してください。</translation>
    </message>
    <message>
        <source>The model in {a} has {b} classes, so it returns no score.</source>
        <translation>{a} のモデルは {b} 種類の分類用で、点数を出しません。</translation>
    </message>
    <message>
        <source>The model returned scores that are not numbers.</source>
        <translation>モデルの点数が数ではありません。</translation>
    </message>
    <message>
        <source>Its weights are damaged; download the model again.</source>
        <translation>重みが壊れています。取得し直してください。</translation>
    </message>
    <message>
        <source>The model in {a} is a reranker, which does not produce vectors.</source>
        <translation>{a} のモデルはリランカーで、ベクトルを作りません。</translation>
    </message>
    <message>
        <source>The model returned values that are not numbers.</source>
        <translation>モデルの値が数ではありません。</translation>
    </message>
    <message>
        <source>Speech is not possible at a speed of {a}.</source>
        <translation>速度 {a} では読み上げられません。</translation>
    </message>
    <message>
        <source>{a} cannot be created.</source>
        <translation>{a} は作れません。</translation>
    </message>
    <message>
        <source>A sample rate of {a} Hz is not supported.</source>
        <translation>{a} Hz は作れません。</translation>
    </message>
    <message>
        <source>There is nothing to say: the text contains no words.</source>
        <translation>読み上げるものがありません。文章に言葉がありません。</translation>
    </message>
    <message>
        <source>{a} has reached its limit of {b} requests at once.</source>
        <translation>{a} が同時に送れるリクエストは {b} 件までで、上限に達しています。</translation>
    </message>
    <message>
        <source>{a} has reached its limit of {b} requests a minute.</source>
        <translation>{a} が1分間に送れるリクエストは {b} 件までで、上限に達しています。</translation>
    </message>
    <message>
        <source>{a} has reached its limit of {b} tokens a minute.</source>
        <translation>{a} が1分間に使えるトークンは {b} 個までで、上限に達しています。</translation>
    </message>
    <message>
        <source>The model service had an internal error ({a}). Send the question again; if it fails again, see the service&apos;s log.</source>
        <translation>モデルサービスで誤りが起きました（{a}）。質問を送り直してください。また失敗する場合は、サービスのログに場所が書かれています。</translation>
    </message>
    <message>
        <source>{a} is not allowed to use {b}.</source>
        <translation>{a} は {b} を使えません。</translation>
    </message>
    <message>
        <source>Use another model; /v1/models lists them.</source>
        <translation>別のモデルを指定してください。/v1/models を参照。</translation>
    </message>
    <message>
        <source>{a} is not a reranker.</source>
        <translation>{a} はリランカーではありません。</translation>
    </message>
    <message>
        <source>{a} Or import Llama Guard, Qwen3Guard or ShieldGemma as GGUF: deskpilot models import FILE.gguf</source>
        <translation>{a} または GGUF の Llama Guard、Qwen3Guard、ShieldGemma を取り込んでください：deskpilot models import FILE.gguf</translation>
    </message>
    <message>
        <source>OCR model</source>
        <translation>スキャンしたページを読むモデル</translation>
    </message>
    <message>
        <source>speech recognition model</source>
        <translation>音声認識モデル</translation>
    </message>
    <message>
        <source>{a} requests are already waiting for this model.</source>
        <translation>すでに {a} 件のリクエストがこのモデルを待っています。</translation>
    </message>
    <message>
        <source>Still waiting after {a} s.</source>
        <translation>{a} 秒以内に順番が来ませんでした。</translation>
    </message>
    <message>
        <source>This model returns no timestamps, so subtitles are not possible.</source>
        <translation>このモデルは時刻を出さないので、字幕を作れません。</translation>
    </message>
    <message>
        <source>The file is {a} MB; at most {b} MB are accepted.</source>
        <translation>ファイルは {a} MB です。受け付けるのは {b} MB までです。</translation>
    </message>
    <message>
        <source>Save it as MP3, OGG or FLAC, or split it in two.</source>
        <translation>MP3、OGG、FLAC で保存するか、2 つに分けてください。</translation>
    </message>
    <message>
        <source>The voice produced no readable sound.</source>
        <translation>この音声は読み取れる音を生成しませんでした。</translation>
    </message>
    <message>
        <source>{a} is in use.</source>
        <translation>{a} は今使われています。</translation>
    </message>
    <message>
        <source>Stop its task, or wait until it finishes.</source>
        <translation>その処理を止めるか、終わるまで待ってください。</translation>
    </message>
    <message>
        <source>Waiting for the model: place {a} in the queue</source>
        <translation>モデルを待っています：{a} 番目</translation>
    </message>
    <message>
        <source>input contains token ids, which stand for other words in this model.</source>
        <translation>input がトークン番号です。このモデルでは別の語を意味します。</translation>
    </message>
    <message>
        <source>This model produces vectors with {a} dimensions, not {b}.</source>
        <translation>このモデルのベクトルは {a} 次元で、{b} 次元ではありません。</translation>
    </message>
    <message>
        <source>Send one grey byte for each pixel, in base64.</source>
        <translation>各画素につき 1 バイトのグレー値を base64 で送ってください。</translation>
    </message>
    <message>
        <source>prompt contains token ids, which stand for other words in this model.</source>
        <translation>prompt がトークン番号です。このモデルでは別の語を意味します。</translation>
    </message>
    <message>
        <source>{a} needs {b} of memory; only {c} is free (in use: {d}).</source>
        <translation>{a} には {b} のメモリが必要ですが、使用中の {d} のほかに空いているのは {c} です。</translation>
    </message>
    <message>
        <source>{a} needs {b} of memory; only {c} is free.</source>
        <translation>{a} には {b} のメモリが必要ですが、空きは {c} です。</translation>
    </message>
    <message>
        <source>The file returns text, not bytes.</source>
        <translation>ファイルからバイト列ではなく文字列が返りました。</translation>
    </message>
    <message>
        <source>The process of {a} keeps stopping.</source>
        <translation>{a} のプロセスが終了を繰り返しています。</translation>
    </message>
    <message>
        <source>Choose another model, or check the log.</source>
        <translation>別のモデルを選ぶか、ログを見てください。</translation>
    </message>
    <message>
        <source>The model&apos;s process has stopped.</source>
        <translation>モデルを動かすプロセスが終了しました。</translation>
    </message>
    <message>
        <source>Send the question again; the service will be restarted.</source>
        <translation>質問を送り直してください。新しく起動します。</translation>
    </message>
    <message>
        <source>{a} does not respond.</source>
        <translation>{a} が応答しません。</translation>
    </message>
    <message>
        <source>{a} did not respond within {b} s.</source>
        <translation>{a} が {b} 秒以内に応答しませんでした。</translation>
    </message>
    <message>
        <source>No server responds at {a}.</source>
        <translation>{a} は読むとデータベースに書き込むので、読みません。</translation>
    </message>
    <message>
        <source>The model service doesn&apos;t respond. This machine may be busy.</source>
        <translation>モデルサービスが応答しません。この端末が混み合っているかもしれません。</translation>
    </message>
    <message>
        <source>{a} did not respond: {b}.</source>
        <translation>{a} が応答しませんでした：{b}。</translation>
    </message>
    <message>
        <source>You did not sign in.</source>
        <translation>サインインされませんでした。</translation>
    </message>
    <message>
        <source>Download it with: deskpilot models pull {a}</source>
        <translation>取得するには：deskpilot models pull {a}</translation>
    </message>
    <message>
        <source>Download some with: deskpilot models pull --starter</source>
        <translation>取得するには：deskpilot models pull --starter</translation>
    </message>
    <message>
        <source>Download it: deskpilot models pull {a}</source>
        <translation>取得するには：deskpilot models pull {a}</translation>
    </message>
    <message>
        <source>Download one with: deskpilot models pull {a} ({b} MB, {c}); or {d}</source>
        <translation>取得するには：deskpilot models pull {a}（{b} MB、{c}）、または {d}</translation>
    </message>
    <message>
        <source>Download one with: deskpilot models pull {a} ({b} MB, {c})</source>
        <translation>取得するには：deskpilot models pull {a}（{b} MB、{c}）</translation>
    </message>
    <message>
        <source>Download one with: deskpilot models pull {a} ({b}); or {c}</source>
        <translation>取得するには：deskpilot models pull {a}（{b}）、または {c}</translation>
    </message>
    <message>
        <source>Download one with: deskpilot models pull {a} ({b})</source>
        <translation>取得するには：deskpilot models pull {a}（{b}）</translation>
    </message>
</context>
</TS>
