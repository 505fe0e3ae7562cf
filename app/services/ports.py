"""Interfaces that the services need; adapters implement them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from app.domain.copilot import AddedCopilot, Copilot

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from app.domain.conversation import Attachment, Conversation, Draft, FoundTurn, Turn
    from app.domain.copilot import AddedCopilot, Copilot, RequestOffer
    from app.domain.dashboard import Tab
    from app.domain.events import Event, Item, State
    from app.domain.sound import Device, LiveStep, TranscriptStep
    from app.domain.stream import Message
    from app.domain.widget import Widget


class AskPort(Protocol):
    """Asks copilots."""

    def ask(
        self, copilot: Copilot, turns: list[Turn], offer: RequestOffer
    ) -> AsyncGenerator[Item, None]:
        """Yield an answer; raises CopilotError, at once or in the middle."""
        ...


class CopilotPort(AskPort, Protocol):
    """Finds copilots and asks them."""

    async def discover(
        self, address: str, allowed_hosts: frozenset[str], headers: dict[str, str] | None = None
    ) -> list[Copilot]:
        """Return the copilots an address publishes; raises CopilotError."""
        ...

    async def rate(self, copilot: Copilot, told: dict[str, Any]) -> None:
        """Send a copilot the rating of an answer; raises CopilotError."""
        ...

    async def picture(self, copilot: Copilot) -> bytes:
        """Return its picture; empty if it has none that may be shown."""
        ...

    async def reach(self, url: str, allowed_hosts: frozenset[str], headers: dict[str, str]) -> None:
        """Check that a server answers at an address; raises CopilotError."""
        ...


class BookPort(Protocol):
    """Keeps the copilots that were added; raises SetupError."""

    async def all(self) -> list[AddedCopilot]:
        """Return them in the order they were added."""
        ...

    async def change(self, change: Callable[[list[AddedCopilot]], list[AddedCopilot]]) -> None:
        """Replace them by which `change` makes of them."""
        ...

    async def picture(self, name: str) -> bytes:
        """Return the picture of one; empty if it has none."""
        ...

    async def keep_picture(self, name: str, picture: bytes) -> None:
        """Keep the picture of one; an empty one is removed."""
        ...


class SecretsPort(Protocol):
    """Keeps sets of secrets by name; raises SecretsError."""

    async def get(self, name: str) -> dict[str, str]:
        """Return a set of secrets; empty if there is none."""
        ...

    async def put(self, name: str, secrets: dict[str, str]) -> None:
        """Keep a set; an empty one is removed."""
        ...


class StorePort(Protocol):
    """Keeps conversations; each method is on disk when it returns."""

    async def new_conversation(self, title: str) -> Conversation:
        """Make a conversation."""
        ...

    async def add_conversation(
        self, title: str, created_at: float, turns: list[Turn]
    ) -> Conversation:
        """Make one with all its turns, or none of it."""
        ...

    async def conversations(self, *, trashed: bool = False) -> list[Conversation]:
        """Return the conversations, or those in the trash, newest first."""
        ...

    async def conversation(self, conversation_id: str) -> Conversation | None:
        """Return one."""
        ...

    async def change_conversation(self, conversation_id: str, **changes: object) -> None:
        """Change the title, pinned, folder, trashed_at, shown or instructions of one."""
        ...

    async def delete_conversation(self, conversation_id: str) -> None:
        """Remove one permanently."""
        ...

    async def empty_trash(self, before: float) -> int:
        """Permanently delete what was put into the trash before a time; return the number
        deleted.
        """
        ...

    async def back_up(self, path: Path) -> None:
        """Write all of the store into a file; raises StoreError."""
        ...

    async def restore(self, path: Path) -> None:
        """Put a copy in place of all that is here, or change nothing; raises StoreError."""
        ...

    async def turns(self, conversation_id: str) -> list[Turn]:
        """Return the turns of one, oldest first; those of older ones have no items until `read`."""
        ...

    async def read(self, turns: list[Turn]) -> None:
        """Read the items of those turns that have not been read."""
        ...

    async def search(self, wanted: str, limit: int = 50) -> list[FoundTurn]:
        """Return titles, then turns, that have every word of `wanted`, the newest first."""
        ...

    async def add_turn(self, turn: Turn) -> None:
        """Write a turn."""
        ...

    async def put_items(
        self, turn_id: str, first: int, items: list[Message | Event], state: State | None = None
    ) -> None:
        """Write items from a position on, and the state."""
        ...

    async def save_widgets(self, widgets: list[Widget]) -> None:
        """Write the widgets."""
        ...

    async def widgets(self) -> list[Widget]:
        """Return the widgets."""
        ...

    async def save_draft(self, conversation_id: str, text: str) -> None:
        """Write what is typed but not sent in a conversation; an empty text removes it."""
        ...

    async def drafts(self) -> list[Draft]:
        """Return the unsent texts, the newest first."""
        ...

    async def save_attachments(self, conversation_id: str, attached: list[Attachment]) -> None:
        """Write the attachments of a conversation's questions."""
        ...

    async def attachments(self, conversation_id: str) -> list[Attachment]:
        """Return the attachments of a conversation."""
        ...

    async def save_tabs(self, tabs: Sequence[Tab]) -> None:
        """Write the dashboards and the places of their widgets."""
        ...

    async def save_setting(self, name: str, value: str) -> None:
        """Write a setting."""
        ...

    async def setting(self, name: str) -> str | None:
        """Return a setting; None if it was never made."""
        ...

    async def tabs(self) -> list[Tab]:
        """Return the dashboards."""
        ...


