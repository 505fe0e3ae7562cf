"""Words can be read on what they stand on, and with high contrast by those who see little."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QTextEdit

from app.domain.settings import CONTRAST
from app.ui.main import theme_switch
from app.ui.theme import style
from app.ui.theme.tokens import DARK, HIGH_DARK, HIGH_LIGHT, LIGHT, Tokens

GROUNDS = ("background", "pane", "card")


def brightness(colour: str) -> float:
    """Return the relative luminance of WCAG 2."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(one: str, other: str) -> float:
    low, high = sorted((brightness(one), brightness(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_words_are_readable(tokens: Tokens) -> None:
    for ground in GROUNDS:
        for words in ("text", "muted", "accent", "danger"):
            assert ratio(getattr(tokens, words), getattr(tokens, ground)) >= 4.5, (words, ground)


@pytest.mark.parametrize("tokens", [HIGH_LIGHT, HIGH_DARK], ids=["light", "dark"])
def test_high_contrast_is_seven_to_one(tokens: Tokens) -> None:
    for ground in (*GROUNDS, "own", "code", "accent_soft", "flash"):
        assert ratio(tokens.text, getattr(tokens, ground)) >= 7, ground
    for ground in GROUNDS:
        for words in ("muted", "faint", "accent", "danger", "string"):
            assert ratio(getattr(tokens, words), getattr(tokens, ground)) >= 7, (words, ground)
        assert ratio(tokens.hairline, getattr(tokens, ground)) >= 4.5
    assert ratio(tokens.on_accent, tokens.accent) >= 7


@pytest.mark.parametrize("tokens", [LIGHT, DARK, HIGH_LIGHT, HIGH_DARK])
def test_what_a_field_asks_for_is_readable(qapp: Any, qtbot: Any, tokens: Tokens) -> None:
    style.apply(qapp, tokens)
    for field in (QLineEdit(), QTextEdit(), QPlainTextEdit()):
        qtbot.addWidget(field)
        field.ensurePolished()
        colour = field.palette().color(QPalette.ColorRole.PlaceholderText)
        assert colour.alpha() == 255
        assert ratio(colour.name(), tokens.card) >= (7 if tokens.high else 4.5)


def test_contrast_is_as_chosen(qapp: Any) -> None:
    assert theme_switch.tokens_for(qapp, "dark", "high") is HIGH_DARK
    assert theme_switch.tokens_for(qapp, "light", "high") is HIGH_LIGHT
    assert theme_switch.tokens_for(qapp, "light", "normal") is LIGHT
    assert CONTRAST.default == "system"


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_a_list_that_opens_shows_an_arrow(qapp: Any, tokens: Tokens) -> None:
    style.apply(qapp, tokens)
    try:
        box = QComboBox()
        box.addItem("A")
        box.resize(160, 36)
        picture = box.grab().toImage()
        inside = {picture.pixelColor(x, y).name() for x in range(136, 156) for y in range(6, 30)}
        assert tokens.muted in inside
        assert tokens.card in inside
    finally:
        style.apply(qapp, LIGHT)
