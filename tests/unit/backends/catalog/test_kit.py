"""Models carried on a stick: whole, checked, gone on with, refused when damaged."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from backends.catalog.catalog import Catalog
from backends.catalog.errors import NoSpace, NotAModel, NotTheFile
from backends.catalog.kit import NAME, export_kit, import_kit
from tests.models.llama import LLAMA
from tests.models.speech import PIPER, WHISPER

if TYPE_CHECKING:
    from backends.catalog.download import DownloadProgress


@pytest.fixture
def here(tmp_path: Path) -> Catalog:
    catalog = Catalog(tmp_path / "here", [])
    catalog.add(Path(WHISPER["model_path"]), "tiny-whisper", link=True)
    catalog.add(Path(PIPER["model_path"]), "tiny-voice")
    catalog.add(Path(LLAMA["model_path"]), "tiny-llama")
    return catalog


@pytest.fixture
def there(tmp_path: Path) -> Catalog:
    return Catalog(tmp_path / "there", [])


def contents(folder: Path) -> dict[str, bytes]:
    files = (p for p in folder.rglob("*") if p.is_file())
    return {str(p.relative_to(folder)): p.read_bytes() for p in files if p.suffix != ".lock"}


def test_a_kit_makes_another_machine_have_the_same_models(
    here: Catalog, there: Catalog, tmp_path: Path
) -> None:
    kit = tmp_path / "kit"
    assert export_kit(here, kit, []) == ["tiny-llama", "tiny-voice", "tiny-whisper"]
    assert not any(
        path.is_symlink() for path in kit.rglob("*")
    )  # a link would not survive the journey
    shutil.rmtree(here.folder)
    taken = import_kit(there, kit, [])
    assert [found.entry.id for found in taken] == ["tiny-llama", "tiny-voice", "tiny-whisper"]
    assert (
        Path(taken[0].credentials["model_path"]).read_bytes()
        == Path(LLAMA["model_path"]).read_bytes()
    )
    assert [found.entry.id for found in there.all_installed()] == [
        found.entry.id for found in taken
    ]


def test_only_the_models_that_are_named_are_carried(
    here: Catalog, there: Catalog, tmp_path: Path
) -> None:
    kit = tmp_path / "kit"
    assert export_kit(here, kit, ["tiny-voice"]) == ["tiny-voice"]
    assert export_kit(here, kit, ["tiny-whisper"]) == ["tiny-whisper"]  # it joins what is there
    with pytest.raises(NotAModel, match="tiny-llama") as caught:
        import_kit(there, kit, ["tiny-llama"])
    assert "tiny-voice, tiny-whisper" in caught.value.remedy
    assert [found.entry.id for found in import_kit(there, kit, ["tiny-voice"])] == ["tiny-voice"]
    assert len(there.all_installed()) == 1


def test_an_export_that_was_stopped_goes_on_where_it_stopped(
    here: Catalog, there: Catalog, tmp_path: Path
) -> None:
    kit, seen = tmp_path / "kit", list[int]()

    class Stopped(Exception):
        """The stick was pulled out, or somebody pressed Ctrl+C."""

    def stop(progress: DownloadProgress) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        export_kit(here, kit, ["tiny-whisper"], stop)
    (part,) = kit.rglob("*.part")
    whole = (Path(WHISPER["model_path"]) / part.name.removesuffix(".part")).read_bytes()
    with pytest.raises(NotAModel, match="no kit"):
        import_kit(there, kit, [])  # nothing whole is in it yet
    part.write_bytes(whole[: len(whole) // 2])
    export_kit(here, kit, ["tiny-whisper"], lambda p: seen.append(p.done_bytes))
    assert not list(kit.rglob("*.part"))
    assert (kit / "tiny-whisper" / part.name.removesuffix(".part")).read_bytes() == whole
    part.write_bytes(b"something else altogether")
    (kit / "tiny-whisper" / part.name.removesuffix(".part")).unlink()
    export_kit(here, kit, ["tiny-whisper"])
    assert (kit / "tiny-whisper" / part.name.removesuffix(".part")).read_bytes() == whole


def test_a_second_import_copies_nothing(here: Catalog, there: Catalog, tmp_path: Path) -> None:
    export_kit(here, tmp_path / "kit", [])
    import_kit(there, tmp_path / "kit", [])
    seen: list[str] = []
    assert len(import_kit(there, tmp_path / "kit", [], lambda p: seen.append(p.what))) == 3
    assert seen == []


@pytest.mark.parametrize("how", ["shorter", "other", "gone"])
def test_a_damaged_kit_is_refused_and_names_the_file(
    here: Catalog, there: Catalog, tmp_path: Path, how: str
) -> None:
    kit = tmp_path / "kit"
    export_kit(here, kit, [])
    file = kit / "tiny-whisper" / "model.bin"
    whole = file.read_bytes()
    if how == "gone":
        file.unlink()
    else:
        file.write_bytes(whole[:-1] if how == "shorter" else b"\0" + whole[1:])
    with pytest.raises(NotTheFile, match=r"model\.bin") as caught:
        import_kit(there, kit, [])
    assert caught.value.remedy
    assert [found.entry.id for found in there.all_installed()] == (
        [] if how != "other" else ["tiny-llama", "tiny-voice"]
    )
    assert not list(there.folder.rglob("*.part"))
    file.write_bytes(whole)
    assert len(import_kit(there, kit, [])) == 3


@pytest.mark.parametrize("name", ["../../outside", "/etc/passwd", "a/../../b", "C:\\x", ""])
def test_a_kit_that_reaches_out_of_its_folder_is_refused(
    here: Catalog, there: Catalog, tmp_path: Path, name: str
) -> None:
    kit = tmp_path / "kit"
    export_kit(here, kit, ["tiny-voice"])
    told: dict[str, Any] = json.loads((kit / NAME).read_text())
    told["models"][0]["files"][0]["name"] = name
    (kit / NAME).write_text(json.dumps(told))
    with pytest.raises(NotTheFile, match="damaged"):
        import_kit(there, kit, [])
    told["models"][0]["files"][0]["name"] = "x"
    told["models"][0]["entry"]["id"] = name
    (kit / NAME).write_text(json.dumps(told))
    with pytest.raises(NotTheFile, match="damaged"):
        import_kit(there, kit, [])


def test_what_is_no_kit_or_a_newer_one_is_told(there: Catalog, tmp_path: Path) -> None:
    with pytest.raises(NotAModel, match="no kit"):
        import_kit(there, tmp_path, [])
    (tmp_path / NAME).write_text("{")
    with pytest.raises(NotTheFile, match="damaged"):
        import_kit(there, tmp_path, [])
    (tmp_path / NAME).write_text('{"form": 2, "models": []}')
    with pytest.raises(NotTheFile, match="newer"):
        import_kit(there, tmp_path, [])


def test_a_model_the_catalogue_knows_otherwise_is_refused(here: Catalog, tmp_path: Path) -> None:
    export_kit(here, tmp_path / "kit", ["tiny-voice"])
    known = Catalog().entry("piper-en-joe").model_copy(update={"id": "tiny-voice"})
    with pytest.raises(NotTheFile, match="a different version of Joe"):
        import_kit(Catalog(tmp_path / "there", [known]), tmp_path / "kit", [])


def test_a_disk_without_room_is_told_before_anything_is_copied(
    here: Catalog, there: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_kit(here, tmp_path / "kit", [])

    class Full:
        free = 1000

    monkeypatch.setattr("backends.catalog.download.shutil.disk_usage", lambda _: Full)
    with pytest.raises(NoSpace, match="0 MB are free"):
        import_kit(there, tmp_path / "kit", [])
    assert contents(there.folder) == {}
    with pytest.raises(NoSpace) as caught:
        export_kit(here, tmp_path / "other", [])
    assert "another disk" in caught.value.remedy
    assert contents(tmp_path / "other") == {}


def test_a_machine_without_models_has_nothing_to_carry(there: Catalog, tmp_path: Path) -> None:
    with pytest.raises(NotAModel, match="no model") as caught:
        export_kit(there, tmp_path / "kit", [])
    assert "pull" in caught.value.remedy
    with pytest.raises(NotAModel, match="not on this machine"):
        export_kit(Catalog(tmp_path / "there"), tmp_path / "kit", ["whisper-base"])


def test_from_the_shell_a_kit_goes_out_and_in(
    here: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from backends.catalog.__main__ import app

    monkeypatch.setenv("DESKPILOT_MODELS", str(here.folder))
    assert (
        CliRunner().invoke(app, ["export-kit", str(tmp_path / "kit"), "tiny-llama"]).exit_code == 0
    )
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "there"))
    done = CliRunner().invoke(app, ["import-kit", str(tmp_path / "kit")])
    assert done.exit_code == 0
    assert "tiny-llama can be used." in done.output
