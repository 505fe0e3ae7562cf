"""OpenAI's own client and other people's requests, against our service with models of every
type.
"""

from __future__ import annotations

import io
import wave
from typing import TYPE_CHECKING, Any, cast

import av
import httpx
import openai
import pytest
from pydantic import BaseModel, ValidationError

from tests.contract.conftest import LOOPBACK, REMOTE

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.parametrize("provider", [REMOTE])


@pytest.fixture
def client() -> Iterator[openai.OpenAI]:
    with openai.OpenAI(
        base_url=LOOPBACK["base_url"], api_key=LOOPBACK["api_key"], max_retries=0
    ) as made:
        yield made


def ask(path: str, body: dict[str, Any]) -> httpx.Response:
    headers = {"Authorization": f"Bearer {LOOPBACK['api_key']}"}
    return httpx.post(LOOPBACK["base_url"] + path, json=body, headers=headers, timeout=60)


def test_harm_is_found_text_by_text(client: openai.OpenAI, provider: str) -> None:
    told = client.moderations.create(input=["kind", "some harm", " "], model="echo")
    assert [result.flagged for result in told.results] == [False, True, False]
    assert told.model == "echo"
    parts: Any = [{"type": "text", "text": "harm"}]
    assert client.moderations.create(input=parts).results[0].flagged is True


def test_a_check_that_fails_is_an_error(client: openai.OpenAI, provider: str) -> None:
    with pytest.raises(openai.InternalServerError, match="could not be reached"):
        client.moderations.create(input="OFFLINE")


def test_a_call_of_a_tool_reaches_the_client_whole_and_streamed(
    client: openai.OpenAI, provider: str
) -> None:
    tool: Any = {
        "type": "function",
        "function": {"name": "look_up", "parameters": {"type": "object"}},
    }
    asked: Any = {
        "model": "echo",
        "messages": [{"role": "user", "content": 'Well CALL:look_up:{"row":1}'}],
        "tools": [tool],
    }
    whole = client.chat.completions.create(**asked).choices[0]
    assert (whole.message.content, whole.finish_reason) == ("Well ", "tool_calls")
    assert whole.message.tool_calls is not None
    call: Any = whole.message.tool_calls[0]
    assert (call.id, call.function.name, call.function.arguments) == (
        "call_1",
        "look_up",
        '{"row":1}',
    )
    chunks = [c.choices[0] for c in client.chat.completions.create(**asked, stream=True)]
    pieces = [piece for chunk in chunks for piece in chunk.delta.tool_calls or []]
    assert [(p.index, p.id, p.function and p.function.name) for p in pieces] == [
        (0, "call_1", "look_up")
    ]
    assert chunks[-1].finish_reason == "tool_calls"


@pytest.mark.parametrize(
    ("words", "calls"),
    [
        # two whole calls, a chunk each
        ('PIECE:a:f:{"x":1} PIECE:b:g:{"y":2}', [("a", "f", '{"x":1}'), ("b", "g", '{"y":2}')]),
        # fragments that name their call, taking turns
        ('PIECE:a:f: PIECE:b:g:{"y" PIECE:a::{"x":1} PIECE:b:::2}', [("a", "f", '{"x":1}'), ("b", "g", '{"y":2}')]),
        # fragments that name it once
        ('PIECE:a:f:{"x" PIECE::::1} PIECE:b:g: PIECE:::{}', [("a", "f", '{"x":1}'), ("b", "g", "{}")]),
        # fragments that repeat id and name
        ('PIECE:a:f:{"x" PIECE:a:f::1}', [("a", "f", '{"x":1}')]),
        # two calls with one id, and none with any
        ('PIECE:a:f:{"x":1} PIECE:a:f:{"x":2}', [("a", "f", '{"x":1}'), (None, "f", '{"x":2}')]),
        ("PIECE::f:{} PIECE::g:{}", [(None, "f", "{}"), (None, "g", "{}")]),
    ],
)  # fmt: skip
def test_calls_in_chunks_of_their_own_keep_their_place_and_fragments_are_joined(
    client: openai.OpenAI, provider: str, words: str, calls: list[tuple[str | None, str, str]]
) -> None:
    asked: Any = {"model": "echo", "messages": [{"role": "user", "content": words}]}
    whole: Any = client.chat.completions.create(**asked).choices[0].message.tool_calls
    with client.chat.completions.stream(**asked) as events:
        streamed: Any = events.get_final_completion().choices[0].message.tool_calls
    for found in (whole, streamed):
        told = [(call.id, call.function.name, call.function.arguments) for call in found]
        assert len({call.id for call in found}) == len(found)
        assert [
            (known and made, *rest) for (made, *rest), (known, *_) in zip(told, calls, strict=True)
        ] == calls


