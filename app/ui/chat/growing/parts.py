"""Texts without end: shown part by part, and what is one block of Markdown in pieces that are laid out one by one."""

from __future__ import annotations

import re
from typing import NamedTuple

PART = 120_000  # characters of an item that are shown until one asks for more
LONG = 12_000  # characters of a paragraph that is laid out in stretches
MOST, LINES = 4_000, 60  # characters, and lines, of a stretch
SEEN = 0.9  # of what a part may hold, behind which it ends with a line


class Part(NamedTuple):
    """What of a text is shown, how much is left, and what asks for more."""

    text: str
    left: int
    more: str


def part_of(text: str, index: int, opened: set[str]) -> Part:
    """Return what of an item's text is shown. opened: what was asked for."""
    number = 0
    while f"more:{index}.{number}" in opened:
        number += 1
    limit = (number + 1) * PART
    if len(text) <= limit:
        return Part(text, 0, "")
    line = text.rfind("\n", int(limit * SEEN), limit)
    end = line if line > 0 else limit
    return Part(text[:end], len(text) - end, f"more:{index}.{number}")


def is_long(block: str) -> bool:
    """Tell whether a paragraph is better laid out in stretches."""
    return len(block) > LONG or block.count("\n") >= 2 * LINES


class Cut(NamedTuple):
    """A stretch of a paragraph, and what stands between it and the one before; None for the first."""

    text: str
    joint: str | None


def divided(block: str) -> list[Cut]:
    """Return a paragraph in stretches, cut between lines or words where there are any."""
    made: list[Cut] = []
    at, joint, ends = (
        0,
        None,
        [found.start() for found in re.finditer("\n", block)][LINES - 1 :: LINES],
    )
    while len(block) - at > MOST or ends:
        while ends and ends[0] <= at:
            ends.pop(0)
        end = max(block.rfind(mark, at + MOST // 2, at + MOST) for mark in "\n ")
        end, gap = (end, 1) if end > 0 else (at + MOST, 0)
        if ends and ends[0] < at + MOST:
            end, gap = ends.pop(0), 1
        if end >= len(block):
            break
        made.append(Cut(block[at:end], joint))
        joint = block[end : end + gap]
        at = end + gap
    return [*made, Cut(block[at:], joint)]
