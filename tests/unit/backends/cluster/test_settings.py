"""What a cluster is set up with, without Ray: addresses, the token, the hash of a model."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from backends.catalog import Catalog
from backends.cluster import settings
from backends.cluster.hashes import ModelHashes, paths_here
from backends.cluster.settings import NoCluster, check_installed, head_of, own_token, prepare
from backends.paths import cluster_token_file, model_hashes_file
from tests.models.llama import LLAMA


@pytest.mark.parametrize(
    ("address", "head"),
    [
        ("ray://10.0.0.1:7000", ("10.0.0.1", 7000)),
        ("ray://10.0.0.1", ("10.0.0.1", 6379)),
        ("ray://[fd00::1]:7000", ("fd00::1", 7000)),
    ],
)
def test_an_address_names_the_head(address: str, head: tuple[str, int]) -> None:
    assert head_of(address) == head


@pytest.mark.parametrize("address", ["10.0.0.1:6379", "http://10.0.0.1", "ray://", "ray://a:b"])
def test_anything_else_is_refused_with_what_to_write(address: str) -> None:
    with pytest.raises(NoCluster) as caught:
        head_of(address)
    assert "ray://HOST:PORT" in caught.value.remedy


def test_the_token_is_made_once_and_is_its_owners_alone() -> None:
    first = own_token().read_text()
    assert len(first) == 64
    assert own_token().read_text() == first
    assert cluster_token_file().stat().st_mode & 0o777 == 0o600


def test_ray_is_told_to_ask_for_the_token_and_to_tell_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = dict(os.environ)
    monkeypatch.setenv("RAY_AUTH_TOKEN", "somebody else's")
    prepare(loopback=True)
    told = dict(os.environ)
    os.environ.clear()
    os.environ.update(before)
    assert told["RAY_AUTH_MODE"] == "token"
    assert told["RAY_AUTH_TOKEN_PATH"] == str(cluster_token_file())
    assert "RAY_AUTH_TOKEN" not in told
    assert told["RAY_USAGE_STATS_ENABLED"] == "0"
    assert told["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] == "0"


def test_without_ray_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_: str) -> None:
        return None

    monkeypatch.setattr(settings, "find_spec", nothing)
    with pytest.raises(NoCluster, match="Ray is not installed") as caught:
        check_installed()
    assert "ray[serve]" in caught.value.remedy


def test_a_hash_is_of_the_bytes_wherever_they_lie(tmp_path: Path) -> None:
    one, same, other = (tmp_path / name for name in ("one", "same", "other"))
    one.write_bytes(b"weights")
    same.write_bytes(b"weights")
    other.write_bytes(b"Weights")
    hashes = ModelHashes()
    assert hashes.of({"model_path": str(one)}) == hashes.of({"model_path": str(same)})
    assert hashes.of({"model_path": str(one)}) != hashes.of({"model_path": str(other)})
    before = hashes.of({"model_path": str(one)})
    one.write_bytes(b"other weights")
    assert ModelHashes().of({"model_path": str(one)}) != before  # not what was remembered


def test_a_file_is_read_once_for_its_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "weights"
    file.write_bytes(b"weights")
    first = ModelHashes().of({"model_path": str(file)})
    assert model_hashes_file().is_file()

    def read(_: Path) -> str:
        raise AssertionError("it was read again")

    monkeypatch.setattr("backends.cluster.hashes.sha256_of", read)
    assert ModelHashes().of({"model_path": str(file)}) == first


def test_a_node_finds_the_same_model_at_a_path_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = Catalog(tmp_path / "asking").add(Path(LLAMA["model_path"]), "tiny").credentials
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "node"))
    assert paths_here(ModelHashes().of(asking), asking) == paths_in(tmp_path / "asking")
    Catalog().add(Path(LLAMA["model_path"]), "another-name")
    wanted = ModelHashes().of(asking)
    elsewhere = {name: f"/not/on/this/machine/{name}" for name in paths_in(tmp_path / "asking")}
    found = paths_here(wanted, elsewhere)
    assert found is not None
    assert Path(found["model_path"]).parent == tmp_path / "node" / "another-name"
    changed = tmp_path / "changed.gguf"
    changed.write_bytes(Path(LLAMA["model_path"]).read_bytes() + b"x")
    assert paths_here(wanted, {**elsewhere, "model_path": str(changed)}) == found
    assert paths_here("0" * 64, elsewhere) is None


def paths_in(folder: Path) -> dict[str, str]:
    (found,) = Catalog(folder).all_installed()
    return {name: found.credentials[name] for name in ("model_path", "projector_path")}
