"""The settings: their keys, kinds and defaults, and the pages that show them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, cast

from app.domain.actions import ACTIONS
from app.domain.errors import SetupError

T = TypeVar("T", str, bool, float, "list[str]")
Kind = Literal["choice", "switch", "number", "model", "device", "names", "key", "text"]
KEY = re.compile(
    r"(?:(?:Ctrl|Alt|Shift|Meta)\+)*(?!(?:Ctrl|Alt|Shift|Meta)$)(?:F\d{1,2}|[A-Za-z]{2,12}|\S)$"
)
ON, OFF = ("on", "true", "yes", "1"), ("off", "false", "no", "0")


@dataclass(frozen=True)
class Setting(Generic[T]):
    """A setting.

    kind: `choice` is one of `options`, which are (value, label) pairs; `model` is the name of a
    model of the type `of`, which is empty for this machine's default; `device` is the name of a
    device of the kind `of`; `names` is a list of short texts; `key` is a keyboard shortcut, such as
    Ctrl+N; `text` can have several lines and has at most `high` characters. low, high: the
    inclusive limits of a number. unset: the label for an empty name, or for the lowest number.
    level: settings for developers are shown only on request.
    """

    key: str
    kind: Kind
    default: T
    label: str
    help: str
    level: Literal["user", "developer"] = "user"
    options: tuple[tuple[str, str], ...] = ()
    of: str = ""
    low: float = 0
    high: float = 0
    decimals: int = 0
    unit: str = ""
    unset: str = ""

    def checked(self, value: Any) -> T:
        """Validate a value and return it in the form in which it is stored.

        Raises: SetupError if the value is not allowed.
        """
        if self.kind == "switch" and isinstance(value, bool):
            return cast("T", value)
        if (
            self.kind == "number"
            and isinstance(value, int | float)
            and self.low <= value <= self.high
        ):
            return cast("T", float(value))
        if self.kind == "choice" and value in [option for option, _ in self.options]:
            return value
        if self.kind == "key" and isinstance(value, str) and (not value or KEY.match(value)):
            return cast("T", value)
        if self.kind in ("model", "device") and isinstance(value, str):
            return cast("T", value)
        if self.kind == "text" and isinstance(value, str) and len(value) <= self.high:
            return cast("T", value)
        if (
            self.kind == "names"
            and isinstance(value, list)
            and all(isinstance(v, str) for v in value)
        ):
            return cast("T", value)
        raise SetupError(f"{self.key} cannot be {value!r}.", f"It is {self.takes}.")

    def read(self, text: str) -> T:
        """Return the value of a text typed in the shell.

        Raises: SetupError.
        """
        text = text.strip()
        if self.kind == "switch" and text.lower() in (*ON, *OFF):
            return self.checked(text.lower() in ON)
        if self.kind == "number":
            try:
                return self.checked(float(text))
            except ValueError:
                return self.checked(text)
        if self.kind == "names":
            return self.checked([part.strip() for part in text.split(",") if part.strip()])
        return self.checked(text)

    def shown(self, value: T) -> str:
        """Return a value in the form that the shell accepts."""
        if isinstance(value, bool):
            return "on" if value else "off"
        if isinstance(value, list):
            return ", ".join(value)
        return f"{value:g}" if isinstance(value, float) else str(value)

    @property
    def takes(self) -> str:
        """Return a description of the setting's possible values."""
        return {
            "choice": f"one of {', '.join(option for option, _ in self.options)}",
            "switch": "on or off",
            "number": f"a number from {self.low:g} to {self.high:g}"
            + (f", {self.low:g}: {self.unset.lower()}" if self.unset else ""),
            "model": "the name of a model, or empty",
            "device": "the name of a device, or empty",
            "text": f"a text of up to {self.high:,.0f} characters",
            "names": "names separated by commas, or empty",
            "key": "a key such as Ctrl+Shift+N, or empty",
        }[self.kind]


@dataclass(frozen=True)
class SettingsGroup:
    """Settings that belong together."""

    id: str
    title: str
    settings: tuple[Setting[Any], ...]


HELP = "This shortcut works anywhere in the window."
KEYS = {
    action.id: Setting[str](
        key=f"keys.{action.id}",
        kind="key",
        default=action.key,
        label=action.text,
        help=HELP,
        unset="None",
    )
    for action in ACTIONS
}
KEYS_PAGE = SettingsGroup("keys", "Keys", tuple(KEYS.values()))


