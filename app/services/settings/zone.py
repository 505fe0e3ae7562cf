"""The time zone of this machine, by the name all systems know it by."""

from __future__ import annotations

import os
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

ETC = Path("/etc")


def time_zone(etc: Path = ETC) -> str:
    """Return this machine's time zone as an IANA name, UTC if the system does not say.

    The variable TZ comes first, then what /etc/localtime points to, then the name in /etc/timezone.
    """
    link, file = etc / "localtime", etc / "timezone"
    parts = link.resolve().parts if link.is_symlink() else ()
    told = [
        os.environ.get("TZ", "").lstrip(":"),
        "/".join(parts[parts.index("zoneinfo") + 1 :]) if "zoneinfo" in parts else "",
        file.read_text("utf-8", "replace").strip() if file.is_file() else "",
    ]
    return next((name for name in told if name and is_zone(name)), "UTC")


def is_zone(name: str) -> bool:
    """Tell whether a name is that of a time zone."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
