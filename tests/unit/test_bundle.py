"""What `packaging/bundle.py` makes: of locked packages, the same bytes twice, installed and removed."""

from __future__ import annotations

import json
import os
import plistlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml

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


# Stands in for pip: the wheel it makes holds the folder it is compiled in, unless told not to.
PIP = """
import io, os, pathlib, random, sys, tarfile, zipfile
words = sys.argv[1:]
if words[0] == "download":
    folder = pathlib.Path(words[words.index("-d") + 1])
    with tarfile.open(folder / "llama_cpp_python-1.tar.gz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("llama_cpp_python-1/source.c"), io.BytesIO())
else:
    folder, here = pathlib.Path(words[words.index("-w") + 1]), words[-1]
    old, _, new = os.environ["CXXFLAGS"].removeprefix("-ffile-prefix-map=").partition("=")
    held = {"llama_cpp/lib/libllama.so": here.replace(old, new)}
    if "wheel.exclude=/lib/pkgconfig/" not in words:
        held["lib/pkgconfig/llama.pc"] = f"prefix=/tmp/{random.random()}"
    with zipfile.ZipFile(folder / "llama_cpp_python-1-py3-none-linux_x86_64.whl", "w") as archive:
        for name, text in held.items():
            archive.writestr(zipfile.ZipInfo(name), text)
"""


def test_llama_cpp_compiled_in_two_folders_is_the_same(
    bundle: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "pip").mkdir()
    (tmp_path / "pip" / "__init__.py").touch()
    (tmp_path / "pip" / "__main__.py").write_text(PIP)
    digests: list[str] = []
    for name in ("one", "another"):
        build = bundle.Build(tmp_path / name)
        build.cache.mkdir(parents=True)
        wheel = build.build_llama(("1", "0" * 64))
        with zipfile.ZipFile(wheel) as archive:
            assert archive.read("llama_cpp/lib/libllama.so") == b"./llama_cpp_python-1"
        digests.append(bundle.digest_of(wheel))
    assert digests[0] == digests[1]


def test_models_of_a_package_are_whole_with_the_times_that_packages_give_files(
    bundle: Any, tmp_path: Path
) -> None:
    for name in bundle.STARTERS:
        (tmp_path / "kept" / name).mkdir(parents=True)
        (tmp_path / "kept" / name / "model.bin").write_bytes(b"model")
        told = {"id": name, "files": [], "made": {}, "found": {}, "checked": {"model.bin": [5, 1]}}
        (tmp_path / "kept" / name / "installed.json").write_text(json.dumps(told))
    bundle.copy_models(tmp_path / "kept", tmp_path / "made", 1_000_000_000)
    for name in bundle.STARTERS:
        assert (tmp_path / "made" / name / "model.bin").read_bytes() == b"model"
        told = json.loads((tmp_path / "made" / name / "installed.json").read_text())
        assert told["checked"] == {"model.bin": [5, 1_000_000_000 * 10**9]}
        assert told["id"] == name
    with pytest.raises(bundle.Failed, match="models pull --starter"):
        bundle.copy_models(tmp_path / "nowhere", tmp_path / "other", 0)


@pytest.mark.parametrize(("size", "refused"), [(30_000, False), (90_000_000, True)])
def test_a_package_takes_no_model_whose_weights_are_in_its_graph_too(
    bundle: Any, tmp_path: Path, size: int, refused: bool
) -> None:
    told = {
        "id": "a",
        "files": [],
        "made": {"model.onnx": ""},
        "checked": {"model.onnx": [size, 1]},
    }
    for name in bundle.STARTERS:
        (tmp_path / "kept" / name).mkdir(parents=True)
        (tmp_path / "kept" / name / "model.onnx").touch()
        (tmp_path / "kept" / name / "installed.json").write_text(json.dumps(told))
    expected = pytest.raises(bundle.Failed, match="twice") if refused else nullcontext()
    with expected:
        bundle.copy_models(tmp_path / "kept", tmp_path / "made", 0)
    assert (tmp_path / "made").exists() is not refused


