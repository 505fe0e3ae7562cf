"""`deskpilot doctor`: what works, what is missing and how to get it; `--offline` tests the network
guard.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Column, Table

from app.cli.window import has_display
from app.tools.code.isolation import find_isolation
from backends import children
from backends.installation import installation
from backends.paths import data_folder, models_folder

WAYS = {"name": "name lookup", "tcp": "TCP", "tcp6": "TCP, IPv6", "udp": "UDP"}


async def run_check() -> int:
    """Print the result of each test; return 0 if every connection was refused, else 1.

    Raises: ServiceError, ModelServiceError.
    """
    from app.bootstrap import build_network

    async with build_network() as network:
        checked = await network.check()
    told = Column(overflow="fold")
    table = Table("", "process", "connection", told, box=None)
    for process in checked:
        name = " ".join(part for part in (process.name, process.model, str(process.pid)) if part)
        for way in process.ways:
            mark = "[green]refused[/]" if way.refused else "[red]open[/]"
            table.add_row(mark, name, WAYS[way.way], way.told)
    here = installation()
    closed = all(process.closed for process in checked)
    screen = Console()
    screen.print(table)
    screen.print(
        "Offline: only this machine can be reached."
        if closed
        else here.typed(
            "Not offline. To refuse all connections: deskpilot settings set network.offline on"
        )
    )
    return 0 if closed else 1


PACKAGES = {
    "llama_cpp": "language models",
    "onnxruntime": "embedding",
    "faster_whisper": "speech to text",
    "piper": "text to speech",
    "duckdb": "computing",
    "PySide6": "the window",
}
EXTRA = {"torch": "torch==2.13.0", "sentence_transformers": "sentence-transformers"}
TYPES = {
    "llm": "language models",
    "text-embedding": "embedders",
    "rerank": "rerankers",
    "speech2text": "speech to text",
    "tts": "text to speech",
    "moderation": "guard models",
    "ocr": "scanned pages",
}
SPARED = (  # what Deskpilot does without
    "a display",
    "a GPU",
    "more embedders, rerankers",
    "a sandbox for code",
    "a user for code",
    "JavaScript",
)


def run_doctor() -> int:
    """Print a table and return 0 if everything works, 1 otherwise."""
    here = installation()
    rows: list[tuple[str, bool, str]] = []
    for package, purpose in PACKAGES.items():
        found = importlib.util.find_spec(package) is not None
        rows.append(
            (
                purpose,
                found,
                package if found else f"{package} is not installed; to fix this: {here.mend()}",
            )
        )
    rows.append(("more embedders, rerankers", *extra_is_here()))
    for model_id, purpose in (
        ("smollm2-135m", "a chat model"),
        ("minilm-l6", "an embedding model"),
    ):
        places = [models_folder(), *([here.models] if here.models else [])]
        found = any(is_whole(place / model_id) for place in places)
        rows.append(
            (
                purpose,
                found,
                model_id if found else here.typed(f"download it: deskpilot models pull {model_id}"),
            )
        )
    rows.append(
        (
            "a display",
            has_display(),
            "a window can be shown" if has_display() else "none: text chat instead",
        )
    )
    free = shutil.disk_usage(
        data_folder() if data_folder().exists() else data_folder().parent.parent
    ).free
    rows.append(("disk", free > 1e9, f"{free / 1e9:.0f} GB free in {data_folder()}"))
    rows.append(("the window loads", *window_loads()))
    rows += computes_on(ask_engines())
    rows += find_isolation().mechanisms()
    node = shutil.which("node")
    rows.append(
        ("JavaScript", node is not None, node or "Node.js is not installed; apt-get install nodejs")
    )
    table = Table("", "what", "", box=None)
    for what, works, told in rows:
        table.add_row("[green]ok[/]" if works else "[red]missing[/]", what, told)
    Console().print(table)
    return 0 if all(works for what, works, _ in rows if what not in SPARED) else 1


def extra_is_here() -> tuple[bool, str]:
    """Return whether the packages for larger embedders and rerankers are installed."""
    missing = [wanted for name, wanted in EXTRA.items() if importlib.util.find_spec(name) is None]
    if not missing:
        return True, "sentence_transformers"
    return False, f"to install them: {installation().add(*missing)}"


def ask_engines() -> list[dict[str, Any]]:
    """Return the device of each engine, asked in processes of their own."""
    done = children.run("-m", "backends.service.devices")
    try:
        return json.loads(done.stdout)
    except ValueError:
        said = done.stderr.strip().splitlines()
        error = said[-1] if said else "they did not respond"
        return [
            {
                "provider": "",
                "label": "the engines",
                "types": [],
                "devices": [],
                "loaded": {},
                "error": error,
            }
        ]


def computes_on(engines: list[dict[str, Any]]) -> list[tuple[str, bool, str]]:
    """Return a row for each engine: its types of models, and the device they compute on
    by default.
    """
    rows: list[tuple[str, bool, str]] = []
    for told in engines:
        if told["error"] and told["provider"] in EXTRA and not extra_is_here()[0]:
            continue  # it has a row that says so
        names = (
            ", ".join(TYPES.get(str(kind), str(kind)) for kind in told["types"]) or told["label"]
        )
        if told["error"]:
            rows.append((names, False, f"{told['label']}: {told['error']}"))
            continue
        best, *others = told["devices"]
        beside = f"; {', '.join(others)} on request" if others else ""
        now = "".join(
            f"; {name} computes on {device} now" for name, device in told["loaded"].items()
        )
        rows.append((names, True, f"{best}, {told['label']}{beside}{now}"))
    if all(told["devices"] in ([], ["cpu"]) for told in engines):
        rows.append(
            (
                "a GPU",
                False,
                f"no engine uses one; to install builds that do: {installation().gpu()}",
            )
        )
    return rows


def is_whole(folder: Path) -> bool:
    """Return whether a folder holds a model with every file of the size it should have."""
    try:
        told = json.loads((folder / "installed.json").read_text("utf-8"))
        return all((folder / f["name"]).stat().st_size == f["bytes"] for f in told["files"])
    except (OSError, ValueError, LookupError, TypeError):
        return False


def window_loads() -> tuple[bool, str]:
    """Return whether Qt's libraries load, tried in a process of its own."""
    code = (
        "import json; from PySide6 import QtWidgets;"
        " print(json.dumps(QtWidgets.QApplication.__name__))"
    )
    done = children.run("-c", code)
    if done.returncode == 0:
        return True, f"Qt, {json.loads(done.stdout)}"
    reason = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "Qt does not load"
    return False, reason
