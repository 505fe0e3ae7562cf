"""Servers of tools that come from npm, for the tests that ask them; without npm those tests are
skipped, by name.
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


def install(folder: Path) -> str:
    """Install them into a folder, and return in words what came of it."""
    npm = shutil.which("npm")
    if npm is None:
        return "There is no npm: the tests of servers that come from it are skipped"
    line = [
        npm,
        "install",
        "--prefix",
        str(folder),
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        *SERVERS,
    ]
    folder.mkdir(parents=True, exist_ok=True)
    if subprocess.run(line, check=False, stdout=sys.stderr).returncode:
        return "npm could not install the servers of tools: their tests are skipped"
    return "Servers of tools from npm are there"
