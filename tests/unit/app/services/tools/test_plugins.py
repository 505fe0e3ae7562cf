"""Plugins as they are kept: taken, looked at anew with each question, changed only with a yes,
signed in to.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest
from typer.testing import CliRunner

from app.adapters.builders import build_belt
from app.cli.commands import app
from app.domain.copilot import RequestOffer
from app.domain.errors import ToolError
from app.domain.tool import Chain
from app.services.consents import Consent, Consents
from app.services.deskpilot import Tools
from tests.unit.app.services.scripted import COPILOT
from tests.unit.app.tools.plugins.site import MANIFEST, Heard, Site, serving, spec_of


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for what is published as long as it takes on a machine that is busy."""
    monkeypatch.setattr("app.tools.plugins.plugin.SECONDS", 60.0)
    monkeypatch.setattr("app.services.tools.toolbox.FRESH_SECONDS", 60.0)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site(spec=spec_of(run={}, read={"method": "get"}))) as made:
        yield made


@asynccontextmanager
async def taken(site: Site) -> AsyncIterator[Tools]:
    """Give tools that have the plugin of a site."""
    async with build_belt() as belt:
        await belt.plugins.add(await belt.plugins.look(site.url))
        yield belt


def found_in(folder: Path, text: str) -> list[Path]:
    return [
        path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()
    ]


async def names(belt: Tools) -> list[str]:
    return [tool["name"] for tool in (await belt.box.offered(RequestOffer(), COPILOT)).tools]


async def test_before_a_write_the_person_sees_the_request_word_for_word(site: Site) -> None:
    site.spec = spec_of(
        add={
            "path": "/todos/{user}",
            "parameters": [
                {"name": "user", "in": "path", "required": True, "schema": {"type": "string"}},
                {"name": "loud", "in": "query", "schema": {"type": "boolean"}},
            ],
            "requestBody": {
                "content": {
                    "application/json": {
                        "schema": {"type": "object", "properties": {"todo": {"type": "string"}}}
                    }
                }
            },
        }
    )
    shown: list[str] = []
    consents = Consents()

    def on_consent(consent: Consent | None) -> None:
        if consent is not None:
            shown.append(consent.sends)
            asyncio.get_running_loop().call_soon(consents.answer, True)

    consents.subscribe(on_consent)
    async with build_belt(consents) as belt:
        await belt.plugins.add(await belt.plugins.look(site.url))
        (server,) = belt.box.servers()
        given = {"user": "ann b", "loud": True, "todo": "buy milk é"}
        await belt.box.call(server.id, "add", given, Chain(COPILOT))
    (heard,) = site.heard
    head, _, body = shown[0].partition("\n\n")
    address, *headers = head.splitlines()
    assert address == f"{heard.method} {site.url.rstrip('/')}{heard.target}"
    assert body == heard.body.decode()
    assert {h.partition(": ")[0]: h.partition(": ")[2] for h in headers}.items() <= (
        heard.headers.items()
    )


async def test_what_it_publishes_is_looked_at_with_each_question_and_only_if_it_changed(
    site: Site,
) -> None:
    async with taken(site) as belt:
        assert await names(belt) == ["run", "read"]
        before = len(site.looked)
        assert await names(belt) == ["run", "read"]
        assert all("if-none-match" in heard.headers for heard in site.looked[before:])
        site.spec = spec_of(run={}, read={"method": "get"}, more={"method": "get"})
        assert await names(belt) == ["run", "read", "more"]
    async with build_belt() as again:  # it was kept
        assert [tool.name for tool in again.plugins.get("echo").tools] == ["run", "read", "more"]


async def test_a_server_that_is_gone_leaves_its_last_good_copy_marked(site: Site) -> None:
    async with taken(site) as belt:
        plugin = belt.plugins.get("echo")
        good, site.spec = site.spec, "openapi: [broken"
        assert await names(belt) == ["run", "read"]
        assert plugin.stale
        site.spec = good
        await names(belt)
        assert not plugin.stale


