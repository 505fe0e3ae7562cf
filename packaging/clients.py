"""Third-party clients for OpenAI-style routes, for tests. Tests whose client cannot be installed
are skipped, and their names are reported.

The Python clients get a separate environment, because they pin packages that Deskpilot needs.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CLIENTS = ["litellm==1.110.2", "llm==0.36"]


def install(folder: Path) -> str:
    """Install the clients into an environment in a folder; return a message about the result."""
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    for line in (
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", *CLIENTS],
    ):
        if subprocess.run(line, check=False, stdout=sys.stderr).returncode:
            return "LiteLLM and llm could not be installed: their tests are skipped"
    return "LiteLLM and llm are installed"
