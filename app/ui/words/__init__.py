"""What the window says, in the person's language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.ui.words.catalogue import (
    MODELS_OWN,
    Catalogue,
    Spoken,
    language_for,
    mark,
    speak,
    spoken_language,
    tr,
)

if TYPE_CHECKING:
    from app.ui.words.sentences import said, told

__all__ = [
    "MODELS_OWN",
    "Catalogue",
    "Spoken",
    "language_for",
    "mark",
    "said",
    "speak",
    "spoken_language",
    "told",
    "tr",
]


def __getattr__(name: str) -> Any:
    """Return what says the sentences of other layers, loaded when it is first asked for: after the
    first paint.
    """
    if name in ("said", "told"):
        from app.ui.words import sentences

        return getattr(sentences, name)
    raise AttributeError(name)
