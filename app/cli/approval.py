"""Ask in the shell before code runs. The code is shown, then run, edited or refused."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.patch_stdout import patch_stdout
from rich.console import Console
from rich.syntax import Syntax

from app.cli.screen import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.consents import Consent, Consents


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
