"""Vectors, scores, checks, transcripts and voices: what is sent, and what is made of the
answers.
"""

from __future__ import annotations

import io
from typing import Any

import pytest

from backends.flexai.entities import ModelType
from backends.flexai.errors import CredentialsValidateFailedError, InvokeServerUnavailableError
from backends.flexai.registry import load_providers
from tests.unit.backends.providers.openai_compatible.conftest import Scripted, model


def test_vectors_stand_at_the_place_of_their_text(peer: Scripted) -> None:
    for start in (0, 2):
        rows = [{"index": i, "embedding": [float(start + i), 0]} for i in (1, 0)]
        peer.says({"data": rows, "usage": {"prompt_tokens": 5}})
    result = model(ModelType.TEXT_EMBEDDING).invoke(
        "m", peer.credentials(batch_size="2"), ["a", "b", "c", "d"]
    )
    assert [row[0] for row in result.embeddings] == [0, 1, 2, 3]
    assert result.usage.tokens == 10


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [float("nan")]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1}],
    ],
)
def test_vectors_that_are_wrong_are_not_taken(rows: list[Any], peer: Scripted) -> None:
    peer.says({"data": rows})
    with pytest.raises(InvokeServerUnavailableError):
        model(ModelType.TEXT_EMBEDDING).invoke("m", peer.credentials(), ["a", "b"])


@pytest.mark.parametrize("score", ["relevance_score", "score"])
def test_scores_are_the_servers_own_and_cut_here(score: str, peer: Scripted) -> None:
    for rows in ([(1, 3.5), (0, -2.0)], [(0, 3.5)]):
        peer.says({"results": [{"index": i, score: s} for i, s in rows]})
    result = model(ModelType.RERANK).invoke(
        "m", peer.credentials(batch_size="2"), "q", ["a", "b", "c"], -1.0, 0
    )
    assert [(d.index, d.text, d.score) for d in result.docs] == [(1, "b", 3.5), (2, "c", 3.5)]
    assert peer.body(0)["top_n"] == 2


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"index": 0, "score": 1}],
        [{"index": 0}, {"index": 1}],
        [{"index": 0, "score": 1}, {"index": 9, "score": 1}],
    ],
)
def test_scores_that_are_missing_are_told(rows: list[Any], peer: Scripted) -> None:
    peer.says({"results": rows})
    with pytest.raises(InvokeServerUnavailableError):
        model(ModelType.RERANK).invoke("m", peer.credentials(), "q", ["a", "b"])


def test_where_another_server_reranks_is_a_setting(peer: Scripted) -> None:
    peer.says({"results": [{"index": 0, "score": 1}]})
    model(ModelType.RERANK).invoke("m", peer.credentials(rerank_path="score/rerank"), "q", ["a"])
    assert peer.requests[0][0].startswith("POST /v1/score/rerank ")


def test_a_long_text_is_checked_in_pieces_to_its_end(peer: Scripted) -> None:
    peer.says({"results": [{"flagged": False}]})
    peer.says({"results": [{"flagged": True}]})
    assert (
        model(ModelType.MODERATION).invoke("m", peer.credentials(batch_size="1"), "x" * 2001)
        is True
    )
    assert len(peer.body(0)["input"][0]) == 2000


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"results": []},
        {"results": [{}]},
        {"results": [{"flagged": None}]},
        {"results": [{"flagged": "false"}]},
    ],
)
def test_a_check_without_an_answer_is_never_safe(answer: dict[str, Any], peer: Scripted) -> None:
    peer.says(answer)
    with pytest.raises(InvokeServerUnavailableError):
        model(ModelType.MODERATION).invoke("m", peer.credentials(), "text")


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"fLaC", "audio.flac"),
        (b"\0\0\0 ftypM4A ", "audio.m4a"),
        (b"\x1a\x45\xdf\xa3", "audio.webm"),
        (b"??", "audio.mp3"),
    ],
)
def test_a_sound_file_is_sent_under_the_name_of_its_kind(
    head: bytes, name: str, peer: Scripted
) -> None:
    peer.says({"text": " Hello. "})
    file = io.BytesIO(head + bytes(40))
    assert model(ModelType.SPEECH2TEXT).invoke("m", peer.credentials(), file) == "Hello."
    assert f'filename="{name}"'.encode() in peer.requests[0][2]
    assert file.tell() == 0


