"""The style sheet and palette of a theme."""

from __future__ import annotations

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
SHEET = """
QLineEdit, QTextEdit, QPlainTextEdit {{ placeholder-text-color: {muted}; }}
* {{ outline: 0; }}
QWidget {{ color: {text}; font-family: {families}; font-size: {chrome}px; }}
QMainWindow, #chat {{ background: {background}; }}
#sidebar, #topbar {{ background: {pane}; }}
#topbar {{ border-bottom: 1px solid {hairline}; }}
#sidebar {{ border-right: 1px solid {hairline}; }}
#dashboard, #dashboardBody {{ background: {background}; }}
#brand {{ font-weight: 600; }}
#muted {{ color: {muted}; }}
#wrong {{ color: {danger}; }}
#caption, #section {{ color: {faint}; font-size: {caption}px; }}
#card {{ background: {card}; border: 1px solid {hairline}; border-radius: {radius_card}px; }}
#cardHeader {{ background: transparent; border: 0; border-bottom: 1px solid {hairline}; border-radius: 0; padding: 0; }}
#cardTitle {{ font-weight: 600; }}
#card[focused="true"], #card[held="true"] {{ border: 1px solid {accent}; }}
#notice {{ background: {card}; border: 1px solid {hairline}; border-radius: {radius}px; }}
#larger {{ background: {card}; }}
#lines {{ font-size: 11px; }}
QToolButton#tile {{ background: transparent; border: 1px solid transparent; padding: 3px; }}
QToolButton#tile:hover {{ background: {own}; }}
QToolButton#tile:focus {{ border: 1px solid {accent}; }}
QPushButton#figure {{ background: transparent; border: 1px solid transparent; padding: 0; font-size: 20px; font-weight: 600; text-align: left; }}
QPushButton#figure:hover {{ color: {accent}; }}
QPushButton#figure:focus {{ border: 1px solid {accent}; }}
#composer {{ background: {card}; border: 1px solid {hairline}; border-radius: {radius_composer}px; }}
#composer[focused="true"] {{ border: 1px solid {faint}; }}
#composer QPlainTextEdit {{ background: transparent; border: 0; font-size: 14px; selection-background-color: {accent_soft};
    selection-color: {text}; }}
QPushButton, QToolButton {{ background: {card}; border: 1px solid {hairline}; border-radius: {radius}px; padding: 5px 10px; }}
QPushButton:hover, QToolButton:hover {{ border-color: {faint}; }}
QPushButton:focus, QToolButton:focus, QLineEdit:focus {{ border: 1px solid {accent}; }}
QPushButton#link, QToolButton#link {{ background: transparent; border: 1px solid transparent; color: {accent}; padding: 2px 6px; }}
QPushButton#link:focus, QToolButton#link:focus {{ border: 1px solid {accent}; }}
QPushButton#quiet, QToolButton#quiet {{ background: transparent; border: 1px solid transparent; text-align: left; padding: 6px 8px; }}
QPushButton#quiet:hover, QToolButton#quiet:hover {{ background: {own}; }}
QPushButton#quiet:focus, QToolButton#quiet:focus {{ border: 1px solid {accent}; }}
QToolButton#copilot {{ background: transparent; border: 1px solid transparent; color: {muted}; padding: 5px 8px; }}
QToolButton#copilot:hover, QToolButton#copilot:open {{ background: {own}; }}
QToolButton#copilot:focus {{ border: 1px solid {accent}; }}
QToolButton#copilot::menu-indicator {{ image: none; width: 0; }}
QPushButton#primary {{ background: {accent}; color: {on_accent}; border-color: {accent}; }}
QPushButton#primary:disabled {{ background: {own}; color: {faint}; border-color: {own}; }}
#problem {{ color: {danger}; }}
QDialog {{ background: {background}; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
#welcome {{ font-size: 22px; font-weight: 600; }}
#title {{ font-size: 18px; font-weight: 600; }}
#heading {{ font-weight: 600; color: {muted}; }}
#strong {{ font-weight: 600; }}
#good {{ color: {accent}; padding: 5px 0; }}
#line {{ background: {hairline}; }}
QPushButton:disabled {{ color: {faint}; }}
QCheckBox {{ spacing: 8px; }}
QCheckBox::indicator, QListWidget::indicator {{ width: 16px; height: 16px; background: {card}; border: 1px solid {faint}; border-radius: 4px; }}
QCheckBox::indicator:checked, QListWidget::indicator:checked {{ background: {accent}; border-color: {accent}; image: url("{check}"); }}
QCheckBox::indicator:focus {{ border: 2px solid {accent}; }}
QDoubleSpinBox {{ background: {card}; border: 1px solid {hairline}; border-radius: {radius}px; padding: 5px 8px; }}
QDoubleSpinBox:focus {{ border: 1px solid {accent}; }}
QDoubleSpinBox::up-button, QDoubleSpinBox::down-button {{ width: 0; border: 0; }}
QProgressBar {{ background: {own}; border: 0; border-radius: 3px; }}
QProgressBar::chunk {{ background: {accent}; border-radius: 3px; }}
QDialog QPlainTextEdit {{ background: {card}; border: 1px solid {hairline}; border-radius: {radius}px; padding: 5px 7px; }}
QDialog QPlainTextEdit:focus {{ border: 1px solid {accent}; }}
QPushButton::menu-indicator {{ image: none; width: 0; }}
QToolButton#send {{ background: {accent}; color: {on_accent}; border: 1px solid {accent}; border-radius: {radius}px; padding: 0; }}
QToolButton#send:disabled {{ background: {own}; border-color: {own}; }}
QToolButton#icon {{ padding: 0; }}
QToolButton#round {{ padding: 0; border-radius: 17px; }}
QPushButton#chip {{ background: {card}; border: 1px solid {hairline}; border-radius: 7px; padding: 3px 8px; font-size: {caption}px; }}
QPushButton#offer {{ background: transparent; color: {accent}; border: 1px dashed {accent}; border-radius: 7px; padding: 3px 8px; font-size: {caption}px; }}
QTextBrowser#words, QPlainTextEdit#note, QPlainTextEdit#raw {{ background: {card}; border: 0; selection-background-color: {accent_soft};
    selection-color: {text}; border-bottom-left-radius: {radius_card}px; border-bottom-right-radius: {radius_card}px; }}
QPlainTextEdit#note {{ font-size: 14px; padding: 8px 10px; }}
QPlainTextEdit#raw {{ padding: 4px 10px; color: {muted}; }}
#news {{ background: {card}; }}
#newsItem {{ border: 0; border-bottom: 1px solid {hairline}; }}
QPushButton#headline {{ background: transparent; border: 1px solid transparent; }}
QPushButton#headline:hover {{ background: {own}; }}
QPushButton#headline:focus {{ border: 1px solid {accent}; }}
#metric {{ font-size: 20px; font-weight: 600; }}
#pages {{ background: {pane}; border: 0; }}
#paramBar QLabel[shared="true"], #paramBar QCheckBox[shared="true"] {{ color: {accent}; font-weight: 500; }}
#paramBar {{ border: 0; border-bottom: 1px solid {hairline}; }}
QLineEdit#param, QToolButton#param, QPushButton#param {{ background: {card}; border: 1px solid {hairline}; border-radius: 6px; padding: 2px 7px; font-size: {caption}px; }}
QLineEdit#param:focus, QToolButton#param:focus, QPushButton#param:focus {{ border: 1px solid {accent}; }}
QToolButton#param:hover, QPushButton#param:hover {{ border-color: {faint}; }}
QTabBar#paramTabs::tab {{ padding: 2px 9px 3px 9px; margin: 0 1px; font-size: {caption}px; }}
#paramBar QCheckBox {{ font-size: {caption}px; spacing: 6px; }}
QPushButton#run {{ background: {accent}; color: {on_accent}; border: 1px solid {accent}; border-radius: 6px; padding: 2px 12px; font-size: {caption}px; }}
#popup {{ background: {card}; border: 1px solid {hairline}; border-radius: {radius}px; }}
#tabs {{ background: {background}; border-bottom: 1px solid {hairline}; }}
QTabBar {{ background: transparent; border: 0; }}
QTabBar::tab {{ background: transparent; color: {muted}; border: 0; border-bottom: 2px solid transparent; padding: 8px 10px 7px 10px; margin: 0 2px; }}
QTabBar::tab:selected {{ color: {text}; border-bottom: 2px solid {accent}; }}
QTabBar::tab:hover:!selected {{ color: {text}; }}
QPushButton:disabled {{ color: {faint}; }}
QComboBox {{ background: {card}; border: 1px solid {hairline}; border-radius: {radius}px; padding: 6px 9px; }}
QComboBox:focus {{ border: 1px solid {accent}; }}
QComboBox::drop-down {{ border: 0; width: 20px; }}
QComboBox QAbstractItemView {{ background: {card}; border: 1px solid {hairline}; selection-background-color: {accent_soft}; selection-color: {text}; }}
QCalendarWidget QWidget#qt_calendar_navigationbar {{ background: {card}; }}
QCalendarWidget QTableView::item {{ padding: 0; }}
QCalendarWidget QToolButton {{ background: transparent; border: 0; padding: 4px 8px; }}
QTreeWidget {{ background: {card}; border: 1px solid {hairline}; border-radius: {radius}px; padding: 4px; }}
QTreeWidget::item {{ padding: 5px 4px; border-radius: 6px; }}
QTreeWidget::item:selected {{ background: {accent_soft}; color: {text}; }}
QTreeWidget::item:hover:!selected {{ background: {own}; }}
QListWidget {{ background: transparent; border: 0; }}
QListWidget#picker {{ background: {card}; border: 1px solid {hairline}; border-radius: {radius}px; padding: 4px; }}
QListWidget#picker::item {{ margin: 0; padding: 0 8px; }}
QListWidget::item {{ padding: 7px 8px; border-radius: {radius}px; margin: 1px 0; }}
QListWidget::item:selected {{ background: {accent_soft}; color: {text}; }}
QListWidget::item:hover:!selected {{ background: {own}; }}
QTableView {{ background: {card}; border: 0; gridline-color: {hairline}; selection-background-color: {accent_soft};
    selection-color: {text}; border-bottom-left-radius: {radius_card}px; border-bottom-right-radius: {radius_card}px; }}
QTableView::item {{ padding: 0 8px; border: 0; }}
QTableView QScrollBar, QAbstractScrollArea::corner {{ background: transparent; border: 0; }}
QLineEdit {{ background: {card}; border: 1px solid {hairline}; border-radius: {radius}px; padding: 7px 9px; }}
QHeaderView, QHeaderView::section {{ background: {card}; color: {muted}; border: 0; }}
QHeaderView::section {{ border-bottom: 1px solid {hairline}; padding: 6px 11px; font-weight: 400; }}
QTableCornerButton::section {{ background: {card}; border: 0; }}
QScrollArea {{ border: 0; background: transparent; }}
QSplitter::handle {{ background: {hairline}; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {hairline}; border-radius: 4px; min-height: 32px; min-width: 32px; margin: 1px; }}
QScrollBar::handle:hover {{ background: {faint}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QMenu {{ background: {card}; border: 1px solid {hairline}; border-radius: {radius}px; padding: 4px; }}
QMenu::item {{ padding: 6px 20px 6px 12px; border-radius: 6px; }}
QMenu#marked::indicator {{ width: 0; height: 0; image: none; }}
QMenu::separator {{ height: 1px; background: {hairline}; margin: 4px 8px; }}
QMenu::item:selected {{ background: {accent_soft}; }}
QToolTip {{ background: {card}; color: {text}; border: 1px solid {hairline}; padding: 4px; }}
"""
HIGH = """
QPushButton:focus, QToolButton:focus, QLineEdit:focus, QComboBox:focus, QDoubleSpinBox:focus, #composer[focused="true"],
QPushButton#quiet:focus, QToolButton#quiet:focus, QPushButton#link:focus, QToolButton#link:focus,
QToolButton#tile:focus, QPushButton#chip:focus, QToolButton#send:focus {{ border: 2px solid {text}; }}
QPushButton:disabled {{ color: {muted}; }}
QListWidget::item:selected, QTreeWidget::item:selected, QMenu::item:selected {{ border: 1px solid {text}; }}
"""


def tokens_for(app: QApplication, forced: str | None = None, contrast: str = "system") -> Tokens:
    """Return the theme's tokens: the forced one, else the system's; contrast: system, normal or high."""
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
    """Return the tokens of the first paint: the forced theme's, else by the look of the system's palette.

    To ask the system itself, Qt's names have to be loaded, which takes a tenth of all that comes before the paint.
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
        SHEET.format(**values, **sizes, families=families, check=check.as_posix())
        + (HIGH.format(**values) if tokens.high else "")
    )


def text_font(pixels: int) -> QFont:
    """Return the system's font at a size in pixels, its figures tabular."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setFamilies(
        [QFontInfo(font).family(), *(KANJI if spoken_language() == "ja" else HAN)]
    )  # left to itself, a bold face may be picked for Chinese
    font.setPixelSize(pixels)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font
