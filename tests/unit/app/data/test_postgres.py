"""Tables of PostgreSQL: listed, copied, asked; whatever happens to the server, and never
changed.
"""

from __future__ import annotations

import asyncio
import json
import socket
from typing import TYPE_CHECKING

import pytest

from app.adapters.databases import client
from app.adapters.databases.client import Postgres
from app.data.library.library_file import parsing_file
from app.data.readers.parts import hash_of
from app.data.sources import Sources
from app.domain.database import CopyProgress, TableCopy, Wish, read_address
from app.domain.errors import DatabaseError
from tests.postgres_server import SECRET, Server, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.data.tables import OpenTable

pytestmark = pytest.mark.slow

KINDS = """
CREATE TYPE mood AS ENUM ('sad', 'ok', '高兴');
CREATE DOMAIN price AS numeric(12, 2) CHECK (VALUE >= 0);
CREATE TABLE kinds (
  id int PRIMARY KEY, paid price, many numeric, huge numeric(30, 0), part real, whole bigint, on_off boolean,
  born date, at timestamptz, local timestamp, feels mood, tags text[], told jsonb, raw bytea, who uuid, code char(5),
  zip text, lasts interval, cash money, nothing text, nowhere point);
INSERT INTO kinds VALUES
  (2, 1234567.89, 3.3333333333333333333, 123456789012345678901234567890, 0.1, 9007199254740993, true, '2024-02-29',
   '2024-03-01 09:30:00+08', '2024-03-01 09:30:00', '高兴', '{a,"b c"}', '{"k": [1, 2]}', '\\x00ff',
   'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'ab', '01234', '1 day', 12.5, NULL, '(1,2)'),
  (1, 0.01, 'NaN', 1, 'Infinity', -1, false, 'infinity', '-infinity', '0044-03-15 12:00:00 BC', 'sad', '{}', 'null', '',
   'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12', 'cd', '00501', '2 hours', 0, NULL, NULL);
COMMENT ON TABLE kinds IS 'One column of each kind';
COMMENT ON COLUMN kinds.paid IS 'what was paid, in yuan';
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as made:
        made.do(*KINDS.split(";\n")[:-1])
        yield made


async def copied(
    server: Server,
    folder: Path,
    table: str,
    schema: str = "public",
    *,
    first: int = 0,
    most: int = 1_000_000,
) -> tuple[OpenTable, TableCopy]:
    path = folder / "databases" / "0" / f"{table.replace('/', ' ')}.parquet"
    address, _ = read_address(server.url())
    made = await Postgres().copy(address, SECRET, Wish(schema, table, first, most, 30), path)
    return Sources().add_file(path), made


async def failed(
    server: Server, folder: Path, wish: Wish, url: str = "", password: str = SECRET
) -> DatabaseError:
    address, _ = read_address(url or server.url())
    with pytest.raises(DatabaseError) as caught:
        await Postgres().copy(address, password, wish, folder / "databases" / "0" / "copy.parquet")
    assert not list((folder / "databases" / "0").iterdir())  # no half of a copy is left
    return caught.value


async def test_each_kind_of_column_is_read_as_what_it_is(server: Server, tmp_path: Path) -> None:
    source, _ = await copied(server, tmp_path, "kinds")
    names = [c.name for c in source.table.columns]
    first, second = (
        dict(zip(names, row, strict=True)) for row in source.table.rows(0, 2)
    )  # by the key
    kinds = {c.name: c.kind for c in source.table.columns}
    assert (first["id"], second["id"]) == (1, 2)
    assert (second["paid"], second["many"], second["part"]) == (
        1234567.89,
        pytest.approx(10 / 3),
        0.1,
    )
    assert (first["many"], first["part"], first["born"], first["at"]) == (None, None, None, None)
    assert second["huge"] == "123456789012345678901234567890"
    assert (second["whole"], second["on_off"], second["cash"]) == (9007199254740993, True, 12.5)
    assert (second["born"], second["at"], second["local"]) == (
        "2024-02-29",
        "2024-03-01 01:30:00",
        "2024-03-01 09:30:00",
    )
    assert (second["feels"], second["tags"], json.loads(str(second["told"]))) == (
        "高兴",
        '["a","b c"]',
        {"k": [1, 2]},
    )
    assert (second["raw"], second["code"], second["zip"], second["lasts"]) == (
        "2 bytes",
        "ab",
        "01234",
        "1 day",
    )
    assert (kinds["paid"], kinds["born"], kinds["at"], kinds["tags"], kinds["zip"]) == (
        "number",
        "date",
        "time",
        "text",
        "text",
    )
    assert second["nothing"] is None
    assert second["nowhere"] == "(1,2)"


async def test_the_parsing_file_says_what_the_owner_of_the_table_said(
    server: Server, tmp_path: Path
) -> None:
    source, _ = await copied(server, tmp_path, "kinds")
    told = parsing_file(source)
    columns = {one["name"]: one for one in told["columns"]}
    assert told["description"].startswith(
        "One column of each kind The table public.kinds of the database postgres"
    )
    assert columns["paid"]["meaning"] == "what was paid, in yuan"
    assert columns["at"]["meaning"] == "time in UTC"
    assert columns["huge"]["source_type"] == "numeric(30,0)"
    assert (told["kind"], told["table"], told["database"]) == (
        "postgresql",
        "public.kinds",
        server.url(),
    )
    assert told["first_row"]["id"] == 1
    assert told["last_row"]["id"] == 2
    assert SECRET not in json.dumps(told, ensure_ascii=False)


async def test_odd_names_and_three_hundred_columns_are_only_names(
    server: Server, tmp_path: Path
) -> None:
    odd = 'tab"le; DROP TABLE kinds; --'
    quoted = odd.replace('"', '""')
    listed = ", ".join(f'"select {i}" int DEFAULT {i}' for i in range(297))
    server.do(
        'CREATE SCHEMA "模式/1"',
        f'CREATE TABLE "模式/1"."{quoted}" ("名称" text, "Name" text, "name" text, "_row" int,'
        f" {listed})",
        f"""INSERT INTO "模式/1"."{quoted}" ("名称", "Name", "name", "_row") VALUES ('张三', 'A', 'b', 7)""",
    )
    source, made = await copied(server, tmp_path, odd, "模式/1")
    names = [c.name for c in source.table.columns]
    assert names[:5] == ["名称", "Name", "name 2", "row", "select 0"]
    assert len(names) == 301
    assert source.table.rows(0, 1)[0][:5] == ("张三", "A", "b", 7, 0)
    assert (made.schema, made.name) == ("模式/1", odd)
    assert server.rows("SELECT count(*) FROM kinds") == [(2,)]


async def test_the_database_is_never_changed_not_even_by_who_may_do_everything(
    server: Server, tmp_path: Path
) -> None:
    server.do(
        "CREATE TABLE log (n int)",
        "CREATE FUNCTION noted() RETURNS int LANGUAGE sql VOLATILE AS 'INSERT INTO public.log"
        " VALUES (1) RETURNING n'",
        "CREATE VIEW sly AS SELECT noted() AS n",
        "CREATE SEQUENCE counter",
        "CREATE VIEW counting AS SELECT nextval('counter') AS n",
    )
    before = server.rows(
        "SELECT pg_current_xact_id()::text::int8 AS n, (SELECT last_value FROM counter) AS m"
    )
    error = await failed(server, tmp_path, Wish("public", "sly"))
    assert error.text == "public.sly writes to the database when it is read, so it is not read."
    assert (
        "writes to the database"
        in (await failed(server, tmp_path, Wish("public", "counting"))).text
    )
    await copied(server, tmp_path, "kinds")
    after = server.rows(
        "SELECT pg_current_xact_id()::text::int8 AS n, (SELECT last_value FROM counter) AS m"
    )
    assert server.rows("SELECT count(*) FROM log") == [(0,)]
    assert after == [(before[0][0] + 1, before[0][1])]  # the asking itself takes the one number


async def test_a_user_who_may_only_read_some_of_it_sees_and_reads_that(
    server: Server, tmp_path: Path
) -> None:
    server.do(
        "CREATE ROLE reader LOGIN PASSWORD 'only reads'",
        "CREATE TABLE hidden AS SELECT 1 AS n",
        "GRANT SELECT ON kinds TO reader",
    )
    address, _ = read_address(server.url("reader"))
    path = tmp_path / "databases" / "0" / "kinds.parquet"
    await Postgres().copy(address, "only reads", Wish("public", "kinds"), path)
    assert Sources().add_file(path).profile.rows == 2
    path.unlink()
    error = await failed(
        server, tmp_path, Wish("public", "hidden"), server.url("reader"), "only reads"
    )
    assert error.text == "This user does not have permission to read public.hidden."


async def test_the_same_data_have_the_same_hash_and_others_another(
    server: Server, tmp_path: Path
) -> None:
    server.do(
        "CREATE TABLE moving AS SELECT i AS n, 'No ' || i AS name FROM generate_series(1, 2000) i"
    )
    source, _ = await copied(server, tmp_path, "moving")
    before = hash_of(source.path)
    assert hash_of((await copied(server, tmp_path, "moving"))[0].path) == before
    server.do("UPDATE moving SET name = 'another' WHERE n = 7")
    assert hash_of((await copied(server, tmp_path, "moving"))[0].path) != before


async def test_a_table_larger_than_may_be_is_copied_only_as_far_as_somebody_says(
    server: Server, tmp_path: Path
) -> None:
    server.do("CREATE TABLE long AS SELECT i AS n FROM generate_series(1, 5000) i", "ANALYZE long")
    error = await failed(server, tmp_path, Wish("public", "long", most=4999))
    assert (
        error.text
        == "public.long has about 5,000 rows; up to 4,999 rows are copied without asking."
    )
    assert error.kind == "large"
    source, _ = await copied(server, tmp_path, "long", most=5000)
    assert source.profile.rows == 5000
    part, _ = await copied(server, tmp_path, "long", first=100)
    assert part.profile.rows == 100
    assert part.profile.name == "long (first 100 rows)"
    assert (
        part.profile.description
        == "Only the first 100 of about 5,000 rows of the table public.long of the database"
        " postgres."
    )


async def test_a_copy_that_fills_the_disk_is_given_up(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "BYTES", 1000)
    error = await failed(server, tmp_path, Wish("public", "kinds"))
    assert error.text == "The copy takes more than 9.31323e-07 GiB of disk space."


async def test_databases_of_other_encodings_are_read_and_what_is_in_none_is_told(
    server: Server, tmp_path: Path
) -> None:
    server.do(
        "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0",
        "CREATE DATABASE any_bytes ENCODING 'SQL_ASCII' TEMPLATE template0",
    )
    server.do(
        "CREATE TABLE t AS SELECT 1 AS n, 'é' AS t, repeat('ü', 30000) AS long", database="latin"
    )
    server.do(
        "CREATE TABLE t AS SELECT convert_from('\\xff41', 'SQL_ASCII') AS t", database="any_bytes"
    )
    address, _ = read_address(server.url(database="latin"))
    path = tmp_path / "databases" / "0" / "t.parquet"
    await Postgres().copy(address, SECRET, Wish("public", "t"), path)
    row = Sources().add_file(path).table.rows(0, 1)[0]
    assert row[:2] == (1, "é")
    assert str(row[2]).endswith("ü ... (30000 characters)")
    path.unlink()
    error = await failed(server, tmp_path, Wish("public", "t"), server.url(database="any_bytes"))
    assert error.text == "public.t contains text that is not in its database's encoding."


async def test_huge_cells_are_cut_with_a_word_about_it(server: Server, tmp_path: Path) -> None:
    server.do("CREATE TABLE texts AS SELECT 1 AS n, repeat('字', 3000000) AS body")
    source, _ = await copied(server, tmp_path, "texts")
    body = str(source.table.rows(0, 1)[0][1])
    assert body.endswith("字 ... (3000000 characters)")
    assert body.count("字") == 20_000


async def test_a_wrong_password_a_stranger_and_what_is_not_there_are_one_sentence_each(
    server: Server, tmp_path: Path
) -> None:
    kinds = Wish("public", "kinds")
    wrong = await failed(server, tmp_path, kinds, password="not it")
    assert (wrong.text, wrong.kind) == (
        "The database refused the user name or the password.",
        "password",
    )
    assert (await failed(server, tmp_path, kinds, password="")).kind == "password"
    nowhere = await failed(server, tmp_path, kinds, server.url(database="nowhere"))
    assert nowhere.text == "The server has no database of this name."
    gone = await failed(server, tmp_path, Wish("public", "never was"))
    assert gone.text == "public.never was no longer exists."
    away = await failed(server, tmp_path, kinds, "postgresql://boss@127.0.0.1:1/postgres")
    assert (away.text, away.remedy) == (
        "No server responds at 127.0.0.1.",
        "Check the address, and that the server runs.",
    )
    unsafe = await failed(server, tmp_path, kinds, f"{server.url()}?sslmode=require")
    assert unsafe.text.startswith("No safe connection to 127.0.0.1 can be made: ")
    for error in (wrong, nowhere, gone, away, unsafe):
        assert SECRET not in str(error)
        assert "\n" not in str(error)


async def test_a_server_that_says_nothing_is_told_and_no_variable_leads_elsewhere(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        kinds = Wish("public", "kinds", seconds=1)
        error = await failed(
            server, tmp_path, kinds, f"postgresql://boss@127.0.0.1:{port}/postgres"
        )
    assert (error.text, error.remedy) == (
        "127.0.0.1 does not respond.",
        "Check the address, and that this network reaches it.",
    )
    monkeypatch.setenv("PGHOSTADDR", "192.0.2.1")
    monkeypatch.setenv("PGOPTIONS", "-c nonsense=1")
    assert (await copied(server, tmp_path, "kinds"))[0].profile.rows == 2


async def test_a_slow_answer_and_a_locked_table_are_told_in_time(
    server: Server, tmp_path: Path
) -> None:
    server.do(
        "CREATE VIEW slow AS SELECT i, pg_sleep(0.05)::text AS s FROM generate_series(1, 100) i"
    )
    error = await failed(server, tmp_path, Wish("public", "slow", seconds=0.5))
    assert error.text == "The database took longer than 0.5 s for public.slow."
    server.do("CREATE TABLE busy AS SELECT 1 AS n")
    with server.locked("busy"):
        error = await failed(server, tmp_path, Wish("public", "busy", seconds=8))
    assert error.text == "public.busy is locked by another user or program."


async def test_a_connection_that_is_killed_and_a_column_renamed_meanwhile(
    server: Server, tmp_path: Path
) -> None:
    server.do(
        "CREATE VIEW endless AS SELECT i, pg_sleep(0.02)::text AS s FROM generate_series(1,"
        " 100000) i"
    )
    asking = asyncio.create_task(failed(server, tmp_path, Wish("public", "endless", seconds=60)))
    busy = (
        "SELECT pid::int8 AS pid FROM pg_stat_activity WHERE query LIKE '%endless%' AND"
        " application_name = 'deskpilot'"
    )
    while not (found := await asyncio.to_thread(server.rows, busy)):
        assert not asking.done()
    await asyncio.to_thread(
        server.rows, f"SELECT pg_terminate_backend({found[0][0]})::text AS done"
    )
    assert (await asking).text in (
        "The database closed the connection.",
        "The connection to the database was lost.",
    )
    server.do("CREATE TABLE renamed AS SELECT 1 AS before")
    before = (await copied(server, tmp_path, "renamed"))[0].table.columns[0].name
    server.do('ALTER TABLE renamed RENAME COLUMN "before" TO "after"')
    assert (before, (await copied(server, tmp_path, "renamed"))[0].table.columns[0].name) == (
        "before",
        "after",
    )


async def test_who_does_not_want_it_any_more_ends_it_at_once_and_the_server_notices(
    server: Server, tmp_path: Path
) -> None:
    server.do(
        "CREATE VIEW tedious AS SELECT i, pg_sleep(0.02)::text AS s FROM generate_series(1,"
        " 100000) i"
    )
    address, _ = read_address(server.url())
    path = tmp_path / "databases" / "0" / "tedious.parquet"
    asking = asyncio.create_task(Postgres().copy(address, SECRET, Wish("public", "tedious"), path))
    busy = (
        "SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE '%tedious%' AND"
        " application_name = 'deskpilot'"
    )
    while await asyncio.to_thread(server.rows, busy) == [(0,)]:
        assert not asking.done()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert list(path.parent.iterdir()) == []
    async with asyncio.timeout(30):
        while await asyncio.to_thread(server.rows, busy) != [(0,)]:
            await asyncio.sleep(0.05)


async def test_a_server_that_restarts_is_told_and_answers_again(tmp_path: Path) -> None:
    with running() as own:
        own.do(
            "CREATE TABLE t AS SELECT 1 AS n",
            "CREATE VIEW dull AS SELECT i, pg_sleep(0.02)::text AS s FROM generate_series(1,"
            " 100000) i",
        )
        asking = asyncio.create_task(failed(own, tmp_path, Wish("public", "dull", seconds=60)))
        busy = (
            "SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE '%dull%' AND"
            " application_name = 'deskpilot'"
        )
        while await asyncio.to_thread(own.rows, busy) == [(0,)]:
            assert not asking.done()
        await asyncio.to_thread(own.control, "restart", "-m", "fast")
        assert (await asking).text in (
            "The database closed the connection.",
            "The connection to the database was lost.",
        )
        assert (await copied(own, tmp_path, "t"))[0].table.rows(0, 1) == [(1,)]


def test_an_address_is_kept_without_its_password() -> None:
    address, secret = read_address(
        "postgres://anna:p%40ss%2Fword@[::1]:5433/my%20shop?sslmode=require"
    )
    assert (address.url, secret) == (
        "postgresql://anna@[::1]:5433/my%20shop?sslmode=require",
        "p@ss/word",
    )
    assert (
        "host='::1' port='5433' dbname='my shop' user='anna' password='p@ss/word'"
        in address.conninfo(secret)
    )
    assert read_address(address.url) == (address, "")
    local, _ = read_address("postgresql:///shop?host=/var/run/postgresql")
    assert (local.host, read_address(local.url)[0]) == ("/var/run/postgresql", local)
    assert "password='it\\'s \\\\ '" in address.conninfo("it's \\ ")


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://host",
        "http://host/db",
        "postgresql://h:port/db",
        "postgresql://h/db?options=-c%20x",
        "x",
        "postgresql://h/a/b",
    ],
)
def test_what_is_no_address_is_refused_without_repeating_a_secret(text: str) -> None:
    with pytest.raises(DatabaseError) as caught:
        read_address(text)
    assert "h:" not in caught.value.text


async def test_how_far_a_copy_is_is_told_and_its_rows_keep_their_order(
    server: Server, tmp_path: Path
) -> None:
    server.do(
        "CREATE TABLE many AS SELECT i AS n, 'row ' || i AS told FROM generate_series(1, 120000) i"
    )
    server.do("ALTER TABLE many ADD PRIMARY KEY (n)")
    seen: list[CopyProgress] = []
    path = tmp_path / "many.parquet"
    address, _ = read_address(server.url())
    made = await Postgres().copy(address, SECRET, Wish("public", "many"), path, seen.append)
    assert (made.rows, seen[-1].rows) == (120_000, 120_000)
    assert seen[-1].bytes > 100_000
    assert [one.rows for one in seen] == sorted(one.rows for one in seen)
    table = Sources().add_file(path).table
    assert [row[0] for row in table.rows(119_998, 2)] == [119_999, 120_000]


async def test_partitions_are_one_table_and_materialized_views_and_empty_tables_are_read(
    server: Server, tmp_path: Path
) -> None:
    server.do(
        "CREATE TABLE sold (day date, many numeric, tags int[], told jsonb) PARTITION BY RANGE"
        " (day)",
        "CREATE TABLE sold_23 PARTITION OF sold FOR VALUES FROM ('2023-01-01') TO ('2024-01-01')",
        "CREATE TABLE sold_24 PARTITION OF sold FOR VALUES FROM ('2024-01-01') TO ('2025-01-01')",
        "INSERT INTO sold VALUES ('2023-05-01', 1.25, '{1,2}', '{\"a\": 1}'), ('2024-05-01', 2,"
        " NULL, '[]')",
        "CREATE MATERIALIZED VIEW best AS SELECT max(many) AS most FROM sold",
        "CREATE TABLE nothing_yet (a int, b text)",
        "CREATE SCHEMA other",
        "CREATE TABLE other.sold (day date)",
    )
    address, _ = read_address(server.url())
    listed = [one.full_name for one in await Postgres().tables(address, SECRET)]
    assert {"public.sold", "other.sold", "public.best", "public.nothing_yet"} <= set(listed)
    assert not {"public.sold_23", "public.sold_24"} & set(listed)
    sold, _ = await copied(server, tmp_path, "sold")
    assert sorted(sold.table.rows(0, 9), key=str) == [
        ("2023-05-01", 1.25, "[1,2]", '{"a": 1}'),
        ("2024-05-01", 2.0, None, "[]"),
    ]
    best, _ = await copied(server, tmp_path, "best")
    assert best.table.rows(0, 9) == [(2.0,)]
    empty, made = await copied(server, tmp_path, "nothing_yet")
    told = parsing_file(empty)
    assert (made.rows, told["rows"], told["first_row"], [c["name"] for c in told["columns"]]) == (
        0,
        0,
        {},
        ["a", "b"],
    )
