"""What one chose for voice, kept from one session to the next."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.services.ports import StorePort

SETTING = "voice"


@dataclass(frozen=True)
class Choices:
    """microphone, loudspeaker: names; None is the system's default. language: ISO 639-1; None is found out.

    names: the words of attached tables are expected. send: what was dictated is sent at once. aloud: answers are spoken while they come. interrupt: in a talk
    one may speak while it speaks, which needs a headset. chimes: a talk tells by sounds that it listens.
    ready: the microphone stays open while the window is in front, so that no first word is lost. voice: the model that speaks; None is one for each language.
    speed: of speech, 1 is the voice's own.
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


class ChoicesStore:
    """Reads and writes the choices; `now` are those that hold."""

    def __init__(self, store: StorePort) -> None:
        self._store = store
        self.now = Choices()

    async def load(self) -> Choices:
        """Read them.

        Raises: StoreError.
        """
        told: dict[str, Any] = json.loads(await self._store.setting(SETTING) or "{}")
        known = {field.name for field in fields(Choices)}
        self.now = Choices(**{name: value for name, value in told.items() if name in known})
        return self.now

    async def change(self, **changed: Any) -> None:
        """Let others hold from now on.

        Raises: StoreError.
        """
        self.now = replace(self.now, **changed)
        await self._store.save_setting(SETTING, json.dumps(asdict(self.now), ensure_ascii=False))
