"""The parts of live voice, put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.voice.echo import Reference
from app.services.voice.live.choices import ChoicesStore
from app.services.voice.live.dictation import Dictation
from app.services.voice.live.reader import Reader
from app.services.voice.live.standby import Standby
from app.services.voice.live.talk import Talk

if TYPE_CHECKING:
    from app.services.ports import (
        EarPort,
        EchoPort,
        GlobalKeyPort,
        SoundCardPort,
        SoundPort,
        StorePort,
    )
    from app.services.settings.settings import Settings
    from app.services.tasks import Tasks
    from app.services.turns import Turns
    from app.services.voice.speech import Speech


@dataclass(frozen=True)
class Outside:
    """What voice needs of the machine and of the model service."""

    card: SoundCardPort
    ear: EarPort
    sound: SoundPort
    key: GlobalKeyPort
    echo: EchoPort


@dataclass(frozen=True)
class LiveVoice:
    """Dictation, reading aloud and talk, with what one chose for them. key: begins to dictate from any window."""

    card: SoundCardPort
    key: GlobalKeyPort
    choices: ChoicesStore
    standby: Standby
    dictation: Dictation
    reader: Reader
    talk: Talk


def live_voice(
    outside: Outside,
    speech: Speech,
    turns: Turns,
    tasks: Tasks,
    store: StorePort,
    settings: Settings,
) -> LiveVoice:
    """Put the parts together."""
    choices, card = ChoicesStore(settings), Reference(outside.card, outside.echo)
    standby = Standby(outside.card, tasks, choices)
    reader = Reader(speech, card, turns, choices)
    talk = Talk(outside, card, reader, turns, tasks, choices, store)
    dictation = Dictation(outside.ear, standby, tasks)
    return LiveVoice(outside.card, outside.key, choices, standby, dictation, reader, talk)