@pytest.mark.skipif(shutil.which("gpg") is None, reason="gpg signs")
def test_checksums_are_signed_with_the_key_that_is_named(
    bundle: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path(tempfile.mkdtemp(prefix="gpg-"))  # the path of gpg's socket must be short
    monkeypatch.setenv("GNUPGHOME", str(home))
    try:
        made = run_gpg("--passphrase", "", "--quick-generate-key", "desk@example.test", "ed25519")
        assert made.returncode == 0, made.stderr
        sums = tmp_path / "SHA256SUMS"
        sums.write_text("00  deskpilot.deb\n")
        bundle.sign(sums, "desk@example.test")
        signature = str(sums.with_name("SHA256SUMS.asc"))
        assert run_gpg("--verify", signature, str(sums)).returncode == 0
        sums.write_text("11  deskpilot.deb\n")
        assert run_gpg("--verify", signature, str(sums)).returncode != 0
        with pytest.raises(bundle.Failed, match="nobody@example"):
            bundle.sign(sums, "nobody@example.test")
    finally:
        subprocess.run(["gpgconf", "--kill", "all"], check=False, capture_output=True)
        shutil.rmtree(home, ignore_errors=True)


def run_gpg(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["gpg", "--batch", "--pinentry-mode", "loopback", *words],
        capture_output=True,
        text=True,
        check=False,
    )


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


def test_an_older_one_is_not_put_in_the_place_of_a_newer_one(tmp_path: Path) -> None:
    source, home = tree(tmp_path / "unpacked"), tmp_path / "home"
    mark = source / "python/installation.json"
    for version, status in (("0.9.0", 0), ("0.10.0", 0), ("0.10.0", 0), ("0.9.0", 1)):
        mark.write_text(json.dumps({"kind": "tree", "version": version}))
        done = run(source / "install.sh", HOME=str(home))
        assert done.returncode == status, done.stderr
    assert "Deskpilot 0.10.0 is installed, and this is the older 0.9.0" in done.stderr
    place = home / ".local/lib/deskpilot"
    assert f"{place}/install.sh --remove" in done.stderr
    assert json.loads((place / "python/installation.json").read_text())["version"] == "0.10.0"
    assert run(place / "install.sh", "--remove", HOME=str(home)).returncode == 0
    assert run(source / "install.sh", HOME=str(home)).returncode == 0


@pytest.mark.skipif(shutil.which("dpkg") is None, reason="Debian's package")
def test_debians_package_refuses_to_follow_a_newer_one(tmp_path: Path) -> None:
    script = tmp_path / "preinst"
    script.write_text((LINUX / "preinst").read_text("utf-8").replace("@VERSION@", "0.9.0"))
    for words, status in (
        (["install"], 0),
        (["upgrade", "0.8.0"], 0),
        (["upgrade", "0.9.0"], 0),
        (["upgrade", "0.10.0"], 1),
    ):
        done = run("sh", script, *words)
        assert done.returncode == status, words
    assert "Deskpilot 0.10.0 is installed, and this is the older 0.9.0" in done.stderr


def test_a_folder_of_something_else_is_not_overwritten(tmp_path: Path) -> None:
    source = tree(tmp_path / "unpacked")
    (tmp_path / "p/lib/deskpilot").mkdir(parents=True)
    done = run(source / "install.sh", "--prefix", tmp_path / "p", HOME=str(tmp_path))
    assert done.returncode == 1
    assert "is not Deskpilot" in done.stderr


def test_a_library_whose_source_was_looked_up_in_another_package_stops_the_build(
    components: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "python" / "lib" / "python3.11" / "site-packages"
    info = site / "av-18.1.0.dist-info"
    info.mkdir(parents=True)
    (site / "av.libs").mkdir()
    (site / "av.libs" / "libx264-d6.so.165").write_bytes(b"\x7fELF")
    (info / "RECORD").write_text("")
    common = tmp_path / "common-licenses"
    common.mkdir()
    (common / "GPL-2").write_text("Share.")
    monkeypatch.setattr(components, "COMMON", common)
    (info / "METADATA").write_text("Name: av\nVersion: 18.1.0\nLicense: BSD License\n")
    components.write(tmp_path, tmp_path / "doc", "1", 0)
    (told,) = json.loads((tmp_path / "doc" / "sources.json").read_text())
    assert told["name"] == "x264"
    assert "b35605ac" in told["source"]
    assert (tmp_path / "doc" / "licences" / "GPL-2.txt").read_text() == "Share."
    bill = json.loads((tmp_path / "doc" / "sbom.cdx.json").read_text())
    (x264,) = [part for part in bill["components"] if part["name"] == "x264"]
    assert {"name": "deskpilot:text", "value": "licences/GPL-2.txt"} in x264["properties"]
    (info / "METADATA").write_text("Name: av\nVersion: 19.0\nLicense: BSD License\n")
    with pytest.raises(components.Unclaimed, match=r"x264 was checked in av 18.1.0"):
        components.write(tmp_path, tmp_path / "doc", "1", 0)


def test_a_static_library_is_named_while_its_file_stays_with_the_package(
    components: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "python" / "lib" / "python3.11" / "site-packages"
    info = site / "lxml-6.1.3.dist-info"
    info.mkdir(parents=True)
    (site / "lxml").mkdir()
    (site / "lxml" / "etree.abi3.so").write_bytes(b"\x7fELF")
    (info / "RECORD").write_text("lxml/etree.abi3.so,,\n")
    (info / "METADATA").write_text("Name: lxml\nVersion: 6.1.3\nLicense: BSD-3-Clause\n")
    common = tmp_path / "common-licenses"
    common.mkdir()
    (common / "LGPL-2.1").write_text("Share.")
    monkeypatch.setattr(components, "COMMON", common)
    made = {one.name: one for one in components.write(tmp_path, tmp_path / "doc", "1", 0)}
    assert made["lxml"].files == ["lib/python3.11/site-packages/lxml/etree.abi3.so"]
    assert made["GNU libiconv"].files == []
    assert {"libxml2", "libxslt"} < made.keys()
    (offered,) = json.loads((tmp_path / "doc" / "sources.json").read_text())
    assert offered["source"].endswith("libiconv-1.18.tar.gz")


def test_a_package_without_a_source_archive_offers_the_one_it_was_made_of(
    components: Any, tmp_path: Path
) -> None:
    info = tmp_path / "lib" / "python3.11" / "site-packages" / "pyside6_addons-6.11.3.dist-info"
    info.mkdir(parents=True)
    (info / "RECORD").touch()
    (info / "METADATA").write_text("Name: PySide6_Addons\nVersion: 6.11.3\nLicense: LGPL\n")
    (one,) = components.packages(tmp_path)
    assert one.source.endswith("pyside-setup-everywhere-src-6.11.3.tar.xz")


def test_sources_that_must_be_offered_are_named_by_their_exact_version(components: Any) -> None:
    table = json.loads(components.NATIVE.read_text("utf-8"))["components"]
    locked = (ROOT / "packaging" / "locked.txt").read_text("utf-8")
    for row in table:
        if "checked" in row:
            package, _, version = row["checked"].rpartition(" ")
            assert f"\n{package}=={version} " in locked, row["name"]
        copyleft = components.COPYLEFT.search(row["licence"])
        if copyleft and "WITH" not in row["licence"]:
            assert row["source"].endswith((".gz", ".xz", ".bz2")), row["name"]
            assert "checked" in row or "@" in row["version"], row["name"]


def test_the_tree_becomes_an_appdir_and_an_application_for_macos(
    bundle: Any, tmp_path: Path
) -> None:
    import elsewhere  # pyright: ignore[reportMissingImports]

    source = tree(tmp_path / "my tree")
    (source / "python/installation.json").write_text('{"kind": "tree", "version": "1.2.3"}')
    folder = elsewhere.appdir(source, tmp_path)
    entry = (folder / "deskpilot.desktop").read_text("utf-8")
    icon = re.search(r"^Icon=(.+)$", entry, re.M)
    assert icon is not None
    assert (folder / f"{icon[1]}.svg").is_file()
    app = elsewhere.app(source, tmp_path)
    told = plistlib.loads((app / "Contents/Info.plist").read_bytes())
    assert told["CFBundleShortVersionString"] == "1.2.3"
    program = app / "Contents/MacOS" / told["CFBundleExecutable"]
    for start, python in (
        (folder / "AppRun", folder / "python/bin/python3"),
        (program, app / "Contents/Resources/deskpilot/python/bin/python3"),
    ):
        assert run(start, "ask", "x").stdout.strip() == f"{python} -P -m app ask x  1"


@pytest.mark.skipif(shutil.which("makensis") is None, reason="makensis compiles it")
def test_the_installer_for_windows_compiles(bundle: Any, tmp_path: Path) -> None:
    import elsewhere  # pyright: ignore[reportMissingImports]

    source = tree(tmp_path / "tree")
    (source / "python/installation.json").write_text('{"kind": "tree", "version": "1.2.3"}')
    made = elsewhere.nsis(source, tmp_path)
    assert made.name == "deskpilot-1.2.3-windows-x86_64.exe"
    assert made.read_bytes().startswith(b"MZ")


def test_what_was_not_run_is_said_to_be_so() -> None:
    told = (ROOT / "packaging/ci/packages.yml").read_text("utf-8")
    jobs = yaml.safe_load(told)["jobs"]
    assert set(jobs) == {"appimage", "windows", "macos"}
    assert "NOT RUN" in told.splitlines()[1]
    for job in jobs.values():
        runs = [str(step.get("run", "")) for step in job["steps"]]
        assert any("packaging/smoke.py" in one for one in runs)
        for script in re.findall(r"packaging/\w+\.py", " ".join(runs)):
            assert (ROOT / script).is_file()


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


@pytest.mark.skipif(not shutil.which("dpkg-query"), reason="needs Debian's list of files")
def test_every_library_that_qt_links_comes_with_what_the_package_of_debian_asks_for(
    bundle: Any,
) -> None:
    import PySide6

    def ask(*words: str) -> str:
        return subprocess.run(
            ["dpkg-query", *words], capture_output=True, text=True, check=False
        ).stdout

    def names(line: str) -> list[str]:
        return re.findall(r"(?:^|[,|])\s*([\w.+-]+)", line)

    asked_by = {
        package: names(told)
        for package, told in re.findall(
            r"(.+?)\t(.*)\n", ask("-W", "-f=${Package}\t${Pre-Depends}, ${Depends}\n")
        )
    }
    needed = re.search(r"^Depends: (.+)$", (LINUX / "control").read_text("utf-8"), re.M)
    assert needed is not None
    open_, comes = names(needed[1]), set[str]()
    while open_:
        if (name := open_.pop()) not in comes:
            comes.add(name)
            open_ += asked_by.get(name, [])
    folder = Path(next(iter(PySide6.__path__))) / "Qt" / "lib"
    kinds = (
        "Core",
        "Gui",
        "Widgets",
        "DBus",
        "Network",
        "OpenGL",
        "Pdf",
        "WebEngineCore",
        "XcbQpa",
    )
    linked = {one for kind in kinds for one in bundle.needed(folder / f"libQt6{kind}.so.6")}
    outside = {one for one in linked if not (folder / one).exists()}
    assert {"libglib-2.0.so.0", "libnss3.so"} <= outside
    for library in outside:
        found = re.findall(r"^([^:]+):", ask("-S", f"*/{library}"), re.M)
        assert not found or comes & set(found), f"{library} is in {found}"


def test_a_tree_or_a_package_larger_than_it_may_be_stops_the_build(
    bundle: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = bundle.Build(tmp_path)
    document = build.place / "share" / "doc" / "deskpilot"
    for folder in (build.place / "bin", build.python, document):
        folder.mkdir(parents=True)
    (build.place / "bin" / "deskpilot").write_text("#!/bin/sh\n")
    (document / "changelog.gz").touch()
    build.mark("tree")
    build.check()
    assert build.deb().is_file()
    monkeypatch.setattr(bundle, "MOST_TREE", 40)
    with pytest.raises(bundle.Failed, match="The tree is"):
        build.check()
    monkeypatch.setattr(bundle, "MOST_DEB", 400)
    with pytest.raises(bundle.Failed, match="The package is"):
        build.deb()


def test_what_tells_of_a_package_in_the_tree_cannot_be_run(bundle: Any, tmp_path: Path) -> None:
    build = bundle.Build(tmp_path)
    told = build.site / "one-1.dist-info" / "licenses" / "LICENSE"
    helper = build.site / "one" / "helper"
    for path in (told, helper):
        path.parent.mkdir(parents=True)
        path.touch(0o755)
    build._calm(build.place)
    assert told.stat().st_mode & 0o777 == 0o644
    assert helper.stat().st_mode & 0o777 == 0o755
