"""What a copilot can use in a turn: widgets, the workspace, and the data that its calls are allowed
to read.
"""

from __future__ import annotations

import logging
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.data.library.library_file import told_of
from app.domain.copilot import OfferedParam, OfferedWidget, without_skill
from app.domain.errors import DeskpilotError
from app.domain.tool import Chain
from app.services.conversation.code import TOOL
from app.services.conversation.context import with_context
from app.services.dashboard.web_pages import FETCHED
from app.services.dashboard.widgets import VIEWS
from app.services.functions.context import CallContext
from app.services.functions.documents import TOOL as SEARCH_TOOL
from app.services.functions.documents import AttachedDocuments, is_searched

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.domain.copilot import Copilot, RequestOffer
    from app.domain.dashboard import Widget
    from app.openbb.parameters import Param
    from app.openbb.widgets import Backend, Spec
    from app.services.conversation.code import Coder
    from app.services.conversation.errands import Errands
    from app.services.conversation.skills import Skills
    from app.services.dashboard.tiles import Boards, Dashboard
    from app.services.dashboard.widgets import Widgets
    from app.services.documents import Documents
    from app.services.functions.context import FunctionReply
    from app.services.models.profiles import ModelLoan
    from app.services.tools.toolbox import Toolbox


DASHBOARD = str(uuid.uuid5(uuid.NAMESPACE_URL, "deskpilot:dashboard"))
TAB = "__no_tab__"  # the protocol's name for a dashboard without tabs


def workspace_state(widgets: list[Widget], dashboard: Dashboard | None = None) -> dict[str, Any]:
    """Return `workspace_state`: the dashboards as tabs, with the names of their widgets but without
    data, and the last actions on the dashboards.
    """
    names = {w.uuid: w.name for w in widgets}
    tabs = [{"tab_id": TAB, "widgets": [{"widget_uuid": u, "name": n} for u, n in names.items()]}]
    current, name = TAB, "Dashboard"
    if dashboard is not None:
        current = dashboard.current
        name = next(tab.name for tab in dashboard.tabs if tab.id == current)
        tabs = [
            {
                "tab_id": tab.id,
                "widgets": [
                    {"widget_uuid": t.id, "name": names[t.id]} for t in tab.tiles if t.id in names
                ],
            }
            for tab in dashboard.tabs
        ]
    info = {"id": DASHBOARD, "name": name, "current_tab_id": current, "tabs": tabs}
    done = dashboard.doings() if dashboard is not None else []
    return {
        "current_dashboard_uuid": DASHBOARD,
        "current_dashboard_info": info,
        "current_page_context": "dashboard",
    } | ({"action_history": done} if done else {})


log = logging.getLogger(__name__)
MOST_EXTRA = 200
TYPES = {
    "choice": "endpoint",
    "ticker": "ticker",
    "number": "number",
    "boolean": "boolean",
    "date": "date",
    "tabs": "tabs",
}


def shown(widgets: Widgets, boards: Boards | None, uids: list[str]) -> list[OfferedWidget]:
    """Return a dashboard's widgets in the form used in a request."""
    offered = designed(widgets, widgets.offered(uids))
    return [placed(entry, widgets.get(entry.uuid), boards) for entry in offered]


def designed(widgets: Widgets, offered: list[OfferedWidget]) -> list[OfferedWidget]:
    """Return widgets, with the library's interfaces for tables added to the tables' metadata.

    A question can be asked even if the library cannot be read. The user sees the error when opening
    the library.
    """
    try:
        library = widgets.sources.library()
    except DeskpilotError as error:
        log.warning("the library is left out: %s", error)
        return offered
    over = {
        uid: [e for e in library if uid in e.workflow.sources()]
        for uid in (one.uuid for one in offered)
    }
    made: list[OfferedWidget] = []
    for one in offered:
        told = [told_of(entry).model_dump(mode="json") for entry in over[one.uuid]]
        more = {"interfaces": told} if told else {}
        made.append(replace(one, metadata=one.metadata | more))
    return made


def rest(widgets: Widgets, boards: Boards | None, attached: list[str]) -> list[OfferedWidget]:
    """Return the other widgets on the dashboards: their names and parameters, without data."""
    others = [w.uuid for w in widgets.all() if w.uuid not in attached and w.type not in VIEWS]
    return [replace(entry, metadata={}) for entry in shown(widgets, boards, others)]


def agreed(widgets: Widgets, uids: list[str]) -> list[str]:
    """Return the web addresses that the user has allowed Deskpilot to fetch."""
    found = [widgets.get(uid) for uid in uids]
    return [
        w.description.removeprefix(FETCHED)
        for w in found
        if w.description.startswith(FETCHED) and not w.backend
    ]


def extra(boards: Boards | None) -> list[OfferedWidget]:
    """Return the widgets that backends publish, whether on a dashboard or not."""
    if boards is None:
        return []
    made = [
        entry_of(backend, spec)
        for backend in boards.live.backends.all()
        for spec in backend.specs()
    ]
    return made[:MOST_EXTRA]


