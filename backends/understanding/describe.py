"""What a table holds, told from its profile: for questions about the table and not its numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.matching import GENERIC

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile, Profile
    from backends.understanding.asking.japanese import Spoken

ABOUT = re.compile(
    r"^(?:please )?(?:what(?:'s| is| does)?|describe|explain|show me|tell"
    r" me|summari[sz]e)\b[^?]*\b(?:in|about|of)?\s*(?:this|the|my)"
    r" (?:table|data|dataset|file|sheet|csv|spreadsheet)\b[^a-z]*$"
    r"|^(?:what|which) (?:columns?|fields?|variables?|data) (?:are there|do (?:i|we|you) have|does"
    r" it have|are in)"
    r"|^(?:what|which)"
    r" (?:columns|fields|variables)\b|(?:这个|这张|该)?(?:表格?|数据|文件)里?(?:有|包含|都有)(?:什么|哪些)(?:列|字段|内容|数据)?|有哪些(?:列|字段)",
    re.IGNORECASE,
)
BARE = re.compile(r"^(?:and )?what(?:'s| is| was| were| are) the ([a-z]+)\??$", re.IGNORECASE)
COLUMNS = 20


def asks_about_table(text: str) -> bool:
    """Tell whether a question asks what the table holds."""
    return bool(ABOUT.search(text.strip()))


def names_no_column(text: str) -> bool:
    """Tell whether a question asks for "the rate" or "the amount" and does not say which."""
    match = BARE.match(text.strip())
    return match is not None and match[1].lower() in GENERIC


def describe(profile: Profile, language: Spoken) -> str:
    """Return how many rows there are and what each column holds, at most 20 of them."""
    shown = [held(c, language) for c in profile.columns[:COLUMNS]]
    more = len(profile.columns) - len(shown)
    listed = "\n".join(f"- {line}" for line in shown)
    if language == "zh":
        rest = f"\n\n另有 {more} 列。" if more else ""
        return (
            f"{profile.name} 有 {profile.rows:,} 行、{len(profile.columns)} 列：\n\n{listed}{rest}"
        )
    if language == "ja":
        rest = f"\n\nほかに {more} 列あります。" if more else ""
        return (
            f"{profile.name} は {profile.rows:,} 行、{len(profile.columns)}"
            f" 列です：\n\n{listed}{rest}"
        )
    rest = f"\n\nand {more} more columns." if more else ""
    return (
        f"{profile.name} has {profile.rows:,} rows and {len(profile.columns)}"
        f" columns:\n\n{listed}{rest}"
    )


def held(column: ColumnProfile, language: Spoken) -> str:
    """Return a column's name and its range or its commonest values."""
    colon, comma = (": ", ", ") if language == "en" else ("：", "、")
    if column.low is not None and column.high is not None:
        return f"**{column.name}**{colon}{column.low} – {column.high}"
    values = comma.join(str(v) for v in column.values[:3])
    return f"**{column.name}**{f'{colon}{values}' if values else ''}{' …' if values and column.distinct > 3 else ''}"


def which_column(profile: Profile, language: Spoken) -> str:
    """Return the question back, with the names of the columns."""
    names = (", " if language == "en" else "、").join(c.name for c in profile.columns[:COLUMNS])
    if language == "zh":
        return f"您指的是 {profile.name} 的哪一列？它有：{names}。"
    if language == "ja":
        return f"{profile.name} のどの列ですか？ 列は {names} です。"
    return f"Which column of {profile.name} do you mean? It has {names}."
