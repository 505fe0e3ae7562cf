"""The systemd unit for an office: what it starts is a command there is, and systemd takes it."""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from backends.service.__main__ import main

UNIT = Path(__file__).parents[4] / "packaging" / "linux" / "office" / "deskpilot.service"


def test_every_option_it_starts_the_service_with_exists() -> None:
    (command,) = re.findall(r"^ExecStart=(.*)$", UNIT.read_text(), re.M)
    options = {name.replace("-", "_") for name in re.findall(r" --([a-z-]+)", command)}
    assert {"token_file", "parallel", "metrics"} <= options
    assert options <= set(inspect.signature(main).parameters)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
def test_systemd_understands_it(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/usr/bin/deskpilot", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert unit.name not in done.stderr, done.stderr
    assert done.returncode == 0, done.stderr
