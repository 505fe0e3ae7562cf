"""A service that was started offline, and the processes of its models, reach nothing but this
machine.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.conftest import start, stop


@pytest.mark.usefixtures("home")
def test_the_service_and_its_workers_are_refused_every_way_out(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_OFFLINE", "1")
    service = start(repository, "--no-warm")
    try:
        with service.client() as client:
            told = client.get("/v1/manage/ways-out").json()["processes"]
            assert [one["name"] for one in told] == ["service", "worker"]
            assert len({one["pid"] for one in told}) == 2
            for one in told:
                assert [trial["way"] for trial in one["trials"]] == ["name", "tcp", "tcp6", "udp"]
                assert all(trial["refused"] for trial in one["trials"])
            refused = client.post("/v1/manage/pull", json={"id": "multilingual-e5-small"})
            assert "event" in refused.headers["content-type"] or refused.status_code >= 400
            assert '"error"' in refused.text
    finally:
        stop(service)
