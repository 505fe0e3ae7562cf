"""Code as values: its language, what it uses, whether it only computes, and its output."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import Any, Literal, get_args

Language = Literal["python", "shell", "javascript", "r", "html"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
NAMES: dict[str, Language] = {
    "": "python",  # a fence without a language usually holds Python
    "python": "python",
    "python3": "python",
    "py": "python",
    "ipython": "python",
    "shell": "shell",
    "bash": "shell",
    "sh": "shell",
    "zsh": "shell",
    "javascript": "javascript",
    "js": "javascript",
    "node": "javascript",
    "nodejs": "javascript",
    "r": "r",
    "rscript": "r",
    "html": "html",  # a web page, which is shown
}
SHOWN: dict[Language, str] = {
    "python": "Python",
    "shell": "shell",
    "javascript": "JavaScript",
    "r": "R",
    "html": "HTML",
}
NOT_RUN = "The code was not run"  # start of the text sent to a copilot if code was never run
REFUSED = f"{NOT_RUN}: the person did not allow it."


def language_of(name: str) -> Language | None:
    """Return the language with this name; None if it cannot be run here."""
    return NAMES.get(name.strip().lower())


WRAPPED = re.compile(r"^\s*functions\.\w+\((.*)\)\s*$", re.DOTALL)
BARE_KEY = re.compile(r"([{,]\s*)(language|code)(\s*:)")


def unwrapped(language: str, code: str) -> tuple[str, str]:
    """Return code without the wrappers that models add by mistake: a function call, a JSON object
    with the language and the code, or the word "execute" at the end.
    """
    text = code.strip().removesuffix("executeexecute").strip()
    inner = WRAPPED.match(text)
    body = inner[1].strip() if inner else text
    if body.startswith("{"):
        for tried in (body, BARE_KEY.sub(r'\1"\2"\3', body)):
            try:
                told: Any = json.loads(tried, strict=False)
            except (ValueError, RecursionError):
                continue
            ours = isinstance(told, dict) and {"code"} <= told.keys() <= {"code", "language"}
            if ours and isinstance(told["code"], str):
                return str(told.get("language") or language), told["code"]
    return language, text if text != code.strip() else code


GIB = 1 << 30


@dataclass(frozen=True)
class Limits:
    """Limits on running code. seconds: the time for one run. memory: the bytes used by all its
    processes together. processes: the number of processes, including threads. output: the bytes
    printed by one run. disk: the bytes in a conversation's folder and, separately, in the space for
    exchanging files. grace: the seconds between the request to stop and the kill.
    """

    seconds: float = 300
    memory: int = 4 * GIB
    processes: int = 192
    output: int = 10 * 1024 * 1024
    disk: int = 2 * GIB
    grace: float = 1.0

    def words(self) -> str:
        """Return a short description of the limits."""
        return f"{self.seconds:g} s, {size(self.memory)} of memory, {size(self.disk)} on disk"


def size(count: int) -> str:
    """Return a number of bytes in readable units."""
    for unit, one in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if count >= one:
            return f"{count / one:.3g} {unit}"
    return f"{count} bytes"


TOLD = 2800  # maximum number of characters sent to a model
HEAD, TAIL = 20_000, 4_000  # maximum number of characters stored in a conversation


def head_and_tail(text: str, most: int = TOLD) -> str:
    """Return the first `most` characters of a text; if it is longer, add a line that says how many
    characters were omitted.
    """
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n{left_out(len(text) - 2 * half)}\n{text[-half:]}"


def left_out(count: int, where: str = "") -> str:
    """Return the line that replaces omitted output."""
    place = f"; all of it is in {where}" if where else ""
    return f"… {count:,} characters left out{place} …"


class Clip:
    """Passes the beginning of a stream through and holds back its end. total: the number of
    characters received.
    """

    def __init__(self) -> None:
        self.total = 0
        self._shown = 0
        self._tail = ""
        self._first, self._last = "", ""  # the text sent to a model

    def take(self, text: str) -> str:
        """Add the next characters, and return those that are to be shown now."""
        self._first += text[: TOLD - len(self._first)]
        self._last = (self._last + text)[-TOLD // 2 :]
        self.total += len(text)
        now = text[: HEAD - self._shown]
        self._shown += len(now)
        self._tail = (self._tail + text[len(now) :])[-TAIL:]
        return now

    def rest(self, where: str) -> str:
        """Return the text for the end: how much was omitted, and the end of the output. where: the
        file with the complete output.
        """
        hidden = self.total - self._shown - len(self._tail)
        return f"\n{left_out(hidden, where)}\n{self._tail}" if hidden > 0 else self._tail

    def for_model(self) -> str:
        """Return the beginning and the end in the form in which they are sent to a model."""
        if self.total <= TOLD:
            return self._first
        return f"{self._first[: TOLD // 2]}\n{left_out(self.total - 2 * (TOLD // 2))}\n{self._last}"


HARMLESS = frozenset(
    [
        "math",
        "statistics",
        "random",
        "datetime",
        "time",
        "calendar",
        "json",
        "re",
        "collections",
        "itertools",
        "functools",
        "string",
        "decimal",
        "fractions",
        "numpy",
        "pandas",
        "matplotlib",
        "plotly",
        "scipy",
        "textwrap",
        "operator",
        "typing",
        "dataclasses",
    ]
)
REACHING = frozenset(
    [
        "open",
        "exec",
        "eval",
        "compile",
        "input",
        "breakpoint",
        "globals",
        "locals",
        "vars",
        "getattr",
        "setattr",
        "delattr",
        "get_ipython",
        "exit",
        "quit",
        "memoryview",
    ]
)
WRITES = (
    "_",
    "to_",
    "save",
    "write",
    "read_",
    "load",
    "dump",
    "tofile",
    "fromfile",
    "eval",
    "query",
    "exec",
)
MODULES = (
    "os",
    "sys",
    "io",
    "subprocess",
    "shutil",
    "socket",
    "builtins",
    "importlib",
    "ctypes",
    "pathlib",
    "urllib",
)
KEPT = (
    "to_datetime",
    "to_numeric",
    "to_list",
    "tolist",
    "to_string",
    "to_dict",
    "to_frame",
    "to_numpy",
    "to_period",
)


def only_computes(language: str, code: str) -> bool:
    """Return whether code is certain to read and write nothing but its own values; False if there
    is any doubt.
    """
    if language != "python":
        return False
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):  # this includes IPython magics
        return False
    return all(is_harmless(node) for node in ast.walk(tree))


def is_harmless(node: ast.AST) -> bool:
    """Return whether one node of a program has no effect outside the program."""
    if isinstance(node, ast.Import):
        return all(alias.name.partition(".")[0] in HARMLESS for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return node.level == 0 and (node.module or "").partition(".")[0] in HARMLESS
    if isinstance(node, ast.Name):
        return node.id not in REACHING and "__" not in node.id
    if isinstance(node, ast.Attribute):
        return node.attr in KEPT or not (node.attr in MODULES or node.attr.startswith(WRITES))
    return True
