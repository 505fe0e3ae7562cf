"""The window: it builds and places the three panes, and keeps its size and position for the next
start.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, cast

from PySide6 import QtCore
from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from app.ui.composer.composer import Composer
from app.ui.controls.drops import copied
from app.ui.main.sidebar import Sidebar
from app.ui.main.topbar import TopBar
from app.ui.theme.i18n import mark, tr
from app.ui.theme.tokens import COLUMN, DASHBOARD, LIGHT, Tokens
from backends.paths import window_file

if TYPE_CHECKING:
    from PySide6.QtCore import QTimer
    from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeyEvent, QResizeEvent

    from app.ui.chat.find_bar import FindBar
    from app.ui.chat.view import ConversationView
    from app.ui.composer.composer import EarlyWords
    from app.ui.dashboard.pane import DashboardPane
    from app.ui.models.offer_card import StarterCard


# delay after resizing, in milliseconds; minimum dashboard width, in pixels
SETTLED_MS, LEAST = 400, 260
# in pixels: minimum width of an example; space beside its text
EXAMPLE_LEAST, EXAMPLE_EDGES = 160, 22
LOADING_MS = 200  # milliseconds: loading a chat is reported only if it takes longer than this
NARROW, NARROWEST = (
    1000,
    760,
)  # in pixels: below the first width, only one pane fits beside the chat; the second is the minimum
FRAME = 40  # height in pixels reserved for the title bar, which the system draws outside the window
EXAMPLES = (
    mark("What was the unemployment rate in the third quarter of 2009?"),
    mark("In which year was average inflation highest?"),
    mark("Show real GDP over time since 1990"),
)
HERE = mark("Questions are answered on this machine.")
OFFLINE = mark("Offline: every connection to another machine is refused.")
WITH_SAMPLE = mark("Try one of these with the sample table:")
WITH_OWN = mark("Ask about what is attached below.")
WITH_PLACED = mark("Ask about the tables on the dashboard.")
WITH_NOTHING = mark("Attach a file below to ask about it.")
READY, ALMOST = mark("Ready. Ask something."), mark("Almost ready")
LOADING = mark("Loading chats …")


def local_files(event: QDropEvent) -> list[str]:
    """Return the paths of those dragged files that are on this machine."""
    return [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]


class MainWindow(QMainWindow):
    """The main window: sidebar, chat and dashboard below a bar.

    Signals: dashboard_sized(width in pixels) when the user resizes it, palette_wanted(),
    leave_wanted() to close the window for good, replayed(question, note, workflow, result) when a
    library workflow has run, passage_wanted(path, page, quote) to open a document,
    asking_wanted(path, words) to ask a question about a document.
    """

    dashboard_sized = Signal(int)
    palette_wanted = Signal()
    leave_wanted = Signal()
    replayed = Signal(str, str, object, object)
    passage_wanted = Signal(str, int, str)
    asking_wanted = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle("Deskpilot")
        self.setAcceptDrops(True)
        self.resize(1360, 850)
        self.tokens: Tokens = LIGHT
        self.topbar, self.sidebar = TopBar(self), Sidebar(self)
        self.composer, self._room = Composer(self), QWidget(self)
        self.welcome = Welcome(self)
        self.early: EarlyWords | None = None  # set while the window is starting
        self._starters: StarterCard | None = None
        self.split = QSplitter()
        self.split.setHandleWidth(1)
        self.split.setChildrenCollapsible(False)
        self.chat = QWidget()
        self.chat.setObjectName("chat")
        self.split.addWidget(
            self.chat
        )  # added while empty; otherwise, its contents would be measured again once they are styled
        self.split.addWidget(self._room)
        self.split.setStretchFactor(0, 1)
        self.split.setSizes([10_000, DASHBOARD])
        self._room.setMinimumWidth(LEAST)
        self.split.splitterMoved.connect(lambda: self._sized.start())
        self._fill_chat()
        panes = QHBoxLayout()
        panes.setSpacing(0)
        panes.addWidget(self.sidebar)
        panes.addWidget(self.split, 1)
        body = QWidget(self)
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.topbar)
        column.addLayout(panes, 1)
        self.setCentralWidget(body)
        self.setMinimumWidth(NARROWEST)
        self._narrow, self._gave_way = (
            False,
            False,
        )  # whether the dashboard was closed for lack of space
        self.sidebar.installEventFilter(self)
        self.topbar.sidebar_wanted.connect(lambda: self.sidebar.setVisible(self.sidebar.isHidden()))
        self.topbar.dashboard_wanted.connect(
            lambda: self.dashboard.setVisible(self.dashboard.isHidden())
        )
        self.composer.begin()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Close the dashboard if there is no space for it beside the chat, and reopen it when there
        is space.
        """
        super().resizeEvent(event)
        was, self._narrow = self._narrow, self.width() < NARROW
        beside = cast(
            "QWidget", self.split.widget(1)
        )  # the dashboard, or the empty space reserved for it
        if self._narrow and not was and not self.sidebar.isHidden() and not beside.isHidden():
            beside.hide()
            self._gave_way = True
        elif was and not self._narrow and self._gave_way:
            beside.show()
            self._gave_way = False

    def eventFilter(self, watched: QtCore.QObject, event: QtCore.QEvent) -> bool:
        """Close the other pane if there is space for only one pane."""
        if event.type() == QtCore.QEvent.Type.ShowToParent and self._narrow:
            beside = cast("QWidget", self.split.widget(1))
            if watched is not self.sidebar:
                self.sidebar.hide()
                self._gave_way = False
            elif not beside.isHidden():
                beside.hide()
                self._gave_way = True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pass to the composer any keys that no other widget has used."""
        editor, text = self.composer.editor, event.text()
        control = (
            QtCore.Qt.KeyboardModifier.ControlModifier | QtCore.Qt.KeyboardModifier.AltModifier
        )
        meta = QtCore.Qt.KeyboardModifier.MetaModifier
        plain = text.strip() and text.isprintable() and not event.modifiers() & (control | meta)
        if plain and not editor.isReadOnly():
            editor.setFocus()
            editor.insertPlainText(text)
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files wherever they are dropped; the dashboard handles files dropped on it."""
        if local_files(event):
            copied(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Attach dropped files, as the text field does."""
        copied(event)
        self.activateWindow()
        self.composer.editor.setFocus()
        self.composer.files.emit(local_files(event))

    def fit(self, room: QtCore.QRect) -> None:
        """Limit the window to the screen, so that the text field is visible. room: the available
        area of the screen.
        """
        if self.isMaximized() or self.isFullScreen():
            return  # the system determines the size
        size = self.size().boundedTo(QtCore.QSize(room.width(), room.height() - FRAME))
        if size != self.size():
            self.resize(size)
            self.move(room.topLeft())

    @cached_property
    def dashboard(self) -> DashboardPane:
        """Return the dashboard pane, which is created when it is first needed.

        That happens after the first paint; until then, its space is empty.
        """
        from app.ui.dashboard.pane import DashboardPane

        pane, sizes = DashboardPane(), self.split.sizes()
        pane.setMinimumWidth(LEAST)
        pane.set_tokens(self.tokens)
        pane.composed.connect(self._compose)
        hidden = self._room.isHidden()
        self.split.replaceWidget(1, pane)
        pane.setHidden(hidden)
        pane.installEventFilter(self)
        self._room.deleteLater()
        self.split.setSizes([10_000, DASHBOARD] if hidden else sizes)
        return pane

    @cached_property
    def _sized(self) -> QTimer:
        from PySide6.QtCore import QTimer

        sized = QTimer(self, singleShot=True, interval=SETTLED_MS)
        sized.timeout.connect(lambda: self.dashboard_sized.emit(self.dashboard.width()))
        return sized

    @cached_property
    def view(self) -> ConversationView:
        """Return the conversation view, which is created when it is first needed, after the first
        paint.
        """
        from app.ui.chat.view import ConversationView

        view = ConversationView(self)
        view.set_tokens(self.tokens)
        self.pages.addWidget(view)
        return view

    def _compose(self, text: str) -> None:
        """Put text from a widget into the text field, where the user can read it before sending."""
        self.composer.take_back([text])
        self.composer.editor.setFocus()

    @cached_property
    def finder(self) -> FindBar:
        """Return the find bar, which is created when it is first needed."""
        from app.ui.chat.find_bar import FindBar

        bar = FindBar(self.chat)
        bar.set_tokens(self.tokens)
        self.column.insertWidget(0, bar)
        return bar

    def _fill_chat(self) -> None:
        stack = QWidget(self.chat)
        self.pages = QStackedLayout(stack)
        self.pages.addWidget(self.welcome)
        self.composer.setMaximumWidth(COLUMN + 40)
        self.column = column = QVBoxLayout(self.chat)
        column.setContentsMargins(16, 0, 16, 18)
        column.setSpacing(8)
        column.addWidget(stack, 1)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.composer, 100)
        row.addStretch(1)
        column.addLayout(row)

    @cached_property
    def temporary(self) -> QLabel:
        """Return the line above a temporary chat."""
        line = QLabel(tr("Temporary chat: it isn't saved and ends when you leave it."), self.chat)
        line.setObjectName("caption")
        line.setAlignment(QtCore.Qt.AlignmentFlag.AlignCenter)
        line.setContentsMargins(0, 10, 0, 0)
        self.column.insertWidget(1 if "finder" in self.__dict__ else 0, line)
        return line

    def set_dashboard_width(self, width: int | None) -> None:
        """Set the width of the dashboard, limited by the available space; None keeps the width."""
        if width is not None:
            room = sum(self.split.sizes())
            self.split.setSizes([max(room - width, 1), min(width, room)])

    def show_conversation(self, empty: bool) -> None:
        """Show the conversation, or the welcome page if it is empty."""
        self.welcome.loaded()
        self.pages.setCurrentWidget(self.welcome if empty else self.view)
        self._place_starters()

    def show_loading(self, title: str) -> None:
        """Show that a conversation is being loaded, and hide the previous one."""
        self.pages.setCurrentWidget(self.welcome)
        self.welcome.load(title)

    def set_starters(self, card: StarterCard | None) -> None:
        """Show the card for downloading missing starter models, on the welcome page or above the
        text field.

        card: None removes it.
        """
        if card is None and self._starters is not None:
            held = self._starters.isAncestorOf(self.focusWidget() or self)
            self._starters.hide()
            self._starters.deleteLater()
            if held:  # otherwise, the focus would move to the next widget
                self.composer.editor.setFocus()
        self._starters = card
        self.welcome.set_ready(card is None)
        self._place_starters()

    def _place_starters(self) -> None:
        if self._starters is None:
            return
        if self.pages.currentWidget() is self.welcome:
            self.welcome.add_below(self._starters)
        else:
            self.dock(self._starters)
        self._starters.show()

    def dock(self, part: QWidget) -> None:
        """Show a widget directly above the text field."""
        middle = QtCore.Qt.AlignmentFlag.AlignHCenter
        self.column.removeWidget(part)  # if it were still in the column, count() would include it
        self.column.insertWidget(self.column.count() - 1, part, 0, middle)

    def set_temporary(self, temporary: bool) -> None:
        """Show whether this conversation is temporary."""
        if temporary or "temporary" in self.__dict__:
            self.temporary.setVisible(temporary)

    def set_host(self, host: str) -> None:
        """Show which machine receives questions; an empty text stands for this machine."""
        self.topbar.set_host(host)
        self.welcome.set_host(host)

    def set_offline(self, offline: bool) -> None:
        """Show whether connections to other machines are refused."""
        self.topbar.set_offline(offline)
        self.welcome.set_offline(offline)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme to every part of the window."""
        self.tokens = tokens
        for part in (self.topbar, self.sidebar, self.composer, self.dashboard):
            part.set_tokens(tokens)
        if "finder" in self.__dict__:
            self.finder.set_tokens(tokens)
        if "view" in self.__dict__:
            self.view.set_tokens(tokens)


class ExampleButton(QPushButton):
    """A button with an example question, which is sent when the button is pressed; the text is
    shortened if the chat is narrow.
    """

    def __init__(self, question: str, parent: QWidget) -> None:
        self.question = question
        super().__init__(question, parent)
        self.setAccessibleName(question)
        self.setMinimumWidth(EXAMPLE_LEAST)  # so that its text does not force the window to be wide

    def sizeHint(self) -> QtCore.QSize:
        """Return a size with room for the whole question."""
        wide = self.fontMetrics().horizontalAdvance(self.question) + EXAMPLE_EDGES
        return QtCore.QSize(wide, super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the question to the available space."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QtCore.QEvent) -> None:
        """Shorten the question again when the text size changes."""
        super().changeEvent(event)
        if self.isVisible():
            self._fit()

    def _fit(self) -> None:
        measured, room, shown = self.fontMetrics(), self.width() - EXAMPLE_EDGES, self.question
        if measured.horizontalAdvance(shown) > room:
            right = QtCore.Qt.TextElideMode.ElideRight  # normally loaded after the first paint
            shown = measured.elidedText(shown, right, room)
        if shown != self.text():
            self.setText(shown)
            self.setToolTip("" if shown == self.question else self.question)


class Welcome(QWidget):
    """The page shown before the first question. examples: buttons that each send a question."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = head = QLabel(tr(READY), self)
        head.setObjectName("welcome")
        self._ready = self._restored = True
        self._loading: str | None = None  # title of the chat being loaded
        self._takes_long = False  # whether loading takes long enough to be reported
        self._about = WITH_SAMPLE  # the data that the user can ask about
        self._what, self._host, self._offline = tr(WITH_SAMPLE), "", False
        self.told = QLabel(self._what, self)  # it is not yet known where questions are sent
        self.told.setObjectName("muted")
        self.told.setWordWrap(True)
        self.examples = [ExampleButton(tr(text), parent=self) for text in EXAMPLES]
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addStretch(2)
        for part in (head, self.told, *self.examples):
            row = QHBoxLayout()
            if part is not self.told:
                row.addStretch(1)
            row.addWidget(part)
            if part is not self.told:
                row.addStretch(1)
            column.addLayout(row)
        column.addStretch(3)

    def add_below(self, part: QWidget) -> None:
        """Show a widget below the examples."""
        column = cast("QVBoxLayout", self.layout())
        column.insertWidget(
            column.count() - 1, part, alignment=QtCore.Qt.AlignmentFlag.AlignHCenter
        )

    def set_context(self, *, sample: bool, own: bool, placed: bool) -> None:
        """Show what the user can ask about; offer the examples only while nothing but the sample
        table is attached.

        sample, own: whether the sample table, and other tables, are attached. placed: whether any
        table is on a dashboard, attached or not.
        """
        if own:
            self._about = WITH_OWN
        elif sample:
            self._about = WITH_SAMPLE
        else:
            self._about = WITH_PLACED if placed else WITH_NOTHING
        self._offer_examples()

    def expect(self, *, models: bool, chats: bool) -> None:
        """Show, before the first paint, what is still to be loaded or downloaded.

        models: whether models seem to be missing. chats: whether chats have to be loaded.
        `set_ready` and `restored` update this later.
        """
        self._ready, self._restored = not models, not chats
        self.head.setText(tr(LOADING if chats else ALMOST))
        self.told.setText("")
        for button in self.examples:
            button.hide()

    def restored(self) -> None:
        """Show that the last session has been restored."""
        self._restored = True
        self.set_ready(self._ready)

    def load(self, title: str) -> None:
        """Show that a chat is being loaded, unless this takes only a moment."""
        self._loading, self._takes_long = title, False
        self.set_ready(self._ready)
        QtCore.QTimer.singleShot(LOADING_MS, self, self._tell_loading)

    def loaded(self) -> None:
        """Stop showing that a chat is being loaded."""
        if self._loading is not None:
            self._loading = None
            self.set_ready(self._ready)

    def _tell_loading(self) -> None:
        self._takes_long = True
        self.set_ready(self._ready)

    def _title(self, title: str) -> str:
        """Return as much of a title as fits on the page."""
        right, room = QtCore.Qt.TextElideMode.ElideRight, self.width() - 2 * FRAME
        self.head.ensurePolished()
        return self.head.fontMetrics().elidedText(title, right, room)

    def set_ready(self, ready: bool) -> None:
        """Show whether the models that answer questions are present."""
        self._ready = ready
        head = tr((READY if ready else ALMOST) if self._restored else LOADING)
        if self._loading is not None:
            head = self._title(self._loading) if self._takes_long else ""
        self.head.setText(head)
        self._offer_examples()

    def _offer_examples(self) -> None:
        able = self._ready and self._restored and self._loading is None
        self._what = tr(self._about) if able else ""
        self._tell()
        for button in self.examples:
            button.setVisible(self._about == WITH_SAMPLE and able)

    def set_host(self, host: str) -> None:
        """Show which machine receives questions and attached tables; an empty text stands for this
        machine.
        """
        self._host = host
        self._tell()

    def set_offline(self, offline: bool) -> None:
        """Show whether connections to other machines are refused."""
        self._offline = offline
        self._tell()

    def _tell(self) -> None:
        from backends.sentences import joined  # must not be loaded before the first paint

        where = tr(HERE)
        if self._offline:
            where = tr(OFFLINE)
        elif self._host:
            where = tr("Questions and attachments go to {host}.", host=self._host)
        self.told.setTextFormat(QtCore.Qt.TextFormat.PlainText)
        told = joined(where, self._what) if self._what else where
        if self._loading is not None:
            told = tr("Loading …") if self._takes_long else ""
        self.told.setText(told)


def restore_place(window: QWidget) -> None:
    """Give a window the size and position it had when it was last closed."""
    try:
        kept = window_file().read_bytes()
    except OSError:  # there is no file on the first start
        return
    window.restoreGeometry(kept)


def keep_place(window: QWidget) -> None:
    """Save the size and position of a window for the next start."""
    with suppress(OSError):  # if the disk is full, the window will open at its earlier position
        window_file().write_bytes(window.saveGeometry().data())
