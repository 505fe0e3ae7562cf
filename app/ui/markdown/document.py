"""The documents of the conversation: fonts, formats, and no access to external resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontDatabase,
    QFontInfo,
    QTextBlockFormat,
    QTextCharFormat,
    QTextDocument,
)

from app.ui.theme.style import scaled, text_font
from app.ui.theme.tokens import TEXT_PX

if TYPE_CHECKING:
    from app.ui.theme.tokens import Tokens

LINE_HEIGHT = (
    150.0  # percent of the font's line height, which for most fonts is about 1.55 times its size
)


class TextLink(NamedTuple):
    """A range of text that is a link."""

    href: str
    start: int
    length: int


class BlockDocument(QTextDocument):
    """A document that loads nothing, because its addresses may be hostile.

    plain_end: the format of text appended at the end; None if none can be appended. cites: the
    number of citations its marks may refer to. waits: whether a formula is shown as source until it
    is drawn.
    """

    def __init__(self, font: QFont) -> None:
        super().__init__()
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setDefaultFont(font)
        self.setIndentWidth(22)
        self.plain_end: QTextCharFormat | None = None
        self.cites = 0
        self.waits = False
        self._links: list[TextLink] | None = None

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Return nothing, whatever image or style sheet is requested."""
        return None

    def links(self) -> list[TextLink]:
        """Return its links in reading order."""
        if self._links is None:
            self._links = []
            block = self.begin()
            while block.isValid():
                at = block.begin()
                while not at.atEnd():
                    fragment = at.fragment()
                    if href := fragment.charFormat().anchorHref():
                        self._add(TextLink(href, fragment.position(), fragment.length()))
                    at += 1
                block = block.next()
        return self._links

    def _add(self, link: TextLink) -> None:
        assert self._links is not None
        before = self._links[-1] if self._links else None
        if before and before.href == link.href and before.start + before.length == link.start:
            self._links[-1] = TextLink(link.href, before.start, before.length + link.length)
        else:
            self._links.append(link)

    def forget_links(self) -> None:
        """Find the links again when they are next needed, because the text has changed."""
        self._links = None


def code_font(pixels: int = TEXT_PX - 1) -> QFont:
    """Return the system's monospace font."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setFamilies([QFontInfo(font).family(), *text_font(pixels).families()[1:]])
    font.setPixelSize(scaled(pixels))
    return font


def spaced(top: int = 0) -> QTextBlockFormat:
    """Return the format of a paragraph with our line height. top: the space above in pixels."""
    form = QTextBlockFormat()
    form.setLineHeight(LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    form.setTopMargin(top)
    return form


def sliver() -> QTextBlockFormat:
    """Return the format of the empty paragraphs Qt adds around a table, which are one
    pixel high.
    """
    form = QTextBlockFormat()
    form.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    return form


def text_format(tokens: Tokens, *, muted: bool = False, pixels: int = TEXT_PX) -> QTextCharFormat:
    """Return the format of plain text."""
    form = QTextCharFormat()
    form.setFont(text_font(pixels))
    form.setForeground(QBrush(QColor(tokens.muted if muted else tokens.text)))
    return form
