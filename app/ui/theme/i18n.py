"""The texts of the window in the user's language, from the Qt Linguist catalogues in
resources/translations.
"""

from __future__ import annotations

import os
import re
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale

from resources import FOLDER

if TYPE_CHECKING:
    from PySide6.QtCore import QCoreApplication, QTranslator

    from app.domain.errors import DeskpilotError


FORCED = "DESKPILOT_LANGUAGE"
# language codes used by models and providers
MODELS_OWN = {"en": "en_US", "zh": "zh_Hans", "ja": "ja_JP"}
LOCALES = {
    "en": QLocale(QLocale.Language.English, QLocale.Country.UnitedStates),
    "zh": QLocale(QLocale.Language.Chinese, QLocale.Country.China),
    "ja": QLocale(QLocale.Language.Japanese, QLocale.Country.Japan),
}


class Catalogue:
    """The texts in one language. language: "en", "zh" or "ja"."""

    def __init__(self, language: str) -> None:
        self.language = language
        if language != "en":
            self._words  # noqa: B018 - loaded now, so that a missing file is reported at once

    @cached_property
    def _words(self) -> QTranslator:
        return load(self.language)

    def find(self, source: str, note: str, count: int) -> str:
        """Return the translation of a text from the code, or the text itself if there is no
        translation.
        """
        if self.language == "en" and count < 0:  # the texts in the code are in English
            return source
        return self._words.translate("", source, note, count) or source


class WindowLanguage:
    """The language of the window. now: the texts in it; None if it is English."""

    now: Catalogue | None = None
    qt: tuple[QTranslator, ...] = ()


def load(language: str, name: str = "deskpilot") -> QTranslator:
    """Return one of our catalogues.

    Raises: FileNotFoundError if the catalogue is not installed.
    """
    from PySide6.QtCore import QTranslator

    translator = QTranslator()
    path = FOLDER / "translations" / f"{name}_{language}.qm"
    if not translator.load(str(path)):
        raise FileNotFoundError(path)
    return translator


def language_for(chosen: str) -> str:
    """Return "en", "zh" or "ja": the forced language, otherwise the chosen language, otherwise the
    first of the system's languages that is supported.
    """
    asked = [os.environ.get(FORCED) or chosen]
    if asked == ["system"]:
        asked = QLocale.system().uiLanguages()
    known = [short for name in asked if (short := name[:2].lower()) in LOCALES]
    return known[0] if known else "en"


def speak(language: str, app: QCoreApplication | None = None) -> None:
    """Switch to "en", "zh" or "ja"; texts that are already displayed stay unchanged.

    app: the application in which Qt's own dialogs and menus are switched as well.
    """
    WindowLanguage.now = Catalogue(language)
    QLocale.setDefault(LOCALES[language])
    if app is None:
        return
    for translator in WindowLanguage.qt:
        app.removeTranslator(translator)
    WindowLanguage.qt = ()
    if language == "en":  # the language of Qt's own dialogs and menus
        return
    from PySide6.QtCore import QLibraryInfo, QTranslator

    theirs, ours = QTranslator(), load(language, "qt")
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    found = theirs.load(LOCALES[language], "qtbase", "_", folder)
    # Qt asks the translator installed last first
    WindowLanguage.qt = (theirs, ours) if found else (ours,)
    for translator in WindowLanguage.qt:
        app.installTranslator(translator)


def spoken() -> Catalogue:
    """Return the texts in the current language."""
    if WindowLanguage.now is None:
        WindowLanguage.now = Catalogue("en")
    return WindowLanguage.now


def spoken_language() -> str:
    """Return the current language: "en", "zh" or "ja"."""
    return spoken().language


def tr(source: str, note: str = "", count: int = -1, /, **values: object) -> str:
    """Translate a text from the code.

    note: explains the meaning to translators and distinguishes identical texts. count: the number
    for `%n` and the plural. values: replace the {names} in the text, which are formatted as
    `str.format` would.
    """
    said = spoken().find(source, note, count)
    if count >= 0:
        said = said.replace("%n", f"{count:,}")
    return said.format(**values) if values else said


def mark(source: str) -> str:
    """Mark a text for translators; `tr` translates it later. Return it unchanged."""
    return source


COMMANDS = (
    "models|chats|data|doctor|copilots|skills|settings|assistants|plugins|mcp|gateway|serve|ask"
)
COMMAND_NAMED = re.compile(rf"\bdeskpilot (?:{COMMANDS})\b")
ASIDE = re.compile(rf"\s*[(（][^()（）]*\bdeskpilot (?:{COMMANDS})\b[^()（）]*[)）]")
ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
STARTERS = "starters"  # this is not a page but a button that downloads the starter models
# What the window offers instead of a command: for each command, a settings page and the label of
# the button.
PLACES = (
    ("models pull smollm2-135m", STARTERS, mark("Download the starter models")),
    ("models pull minilm-l6", STARTERS, mark("Download the starter models")),
    ("models pull --starter", STARTERS, mark("Download the starter models")),
    ("models set", "memory", mark("Memory settings")),
    ("models", "models", mark("Models")),
    ("doctor", "diagnostics", mark("Diagnostics")),
    ("skills", "skills", mark("Skills")),
    ("assistants", "assistants", mark("Assistants")),
    ("plugins", "plugins", mark("Plugins")),
    ("mcp", "plugins", mark("Plugins")),
    ("data library", "library", mark("Library")),
    ("settings", "appearance", mark("Settings")),
)


def without_commands(text: str) -> str:
    """Remove sentences that name a shell command."""
    if COMMAND_NAMED.search(text) is None:
        return text
    parts = ENDS.split(ASIDE.sub("", text))
    return " ".join(part for part in parts if part and COMMAND_NAMED.search(part) is None)


def place_for(text: str) -> tuple[str, str]:
    """Return the settings page and the button that do the same as the shell command in a text; both
    are empty if the text contains no such command.
    """
    found = COMMAND_NAMED.search(text)
    if found is None:
        return "", ""
    called = text[found.start() :].removeprefix("deskpilot ")
    return next(
        ((page, label) for name, page, label in PLACES if called.startswith(name)), ("", "")
    )


def said(text: str) -> str:
    """Translate sentences from another layer; those without a translation stay unchanged.

    Sentences about shell commands are left out; see `place_for`.
    """
    if not text or spoken_language() == "en":
        return without_commands(text)
    from backends.sentences import say  # must not be loaded before the first paint

    found = say(text, spoken_language())
    return without_commands(tr(text) if found == text else found)


def told(error: DeskpilotError) -> str:
    """Return the text of an error and how to fix it, in the user's language."""
    from backends.sentences import joined

    return joined(said(error.text), said(error.remedy))
