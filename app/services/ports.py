"""Interfaces that the services need and the adapters implement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from app.domain.copilot import AddedCopilot, Copilot

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from app.domain.conversation import Attachment, Conversation, Draft, FoundTurn, Turn
    from app.domain.copilot import AddedCopilot, Copilot, RequestOffer
    from app.domain.dashboard import Tab, Widget
    from app.domain.events import Event, Item, State
    from app.domain.sound import Device, LiveStep, TranscriptStep
    from app.domain.stream import Message


class AskPort(Protocol):
    """Sends questions to copilots."""

    def ask(
        self, copilot: Copilot, turns: list[Turn], offer: RequestOffer
    ) -> AsyncGenerator[Item, None]:
        """Yield an answer. Raises: CopilotError, at the beginning or in the middle."""
        ...


class CopilotPort(AskPort, Protocol):
    """Finds copilots and sends them questions."""

    async def discover(
        self, address: str, allowed_hosts: frozenset[str], headers: dict[str, str] | None = None
    ) -> list[Copilot]:
        """Return the copilots that an address publishes. Raises: CopilotError."""
        ...

    async def rate(self, copilot: Copilot, told: dict[str, Any]) -> None:
        """Send the rating of an answer to a copilot. Raises: CopilotError."""
        ...

    async def picture(self, copilot: Copilot) -> bytes:
        """Return a copilot's picture, or empty bytes if it has none that can be shown."""
        ...

    async def reach(self, url: str, allowed_hosts: frozenset[str], headers: dict[str, str]) -> None:
        """Check that a server answers at an address. Raises: CopilotError."""
        ...


class BookPort(Protocol):
    """Stores the added copilots. Raises: SetupError."""

    async def all(self) -> list[AddedCopilot]:
        """Return the copilots in the order in which they were added."""
        ...

    async def change(self, change: Callable[[list[AddedCopilot]], list[AddedCopilot]]) -> None:
        """Replace the copilots with the result of `change`."""
        ...

    async def picture(self, name: str) -> bytes:
        """Return the picture of a copilot, or empty bytes if it has none."""
        ...

    async def keep_picture(self, name: str, picture: bytes) -> None:
        """Save the picture of a copilot. Empty bytes remove it."""
        ...


class SecretsPort(Protocol):
    """Stores sets of secrets by name. Raises: SecretsError."""

    async def get(self, name: str) -> dict[str, str]:
        """Return a set of secrets, or an empty dictionary if there is none."""
        ...

    async def put(self, name: str, secrets: dict[str, str]) -> None:
        """Save a set of secrets. An empty set removes the stored one."""
        ...


class StorePort(Protocol):
    """Stores conversations. The changes made by each method are on disk when it returns."""

    async def new_conversation(self, title: str) -> Conversation:
        """Create a conversation."""
        ...

    async def add_conversation(
        self, title: str, created_at: float, turns: list[Turn]
    ) -> Conversation:
        """Create a conversation with all its turns, or nothing at all."""
        ...

    async def conversations(self, *, trashed: bool = False) -> list[Conversation]:
        """Return the conversations, or those in the trash, newest first."""
        ...

    async def conversation(self, conversation_id: str) -> Conversation | None:
        """Return one conversation."""
        ...

    async def change_conversation(self, conversation_id: str, **changes: object) -> None:
        """Change a conversation's title, pinned, folder, trashed_at, shown or instructions
        field.
        """
        ...

    async def delete_conversation(self, conversation_id: str) -> None:
        """Permanently delete a conversation."""
        ...

    async def empty_trash(self, before: float) -> int:
        """Permanently delete conversations that were moved to the trash before a given time, and
        return how many were deleted.
        """
        ...

    async def back_up(self, path: Path) -> None:
        """Write the complete store to a file. Raises: StoreError."""
        ...

    async def restore(self, path: Path) -> None:
        """Replace everything with a copy, or change nothing. Raises: StoreError."""
        ...

    async def turns(self, conversation_id: str) -> list[Turn]:
        """Return the turns of a conversation, oldest first. Older ones have no items until `read`
        is called.
        """
        ...

    async def read(self, turns: list[Turn]) -> None:
        """Read the items of those turns that have not been read."""
        ...

    async def search(self, wanted: str, limit: int = 50) -> list[FoundTurn]:
        """Return the titles and then the turns that contain every word of `wanted`, newest
        first."""
        ...

    async def add_turn(self, turn: Turn) -> None:
        """Write a turn."""
        ...

    async def put_items(
        self, turn_id: str, first: int, items: list[Message | Event], state: State | None = None
    ) -> None:
        """Write items, starting at a given position, and the turn's state."""
        ...

    async def save_widgets(self, widgets: list[Widget]) -> None:
        """Write the widgets."""
        ...

    async def widgets(self) -> list[Widget]:
        """Return the widgets."""
        ...

    async def save_draft(self, conversation_id: str, text: str) -> None:
        """Save the unsent text of a conversation. An empty text removes it."""
        ...

    async def drafts(self) -> list[Draft]:
        """Return the unsent texts, newest first."""
        ...

    async def save_attachments(self, conversation_id: str, attached: list[Attachment]) -> None:
        """Replace the attachments of a conversation."""
        ...

    async def attachments(self, conversation_id: str) -> list[Attachment]:
        """Return the attachments of a conversation."""
        ...

    async def save_tabs(self, tabs: Sequence[Tab]) -> None:
        """Save the dashboards and the places of their widgets."""
        ...

    async def save_setting(self, name: str, value: str) -> None:
        """Save a setting."""
        ...

    async def setting(self, name: str) -> str | None:
        """Return a setting, or None if it was never set."""
        ...

    async def tabs(self) -> list[Tab]:
        """Return the dashboards."""
        ...


