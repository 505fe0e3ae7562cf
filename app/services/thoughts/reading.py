"""Read what a model thinks aloud out of its words, which come in pieces cut anywhere."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

MARKS = {  # what opens a thought at the beginning of a line, and what closes it
    "<think>": "</think>",  # Qwen, DeepSeek, SmolLM3 and most others
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "[THINK]": "[/THINK]",  # Mistral
}
LONGEST = 200  # characters of a line that could be a fence
FENCE = re.compile(r"^ {0,3}(`{3,}(?=[^`]*$)|~{3,})")


class Piece(NamedTuple):
    """Words of the answer, or a part of a thought; `closed` comes once behind each thought."""

    kind: Literal["said", "thought", "closed"]
    text: str = ""


class Reading:
    """Takes the words of one answer. A mark counts at the beginning of a line, outside of fences: elsewhere it is
    quoted. A thought that is never closed lasts to the end."""

    def __init__(self) -> None:
        self._held = ""
        self._closes = ""  # of the thought that is open
        self._line = ""  # of the answer, as far as it was passed on
        self._fence = ""
        self._bare = True  # nothing was said yet, or nothing since a thought
        self._behind = False  # a thought, whose end the answer does not begin with an empty line

    @property
    def thinks(self) -> bool:
        """Whether a thought is open."""
        return bool(self._closes)

    def feed(self, text: str) -> list[Piece]:
        """Return what a piece settles."""
        self._held += text
        made: list[Piece] = []
        while self._held and (self._think(made) if self._closes else self._say(made)):
            pass
        return made

    def finish(self) -> list[Piece]:
        """Return what is left, at the end of the answer; the next one begins anew."""
        kind = "thought" if self._closes else "said"
        made = [Piece(kind, self._held)] if self._held else []
        made += [Piece("closed")] if self._closes else []
        self._held = self._closes = self._line = self._fence = ""
        self._bare, self._behind = True, False
        return made

    def _think(self, made: list[Piece]) -> bool:
        """Take what is thought; return whether more can be settled."""
        thought, mark, rest = self._held.partition(self._closes)
        if mark:
            made += [Piece("thought", thought), Piece("closed")]
            self._held, self._closes, self._line = rest, "", ""
            self._bare = self._behind = True
            return True
        keep = next((n for n in range(len(self._closes) - 1, 0, -1) if thought.endswith(self._closes[:n])), 0)
        settled = thought[: len(thought) - keep]
        self._held = thought[len(settled) :]
        if settled:
            made.append(Piece("thought", settled))
        return False

    def _say(self, made: list[Piece]) -> bool:
        """Take the next line, or its beginning; return whether more can be settled."""
        if not self._line and not self._fence:
            lead = self._held.lstrip() if self._bare else self._held.lstrip(" \t")
            opens = next((mark for mark in MARKS if lead.startswith(mark)), None)
            if opens is not None:
                self._held, self._closes = lead.removeprefix(opens), MARKS[opens]
                return True
            if any(mark.startswith(lead) for mark in MARKS):
                return False  # it may become one
            if self._behind:
                self._held, self._behind = lead, False
        line, newline, _ = self._held.partition("\n")
        made.append(Piece("said", line + newline))
        self._line += line if len(self._line) < LONGEST else ""
        self._held = self._held[len(line) + len(newline) :]
        self._bare = False
        if newline:
            self._end_line()
        return True

    def _end_line(self) -> None:
        mark = FENCE.match(self._line)
        if mark and not self._fence:
            self._fence = mark[1]
        elif mark and mark[1].startswith(self._fence) and self._line.strip() == mark[1]:
            self._fence = ""
        self._line = ""