def test_documents_are_ranked_in_the_shape_of_others(provider: str) -> None:
    body = {"model": "echo", "query": "a b", "documents": ["b", {"text": "x"}, "a b"]}
    told = ask("/rerank", body | {"top_n": 2}).json()
    assert [(row["index"], row["relevance_score"]) for row in told["results"]] == [
        (2, 1.0),
        (0, 0.5),
    ]
    assert told["results"][0]["document"] == {"text": "a b"}
    bare = ask(
        "/rerank", body | {"return_documents": False, "score_threshold": 0.5, "top_n": 0}
    ).json()
    assert bare["results"] == [
        {"index": 2, "relevance_score": 1.0},
        {"index": 0, "relevance_score": 0.5},
    ]
    assert ask("/rerank", {"query": "a", "documents": []}).json()["results"] == []
    assert ask("/rerank", {"query": "a", "documents": [7]}).status_code == 422


def hi(words: str = "one two") -> Any:
    return [{"role": "user", "content": words}]


@pytest.mark.parametrize("form", ["mp3", "opus", "aac", "flac", "wav", None])
@pytest.mark.parametrize("model", ["tiny-piper", "system-voice"])
def test_speech_comes_in_every_form_and_says_its_true_length(
    client: openai.OpenAI, provider: str, model: str, form: Any
) -> None:
    asked: Any = {"model": model, "voice": "alloy", "input": "The cat sat on the mat. It was red."}
    raw = client.audio.speech.create(**asked, response_format="pcm").read()
    answer = client.audio.speech.create(**asked, **({"response_format": form} if form else {}))
    names = {"mp3": "mp3", "opus": "ogg", "aac": "aac", "flac": "flac", "wav": "wav", None: "mp3"}
    made = answer.read()
    if form == "wav":  # the header's own sizes: ffmpeg would make up for wrong ones
        assert int.from_bytes(made[4:8], "little") == len(made) - 8
        with wave.open(io.BytesIO(made)) as whole:
            assert whole.getnframes() * 2 == len(made) - 44
    with av.open(io.BytesIO(made), "r") as sound:
        assert sound.format.name == names[form]
        frames = list(sound.decode(audio=0))
        seconds = sum(frame.samples for frame in frames) / frames[0].sample_rate
        assert seconds == pytest.approx(len(raw) / 2 / 24000, abs=0.15)
        if form in ("wav", "flac"):  # sizes at the beginning, for players that believe them
            assert sound.duration
            assert sound.duration / 1e6 == pytest.approx(seconds, abs=0.01)
    assert answer.response.headers["content-type"].startswith("audio/")


def test_a_voice_that_knows_no_form_is_asked_for_none(provider: str) -> None:
    body = {"model": "echo", "input": "letters, and no sound", "response_format": "mp3"}
    told = ask("/audio/speech", body)
    assert (told.status_code, "no readable sound" in told.text) == (503, True)


