"""Test a tree, or an installed package, in a minimal sandbox (the "box"): no network, home directory,
compiler or Python.

    python3 packaging/smoke.py FOLDER [--user] [--models FOLDER] [--pictures FOLDER]
    python3 packaging/smoke.py FOLDER --clone CLONE    compare how soon their windows appear, nine pairs
    python3 packaging/smoke.py ROOT --debian           the Debian package installed there
    python3 packaging/smoke.py FOLDER --no-box         for machines without bubblewrap

FOLDER contains bin/deskpilot and python/. ROOT is a whole system, such as try_deb.py creates. --user:
run as an ordinary user instead of root. --models: the folder with the starter models; by default the
usual one. CLONE contains a .venv. Requires bubblewrap and Xvfb. Without them (macOS, Windows), the same
steps run with a temporary home directory, except those that need the box or a display. Every step
prints its result; the exit status is 1 if one failed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "tests" / "models"
STARTERS = ("minilm-l6", "smollm2-135m")
USER = 12_345  # any that owns nothing here
# What any desktop has; no interpreter but the shell, nothing that compiles.
PROGRAMS = (
    *(
        "sh",
        "bash",
        "dash",
        "env",
        "readlink",
        "dirname",
        "uname",
        "cat",
        "ls",
        "mkdir",
        "cp",
        "rm",
    ),
    *("mv", "ln", "sed", "grep", "true", "id", "sleep", "setpriv", "bwrap", "unshare", "node"),
)
HIDDEN = ("python3", "python", "perl", "gcc", "g++", "cc", "make", "cmake", "pip", "git", "curl")
PLACE, HOME = "/opt/my programs/Deskpilot für alle", "/home/a person"
DISPLAY = ":173"
PAIRS, SLOWER = 9, 1.3  # how much later than a clone's the window may be painted

CODE = """
import asyncio, sys
from contextlib import aclosing
from pathlib import Path
from app.domain.code import Limits
from app.tools.code.computer import Computer

async def run(computer, language, code):
    async with asyncio.timeout(120), aclosing(computer.run("c", language, code)) as pieces:
        return [piece async for piece in pieces]

async def main():
    computer = Computer(Path.home() / "code", Limits())
    isolation = await computer.isolation()
    print("boxed", bool(isolation.bubblewrap), isolation.why)
    for language, code in json.loads(sys.argv[1]):
        print(f"== {language}")
        for piece in await run(computer, language, code):
            print(repr(piece)[:400])
    await computer.aclose()

import json
asyncio.run(main())
"""
PYTHON = """
import matplotlib.pyplot as plt, pandas as pd, plotly.express as px, multiprocessing, socket, sys
print("sum", pd.DataFrame({"a": [1, 2, 3]}).a.sum())
plt.plot([1, 2]); plt.show()
px.line(x=[1, 2], y=[3, 4]).show()
with multiprocessing.get_context("spawn").Pool(1) as pool:
    print("spawned", pool.map(abs, [-5]))
try:
    socket.create_connection(("192.0.2.1", 80), 1); print("NETWORK")
except OSError:
    print("no network")
"""
CHART = """
import asyncio, sys
from PySide6.QtWidgets import QApplication, QMainWindow
from app.ui.dashboard.web_views import ChartView, sandboxed
from app.ui.main.event_loop import run_until_complete
from app.ui.theme.tokens import LIGHT

async def live():
    print("sandboxed", sandboxed())
    if not sandboxed():
        return 0
    window, view = QMainWindow(), ChartView()
    window.setCentralWidget(view)
    window.show()
    view.draw({"data": [{"x": [1, 2], "y": [3, 4]}], "layout": {}}, LIGHT)
    async with asyncio.timeout(60):
        while view.page().title() != "drawn":
            await asyncio.sleep(0.05)
    print("title", view.page().title())
    view.end()
    return 0

