"""Every way a server can fail is an error of ours, at once and in mid-stream."""

from __future__ import annotations

import json
import socket
import ssl
from typing import Any

import httpx
import pytest

from backends.flexai.entities import ModelType
from backends.flexai.errors import (
    CredentialsValidateFailedError,
    InvokeAuthorizationError,
    InvokeBadRequestError,
    InvokeConnectionError,
    InvokeError,
    InvokeRateLimitError,
    InvokeServerUnavailableError,
)
from backends.providers.openai_compatible import connection, failures
from tests.unit.backends.providers.openai_compatible.conftest import (
    END,
    PIECE,
    REGISTRY,
    SAID,
    Scripted,
    ask,
    model,
)

EXCEPTIONS: list[tuple[type[Exception], type[InvokeError]]] = [
    (httpx.ConnectError, InvokeConnectionError),
    (httpx.ConnectTimeout, InvokeConnectionError),
    (httpx.ReadTimeout, InvokeConnectionError),
    (httpx.ReadError, InvokeConnectionError),
    (httpx.WriteTimeout, InvokeConnectionError),
    (httpx.WriteError, InvokeConnectionError),
    (httpx.PoolTimeout, InvokeConnectionError),
    (httpx.ProxyError, InvokeConnectionError),
    (httpx.RemoteProtocolError, InvokeConnectionError),
    (httpx.TransportError, InvokeConnectionError),
    (OSError, InvokeConnectionError),
    (ConnectionRefusedError, InvokeConnectionError),
    (ConnectionResetError, InvokeConnectionError),
    (TimeoutError, InvokeConnectionError),
    (ssl.SSLError, InvokeConnectionError),
    (httpx.LocalProtocolError, InvokeBadRequestError),
    (httpx.UnsupportedProtocol, InvokeBadRequestError),
    (httpx.InvalidURL, InvokeBadRequestError),
    (httpx.DecodingError, InvokeServerUnavailableError),
]


def test_the_table_of_exceptions_is_whole() -> None:
    assert set(failures.EXCEPTIONS) <= {kind for kind, _ in EXCEPTIONS}


