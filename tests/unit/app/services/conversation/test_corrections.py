"""Readings that were chosen are kept over restarts and sent along, the newest first."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from app.adapters.store.store import Store
from app.domain.events import Reading
from app.services.conversation.copilots import LIMIT, Corrections

if TYPE_CHECKING:
    from pathlib import Path


def chosen(template: str, column: str) -> Reading:
    where = [{"column": "name", "op": "=", "value": "somebody"}]
    arguments = {"source": "s", "where": where, "column": column}
    return Reading(
        wire={
            "template": template,
            "interface": "mean",
            "arguments": arguments,
            "words": ["mean", column],
        }
    )


async def test_a_correction_outlives_a_restart_and_the_newer_wins(home: Path) -> None:
    store = await Store.open(home / "s.sqlite")
    corrections = Corrections(store)
    assert await corrections.options() == {}
    await corrections.learn(chosen("how much did VAL pay", "fee"))
    await corrections.learn(chosen("how much did VAL pay", "price"))
    await corrections.learn(Reading(wire={"interface": "mean", "arguments": {}}))  # an older one's
    await corrections.learn(Reading(wire={"template": "t", "arguments": "none"}))
    await store.aclose()
    store = await Store.open(home / "s.sqlite")
    sent = json.loads(str((await Corrections(store).options())["deskpilot-templates"]))
    await store.aclose()
    assert [(r["template"], r["arguments"]) for r in sent] == [
        ("how much did VAL pay", {"column": "price"})
    ]


async def test_no_more_than_fifty_are_sent(home: Path) -> None:
    store = await Store.open(home / "s.sqlite")
    corrections = Corrections(store)
    for n in range(LIMIT + 5):
        await corrections.learn(chosen(f"question {n}", "fee"))
    kept = await corrections.chosen()
    await store.aclose()
    assert [r["template"] for r in kept[:2]] == [f"question {LIMIT + 4}", f"question {LIMIT + 3}"]
    assert len(kept) == LIMIT
