"""Terminal output and input: escape untrusted text, handle Ctrl+C, turn errors into exit
statuses.

Ask in the shell before code runs: it is shown, then run, edited or refused.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import unicodedata
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from prompt_toolkit import PromptSession
from prompt_toolkit.patch_stdout import patch_stdout
from rich.console import Console
from rich.syntax import Syntax

from app.domain.errors import DeskpilotError, TextsError
from backends.installation import installation

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator

    from app.services.consents import Consent, Consents


def printable(text: str) -> str:
    """Return text without control characters: a copilot may write words, not steer the screen."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) != "Cc")


async def until_stopped(work: Coroutine[Any, Any, None]) -> bool:
    """Run work; Ctrl+C ends it and not the program. Return whether it ran to its end."""
    task = asyncio.create_task(work, name="work of the chat")
    with on_interrupt(task):
        try:
            await task
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if not task.cancelled() or (current is not None and current.cancelling()):
                task.cancel()
                raise
            return False
    return True


@contextmanager
def on_interrupt(task: asyncio.Task[None]) -> Generator[None]:
    """Cancel a task on Ctrl+C while the block runs."""
    loop = asyncio.get_running_loop()
    before = signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(task.cancel))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def run_safely(work: object) -> int:
    """Run a coroutine; an error of ours is one sentence and its remedy on stderr, exit status 1."""
    try:
        return asyncio.run(work)  # pyright: ignore[reportArgumentType]
    except DeskpilotError as error:
        print(installation().typed(str(error)), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130


FIX = "Save it as UTF-8."


def from_stdin() -> str:
    """Return the content of stdin.

    Raises: TextsError if it is not UTF-8.
    """
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TextsError("stdin is not UTF-8 text.", FIX) from error


def typed(text: str) -> str:
    """Return a text of the command line.

    Raises: TextsError for bytes that are no text: Python keeps those as halves of characters, which
    cannot be sent.
    """
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise TextsError("The input is not UTF-8 text.", "Put it in a file saved as UTF-8.")
    return text


CUT_OFF = "The code runs in a sandbox without network access and without access to your files."
OPEN = "This machine has no sandbox: the code can read your files and use the network."
WAYS = "Run it? [y]es, [a]lways in this conversation, [e]dit, [N]o: "
LEXERS = {"shell": "bash"}


class ShellConsents:
    """Asks for consent in the shell; anything but a yes is a no."""

    def __init__(self, consents: Consents, screen: Console | None = None) -> None:
        self._consents, self._screen = consents, screen or Console(stderr=True)
        self._asking: asyncio.Task[None] | None = None

    def begin(self) -> Callable[[], None]:
        """Begin to ask; return the function that ends this."""
        return self._consents.subscribe(self._on_consent)

    def _on_consent(self, consent: Consent | None) -> None:
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None
        if consent is not None:
            self._asking = asyncio.create_task(self._ask(consent), name="ask in the shell")

    async def _ask(self, consent: Consent) -> None:
        prompt: PromptSession[str] = PromptSession()
        self._screen.print(printable(consent.question), style="bold", markup=False)
        if consent.sends:
            self._screen.print(printable(consent.sends), markup=False, highlight=False)
        try:
            with patch_stdout():
                if consent.code is None:
                    said = (await prompt.prompt_async("[y]es, [N]o: ")).strip().lower()
                    self._asking = None
                    self._consents.answer(said in ("y", "yes"))
                    return
                code = printable(consent.code.code)
                self._screen.print(
                    Syntax(code, LEXERS.get(consent.code.language, consent.code.language))
                )
                self._screen.print(CUT_OFF if consent.code.boxed else OPEN, style="dim")
                said = (await prompt.prompt_async(WAYS)).strip().lower()
                edited = None
                if said in ("e", "edit"):
                    edited = await prompt.prompt_async(
                        "", default=consent.code.code, multiline=True
                    )
                    said = (await prompt.prompt_async(WAYS)).strip().lower()
        except (EOFError, KeyboardInterrupt):
            said, edited = "", None
        self._asking = None
        allowed, always = said in ("y", "yes", "a", "always"), said in ("a", "always")
        self._consents.answer(allowed, code=edited, always=always)
