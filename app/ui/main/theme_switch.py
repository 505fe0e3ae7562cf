"""The choice of theme by the settings, the system, or the button in the top bar."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from PySide6 import QtCore
from PySide6.QtCore import QObject

from app.ui.theme.style import apply
from app.ui.theme.tokens import DARK, HIGH_DARK, HIGH_LIGHT, LIGHT, Tokens

if TYPE_CHECKING:
    from PySide6.QtGui import QStyleHints
    from PySide6.QtWidgets import QApplication

    from app.domain.settings import Setting
    from app.services.dashboard.live import Live
    from app.services.settings import Settings
    from app.services.tasks import Tasks
    from app.ui.main.window import MainWindow


def tokens_for(app: QApplication, forced: str | None = None, contrast: str = "system") -> Tokens:
    """Return the tokens of the forced theme, or otherwise of the system's theme. contrast:
    "system", "normal" or "high".
    """
    hints = app.styleHints()
    dark = (
        forced == "dark"
        if forced in ("light", "dark")
        else hints.colorScheme() == QtCore.Qt.ColorScheme.Dark
    )
    if contrast == "high" or (contrast == "system" and wants_contrast(hints)):
        return HIGH_DARK if dark else HIGH_LIGHT
    return DARK if dark else LIGHT


def first_tokens(app: QApplication, forced: str) -> Tokens:
    """Return the tokens for the first paint: those of the forced theme, or otherwise those that
    match the system's palette.

    Asking the system for its theme would load Qt's enums, which takes a tenth of the time before
    the first paint.
    """
    if forced in ("light", "dark"):
        return DARK if forced == "dark" else LIGHT
    palette = app.palette()
    return (
        DARK
        if palette.windowText().color().lightness() > palette.window().color().lightness()
        else LIGHT
    )


def wants_contrast(hints: QStyleHints) -> bool:
    """Return whether the system asks for high contrast; always False before Qt 6.10, because
    earlier versions do not report it.
    """
    told = getattr(hints, "accessibility", None)
    return (
        told is not None
        and told().contrastPreference() == QtCore.Qt.ContrastPreference.HighContrast
    )


FORCED = "DESKPILOT_THEME"


class ThemeSwitch(QObject):
    """Applies a theme to the application and the window.

    chosen: the setting `system`, `light` or `dark`. size: the text size in percent.
    """

    def __init__(
        self, app: QApplication, window: MainWindow, chosen: str, size: str = "100"
    ) -> None:
        super().__init__(window)
        self._app, self._window = app, window
        self._chosen, self._forced = chosen, os.environ.get(FORCED)
        self._contrast, self._size = "system", size
        self._live: Live | None = None  # this tells the backends which theme is used
        window.tokens = self._sized(first_tokens(app, self._forced or chosen))
        apply(app, window.tokens)

    def finish(self) -> None:
        """Set the icons, which can wait until after the first paint."""
        self._window.set_tokens(self._window.tokens)

    def of_another(self, window: MainWindow) -> ThemeSwitch:
        """Return a theme switch with the same theme, for another window."""
        return ThemeSwitch(self._app, window, self._chosen, self._size)

    async def follow(self, settings: Settings, live: Live, tasks: Tasks) -> None:
        """Follow the settings, the button in the bar and, if the setting is `system`, the system.

        Raises: SetupError if the stored value is not a theme.
        """
        from app.domain.settings import CONTRAST, TEXT_SIZE, THEME

        self._live = live
        await settings.get(THEME)
        self._contrast = await settings.get(CONTRAST)
        self._size = await settings.get(TEXT_SIZE)
        self._dress()
        settings.subscribe(self._on_setting)
        self._window.topbar.theme_wanted.connect(lambda: self._turn(settings, tasks))
        self._app.styleHints().colorSchemeChanged.connect(self._dress)

    def _turn(self, settings: Settings, tasks: Tasks) -> None:
        """Switch to the other theme, and store the choice."""
        from app.domain.settings import THEME

        value = "light" if self._window.tokens.dark else "dark"
        if self._forced:  # a forced theme is changed only until Deskpilot is closed
            self._forced = value
            self._dress()
        else:
            tasks.start("choose the theme", settings.put(THEME, value))

    def _on_setting(self, setting: Setting[Any], value: Any) -> None:
        from app.domain.settings import CONTRAST, TEXT_SIZE, THEME

        if setting.key == TEXT_SIZE.key:
            self._size = str(value)
            self._dress()
        if setting.key == THEME.key:
            self._chosen = str(value)
            self._dress()
        if setting.key == CONTRAST.key:
            self._contrast = str(value)
            self._dress()

    def _dress(self) -> None:
        tokens = self._sized(tokens_for(self._app, self._forced or self._chosen, self._contrast))
        if tokens != self._window.tokens:
            apply(self._app, tokens)
        if self._live is not None:
            self._live.wear("dark" if tokens.dark else "light")
        self._window.set_tokens(tokens)

    def _sized(self, tokens: Tokens) -> Tokens:
        return tokens._replace(scale=int(self._size) / 100)
