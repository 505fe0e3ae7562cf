"""The nine defects of the upstream SDK: absent here, in each provider they could be in."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from backends.flexai.entities import (
    ModelType,
    PromptMessageTool,
    RerankDocument,
    RerankResult,
    UserPromptMessage,
)
from backends.flexai.errors import (
    InvokeAuthorizationError,
    InvokeBadRequestError,
    InvokeConnectionError,
    InvokeError,
    InvokeRateLimitError,
    InvokeServerUnavailableError,
    UnsupportedParameterError,
)
from backends.flexai.models import ModerationModel, RerankModel
from backends.providers.llama_cpp.text import TextStream
from tests.contract.conftest import LOOPBACK, MODULES, REMOTE, registry

if TYPE_CHECKING:
    from collections.abc import Generator

PROVIDERS = pytest.mark.parametrize("provider", ["echo", REMOTE])


def base(provider: str) -> dict[str, Any]:
    return {"model": "echo", "credentials": LOOPBACK if provider == REMOTE else {}}


def said(text: str) -> list[Any]:
    return [UserPromptMessage(content=text)]


@PROVIDERS
@pytest.mark.parametrize("kind", [ModelType.LLM, ModelType.TTS])
def test_1_an_exception_in_mid_stream_is_an_error_of_ours(
    provider: str, kind: ModelType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Upstream lets the raw exception of an LLM's stream through."""
    model: Any = registry().model(provider, kind)

    def broken(*_: Any, **__: Any) -> Generator[Any]:
        yield from ()
        raise ConnectionResetError("gone in the middle")

    monkeypatch.setattr(type(model), "_invoke", broken)
    what = {"prompt_messages": said("a")} if kind is ModelType.LLM else {"content_text": "a"}
    switch = {"stream": True} if kind is ModelType.LLM else {"streaming": True}
    with pytest.raises(InvokeConnectionError, match="gone in the middle"):
        list(model.invoke(**base(provider), **what, **switch))


def test_2_an_error_is_told_whatever_its_class_and_module_are_called() -> None:
    """Upstream raises IndexError for a class of a module without two dots, and calls its provider
    `models`.
    """

    class Failing(ModerationModel):
        def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None: ...

        @property
        def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
            return {InvokeConnectionError: [OSError]}

        def _invoke(
            self, model: str, credentials: dict[str, Any], text: str, user: str | None = None
        ) -> bool:
            raise ConnectionRefusedError("nobody there")

    for module in ("plain", "two.parts", "a.b.c.d"):
        Failing.__module__ = module
        with pytest.raises(InvokeConnectionError, match="acme could not be reached: nobody there"):
            Failing("acme").invoke("m", {}, "text")


@pytest.mark.parametrize("provider", [name for name in MODULES if name != "echo"])
def test_3_the_mapping_says_what_the_seed_says_and_no_exception_stands_twice(provider: str) -> None:
    """Upstream calls a refused connection an unavailable server, and lists HTTPError in two
    rows.
    """
    found = registry().provider(provider)
    for kind in found.entity.supported_model_types:
        rows = found.get_model_instance(kind)._invoke_error_mapping
        listed = [exception for kinds in rows.values() for exception in kinds]
        assert len(listed) == len(set(listed))
        assert all(issubclass(ours, InvokeError) for ours in rows)


class Unlisted(Exception):
    """Stands in no row."""


def cause_of(kind: type[Exception]) -> Exception:
    """Make an exception of a library, whatever its kind wants to be made of."""
    try:
        return kind("the cause")
    except TypeError:
        return kind.__new__(kind, "the cause")


@pytest.mark.parametrize("provider", [name for name in MODULES if name != "echo"])
def test_3_each_row_of_each_mapping_makes_the_error_it_names(provider: str) -> None:
    """Every exception a row lists becomes that row's error, with the cause in its words and a
    remedy.
    """
    found = registry().provider(provider)
    for kind in found.entity.supported_model_types:
        model = found.get_model_instance(kind)
        for ours, exceptions in model._invoke_error_mapping.items():
            for exception in exceptions:
                cause = cause_of(exception)
                with pytest.raises(ours) as caught, model.mapped_errors():
                    raise cause
                assert str(cause) in caught.value.text
                assert type(caught.value) is ours
                assert caught.value.__cause__ is cause
                assert caught.value.remedy
        with pytest.raises(InvokeError, match="nobody listed it") as caught, model.mapped_errors():
            raise Unlisted("nobody listed it")
        assert type(caught.value) is InvokeError