def test_a_transcript_keeps_times_words_and_spaces(peer: Scripted) -> None:
    peer.says(
        {
            "text": "One two. Three.", "language": "en", "duration": 2.5,
            "segments": [{"id": 0, "start": 0, "end": 1, "text": "One two."}, {"id": 1, "start": 1, "end": 2, "text": "Three."}],
            "words": [{"word": "One", "start": 0, "end": 0.4}, {"word": "Three", "start": 1.0, "end": 2}],
        }
    )  # fmt: skip
    told = model(ModelType.SPEECH2TEXT).transcribe(
        "m", peer.credentials(), io.BytesIO(b"RIFF"), language="en", words=True
    )
    assert (told.text, told.duration, told.language) == ("One two. Three.", 2.5, "en")
    assert [[w.word for w in s.words] for s in told.segments] == [[" One"], [" Three"]]
    assert b"timestamp_granularities[]" in peer.requests[0][2]


def test_a_voice_is_the_default_where_none_is_named(peer: Scripted) -> None:
    peer.says(b"RIFF", kind="audio/wav")
    tts, known = model(ModelType.TTS), peer.credentials(voices="ann, bob")
    assert tts.get_tts_model_voices("m", known) == [{"name": n, "value": n} for n in ("ann", "bob")]
    for options, voice in (({}, "ann"), ({"voice": "bob"}, "bob"), ({"voice": None}, "ann")):
        tts.invoke("m", known, "Hi", streaming=False, **options)
        assert peer.body()["voice"] == voice


@pytest.mark.parametrize(
    ("body", "kind"), [(b"", "audio/wav"), (b"{}", "application/json"), (b"<html>", "text/html")]
)
def test_what_is_no_sound_is_not_played(body: bytes, kind: str, peer: Scripted) -> None:
    peer.says(body, kind=kind)
    with pytest.raises(InvokeServerUnavailableError):
        model(ModelType.TTS).invoke("m", peer.credentials(), "Hi", streaming=False)


def test_the_provider_is_installed_and_its_server_is_checked(peer: Scripted) -> None:
    provider = load_providers().provider("openai_compatible")
    assert set(provider.entity.supported_model_types) == set(ModelType) - {ModelType.OCR}
    peer.says({"object": "list", "data": [{"id": "m"}]})
    provider.validate_provider_credentials(peer.credentials())
    peer.answers.clear()
    listed = [("a", "rerank"), ("b", "ocr"), ("c", "unheard of")]
    peer.says({"object": "list", "data": [{"id": name, "type": kind} for name, kind in listed]})
    assert provider.list_models(peer.credentials()) == [
        {"model": "a", "type": "rerank"},
        {"model": "c", "type": None},
    ]
    peer.answers.clear()
    peer.says("<html>", kind="text/html")
    with pytest.raises(CredentialsValidateFailedError, match="web page"):
        provider.validate_provider_credentials(peer.credentials())


def test_a_model_that_is_not_there_is_told_with_those_that_are(peer: Scripted) -> None:
    peer.says({"error": {"message": "no such model"}}, status="404 Not Found")
    peer.says({"object": "list", "data": [{"id": "llama"}, {"id": "qwen"}]})
    with pytest.raises(CredentialsValidateFailedError, match="no such model") as caught:
        model(ModelType.LLM).validate_credentials("m", peer.credentials())
    assert caught.value.remedy == "It lists: llama, qwen."
