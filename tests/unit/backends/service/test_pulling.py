"""A model is fetched step by step, stopped in the middle, and gone on with."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from backends.catalog import Catalog
from backends.catalog.download import DownloadProgress, Report
from backends.service.app import create_app
from backends.service.routes.catalogue import Long, WorkStopped, events
from tests.models.speech import PIPER
from tests.unit.backends.catalog.test_hub_and_import import CONTENT, Hub, entry, hub

__all__ = ["hub"]


class Patient(Catalog):
    """A catalogue whose pull takes its second step when the test allows it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, [])
        self.go, self.ended = threading.Event(), threading.Event()
        self.failed: BaseException | None = None

    def pull(self, model_id: str, report: Report = lambda _: None, client: Any = None) -> Any:
        try:
            report(DownloadProgress("downloading", 1, 3))
            self.go.wait(10)
            report(DownloadProgress("downloading", 3, 3))
        except BaseException as error:
            self.failed = error
            raise
        finally:
            self.ended.set()


async def test_a_pull_that_is_stopped_ends_its_thread_with_the_next_step(tmp_path: Path) -> None:
    catalog = Patient(tmp_path)
    steps = Long(lambda report: catalog.pull("m", report)).steps()
    assert (await anext(steps)).done_bytes == 1
    await steps.aclose()
    catalog.go.set()
    assert catalog.ended.wait(10)
    assert isinstance(catalog.failed, WorkStopped)


def pulled(catalog: Catalog, model_id: str) -> AsyncGenerator[str]:
    return events(lambda report: catalog.pull(model_id, report))


@pytest.mark.usefixtures("hub")
async def test_a_pull_tells_its_steps_and_what_went_wrong_last(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path, [entry()])
    Hub.break_at = 100_000
    told = [json.loads(event) async for event in pulled(catalog, "m")]
    assert told[-1]["error"]["type"] == "NotReachable"
    assert told[-1]["error"]["remedy"]
    told = [json.loads(event) async for event in pulled(catalog, "m")]
    assert Hub.asked[-1].endswith("bytes=100000-")  # it went on where it broke off
    assert told[-1] == {"here": "m"}
    assert max(step.get("done", 0) for step in told) == sum(map(len, CONTENT.values()))
    told = [json.loads(event) async for event in pulled(catalog, "nothing")]
    assert "There is no model 'nothing'" in told[-1]["error"]["message"]


@pytest.mark.usefixtures("hub")
def test_the_catalogue_says_what_one_chooses_by_and_what_is_here(tmp_path: Path) -> None:
    app = create_app(
        "t", frozenset({"testserver"}), "0", warm=False, catalog=Catalog(tmp_path, [entry()])
    )
    with TestClient(app, headers={"Authorization": "Bearer t"}) as client:
        (before,) = client.get("/v1/manage/catalogue").json()["models"]
        assert (before["id"], before["here"], before["licence"]) == ("m", False, "MIT")
        assert before["takes_bytes"] > before["size_bytes"] == before["download_bytes"]
        assert '{"here": "m"}' in client.post("/v1/manage/pull", json={"id": "m"}).text
        (after,) = client.get("/v1/manage/catalogue").json()["models"]
        assert after["here"]
        voice = {"path": str(PIPER["model_path"]), "link": True}
        assert '{"here": "en-us-tiny-medium"}' in client.post("/v1/manage/import", json=voice).text
        assert "en-us-tiny-medium" in {
            m["id"] for m in client.get("/v1/manage/catalogue").json()["models"]
        }
        nothing = client.post("/v1/manage/import", json={"path": str(tmp_path / "gone")}).text
        assert "There is nothing at" in nothing
