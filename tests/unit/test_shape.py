"""What holds for every module: a first line, three broad excepts, any system, a light terminal."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[2]
MODULES = sorted(p for top in ("app", "backends") for p in (REPOSITORY / top).rglob("*.py"))
HEAVY = (
    "torch",
    "onnxruntime",
    "llama_cpp",
    "ctranslate2",
    "sentence_transformers",
    "faster_whisper",
    "piper",
    "av",
)
BROAD = {  # the outermost loops, and what stands in front of foreign libraries
    "backends/flexai/errors.py",
    "backends/service/errors.py",
    "backends/workers/child.py",
}
ONE_SYSTEM = {"fcntl", "pwd", "grp", "resource", "termios", "msvcrt", "winreg"}


def name_of(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


def test_every_module_says_its_job_in_its_first_line() -> None:
    assert not [
        name_of(p) for p in MODULES if not ast.get_docstring(ast.parse(p.read_text("utf-8")))
    ]


def catches_all(handler: ast.ExceptHandler) -> bool:
    kinds = [handler.type] if not isinstance(handler.type, ast.Tuple) else handler.type.elts
    return any(
        k is None or (isinstance(k, ast.Name) and k.id in ("Exception", "BaseException"))
        for k in kinds
    )


def test_every_error_is_caught_in_three_places_only() -> None:
    found = [
        name_of(path)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ExceptHandler) and catches_all(node)
    ]
    assert sorted(found) == sorted(BROAD)


def test_no_module_needs_what_only_one_system_has() -> None:
    found: list[str] = []
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [f"{name_of(path)}: {n}" for n in names if n.partition(".")[0] in ONE_SYSTEM]
    assert not found


@pytest.mark.parametrize("module", ["app", "app.bootstrap", "app.cli", "app.ui.main.run"])
def test_the_terminal_loads_no_engine(module: str) -> None:
    code = f"import sys, {module}; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=REPOSITORY
    )
    assert done.stdout.strip() == "[]", done.stderr
