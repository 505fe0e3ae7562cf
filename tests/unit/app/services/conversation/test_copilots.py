"""Copilots that were added: names, headers, hosts, what was learned."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import keyring
import pytest
from keyring.backends import fail

from app.adapters.copilots.book import CopilotBook
from app.adapters.model_service.process import ServiceAddress
from app.adapters.system.secrets import Keyring
from app.domain.copilot import Copilot, read_headers
from app.domain.errors import NotACopilot, SecretsError, ServiceError, Unreachable
from app.services.conversation.copilots import Copilots, free_name

if TYPE_CHECKING:
    from tests.memory_keyring import MemoryKeyring

CARD = Copilot(
    "my agent", "Mine", "http://127.0.0.1:1/q", "2024", features={"hasFunctionCalling": True}
)


class Port:
    """Finds one copilot, wherever it is looked for."""

    def __init__(self, *found: Copilot) -> None:
        self.found = list(found)

    async def discover(self, address: str, hosts: Any, headers: Any = None) -> list[Copilot]:
        return [replace(c, headers=headers or {}) for c in self.found]

    async def picture(self, copilot: Copilot) -> bytes:
        return b"its picture"

    async def reach(self, url: str, hosts: Any, headers: dict[str, str]) -> None:
        if "gone" in url:
            raise Unreachable("gone")


def copilots(home: Path, *found: Copilot) -> Copilots:
    made: Any = Port(*found)
    service: Any = None
    return Copilots(made, service, CopilotBook(home / "copilots.json"), Keyring())


class BusyService:
    """A model service that is found, and answers only when it is asked for the third time."""

    def __init__(self, answers_at: int) -> None:
        self.asked, self.answers_at = 0, answers_at

    async def address(self) -> ServiceAddress:
        return ServiceAddress("http://127.0.0.1:1", "token", 1, "0")

    async def discover(self, address: str, hosts: Any, headers: Any = None) -> list[Copilot]:
        self.asked += 1
        if self.asked < self.answers_at:
            raise Unreachable(f"{address}/agents.json cannot be reached.", "Check the address.")
        return [CARD]


async def test_a_service_that_is_slow_to_answer_is_asked_again_and_no_address_is_shown(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.conversation.copilots.DEATH_SECONDS", 0)
    for answers_at in (3, 99):
        busy: Any = BusyService(answers_at)
        known = Copilots(busy, busy, CopilotBook(home / "copilots.json"), Keyring())
        if answers_at == 3:
            assert (await known.local()).is_ours
        else:
            with pytest.raises(ServiceError, match="may be busy") as told:
                await known.local()
            assert "127.0.0.1" not in str(told.value)


async def test_two_of_one_name_are_two(home: Path) -> None:
    known = copilots(home, CARD)
    await known.add("http://127.0.0.1:1")
    await known.add("http://127.0.0.1:2")
    await known.add("http://127.0.0.1:1")
    assert [(a.name, a.address) for a in await known.all()] == [
        ("my-agent", "http://127.0.0.1:1"),
        ("my-agent-2", "http://127.0.0.1:2"),
    ]


async def test_all_of_an_address_are_added_but_one_name_is_for_one(home: Path) -> None:
    known = copilots(home, CARD, replace(CARD, id="other"))
    with pytest.raises(NotACopilot, match="publishes 2"):
        await known.add("http://127.0.0.1:1", name="x")
    assert [a.name for a in await known.add("http://127.0.0.1:1")] == ["my-agent", "other"]


async def test_a_server_of_open_interpreters_kind_is_its_address(home: Path) -> None:
    known = copilots(home)
    (added,) = await known.add("http://127.0.0.1:5/chat", name="oi", dialect="lmc")
    assert (added.copilot.query_url, added.copilot.dialect) == ("http://127.0.0.1:5/chat", "lmc")
    with pytest.raises(Unreachable):
        await known.add("http://gone:5/", dialect="lmc")


async def test_what_a_copilot_turned_out_to_speak_outlives_the_process(home: Path) -> None:
    await copilots(home, CARD).add("http://127.0.0.1:1")
    await copilots(home).learned(CARD.query_url, "today")
    await copilots(home).learned("http://somewhere/else", "today")
    assert (await copilots(home).named("my-agent")).dialect == "today"


async def test_without_a_keyring_nothing_is_added_and_the_reason_told(home: Path) -> None:
    before = keyring.get_keyring()
    keyring.set_keyring(fail.Keyring())
    try:
        with pytest.raises(SecretsError) as caught:
            await copilots(home, CARD).add("http://127.0.0.1:1", headers={"X-Key": "s"})
    finally:
        keyring.set_keyring(before)
    assert "keyring" in caught.value.text
    assert not await copilots(home).all()


async def test_headers_come_back_from_the_keyring_and_go_with_the_copilot(
    home: Path, keyring_in_memory: MemoryKeyring
) -> None:
    known = copilots(home, CARD)
    await known.add("http://127.0.0.1:1", headers={"X-Key": "s"})
    assert (await known.named("my-agent")).headers == {"X-Key": "s"}
    assert await known.picture("my-agent") == b"its picture"
    await known.remove("my-agent")
    assert await known.picture("my-agent") == b""
    assert keyring_in_memory.kept == {}


async def test_many_who_add_at_once_lose_none(home: Path) -> None:
    cards = [replace(CARD, id=f"c{n}", query_url=f"http://127.0.0.1:{n + 1}/q") for n in range(8)]
    adding = [copilots(home, c).add(f"http://127.0.0.1:{n + 1}") for n, c in enumerate(cards)]
    await asyncio.gather(*adding)
    assert len(await copilots(home).all()) == 8


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("Übung & Co", "übung-co"),
        ("", "copilot"),
        ("localhost", "localhost-1"),
        ("a", "a-2"),
        ("../x", "x"),
    ],
)
def test_names_can_be_typed(wanted: str, name: str) -> None:
    assert free_name(wanted, {"a"}) == name


def test_headers_are_read_from_lines() -> None:
    assert read_headers(["X-A: b: c", "Authorization:Bearer x"]) == {
        "X-A": "b: c",
        "Authorization": "Bearer x",
    }
