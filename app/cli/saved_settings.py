"""The saved settings, read before anything else is built."""

from __future__ import annotations


def first_look() -> tuple[str, str]:
    """Return the theme and language for the first paint; errors in the settings are
    reported later.
    """
    kept = kept_now()
    if not kept:
        return "system", "system"  # of the settings nothing is loaded before the window is seen
    from app.domain.errors import SetupError
    from app.domain.settings import LANGUAGE, THEME

    try:
        theme, language = (one.checked(kept.get(one.key, one.default)) for one in (THEME, LANGUAGE))
        return theme, language
    except SetupError:
        return THEME.default, LANGUAGE.default


def kept_now() -> dict[str, object]:
    """Return the changed settings; none if they cannot be read, which is reported later."""
    from backends.paths import settings_file

    if not settings_file().exists():
        return {}
    from app.adapters.system.json_file import JsonFile
    from app.domain.errors import SetupError

    try:
        return JsonFile(settings_file()).read_now()
    except SetupError:
        return {}
