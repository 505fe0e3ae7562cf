"""The spoken form of an answer: prose is read, and code and tables are announced."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from markdown_it import MarkdownIt

from app.services.voice.languages import (
    LANGUAGES,
    ClauseSplitter,
    abbreviations,
    has_words,
    language_of,
    note_of,
    spoken,
    table_of,
)

if TYPE_CHECKING:
    from markdown_it.token import Token


Kind = Literal["prose", "code", "table", "thought"]

FENCE = re.compile(r"[ \t>]*(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)(?:\n|\Z)")
THINK, THOUGHT = "<think>", "</think>"


@dataclass(frozen=True)
class ScriptBlock:
    """A verbatim piece of the source. Prose comes in pieces as it streams. All other blocks are
    complete.
    """

    kind: Kind
    text: str


class Blocks:
    """Splits streamed text into blocks. Joined together, the blocks form the complete text, however
    it was split into deltas.

    Prose is passed on at once, except for a few characters at the start of a line that may begin
    something else.
    """

    def __init__(self) -> None:
        self._kind: Kind = "prose"
        self._held = ""  # text of a block that is not prose
        self._line = ""  # text of the line that is being read
        self._within = False  # whether it is a line of prose whose beginning has been passed on
        self._fence = ""

    def feed(self, delta: str) -> list[ScriptBlock]:
        """Return the blocks that a delta completes."""
        made: list[ScriptBlock] = []
        for piece in filter(None, re.split(r"(?<=\n)", delta)):
            self._line += piece
            self._read(made, last=False)
        return made

    def finish(self) -> list[ScriptBlock]:
        """Return the remaining blocks at the end of the text."""
        made: list[ScriptBlock] = []
        if self._line:
            self._read(made, last=True)
        self._close(made)
        return made

    def _read(self, made: list[ScriptBlock], *, last: bool) -> None:
        whole = last or self._line.endswith("\n")
        if self._kind in ("code", "thought") and (not whole or not self._hold(made)):
            return
        if not self._within:
            kind = kind_of(self._line, whole=whole)
            if kind is None or (kind != "prose" and not whole):
                return
            if kind != self._kind:
                self._close(made)
                self._kind = kind
                opening = FENCE.match(self._line)
                self._fence = opening["fence"] if kind == "code" and opening else ""
            if kind != "prose" and not self._hold(made):
                return
        made.append(ScriptBlock("prose", self._line))
        self._within = not whole
        self._line = ""

    def _hold(self, made: list[ScriptBlock]) -> bool:
        """Add the line to its block, or end the block if the line ends it. Return whether prose is
        left in the line.
        """
        opening = not self._held
        line, self._line = self._line, ""
        if self._kind == "thought" and THOUGHT in line:
            end = line.index(THOUGHT) + len(THOUGHT)
            self._held += line[:end]
            self._close(made)
            self._line = line[end:]
            self._within = bool(self._line)
            return self._within
        self._held += line
        mark = line.strip(" \t>\r\n")
        if (
            self._kind == "code"
            and not opening
            and mark.startswith(self._fence)
            and not mark.strip(mark[0])
        ):
            self._close(made)
        return False

    def _close(self, made: list[ScriptBlock]) -> None:
        if self._held:
            made.append(ScriptBlock(self._kind, self._held))
        self._held, self._kind, self._within = "", "prose", False


def kind_of(line: str, *, whole: bool) -> Kind | None:
    """Return the kind of block that a line begins or forms, or None while this is undecided."""
    start = line.lstrip(" \t>")
    if start.startswith("|"):
        return "table"
    if start.startswith(THINK):
        return "thought"
    if start[:3] in ("```", "~~~"):
        if not whole:
            return None
        return "code" if FENCE.match(line) else "prose"
    opening = not start or start in ("`", "``", "~", "~~") or THINK.startswith(start)
    return None if opening and not whole else "prose"


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
COLUMNS = 4  # maximum number of columns of a table that are named


def for_ear(kind: Kind, text: str, language: str) -> str:
    """Return the spoken form of a piece of Markdown, or an empty string if there is nothing to
    speak."""
    if kind == "thought":
        return ""
    if kind == "code":
        return announced_code(text, language)
    if kind == "table":
        return announced_table(text, language)
    said = " ".join(spoken(language).apply(plain(text, language)).split())
    return said if has_words(said) else ""


def plain(text: str, language: str) -> str:
    """Return the text of Markdown, without formatting marks, addresses and citation numbers."""
    text = ITEM.sub(r"\1, ", PREFIX.sub("", CITATION.sub("", text), count=1))
    (inline,) = parser().parseInline(QUOTED.sub("\n", text))
    return SNAKE.sub(" ", MARKS.sub("", "".join(words(inline.children or [], language))))


def words(tokens: list[Token], language: str) -> list[str]:
    """Return the spoken form of the parts of a line."""
    made: list[str] = []
    silent = ""  # the kind of token that ends the part that is not spoken
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
    """Return the parser. An address is a link only if it has a scheme, so that `script.py` stays a
    name.
    """
    made = MarkdownIt("gfm-like", {"html": True})
    assert made.linkify is not None
    made.linkify.set({"fuzzy_link": False, "fuzzy_email": False})
    return made


def announced_code(text: str, language: str) -> str:
    """Return the sentence that announces code."""
    say = table_of(language)["announce"]
    found = CODE_NAME.match(text.strip(" \t>"))
    if found is None:
        return say["code"]
    return say["code_in"].format(name=CODE_NAMES.get(found[1].lower(), found[1].capitalize()))


def announced_table(text: str, language: str) -> str:
    """Return the sentence that announces a table: its size and its first columns."""
    lines = [cells(line) for line in text.splitlines() if line.strip(" >")]
    ruled = len(lines) > 1 and all(RULE.fullmatch(cell) for cell in lines[1])
    if not ruled:  # lines that only look like a table
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
    """Return the cells in a line of a table."""
    return re.split(r"(?<!\\)\|", line.strip(" \t>\r").removeprefix("|").removesuffix("|"))


def counted(forms: list[str], number: int) -> str:
    """Return a number with its noun in the singular or plural."""
    return forms[0 if number == 1 else 1].format(n=number)


@dataclass(frozen=True)
class SpokenPart:
    """A single utterance to be spoken. start, end: the position of its source in the answer, in
    characters. said: the text for the voice.
    """

    start: int
    end: int
    said: str
    language: str


class Script:
    """Splits an answer into utterances. Parts with nothing to speak are skipped.

    language: the language of the answer, until a part is clearly in another language.
    """

    def __init__(self, language: str = "en") -> None:
        self._blocks = Blocks()
        self._splitter = ClauseSplitter(abbreviations())
        self._language = language if language in LANGUAGES else "en"
        self._at = 0
        self._notes: list[str] = []

    def note(self, message: str) -> None:
        """Process one of the copilot's steps. If it reports the source of the answer, the source is
        spoken before the next utterance.
        """
        self._notes.append(message)

    def feed(self, delta: str) -> list[SpokenPart]:
        """Return the utterances that a delta completes."""
        return self._read(self._blocks.feed(delta))

    def hurry(self) -> list[SpokenPart]:
        """Return a part of an incomplete sentence, if it is long enough."""
        return self._pieces("prose", self._splitter.hurry())

    def finish(self) -> list[SpokenPart]:
        """Return the remaining utterances at the end of the answer."""
        return [*self._read(self._blocks.finish()), *self._pieces("prose", self._splitter.flush())]

    def _read(self, blocks: list[ScriptBlock]) -> list[SpokenPart]:
        made: list[SpokenPart] = []
        for block in blocks:
            if block.kind == "prose":
                made += self._pieces("prose", self._splitter.feed(block.text))
            else:
                made += self._pieces("prose", self._splitter.flush())
                made += self._pieces(block.kind, [block.text])
        return made

    def _pieces(self, kind: Kind, texts: list[str]) -> list[SpokenPart]:
        made: list[SpokenPart] = []
        for text in texts:
            start, self._at = self._at, self._at + len(text)
            if kind == "prose":
                self._language = language_of(text, self._language)
            if said := for_ear(kind, text, self._language):
                inner = start + len(text) - len(text.lstrip())
                notes, self._notes = self._notes, []
                for note in filter(None, (note_of(message, self._language) for message in notes)):
                    made.append(SpokenPart(inner, inner, note, self._language))
                made.append(SpokenPart(inner, inner + len(text.strip()), said, self._language))
        return made
