"""Only what is akin becomes one interface: tables that look alike in their columns alone stay
apart.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from app.data.design.definition import defined
from app.data.design.mergers import laid_over
from app.data.design.requests import ideas_over
from app.data.sources import Sources

if TYPE_CHECKING:
    from pathlib import Path

    from app.data.design.definition import Definition

pytestmark = pytest.mark.slow

GROUND = dt.date(2015, 3, 31)


def table(
    folder: Path, name: str, head: str, days: int = 91, rows: int = 30, begin: dt.date = GROUND
) -> Path:
    """Write a table of one number, or of one for each of several entities, every so many days.
    head: its columns.
    """
    columns = head.split(",")
    who = columns[1].split("=")[1].split("/") if "=" in columns[1] else [""]
    lines = [",".join(column.split("=")[0] for column in columns)]
    for n in range(rows):
        for place, name_of in enumerate(who):
            day = begin + dt.timedelta(days=days * n)
            time = f"{day.year},{(day.month + 2) // 3}" if columns[0] == "year" else str(day)
            cells = [
                time,
                *([name_of] if name_of else []),
                f"{100 + (n * 7 + place * 3) % 23 + n / 10}",
            ]
            lines.append(",".join(cells))
    path = folder / f"{name}.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def designed(path: Path, sources: Sources) -> dict[str, Definition]:
    """Return every interface over a table's last column, by its shape."""
    source = sources.add_file(path)
    last = source.table.columns[-1].name
    (ideas,) = ideas_over([source.profile]).values()
    return {
        i.draft.shape: defined(i, f"{path.stem}_{i.draft.shape}"[:60])
        for i in ideas
        if i.draft.key.endswith(f":{last}")
    }


def merged(one: Path, other: Path) -> set[str]:
    """Return the shapes of two tables' interfaces that are laid over each other, whichever comes
    first.
    """
    sources = Sources()
    a, b = designed(one, sources), designed(other, sources)
    assert a.keys() & b.keys()
    there = {s for s in a.keys() & b.keys() if laid_over(a[s], b[s], "series") is not None}
    back = {s for s in a.keys() & b.keys() if laid_over(b[s], a[s], "series") is not None}
    assert there == back
    return there


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("gdp", "date,gdp"), ("cpi", "date,cpi")),
        (("growth", "date,gdp_yoy"), ("prices", "date,cpi_yoy")),
        (("国内", "日期,国内生产总值"), ("居民", "日期,居民消费价格指数")),
        (("生産", "日付,国内総生産"), ("物価", "日付,消費者物価指数")),
    ],
)
def test_series_of_one_field_become_one_with_a_selector(
    one: tuple[str, str], other: tuple[str, str], tmp_path: Path
) -> None:
    done = merged(table(tmp_path, *one), table(tmp_path, *other))
    assert {"series", "highest", "line", "change", "drawdown", "outliers"} <= done


def test_the_same_shares_in_two_tables_are_one_domain(tmp_path: Path) -> None:
    close = table(tmp_path, "prices", "date,company=Alder/Birch/Cedar,close", 7)
    lots = table(tmp_path, "trading", "date,firm=Birch/Cedar/Alder,lots", 7)
    assert {"series", "highest", "drawdown", "line", "outliers"} <= merged(close, lots)


@pytest.mark.parametrize(
    ("one", "other", "days"),
    [
        (
            ("macro", "year,quarter,realgdp"),
            ("shares", "date,company=Alder/Birch,close"),
            7,
        ),  # GDP over shares
        (("gdp", "date,gdp"), ("cpi", "date,cpi"), 30),  # quarters over months
        (("gdp", "date,gdp"), ("weather", "date,temperature"), 91),  # an economy over the weather
        (("cpi", "date,cpi"), ("site", "date,visits"), 91),
        (("gdp", "date,gdp"), ("growth", "date,cpi_yoy"), 91),  # an amount over a rate
        (("shares", "date,company=Alder/Birch,close"), ("funds", "date,fund=Elm/Fir,nav"), 91),
        (("wards", "date,ward=North/South,patients"), ("shops", "date,shop=East/West,sales"), 91),
        (("wards", "date,place=North/South,patients"), ("shops", "date,place=Lyon/Nice,sales"), 91),
    ],
)
def test_tables_that_only_look_alike_stay_two(
    one: tuple[str, str], other: tuple[str, str], days: int, tmp_path: Path
) -> None:
    assert merged(table(tmp_path, *one), table(tmp_path, *other, days)) == set()


def test_years_that_do_not_meet_are_not_chosen_among(tmp_path: Path) -> None:
    late = table(tmp_path, "cpi", "date,cpi", begin=dt.date(2023, 3, 31))
    assert merged(table(tmp_path, "gdp", "date,gdp"), late) == set()


def test_one_of_several_that_is_no_kin_of_each_is_left_out(tmp_path: Path) -> None:
    sources = Sources()
    gdp, cpi, site = (
        designed(table(tmp_path, *one), sources)["highest"]
        for one in (("gdp", "date,gdp"), ("cpi", "date,cpi"), ("site", "date,visits"))
    )
    both = laid_over(gdp, cpi, "series")
    assert both is not None
    assert laid_over(both, site, "series") is None


def test_without_time_rows_are_told_apart_by_who_they_are_about(tmp_path: Path) -> None:
    def listed(name: str, head: str, who: list[str]) -> Path:
        path = tmp_path / f"{name}.csv"
        rows = [f"{one},{40 + n * 3}" for n, one in enumerate(who * 4)]
        path.write_text("\n".join([head, *rows]) + "\n", "utf-8")
        return path

    staff = listed("staff", "department,salary", ["Sales", "Legal", "Works"])
    extra = listed("extra", "department,bonus", ["Works", "Sales", "Legal"])
    shops = listed("shops", "region,revenue", ["North", "South", "West"])
    assert {"highest", "outliers"} <= merged(staff, extra)
    assert merged(staff, shops) == set()
