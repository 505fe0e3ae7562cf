"""Which theme the window wears: the forced one, the chosen one, else the system's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.ui.theme import theme

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.domain.settings.definition import Setting
    from app.services.deskpilot import Deskpilot
    from app.ui.main.window import Window

FORCED = "DESKPILOT_THEME"


class Dressing(QObject):
    """Dresses application and window. chosen: `system`, `light` or `dark`, as the settings have
    it.
    """

    def __init__(self, app: QApplication, window: Window, chosen: str) -> None:
        super().__init__(window)
        self._app, self._window = app, window
        self._chosen, self._forced = chosen, os.environ.get(FORCED)
        self._contrast = "system"
        window.tokens = theme.first_tokens(app, self._forced or chosen)
        theme.apply(app, window.tokens)

    def finish(self) -> None:
        """Put on what can wait for the first paint: the icons."""
        self._window.set_tokens(self._window.tokens)

    def of_another(self, window: Window) -> Dressing:
        """Return the dressing of another window, in the same theme."""
        return Dressing(self._app, window, self._chosen)

    async def follow(self, deskpilot: Deskpilot) -> None:
        """Follow the settings, the button of the bar, and the system where it has the say.

        Raises: SetupError if what is kept is no theme.
        """
        from app.domain.settings.appearance import CONTRAST, THEME

        await deskpilot.settings.get(THEME)
        self._contrast = await deskpilot.settings.get(CONTRAST)
        self._dress()
        deskpilot.settings.subscribe(self._on_setting)
        self._window.topbar.theme_wanted.connect(lambda: self._turn(deskpilot))
        self._app.styleHints().colorSchemeChanged.connect(self._dress)

    def _turn(self, deskpilot: Deskpilot) -> None:
        """Wear the other theme, and choose it for later, too."""
        from app.domain.settings.appearance import THEME

        value = "light" if self._window.tokens.dark else "dark"
        if self._forced:  # for this run only, as it was forced
            self._forced = value
            self._dress()
        else:
            deskpilot.tasks.start("choose the theme", deskpilot.settings.put(THEME, value))

    def _on_setting(self, setting: Setting[Any], value: Any) -> None:
        from app.domain.settings.appearance import CONTRAST, THEME

        if setting.key == THEME.key:
            self._chosen = str(value)
            self._dress()
        if setting.key == CONTRAST.key:
            self._contrast = str(value)
            self._dress()

    def _dress(self) -> None:
        tokens = theme.tokens_for(self._app, self._forced or self._chosen, self._contrast)
        if tokens != self._window.tokens:
            theme.apply(self._app, tokens)
        self._window.set_tokens(tokens)
