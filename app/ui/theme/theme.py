"""The style sheet and palette of a theme, and how the window is dressed in it."""

from __future__ import annotations

import os
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from PySide6 import QtCore
from PySide6.QtCore import QObject
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette

from app.ui.theme.tokens import (
    CAPTION_PX,
    CHROME_PX,
    DARK,
    HIGH_DARK,
    HIGH_LIGHT,
    LIGHT,
    RADIUS,
    RADIUS_CARD,
    RADIUS_COMPOSER,
    Tokens,
)
from app.ui.words import spoken_language
from resources import FOLDER

if TYPE_CHECKING:
    from PySide6.QtGui import QStyleHints
    from PySide6.QtWidgets import QApplication

    from app.domain.settings.definition import Setting
    from app.services.deskpilot import Deskpilot
    from app.ui.main.window import Window


HAN = ("Noto Sans CJK SC", "Microsoft YaHei UI", "PingFang SC", "Noto Sans SC")
KANJI = ("Noto Sans CJK JP", "Yu Gothic UI", "Hiragino Sans", "Noto Sans JP", *HAN)


def tokens_for(app: QApplication, forced: str | None = None, contrast: str = "system") -> Tokens:
    """Return the theme's tokens: the forced one, else the system's; contrast: system, normal or
    high.
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
    """Return the tokens of the first paint: the forced theme's, else by the look of the system's
    palette.

    To ask the system itself, Qt's names have to be loaded, which takes a tenth of all that comes
    before the paint.
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
    """Tell whether the system asks for high contrast; before Qt 6.10 it cannot tell."""
    told = getattr(hints, "accessibility", None)
    return (
        told is not None
        and told().contrastPreference() == QtCore.Qt.ContrastPreference.HighContrast
    )


def apply(app: QApplication, tokens: Tokens) -> None:
    """Dress the application."""
    values = {k: v for k, v in tokens._asdict().items() if isinstance(v, str)}
    sizes = {
        "chrome": CHROME_PX,
        "caption": CAPTION_PX,
        "radius": RADIUS,
        "radius_card": RADIUS_CARD,
        "radius_composer": RADIUS_COMPOSER,
    }
    check = FOLDER / "icons" / f"check-{'dark' if tokens.dark else 'light'}.svg"
    palette = QPalette()
    for role, colour in (
        (QPalette.ColorRole.Window, tokens.background),
        (QPalette.ColorRole.Base, tokens.card),
        (QPalette.ColorRole.Text, tokens.text),
        (QPalette.ColorRole.WindowText, tokens.text),
        (QPalette.ColorRole.ButtonText, tokens.text),
        (QPalette.ColorRole.Highlight, tokens.accent_soft),
        (QPalette.ColorRole.HighlightedText, tokens.text),
        (QPalette.ColorRole.Link, tokens.accent),
        (QPalette.ColorRole.PlaceholderText, tokens.faint),
    ):
        palette.setColor(role, QColor(colour))
    app.setPalette(palette)
    font = text_font(CHROME_PX)
    app.setFont(font)
    families = ", ".join(f'"{name}"' for name in font.families())
    app.setStyleSheet(
        sheet("sheet").substitute(**values, **sizes, families=families, check=check.as_posix())
        + (sheet("high_contrast").substitute(**values) if tokens.high else "")
    )


def sheet(name: str) -> Template:
    """Return a style sheet of this folder, its colours and sizes still names."""
    return Template(Path(__file__).with_name(f"{name}.qss").read_text("utf-8"))


def text_font(pixels: int) -> QFont:
    """Return the system's font at a size in pixels, its figures tabular."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setFamilies(
        [QFontInfo(font).family(), *(KANJI if spoken_language() == "ja" else HAN)]
    )  # left to itself, a bold face may be picked for Chinese
    font.setPixelSize(pixels)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


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
        window.tokens = first_tokens(app, self._forced or chosen)
        apply(app, window.tokens)

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
        from app.domain.settings.pages import CONTRAST, THEME

        await deskpilot.settings.get(THEME)
        self._contrast = await deskpilot.settings.get(CONTRAST)
        self._dress()
        deskpilot.settings.subscribe(self._on_setting)
        self._window.topbar.theme_wanted.connect(lambda: self._turn(deskpilot))
        self._app.styleHints().colorSchemeChanged.connect(self._dress)

    def _turn(self, deskpilot: Deskpilot) -> None:
        """Wear the other theme, and choose it for later, too."""
        from app.domain.settings.pages import THEME

        value = "light" if self._window.tokens.dark else "dark"
        if self._forced:  # for this run only, as it was forced
            self._forced = value
            self._dress()
        else:
            deskpilot.tasks.start("choose the theme", deskpilot.settings.put(THEME, value))

    def _on_setting(self, setting: Setting[Any], value: Any) -> None:
        from app.domain.settings.pages import CONTRAST, THEME

        if setting.key == THEME.key:
            self._chosen = str(value)
            self._dress()
        if setting.key == CONTRAST.key:
            self._contrast = str(value)
            self._dress()

    def _dress(self) -> None:
        tokens = tokens_for(self._app, self._forced or self._chosen, self._contrast)
        if tokens != self._window.tokens:
            apply(self._app, tokens)
        self._window.set_tokens(tokens)
