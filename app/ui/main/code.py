"""Code in the conversation: asking before it runs, highlighting the running line, and showing the
pages it produces.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QHBoxLayout, QMessageBox

from app.domain.events import CallResult, Ended
from app.domain.stream import Chunk, Message
from app.services.functions.dashboards import widget_of
from app.ui.controls import message_boxes
from app.ui.markdown.code import pages_in
from app.ui.theme.i18n import said, tr

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.domain.events import Item
    from app.services.consents import Consent, Consents
    from app.services.conversation.turns import Turns
    from app.services.dashboard.live import Live
    from app.services.dashboard.tiles import Dashboard
    from app.services.dashboard.widgets import Widgets
    from app.services.tasks import Do
    from app.ui.chat.code import CodeCard
    from app.ui.controls.actions import OpenPage
    from app.ui.main.window import MainWindow


YES, NO = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No


def in_words(question: str) -> str:
    """Return a question in the user's language; the values in it are not translated."""
    first, *lines = question.split("\n")
    return "\n".join([said(first), *(line if ": " in line else said(line) for line in lines)])


class ConsentQuestions(QObject):
    """Asks for consent in the window; closing a box counts as a refusal."""

    def __init__(self, window: MainWindow, consents: Consents) -> None:
        super().__init__(window)
        self._parent, self._consents = window, consents
        self._box: QMessageBox | None = None
        self.end = consents.subscribe(self._on_consent)

    @cached_property
    def card(self) -> CodeCard:
        """Return the card that shows code, created when code first asks for consent."""
        from app.ui.chat.code import CodeCard

        card, row = CodeCard(self._parent.chat), QHBoxLayout()
        row.addStretch(1)
        row.addWidget(card, 100)
        row.addStretch(1)
        self._parent.column.insertLayout(self._parent.column.count() - 1, row)
        card.answered.connect(self._on_answered)
        return card

    def _on_consent(self, consent: Consent | None) -> None:
        box, self._box = self._box, None
        if box is not None:
            box.close()
        if "card" in self.__dict__:
            self.card.hide()
        if consent is not None and consent.code is not None:
            self.card.set_tokens(self._parent.tokens)
            self.card.ask(consent)
        elif consent is not None:
            self._box = message_boxes.opened(self._parent, in_words(consent.question), YES | NO)
            # because it may quote text written by a copilot
            self._box.setTextFormat(Qt.TextFormat.PlainText)
            self._box.setDefaultButton(NO)
            if consent.sends:
                message_boxes.show_whole(self._box, consent.sends)
            self._box.finished.connect(self._on_finished)

    def _on_answered(self, allowed: bool, code: str, always: bool) -> None:
        self._consents.answer(allowed, code=code, always=always)

    def _on_finished(self, pressed: int) -> None:
        if self._box is not None:
            self._box = None
            self._consents.answer(pressed == YES.value)


class CodeView(QObject):
    """Shows which line of code is running."""

    def __init__(
        self,
        window: MainWindow,
        turns: Turns,
        widgets: Widgets,
        dashboard: Dashboard,
        live: Live,
        do: Do,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._widgets = widgets
        self._dashboard = dashboard
        self._live = live
        self._do = do
        turns.subscribe(self._on_item)

    def _on_item(self, turn: Turn, item: Item) -> None:
        """Highlight the line that is running; remove the highlight when the code has finished."""
        if isinstance(item, Chunk) and item.format == "active_line":
            number = str(item.content or "")
            self._window.view.mark_line(turn, int(number) if number.isdigit() else None)
        elif isinstance(item, CallResult | Ended):
            self._window.view.mark_line(None, None)

    def show_page(self, turn: Turn, page: OpenPage) -> None:
        """Show, on the dashboard, a page produced by code or contained in an answer."""
        self._do(f"show {turn.id} {page.href}", self._show(turn, page))

    async def _show(self, turn: Turn, page: OpenPage) -> None:
        item = turn.items[page.item] if page.item < len(turn.items) else None
        if not isinstance(item, Message):
            return
        content = item.content
        if page.number is not None:
            content = pages_in(str(content))[page.number]
        told = {"widget_type": "html", "name": tr("Page"), "data": content}
        made = await widget_of(told, self._live.folder)
        self._dashboard.send_to(made.uuid, self._dashboard.current)
        await self._widgets.add(made)
        self._window.dashboard.show()
        self._window.dashboard.show_card(made.uuid)
