"""The actions of an answer's links: typed here, a short text in the anchors of Qt's documents.

`Action.href` writes that text and `action_of` reads it; no other code depends on its form.
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
    """Something to press. word: begins its text; the fields follow."""

    word: ClassVar[str] = ""

    @property
    def href(self) -> str:
        """The action as the text of an anchor."""
        values = [getattr(self, field.name) for field in fields(self)]
        return f"{self.word}:{'.'.join(str(value) for value in values if value is not None)}"


@dataclass(frozen=True)
class Cite(Action):
    """Show the source of a citation's number. number: counted from 1."""

    word = "cite"
    number: int


@dataclass(frozen=True)
class Reinterpret(Action):
    """Ask again as another reading of the question. alternative: counted from 0."""

    word = "alt"
    alternative: int


@dataclass(frozen=True)
class Ask(Action):
    """Ask a suggested question."""

    word = "ask"
    text: str


@dataclass(frozen=True)
class Rate(Action):
    """Send the copilot a rating."""

    word = "rate"
    vote: str


@dataclass(frozen=True)
class ChangeAnswer(Action):
    """Copy an answer, read it aloud, ask again, show its steps or its branches."""

    word = "act"
    deed: Deed


@dataclass(frozen=True)
class OpenSettings(Action):
    """Open the place of the settings that mends an error."""

    word = "act:settings"
    page: str

    @property
    def href(self) -> str:
        """The action as the text of an anchor."""
        return f"{self.word}.{self.page}"


@dataclass(frozen=True)
class OpenAddress(Action):
    """Open a page of the web, after a question."""

    url: str

    @property
    def href(self) -> str:
        """The address."""
        return self.url


@dataclass(frozen=True)
class OpenPage(Action):
    """Show a page on the dashboard. item: of its turn. number: of the fences of HTML in its words,
    from 0; None if the item is a page itself.
    """

    word = "page"
    item: int
    number: int | None = None


@dataclass(frozen=True)
class OpenWorkflow(Action):
    """Show the steps of a workflow. item: its result, of the turn."""

    word = "flow"
    item: int


@dataclass(frozen=True)
class OpenArtifact(Action):
    """Show a chart on the dashboard. item: of its turn; number: of the artifacts of a step."""

    word = "art"
    item: int
    number: int | None = None


@dataclass(frozen=True)
class TakeArtifact(Action):
    """Pin, save or copy an artifact. item, number: as `OpenArtifact`."""

    way: Way
    item: int
    number: int | None = None

    @property
    def href(self) -> str:
        """The action as the text of an anchor."""
        return f"{self.way}:{self.item}" + ("" if self.number is None else f".{self.number}")


@dataclass(frozen=True)
class TakeTable(Action):
    """Pin, save or copy a table that is looked at as a chart. piece: of its turn."""

    way: Way
    piece: int

    @property
    def href(self) -> str:
        """The action as the text of an anchor."""
        return f"{self.way}-table:{self.piece}"


@dataclass(frozen=True)
class SaveTable(Action):
    """Save a table as CSV. piece: of its turn."""

    word = "save"
    piece: int


@dataclass(frozen=True)
class CopyTable(Action):
    """Copy a table. piece: of its turn."""

    word = "copy"
    piece: int


@dataclass(frozen=True)
class CopyCode(Action):
    """Copy code. piece: of its turn."""

    word = "code"
    piece: int


@dataclass(frozen=True)
class SortTable(Action):
    """Sort the table that contains the action. column: counted from 0."""

    word = "sort"
    column: int


@dataclass(frozen=True)
class ToggleChart(Action):
    """Show a table as a chart, or as a table again. piece: of its turn."""

    word = "chart"
    piece: int


@dataclass(frozen=True)
class ToggleRows(Action):
    """Show all rows of a table, or the first ones. piece: of its turn."""

    word = "whole"
    piece: int


@dataclass(frozen=True)
class Unfold(Action):
    """Open or close a part of a turn."""


@dataclass(frozen=True)
class UnfoldStep(Unfold):
    """Open or close a step. item: of its turn."""

    word = "step"
    item: int


@dataclass(frozen=True)
class UnfoldText(Unfold):
    """Show more of a very long text. item: of its turn; part: how much is shown."""

    word = "more"
    item: int
    part: int


@dataclass(frozen=True)
class UnfoldCitations(Unfold):
    """List all citations, or the first ones."""

    @property
    def href(self) -> str:
        """The action as the text of an anchor."""
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
    """Return the action of an anchor; None if the text is not an action."""
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
    """Return the action after `act:`."""
    if rest == "citations":
        return UnfoldCitations()
    if rest.startswith("settings."):
        return OpenSettings(rest.removeprefix("settings."))
    return next((ChangeAnswer(deed) for deed in DEEDS if deed == rest), None)
