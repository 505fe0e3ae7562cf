"""Cut Markdown into blocks that never change once the next begins, and set one as a document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontDatabase,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)

from app.ui.style.theme import text_font
from app.ui.style.tokens import CAPTION_PX, TEXT_PX

if TYPE_CHECKING:
    from app.ui.style.tokens import Tokens

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
MARK = re.compile(r"(?<!\])\[(\d{1,2})\](?!\()")
FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
LINE_HEIGHT = 150.0  # percent of the font's own, which with most fonts is 1.55 of its size


def split(text: str) -> list[str]:
    """Return the blocks of a text: cut at blank lines outside fences; a fence is a block of its own."""
    return [block for _, block in cut(text, 0)]


def cut(text: str, start: int) -> list[tuple[int, str]]:
    """Return the blocks from `start` on, where a block begins, each with its offset."""
    blocks: list[tuple[int, str]] = []
    lines: list[str] = []
    fence, begun, at = "", start, start
    for line in text[start:].split("\n"):
        mark = FENCE.match(line)
        closes = bool(fence and mark and mark[1].startswith(fence) and line.strip() == mark[1])
        opens = mark is not None and not fence
        blank = not fence and not line.strip() and not (line == "" and lines and lines[-1].startswith("    "))
        if lines and (opens or blank):
            blocks.append((begun, "\n".join(lines)))
            lines = []
        if not blank:
            begun = begun if lines else at
            lines.append(line)
        if opens and mark is not None:
            fence = mark[1]
        elif closes:
            blocks.append((begun, "\n".join(lines)))
            lines, fence = [], ""
        at += len(line) + 1
    return [*blocks, (begun, "\n".join(lines))] if lines and any(map(str.strip, lines)) else blocks


class Cutter:
    """Cuts a text that grows; only its last block is looked at again."""

    def __init__(self) -> None:
        self._text = ""
        self._blocks: list[tuple[int, str]] = []

    def blocks(self, text: str) -> list[str]:
        """Return the blocks of the text."""
        if not self._blocks or not text.startswith(self._text):
            self._blocks = cut(text, 0)
        elif text != self._text:
            last = self._blocks.pop()
            self._blocks += cut(text, last[0])
        self._text = text
        return [block for _, block in self._blocks]


class Document(QTextDocument):
    """A document that loads nothing from anywhere: what it names may be hostile."""

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Give nothing for any image or style sheet."""
        return None


def make_document() -> Document:
    """Return an empty document in the text font."""
    document = Document()
    document.setUndoRedoEnabled(False)
    document.setDocumentMargin(0)
    document.setDefaultFont(text_font(TEXT_PX))
    return document


def set_block(document: Document, block: str, tokens: Tokens) -> None:
    """Set one block of Markdown; citation marks become links to `cite:n`."""
    if FENCE.match(block):
        set_code(document, block, tokens)
        return
    document.setMarkdown(MARK.sub(lambda m: f"[\u2009{m[1]}\u2009](cite:{m[1]})", block), FEATURES)
    dress(document, tokens)


def set_code(document: Document, block: str, tokens: Tokens) -> None:
    """Set a fence as coloured code, its fences left out."""
    first, *rest = block.split("\n")
    mark = FENCE.match(first)
    language = first[mark.end() :].strip().split(" ")[0] if mark else ""
    body = rest[:-1] if rest and FENCE.match(rest[-1]) else rest
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(TEXT_PX - 1)
    document.setDefaultFont(font)
    document.setPlainText("\n".join(body))
    colour(document, "\n".join(body), language, tokens)


def colour(document: Document, code: str, language: str, tokens: Tokens) -> None:
    """Colour code by its tokens."""
    from pygments import lex
    from pygments.lexers import get_lexer_by_name
    from pygments.token import Token
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language or "text", stripnl=False, ensurenl=False)
    except ClassNotFound:
        lexer = get_lexer_by_name("text", stripnl=False, ensurenl=False)
    shades = {Token.Keyword: tokens.accent, Token.Comment: tokens.faint, Token.Literal: tokens.muted}
    cursor = QTextCursor(document)
    at = 0
    for kind, text in lex(code, lexer):
        shade = next((c for parent, c in shades.items() if kind in parent), None)
        size = len(text.encode("utf-16-le")) // 2  # Qt counts in UTF-16
        if shade:
            cursor.setPosition(at)
            cursor.setPosition(at + size, QTextCursor.MoveMode.KeepAnchor)
            form = QTextCharFormat()
            form.setForeground(QBrush(QColor(shade)))
            cursor.mergeCharFormat(form)
        at += size


def dress(document: Document, tokens: Tokens) -> None:
    """Give a document our line height, links, marks and tables."""
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    spacing = QTextBlockFormat()
    spacing.setLineHeight(LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    spacing.setTopMargin(0)
    spacing.setBottomMargin(0)
    cursor.mergeBlockFormat(spacing)
    block = document.begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            fragment = pieces.fragment()
            form = fragment.charFormat()
            if form.isAnchor():
                cursor.setPosition(fragment.position())
                cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
                cursor.mergeCharFormat(link_format(form.anchorHref(), tokens))
            pieces += 1
        block = block.next()
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            dress_table(frame, tokens)


def link_format(href: str, tokens: Tokens) -> QTextCharFormat:
    """Return how a link looks: a small chip for a citation mark, coloured text otherwise."""
    form = QTextCharFormat()
    form.setFontUnderline(False)
    form.setForeground(QBrush(QColor(tokens.accent)))
    if href.startswith("cite:"):
        font = text_font(CAPTION_PX)
        font.setWeight(QFont.Weight.DemiBold)
        form.setFont(font, QTextCharFormat.FontPropertiesInheritanceBehavior.FontPropertiesSpecifiedOnly)
        form.setBackground(QBrush(QColor(tokens.accent_soft)))
    return form


def dress_table(table: QTextTable, tokens: Tokens) -> None:
    """Give a table hairlines between its rows and the whole width."""
    form = table.format()
    form.setBorder(1)
    form.setBorderBrush(QBrush(QColor(tokens.hairline)))
    form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    form.setBorderCollapse(True)
    form.setCellPadding(5)
    form.setCellSpacing(0)
    form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    table.setFormat(form)
