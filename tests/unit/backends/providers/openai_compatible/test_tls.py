"""The same over TLS: a server is trusted by its certificate, and left when it falls silent or the
call is stopped.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
import trustme

from backends.flexai.entities import ModelType, UserPromptMessage
from backends.flexai.errors import InvokeCancelledError, InvokeConnectionError
from backends.flexai.models.ai_model import cancellable
from backends.providers.openai_compatible import connection
from tests.unit.backends.providers.openai_compatible.conftest import (
    END,
    PIECE,
    STALL,
    Scripted,
    model,
    scripted,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[trustme.CA]:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    connection.certificates.cache_clear()
    yield authority
    connection.certificates.cache_clear()


@pytest.fixture
def peer(trusted: trustme.CA) -> Iterator[Scripted]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trusted.issue_cert("localhost").configure_cert(context)
    with (
        socket.create_server(("127.0.0.1", 0)) as plain,
        context.wrap_socket(plain, server_side=True, do_handshake_on_connect=True) as listener,
        scripted(listener) as made,
    ):
        yield made


def credentials(peer: Scripted, **more: str) -> dict[str, Any]:
    port = peer.listener.getsockname()[1]
    return {"base_url": f"https://localhost:{port}/v1", "timeout": "20", **more}


def ask(peer: Scripted, **more: str) -> str:
    chunks = model(ModelType.LLM).invoke(
        "m", credentials(peer, **more), [UserPromptMessage(content="Hi")]
    )
    return "".join(chunk.delta.message.text() for chunk in chunks)


def test_a_certificate_of_a_trusted_authority_is_taken(peer: Scripted) -> None:
    peer.streams(PIECE, END)
    assert ask(peer) == "Hello"


def test_a_certificate_nobody_vouches_for_is_not(
    peer: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    connection.certificates.cache_clear()
    with pytest.raises(InvokeConnectionError, match="certificate"):
        ask(peer)


@pytest.mark.parametrize(
    "events", [[STALL], [PIECE, STALL]], ids=["before the first event", "in mid-stream"]
)
def test_a_stopped_call_ends_at_once(events: list[Any], peer: Scripted) -> None:
    peer.streams(*events)
    flag = threading.Event()
    threading.Timer(0.2, flag.set).start()
    start = time.monotonic()
    with cancellable(flag), pytest.raises(InvokeCancelledError):
        ask(peer)
    assert time.monotonic() - start < 2


def test_a_server_that_falls_silent_is_left(peer: Scripted) -> None:
    peer.streams(PIECE, STALL)
    with pytest.raises(InvokeConnectionError) as caught:
        ask(peer, timeout="0.3")
    assert "increase the timeout" in caught.value.remedy
