"""The attachments above the text field: chips, the list shown for many attachments, and missing
files.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.controls.fields import FlowLayout
from app.ui.controls.keys import keeps_escape
from app.ui.controls.labels import ElidedLabel
from app.ui.theme.i18n import tr
from app.ui.theme.style import scaled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.domain.dashboard import Widget
    from app.services.conversation.attachments import MissingAttachment
    from app.services.dashboard.widgets import Arrival
    from app.ui.theme.tokens import Tokens


# maximum number of chips of one kind; if there are more, one chip represents them all
MOST_CHIPS = 6


class Chips(QObject):
    """The attachment chips, on as many lines as they need.

    Signals: detached(uuid) when a chip is clicked; link_wanted(address) when the chip of a web page
    is clicked; chosen({uuid: attached}) when entries in the list are selected; stopped(arrival)
    when the chip of a file being read is clicked.
    """

    chosen = Signal(object)
    detached = Signal(str)
    link_wanted = Signal(str)
    stopped = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.row = FlowLayout()
        self._widgets: list[Widget] = []
        self._counts: dict[str, int] = {}
        self._costs: dict[str, int] = {}
        self._links: list[str] = []
        self._arriving: list[Arrival] = []

    def show(self, widgets: list[Widget], counts: dict[str, int]) -> None:
        """Show the attached widgets. counts: the number of rows of each table."""
        self._widgets, self._counts = widgets, counts
        self._fill()

    def show_costs(self, costs: dict[str, int]) -> None:
        """Show how many tokens each widget costs. costs: the number of tokens by uuid."""
        if costs != self._costs:
            self._costs = costs
            self._fill()

    def show_arriving(self, arriving: list[Arrival]) -> None:
        """Show the files that are being read."""
        if arriving != self._arriving:
            self._arriving = list(arriving)
            self._fill()

    def show_links(self, urls: list[str]) -> None:
        """Offer web pages as attachments; a page is fetched only when its chip is clicked."""
        if urls != self._links:
            self._links = urls
            self._fill()

    def _fill(self) -> None:
        while (item := self.row.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        tables = [w for w in self._widgets if w.type == "table"]
        others = [w for w in self._widgets if w.type != "table"]
        for several in (tables, others):
            if len(several) > MOST_CHIPS:
                self.row.addWidget(self._bundle(several, tables=several is tables))
            else:
                for widget in several:
                    self.row.addWidget(self._chip(widget))
        for arrival in self._arriving:
            self.row.addWidget(self._reading(arrival))
        for url in self._links:
            self.row.addWidget(self._offer(url))
        self.row.invalidate()

    def _bundle(self, widgets: list[Widget], *, tables: bool) -> QPushButton:
        """Return a chip that represents many widgets of one kind and opens a list of them."""
        count = len(widgets)
        text = tr("%n tables", "", count) if tables else tr("%n documents", "", count)
        costs = [self._costs[w.uuid] for w in widgets if w.uuid in self._costs]
        tokens = " · " + tr("~{cost} tokens", cost=shown(sum(costs))) if costs else ""
        chip = QPushButton(f"{text}{tokens}  ▾", self._parent)
        chip.setObjectName("chip")
        chip.setAccessibleName(text + tokens)
        chip.setToolTip(tr("Show them, and choose which to attach to your questions"))
        chip.clicked.connect(lambda: self._open_list(chip, widgets))
        return chip

    def _open_list(self, chip: QPushButton, widgets: list[Widget]) -> None:

        several = SeveralAttached(widgets, self._parent)
        several.chosen.connect(self.chosen)
        several.open_above(chip)

    def _reading(self, arrival: Arrival) -> QPushButton:
        """Return the chip of a file that is being read; clicking the chip stops the reading."""
        name = arrival.file.name
        chip = ReadingChip(tr("{name}, reading …", name=cut(name)), self._parent)
        chip.setAccessibleName(tr("Stop reading {name}", name=name))
        chip.setToolTip(tr("Questions wait until the file is read. Press to stop."))
        chip.clicked.connect(lambda: self.stopped.emit(arrival))
        return chip

    def _offer(self, url: str) -> QPushButton:
        host = urlsplit(url).netloc
        chip = QPushButton(tr("+ Fetch {host}", host=cut(host)).replace("&", "&&"), self._parent)
        chip.setObjectName("offer")
        chip.setAccessibleName(tr("Fetch {url} and add it to the context", url=url))
        told = tr("Download this page from {host} and attach it to questions.", host=host)
        chip.setToolTip(f"{url}\n{told}")
        chip.clicked.connect(lambda: self.link_wanted.emit(url))
        return chip

    def _chip(self, widget: Widget) -> QPushButton:
        rows, cost = self._counts.get(widget.uuid), self._costs.get(widget.uuid)
        size = "" if rows is None else " · " + tr("%n rows", "", rows)
        tokens = " · " + tr("~{cost} tokens", cost=shown(cost)) if cost is not None else ""
        chip = QPushButton(f"{cut(widget.name)}{size}{tokens}  ×".replace("&", "&&"), self._parent)
        chip.setObjectName("chip")
        chip.setAccessibleName(tr("Remove {name} from the context", name=widget.name) + tokens)
        told = [tr("Remove from the context")]
        if cost is not None:
            reads = tr("About %n tokens for a copilot that reads all of it.", "", cost)
            means = tr(
                "A token is a short piece of a word; a model can hold only a limited number."
            )
            told[:0] = [reads, means]
        told[:0] = [tr("This is attached to your questions, so copilots can read it.")]
        chip.setToolTip("\n".join(told))
        chip.setAccessibleDescription(" ".join(told[:-1]))
        chip.clicked.connect(lambda _=False, uid=widget.uuid: self.detached.emit(uid))
        return chip


class ReadingChip(QPushButton):
    """A chip with a progress bar along its bottom edge, which is animated while the chip is
    shown.
    """

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(f"{text}  ×".replace("&", "&&"), parent)
        self.setObjectName("chip")
        bar = QProgressBar(self)
        bar.setRange(0, 0)
        bar.setTextVisible(False)
        bar.setFixedHeight(3)
        bar.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 0, 8, 1)
        column.addStretch(1)
        column.addWidget(bar)


def cut(name: str) -> str:
    """Shorten a name to fit on a chip."""
    return name if len(name) <= 32 else f"{name[:31]}…"


def shown(tokens: int) -> str:
    """Return a number of tokens, rounded to two digits, as text: 80, 850, 1.4k, 12k."""
    if tokens < 1000:
        return str(tokens if tokens < 100 else round(tokens, -1))
    return f"{tokens / 1000:.1f}k" if tokens < 10_000 else f"{tokens / 1000:.0f}k"


WIDE, HIGH, ROW = 300, 320, 34  # pixels
UUID = Qt.ItemDataRole.UserRole


class SeveralAttached(QFrame):
    """A list of attachments to select or clear.

    Signals: chosen({uuid: attached}) for the entries that the user changed.
    """

    chosen = Signal(object)

    def __init__(self, widgets: list[Widget], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("Attached to your questions"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        for widget in widgets:
            item = QListWidgetItem(widget.name, self.list)
            item.setToolTip(widget.name)
            item.setData(UUID, widget.uuid)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked)
        self.list.setCurrentRow(0)
        self.list.itemChanged.connect(lambda item: self.chosen.emit({item.data(UUID): on(item)}))
        self.every = self._link(tr("Select all"), lambda: self._set_all(attached=True))
        self.none = self._link(tr("Clear all"), lambda: self._set_all(attached=False))
        head = QHBoxLayout()
        head.addWidget(self.every)
        head.addWidget(self.none)
        head.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        self.resize(WIDE, min(HIGH, 48 + scaled(ROW) * len(widgets)))

    def open_above(self, chip: QWidget) -> None:
        """Open the list above a chip."""
        self.move(chip.mapToGlobal(QPoint(0, -self.height() - 4)))
        self.show()
        self.list.setFocus()

    def event(self, event: QEvent) -> bool:
        """Handle Escape here; otherwise it would stop the answer."""
        return keeps_escape(event) or super().event(event)

    def _set_all(self, *, attached: bool) -> None:
        state = Qt.CheckState.Checked if attached else Qt.CheckState.Unchecked
        self.list.blockSignals(True)
        items = [self.list.item(row) for row in range(self.list.count())]
        for item in items:
            item.setCheckState(state)
        self.list.blockSignals(False)
        self.list.viewport().update()
        self.chosen.emit({item.data(UUID): attached for item in items})

    def _link(self, text: str, run: object) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName("link")
        button.clicked.connect(run)
        return button


def on(item: QListWidgetItem) -> bool:
    """Return whether an item is selected."""
    return item.checkState() == Qt.CheckState.Checked


MOST = 3  # maximum number of lines shown


class MissingAttachments(QWidget):
    """The notice that lists attachments whose files are missing.

    buttons: for each line, the button that removes the attachment, and the button that looks for
    its file (or None).
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.buttons: list[tuple[QPushButton, QPushButton | None]] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(2, 0, 0, 2)
        self._column.setSpacing(2)
        self.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Do nothing, because every colour comes from the style sheet."""

    def show_missing(self, missing: Sequence[MissingAttachment]) -> None:
        """Show the missing attachments; hide the notice if there are none."""
        self.buttons.clear()
        while item := self._column.takeAt(0):
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for number, one in enumerate(missing):
            line = self._line(one)
            line.setVisible(number < MOST)
            self._column.addWidget(line)
        self.setVisible(bool(missing))

    def _line(self, missing: MissingAttachment) -> QWidget:
        line, attachment = QWidget(self), missing.attachment
        if missing.replaceable:
            text = tr(
                "{name} is no longer in {folder}.",
                name=Path(attachment.path).name,
                folder=str(Path(attachment.path).parent),
            )
        else:
            text = tr("{name} is no longer on a dashboard.", name=attachment.name)
        words = ElidedLabel(text, line)
        words.setObjectName("caption")
        words.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(words, 1)
        find = link(tr("Find …"), tr("Find {name}", name=attachment.name), line)
        remove = link(tr("Remove"), tr("Remove {name}", name=attachment.name), line)
        row.addWidget(find)
        row.addWidget(remove)
        find.setVisible(missing.replaceable)
        self.buttons.append((remove, find if missing.replaceable else None))
        return line


def link(text: str, spoken: str, parent: QWidget) -> QPushButton:
    """Return a button that looks like a link. spoken: its accessible name."""
    button = QPushButton(text, parent)
    button.setObjectName("link")
    button.setAccessibleName(spoken)
    return button