def test_vectors_are_cut_to_the_dimensions_asked_for_and_tokens_are_refused(
    client: openai.OpenAI, provider: str
) -> None:
    asked: Any = {"model": "tiny-embedder", "input": ["a cat", "a dog"]}
    whole = client.embeddings.create(**asked).data
    cut = client.embeddings.create(
        **asked, dimensions=4
    ).data  # as base64, which the client asks for
    for one, short in zip(whole, cut, strict=True):
        assert len(short.embedding) == 4
        assert sum(x * x for x in short.embedding) == pytest.approx(1, abs=1e-4)
        ratio = short.embedding[0] / one.embedding[0]
        assert [x * ratio for x in one.embedding[:4]] == pytest.approx(short.embedding, abs=1e-4)
    with pytest.raises(openai.BadRequestError, match="not 99999") as caught:
        client.embeddings.create(**asked, dimensions=99999)
    assert (caught.value.code, caught.value.param) == ("unsupported_parameter", "dimensions")
    tokens: Any
    for tokens in ([1, 2, 3], [[1, 2], [3]]):
        with pytest.raises(openai.BadRequestError, match="Send text") as caught:
            client.embeddings.create(model="tiny-embedder", input=tokens)
        assert caught.value.param == "input"


def test_a_conversation_that_is_too_long_has_openais_code(
    client: openai.OpenAI, provider: str
) -> None:
    asked: Any = {"model": "tiny-llama", "messages": hi("word " * 9000)}
    for stream in (False, True):
        with pytest.raises(openai.BadRequestError, match="tokens, but the model accepts") as caught:
            client.chat.completions.create(**asked, stream=stream)
        assert caught.value.code == "context_length_exceeded"
    with pytest.raises(openai.NotFoundError) as missing:
        client.chat.completions.create(model="nobody", messages=hi())
    assert missing.value.code == "model_not_found"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("logprobs", True),
        ("top_logprobs", 3),
        ("logit_bias", {"5": 1}),
        ("seed", 7),
        ("reasoning_effort", "high"),
        ("store", True),
        ("functions", [{"name": "f"}]),
        ("web_search_options", {}),
        ("response_format", {"type": "json_object"}),
        ("unheard_of", 1),
    ],
)
def test_what_a_model_does_not_follow_is_refused_by_name(
    client: openai.OpenAI, provider: str, field: str, value: Any
) -> None:
    with pytest.raises(openai.BadRequestError, match=field) as caught:
        client.chat.completions.create(model="echo", messages=hi(), extra_body={field: value})
    assert (caught.value.code, caught.value.param) == ("unsupported_parameter", field)


def test_what_asks_for_nothing_and_what_is_the_models_own_is_taken(
    client: openai.OpenAI, provider: str
) -> None:
    nothing: Any = {
        "logprobs": False,
        "logit_bias": {},
        "user": "me",
        "metadata": {"a": "b"},
        "parallel_tool_calls": True,
        "presence_penalty": 0,
        "top_p": 1,
        "store": False,
        "service_tier": "auto",
    }
    told = client.chat.completions.create(model="echo", messages=hi(), **nothing)
    assert told.choices[0].message.content == "one two "
    own = {"format": "plain"}  # a parameter of this provider, checked by its rule
    assert client.chat.completions.create(model="echo", messages=hi(), extra_body=own)
    with pytest.raises(openai.BadRequestError, match="must be one of plain, json"):
        client.chat.completions.create(model="echo", messages=hi(), extra_body={"format": "x"})


def test_several_answers_come_whole_and_streamed(client: openai.OpenAI, provider: str) -> None:
    asked: Any = {"model": "echo", "messages": hi(), "n": 3}
    whole = client.chat.completions.create(**asked)
    assert [(c.index, c.message.content) for c in whole.choices] == [
        (n, "one two ") for n in range(3)
    ]
    assert whole.usage
    assert (whole.usage.prompt_tokens, whole.usage.completion_tokens) == (2, 6)
    said = dict.fromkeys(range(3), "")
    for chunk in client.chat.completions.create(**asked, stream=True):
        said[chunk.choices[0].index] += chunk.choices[0].delta.content or ""
    assert said == dict.fromkeys(range(3), "one two ")
    with pytest.raises(openai.UnprocessableEntityError, match="n"):
        client.chat.completions.create(model="echo", messages=hi(), n=99)


def test_results_of_functions_as_they_were_before_tools_are_read(
    client: openai.OpenAI, provider: str
) -> None:
    messages: Any = [
        *hi(),
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "seven eight"},
    ]
    told = client.chat.completions.create(model="echo", messages=messages)
    assert told.choices[0].message.content == "seven eight "


