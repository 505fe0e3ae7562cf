"""Named colours and sizes; no other file contains colours."""

from __future__ import annotations

from typing import NamedTuple

RADIUS, RADIUS_CARD, RADIUS_COMPOSER = 8, 12, 14
COLUMN, SIDEBAR, DASHBOARD = 640, 232, 400
# in pixels: height of a chart in an answer, chosen so that the text above and below stays visible
CHART_HEIGHT = 220
TEXT_PX, CHROME_PX, CAPTION_PX, SMALL_PX = 14, 13, 12, 11
FIGURE_PX, TITLE_PX, HEAD_PX = 20, 18, 22


class Tokens(NamedTuple):
    """The colours of a theme, as #rrggbb, and its text size.

    lines: the colours of additional lines in a chart; the first line has the accent colour. scale:
    the scale of all text, where 1.0 is the default size.
    """

    dark: bool
    background: str
    pane: str
    card: str
    hairline: str
    text: str
    muted: str
    faint: str
    accent: str
    accent_soft: str
    on_accent: str
    own: str
    flash: str
    code: str
    danger: str
    string: str
    lines: tuple[str, ...]
    high: bool = False  # high contrast: 7:1 between any text and its background
    scale: float = 1.0


LIGHT = Tokens(
    dark=False,
    background="#fbfbfa",
    pane="#f4f4f2",
    card="#ffffff",
    hairline="#e3e3df",
    text="#1c1c1a",
    muted="#6c6c66",
    faint="#9a9a93",
    accent="#0f766e",
    accent_soft="#d9efec",
    on_accent="#ffffff",
    own="#eef0ee",
    flash="#fff2c2",
    code="#f3f3f0",
    danger="#b3261e",
    string="#8a5a00",
    lines=("#b45309", "#4f46e5", "#be185d", "#0369a1", "#4d7c0f", "#7c3aed", "#6c6c66"),
)
DARK = Tokens(
    dark=True,
    background="#191a1b",
    pane="#141516",
    card="#1f2122",
    hairline="#303334",
    text="#e8e8e4",
    muted="#9ea19d",
    faint="#71746f",
    accent="#4fd1c0",
    accent_soft="#163f3b",
    on_accent="#10201e",
    own="#262929",
    flash="#4d4214",
    code="#242627",
    danger="#f2b8b5",
    string="#d9b36c",
    lines=("#f6ad55", "#a5b4fc", "#f9a8d4", "#7dd3fc", "#bef264", "#c4b5fd", "#9ea19d"),
)
HIGH_LIGHT = Tokens(
    dark=False,
    background="#ffffff",
    pane="#ffffff",
    card="#ffffff",
    hairline="#4d4d4d",
    text="#000000",
    muted="#1f1f1f",
    faint="#3d3d3d",
    accent="#00483f",
    accent_soft="#b9e6df",
    on_accent="#ffffff",
    own="#e8e8e8",
    flash="#ffe45c",
    code="#f0f0f0",
    danger="#8c0009",
    string="#5a3800",
    high=True,
    lines=("#7a3500", "#2f24b0", "#8c0a45", "#003f66", "#2f4f06", "#4f1bb0", "#3d3d3d"),
)
HIGH_DARK = Tokens(
    dark=True,
    background="#000000",
    pane="#000000",
    card="#000000",
    hairline="#a6a6a6",
    text="#ffffff",
    muted="#e6e6e6",
    faint="#c9c9c9",
    accent="#74f5e3",
    accent_soft="#004038",
    on_accent="#000000",
    own="#262626",
    flash="#5c4d00",
    code="#141414",
    danger="#ffb8b2",
    string="#ffd685",
    high=True,
    lines=("#ffc27a", "#c2cbff", "#ffc2e2", "#a6e0ff", "#d8ff9c", "#d9ccff", "#e6e6e6"),
)
