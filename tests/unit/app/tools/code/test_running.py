"""Code runs in Python, shell, JavaScript and R, and what comes of it is told piece by piece."""

from __future__ import annotations

import os
import shutil
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import pytest

from app.domain.errors import ComputerError
from app.tools.code import kernel, scripts
from app.tools.code.computer import Computer
from app.tools.code.isolation import Isolation, find_isolation
from app.tools.code.process import CodeFailure, DisplayedOutput
from tests.unit.app.tools.code.machine import SMALL, lines_of, ran, text_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


async def test_python_keeps_its_variables_knows_tables_and_shows_pictures_pages_and_charts(
    tmp_path: Path,
) -> None:
    import duckdb

    def write(folder: Path) -> dict[str, Path]:
        path = folder / "prices.parquet"
        with duckdb.connect() as connection:
            connection.execute(
                f"COPY (SELECT range AS day, range * 2.0 AS close FROM range(4)) TO '{path}'"
            )
        return {"prices": path}

    computer = Computer(tmp_path, SMALL)
    assert text_of(await ran(computer, "python", "x = 40\nprint('set')")) == "set\n"
    async with aclosing(
        computer.run("c", "python", "print(x + 2, prices.close.sum())", write)
    ) as pieces:
        assert text_of([piece async for piece in pieces]) == "42 12.0\n"
    other = computer.run("another", "python", "x")
    async with aclosing(other) as pieces:  # a conversation sees nothing of another one
        assert "NameError" in text_of([piece async for piece in pieces])
    code = "from IPython.display import HTML, Image, display\nimport base64\n"
    code += "display(Image(base64.b64decode('iVBORw0KGgo='), format='png'))\nHTML('<b>plot</b>')"
    shown = [
        piece for piece in await ran(computer, "python", code) if isinstance(piece, DisplayedOutput)
    ]
    assert [(s.format, s.content) for s in shown] == [
        ("base64.png", "iVBORw0KGgo="),
        ("html", "<b>plot</b>"),
    ]
    code = "import plotly.graph_objects as go\ngo.Figure(go.Bar(y=[1, 2]))"
    (chart,) = [
        piece for piece in await ran(computer, "python", code) if isinstance(piece, DisplayedOutput)
    ]
    assert (chart.format, chart.content["data"][0]["type"]) == ("plotly", "bar")
    # as models write it: it needs a package of its own, and says nothing without it but an error
    code = "import plotly.express as px\nfig = px.line(y=[1, 3, 2])\nfig.show()\nprint('shown')"
    pieces = await ran(computer, "python", code)
    (chart,) = [piece for piece in pieces if isinstance(piece, DisplayedOutput)]
    assert (chart.format, chart.content["data"][0]["type"]) == ("plotly", "scatter")
    assert text_of(pieces) == "shown\n"
    assert not any(isinstance(piece, CodeFailure) for piece in pieces)
    await computer.aclose()


async def test_the_line_that_runs_is_told_beside_the_output_and_errors_name_the_right_line(
    tmp_path: Path,
) -> None:
    computer = Computer(tmp_path, SMALL)
    code = (
        "import time\nfor i in range(2):\n    time.sleep(0.1)\n    print('at', i)\nraise"
        " ValueError('no')"
    )
    pieces = await ran(computer, "python", code)
    assert {1, 3} <= set(lines_of(pieces))
    assert text_of(pieces).startswith("at 0\nat 1\n")
    assert "line 5" in text_of(pieces)
    assert "deskpilot" not in text_of(pieces)
    assert pieces[-1] == CodeFailure()
    pieces = await ran(computer, "shell", "echo one\nsleep 0.2\n\necho four")
    assert text_of(pieces) == "one\nfour\n"
    assert {2, 4} & set(lines_of(pieces))
    await computer.aclose()


@needs_node
async def test_javascript_tells_the_line_of_each_statement_and_means_what_it_meant(
    tmp_path: Path,
) -> None:
    computer = Computer(tmp_path, SMALL)
    code = (
        "const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);\n"
        "let total = later(20);\n"
        "wait(100)\n"
        "for (const n of [1, 2]) {\n  total += n;\n}\n"
        "wait(100); if (total > 30) { console.log('more') }\nelse { console.log(`at\n${total}`) }\n"
        "const list = [1,\n  2]\n  .map((n) => n * 2)\n"
        "console.log(list, require('path').basename(__filename), module.exports)\n"
        "function later(n) {\n  return n;\n}\n"
        "throw new Error('no')"
    )
    pieces = await ran(computer, "javascript", code)
    assert text_of(pieces).startswith("at\n23\n[ 2, 4 ] script.cjs {}\n")
    assert "script.cjs:17" in text_of(pieces)
    assert {3, 7} <= set(lines_of(pieces))
    assert pieces[-1] == CodeFailure()
    for whole in ("await_me = 1; return", "'use strict'\nconsole.log(this === module.exports)"):
        assert "SyntaxError" not in text_of(await ran(computer, "javascript", whole))
    await computer.aclose()


