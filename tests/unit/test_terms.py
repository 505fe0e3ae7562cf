"""One word for each thing: what the window and its help call it in Chinese and Japanese."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

RESOURCES = Path(__file__).resolve().parents[2] / "resources"
TERMS = {  # what stands in English, and what must stand where it does: Chinese, Japanese
    "copilots?": ("助手", "コパイロット"),
    "assistants?": ("智能体", "アシスタント"),
    "widgets?": ("组件", "ウィジェット"),
    "dashboards?": ("仪表板", "ダッシュボード"),
    "tiles?": ("磁贴", "タイル"),
    "backends?": ("后端", "バックエンド"),
    "plugins?": ("插件", "プラグイン"),
    "skills?": ("技能", "スキル"),
    "interfaces?": ("接口", "インターフェイス"),
    "workflows?": ("工作流", "ワークフロー"),
    "steps?": ("步", "手順"),
    "library": ("库", "ライブラリ"),
    "providers?": ("提供商", "プロバイダー"),
    "presets?": ("预设", "プリセット"),
    "parameters?": ("参数", "パラメーター"),
    "tokens?": ("token|令牌", "トークン"),
    "in(to)? (the )?context": ("上下文", "コンテキスト"),
    "conversations": ("对话", "チャット"),
    "chats": ("对话", "チャット"),
    "branch(es)?": ("分支", "ブランチ"),
    "embedders?": ("嵌入模型", "埋め込みモデル"),
    "rerankers?": ("重排模型", "リランカー"),
    "guard models?": ("审核模型", "ガードモデル"),
    "gateway": ("网关", "ゲートウェイ"),
    "keyring": ("密钥环", "キーリング"),
    "headers?": ("请求头|表头", "ヘッダー|見出し"),
    "dictates?|dictation": ("听写", "音声入力"),
    "microphone": ("麦克风", "マイク"),
    "offline": ("离线", "オフライン"),
    "hash": ("哈希值", "ハッシュ"),
}
AGAINST = {  # other words for the same, rude or stiff ones, and signs of the other script
    "zh": r"助理|小组件|小部件|看板|会话|标头|口述|你|哈希(?!值)|[^ -~] …|[\u4e00-\u9fff][:,;?]",
    "ja": (
        r"ステップ|口述|複製|あなた|ウィジット|インターフェース|[^ -~]"
        r" …|[\u3040-\u30ff\u4e00-\u9fff][:,;?]"
    ),
}
NAMES = (  # no words of ours
    r"\{\w+\}|`[^`]*`|/skill:|deskpilot [a-z]+( library)?|\S+\.json|\w+_\w+|Types: .*"
)
PLACES = {"zh": 0, "ja": 1}


def entries(language: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for catalogue in ("deskpilot", "sentences"):
        path = RESOURCES / "translations" / f"{catalogue}_{language}.ts"
        for message in ElementTree.parse(path).iter("message"):
            translation = message.find("translation")
            assert translation is not None
            found.append((message.findtext("source", ""), "".join(translation.itertext()).strip()))
    return found


@pytest.mark.parametrize("language", PLACES)
def test_one_thing_has_one_name_in_all_that_is_translated(language: str) -> None:
    wrong: list[str] = []
    for source, said in entries(language):
        plain = re.sub(NAMES, "", source)
        for word, terms in TERMS.items():
            if re.search(rf"\b({word})\b", plain, re.IGNORECASE) and not re.search(
                terms[PLACES[language]], said
            ):
                wrong.append(f"{word}: {source} | {said}")
    assert not wrong


@pytest.mark.parametrize("language", PLACES)
def test_no_other_word_stands_for_it_in_the_window_or_its_help(language: str) -> None:
    pages = [path.read_text("utf-8") for path in (RESOURCES / "help" / language).glob("*.md")]
    said = [text for _, text in entries(language)] + [
        line for page in pages for line in page.splitlines()
    ]
    assert [text for text in said if re.search(AGAINST[language], text)] == []
