"""Opening a conversation of 10,000 messages against one of 10, from the disk to the first paint.

python -m tests.bench.store [--pairs 9]
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import statistics
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from app.adapters.store.store import Store
from app.domain.conversation import Turn
from app.domain.events import CallResult, CopilotCall, Ended, Reading, Status
from app.domain.stream import Message
from app.ui.chat.view import ConversationView

FEW, MANY = 10, 10_000  # messages; two a turn


def turn(conversation_id: str, number: int, parent: str | None) -> Turn:
    """Return a turn as our copilot makes them."""
    items = [
        Status("INFO", "unemp · 2009", reading=Reading(("unemp", "2009"))),
        CopilotCall(
            "execute_agent_tool", {"tool_name": "look_up"}, '{"function": "execute_agent_tool"}'
        ),
        CallResult("execute_agent_tool", '{"value": 9.6}' * 30, False, 0.01),
        Message(
            "assistant", "message", "unemp is **9.6** [1]. " * 10, id=str(number), created_at=1.0
        ),
        Ended("done"),
    ]
    name = f"{conversation_id}-{number}"
    return Turn(
        name,
        conversation_id,
        parent,
        f"What was it in {number}?",
        "done",
        float(number),
        list(items),
    )


async def fill(store: Store, messages: int) -> str:
    """Write a conversation and return its id."""
    conversation = await store.new_conversation(f"{messages} messages")
    last = None
    for number in range(messages // 2):
        made = turn(conversation.id, number, last)
        await store.add_turn(made)
        last = made.id
    return conversation.id


async def opening(store: Store, view: ConversationView, conversation_id: str) -> float:
    """Seconds of processor time, of all threads, from asking the store to the painted view."""
    gc.collect()  # what earlier openings left behind is not this one's
    begun = time.process_time()
    view.set_turns(await store.turns(conversation_id))
    view.grab()
    return time.process_time() - begun


async def measure(pairs: int) -> None:
    """Print the ratio."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "deskpilot.sqlite"
        store = await Store.open(path)
        few, many = await fill(store, FEW), await fill(store, MANY)
        await store.aclose()
        store = await Store.open(path)
        view = ConversationView()
        view.resize(1000, 800)
        view.show()
        ratios: list[float] = []
        await opening(store, view, few)  # fonts
        for _ in range(pairs):
            small = await opening(store, view, few)
            ratios.append(await opening(store, view, many) / small)
        begun = time.perf_counter()
        found = await store.search("9.6", limit=50)
        searched = time.perf_counter() - begun
        await store.aclose()
    low, *_, high = sorted(ratios)
    print(
        f"open 10,000 messages / open 10: {statistics.median(ratios):.2f} ({low:.2f} … {high:.2f});"
        " target ≤ 1.5"
    )
    print(f"search 10,000 messages: {searched * 1000:.1f} ms for {len(found)} turns")


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=9)
    arguments = parser.parse_args()
    app = QApplication([])
    asyncio.run(measure(arguments.pairs))
    assert app


if __name__ == "__main__":
    main()
