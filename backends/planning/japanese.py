"""Rewrite Japanese questions with the words of the Chinese lexicon. Many of these words are written
in the same way in both languages.

The names of columns, and the values in the table, are left unchanged. Words that are in neither
lexicon are left unchanged as well, so that they are reported as not understood and not simply
ignored.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.data.values import Profile

HELD = "\ue000{}\ue001"
NUMBER = r"(\d[\d.,]*(?:万|億|円|ドル|%)?)"
EACH = {"年": "每年的", "月": "每个月的", "日": "每天的", "週": "每周的", "四半期": "每个季度的"}
COUNTED = {
    "日": "天",
    "社": "家",
    "年": "年",
    "か月": "个月",
    "ヶ月": "个月",
    "週": "周",
    "四半期": "个季度",
}
UNIT = "日|週|か月|ヶ月|カ月|四半期|年"
NOUN = r"([^\s、。のはがをでと]+?)"
ORDER: tuple[
    tuple[str, str | Callable[[re.Match[str]], str]], ...
] = (  # phrases that are in a different position in Chinese
    (
        r"(?:を|で|に)?(?:グラフ化|グラフに|図に|作図|描画)(?:し|す)(?:て|る)?(?:ください|下さい)?",
        "画图",
    ),
    (r"(?:を|で|に)?(?:描|か)いて(?:ください|下さい)?", "画图"),
    (r"(?:を|で|に)?表(?:に|で)(?:して|まとめて|示して)?(?:ください|下さい)?", "列表"),
    (r"(?:を)?(予測|比較|保存)(?:し(?:て|た)?|する)?(?:ください|下さい)?", r"\1"),
    (r"(?:棒|柱状)グラフ(?:で|に(?:して)?|を)?", "柱状图"),
    (r"(?:折れ?線|線)グラフ(?:で|に(?:して)?|を)?", "折线图"),
    (r"円グラフ(?:で|に(?:して)?|を)?", "饼图"),
    (r"散布図(?:で|に(?:して)?|を)?", "散点图"),
    (
        r"(?:を)?(?:教えて|見せて|表示(?:して)?|計算(?:して)?|出して|求めて)(?:ください|下さい)?|(?:を)?お願いします|(?:して)?下さい",
        "",
    ),
    (rf"{NUMBER}(?:より(?:大き|多|高)[いく]|を(?:超え|上回)(?:る|た))", r"超过\1"),
    (rf"{NUMBER}(?:より(?:小さ|少な|低)[いく]|を下回(?:る|った)|未満)", r"低于\1"),
    (rf"{NUMBER}以上の?", r"不低于\1"),
    (rf"{NUMBER}以下の?", r"不超过\1"),
    (
        r"の?(?:上位|トップ)\s*(\d+)(日|社)(?:の|を|は)?",
        lambda said: f"最高的{said[1]}{COUNTED[said[2]]}",
    ),
    (
        r"の?(?:下位|ワースト)\s*(\d+)(日|社)(?:の|を|は)?",
        lambda said: f"最低的{said[1]}{COUNTED[said[2]]}",
    ),
    (r"(?:上位|トップ)\s*(\d+)(?:件|位|つ|個|名|行)?", r"前\1"),
    (r"(?:下位|ワースト)\s*(\d+)(?:件|位|つ|個|名|行)?", r"倒数前\1"),
    (
        rf"(\d+)({UNIT})(?:間)?の?移動平均(?:線)?",
        lambda said: f"{said[1]}{COUNTED.get(said[2], '个月')}移动平均线",
    ),
    (
        rf"(?:今後|向こう|次の)の?(\d+)({UNIT})(?:間|分)?の?",
        lambda said: f"未来{said[1]}{COUNTED.get(said[2], '个月')}的",
    ),
    (r"(?<!比の)(?<!比)変化率", "环比增长率"),
    (r"前年(?:同期|同月|同四半期|度)?比(?:の)?", "同比"),
    (r"(?:前期|前月|前四半期|前週|前日)比(?:の)?", "环比"),
    (r"(?:各|毎)?(年|月|日|週|四半期)(?:ごと|別)(?:の|に)?", lambda said: EACH[said[1]]),
    (r"毎(年|月|日|週)(?:の)?", lambda said: EACH[said[1]]),
    (rf"{NOUN}(?:ごと|別)(?:の|に)?", r"每个\1的"),
    (r"各([^\s、。のはがをでと]{1,5})(?=の|で|が|は)", r"每个\1"),
    (r"第?([1-4一二三四])\s*四半期", r"第\1季度"),
    (
        r"(\S+?)が(?:最も|一番)(高|低|多|少な)(?:い|かった)(年|月|日|四半期)は?",
        lambda said: f"{said[1]}最{said[2][0]}的是哪一{PART.get(said[3], said[3])}",
    ),
    (
        rf"(\S+?)が(?:最も|一番|いちばん)多(?:い|かった){NOUN}は?(?:どこ|どれ|何|誰)?(?:ですか)?[？?]?$",
        r"\1最高的\2是哪个",
    ),
    (
        rf"(\S+?)が(?:最も|一番|いちばん)少な(?:い|かった){NOUN}は?(?:どこ|どれ|何|誰)?(?:ですか)?[？?]?$",
        r"\1最低的\2是哪个",
    ),
    (r"(?:最も|一番|いちばん)(?:高|大き|多)(?:い|かった|く)", "最高"),
    (r"(?:最も|一番|いちばん)(?:低|小さ|少な)(?:い|かった|く)", "最低"),
    (
        r"何(?:パーセント|％|%)(?:ほど|くらい)?(?:伸び|増え|増加し|上が|上昇し)(?:っ?た|ました|りました)",
        "增长了百分之多少",
    ),
    (
        r"(?:どれだけ|どのくらい|どれくらい|いくら)(?:伸び|増え|増加し|上が|上昇し)(?:っ?た|ました|りました)",
        "增长了多少",
    ),
    (rf"(?:を|は){NOUN}で割った(?:値|比率|もの)?", r"除以\1的比率"),
    (r"([^\s、。のはがを]+?)から([^\s、。のはがを]+?)まで(?:の間)?(?:の|に)?", r"从\1到\2的"),
    (r"([^\s、。のはがを]+?)から([^\s、。のはがを]+?)への", r"从\1到\2的"),
    (r"何(?:件|行|個|人|回|つ)(?:あり(?:ます|ました)か|ある|あった|です)?", "有多少条"),
    (r"(?:いくつ|いくら|どのくらい|どれくらい|どれだけ|何パーセント|何％|何%)", "是多少"),
    (r"どの(年|月|日|四半期)", r"哪一\1"),
)
PART = {"四半期": "季度", "日": "天"}
WORDS = {
    "中央値": "中位数",
    "平均値": "平均值",
    "合計": "总和",
    "総計": "总和",
    "総額": "总和",
    "件数": "有多少条",
    "行数": "有多少行",
    "最大値": "最大值",
    "最小値": "最小值",
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
    "終値": "收盘价",
    "始値": "开盘价",
    "高値": "最高价",
    "安値": "最低价",
    "出来高": "成交量",
    "株価": "股价",
    "価格": "价格",
    "会社": "公司",
    "企業": "企业",
    "店舗": "门店",
    "都市": "城市",
    "地域": "地区",
    "顧客": "客户",
    "部門": "部门",
    "上半期": "上半年",
    "下半期": "下半年",
    "累積": "累计",
    "累計": "累计",
    "リターン": "收益率",
    "収益率": "收益率",
    "騰落率": "涨跌幅",
    "成長率": "增长率",
    "伸び率": "增长率",
    "増加率": "增长率",
    "変化率": "变化率",
    "ランキング": "排名",
    "順位": "排名",
    "相関係数": "相关系数",
    "相関": "相关系数",
    "予測": "预测",
    "比較": "比较",
    "グラフ": "图",
    "ローソク足": "K线图",
    "の差額": "之差",
    "の差": "之差",
    "差": "差值",
    "標準偏差": "标准差",
    "社": "公司",
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
# Particles, endings and polite forms, which do not limit what is asked for; the longest come first.
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


def as_chinese(text: str, profiles: list[Profile]) -> str:
    """Return a Japanese question in the words of the Chinese lexicon. The names and values in the
    tables are not changed.
    """
    held = sorted((name for name in names_in(profiles) if name in text), key=len, reverse=True)
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


def as_japanese(word: str, asked: str) -> str:
    """Return an unused word of a rewritten question as it was written in the original question."""
    if word in asked:
        return word
    for own, said in sorted(WORDS.items(), key=lambda pair: -len(pair[1])):
        if own in asked:
            word = word.replace(said, own)
    return word


def kana_left(read: str, profiles: list[Profile]) -> list[str]:
    """Return the kana words that remain in a rewritten question and are not part of a name or
    value.
    """
    for name in sorted(names_in(profiles), key=len, reverse=True):
        read = read.replace(name, " ")
    return list(
        dict.fromkeys(
            run for run in re.findall(r"[\u3041-\u3096\u30a1-\u30fa\u30fc]+", read) if len(run) > 1
        )
    )


def names_in(profiles: list[Profile]) -> set[str]:
    """Return the names of tables and columns, and the values of text columns, that have more than
    one character.
    """
    columns = [column for profile in profiles for column in profile.columns]
    names = {column.name for column in columns} | {profile.name for profile in profiles}
    names |= {value for column in columns for value in column.values if isinstance(value, str)}
    return {name for name in names if len(name) > 1}


def quiet(run: str) -> str:
    """Return a run of hiragana without the parts that do not limit what is asked for. If it
    contains anything else, return it unchanged.
    """
    left, made = run, ""
    while left:
        if left[0] in "とや" and left == run:  # between two nouns here
            left, made = left[1:], made + "和"
            continue
        if left[0] == "の":
            left, made = left[1:], made + "的"
            continue
        found = next((word for word in QUIET if left.startswith(word)), None)
        if found is None:
            return run
        left = left[len(found) :]
    return made