def conflicts(chosen: dict[str, str]) -> dict[str, list[str]]:
    """Return the actions that share a shortcut: for each action, the others that share it, in the
    order of the settings page.

    chosen: the shortcut of each action, by the action's id.
    """
    holders: dict[str, list[str]] = {}
    for action in ACTIONS:
        if key := chosen.get(action.id, ""):
            holders.setdefault(key.casefold(), []).append(action.id)
    return {
        uid: [o for o in ids if o != uid] for ids in holders.values() if len(ids) > 1 for uid in ids
    }


def text_of(uid: str) -> str:
    """Return the name of an action."""
    return next(action.text for action in ACTIONS if action.id == uid)


THEME = Setting[str](
    key="appearance.theme",
    kind="choice",
    default="system",
    label="Theme",
    help="Light or dark; follows the system by default.",
    options=(("system", "Follow the system"), ("light", "Light"), ("dark", "Dark")),
)
LANGUAGE = Setting[str](
    key="appearance.language",
    kind="choice",
    default="system",
    label="Language",
    help="Language of the window. Takes effect after restart.",
    options=(
        ("system", "Follow the system"),
        ("en", "English"),
        ("zh", "简体中文"),
        ("ja", "日本語"),
    ),
)
CONTRAST = Setting[str](
    key="appearance.contrast",
    kind="choice",
    default="system",
    label="Contrast",
    help="High: black on white or white on black, with thick focus frames.",
    options=(("system", "Follow the system"), ("normal", "Normal"), ("high", "High")),
)
TEXT_SIZES = ("90", "100", "110", "125", "150", "175")  # in percent
TEXT_SIZE = Setting[str](
    key="appearance.text_size",
    kind="choice",
    default="100",
    label="Text size",
    help="Applies to all text in the window. Ctrl++ and Ctrl+- change it; Ctrl+0 resets it.",
    options=tuple((size, f"{size} %") for size in TEXT_SIZES),
)
TRAY = Setting[str](
    key="appearance.tray",
    kind="choice",
    default="icon",
    label="Icon in the tray",
    help="Shown if the system has a tray. Closing the window keeps Deskpilot running there.",
    options=(
        ("off", "None"),
        ("icon", "Shown"),
        ("stay", "Shown; closing the window keeps it in the tray"),
    ),
)
PAGE = SettingsGroup("appearance", "Appearance", (THEME, TEXT_SIZE, CONTRAST, LANGUAGE, TRAY))


MODEL = Setting[str](
    key="chat.model",
    kind="model",
    default="",
    label="Chat model",
    help=(
        "Answers what tables can't. A provider's model receives your questions, wherever it runs."
    ),
    of="llm",
)
SECONDS = Setting[float](
    key="chat.seconds",
    kind="number",
    default=900.0,
    label="Longest answer",
    help=("A longer answer is stopped, and its text is kept. Takes effect after restart."),
    level="developer",
    low=10,
    high=86_400,
    unit="seconds",
)
OFFER = Setting[bool](
    key="chat.offer",
    kind="switch",
    default=True,
    label="Offer better models",
    help="On the first page and after general questions, until you decline.",
)
INSTRUCTIONS = Setting[str](
    key="chat.instructions",
    kind="text",
    default="",
    label="Custom instructions",
    help=(
        "Sent with every question to every copilot. Each chat can have additional instructions. "
        "Answers computed from your tables or quoted from your documents don't follow them. The "
        "starter model is too small to follow them; larger models do."
    ),
    high=8_000,
)
CHAT_PAGE = SettingsGroup("chat", "Chat", (MODEL, INSTRUCTIONS, OFFER, SECONDS))


LIMIT = Setting[float](
    key="memory.limit",
    kind="number",
    default=0.0,
    label="Memory for all models together",
    help=(
        "Unused models are unloaded; if one doesn't fit, a smaller one is suggested. Takes "
        "effect after restart."
    ),
    low=0,
    high=4096,
    decimals=1,
    unit="GB",
    unset="Automatic",
)
IDLE = Setting[float](
    key="memory.idle",
    kind="number",
    default=10.0,
    label="Unload a model after",
    help="It is loaded again when needed. Takes effect after restart.",
    level="developer",
    low=0,
    high=10_080,
    unit="minutes",
    unset="Never",
)
MEMORY_PAGE = SettingsGroup("memory", "Memory", (LIMIT, IDLE))