async def test_magics_docstrings_and_future_imports_run_though_lines_are_told(
    tmp_path: Path,
) -> None:
    computer = Computer(tmp_path, SMALL)
    code = (
        "from __future__ import annotations\ndef f(a: Nothing):\n    '''Doc.'''\n    return"
        " 7\nprint(f(1), f.__doc__)"
    )
    assert text_of(await ran(computer, "python", code)) == "7 Doc.\n"
    assert "/" in text_of(await ran(computer, "python", "%pwd"))
    await computer.aclose()


@needs_node
async def test_javascript_and_shell_share_a_folder_and_tell_how_they_ended(tmp_path: Path) -> None:
    computer = Computer(tmp_path, SMALL)
    await ran(computer, "javascript", "require('fs').writeFileSync('made.txt', 'by node é')")
    assert text_of(await ran(computer, "shell", "cat made.txt")) == "by node é"
    pieces = await ran(computer, "javascript", "console.log(1 + 1); throw new Error('no')")
    assert text_of(pieces).startswith("2\n")
    assert pieces[-1] == CodeFailure()
    assert (await ran(computer, "shell", "exit 3"))[-1] == CodeFailure()
    await computer.aclose()


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
async def test_r_runs_in_the_folder_of_the_others_and_tells_how_it_ended(tmp_path: Path) -> None:
    computer = Computer(tmp_path, SMALL)
    pieces = await ran(computer, "r", "cat(mean(c(1, 2, 6)), '\\n'); write('by R', 'made.txt')")
    assert text_of(pieces) == "3 \n"
    assert text_of(await ran(computer, "shell", "cat made.txt")) == "by R\n"
    pieces = await ran(computer, "r", "stop('no')")
    assert "no" in text_of(pieces)
    assert pieces[-1] == CodeFailure()
    await computer.aclose()


async def test_what_code_wrote_and_printed_stays_when_a_conversation_is_left(
    tmp_path: Path,
) -> None:
    computer = Computer(tmp_path / "c", SMALL)

    async def write_in(conversation: str, code: str) -> None:
        async with aclosing(computer.run(conversation, "shell", code)) as pieces:
            async for _ in pieces:
                pass

    old = computer.folder_of("temporary-old")
    await write_in("temporary-old", "echo x > old.txt")
    await computer.leave("temporary-old")
    os.utime(old, (0, 0))
    await write_in("temporary-a", "mkdir -p .cache; echo Washington > file.txt")
    (tables := computer.folder_of("temporary-a") / "tables").mkdir(exist_ok=True)
    (tables / "t.parquet").write_text("x")
    await write_in("temporary-b", "true")
    await computer.leave("temporary-a")
    await computer.leave("temporary-b")
    await computer.aclose()
    left = [path.relative_to(tmp_path / "c").as_posix() for path in (tmp_path / "c").rglob("*")]
    assert sorted(left) == ["temporary-a", "temporary-a/files", "temporary-a/files/file.txt"]


async def test_a_crash_a_missing_interpreter_and_a_missing_module_are_a_sentence_each(
    tmp_path: Path, monkeypatch: Any
) -> None:
    computer = Computer(tmp_path, SMALL)
    (failed,) = [
        p
        for p in await ran(computer, "python", "import nowhere_at_all")
        if isinstance(p, CodeFailure)
    ]
    assert failed.text.startswith("The module nowhere_at_all is not installed")
    with pytest.raises(ComputerError, match="Python stopped while the code was running"):
        await ran(computer, "python", "import os; os._exit(1)")
    assert text_of(await ran(computer, "python", "print('anew')")) == "anew\n"
    monkeypatch.setattr(scripts.shutil, "which", lambda _: None)
    with pytest.raises(
        ComputerError, match=r"not run: there is no node on this machine\. Install Node"
    ):
        await ran(computer, "javascript", "1")
    monkeypatch.setattr(kernel.importlib.util, "find_spec", lambda _: None)
    await computer.forget("c")
    with pytest.raises(ComputerError, match="ipykernel, is not installed"):
        await ran(computer, "python", "1")
    await computer.aclose()


