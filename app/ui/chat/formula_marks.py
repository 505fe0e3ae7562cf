r"""Find formulas in Markdown: between dollars, between \( and \) or \[ and \], and environments of
LaTeX.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

INLINE = ("math_inline", "math_inline_double")
BLOCK = ("math_block", "amsmath")
MARKS = {"\\(": "\\)", "\\[": "\\]"}
FORMULA = re.compile(r"[\\^_=+\-*/<>|]")  # what tells a formula from words that were escaped: \[1\]


def add_math(parser: MarkdownIt) -> None:
    """Let a reader know formulas. Sums of money are none: $5 and $6."""
    from mdit_py_plugins.amsmath import amsmath_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    dollarmath_plugin(
        parser,
        allow_labels=False,
        allow_space=False,
        allow_digits=False,
        allow_blank_lines=False,
        double_inline=True,
    )
    amsmath_plugin(parser)
    parser.inline.ruler.before("escape", "math_marks", in_line)
    parser.block.ruler.before("fence", "math_lines", on_lines, {"alt": ["paragraph", "list"]})


def in_line(state: StateInline, silent: bool) -> bool:
    r"""Take \( … \), and \[ … \] within a line of words."""
    opens = state.src[state.pos : state.pos + 2]
    closes = MARKS.get(opens)
    end = state.src.find(closes, state.pos + 2) if closes else -1
    content = state.src[state.pos + 2 : end].strip() if end > 0 else ""
    if not content or (opens == "\\[" and not FORMULA.search(content)):
        return False
    if not silent:
        token = state.push(INLINE[opens == "\\["], "math", 0)
        token.content, token.markup = content, opens
    state.pos = end + 2
    return True


def on_lines(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    r"""Take \[ … \] that begins a line and ends one, without an empty line between."""
    if not line_of(state, first).startswith("\\["):
        return False
    last = first
    while last < end and not line_of(state, last).endswith("\\]"):
        if not line_of(state, last):
            return False
        last += 1
    if last >= end:
        return False
    content = "\n".join(line_of(state, line) for line in range(first, last + 1))[2:-2].strip()
    if not content or not FORMULA.search(content):
        return False
    if not silent:
        token = state.push(BLOCK[0], "math", 0)
        token.block, token.content, token.markup, token.map = (
            True,
            content,
            "\\[",
            [first, last + 1],
        )
        state.line = last + 1
    return True


def line_of(state: StateBlock, line: int) -> str:
    """Return a line without the room around it."""
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].strip()


def source_of(token: Token) -> str:
    """Return a formula as it was written."""
    if token.type == "amsmath":
        return token.content.strip()
    opens = token.markup or "$"
    return f"{opens}{token.content.strip()}{MARKS.get(opens, opens)}"