app = QApplication(sys.argv)
sys.exit(run_until_complete(app, live()))
"""
PAGE = """
import io, sys
from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtPdf import QPdfDocument
from matplotlib.figure import Figure
import os, tempfile
place = os.path.join(tempfile.mkdtemp(), "page.pdf")
figure = Figure(); figure.text(0.2, 0.5, "A page", fontsize=40); figure.savefig(place)
app = QGuiApplication(sys.argv)
document = QPdfDocument()
document.load(place)
image = document.render(0, QSize(200, 150))
dark = sum(image.pixelColor(x, y).lightness() < 128 for x in range(200) for y in range(150))
print("pages", document.pageCount(), "dark", dark > 50)
"""
SIGHT = """
import base64, io, sys
from PIL import Image
from backends.flexai.entities import ImagePromptMessageContent, UserPromptMessage
from backends.providers.llama_cpp.llm import LlamaCppLLM

model, eye = sys.argv[1] + "/tiny-llama.gguf", sys.argv[1] + "/tiny-mmproj.gguf"
for colour in ("red", "blue"):
    file = io.BytesIO()
    Image.new("RGB", (64, 64), colour).save(file, "PNG")
    shown = ImagePromptMessageContent(data=base64.b64encode(file.getvalue()).decode())
    said = LlamaCppLLM("llama_cpp").invoke(
        "tiny", {"model_path": model, "projector_path": eye}, [UserPromptMessage(content=[shown])],
        {"temperature": 0.0}, stream=False
    )
    print(colour, "→", said.message.text())
