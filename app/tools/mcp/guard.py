"""Runs a module as a tool server, with its network access blocked if Deskpilot is offline.

python -m app.tools.mcp.guard MODULE ARGUMENTS…
"""

from __future__ import annotations

import runpy
import sys

from backends import offline

if __name__ == "__main__":
    offline.begin()
    module = sys.argv[1]
    del sys.argv[1]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
