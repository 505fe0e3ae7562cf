"""Split Markdown into top-level blocks while it is streamed; a block never changes once the next
one has begun.
"""

from __future__ import annotations

import re

FENCE = re.compile(r"^( {0,3})(`{3,}(?=[^`]*$)|~{3,})")
ITEM = re.compile(r"^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:\s+|$)")
RULE = re.compile(r"^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
LIST_CHUNK = 1000  # number of characters after which a list continues in a new block


class BlockSplitter:
    """Splits a growing text into blocks, reading only the new part of the text."""

    def __init__(self) -> None:
        self._reset()

    def update(self, text: str) -> list[str]:
        """Return the blocks of a text; the last one may still change.

        Blocks that were closed in the previous text are returned as the same objects.
        """
        if not text.startswith(self._text):
            self._reset()
        self._text = text
        end = text.rfind("\n")
        if end >= self._read:
            for line in text[self._read : end].split("\n"):
                self._line(line)
            self._read = end + 1
        rest = text[self._read :]
        open_block = (
            "\n".join([*self._lines, rest])
            if rest.strip() or self._fence
            else "\n".join(self._lines)
        )
        if rest and not self._fence and self._cuts(rest):
            return [*self._closed, *filter(str.strip, ("\n".join(self._lines), rest))]
        return [*self._closed, open_block] if open_block.strip() else list(self._closed)

    @property
    def closed(self) -> int:
        """Return the number of blocks that no longer change."""
        return len(self._closed)

    def _reset(self) -> None:
        self._text = ""
        self._read = 0
        self._closed: list[str] = []
        self._lines: list[str] = []
        self._size = 0
        self._fence = ""
        self._in_list = False
        self._blank = False

    def _line(self, line: str) -> None:
        mark = FENCE.match(line)
        if self._fence:
            self._take(line)
            if mark and mark[2].startswith(self._fence) and line.strip() == mark[2]:
                self._close()
            return
        if self._cuts(line):
            self._close()
        if mark and not self._lines:
            self._fence = mark[2]
        elif ITEM.match(line) and not RULE.match(line):
            self._in_list = True
        self._blank = not line.strip()
        if self._lines or not self._blank:
            self._take(line)

    def _cuts(self, line: str) -> bool:
        """Return whether a line starts a new block."""
        if not self._lines or not line.strip():
            return False
        mark, item = FENCE.match(line), bool(ITEM.match(line)) and not RULE.match(line)
        if mark and (not self._in_list or len(mark[1]) < 2):
            return True
        if self._blank and not line.startswith((" ", "\t")):
            return not (item and self._in_list) or self._size > LIST_CHUNK
        return self._in_list and item and self._size > LIST_CHUNK and not line.startswith(" ")

    def _take(self, line: str) -> None:
        self._lines.append(line)
        self._size += len(line) + 1

    def _close(self) -> None:
        block = "\n".join(self._lines)
        if not self._fence:
            block = block.rstrip("\n ")
        if block.strip():
            self._closed.append(block)
        self._lines, self._size, self._fence = [], 0, ""
        self._in_list = self._blank = False


def split(text: str) -> list[str]:
    """Return the blocks of a complete text."""
    return BlockSplitter().update(text)
