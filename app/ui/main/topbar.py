"""The top bar: panes, copilot, model, offline state, context and theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from app.ui.controls.keys import named_after
from app.ui.copilots.menu import CopilotButton
from app.ui.models.picker import ContextMeter, ModelButton
from app.ui.theme.i18n import tr
from app.ui.theme.icons import icon, icon_button
from app.ui.theme.style import scaled
from app.ui.theme.tokens import LIGHT

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from app.ui.theme.tokens import Tokens

NARROW, HEIGHT = 1000, 44  # in pixels
STATE = 90  # in pixels: minimum width of the text that says where questions are sent


class TopBar(QFrame):
    """The bar at the top. Signals: sidebar_wanted(), dashboard_wanted(), theme_wanted()."""

    sidebar_wanted = Signal()
    dashboard_wanted = Signal()
    theme_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("topbar")
        self.setFixedHeight(HEIGHT)
        self.buttons = {
            "menu": icon_button("quiet", tr("Conversations"), self, self.sidebar_wanted.emit),
            "sun": icon_button("quiet", tr("Light or dark"), self, self.theme_wanted.emit),
            "panel": icon_button("quiet", tr("Dashboard"), self, self.dashboard_wanted.emit),
        }
        named_after(self.buttons["menu"], "pane.sidebar", tr("Conversations"))
        named_after(self.buttons["sun"], "theme.turn", tr("Light or dark"))
        named_after(self.buttons["panel"], "pane.dashboard", tr("Dashboard"))
        brand = QLabel("Deskpilot", self)
        brand.setObjectName("brand")
        self.copilot, self.model = CopilotButton(self), ModelButton(self)
        self.context = ContextMeter(self)
        self.state = QLabel(self)
        # a long host name is shortened, like the name of the model
        self.state.setMinimumWidth(STATE)
        self._host = ""
        self._offline = False
        self._tokens = LIGHT
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(10)
        for part in (self.buttons["menu"], brand, self.copilot, self.model):
            row.addWidget(part)
        row.addStretch(1)
        for part in (self.state, self.context, self.buttons["sun"], self.buttons["panel"]):
            row.addWidget(part)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self._tokens = tokens
        self.setFixedHeight(scaled(HEIGHT))
        self.copilot.set_tokens(tokens)
        self.model.set_tokens(tokens)
        for name, button in self.buttons.items():
            button.setIcon(icon(name, tokens.text))
        self._tell()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the names of the copilot and the model the available space."""
        super().resizeEvent(event)
        self.context.set_narrow(self.width() < NARROW)

    def set_host(self, host: str) -> None:
        """Show which machine receives questions; an empty text stands for this machine."""
        self._host = host
        self._tell()

    def set_offline(self, offline: bool) -> None:
        """Show whether connections to other machines are refused."""
        self._offline = offline
        self._tell()

    def _tell(self) -> None:
        away = self._host and not self._offline
        colour = self._tokens.string if away else self._tokens.accent
        where = (
            tr("Questions go to {host}", host=escaped(self._host))
            if away
            else tr("On this machine")
        )
        if self._offline:
            where = tr("Offline")
        told = tr("Every connection to another machine is refused. See Settings, Network.")
        self.state.setToolTip(told if self._offline else where if away else "")
        self.state.setText(f"<span style='color:{colour}'>●</span>&nbsp; {where}")


def escaped(text: str) -> str:
    """Return a text, escaped for HTML."""
    from html import escape

    return escape(text)
