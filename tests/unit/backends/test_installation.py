"""Sentences that name a command name one that can be run, however Deskpilot was installed."""

from __future__ import annotations

import ast
import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer.main

from app.cli.commands import app as commands
from backends.catalog.__main__ import app as models
from backends.installation import ADDED, KINDS, MARK, Installation, find

if TYPE_CHECKING:
    from backends.installation import Kind

ROOT = Path(__file__).resolve().parents[3]
HOW = re.compile(r"\bpip\b.*install|-m pip|ensurepip|dev\.py|pipx \w+|\buv (tool|pip)|--reinstall")
TYPED = re.compile(r"(?<![\w/.-])deskpilot (?!to )((?:[a-z-]+ ?)+)((?:--[a-z-]+)?)")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an installation whose `deskpilot` is on no path."""
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    made = tmp_path / "usr" / "my programs" / "python"
    (made / "bin").mkdir(parents=True)
    for name in ("python3", "pip"):
        (made / "bin" / name).touch(0o755)
    return made


def put(folder: Path, kind: Kind) -> Installation:
    """Make a folder look as installers of a kind leave it, and return what is found in it."""
    root = folder / "lib" / "python3.11" / "site-packages"
    root.mkdir(parents=True)
    match kind:
        case "deb" | "tree":
            (folder / MARK).write_text(json.dumps({"kind": kind, "version": "1"}))
            (folder.parent / "bin").mkdir()
            (folder.parent / "bin" / "deskpilot").touch(0o755)
        case "clone":
            return find(folder, ROOT)
        case "pipx":
            (folder / "pipx_metadata.json").write_text("{}")
        case "uv":
            (folder / "uv-receipt.toml").touch()
        case "pip":
            pass
    (folder / "bin" / "deskpilot").touch(0o755)
    return find(folder, root)


@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_is_told_by_what_the_installer_left(folder: Path, kind: Kind) -> None:
    assert put(folder, kind).kind == kind


@pytest.mark.parametrize("kind", KINDS)
def test_a_package_tells_where_its_models_and_licences_lie(folder: Path, kind: Kind) -> None:
    here = put(folder, kind)
    assert here.models is None
    assert here.documents is None
    base = folder.parents[2] if kind == "deb" else folder.parent
    models, documents = folder.parent / "models", base / "share" / "doc" / "deskpilot"
    for one in (models, documents):
        one.mkdir(parents=True)
    packaged = kind in ("deb", "tree")
    assert here.models == (models if packaged else None)
    assert here.documents == (documents if packaged else None)


def fits(command: str, kind: Kind, folder: Path) -> None:
    """Fail for a command that cannot be run under a kind."""
    for line in command.split("; "):
        program, *words = shlex.split(line)
        if program == "sudo":
            program, *words = words
        if program in ("pipx", "uv"):
            assert kind == program
            known = {"pipx": ("inject", "reinstall"), "uv": ("pip", "tool")}[program]
            assert words[0] in known
        elif program in ("apt-get", "rm", "python3"):
            assert kind == {"apt-get": "deb"}.get(program, "clone")
            if program == "python3":
                assert Path(words[0]).is_file()
                understood(words[1:])
        else:
            assert Path(program).is_file(), program
            if words[:2] == ["-m", "pip"]:
                takes(words[2:])
            else:
                assert words in ([], ["-m", "ensurepip"], ["models", "pull", "x"])


def understood(words: list[str]) -> None:
    """Fail for words that `dev.py` does not understand."""
    from importlib.util import module_from_spec, spec_from_file_location

    path = ROOT / "packaging" / "gpu_builds.py"
    spec = spec_from_file_location("gpu_builds", path)
    assert spec is not None
    assert spec.loader is not None
    module: Any = module_from_spec(spec)
    import sys

    sys.modules["gpu_builds"] = module
    try:
        spec.loader.exec_module(module)
        assert words[0] == "run"
        assert words[1:2] in ([], ["--gpu"], ["models"])
        if words[1:2] == ["--gpu"]:
            assert words[2] in module.KINDS
    finally:
        del sys.modules["gpu_builds"]


def takes(words: list[str]) -> None:
    """Fail for words that pip's own command line does not take."""
    from pip._internal.commands import create_command

    command = create_command(words[0])
    _, rest = command.parse_args(words[1:])
    assert rest


@pytest.mark.parametrize("kind", KINDS)
def test_every_command_can_be_run_under_its_kind(folder: Path, kind: Kind) -> None:
    here = put(folder, kind)
    told = [
        here.add("torch==2.13.0", "piper-tts[zh]"),
        here.add_pip(),
        here.typed("deskpilot models pull x"),
    ]
    # A tree is mended by hand, and engines for a GPU come with a clone alone.
    told += [here.mend()] if kind != "tree" else []
    told += [here.gpu("cuda")] if kind == "clone" else []
    for command in told:
        if not command.startswith("unpack the archive"):
            fits(command, kind, folder)
    if kind != "clone":
        assert "dev.py" not in here.gpu() + here.mend()


def test_the_name_stands_where_the_shell_finds_this_installation(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = put(folder, "deb")
    assert here.start() == f"'{folder.parent}/bin/deskpilot'"
    assert here.typed("deskpilot models list, or deskpilot --offline").count("my programs") == 2
    monkeypatch.setenv("PATH", str(folder.parent / "bin"))
    assert here.typed("deskpilot models list") == "deskpilot models list"
    other = folder.parent.parent / "other"
    (other / "bin").mkdir(parents=True)
    assert put(other, "pip").start() == str(other / "bin" / "deskpilot")


def sentences() -> list[tuple[str, str]]:
    """Return every text of the program, docstrings aside, with the file it stands in."""
    found: list[tuple[str, str]] = []
    for path in sorted([*(ROOT / "app").rglob("*.py"), *(ROOT / "backends").rglob("*.py")]):
        tree = ast.parse(path.read_text("utf-8"))
        docs = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        inside = {
            id(part)
            for node in ast.walk(tree)
            if isinstance(node, ast.JoinedStr)
            for part in node.values
        }
        for node in ast.walk(tree):
            name = str(path.relative_to(ROOT))
            if isinstance(node, ast.JoinedStr):
                parts = [p.value if isinstance(p, ast.Constant) else "X" for p in node.values]
                found.append((name, "".join(map(str, parts))))
            elif (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in docs | inside
            ):
                found.append((name, node.value))
    return found


SENTENCES = sentences()


def test_how_to_install_something_is_said_in_one_place() -> None:
    said = {name for name, text in SENTENCES if HOW.search(text)}
    assert said == {"backends/installation.py"}


def test_every_command_of_ours_that_is_named_exists() -> None:
    top, of_models = typer.main.get_command(commands), typer.main.get_command(models)
    named = [(name, found) for name, text in SENTENCES for found in TYPED.finditer(text)]
    assert len(named) > 40
    for name, found in named:
        words = found[1].split()
        command: Any = top
        while words and words[0] in getattr(command, "commands", {}):
            command = of_models if words[0] == "models" else command.commands[words[0]]
            words.pop(0)
        assert command is not top, f"{name}: {found[0]}"
        wanted = found[2]
        if wanted and not words:
            options = [one for part in command.params for one in part.opts]
            assert wanted in options, f"{name}: {found[0]}"


def test_the_package_looks_where_its_sentence_adds() -> None:
    assert f'"{ADDED}\\n"' in (ROOT / "packaging" / "bundle.py").read_text("utf-8")
