"""Forms of providers: what they ask for, as the service describes it."""

from __future__ import annotations

import yaml

from app.domain.provider import choices, read_provider, shown

TOLD = yaml.safe_load("""
provider: echo
label: {en_US: Echo, zh_Hans: 回声}
supported_model_types: [llm, tts]
configurate_methods: [customizable-model]
provider_credential_schema:
  credential_form_schemas:
    - variable: kind
      label: {en_US: Kind, zh_Hans: 种类}
      type: select
      default: local
      options:
        - {label: Local, value: local}
        - {label: Remote, value: remote}
        - {label: Near, value: near, show_on: [{variable: loud, value: "true"}]}
    - {variable: api_key, label: Key, type: secret-input, max_length: 8, show_on: [{variable: kind, value: remote}]}
    - {variable: loud, label: Loud, type: switch, required: false, default: "false"}
model_credential_schema:
  model: {label: {en_US: Name}, placeholder: {en_US: as it is listed}}
  credential_form_schemas:
    - {variable: voice, label: Voice, type: text-input, required: false, show_on: [{variable: __model_type, value: tts}]}
""")


def test_a_field_is_asked_for_only_while_its_conditions_hold() -> None:
    echo = read_provider(TOLD)
    assert [f.variable for f in shown(echo.fields, {})] == ["kind", "loud"]
    assert [f.variable for f in shown(echo.fields, {"kind": "remote"})] == [
        "kind",
        "api_key",
        "loud",
    ]
    assert [f.variable for f in shown(echo.fields, {"kind": ""})] == [
        "kind",
        "loud",
    ]  # open is its default


def test_an_option_is_offered_only_while_its_conditions_hold() -> None:
    kind = read_provider(TOLD).fields[0]
    assert [o.value for o in choices(kind, {})] == ["local", "remote"]
    assert [o.value for o in choices(kind, {"loud": "true"})] == ["local", "remote", "near"]


def test_a_models_form_depends_on_its_type() -> None:
    echo = read_provider(TOLD)
    assert (echo.model_label, echo.model_hint) == ("Name", "as it is listed")
    assert shown(echo.model_fields, {}, "llm") == []
    assert [f.variable for f in shown(echo.model_fields, {}, "tts")] == ["voice"]


def test_labels_come_in_the_language_asked_for_else_in_english() -> None:
    echo = read_provider(TOLD, "zh_Hans")
    assert (echo.label, echo.fields[0].label, echo.fields[1].label) == ("回声", "种类", "Key")
    assert echo.fields[1].secret
    assert echo.fields[1].longest == 8
