"""Japanese questions, said with the words the Chinese lexicon knows: many of their words are written alike.

Names of columns and values of the table stay as they are. What is in neither lexicon stays, too, so that it is
told as not understood instead of being passed over.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from backends.kernel import Profile

Spoken = Literal["en", "zh", "ja"]
KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
CJK = re.compile(r"[\u3400-\u9fff]")
HELD = "\ue000{}\ue001"
NUMBER = r"(\d[\d.,]*(?:万|億|円|ドル|%)?)"
ABOUT = "这个表有什么内容"
ORDER = (  # what stands elsewhere in a Chinese sentence
    (
        r"^(?:この|その)?(?:表|データ|ファイル)(?:の中)?(?:には?|は)(?:何|どんな(?:列|データ|項目))が(?:ある|あり|入).*$",
        ABOUT,
    ),
    (r"^どんな(?:列|データ|項目)が(?:ある|あり).*$", ABOUT),
    (
        r"(?:を)?(?:教えて|見せて|表示して|計算して|出して)(?:ください|下さい)?|(?:を)?お願いします|(?:して)?下さい",
        "",
    ),
    (rf"{NUMBER}(?:より(?:大き|多|高)[いく]|を(?:超え|上回)(?:る|た))", r"超过\1"),
    (rf"{NUMBER}(?:より(?:小さ|少な|低)[いく]|を下回(?:る|った)|未満)", r"低于\1"),
    (r"(?:上位|トップ)\s*(\d+)(?:件|位|つ|個|名|行)?", r"前\1"),
    (r"(?:下位|ワースト)\s*(\d+)(?:件|位|つ|個|名|行)?", r"倒数前\1"),
    (r"([^\s、。のはがを]+?)(?:ごと|別)(?:の|に)?", r"按\1分组的"),
    (r"第?([1-4一二三四])\s*四半期", r"第\1季度"),
    (r"(\S+?)が(?:最も|一番)(高|低)い(年|月|日|四半期)は?", r"\1最\2的是哪一\3"),
    (r"(?:最も|一番|いちばん)(?:高|大き|多)(?:い|かった|く)", "最高"),
    (r"(?:最も|一番|いちばん)(?:低|小さ|少な)(?:い|かった|く)", "最低"),
    (r"何(?:件|行|個|人|回|つ)(?:あり(?:ます|ました)か|ある|あった|です)?", "有多少条"),
    (r"(?:いくつ|いくら|どのくらい|どれくらい|どれだけ|何パーセント|何％|何%)", "是多少"),
    (r"どの(年|月|日|四半期)", r"哪一\1"),
)
WORDS = {
    "中央値": "中位数",
    "平均値": "平均值",
    "合計": "总和",
    "総計": "总和",
    "総額": "总和",
    "件数": "有多少条",
    "行数": "有多少行",
    "最大値": "最高",
    "最小値": "最低",
    "最大": "最高",
    "最小": "最低",
    "割合": "占比",
    "比率": "占比",
    "推移": "趋势",
    "変化": "变化",
    "違い": "差异",
    "種類": "种",
    "何種": "多少种",
    "四半期": "季度",
    "昨年": "去年",
    "先月": "上个月",
    "今月": "本月",
    "一覧": "列出",
    "最新": "最新",
    "最後": "最后一条",
    "失業": "失业",
    "消費": "消费",
    "投資": "投资",
    "価格": "价格",
    "値段": "价格",
    "金利": "利率",
    "収入": "收入",
    "売上高": "销售额",
    "売上": "销售额",
    "売り上げ": "销售额",
    "国内総生産": "国内生产总值",
    "インフレ率": "通胀",
    "いつ": "什么时候",
    "誰": "谁",
    "どこ": "哪里",
    "どの": "哪个",
    "どれ": "哪个",
    "何": "什么",
    "実質": "实际",
    "以降": "以来",
    "年からの": "年以来的",
    "から": "从",
    "まで": "到",
}
# Particles, endings and courtesies, which restrict nothing; longest first.
QUIET = sorted(
    [
        "ください",
        "でしたか",
        "ですか",
        "でしょうか",
        "ましたか",
        "ますか",
        "でした",
        "です",
        "ました",
        "ます",
        "だった",
        "である",
        "について",
        "における",
        "において",
        "の中で",
        "のなかで",
        "は",
        "が",
        "を",
        "に",
        "で",
        "と",
        "も",
        "か",
        "ね",
        "よ",
        "って",
        "した",
        "する",
        "している",
        "いる",
        "ある",
        "あった",
        "ありますか",
        "ありました",
        "れた",
    ],
    key=len,
    reverse=True,
)


def spoken(text: str) -> Spoken:
    """Return the language of a text, by its letters."""
    return "ja" if KANA.search(text) else "zh" if CJK.search(text) else "en"


def as_chinese(text: str, profiles: list[Profile]) -> str:
    """Return a Japanese question in the words of the Chinese lexicon; names and values of the tables as they are."""
    columns = [column for profile in profiles for column in profile.columns]
    names = {column.name for column in columns}
    names |= {value for column in columns for value in column.values if isinstance(value, str)}
    held = sorted((name for name in names if len(name) > 1 and name in text), key=len, reverse=True)
    for place, name in enumerate(held):
        text = text.replace(name, HELD.format(chr(0xE100 + place)))
    for pattern, made in ORDER:
        text = re.sub(pattern, made, text)
    for word in sorted(WORDS, key=len, reverse=True):
        text = text.replace(word, WORDS[word])
    text = re.sub(r"[\u3041-\u3096]+", lambda run: quiet(run[0]), text)
    for place, name in enumerate(held):
        text = text.replace(HELD.format(chr(0xE100 + place)), name)
    return text


def quiet(run: str) -> str:
    """Return a run of Hiragana without what restricts nothing; as it is if more than that stands in it."""
    left, made = run, ""
    while left:
        if left[0] == "の":
            left, made = left[1:], made + "的"
            continue
        found = next((word for word in QUIET if left.startswith(word)), None)
        if found is None:
            return run
        left = left[len(found) :]
    return made
