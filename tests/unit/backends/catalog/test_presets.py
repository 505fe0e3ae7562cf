"""Parameters chosen for a model by the rules of its YAML, presets by name, and speeds that were
measured.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from backends.catalog.__main__ import app
from backends.catalog.catalog import Catalog
from backends.catalog.choices import (
    SPEEDS,
    MeasuredSpeed,
    fitting,
    keep_measured,
    read_choices,
    read_measured,
    rules_of,
    shipped_presets,
    speed_of,
)
from backends.catalog.errors import CatalogError, NotAChoice, UnknownModel
from backends.catalog.parameters import tune, tuning_of
from backends.catalog.shell import set_for
from backends.flexai.registry import load_providers
from tests.models.llama import LLAMA
from tests.models.speech import PIPER

pytestmark = pytest.mark.slow


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Catalog:
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))
    known = Catalog()
    known.add(Path(LLAMA["model_path"]), "tiny-llama", link=True)
    known.add(Path(PIPER["model_path"]), "tiny-voice", link=True)
    return known


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["preset", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def chosen(catalog: Catalog, name: str = "tiny-llama") -> dict[str, Any]:
    return read_choices(catalog.folder).parameters.get(name, {})


def test_parameters_are_chosen_beside_settings_kept_and_undone(catalog: Catalog) -> None:
    told = set_for(catalog, "tiny-llama", ["temperature=0.7", "n_ctx=512", "top_k=3", "seed=5"])
    assert told == ["tiny-llama  n_ctx=512 temperature=0.7 top_k=3 seed=5"]
    assert chosen(catalog) == {"temperature": 0.7, "top_k": 3, "seed": 5}
    assert set_for(catalog, "tiny-llama", ["top_k=", "n_ctx="]) == [
        "tiny-llama  temperature=0.7 seed=5"
    ]
    assert set_for(catalog, "tiny-llama", ["temperature=", "seed="]) == []


@pytest.mark.parametrize(
    ("pair", "told"),
    [
        ("temperature=3", "at most 2"),
        ("temperature=warm", "must be a number"),
        ("top_k=1.5", "whole number"),
        ("json_schema={}", "Parameters: temperature, top_p"),
        ("colour=red", "Parameters: temperature"),
    ],
)
def test_what_no_rule_allows_is_told_and_nothing_is_kept(
    catalog: Catalog, pair: str, told: str
) -> None:
    with pytest.raises(NotAChoice) as caught:
        set_for(catalog, "tiny-llama", ["seed=1", pair])
    assert told in f"{caught.value.text} {caught.value.remedy}"
    assert chosen(catalog) == {}


def test_a_form_keeps_only_what_differs_from_what_the_model_has_anyway(catalog: Catalog) -> None:
    registry = load_providers()
    now = tuning_of(catalog, registry, "tiny-llama")
    assert [f.variable for f in now.fields if f.variable in ("model_path", "guard", "mode")] == [
        "mode"
    ]
    assert now.settings["n_ctx"] == "4096"
    tune(catalog, registry, "tiny-llama", {"temperature": ""}, now.settings)
    assert read_choices(catalog.folder).models == {}
    tune(catalog, registry, "tiny-llama", {"temperature": "1"}, now.settings | {"n_ctx": "256"})
    assert read_choices(catalog.folder).models == {"tiny-llama": {"n_ctx": "256"}}
    assert tuning_of(catalog, registry, "tiny-llama").parameters == {"temperature": 1.0}
    assert rules_of(catalog.entry("tiny-voice"), registry) == []
    with pytest.raises(UnknownModel):
        tune(catalog, registry, "nothing", {}, {})


def test_every_shipped_preset_fits_a_language_model(catalog: Catalog) -> None:
    rules = rules_of(catalog.entry("tiny-llama"), load_providers())
    assert {
        name: fitting(rules, preset) for name, preset in shipped_presets().items()
    } == shipped_presets()


def test_presets_are_listed_used_saved_and_removed_by_name(catalog: Catalog) -> None:
    assert "precise  temperature=0 " in run("list")
    assert run("use", "precise", "tiny-llama").startswith("tiny-llama  temperature=0")
    assert chosen(catalog) == shipped_presets()["precise"]
    set_for(catalog, "tiny-llama", ["seed=7"])
    run("save", "mine", "tiny-llama")
    assert "mine  temperature=0 top_p=1 repeat_penalty=1 seed=7" in run("list")
    set_for(catalog, "tiny-llama", ["seed=", "temperature=", "top_p=", "repeat_penalty="])
    run("use", "mine", "tiny-llama")
    assert chosen(catalog)["seed"] == 7
    run("remove", "mine")
    assert "mine" not in run("list")
    assert chosen(catalog)["seed"] == 7


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["use", "nothing", "tiny-llama"], "precise, balanced, lively"),
        (["use", "precise", "tiny-voice"], "language model"),
        (["use", "precise", "nothing"], "There is no model"),
        (["save", "a/b", "tiny-llama"], "not a valid preset name"),
        (["save", "mine", "tiny-llama"], "would be empty"),
        (["remove", "precise"], "is part of Deskpilot"),
        (["remove", "nothing"], "does not exist"),
    ],
)
def test_a_preset_that_cannot_be_is_told(catalog: Catalog, arguments: list[str], told: str) -> None:
    with pytest.raises(CatalogError) as caught:
        run(*arguments)
    assert told in f"{caught.value.text} {caught.value.remedy}"


def test_a_speed_counts_for_the_settings_it_was_measured_with(tmp_path: Path) -> None:
    speed = MeasuredSpeed(prompt=80.5, answer=12.0, device="cpu", settings={"n_ctx": "512"})
    keep_measured(tmp_path, "m", speed)
    keep_measured(tmp_path, "other", MeasuredSpeed(prompt=1, answer=1))
    known = read_measured(tmp_path)
    assert speed_of(known, "m", {"n_ctx": "512"}) == speed
    assert speed_of(known, "m", {}) is None
    assert speed_of(known, "nothing", {}) is None
    (tmp_path / SPEEDS).write_text("{")
    assert read_measured(tmp_path) == {}
