"""What a conversation is given to read besides its questions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Attachment:
    """A widget that goes along with the questions of one conversation.

    path: the file it shows; empty if it was fetched from a backend or has none.
    """

    widget: str
    name: str
    path: str = ""
