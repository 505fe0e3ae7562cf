"""The pages of settings and what stands on each."""

from __future__ import annotations

from typing import Any

from app.domain.errors import SetupError
from app.domain.settings import keys
from app.domain.settings.definition import Page, Setting

THEME = Setting[str](
    key="appearance.theme",
    kind="choice",
    default="system",
    label="Theme",
    help="Light or dark; as the system has it unless you choose.",
    options=(("system", "As the system"), ("light", "Light"), ("dark", "Dark")),
)
LANGUAGE = Setting[str](
    key="appearance.language",
    kind="choice",
    default="system",
    label="Language",
    help="Of the window. Counts from the next start.",
    options=(("system", "As the system"), ("en", "English"), ("zh", "简体中文"), ("ja", "日本語")),
)
CONTRAST = Setting[str](
    key="appearance.contrast",
    kind="choice",
    default="system",
    label="Contrast",
    help="High: black on white or white on black, thick frames around what has the focus.",
    options=(("system", "As the system"), ("normal", "Normal"), ("high", "High")),
)
TRAY = Setting[str](
    key="appearance.tray",
    kind="choice",
    default="icon",
    label="Icon in the tray",
    help="Where the system has a tray. Closed into it, Deskpilot stays ready.",
    options=(("off", "None"), ("icon", "Shown"), ("stay", "Shown, and the window closes into it")),
)
PAGE = Page("appearance", "Appearance", (THEME, CONTRAST, LANGUAGE, TRAY))


MODEL = Setting[str](
    key="chat.model",
    kind="model",
    default="",
    label="Model that talks",
    help=(
        "Writes the words where no table answers. A model of a provider gets your questions,"
        " wherever it runs."
    ),
    of="llm",
)
SECONDS = Setting[float](
    key="chat.seconds",
    kind="number",
    default=900.0,
    label="Longest answer",
    help=(
        "An answer that takes longer is ended, and what was said is kept. Counts from the next"
        " start."
    ),
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
    help="On the page before the first question, until you say no.",
)
INSTRUCTIONS = Setting[str](
    key="chat.instructions",
    kind="text",
    default="",
    label="Custom instructions",
    help=(
        "Go along with every question, to whichever copilot answers it. Each chat can have its own"
        " beside them."
    ),
    high=8_000,
)
CHAT_PAGE = Page("chat", "Chat", (MODEL, INSTRUCTIONS, OFFER, SECONDS))


LIMIT = Setting[float](
    key="memory.limit",
    kind="number",
    default=0.0,
    label="Memory for all models together",
    help=(
        "What nobody uses makes room for what is needed; a model that cannot fit is refused with a"
        " smaller one. Counts from the next start."
    ),
    low=0,
    high=4096,
    decimals=1,
    unit="GB",
    unset="As the machine allows",
)
IDLE = Setting[float](
    key="memory.idle",
    kind="number",
    default=10.0,
    label="Free a model that nobody used for",
    help="It is loaded again when it is needed. Counts from the next start.",
    level="developer",
    low=0,
    high=10_080,
    unit="minutes",
    unset="Never",
)
MEMORY_PAGE = Page("memory", "Memory", (LIMIT, IDLE))


CHECK = Setting[bool](
    key="moderation.check",
    kind="switch",
    default=False,
    label="Check questions and answers",
    help=(
        "A guard model reads each question before it is sent, and each answer before it is shown or"
        " spoken. What it finds harmful is held back; what it cannot check is held back, too."
    ),
)
PASS = Setting[list[str]](
    key="moderation.pass",
    kind="names",
    default=[],
    label="Kinds of harm that may pass",
    help=(
        "As the guard model names them, with commas between, such as: Specialized Advice,"
        " Elections."
    ),
)
MODERATION_MODEL = Setting[str](
    key="moderation.model",
    kind="model",
    default="",
    label="Guard model",
    help="A model of a provider gets everything you ask and everything that is answered.",
    of="moderation",
)
MODERATION_PAGE = Page("moderation", "Moderation", (CHECK, PASS, MODERATION_MODEL))


OFFLINE = Setting[bool](
    key="network.offline",
    kind="switch",
    default=False,
    label="Offline",
    help=(
        "Every connection to another machine is refused, in the window, the model service and its"
        " models. The service is started anew; an answer that is coming breaks off."
    ),
)
NETWORK_PAGE = Page("network", "Network", (OFFLINE,))


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
VOICE_LANGUAGE = Setting[str](
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
VOICE_PAGE = Page(
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


PAGES: tuple[Page, ...] = (
    PAGE,
    CHAT_PAGE,
    keys.PAGE,
    VOICE_PAGE,
    MEMORY_PAGE,
    NETWORK_PAGE,
    MODERATION_PAGE,
)


def find(key: str) -> Setting[Any]:
    """Return the setting of a key.

    Raises: SetupError.
    """
    for page in PAGES:
        for setting in page.settings:
            if setting.key == key:
                return setting
    keys = ", ".join(setting.key for page in PAGES for setting in page.settings)
    raise SetupError(f"There is no setting {key!r}.", f"There are: {keys}.")
