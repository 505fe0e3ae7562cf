"""What Deskpilot says about itself when it is greeted or asked what it can do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.protocol.events import MessageChunk, StatusUpdate
from backends.query.describe import messages

if TYPE_CHECKING:
    from backends.protocol.request import CopilotRequest

BREAK = r"[\s,.!?~，。！？、～…]*"  # separators between and after words
NAMED = 3  # attached items that are named


def introduced(query: CopilotRequest, language: str) -> tuple[StatusUpdate, MessageChunk]:
    """Return the answer, and a status that tells the terminal that it is about Deskpilot.

    It is then neither a model's reply nor a question that was not understood.
    """
    about = StatusUpdate("INFO", "About Deskpilot", [{"about": "deskpilot"}], hidden=True)
    return about, MessageChunk(introduction(query, language))


def introduction(query: CopilotRequest, language: str) -> str:
    """Return a text about what can be asked here, in general and about attached data."""
    said = messages(language)
    attached = [widget.name for widget in query.primary if widget.name]
    if not attached:
        return f"{said['introduction']}\n\n{said['introduction without data']}"
    names = str(said["listed"]).join(f"**{name}**" for name in attached[:NAMED])
    more = " …" if len(attached) > NAMED else ""
    return f"{said['introduction']}\n\n{said['introduction with data'].format(names + more)}"


def asks_abilities(question: str, language: str) -> bool:
    """Return whether a question is only about what Deskpilot can do."""
    said = messages(language)
    pattern = rf"(?:{said['greeting']})?{BREAK}(?:{said['abilities asked']}){BREAK}"
    return re.fullmatch(pattern, question.strip(), re.IGNORECASE) is not None


def is_greeting(question: str, language: str) -> bool:
    """Return whether a message is only a greeting."""
    pattern = rf"(?:{messages(language)['greeting']}){BREAK}"
    return re.fullmatch(pattern, question.strip(), re.IGNORECASE) is not None
