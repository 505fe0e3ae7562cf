"""Words without end: looking for where to break one takes seconds, so texts that hold one are
broken anywhere.
"""

from __future__ import annotations

import re

from PySide6.QtGui import QTextDocument, QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

LONGEST = 1500  # letters; scripts without spaces are broken between any two letters as it is
BREAKS = r"\s\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef"
ENDLESS = re.compile(
    rf"(?<![^{BREAKS}])[^{BREAKS}]{{{LONGEST}}}"
)  # looked for where a word begins: read once
AT_WORDS, ANYWHERE = (
    QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere,
    QTextOption.WrapMode.WrapAnywhere,
)


def is_endless(text: str) -> bool:
    """Tell whether a text holds a word without end."""
    return len(text) >= LONGEST and ENDLESS.search(text) is not None


def fit_document(document: QTextDocument, text: str, known: int = 0) -> None:
    """Let a document that holds a text be laid out in no time. known: letters at its beginning
    looked at before.
    """
    option = document.defaultTextOption()
    if known and option.wrapMode() == ANYWHERE:
        return
    wanted = ANYWHERE if is_endless(text[max(0, known - LONGEST) :]) else AT_WORDS
    if option.wrapMode() != wanted:
        option.setWrapMode(wanted)
        document.setDefaultTextOption(option)


def fit_editor(editor: QPlainTextEdit | QTextEdit, text: str) -> None:
    """Let a field one writes in be laid out in no time, once it holds a text."""
    wanted = ANYWHERE if is_endless(text) else AT_WORDS
    if editor.wordWrapMode() != wanted:
        editor.setWordWrapMode(wanted)
