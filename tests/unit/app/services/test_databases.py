"""Databases a person adds from the shell: their passwords, copies of their tables, copies made
anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from typer.testing import CliRunner

from app.adapters.builders import build_databases
from app.adapters.store.store import Store
from app.bootstrap import library
from app.cli.commands import app
from app.cli.data import file_meant
from app.data.library.entry import Note
from app.data.library.validator import entry_of, replayed, stale, validated
from app.data.readers.parts import hash_of
from app.data.sources import Sources
from app.domain.conversation import Turn
from app.domain.database import Wish
from app.domain.errors import DatabaseError, DeskpilotError
from app.domain.events import CallResult
from app.services.conversation.verdict import partly
from app.services.dashboard.widgets import Widgets
from backends import offline
from backends.data.workflow.step import Workflow
from tests.postgres_server import SECRET, Server, running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.memory_keyring import MemoryKeyring

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as made:
        made.do("CREATE DATABASE shop")
        made.do(
            "CREATE TABLE orders (id int PRIMARY KEY, day date, amount numeric(10, 2), 城市 text)",
            "INSERT INTO orders VALUES (1, '2024-01-01', 10.5, '北京'), (2, '2024-01-02', 20, '上海')",
            "COMMENT ON COLUMN orders.amount IS 'net, in EUR'",
            "CREATE VIEW large AS SELECT * FROM orders WHERE amount > 15",
            "CREATE SCHEMA other",
            "CREATE TABLE other.orders AS SELECT 1 AS n",
            "ANALYZE",
            database="shop",
        )
        yield made


def with_password(server: Server, database: str = "postgres") -> str:
    return server.url(database=database).replace("boss@", f"boss:{quote(SECRET, safe='')}@")


def run(*words: str) -> tuple[int, str]:
    made = CliRunner().invoke(app, ["data", *words])
    return made.exit_code, made.output


def kept_in(home: Path) -> str:
    return "".join(p.read_bytes().decode("latin-1") for p in home.rglob("*") if p.is_file())


def test_a_database_is_added_its_tables_chosen_and_its_password_is_in_the_keyring_alone(
    server: Server, home: Path, keyring_in_memory: MemoryKeyring
) -> None:
    url = server.url(database="shop")
    status, told = run("add", with_password(server, "shop"))
    assert status == 0, told
    assert f"{url}: 3 tables and views." in told
    assert "public.orders  [about 2 rows]" in told
    assert "public.large  [view]" in told
    status, told = run("add", url, "--table", "orders")
    assert (status, told.count("\n")) == (1, 1)
    assert told.endswith(
        "'orders' matches several tables. Specify one of other.orders, public.orders.\n"
    )
    status, told = run(
        "add", url, "--table", "public.orders", "--meaning", "城市=where it was sold"
    )
    assert status == 0, told
    parsed = json.loads(told)
    meanings = {c["name"]: c["meaning"] for c in parsed["columns"]}
    assert meanings == {
        "id": "id",
        "day": "day",
        "amount": "net, in EUR",
        "城市": "where it was sold",
    }
    assert parsed["last_row"] == {"id": 2, "day": "2024-01-02", "amount": 20.0, "城市": "上海"}
    status, told = run("list", "--json")
    assert (status, json.loads(told)["table"]) == (0, "public.orders")
    assert "3 tables and views" in run("databases")[1]
    assert list(keyring_in_memory.kept.values()) == [json.dumps({"password": SECRET})]
    secret = SECRET.encode().decode("latin-1")
    assert secret not in kept_in(home)
    assert json.dumps(SECRET)[1:-1] not in kept_in(home)
    assert run("forget", url)[0] == 0
    assert keyring_in_memory.kept == {}
    assert "No databases have been added yet" in run("databases")[1]
    assert json.loads(run("list", "--json")[1])["rows"] == 2  # the copy stays


async def test_a_copy_is_made_anew_on_request_and_shows_what_changed(
    server: Server, home: Path, keyring_in_memory: MemoryKeyring
) -> None:
    server.do("CREATE TABLE changing AS SELECT 1 AS n")
    databases = build_databases()
    await databases.add(with_password(server))
    path = await databases.copy(server.url(), Wish("public", "changing"))
    sources = Sources()
    uid, before = sources.add_file(path).uuid, hash_of(path)
    await databases.refresh(path)
    assert hash_of(path) == before
    server.do("INSERT INTO changing VALUES (2)")
    assert sources.source(uid).profile.rows == 1  # nothing is read from the database unasked
    await databases.refresh(path)
    assert sources.source(uid).profile.rows == 2
    assert sources.is_stale(uid, before)
    server.do("DROP TABLE changing")
    with pytest.raises(DatabaseError, match=r"public\.changing no longer exists"):
        await databases.refresh(path)
    assert sources.source(uid).profile.rows == 2  # what was copied last still answers
    with pytest.raises(DatabaseError, match="not a copy of a database"):
        await databases.refresh(home / "databases" / "x" / "other.parquet")


async def test_a_workflow_over_a_copy_is_stale_once_a_column_is_renamed(
    server: Server, home: Path, keyring_in_memory: MemoryKeyring
) -> None:
    server.do("CREATE TABLE paid AS SELECT i AS n, i * 2 AS amount FROM generate_series(1, 5) i")
    databases, sources = build_databases(), Sources()
    await databases.add(with_password(server))
    path = await databases.copy(server.url(), Wish("public", "paid"))
    uid = sources.add_file(path).uuid
    steps = [
        {"id": "a", "interface": "read_rows", "arguments": {"source": uid, "columns": ["amount"]}}
    ]
    entry = await validated(
        entry_of("paid", Workflow.model_validate({"steps": steps}), sources), sources
    )
    assert (entry.status, stale(entry, sources)) == ("validated", "")
    server.do("INSERT INTO paid VALUES (6, 12)")
    await databases.refresh(path)
    assert stale(entry, sources) == ""
    assert (await replayed(entry, {}, sources)).shown[0].rows_in_all == 6
    server.do("ALTER TABLE paid RENAME COLUMN amount TO sum")
    await databases.refresh(path)
    assert stale(entry, sources).startswith("The columns of paid have changed since it was created")
    with pytest.raises(DeskpilotError, match="paid is stale"):
        await replayed(entry, {}, sources)


async def test_copies_nobody_keeps_go_and_those_of_a_removed_database_are_not_read_anew(
    server: Server, home: Path, keyring_in_memory: MemoryKeyring
) -> None:
    databases = build_databases()
    await databases.add(with_password(server, "shop"))
    url = server.url(database="shop")
    kept = await databases.copy(url, Wish("public", "orders"))
    gone = await databases.copy(url, Wish("other", "orders"))
    await databases.clean([])
    assert gone.is_file()  # somebody may be about to show it
    for path in (kept, gone):
        os.utime(path.parent, (0, 0))
    await databases.clean([str(kept)])
    assert (kept.is_file(), gone.parent.exists()) == (True, False)
    os.utime(kept.parent, (0, 0))
    await library().keep_note("x", Note(path=str(kept)))
    await databases.clean([])
    assert kept.is_file()
    await databases.remove(url)
    with pytest.raises(DatabaseError, match="The database shop was removed"):
        await databases.refresh(kept)


async def test_an_answer_from_a_part_of_a_table_says_so(
    server: Server, home: Path, keyring_in_memory: MemoryKeyring
) -> None:
    server.do("CREATE TABLE long AS SELECT i AS n FROM generate_series(1, 5000) i", "ANALYZE long")
    databases, store = build_databases(), await Store.open(None)
    await databases.add(with_password(server))
    path = await databases.copy(server.url(), Wish("public", "long", first=100))
    widgets = Widgets(Sources(), store)
    widget = await widgets.add_file(path)
    assert widget.name == "long (first 100 rows)"
    result = widgets.sources.run("sum", {"source": widget.uuid, "column": "n"})
    turn = Turn("t", "c", None, "How many?", "done", 0.0)
    turn.items.append(CallResult("execute_agent_tool", result.model_dump_json(), False, 0.0))
    warned = partly(turn, widgets, None)
    assert warned is not None
    assert warned.message == "Computed from the first 100 of about 5,000 rows of long."
    await databases.refresh(path)
    assert widgets.profile(widget.uuid).rows == 100  # as many as before
    await store.aclose()


async def test_a_table_that_was_added_is_found_by_its_name(
    server: Server, home: Path, keyring_in_memory: MemoryKeyring
) -> None:
    databases = build_databases()
    await databases.add(with_password(server, "shop"))
    path = await databases.copy(server.url(database="shop"), Wish("other", "orders"))
    await library().keep_note("x", Note(path=str(path)))
    for name in ("orders", "other.orders"):
        assert await file_meant(Path(name)) == path
    assert await file_meant(Path("nothing.csv")) == Path("nothing.csv")


def test_a_refused_password_is_one_line_and_nothing_is_kept(
    server: Server, home: Path, keyring_in_memory: MemoryKeyring
) -> None:
    wrong = server.url().replace("boss@", "boss:wr0ng-one@")
    status, told = run("add", wrong)
    assert (status, told) == (
        1,
        "The database refused the user name or the password. Check both.\n",
    )
    assert keyring_in_memory.kept == {}
    assert not (home / "databases.json").exists()
    assert run("add", "postgresql://u:hush@host")[1].count("hush") == 0
    assert run("add", "table.csv", "--table", "x")[0] == 2


async def test_offline_no_other_machine_is_asked_but_this_one_is(
    server: Server, home: Path, keyring_in_memory: MemoryKeyring
) -> None:
    offline.close()
    try:
        databases = build_databases()
        with pytest.raises(
            DatabaseError, match=r"offline: no connection to db\.example\.com is made"
        ):
            await databases.add("postgresql://u@db.example.com/shop")
        assert len((await databases.add(with_password(server, "shop"))).tables) == 3
    finally:
        offline.open_()
