"""Install npm packages for the tests: tool servers, and clients for OpenAI-style routes. Without
npm, the tests that need them are skipped, and their names are reported.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

SERVERS = [
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
]
CLIENTS = ["openai@7.57.0", "ai@7.0.173", "@ai-sdk/openai-compatible@3.0.92"]


def install(folder: Path) -> str:
    """Install the packages into a folder, and return a message about the result."""
    npm = shutil.which("npm")
    if npm is None:
        return "npm is not installed: the tests of servers and clients from npm are skipped"
    line = [
        npm,
        "install",
        "--prefix",
        str(folder),
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        *SERVERS,
        *CLIENTS,
    ]
    folder.mkdir(parents=True, exist_ok=True)
    if subprocess.run(line, check=False, stdout=sys.stderr).returncode:
        return "npm could not install servers and clients: their tests are skipped"
    return "Servers and clients from npm are installed"
