"""Translate error sentences by finding the template that each one was built from.

`packaging/translations.py` collects the templates from the code. Other sentences are not
translated.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

LONGEST = 4_000  # maximum number of characters; no sentence of ours is longer
MOST = 12  # maximum number of sentences in a text that is translated
VALUE = re.compile(r"\{([a-z])\}")
ENDS = re.compile(r"(?<=[.!?])\s+")
WIDE = ("。", "！", "？", "：")


@dataclass(frozen=True)
class SentenceTemplate:
    """A sentence with placeholders for values. rare: the longest part of it without a placeholder.
    weight: the number of characters outside the placeholders.
    """

    pattern: re.Pattern[str]
    rare: str
    weight: int
    translations: dict[str, str]


@lru_cache(1)
def known() -> tuple[dict[str, dict[str, str]], list[SentenceTemplate]]:
    """Return the sentences without placeholders, and the templates, with the most specific ones
    first.
    """
    read = files("resources").joinpath("translations", "sentences.json").read_text("utf-8")
    plain: dict[str, dict[str, str]] = {}
    templates: list[SentenceTemplate] = []
    for sentence, translations in json.loads(read).items():
        if VALUE.search(sentence) is None:
            plain[sentence] = translations
        else:
            templates.append(made(sentence, translations))
    return plain, sorted(templates, key=lambda one: (-one.weight, one.pattern.groups))


def made(sentence: str, translations: dict[str, str]) -> SentenceTemplate:
    """Return the template for a sentence."""
    parts = VALUE.split(sentence)
    held = [part.replace("{{", "{").replace("}}", "}") for part in parts[::2]]
    pattern = re.escape(held[0])
    for name, part in zip(parts[1::2], held[1:], strict=True):
        pattern += f"(?P<{name}>.+?){re.escape(part)}"
    # spaces do not count, because {a} {b} is no more specific than {a}{b}
    known = sum(len("".join(part.split())) for part in held)
    return SentenceTemplate(re.compile(pattern, re.DOTALL), max(held, key=len), known, translations)


def say(text: str, language: str) -> str:
    """Translate one or more sentences into zh or ja. Sentences without a translation stay as they
    are.
    """
    return found(text, language)[1] if 1 < len(text) <= LONGEST else text


def joined(*sentences: str) -> str:
    """Join sentences into one text. After full-width punctuation, no space is added."""
    text = ""
    for sentence in filter(None, sentences):
        text += sentence if not text or text.endswith(WIDE) else f" {sentence}"
    return text


@lru_cache(4_096)
def found(text: str, language: str) -> tuple[int, str]:
    """Return how many characters of a text were recognised (0 if none), and its best
    translation.
    """
    pieces = ENDS.split(text)
    if len(pieces) > MOST:
        return 0, text
    cuts = [0, *(end.end() for end in ENDS.finditer(text))]
    ends = [*(end.start() for end in ENDS.finditer(text)), len(text)]
    best = [(0, "")] * (len(pieces) + 1)
    for start in reversed(range(len(pieces))):
        ways: list[tuple[int, str]] = []
        for last in range(start, len(pieces)):
            weight, said = whole(text[cuts[start] : ends[last]], language)
            if weight or last == start:
                ways.append((weight + best[last + 1][0], joined(said, best[last + 1][1])))
        best[start] = max(ways, key=lambda way: way[0])
    return best[0] if best[0][0] else (0, text)


def whole(sentence: str, language: str) -> tuple[int, str]:
    """Return the weight of a sentence that occurs in the code, and its translation. The weight is 0
    if the sentence is unknown.
    """
    plain, templates = known()
    if sentence in plain:
        return len(sentence), plain[sentence].get(language, sentence)
    for template in templates:
        if (
            template.rare in sentence
            and (match := template.pattern.fullmatch(sentence)) is not None
        ):
            if language not in template.translations:
                return 0, sentence
            values = {name: value(held, language) for name, held in match.groupdict().items()}
            return template.weight, template.translations[language].format(**values)
    head, colon, tail = sentence.partition(": ")
    weight, said = found(tail, language) if colon else (0, "")
    return (weight, f"{head}: {said}") if weight else (0, sentence)


def value(text: str, language: str) -> str:
    """Return a value as it is shown, with our own words in it translated."""
    for words in (text, text[:1].lower() + text[1:]):
        weight, said = found(words, language) if " " in words or words in known()[0] else (0, words)
        if weight:
            return said.removesuffix("。")
    return text
