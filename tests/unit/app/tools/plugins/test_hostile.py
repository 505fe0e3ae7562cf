"""Servers that answer with garbage, and those that would have us ask elsewhere: nothing breaks,
nothing leaks.
"""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from app.domain.errors import PluginRefused, ToolError
from app.domain.tool import ToolAnswer
from app.tools.plugins.call import ANSWER_BYTES, called
from app.tools.plugins.discovery import find, logo_of
from app.tools.plugins.manifest import read_manifest
from app.tools.plugins.operations import read_specification
from app.tools.web import Web, WebRequest, kind_of, origin_of
from tests.unit.app.tools.plugins.site import MANIFEST, Site, serving, spec_of, text


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site(spec=spec_of(run={}, once={}, read={"method": "get"}))) as made:
        yield made


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    made = Web()
    yield made
    await made.aclose()


async def ask(site: Site, web: Web, name: str = "run", **settings: Any) -> ToolAnswer:
    manifest = read_manifest(text(MANIFEST), f"{site.url}/ai-plugin.json")
    operations = read_specification(
        text(site.spec), f"{site.url}/openapi.json", manifest
    ).operations
    operation = next(o for o in operations if o.name == name)
    secret = {"authorization": "Bearer s3cret"}
    return await called(
        web, operation, {}, {origin_of(site.url): "loopback"}, secret, pause=0, **settings
    )


@pytest.mark.parametrize(
    "status", [200, 201, 204, 300, 301, 304, 400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 599]
)
async def test_every_status_is_told_as_it_is_and_no_write_is_repeated(
    site: Site, web: Web, status: int
) -> None:
    site.answer = lambda _: (status, {"location": "/other"}, b'{"result": "OK"}')
    answer = await ask(site, web)
    assert (answer.failed, answer.status) == (not 200 <= status < 300, status)
    assert len(site.heard) == 1
    assert str(status) in answer.note or not answer.failed


async def test_what_only_reads_is_tried_three_times_where_the_service_is_busy(
    site: Site, web: Web
) -> None:
    site.answer = lambda _: (503, {"content-type": "text/plain"}, "缺少example_param".encode())
    answer = await ask(site, web, "read")
    assert (answer.failed, answer.content, len(site.heard)) == (True, "缺少example_param", 3)
    assert "not available" in answer.note
    site.heard.clear()
    site.answer = lambda _: (503 if len(site.heard) < 2 else 200, {}, b'{"a": 1}')
    answer = await ask(site, web, "read")
    assert (answer.failed, answer.content, len(site.heard)) == (False, '{"a": 1}', 2)


def garbage(seed: int) -> tuple[int, dict[str, str], bytes]:
    """Return an answer of wrong types, cut off, of no known letters, or empty."""
    chance = random.Random(seed)
    kinds = [
        "application/json",
        "text/html; charset=utf-16",
        "image/png",
        "text/plain; charset=nonsense",
        "",
    ]
    bodies = [
        b"", b"null", b"[1,2", b'{"result": [[[', chance.randbytes(3000), b"NaN", b"\xff\xfe\x00", b"[" * 20_000,
        json.dumps([None, True, -1e308, "\ud800"]).encode(), b'{"a":1}' * 500, "\u2028".encode() * 50,
    ]  # fmt: skip
    headers = {"content-type": chance.choice(kinds)}
    if chance.random() < 0.2:
        headers["content-length"] = str(
            chance.choice([0, 7, 100_000])
        )  # more or less than there is
    if chance.random() < 0.1:
        headers["content-encoding"] = "gzip"
    return chance.choice([200, 200, 200, 204, 302, 404, 500]), headers, chance.choice(bodies)


async def test_garbage_crashes_nothing(site: Site, web: Web) -> None:
    site.spec = spec_of(
        run={
            "responses": {"200": {"content": {"application/json": {"schema": {"type": "object"}}}}}
        }
    )
    seed = random.randrange(10**9)
    for number in range(60):
        made = garbage(seed + number)
        site.answer = lambda _, made=made: made
        try:
            answer = await ask(site, web, seconds=0.3)
        except ToolError:
            continue
        assert isinstance(answer.content, str), seed
        json.dumps(answer.content)


async def test_an_answer_without_end_is_cut_and_a_slow_one_given_up(site: Site, web: Web) -> None:
    site.answer = lambda _: (200, {"content-type": "text/plain"}, b"x" * (2 * ANSWER_BYTES))
    answer = await ask(site, web)
    assert len(answer.content) == ANSWER_BYTES
    assert "larger than 10 MB" in answer.note

    def trickle() -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n"
        while True:
            yield b"x"

    def mute() -> Iterator[bytes]:
        yield from ()

    site.answer = lambda _: trickle()
    slow = await ask(site, web, seconds=0.2)
    assert slow.failed or len(slow.content) == ANSWER_BYTES
    site.answer = lambda _: mute()
    gone = await ask(site, web, "once")
    assert gone.failed
    assert "may have been carried out" in gone.note
    assert [heard.target for heard in site.heard].count("/once") == 1


