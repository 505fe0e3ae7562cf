"""What a library raises for a damaged file or an odd request is one sentence; a mistake of ours is
not.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from backends.catalog.bert_onnx import write_onnx
from backends.flexai.errors import InvokeBadRequestError, native_errors
from backends.providers.llama_cpp.engine import LlamaEngine
from backends.providers.llama_cpp.grammar import grammar_for
from backends.providers.llama_cpp.text import PlainText
from backends.providers.onnxruntime.text_embedding import OnnxTextEmbedding

EMBEDDER = Path(__file__).resolve().parents[3] / "models" / "tiny-embedder"


def told(error: Exception) -> InvokeBadRequestError:
    return InvokeBadRequestError(f"damaged: {error}", "Fetch it again.")


@pytest.mark.parametrize("error", [Exception("bare"), KeyError("of the library")])
def test_a_plain_exception_and_the_kinds_named_are_told(error: Exception) -> None:
    with (
        pytest.raises(InvokeBadRequestError, match="damaged") as caught,
        native_errors(told, KeyError),
    ):
        raise error
    assert caught.value.__cause__ is error


@pytest.mark.parametrize(
    "error", [AssertionError(), MemoryError(), ZeroDivisionError(), KeyboardInterrupt()]
)
def test_every_other_error_passes_as_it_is(error: BaseException) -> None:
    with pytest.raises(type(error)), native_errors(told, KeyError):
        raise error


def graph(folder: Path) -> None:
    """Write a graph that loads."""
    values = [
        helper.make_tensor_value_info(n, TensorProto.INT64, ["a"]) for n in ("ids", "vectors")
    ]
    made = helper.make_graph(
        [helper.make_node("Identity", ["ids"], ["vectors"])], "g", values[:1], values[1:]
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save_model(model, str(folder / "model.onnx"))


WORDS = {"version": "1.0", "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}


@pytest.mark.parametrize(
    "damage",
    [
        {"model.onnx": b""},
        {"model.onnx": b"\x89PNG" * 100},
        {"tokenizer.json": b"{"},
        {"tokenizer.json": b'{"version": "1.0"}'},
        {"tokenizer.json": b"\xff\xfe"},
    ],
)
def test_a_damaged_embedder_is_one_sentence(tmp_path: Path, damage: dict[str, bytes]) -> None:
    graph(tmp_path)
    (tmp_path / "tokenizer.json").write_text(json.dumps(WORDS))
    for name, content in damage.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InvokeBadRequestError, match="cannot be loaded") as caught:
        OnnxTextEmbedding("onnxruntime").get_num_tokens("m", {"model_path": str(tmp_path)}, ["a"])
    assert "download the model again" in caught.value.remedy


@pytest.mark.parametrize("longest", ["-1", "0", "7", "many"])
def test_a_longest_text_that_cannot_be_is_refused(tmp_path: Path, longest: str) -> None:
    settings = {"model_path": str(tmp_path), "max_tokens": longest}
    with pytest.raises(InvokeBadRequestError, match="These settings are not usable"):
        OnnxTextEmbedding("onnxruntime").invoke("m", settings, ["a"])


@pytest.mark.parametrize("left", [0, 4_000, None])
def test_weights_that_are_cut_short_or_gone_are_one_sentence(
    tmp_path: Path, left: int | None
) -> None:
    shutil.copytree(EMBEDDER, tmp_path, dirs_exist_ok=True)
    write_onnx(tmp_path)
    weights = tmp_path / "model.safetensors"
    if left is None:
        weights.unlink()
    else:
        weights.write_bytes(weights.read_bytes()[:left])
    with pytest.raises(InvokeBadRequestError, match="cannot be loaded") as caught:
        OnnxTextEmbedding("onnxruntime").invoke("m", {"model_path": str(tmp_path)}, ["a"])
    assert "download the model again" in caught.value.remedy


def engine(template: str) -> LlamaEngine:
    """Return an engine around a template, without a model."""
    made = LlamaEngine.__new__(LlamaEngine)
    made.llama = SimpleNamespace(  # type: ignore[assignment]
        token_eos=lambda: -1, token_bos=lambda: -1, tokenize=lambda text, **_: list(text)
    )
    made._knows_tools, made._short_ids = True, False
    made._plain = PlainText([], [])
    made._formatter = made._make_formatter(template)
    return made


@pytest.mark.parametrize(
    "template",
    [
        "{{ raise_exception('no system message') }}",
        "{{ messages[7]['role'] }}",
        "{{ messages[0]['content'] + 1 }}",
        "{{ nothing.at.all }}",
        "{{ 1 // 0 }}",
        "{{ 'x'.encode('nope') }}",
        "{{ messages.append(1) }}",
        "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}",
        "{{ messages | no_such_filter }}",
    ],
)
def test_a_template_that_refuses_is_one_sentence(template: str) -> None:
    with pytest.raises(InvokeBadRequestError, match="template"):
        engine(template).render([{"role": "user", "content": "x"}], None)


def test_a_template_that_is_none_is_told_when_the_model_is_loaded() -> None:
    with pytest.raises(InvokeBadRequestError, match="is not valid"):
        engine("{% for %}")


SCHEMAS = st.recursive(
    st.sampled_from([{}, {"type": "string"}, {"type": "string", "pattern": "a+"}, {"$ref": "#/nope"}, {"$ref": "#"},
                     {"enum": [1, "a", None]}, {"type": ["string", "null"]}, {"type": "string", "format": "date"},
                     {"type": "string", "pattern": "^(a|b{2,3})[^\\d]$"}, {"const": {"a": 1}}, {"pattern": "("}]),
    lambda inner: st.one_of(
        st.fixed_dictionaries({"type": st.just("object"), "properties": st.dictionaries(st.sampled_from("ab"), inner)}),
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"additionalProperties": inner}),
        st.fixed_dictionaries({"type": st.just("array"), "prefixItems": st.lists(inner, min_size=1, max_size=2)}),
    ),
    max_leaves=4,
)  # fmt: skip


@given(SCHEMAS)
@settings(max_examples=200, deadline=None)
def test_a_schema_is_bound_or_refused_in_words(schema: dict[str, Any]) -> None:
    try:
        made: Any = grammar_for(json.dumps(schema))
    except InvokeBadRequestError as error:
        made = error.remedy
    assert made
