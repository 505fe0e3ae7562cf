"""A declared SELECT: values bound, one SELECT over the tables it names, nothing written, the same
each time.
"""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any

import pytest

from backends.data.declared_select import check_reading
from backends.data.errors import ComputationStopped, KernelError, NothingSelected, WrongArguments
from backends.data.steps import sql as step
from backends.data.table import table_from_rows
from backends.data.workflow.run import run_workflow
from backends.data.workflow.step import Workflow

if TYPE_CHECKING:
    from pathlib import Path

    from backends.data.table import Table

pytestmark = pytest.mark.slow

ROWS = [{"day": f"2024-01-{n:02}", "shop": "NS"[n % 2], "sold": n * n % 17} for n in range(1, 29)]


def table(uid: str = "sales") -> Table:
    return table_from_rows(ROWS, source=uid)


def flow(sql: str, **values: Any) -> Workflow:
    tables = [{"name": "data", "source": "sales"}]
    arguments = {"tables": tables, "sql": sql, "values": values}
    return Workflow.model_validate(
        {"steps": [{"id": "result1", "interface": "query", "arguments": arguments}]}
    )


def run(sql: str, **values: Any) -> list[tuple[Any, ...]]:
    finished = run_workflow(flow(sql, **values), lambda _: table())
    for done in finished.failed:
        assert done.error is not None
        raise done.error
    return finished.desk.frame("result1").rows(0, 100)


def test_a_select_computes_what_no_step_does_with_its_values_bound() -> None:
    sql = """WITH w AS (SELECT day, sold, lag(sold) OVER (ORDER BY day) AS before FROM data WHERE shop = $shop)
    SELECT count(*) FILTER (sold > before) AS rises FROM w"""
    for shop in "NS":
        sold = [row["sold"] for row in ROWS if row["shop"] == shop]
        rises = sum(int(b) > int(a) for a, b in itertools.pairwise(sold))
        assert run(sql, shop=shop) == [(rises,)]
    assert run(
        "SELECT count(*) AS n FROM data WHERE shop = $shop OR 1 = 0", shop="N' OR '1' = '1"
    ) == [(0,)]


def test_days_keep_their_kind_and_rows_their_order() -> None:
    finished = run_workflow(
        flow("SELECT day, sold FROM data ORDER BY sold DESC, day LIMIT 3"), lambda _: table()
    )
    made = finished.desk.frame("result1")
    assert [c.kind for c in made.columns] == ["date", "number"]
    best = sorted(ROWS, key=lambda r: (-int(r["sold"]), str(r["day"])))[:3]
    assert made.rows(0, 9) == [(row["day"], row["sold"]) for row in best]


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO data VALUES (1)",
        "DELETE FROM data",
        "COPY data TO 'stolen.csv'",
        "ATTACH 'other.db'",
        "SET threads = 1",
        "PRAGMA database_list",
        "INSTALL httpfs",
        "SELECT 1; DROP TABLE data",
        "SELECT 1 AS a; SELECT 2 AS b",
        "SELECT * FROM read_csv('secret.csv')",
        "SELECT * FROM 'secret.csv'",
        "SELECT * FROM read_text('secret.csv')",
        "SELECT * FROM glob('*')",
        "SELECT * FROM other",
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM duckdb_settings()",
        "SELECT (SELECT count(*) FROM read_blob('secret.csv')) FROM data",
        "WITH x AS (SELECT * FROM 'secret.csv') SELECT * FROM x",
        "FROM (DESCRIBE data)",
        "SELECT random() FROM data",
        "SELECT uuid() FROM data",
        "SELECT now() FROM data",
        "SELECT current_date FROM data",
        "SELECT nextval('n') FROM data",
        "SELECT current_setting('threads')",
        "SELECT * FROM data USING SAMPLE 10%",
        "SELECT * FROM data TABLESAMPLE 10%",
        "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT * FROM r",
        "SELEC sold FROM data",
        "",
        "SELECT " + "(" * 3000 + "1" + ")" * 3000,
    ],
)
def test_what_writes_reads_elsewhere_or_depends_on_chance_is_refused(
    sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    (here / "secret.csv").write_text("a,b\n1,2\n", "utf-8")
    with pytest.raises(WrongArguments):
        run(sql)
    assert [p.name for p in here.iterdir()] == ["secret.csv"]


def test_columns_that_are_called_like_a_clock_are_columns() -> None:
    assert check_reading("SELECT user, sold FROM data", ["data"], ["user", "sold"]) == {
        "user",
        "sold",
    }
    with pytest.raises(WrongArguments, match="each day"):
        check_reading("SELECT user FROM data", ["data"], ["sold"])


def test_what_cannot_be_computed_is_told_in_words() -> None:
    for sql in (
        "SELECT nobody FROM data",
        "SELECT sold + day FROM data",
        "SELECT CAST(shop AS INT) FROM data",
    ):
        with pytest.raises(KernelError):
            run(sql)
    with pytest.raises(KernelError):
        run("SELECT sold FROM data WHERE shop = $shop")
    with pytest.raises(NothingSelected):
        run("SELECT sold FROM data WHERE sold > 1000")


def test_a_select_that_takes_too_long_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step, "SECONDS", 0.2)
    sql = (
        "SELECT count(*) AS n FROM range(100000) a, range(100000) b WHERE (a.range * b.range) % 7"
        " = $k"
    )
    start = time.monotonic()
    with pytest.raises(ComputationStopped):
        run(sql, k=3)
    assert time.monotonic() - start < 10


def test_a_selector_stands_for_a_table_and_its_column() -> None:
    read = {"source": {"parameter": "table"}, "columns": ["day", {"parameter": "column"}]}
    binds = {
        "sold": {"table": "sales", "column": "sold"},
        "shop": {"table": "shops", "column": "shop"},
    }
    made = Workflow.model_validate(
        {
            "parameters": [
                {
                    "name": "what",
                    "type": "text",
                    "default": "sold",
                    "choices": ["sold", "shop"],
                    "binds": binds,
                }
            ],
            "steps": [{"id": "result1", "interface": "read_rows", "arguments": read}],
        }
    )
    assert made.sources() == ["sales", "shops"]
    assert made.filled({}).steps[0].arguments == {"source": "sales", "columns": ["day", "sold"]}
    assert made.filled({"what": "shop"}).steps[0].arguments == {
        "source": "shops",
        "columns": ["day", "shop"],
    }
    with pytest.raises(WrongArguments, match="not one of the values"):
        made.filled({"what": "price"})
