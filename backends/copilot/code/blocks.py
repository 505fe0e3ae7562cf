"""Find blocks of code in an answer, and their parameters."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from backends.protocol.request import CopilotRequest


OPTION = "deskpilot-llm"


def parameters_of(query: CopilotRequest, **ours: Any) -> dict[str, Any]:
    """Return our parameters, overridden by those of the question."""
    raw = query.options.get(OPTION)
    try:
        told: Any = json.loads(raw) if isinstance(raw, str) else None
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        return ours
    kinds = {"temperature": (int, float), "max_tokens": (int,)}
    given = {name: told[name] for name, kind in kinds.items() if isinstance(told.get(name), kind)}
    return ours | {name: value for name, value in given.items() if not isinstance(value, bool)}


LANGUAGES = {
    "": "python",
    "python": "python",
    "python3": "python",
    "py": "python",
    "ipython": "python",
    "tool_code": "python",
    "shell": "shell",
    "bash": "shell",
    "sh": "shell",
    "zsh": "shell",
    "console": "shell",
    "javascript": "javascript",
    "js": "javascript",
    "node": "javascript",
    "nodejs": "javascript",
    "r": "r",
    "rscript": "r",
}
OPEN = re.compile(
    r"^[ \t]{0,3}(?P<mark>`{3,}|~{3,})[ \t]*(?P<name>[\w+#.-]*)[^\n`]*\n", re.MULTILINE
)
INLINE = re.compile(
    r"^[ \t]{0,3}```(?P<name>[a-z0-9]+)[ \t]+(?P<code>[^\n`]+)```[ \t]*$", re.MULTILINE
)
CALL = re.compile(
    r"<tool_call>|functions\.\w+\(|^\s*`?\s*(?=\{\s*[\"']?(?:name|language|function|code)[\"']?\s*:)",
    re.MULTILINE,
)
KEY = re.compile(r"([{,]\s*)(\w+)(\s*:)")
NAMES = ("run_code", "execute", "python", "code", "run", "execute_code", "interpreter")


@dataclass(frozen=True)
class CodeBlock:
    """A complete block of code. before: the text before it."""

    language: str
    code: str
    before: str


def settled(text: str) -> str:
    """Return the part of an unfinished text that is certainly not code. A possible start of a fence
    or a call is held back.
    """
    found = [m.start() for m in (OPEN.search(text), CALL.search(text), INLINE.search(text)) if m]
    if found:
        return text[: min(found)]
    last = text.rfind("\n") + 1
    tail = text[last:].lstrip()
    held = (
        tail[:1] in ("`", "~", "{", "<")
        or "functions." in tail
        or tail.startswith(tuple("functions."[:n] for n in range(4, 11)))
    )
    return text[:last] if held else text


def find(text: str, *, ended: bool) -> CodeBlock | None:
    """Return the first code in a text once it is complete. ended: no more text follows, so an open
    fence counts as complete.
    """
    found = [
        block
        for block in (fenced(text, ended), inlined(text), called(text, ended))
        if block is not None
    ]
    return min(found, key=lambda block: len(block.before)) if found else None


def inlined(text: str) -> CodeBlock | None:
    """Return the code of a fence that starts and ends on the same line."""
    if (match := INLINE.search(text)) is None or match["name"] not in LANGUAGES:
        return None
    return CodeBlock(LANGUAGES[match["name"]], match["code"].strip(), text[: match.start()])


def fenced(text: str, ended: bool) -> CodeBlock | None:
    """Return the first fence whose language can be run."""
    at = 0
    while (opening := OPEN.search(text, at)) is not None:
        code, end = body(text, opening, ended)
        if code is None:
            return None
        language = LANGUAGES.get(opening["name"].lower())
        if language is not None and code.strip() and not is_data(opening["name"], code):
            return CodeBlock(language, code.strip("\n"), text[: opening.start()])
        at = end
    return None


def is_data(name: str, code: str) -> bool:
    """Return whether a fence without a language holds JSON rather than a program."""
    return not name and code.lstrip()[:1] in "{[" and as_object(code) is not None


def body(text: str, opening: re.Match[str], ended: bool) -> tuple[str | None, int]:
    """Return the content of a fence and where it ends; None while it is open. A fence inside a
    string of the code does not end it.
    """
    start, mark = opening.end(), opening["mark"]
    for closing in re.finditer(
        rf"^[ \t]{{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", text[start:], re.MULTILINE
    ):
        code = text[start : start + closing.start()]
        if closing.end() + start == len(text) and not ended and not text.endswith("\n"):
            return (code, len(text)) if not in_string(code) else (None, len(text))
        if not in_string(code):
            return code, start + closing.end()
    if not ended:
        return None, len(text)
    return text[start:].removesuffix(mark[:1]).rstrip("`~ "), len(text)


def in_string(code: str) -> bool:
    """Return whether code ends inside a multi-line string."""
    return any(code.count(mark) % 2 for mark in ('"""', "'''"))


def called(text: str, ended: bool) -> CodeBlock | None:
    """Return the code of a call that was printed as text instead of being made."""
    if (match := CALL.search(text)) is None:
        return None
    opened = text.find("{", match.start())
    close = closing_of(text, opened) if opened >= 0 else -1
    if close < 0:
        return None
    value = as_object(text[opened : close + 1])
    told = arguments_of(value) if value is not None else None
    if told is None or (not ended and close == len(text) - 1 and "<tool_call>" in text):
        return None
    language = LANGUAGES.get(str(told.get("language") or "python").lower())
    code = told.get("code")
    if language is None or not isinstance(code, str) or not code.strip():
        return None
    return CodeBlock(language, code, text[: match.start()])


def arguments_of(value: dict[str, Any]) -> dict[str, Any] | None:
    """Return the arguments of a call of ours; None for anything else."""
    if isinstance(value.get("code"), str):
        return value
    inner = value.get("function")
    if isinstance(inner, dict):
        value = cast("dict[str, Any]", inner)
    name, told = str(value.get("name") or ""), value.get("arguments", value.get("parameters"))
    if isinstance(told, str):
        told = as_object(told)
    if name not in NAMES or not isinstance(told, dict):
        return None
    made = cast("dict[str, Any]", told)
    return {"language": "python"} | made if name == "python" else made


def closing_of(text: str, start: int) -> int:
    """Return the position of the closing brace for the one at `start`; -1 while it is open."""
    depth, quoted, at = 0, "", start
    while at < len(text):
        letter = text[at]
        if quoted:
            if letter == "\\":
                at += 1
            elif letter == quoted:
                quoted = ""
        elif letter == '"':
            quoted = letter
        elif letter in "{}":
            depth += 1 if letter == "{" else -1
            if depth == 0:
                return at
        at += 1
    return -1


def as_object(text: str) -> dict[str, Any] | None:
    """Return a JSON object; keys without quotes and raw line breaks are accepted."""
    for tried in (text, KEY.sub(r'\1"\2"\3', text)):
        try:
            value: Any = json.loads(tried, strict=False)
        except (ValueError, RecursionError):
            continue
        return cast("dict[str, Any]", value) if isinstance(value, dict) else None
    return None
