"""What `resources/voice` says of each language."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from app.services.voice.clauses import Abbreviations

LANGUAGES = ("en", "zh", "ja")


@cache
def table_of(language: str) -> dict[str, Any]:
    """Return a language's file as it is."""
    return yaml.safe_load((files("resources.voice") / f"{language}.yaml").read_text("utf-8"))


@cache
def abbreviations() -> Abbreviations:
    """Return the abbreviations of all languages: an English name stands in a Japanese answer, too."""
    told = [table_of(language).get("abbreviations", {}) for language in LANGUAGES]
    return Abbreviations(
        frozenset(word for table in told for word in table.get("always", [])),
        frozenset(word for table in told for word in table.get("before_number", [])),
    )
