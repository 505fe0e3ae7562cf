"""The settings somebody changed, read before anything is built."""

from __future__ import annotations


def first_look() -> tuple[str, str]:
    """Return the theme and the language of the first paint; what is wrong with the settings is told
    after.
    """
    kept = kept_now()
    if not kept:
        return "system", "system"  # of the settings nothing is loaded before the window is seen
    from app.domain.errors import SetupError
    from app.domain.settings.pages import LANGUAGE, THEME

    try:
        theme, language = (one.checked(kept.get(one.key, one.default)) for one in (THEME, LANGUAGE))
        return theme, language
    except SetupError:
        return THEME.default, LANGUAGE.default


def kept_now() -> dict[str, object]:
    """Return the settings somebody changed; none where they cannot be read, which is told later."""
    from backends.paths import settings_file

    if not settings_file().exists():
        return {}
    from app.adapters.system.json_file import JsonFile
    from app.domain.errors import SetupError

    try:
        return JsonFile(settings_file()).read_now()
    except SetupError:
        return {}
