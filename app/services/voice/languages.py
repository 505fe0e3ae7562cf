"""The speech rules of each language in `resources/voice`: rules, abbreviations, announcements."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from app.services.voice.clauses import Abbreviations

LANGUAGES = ("en", "zh", "ja")
NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\d,]*\d)"
NAMED = re.compile(r"@([a-z]+)")
SLOT = re.compile(r"\{(?P<group>\w+)(?::(?P<characters>\w+))?\}")
KANA, HAN, LATIN = (
    re.compile(r"[\u3040-\u30ff]"),
    re.compile(r"[\u3400-\u9fff]"),
    re.compile(r"[A-Za-z]+"),
)

Table = dict[str, str | list[str]]


@dataclass(frozen=True)
class SpeechRule:
    """A pattern and its spoken form; `{group}` in `say` is a group of the pattern."""

    pattern: re.Pattern[str]
    say: str


@dataclass(frozen=True)
class Rules:
    """Rules for a text; each match is rewritten once. tables: replacements for groups of
    that name.
    """

    rules: list[SpeechRule]
    tables: dict[str, Table]
    characters: dict[str, dict[str, str]]

    def apply(self, text: str) -> str:
        """Return the text with every match of a rule replaced by its spoken form."""
        made: list[str] = []
        at, found = 0, [rule.pattern.search(text) for rule in self.rules]
        while any(found):
            start = min(match.start() for match in found if match)
            index = next(i for i, match in enumerate(found) if match and match.start() == start)
            match, rule = found[index], self.rules[index]
            assert match is not None
            made += [text[at : match.start()], self._said(rule, match)]
            at = match.end()
            found = [
                rule.pattern.search(text, at) if old and old.start() < at else old
                for rule, old in zip(self.rules, found, strict=True)
            ]
        return "".join(made) + text[at:]

    def _said(self, rule: SpeechRule, match: re.Match[str]) -> str:
        groups = {name: value or "" for name, value in match.groupdict().items()}
        one = groups.get("number", "") == "1" and not groups.get("scale")

        def slot(found: re.Match[str]) -> str:
            value = groups[found["group"]]
            if found["characters"]:
                table = self.characters[found["characters"]]
                return "".join(table.get(c, c) for c in value)
            name = found["group"].rstrip("0123456789")
            if name == "number":
                return value.replace(",", "")
            entry = self.tables.get(name, {}).get(value, value)
            return entry if isinstance(entry, str) else entry[0 if one else 1]

        said = re.sub(" {2,}", " ", SLOT.sub(slot, rule.say))
        return said if rule.say.startswith(" ") else said.lstrip()


@cache
def table_of(language: str) -> dict[str, Any]:
    """Return a language's file as it is."""
    return yaml.safe_load((files("resources.voice") / f"{language}.yaml").read_text("utf-8"))


@cache
def abbreviations() -> Abbreviations:
    """Return the abbreviations of all languages: an English name is in a Japanese answer, too."""
    told = [table_of(language).get("abbreviations", {}) for language in LANGUAGES]
    return Abbreviations(
        frozenset(word for table in told for word in table.get("always", [])),
        frozenset(word for table in told for word in table.get("before_number", [])),
    )


@cache
def spoken(language: str) -> Rules:
    """Return the rules for speaking numbers, dates, units and signs."""
    told = table_of(language)
    return read_rules(told["rules"], told["tables"], told.get("characters", {}))


@cache
def written(language: str) -> Rules:
    """Return the rules for writing dictated text."""
    told = table_of(language)
    own = told.get("written", {})
    tables = {**told["tables"], **own.get("tables", {})}
    return read_rules(
        own.get("rules", []), {**tables, "month": {m: m for m in tables.get("month", {})}}, {}
    )


def note_of(message: str, language: str) -> str:
    """Return the spoken form of a step about the source of an answer; empty for all other steps."""
    notes: dict[str, str] = table_of(language)["notes"]
    return next((said for begins, said in notes.items() if message.startswith(begins)), "")


def read_rules(
    rules: list[dict[str, str]], tables: dict[str, Table], characters: dict[str, Any]
) -> Rules:
    """Return rules with the tables' keys in their patterns."""

    def keys(found: re.Match[str]) -> str:
        if found[1] == "number":
            return NUMBER
        return "|".join(re.escape(key) for key in sorted(tables[found[1]], key=len, reverse=True))

    made = [SpeechRule(re.compile(NAMED.sub(keys, r["pattern"])), r["say"]) for r in rules]
    return Rules(made, tables, characters)


def language_of(text: str, before: str) -> str:
    """Return the language of a text; before: the language of the previous text, used if this one is
    ambiguous.

    A foreign name does not change it: a script needs as many characters as there are Latin words.
    """
    kana, han, latin = len(KANA.findall(text)), len(HAN.findall(text)), len(LATIN.findall(text))
    if kana + han and kana + han >= latin:
        return "ja" if kana or before == "ja" else "zh"
    return "en" if latin else before
