"""Clients of OpenAI's routes that others wrote, for the tests that are driven by them; where they
cannot be installed those tests are skipped, by name.

Those of Python have an environment of their own: they pin what Deskpilot itself needs.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CLIENTS = ["litellm==1.110.2", "llm==0.36"]


def install(folder: Path) -> str:
    """Install them into an environment in a folder, and return in words what came of it."""
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    for line in (
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", *CLIENTS],
    ):
        if subprocess.run(line, check=False, stdout=sys.stderr).returncode:
            return "LiteLLM and llm could not be installed: their tests are skipped"
    return "LiteLLM and llm are there"