"""
ENGINES = """
import numpy, onnxruntime, llama_cpp, ctranslate2, duckdb, av, tokenizers, piper, adbc_driver_postgresql
print(duckdb.sql("select 40 + 2").fetchall(), numpy.ones((64, 64)).dot(numpy.ones((64, 64)))[0, 0])
print(llama_cpp.llama_print_system_info().decode())
"""


class Box:
    """Runs commands in a minimal sandbox. place: the tree. home: the folder that HOME points to."""

    tiny = "/tiny"  # where the models of the tests are
    hidden = HIDDEN

    def __init__(self, place: Path, home: Path, models: Path, *, user: bool, inside: str) -> None:
        self.place, self.home, self.models = place, home, models
        self.inside, self._user = inside, user

    def command(self, *words: str, variables: dict[str, str] | None = None) -> list[str]:
        """Return the command line that runs a command in the box."""
        made = ["bwrap", "--die-with-parent", "--unshare-net", "--unshare-pid", "--unshare-ipc"]
        made += ["--unshare-uts", "--hostname", "box", "--proc", "/proc", "--dev", "/dev"]
        made += ["--perms", "1777", "--tmpfs", "/tmp", "--tmpfs", "/usr"]
        for name in ("lib", "lib64", "share"):
            made += ["--ro-bind-try", f"/usr/{name}", f"/usr/{name}"]
        for pattern in ("python3*", "gcc", "node_modules", "perl*"):
            for path in Path("/usr/lib").glob(pattern):
                made += ["--tmpfs", str(path)] if path.is_dir() else []
        for name in PROGRAMS:
            if found := shutil.which(name, path="/usr/bin:/bin"):
                made += ["--ro-bind", str(Path(found).resolve()), f"/usr/bin/{name}"]
        for name in ("bin", "sbin", "lib", "lib64"):
            made += ["--symlink", f"usr/{name}", f"/{name}"]
        for name in ("fonts", "ld.so.cache", "passwd", "group", "alternatives", "ssl"):
            made += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
        made += ["--ro-bind", str(self.place), self.inside]
        return self._at_home(made, words, variables or {})

    def _at_home(
        self, made: list[str], words: tuple[str, ...], variables: dict[str, str]
    ) -> list[str]:
        made += ["--bind", str(self.home), HOME]
        for name in STARTERS:
            kept = f"{HOME}/.local/share/deskpilot/models/{name}"
            made += ["--ro-bind", str(self.models / name), kept]
        made += [
            "--ro-bind",
            str(MODELS),
            "/tiny",
            "--ro-bind-try",
            "/tmp/.X11-unix",
            "/tmp/.X11-unix",
        ]
        told = {"HOME": HOME, "PATH": "/usr/bin", "LANG": "C.UTF-8"} | variables
        made += ["--clearenv", "--chdir", HOME]
        made += [word for name, value in told.items() for word in ("--setenv", name, value)]
        if self._user:
            return [
                "setpriv",
                f"--reuid={USER}",
                f"--regid={USER}",
                "--clear-groups",
                *made,
                "--",
                *words,
            ]
        return [*made, "--", *words]

    def run(
        self, *words: str, seconds: float = 180, **more: object
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            self.command(*words, variables=more.pop("variables", None)),  # type: ignore[arg-type]
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
            **more,  # type: ignore[call-overload]
        )

    def deskpilot(self, *words: str, **more: object) -> subprocess.CompletedProcess[str]:
        """Run Deskpilot to its end."""
        return self.run(self.program("bin/deskpilot", "deskpilot.cmd"), *words, **more)

    def program(self, *names: str) -> str:
        """Return the first of these programs that exists in the tree."""
        found = next((name for name in names if (self.place / name).exists()), names[0])
        return f"{self.inside}/{found}"

    def python(self, code: str, *words: str, **more: object) -> subprocess.CompletedProcess[str]:
        """Run Python code with the tree's Python, in the same way as the program."""
        variables = {"PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        variables |= more.pop("variables", {})  # type: ignore[arg-type]
        program = self.program("python/bin/python3", "python/python.exe")
        return self.run(program, "-P", "-c", code, *words, variables=variables, **more)


class Debian(Box):
    """Runs commands in a system with the Debian package installed, without a network."""

    hidden = tuple(name for name in HIDDEN if name != "perl")  # each Debian has that

    def __init__(self, root: Path, home: Path, models: Path, *, user: bool) -> None:
        inside = "/usr/lib/deskpilot"
        super().__init__(root / inside[1:], home, models, user=user, inside=inside)
        self._root = root
        for place in (HOME[1:], self.tiny[1:]):  # an ordinary user can make none there
            (root / place).mkdir(parents=True, exist_ok=True)

    def command(self, *words: str, variables: dict[str, str] | None = None) -> list[str]:
        """Return the command line that runs a command there."""
        made = ["bwrap", "--die-with-parent", "--unshare-net", "--unshare-pid", "--unshare-ipc"]
        made += ["--bind", str(self._root), "/", "--proc", "/proc", "--dev", "/dev"]
        made += ["--perms", "1777", "--tmpfs", "/tmp"]
        return self._at_home(made, words, variables or {})


# Runs a command with these variables, on any system; where there is one, in the place of this
# process, so that whoever ends it ends the command.
WITH = """
import json, os, subprocess, sys
told = json.loads(sys.argv[1])
variables = {**os.environ, **told}
os.chdir(told["HOME"])
if os.name == "posix":
    os.execvpe(sys.argv[2], sys.argv[2:], variables)
sys.exit(subprocess.call(sys.argv[2:], env=variables))
"""


class Home(Box):
    """Runs commands directly on this machine, with a temporary home directory."""

    tiny = str(MODELS)

    def __init__(self, place: Path, home: Path) -> None:
        super().__init__(place, home, home, user=False, inside=str(place))

    def command(self, *words: str, variables: dict[str, str] | None = None) -> list[str]:
        """Return the command line that runs a command in that home."""
        told = {"HOME": str(self.home), "DESKPILOT_HOME": str(self.home / "data")}
        return [sys.executable, "-c", WITH, json.dumps(told | (variables or {})), *words]


class Wrong(Exception):
    """A step did not give the expected result."""


def expect(done: subprocess.CompletedProcess[str], *wanted: str, status: int | None = 0) -> str:
    """Return what was printed.

    Raises: Wrong if a pattern is missing in it or the exit status differs.
    """
    told = done.stdout + done.stderr
    for pattern in wanted:
        if not re.search(pattern, told):
            raise Wrong(f"no {pattern!r} in:\n{told[-3000:]}")
    if status is not None and done.returncode != status:
        raise Wrong(f"status {done.returncode}:\n{told[-3000:]}")
    return told


def nothing_there(box: Box) -> str:
    """Check that the box really lacks a network, home, compiler and Python."""
    for name in box.hidden:
        if box.run("sh", "-c", f"command -v {name}").returncode == 0:
            raise Wrong(f"there is a {name} in the box")
    code = "import socket; socket.create_connection(('192.0.2.1', 80), 2)"
    expect(box.python(code), "unreachable", status=1)
    return "no network, no Python, no compiler"


def answers(box: Box) -> str:
    """Ask the first question of the README."""
    table = "import resources; print(resources.__path__[0] + '/samples/us_macro.csv')"
    path = expect(box.python(table)).strip()
    question = "What was the unemployment rate in the third quarter of 2009?"
    started = time.monotonic()
    told = expect(
        box.deskpilot("ask", question, "--widget", path), r"\*\*9\.6\*\* \[1\]", r"row 203.*9\.6"
    )
    return f"{told.splitlines()[0]} ({time.monotonic() - started:.1f} s)"


def starts_with_nothing(box: Box) -> str:
    """Start without models or a network: tables are answered, and a download reports the problem.

    If the package includes the starter models, they are available.
    """
    empty = {"DESKPILOT_HOME": f"{HOME if not isinstance(box, Home) else box.home}/first"}
    table = "import resources; print(resources.__path__[0] + '/samples/us_macro.csv')"
    path = expect(box.python(table)).strip()
    asked = box.deskpilot(
        "ask", "Which year had the highest inflation?", "--widget", path, variables=empty
    )
    expect(asked, r"\[1\]")
    if (box.place / "models").is_dir():
        listed = expect(box.deskpilot("models", "list", variables=empty))
        for name in STARTERS:
            if not re.search(rf"{name} .* here ", listed):
                raise Wrong(f"{name} is not here:\n{listed}")
        return "the starter models came with it"
    if isinstance(box, Home):
        return "answered without models"
    pulled = box.deskpilot("models", "pull", "--starter", variables=empty)
    told = " ".join(expect(pulled, r"Connect\s+to\s+the\s+network", status=1).split())
    return told[told.find("SmolLM2") :][:90]


def speaks_and_hears(box: Box) -> str:
    """Test text to speech and speech to text with tiny models."""
    expect(
        box.deskpilot(
            "models",
            "import",
            f"{box.tiny}/tiny-piper/en_US-tiny-medium.onnx",
            "--id",
            "tiny-voice",
        )
    )
    expect(box.deskpilot("models", "import", f"{box.tiny}/tiny-whisper", "--id", "tiny-whisper"))
    expect(box.deskpilot("say", "Show me the sales table.", "-o", "said.wav"))
    told = expect(box.deskpilot("transcribe", "said.wav"), r"(?i)show me the sales table")
    return told.strip()


def runs_code(box: Box) -> str:
    """Run Python, shell and JavaScript in the code sandbox."""
    asked = [["python", PYTHON], ["shell", "echo shell $((6*7))"]]
    if shutil.which("node", path="/usr/bin:/bin"):
        asked.append(["javascript", "console.log('js', 6 * 7)"])
    done = box.python(CODE, json.dumps(asked))
    told = expect(
        done,
        "boxed (True|False)" if isinstance(box, Home) else "boxed True",
        "sum 6",
        r"base64\.png",
        "plotly",
        r"spawned \[5\]",
        "no network",
        "shell 42",
    )
    if len(asked) > 2:
        expect(done, "js 42")
    return ", ".join(language for language, _ in asked) + f" ({told.splitlines()[0]})"


def checks_itself(box: Box) -> str:
    """Check that `doctor` finds every engine."""
    told = expect(
        box.deskpilot("doctor"), r"ok +the window loads", r"ok +language models", status=None
    )
    missing = re.findall(r"missing +(.+?)(?:  |$)", told, re.M)
    if unknown := set(missing) - {
        "more embedders, rerankers",
        "a display",
        "a GPU",
        "JavaScript",
        "a sandbox for code",
    }:
        raise Wrong(f"missing: {unknown}\n{told}")
    flat = re.sub(r"[\s'\"]", "", told)  # the table breaks its lines
    python = re.sub(r"\s", "", box.program("python/bin/python3", "python/python.exe"))
    if "dev.py" in flat or f"{python}-mpipinstall" not in flat:
        raise Wrong(f"it names commands that do not work here:\n{told}")
    return f"missing: {', '.join(missing)}"


def computes(box: Box) -> str:
    """Check that every engine loads and that llama.cpp was not compiled for a single processor."""
    told = expect(box.python(ENGINES), r"\(42,\)\] 64\.0", "AVX2 = 1")
    if "AVX512 = 1" in told:
        raise Wrong("llama.cpp was compiled for this processor")
    return told.strip().splitlines()[-1]


def sees(box: Box) -> str:
    """Read a picture through llama.cpp's image support (mtmd), with a tiny model."""
    done = box.python(SIGHT, f"{box.tiny}/tiny-llama")
    told = expect(done, r"red → A red square\.", r"blue → Blue as the sky\.")
    return ", ".join(line for line in told.splitlines() if "→" in line)


def draws_chart(box: Box) -> str:
    """Draw a Plotly chart in its sandboxed page; as root, check that the missing sandbox is
    reported.
    """
    done = box.python(CHART, variables={"QT_QPA_PLATFORM": "offscreen"})
    told = expect(done, "sandboxed (True|False)")
    if "sandboxed False" in told:
        return "none: no sandbox for pages here, and it is said so"
    expect(done, "title drawn")
    return "drawn in its sandbox"


def shows_page(box: Box) -> str:
    """Show a page of a PDF file."""
    return expect(
        box.python(PAGE, variables={"QT_QPA_PLATFORM": "offscreen"}), "pages 1 dark True"
    ).strip()


def serves_tools(box: Box) -> str:
    """Serve our data interfaces as an MCP server."""
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "box", "version": "1"},
        },
    }
    done = box.deskpilot("gateway", "--mcp", "--stdio", input=json.dumps(call) + "\n")
    return expect(done, '"serverInfo"', status=None).strip()[:100]


