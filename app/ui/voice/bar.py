"""The bar of voice: how loud it is, what is heard, what is missing for it."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QColor, QPainter
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from app.domain.errors import DeskpilotError, MissingModel
from app.domain.model import size
from app.ui.main.key_names import shown_key
from app.ui.models.row import told_step
from app.ui.theme.polish import set_style
from app.ui.theme.tokens import LIGHT, Tokens
from app.ui.words import mark, said, told, tr

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from app.domain.model import Model
    from app.services.deskpilot import Deskpilot
    from app.services.tasks import Do
    from app.ui.main.window import Window


BARS, WIDTH, GAP = 14, 3, 2
EVERY = 3  # levels to a bar: fifty come in a second


class Meter(QWidget):
    """Shows the last second of levels, 0 to 1, the newest at the right."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(BARS * (WIDTH + GAP), 18)
        self.setAccessibleName(tr("Loudness"))
        self._tokens: Tokens = LIGHT
        self.levels = [0.0] * BARS
        self._taken: list[float] = []

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme."""
        self._tokens = tokens
        self.update()

    def clear(self) -> None:
        """Begin anew."""
        self.levels = [0.0] * BARS
        self._taken.clear()
        self.update()

    def add(self, level: float) -> None:
        """Take the next level."""
        self._taken.append(level)
        if len(self._taken) == EVERY:
            self.levels = [*self.levels[1:], max(self._taken)]
            self._taken.clear()
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bars."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for index, level in enumerate(self.levels):
            height = 3 + level * (self.height() - 3)
            colour = self._tokens.accent if level > 0.15 else self._tokens.hairline
            painter.setBrush(QColor(colour))
            bar = QRectF(index * (WIDTH + GAP), (self.height() - height) / 2, WIDTH, height)
            painter.drawRoundedRect(bar, 1.5, 1.5)


PULL = "pull-voice"
OFFERED = mark("{what} {pack} brings what is missing: {names}, {size} to fetch, once.")


class Missing(QObject):
    """Offers the voice pack that fits, on the line above what is typed. do: runs work under a
    name.
    """

    def __init__(self, window: Window, deskpilot: Deskpilot, do: Do) -> None:
        super().__init__(window)
        self._bar, self._deskpilot, self._do = window.composer.bar, deskpilot, do
        self._pack: Model | None = None
        self._bar.acted.connect(self._fetch)

    def told(self, error: DeskpilotError) -> None:
        """Tell what went wrong; if a model is missing, offer what it comes with."""
        self._bar.tell(told(error), button=tr("Close"), wrong=True)
        if isinstance(error, MissingModel):
            self._do("offer a voice pack", self._offer(error))

    def stop(self) -> None:
        """Stop fetching; what came is kept."""
        self._deskpilot.tasks.cancel(f"window {PULL}")

    async def _offer(self, error: DeskpilotError) -> None:
        shelf = await self._deskpilot.models.shelf()
        language = self._deskpilot.voice.choices.now.language or "en"
        known = {model.id: model for model in shelf.models}
        packs = [model for model in shelf.models if model.type == "pack" and model.members]
        fitting = [pack for pack in packs if pack.id.endswith(f"-{language}")]
        if not fitting or self._bar.isHidden():  # it was closed meanwhile
            return
        self._pack = pack = fitting[0]
        names = " + ".join(known[name].name for name in pack.members)
        amount = size(pack.download_bytes)
        offered = tr(OFFERED, what=said(error.text), pack=pack.name, names=names, size=amount)
        self._bar.tell(offered, button=tr("Close"), action=tr("Download {size}", size=amount))

    def _fetch(self) -> None:
        if self._pack is not None:
            self._do(PULL, self._pull(self._pack))

    async def _pull(self, pack: Model) -> None:
        self._bar.tell(tr("Fetching {name} …", name=pack.name), button=tr("Stop"))
        try:
            async with aclosing(self._deskpilot.models.pull(pack)) as steps:
                async for step in steps:
                    self._bar.tell(told_step(step), button=tr("Stop"), silent=True)
        except DeskpilotError as error:
            self._bar.tell(told(error), button=tr("Close"), action=tr("Try again"), wrong=True)
        else:
            self._bar.tell(self._ready(), button=tr("Close"))

    def _ready(self) -> str:
        if not (key := shown_key(self._bar, "voice.talk")):
            return tr("Ready. Press the microphone and speak.")
        return tr("Ready. Press the microphone and speak, or talk hands-free with {key}.", key=key)


class VoiceBar(QFrame):
    """Signals: dismissed() when its button was pressed, acted() when the one that does what it
    offers was.
    """

    dismissed = Signal()
    acted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.meter = Meter(self)
        self.label = QLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.button = QPushButton(tr("Cancel"), self)
        self.button.setObjectName("link")
        self.button.clicked.connect(self.dismissed)
        self.action = QPushButton(self)
        self.action.setAccessibleName(tr("What it offers"))
        self.action.clicked.connect(self.acted)
        self.action.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(self.meter)
        row.addWidget(self.label, 1)
        row.addWidget(self.action)
        row.addWidget(self.button)
        self.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme."""
        self.meter.set_tokens(tokens)

    def tell(
        self,
        text: str,
        *,
        button: str,
        action: str = "",
        metered: bool = False,
        wrong: bool = False,
        silent: bool = False,
    ) -> None:
        """Show a line. action: what it offers to do. wrong: it is why something does not work.
        silent: it is no news.
        """
        news = (text != self.label.text() or self.isHidden()) and not silent
        self.label.setText(text)
        set_style(self.label, "wrong" if wrong else "muted")
        self.button.setText(button)
        self.button.setAccessibleName(f"{button}: {text}")
        self.action.setText(action)
        self.action.setAccessibleName(f"{action}: {text}")
        self.action.setVisible(bool(action))
        if metered and self.meter.isHidden():
            self.meter.clear()
        self.meter.setVisible(metered)
        self.show()
        if news:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))
