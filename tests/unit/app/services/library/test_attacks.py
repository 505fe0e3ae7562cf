"""What would make a designed interface wrong, slow, or another one each day: none of it is ever
trusted.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from app.data.design import mergers
from app.data.design.definition import defined, entry_for
from app.data.design.mergers import tried
from app.data.design.requests import ideas_over
from app.data.library import validator
from app.data.library.entry import LibraryEntry, RequestExample
from app.data.library.validator import ORDER, replayed
from app.data.tables import uuid_of
from app.domain.errors import DeskpilotError
from app.services.library.designer import opened
from backends.data import declared_select
from backends.data.steps import sql as sql_step
from backends.data.workflow.step import Workflow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.data.library.library_file import Library
    from app.data.sources import Sources

pytestmark = pytest.mark.slow


def select(path: Path, sql: str, covers: list[RequestExample] | None = None) -> LibraryEntry:
    """Return an entry that is one SELECT; `n` is bound where it stands in it."""
    given: list[dict[str, Any]] = (
        [{"name": "n", "type": "number", "default": 0}] if "$n" in sql else []
    )
    arguments: dict[str, Any] = {"tables": [{"name": "data", "source": uuid_of(path)}], "sql": sql}
    arguments |= {"values": {"n": {"parameter": "n"}}} if given else {}
    step = {"id": "result1", "interface": "query", "arguments": arguments}
    workflow = Workflow.model_validate({"steps": [step], "parameters": given})
    return LibraryEntry(name="made", workflow=workflow, covers=covers or [])


NEVER = [
    "SELECT age(date) AS a FROM data",  # up to today
    "SELECT date.age() AS a FROM data",
    "SELECT now() AS n FROM data",
    "SELECT current_date AS d FROM data",
    "SELECT gdp FROM data ORDER BY random()",
    "SELECT gdp FROM data WHERE gdp > (SELECT 900 * random())",
    "SELECT list_transform([1], x -> random()) AS a FROM data",
    "SELECT reservoir_quantile(gdp, 0.5) AS q FROM data",
    "SELECT gdp FROM data USING SAMPLE 3",
    "SELECT uuid() AS u FROM data",
    "SELECT current_setting('threads') AS t FROM data",
    "SELECT getenv('HOME') AS h FROM data",
    "SELECT * FROM read_csv('{other}')",
    "SELECT * FROM '{other}'",
    "SELECT gdp, (SELECT max(a) FROM '{other}') AS a FROM data",
    "WITH x AS (SELECT * FROM read_text('{other}')) SELECT * FROM x",
    "SELECT * FROM glob('{folder}/*')",
    "COPY data TO '{folder}/out.csv'",
    "ATTACH '{folder}/out.db'",
    "ATTACH '{folder}/out.db'; SELECT gdp FROM data",
    "SELECT gdp FROM data; DROP TABLE data",
    "UPDATE data SET gdp = 0",
    "PRAGMA database_list",
    "INSTALL httpfs",
    "SELECT * FROM query('SELECT 1')",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) AS n FROM t",
    "SELECT repeat('a', 3000000000) AS r FROM data",
    "SELECT gen_random_uuid() AS v FROM data",
    "SELECT setseed(0.3) AS s FROM data",
    "SELECT today() AS d FROM data",
    "SELECT date_diff('day', date, CAST('today' AS DATE)) AS v FROM data",
    "SELECT gdp FROM data WHERE date < DATE 'tomorrow'",
    "SELECT txid_current() AS v FROM data",
    "SELECT getvariable('x') AS v FROM data",
    "SELECT (FROM '{other}' SELECT max(a)) AS v FROM data",
    "SELECT * FROM data, LATERAL (SELECT * FROM '{other}') AS x",
    "SELECT * FROM query_table('data')",
    "SELECT * FROM memory.main.data",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM information_schema.tables",
    "SUMMARIZE data",
    "EXPLAIN ANALYZE SELECT gdp FROM data",
    "EXPORT DATABASE '{folder}/x'",
    "COPY (SELECT gdp FROM data) TO '{folder}/o.parquet'",
    "LOAD httpfs",
    "SET threads = 8",
    "CREATE TABLE x AS SELECT 1 AS one",
    "WITH x AS (DELETE FROM data RETURNING *) SELECT * FROM x",
    # the same each time, and another one where the rows stand otherwise
    "SELECT first(gdp) AS v FROM data",
    "SELECT any_value(gdp) AS v FROM data",
    "SELECT arg_max(gdp, 1) AS v FROM data",
    "SELECT list(gdp)[1] AS v FROM data",
    "SELECT gdp FROM data LIMIT 1",
    "SELECT gdp FROM data OFFSET 3",
    "SELECT gdp FROM data ORDER BY 1 = 1 LIMIT 3",
    "SELECT gdp, row_number() OVER () AS n FROM data",
    "SELECT gdp, lag(gdp) OVER () AS v FROM data",
    "SELECT rowid AS r, gdp FROM data",
    "SELECT string_agg(gdp, ',') AS v FROM data",
    "SELECT DISTINCT ON (year(date)) gdp FROM data",
]
ALWAYS = [
    "SELECT gdp FROM data",  # which rows, not in which order
    "SELECT DISTINCT year(date) AS y FROM data",
    "SELECT gdp FROM data ORDER BY gdp DESC, date LIMIT 3",
    "SELECT sum(gdp) AS s, avg(gdp) AS m, stddev_samp(gdp) AS d FROM data",  # up to the last digit
    "SELECT year(date) AS y, arg_max(gdp, date) AS v FROM data GROUP BY y",
    "SELECT gdp, lag(gdp) OVER (ORDER BY date) AS v FROM data",
]


async def test_no_such_select_is_ever_validated(tables: list[Path], library: Library) -> None:
    folder = tables[0].parent
    other = folder / "other.csv"
    other.write_text("a\n1\n", "utf-8")
    before = {p: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.glob("*.*")}
    sources = await opened(tables[:1], library)
    for sql in NEVER:
        made = await tried(select(tables[0], sql.format(other=other, folder=folder)), sources)
        assert made.status == "failed", sql
        assert made.reason
    assert {p: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.glob("*.*")} == before


async def test_a_select_that_says_in_which_order_is_validated(
    tables: list[Path], library: Library
) -> None:
    sources = await opened(tables[:1], library)
    for sql in ALWAYS:
        made = await tried(select(tables[0], sql), sources)
        assert (made.status, made.reason) == ("validated", ""), sql


async def test_one_request_that_is_answered_by_luck_of_order_is_enough(
    tables: list[Path], library: Library
) -> None:
    asked = [
        RequestExample(request="None.", values={"n": 0}),
        RequestExample(request="Three.", values={"n": 3}),
    ]
    sql = "SELECT count(*) AS v FROM (SELECT date FROM data LIMIT $n) WHERE year(date) < 2016"
    made = await tried(select(tables[0], sql, asked), await opened(tables[:1], library))
    assert (made.status, made.reason) == ("failed", ORDER)


async def test_a_table_that_has_a_day_twice_has_no_runs_and_falls(
    tmp_path: Path, library: Library
) -> None:
    sold = {"North": 90, "South": 10}  # a fall from place to place, which is none in time
    rows = [
        f"2024-{m:02}-01,{who},{place},{sold[place] + m}"
        for m in range(1, 13)
        for who, place in product(("Alder", "Birch"), sold)
    ]
    path = tmp_path / "sales.csv"
    path.write_text("\n".join(["date,company,place,sold", *rows]) + "\n", "utf-8")
    sources = await opened([path], library)
    (ideas,) = ideas_over([sources.source(uuid_of(path)).profile]).values()
    seen: dict[str, LibraryEntry] = {}
    for idea in (
        i for i in ideas if i.draft.shape in ("longest_rise", "drawdown", "above_own_mean_place")
    ):
        definition = defined(idea, idea.draft.names[0])
        seen[idea.draft.shape] = await tried(entry_for(definition, sources, "d", "m"), sources)
    assert {shape: made.status for shape, made in seen.items()} == {
        "longest_rise": "failed", "drawdown": "failed", "above_own_mean_place": "validated"
    }  # fmt: skip
    assert seen["drawdown"].reason == ORDER


async def test_what_would_take_for_ever_is_stopped(
    tables: list[Path], library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "SELECT count(*) AS n FROM data a, data b, data c, data d, data e, data f, data g"
    monkeypatch.setattr(sql_step, "SECONDS", 0.2)
    start = time.monotonic()
    made = await tried(select(tables[0], sql), await opened(tables[:1], library))
    assert made.status == "failed"
    assert "stopped" in made.reason
    assert time.monotonic() - start < 20


async def test_one_request_that_takes_too_long_is_enough(
    tables: list[Path], library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_step, "SECONDS", 0.5)
    asked = [
        RequestExample(request="Quickly.", values={"n": 0}),
        RequestExample(request="At length.", values={"n": 1}),
    ]
    many = (
        "SELECT count(*) FROM range(100000 * $n) a, range(100000 * $n) b WHERE (a.range * b.range)"
        " % 7 = 3"
    )
    sql = f"SELECT gdp AS v FROM data UNION ALL {many}"
    made = await tried(select(tables[0], sql, asked), await opened(tables[:1], library))
    assert (made.status, made.reason) == ("failed", "“At length.” takes more than 20 s.")


async def test_one_request_that_is_answered_by_chance_is_enough(
    tables: list[Path], library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = declared_select.functions()
    monkeypatch.setattr(
        declared_select, "functions", lambda: known | {"random"}
    )  # as if the first guard had a hole
    declared_select.names_read.cache_clear()
    asked = [
        RequestExample(request="Always.", values={"n": 0}),
        RequestExample(request="By chance.", values={"n": 1}),
    ]
    made = await tried(
        select(tables[0], "SELECT gdp + $n * random() AS v FROM data", asked),
        await opened(tables[:1], library),
    )
    assert (made.status, made.reason) == (
        "failed",
        "“By chance.” is answered differently each time.",
    )
    made = await tried(
        select(tables[0], "SELECT random() AS v FROM data"), await opened(tables[:1], library)
    )
    assert (made.status, made.reason) == ("failed", "It returns a different result each time.")
    declared_select.names_read.cache_clear()


async def test_a_number_that_is_none_is_the_same_each_time(
    tables: list[Path], library: Library
) -> None:
    sql = "SELECT CAST('nan' AS DOUBLE) * $n AS v FROM data LIMIT 1"
    made = await tried(
        select(tables[0], sql, [RequestExample(request="None.", values={"n": 2})]),
        await opened(tables[:1], library),
    )
    assert (made.status, made.reason) == ("validated", "")


@pytest.mark.parametrize("place", ["the trial", "a request"])
@pytest.mark.parametrize("change", ["a row more", "a column renamed"])
async def test_a_file_that_changes_between_replays_is_noticed(
    change: str, place: str, tables: list[Path], library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = select(
        tables[0],
        "SELECT max(gdp) + $n AS v FROM data",
        [RequestExample(request="Most.", values={"n": 1})],
    )
    runs = 0
    module, name = (validator, "once") if place == "the trial" else (mergers, "given")
    real: Any = getattr(module, name)

    def run(workflow: Workflow, sources: Sources) -> Any:
        nonlocal runs
        made = real(workflow, sources)
        runs += 1
        if runs == 1:
            text = tables[0].read_text("utf-8")
            changed = (
                text + "2024-03-31,99999\n"
                if change == "a row more"
                else text.replace(",gdp", ",output")
            )
            tables[0].write_text(changed, "utf-8")
        return made

    monkeypatch.setattr(module, name, run)
    made = await tried(entry, await opened(tables[:1], library))
    assert made.status == "failed"
    assert runs >= 1


@pytest.fixture
def moved() -> Iterator[Callable[[str], None]]:
    """Return what takes this process into another time zone, until the test ends."""
    before = os.environ.get("TZ")

    def go(zone: str | None) -> None:
        os.environ.pop("TZ", None) if zone is None else os.environ.update(TZ=zone)
        time.tzset()

    yield go
    go(before)


async def test_an_hour_is_the_same_wherever_one_is(
    tables: list[Path], library: Library, moved: Callable[[str], None]
) -> None:
    seen: list[str] = []
    for zone in ("Asia/Tokyo", "America/New_York"):
        moved(zone)
        sources = await opened(tables[:1], library)
        made = await tried(
            select(tables[0], "SELECT CAST(to_timestamp(0) AS VARCHAR) AS t FROM data"), sources
        )
        assert made.status == "validated"
        seen.append(json.dumps((await replayed(made, {}, sources)).shown[0].rows[0]))
    assert seen == ['["1970-01-01 00:00:00+00"]'] * 2


async def test_what_failed_is_not_run_whoever_asks(tables: list[Path], library: Library) -> None:
    sources = await opened(tables[:1], library)
    made = await tried(select(tables[0], "SELECT age(date) AS a FROM data"), sources)
    with pytest.raises(DeskpilotError, match="not validated"):
        await replayed(made, {}, sources)
