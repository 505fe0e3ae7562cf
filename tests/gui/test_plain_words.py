"""What terms of the trade mean is said where they stand: tokens, the context."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QPushButton, QWidget

from app.domain.dashboard import Widget
from app.ui.composer.attachments import Chips
from app.ui.dashboard.title_bar import TitleBar


def test_a_chip_says_what_tokens_and_the_context_are(qapp: Any) -> None:
    parent = QWidget()
    chips = Chips(parent)
    chips.show([Widget("u", "Sales", "sales.csv", attached=True)], {"u": 12})
    chips.show_costs({"u": 2100})
    chip = parent.findChildren(QPushButton)[-1]
    assert "~2.1k tokens" in chip.text()
    for told in (chip.toolTip(), chip.accessibleDescription()):
        assert "attached to your questions" in told
        assert "About 2,100 tokens" in told
        assert "A token is a short piece of a word" in told


def test_in_context_says_what_that_means(qapp: Any) -> None:
    bar = TitleBar("Sales")
    bar.set_attached(False)
    assert "attach it to your questions" in bar.context.accessibleDescription()
    bar.set_attached(True)
    assert bar.context.accessibleDescription().startswith("In context: attached to your questions")
    assert "Remove from the context" in bar.context.toolTip()
    assert bar.context.accessibleName() == "Sales: Remove from context"