@contextmanager
def display() -> Iterator[Path]:
    """Run an X server; yield the file that holds its screen contents."""
    frames = Path(tempfile.mkdtemp(prefix="smoke-"))
    command = ["Xvfb", DISPLAY, "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-ac"]
    server = subprocess.Popen([*command, "-fbdir", str(frames)], stderr=subprocess.DEVNULL)
    try:
        socket, screen_ = Path(f"/tmp/.X11-unix/X{DISPLAY[1:]}"), frames / "Xvfb_screen0"
        until(lambda: socket.exists() and screen_.exists(), 10)
        yield screen_
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(frames)


@contextmanager
def window(command: list[str], seen: Path) -> Iterator[float]:
    """Run a program until its window is painted; yield the time this took, in seconds."""
    started = time.monotonic()
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        until(lambda: len(colours(seen)) > 8, 120)
        yield time.monotonic() - started
        if program.poll() is not None:
            raise Wrong(f"it ended: {program.stdout.read() if program.stdout else ''}")
    finally:
        program.terminate()
        program.communicate(timeout=20)


def paints(box: Box, pictures: Path) -> str:
    """Paint the window on a display and save a picture of it."""
    command = box.command(box.program("bin/deskpilot"), variables={"DISPLAY": DISPLAY})
    with display() as seen, window(command, seen) as painted:
        time.sleep(8)  # what is loaded behind it is part of the picture
        many = len(colours(seen))
        pictures.mkdir(parents=True, exist_ok=True)
        (pictures / "window.png").write_bytes(png_of(seen))
    return f"painted after {painted:.2f} s, {many} colours, {pictures / 'window.png'}"


