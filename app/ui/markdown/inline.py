"""Inline Markdown: bold text, code, links and citation marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QFont, QImage, QTextCharFormat, QTextCursor

from app.ui.controls.actions import Cite
from app.ui.markdown.document import code_font
from app.ui.markdown.formulas import ALT, INLINE, put_formula, source_of
from app.ui.theme.tokens import CAPTION_PX

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it.token import Token

    from app.ui.theme.tokens import Tokens

    Images = Callable[[str], QImage | None]

MARK = re.compile(r"\s?\[(\d{1,3})\]")
SPACE = "\u202f"  # a narrow no-break space, used around the number in a chip
CHIP = re.compile(f"{SPACE}{SPACE}(\\d+){SPACE}")
SCHEMES = ("http://", "https://", "mailto:")


def marks_in(text: str, cites: int) -> list[re.Match[str]]:
    """Return the marks of the first `cites` citations in a text; other bracketed numbers are plain
    text.
    """
    return [mark for mark in MARK.finditer(text) if 1 <= int(mark[1]) <= cites]


def readable(text: str) -> str:
    """Return displayed text as it would be written, with citation chips as [1]."""
    return CHIP.sub(r" [\1]", text).replace("\ufffc", "")


def text_of(cursor: QTextCursor) -> str:
    """Return selected text as it would be written in Markdown, with chips as [1] and formulas as
    LaTeX.
    """
    text = cursor.selection().toPlainText()
    if "\ufffc" in text:
        parts, said = text.split("\ufffc"), pictures_in(cursor)
        text = "".join(part + (said[n] if n < len(said) else "") for n, part in enumerate(parts))
    return readable(text)


def pictures_in(cursor: QTextCursor) -> list[str]:
    """Return the alternative text of each picture in a selection."""
    first, last = cursor.selectionStart(), cursor.selectionEnd()
    said: list[str] = []
    block = cursor.document().findBlock(first)
    while block.isValid() and block.position() < last:
        at = block.begin()
        while not at.atEnd():
            fragment, form = at.fragment(), at.fragment().charFormat()
            if form.isImageFormat():
                spots = range(fragment.position(), fragment.position() + fragment.length())
                said += [str(form.property(ALT) or "") for spot in spots if first <= spot < last]
            at += 1
        block = block.next()
    return said


class Inline:
    """Writes text at a cursor. images: a function that returns the images embedded in the text.
    cites: the number of citations.
    """

    def __init__(
        self, cursor: QTextCursor, tokens: Tokens, images: Images | None = None, cites: int = 0
    ) -> None:
        self.cursor = cursor
        self._tokens = tokens
        self._images = images
        self.cites = cites
        self._chip = chip_format(tokens)

    def put(self, found: list[Token], base: QTextCharFormat) -> None:
        """Insert the tokens of a line of text. base: the format of tokens that have no format of
        their own.
        """
        stack = [base]
        for token in found:
            kind = token.type
            if kind == "text":
                self._text(token.content, stack[-1])
            elif kind == "softbreak":
                self.cursor.insertText(" ", stack[-1])
            elif kind == "hardbreak":
                self.cursor.insertText("\u2028", stack[-1])
            elif kind == "code_inline":
                self.cursor.insertText(token.content, self._code(stack[-1]))
            # nothing is fetched; an image that is not embedded is represented by its alternative
            # text
            elif kind == "image":
                held = (
                    self._images(str(token.attrGet("src") or ""))
                    if self._images is not None
                    else None
                )
                if held is not None:
                    self.cursor.insertImage(held)
                else:
                    self.cursor.insertText(f"[{token.content or 'image'}]", stack[-1])
            elif kind in INLINE:
                self.formula(token, stack[-1], display=kind != INLINE[0])
            elif kind.endswith("_open"):
                stack.append(self._styled(token, stack[-1]))
            elif kind.endswith("_close") and len(stack) > 1:
                stack.pop()

    def _text(self, text: str, form: QTextCharFormat) -> None:
        at = 0
        for mark in marks_in(text, self.cites):
            self.cursor.insertText(text[at : mark.start()], form)
            self.cursor.insertText(SPACE, form)
            chip = QTextCharFormat(self._chip)
            chip.setAnchorHref(Cite(int(mark[1])).href)
            self.cursor.insertText(f"{SPACE}{mark[1]}{SPACE}", chip)
            at = mark.end()
        self.cursor.insertText(text[at:], form)

    def formula(self, token: Token, base: QTextCharFormat, *, display: bool) -> None:
        """Insert a formula, or its source if it cannot be drawn."""
        source = source_of(token)
        if not put_formula(self.cursor, token.content.strip(), source, base, display=display):
            self.cursor.insertText(source.replace("\n", "\u2028"), self._code(base))

    def _styled(self, token: Token, base: QTextCharFormat) -> QTextCharFormat:
        form = QTextCharFormat(base)
        if token.type == "strong_open":
            form.setFontWeight(QFont.Weight.DemiBold)
        elif token.type == "em_open":
            form.setFontItalic(True)
        elif token.type == "s_open":
            form.setFontStrikeOut(True)
        elif token.type == "link_open":
            href = str(token.attrGet("href") or "")
            if href.lower().startswith(SCHEMES):
                form.setAnchor(True)
                form.setAnchorHref(href)
                form.setForeground(QColor(self._tokens.accent))
        return form

    def _code(self, base: QTextCharFormat) -> QTextCharFormat:
        form = QTextCharFormat(base)
        form.setFontFamilies(code_font().families())
        form.setBackground(QColor(self._tokens.code))
        return form


def chip_format(tokens: Tokens) -> QTextCharFormat:
    """Return the format of a citation mark; the view paints the chip behind it."""
    from app.ui.theme.style import text_font

    form = QTextCharFormat()
    font = text_font(CAPTION_PX - 1)
    font.setWeight(QFont.Weight.DemiBold)
    form.setFont(font)
    form.setAnchor(True)
    form.setForeground(QColor(tokens.accent))
    return form
