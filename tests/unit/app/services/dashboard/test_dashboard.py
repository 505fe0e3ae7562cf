"""Where widgets stand: each has a tile, kept over restarts, mended when the store disagrees."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from app.adapters.store.store import Store
from app.data.sources import Sources
from app.domain.dashboard import Tab, TilePlace, Widget, find, move, resize
from app.domain.errors import SourceError
from app.services.dashboard.tiles import Dashboard
from app.services.dashboard.widgets import Widgets

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

pytestmark = pytest.mark.slow


def chart_of(table: Widget, column: str) -> Widget:
    return Widget("", column, "", type="chart", of=table.uuid, columns=(column,))


@asynccontextmanager
async def opened(home: Path) -> AsyncGenerator[tuple[Widgets, Dashboard]]:
    store = await Store.open(home / "s.sqlite")
    widgets = Widgets(Sources(), store)
    dashboard = Dashboard(widgets, store)
    await dashboard.restore()
    await widgets.restore()
    try:
        yield widgets, dashboard
    finally:
        await dashboard.save()
        await store.aclose()


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.csv"
    path.write_text("day,close\n2024-01-02,2.5\n2024-01-03,\n2024-01-01,1.5\n", "utf-8")
    return path


async def test_the_sample_is_a_table_a_chart_and_key_figures(home: Path, macro_csv: Path) -> None:
    async with opened(home) as (widgets, dashboard):
        await dashboard.show_sample(macro_csv.parent)
        assert [w.type for w in widgets.all()] == ["table", "chart", "figures"]
        assert {t.id for t in dashboard.tiles} == {w.uuid for w in widgets.all()}
        assert [w.name for w in widgets.attached()] == ["us macro"]
        (gdp,) = await widgets.series(widgets.all()[1].uuid)
        assert (gdp.labels[-1], gdp.values[-1], gdp.rows[-1], len(gdp.rows)) == (
            "2009 Q3",
            12990.341,
            202,
            203,
        )
        figures = await widgets.series(widgets.all()[2].uuid)
        assert [s.values[-1] for s in figures] == [9.6, 3.56, 0.12]


async def test_tiles_stand_after_a_restart_as_they_were_left(home: Path, macro_csv: Path) -> None:
    async with opened(home) as (widgets, dashboard):
        await dashboard.show_sample(macro_csv.parent)
        table, chart, _ = (w.uuid for w in widgets.all())
        dashboard.arrange(resize(dashboard.tiles, table, 7, 5))
        dashboard.arrange(move(dashboard.tiles, chart, 0, 0))
        left = dashboard.tiles
    async with opened(home) as (widgets, dashboard):
        assert dashboard.tiles == left
        assert [w.type for w in widgets.all()] == ["table", "chart", "figures"]
        assert (find(left, table).w, find(left, chart).y) == (7, 0)


async def test_a_removed_table_takes_what_is_drawn_from_it_along(
    home: Path, macro_csv: Path
) -> None:
    async with opened(home) as (widgets, dashboard):
        await dashboard.show_sample(macro_csv.parent)
        table, chart, figures = (w.uuid for w in widgets.all())
        await widgets.remove(chart)
        assert [t.id for t in dashboard.tiles] == [table, figures]
        assert find(dashboard.tiles, figures).y == find(dashboard.tiles, table).bottom
        await widgets.remove(table)
        assert dashboard.tiles == ()
        assert widgets.all() == []


async def test_a_dropped_file_stands_where_it_was_dropped(
    home: Path, macro_csv: Path, prices: Path
) -> None:
    async with opened(home) as (_, dashboard):
        await dashboard.show_sample(macro_csv.parent)
        made = await dashboard.add_file(prices, (0, 0))
        assert find(dashboard.tiles, made.uuid).y == 0
        assert find(dashboard.tiles, made.uuid).h == 6  # as high as its three rows
        again = await dashboard.add_file(macro_csv, (0, 0))  # open already: it stays
        assert find(dashboard.tiles, again.uuid).y == 6


async def test_context_of_a_chart_is_that_of_its_table(home: Path, macro_csv: Path) -> None:
    async with opened(home) as (widgets, dashboard):
        await dashboard.show_sample(macro_csv.parent)
        table, chart, _ = (w.uuid for w in widgets.all())
        await widgets.attach(chart, attached=False)
        assert widgets.attached() == []
        await widgets.attach(chart, attached=True)
        assert [w.uuid for w in widgets.attached()] == [table]


async def test_a_store_whose_tiles_are_wrong_is_mended(home: Path, prices: Path) -> None:
    async with opened(home) as (widgets, _):
        uid = (await widgets.add_file(prices)).uuid
    store = await Store.open(home / "s.sqlite")
    await store.save_tabs(
        [Tab("first", "One", (TilePlace(uid, 30, -4, 99, 0), TilePlace("gone", 0, 0, 12, 9)))]
    )
    await store.aclose()
    async with opened(home) as (_, dashboard):
        assert dashboard.tiles == (TilePlace(uid, 0, 0, 12, 3),)


async def test_a_file_added_while_widgets_are_restored_loses_none(
    home: Path, prices: Path, macro_csv: Path
) -> None:
    async with opened(home) as (widgets, _):
        await widgets.add_file(prices)
    store = await Store.open(home / "s.sqlite")
    widgets = Widgets(Sources(), store)
    await asyncio.gather(widgets.restore(), widgets.add_file(macro_csv))
    assert (
        {w.name for w in widgets.all()}
        == {"prices", "us macro"}
        == {w.name for w in await store.widgets()}
    )
    await store.aclose()


async def test_a_series_is_in_times_order_and_skips_what_is_missing(
    home: Path, prices: Path
) -> None:
    async with opened(home) as (widgets, _):
        table = await widgets.add_file(prices)
        view = await widgets.add_view(chart_of(table, "close"))
        (series,) = await widgets.series(view.uuid)
        assert (series.labels, series.values, series.rows) == (
            ("2024-01-01", "2024-01-02"),
            (1.5, 2.5),
            (2, 0),
        )


async def test_a_long_series_keeps_a_thousand_points_and_its_last_two(
    home: Path, tmp_path: Path
) -> None:
    path = tmp_path / "long.csv"
    days = (
        f"{1900 + n // 336}-{n // 28 % 12 + 1:02d}-{n % 28 + 1:02d},{n * 2}" for n in range(25_000)
    )
    path.write_text("day,n_total\n" + "\n".join(days), "utf-8")
    async with opened(home) as (widgets, _):
        table = await widgets.add_file(path)
        view = await widgets.add_view(chart_of(table, "n_total"))
        (series,) = await widgets.series(view.uuid)
        assert 1000 <= len(series.values) <= 1002
        assert series.values[-2:] == (49_996, 49_998)


async def test_a_chart_of_a_column_that_is_gone_says_so(home: Path, prices: Path) -> None:
    async with opened(home) as (widgets, _):
        table = await widgets.add_file(prices)
        view = await widgets.add_view(chart_of(table, "open"))
        with pytest.raises(SourceError, match="'open' over time"):
            await widgets.series(view.uuid)


async def test_a_question_from_the_shell_leaves_the_dashboard_alone(
    home: Path, prices: Path, macro_csv: Path
) -> None:
    async with opened(home) as (widgets, dashboard):
        await widgets.add_file(prices)
        tiles = dashboard.tiles
    store = await Store.open(home / "s.sqlite")
    widgets = Widgets(Sources(), store)
    asked = Dashboard(widgets, store)
    await widgets.add_file(macro_csv)
    await asked.save()
    assert [w.name for w in await store.widgets()] == ["prices"]
    assert [tab.tiles for tab in await store.tabs()] == [tiles]
    await store.aclose()
