"""Manifests and specifications as strangers write them: mended with a word about it, or refused
with line and reason.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from app.domain.errors import PluginRefused
from app.tools.plugins.manifest import read_manifest
from app.tools.plugins.operations import Specification, read_specification
from app.tools.validation import fault
from tests.unit.app.tools.plugins.site import MANIFEST, spec_of, text

pytestmark = pytest.mark.slow

URL = "http://www.example.com/openapi.yaml"
QIANFAN = """{
"schema_version": "v1",
"name_for_human": "待办事项",
"name_for_model": "ToDoList",
"description": "给自己记录记录待办事项时使用,对待办事项的处理支持插入、删除、查询",
"auth": {
"type": "none"
},
"api": {
"type": "openapi",
"url": "http://www.example.com/openapi.yaml",
"is_user_authenticated": false
},
"contact_email": "support@example.com",
"legal_info_url": "http://www.example.com/legal",
}
"""
TODO = """openapi: 3.0.1
info:
  title: 待办事项
  version: 'v1'
servers:
  - url: <http://www.example.com>
paths:
  /run:
    post:
      operationId: todo
      summary: 对待办事项进行处理
      requestBody:
        required: true
        content:
          application/json:
            schema:
              $ref: '#/components/schemas/todoRequest'
      responses:
        "200":
          description: OK
          content:
            application/json:
              schema:
                $ref: '#/components/schemas/todoResponse'
components:
  schemas:
    todoRequest:
      type: object
      properties:
        操作:
          type: string
          description: 对待办事项的操作方法
          required: true
        顺序:
          type: string
          required: false
        事项:
          type: string
          required: false
    todoResponse:
      type:object
      properties:
        result:
          type: string
