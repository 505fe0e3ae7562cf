"""The files for an office: what they start is a command there is, and systemd takes the units."""

from __future__ import annotations

import inspect
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from backends.cluster import node
from backends.service import __main__ as service

OFFICE = Path(__file__).parents[4] / "packaging" / "linux" / "office"
UNITS = {"deskpilot.service": service.main, "deskpilot-node.service": node.main}


def options_in(command: str) -> set[str]:
    return {name.replace("-", "_") for name in re.findall(r" --([a-z-]+)", command)}


@pytest.mark.parametrize("name", UNITS)
def test_every_option_a_unit_starts_it_with_exists(name: str) -> None:
    (command,) = re.findall(r"^ExecStart=(.*)$", (OFFICE / name).read_text(), re.M)
    options = options_in(command)
    assert "token_file" in options
    assert options <= set(inspect.signature(UNITS[name]).parameters)


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
def test_systemd_understands_it(name: str, tmp_path: Path) -> None:
    for one in UNITS:  # one names the other
        (tmp_path / one).write_text(
            (OFFICE / one).read_text().replace("/usr/bin/deskpilot", "/bin/true")
        )
    done = subprocess.run(
        ["systemd-analyze", "verify", str(tmp_path / name)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "deskpilot" not in done.stderr, done.stderr
    assert done.returncode == 0, done.stderr


def test_the_container_starts_the_service_with_options_there_are() -> None:
    text = (OFFICE / "Containerfile").read_text()
    lines: dict[str, Any] = {
        word: json.loads(rest) for word, rest in re.findall(r"^(ENTRYPOINT|CMD) (.*)$", text, re.M)
    }
    assert lines["ENTRYPOINT"][:2] == ["deskpilot", "serve"]
    options = options_in(" " + " ".join([*lines["ENTRYPOINT"], *lines["CMD"]]))
    assert {"host", "token_file"} <= options  # it listens for others, so it needs a token
    assert options <= set(inspect.signature(service.main).parameters)


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not here")
def test_nginx_understands_its_file(tmp_path: Path) -> None:
    trustme = pytest.importorskip("trustme")
    trustme.CA().issue_cert("models.example.org").private_key_and_cert_chain_pem.write_to_path(
        tmp_path / "both.pem"
    )
    text = (OFFICE / "nginx.conf").read_text()
    text = re.sub(r"/etc/letsencrypt/live/\S+\.pem", str(tmp_path / "both.pem"), text)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = " ".join(f"{kind}_temp_path {tmp_path}/{kind};" for kind in kinds)
    whole = tmp_path / "whole.conf"
    whole.write_text(
        f"pid {tmp_path}/pid; events {{}}\nhttp {{ access_log off; {places} {text} }}\n"
    )
    command = ["nginx", "-t", "-c", str(whole), "-e", str(tmp_path / "errors")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
