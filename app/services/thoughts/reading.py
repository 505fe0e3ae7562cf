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
ENDS = tuple(MARKS.values())
END = re.compile("|".join(map(re.escape, ENDS)))
QUOTES = ("", *"\"'`([{“‘«„「『")
TAIL = max(map(len, (*MARKS, *ENDS))) - 1  # characters of a mark that may still come
FENCE = re.compile(r"^ {0,3}(`{3,}(?=[^`]*$)|~{3,})")


class Piece(NamedTuple):
    """Words of the answer, or a part of a thought; `closed` comes once behind each thought. `recalled`: all that was
    said so far is one."""

    kind: Literal["said", "thought", "closed", "recalled"]
    text: str = ""


class Reading:
    """Takes the words of one answer. A mark counts at the beginning of a line, outside of fences: elsewhere it is
    quoted. A thought that is never closed lasts to the end. Many templates open it in the prompt: where nothing has
    opened one, what closes one makes a thought of all that was said.

    opened: whether marks that open a thought are looked for; else only those that close one nothing has opened.
    """

    def __init__(self, *, opened: bool = True) -> None:
        self._opens = MARKS if opened else dict[str, str]()
        self._seen = False  # something that opens a thought: what closes one is its end, or words
        self._tail = ""  # the last that was said, in which a mark may begin
        self._held = ""
        self._closes = ""  # of the thought that is open
        self._line = ""  # of the answer, as far as it was passed on
        self._ticks = 0  # in that line
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
        self._ticks = 0
        self._bare, self._behind, self._seen, self._tail = True, False, False, ""
        return made

    def _think(self, made: list[Piece]) -> bool:
        """Take what is thought; return whether more can be settled."""
        thought, mark, rest = self._held.partition(self._closes)
        if mark:
            made += [Piece("thought", thought), Piece("closed")]
            self._held, self._closes, self._line = rest, "", ""
            self._bare = self._behind = True
            return True
        keep = next(
            (n for n in range(len(self._closes) - 1, 0, -1) if thought.endswith(self._closes[:n])),
            0,
        )
        settled = thought[: len(thought) - keep]
        self._held = thought[len(settled) :]
        if settled:
            made.append(Piece("thought", settled))
        return False

    def _say(self, made: list[Piece]) -> bool:
        """Take the next line, or its beginning; return whether more can be settled."""
        if not self._line and not self._fence:
            lead = self._held.lstrip() if self._bare else self._held.lstrip(" \t")
            opens = next((mark for mark in self._opens if lead.startswith(mark)), None)
            if opens is not None:
                self._held, self._closes = lead.removeprefix(opens), MARKS[opens]
                self._seen = True
                return True
            if (self._behind and not lead) or any(mark.startswith(lead) for mark in self._opens):
                return False  # it may become one
            if self._behind:
                self._held, self._behind = lead, False
        line, newline, _ = self._held.partition("\n")
        if (end := self._end_in(line)) is not None:
            kept = 0 if newline else len(line) - end.start()
            if not kept or end.end() < len(line) or not (self._line + line[: end.start()]).strip():
                return self._recall(end, made) or self._pass(line[: end.end()], "", made)
        else:
            kept = 0 if newline or self._seen else begun_in(line)
        return self._pass(line[: len(line) - kept], newline, made) and not kept

    def _recall(self, end: re.Match[str], made: list[Piece]) -> bool:
        """Take what closes a thought that nothing has opened; return whether that is what it is, and no word."""
        before, after = (self._line + self._held[: end.start()])[-1:], self._held[end.end() :][:1]
        glued = (
            not before.isspace() and before not in QUOTES and bool(after) and not after.isspace()
        )
        alone = not (self._line + self._held[: end.start()]).strip() or after in ("", "\n", "\r")
        if not alone and not glued:
            return False
        made += [Piece("said", self._held[: end.start()]), Piece("recalled")]
        self._held, self._line, self._fence, self._ticks = self._held[end.end() :], "", "", 0
        self._seen = self._bare = self._behind = True
        return True

    def _pass(self, line: str, newline: str, made: list[Piece]) -> bool:
        """Say the beginning of what is held, and remember of it what matters to what follows; return whether more is
        held."""
        made += [Piece("said", line + newline)] if line or newline else []
        self._held = self._held[len(line) + len(newline) :]
        self._line += line if len(self._line) < LONGEST else ""
        self._ticks += line.count("`")
        self._bare = self._bare and not line and not newline
        around = self._tail + line
        self._seen = self._seen or any(mark in around for mark in MARKS)
        self._tail = around[-TAIL:]
        if newline:
            self._end_line()
        return bool(self._held)

    def _end_in(self, line: str) -> re.Match[str] | None:
        """Return what may close a thought that nothing has opened; nothing for what is quoted as code is.

        line: what stands behind `self._line`.
        """
        found = None if self._seen else END.search(line)
        if found is None or any(mark in self._tail + line[: found.start()] for mark in MARKS):
            return None
        before = line[: found.start()]
        quoted = (
            bool((self._line + before).strip())
            if self._fence
            else (self._ticks + before.count("`")) % 2
        )
        return None if quoted else found

    def _end_line(self) -> None:
        mark = FENCE.match(self._line)
        if mark and not self._fence:
            self._fence = mark[1]
        elif mark and mark[1].startswith(self._fence) and self._line.strip() == mark[1]:
            self._fence = ""
        self._line, self._ticks = "", 0


def begun_in(line: str) -> int:
    """Return how many characters at the end of a line may be the beginning of what closes a thought."""
    return next(
        (
            n
            for n in range(min(TAIL, len(line)), 0, -1)
            if any(mark.startswith(line[-n:]) for mark in ENDS)
        ),
        0,
    )
