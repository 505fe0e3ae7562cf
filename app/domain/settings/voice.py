"""The page of how one speaks to Deskpilot, and how it speaks."""

from __future__ import annotations

from typing import Any

from app.domain.settings.definition import Page, Setting

DEFAULT = "The system's default"
LANGUAGES = (
    ("", "Detected"),
    ("en", "English"),
    ("zh", "中文"),
    ("ja", "日本語"),
    ("de", "Deutsch"),
    ("fr", "Français"),
    ("es", "Español"),
)


def switch(name: str, label: str, help_: str, *, default: bool = False) -> Setting[bool]:
    """Return a setting that is on or off."""
    return Setting[bool](
        key=f"voice.{name}", kind="switch", default=default, label=label, help=help_
    )


VOICE = Setting[str](
    key="voice.voice",
    kind="model",
    default="",
    label="Voice",
    help="What answers are spoken with; another one speaks the languages it does not.",
    of="tts",
    unset="One for each language",
)
SPEED = Setting[float](
    key="voice.speed",
    kind="number",
    default=1.0,
    label="Speed",
    help="1 is the voice's own.",
    low=0.25,
    high=4,
    decimals=2,
)
LANGUAGE = Setting[str](
    key="voice.language",
    kind="choice",
    default="",
    label="I speak",
    help="A language that is named is understood better.",
    options=LANGUAGES,
)
MICROPHONE = Setting[str](
    key="voice.microphone",
    kind="device",
    default="",
    label="Microphone",
    help="What hears you.",
    of="microphone",
    unset=DEFAULT,
)
LOUDSPEAKER = Setting[str](
    key="voice.loudspeaker",
    kind="device",
    default="",
    label="Loudspeaker",
    help="What answers are heard from.",
    of="loudspeaker",
    unset=DEFAULT,
)
ALOUD = switch("aloud", "Read answers aloud", "Each answer is spoken while it comes.")
SEND = switch(
    "send", "Send what I said at once", "Otherwise you may look at it and change it first."
)
NAMES = switch(
    "names",
    "Expect the names in my tables",
    "Columns and names of attached tables are understood more often.",
    default=True,
)
READY = switch(
    "ready",
    "Keep the microphone open",
    "While the window is in front, so that no first word is lost; nothing is kept or sent.",
)
INTERRUPT = switch(
    "interrupt",
    "Let me interrupt",
    "In a talk one may speak while it speaks; its own voice is taken out of what the microphone"
    " hears.",
)
CHIMES = switch("chimes", "Chimes", "A talk tells by sounds that it listens.", default=True)
SHORTCUT = Setting[str](
    key="voice.shortcut",
    kind="choice",
    default="",
    label="Dictate from any window",
    help="A key that is heard while another window is in front: hold it and speak, or press it.",
    options=(
        ("", "None"),
        ("ctrl+alt+m", "Ctrl+Alt+M"),
        ("ctrl+alt+d", "Ctrl+Alt+D"),
        ("ctrl+alt+space", "Ctrl+Alt+Space"),
        ("super+shift+m", "Super+Shift+M"),
        ("F8", "F8"),
        ("F9", "F9"),
    ),
)
PAGE = Page(
    "voice",
    "Voice",
    (
        VOICE,
        SPEED,
        ALOUD,
        LANGUAGE,
        MICROPHONE,
        LOUDSPEAKER,
        SEND,
        NAMES,
        READY,
        SHORTCUT,
        INTERRUPT,
        CHIMES,
    ),
)
CHOICES: dict[str, Setting[Any]] = {
    setting.key.removeprefix("voice."): setting for setting in PAGE.settings
}
