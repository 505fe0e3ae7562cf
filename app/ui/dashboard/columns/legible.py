"""Colours a backend names, made readable on the colours of a theme."""

from __future__ import annotations

from functools import cache

from PySide6.QtGui import QColor

CONTRAST, STEPS = (
    4.5,
    20,
)  # what words need to be read, as WCAG counts it; how finely the way there is cut


@cache
def legible(name: str, ground: str) -> QColor:
    """Return a colour near a named one whose words can be read on a ground; an invalid one for no colour."""
    colour, under = QColor(name), QColor(ground)
    if not colour.isValid():
        return colour
    towards = QColor("white" if luminance(under) < 0.5 else "black")
    for step in range(STEPS + 1):
        made = mixed(colour, towards, step / STEPS)
        if contrast(made, under) >= CONTRAST:
            return made
    return towards


def mixed(one: QColor, other: QColor, share: float) -> QColor:
    """Return a colour on the way from one to another."""
    return QColor.fromRgbF(
        *(a + (b - a) * share for a, b in zip(parts(one), parts(other), strict=True))
    )


def parts(colour: QColor) -> tuple[float, float, float]:
    """Return how much red, green and blue a colour has, from 0 to 1."""
    return colour.redF(), colour.greenF(), colour.blueF()


def contrast(one: QColor, other: QColor) -> float:
    """Return how far two colours are apart in lightness, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: QColor) -> float:
    """Return how light a colour is, from 0 to 1."""
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