def test_completions_go_on_with_the_text_as_it_stands(client: openai.OpenAI, provider: str) -> None:
    asked: Any = {"model": "tiny-llama", "prompt": ["The cat", "A dog"], "temperature": 0}
    whole = client.completions.create(**asked, max_tokens=4)
    assert [c.index for c in whole.choices] == [0, 1]
    assert whole.usage
    assert whole.usage.completion_tokens <= 8
    chat: Any = client.chat.completions.create(
        model="tiny-llama", messages=hi("The cat"), max_tokens=4, temperature=0
    )
    # the bare text alone: no template around it
    assert whole.usage.prompt_tokens < chat.usage.prompt_tokens
    said = ["", ""]
    for chunk in client.completions.create(**asked, max_tokens=4, stream=True):
        said[chunk.choices[0].index] += chunk.choices[0].text
    assert said == [c.text for c in whole.choices]
    with pytest.raises(openai.BadRequestError, match="accepts messages"):
        client.completions.create(model="echo", prompt="a")
    with pytest.raises(openai.BadRequestError, match="token ids"):
        client.completions.create(model="tiny-llama", prompt=[1, 2])


def test_a_response_is_made_whole_and_streamed(client: openai.OpenAI, provider: str) -> None:
    items: Any = [
        {"role": "user", "content": [{"type": "input_text", "text": "before"}]},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "7"},
        {"role": "user", "content": "one THINK:hm two"},
    ]
    asked: Any = {"model": "echo", "instructions": "Be brief.", "input": items}
    whole = client.responses.create(**asked, max_output_tokens=50)
    assert (whole.status, whole.output_text) == ("completed", "one two ")
    assert [item.type for item in whole.output] == ["message", "reasoning", "message"]
    assert whole.usage
    assert whole.usage.total_tokens == whole.usage.input_tokens + whole.usage.output_tokens
    of_tool = client.responses.create(model="echo", input=items[:3])
    assert of_tool.output_text == "7 "  # what a function returned is the last that was said
    with client.responses.stream(**asked) as events:
        kinds = [event.type for event in events]
        final = events.get_final_response()
    assert final.output_text == "one two "
    assert kinds[:2] == ["response.created", "response.in_progress"]
    assert kinds[-1] == "response.completed"


def test_a_response_calls_tools_one_after_another(client: openai.OpenAI, provider: str) -> None:
    tool: Any = {"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": False}
    words = 'Well PIECE:a:f:{"x" PIECE:a:f::1} PIECE:b:f:{}'
    asked: Any = {"model": "echo", "input": words, "tools": [tool]}
    for made in (client.responses.create(**asked), streamed(client, **asked)):
        calls = [item for item in made.output if item.type == "function_call"]
        assert [(c.call_id, c.name, c.arguments) for c in calls] == [
            ("a", "f", '{"x":1}'),
            ("b", "f", "{}"),
        ]


def streamed(client: openai.OpenAI, **asked: Any) -> Any:
    """Return a response that came as a stream, put together by the client."""
    with client.responses.stream(**asked) as events:
        return events.get_final_response()


class Letter(BaseModel):
    greeting: str
    body: str