def as_soon_as(box: Box, clone: Path) -> str:
    """Compare the time to the first window with a clone's, in alternating pairs."""
    tree = box.command(box.program("bin/deskpilot"), variables={"DISPLAY": DISPLAY})
    home = Home(clone, box.home)
    own = home.command(str(clone / ".venv/bin/deskpilot"), variables={"DISPLAY": DISPLAY})
    ratios: list[float] = []
    for _ in range(PAIRS):
        took: list[float] = []
        for command in (tree, own):
            with display() as seen, window(command, seen) as painted:
                took.append(painted)
        print(f"        {took[0]:.2f} s, clone {took[1]:.2f} s", flush=True)
        ratios.append(took[0] / took[1])
    middle = statistics.median(ratios)
    told = f"{middle:.2f} of a clone's time ({min(ratios):.2f} to {max(ratios):.2f}, n={PAIRS})"
    if middle > SLOWER:
        raise Wrong(told)
    return told


def until(true: Callable[[], bool], seconds: float) -> None:
    """Wait for something. Raises: Wrong."""
    last = time.monotonic() + seconds
    while not true():
        if time.monotonic() > last:
            raise Wrong(f"waited {seconds:g} s in vain")
        time.sleep(0.02)


def screen(path: Path) -> tuple[int, int, int, bytes]:
    """Return the width, height, bytes per line and pixels (BGRX) of a picture in X's own format."""
    raw = path.read_bytes()
    head = [int.from_bytes(raw[at : at + 4], "big") for at in range(0, 100, 4)]
    start = head[0] + head[19] * 12
    return head[4], head[5], head[12], raw[start : start + head[12] * head[5]]


