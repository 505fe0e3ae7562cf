"""What an attached widget costs a copilot that reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.domain.dashboard import Widget
from app.services.conversation.attachments import Costs, tokens_of

if TYPE_CHECKING:
    from pathlib import Path


async def test_each_attached_widget_is_counted_once_for_each_version(
    terminal: Any, tmp_path: Path
) -> None:
    path = tmp_path / "p.csv"
    path.write_text("a,b\n1,2\n", "utf-8")
    widgets = terminal.widgets
    table = await widgets.add_file(path)
    await widgets.add(
        Widget("n", "Note", "", type="note", text="four words of mine", attached=True)
    )
    costs = Costs(widgets)
    first = await costs.of_attached()
    assert first.keys() == {table.uuid, "n"}
    assert first["n"] == tokens_of("four words of mine")
    path.write_text("a,b\n" + "1,2\n" * 50, "utf-8")
    await widgets.add_file(path)
    assert (await costs.of_attached())[table.uuid] > first[table.uuid] * 10
    await widgets.attach("n", attached=False)
    assert (await costs.of_attached()).keys() == {table.uuid}


def test_other_scripts_take_more_tokens_for_a_character() -> None:
    assert tokens_of("abcd" * 10) == 11
    assert tokens_of("失业率" * 10) > 20