@pytest.mark.filterwarnings("ignore::UserWarning")  # the client's own, of what it parsed
def test_an_answer_bound_to_a_type_without_enough_tokens_is_incomplete_as_openais_is(
    client: openai.OpenAI, provider: str
) -> None:
    form: Any = {"type": "json_schema", "name": "Letter", "schema": Letter.model_json_schema()}
    asked: Any = {"model": "tiny-llama", "input": "Write.", "max_output_tokens": 4}
    whole = client.responses.create(**asked, text={"format": form})
    events = list(client.responses.create(**asked, text={"format": form}, stream=True))
    for made in (whole, cast("Any", events[-1]).response):
        assert (made.status, made.incomplete_details.reason) == ("incomplete", "max_output_tokens")
        assert [item.status for item in made.output] == ["incomplete"]
        assert made.error is None
    assert events[-1].type == "response.incomplete"
    with pytest.raises(ValidationError, match="EOF while parsing"):  # the client's, of half a text
        client.responses.parse(**asked, text_format=Letter)
    said: Any = {"model": "tiny-llama", "messages": [{"role": "user", "content": "Write."}]}
    with pytest.raises(openai.LengthFinishReasonError):
        client.chat.completions.parse(**said, max_tokens=4, response_format=Letter)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"previous_response_id": "resp_1"}, "previous_response_id"),
        ({"tools": [{"type": "web_search"}]}, "tools\\[0\\].type web_search"),
        ({"input": [{"type": "computer_call"}]}, "input\\[0\\].type computer_call"),
        ({"reasoning": {"effort": "low"}}, "reasoning"),
        ({"background": True}, "background"),
    ],
)
def test_what_a_response_cannot_be_is_refused_by_name(
    client: openai.OpenAI, provider: str, fields: Any, name: str
) -> None:
    asked: Any = {"model": "echo", "input": "a"} | fields
    with pytest.raises(openai.BadRequestError, match=name) as caught:
        client.responses.create(**asked)
    assert caught.value.code == "unsupported_parameter"


def test_an_error_in_a_response_ends_its_stream(client: openai.OpenAI, provider: str) -> None:
    made = list(client.responses.create(model="echo", input="one two OFFLINE", stream=True))
    assert made[-1].type == "response.failed"
    assert "could not be reached" in str(made[-1].response.error)
    with pytest.raises(openai.InternalServerError, match="could not be reached"):
        client.responses.create(model="echo", input="OFFLINE")


@pytest.mark.filterwarnings("ignore:deprecated:DeprecationWarning")  # one of the client's own forms
def test_a_translation_is_asked_for_and_refused_by_models_that_make_none(
    client: openai.OpenAI, provider: str
) -> None:
    sound = client.audio.speech.create(
        model="tiny-piper", voice="alloy", input="The cat sat.", response_format="wav"
    ).read()
    for model in ("tiny-faster_whisper", "echo"):  # one knows English only, one does not translate
        with pytest.raises(
            openai.BadRequestError, match=r"translates nothing|not translate"
        ) as caught:
            client.audio.translations.create(model=model, file=("a.wav", sound))
        assert caught.value.code == "unsupported_parameter"
    with pytest.raises(openai.BadRequestError, match="chunking_strategy"):
        client.audio.transcriptions.create(
            model="echo", file=("a.wav", sound), chunking_strategy="auto"
        )


def test_an_embedder_that_is_named_orders_documents_and_is_named_as_what_it_is(
    provider: str,
) -> None:
    body = {"model": "tiny-embedder", "query": "a cat", "documents": ["a dog", "a cat"]}
    told = ask("/rerank", body).json()
    assert "error" not in told, told
    assert (told["model"], told["results"][0]["index"]) == ("tiny-embedder", 1)
    assert told["note"].startswith(
        "tiny-embedder is not a reranker. The embedder tiny-embedder ordered"
    )
    assert ask("/rerank", body | {"model": "nobody"}).status_code == 404


def test_only_pages_of_the_list_may_ask_from_a_browser(provider: str) -> None:
    url = LOOPBACK["base_url"] + "/chat/completions"
    wants = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    page = {"Origin": "http://localhost:3000"}
    allowed = httpx.options(url, headers=page | wants)  # a browser sends no token with it
    assert allowed.status_code == 204
    assert allowed.headers["access-control-allow-origin"] == "http://localhost:3000"
    assert "authorization" in allowed.headers["access-control-allow-headers"]
    for origin in ("http://evil.example", "null"):
        refused = httpx.options(url, headers={"Origin": origin} | wants)
        assert refused.status_code == 403
        assert "access-control-allow-origin" not in refused.headers
    key = {"Authorization": f"Bearer {LOOPBACK['api_key']}"}
    answer = httpx.get(LOOPBACK["base_url"] + "/models", headers=page | key)
    assert answer.headers["access-control-allow-origin"] == "http://localhost:3000"
    assert answer.headers["vary"] == "Origin"
    assert httpx.get(LOOPBACK["base_url"] + "/models", headers=page).status_code == 401
