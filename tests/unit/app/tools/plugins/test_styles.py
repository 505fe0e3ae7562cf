"""Every way OpenAPI has to write a parameter, as it arrives at a server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.domain.errors import ToolError
from app.tools.plugins.call import called
from app.tools.plugins.manifest import read_manifest
from app.tools.plugins.operations import Operation, read_specification
from app.tools.web import Web, origin_of
from tests.unit.app.tools.plugins.site import MANIFEST, Heard, Site, serving, spec_of, text

LIST, OBJECT = ["a b", "c", "ü"], {"R": 100, "g": "x/y"}


def operation_of(url: str, **told: Any) -> Operation:
    manifest = read_manifest(text(MANIFEST), f"{url}/ai-plugin.json")
    return read_specification(text(spec_of(run=told)), f"{url}/openapi.json", manifest).operations[
        0
    ]


async def heard_of(told: dict[str, Any], given: dict[str, Any]) -> Heard:
    """Return what a server hears of a call."""
    with serving(Site()) as site:
        web = Web()
        try:
            answer = await called(
                web, operation_of(site.url, **told), given, {origin_of(site.url): "loopback"}, {}
            )
        finally:
            await web.aclose()
        assert answer.status == 200
        return site.heard[0]


@pytest.mark.parametrize(
    ("place", "style", "explode", "value", "arrives"),
    [
        ("path", None, None, "a b/ü", "/run/a%20b%2F%C3%BC"),
        ("path", None, None, 3.5, "/run/3.5"),
        ("path", None, None, True, "/run/true"),
        ("path", "simple", False, LIST, "/run/a%20b,c,%C3%BC"),
        ("path", "simple", False, OBJECT, "/run/R,100,g,x%2Fy"),
        ("path", "simple", True, OBJECT, "/run/R=100,g=x%2Fy"),
        ("path", "label", False, LIST, "/run/.a%20b,c,%C3%BC"),
        ("path", "label", True, LIST, "/run/.a%20b.c.%C3%BC"),
        ("path", "label", True, OBJECT, "/run/.R=100.g=x%2Fy"),
        ("path", "matrix", False, "x", "/run/;p=x"),
        ("path", "matrix", False, LIST, "/run/;p=a%20b,c,%C3%BC"),
        ("path", "matrix", True, LIST, "/run/;p=a%20b;p=c;p=%C3%BC"),
        ("path", "matrix", False, OBJECT, "/run/;p=R,100,g,x%2Fy"),
        ("path", "matrix", True, OBJECT, "/run/;R=100;g=x%2Fy"),
        ("query", None, None, "a&b=c", "/run?p=a%26b%3Dc"),
        ("query", "form", True, LIST, "/run?p=a%20b&p=c&p=%C3%BC"),
        ("query", "form", False, LIST, "/run?p=a%20b,c,%C3%BC"),
        ("query", "form", True, OBJECT, "/run?R=100&g=x%2Fy"),
        ("query", "form", False, OBJECT, "/run?p=R,100,g,x%2Fy"),
        ("query", "spaceDelimited", False, LIST, "/run?p=a%20b%20c%20%C3%BC"),
        ("query", "pipeDelimited", False, LIST, "/run?p=a%20b|c|%C3%BC"),
        ("query", "deepObject", True, OBJECT, "/run?p[R]=100&p[g]=x%2Fy"),
        ("query", "deepObject", True, {"a": {"b": [1, 2]}}, "/run?p[a][b]=1&p[a][b]=2"),
    ],
)
async def test_a_path_and_a_query_arrive_as_their_style_says(
    place: str, style: str | None, explode: bool | None, value: Any, arrives: str
) -> None:
    parameter: dict[str, Any] = {"name": "p", "in": place, "schema": {}}
    parameter |= {"style": style} if style else {}
    parameter |= {"explode": explode} if explode is not None else {}
    told = {
        "method": "get",
        "path": "/run/{p}" if place == "path" else "/run",
        "parameters": [parameter],
    }
    heard = await heard_of(told, {"p": value})
    assert heard.target.replace("%7C", "|").replace("%5B", "[").replace("%5D", "]") == arrives


@pytest.mark.parametrize(
    ("place", "explode", "value", "arrives"),
    [
        ("header", False, "x", "x"),
        ("header", False, [1, 2], "1,2"),
        ("header", False, {"R": 1, "G": 2}, "R,1,G,2"),
        ("header", True, {"R": 1, "G": 2}, "R=1,G=2"),
        ("cookie", True, "a;b", "p=a%3Bb"),
        ("cookie", False, [1, 2], "p=1,2"),
        ("cookie", True, {"R": 1, "G": 2}, "R=1; G=2"),
    ],
)
async def test_headers_and_cookies_arrive_as_their_style_says(
    place: str, explode: bool, value: Any, arrives: str
) -> None:
    told = {
        "method": "get",
        "parameters": [{"name": "p", "in": place, "explode": explode, "schema": {}}],
    }
    heard = await heard_of(told, {"p": value})
    assert heard.headers["p" if place == "header" else "cookie"] == arrives


async def test_a_parameter_may_be_a_document_and_keep_what_is_reserved() -> None:
    told = {
        "method": "get",
        "parameters": [
            {
                "name": "filter",
                "in": "query",
                "content": {"application/json": {"schema": {"type": "object"}}},
            },
            {"name": "url", "in": "query", "allowReserved": True, "schema": {"type": "string"}},
        ],
    }
    heard = await heard_of(told, {"filter": {"a": [1, "b c"]}, "url": "http://x/y?a=1&b"})
    assert (
        heard.target == "/run?filter=%7B%22a%22%3A%5B1%2C%22b%20c%22%5D%7D&url=http://x/y?a%3D1%26b"
    )


def body(media: str, **properties: Any) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties} if properties else {}
    return {"requestBody": {"required": True, "content": {media: {"schema": schema}}}}


async def test_a_json_body_with_chinese_names_arrives_as_it_is_and_so_does_one_of_delete() -> None:
    told = body("application/json", 操作={"type": "string"}, 顺序={"type": "string"})
    for method in ("post", "delete", "put", "patch"):
        heard = await heard_of(told | {"method": method}, {"操作": "插入"})
        assert (heard.method, json.loads(heard.body)) == (method.upper(), {"操作": "插入"})
        assert heard.headers["content-type"] == "application/json"


async def test_forms_arrive_as_forms() -> None:
    heard = await heard_of(
        body("application/x-www-form-urlencoded", a={}, b={}), {"a": "x & y", "b": [1, 2]}
    )
    assert heard.body == b"a=x+%26+y&b=1&b=2"
    heard = await heard_of(body("multipart/form-data", a={}, b={}), {"a": "x", "b": {"c": 1}})
    assert heard.headers["content-type"].startswith("multipart/form-data; boundary=")
    assert heard.body.count(b"Content-Disposition: form-data; name=") == 2
    assert b'\r\n\r\n{"c":1}\r\n' in heard.body


async def test_a_body_that_is_no_object_is_sent_whole() -> None:
    told = {
        "requestBody": {
            "content": {
                "application/json": {"schema": {"type": "array", "items": {"type": "integer"}}}
            }
        }
    }
    assert (await heard_of(told, {"body": [1, 2]})).body == b"[1, 2]"
    assert (await heard_of(body("text/plain"), {"body": "words, 字"})).body == "words, 字".encode()
    assert (await heard_of(told, {})).body == b""


async def test_a_name_in_two_places_is_two_parameters() -> None:
    told = body("application/json", id={"type": "string"}) | {
        "path": "/run/{id}",
        "parameters": [
            {"name": "id", "in": "path", "schema": {}},
            {"name": "id", "in": "query", "schema": {}},
        ],
    }
    heard = await heard_of(told, {"id": "1", "query_id": "2", "body_id": "3"})
    assert (heard.target, json.loads(heard.body)) == ("/run/1?id=2", {"id": "3"})


def test_the_nearest_server_counts_and_variables_have_their_defaults() -> None:
    manifest = read_manifest(text(MANIFEST), "http://a.example/ai-plugin.json")
    document = spec_of(root={}, own={"servers": [{"url": "http://own.example/v2/"}]}, path={})
    document["servers"] = [
        {"url": "{scheme}://root.example", "variables": {"scheme": {"default": "https"}}}
    ]
    document["paths"]["/path"]["servers"] = [{"url": "/relative"}]
    urls = [
        o.url
        for o in read_specification(
            text(document), "http://a.example/x/openapi.json", manifest
        ).operations
    ]
    assert urls == [
        "https://root.example/root",
        "http://own.example/v2/own",
        "http://a.example/relative/path",
    ]


@pytest.mark.parametrize(
    ("place", "value"), [("path", ".."), ("path", ""), ("header", "a\r\nx: y"), ("header", "字")]
)
async def test_a_value_that_would_lead_elsewhere_is_not_sent(place: str, value: str) -> None:
    told = {
        "method": "get",
        "path": "/{p}",
        "parameters": [{"name": "p", "in": place, "schema": {}}],
    }
    with pytest.raises(ToolError):
        await heard_of(told, {"p": value})
