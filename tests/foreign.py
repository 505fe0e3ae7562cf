"""A stranger's server on this machine: our own service with the models of the tests."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def foreign(folder: Path) -> Iterator[dict[str, str]]:
    """Start it and give `base_url` and `api_key`; it ends with the block."""
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "tests.contract.loopback", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        yield json.loads(process.stdout.readline())
        process.stdin.close()
        process.wait(timeout=20)
