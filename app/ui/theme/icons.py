"""Icons in the colour of the theme, and buttons that show only an icon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QToolButton

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QIcon
    from PySide6.QtWidgets import QWidget

STROKES = {
    "plus": "M12 5v14M5 12h14",
    "send": "M12 19V5M6 11l6-6 6 6",
    "stop": "M7 7h10v10H7z",
    "menu": "M4 7h16M4 12h16M4 17h16",
    "close": "M7 7l10 10M17 7L7 17",
    "sun": "M12 4v2M12 18v2M4 12h2M18 12h2M6.3 6.3l1.4 1.4M16.3 16.3l1.4 1.4M6.3 17.7l1.4-1.4M16.3 7.7l1.4-1.4M12 9a3 3 0 100 6 3 3 0 000-6z",
    "panel": "M4 5h16v14H4zM14 5v14",
    "chevron": "M6 9l6 6 6-6",
    "down": "M12 5v14M6 13l6 6 6-6",
    "up": "M12 19V5M6 11l6-6 6 6",
    "larger": "M14 5h5v5M10 19H5v-5M19 5l-6 6M5 19l6-6",
    "chart": "M4 18l5-6 4 3 7-9",
    "refresh": "M19 12a7 7 0 11-2-5M19 4v4h-4",
    "check": "M5 12.5l4.5 4.5L19 7.5",
    "mic": "M12 4a3 3 0 013 3v5a3 3 0 01-6 0V7a3 3 0 013-3zM6 11v1a6 6 0 0012 0v-1M12 18v3M9 21h6",
    "voice": "M7 10l5 5 5-5",
    "save": "M12 4v11M7 11l5 5 5-5M5 20h14",
    "more": "M6 12h.01M12 12h.01M18 12h.01",
    "models": "M12 4l8 4-8 4-8-4zM4 12l8 4 8-4M4 16l8 4 8-4",
    "help": "M12 3a9 9 0 100 18 9 9 0 000-18zM9.5 9.5a2.5 2.5 0 113.7 2.2c-.8.5-1.2 1-1.2 1.8M12 16.6v.1",
    "settings": "M4 8h9M17 8h3M4 16h3M11 16h9M15 6v4M9 14v4",
    "pin": "M9 4h6l-1 6 4 4H6l4-4zM12 14v6",
    "edit": "M5 19l1-4L16 5l3 3L9 18zM14 7l3 3",
    "trash": "M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12",
}


def icon(name: str, colour: str, size: int = 18) -> QIcon:
    """Return an icon in a given colour. It is also sharp at double pixel density."""
    from PySide6.QtCore import QByteArray  # imported here, because the first paint needs no icon
    from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
    from PySide6.QtSvg import QSvgRenderer

    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="{STROKES[name]}"'
        f' fill="none" stroke="{colour}" stroke-width="1.8" stroke-linecap="round"'
        ' stroke-linejoin="round"/></svg>'
    )
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    made = QIcon()
    for factor in (1, 2):
        pixmap = QPixmap(QSize(size * factor, size * factor))
        pixmap.fill(QColor(0, 0, 0, 0))
        painter = QPainter(pixmap)
        renderer.render(painter)
        painter.end()
        pixmap.setDevicePixelRatio(factor)
        made.addPixmap(pixmap)
    return made


def icon_button(
    style: str,
    label: str,
    parent: QWidget,
    pressed: Callable[[], object] | None = None,
    size: int = 18,
) -> QToolButton:
    """Return a button that shows only an icon.

    style: a name from the style sheet, such as tile or quiet. label: its accessible name and
    tooltip. size: the size of the icon in pixels. The icon itself is set when a theme is applied.
    """
    button = QToolButton(parent)
    button.setObjectName(style)
    button.setAccessibleName(label)
    button.setToolTip(label)
    button.setIconSize(QSize(size, size))
    if pressed is not None:
        button.clicked.connect(lambda: pressed())
    return button
