"""What comes of code while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Form = Literal["base64.png", "base64.jpeg", "html", "plotly"]


@dataclass(frozen=True)
class Printed:
    """Text on its output."""

    text: str


@dataclass(frozen=True)
class Line:
    """The line that runs now, counted from 1; None once nothing runs."""

    number: int | None


@dataclass(frozen=True)
class Shown:
    """Something to look at. format: base64.png, base64.jpeg, html, or plotly with a figure as
    content.
    """

    format: Form
    content: Any


@dataclass(frozen=True)
class Failed:
    """The code itself failed: what to say of it in one sentence, if there is more to say than what
    it printed.
    """

    text: str = ""
    remedy: str = ""


Piece = Printed | Line | Shown | Failed
