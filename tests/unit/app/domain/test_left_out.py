"""What of foreign content would run or fetch something, counted so that it can be told."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from app.domain.foreign_content import in_words, left_out
from tests.widget_backend import HTML, MARKDOWN, figure


@pytest.mark.parametrize(
    ("kind", "value", "told"),
    [
        ("html", HTML, "1 external address, 1 script, 1 frame, 1 redirect to another page"),
        ("markdown", MARKDOWN, "2 scripts, 1 external address"),
        ("plotly", figure(), "1 script"),
        ("plotly", {"layout": {"images": [{"source": "https://x.example/a.png"}]}}, "1 external address"),
        ("html", "<p onclick='x()'>a</p><a href='JavaScript:x()'>b</a>", "2 scripts"),
        ("html", "<style>p{background:url(http://x/y)}</style><p style='background:url(//x)'>", "2 external addresses"),
        ("html", "<form action=http://x><input></form><object data=http://x>", "1 form, 1 frame"),
        ("newsfeed", [{"body": "<script>1</script>"}, {"body": "![x](https://y/z.png)"}, {}], "1 script, 1 external address"),
    ],
)  # fmt: skip
def test_what_would_run_or_fetch_is_counted(kind: str, value: Any, told: str) -> None:
    assert in_words(left_out(kind, value)) == told


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("markdown", "Use `<script>` or\n\n```html\n<script src=http://x></script>\n```\n\n**2 < 3** and a > b"),
        ("markdown", "![held](data:image/png;base64,AAAA) [site](https://example.org) <b>bold</b>"),
        ("html", "<h1>Hello</h1><img src='data:image/png;base64,AA'><a href='https://example.org'>x</a>"),
        ("plotly", {"data": [{"x": ["a < b", "<b>bold</b>", None, 3]}], "layout": {"title": {"text": "Sales"}}}),
        ("table", [{"a": "<script>"}]),
        ("newsfeed", "no list"),
    ],
)  # fmt: skip
def test_what_does_no_harm_is_not_told_of(kind: str, value: Any) -> None:
    assert in_words(left_out(kind, value)) == ""


def test_what_is_nested_or_long_without_end_is_looked_at_in_no_time() -> None:
    deep: Any = "<script>"
    for _ in range(5000):
        deep = [deep]
    assert not left_out("plotly", deep)
    assert left_out("html", "<script>" * 20_000)
    assert not left_out("markdown", "x" * 2_000_000)


def test_what_was_left_out_is_told_in_another_language() -> None:
    found = Counter({"script": 1, "external address": 2})
    assert in_words(found, {"script": "脚本", "external addresses": "外部地址"}.__getitem__) == (
        "1 脚本, 2 外部地址"
    )