async def test_what_is_no_text_is_told_and_kept(site: Site, web: Web) -> None:
    site.answer = lambda _: (200, {"content-type": "image/png"}, b"\x89PNG\r\n\x00\x01")
    answer = await ask(site, web)
    assert (answer.content, answer.full, answer.kind) == ("", b"\x89PNG\r\n\x00\x01", "image/png")
    assert "not text" in answer.note


async def test_secrets_and_questions_stay_with_the_origin_that_was_allowed(
    site: Site, web: Web
) -> None:
    with serving(Site()) as other:
        site.answer = lambda _: (302, {"location": f"{other.url}/steal"}, b"")
        with pytest.raises(ToolError, match="another server"):
            await ask(site, web, "read")
        both = {origin_of(site.url): "loopback", origin_of(other.url): "loopback"}
        await web.ask(
            WebRequest(f"{site.url}/read", secret={"authorization": "s3cret"}),
            both,
            limit=99,
            seconds=9,
        )
        assert site.heard[-1].headers["authorization"] == "s3cret"
        assert "authorization" not in other.heard[0].headers
    site.answer = lambda _: (302, {"location": "http://169.254.169.254/latest/meta-data"}, b"")
    with pytest.raises(ToolError, match="another server"):
        await ask(site, web, "read")
    site.answer = lambda _: (302, {"location": "/read"}, b"")
    with pytest.raises(ToolError, match="redirects too many times"):
        await ask(site, web, "read")


async def test_a_name_that_leads_elsewhere_later_is_not_asked(site: Site) -> None:
    port = site.url.rpartition(":")[2]
    places = ["93.184.216.34"]

    async def resolve(host: str, at: int) -> list[str]:
        return list(places)

    web = Web(resolve)
    name = f"http://rebind.example:{port}"
    assert await web.kind(name) == "public"
    places[:] = ["127.0.0.1"]
    for origins in ({origin_of(name): "public"}, {origin_of(name): "private"}):
        with pytest.raises(ToolError, match="a different kind of network"):
            await web.ask(WebRequest(f"{name}/read"), origins, limit=99, seconds=9)
    assert not site.heard
    answer = await web.ask(
        WebRequest(f"{name}/read"), {origin_of(name): "loopback"}, limit=99, seconds=9
    )
    assert answer.status == 200
    assert site.heard[0].headers["host"] == f"rebind.example:{port}"
    places[:] = ["169.254.169.254"]
    with pytest.raises(ToolError):
        await web.ask(WebRequest(f"{name}/read"), {origin_of(name): "never"}, limit=99, seconds=9)
    await web.aclose()


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("8.8.8.8", "public"),
        ("127.8.9.1", "loopback"),
        ("::1", "loopback"),
        ("10.1.2.3", "private"),
        ("192.168.0.1", "private"),
        ("100.64.0.1", "private"),
        ("fd00::1", "private"),
        ("169.254.169.254", "never"),
        ("fe80::1%eth0", "never"),
        ("0.0.0.0", "never"),
        ("224.0.0.1", "never"),
        ("::ffff:10.0.0.1", "private"),
        ("::ffff:169.254.169.254", "never"),
        ("64:ff9b::7f00:1", "loopback"),
        ("2002:7f00:1::", "loopback"),
        ("nonsense", "never"),
    ],
)
def test_an_address_is_known_for_what_it_is(address: str, kind: str) -> None:
    assert kind_of(address) == kind


@pytest.mark.parametrize(
    "where",
    [
        "http://169.254.169.254/openapi.json",
        "http://10.0.0.1/x",
        "file:///etc/passwd",
        "http://[fe80::1]/x",
    ],
)
async def test_a_plugin_that_points_into_the_network_is_refused(
    site: Site, web: Web, where: str
) -> None:
    site.manifest = MANIFEST | {"api": {"type": "openapi", "url": where}}
    with pytest.raises(PluginRefused):
        await find(web, site.url)
    site.manifest = dict(MANIFEST)
    site.spec = spec_of(run={"servers": [{"url": where}]})
    with pytest.raises(PluginRefused):
        await find(web, site.url)


async def test_what_is_on_offer_is_told_before_it_is_taken(site: Site, web: Web) -> None:
    with serving(Site()) as other:
        site.spec = spec_of(run={"servers": [{"url": other.url}]})
        site.manifest = MANIFEST | {"logo_url": "/logo.svg"}
        found = await find(web, site.url)
        assert found.others == [origin_of(other.url)]
        site.answer = lambda _: (200, {"content-type": "image/svg+xml"}, b"<svg onload='x'/>")
        assert await logo_of(web, found) == b""
        site.answer = lambda _: (200, {"content-type": "image/svg+xml"}, b"\x89PNG\r\n\x1a\n...")
        assert await logo_of(web, found) == b"\x89PNG\r\n\x1a\n..."


async def test_who_publishes_nothing_is_told_so(web: Web) -> None:
    with serving(Site(manifest="")) as site, pytest.raises(ToolError, match="publishes no plugin"):
        await find(web, site.url)
    with pytest.raises(ToolError, match="cannot be reached"):
        await find(web, "http://127.0.0.1:9")
    with pytest.raises(ToolError, match="not a web address"):
        await find(web, "ftp://a.example")
