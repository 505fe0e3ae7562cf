"""The key that dictates while another window is in front: it is the microphone's button, and shows
the window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.domain.errors import ShortcutError
from app.domain.settings.pages import SHORTCUT
from app.ui.words import told, tr

if TYPE_CHECKING:
    from app.domain.settings.definition import Setting
    from app.services.deskpilot import Deskpilot
    from app.services.tasks import Do
    from app.ui.main.window import Window


class FromAnywhere(QObject):
    """Holds the chosen key. `take` it once the choices are known; another choice counts at once.

    do: runs work under a name.
    """

    def __init__(self, window: Window, deskpilot: Deskpilot, do: Do) -> None:
        super().__init__(window)
        self._window, self._voice, self._do, self._since = window, deskpilot.voice, do, 0
        deskpilot.settings.subscribe(self._on_setting)

    def take(self) -> None:
        """Take the chosen key, or say why it cannot be had."""
        self._do("key for every window", self._hold(self._voice.choices.now.shortcut))

    def _on_setting(self, setting: Setting[Any], value: Any) -> None:
        if setting is SHORTCUT:
            self._do("key for every window", self._hold(str(value)))

    async def _hold(self, keys: str) -> None:
        try:
            await self._voice.key.hold(keys, self._told)
        except ShortcutError as error:
            self._window.composer.bar.tell(told(error), button=tr("Close"), wrong=True)

    def _told(self, pressed: bool, at_ms: int) -> None:
        button = self._window.composer.mic
        button.setDown(pressed)
        if not pressed:
            button.let_go(at_ms - self._since)
            return
        self._since = at_ms
        self._window.showNormal() if self._window.isMinimized() else self._window.show()
        self._window.activateWindow()
        button.press()