@pytest.mark.parametrize(("kind", "ours"), EXCEPTIONS)
@pytest.mark.parametrize("in_the_middle", [False, True], ids=["at once", "mid-stream"])
def test_each_exception_of_the_library_is_its_error_of_ours(
    kind: type[Exception],
    ours: type[InvokeError],
    in_the_middle: bool,
    peer: Scripted,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    peer.streams(PIECE, END)

    def fail(*_: Any, **__: Any) -> Any:
        if in_the_middle:
            yield b'data: {"choices": [{"delta": {"content": "a"}}]}\n\n'
        raise kind("something broke")

    def fail_at_once(*_: Any, **__: Any) -> Any:
        raise kind("something broke")

    if in_the_middle:
        monkeypatch.setattr(httpx.Response, "iter_bytes", fail)
    else:
        monkeypatch.setattr(httpx.Client, "stream", fail_at_once)
    with pytest.raises(ours) as caught:
        ask(peer)
    assert type(caught.value) is ours
    assert peer.url.split("/")[2] in caught.value.text
    assert "something broke" in caught.value.text
    assert caught.value.remedy


@pytest.mark.parametrize(("kind", "ours"), EXCEPTIONS)
def test_the_mapping_of_each_model_has_each_row(
    kind: type[Exception], ours: type[InvokeError]
) -> None:
    for model_type in set(ModelType) - {ModelType.OCR}:
        with pytest.raises(ours), model(model_type).mapped_errors():
            raise kind("something broke")


STATUSES = [
    (301, InvokeBadRequestError),
    (400, InvokeBadRequestError),
    (401, InvokeAuthorizationError),
    (402, InvokeRateLimitError),
    (403, InvokeAuthorizationError),
    (404, InvokeBadRequestError),
    (405, InvokeBadRequestError),
    (407, InvokeAuthorizationError),
    (408, InvokeConnectionError),
    (413, InvokeBadRequestError),
    (418, InvokeBadRequestError),
    (422, InvokeBadRequestError),
    (425, InvokeServerUnavailableError),
    (429, InvokeRateLimitError),
    (499, InvokeConnectionError),
    (500, InvokeServerUnavailableError),
    (502, InvokeServerUnavailableError),
    (503, InvokeServerUnavailableError),
    (504, InvokeServerUnavailableError),
    (599, InvokeServerUnavailableError),
]


def test_the_table_of_statuses_is_whole() -> None:
    assert set(failures.STATUSES) <= {status for status, _ in STATUSES}


@pytest.mark.parametrize(("status", "ours"), STATUSES)
def test_each_status_is_its_error(status: int, ours: type[InvokeError], peer: Scripted) -> None:
    error = {"message": "so it is", "type": "whatever", "code": None}
    peer.says({"error": error}, status=f"{status} No", Location="http://elsewhere/v1")
    with pytest.raises(ours) as caught:
        ask(peer)
    assert type(caught.value) is ours
    assert ("so it is" in caught.value.text) or "elsewhere" in caught.value.text
    assert caught.value.remedy


@pytest.mark.parametrize(("status", "ours"), STATUSES)
def test_each_status_in_mid_stream_is_its_error(
    status: int, ours: type[InvokeError], peer: Scripted
) -> None:
    peer.streams(PIECE, {"error": {"message": "so it is", "code": status}})
    chunks = model(ModelType.LLM).invoke("m", peer.credentials(), SAID)
    assert next(chunks).delta.message.text() == "Hello"
    with pytest.raises(ours, match="so it is"):
        next(chunks)


@pytest.mark.parametrize(
    ("event", "ours"),
    [
        ({"error": {"message": "x", "type": "rate_limit_error"}}, InvokeRateLimitError),
        (
            {"error": {"message": "x", "code": "insufficient_quota", "type": "z"}},
            InvokeRateLimitError,
        ),
        ({"error": {"message": "x", "code": "invalid_api_key"}}, InvokeAuthorizationError),
        ({"error": {"message": "x", "type": "BadRequestError"}}, InvokeBadRequestError),
        ({"error": {"message": "x", "type": "overloaded_error"}}, InvokeServerUnavailableError),
        ({"error": {"message": "x"}}, InvokeServerUnavailableError),
        ({"error": "x"}, InvokeServerUnavailableError),
        ({"object": "error", "message": "x", "code": 400}, InvokeBadRequestError),
        (
            {"error": {"message": "x", "type": "InvokeRateLimitError", "code": 429}},
            InvokeRateLimitError,
        ),
    ],
)
def test_an_error_is_told_by_its_name_in_the_shapes_servers_use(
    event: dict[str, Any], ours: type[InvokeError], peer: Scripted
) -> None:
    peer.streams(PIECE, event)
    with pytest.raises(ours, match="x") as caught:
        ask(peer)
    assert type(caught.value) is ours


@pytest.mark.parametrize(
    ("wait", "told"), [("7", "7 seconds"), ("Wed, 21 Oct 2026 07:28:00 GMT", "until Wed, 21 Oct")]
)
def test_how_long_to_wait_is_told(wait: str, told: str, peer: Scripted) -> None:
    peer.says({"error": {"message": "slow down"}}, status="429 Too Many", Retry_After=wait)
    with pytest.raises(InvokeRateLimitError) as caught:
        ask(peer)
    assert told in caught.value.remedy
    assert len(peer.requests) == 1  # nothing is sent again behind the caller's back


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        (["<!DOCTYPE html><title>Sign in</title>"], "text/html; charset=utf-8"),
        (["Ollama is running"], "text/plain"),
        (["[1, 2]"], "application/json"),
        (["data: {broken\n\n"], "text/event-stream"),
        (["data: " + "x" * 9_000_000], "text/event-stream"),
        ([b"data: " + b"[" * 100_000 + b"\n\n"], "text/event-stream"),
    ],
    ids=["web page", "words", "list", "broken event", "event without end", "deep nesting"],
)
def test_what_is_none_of_this_api_is_told_as_such(
    parts: list[Any], kind: str, peer: Scripted
) -> None:
    peer.says(*parts, kind=kind)
    with pytest.raises(InvokeServerUnavailableError, match="OpenAI-style") as caught:
        ask(peer)
    assert "/v1" in caught.value.remedy


def test_a_web_page_with_an_error_status_is_not_shown(peer: Scripted) -> None:
    peer.says("<html>502 Bad Gateway</html>", status="502 Bad Gateway", kind="text/html")
    with pytest.raises(InvokeServerUnavailableError) as caught:
        ask(peer)
    assert "<" not in caught.value.text


@pytest.mark.parametrize(
    "parts",
    [
        [PIECE],
        [PIECE, 'data: {"choices": [{"delta": {"content": "half an ev'],
        [PIECE, "data: [DONE]\n\n"],
    ],
    ids=["after an event", "inside an event", "without a reason"],
)
def test_an_answer_that_is_cut_off_keeps_its_words_and_fails(
    parts: list[Any], peer: Scripted
) -> None:
    peer.streams(*parts)
    chunks = model(ModelType.LLM).invoke("m", peer.credentials(), SAID)
    assert next(chunks).delta.message.text() == "Hello"
    with pytest.raises(InvokeConnectionError, match="cut off") as caught:
        next(chunks)
    assert caught.value.remedy


def test_a_body_shorter_than_announced_is_a_broken_connection(peer: Scripted) -> None:
    peer.says('{"data": [', Content_Length="500")
    with pytest.raises(InvokeConnectionError):
        model(ModelType.TEXT_EMBEDDING).invoke("m", peer.credentials(), ["a"])


def test_a_refused_connection_names_the_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(
        InvokeConnectionError, match=f"127.0.0.1:{port} cannot be reached"
    ) as caught:
        model(ModelType.RERANK).invoke("m", {"base_url": f"http://127.0.0.1:{port}"}, "q", ["d"])
    assert caught.value.remedy


