"""Convert a block of Markdown to a document, using markdown-it."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextList,
    QTextListFormat,
)

from app.ui.markdown.document import BlockDocument, code_font, spaced, text_format
from app.ui.markdown.formulas import BLOCK, add_math
from app.ui.markdown.inline import Inline
from app.ui.markdown.tables import SHOWN, count_rows, extend_table, set_table
from app.ui.theme.tokens import TEXT_PX

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from app.ui.markdown.inline import Images
    from app.ui.markdown.tables import TableLayout
    from app.ui.theme.tokens import Tokens

HEADINGS = {"h1": 20, "h2": 17}
SPECIAL = re.compile(r"[*_`\[\]<>!\\|~$&#\n:]")
SAFE_LINE = 12  # number of characters after which a line can no longer become a list or a heading
RULER = QTextBlockFormat.Property.BlockTrailingHorizontalRulerWidth


@cache
def parser() -> MarkdownIt:
    """Return the parser, which supports CommonMark, tables, strikethrough, web addresses and
    formulas, but not HTML.
    """
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False, "linkify": True}).enable(
        ["table", "strikethrough", "linkify"]
    )
    assert made.linkify is not None
    made.linkify.set({"fuzzy_link": False, "fuzzy_email": False})
    add_math(made)
    return made


def set_markdown(
    document: BlockDocument,
    source: str,
    tokens: Tokens,
    images: Images | None = None,
    view: TableLayout | None = None,
) -> None:
    """Lay out a block; citation marks become links to `cite:n`.

    images: a function that returns the images embedded in the text. view: how a table is displayed;
    None if its headers cannot be clicked.
    """
    BlockBuilder(document, tokens, images, view).build(parser().parse(source))


def extend_rows(document: BlockDocument, old: str, new: str, tokens: Tokens) -> bool:
    """Append complete rows to a table; return False if appending is not enough."""
    head = old.split("\n", 2)[:2]
    added = new[len(old) :]
    if (
        not new.startswith(old)
        or not added.startswith("\n")
        or len(head) < 2
        or count_rows(old) < 1
    ):
        return False
    room = SHOWN - count_rows(old)
    if room > 0:
        extend_table(document, parser().parse("\n".join(head) + added), room, tokens)
    return True


def extend_text(document: BlockDocument, old: str, new: str) -> bool:
    """Append plain text to a paragraph; return False if appending is not enough."""
    form, line = document.plain_end, old.rsplit("\n", 1)[-1]
    if form is None or not new.startswith(old) or len(line) < SAFE_LINE or line.startswith("    "):
        return False
    added = new[len(old.rstrip(" ")) :].rstrip(" ")  # Markdown strips spaces at the ends of lines
    word = line.rsplit(" ", 1)[-1]
    if SPECIAL.search(added) or ":" in word or "|" in line or "\\" in word:
        return False
    if added:
        cursor = QTextCursor(document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(added, form)
    return True


class BlockBuilder:
    """Writes the tokens of a block into a document."""

    def __init__(
        self,
        document: BlockDocument,
        tokens: Tokens,
        images: Images | None = None,
        view: TableLayout | None = None,
    ) -> None:
        self._document = document
        self._view = view
        self._tokens = tokens
        self._cursor = QTextCursor(document)
        self._inline = Inline(self._cursor, tokens, images, document.cites)
        self._fresh = True  # whether the first paragraph, which always exists, is still unused
        self._lists: list[tuple[QTextListFormat, list[QTextList]]] = []
        self._item = False
        self._quotes = 0
        self._base = text_format(tokens)

    def build(self, found: list[Token]) -> None:
        """Write all tokens; they are laid out once, at the end."""
        self._cursor.beginEditBlock()
        at = 0
        while at < len(found):
            token = found[at]
            if token.type == "table_open":
                end = next(i for i in range(at, len(found)) if found[i].type == "table_close")
                set_table(self._cursor, found[at:end], self._inline, self._tokens, self._view)
                self._fresh, at = True, end
                self._document.plain_end = None
            else:
                self._one(token)
            at += 1
        self._cursor.endEditBlock()

    def _one(self, token: Token) -> None:
        kind = token.type
        if kind == "inline":
            self._inline.put(token.children or [], self._base)
            self._document.plain_end = self._base
        elif kind in ("paragraph_open", "heading_open"):
            self._base = self._words(token)
            self._paragraph(4 if self._lists else 8)
        elif kind in ("bullet_list_open", "ordered_list_open"):
            self._open_list(token)
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif kind == "list_item_open":
            self._item = True
        elif kind == "list_item_close" and self._item:
            self._paragraph(4)
        elif kind in ("blockquote_open", "blockquote_close"):
            self._quotes += 1 if kind == "blockquote_open" else -1
        elif kind in ("fence", "code_block"):
            self._code(token.content.rstrip("\n"))
        elif kind in BLOCK:
            self._formula(token)
        elif kind == "hr":
            self._rule()

    def _words(self, token: Token) -> QTextCharFormat:
        if token.type == "paragraph_open":
            return text_format(self._tokens, muted=self._quotes > 0)
        form = text_format(self._tokens, pixels=HEADINGS.get(token.tag, TEXT_PX + 1))
        form.setFontWeight(QFont.Weight.DemiBold)
        return form

    def _paragraph(self, top: int) -> None:
        form = spaced(0 if self._fresh else top)
        form.setLeftMargin(16 * self._quotes)
        if self._lists and not self._item:
            form.setIndent(len(self._lists))
        if self._fresh:
            self._cursor.setBlockFormat(form)
            self._cursor.setBlockCharFormat(self._base)
        else:
            self._cursor.insertBlock(form, self._base)
        self._fresh = False
        if self._lists and self._item:
            self._item = False
            style, first = self._lists[-1]
            if first:
                first[0].add(self._cursor.block())
            else:
                first.append(self._cursor.createList(style))

    def _open_list(self, token: Token) -> None:
        if self._item:  # the item starts with a nested list
            self._paragraph(4)
        style = QTextListFormat()
        ordered = token.type == "ordered_list_open"
        style.setStyle(
            QTextListFormat.Style.ListDecimal if ordered else QTextListFormat.Style.ListDisc
        )
        style.setStart(int(token.attrGet("start") or 1))
        style.setIndent(len(self._lists) + 1)
        self._lists.append((style, []))

    def _code(self, text: str) -> None:
        self._base = text_format(self._tokens)
        self._base.setFont(code_font())
        self._paragraph(8)
        form = self._cursor.blockFormat()
        form.setBackground(QColor(self._tokens.code))
        self._cursor.setBlockFormat(form)
        self._cursor.insertText(text.replace("\n", "\u2028"), self._base)
        self._document.plain_end = None

    def _formula(self, token: Token) -> None:
        """Write a formula centred on a line of its own."""
        self._base = text_format(self._tokens)
        self._paragraph(8)
        form = self._cursor.blockFormat()
        form.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        form.setLineHeight(0, QTextBlockFormat.LineHeightTypes.SingleHeight.value)
        self._cursor.setBlockFormat(form)
        self._inline.formula(token, self._base, display=True)
        self._document.plain_end = None

    def _rule(self) -> None:
        self._base = text_format(self._tokens)
        self._paragraph(8)
        form = self._cursor.blockFormat()
        form.setProperty(RULER, 1)
        form.setBackground(QColor(self._tokens.hairline))
        form.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        self._cursor.setBlockFormat(form)
        self._document.plain_end = None
