"""The command `deskpilot`, as a shell runs it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

COMMAND = [sys.executable, "-m", "app"]


def deskpilot(
    repository: Path, *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run it to its end. env: all variables it sees; those of the test if not given."""
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=repository,
        timeout=120,
        input=stdin,
        env=env,
    )
