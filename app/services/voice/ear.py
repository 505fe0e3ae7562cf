"""A piece of an answer made for the ear: Markdown taken off, code and tables announced, numbers said."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from markdown_it import MarkdownIt

from app.services.voice.clauses import has_words
from app.services.voice.languages import spoken, table_of

if TYPE_CHECKING:
    from markdown_it.token import Token

    from app.services.voice.blocks import Kind

CITATION = re.compile(r"\s?\[\d{1,3}\](?![(\[])")
PREFIX = re.compile(
    r"\A\s*(?:>\s?)*(?:#{1,6}\s+|[-*+•]\s+(?:\[[ xX]\]\s+)?|(?:[-*_]\s?){3,}\s*\Z)?"
)
ITEM = re.compile(r"\A(\d{1,3})[.)]\s+")
QUOTED = re.compile(r"\n\s*(?:>\s?)+")
MARKS = re.compile(r"(?<!\d)\*+(?=\S)|(?<=\S)\*+(?!\d)|~~|`+|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)")
SNAKE = re.compile(r"(?<=[^\W_])_+(?=[^\W_])")
CODE_NAME = re.compile(r"[`~]{3,}\s*([\w+#.-]+)")
CODE_NAMES = {
    "py": "Python",
    "js": "JavaScript",
    "ts": "TypeScript",
    "sh": "shell",
    "cpp": "C++",
    "sql": "SQL",
    "json": "JSON",
}
RULE = re.compile(r"\s*:?-+:?\s*")
COLUMNS = 4  # of a table are named


def for_ear(kind: Kind, text: str, language: str) -> str:
    """Return what a voice is given for a piece of Markdown; empty if there is nothing to say of it."""
    if kind == "thought":
        return ""
    if kind == "code":
        return announced_code(text, language)
    if kind == "table":
        return announced_table(text, language)
    said = " ".join(spoken(language).apply(plain(text, language)).split())
    return said if has_words(said) else ""


def plain(text: str, language: str) -> str:
    """Return the words of Markdown: no marks, no addresses, no numbers of citations."""
    text = ITEM.sub(r"\1, ", PREFIX.sub("", CITATION.sub("", text), count=1))
    (inline,) = parser().parseInline(QUOTED.sub("\n", text))
    return SNAKE.sub(" ", MARKS.sub("", "".join(words(inline.children or [], language))))


def words(tokens: list[Token], language: str) -> list[str]:
    """Return what is said of the parts of a line."""
    made: list[str] = []
    silent = ""  # the kind of token that ends what is not said
    for token in tokens:
        if silent:
            silent = "" if token.type == silent else silent
        elif token.type == "link_open" and token.markup in ("linkify", "autolink"):
            host = urlsplit(str(token.attrGet("href") or "")).hostname or ""
            link = table_of(language)["announce"]["link"]
            made.append(link.format(host=host.removeprefix("www.")))
            silent = "link_close"
        elif token.type == "s_open":
            silent = "s_close"
        elif token.type in ("softbreak", "hardbreak", "html_inline"):
            made.append(" ")
        else:
            made.append(token.content)
    return made


@cache
def parser() -> MarkdownIt:
    """Return the parser; only an address with its scheme is a link, `script.py` is a name."""
    made = MarkdownIt("gfm-like", {"html": True})
    assert made.linkify is not None
    made.linkify.set({"fuzzy_link": False, "fuzzy_email": False})
    return made


def announced_code(text: str, language: str) -> str:
    """Return the sentence that stands for code."""
    say = table_of(language)["announce"]
    found = CODE_NAME.match(text.strip(" \t>"))
    if found is None:
        return say["code"]
    return say["code_in"].format(name=CODE_NAMES.get(found[1].lower(), found[1].capitalize()))


def announced_table(text: str, language: str) -> str:
    """Return the sentence that stands for a table: how large it is, and its first columns."""
    lines = [cells(line) for line in text.splitlines() if line.strip(" >")]
    ruled = len(lines) > 1 and all(RULE.fullmatch(cell) for cell in lines[1])
    if not ruled:  # lines that only look like one
        return for_ear("prose", text.replace("|", " "), language)
    say = table_of(language)["announce"]
    names = [name for cell in lines[0] if (name := plain(cell, language).strip())]
    if len(names) > COLUMNS + 1:
        names = [*names[:COLUMNS], say["more"].format(n=len(names) - COLUMNS)]
    counts = {
        name: counted(say[name], n)
        for name, n in (("rows", len(lines) - 2), ("columns", len(lines[0])))
    }
    return say["table"].format(**counts, names=say["join"].join(names))


def cells(line: str) -> list[str]:
    """Return the cells of a table's line."""
    return re.split(r"(?<!\\)\|", line.strip(" \t>\r").removeprefix("|").removesuffix("|"))


def counted(forms: list[str], number: int) -> str:
    """Return a number of things, one or several."""
    return forms[0 if number == 1 else 1].format(n=number)
