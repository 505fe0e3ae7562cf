"""A SELECT read as a `Query` and compiled again gives the rows that DuckDB gives for the SELECT."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import pytest

from backends.data.compiler import compile_query, run_query
from backends.data.profile import profile
from backends.data.table import Table, connect, table_from_rows, table_from_sql
from backends.query.describe import describe
from backends.query.normal import agree, is_void, normal
from backends.query.sql import NoQuery, query_of

TODAY = dt.date(2026, 6, 15)
ROWS = """
    SELECT i AS id, DATE '2025-11-01' + (i * 7 % 230)::INTEGER AS day,
        CASE i % 4 WHEN 0 THEN 'North' WHEN 1 THEN 'South' WHEN 2 THEN 'East' ELSE 'West' END AS region,
        CASE WHEN i % 11 = 0 THEN NULL ELSE (i * 37 % 101) / 2.0 END AS "Fee (£)",
        i * 13 % 7 AS visits,
        CASE WHEN i % 3 = 0 THEN NULL ELSE DATE '2025-11-05' + (i * 7 % 230)::INTEGER END AS back,
        i % 5 = 0 AS member, TIMESTAMP '2026-01-01 08:00:00' + INTERVAL (i * 95) MINUTE AS moment,
        printf('%02d:%02d', 8 + i % 9, i % 60) AS start
    FROM range(1, 121) r (i)
