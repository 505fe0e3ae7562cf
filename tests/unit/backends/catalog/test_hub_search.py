"""The model hub is searched for chat models, and one that was found is brought like any other."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from app.domain.model import ModelSource
from app.services.models.models import read_found
from backends.catalog import Catalog, hub
from backends.catalog.entries import MARK, read_entries
from backends.catalog.errors import NotReachable, UnknownModel
from backends.catalog.hub import HubPlace
from backends.flexai.registry import load_providers
from backends.service.routes import catalogue as routes
from backends.service.routes.catalogue import found_on_hub
from tests.loopback_hub import Hub, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

REVISION = "d" * 40
SMALL, LARGE = b"GGUF-small-" * 2_000, b"GGUF-large-" * 4_000
FIRST, SECOND = b"GGUF-first-" * 5_000, b"GGUF-second-" * 5_000
FILES = {
    "README.md": b"# Tiny",
    "Tiny-1B-Q8_0.gguf": LARGE,
    "Tiny-1B-Q4_K_M.gguf": SMALL,
    "mmproj-Tiny-1B-F16.gguf": SMALL,
    "BF16/Tiny-1B-BF16-00002-of-00002.gguf": SECOND,
    "BF16/Tiny-1B-BF16-00001-of-00002.gguf": FIRST,
    "Tiny-1B-Q6_K-00001-of-00002.gguf": FIRST,
}


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    served = Hub("some/Tiny-1B-GGUF", REVISION, FILES, others=("some/tiny-closed-gguf",))
    with serving(served):
        monkeypatch.setenv("HF_ENDPOINT", served.address)
        yield served


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(tmp_path / "models", read_entries()[:1])


def test_a_search_lists_the_whole_models_of_repositories_that_may_be_read(running: Hub) -> None:
    (found,) = hub.search("tiny gguf")
    assert (found.id, found.revision, found.licence) == (running.repo, REVISION, "apache-2.0")
    assert found.downloads == 1_234_567
    assert [(one.name, one.kind, one.bytes) for one in found.variants] == [
        ("Tiny-1B-Q4_K_M", "Q4_K_M", len(SMALL)),
        ("Tiny-1B-Q8_0", "Q8_0", len(LARGE)),
        ("Tiny-1B-BF16", "BF16", len(FIRST) + len(SECOND)),
    ]
    assert hub.search("nothing like that") == []


def test_the_window_reads_what_the_service_tells_of_a_search(
    running: Hub, catalog: Catalog
) -> None:
    (found,) = map(read_found, found_on_hub(catalog, load_providers(), "tiny gguf"))
    assert (found.repo, found.licence, found.kinds[0]) == (running.repo, "apache-2.0", "Q4_K_M")
    small = found.models[0]
    assert small.hub == ModelSource(running.repo, REVISION, "Tiny-1B-Q4_K_M.gguf")
    assert (small.place, small.download_bytes) == ("available", len(SMALL))
    assert small.hub is not None
    catalog.pull_from_hub(HubPlace(**asdict(small.hub)))
    (found,) = map(read_found, found_on_hub(catalog, load_providers(), "tiny gguf"))
    assert [model.place for model in found.models] == ["here", "available", "available"]


def test_a_found_model_is_brought_listed_verified_and_removed(
    running: Hub, catalog: Catalog
) -> None:
    place = HubPlace(running.repo, REVISION, "BF16/Tiny-1B-BF16-00001-of-00002.gguf")
    brought = catalog.pull_from_hub(place)
    assert brought.entry.id == "some-tiny-1b-bf16"
    assert brought.entry.licence == "apache-2.0"
    assert Path(brought.credentials["model_path"]).read_bytes() == FIRST
    assert (brought.folder / "model-00002-of-00002.gguf").read_bytes() == SECOND
    again = Catalog(catalog.folder, catalog.entries())  # as the next start reads it
    assert [one.entry.id for one in again.all_installed()] == ["some-tiny-1b-bf16"]
    asked = len(running.asked)
    again.pull("some-tiny-1b-bf16")
    assert len(running.asked) == asked  # it is here
    part = brought.folder / "model-00002-of-00002.gguf"
    part.write_bytes(SECOND[::-1])
    assert (
        again.installed("some-tiny-1b-bf16") is None
    )  # its hash is known, unlike an imported one's
    again.pull("some-tiny-1b-bf16")
    assert part.read_bytes() == SECOND
    assert again.remove("some-tiny-1b-bf16") >= len(FIRST) + len(SECOND)
    assert again.all_installed() == []


def test_a_download_that_broke_off_goes_on(running: Hub, catalog: Catalog) -> None:
    place = HubPlace(running.repo, REVISION, "Tiny-1B-Q8_0.gguf")
    running.break_at = 20_000
    with pytest.raises(NotReachable):
        catalog.pull_from_hub(place)
    assert not (catalog.folder / "some-tiny-1b-q8-0" / MARK).exists()
    catalog.pull_from_hub(place)
    assert any("bytes=20000-" in asked for asked in running.asked)


def test_a_download_that_was_given_up_is_listed_resumed_or_removed(
    running: Hub, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What had come stayed on the disk, seen by nobody."""
    place = HubPlace(running.repo, REVISION, "Tiny-1B-Q8_0.gguf")
    running.break_at = 20_000
    with pytest.raises(NotReachable):
        catalog.pull_from_hub(place)
    later = Catalog(catalog.folder, catalog.entries())  # as the next start reads it
    state = SimpleNamespace(registry=load_providers())
    request: Any = SimpleNamespace(app=SimpleNamespace(state=state))
    monkeypatch.setattr(routes, "models_of", lambda _: SimpleNamespace(catalog=later))
    (told,) = [m for m in routes.catalogue(request)["models"] if m["id"] == "some-tiny-1b-q8-0"]
    assert (told["here"], told["got_bytes"]) == (False, 20_000)
    assert later.remove("some-tiny-1b-q8-0") == 20_000
    assert not (later.folder / "some-tiny-1b-q8-0").exists()
    assert later.begun() == []
    running.break_at = 20_000
    with pytest.raises(NotReachable):
        later.pull_from_hub(place)
    later.pull("some-tiny-1b-q8-0")  # resumed without another search
    assert later.begun() == []
    assert [one.entry.id for one in later.all_installed()] == ["some-tiny-1b-q8-0"]


