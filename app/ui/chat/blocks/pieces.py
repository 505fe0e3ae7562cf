"""Which pieces an item of a turn is shown as."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from app.domain.events import Ended, Rateable, Status
from app.domain.stream import Message
from app.ui.chat.blocks import steps
from app.ui.chat.blocks.split import FENCE
from app.ui.theme.tokens import CAPTION_PX, CHROME_PX
from app.ui.words import said, tr

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.ui.theme.tokens import Tokens

Kind = Literal[
    "question", "step", "reading", "text", "code", "table", "image", "citation", "state", "actions"
]
SMALL = {
    "step": CHROME_PX,
    "reading": CHROME_PX,
    "state": CHROME_PX,
    "citation": CAPTION_PX,
    "actions": CAPTION_PX,
}
OUTPUT = "text"  # what stands above what code printed
TABLE = re.compile(r"^\s*\|?.*\|.*\n\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*(?:\n|$)")


def whole_rows(block: str) -> str:
    """Return a table that still grows without a last line that is half a row."""
    before, _, last = block.rpartition("\n")
    cells = block.split("\n", 1)[0].count("|")
    return block if last.rstrip().endswith("|") and last.count("|") >= cells else before


def shown(item: Message, index: int, tokens: Tokens) -> list[tuple[Kind, str]]:
    """Code and what it printed, as fences; a picture; of a page or a file, a line that says it is
    there.
    """
    if (
        item.recipient == "assistant"
        or not isinstance(item.content, str)
        or not item.content.strip()
    ):
        return []
    if item.type == "code" and item.format == "html":
        opening = steps.link(f"page:{index}", tr("Show on the dashboard"), f"color:{tokens.accent}")
        return [("step", steps.grey(tr("A page"), tokens.text) + steps.GAP + opening)]
    if item.type in ("code", "console"):
        mark = "`" * max(
            3, 1 + max((len(run) for run in re.findall("`+", item.content)), default=0)
        )
        head = item.format if item.type == "code" else OUTPUT
        return [("code", f"{mark}{head}\n{item.content.rstrip()}\n{mark}")]
    if item.type == "image" and (item.format or "").startswith("base64"):
        return [("image", item.content)]
    return (
        [("text", f"*{item.type}: {item.format or item.content[:200]}*")]
        if item.type in ("image", "file")
        else []
    )


def kind_of(block: str) -> Kind:
    """Return what a block of Markdown is painted as."""
    if FENCE.match(block.split("\n", 1)[0]):
        return "code"
    return "table" if "|" in block and TABLE.match(block) else "text"


def status(item: Status, tokens: Tokens) -> tuple[Kind, str]:
    """The reading of the question, or one quiet line; a warning in red."""
    if item.details and isinstance(item.details[0], dict) and "interpretation" in item.details[0]:
        return "reading", steps.understood(item, item.details[0], tokens)
    colour = tokens.danger if item.level in ("WARNING", "ERROR") else tokens.muted
    return "step", steps.grey(said(item.message), colour)


def ending(
    item: Ended,
    tokens: Tokens,
    branch: tuple[int, int],
    rateable: Rateable | None = None,
    *,
    flow: bool = False,
    told: bool = False,
) -> tuple[Kind, str]:
    """What can be done with the answer, or how it ended.

    branch: which of how many it is. flow: it came of steps. told: the line above says what went
    wrong.
    """
    if item.state == "done":
        return "actions", steps.actions(tokens, rateable, branch, flow=flow)
    return "state", steps.state(item, tokens, branch, told=told)


def is_told(item: Ended, turn: Turn) -> bool:
    """Tell whether a line of the turn says what its end says."""
    return any(
        isinstance(i, Status) and not i.hidden and i.message == item.text for i in turn.items
    )


def last_of(
    turn: Turn, before: Kind, tokens: Tokens, branch: tuple[int, int]
) -> list[tuple[Kind, str]]:
    """Return what stands behind all items of a turn: that it begins, that words are to come, or
    that it broke off.

    before: the last piece so far.
    """
    state, last = turn.state, turn.items[-1] if turn.items else None
    if before == "question" and state == "running":
        return [("step", steps.grey(tr("Reading the question …"), tokens.faint))]
    if (
        state == "running"
        and isinstance(last, Status)
        and last.level == "INFO"
        and not last.details
    ):
        return [
            ("step", steps.grey(tr("Writing the answer …"), tokens.faint))
        ]  # a model may have to be loaded
    if state == "interrupted" and before != "state":
        return [ending(Ended("interrupted", tr("The answer was interrupted.")), tokens, branch)]
    return []
