"""Text as HTML: links, colours, words that stay on one line. Untrusted text is escaped."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.ui.controls.actions import Action

GAP = " &nbsp; "
UNBROKEN = 60


def link(action: Action, text: str, style: str = "") -> str:
    """Return a text as a link that runs an action."""
    return around(action, html.escape(text), style)


def around(action: Action, made: str, style: str = "") -> str:
    """Return HTML as a link that runs an action."""
    href = html.escape(action.href, quote=True)
    return f"<a href='{href}' style='text-decoration:none;{style}'>{made}</a>"


def grey(text: str, colour: str) -> str:
    """Return a text in a colour."""
    return f"<span style='color:{colour}'>{html.escape(text)}</span>"


def unbroken(text: str) -> str:
    """Keep a text on one line, unless it is probably longer than a line."""
    return text.replace(" ", "\u00a0") if len(text) <= UNBROKEN else text
