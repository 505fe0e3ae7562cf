"""What can be wrong with a request.

BadRequest(text, remedy)   a ValueError
"""

from __future__ import annotations


class BadRequest(ValueError):
    """The request is not one of this protocol: what is wrong (`text`), what to do (`remedy`)."""

    def __init__(self, text: str, remedy: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.remedy = remedy
