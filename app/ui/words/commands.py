"""Commands of the shell in what layers below the window tell: the window has a place for each
instead.
"""

from __future__ import annotations

import re

from app.ui.words.catalogue import mark

NAMES = "models|chats|data|doctor|copilots|skills|settings|assistants|plugins|mcp|gateway|serve|ask"
COMMAND = re.compile(rf"\bdeskpilot (?:{NAMES})\b")
ASIDE = re.compile(rf"\s*[(（][^()（）]*\bdeskpilot (?:{NAMES})\b[^()（）]*[)）]")
ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
STARTERS = "starters"  # no page: what fetches the starter models
# where the window does what a command does: the command, a page of the settings, its button
PLACES = (
    ("models pull smollm2-135m", STARTERS, mark("Download the starter models")),
    ("models pull minilm-l6", STARTERS, mark("Download the starter models")),
    ("models pull --starter", STARTERS, mark("Download the starter models")),
    ("models set", "memory", mark("Memory settings")),
    ("models", "models", mark("Models")),
    ("doctor", "diagnostics", mark("Diagnostics")),
    ("skills", "skills", mark("Skills")),
    ("assistants", "assistants", mark("Assistants")),
    ("plugins", "plugins", mark("Plugins")),
    ("mcp", "plugins", mark("Plugins")),
    ("data library", "library", mark("Library")),
    ("settings", "appearance", mark("Settings")),
)


def without_commands(text: str) -> str:
    """Return sentences without those that tell what to type into a shell."""
    if COMMAND.search(text) is None:
        return text
    parts = ENDS.split(ASIDE.sub("", text))
    return " ".join(part for part in parts if part and COMMAND.search(part) is None)


def place_for(text: str) -> tuple[str, str]:
    """Return the page of the settings that does what a command in a text does, and its button;
    empty for none.
    """
    found = COMMAND.search(text)
    if found is None:
        return "", ""
    called = text[found.start() :].removeprefix("deskpilot ")
    return next(
        ((page, label) for name, page, label in PLACES if called.startswith(name)), ("", "")
    )
