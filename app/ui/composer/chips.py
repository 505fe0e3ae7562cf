"""What goes along with questions: a chip for each widget, with its size and what it costs to read.

Very many tables, or documents, are one chip, whose list one ticks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.ui.theme.flow import Flow
from app.ui.words import tr

if TYPE_CHECKING:
    from app.domain.widget import Widget


MOST = 6  # chips of a kind; more are one chip


class Chips(QObject):
    """Fills a line, or as many as it takes.

    Signals: detached(uuid) of a chip that was pressed; link_wanted(address) of one that offers a
    page; chosen({uuid: attached}) of a list that was ticked.
    """

    chosen = Signal(object)
    detached = Signal(str)
    link_wanted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.row = Flow()
        self._widgets: list[Widget] = []
        self._counts: dict[str, int] = {}
        self._costs: dict[str, int] = {}
        self._links: list[str] = []

    def show(self, widgets: list[Widget], counts: dict[str, int]) -> None:
        """Show widgets; counts: rows of those that are tables."""
        self._widgets, self._counts = widgets, counts
        self._fill()

    def show_costs(self, costs: dict[str, int]) -> None:
        """Show how many tokens widgets cost, by uuid."""
        if costs != self._costs:
            self._costs = costs
            self._fill()

    def show_links(self, urls: list[str]) -> None:
        """Offer pages that may go along; nothing is fetched before one is pressed."""
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
            if len(several) > MOST:
                self.row.addWidget(self._bundle(several, tables=several is tables))
            else:
                for widget in several:
                    self.row.addWidget(self._chip(widget))
        for url in self._links:
            self.row.addWidget(self._offer(url))
        self.row.invalidate()

    def _bundle(self, widgets: list[Widget], *, tables: bool) -> QPushButton:
        """Return one chip for many widgets of a kind; it opens their list."""
        count = len(widgets)
        text = tr("%n tables", "", count) if tables else tr("%n documents", "", count)
        costs = [self._costs[w.uuid] for w in widgets if w.uuid in self._costs]
        tokens = " · " + tr("~{cost} tokens", cost=shown(sum(costs))) if costs else ""
        chip = QPushButton(f"{text}{tokens}  ▾", self._parent)
        chip.setObjectName("chip")
        chip.setAccessibleName(text + tokens)
        chip.setToolTip(tr("Press to see them, and to choose which go along with your questions"))
        chip.clicked.connect(lambda: self._open_list(chip, widgets))
        return chip

    def _open_list(self, chip: QPushButton, widgets: list[Widget]) -> None:
        from app.ui.composer.attached import SeveralAttached

        several = SeveralAttached(widgets, self._parent)
        several.chosen.connect(self.chosen)
        several.open_above(chip)

    def _offer(self, url: str) -> QPushButton:
        host = urlsplit(url).netloc
        chip = QPushButton(tr("+ Fetch {host}", host=cut(host)).replace("&", "&&"), self._parent)
        chip.setObjectName("offer")
        chip.setAccessibleName(tr("Fetch {url} and add it to the context", url=url))
        told = tr(
            "Press to fetch this page from {host}; it then goes along with questions.", host=host
        )
        chip.setToolTip(f"{url}\n{told}")
        chip.clicked.connect(lambda: self.link_wanted.emit(url))
        return chip

    def _chip(self, widget: Widget) -> QPushButton:
        rows, cost = self._counts.get(widget.uuid), self._costs.get(widget.uuid)
        size = "" if rows is None else " · " + tr("%n rows", "", rows)
        tokens = " · " + tr("~{cost} tokens", cost=shown(cost)) if cost is not None else ""
        chip = QPushButton(f"{cut(widget.name)}{size}{tokens}  ×".replace("&", "&&"), self._parent)
        chip.setObjectName("chip")
        chip.setAccessibleName(tr("Take {name} out of the context", name=widget.name) + tokens)
        told = [tr("Press to take it out of the context")]
        if cost is not None:
            reads = tr(
                "A copilot that reads all it is given of this reads about %n tokens.", "", cost
            )
            means = tr("A token is a short piece of a word; a model can hold only so many at once.")
            told[:0] = [reads, means]
        told[:0] = [tr("This goes along with your questions, so that copilots can read it.")]
        chip.setToolTip("\n".join(told))
        chip.setAccessibleDescription(" ".join(told[:-1]))
        chip.clicked.connect(lambda _=False, uid=widget.uuid: self.detached.emit(uid))
        return chip


def cut(name: str) -> str:
    """Return a name no longer than a chip."""
    return name if len(name) <= 32 else f"{name[:31]}…"


def shown(tokens: int) -> str:
    """Return a number of tokens in two figures: 80, 850, 1.4k, 12k."""
    if tokens < 1000:
        return str(tokens if tokens < 100 else round(tokens, -1))
    return f"{tokens / 1000:.1f}k" if tokens < 10_000 else f"{tokens / 1000:.0f}k"
