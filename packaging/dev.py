"""Set Deskpilot up from a checkout, then run it or test it. Needs only Python 3.11, 3.12 or 3.13.

    python3 packaging/dev.py run [--gpu KIND] [--dry-run] [deskpilot's arguments…]
    python3 packaging/dev.py test [--gpu KIND] [--dry-run] [--quick | --cluster] [ARGUMENTS…]

Both create `.venv`, install missing system packages (as root with apt; otherwise they print the
command to run), install the project, and download the starter models. A second run skips all this.
`test` alone runs lint, types, import contracts and every test; with arguments, which are passed to
pytest, it starts pytest immediately. `test --quick` is for frequent use: it runs lint and types for
the files changed since the last commit, then the unit tests that start no process. `test --cluster`
installs Ray (half a gigabyte) and runs the tests that need it, then three files of the service's
own tests on Ray.
--gpu auto, cuda, vulkan or metal replaces the CPU builds of the engines with builds that use the
GPU, now and after later set-ups; --dry-run only prints what it would do.
"""

from __future__ import annotations

import ctypes.util
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import clients
import gpu_builds
import llama_build
import npm_servers

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
BACKGROUND: list[subprocess.Popen[bytes]] = []  # processes that run on after this program
CHECKED = ["app", "backends", "tests", "packaging"]
# All tests, two files at a time: half of what one file waits for is another's time to compute. Not
# more, on any machine: the tests of sound and of the window are written for two cores. A process
# that a test ends is not begun again: if it was the last one, xdist waits for the new one for ever.
TWO_AT_ONCE = ["-n", "2", "--dist", "loadfile", "--max-worker-restart", "0"]

# What Qt and the sound library load at run time on Debian and Ubuntu, and the compiler that builds
# llama.cpp.
WINDOW = [
    "libegl1",
    "libgl1",
    "libxkbcommon0",
    "libdbus-1-3",
    "libfontconfig1",
    "libglib2.0-0",
    "libgssapi-krb5-2",
    "libxcb-cursor0",
    "libxcb-icccm4",
    "libxcb-image0",
    "libxcb-keysyms1",
    "libxcb-randr0",
    "libxcb-render-util0",
    "libxcb-shape0",
    "libxcb-xinerama0",
    "libxcb-xkb1",
    "libxkbcommon-x11-0",
]
CHART = ["libnss3", "libxcomposite1", "libxdamage1", "libxrandr2", "libxtst6", "libxkbfile1"]
SOUND = ["libpulse0", "libasound2"]
BUILD = ["cmake", "g++", "make", "python3-venv"]
CODE = ["bubblewrap"]  # cuts code off that a model wrote
TEST = [
    "xvfb",
    "curl",
    "fonts-noto-cjk",
    "fonts-dejavu-core",
    "pulseaudio",
    "pulseaudio-utils",
    "espeak-ng",
    "dbus-daemon",
    "nodejs",
    "postgresql",  # a server that the tests start themselves
]
# Found on the path, or in Python itself, these need not come from Debian.
ELSEWHERE = {
    "cmake": "cmake",
    "g++": "g++",
    "make": "make",
    "curl": "curl",
    "xvfb": "Xvfb",
    "espeak-ng": "espeak-ng",
    "dbus-daemon": "dbus-daemon",
    "bubblewrap": "bwrap",
    "nodejs": "node",
}


class Order(NamedTuple):
    """The parsed command line. arguments: for deskpilot or pytest. quick: see above."""

    command: str
    gpu: str | None
    dry: bool
    arguments: list[str]
    quick: bool = False
    cluster: bool = False


def read_order(words: list[str]) -> Order | None:
    """Parse the command-line arguments; return None if they are invalid.

    Our own options come first; everything after them is passed to deskpilot or pytest.
    """
    if not words or words[0] not in ("run", "test"):
        return None
    command, rest = words[0], words[1:]
    gpu: str | None = None
    dry = quick = cluster = False
    while rest:
        if rest[0] == "--dry-run":
            dry, rest = True, rest[1:]
        elif rest[0] == "--quick" and command == "test":
            quick, rest = True, rest[1:]
        elif rest[0] == "--cluster" and command == "test":
            cluster, rest = True, rest[1:]
        elif rest[0] == "--gpu" and len(rest) > 1 and rest[1] in gpu_builds.KINDS:
            gpu, rest = rest[1], rest[2:]
        elif rest[0] == "--gpu":
            return None
        else:
            break
    return Order(command, gpu, dry, rest, quick, cluster)


