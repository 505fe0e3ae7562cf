"""Ask in the shell before a copilot does something: yes or no, and no where nobody sits there."""

from __future__ import annotations

import asyncio
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.cli.screen import printable

if TYPE_CHECKING:
    from collections.abc import Generator

    from app.services.consents import Consent, Consents

YES = {"y", "yes", "j", "ja", "是", "好", "はい"}


@contextmanager
def asking(consents: Consents) -> Generator[None]:
    """Ask whoever types, while the block lasts; where input is no terminal nobody is asked, and nothing allowed."""
    if not sys.stdin.isatty():
        yield
        return
    tasks: set[asyncio.Task[None]] = set()

    async def ask(consent: Consent) -> None:
        from prompt_toolkit import PromptSession

        try:
            said = await PromptSession[str]().prompt_async(f"\n{printable(consent.question)}\n[y/N] ")
        except (EOFError, KeyboardInterrupt):
            said = ""
        consents.answer(said.strip().lower() in YES)

    def on_consent(consent: Consent | None) -> None:
        for task in tasks:
            task.cancel()
        if consent is not None:
            task = asyncio.get_running_loop().create_task(ask(consent), name="ask for consent")
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    leave = consents.subscribe(on_consent)
    try:
        yield
    finally:
        leave()
        for task in tasks:
            task.cancel()
