"""Sentences of the layers below the window, which know no languages: said in the person's where it
is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.ui.words.catalogue import spoken_language, tr
from app.ui.words.commands import without_commands
from backends.sentences import joined, say

if TYPE_CHECKING:
    from app.domain.errors import DeskpilotError


def said(text: str) -> str:
    """Return sentences of another layer in the person's language, those nobody translated as they
    are.

    What they say of commands of the shell is left out: see `place_for`.
    """
    if not text or spoken_language() == "en":
        return without_commands(text)
    found = say(text, spoken_language())
    return without_commands(tr(text) if found == text else found)


def told(error: DeskpilotError) -> str:
    """Return what happened and what to do, in the person's language."""
    return joined(said(error.text), said(error.remedy))
