"""The languages code may be written in, by all the names models give them."""

from __future__ import annotations

from typing import Literal, get_args

Language = Literal["python", "shell", "javascript"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
NAMES: dict[str, Language] = {
    "": "python",  # a fence that names none holds Python more often than anything else
    "python": "python",
    "python3": "python",
    "py": "python",
    "ipython": "python",
    "shell": "shell",
    "bash": "shell",
    "sh": "shell",
    "zsh": "shell",
    "javascript": "javascript",
    "js": "javascript",
    "node": "javascript",
    "nodejs": "javascript",
}
SHOWN: dict[Language, str] = {"python": "Python", "shell": "shell", "javascript": "JavaScript"}


def language_of(name: str) -> Language | None:
    """Return the language of a name; None for one that cannot be run here."""
    return NAMES.get(name.strip().lower())
