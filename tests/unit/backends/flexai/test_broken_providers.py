"""A provider somebody else made may be broken: one sentence, and the others work."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from backends.flexai.entities import ModelType
from backends.flexai.errors import CredentialsValidateFailedError
from backends.flexai.registry import Registry

if TYPE_CHECKING:
    from pathlib import Path

SOUND = "from tests.echo_provider import *\nfrom tests.echo_provider import provider_class\n"
YAML = (
    "provider: broken\nlabel: Broken\nsupported_model_types: [llm]\nconfigurate_methods:"
    " [predefined-model]\n"
)
MODEL = "model: m\nlabel: M\nmodel_type: llm\nparameter_rules:\n- name: t\n  type: float\n"


@pytest.mark.parametrize(
    ("code", "provider", "model", "told"),
    [
        ("import no_such_library\n", YAML, MODEL, "no_such_library"),
        ("", YAML, MODEL, "provider_class"),
        (SOUND, None, MODEL, "provider.yaml"),
        (SOUND, "{", MODEL, "describe itself"),
        (SOUND, "- a list\n", MODEL, "describe itself"),
        (SOUND, YAML, "- a list\n", "describe itself"),
        (SOUND, YAML, "model: [", "describe itself"),
        (SOUND, YAML, MODEL.replace("float", "no such type"), "describe itself"),
        (SOUND, YAML, MODEL + "  use_template: nope\n", "nope"),
        (SOUND, YAML, MODEL.replace("name: t", "title: t"), "describe itself"),
    ],
)
def test_a_broken_provider_is_one_sentence_and_the_others_work(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    code: str,
    provider: str | None,
    model: str,
    told: str,
) -> None:
    name = f"broken_{abs(hash((code, provider, model)))}"
    folder = tmp_path / name
    (folder / "models").mkdir(parents=True)
    (folder / "__init__.py").write_text(code)
    if provider is not None:
        (folder / "provider.yaml").write_text(provider)
    (folder / "models" / "m.yaml").write_text(model)
    monkeypatch.syspath_prepend(tmp_path)
    registry = Registry({"broken": name, "echo": "tests.echo_provider"})
    with pytest.raises(CredentialsValidateFailedError, match=told) as caught:
        registry.model("broken", ModelType.LLM)
    assert "'broken'" in caught.value.text
    assert caught.value.remedy
    assert registry.model("echo", ModelType.LLM) is not None
    sys.modules.pop(name, None)