def main() -> int:
    """Dispatch on the first argument; return the exit status."""
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        print(
            f"Deskpilot needs Python 3.11, 3.12 or 3.13; this is {sys.version.split()[0]}.",
            file=sys.stderr,
        )
        return 2
    order = read_order(sys.argv[1:])
    if order is None:
        print(__doc__, file=sys.stderr)
        return 2
    command, arguments = order.command, order.arguments
    try:
        if order.dry:
            return show_plan(order)
        set_up(testing=command == "test")
        put_gpu_builds(order.gpu)
    except gpu_builds.NoGpu as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        line = " ".join(map(str, error.cmd))
        print(f"\nSet-up stopped: {line} ended with {error.returncode}.", file=sys.stderr)
        print(
            "Its output above says why; run the same command again once that is fixed.",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        print("\nSet-up stopped; the same command resumes it.", file=sys.stderr)
        return 130
    if command == "run":
        return run(arguments)
    if order.cluster:
        return test_cluster(arguments)
    return test_quickly(arguments) if order.quick else test(arguments)


def set_up(*, testing: bool) -> None:
    """Update system packages, the environment, the project and the starter models."""
    wanted = fingerprint()
    stamps = [
        VENV / f"deskpilot-{kind}.stamp" for kind in (["test"] if testing else ["test", "run"])
    ]
    if any(stamp.is_file() and stamp.read_text() == wanted for stamp in stamps):
        return
    install_system(WINDOW + CHART + SOUND + BUILD + CODE + (TEST if testing else []))
    if not PYTHON.exists():
        say("Making .venv")
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    pip("install", "--quiet", "--upgrade", "pip")
    version = pins()["llama-cpp-python"].partition("==")[2]
    pip_options: list[str] = [] if testing else ["--no-compile"]  # see write_bytecode
    if not loads_llama(version) and llama_build.prebuilt(version, llama_build.folders()) is None:
        compile_beside(version, pip_options)
        if not testing:  # else each package is said to be there already
            pip_options.append("--quiet")
    install_llama(version)
    say("Installing Deskpilot and what it needs")
    pip("install", *pip_options, "--editable", f"{ROOT}[dev]" if testing else str(ROOT))
    if testing:
        say(npm_servers.install(VENV / "npm"))
        say(clients.install(VENV / "clients"))
    else:
        write_bytecode()
    say("Starter models")
    subprocess.run(
        [str(PYTHON), "-m", "backends.catalog", "pull", "--starter"],
        check=True,
        cwd=ROOT,
        stdout=sys.stderr,
    )
    stamps[-1].write_text(wanted)


def compile_beside(version: str, pip_options: list[str]) -> None:
    """Compile llama.cpp into a wheel while pip installs the other packages, to save time.

    pip's output is shown only if it fails, because the compiler's progress bar is on screen.
    Raises: subprocess.CalledProcessError if either fails.
    """
    say("Compiling llama.cpp (once, two to five minutes); other packages are installed meanwhile")
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    others = [one for one in needs if not one.startswith("llama-cpp-python")]
    command = [str(PYTHON), "-m", "pip", "install", *pip_options, *others]
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said,
        subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT) as installing,
    ):
        try:
            llama_build.compile_wheel(str(PYTHON), version, llama_build.KEPT, sys.stderr)
            if installing.poll() is None:
                say("llama.cpp is compiled; other packages are still being installed")
            if installing.wait():
                said.seek(0)
                print(said.read(), file=sys.stderr)
                raise subprocess.CalledProcessError(installing.returncode, command)
        finally:
            installing.terminate()  # ends what nobody waits for any more; else it has ended