"""


def read(document: str | dict[str, Any]) -> Specification:
    return read_specification(
        text(document), URL, read_manifest(text(MANIFEST), "http://www.example.com/ai-plugin.json")
    )


def test_the_seeds_own_sample_works_and_what_was_mended_is_listed() -> None:
    manifest = read_manifest(QIANFAN.encode(), "http://www.example.com/ai-plugin.json")
    assert (manifest.name, manifest.model_name, manifest.id) == ("待办事项", "ToDoList", "todolist")
    assert manifest.warnings == ("manifest, line 15: an extra comma was ignored",)
    found = read(TODO)
    [todo] = found.operations
    assert (todo.name, todo.url, todo.writes) == ("todo", "http://www.example.com/run", True)
    assert todo.input_schema["required"] == ["操作"]
    assert list(todo.input_schema["properties"]) == ["操作", "顺序", "事项"]
    assert todo.answers["properties"] == {"result": {"type": "string"}}
    assert found.warnings == (
        "line 41: a space was inserted after “type:”",
        "servers: the brackets around http://www.example.com were removed",
        "components.schemas.todoRequest: “required: true” was moved from 操作 to the object",
    )


def test_a_manifest_of_chatgpts_kind_is_read() -> None:
    told = MANIFEST | {
        "name_for_model": "待办",
        "auth": {
            "type": "service_http",
            "authorization_type": "bearer",
            "verification_tokens": {"openai": "x"},
        },
        "api": {"type": "openapi", "url": "/v1/openapi.json", "has_user_authentication": "false"},
        "logo_url": "javascript:alert(1)",
        "legal_info_url": "legal.html",
    }
    made = read_manifest(text(told), "https://a.example/.well-known/ai-plugin.json")
    assert made.spec_url == "https://a.example/v1/openapi.json"
    assert (made.auth.way, made.logo, made.legal) == (
        "service_http",
        "",
        "https://a.example/.well-known/legal.html",
    )
    assert made.model_name == "a_example"
    assert "contains more than letters" in made.warnings[0]


@pytest.mark.parametrize(
    ("document", "line", "why"),
    [
        ("{\n'a': 1}", 2, "property name"),
        ('{"a": 1,\n "b" 2}', 2, "':' delimiter"),
        ('{"name_for_model": "x"}', 0, "does not name a specification"),
        ('{\n"api": {\n"type": "graphql", "url": "x"}}', 3, "only openapi"),
        ('{"api": {"url": "x"},\n"auth": {"type": "kerberos"}}', 2, "kerberos"),
        ("[1, 2]", 1, "no fields"),
        ('{"a":' * 5000, 1, "nested too deeply"),
        ("\udcff", 1, "UTF-8"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_refused_with_its_line(
    document: str, line: int, why: str
) -> None:
    with pytest.raises(PluginRefused) as refused:
        read_manifest(
            document.encode("utf-8", "surrogateescape"), "http://a.example/ai-plugin.json"
        )
    assert why in refused.value.text
    assert f"The manifest{f', line {line}' if line else ''}:" in refused.value.text


FLAT = "\n".join(line.strip() for line in TODO.splitlines())  # how the seed prints it


@pytest.mark.parametrize(
    ("document", "line", "why"),
    [
        (FLAT, 7, "no paths"),  # it parses, as one flat object
        ("openapi: 3.0.1\ninfo: {}\npaths:\n", 3, "no paths"),
        ("swagger: '2.0'\npaths: {/a: {}}", 1, "version is 2.0"),
        ("openapi: 3.0.1\npaths:\n  /a: {summary: x}", 2, "no operation"),
        ("openapi: 3.0.1\npaths:\n\t/a: x", 3, "token"),
        (
            "openapi: 3.0.1\npaths:\n  /a: {get: {parameters: [{$ref: 'http://e.example/p'}]}}",
            3,
            "leads elsewhere",
        ),
        ("openapi: 3.0.1\npaths:\n  /b:\n    $ref: '#/nowhere'", 3, "leads nowhere"),
        ("openapi: 3.0.1\npaths:\n  /b:\n    $ref: '#/paths/~1b'", 3, "leads nowhere"),
        ("openapi: !!python/object/apply:os.system ['true']", 0, ""),
        ("a: &a [1]\nopenapi: *b", 2, "undefined alias"),
    ],
)
def test_a_specification_that_cannot_be_used_is_refused_with_its_line(
    document: str, line: int, why: str
) -> None:
    with pytest.raises(PluginRefused) as refused:
        read(document)
    assert why in refused.value.text
    assert not line or f"line {line}:" in refused.value.text


def bomb() -> str:
    lines = ["openapi: 3.0.1", "a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [
        f"{c}: &{c} [{', '.join([f'*{p}'] * 9)}]"
        for p, c in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "document",
    [
        bomb(),
        "openapi: 3.0.1\na: &a {b: *a}",
        "openapi: 3.0.1\nx: " + "[" * 3000 + "]" * 3000,
        "openapi: 3.0.1\nx: " + "a" * 10_000_000,
        yaml.safe_dump({"openapi": "3.0.1", "x": list(range(200_001))}),
    ],
    ids=["bomb", "cycle", "deep", "10 MB", "many values"],
)
def test_a_hostile_document_is_refused_and_costs_nothing(document: str) -> None:
    with pytest.raises(PluginRefused):
        read(document)


def test_a_schema_that_leads_back_into_itself_is_cut_and_that_is_told() -> None:
    document = spec_of(
        run={
            "requestBody": {
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}
            }
        }
    )
    node = {
        "type": "object",
        "properties": {"left": {"$ref": "#/components/schemas/Node"}, "value": {"type": "integer"}},
    }
    found = read(document | {"components": {"schemas": {"Node": node}}})
    schema = found.operations[0].input_schema
    assert schema["properties"] == {"left": {}, "value": {"type": "integer"}}
    assert found.warnings == ("run: left refers to itself; below that point any value is accepted",)
    many = {f"S{n}": {"type": "object", "properties": {k: {"$ref": f"#/components/schemas/S{n + 1}"} for k in "abc"}}
            for n in range(40)} | {"S40": {"type": "string"}}  # fmt: skip
    document["paths"]["/run"]["post"]["requestBody"]["content"]["application/json"]["schema"][
        "$ref"
    ] = "#/components/schemas/S0"
    found = read(document | {"components": {"schemas": many}})
    assert any("too large" in warning for warning in found.warnings)


def test_the_words_of_3_0_become_json_schema() -> None:
    schema = {
        "type": "object",
        "properties": {
            "maybe": {
                "type": "string",
                "nullable": True,
                "enum": ["a", "b"],
                "example": "a",
                "xml": {},
            },
            "above": {"type": "integer", "minimum": 3, "exclusiveMinimum": True},
            "id": {"type": "string", "readOnly": True},
            "odd": {"type": "string", "pattern": "(?<=x)y", "not": {"const": "z"}},
        },
        "required": ["id", "maybe"],
    }
    found = read(
        spec_of(run={"requestBody": {"content": {"application/json": {"schema": schema}}}})
    )
    made = found.operations[0].input_schema
    assert made["properties"] == {
        "maybe": {"type": ["string", "null"], "enum": ["a", "b", None]},
        "above": {"type": "integer", "exclusiveMinimum": 3},
        "odd": {"type": "string"},
    }
    assert made["required"] == ["maybe"]
    assert len(found.warnings) == 2
    assert fault(made, {"maybe": None, "above": 4}) == ""
    assert "above" in fault(made, {"maybe": None, "above": 3})


def test_operations_are_named_once_and_the_nearest_parameter_counts() -> None:
    shared = [
        {"name": "q", "in": "query", "schema": {"type": "string"}},
        {"name": "Host", "in": "header", "schema": {}},
    ]
    own = [{"name": "q", "in": "query", "required": True, "schema": {"type": "integer"}}]
    document = spec_of(a={"method": "get", "parameters": own})
    document["paths"]["/a"]["parameters"] = shared
    document["paths"]["/b"] = {
        "get": {"operationId": "a"},
        "delete": {},
        "put": {"operationId": "改"},
    }
    found = read(document)
    assert [(o.name, o.writes) for o in found.operations] == [
        ("a", False), ("a_2", False), ("put_b", True), ("delete_b", True),
    ]  # fmt: skip
    assert found.operations[0].input_schema == {
        "type": "object", "properties": {"q": {"type": "integer"}}, "required": ["q"],
    }  # fmt: skip
    assert any("Host" in warning for warning in found.warnings)


def test_no_foreign_pattern_is_run_and_nothing_is_fetched_to_check_a_value() -> None:
    assert (
        fault({"type": "object", "properties": {"a": {"pattern": "(a+)+$"}}}, {"a": "a" * 40 + "!"})
        == ""
    )
    assert fault({"$ref": "http://192.0.2.1/schema"}, {}) == ""
