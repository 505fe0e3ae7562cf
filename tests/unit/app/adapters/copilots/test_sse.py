"""The reader of server-sent events."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.copilots.sse import EventReader, OversizedEvent, ServerEvent

STREAM = (
    '\ufeffevent: copilotMessageChunk\r\ndata: {"delta":"a\u2028b é✓"}\r\n\r\n'
    ": ping - 2026-11-20\r\n\r\n"
    "event:copilotStatusUpdate\ndata:one\ndata: two\n\n"
    "data: last\rid: 7\rretry: 10\r\r"
).encode()
EVENTS = [
    ServerEvent("copilotMessageChunk", '{"delta":"a\u2028b é✓"}'),
    ServerEvent("copilotStatusUpdate", "one\ntwo"),
    ServerEvent("message", "last"),
]


@pytest.mark.parametrize("cut", range(len(STREAM) + 1))
def test_a_stream_cut_at_any_byte_gives_the_same_events(cut: int) -> None:
    reader = EventReader()
    assert reader.feed(STREAM[:cut]) + reader.feed(STREAM[cut:]) == EVENTS
    assert not reader.unfinished()


def test_a_stream_fed_byte_by_byte_gives_the_same_events() -> None:
    reader = EventReader()
    assert [e for i in range(len(STREAM)) for e in reader.feed(STREAM[i : i + 1])] == EVENTS


def test_half_an_event_at_the_end_is_dropped_and_told() -> None:
    reader = EventReader()
    assert reader.feed(b'event: copilotMessageChunk\r\ndata: {"del') == []
    assert reader.unfinished()


def test_an_event_past_the_cap_is_refused() -> None:
    reader = EventReader(limit_bytes=1000)
    with pytest.raises(OversizedEvent):
        for _ in range(100):
            reader.feed(b"data: " + b"x" * 50 + b"\n")


def test_pings_do_not_count_towards_the_cap() -> None:
    reader = EventReader(limit_bytes=1000)
    for _ in range(1000):
        assert reader.feed(b": ping\r\n") == []
    assert reader.feed(b"data: 1\n\n") == [ServerEvent("message", "1")]


def test_empty_lines_of_data_between_comments_count_towards_the_cap() -> None:
    reader = EventReader(limit_bytes=1000)
    with pytest.raises(OversizedEvent):
        for _ in range(1000):
            reader.feed(b"data:\n: ping\n")


@given(st.lists(st.text(), max_size=5), st.sampled_from(["\r\n", "\n", "\r"]), st.data())
def test_whatever_json_is_sent_arrives(deltas: list[str], end: str, data: st.DataObject) -> None:
    sent = "".join(
        f"event: x{end}data: {json.dumps({'delta': d}, ensure_ascii=False)}{end}{end}"
        for d in deltas
    ).encode()
    cut = data.draw(st.integers(0, len(sent)))
    reader = EventReader()
    events = reader.feed(sent[:cut]) + reader.feed(sent[cut:])
    assert [json.loads(e.data)["delta"] for e in events] == deltas
