"""The id of a question, from our own header or from a W3C traceparent."""

from __future__ import annotations

import pytest

from backends.service.security import trace_of

W3C = b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.parametrize(
    ("headers", "trace"),
    [
        ({}, ""),
        ({b"traceparent": W3C}, "0af7651916cd43dd8448eb211c80319c"),
        ({b"x-trace-id": b"own", b"traceparent": W3C}, "own"),
        ({b"traceparent": b"nonsense"}, ""),
    ],
)
def test_our_own_id_comes_first(headers: dict[bytes, bytes], trace: str) -> None:
    assert trace_of(headers) == trace