def write_bytecode() -> None:
    """Start writing the packages' bytecode in the background, at the lowest priority.

    pip would do it during installation, which takes half of its time and a core that the compiler
    needs. Nothing depends on it: Python writes the bytecode of what it imports itself, except in
    the code sandbox, which cannot write there and only starts more slowly without it.
    """
    code = (
        "import compileall, os, sysconfig\n"
        "if hasattr(os, 'nice'): os.nice(19)\n"
        "for folder in {sysconfig.get_path(kind) for kind in ('purelib', 'platlib')}:\n"
        "    compileall.compile_dir(folder, quiet=2)\n"
    )
    begun = subprocess.Popen(
        [str(PYTHON), "-P", "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C does not reach it
        creationflags=getattr(subprocess, "IDLE_PRIORITY_CLASS", 0),  # Windows' own
    )
    BACKGROUND.append(begun)


def install_llama(version: str) -> None:
    """Install llama.cpp: an earlier wheel that loads on this machine, or a newly compiled one."""
    if loads_llama(version):
        return
    wheel = llama_build.prebuilt(version, llama_build.folders())
    if wheel is not None:
        say(f"llama.cpp: {wheel}")
        pip("install", "--quiet", str(wheel))
        if loads_llama(version):
            return
        say("That wheel does not load on this machine")
    say("Compiling llama.cpp (once, two to five minutes)")
    made = llama_build.compile_wheel(str(PYTHON), version, llama_build.KEPT, sys.stderr)
    pip("install", "--quiet", "--force-reinstall", "--no-deps", str(made))


def loads_llama(version: str) -> bool:
    """Return whether the environment has this version of llama.cpp and its libraries load."""
    code = "import llama_cpp; print(llama_cpp.__version__)"
    asked = [str(PYTHON), "-P", "-c", code]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version


def put_gpu_builds(asked: str | None) -> None:
    """Install the builds for a GPU; once requested, they are installed again after each set-up."""
    stamp = VENV / "deskpilot-gpu.stamp"
    kept = stamp.read_text().split() if stamp.is_file() else []
    asked = asked or (kept[0] if kept else None)
    if asked is None:
        return
    machine = this_machine()
    kind = gpu_builds.kind_for(asked, machine)
    if kept == [kind, fingerprint()]:
        return
    for step in gpu_builds.plan(kind, machine, pins()):
        say(step.why)
        command = [str(PYTHON), "-m", "pip", *step.pip]
        subprocess.run(command, check=True, stdout=sys.stderr, env=os.environ | step.environment)
    stamp.write_text(f"{kind} {fingerprint()}")


def show_plan(order: Order) -> int:
    """Print what would be done, without doing it.

    Raises: NoGpu.
    """
    extra = "[dev]" if order.command == "test" else ""
    print(f"set up {VENV}: system packages, pip install --editable {ROOT}{extra}, starter models")
    if order.gpu is not None:
        machine = this_machine()
        kind = gpu_builds.kind_for(order.gpu, machine)
        print(f"then builds for {kind}:")
        for step in gpu_builds.plan(kind, machine, pins()):
            told = " ".join(f'{name}="{value}"' for name, value in step.environment.items())
            print(f"  # {step.why}\n  {told} pip {' '.join(step.pip)}".replace("  pip", " pip", 1))
    print(f"then {order.command} {' '.join(order.arguments)}".rstrip())
    return 0


def this_machine() -> gpu_builds.Machine:
    """Return the GPU support of this machine."""
    told = ""
    if shutil.which("nvidia-smi"):
        told = subprocess.run(["nvidia-smi"], capture_output=True, text=True, check=False).stdout
    vulkan = bool(shutil.which("vulkaninfo")) or bool(ctypes.util.find_library("vulkan"))
    return gpu_builds.Machine(
        sys.platform, gpu_builds.cuda_of(told), bool(shutil.which("nvcc")), vulkan
    )


def pins() -> dict[str, str]:
    """Return the requirements of pyproject.toml by package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["sentence"]]
    return {re.split(r"[^A-Za-z0-9_-]", line)[0]: line for line in lines}


def fingerprint() -> str:
    """Return a fingerprint of pyproject.toml, this file and the interpreter."""
    digest = hashlib.sha256((ROOT / "pyproject.toml").read_bytes())
    digest.update(Path(__file__).read_bytes())
    digest.update(sys.version.encode())
    return digest.hexdigest()


def install_system(packages: list[str]) -> None:
    """Install missing Debian packages as root, or print the command to run; do nothing on other
    systems.
    """
    if sys.platform != "linux" or not shutil.which("dpkg-query"):
        return
    missing = [name for name in packages if not is_installed(name)]
    if not missing:
        return
    line = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    if os.geteuid() != 0:
        print(
            "Some system packages are missing. Please run:\n\n    sudo " + " ".join(line) + "\n",
            file=sys.stderr,
        )
        return
    say("Installing system packages: " + " ".join(missing))
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=True, env=environment, stdout=sys.stderr)
    subprocess.run([*line, "-qq"], check=True, env=environment, stdout=sys.stderr)


def is_installed(package: str) -> bool:
    """Return whether a Debian package, or one that replaces it, is installed."""
    if package in ELSEWHERE and shutil.which(ELSEWHERE[package]):
        return True
    if package == "python3-venv" and find_spec("ensurepip"):
        return True
    for name in (package, package + "t64"):  # Debian 13 and Ubuntu 24.04 renamed some libraries
        query = ["dpkg-query", "-W", "-f=${Status}", name]
        found = subprocess.run(query, capture_output=True, text=True, check=False)
        if found.stdout.startswith("install ok installed"):
            return True
    return False


def pip(*arguments: str) -> None:
    """Run the environment's pip, with its progress on stderr."""
    subprocess.run([str(PYTHON), "-m", "pip", *arguments], check=True, stdout=sys.stderr)


def run(arguments: list[str]) -> int:
    """Run `deskpilot` with the arguments, in the caller's folder."""
    return subprocess.run([str(BIN / "deskpilot"), *arguments], check=False).returncode


def test(arguments: list[str]) -> int:
    """Run lint, types, import contracts and all tests; with pytest's arguments, only those tests.

    Stops at the first failure.
    """
    pytest = [str(PYTHON), "-m", "pytest"]
    if arguments:
        return run_all([("tests", [*pytest, *arguments])])
    return run_all(
        [
            ("lint", [str(BIN / "ruff"), "check", *CHECKED]),
            ("format", [str(BIN / "ruff"), "format", "--check", *CHECKED]),
            ("imports", [str(BIN / "lint-imports")]),
            ("types", [str(BIN / "pyright")]),
            ("tests", [*pytest, *TWO_AT_ONCE, "--durations=10"]),
        ]
    )


def test_quickly(arguments: list[str]) -> int:
    """Check what changed since the last commit, and run the unit tests that start no process."""
    changed = changed_files()
    typed = [path for path in changed if path.startswith(("app/", "backends/"))]
    checks = [
        ("lint", [str(BIN / "ruff"), "check", *changed]),
        ("format", [str(BIN / "ruff"), "format", "--check", *changed]),
        ("types", [str(BIN / "pyright"), *typed]),
    ]
    quick = ["-m", "not slow", *TWO_AT_ONCE, "--durations=10", *(arguments or ["tests/unit"])]
    return run_all(
        [check for check in checks if check[1][-1] in changed]
        + [("tests", [str(PYTHON), "-m", "pytest", *quick])]
    )


# What the service does for a caller, whichever pool runs its models.
ON_ANY_POOL = ["hanging_up", "named_tokens", "stream"]


def test_cluster(arguments: list[str]) -> int:
    """Install Ray, run the tests marked `cluster`, then tests of the service with its models on
    Ray.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pip("install", "--quiet", *project["optional-dependencies"]["cluster"])
    pytest = [str(PYTHON), "-m", "pytest"]
    status = run_all([("cluster", [*pytest, "-m", "cluster", *(arguments or ["tests"])])])
    if status or arguments:
        return status
    os.environ["DESKPILOT_TEST_CLUSTER"] = "local"
    files = [f"tests/service/test_{name}.py" for name in ON_ANY_POOL]
    return run_all([("service on Ray", [*pytest, *files])])


def changed_files() -> list[str]:
    """Return the Python files that differ from the last commit, including new ones."""
    listed = ["git", "ls-files", "--modified", "--others", "--exclude-standard", *CHECKED]
    staged = ["git", "diff", "--cached", "--name-only", "--", *CHECKED]
    found: set[str] = set()
    for command in (listed, staged):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        found.update(done.stdout.splitlines())
    return sorted(path for path in found if path.endswith(".py") and (ROOT / path).is_file())


def run_all(checks: list[tuple[str, list[str]]]) -> int:
    """Run commands in the checkout, each under its heading; stop at the first that fails."""
    environment = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"}
    for name, command in checks:
        say(name)
        status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        if status:
            print(f"\n{name} failed.", file=sys.stderr)
            return status
    return 0


def say(what: str) -> None:
    """Print a heading to stderr immediately, so that `run ask … > file` writes only the answer to
    the file.
    """
    print(f"── {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
