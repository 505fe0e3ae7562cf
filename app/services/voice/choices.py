"""Voice settings, saved between sessions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from app.domain.settings import CHOICES

if TYPE_CHECKING:
    from app.domain.settings import Setting
    from app.services.settings.settings import Settings

UNNAMED = frozenset({"microphone", "loudspeaker", "language", "voice"})


@dataclass(frozen=True)
class VoiceChoices:
    """microphone, loudspeaker: names; None is the system's default. language: ISO 639-1; None
    detects it.

    names: the words of attached tables are expected. send: dictated text is sent at once. aloud:
    answers are spoken while they come. interrupt: the user may interrupt in a talk; the program's
    own voice is removed from the sound. chimes: sounds signal when a talk listens. ready: the
    microphone stays open while the window is in front, so that no first word is lost. voice: the
    speech model; None is one for each language. speed: of speech, 1 is the voice's own. shortcut:
    keys that dictate from any window; empty for none.
    """

    microphone: str | None = None
    loudspeaker: str | None = None
    language: str | None = None
    names: bool = True
    send: bool = False
    aloud: bool = False
    interrupt: bool = False
    chimes: bool = True
    ready: bool = False
    voice: str | None = None
    speed: float = 1.0
    shortcut: str = ""


class ChoicesStore:
    """Reads and writes the choices, which are settings; `now` are those that hold."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.now = VoiceChoices()
        settings.subscribe(self._on_setting)

    async def load(self) -> VoiceChoices:
        """Read them.

        Raises: SetupError.
        """
        kept = {name: await self._settings.get(setting) for name, setting in CHOICES.items()}
        self.now = VoiceChoices(**{name: value_of(name, value) for name, value in kept.items()})
        return self.now

    async def change(self, **changed: Any) -> None:
        """Change the voice settings.

        Raises: SetupError.
        """
        for name, value in changed.items():
            await self._settings.put(CHOICES[name], "" if value is None else value)

    def _on_setting(self, setting: Setting[Any], value: Any) -> None:
        name = setting.key.removeprefix("voice.")
        if CHOICES.get(name) is setting:
            self.now = replace(self.now, **{name: value_of(name, value)})


def value_of(name: str, value: Any) -> Any:
    """Return a setting's value as a choice; an empty name is None."""
    return None if value == "" and name in UNNAMED else value