@pytest.mark.parametrize(
    ("status", "ours"),
    [
        (400, InvokeBadRequestError),
        (401, InvokeAuthorizationError),
        (429, InvokeRateLimitError),
        (500, InvokeServerUnavailableError),
        (503, InvokeServerUnavailableError),
    ],
)
def test_3_a_server_that_fails_is_not_a_bad_request(status: int, ours: type[InvokeError]) -> None:
    from backends.providers.openai_compatible.failures import ServerError, of_status

    assert type(of_status(status, ServerError("x"), "host")) is ours


def test_3_a_refused_connection_is_a_connection_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
    with pytest.raises(InvokeConnectionError):
        registry().model(REMOTE, ModelType.MODERATION).invoke("m", {"base_url": address}, "text")  # type: ignore[attr-defined]


@pytest.mark.parametrize("stop", [".", "*", "(", "[a", "\\", "a|b", "$"])
def test_4_a_stop_text_means_itself(stop: str) -> None:
    """Upstream takes it for a pattern: "." empties the text and "*" raises."""
    for cut in range(1, 12):
        stream, text = TextStream([stop]), f"Hello you{stop} and more"
        shown = (
            stream.feed(text[:cut].encode()) + stream.feed(text[cut:].encode()) + stream.finish()
        )
        assert shown == "Hello you"


def test_4_the_longest_stop_text_wins_and_half_of_one_is_shown_in_the_end() -> None:
    for stops in (["#", "###"], ["###", "#"]):
        stream = TextStream(stops)
        assert stream.feed(b"a##") + stream.feed(b"# b") + stream.finish() == "a"
    stream = TextStream(["END"])
    assert stream.feed(b"the EN") == "the "
    assert stream.finish() == "EN"


@PROVIDERS
def test_5_true_is_no_number(provider: str) -> None:
    """Upstream takes True for 1."""
    model: Any = registry().model(provider, ModelType.LLM)
    for name in ("temperature", "max_tokens"):
        with pytest.raises(InvokeBadRequestError, match="number"):
            list(
                model.invoke(
                    **base(provider), prompt_messages=said("a"), model_parameters={name: True}
                )
            )


@pytest.mark.parametrize("provider", ["llama_cpp", REMOTE])
def test_5_a_temperature_of_three_decimals_is_one(provider: str) -> None:
    """Upstream's template wants two; ours keeps that for models whose file says so, and no engine's
    does.
    """
    known = {"base_url": "http://127.0.0.1:1"} if provider == REMOTE else {}
    model = registry().model(provider, ModelType.LLM)
    assert model.checked_parameters("any", known, {"temperature": 0.333}) == {"temperature": 0.333}


