"""The blocks of an answer while it streams: prose to be read, code and tables to be announced."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["prose", "code", "table", "thought"]

FENCE = re.compile(r"[ \t>]*(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)(?:\n|\Z)")
THINK, THOUGHT = "<think>", "</think>"


@dataclass(frozen=True)
class Block:
    """A piece of the source, verbatim. Prose comes in runs as it streams, everything else whole."""

    kind: Kind
    text: str


class Blocks:
    """Takes text in deltas, gives blocks; their texts together are the text, however it was cut.

    Prose is passed on at once, but for the few characters at a line's start that may open something else.
    """

    def __init__(self) -> None:
        self._kind: Kind = "prose"
        self._held = ""  # of a block that is not prose
        self._line = ""  # of the line that is being read
        self._within = False  # a line of prose, its beginning passed on
        self._fence = ""

    def feed(self, delta: str) -> list[Block]:
        """Return the blocks that a delta completes."""
        made: list[Block] = []
        for piece in filter(None, re.split(r"(?<=\n)", delta)):
            self._line += piece
            self._read(made, last=False)
        return made

    def finish(self) -> list[Block]:
        """Return what is left at the text's end."""
        made: list[Block] = []
        if self._line:
            self._read(made, last=True)
        self._close(made)
        return made

    def _read(self, made: list[Block], *, last: bool) -> None:
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
        made.append(Block("prose", self._line))
        self._within = not whole
        self._line = ""

    def _hold(self, made: list[Block]) -> bool:
        """Put the line to its block; the line that ends the block ends it. Return whether prose is left of it."""
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

    def _close(self, made: list[Block]) -> None:
        if self._held:
            made.append(Block(self._kind, self._held))
        self._held, self._kind, self._within = "", "prose", False


def kind_of(line: str, *, whole: bool) -> Kind | None:
    """Return what a line begins, or is; None while that is open."""
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