@pytest.mark.parametrize(
    ("manifest", "spec", "why"),
    [
        (
            MANIFEST,
            spec_of(run={"path": "/run2"}, read={"method": "get"}),
            "run, which makes changes, is different",
        ),
        (MANIFEST, spec_of(run={}, read={}), "read, which makes changes, is different"),
        (
            MANIFEST,
            spec_of(run={}, read={"method": "get"}, burn={}),
            "burn, which makes changes, is new",
        ),
        (
            MANIFEST,
            spec_of(run={}, read={"method": "get", "servers": [{"url": "http://e.example"}]}),
            "http://e.example:80",
        ),
        (
            MANIFEST | {"auth": {"type": "user_http"}},
            spec_of(run={}, read={"method": "get"}),
            "sign-in method has changed",
        ),
    ],
)
async def test_another_server_another_way_or_more_to_write_waits_for_a_yes(
    site: Site, manifest: dict[str, Any], spec: dict[str, Any], why: str
) -> None:
    async with taken(site) as belt:
        site.manifest, site.spec = manifest, spec
        assert await names(belt) == ["run", "read"]
        plugin = belt.plugins.get("echo")
        assert why in " ".join(plugin.installed.why)
        assert not plugin.tools[1].writes
        if "e.example" in why:
            return  # it cannot be found here
        await belt.plugins.accept("echo")
        assert belt.plugins.get("echo").installed.waiting is None
        assert await names(belt) == ["run", "read", "burn"][: len(spec["paths"])]
        with pytest.raises(ToolError):
            await belt.plugins.accept("echo")


async def test_what_changes_back_waits_no_more(site: Site) -> None:
    async with taken(site) as belt:
        good, site.spec = site.spec, spec_of(run={}, burn={})
        await names(belt)
        assert belt.plugins.get("echo").installed.waiting
        site.spec = good
        await names(belt)
        assert not belt.plugins.get("echo").installed.waiting


@pytest.mark.usefixtures("keyring_in_memory")
@pytest.mark.parametrize(
    ("auth", "token", "header"),
    [
        ({"type": "user_http", "authorization_type": "bearer"}, "t0k", "Bearer t0k"),
        (
            {
                "type": "service_http",
                "authorization_type": "bearer",
                "verification_tokens": {"openai": "x"},
            },
            "t0k",
            "Bearer t0k",
        ),
        ({"type": "user_http", "authorization_type": "basic"}, "me:pw", "Basic bWU6cHc="),
    ],
)
async def test_a_token_goes_to_the_plugin_and_is_kept_in_the_keyring_only(
    site: Site, auth: dict[str, Any], token: str, header: str, home: Path
) -> None:
    site.manifest = MANIFEST | {"auth": auth}
    async with build_belt() as belt:
        plugin = await belt.plugins.add(await belt.plugins.look(site.url), "")
        with pytest.raises(ToolError, match="requires you to sign in"):
            await plugin.call("run", {})
        await belt.plugins.tell("echo", token)
        await plugin.call("run", {})
        assert site.heard[-1].headers["authorization"] == header
        assert "authorization" not in site.looked[-1].headers
        assert not found_in(home, token)
        await belt.plugins.remove("echo")
        assert await belt.plugins._secrets.get("plugin:echo") == {}