@PROVIDERS
def test_6_counting_tokens_needs_no_network(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Upstream fetches a vocabulary from the internet, and fails where there is none."""

    def no_network(*_: Any, **__: Any) -> Any:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    llm: Any = registry().model(provider, ModelType.LLM)
    embedder: Any = registry().model(provider, ModelType.TEXT_EMBEDDING)
    texts = ["hello there", "失业率", "", "x" * 200_000]
    for text in texts:
        assert llm.get_num_tokens(**base(provider), prompt_messages=said(text)) >= 0
        assert isinstance(llm._get_num_tokens_by_gpt2(text), int)
    assert isinstance(embedder.get_num_tokens(**base(provider), texts=texts), int)


@PROVIDERS
@pytest.mark.parametrize("stream", [True, False])
def test_7_what_the_caller_gave_is_not_changed(provider: str, stream: bool) -> None:
    """Upstream's JSON mode writes into the caller's messages and stop texts."""
    messages, stop, parameters = said("a b"), ["x"], {"response_format": "JSON", "temperature": 0.5}
    tools = [PromptMessageTool(name="f", description="", parameters={"type": "object"})]
    credentials = dict(base(provider)["credentials"])
    given: list[Any] = [messages, stop, parameters, tools, credentials]
    before = [
        json.dumps(item, default=lambda value: value.model_dump(mode="json")) for item in given
    ]
    model: Any = registry().model(provider, ModelType.LLM)
    refused = provider == REMOTE  # the echo there follows no response_format
    with pytest.raises(UnsupportedParameterError) if refused else nullcontext():
        answer = model.invoke("echo", credentials, messages, parameters, tools, stop, stream)
        if stream:
            list(answer)
    after = [
        json.dumps(item, default=lambda value: value.model_dump(mode="json")) for item in given
    ]
    assert after == before


@PROVIDERS
def test_8_threads_share_a_model_and_each_has_its_own_clock(provider: str) -> None:
    """Upstream's model object keeps the time of a call in itself, and raises when two calls
    meet.
    """
    shared: Any = registry().model(provider, ModelType.LLM)
    told: dict[int, list[Any]] = {}
    start = threading.Barrier(4)

    def run(number: int) -> None:
        start.wait()
        for _ in range(5):
            result = shared.invoke(
                **base(provider), prompt_messages=said(f"thread {number}"), stream=False
            )
            told.setdefault(number, []).append((result.message.text(), result.usage.latency))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: {text for text, _ in results} for number, results in told.items()} == {
        number: {f"thread {number} "} for number in range(4)
    }
    assert all(0 <= latency < 60 for results in told.values() for _, latency in results)


class Scoring(RerankModel):
    """Scores as it is told."""

    SCORES: ClassVar[list[float]] = []

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None: ...

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return {}

    def _invoke(
        self, model: str, credentials: dict[str, Any], query: str, docs: list[str], *_: Any
    ) -> Any:
        rows = enumerate(zip(docs, self.SCORES, strict=True))
        return RerankResult(
            model=model, docs=[RerankDocument(index=i, text=t, score=s) for i, (t, s) in rows]
        )


@pytest.mark.parametrize(
    ("scores", "threshold", "top_n", "kept"),
    [
        ([0.8, 0.7], None, None, [(0, 0.8), (1, 0.7)]),  # not rescaled to 1 and 0
        ([0.8], None, None, [(0, 0.8)]),  # a single one is not 0
        ([0.5, 0.5], None, None, [(0, 0.5), (1, 0.5)]),  # nor are equal ones
        ([3.5, -2.0], None, None, [(0, 3.5), (1, -2.0)]),  # logits stay what they are
        ([0.2, 0.9, 0.5], None, 2, [(1, 0.9), (2, 0.5)]),  # top_n is cut here
        ([0.9, 0.8, 0.5], 0.5, 2, [(0, 0.9), (1, 0.8)]),
        ([0.4, 0.9, 0.5], 0.5, 3, [(1, 0.9), (2, 0.5)]),  # the threshold comes first, and `>=`
        ([0.9, 0.8], None, 0, [(0, 0.9), (1, 0.8)]),
    ],
)
def test_9_scores_are_the_models_own_then_threshold_then_number(
    scores: list[float],
    threshold: float | None,
    top_n: int | None,
    kept: list[tuple[int, float]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Upstream stretches scores between 0 and 1, forgets `top_n`, and cuts before it filters."""
    monkeypatch.setattr(Scoring, "SCORES", scores)
    docs = [str(i) for i in range(len(scores))]
    result = Scoring("acme").invoke("m", {}, "q", docs, threshold, top_n)
    assert [(d.index, d.score) for d in result.docs] == kept
    assert [d.text for d in result.docs] == [docs[d.index] for d in result.docs]


@PROVIDERS
def test_9_scores_are_the_same_through_a_server(provider: str) -> None:
    model: Any = registry().model(provider, ModelType.RERANK)
    for docs, scores in ((["a"], [0.5]), (["a b", "a"], [1.0, 0.5]), (["a", "b"], [0.5, 0.5])):
        result = model.invoke(**base(provider), query="a b", docs=docs)
        assert [d.score for d in result.docs] == scores


def test_an_error_of_ours_passes_unchanged() -> None:
    """The seed lets a model raise the standard errors itself."""
    error = InvokeRateLimitError("busy", "Wait.")
    with (
        pytest.raises(InvokeRateLimitError) as caught,
        registry().model("echo", ModelType.MODERATION).mapped_errors(),
    ):
        raise error
    assert caught.value is error
