"""The errors of the terminal.

DeskpilotError(text, remedy)
├── CopilotError            a copilot did not answer as it should
│   ├── Unreachable         no server answers, or the network is off
│   ├── CopilotRefusal      it answered with an HTTP error
│   ├── NotACopilot         the server is not a copilot, or no copilot has this name
│   ├── BrokenOff           the answer was interrupted; its text so far is kept
│   ├── CopilotStalled      no data arrived for too long
│   ├── CapReached          a limit of the turn was reached; the text so far is kept
│   └── ConsentNeeded       it is on another host, which has not been allowed
├── Withheld                a guard model considers a question or an answer harmful
│   └── ModerationFailed    it could not be checked, so it is also held back
├── ServiceError            the model service cannot be started or exits repeatedly
├── SecretsError            the keyring cannot be used
├── ModelServiceError       the model service refused a request
├── ProviderError           a provider or one of its models cannot be used with the values given
├── SetupError              saved settings cannot be read, written or understood
├── ShortcutError           a global shortcut is not available
├── SoundError              sound cannot be transcribed, generated, read or written
│   └── MissingModel        the speech model that is needed is not on this machine
├── SourceError             a file cannot be read as a table
├── DocumentError           a document can't be read, or its index can't be used
├── DatabaseError           a database did not answer as it should
├── TextsError              texts cannot be read from a file
├── BackendError            a widget backend did not answer as it should
│   └── BackendElsewhere    it points to another server, which was not contacted
├── NoConversation          there is no conversation with this id or title
├── ExchangeError           a file contains no readable conversations, or cannot be written
├── ToolError               a plugin or a tool server did not answer as it should
│   ├── NotAllowed          a call was not allowed
│   └── PluginRefused       a manifest or a specification cannot be used
├── ComputerError           code cannot be run, or was ended
├── UnknownSkill            there is no skill with this name, or it cannot be stored
├── UnknownWidget           there is no widget with this id, or it was not offered
└── StoreError              the conversations cannot be stored
    ├── StoreInUse          another Deskpilot process is using them
    └── StoreDamaged        they are damaged, and there is no intact copy of them
"""

from __future__ import annotations


class DeskpilotError(Exception):
    """Base class: what happened (`text`) and what to do about it (`remedy`), in one sentence
    each.
    """

    def __init__(self, text: str, remedy: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.text} {self.remedy}".strip()


class CopilotError(DeskpilotError):
    """A copilot did not answer as it should."""


class Unreachable(CopilotError):
    """No server listens at the address, or the network is off."""


class CopilotRefusal(CopilotError):
    """The copilot answered with an HTTP error.

    status: the HTTP status. detail: the copilot's message. fields: the fields of the request that
    it rejected.
    """

    def __init__(
        self,
        text: str,
        remedy: str = "",
        *,
        status: int = 0,
        detail: str = "",
        fields: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(text, remedy)
        self.status = status
        self.detail = detail
        self.fields = fields


class NotACopilot(CopilotError):
    """The server does not speak the protocol, or no copilot has this name."""


class BrokenOff(CopilotError):
    """The answer was interrupted."""


class CopilotStalled(CopilotError):
    """No data arrived for too long."""


class CapReached(CopilotError):
    """A turn exceeded a limit. cap: the name of the limit in `Caps`, or `repeats`."""

    def __init__(self, text: str, remedy: str = "", *, cap: str) -> None:
        super().__init__(text, remedy)
        self.cap = cap


class ConsentNeeded(CopilotError):
    """The copilot is on a host that has not been allowed yet. host: the name of that host."""

    def __init__(self, text: str, remedy: str = "", *, host: str = "") -> None:
        super().__init__(text, remedy)
        self.host = host


class Withheld(DeskpilotError):
    """A guard model considers a question or an answer harmful."""


class ModerationFailed(Withheld):
    """A question or an answer could not be checked, so it is held back."""


class ServiceError(DeskpilotError):
    """The model service cannot be started, or exits repeatedly."""


class ModelServiceError(DeskpilotError):
    """The model service refused a request. kind: the service's name for the error."""

    def __init__(self, text: str, remedy: str = "", *, kind: str = "") -> None:
        super().__init__(text, remedy)
        self.kind = kind


class ProviderError(DeskpilotError):
    """A provider or one of its models cannot be used with the values that were filled in."""


class SetupError(DeskpilotError):
    """Saved settings cannot be read, written or understood."""


class ShortcutError(DeskpilotError):
    """A global shortcut is not available."""


class SoundError(DeskpilotError):
    """Sound cannot be transcribed, generated, read or written."""


class MissingModel(SoundError):
    """The speech model that is needed is not on this machine; the remedy names it and its size."""


class SourceError(DeskpilotError):
    """A file cannot be read as a table."""


class ReadingStopped(SourceError):
    """The user stopped a file from being read."""


class DocumentError(DeskpilotError):
    """A document can't be read, or the index of the documents can't be used."""


class DatabaseError(DeskpilotError):
    """A database did not answer properly, or refused to answer. kind: `password` if a different
    password is needed.
    """

    def __init__(self, text: str, remedy: str = "", *, kind: str = "") -> None:
        super().__init__(text, remedy)
        self.kind = kind


class TextsError(DeskpilotError):
    """Texts cannot be read from a file."""


class ToolError(DeskpilotError):
    """A plugin or tool server did not answer as it should, or the tool does not exist."""


class NotAllowed(ToolError):
    """The user did not allow a call, or could not be asked."""


class PluginRefused(ToolError):
    """A manifest or specification cannot be used; the text gives the place and the reason."""


class ComputerError(DeskpilotError):
    """Code cannot be run here, or was ended because it exceeded a limit or because its interpreter
    stopped.
    """


class NotStarted(ComputerError):
    """Code was never started."""


class UnknownSkill(DeskpilotError):
    """There is no skill with this name, or it cannot be stored."""


class UnknownWidget(DeskpilotError):
    """There is no widget with this id, or it was not offered."""


class NoConversation(DeskpilotError):
    """Either no conversation or more than one has this id or title."""


class ExchangeError(DeskpilotError):
    """A file contains no readable conversations, or cannot be written."""


class StoreError(DeskpilotError):
    """The conversations cannot be stored."""


class StoreInUse(StoreError):
    """Another Deskpilot process is writing to the same store."""


class StoreDamaged(StoreError):
    """The file is damaged, and there is no intact copy of it."""


class SecretsError(DeskpilotError):
    """The system's keyring cannot be used."""


class BackendError(DeskpilotError):
    """A widget backend did not answer as it should."""


class BackendElsewhere(BackendError):
    """The backend points to another server, to which no request was sent. origin: that server."""

    def __init__(self, text: str, remedy: str = "", *, origin: str = "") -> None:
        super().__init__(text, remedy)
        self.origin = origin


class BackendRefused(BackendError):
    """A widget backend answered with an error. status: the HTTP status."""

    def __init__(self, text: str, remedy: str = "", *, status: int = 0) -> None:
        super().__init__(text, remedy)
        self.status = status
