"""What a function may work on, the widgets of the request and nothing else, and what it returns."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from app.domain.errors import DeskpilotError, UnknownWidget
from app.domain.events import Citations
from backends.data.errors import KernelError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.data.sources import Sources
    from app.domain.copilot import OfferedWidget
    from app.domain.events import Artifact, Citation, Event
    from app.domain.skill import Skill
    from app.domain.widget import Widget
    from app.services.dashboard.tiles import Boards
    from app.services.dashboard.widgets import Widgets


@dataclass(frozen=True)
class WidgetRequest:
    """One widget a call names: by its uuid, by its id at the backend it is of, or by both; values:
    its parameters.

    rows: the range that is asked for of a table whose server gives them out so, in that server's
    words.
    """

    uuid: str = ""
    id: str = ""
    origin: str = ""
    values: dict[str, Any] = field(default_factory=dict[str, Any], compare=False, hash=False)
    rows: dict[str, Any] = field(default_factory=dict[str, Any], compare=False, hash=False)

    @classmethod
    def of(cls, raw: dict[str, Any]) -> WidgetRequest:
        """Return the widget that a data source names."""
        values, rows = raw.get("input_args"), raw.get("ssm_request")
        return cls(
            str(raw.get("widget_uuid") or ""),
            str(raw.get("id") or raw.get("widget_id") or ""),
            str(raw.get("origin") or ""),
            dict(values) if isinstance(values, dict) else {},
            dict(rows) if isinstance(rows, dict) else {},
        )


class SearchedDocuments(Protocol):
    """The documents that go along with a question."""

    def widget(self, uid: str) -> Widget | None:
        """Return one of them by its uuid."""
        ...

    async def search(self, parameters: dict[str, Any], only: Widget | None = None) -> FunctionReply:
        """Search; raises DeskpilotError."""
        ...

    async def text(self, widget: Widget) -> str:
        """Return all words of one of them; raises DocumentError."""
        ...

    async def resolve(self, citations: Citations) -> Citations:
        """Return citations with the places of their passages."""
        ...


@dataclass(frozen=True)
class CallContext:
    """offered: what the request told of, by uuid. boards: none where there is no dashboard to
    change.
    question: what large tables are cut to. with_files: whether the copilot is sent files as they
    are, too. skills: those it was told of; propose: lays one before the person, by its name,
    description and text. assign: asks another copilot, where that is allowed. call_tool: calls a
    tool of a server by the names of both.
    documents: those that are attached.
    pictures: those that tools answered with, to be shown.
    """

    sources: Sources
    offered: dict[str, OfferedWidget]
    widgets: Widgets | None = None
    boards: Boards | None = None
    question: str = ""
    with_files: bool = True
    skills: dict[str, Skill] = field(default_factory=dict[str, "Skill"])
    assign: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]] | None = None
    propose: Callable[[str, str, str], Awaitable[Skill]] | None = None
    call_tool: Callable[[str, str, dict[str, Any]], Awaitable[FunctionReply]] | None = None
    documents: SearchedDocuments | None = None
    pictures: list[bytes] = field(default_factory=list[bytes], compare=False, hash=False)

    def find(self, asked: WidgetRequest) -> OfferedWidget:
        """Return the requested widget; an unknown uuid gives way to the id.

        The origin decides only between widgets of the same id, since copilots change it. Raises:
        UnknownWidget for one that was not offered.
        """
        for uid in (asked.uuid, asked.id):  # the id we send with a widget of a file is its uuid
            if uid in self.offered:
                return self.offered[uid]
        same = [w for w in self.offered.values() if asked.id and w.widget_id == asked.id]
        same.sort(key=lambda w: w.origin != asked.origin)
        if not same:
            raise UnknownWidget(
                f"Widget {asked.uuid or asked.id or 'without an id'} was not offered.",
                "Ask for one of the widgets of the request.",
            )
        return same[0]

    def named(self, item: Event, made: list[Artifact]) -> Event:
        """Return citations with their widgets and names, other items unchanged.

        Copilots name a widget by its uuid or, as the protocol's `cite` does, by origin and id;
        among widgets of the same id, the one with the same arguments counts. made: artifacts of the
        answer.
        """
        if not isinstance(item, Citations):
            return item
        drawn = {artifact.uuid: artifact.name for artifact in made if artifact.uuid}
        return Citations([self._named(one, drawn) for one in item.citations])

    def _named(self, one: Citation, drawn: dict[str, str]) -> Citation:
        if one.kind == "artifact":
            return replace(one, name=one.name or drawn.get(one.widget, ""))
        found = self.offered.get(one.widget)
        if found is None and one.widget_id and one.kind == "widget":
            same = [w for w in self.offered.values() if w.widget_id == one.widget_id]
            same.sort(key=lambda w: (w.origin != one.origin, -agreeing(w, one.arguments)))
            found = same[0] if same else None
        if found is None:
            return one
        return replace(one, widget=found.uuid, name=one.name or found.name)

    def work(self) -> tuple[Widgets, Boards]:
        """Return widgets and dashboards that may be changed.

        Raises: DeskpilotError where there are none.
        """
        if self.widgets is None or self.boards is None:
            raise DeskpilotError("There is no dashboard here.", "Answer in words.")
        return self.widgets, self.boards


def agreeing(offered: OfferedWidget, arguments: dict[str, Any]) -> int:
    """Return how many of the arguments are what a widget's parameters are set to now."""
    now = {param.name: param.current for param in offered.params}
    return sum(name in now and str(now[name]) == str(value) for name, value in arguments.items())


def sources_of(
    arguments: dict[str, Any], name: str = "data_sources", most: int = 32
) -> list[dict[str, Any]]:
    """Return the objects of a list of a call.

    Raises: DeskpilotError for none, or more than a call may name.
    """
    listed = arguments.get(name)
    found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    if not found:
        raise DeskpilotError(f"The call names nothing in {name}.", f"Name at least one in {name}.")
    if len(found) > most:
        raise DeskpilotError(
            f"The call names {len(found)} in {name}.", f"Name at most {most} at once."
        )
    return found


@dataclass(frozen=True)
class FunctionReply:
    """content: all of it as one text. entries: a text for each data source asked for, in that
    order; none where nothing of the kind was asked. files: the items of each entry that holds
    files, else none. pictures: what a person is shown of it.
    """

    content: str
    failed: bool = False
    entries: list[str] = field(default_factory=list[str])
    files: list[list[dict[str, Any]]] = field(default_factory=list["list[dict[str, Any]]"])
    pictures: tuple[bytes, ...] = ()


async def attempted(work: Awaitable[str]) -> tuple[str, bool]:
    """Return the text of one entry, and whether it says why there is none."""
    try:
        return await work, False
    except (DeskpilotError, KernelError) as error:
        return told(error), True


def joined(found: list[tuple[str, bool]]) -> FunctionReply:
    """Return entries as one answer; it failed if all of them did."""
    entries = [text for text, _ in found]
    return FunctionReply("\n".join(entries), all(failed for _, failed in found), entries)


def told(error: DeskpilotError | KernelError) -> str:
    """Return an error as text the copilot can pass on: error objects crash simple ones."""
    return json.dumps({"error": error.text, "remedy": error.remedy}, ensure_ascii=False)
