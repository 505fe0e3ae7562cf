"""What widgets of backends show fits its tile and is read in light and dark."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QColor, QFontMetrics, QImage
from PySide6.QtWidgets import QWidget

from app.adapters.widget_backends import refusal
from app.openbb.content import rows_of
from app.openbb.parameters import read_params
from app.openbb.table_view import figure_of, read_drawn
from app.openbb.widgets import Spec
from app.ui.dashboard.bodies.metric import Figure, MetricBody
from app.ui.dashboard.bodies.picture import PictureBody
from app.ui.dashboard.params import Form
from app.ui.dashboard.table.cells import contrast
from app.ui.dashboard.web_views import themed
from app.ui.theme.tokens import DARK, LIGHT, Tokens


def test_a_long_number_is_whole_in_its_metric(qtbot: Any) -> None:
    body = MetricBody([{"label": "Turnover", "value": 1234567890.12, "delta": "-3"}])
    qtbot.addWidget(body)
    body.resize(150, 90)
    with qtbot.waitExposed(body):
        body.show()
    (number,) = body.findChildren(Figure)
    qtbot.waitUntil(lambda: number.width() > 100)  # once it is laid out
    needed = QFontMetrics(number.fitting(number.width())).horizontalAdvance(number.text())
    assert needed <= number.width()


def test_a_picture_shrinks_to_its_tile_and_keeps_its_shape(qtbot: Any) -> None:
    picture = QImage(400, 200, QImage.Format.Format_RGB32)
    picture.fill(QColor("#ff0000"))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")  # pyright: ignore[reportCallIssue, reportArgumentType]
    held = base64.b64encode(buffer.data().data()).decode()
    body = PictureBody([{"content": held, "filename": "red.png"}], "red")
    qtbot.addWidget(body)
    body.resize(116, 216)
    with qtbot.waitExposed(body):
        body.show()
    shown = body.grab().toImage()
    red = [
        (x, y)
        for x in range(shown.width())
        for y in range(shown.height())
        if shown.pixelColor(x, y).name() == "#ff0000"
    ]
    wide, high = (max(one) - min(one) + 1 for one in zip(*red, strict=True))
    assert (wide, high) == (100, 50)


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_colours_that_would_vanish_are_replaced_and_margins_fit(tokens: Tokens) -> None:
    figure = {
        "data": [
            {"type": "bar", "marker": {"color": "white"}, "textfont": {"color": "rgb(17, 17, 17)"}},
            {"type": "scatter", "line": {"color": "#e07a5f"}, "marker": {"color": [1, 2]}},
        ],
        "layout": {"title": {"text": "t", "font": {"color": "#ffffff"}}, "xaxis": {"tickfont": {"color": "black"}}},
    }  # fmt: skip
    made = themed(figure, tokens)
    card, layout = QColor(tokens.card), made["layout"]
    for colour in (
        made["data"][0]["marker"]["color"],
        made["data"][1]["line"]["color"],
    ):
        assert contrast(QColor(colour), card) > 1.5
    for colour in (layout["title"]["font"]["color"], layout["xaxis"]["tickfont"]["color"]):
        assert contrast(QColor(colour), card) >= 4.4
    assert made["data"][1]["line"]["color"] == "#e07a5f"  # what is seen stays
    assert layout["xaxis"]["automargin"]
    assert layout["yaxis"]["automargin"]


@pytest.mark.parametrize(
    "said",
    [b'{"detail": "No such symbol"}', b'{"error": "No such symbol"}', b'{"message": "No such symbol."}',
     b'{"error": {"code": 7, "message": "No such symbol"}}'],
)  # fmt: skip
def test_what_a_backend_says_of_an_error_is_told(said: bytes) -> None:
    assert ": No such symbol." in refusal("http://127.0.0.1:1/x", 400, said).text


def test_a_parameter_that_is_missing_is_named() -> None:
    missing = {"loc": ["query", "symbol"], "msg": "Field required", "type": "missing"}
    said = json.dumps({"detail": [missing, {"msg": "Bad day"}]}).encode()
    text = refusal("http://127.0.0.1:1/x", 422, said).text
    assert text.endswith("error 422: symbol: Field required; Bad day.")


def test_an_answer_without_content_is_no_error() -> None:
    told = refusal("http://127.0.0.1:1/x", 204, b"")
    assert told.text == "127.0.0.1:1 has no data for these parameters."
    assert told.remedy


def test_an_object_with_a_list_of_plain_values_is_one_row() -> None:
    spec = Spec("x", "X", "table", "x")
    assert rows_of(spec, {"a": 1, "days": ["1"]}) == [{"a": 1, "days": ["1"]}]
    assert rows_of(spec, {"count": 1, "rows": [{"a": 1}]}) == [{"a": 1}]


@pytest.mark.parametrize("view", [{}, {"cellRangeCols": {"column": ["sold", "year"]}}])
def test_a_table_as_a_chart_lies_along_the_column_marked_as_category(view: dict[str, Any]) -> None:
    table = {
        "chartView": {"enabled": True, "chartType": "column"} | view,
        "columnsDefs": [{"field": "sold"}, {"field": "year", "chartDataType": "category"}],
    }
    drawn = read_drawn(table, {})
    assert drawn is not None
    made = figure_of(drawn, [{"sold": 7, "year": 2023}, {"sold": 9, "year": 2024}])
    assert made is not None
    assert made["data"][0]["x"] == [2023, 2024]
    assert made["data"][0]["y"] == [7, 9]


def test_of_the_buttons_of_a_form_only_the_pressed_one_is_sent(qtbot: Any) -> None:
    (form,) = read_params(
        [
            {
                "paramName": "order",
                "type": "form",
                "endpoint": "order",
                "inputParams": [
                    {"paramName": "amount", "type": "number", "value": 3},
                    {"paramName": "buy", "type": "button", "label": "Buy", "value": True},
                    {"paramName": "sell", "type": "button", "label": "Sell", "value": True},
                ],
            }
        ]
    )
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog, sent = Form(form, parent), list[dict[str, Any]]()
    dialog.submitted.connect(sent.append)
    dialog.buttons[1].click()
    assert sent == [{"amount": 3, "sell": True}]
