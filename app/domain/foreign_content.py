"""Says, in sentences, which parts of untrusted content were blocked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

SCRIPT, FRAME, FORM, JUMP, FAR = (
    "script",
    "frame",
    "form",
    "redirect to another page",
    "external address",
)
PLURALS = {JUMP: "redirects to another page", FAR: "external addresses"}
WORTH_A_LOOK = re.compile(r"<[a-zA-Z!/]|javascript:|!\[", re.IGNORECASE)
RUNS = re.compile(r"^\s*(?:javascript|vbscript):", re.IGNORECASE)
AWAY = re.compile(r"^\s*(?:https?:)?//", re.IGNORECASE)
STYLED = re.compile(r"(?:url\(|@import)\s*['\"]?\s*(?:https?:)?//", re.IGNORECASE)
LINKED = re.compile(r"\]\(\s*<?\s*(?:javascript|vbscript):", re.IGNORECASE)
FRAMES = ("iframe", "frame", "object", "embed", "applet", "portal")
DEEPEST, LONGEST = 12, 1_000_000  # maximum depth of a figure and length of a text to inspect


def left_out(kind: str, value: Any) -> Counter[str]:
    """Return which parts of some content (html, markdown, plotly or newsfeed) are neither run nor
    fetched.
    """
    if kind == "html":
        return of_html(str(value))
    if kind == "markdown":
        return of_markdown(str(value))
    if kind == "plotly":
        return of_texts(value)
    found: Counter[str] = Counter()
    for item in value if kind == "newsfeed" and isinstance(value, list) else []:
        found += of_markdown(str(item.get("body") or "")) if isinstance(item, dict) else Counter()
    return found


def in_words(found: Counter[str], named: Callable[[str], str] = str) -> str:
    """Return the counts in words, such as "1 script, 2 external addresses"; empty if nothing was
    counted. named: a function that returns the words in the user's language.
    """
    return ", ".join(
        f"{n} {named(what if n == 1 else PLURALS.get(what, what + 's'))}"
        for what, n in found.items()
    )


def of_html(text: str) -> Counter[str]:
    """Count the parts of a page that would run, open or fetch something."""
    reader = Wants()
    reader.feed(text[:LONGEST])
    reader.close()
    return reader.found


def of_markdown(text: str) -> Counter[str]:
    """Count the parts of a Markdown text's HTML that would run, open or fetch something. Code is
    ignored, because it is only shown.
    """
    found: Counter[str] = Counter()
    text = text[:LONGEST]
    if not WORTH_A_LOOK.search(text):
        return found
    for token in parser().parse(text):
        for part in [token, *(token.children or [])]:
            if part.type in ("html_block", "html_inline"):
                found += of_html(part.content)
            elif part.type == "image" and AWAY.match(str(part.attrGet("src") or "")):
                found[FAR] += 1
            elif part.type == "text":
                found[SCRIPT] += len(LINKED.findall(part.content))
    return +found


def of_texts(value: Any) -> Counter[str]:
    """Count what the texts in a figure would fetch, and the remote pictures that it refers to."""
    found: Counter[str] = Counter()
    for key, text in texts_of(value, DEEPEST):
        if key in ("source", "src") and AWAY.match(text):
            found[FAR] += 1
        elif WORTH_A_LOOK.search(text):
            found += of_html(text)
    return found


def texts_of(value: Any, levels: int, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts in a JSON value, with the key of each."""
    if isinstance(value, str):
        yield key, value
    elif levels and isinstance(value, dict):
        for name, one in value.items():
            yield from texts_of(one, levels - 1, str(name))
    elif levels and isinstance(value, list):
        for one in value:
            yield from texts_of(one, levels - 1, key)


@cache
def parser() -> MarkdownIt:
    """Return a parser that separates HTML from text."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": True})


class Wants(HTMLParser):
    """Counts the scripts, frames, addresses and similar parts of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: Counter[str] = Counter()
        self._styling = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count what an element would run, open or fetch."""
        values = {name: value or "" for name, value in attrs}
        self._styling = tag == "style"
        if tag == "script":
            self.found[SCRIPT] += 1
        elif tag in FRAMES:
            self.found[FRAME] += 1
        elif tag == "form":
            self.found[FORM] += 1
        elif tag == "meta" and values.get("http-equiv", "").lower() == "refresh":
            self.found[JUMP] += 1
        elif (
            any(
                AWAY.match(values.get(name, ""))
                for name in ("src", "srcset", "poster", "data", "background")
            )
            or (tag == "link" and AWAY.match(values.get("href", "")))
            or STYLED.search(values.get("style", ""))
        ):
            self.found[FAR] += 1
        runs = any(name.startswith("on") and len(name) > 2 for name in values)
        if runs or any(RUNS.match(value) for value in values.values()):
            self.found[SCRIPT] += 1

    def handle_data(self, data: str) -> None:
        """Count the addresses in a style sheet."""
        if self._styling:
            self.found[FAR] += len(STYLED.findall(data))
            self.found = +self.found

    def handle_endtag(self, tag: str) -> None:
        """Handle the end of a style sheet."""
        self._styling = False
