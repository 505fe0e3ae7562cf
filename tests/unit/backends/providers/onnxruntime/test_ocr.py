"""What an OCR model's answer is made of: areas of ink, pictures in another size, lines in order."""

from __future__ import annotations

import numpy as np
import pytest

from backends.providers.onnxruntime.ocr import (
    TextBox,
    TextLine,
    in_order,
    outlines,
    resized,
    sense_of,
    slanted,
    straightened,
    turned_back,
)


def line(text: str, left: float, top: float, width: float = 200) -> TextLine:
    return TextLine(text, 1.0, TextBox(left, top, left + width, top + 20))


def texts(lines: list[TextLine]) -> list[str]:
    return [one.text for one in in_order(lines)]


def test_columns_are_read_one_after_the_other() -> None:
    left = [line(f"left {n} of a column of some text", 50, 100 + 30 * n) for n in range(4)]
    right = [line(f"right {n} of a column of some text", 400, 100 + 30 * n) for n in range(4)]
    title = line("title", 50, 20, 550)
    mixed = [right[1], left[3], title, right[0], left[0], left[1], right[3], left[2], right[2]]
    assert in_order(mixed) == [title, *left, *right]


def test_the_cells_of_a_table_are_read_row_by_row() -> None:
    cells = [line(f"{r}{c}", 50 + 300 * c, 100 + 30 * r, 40) for r in range(4) for c in range(2)]
    assert texts(cells[::-1]) == [cell.text for cell in cells]


def test_parts_of_a_slightly_slanted_line_stay_together() -> None:
    assert texts([line("two", 300, 105), line("one", 50, 100), line("three", 50, 118)]) == [
        "one",
        "two",
        "three",
    ]


def test_areas_that_meet_further_down_are_one() -> None:
    sure = np.zeros((12, 20), dtype=np.float32)
    sure[1:6, 2:4] = 1  # a U: two arms that meet at the foot
    sure[1:6, 8:10] = 1
    sure[6:8, 2:10] = 1
    sure[10, 15:18] = 0.6
    found = sorted(outlines(sure))
    assert [one[:4] for one in found] == [(2, 1, 10, 8), (15, 10, 18, 11)]
    assert [one[4] for one in found] == pytest.approx([1.0, 0.6])


@pytest.mark.parametrize("slope", [-0.05, 0.0, 0.03])
def test_the_slope_of_a_line_is_told_and_taken_out(slope: float) -> None:
    height, width = 200, 600
    page = np.full((height, width), 255, dtype=np.uint8)
    for x in range(100, 500):
        middle = round(100 + slope * (x - width / 2))
        page[middle - 6 : middle + 6, x] = 0
    (area,) = outlines((255 - page) / 255)
    assert area.slope == pytest.approx(slope, abs=0.002)
    (level,) = outlines((255 - straightened(page, area.slope)) / 255)
    assert level.slope == pytest.approx(0, abs=0.002)
    assert level.bottom - level.top <= 14
    box = slanted(TextBox(*level[:4]), area.slope, width, height)
    assert np.allclose(box, area[:4], atol=2)


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_place_on_a_page_that_was_turned_is_found_again(turns: int) -> None:
    page = np.zeros((80, 60), dtype=np.uint8)
    page[10:15, 20:50] = 1
    turned = np.rot90(page, turns)
    rows, columns = np.nonzero(turned)
    box = TextBox(columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
    assert turned_back(box, turns, page) == (20, 10, 50, 15)


def test_a_page_on_its_side_makes_no_sense() -> None:
    level = [
        TextLine("some words", 0.9, TextBox(0, 0, 100, 10)),
        TextLine("more", 0.5, TextBox(0, 20, 90, 30)),
    ]
    tipped = [one._replace(box=TextBox(0, 0, 10, 100)) for one in level]
    assert sense_of(level) == pytest.approx(10 / 14)
    assert sense_of(tipped) == 0
    assert sense_of([]) == 0


def test_no_ink_has_no_areas() -> None:
    assert outlines(np.zeros((5, 7), dtype=np.float32)) == []


@pytest.mark.parametrize("size", [(5, 5), (40, 60), (17, 90), (20, 30)])
def test_a_picture_in_another_size_keeps_its_light(size: tuple[int, int]) -> None:
    picture = np.tile(np.linspace(0, 255, 30, dtype=np.uint8), (20, 1))
    made = resized(picture, *size)
    assert made.shape == size
    assert made.dtype == np.uint8
    assert float(made.mean()) == pytest.approx(float(picture.mean()), abs=2)
    assert (np.diff(made[0].astype(int)) >= 0).all()
