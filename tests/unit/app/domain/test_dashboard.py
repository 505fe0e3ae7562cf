"""The grid of the dashboard: tiles make room, never overlap, leave no hole."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.dashboard import (
    COLUMNS,
    MIN_H,
    MIN_W,
    TilePlace,
    Tiles,
    add,
    find,
    height,
    mended,
    move,
    nudge,
    remove,
    resize,
)

WHOLE = st.integers(-5, 40)
FOREIGN = st.lists(
    st.builds(TilePlace, st.sampled_from("abcdefgh"), WHOLE, WHOLE, WHOLE, WHOLE), max_size=10
)
PAIR = (TilePlace("a", 0, 0, 6, 8), TilePlace("b", 6, 0, 6, 8))
STACK = (TilePlace("a", 0, 0, 12, 9), TilePlace("b", 0, 9, 12, 6), TilePlace("c", 0, 15, 12, 4))


def places(tiles: Tiles) -> dict[str, tuple[int, int, int, int]]:
    return {t.id: (t.x, t.y, t.w, t.h) for t in tiles}


def check(tiles: Tiles, ids: set[str]) -> None:
    """What holds of every layout."""
    assert {t.id for t in tiles} == ids
    assert len(tiles) == len(ids)
    for one, other in combinations(tiles, 2):
        assert not one.overlaps(other), (one, other)
    for tile in tiles:
        assert tile.x >= 0
        assert tile.right <= COLUMNS
        assert tile.w >= MIN_W
        assert tile.h >= MIN_H
        above = [t for t in tiles if t.bottom == tile.y and t.x < tile.right and tile.x < t.right]
        assert tile.y == 0 or above, f"a hole above {tile}"


@given(FOREIGN)
def test_tiles_from_outside_are_mended_and_stay_as_they_are_then(tiles: list[TilePlace]) -> None:
    made = mended(tiles)
    check(made, {t.id for t in tiles})
    assert mended(made) == made


@given(FOREIGN.filter(bool), st.data())
def test_no_edit_ever_makes_tiles_overlap_or_lose_one(
    tiles: list[TilePlace], data: st.DataObject
) -> None:
    made = mended(tiles)
    ids = {t.id for t in made}
    for _ in range(4):
        chosen = data.draw(st.sampled_from(sorted(ids)))
        sizes = {t.id: (t.w, t.h) for t in made if t.id != chosen}
        x, y = data.draw(WHOLE), data.draw(WHOLE)
        made = data.draw(st.sampled_from((move, resize, nudge)))(made, chosen, x, y)
        check(made, ids)
        assert {t.id: (t.w, t.h) for t in made if t.id != chosen} == sizes
    check(add(made, "new", data.draw(WHOLE), data.draw(WHOLE)), ids | {"new"})
    check(add(made, "new", 4, 4, (data.draw(WHOLE), data.draw(WHOLE))), ids | {"new"})
    check(remove(made, chosen), ids - {chosen})


def test_a_tile_added_at_the_row_below_all_others_rises_where_nothing_is_above_it() -> None:
    check(add((TilePlace("a", 4, 0, 3, 3),), "new", 4, 4, (0, 3)), {"a", "new"})


@given(FOREIGN.filter(bool), st.data())
def test_moving_changes_no_size(tiles: list[TilePlace], data: st.DataObject) -> None:
    made = mended(tiles)
    chosen = data.draw(st.sampled_from(made)).id
    moved = move(made, chosen, data.draw(WHOLE), data.draw(WHOLE))
    assert {t.id: (t.w, t.h) for t in moved} == {t.id: (t.w, t.h) for t in made}


@given(FOREIGN.filter(bool), st.data())
def test_a_tile_moved_to_where_it_is_changes_nothing(
    tiles: list[TilePlace], data: st.DataObject
) -> None:
    made = mended(tiles)
    chosen = data.draw(st.sampled_from(made))
    assert move(made, chosen.id, chosen.x, chosen.y) == made
    assert resize(made, chosen.id, chosen.w, chosen.h) == made


def test_a_new_tile_takes_the_first_hole_it_fits_in() -> None:
    tiles = (TilePlace("a", 0, 0, 12, 4), TilePlace("b", 0, 4, 6, 5))
    assert find(add(tiles, "c", 6, 5), "c") == TilePlace("c", 6, 4, 6, 5)
    assert find(add(tiles, "c", 8, 5), "c") == TilePlace("c", 0, 9, 8, 5)


def test_a_new_tile_dropped_on_another_pushes_it_down() -> None:
    made = add(STACK, "d", 12, 5, (0, 0))
    assert [t.id for t in made] == ["d", "a", "b", "c"]


@pytest.mark.parametrize(("x", "places_of"), [(2, (0, 6)), (3, (0, 6)), (4, (6, 0)), (6, (6, 0))])
def test_neighbours_change_places_once_the_middle_is_passed(
    x: int, places_of: tuple[int, int]
) -> None:
    made = move(PAIR, "a", x, 0)
    assert (find(made, "a").x, find(made, "b").x) == places_of
    assert height(made) == 8
    mirrored = move(PAIR, "b", 6 - x, 0)
    assert (find(mirrored, "b").x, find(mirrored, "a").x) == tuple(6 - p for p in places_of)


def test_neighbours_of_other_sizes_change_places_without_a_gap() -> None:
    tiles = (TilePlace("a", 0, 0, 4, 8), TilePlace("b", 4, 0, 3, 6), TilePlace("c", 7, 0, 5, 8))
    assert [t.id for t in move(tiles, "a", 8, 0)] == ["b", "c", "a"]
    assert places(move(tiles, "a", 8, 0))["a"] == (8, 0, 4, 8)
    assert [t.id for t in move(tiles, "c", 0, 0)] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("y", "order"), [(1, "abc"), (2, "abc"), (3, "bac"), (8, "bca"), (99, "bca")]
)
def test_a_tile_dragged_down_passes_those_whose_middle_it_passes(y: int, order: str) -> None:
    assert "".join(t.id for t in move(STACK, "a", 0, y)) == order


@pytest.mark.parametrize(
    ("y", "order"), [(13, "abc"), (11, "acb"), (9, "acb"), (5, "acb"), (4, "cab"), (0, "cab")]
)
def test_a_tile_dragged_up_pushes_others_down(y: int, order: str) -> None:
    assert "".join(t.id for t in move(STACK, "c", 0, y)) == order


def test_a_tile_that_grows_pushes_its_neighbour_below() -> None:
    assert places(resize(PAIR, "a", 9, 8)) == {"a": (0, 0, 9, 8), "b": (6, 8, 6, 8)}
    assert places(resize(PAIR, "a", 4, 99))["a"] == (0, 0, 4, 60)
    assert places(resize(PAIR, "b", 99, 1))["b"] == (6, 0, 6, MIN_H)


def test_a_removed_tile_lets_those_below_rise() -> None:
    assert places(remove(STACK, "a")) == {"b": (0, 0, 12, 6), "c": (0, 6, 12, 4)}


def test_each_key_press_moves_a_tile_as_far_as_changes_anything() -> None:
    assert "".join(t.id for t in nudge(STACK, "a", 0, 1)) == "bac"
    assert "".join(t.id for t in nudge(STACK, "c", 0, -1)) == "acb"
    assert nudge(STACK, "a", 0, -1) == STACK
    assert nudge(STACK, "a", 1, 0) == STACK
    assert find(nudge(PAIR, "a", 1, 0), "a").x == 6
    assert find(nudge((TilePlace("a", 0, 0, 6, 8),), "a", 1, 0), "a").x == 1
