"""The controller of cards whose content is fetched, read from a file or typed."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel, QWidget

from app.data.documents import read_document
from app.domain.errors import BackendElsewhere, DeskpilotError
from app.domain.events import QuoteBox
from app.domain.foreign_content import in_words, left_out
from app.openbb.content import Content
from app.ui.dashboard.bodies.note import NoteBody
from app.ui.dashboard.bodies.registry import body_of
from app.ui.dashboard.card import MarkableBody, Problem, QuotableBody, ReadingNotice
from app.ui.dashboard.params import Form, ParamBar
from app.ui.dashboard.table.cells import plain_tip
from app.ui.theme.i18n import mark, said, told, tr

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu

    from app.domain.dashboard import Widget
    from app.openbb.parameters import Param
    from app.openbb.widgets import Spec
    from app.services.dashboard.live import Live
    from app.services.dashboard.tiles import Dashboard
    from app.services.dashboard.widgets import Widgets
    from app.services.documents import Documents
    from app.services.tasks import Do
    from app.ui.dashboard.pane import DashboardPane


class SharedParameters(QObject):
    """Marks the fields of shared parameters, and offers actions to share parameters."""

    def __init__(self, pane: DashboardPane, dashboard: Dashboard, live: Live, do: Do) -> None:
        super().__init__(pane)
        self._do = do
        self._dashboard = dashboard
        self._sharing = live.sharing

    def mark(self, uid: str, bar: ParamBar) -> None:
        """Show which parameters of a widget are shared, and with which widgets."""
        for name, field in bar.fields.items():
            field.set_shared([widget.name for widget in self._sharing.of(uid, name)])

    def offer(self, uid: str, name: str, menu: QMenu) -> None:
        """Fill the menu of a parameter with the actions for sharing it."""
        tab = self._dashboard.tab_of(uid)
        beside = [tile.id for tile in tab.tiles] if tab is not None else []
        shared = {widget.uuid for widget in self._sharing.of(uid, name)}
        others = [w for w in self._sharing.possible(uid, name, beside) if w.uuid not in shared]
        if menu.actions() and (others or shared):
            menu.addSeparator()
        for widget in others:
            menu.addAction(tr("Share with {name}", name=widget.name)).triggered.connect(
                lambda _=False, other=widget.uuid: self._do(
                    "share", self._sharing.link([uid, other], name)
                )
            )
        if len(others) > 1:
            every = [uid, *(w.uuid for w in others)]
            menu.addAction(tr("Share with all %n", "", len(others))).triggered.connect(
                lambda _=False: self._do("share", self._sharing.link(every, name))
            )
        if shared:
            menu.addAction(tr("Stop sharing")).triggered.connect(
                lambda _=False: self._do("part", self._sharing.unlink(uid, name))
            )


PARTS = (  # parts removed from untrusted content, listed by `in_words`
    mark("script"),
    mark("scripts"),
    mark("frame"),
    mark("frames"),
    mark("form"),
    mark("forms"),
    mark("redirect to another page"),
    mark("redirects to another page"),
    mark("external address"),
    mark("external addresses"),
)
NOWHERE = (0.0, 0.0, 0.0, 0.0)  # the box used for a page without a highlight


class LiveCards(QObject):
    """Controls the cards of fetched, read and typed widgets.

    Signals: linked(address) when a link is clicked; changed() when cards have to be updated;
    passage_wanted(path, page, quote) to open a document; asking_wanted(path, words) to ask a
    question about a document.
    """

    linked = Signal(str)
    changed = Signal()
    passage_wanted = Signal(str, int, str)
    asking_wanted = Signal(str, str)

    def __init__(
        self,
        pane: DashboardPane,
        widgets: Widgets,
        dashboard: Dashboard,
        live: Live,
        documents: Documents,
        do: Do,
    ) -> None:
        super().__init__(pane)
        self._pane, self._do = pane, do
        self._widgets = widgets
        self._live = live
        self._shared = SharedParameters(pane, dashboard, live, do)
        self._contents: dict[str, Content] = {}
        # the passages to highlight once their document is shown
        self._awaited: dict[str, tuple[int, str, list[QuoteBox]]] = {}
        self._dashboard = dashboard
        self._documents = documents
        self._live.subscribe(self._on_live)
        self._live.streams.subscribe(lambda uid, changes: None if changes else self._on_live(uid))
        pane.seen.connect(self._look)

    def version(self, widget: Widget) -> str:
        """Return a text that changes when a card has to show different content."""
        if widget.type in ("note", "library"):
            return widget.type
        if not widget.backend:
            path = Path(widget.path)
            return f"{path.stat().st_mtime_ns if path.is_file() else 'gone'}"
        state = self._live.state(widget.uuid)
        if state.at is None:
            return f"{state.run is not None} {state.error}"
        return f"{widget.type} {state.at}"

    def fill(self, widget: Widget) -> None:
        """Show the current content of a widget."""
        state = self._live.state(widget.uuid) if widget.backend else None
        if state is None or (state.at is not None and widget.type != "table"):
            self._do(f"content {widget.uuid}", self._show(widget))
        elif state.error is not None and state.run is None:
            self._pane.show_body(widget.uuid, self.problem(widget, state.error), "")
        elif state.run is None and self._waits(widget):
            told = QLabel(tr("Press Run to load this."))
            told.setObjectName("muted")
            told.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self._pane.show_body(widget.uuid, told, "")
        else:
            self._pane.show_body(widget.uuid, ReadingNotice(widget.name), "")

    def equip(self, widget: Widget) -> None:
        """Update the fields, the refresh button and the state of a backend's card."""
        card = self._pane.cards[widget.uuid]
        if widget.backend or self._widgets.sources.copy_of(widget.uuid) is not None:
            card.bar.offer_refresh()
        if not widget.backend:
            return
        try:
            spec = self._live.spec(widget.uuid)
        except DeskpilotError as error:
            card.set_params(None)
            card.bar.tell_stale(tr("No backend"), told(error))
            return
        values = widget.values | {
            name: value
            for name, value in self._live.values(widget.uuid).items()
            if any(p.name == name and p.kind == "date" for p in spec.params)
        }
        shown = [p for p in spec.params if p.show and p.kind != "button"]
        if isinstance(card.params, ParamBar) and card.params.params == shown:
            card.params.set_values(values)
        elif shown or spec.run_button:
            card.set_params(self._bar(widget.uuid, shown, values, run=spec.run_button))
        if isinstance(card.params, ParamBar):
            self._shared.mark(widget.uuid, card.params)
        self._mark(widget)
        card.bar.setToolTip(about(spec, self.caption(widget)))

    def another(self, widget: Widget) -> QWidget | None:
        """Return a second body with the content of a card, for a larger window.

        Return None if the card shows a table or has no content.
        """
        content = self._contents.get(widget.uuid)
        return (
            self._body(content, widget) if content is not None and widget.type != "table" else None
        )

    def forget(self, uid: str) -> None:
        """Forget the content of a card that was removed."""
        self._contents.pop(uid, None)

    def show_quotes(self, uid: str, quotes: list[list[QuoteBox]]) -> bool:
        """Highlight quotes on the pages of a PDF widget; return whether it has such pages."""
        boxes = [box for quote in quotes for box in quote]
        if any(box.page == 0 for box in boxes):  # because some sources count pages from 0
            boxes = [replace(box, page=box.page + 1) for box in boxes]
        card = self._pane.cards.get(uid)
        if card is None or not isinstance(card.body, QuotableBody):
            return False
        self._pane.show_card(uid)
        return bool(card.body.show_quotes(boxes))

    def show_passage(self, uid: str, page: int, quote: str, boxes: list[QuoteBox]) -> None:
        """Scroll to a page of a document and highlight a quote, once the document is shown."""
        self._pane.show_card(uid)
        card = self._pane.cards.get(uid)
        body = card.body if card is not None else None
        if isinstance(body, QuotableBody):
            if not body.show_quotes(boxes or [QuoteBox(page, *NOWHERE)]):
                return
        elif isinstance(body, MarkableBody):
            body.mark(page, quote)
        else:
            self._awaited[uid] = (page, quote, boxes)

    def caption(self, widget: Widget) -> str:
        """Return a caption that says when a widget's data was loaded."""
        at = self._live.state(widget.uuid).at if widget.backend else None
        if self._widgets.sources.copy_of(widget.uuid) is not None:
            at = self._widgets.sources.source(widget.uuid).stamp[1] / 1e9
        if at is None:
            return ""
        heard = self._live.streams.state(widget.uuid) if widget.backend else None
        if heard is not None and heard.heard and heard.error is None:
            return "live"
        form = "%H:%M" if time.time() - at < 20 * 3600 else "%Y-%m-%d %H:%M"
        return time.strftime(form, time.localtime(at))

    def problem(self, widget: Widget, error: DeskpilotError) -> Problem:
        """Return the error message for a widget that has nothing else to show."""
        origin = error.origin if isinstance(error, BackendElsewhere) and widget.backend else ""
        made = Problem(widget.name, told(error), origin)
        made.allow.clicked.connect(lambda: self._pane.allowed.emit(widget.uuid, origin))
        made.retry.clicked.connect(lambda: self._pane.retried.emit(widget.uuid))
        return made

    def _waits(self, widget: Widget) -> bool:
        try:
            return self._live.spec(widget.uuid).run_button
        except DeskpilotError:
            return False

    def _mark(self, widget: Widget) -> None:
        bar, state = self._pane.cards[widget.uuid].bar, self._live.state(widget.uuid)
        bar.refresh.setEnabled(state.run is None)
        if state.run is not None:
            bar.tell_stale("", "")
        elif state.error is not None and state.at is not None:
            bar.tell_stale(tr("Not refreshed"), said(str(state.error)))
        elif (heard := self._live.streams.state(widget.uuid)) is not None:
            bar.tell_stale(tr("Not live") if heard.error else "", said(str(heard.error or "")))
        elif self._live.is_stale(widget.uuid):
            bar.tell_stale(
                tr("Old"), tr("Loaded at {caption}. Refresh", caption=self.caption(widget))
            )
        else:
            bar.tell_stale("", "")

    def _bar(self, uid: str, params: list[Param], values: dict[str, Any], *, run: bool) -> ParamBar:
        bar = ParamBar(params, values, run=run)
        bar.changed.connect(
            lambda name, value: self._do(
                f"set {uid} {name}", self._live.set_value(uid, name, value)
            )
        )
        bar.options_wanted.connect(
            lambda name: self._do(f"options {uid} {name}", self._read_options(uid, name, bar))
        )
        bar.menu_wanted.connect(lambda name, menu: self._shared.offer(uid, name, menu))
        bar.run_wanted.connect(lambda: self._live.fetch(uid))
        bar.submitted.connect(
            lambda param, sent, form: self._do(f"form {uid}", self._submit(uid, param, sent, form))
        )
        return bar

    async def _submit(self, uid: str, param: Param, sent: dict[str, Any], form: Form) -> None:
        try:
            await self._live.submit(uid, param, sent)
        except DeskpilotError as error:
            if shiboken6.isValid(form):
                form.fail(told(error))
            return
        if shiboken6.isValid(form):
            form.accept()

    async def _read_options(self, uid: str, name: str, bar: ParamBar) -> None:
        try:
            options = await self._live.options(uid, name)
        except DeskpilotError as error:
            if self._pane.cards.get(uid) and self._pane.cards[uid].params is bar:
                bar.fail(name, told(error))
            return
        if self._pane.cards.get(uid) and self._pane.cards[uid].params is bar:
            bar.set_options(name, options)

    async def _show(self, widget: Widget) -> None:
        uid = widget.uuid
        if widget.type == "library":
            self._show_library(widget)
            return
        try:
            content = await self._content(widget)
            held = await asyncio.to_thread(left_out, content.type, content.value)
            if uid not in self._pane.cards:
                return
            if self._contents.get(uid) == content:
                self._pane.cards[uid].bar.caption.setText(self.caption(widget))
                self._tell_left_out(uid, in_words(held, tr))
                return
            body = self._body(content, widget)
        except DeskpilotError as error:
            self._contents.pop(uid, None)
            if uid in self._pane.cards:
                self._pane.show_body(uid, self.problem(widget, error), "")
            return
        self._contents[uid] = content
        if isinstance(body, NoteBody):
            body.written.connect(lambda text: self._do(f"note {uid}", self._keep_note(uid, text)))
        self._pane.show_body(uid, body, self.caption(widget))
        self._tell_left_out(uid, in_words(held, tr))
        if uid in self._awaited:
            self.show_passage(uid, *self._awaited.pop(uid))

    async def _content(self, widget: Widget) -> Content:
        """Return the content of a widget.

        Raises: DeskpilotError.
        """
        if widget.type != "document":
            return await asyncio.to_thread(read_document, widget)
        return Content("document", await self._documents.pages(Path(widget.path)))

    def _show_library(self, widget: Widget) -> None:
        """Show the documents of a library, with a field to search them."""
        from app.ui.documents.libraries import LibraryPanel
        from app.ui.documents.panel import DocumentsPanel

        if widget.uuid not in self._pane.cards:
            return
        panel = DocumentsPanel()
        panel.setContentsMargins(12, 8, 12, 8)
        panel.opened.connect(self.passage_wanted)
        panel.asked.connect(self.asking_wanted)
        LibraryPanel(panel, self._documents, self._do).show(widget.text, widget.path)
        self._pane.show_body(widget.uuid, panel, "")

    def _tell_left_out(self, uid: str, words: str) -> None:
        """Show which active content was removed."""
        caption = self._pane.cards[uid].bar.caption
        if words:
            told = tr("left out: {words}", words=words)
            caption.setText(" · ".join(part for part in (told, caption.text()) if part))

    def _body(self, content: Content, widget: Widget) -> QWidget:
        body = body_of(content, widget.name)
        for name, slot in (("linked", self.linked.emit), ("outside_wanted", self._open_outside)):
            if hasattr(body, name):
                getattr(body, name).connect(slot)
        return body

    async def _keep_note(self, uid: str, text: str) -> None:
        if uid in self._widgets:
            await self._widgets.change(replace(self._widgets.get(uid), text=text))

    def _open_outside(self, text: str) -> None:
        self._do("open outside", self._write_outside(text))

    async def _write_outside(self, text: str) -> None:
        path = await asyncio.to_thread(self._live.write_outside, text)
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

    def _look(self) -> None:
        """Mark data that is out of date."""
        for uid in self._pane.cards:
            if uid in self._widgets:
                self.equip(self._widgets.get(uid))

    def _on_live(self, uid: str) -> None:
        if uid in self._pane.cards and uid in self._widgets:
            self.equip(self._widgets.get(uid))
            self.changed.emit()


def about(spec: Spec, at: str) -> str:
    """Return the tooltip of a widget's name: the backend's description and when the data was
    loaded.
    """
    told = [
        spec.description,
        tr("Source: {source}", source=spec.source) if spec.source else "",
        tr("Category: {category}", category=spec.category) if spec.category else "",
        tr("Loaded: {at}", at=at) if at else "",
    ]
    return plain_tip("\n".join(part for part in told if part))
