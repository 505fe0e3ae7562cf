"""Words that come into the shell's commands: from stdin, or typed; UTF-8 or one sentence about it."""

from __future__ import annotations

import sys

from app.domain.errors import TextsError

FIX = "Save it as UTF-8."


def from_stdin() -> str:
    """Return what stdin holds.

    Raises: TextsError if it is not UTF-8.
    """
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TextsError("stdin is not text in UTF-8.", FIX) from error


def typed(text: str) -> str:
    """Return a text of the command line.

    Raises: TextsError for bytes that are no text: Python keeps those as halves of characters, which cannot be sent.
    """
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise TextsError(
            "What was typed is not text in UTF-8.", "Put it into a file saved as UTF-8."
        )
    return text