def test_what_has_come_of_a_model_of_the_catalogue_is_removed(running: Hub, tmp_path: Path) -> None:
    made = hub.entry_of(*of_first(running)).model_copy(update={"id": "known", "found": False})
    catalog = Catalog(tmp_path / "models", [made])
    running.break_at = 5_000
    with pytest.raises(NotReachable):
        catalog.pull("known")
    assert catalog.remove("known") == 5_000
    with pytest.raises(UnknownModel):
        catalog.remove("known")


def test_a_model_of_the_catalogue_is_not_brought_twice(running: Hub, tmp_path: Path) -> None:
    made = hub.entry_of(*of_first(running)).model_copy(update={"id": "known", "found": False})
    catalog = Catalog(tmp_path / "models", [made])
    place = HubPlace(running.repo, REVISION, "Tiny-1B-Q4_K_M.gguf")
    assert catalog.pull_from_hub(place).entry.id == "known"
    assert "entry" not in json.loads((catalog.folder / "known" / MARK).read_text())


def of_first(running: Hub) -> tuple[hub.HubRepository, hub.HubVariant]:
    (found,) = hub.search("tiny gguf")
    assert found.id == running.repo
    return found, found.variants[0]


@pytest.mark.parametrize(
    "place",
    [
        HubPlace("some/Tiny-1B-GGUF", REVISION, "none.gguf"),
        HubPlace("../etc", REVISION, "Tiny-1B-Q8_0.gguf"),
        HubPlace("some/Tiny-1B-GGUF", "main", "Tiny-1B-Q8_0.gguf"),
    ],
)
def test_a_place_that_no_search_gave_is_refused(
    running: Hub, catalog: Catalog, place: HubPlace
) -> None:
    with pytest.raises(UnknownModel):
        catalog.pull_from_hub(place)


def test_a_hub_that_refuses_or_is_away_is_told_in_a_sentence(
    running: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.refuse = 429
    with pytest.raises(NotReachable, match="HTTP 429"):
        hub.search("tiny")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(NotReachable, match="cannot be reached"):
        hub.search("tiny")
