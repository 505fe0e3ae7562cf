"""The actions of links in an answer: classes in this module, and short texts in the anchors of Qt
documents.

`Action.href` writes that text and `action_of` reads it; no other code depends on its format.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Callable

Deed = Literal["copy", "read", "again", "edit", "steps", "on", "before", "after"]
Way = Literal["pin", "csv", "image", "png", "svg"]
DEEDS: tuple[Deed, ...] = get_args(Deed)
WAYS: tuple[Way, ...] = get_args(Way)


@dataclass(frozen=True)
class Action:
    """An action that a link runs. word: the first part of its text; the values of the fields
    follow.
    """

    word: ClassVar[str] = ""

    @property
    def href(self) -> str:
        """Return the action as the text of an anchor."""
        values = [getattr(self, field.name) for field in fields(self)]
        return f"{self.word}:{'.'.join(str(value) for value in values if value is not None)}"


@dataclass(frozen=True)
class Cite(Action):
    """Show the source of a citation. number: the number of the citation, counted from 1."""

    word = "cite"
    number: int


@dataclass(frozen=True)
class Reinterpret(Action):
    """Ask again with another interpretation of the question. alternative: its index, from 0."""

    word = "alt"
    alternative: int


@dataclass(frozen=True)
class Ask(Action):
    """Ask a suggested question."""

    word = "ask"
    text: str


@dataclass(frozen=True)
class Rate(Action):
    """Send the copilot a rating of its answer."""

    word = "rate"
    vote: str


@dataclass(frozen=True)
class ChangeAnswer(Action):
    """Copy an answer, read it aloud, ask again, or show its steps or its branches."""

    word = "act"
    deed: Deed


@dataclass(frozen=True)
class OpenSettings(Action):
    """Open the settings at the place where an error can be fixed."""

    word = "act:settings"
    page: str

    @property
    def href(self) -> str:
        """Return the action as the text of an anchor."""
        return f"{self.word}.{self.page}"


@dataclass(frozen=True)
class OpenAddress(Action):
    """Open a web page after asking the user."""

    url: str

    @property
    def href(self) -> str:
        """Return the address."""
        return self.url


@dataclass(frozen=True)
class OpenPage(Action):
    """Show a page on the dashboard.

    item: its index in the turn. number: the index of the HTML code block in the item's text, from
    0; None if the item is itself a page.
    """

    word = "page"
    item: int
    number: int | None = None


@dataclass(frozen=True)
class OpenWorkflow(Action):
    """Show the steps of a workflow. item: the index of its result in the turn."""

    word = "flow"
    item: int


@dataclass(frozen=True)
class OpenArtifact(Action):
    """Show a chart on the dashboard.

    item: the index of the item in the turn. number: the index of the artifact in its step.
    """

    word = "art"
    item: int
    number: int | None = None


@dataclass(frozen=True)
class TakeArtifact(Action):
    """Pin, save or copy an artifact. For item and number, see `OpenArtifact`."""

    way: Way
    item: int
    number: int | None = None

    @property
    def href(self) -> str:
        """Return the action as the text of an anchor."""
        return f"{self.way}:{self.item}" + ("" if self.number is None else f".{self.number}")


@dataclass(frozen=True)
class TakeTable(Action):
    """Pin, save or copy a table that is shown as a chart. piece: its index in the turn."""

    way: Way
    piece: int

    @property
    def href(self) -> str:
        """Return the action as the text of an anchor."""
        return f"{self.way}-table:{self.piece}"


@dataclass(frozen=True)
class SaveTable(Action):
    """Save a table as CSV. piece: its index in the turn."""

    word = "save"
    piece: int


@dataclass(frozen=True)
class CopyTable(Action):
    """Copy a table. piece: its index in the turn."""

    word = "copy"
    piece: int


@dataclass(frozen=True)
class CopyCode(Action):
    """Copy code. piece: its index in the turn."""

    word = "code"
    piece: int


@dataclass(frozen=True)
class SortTable(Action):
    """Sort the table that contains the link. column: its index, from 0."""

    word = "sort"
    column: int


@dataclass(frozen=True)
class ToggleChart(Action):
    """Switch between a table and its chart. piece: its index in the turn."""

    word = "chart"
    piece: int


@dataclass(frozen=True)
class ToggleRows(Action):
    """Switch between all rows of a table and its first rows. piece: its index in the turn."""

    word = "whole"
    piece: int


@dataclass(frozen=True)
class Unfold(Action):
    """Expand or collapse a part of a turn."""


@dataclass(frozen=True)
class UnfoldStep(Unfold):
    """Expand or collapse a step. item: its index in the turn."""

    word = "step"
    item: int


@dataclass(frozen=True)
class UnfoldText(Unfold):
    """Show more of a very long text. item: its index in the turn. part: how much of the text is
    shown.
    """

    word = "more"
    item: int
    part: int


@dataclass(frozen=True)
class UnfoldCitations(Unfold):
    """Switch between all citations and the first ones."""

    @property
    def href(self) -> str:
        """Return the action as the text of an anchor."""
        return "act:citations"


OF_NUMBERS: dict[str, Callable[..., Action]] = {
    kind.word: kind
    for kind in (
        Cite,
        Reinterpret,
        OpenPage,
        OpenWorkflow,
        OpenArtifact,
        SaveTable,
        CopyTable,
        CopyCode,
        SortTable,
        ToggleChart,
        ToggleRows,
        UnfoldStep,
        UnfoldText,
    )
}
OF_TEXT: dict[str, Callable[[str], Action]] = {kind.word: kind for kind in (Ask, Rate)}


def action_of(href: str) -> Action | None:
    """Parse the text of an anchor; return None if it is not an action."""
    word, _, rest = href.partition(":")
    if word.lower() in ("http", "https"):
        return OpenAddress(href)
    if word in OF_TEXT:
        return OF_TEXT[word](rest)
    if word == ChangeAnswer.word:
        return answer_action(rest)
    numbers = rest.split(".")
    if not all(number.isdecimal() for number in numbers):
        return None
    places = [int(number) for number in numbers]
    for way in WAYS:
        if word == way:
            return TakeArtifact(way, *places)
        if word == f"{way}-table":
            return TakeTable(way, *places)
    kind = OF_NUMBERS.get(word)
    return kind(*places) if kind is not None else None


def answer_action(rest: str) -> Action | None:
    """Parse the text after `act:`; return None if it is not an action."""
    if rest == "citations":
        return UnfoldCitations()
    if rest.startswith("settings."):
        return OpenSettings(rest.removeprefix("settings."))
    return next((ChangeAnswer(deed) for deed in DEEDS if deed == rest), None)