CHECK = Setting[bool](
    key="moderation.check",
    kind="switch",
    default=False,
    label="Check questions and answers",
    help=(
        "A guard model checks each question before it is sent and each answer before it is "
        "shown or spoken. Harmful or unchecked text is blocked."
    ),
)
PASS = Setting[list[str]](
    key="moderation.pass",
    kind="names",
    default=[],
    label="Allowed categories",
    help=(
        "As the guard model names them, separated by commas, for example: Specialized Advice, "
        "Elections."
    ),
)
MODERATION_MODEL = Setting[str](
    key="moderation.model",
    kind="model",
    default="",
    label="Guard model",
    help="A provider's model receives all questions and answers.",
    of="moderation",
)
MODERATION_PAGE = SettingsGroup("moderation", "Moderation", (CHECK, PASS, MODERATION_MODEL))


OFFLINE = Setting[bool](
    key="network.offline",
    kind="switch",
    default=False,
    label="Offline",
    help=(
        "Refuses every connection to another machine from the window, the model service and "
        "its models. Restarts the service and stops the current answer."
    ),
)
NETWORK_PAGE = SettingsGroup("network", "Network", (OFFLINE,))


DEFAULT = "The system's default"
LANGUAGES = (
    ("", "Detect"),
    ("en", "English"),
    ("zh", "中文"),
    ("ja", "日本語"),
    ("de", "Deutsch"),
    ("fr", "Français"),
    ("es", "Español"),
)


def switch(name: str, label: str, help_: str, *, default: bool = False) -> Setting[bool]:
    """Return a setting that is either on or off."""
    return Setting[bool](
        key=f"voice.{name}", kind="switch", default=default, label=label, help=help_
    )


VOICE = Setting[str](
    key="voice.voice",
    kind="model",
    default="",
    label="Voice",
    help="Voice for answers; other voices speak the languages it can't.",
    of="tts",
    unset="One for each language",
)
SPEED = Setting[float](
    key="voice.speed",
    kind="number",
    default=1.0,
    label="Speed",
    help="1 is the normal speed.",
    low=0.25,
    high=4,
    decimals=2,
)
VOICE_LANGUAGE = Setting[str](
    key="voice.language",
    kind="choice",
    default="",
    label="I speak",
    help="Recognition is better if you choose the language.",
    options=LANGUAGES,
)
MICROPHONE = Setting[str](
    key="voice.microphone",
    kind="device",
    default="",
    label="Microphone",
    help="Microphone for dictation and hands-free conversation.",
    of="microphone",
    unset=DEFAULT,
)
LOUDSPEAKER = Setting[str](
    key="voice.loudspeaker",
    kind="device",
    default="",
    label="Loudspeaker",
    help="Loudspeaker for answers.",
    of="loudspeaker",
    unset=DEFAULT,
)
ALOUD = switch("aloud", "Read answers aloud", "Each answer is read aloud as it streams.")
SEND = switch("send", "Send dictated questions immediately", "Otherwise you can edit it first.")
NAMES = switch(
    "names",
    "Recognize the names in my tables",
    "Recognizes columns and names of attached tables better.",
    default=True,
)
READY = switch(
    "ready",
    "Keep the microphone open",
    "While the window is active, so the first word isn't missed. Nothing is recorded or sent.",
)
INTERRUPT = switch(
    "interrupt",
    "Let me interrupt",
    "You can interrupt while it speaks; echo cancellation removes its own voice.",
)
CHIMES = switch("chimes", "Chimes", "Plays a sound when it starts listening.", default=True)
SHORTCUT = Setting[str](
    key="voice.shortcut",
    kind="choice",
    default="",
    label="Dictate from any window",
    help="A global shortcut: hold it and speak, or press it.",
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
VOICE_PAGE = SettingsGroup(
    "voice",
    "Voice",
    (
        VOICE,
        SPEED,
        ALOUD,
        VOICE_LANGUAGE,
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
    setting.key.removeprefix("voice."): setting for setting in VOICE_PAGE.settings
}


PAGES: tuple[SettingsGroup, ...] = (
    PAGE,
    CHAT_PAGE,
    KEYS_PAGE,
    VOICE_PAGE,
    MEMORY_PAGE,
    NETWORK_PAGE,
    MODERATION_PAGE,
)


def find(key: str) -> Setting[Any]:
    """Return the setting with a key.

    Raises: SetupError.
    """
    for page in PAGES:
        for setting in page.settings:
            if setting.key == key:
                return setting
    keys = ", ".join(setting.key for page in PAGES for setting in page.settings)
    raise SetupError(f"There is no setting {key!r}.", f"Available: {keys}.")
