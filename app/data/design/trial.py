"""Try a designed interface out: what the library's validator asks, and that it answers each request
it is for.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from app.data.design.merge import given, same
from app.data.library.validator import ORDER, SECONDS, by_luck, failed, hashes, validated
from app.domain.errors import DeskpilotError
from backends.data.errors import Interrupted, KernelError
from backends.data.stopping import interruptibly

if TYPE_CHECKING:
    from app.data.library.entry import Cover, Entry
    from app.data.sources import Sources


async def tried(entry: Entry, sources: Sources, seconds: float = SECONDS) -> Entry:
    """Return an entry with its status. `validated` only if the validator finds nothing, at least
    one of its requests is answered, and none takes too long or is answered otherwise the second
    time; requests it has no answer to are left out.

    Raises: DeskpilotError for a table that cannot be read any more.
    """
    made = await validated(entry, sources, seconds)
    if made.status != "validated":
        return made
    files = [sources.source(uid).path for uid in entry.workflow.sources()]
    before = await asyncio.to_thread(hashes, files)
    answered: dict[str, bool] = {}  # by values: a request may be said in several ways
    for cover in entry.covers:
        key = json.dumps(cover.values, sort_keys=True)
        try:
            if key not in answered:
                await answers(made, cover, sources, seconds)
                answered[key] = True
        except (TimeoutError, Interrupted):
            return failed(made, f"“{cover.request}” takes more than {seconds:g} s.")
        except ByLuck:
            return failed(made, ORDER)
        except Unsteady:
            return failed(made, f"“{cover.request}” is answered otherwise each time.")
        except (KernelError, DeskpilotError):
            answered[key] = False  # what cannot be answered is no request of this interface
    kept = [cover for cover in entry.covers if answered[json.dumps(cover.values, sort_keys=True)]]
    if await asyncio.to_thread(hashes, files) != before:
        return failed(made, "A file changed while it ran.")
    if entry.covers and not kept:
        return failed(made, "It answers none of its requests.")
    return made.model_copy(update={"covers": kept})


class Unsteady(Exception):
    """An answer that is another one the second time."""


class ByLuck(Exception):
    """An answer that is another one where rows stand in another order."""


async def answers(entry: Entry, cover: Cover, sources: Sources, seconds: float) -> None:
    """Answer a request twice, and with rows in another order.

    Raises: KernelError, DeskpilotError where it cannot; TimeoutError, Unsteady, ByLuck.
    """
    async with asyncio.timeout(seconds):
        filled = entry.workflow.filled(cover.values)
        first = await interruptibly(given, filled, sources)
        if not same(first, await interruptibly(given, filled, sources)):
            raise Unsteady
        if await interruptibly(by_luck, filled, sources):
            raise ByLuck
