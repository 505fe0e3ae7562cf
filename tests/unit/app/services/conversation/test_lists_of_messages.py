"""A list of LMC messages comes in and goes out again as it was."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from app.adapters.copilots.lmc import lmc_messages
from app.services.conversation.exchange import Exchange
from app.services.conversation.history import History

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.app.services.scripted import Terminal

SEED: list[dict[str, Any]] = [
    {
        "role": "user",
        "type": "message",
        "content": "Please create a plot from this data and display it.",
    },
    {"role": "user", "type": "image", "format": "path", "content": "path/to/image.png"},
    {"role": "user", "type": "file", "content": "/path/to/file.pdf"},
    {
        "role": "assistant",
        "type": "message",
        "content": "Processing your request to generate a plot.",
    },
    {"role": "assistant", "type": "code", "format": "python", "content": "display_as_html(plot)"},
    {"role": "computer", "type": "image", "format": "base64.png", "content": "base64"},
    {
        "role": "computer",
        "type": "code",
        "format": "html",
        "content": "<html>Plot in HTML format</html>",
    },
    {"role": "computer", "type": "console", "format": "output", "content": "{HTML errors}"},
    {"role": "assistant", "type": "message", "content": "Plot generated successfully."},
]
ODD: list[dict[str, Any]] = [
    {"role": "assistant", "type": "message", "content": "Hello.", "id": "a", "created_at": 1.5},
    {
        "role": "user",
        "type": "message",
        "content": "Hi.",
        "id": "b",
        "created_at": 2.5,
        "recipient": "assistant",
    },
    {
        "role": "computer",
        "type": "console",
        "format": "output",
        "content": "",
        "recipient": "assistant",
    },
    {
        "role": "computer",
        "type": "code",
        "format": "html",
        "content": "<b>",
        "recipient": "user",
        "id": "c",
    },
    {"role": "user", "type": "message", "content": "Hi.\u2028é😀"},
    {"role": "user", "type": "message", "content": ""},
]


async def test_messages_come_in_and_go_out_as_they_were(terminal: Terminal, tmp_path: Path) -> None:
    exchange = Exchange(terminal.store, History(terminal.store))
    for number, messages in enumerate((SEED, ODD, ODD)):  # the last of them is there already
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(messages))
        (made,) = await exchange.read(path)
        assert json.loads(await exchange.text(made.id, "lmc")) == messages


async def test_a_confirmation_is_left_out_and_a_question_is_sent_once(
    terminal: Terminal, tmp_path: Path
) -> None:
    history = History(terminal.store)
    exchange, path = Exchange(terminal.store, history), tmp_path / "talk.json"
    asked = {
        "role": "computer",
        "type": "confirmation",
        "format": "execution",
        "content": {"type": "code"},
    }
    path.write_text(json.dumps([*SEED[:5], asked, *SEED[5:]]))
    (made,) = await exchange.read(path)
    assert json.loads(await exchange.text(made.id, "lmc")) == SEED
    thread = await history.thread(made.id)
    await terminal.store.read(thread.turns)
    assert lmc_messages(thread.turns, 10_000, []) == SEED
