"""The style sheet and palette of a theme."""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from PySide6 import QtCore
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
