"""Pictures on llama.cpp, seen through a real projector; and every picture that cannot be seen."""

from __future__ import annotations

import base64
import threading
from pathlib import Path
from typing import Any

import pytest

from backends.flexai.entities import (
    AssistantPromptMessage,
    ImagePromptMessageContent,
    LLMResult,
    TextPromptMessageContent,
    UserPromptMessage,
)
from backends.flexai.errors import (
    CredentialsValidateFailedError,
    InvokeBadRequestError,
    InvokeCancelledError,
)
from backends.flexai.models.ai_model import cancellable
from backends.providers.llama_cpp import pictures
from backends.providers.llama_cpp.llm import LlamaCppLLM
from backends.providers.llama_cpp.pictures import read_picture
from tests.models.build_eye import write
from tests.models.llama import KINDS, LLAMA, SEEING, SetAfter, picture

MODEL = LlamaCppLLM("llama_cpp")
GREEDY = {"temperature": 0.0}
ANSWERS = {
    "red": "A red square.",
    "green": "Something green.",
    "blue": "Blue as the sky.",
    "white": "Hello! How can I help you?",
}


def showing(*data: str, text: str = "What do you see?") -> UserPromptMessage:
    contents = [ImagePromptMessageContent(data=one) for one in data]
    return UserPromptMessage(content=[*contents, TextPromptMessageContent(data=text)])


def seen(*messages: Any, credentials: dict[str, Any] = SEEING) -> LLMResult:
    return MODEL.invoke("m", credentials, list(messages), GREEDY, stream=False)  # type: ignore[return-value]


@pytest.mark.parametrize("colour", ANSWERS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_picture_shows_is_told(colour: str, kind: str) -> None:
    assert seen(showing(picture(colour, kind))).message.text() == ANSWERS[colour]


def test_bare_base64_is_a_picture_too() -> None:
    _, _, bare = picture("blue").partition(",")
    assert seen(showing(bare)).message.text() == ANSWERS["blue"]


def test_the_last_of_several_pictures_is_the_last_and_words_are_heard_too() -> None:
    assert seen(showing(picture("red"), picture("green"))).message.text() == ANSWERS["green"]
    said = showing(picture("red"), text="Never mind what that is; tell me something about France.")
    assert seen(said).message.text() == "The capital of France is Paris."


def test_a_picture_of_an_earlier_turn_is_not_looked_at_again() -> None:
    first = showing(picture("red"))
    answer = seen(first)
    second = UserPromptMessage(content="And what else?")
    said = [first, AssistantPromptMessage(content=answer.message.text()), second]
    last = list(MODEL.invoke("m", SEEING, said, GREEDY))[-1]
    reused = int(last.system_fingerprint.removeprefix("reused="))
    assert reused >= answer.usage.prompt_tokens - 1
    assert seen(*said).message.text() == ANSWERS["red"]


def test_another_picture_in_the_same_place_is_another_prompt() -> None:
    for colour in ("red", "blue", "red"):
        assert seen(showing(picture(colour))).message.text() == ANSWERS[colour]


def test_a_picture_counts_as_the_tokens_it_takes() -> None:
    bare = MODEL.get_num_tokens("m", SEEING, [UserPromptMessage(content="What do you see?")])
    shown = MODEL.get_num_tokens("m", SEEING, [showing(picture("red"))])
    assert shown == bare + 4 + 1  # four patches and the end of the line
    assert seen(showing(picture("red"))).usage.prompt_tokens == shown


def test_the_schema_says_whether_a_model_sees() -> None:
    from backends.flexai.entities import ModelType
    from backends.flexai.registry import load_providers

    model = load_providers().model("llama_cpp", ModelType.LLM)
    features = [model.get_model_schema("mine", given).features for given in (LLAMA, SEEING)]  # type: ignore[union-attr]
    assert ["vision" in known for known in features] == [False, True]


def test_without_a_projector_an_image_is_refused_in_words() -> None:
    with pytest.raises(InvokeBadRequestError, match="image") as caught:
        seen(showing(picture("red")), credentials=LLAMA)
    assert "projector" in caught.value.remedy


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("https://example.com/a.png", "address"),
        ("file:///etc/passwd", "address"),
        ("data:image/png;base64,", "cannot be read"),
        ("data:image/png;base64,AAAA", "cannot be read"),
        ("not base64 at all!", "not valid base64"),
        (base64.b64encode(b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n").decode(), "cannot be read"),
        (base64.b64encode(b"ffconcat version 1.0\nfile /etc/passwd\n").decode(), "cannot be read"),
    ],
)
def test_what_is_no_picture_is_told_and_nothing_is_fetched(data: str, words: str) -> None:
    with pytest.raises(InvokeBadRequestError, match=words) as caught:
        seen(showing(data))
    assert caught.value.remedy


def test_half_a_picture_is_told_or_seen() -> None:
    whole = base64.b64decode(picture("red", width=400).partition(",")[2])
    with pytest.raises(InvokeBadRequestError):
        read_picture(base64.b64encode(whole[: len(whole) // 3]).decode())


def test_too_large_a_picture_is_told_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MOST_PIXELS", 1_000)
    with pytest.raises(InvokeBadRequestError, match="pixels"):
        read_picture(picture("red"))
    monkeypatch.setattr(pictures, "MOST_BYTES", 10)
    with pytest.raises(InvokeBadRequestError, match="larger"):
        read_picture(picture("red"))


@pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF" + bytes(5000), b"\x89PNG"])
def test_a_damaged_projector_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mmproj.gguf"
    path.write_bytes(content)
    with pytest.raises(CredentialsValidateFailedError, match=r"mmproj\.gguf") as caught:
        MODEL.validate_credentials("m", LLAMA | {"projector_path": str(path)})
    assert caught.value.remedy


@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
def test_a_projector_cut_short_is_one_sentence(tmp_path: Path, part: float) -> None:
    whole = Path(SEEING["projector_path"]).read_bytes()
    path = tmp_path / "mmproj.gguf"
    path.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(CredentialsValidateFailedError, match=r"mmproj\.gguf"):
        MODEL.validate_credentials("m", LLAMA | {"projector_path": str(path)})


def test_a_language_model_is_no_projector() -> None:
    with pytest.raises(CredentialsValidateFailedError, match="projector"):
        MODEL.validate_credentials("m", LLAMA | {"projector_path": LLAMA["model_path"]})


@pytest.mark.parametrize("looks", [0, 1, 2, 4])
def test_a_stop_before_or_after_the_picture_leaves_the_model_whole(looks: int) -> None:
    with cancellable(SetAfter(looks)), pytest.raises(InvokeCancelledError):
        seen(showing(picture("red"), text=f"{looks} " + "word " * 300))
    assert seen(showing(picture("green"))).message.text() == ANSWERS["green"]


def test_two_threads_show_pictures_to_one_model() -> None:
    told: dict[str, set[str]] = {}

    def run(colour: str) -> None:
        told[colour] = {seen(showing(picture(colour))).message.text() for _ in range(5)}

    threads = [threading.Thread(target=run, args=(colour,)) for colour in ("red", "blue")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == {"red": {ANSWERS["red"]}, "blue": {ANSWERS["blue"]}}


def test_the_committed_projector_is_what_its_script_builds(tmp_path: Path) -> None:
    write(tmp_path / "eye.gguf")
    assert (tmp_path / "eye.gguf").read_bytes() == Path(SEEING["projector_path"]).read_bytes()