class SoundPort(Protocol):
    """Speech recognition and speech output."""

    def transcribe(
        self, path: Path, fields: dict[str, str]
    ) -> AsyncGenerator[TranscriptStep, None]:
        """Yield a file's transcript as it is produced. Raises: SoundError, ServiceError."""
        ...

    def speak(self, body: dict[str, Any]) -> AsyncGenerator[bytes, None]:
        """Yield the audio of a spoken text. Closing this generator stops the model. Raises:
        SoundError, ServiceError.
        """
        ...

    async def voices(self) -> list[str]:
        """Return the ids of the speech models. Raises: SoundError, ServiceError."""
        ...


class LoudspeakerPort(Protocol):
    """Plays 16-bit samples of one channel, at `app.domain.sound.RATE` samples per second."""

    @property
    def played(self) -> int:
        """The number of bytes that have been played."""
        ...

    async def play(self, sound: bytes) -> None:
        """Add complete samples, and return when there is room for more. Raises: SoundError."""
        ...

    async def drained(self) -> None:
        """Return when everything has been played."""
        ...

    def silence(self) -> None:
        """Stop the sound immediately, and discard the rest."""
        ...


class EchoPort(Protocol):
    """Cancels the loudspeaker's echo in the microphone signal. Its methods never raise errors."""

    def begin(self) -> None:
        """Start again. This can take a moment."""
        ...

    def clean(self, heard: bytes, played: bytes) -> bytes:
        """Return the microphone's next samples without the sound played at the same time."""
        ...


class GlobalKeyPort(Protocol):
    """A shortcut that also works while other windows are in front. held: the name of the shortcut,
    or an empty string if there is none.
    """

    held: str

    async def hold(self, keys: str, told: Callable[[bool, int], object]) -> None:
        """Register a global shortcut such as `ctrl+alt+m`. An empty name releases the current one.
        told: called with True when the shortcut is pressed or False when it is released, and with
        the time in milliseconds.

        Raises: ShortcutError.
        """
        ...

    def close(self) -> None:
        """Release the shortcut."""
        ...


class LiveStreamPort(Protocol):
    """Live audio for speech recognition, at `app.domain.sound.EAR_RATE` samples per second."""

    async def begin(self, wanted: dict[str, Any]) -> None:
        """Start again with other options. Audio sent before is discarded. Raises: SoundError."""
        ...

    async def send(self, sound: bytes) -> None:
        """Send 16-bit samples in portions of any size. Raises: SoundError."""
        ...

    async def end(self) -> None:
        """Report the end of the audio. The final results and `ended` follow. Raises: SoundError."""
        ...

    def steps(self) -> AsyncGenerator[LiveStep, None]:
        """Yield transcription events until the stream is closed. Raises: SoundError."""
        ...


class EarPort(Protocol):
    """Recognises live speech."""

    def listen(self, wanted: dict[str, Any]) -> AbstractAsyncContextManager[LiveStreamPort]:
        """Open a stream. A missing model is reported on entering the block. Raises: SoundError,
        ServiceError.
        """
        ...


class MicrophonePort(Protocol):
    """An open microphone, which is closed on leaving its block."""

    @property
    def name(self) -> str:
        """Return the name that the system gives the microphone."""
        ...

    @property
    def waiting(self) -> int:
        """Return the number of recorded bytes that have not been read yet."""
        ...

    def frames(self) -> AsyncGenerator[bytes, None]:
        """Yield samples as they arrive, starting with those recorded when the microphone was
        opened. Raises: SoundError when it is unplugged.
        """
        ...


class SoundCardPort(Protocol):
    """The microphones and loudspeakers of this machine. device: its name, or None for the system's
    default.
    """

    async def microphones(self) -> list[Device]:
        """Return the connected microphones. Raises: SoundError."""
        ...

    async def loudspeakers(self) -> list[Device]:
        """Return the connected loudspeakers. Raises: SoundError."""
        ...

    def microphone(self, device: str | None) -> AbstractAsyncContextManager[MicrophonePort]:
        """Open a microphone. Raises: SoundError on entering the block."""
        ...

    def loudspeaker(self, device: str | None) -> LoudspeakerPort:
        """Return a loudspeaker, which is open from its first sound until everything has been played
        or it is stopped.
        """
        ...


class FilePort(Protocol):
    """A JSON object that is stored across restarts."""

    async def read(self) -> dict[str, Any]:
        """Return the saved value. Raises: SetupError."""
        ...

    async def change(self, changed: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Replace the saved value with the result of `changed`. Raises: SetupError."""
        ...


class KeysPort(SecretsPort, Protocol):
    """Sets of secrets by name, in the system's keyring."""

    async def trouble(self) -> str:
        """Return why secrets cannot be stored, or an empty string if they can be stored."""
        ...


class ModelsPort(Protocol):
    """The model service's routes, except those for questions."""

    async def get(self, path: str) -> dict[str, Any]:
        """Return the answer to a GET request. Raises: DeskpilotError."""
        ...

    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the answer to a request. Raises: ProviderError, ModelServiceError,
        ServiceError."""
        ...


class ServicePort(Protocol):
    """The model service of this machine."""

    async def address(self) -> AddressPort:
        """Return the service's address, after starting the service if necessary. Raises:
        ServiceError."""
        ...


class AddressPort(Protocol):
    """The address at which the service listens."""

    @property
    def url(self) -> str:
        """The service's base address."""
        ...

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers for each request."""
        ...