def colours(path: Path) -> set[bytes]:
    """Return the colours on the screen, sampled at every fifth pixel."""
    _, _, _, pixels = screen(path)
    return {pixels[at : at + 3] for at in range(0, len(pixels), 20)}


def png_of(path: Path) -> bytes:
    """Return the screen as a PNG file."""
    width, height, line, pixels = screen(path)
    rows = bytearray()
    for at in range(height):
        row = pixels[at * line : at * line + width * 4]
        made = bytearray(width * 3)
        made[0::3], made[1::3], made[2::3] = row[2::4], row[1::4], row[0::4]
        rows += b"\0" + made

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
        )

    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes((8, 2, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(bytes(rows)))
        + chunk(b"IEND", b"")
    )


def prepared(order: argparse.Namespace, folder: Path) -> Box:
    """Return the box, prepared with a home directory and the starter models."""
    home, models = folder / "home", order.models
    if order.no_box:
        for one in STARTERS:
            shutil.copytree(models / one, home / "data" / "models" / one)
        return Home(order.place.resolve(), home)
    for one in STARTERS:
        (home / ".local/share/deskpilot/models" / one).mkdir(parents=True)
    if order.user:
        models = folder / "models"  # those of root are in a folder that root alone may read
        for one in STARTERS:
            shutil.copytree(order.models / one, models / one)
        folder.chmod(0o755)
        for path in [home, *home.rglob("*")]:
            os.chown(path, USER, USER)
    if order.debian:
        return Debian(order.place.resolve(), home, models, user=order.user)
    return Box(order.place.resolve(), home, models, user=order.user, inside=order.inside)


def main() -> int:
    """Run every step; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("place", type=Path)
    parser.add_argument("--user", action="store_true")
    parser.add_argument("--inside", default=PLACE, help="where the tree lies in the box")
    parser.add_argument(
        "--models", type=Path, default=Path.home() / ".local/share/deskpilot/models"
    )
    parser.add_argument("--pictures", type=Path, default=ROOT / "build" / "smoke")
    parser.add_argument("--only", default="", help="the name of one step")
    parser.add_argument("--clone", type=Path, help="only compare the window with this clone's")
    parser.add_argument("--no-box", action="store_true")
    parser.add_argument("--debian", action="store_true")
    order = parser.parse_args()
    failed = 0
    place = None if order.no_box else "/var/tmp"
    with tempfile.TemporaryDirectory(prefix="smoke-home-", dir=place) as name:
        box = prepared(order, Path(name).resolve())
        steps: list[tuple[str, Callable[[], str]]] = [
            ("box", lambda: nothing_there(box)),
            ("version", lambda: expect(box.deskpilot("--version"), r"^deskpilot \d").strip()),
            ("question", lambda: answers(box)),
            ("first start", lambda: starts_with_nothing(box)),
            ("speech", lambda: speaks_and_hears(box)),
            ("engines", lambda: computes(box)),
            ("picture", lambda: sees(box)),
            ("code", lambda: runs_code(box)),
            ("doctor", lambda: checks_itself(box)),
            ("page", lambda: shows_page(box)),
            ("chart", lambda: draws_chart(box)),
            ("tools", lambda: serves_tools(box)),
            ("window", lambda: paints(box, order.pictures)),
        ]
        if order.no_box:
            steps = [one for one in steps if one[0] not in ("box", "window")]
        if order.clone:
            steps = [("window", lambda: as_soon_as(box, order.clone.resolve()))]
        for step, run in steps:
            if order.only and step != order.only:
                continue
            try:
                told = run()
                print(f"ok      {step}: {told}", flush=True)
            except (Wrong, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAILED  {step}: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
