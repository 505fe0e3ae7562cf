"""The global shortcut for dictation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.domain.errors import ShortcutError
from app.domain.settings import SHORTCUT
from app.ui.theme.i18n import told, tr

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.domain.settings import Setting
    from app.services.settings.settings import Settings
    from app.services.tasks import Do
    from app.services.voice.talk import LiveVoice
    from app.ui.composer.composer import Composer


class FromAnywhere(QObject):
    """Registers the global shortcut. Call `take` once the settings are loaded; changes take effect
    immediately.

    do: runs named work.
    """

    def __init__(
        self, window: QWidget, composer: Composer, settings: Settings, voice: LiveVoice, do: Do
    ) -> None:
        super().__init__(window)
        self._window = window
        self._composer = composer
        self._voice = voice
        self._do = do
        self._since = 0
        settings.subscribe(self._on_setting)

    def take(self) -> None:
        """Register the chosen shortcut, or report why it is not available."""
        self._do("key for every window", self._hold(self._voice.choices.now.shortcut))

    def _on_setting(self, setting: Setting[Any], value: Any) -> None:
        if setting is SHORTCUT:
            self._do("key for every window", self._hold(str(value)))

    async def _hold(self, keys: str) -> None:
        try:
            await self._voice.key.hold(keys, self._told)
        except ShortcutError as error:
            self._composer.bar.tell(told(error), button=tr("Close"), wrong=True)

    def _told(self, pressed: bool, at_ms: int) -> None:
        button = self._composer.mic
        button.setDown(pressed)
        if not pressed:
            button.let_go(at_ms - self._since)
            return
        self._since = at_ms
        self._window.showNormal() if self._window.isMinimized() else self._window.show()
        self._window.activateWindow()
        button.press()