def test_an_answer_without_end_is_not_taken(
    peer: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "MOST_JSON", 1000)
    peer.says('{"data": "' + "x" * 5000)
    with pytest.raises(InvokeServerUnavailableError, match="more than"):
        model(ModelType.TEXT_EMBEDDING).invoke("m", peer.credentials(), ["a"])


def test_the_key_is_sent_and_never_repeated(peer: Scripted) -> None:
    peer.says({"error": {"message": "Incorrect API key provided: sk-secret1."}}, status="401 No")
    with pytest.raises(InvokeAuthorizationError) as caught:
        ask(peer, api_key="sk-secret1")
    assert peer.requests[0][1]["authorization"] == "Bearer sk-secret1"
    assert "sk-secret1" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, "base_url"),
        ({"base_url": "127.0.0.1:8000"}, "base_url"),
        ({"base_url": "ftp://host/v1"}, "base_url"),
        ({"base_url": "http://me:sk-secret1@host/v1"}, "base_url"),
        ({"base_url": "http://host/v1?key=sk-secret1"}, "base_url"),
        ({"base_url": "http://host", "api_key": "sk-secret1\nX-Evil: 1"}, "api_key"),
        ({"base_url": "http://host", "timeout": "soon"}, "timeout"),
        ({"base_url": "http://host", "timeout": "-1"}, "timeout"),
        ({"base_url": "http://host", "server": "nobody"}, "server"),
        ({"base_url": "http://host", "batch_size": "0"}, "batch_size"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(given: dict[str, str], named: str) -> None:
    with pytest.raises(CredentialsValidateFailedError, match=named) as caught:
        model(ModelType.TEXT_EMBEDDING).invoke("m", given, ["a"])
    assert "sk-secret1" not in repr(caught.value) + str(caught.value.__cause__)


# as Open Interpreter's server streams to OpenAI's clients: another type, no reason, no last event
BARE: dict[str, Any] = {"choices": [{"delta": {"content": "Hello"}}]}


def chunked(*events: Any) -> list[str]:
    """Return the parts of a body whose end is marked, as servers send a stream."""
    told = [f"data: {json.dumps(event)}\n\n" for event in events]
    return [f"{len(text):x}\r\n{text}\r\n" for text in told]


@pytest.mark.parametrize("kind", ["application/x-ndjson", "text/plain", "application/json"])
def test_events_are_read_whatever_their_type_is_called(kind: str, peer: Scripted) -> None:
    parts = [*chunked(PIECE, END), "0\r\n\r\n"]
    peer.says(*parts, kind=kind, Transfer_Encoding="chunked")
    assert ask(peer) == "Hello"


def test_an_answer_of_a_server_that_names_no_reasons_is_whole_at_its_marked_end(
    peer: Scripted,
) -> None:
    peer.says(
        *chunked(BARE, BARE), "0\r\n\r\n", kind="application/x-ndjson", Transfer_Encoding="chunked"
    )
    assert ask(peer) == "HelloHello"
    peer.streams(BARE, "data: [DONE]\n\n")
    assert ask(peer) == "Hello"
    peer.says({"choices": [{"message": {"role": "assistant", "content": "Hello"}}]})
    assert ask(peer) == "Hello"


@pytest.mark.parametrize(
    "parts", [chunked(BARE), [f"data: {json.dumps(BARE)}\n\n"]], ids=["chunked", "to the end"]
)
def test_an_answer_without_reasons_and_without_a_marked_end_is_cut_off(
    parts: list[str], peer: Scripted
) -> None:
    marked = {"Transfer_Encoding": "chunked"} if parts[0][0] != "d" else {}
    peer.says(*parts, kind="text/event-stream", **marked)
    with pytest.raises(InvokeConnectionError):
        ask(peer)


@pytest.mark.parametrize("status", ["404 Not Found", "405 Method Not Allowed", "501 No"])
def test_a_server_without_a_list_of_models_offers_none_and_can_be_used(
    status: str, peer: Scripted
) -> None:
    provider = REGISTRY.provider("openai_compatible")
    peer.says({"detail": "Not Found"}, status=status)
    provider.validate_provider_credentials(peer.credentials())
    assert provider.list_models(peer.credentials()) == []


@pytest.mark.parametrize("status", ["401 No", "403 No", "500 No"])
def test_a_server_that_fails_to_list_its_models_does_not_pass_for_one_without(
    status: str, peer: Scripted
) -> None:
    peer.says({"detail": "No"}, status=status)
    with pytest.raises(CredentialsValidateFailedError):
        REGISTRY.provider("openai_compatible").validate_provider_credentials(peer.credentials())


def test_a_wrong_address_is_told_when_a_model_is_tried(peer: Scripted) -> None:
    peer.says({"detail": "Not Found"}, status="404 Not Found")
    with pytest.raises(CredentialsValidateFailedError, match="does not have this") as caught:
        model(ModelType.LLM).validate_credentials("m", peer.credentials())
    assert "/v1" in caught.value.remedy
