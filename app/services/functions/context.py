"""The context of a function, which is limited to the widgets in the request, and the function's
reply."""

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
    from app.domain.copilot import OfferedWidget, Skill
    from app.domain.dashboard import Widget
    from app.domain.events import Artifact, Citation, Event
    from app.services.dashboard.tiles import Boards
    from app.services.dashboard.widgets import Widgets


@dataclass(frozen=True)
class WidgetRequest:
    """A widget named in a call, by its uuid, by its id at its backend, or by both. values: its
    parameter values.

    rows: the requested range of a table whose server returns ranges, in that server's format.
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
    """The documents sent with a question."""

    def widget(self, uid: str) -> Widget | None:
        """Return one of the documents by its uuid."""
        ...

    async def search(self, parameters: dict[str, Any], only: Widget | None = None) -> FunctionReply:
        """Search the documents.

        Raises: DeskpilotError.
        """
        ...

    async def text(self, widget: Widget) -> str:
        """Return the complete text of one document.

        Raises: DocumentError.
        """
        ...

    async def resolve(self, citations: Citations) -> Citations:
        """Return citations with the positions of their passages added."""
        ...


@dataclass(frozen=True)
class CallContext:
    """The context of a call. offered: the widgets in the request, by uuid. boards: the dashboards,
    or None if they cannot be changed. question: the question, which is used to select the rows of
    large tables. with_files: whether the copilot also gets the files themselves. skills: the skills
    that were described to it. propose: called with the name, description and text of a new skill to
    show it to the user. assign: gives another copilot a task, if that is allowed. call_tool: calls
    a tool, given the names of its server and the tool. documents: the attached documents. pictures:
    the pictures that tools returned, to be shown.
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
        """Return the requested widget. If the uuid is unknown, the id is used.

        The origin is used only to choose between widgets with the same id, since copilots may
        change it. Raises: UnknownWidget if the widget was not offered.
        """
        # the id that we send for a file's widget is its uuid
        for uid in (asked.uuid, asked.id):
            if uid in self.offered:
                return self.offered[uid]
        same = [w for w in self.offered.values() if asked.id and w.widget_id == asked.id]
        same.sort(key=lambda w: w.origin != asked.origin)
        if not same:
            raise UnknownWidget(
                f"The widget {asked.uuid or asked.id or 'without an id'} was not offered.",
                "Ask for one of the widgets of the request.",
            )
        return same[0]

    def named(self, item: Event, made: list[Artifact]) -> Event:
        """Return citations with their widgets and names. Other items are returned unchanged.

        Copilots name a widget by its uuid or, as the protocol's `cite` does, by origin and id.
        Among widgets with the same id, the one with the same arguments is used. made: the artifacts
        in the answer.
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
        """Return the widgets and dashboards that the call is allowed to change.

        Raises: DeskpilotError if there are none.
        """
        if self.widgets is None or self.boards is None:
            raise DeskpilotError("There is no dashboard here.", "Answer in words.")
        return self.widgets, self.boards


def agreeing(offered: OfferedWidget, arguments: dict[str, Any]) -> int:
    """Return how many of the arguments are equal to the current values of a widget's parameters."""
    now = {param.name: param.current for param in offered.params}
    return sum(name in now and str(now[name]) == str(value) for name, value in arguments.items())


def sources_of(
    arguments: dict[str, Any], name: str = "data_sources", most: int = 32
) -> list[dict[str, Any]]:
    """Return the objects in a list argument of a call.

    Raises: DeskpilotError if there are none, or more than a call is allowed to name.
    """
    listed = arguments.get(name)
    found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    if not found:
        raise DeskpilotError(
            f"The call gives no value for {name}.", f"Specify at least one in {name}."
        )
    if len(found) > most:
        raise DeskpilotError(
            f"The call names {len(found)} in {name}.", f"Specify at most {most} at once."
        )
    return found


@dataclass(frozen=True)
class FunctionReply:
    """The reply of a function. content: the whole reply as one text. entries: a text for each
    requested data source, in the same order, or nothing if none was requested. files: the items of
    each entry that has files. pictures: the pictures to show to the user.
    """

    content: str
    failed: bool = False
    entries: list[str] = field(default_factory=list[str])
    files: list[list[dict[str, Any]]] = field(default_factory=list["list[dict[str, Any]]"])
    pictures: tuple[bytes, ...] = ()


async def attempted(work: Awaitable[str]) -> tuple[str, bool]:
    """Return the text of one entry, and whether the text is an error message."""
    try:
        return await work, False
    except (DeskpilotError, KernelError) as error:
        return told(error), True


def joined(found: list[tuple[str, bool]]) -> FunctionReply:
    """Return entries as one reply, which counts as failed if all entries failed."""
    entries = [text for text, _ in found]
    return FunctionReply("\n".join(entries), all(failed for _, failed in found), entries)


def told(error: DeskpilotError | KernelError) -> str:
    """Return an error as text that the copilot can pass on, because error objects crash simple
    copilots.
    """
    return json.dumps({"error": error.text, "remedy": error.remedy}, ensure_ascii=False)