async def test_code_sees_no_secret_of_ours(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    computer = Computer(tmp_path, SMALL)
    for language, code in (("shell", "env"), ("python", "import os\nprint(dict(os.environ))")):
        told = text_of(await ran(computer, language, code))  # type: ignore[arg-type]
        assert "PATH" in told
        assert "sk-mine" not in told
    await computer.aclose()


async def test_a_sandbox_has_no_network_and_none_of_the_files_of_the_person(tmp_path: Path) -> None:
    if not find_isolation().bubblewrap:
        pytest.skip(f"no sandbox here: {find_isolation().why}")
    (secret := tmp_path / "secret.txt").write_text("mine")
    computer = Computer(tmp_path / "computer", SMALL)
    told = text_of(
        await ran(
            computer,
            "shell",
            f"cat {secret}; touch /usr/x; cat /proc/net/dev | tail -n +3; ps 2>&1",
        )
    )
    assert "mine" not in told
    assert "No such file" in told
    assert "Read-only file system" in told
    assert [
        line.split(":")[0].strip()
        for line in told.splitlines()
        if ":" in line and "lo" in line.split(":")[0]
    ]
    assert "eth" not in told
    await computer.aclose()


def test_what_cuts_code_off_is_said_plainly_when_it_is_not_there() -> None:
    bare = Isolation(why="bubblewrap is not installed")
    told = {what: (works, how) for what, works, how in bare.mechanisms()}
    assert told["a sandbox for code"][0] is False
    assert "code can use your files and the network" in told["a sandbox for code"][1]
    assert Isolation("/usr/bin/bwrap").mechanisms()[0][1] is True


@pytest.mark.parametrize("link", ["folder", "file"])
async def test_a_link_that_code_left_leads_tables_nowhere_else(tmp_path: Path, link: str) -> None:
    (outside := tmp_path / "outside").mkdir()
    (mine := outside / "mine.txt").write_text("mine")

    def write(folder: Path) -> dict[str, Path]:
        path = folder / "prices.parquet"
        if not path.exists():
            path.write_bytes(b"a table")
        return {"prices": path}

    before = (outside.stat().st_uid, mine.stat().st_uid)
    computer = Computer(tmp_path / "computer", SMALL)
    leads = {
        "folder": f"rm -rf tables; ln -s {outside} tables",
        "file": f"rm -rf tables; mkdir tables; ln -s {mine} tables/prices.parquet",
    }
    for code in ("true", leads[link], "true"):
        async with aclosing(computer.run("c", "shell", code, write)) as pieces:
            assert not [piece async for piece in pieces if isinstance(piece, CodeFailure)]
    assert [path.name for path in outside.iterdir()] == ["mine.txt"]
    assert (mine.read_text(), outside.stat().st_uid, mine.stat().st_uid) == ("mine", *before)
    await computer.aclose()


async def test_tables_are_read_by_code_and_not_changed(tmp_path: Path) -> None:
    if not find_isolation().bubblewrap:
        pytest.skip(f"no sandbox here: {find_isolation().why}")

    def write(folder: Path) -> dict[str, Path]:
        (path := folder / "prices.parquet").write_bytes(b"a table")
        return {"prices": path}

    computer = Computer(tmp_path, SMALL)
    place = tmp_path / "c" / "tables"
    code = f"cat {place}/prices.parquet; rm {place}/prices.parquet; echo x > {place}/y"
    async with aclosing(computer.run("c", "shell", code, write)) as pieces:
        told = text_of([piece async for piece in pieces])
    assert told.startswith("a table")
    assert told.count("Read-only file system") == 2
    await computer.aclose()


@pytest.mark.parametrize(
    "forged",
    [
        *("'stream', {}", "'error', {}", "'display_data', {}", "'status', {}"),
        *("'deskpilot_line', {'line': 'x'}", "'stream', {'text': 5}", "'error', {'ename': 1}"),
        "'display_data', {'data': [1]}",
    ],
)
async def test_messages_that_code_forged_are_left_out(tmp_path: Path, forged: str) -> None:
    computer = Computer(tmp_path, SMALL)
    code = "k = get_ipython().kernel\n"
    code += f"k.session.send(k.iopub_socket, {forged}, parent=k.get_parent('shell'))\n"
    code += "k.iopub_socket.send_multipart([b'x', b'<IDS|MSG>', b'bad', b'{', b'{', b'{', b'{'])\n"
    pieces = await ran(computer, "python", f"{code}print('after')")
    assert text_of(pieces).endswith("after\n")
    assert all(number is None or isinstance(number, int) for number in lines_of(pieces))
    await computer.aclose()


async def test_what_is_too_large_to_be_shown_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "LARGEST", 1 << 20)
    monkeypatch.setattr(kernel, "LAST_SECONDS", 1.0)
    computer = Computer(tmp_path, SMALL)
    code = "from IPython.display import HTML, display\ndisplay(HTML('x' * 4_000_000))"
    with pytest.raises(ComputerError, match="more than 1 MB of output at once"):
        await ran(computer, "python", code)
    assert text_of(await ran(computer, "python", "print('again')")) == "again\n"
    await computer.aclose()
