"""Whether the sandbox of the web engine works here: where it cannot, Chromium ends the whole application."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache

FLAGS = "QTWEBENGINE_CHROMIUM_FLAGS"
DISABLED = "QTWEBENGINE_DISABLE_SANDBOX"
TRY_SECONDS = 5


@cache
def sandboxed() -> bool:
    """Tell whether pages can be drawn in the sandbox; who turned it off in the environment knows what they do.

    Chromium refuses to start its sandbox as root, and elsewhere on Linux needs namespaces of the user, which
    some systems forbid.
    """
    chosen = DISABLED in os.environ or "--no-sandbox" in os.environ.get(FLAGS, "")
    if chosen or sys.platform != "linux":
        return True
    return os.geteuid() != 0 and has_namespaces()


def has_namespaces() -> bool:
    """Tell whether a user may have namespaces of their own, by making one."""
    program = shutil.which("unshare")
    if program is None:
        return True  # nothing to try it with; it works on most systems
    command = [program, "--user", "--map-root-user", "true"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TRY_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
