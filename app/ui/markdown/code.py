"""Show a code block, with colours once it is complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextLayout

from app.ui.markdown.document import BlockDocument, code_font
from app.ui.markdown.split import FENCE, BlockSplitter

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument

    from app.ui.theme.tokens import Tokens

# maximum number of characters shown of a complete code block; copying copies all of it
MOST = 60_000
# maximum number of characters coloured; Pygments reads about 230 KB/s and must not delay a frame
COLOURED = 10_000


def language_of(block: str) -> str:
    """Return the language named in a code fence; empty if there is none."""
    first = block.split("\n", 1)[0]
    mark = FENCE.match(first)
    return first[mark.end() :].strip().split(" ")[0][:24] if mark else ""


def is_closed(block: str) -> bool:
    """Return whether a code block has its closing fence."""
    first, _, rest = block.partition("\n")
    mark, last = FENCE.match(first), rest.rsplit("\n", 1)[-1]
    end = FENCE.match(last)
    return bool(mark and end and end[2].startswith(mark[2]) and last.strip() == end[2])


def pages_in(text: str) -> list[str]:
    """Return the web pages in an answer; these are its complete HTML code blocks."""
    if "html" not in text.lower():
        return []
    blocks = BlockSplitter().update(text)
    return [
        body_of(block)
        for block in blocks
        if language_of(block).lower() == "html" and is_closed(block)
    ]


def body_of(block: str) -> str:
    """Return the code without its fences.

    If the block is incomplete, a last line that may become its closing fence is left out.
    """
    _, _, rest = block.partition("\n")
    body, _, last = rest.rpartition("\n")
    if is_closed(block) or last.lstrip().startswith(("`", "~")):
        return body
    return rest


def set_code(document: BlockDocument, block: str, tokens: Tokens) -> None:
    """Show a block's code without its fences."""
    document.setDefaultFont(code_font())
    body = body_of(block)
    document.setPlainText(body if len(body) <= MOST else f"{body[:MOST]}\n…")
    if is_closed(block):
        colour(document, body[:COLOURED], language_of(block), tokens)


def extend_code(document: BlockDocument, old: str, new: str, tokens: Tokens) -> bool:
    """Append the new part of a code block; return whether that was possible."""
    before, after = body_of(old), body_of(new)
    if not after.startswith(before):
        return False
    cursor = QTextCursor(document)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.insertText(after[len(before) :])
    if is_closed(new):
        colour(document, after[:COLOURED], language_of(new), tokens)
    return True


def colour(document: QTextDocument, code: str, language: str, tokens: Tokens) -> None:
    """Colour code by its tokens. The colours are layout formats, so colouring does not edit the
    text itself.
    """
    from pygments import lex
    from pygments.lexers import get_lexer_by_name
    from pygments.token import Token
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language or "text", stripnl=False, ensurenl=False)
    except ClassNotFound:
        return
    shades = {
        Token.Keyword: tokens.accent,
        Token.Comment: tokens.faint,
        Token.Literal: tokens.string,
    }
    block, at = document.begin(), 0
    ranges: list[QTextLayout.FormatRange] = []
    for kind, text in lex(code, lexer):
        shade = next((c for parent, c in shades.items() if kind in parent), None)
        for number, part in enumerate(text.split("\n")):
            if number:
                block.layout().setFormats(ranges)
                block, at, ranges = block.next(), 0, []
            size = len(part.encode("utf-16-le")) // 2  # Qt counts in UTF-16
            if shade and size:
                ranges.append(stretch(at, size, shade))
            at += size
    if block.isValid():
        block.layout().setFormats(ranges)
    document.markContentsDirty(0, document.characterCount())


def stretch(start: int, length: int, shade: str) -> QTextLayout.FormatRange:
    """Return a range of text with a single colour."""
    made, form = QTextLayout.FormatRange(), QTextCharFormat()
    form.setForeground(QColor(shade))
    made.start, made.length, made.format = start, length, form
    return made
