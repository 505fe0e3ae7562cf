"""A yes or no that is spoken, to a question that is asked aloud."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.services.voice.languages import LANGUAGES, table_of

if TYPE_CHECKING:
    from app.services.consents import Consent

MARKS = re.compile(r"[^\w\s']+")


def asked_aloud(consent: Consent) -> str:
    """Return what is said: the question, and how it may be answered."""
    if consent.safe:
        return f"{consent.question} Say yes or no."
    return f"{consent.question} A yes needs your hand, in the window; to refuse, say no."


def meant(text: str) -> bool | None:
    """Return what was answered; None if it is neither a yes nor a no, and nothing else."""
    said = " ".join(MARKS.sub(" ", text).casefold().split())
    for language in LANGUAGES:
        answers: dict[str, list[str]] = table_of(language)["answers"]
        if said in answers["refused"]:
            return False
        if said in answers["allowed"]:
            return True
    return None
