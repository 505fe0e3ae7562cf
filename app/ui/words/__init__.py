"""What the window says, in the person's language."""

from app.ui.words.catalogue import Catalogue, Spoken, language_for, mark, speak, spoken_language, tr
from app.ui.words.sentences import said, told

__all__ = ["Catalogue", "Spoken", "language_for", "mark", "said", "speak", "spoken_language", "told", "tr"]
