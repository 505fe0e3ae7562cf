"""The style sheet and palette of a theme, the fonts, and the widget properties used in the style
sheet.
"""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette

from app.ui.theme.i18n import spoken_language
from app.ui.theme.tokens import (
    CAPTION_PX,
    CHROME_PX,
    FIGURE_PX,
    HEAD_PX,
    LIGHT,
    RADIUS,
    RADIUS_CARD,
    RADIUS_COMPOSER,
    SMALL_PX,
    TEXT_PX,
    TITLE_PX,
    Tokens,
)
from resources import FOLDER

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QWidget


HAN = ("Noto Sans CJK SC", "Microsoft YaHei UI", "PingFang SC", "Noto Sans SC")
KANJI = ("Noto Sans CJK JP", "Yu Gothic UI", "Hiragino Sans", "Noto Sans JP", *HAN)


class Theme:
    """The current theme. now: its tokens."""

    now: Tokens = LIGHT


def apply(app: QApplication, tokens: Tokens) -> None:
    """Apply the theme to the application."""
    Theme.now = tokens
    values = {k: v for k, v in tokens._asdict().items() if isinstance(v, str)}
    sizes = {
        "text_px": scaled(TEXT_PX),
        "chrome": scaled(CHROME_PX),
        "caption": scaled(CAPTION_PX),
        "small": scaled(SMALL_PX),
        "figure": scaled(FIGURE_PX),
        "title": scaled(TITLE_PX),
        "head": scaled(HEAD_PX),
        "radius": RADIUS,
        "radius_card": RADIUS_CARD,
        "radius_composer": RADIUS_COMPOSER,
    }
    pictures = {
        name: (FOLDER / "icons" / f"{name}-{'dark' if tokens.dark else 'light'}.svg").as_posix()
        for name in ("check", "chevron")
    }
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
        sheet("sheet").substitute(**values, **sizes, **pictures, families=families)
        + (sheet("high_contrast").substitute(**values) if tokens.high else "")
    )


def sheet(name: str) -> Template:
    """Return a style sheet in this folder as a template with names for colours and sizes."""
    return Template(Path(__file__).with_name(f"{name}.qss").read_text("utf-8"))


def scaled(pixels: float) -> int:
    """Scale pixels from the default text size to the chosen one."""
    return round(pixels * Theme.now.scale)


def roomy(dialog: QWidget, width: int, height: int) -> QSize:
    """Return the size of a dialog at the chosen text size, no larger than the screen."""
    return QSize(scaled(width), scaled(height)).boundedTo(dialog.screen().availableSize())


def text_font(pixels: int) -> QFont:
    """Return the system's font with digits of equal width. pixels: the font size, which is scaled
    to the chosen text size.
    """
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setFamilies(
        [QFontInfo(font).family(), *(KANJI if spoken_language() == "ja" else HAN)]
    )  # otherwise, Qt may choose a bold font for Chinese
    font.setPixelSize(scaled(pixels))
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def set_style(widget: QWidget, style: str) -> None:
    """Change the style of a widget. style: a name from the style sheet, such as "muted" or
    "problem".
    """
    widget.setObjectName(style)
    polish(widget)


def set_mark(widget: QWidget, name: str, value: bool) -> None:
    """Set a property that the style sheet uses."""
    widget.setProperty(name, value)
    polish(widget)


def polish(widget: QWidget) -> None:
    """Apply the style sheet to a widget again after a property has changed."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
