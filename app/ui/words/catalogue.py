"""What the window says, in the person's language: Qt Linguist's catalogues in
resources/translations.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale

from resources import FOLDER

if TYPE_CHECKING:
    from PySide6.QtCore import QCoreApplication, QTranslator

FORCED = "DESKPILOT_LANGUAGE"
MODELS_OWN = {"en": "en_US", "zh": "zh_Hans", "ja": "ja_JP"}  # what models and providers call them
LOCALES = {
    "en": QLocale(QLocale.Language.English, QLocale.Country.UnitedStates),
    "zh": QLocale(QLocale.Language.Chinese, QLocale.Country.China),
    "ja": QLocale(QLocale.Language.Japanese, QLocale.Country.Japan),
}


class Catalogue:
    """The words of one language. language: en, zh or ja."""

    def __init__(self, language: str) -> None:
        self.language = language
        if language != "en":
            self._words  # noqa: B018 - that it is there is told now, not with the first words

    @cached_property
    def _words(self) -> QTranslator:
        return load(self.language)

    def find(self, source: str, note: str, count: int) -> str:
        """Return the words for those of the code; these themselves if there are no others."""
        if self.language == "en" and count < 0:  # the code is written in it
            return source
        return self._words.translate("", source, note, count) or source


class Spoken:
    """Which language is spoken. now: its words, English until another one is asked for."""

    now: Catalogue | None = None
    qt: QTranslator | None = None


def load(language: str) -> QTranslator:
    """Return a catalogue of ours.

    Raises: FileNotFoundError if this Deskpilot came without it.
    """
    from PySide6.QtCore import QTranslator

    translator = QTranslator()
    path = FOLDER / "translations" / f"deskpilot_{language}.qm"
    if not translator.load(str(path)):
        raise FileNotFoundError(path)
    return translator


def language_for(chosen: str) -> str:
    """Return en, zh or ja: the forced one, the chosen one, else the first of the system's that we
    have.
    """
    asked = [os.environ.get(FORCED) or chosen]
    if asked == ["system"]:
        asked = QLocale.system().uiLanguages()
    known = [short for name in asked if (short := name[:2].lower()) in LOCALES]
    return known[0] if known else "en"


def speak(language: str, app: QCoreApplication | None = None) -> None:
    """Speak en, zh or ja from now on; what is on the screen stays as it is.

    app: its own boxes and menus, which are Qt's, speak it too.
    """
    Spoken.now = Catalogue(language)
    QLocale.setDefault(LOCALES[language])
    if app is None:
        return
    if Spoken.qt is not None:
        app.removeTranslator(Spoken.qt)
        Spoken.qt = None
    if language == "en":  # as Qt's own boxes and menus are written
        return
    from PySide6.QtCore import QLibraryInfo, QTranslator

    Spoken.qt = QTranslator(app)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if Spoken.qt.load(LOCALES[language], "qtbase", "_", folder):
        app.installTranslator(Spoken.qt)


def spoken() -> Catalogue:
    """Return the words of the language that is spoken."""
    if Spoken.now is None:
        Spoken.now = Catalogue("en")
    return Spoken.now


def spoken_language() -> str:
    """Return en, zh or ja."""
    return spoken().language


def tr(source: str, note: str = "", count: int = -1, /, **values: object) -> str:
    """Return words of the code as they are said in the person's language.

    note: tells translators what is meant, and tells alike words apart. count: how many, for `%n`
    and the plural.
    values: stand for the {names} in the words, formatted as `str.format` does.
    """
    said = spoken().find(source, note, count)
    if count >= 0:
        said = said.replace("%n", f"{count:,}")
    return said.format(**values) if values else said


def mark(source: str) -> str:
    """Let translators find words that are said later, by `tr`; return them as they are."""
    return source
