"""What `packaging/bundle.py` makes: of locked packages, the same bytes twice, installed and removed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINUX = ROOT / "packaging" / "linux"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="packages for Linux")


@pytest.fixture
def bundle(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    import bundle  # pyright: ignore[reportMissingImports]

    return bundle


@pytest.fixture
def components(bundle: Any) -> Any:
    import components  # pyright: ignore[reportMissingImports]

    return components


def test_every_package_the_project_names_is_locked_at_a_version_it_allows(bundle: Any) -> None:
    from packaging.requirements import Requirement

    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    locked = bundle.locked()
    assert len(locked) > 100
    for line in wanted:
        one = Requirement(line)
        if one.marker is None or one.marker.evaluate({"python_version": "3.11"}):
            version, digest = locked[bundle.normal(one.name)]
            assert one.specifier.contains(version), line
            assert len(digest) == 64


def test_an_archive_is_the_same_whenever_it_was_written(bundle: Any, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("b")
    (tmp_path / "a.txt").write_text("a")
    made: list[bytes] = []
    for when, names in ((1.0, ("a.txt", "b.txt")), (2e9, ("b.txt", "a.txt"))):
        with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as archive:
            for name in names:
                os.utime(tmp_path / name, (when, when))
                archive.add(tmp_path / name, name)
        bundle.calm_archive(tmp_path / "x.tar.gz", 1_000_000_000)
        made.append((tmp_path / "x.tar.gz").read_bytes())
    assert made[0] == made[1]


def test_a_package_is_unpacked_without_its_programs_and_never_outside(
    bundle: Any, tmp_path: Path
) -> None:
    wheel, site = tmp_path / "x-1-py3-none-any.whl", tmp_path / "site"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("x/__init__.py", "")
        archive.writestr("x-1.data/scripts/x", "#!python")
        archive.writestr("x-1.data/purelib/y.py", "")
    bundle.unpack(wheel, site)
    assert sorted(p.name for p in site.rglob("*.py")) == ["__init__.py", "y.py"]
    assert not list(site.rglob("scripts"))
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("../outside.py", "")
    with pytest.raises(bundle.Failed, match="outside"):
        bundle.unpack(wheel, site)
    assert not (tmp_path / "outside.py").exists()


def test_equal_libraries_become_links_and_the_list_of_a_package_forgets_what_is_gone(
    bundle: Any, tmp_path: Path
) -> None:
    for name in ("libx.so", "libx.so.0", "libx.so.0.1"):
        (tmp_path / name).write_bytes(b"same")
    bundle.link_copies(tmp_path)
    assert (tmp_path / "libx.so").readlink() == Path("libx.so.0.1")
    assert not (tmp_path / "libx.so.0.1").is_symlink()
    record = tmp_path / "RECORD"
    record.write_text("libx.so,sha256=a,4\ntests/gone.py,sha256=b,1\n")
    bundle.mend_record(record, tmp_path)
    assert record.read_text() == "libx.so,sha256=a,4\n"


def test_test_folders_that_others_import_stay(bundle: Any, tmp_path: Path) -> None:
    for name in ("a/tests", "b/tests", "c"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "c" / "user.py").write_text("from a.tests.common import x\n")
    assert bundle.imported_tests(tmp_path) == {tmp_path / "a" / "tests"}


def test_a_native_file_that_nothing_claims_stops_the_build(components: Any, tmp_path: Path) -> None:
    site = tmp_path / "python" / "lib" / "python3.11" / "site-packages"
    info = site / "x-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Name: x\nVersion: 1\nLicense: MIT License\n")
    (info / "RECORD").write_text("x/_x.so,,\n")
    (site / "x").mkdir()
    (site / "x" / "_x.so").write_bytes(b"\x7fELF")
    (made,) = components.write(tmp_path, tmp_path / "doc", "1", 0)
    assert (made.name, made.licence, made.files) == (
        "x",
        "MIT",
        ["lib/python3.11/site-packages/x/_x.so"],
    )
    (site / "x.libs").mkdir()
    (site / "x.libs" / "libnobody-knows-it.so.1").write_bytes(b"\x7fELF")
    with pytest.raises(components.Unclaimed, match="libnobody-knows-it"):
        components.write(tmp_path, tmp_path / "doc", "1", 0)


def tree(folder: Path) -> Path:
    """Return a tree with all the installer looks at; what it starts says its name."""
    for name in ("bin", "python/bin", "share/applications", "share/man/man1"):
        (folder / name).mkdir(parents=True)
    icons = folder / "share/icons/hicolor/scalable/apps"
    icons.mkdir(parents=True)
    (folder / "python/installation.json").write_text('{"kind": "tree"}')
    for name, to in (
        ("deskpilot.sh", "bin/deskpilot"),
        ("install.sh", "install.sh"),
        ("deskpilot.desktop", "share/applications/deskpilot.desktop"),
        ("deskpilot.svg", "share/icons/hicolor/scalable/apps/deskpilot.svg"),
    ):
        (folder / to).write_text((LINUX / name).read_text("utf-8"), "utf-8")
    (folder / "share/man/man1/deskpilot.1.gz").touch()
    python = folder / "python/bin/python3"
    python.write_text('#!/bin/sh\necho "$0" "$@" "$PYTHONPATH$PYTHONHOME" $PYTHONNOUSERSITE\n')
    for path in (folder / "bin/deskpilot", folder / "install.sh", python):
        path.chmod(0o755)
    return folder


def run(*command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin"} | variables,
    )


def test_it_is_installed_over_an_older_one_started_and_removed_and_data_stay(
    tmp_path: Path,
) -> None:
    source, home = tree(tmp_path / "unpacked"), tmp_path / "a home"
    data = home / ".local/share/deskpilot"
    data.mkdir(parents=True)
    (data / "deskpilot.sqlite").touch()
    for content in ("old", "new"):
        (source / "python" / content).touch()
        done = run(source / "install.sh", HOME=str(home))
        assert done.returncode == 0, done.stderr
        (source / "python" / content).unlink()
    place = home / ".local/lib/deskpilot"
    assert not (place / "python/old").exists()
    assert (place / "python/new").exists()
    started = run(home / ".local/bin/deskpilot", "ask", "a b", PYTHONPATH="/x", PYTHONHOME="/y")
    assert started.stdout.split() == [
        *str(place / "python/bin/python3").split(),
        *("-P", "-m", "app", "ask", "a", "b", "1"),
    ]
    entry = (home / ".local/share/applications/deskpilot.desktop").read_text("utf-8")
    assert f'Exec="{home}/.local/bin/deskpilot"' in entry
    removed = run(place / "install.sh", "--remove", HOME=str(home))
    assert removed.returncode == 0, removed.stderr
    assert str(data) in removed.stdout
    assert [p for p in home.rglob("*") if p.is_file() or p.is_symlink()] == [
        data / "deskpilot.sqlite"
    ]


def test_a_folder_of_something_else_is_not_overwritten(tmp_path: Path) -> None:
    source = tree(tmp_path / "unpacked")
    (tmp_path / "p/lib/deskpilot").mkdir(parents=True)
    done = run(source / "install.sh", "--prefix", tmp_path / "p", HOME=str(tmp_path))
    assert done.returncode == 1
    assert "is not Deskpilot" in done.stderr


def test_nothing_compiled_for_one_processor_is_shipped(bundle: Any) -> None:
    assert "-DGGML_NATIVE=OFF" in bundle.LLAMA


def test_the_package_of_debian_asks_for_what_the_window_loads() -> None:
    """`dev.py` installs what the window needs; the package asks for all of it."""
    told = (LINUX / "control").read_text("utf-8")
    needed = re.search(r"^Depends: (.+)$", told, re.M)
    assert needed is not None
    source = (ROOT / "packaging" / "dev.py").read_text("utf-8")
    for name in ("WINDOW", "CHART", "SOUND"):
        block = re.search(rf"^{name} = \[(.*?)\]", source, re.M | re.S)
        assert block is not None
        for package in re.findall(r'"([\w.+-]+)"', block[1]):
            assert re.search(rf"(^|[ ,]){re.escape(package)}([ ,(|]|$)", needed[1]), package
