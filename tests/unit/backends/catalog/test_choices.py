"""What a person chose for models: kept, checked, used, undone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from backends.catalog.catalog import Catalog
from backends.catalog.choices import read_choices
from backends.catalog.errors import NotAChoice, UnknownModel
from backends.catalog.shell import set_for
from tests.models.llama import LLAMA
from tests.models.speech import PIPER

pytestmark = pytest.mark.slow


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    known = Catalog(tmp_path / "models")
    known.add(Path(LLAMA["model_path"]), "tiny-llama", link=True)
    known.add(Path(PIPER["model_path"]), "tiny-voice", link=True)
    return known


def credentials(catalog: Catalog, name: str) -> dict[str, str]:
    found = catalog.installed(name)
    assert found is not None
    return found.credentials


def test_a_device_and_a_context_are_chosen_for_a_model_and_undone(catalog: Catalog) -> None:
    before = credentials(catalog, "tiny-llama")
    assert set_for(catalog, "tiny-llama", ["device=cpu", "n_ctx=512"]) == [
        "tiny-llama  device=cpu n_ctx=512"
    ]
    assert credentials(catalog, "tiny-llama") == before | {"device": "cpu", "n_ctx": "512"}
    assert "device" not in credentials(catalog, "tiny-voice")
    assert set_for(catalog, "tiny-llama", ["n_ctx="]) == ["tiny-llama  device=cpu"]
    assert set_for(catalog, "tiny-llama", ["device="]) == []
    assert credentials(catalog, "tiny-llama") == before


def test_memory_and_idle_time_are_chosen_for_all(catalog: Catalog) -> None:
    assert set_for(catalog, "all", ["memory=8GB", "idle=0"]) == ["all  memory=8GB", "all  idle=0.0"]
    assert set_for(catalog, "tiny-voice", []) == ["all  memory=8GB", "all  idle=0.0"]
    assert set_for(catalog, "all", ["memory=", "idle="]) == []


@pytest.mark.parametrize(
    ("name", "pair", "told"),
    [
        ("tiny-llama", "device=tpu", "one of auto, cpu, cuda, metal, vulkan"),
        ("tiny-llama", "device", "device, n_gpu_layers"),
        ("tiny-llama", "colour=red", "n_ctx"),
        ("tiny-llama", "model_path=/etc/passwd", "n_ctx"),
        ("tiny-llama", "n_ctx=-5", "a whole number, at least 0 and at most 1048576, not '-5'"),
        ("tiny-llama", "n_ctx=2000000", "at most 1048576"),
        ("tiny-llama", "n_ctx=many", "a whole number"),
        ("tiny-llama", "n_ctx=4096.5", "a whole number"),
        ("tiny-llama", "n_ctx=1_000", "a whole number"),
        ("tiny-llama", "n_threads=0", "at least 1"),
        ("tiny-llama", "n_gpu_layers=-2", "at least -1"),
        ("tiny-llama", "flash_attn=perhaps", "true or false"),
        ("tiny-voice", "n_threads=-1", "at least 0"),
        ("tiny-voice", "device=vulkan", "one of auto, cpu, cuda"),
        ("all", "memory=lots", "memory=8GB"),
        ("all", "idle=-1", "minutes"),
        ("all", "idle=soon", "minutes"),
        ("all", "device=cpu", "memory=8GB, idle=10"),
    ],
)
def test_what_cannot_be_chosen_is_told_with_what_can(
    catalog: Catalog, name: str, pair: str, told: str
) -> None:
    with pytest.raises(NotAChoice) as caught:
        set_for(catalog, name, [pair])
    assert told in f"{caught.value.text} {caught.value.remedy}"
    assert set_for(catalog, name, []) == []


def test_a_model_nobody_knows_has_no_settings(catalog: Catalog) -> None:
    with pytest.raises(UnknownModel):
        set_for(catalog, "nope", ["device=cpu"])


def test_a_damaged_file_of_choices_is_told_not_dropped(catalog: Catalog) -> None:
    (catalog.folder / "choices.json").write_text("{")
    with pytest.raises(NotAChoice, match=r"choices\.json cannot be read") as caught:
        read_choices(catalog.folder)
    assert "models set" in caught.value.remedy


def test_from_the_shell_the_choice_is_printed(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    from backends.catalog.__main__ import app

    monkeypatch.setenv("DESKPILOT_MODELS", str(catalog.folder))
    done = CliRunner().invoke(app, ["set", "tiny-llama", "device=cpu"])
    assert (done.exit_code, done.output) == (0, "tiny-llama  device=cpu\n")


def test_the_help_names_the_command_people_type(repository: Path) -> None:
    command = [sys.executable, "-m", "app", "models", "--help"]
    told = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=repository
    ).stdout
    assert "deskpilot models" in told
    assert "python -m" not in told
