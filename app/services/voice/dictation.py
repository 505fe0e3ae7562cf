"""Dictation: what was said becomes a question."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from app.domain.errors import SoundError
from app.services.voice.languages import LANGUAGES, written

if TYPE_CHECKING:
    from pathlib import Path

    from app.services.ports import SoundPort


async def dictated(sound: SoundPort, recording: Path, model: str | None = None) -> str:
    """Return what a recording says, days in digits as one types them.

    Raises: SoundError, also if nothing is said in it; ServiceError.
    """
    heard: list[str] = []
    language = ""
    async with aclosing(sound.transcribe(recording, {"model": model} if model else {})) as steps:
        async for step in steps:
            heard.append(step.text)
            language = str((step.whole or {}).get("language", ""))
    text = as_written("".join(heard), language)
    if not text:
        raise SoundError(
            f"Nothing is said in {recording.name}.", "Speak closer to the microphone, or louder."
        )
    return text


def as_written(heard: str, language: str) -> str:
    """Return what was heard as one types it: days in digits."""
    text = " ".join(heard.split())
    return written(language).apply(text) if language in LANGUAGES else text