@pytest.mark.usefixtures("keyring_in_memory")
async def test_one_signs_in_by_pkce_on_loopback_and_tokens_are_renewed(site: Site) -> None:
    site.manifest = MANIFEST | {
        "auth": {
            "type": "oauth",
            "client_url": f"{site.url}/authorize",
            "authorization_url": f"{site.url}/token",
            "scope": "all",
            "authorization_content_type": "application/x-www-form-urlencoded",
        }
    }
    seen: dict[str, Any] = {}

    def answer(heard: Heard) -> tuple[int, dict[str, str], bytes]:
        if heard.target != "/token":
            return 200, {}, b"{}"
        told = {k: v[0] for k, v in parse_qs(heard.body.decode()).items()}
        if told["grant_type"] == "authorization_code":
            digest = hashlib.sha256(told["code_verifier"].encode()).digest()
            assert (
                base64.urlsafe_b64encode(digest).decode().rstrip("=") == seen["code_challenge"][0]
            )
            assert (told["code"], told["redirect_uri"], told["client_id"]) == (
                "c0de",
                seen["redirect_uri"][0],
                "me",
            )
            return (
                200,
                {},
                json.dumps(
                    {"access_token": "first", "refresh_token": "again", "expires_in": 5}
                ).encode(),
            )
        assert told["refresh_token"] == "again"
        return 200, {}, json.dumps({"access_token": "second", "expires_in": 3600}).encode()

    def browse(url: str) -> None:
        seen.update(parse_qs(urlsplit(url).query))
        back, state = seen["redirect_uri"][0], seen["state"][0]

        def visit() -> None:
            for query in ("state=forged&code=evil", f"state={state}&code=c0de"):
                try:
                    urlopen(f"{back}?{query}").read()
                except OSError:
                    seen.setdefault("refused", 0)
                    seen["refused"] += 1

        threading.Thread(target=visit).start()

    site.answer = answer
    async with build_belt() as belt:
        await belt.plugins.add(await belt.plugins.look(site.url))
        await belt.plugins.sign_in("echo", {"client_id": "me"}, browse)
        await belt.plugins.get("echo").call("run", {})
        assert site.heard[-1].headers["authorization"] == "Bearer second"
        await belt.plugins.get("echo").call("run", {})
        assert [h.target for h in site.heard] == ["/token", "/token", "/run", "/run"]
        assert seen["refused"] == 1


async def test_two_plugins_of_one_name_and_files_that_are_none_disturb_nobody(
    site: Site, home: Path
) -> None:
    async with taken(site) as belt:
        with serving(Site(spec=site.spec)) as other, pytest.raises(ToolError, match="already"):
            await belt.plugins.add(await belt.plugins.look(other.url))
    file = home / "plugins.json"
    kept = json.loads(file.read_text("utf-8"))
    file.write_text(
        json.dumps(
            kept
            | {
                "broken": {"url": 5},
                "old": kept["echo"] | {"published": {"manifest": "", "spec": ""}},
            }
        )
    )
    async with build_belt() as belt:
        assert [plugin.id for plugin in belt.plugins.all()] == ["echo"]
        assert [problem.split()[2] for problem in belt.plugins.problems] == ["broken", "old"]


def test_the_shell_adds_lists_calls_and_removes(site: Site) -> None:
    shell = CliRunner()
    site.answer = lambda heard: (200, {}, json.dumps({"heard": heard.body.decode()}).encode())
    body = {
        "type": "object",
        "properties": {"操作": {"type": "string"}, "n": {"type": "integer"}},
        "required": ["操作"],
    }
    site.spec = spec_of(run={"requestBody": {"content": {"application/json": {"schema": body}}}})

    def said(*words: str, status: int = 0) -> str:
        done = shell.invoke(app, ["plugins", *words])
        assert done.exit_code == status, done.output
        return done.output

    assert "There are no plugins yet" in said("list")
    assert "Added Echo" in said("add", site.url)
    assert "run(操作, n?)  writes" in said("list")
    assert json.loads(json.loads(said("call", "echo", "run", "操作=插入", "n=5"))["heard"]) == {
        "操作": "插入",
        "n": 5,
    }
    assert "操作" in said("call", "echo", "run", status=1)
    assert "no tool" in said("call", "echo", "burn", status=1)
    site.answer = lambda _: (503, {}, b"down")
    assert "error 503" in said("call", "echo", "run", "操作=插入", status=1)
    assert "Removed" in said("remove", "echo")
    assert "no plugin 'echo'" in said("remove", "echo", status=1)
    assert asyncio.run(anyone()) == []


async def anyone() -> list[str]:
    async with build_belt() as belt:
        return [plugin.id for plugin in belt.plugins.all()]
