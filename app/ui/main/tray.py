"""An icon in the system tray, if the system has one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from app.domain.settings import TRAY
from app.ui.theme.i18n import tr
from app.ui.theme.icons import icon

if TYPE_CHECKING:
    from PySide6.QtGui import QAction

    from app.domain.settings import Setting
    from app.services.settings import Settings
    from app.ui.main.window import MainWindow

OFFERED = ("chat.new", "voice.dictate", "voice.talk")


class Tray(QObject):
    """Shows the icon if the setting asks for it. actions: the window's actions, by id. there:
    whether the system has a tray.
    """

    def __init__(
        self,
        window: MainWindow,
        actions: dict[str, QAction],
        settings: Settings,
        *,
        there: bool | None = None,
    ) -> None:
        super().__init__(window)
        self._window, self._settings = window, settings
        self._there = QSystemTrayIcon.isSystemTrayAvailable() if there is None else there
        self._chosen, self._leaving = "", False
        self.icon: QSystemTrayIcon | None = None
        self.menu = QMenu(window)
        self.menu.addAction(tr("Show Deskpilot")).triggered.connect(self.show_window)
        for uid in OFFERED:
            self.menu.addAction(actions[uid])
            actions[uid].triggered.connect(self._come)
        self.menu.addSeparator()
        self.menu.addAction(tr("Quit")).triggered.connect(self.quit)
        settings.subscribe(self._on_setting)
        window.leave_wanted.connect(self.quit)
        window.installEventFilter(self)

    async def restore(self) -> None:
        """Apply the user's setting.

        Raises: SetupError.
        """
        self._follow(await self._settings.get(TRAY))

    def _on_setting(self, setting: Setting[Any], value: Any) -> None:
        if setting.key == TRAY.key:
            self._follow(str(value))

    def _follow(self, chosen: str) -> None:
        self._chosen = chosen if self._there else "off"
        if self._chosen == "off":
            if self.icon is not None:
                self.icon.hide()
            return
        if self.icon is None:
            self.icon = QSystemTrayIcon(icon("voice", self._window.tokens.accent, 22), self)
            self.icon.setToolTip("Deskpilot")
            self.icon.setContextMenu(self.menu)
            self.icon.activated.connect(self._on_activated)
        self.icon.show()

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        """Show the window, or hide it if it is in front."""
        if reason != QSystemTrayIcon.ActivationReason.Trigger:
            return
        if self._window.isVisible() and self._window.isActiveWindow() and self._chosen == "stay":
            self._window.hide()
        else:
            self.show_window()

    def _come(self) -> None:
        if not self._window.isVisible():
            self.show_window()

    def show_window(self) -> None:
        """Show the window in front of other windows."""
        self._window.showNormal() if self._window.isMinimized() else self._window.show()
        self._window.raise_()
        self._window.activateWindow()

    def quit(self) -> None:
        """Quit Deskpilot, whether or not its window is visible."""
        self._leaving = True
        if self.icon is not None:
            self.icon.hide()
        self._window.show()  # because a hidden window would not be closed
        self._window.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hide the window instead of closing it, if the user has chosen that."""
        if event.type() == QEvent.Type.Close and self._chosen == "stay" and not self._leaving:
            event.ignore()
            self._window.hide()
            return True
        return super().eventFilter(watched, event)
