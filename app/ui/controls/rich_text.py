"""Text as HTML: links, colours, words that stay on one line. Foreign text is escaped."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.ui.controls.actions import Action

GAP = " &nbsp; "
UNBROKEN = 60


def link(action: Action, text: str, style: str = "") -> str:
    """Return a text to press."""
    return around(action, html.escape(text), style)


def around(action: Action, made: str, style: str = "") -> str:
    """Return HTML to press."""
    href = html.escape(action.href, quote=True)
    return f"<a href='{href}' style='text-decoration:none;{style}'>{made}</a>"


def grey(text: str, colour: str) -> str:
    """Return text in a colour."""
    return f"<span style='color:{colour}'>{html.escape(text)}</span>"


def unbroken(text: str) -> str:
    """Return text that stays on one line, unless it is longer than a line is likely to be."""
    return text.replace(" ", "\u00a0") if len(text) <= UNBROKEN else text
