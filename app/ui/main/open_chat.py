"""The interface of the open conversation for other parts of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from app.domain.conversation import Thread, Turn
    from app.domain.events import Reading
    from app.services.deskpilot import Deskpilot
    from app.ui.main.window import MainWindow


class OpenChat(Protocol):
    """The part of the session that the list of chats, the links of answers and the
    workflows use.
    """

    window: MainWindow
    deskpilot: Deskpilot
    conversation_id: str | None
    chat: Thread
    running: Turn | None

    @property
    def turns(self) -> list[Turn]:
        """Return the visible turns, oldest first."""
        ...

    def do(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Run named work and show its errors."""
        ...

    def notice(self, text: str) -> None:
        """Show a message box without blocking the window."""
        ...

    def new_chat(self) -> None:
        """Start a conversation."""
        ...

    def open_chat(self, conversation_id: str, turn_id: str = "", found: str = "") -> None:
        """Open a conversation."""
        ...

    def instruct(self) -> None:
        """Ask for the instructions of this chat."""
        ...

    def reopen(self) -> None:
        """Close the window and open it again with the saved state."""
        ...

    def submit(self, text: str) -> None:
        """Send a question; while an answer is coming in, it is queued."""
        ...

    def begin(self, text: str, parent: str | None, options: dict[str, object]) -> None:
        """Send a question as a turn after `parent`."""
        ...

    def stop(self) -> None:
        """Stop the answer."""
        ...

    def edit(self, turn: Turn | None = None) -> None:
        """Edit a question; by default the last one."""
        ...

    def go_on(self) -> None:
        """Ask the copilot to continue its last answer."""
        ...

    def switch(self, turn: Turn | None, step: int) -> None:
        """Show the next (1) or previous (-1) branch of a turn."""
        ...

    def learn(self, reading: Reading) -> None:
        """Store which interpretation of a question was meant."""
        ...
