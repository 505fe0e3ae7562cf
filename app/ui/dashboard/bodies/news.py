"""A news feed whose headlines can be opened."""

from __future__ import annotations

import datetime as dt
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.openbb.kinds import NEWSFEED
from app.ui.dashboard.bodies import WidgetView
from app.ui.dashboard.bodies.text import WordsBody
from app.ui.theme.i18n import tr
from app.ui.theme.tokens import LIGHT, Tokens

# maximum items shown; height in pixels of an open item; maximum characters of a headline
MOST, OPEN_PX, TITLE = 100, 260, 300


class NewsBody(QScrollArea):
    """The list of headlines. Signals: linked(address) when a link in an opened item is clicked."""

    linked = Signal(str)

    def __init__(
        self, items: list[dict[str, Any]], name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setWidgetResizable(True)
        self.setProperty("square", True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner = QWidget(self)
        inner.setObjectName("news")
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 4, 0, 4)
        column.setSpacing(0)
        self.items = [Headline(item, inner) for item in items[:MOST]]
        for item in self.items:
            item.linked.connect(self.linked)
            column.addWidget(item)
        column.addStretch(1)
        self.setWidget(inner)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        for item in self.items:
            item.set_tokens(tokens)


class Headline(QFrame):
    """A headline that opens its item when it is clicked."""

    linked = Signal(str)

    def __init__(self, item: dict[str, Any], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("newsItem")
        self._text, self._tokens = str(item.get("body") or ""), LIGHT
        self._words: WordsBody | None = None
        title = str(item.get("title") or tr("Untitled"))[:TITLE]
        self.head = QPushButton(self)
        self.head.setObjectName("headline")
        self.head.setAccessibleName(tr("{title}. Open", title=title))
        self.head.setCursor(Qt.CursorShape.PointingHandCursor)
        self.head.clicked.connect(self.turn)
        self.head.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        words = QLabel(title, self)
        words.setTextFormat(Qt.TextFormat.PlainText)
        words.setObjectName("cardTitle")
        words.setWordWrap(True)
        words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        about = QLabel(
            " · ".join(p for p in (day(item.get("date")), str(item.get("author") or "")[:80]) if p),
            self,
        )
        about.setTextFormat(Qt.TextFormat.PlainText)
        about.setObjectName("caption")
        self._excerpt = QLabel(str(item.get("excerpt") or "")[:400], self)
        self._excerpt.setTextFormat(Qt.TextFormat.PlainText)
        self._excerpt.setObjectName("muted")
        self._excerpt.setWordWrap(True)
        self._excerpt.setVisible(bool(self._excerpt.text()))
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(14, 8, 14, 8)
        self._column.setSpacing(2)
        for part in (words, about, self._excerpt):
            self._column.addWidget(part)
        self.head.lower()

    def resizeEvent(self, event: Any) -> None:
        """Place the button below the text."""
        super().resizeEvent(event)
        top = (
            self._words.y()
            if self._words is not None and self._words.isVisible()
            else self.height()
        )
        self.head.setGeometry(4, 2, self.width() - 8, top - 4)

    def turn(self) -> None:
        """Open or close the item."""
        if self._words is None:
            self._words = WordsBody(self._text, tr("The article"), parent=self)
            self._words.linked.connect(self.linked)
            self._words.set_tokens(self._tokens)
            self._words.setFixedHeight(OPEN_PX)
            self._column.addWidget(self._words)
        else:
            self._words.setVisible(not self._words.isVisible())

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self._tokens = tokens
        if self._words is not None:
            self._words.set_tokens(tokens)


def day(raw: object) -> str:
    """Return the date of an item as readable text; a text that is not a date is returned
    unchanged.
    """
    try:
        at = dt.datetime.fromisoformat(str(raw))
    except ValueError:
        return str(raw or "")[:40]
    return f"{at:%Y-%m-%d %H:%M}".removesuffix(" 00:00")


VIEW = WidgetView(NEWSFEED, lambda content, name: NewsBody(content.value, name))
