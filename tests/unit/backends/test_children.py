"""A child runs our modules, whatever lies in the folder it is started from."""

from __future__ import annotations

import ast
import asyncio
import os
from typing import TYPE_CHECKING

import pytest

from app.adapters.databases.client import Postgres
from app.adapters.model_service.process import ServiceProcess
from app.cli.doctor import ask_engines, window_loads
from app.documents.reader import DocumentReader
from app.domain.database import read_address
from app.domain.errors import DatabaseError
from app.tools.code.computer import Computer
from backends import children
from backends.catalog.wheels import pip_settings
from backends.flexai.entities import ModelType
from backends.workers import Workers
from tests.hostile_folder import spoil, victims
from tests.unit.app.tools.code.machine import SMALL, ran, text_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

# What starts programs besides `backends.children`, and why it may.
OTHERS = {
    "app/tools/code/isolation.py": "tries the sandbox, isolated and in an empty folder",
    "app/tools/code/supervisor.py": "starts the code of a person in that code's own folder",
    "app/ui/dashboard/web_views.py": "tries namespaces of a user, before a page is drawn",
    "backends/providers/espeak/text2speech.py": "starts espeak, which is no Python",
}


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder: its modules write down that they ran."""
    folder = tmp_path / "Downloads"
    spoil(folder)
    monkeypatch.chdir(folder)
    return folder


async def printed(*arguments: str) -> str:
    process = await children.start(*arguments, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    assert process.returncode == 0
    return out.decode().strip()


async def test_a_child_and_its_children_import_nothing_of_the_current_folder(hostile: Path) -> None:
    told = "import sys, yaml, backends.paths as p, subprocess; print(p.__file__, flush=True);"
    more = "subprocess.run([sys.executable, '-m', 'backends.paths'], check=True)"
    assert await printed("-c", told + more) == str(children.ROOT / "backends" / "paths.py")
    assert children.run("-m", "json.tool", "--help").returncode == 0
    assert victims(hostile) == []


async def test_an_empty_or_relative_entry_of_pythonpath_is_not_the_current_folder(
    hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", ".", "sub", str(tmp_path)]))
    found = await printed("-c", "import sys, yaml; print(sys.path)")
    assert str(tmp_path) in ast.literal_eval(found)
    assert victims(hostile) == []


async def test_relative_folders_of_ours_stay_the_same_folders(
    hostile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_HOME", "desk")
    monkeypatch.setenv("DESKPILOT_MODELS", "models")
    code = "from backends.paths import *; print(data_folder()); print(models_folder())"
    assert (await printed("-c", code)).split("\n") == [
        str(hostile / "desk"),
        str(hostile / "models"),
    ]


async def test_the_service_starts_in_a_hostile_folder(hostile: Path) -> None:
    process = ServiceProcess()
    try:
        assert (await process.address()).pid == process.pid
    finally:
        await process.aclose()
    assert victims(hostile) == []


async def test_a_worker_starts_in_a_hostile_folder(hostile: Path) -> None:
    async with Workers({"echo": "tests.echo_provider"}) as pool:
        asked = {"model": "echo", "credentials": {}, "texts": ["abc"]}
        told = await pool.invoke("echo", ModelType.TEXT_EMBEDDING, **asked)
    assert told.embeddings == [[3.0, 1.0]]
    assert victims(hostile) == []


async def test_the_reader_of_databases_starts_in_a_hostile_folder(hostile: Path) -> None:
    address, _ = read_address("postgresql://me@127.0.0.1:9/db")
    with pytest.raises(DatabaseError, match="No server responds"):
        await Postgres().tables(address, "")
    assert victims(hostile) == []


def test_the_reader_of_documents_starts_in_a_hostile_folder(hostile: Path, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Read by a child.")
    reader = DocumentReader()
    try:
        assert reader.read(tmp_path / "note.txt").pages[0].text == "Read by a child."
    finally:
        reader.close()
    assert victims(hostile) == []


def test_what_doctor_and_the_catalog_ask_python_is_not_answered_by_the_folder(
    hostile: Path,
) -> None:
    assert window_loads()[0]
    assert all("provider" in told for told in ask_engines())
    assert pip_settings().indexes
    assert victims(hostile) == []


async def test_what_code_writes_becomes_no_part_of_the_next_kernel_but_code_may_import_it(
    hostile: Path, tmp_path: Path
) -> None:
    computer = Computer(tmp_path / "computer", SMALL)
    told = "open('ipykernel_launcher.py', 'w').write('raise SystemExit(3)');"
    await ran(computer, "python", f"{told} open('mine.py', 'w').write('x = 42')")
    await computer.aclose()
    computer = Computer(tmp_path / "computer", SMALL)
    assert text_of(await ran(computer, "python", "import mine; print(mine.x)")) == "42\n"
    await computer.aclose()
    assert victims(hostile) == []


def test_no_other_module_starts_a_program_unless_it_says_why() -> None:
    starts = ("create_subprocess_exec", "create_subprocess_shell", "Popen", "run", "check_output")
    found: set[str] = set()
    for path in (p for part in ("app", "backends") for p in (children.ROOT / part).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in starts:
                owner = ast.unparse(node.value)
                if owner in ("subprocess", "asyncio") and (owner, node.attr) != ("asyncio", "run"):
                    found.add(path.relative_to(children.ROOT).as_posix())
    assert found == {"backends/children.py", *OTHERS}
