"""The speech rules of each language in `resources/voice`, and how streamed text is split into
clauses for speech: a short first clause, then sentences.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

FIRST_WORDS = 4  # minimum number of words before the first clause can end at a comma
SHORT_WORDS = 5  # number of words in a clause that is cut early
FIRST_WIDE = 8  # or number of characters in a script without spaces
FIRST_LONGEST, LONGEST = (
    160,
    240,
)  # maximum number of characters; text without a full stop is cut at commas, or else between words
LONGEST_WORD = 2000  # a longer address is cut anyway
AHEAD = 9  # characters after a full stop that may show whether it ends a sentence

CANDIDATE = re.compile(
    r"(?P<stop>[.!?…]+)[\"'”’»)\]*_]*(?=\s)"
    r"|(?P<wide_stop>[。！？｡]+[”’」』）)*_]*)"
    r"|(?P<comma>[,;:–—]+)[\"'”’»)\]*_]*(?=\s)"
    r"|(?P<wide_comma>[，；：、]+)"
    r"|(?P<line>\n)"
)
MARKER = re.compile(r"[ \t\r]{0,40}(?:(?:[-*+•]|\d{1,3}[.)]|#{1,6})[ \t]|>|-{3,}|\n)")
PERHAPS_MARKER = re.compile(r"[ \t\r]{0,40}(?:[-*+•]|\d{1,3}[.)]?|#{1,6}|--)?")
LISTED = re.compile(r"(?:\A|\n)[ \t>]*(?:[-*+•][ \t]+)?\(?\d{1,3}\Z")
OPEN = re.compile(r"\[[^\]\n]*\Z|\]\([^)\n]*\Z")  # within the text or the address of a link
DOTTED = re.compile(r"(?:[A-Za-z]\.)*[A-Za-z]")
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
EMPHASIS = tuple(re.compile(rf"[{mark}]+") for mark in "*_~")
QUOTES = "(\"'“‘[*_"


@dataclass(frozen=True)
class Abbreviations:
    """Words after which a full stop does not end a sentence, in lower case and without their last
    full stop.

    before_number: words that are an abbreviation only before a number, such as "no. 5".
    """

    always: frozenset[str] = frozenset()
    before_number: frozenset[str] = frozenset()


class ClauseSplitter:
    """Splits streamed text into clauses. Joined together, the clauses form the complete text. They
    do not depend on how the text was split into deltas.
    """

    def __init__(self, abbreviations: Abbreviations) -> None:
        self._abbreviations = abbreviations
        self._held = ""
        self._first = True

    def feed(self, delta: str) -> list[str]:
        """Return the clauses that a delta completes."""
        self._held += delta
        return self._cut(final=False)

    def flush(self) -> list[str]:
        """Return the remaining clauses, at the end of the text or before something that is not
        prose."""
        made = self._cut(final=True)
        self._held = ""
        return made

    def hurry(self) -> list[str]:
        """Return a clause that is cut early, at a comma or between two words, or an empty list if
        that would sound wrong.

        Used when the voice has nothing else to speak, because a pause within a sentence is worse
        than a wrong intonation.
        """
        end = short_end(self._held)
        made, self._held = self._held[:end], self._held[end:]
        return [made] if made else []

    def _cut(self, *, final: bool) -> list[str]:
        made: list[str] = []
        while self._held and (end := self._end(final=final)):
            clause, self._held = self._held[:end], self._held[end:]
            self._first = self._first and not has_words(clause)
            made.append(clause)
        return made

    def _end(self, *, final: bool) -> int:
        """Return where the first buffered clause ends, or 0 while this is undecided."""
        held, longest = self._held, FIRST_LONGEST if self._first else LONGEST
        comma = 0
        for found in CANDIDATE.finditer(held):
            if found.end() > longest:
                break
            ends = self._ends(found, final=final)
            if ends is None:
                return 0
            if ends and (found["line"] or not within(held[: found.end()])):
                if not (found["comma"] or found["wide_comma"]):
                    return found.end()
                comma = found.end()
                if self._first and is_enough(held[:comma]):
                    return comma
        if len(held) <= longest + AHEAD and not final:
            return 0
        return (
            len(held)
            if len(held) <= longest
            else comma or between_words(held, longest, final=final)
        )

    def _ends(self, found: re.Match[str], *, final: bool) -> bool | None:
        """Return whether a clause ends at a punctuation mark, or None if the text that decides this
        has not arrived yet.
        """
        held, end = self._held, found.end()
        if found["wide_stop"] or found["wide_comma"]:
            return True if end < len(held) or final else None
        if found["line"]:
            return line_ends(held, end, final=final)
        following = held[end : end + AHEAD].lstrip()
        if not following and len(held) < end + AHEAD and not final:
            return None
        before = held[: found.end("stop" if found["stop"] else "comma")]
        if found["comma"]:
            digits = following[:1].isdigit() and before.rstrip(",;:–—")[-1:].isdigit()
            return not digits  # October 15, 2024
        mark = found["stop"]
        if mark.strip(".…") == "" and following[:1].islower():
            return False
        return mark != "." or not self._abbreviated(before[:-1], following)

    def _abbreviated(self, before: str, following: str) -> bool:
        """Return whether a full stop belongs to an abbreviation, an initial or the number of a list
        item.
        """
        if LISTED.search(before):
            return True
        word = before[-40:].rsplit(None, 1)[-1:] or [""]
        plain = word[0].lstrip(QUOTES)
        if DOTTED.fullmatch(plain) and plain != "I":
            return True
        known = self._abbreviations
        numbered = plain.lower() in known.before_number and following[:1].isdigit()
        return numbered or plain.lower() in known.always


def line_ends(held: str, start: int, *, final: bool) -> bool | None:
    """Return whether a clause ends with the line that ends before `start`, as a paragraph, heading
    or list item does.

    A line that continues on the next one does not end a clause. The result is None while the kind
    of the next line is unknown.
    """
    line = held[: start - 1].rpartition("\n")[2].rstrip("\r")
    if line.lstrip().startswith("#") or line.endswith(("  ", "\\")):
        return True
    rest = held[start : start + 60]
    if MARKER.match(rest):
        return True
    undecided = not rest.strip() or PERHAPS_MARKER.fullmatch(rest) is not None
    if not final and len(rest) < 60 and undecided:
        return None
    return not rest.strip()


def within(said: str) -> bool:
    """Return whether a text ends within a link or code, where speech must not pause."""
    return said.rpartition("\n\n")[2].count("`") % 2 == 1 or OPEN.search(said) is not None


def between_words(held: str, longest: int, *, final: bool) -> int:
    """Return where to cut a text without punctuation, or 0 while this is undecided. An address is
    not cut."""
    space = held.rfind(" ", 1, longest)
    if space > 0 and held[:space].strip():
        return space
    if WIDE.search(held[:longest]):
        return longest
    found = re.compile(r"\s").search(held, longest)
    if found is not None and found.start() <= LONGEST_WORD:
        return found.start()
    return min(len(held), LONGEST_WORD) if final or len(held) > LONGEST_WORD else 0


def short_end(held: str) -> int:
    """Return where an unfinished sentence can be cut, or 0 if nowhere.

    It is not cut next to a number or an abbreviation, or within emphasis, a link or code. The last
    word may still be incomplete.
    """
    places = [found.start() for found in re.finditer(r"(?<=\S)\s+(?=\S)", held[:LONGEST])]
    commas = [at for at in places if held[at - 1] in ",;:–—"]
    for at in [*reversed(commas), *reversed(places)]:
        said, following = held[:at], held[at:].lstrip()[0]
        open_ = within(said) or any(len(runs.findall(said)) % 2 for runs in EMPHASIS)
        beside = (
            said[-1].isdigit()
            or said[-1] == "."
            or not (following.isalpha() or following in QUOTES)
        )
        if not open_ and not beside and sum(map(has_words, said.split())) >= SHORT_WORDS:
            return at
    return 0


def has_words(text: str) -> bool:
    """Return whether there is something to speak: a letter or a digit."""
    return any(character.isalnum() for character in text)


def is_enough(said: str) -> bool:
    """Return whether a first clause is long enough to sound like speech."""
    return sum(map(has_words, said.split())) >= FIRST_WORDS or len(WIDE.findall(said)) >= FIRST_WIDE


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
    """A pattern and its spoken form. `{group}` in `say` stands for a group of the pattern."""

    pattern: re.Pattern[str]
    say: str


@dataclass(frozen=True)
class Rules:
    """Rules for a text. Each match is rewritten once. tables: replacements for the groups with the
    given names.
    """

    rules: list[SpeechRule]
    tables: dict[str, Table]
    characters: dict[str, dict[str, str]]

    def apply(self, text: str) -> str:
        """Return the text in which every match of a rule is replaced by its spoken form."""
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
    """Return the content of a language's file."""
    return yaml.safe_load((files("resources.voice") / f"{language}.yaml").read_text("utf-8"))


