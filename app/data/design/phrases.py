"""The words of designed interfaces in each language: names, descriptions, requests and headings."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

import yaml
from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from backends.data.values import Profile

Language = Literal["en", "zh", "ja"]
LANGUAGES: tuple[Language, ...] = ("en", "zh", "ja")
COLUMN = "{column}"  # the placeholder in a description until the columns are known
HAN = re.compile(r"[\u3400-\u9fff]")
KANA = re.compile(r"[\u3041-\u30fa]")
# Kana, and characters that are written this way only in Japanese.
JAPANESE = re.compile(
    r"[\u3041-\u30fa値総価売県円図駅気対応済変続歳権帯広庁徴恵栄桜歩沢渋瀬営塩悪仮暦験検単実効労働込畑]"
)
VALUES = 20  # maximum number of values examined per column
# marks the plural of a word in a wording, as in {category:many}. Other nouns follow a count, as in
# {rows:row}
MANY = "many"


class PhraseSlot(str):
    """A word inserted into a phrase, singular or plural."""

    def __format__(self, noun: str) -> str:
        if not noun:
            return str(self)
        if noun == MANY:
            return plural(self)
        return f"{self} {noun if self == '1' else plural(noun)}"


def plural(noun: str) -> str:
    """Return the plural of an English noun. Plurals and words in other languages are returned
    unchanged.
    """
    if not re.search(r"[a-z]$", noun) or re.search(r"(?<!s)s$", noun):
        return noun
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if re.search(r"(?:ss|x|z|ch|sh)$", noun) else f"{noun}s"


def filled(text: str, slots: Mapping[str, object]) -> str:
    """Return a wording with its slots filled in."""
    return text.format_map({name: PhraseSlot(value) for name, value in slots.items()})


class InterfacePhrases(BaseModel):
    """The names, descriptions and requests of the interfaces that have a given shape."""

    called: str
    means: str
    asks: list[str]


class Phrases(BaseModel):
    """The words of one language. people: requests about people. whom: the phrase for one entity's
    column.
    """

    people: list[str]
    whom: str
    and_: str
    names: list[str]
    merged: list[str]
    parameters: dict[str, str]
    headings: dict[str, str]
    shapes: dict[str, InterfacePhrases]

    def what(self, column: str, entity: object) -> str:
        """Return the subject of a request: a column, with the entity that it is about, if there is
        one."""
        return column if entity is None else self.whom.format(column=column, entity=entity)

    def asks(self, shape: str, slots: dict[str, Any]) -> list[str]:
        """Return the wordings of a request with a given shape."""
        return [filled(text, slots) for text in self.shapes[shape].asks]

    def means(self, shape: str, slots: dict[str, Any]) -> str:
        """Return a shape's description, with a placeholder for its column."""
        return filled(self.shapes[shape].means, slots | {"column": COLUMN})

    def called(self, shape: str, slots: dict[str, Any]) -> str:
        """Return the part of a name that stands for a shape."""
        named = {
            k: v if v.isdigit() else as_name(v) for k, v in ((k, str(v)) for k, v in slots.items())
        }
        return self.shapes[shape].called.format_map(named)


@cache
def wording(language: Language) -> Phrases:
    """Return the words of a language."""
    raw: dict[str, Any] = yaml.safe_load(
        (files("resources.design") / f"{language}.yaml").read_text("utf-8")
    )
    return Phrases.model_validate(raw | {"and_": raw["and"]})


def language_of(profile: Profile) -> Language:
    """Return the language of a table, detected from its name, its columns and their descriptions,
    or else from its values.
    """
    texts = [profile.name, profile.description, *(f"{c.name} {c.meaning}" for c in profile.columns)]
    values = [str(v) for c in profile.columns if c.kind == "text" for v in c.values[:VALUES]]
    told, held = " ".join(texts), " ".join(values)
    if JAPANESE.search(told) or KANA.search(held):
        return "ja"
    return "zh" if HAN.search(told) or HAN.search(held) else "en"


def as_name(text: str) -> str:
    """Convert text to an interface name, which consists of lower-case letters of any script, digits
    and underscores.
    """
    made = (
        re.sub(r"[^a-z0-9\u3041-\u3096\u30a1-\u30fc\u3400-\u9fff]+", "_", text.lower())
        .strip("_")[:24]
        .strip("_")
    )
    return made if made and not made[0].isdigit() else f"t_{made}".strip("_")
