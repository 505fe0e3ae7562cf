"""A row of totals at the end of a table is none of the things it lists."""

from __future__ import annotations

import pytest

from backends.data.profile import profile
from backends.data.table import Table, connect, table_from_sql


def read(rows: list[tuple[object, ...]], *names: str) -> Table:
    """Return a table of text cells, as a CSV file gives them."""
    connection = connect()
    listed = ", ".join(f'"{name}" VARCHAR' for name in names)
    connection.execute(f"CREATE TABLE given ({listed})")
    marks = ", ".join("?" * len(names))
    connection.executemany(f"INSERT INTO given VALUES ({marks})", rows)
    return table_from_sql(connection, "SELECT * FROM given", [], source="t", hash_="h")


DAYS = [(f"2026-05-0{i}", "Ann", str(10 * i)) for i in range(1, 6)]


@pytest.mark.parametrize("label", ["Total", "合计", "合計", "Grand total:", "TOTAL"])
def test_a_row_of_totals_is_left_out_and_its_column_holds_days(label: str) -> None:
    table = read([*DAYS, (label, None, "150")], "day", "who", "sold")
    assert table.count() == 5
    assert [c.kind for c in table.columns] == ["date", "text", "number"]
    assert table.one("SELECT sum(sold) FROM " + table.relation) == (150,)
    assert profile(table, "t").rows == 5


def test_an_average_below_the_totals_goes_with_them() -> None:
    table = read([*DAYS, ("Total", None, "150"), ("Average", None, "30")], "day", "who", "sold")
    assert table.count() == 5


@pytest.mark.parametrize("label", ["平均分", "Average", "Class average", "平均"])
def test_a_row_of_averages_alone_is_left_out_if_they_are_averages(label: str) -> None:
    marks = [(f"00{i}", "Ann", str(60 + i), str(80 - i)) for i in range(5)]
    names = ("no", "who", "maths", "art")
    assert read([*marks, (label, None, "62", "78")], *names).count() == 5
    assert read([*marks, (label, None, "90", "41")], *names).count() == 6  # somebody called so


def test_sums_of_named_things_are_left_out() -> None:
    rows = [("Solar", "12.5"), ("Wind", "30"), ("Coal", "7.5"), ("Gas", "10"), ("Total", "60")]
    assert read(rows, "source", "GWh").count() == 4
    assert read([*rows[:4], ("All sources total", "60")], "source", "GWh").count() == 4
    assert read([*rows[:4], ("Total Energies plc", "99")], "source", "GWh").count() == 5


TOWNS = [(f"Town {i}", f"{10 * i}", f"{7 + i}", f"{100 - i}") for i in range(1, 6)]


def test_a_last_row_of_sums_is_left_out_under_any_name() -> None:
    names = ("town", "2023", "2024", "2025")
    assert read([*TOWNS, ("County", "150", "50", "485")], *names).count() == 5
    assert read([*TOWNS, ("Town 6", "150", "51", "80")], *names).count() == 6  # one by chance
    assert read([*TOWNS, ("Town 6", "150", "50", None)], *names).count() == 6  # two are too few


def test_small_fractions_are_no_sums_of_each_other() -> None:
    rows = [
        (f"Share {i}", f"{0.01 * i:.3f}", f"{0.02 * i:.3f}", f"{0.4 - i / 10}") for i in range(5)
    ]
    assert read(rows, "fund", "fee", "tax", "beta").count() == 5


def test_a_row_called_total_that_adds_nothing_up_stays() -> None:
    rows = [("Men", "4.1"), ("Women", "3.9"), ("Young", "8.2"), ("Old", "3.3"), ("Total", "4.0")]
    assert read(rows, "group", "unemployment rate").count() == 5


def test_totals_within_a_table_stay() -> None:
    rows = [
        ("2024", "Solar", "1"),
        ("2024", "Total", "1"),
        ("2025", "Solar", "2"),
        ("2025", "Total", "2"),
    ]
    assert read(rows, "year", "source", "GWh").count() == 4
    rows = [("Solar", "1"), ("Total", "1"), ("Wind", "2"), ("Total", "3")]
    assert read(rows, "source", "GWh").count() == 4


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        (("R8.5.3", "R8.5.10", "H31.4.30"), "2026-05-03"),
        (("令和8年5月3日", "令和8年12月10日", "令和元年6月1日"), "2026-05-03"),
        (("2026/5/3(日)", "2026/5/4(月)", "2026/12/10(木)"), "2026-05-03"),
        (("2026-05-03 周日", "2026-05-04 周一", "2026-05-05 周二"), "2026-05-03"),
        (("2026年5月3日", "2026年5月14日", "2026年12月1日"), "2026-05-03"),
    ],
)
def test_days_as_people_in_china_and_japan_write_them(written: tuple[str, ...], iso: str) -> None:
    table = read([(day,) for day in written], "day")
    assert [c.kind for c in table.columns] == ["date"]
    assert table.rows(0, 1)[0][0] == iso


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        (("5/1(金)", "5/2(土)", "6/14(日)"), "2026-05-01"),
        (("5月20日(周三)", "6月1日 周一"), "2026-05-20"),
        (("Sat 9 May", "Mon 1 Jun"), "2026-05-09"),
        (("9 May (Sat)", "12 May (Tue)"), "2026-05-09"),
    ],
)
def test_days_without_a_year_are_of_the_year_that_their_weekdays_tell(
    written: tuple[str, ...], iso: str
) -> None:
    table = read([(day,) for day in written], "day")
    assert [c.kind for c in table.columns] == ["date"]
    year = int(table.rows(0, 1)[0][0][:4])
    assert (year - 2026) % 28 in (0, 5, 6, 11, 17, 22, 23)  # years that begin on the same day
    assert table.rows(0, 1)[0][0][4:] == iso[4:]


def test_days_whose_weekdays_fit_no_year_stay_text() -> None:
    table = read([("5/1(金)",), ("5/2(金)",)], "day")
    assert [c.kind for c in table.columns] == ["text"]


def test_codes_that_only_look_like_an_era_stay_text() -> None:
    table = read([("R8.5.3",), ("R8.15.3",), ("R9.1.1",)], "code")
    assert [c.kind for c in table.columns] == ["text"]


@pytest.mark.parametrize(
    ("cells", "unit", "highest"),
    [
        (("12 kg", "7.5 kg", "100 kg"), "kg", 100),
        (("1 year", "12 years", "135 years"), "years", 135),
        (("3岁", "11岁"), "岁", 11),
        (("1,200 km", "80 km"), "km", 1200),
    ],
)
def test_numbers_with_their_unit_behind_them(
    cells: tuple[str, ...], unit: str, highest: float
) -> None:
    table = read([(cell,) for cell in cells], "size")
    told = profile(table, "t").columns[0]
    assert (told.kind, told.unit, told.high) == ("number", unit, highest)


@pytest.mark.parametrize(
    "cells", [("12A", "13A"), ("1st", "2nd"), ("5 kg", "3 lb"), ("7 kg", "heavy")]
)
def test_codes_and_mixed_units_stay_text(cells: tuple[str, ...]) -> None:
    assert read([(cell,) for cell in cells], "size").columns[0].kind == "text"