def entry_of(backend: Backend, spec: Spec) -> OfferedWidget:
    """Return a published widget, whose uuid is the same every time."""
    return OfferedWidget(
        str(uuid.uuid5(uuid.NAMESPACE_URL, f"{backend.url}#{spec.id}")),
        spec.name,
        spec.description or spec.name,
        backend.id,
        spec.id,
        params_of(spec, {}),
        spec.source,
        spec.category,
    )


def placed(entry: OfferedWidget, widget: Widget, boards: Boards | None) -> OfferedWidget:
    """Return a widget with its origin, and with the values of its parameters."""
    ours = replace(entry, widget_id=entry.uuid)
    if not widget.backend or boards is None:
        return ours
    try:
        spec = boards.live.backends.spec(widget.backend, widget.widget_id)
    except DeskpilotError:  # no longer published, but the last fetched data is still there
        return ours
    return replace(
        entry,
        origin=widget.backend,
        widget_id=widget.widget_id,
        params=entry.params or params_of(spec, boards.live.values(widget.uuid)),
        source=spec.source,
    )


def params_of(spec: Spec, values: dict[str, Any]) -> tuple[OfferedParam, ...]:
    """Return the parameters of a published widget. values: the current values of the parameters, by
    name."""
    made = [(param.name, param_of(param)) for param in spec.params]
    return tuple(replace(p, current=values.get(name)) for name, p in made if p is not None)


def param_of(param: Param) -> OfferedParam | None:
    """Return the description of a parameter for a copilot, or None for forms and buttons."""
    if param.kind in ("form", "button"):
        return None
    return OfferedParam(
        param.name,
        TYPES.get(param.kind, "text"),
        param.description or param.label,
        param.value,
        many=param.many,
        options=tuple(o.value for o in param.options),
        get_options=bool(param.endpoint and not param.options),
    )


class Equipment:
    """The parts of the terminal that a turn can use. Parts that are None are not offered."""

    def __init__(
        self,
        widgets: Widgets,
        boards: Boards | None,
        skills: Skills | None,
        errands: Errands | None,
        tools: Toolbox | None,
    ) -> None:
        self.coder: Coder | None = None
        self.talking: ModelLoan | None = None
        self.documents: Documents | None = None
        self._widgets, self._boards = widgets, boards
        self._skills, self._errands, self._tools = skills, errands, tools

    async def prepared(
        self, offer: RequestOffer, copilot: Copilot, branch: list[Turn]
    ) -> RequestOffer:
        """Return a question's attachments with the data that this copilot needs and is allowed to
        have.

        Raises: UnknownSkill, SetupError, StoreError.
        """
        documents = self.attached_documents(offer)
        offer = await with_context(offer, copilot, branch, self._widgets.sources, documents)
        if documents is not None and copilot.takes_tools:
            offer = replace(offer, tools=[*offer.tools, SEARCH_TOOL])
        if self._skills is not None:
            offer = await self._skills.offered(offer, copilot, branch[-1].question)
        if self._errands is not None:
            offer = await self._errands.offered(offer, copilot)
        if self._tools is not None:
            offer = await self._tools.offered(offer, copilot)
        if self.talking is not None:
            offer = await self.talking.offered(offer, copilot)
        return replace(offer, tools=[*offer.tools, TOOL]) if self.coder is not None else offer

    def attached_documents(self, offer: RequestOffer) -> AttachedDocuments | None:
        """Return the documents that are sent with a question, or None if there are none."""
        if self.documents is None:
            return None
        here = [self._widgets.get(w.uuid) for w in offer.widgets if w.uuid in self._widgets]
        searched = [widget for widget in here if is_searched(widget)]
        return AttachedDocuments(self.documents, searched) if searched else None

    def desk(self, copilot: Copilot, offer: RequestOffer, turn: Turn) -> CallContext:
        """Return the context for a turn's calls: the content of the request and nothing else."""
        skills, errands, tools = self._skills, self._errands, self._tools
        chain = Chain(copilot, offer.granted)

        async def assign(raw: dict[str, Any]) -> dict[str, Any]:
            assert errands is not None
            return await errands.run(raw, copilot, offer, desk)

        async def call_tool(server: str, name: str, parameters: dict[str, Any]) -> FunctionReply:
            assert tools is not None
            made = await tools.call(server, name, parameters, chain)
            desk.pictures.extend(made.pictures)
            return made

        desk = CallContext(
            self._widgets.sources,
            {w.uuid: w for group in offer.shown_to(copilot) for w in group},
            self._widgets,
            self._boards,
            without_skill(turn.question),
            # our copilot reads text, and copilots with the 2024 protocol do not support files
            with_files=not copilot.is_ours and copilot.dialect == "today",
            skills={skill.slug: skill for skill in offer.skills},
            propose=skills.propose if skills is not None else None,
            assign=assign if errands is not None and copilot.may_assign else None,
            call_tool=call_tool if tools is not None else None,
            documents=self.attached_documents(offer),
        )
        return desk