class SoundPort(Protocol):
    """Ears and a voice."""

    def transcribe(
        self, path: Path, fields: dict[str, str]
    ) -> AsyncGenerator[TranscriptStep, None]:
        """Yield a file's transcript while it is written; raises SoundError, ServiceError."""
        ...

    def speak(self, body: dict[str, Any]) -> AsyncGenerator[bytes, None]:
        """Yield the sound of a text; closing it stops the model; raises SoundError,
        ServiceError.
        """
        ...

    async def voices(self) -> list[str]:
        """Return the models that speak, by id; raises SoundError, ServiceError."""
        ...


class LoudspeakerPort(Protocol):
    """Plays 16-bit samples of one channel, `app.domain.sound.RATE` a second."""

    @property
    def played(self) -> int:
        """Bytes that have been heard."""
        ...

    async def play(self, sound: bytes) -> None:
        """Take whole samples; return when there is room for more. Raises SoundError."""
        ...

    async def drained(self) -> None:
        """Return when all it was given has been heard."""
        ...

    def silence(self) -> None:
        """Stop the sound at once and drop the rest."""
        ...


class EchoPort(Protocol):
    """Removes the sound of our loudspeaker from a microphone's sound; raises nothing."""

    def begin(self) -> None:
        """Start again; may take a moment."""
        ...

    def clean(self, heard: bytes, played: bytes) -> bytes:
        """Return the next sound that was heard without that which was played meanwhile."""
        ...


class GlobalKeyPort(Protocol):
    """A key that is heard while other windows are in front. held: its name; empty for none."""

    held: str

    async def hold(self, keys: str, told: Callable[[bool, int], object]) -> None:
        """Register a global shortcut such as `ctrl+alt+m`; an empty name releases it; told: called
        with pressed or released, and the time (ms).

        Raises: ShortcutError.
        """
        ...

    def close(self) -> None:
        """Give it back."""
        ...


class LiveStreamPort(Protocol):
    """Live sound on its way to the ear, `app.domain.sound.EAR_RATE` samples a second."""

    async def begin(self, wanted: dict[str, Any]) -> None:
        """Start again with other options; sound sent before is forgotten; raises SoundError."""
        ...

    async def send(self, sound: bytes) -> None:
        """Hand on samples of 16 bits, in any portions; raises SoundError."""
        ...

    async def end(self) -> None:
        """Report the end of the sound; finals and `ended` follow; raises SoundError."""
        ...

    def steps(self) -> AsyncGenerator[LiveStep, None]:
        """Yield transcription events until the stream is closed; raises SoundError."""
        ...


class EarPort(Protocol):
    """Hears live sound."""

    def listen(self, wanted: dict[str, Any]) -> AbstractAsyncContextManager[LiveStreamPort]:
        """Open a stream; a missing model is reported on entering. Raises SoundError,
        ServiceError.
        """
        ...


class MicrophonePort(Protocol):
    """An open microphone; leaving its block closes it."""

    @property
    def name(self) -> str:
        """Return its system name."""
        ...

    @property
    def waiting(self) -> int:
        """Return the number of recorded bytes that were not read yet."""
        ...

    def frames(self) -> AsyncGenerator[bytes, None]:
        """Yield samples as they come, from when it was opened; raises SoundError when it is
        unplugged.
        """
        ...


class SoundCardPort(Protocol):
    """The microphones and loudspeakers of this machine. device: a name; None is the system's
    default.
    """

    async def microphones(self) -> list[Device]:
        """Return those plugged in; raises SoundError."""
        ...

    async def loudspeakers(self) -> list[Device]:
        """Return those plugged in; raises SoundError."""
        ...

    def microphone(self, device: str | None) -> AbstractAsyncContextManager[MicrophonePort]:
        """Open one; raises SoundError on entering."""
        ...

    def loudspeaker(self, device: str | None) -> LoudspeakerPort:
        """Return one; it is open from its first sound until that was heard or silenced."""
        ...


class FilePort(Protocol):
    """An object that is stored across restarts."""

    async def read(self) -> dict[str, Any]:
        """Return the saved value; raises SetupError."""
        ...

    async def change(self, changed: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Replace the saved value by the result of `changed`; raises SetupError."""
        ...


class KeysPort(SecretsPort, Protocol):
    """Sets of secrets by name, in the system's keyring."""

    async def trouble(self) -> str:
        """Return why secrets cannot be stored; empty if they can."""
        ...


class ModelsPort(Protocol):
    """The model service's routes beside questions."""

    async def get(self, path: str) -> dict[str, Any]:
        """Return the answer of a path; raises DeskpilotError."""
        ...

    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the answer to a request; raises ProviderError, ModelServiceError, ServiceError."""
        ...


class ServicePort(Protocol):
    """The model service of this machine."""

    async def address(self) -> AddressPort:
        """Return the service's address, after starting it if necessary; raises ServiceError."""
        ...


class AddressPort(Protocol):
    """Where the service listens."""

    @property
    def url(self) -> str:
        """Its base address."""
        ...

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers of each request."""
        ...