"""
SELECTS = [
    "SELECT count(*) FROM t",
    "SELECT COUNT(*) FROM t WHERE region = 'North' AND \"Fee (£)\" > 20",
    (
        "SELECT sum(\"Fee (£)\") AS total FROM t WHERE day BETWEEN DATE '2026-01-01' AND DATE"
        " '2026-01-31'"
    ),
    "SELECT sum(visits) FROM t WHERE day >= '2026-05-01' AND day < '2026-06-01'",
    "SELECT region, avg(visits) AS v FROM t GROUP BY region ORDER BY v DESC LIMIT 1",
    "SELECT region, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1",
    'SELECT id, day FROM t ORDER BY "Fee (£)" DESC NULLS LAST, id LIMIT 3',
    "SELECT day FROM t WHERE region ILIKE '%ort%' ORDER BY day DESC, id LIMIT 1",
    "SELECT count(*) FROM t WHERE back IS NULL",
    "SELECT count(*) FROM t WHERE back IS NOT NULL AND NOT member",
    "SELECT count(DISTINCT region) FROM t",
    "SELECT DISTINCT region FROM t ORDER BY region",
    "SELECT median(date_diff('day', day, back)) FROM t WHERE back IS NOT NULL",
    "SELECT avg(back - day) FROM t",
    "SELECT 100.0 * count(*) FILTER (WHERE member) / count(*) FROM t",
    "SELECT 100.0 * sum(CASE WHEN region = 'East' THEN visits ELSE 0 END) / sum(visits) FROM t",
    (
        "SELECT (SELECT sum(visits) FROM t WHERE region = 'East') - (SELECT sum(visits) FROM t"
        " WHERE region = 'West') FROM t LIMIT 1"
    ),
    "SELECT count(*) FROM t WHERE visits > (SELECT avg(visits) FROM t)",
    "SELECT region FROM t WHERE visits = (SELECT max(visits) FROM t) ORDER BY region, id",
    (
        "SELECT dayname(day) AS d, count(*) AS n FROM t GROUP BY dayname(day) ORDER BY n DESC, d"
        " LIMIT 1"
    ),
    "SELECT count(*) FROM t WHERE isodow(day) IN (6, 7)",
    "SELECT count(*) FROM t WHERE dayofweek(day) IN (0, 6)",
    (
        "SELECT strftime(day, '%Y-%m') AS m, sum(visits) FROM t GROUP BY m HAVING sum(visits) > 30"
        " ORDER BY m"
    ),
    "SELECT date_trunc('month', day) AS m, count(*) FROM t GROUP BY 1 ORDER BY 1",
    "SELECT count(*) FROM t WHERE year(day) = 2026 AND month(day) = 5",
    "SELECT count(*) FROM t WHERE extract(hour FROM moment) >= 18",
    "SELECT count(*) FROM t WHERE moment >= DATE '2026-01-03' AND moment < DATE '2026-01-05'",
    "SELECT count(*) FROM t WHERE day >= current_date - INTERVAL 3 MONTH",
    "SELECT count(*) FROM t WHERE day > DATE '2026-06-15' - INTERVAL '14 days'",
    "WITH m AS (SELECT region, sum(visits) AS v FROM t GROUP BY region) SELECT avg(v) FROM m",
    (
        "WITH m AS (SELECT region, sum(visits) AS v FROM t GROUP BY region) SELECT region FROM m"
        " WHERE v = (SELECT max(v) FROM m)"
    ),
    "SELECT day, sum(visits) OVER (ORDER BY day, id) AS running FROM t ORDER BY day, id LIMIT 10",
    "SELECT id, visits - lag(visits) OVER (ORDER BY id) AS change FROM t ORDER BY id LIMIT 5",
    (
        "SELECT id, avg(visits) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS a"
        " FROM t ORDER BY id LIMIT 9"
    ),
    (
        "SELECT region, id FROM t QUALIFY row_number() OVER (PARTITION BY region ORDER BY visits"
        " DESC, id) = 1 ORDER BY region"
    ),
    "SELECT corr(visits, id) FROM t",
    "SELECT arg_max(id, day) FROM t WHERE region = 'South'",
    "SELECT quantile_cont(visits, 0.9) FROM t",
    'SELECT coalesce("Fee (£)", 0) + visits AS total FROM t WHERE id = 22',
    "SELECT round(sum(\"Fee (£)\"), 1) FROM t WHERE region IN ('East', 'West')",
    "SELECT count(*) FROM t WHERE region <> 'East' OR visits BETWEEN 2 AND 3",
    "SELECT count_if(member) FROM t",
    "SELECT max(day) FROM t",
    "SELECT region, max(day) AS last FROM t GROUP BY region ORDER BY last, region",
    "SELECT upper(region) FROM t WHERE id < 3 ORDER BY id",
    (
        "SELECT (SELECT sum(visits) FROM t WHERE region = 'East') - (SELECT sum(visits) FROM t"
        " WHERE region = 'West')"
    ),
    "SELECT (SELECT visits FROM t WHERE id = 5) + (SELECT visits FROM t WHERE id = 6)",
    (
        "SELECT n, v FROM (UNPIVOT (SELECT id, visits, region FROM t WHERE id = 9) ON id, visits"
        " INTO NAME n VALUE v) ORDER BY v DESC LIMIT 1"
    ),
    "SELECT n, sum(v) AS s FROM t UNPIVOT (v FOR n IN (id, visits)) GROUP BY n ORDER BY s",
    (
        "SELECT k FROM (SELECT 'id' AS k, avg(id) AS v FROM t UNION ALL SELECT 'visits',"
        " avg(visits) FROM t) ORDER BY v LIMIT 1"
    ),
    "SELECT 'id' AS k, max(id) AS v FROM t UNION ALL SELECT 'visits', max(visits) FROM t ORDER BY v",
    "SELECT avg((region = 'East')::INT) FROM t",
    "SELECT count(*) FROM t WHERE day + visits::INTEGER > DATE '2026-05-01'",
    "SELECT DISTINCT visits // 3 AS third FROM t ORDER BY third",
    "SELECT (['So','Mo','Di','Mi','Do','Fr','Sa'])[dayofweek(day) + 1] AS d FROM t ORDER BY id LIMIT 9",
]


@pytest.fixture(scope="module")
def table() -> Table:
    made = table_from_sql(connect(), ROWS, [], source="s", hash_="h")
    made.connection.execute(f"CREATE VIEW t AS SELECT * EXCLUDE (_row) FROM {made.relation}")
    return made


def plain(rows: list[tuple[Any, ...]]) -> list[list[Any]]:
    """Return rows as they are compared: months by their first letters, numbers rounded, text
    lower.
    """

    def one(value: Any) -> Any:
        if isinstance(value, float):
            return round(value, 6) if math.isfinite(value) else None
        return str(value).lower().replace(" 00:00:00", "") if isinstance(value, str) else value

    return [[one(value) for value in row] for row in rows]


@pytest.mark.parametrize("sql", SELECTS)
def test_a_select_and_its_query_give_the_same_rows(table: Table, sql: str) -> None:
    query = query_of(sql, {"t": profile(table, "t")}, today=TODAY)
    compiled = compile_query(query, {"s": table})
    made = table.query(
        f"SELECT * EXCLUDE (_row) FROM ({compiled.sql})" if compiled.traced else compiled.sql
    )
    wanted = table.query(sql.replace("current_date", "DATE '2026-06-15'"))
    if "strftime" in sql:  # months are dates here
        made = [(str(month)[:7], *rest) for month, *rest in made]
    assert plain(made) == plain(wanted)
    assert type(query).model_validate_json(query.model_dump_json()) == query


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM t",
        "SELECT 1; SELECT 2",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT nothing FROM t",
        "SELECT id FROM t UNION SELECT id FROM t",
        "SELECT getenv('HOME') FROM t",
        "SELECT a.id FROM t a JOIN t b ON a.id = b.visits",
        "SELECT id FROM t WHERE region LIKE 'N_rth'",
        "what is this",
    ],
)
def test_what_has_no_form_as_a_query_is_refused_with_a_reason(table: Table, sql: str) -> None:
    with pytest.raises(NoQuery) as refused:
        query_of(sql, {"t": profile(table, "t")}, today=TODAY)
    assert refused.value.text


def test_the_only_table_is_known_by_any_name_and_of_two_each_by_its_own(table: Table) -> None:
    known = profile(table, "t")
    assert query_of("SELECT id FROM visits_2026", {"t": known}, today=TODAY).source == "s"
    with pytest.raises(NoQuery):
        query_of("SELECT id FROM other", {"t1": known, "t2": known}, today=TODAY)


def test_what_is_read_of_stacked_columns_is_cited_where_it_stands(table: Table) -> None:
    sql = "SELECT n, v FROM t UNPIVOT (v FOR n IN (id, visits)) WHERE region = 'East' {}"
    one = query_of(sql.format("ORDER BY v DESC LIMIT 1"), {"t": profile(table, "t")}, today=TODAY)
    result = run_query(one, {"s": table})
    assert [(cell.row, cell.column, cell.value) for cell in result.cells] == [(117, "id", 118.0)]
    assert result.columns == ["n", "v"]
    assert describe(one, "en")[0] == "which of id, visits, value in id, visits"
    every = query_of(
        sql.format("").replace("n, v", "sum(v)"), {"t": profile(table, "t")}, today=TODAY
    )
    counted = run_query(every, {"s": table})
    assert counted.reach is not None
    assert counted.reach.cells == 60


def test_rows_cite_the_cells_they_show(table: Table) -> None:
    sql = "SELECT id, region FROM t WHERE id IN (7, 9) ORDER BY id DESC"
    result = run_query(query_of(sql, {"t": profile(table, "t")}, today=TODAY), {"s": table})
    assert [(cell.row, cell.column, cell.value) for cell in result.cells] == [
        (8, "id", 9),
        (8, "region", "South"),
        (6, "id", 7),
        (6, "region", "West"),
    ]


def test_an_aggregate_cites_the_cells_it_counted_and_no_others(table: Table) -> None:
    sql = "SELECT sum(visits) FROM t WHERE region = 'East' AND day > '2026-05-01'"
    result = run_query(query_of(sql, {"t": profile(table, "t")}, today=TODAY), {"s": table})
    assert result.value == sum(int(cell.value or 0) for cell in result.cells)
    assert {cell.column for cell in result.cells} == {"visits"}
    assert result.reach is not None
    assert result.reach.cells == len(result.cells)


def test_the_winner_of_a_comparison_cites_its_own_rows(table: Table) -> None:
    sql = "SELECT region, sum(visits) AS v FROM t GROUP BY region ORDER BY v DESC LIMIT 1"
    result = run_query(query_of(sql, {"t": profile(table, "t")}, today=TODAY), {"s": table})
    assert result.label in ("North", "South", "East", "West")
    assert result.value == sum(int(cell.value or 0) for cell in result.cells)
    assert result.unit is None


@pytest.mark.parametrize("sql", SELECTS)
def test_the_normal_form_gives_the_same_rows_and_is_its_own_normal_form(
    table: Table, sql: str
) -> None:
    query = query_of(sql, {"t": profile(table, "t")}, today=TODAY)
    written = normal(query)
    assert normal(written) == written
    first, second = (compile_query(one, {"s": table}).sql for one in (query, written))
    assert plain(table.query(first)) == plain(table.query(second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("day >= '2026-05-01' AND day < '2026-06-01'", "year(day) = 2026 AND month(day) = 5"),
        ("5 < visits AND member", "member AND visits > 5"),
        ("isodow(day) IN (7, 6)", "dayofweek(day) IN (0, 6)"),
        ("strftime(day, '%Y-%m') = '2026-05'", "date_trunc('month', day) = DATE '2026-05-01'"),
        ("NOT (member OR visits > 3)", "NOT visits > 3 AND NOT member"),
    ],
)
def test_conditions_that_mean_the_same_have_one_normal_form(
    table: Table, first: str, second: str
) -> None:
    profiles = {"t": profile(table, "t")}
    made = [
        normal(query_of(f"SELECT count(*) FROM t WHERE {one}", profiles, today=TODAY))
        for one in (first, second)
    ]
    assert made[0] == made[1]


def test_a_share_is_the_same_however_it_is_written(table: Table) -> None:
    profiles = {"t": profile(table, "t")}
    forms = [
        "100.0 * count(*) FILTER (WHERE member) / count(*)",
        "count(*) FILTER (WHERE member) / count(*) * 100",
        "100 * sum(CASE WHEN member THEN 1 ELSE 0 END) / nullif(count(*), 0)",
    ]
    made = {normal(query_of(f"SELECT {one} FROM t", profiles, today=TODAY)) for one in forms}
    assert len(made) == 1


@pytest.mark.parametrize(
    ("select", "void"),
    [
        ("SELECT count(*) FROM t WHERE region IS NULL AND region IS NOT NULL", True),
        ("SELECT count(*) FROM t WHERE region = 'North' AND region = 'South'", True),
        ("SELECT sum(visits) FROM t WHERE visits IS NULL", True),
        ("SELECT count(*) FROM t WHERE visits IS NULL", False),
        ("SELECT count(*) FROM t WHERE region = 'North' OR region = 'South'", False),
        ("SELECT count(*) FROM t WHERE region = 'North' AND visits IS NULL", False),
    ],
)
def test_what_no_row_can_meet_is_known(table: Table, select: str, void: bool) -> None:
    assert is_void(query_of(select, {"t": profile(table, "t")}, today=TODAY)) is void


@pytest.mark.parametrize(
    ("one", "matched"),
    [
        ("price > 2000", 2),
        ("price * 1.0001 > 2000", 2),
        ("year(sold) > 2020", 2),
        ("price / nullif(price, 2500) = 1", 3),
        ("name = 'a' OR name = 'a'", 1),
        ("year(sold) = 2020 AND year(sold) = 2021", 0),
    ],
)
def test_the_normal_form_returns_the_same_rows(one: str, matched: int) -> None:
    prices = (3.5, 1999.0, 2000.5, 2500.0)
    facts = [
        {"name": n, "price": p, "sold": f"{2019 + i}-05-01"}
        for i, (n, p) in enumerate(zip("abcd", prices, strict=True))
    ]
    sales = table_from_rows(facts, source="s")
    query = query_of(f"SELECT count(*) FROM t WHERE {one}", {"t": profile(sales, "t")}, today=TODAY)
    assert run_query(normal(query), {"s": sales}).value == matched


def test_after_a_year_is_from_the_next_one_on_when_meanings_are_compared(table: Table) -> None:
    profiles = {"t": profile(table, "t")}
    first, second = (
        query_of(f"SELECT count(*) FROM t WHERE visits {one}", profiles, today=TODAY)
        for one in ("> 2000", ">= 2001")
    )
    assert agree(first, second)
