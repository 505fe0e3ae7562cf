"""The numbers of each provider's form: what the form refuses when it is filled in, and what its
engine takes.
"""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from backends.flexai.entities import CredentialFormSchema, NumberRule
from backends.flexai.errors import CredentialsValidateFailedError
from backends.flexai.registry import load_providers
from backends.flexai.schema import check_credential
from backends.providers.faster_whisper.speech2text import WhisperCredentials as Whisper
from backends.providers.llama_cpp.loader import LlamaCredentials as Llama
from backends.providers.onnxruntime.text_embedding import OnnxCredentials as Onnx
from backends.providers.openai_compatible.settings import ServerSettings as Server
from backends.providers.piper.text2speech import PiperCredentials as Piper
from backends.providers.sentence_transformers.engines import SentenceCredentials as Sentences

TAKEN_BY: dict[str, tuple[type[BaseModel], dict[str, Any]]] = {
    "llama_cpp": (Llama, {"model_path": "x"}),
    "faster_whisper": (Whisper, {"model_path": "x"}),
    "piper": (Piper, {"model_path": "x"}),
    "onnxruntime": (Onnx, {"model_path": "x"}),
    "sentence_transformers": (Sentences, {"model_path": "x"}),
    "openai_compatible": (Server, {"base_url": "http://x", "server": "other", "timeout": 1}),
}


def numbers() -> list[tuple[str, CredentialFormSchema]]:
    found: list[tuple[str, CredentialFormSchema]] = []
    for name in TAKEN_BY:
        entity = load_providers().provider(name).entity
        for form in (entity.provider_credential_schema, entity.model_credential_schema):
            found += [
                (name, field)
                for field in (form.credential_form_schemas if form else [])
                if field.number
            ]
    return found


def refused(field: CredentialFormSchema, text: str) -> bool:
    try:
        return not check_credential(field, text)
    except CredentialsValidateFailedError as error:
        return field.variable in error.text


def test_every_number_an_engine_reads_has_its_rule() -> None:
    ruled = {(provider, field.variable) for provider, field in numbers()}
    read = {
        (provider, name)
        for provider, (kind, _) in TAKEN_BY.items()
        for name, told in kind.model_fields.items()
        if any(number in str(told.annotation) for number in ("int", "float", "Decimal"))
    }
    assert ruled == read


@pytest.mark.parametrize(
    ("provider", "field"), [pytest.param(*n, id=f"{n[0]}-{n[1].variable}") for n in numbers()]
)
def test_what_the_form_takes_the_engine_takes(provider: str, field: CredentialFormSchema) -> None:
    kind, given = TAKEN_BY[provider]
    rule = field.number or NumberRule()
    step = 1 if rule.whole else 0.5
    lows = [rule.min if rule.min is not None else (rule.above or 0) + step]
    highs = [rule.max] if rule.max is not None else [lows[0] + 7]
    for number in [*lows, *highs]:
        text = f"{number:.0f}" if rule.whole else f"{number}"
        assert not refused(field, text)
        kind.model_validate(given | {field.variable: text})
    if field.default is not None:
        assert not refused(field, field.default)
    for text in (
        "many",
        "1_0",
        "٣",
        f"{lows[0] - step - 1:g}",
        "" if rule.whole else "nan",
        "1e999",
    ):
        assert refused(field, text), text


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (NumberRule(), "a whole number"),
        (NumberRule(min=1), "a whole number, at least 1"),
        (NumberRule(whole=False, above=0, max=86400), "a number, more than 0 and at most 86400"),
    ],
)
def test_a_rule_is_told_in_words(rule: NumberRule, told: str) -> None:
    field = CredentialFormSchema.model_validate(
        {"variable": "n", "label": "N", "type": "text-input"}
    )
    with pytest.raises(CredentialsValidateFailedError) as caught:
        check_credential(field.model_copy(update={"number": rule}), "x")
    assert caught.value.text == f"N (n) must be {told}, not 'x'."


def test_what_an_engine_would_refuse_is_refused_by_it_too() -> None:
    for kind, given, wrong in (
        (Llama, {"model_path": "x"}, {"n_ctx": "-5"}),
        (Whisper, {"model_path": "x"}, {"beam_size": "0"}),
        (Piper, {"model_path": "x"}, {"n_threads": "-1"}),
        (Onnx, {"model_path": "x"}, {"n_threads": "-1"}),
    ):
        with pytest.raises(ValidationError):
            kind.model_validate(given | wrong)