@cache
def abbreviations() -> Abbreviations:
    """Return the abbreviations of all languages, since an English name may occur in a Japanese
    answer, too.
    """
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
    """Return the spoken form of a step about the source of an answer, or an empty string for any
    other step."""
    notes: dict[str, str] = table_of(language)["notes"]
    return next((said for begins, said in notes.items() if message.startswith(begins)), "")


def read_rules(
    rules: list[dict[str, str]], tables: dict[str, Table], characters: dict[str, Any]
) -> Rules:
    """Return the rules, with the keys of the tables inserted into the patterns."""

    def keys(found: re.Match[str]) -> str:
        if found[1] == "number":
            return NUMBER
        return "|".join(re.escape(key) for key in sorted(tables[found[1]], key=len, reverse=True))

    made = [SpeechRule(re.compile(NAMED.sub(keys, r["pattern"])), r["say"]) for r in rules]
    return Rules(made, tables, characters)


def language_of(text: str, before: str) -> str:
    """Return the language of a text. before: the language of the previous text, which is used if
    this text is ambiguous.

    A foreign name does not change the language: another script must have at least as many
    characters as there are Latin words.
    """
    kana, han, latin = len(KANA.findall(text)), len(HAN.findall(text)), len(LATIN.findall(text))
    if kana + han and kana + han >= latin:
        return "ja" if kana or before == "ja" else "zh"
    return "en" if latin else before
