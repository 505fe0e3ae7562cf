"""Which copilot answers: our own on this machine, one that was added, or one at an address."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from app.domain.copilot import OTHERS, WHOLE, Added, Copilot, base_of
from app.domain.errors import NotACopilot, Unreachable
from app.domain.events import Rateable
from app.domain.settings.pages import MODEL

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.conversation import Turn
    from app.domain.copilot import Dialect, Value, Vote
    from app.services.ports import BookPort, CopilotPort, SecretsPort
    from app.services.settings.settings import Settings


DEATH_SECONDS = 0.3
NAME = re.compile(r"[\w-]+")


class ServicePort(Protocol):
    """The model service of this machine."""

    async def address(self) -> AddressPort:
        """Return where it listens, started if need be; raises ServiceError."""
        ...


class AddressPort(Protocol):
    """Where the service listens."""

    @property
    def url(self) -> str:
        """Its base address."""
        ...

    @property
    def headers(self) -> dict[str, str]:
        """What each request carries."""
        ...


class Copilots:
    """Finds the copilot for a question, and keeps those that were added."""

    def __init__(
        self,
        port: CopilotPort,
        service: ServicePort,
        book: BookPort,
        secrets: SecretsPort,
        settings: Settings | None = None,
    ) -> None:
        self._port = port
        self._service = service
        self._book = book
        self._secrets = secrets
        self._settings = settings

    async def local(self) -> Copilot:
        """Return the copilot of this machine; the service is started if need be.

        It talks with the model of the settings.
        Raises: ServiceError, CopilotError, SetupError.
        """
        model = await self._settings.get(MODEL) if self._settings else ""
        try:
            found = await self._discover_local()
        except Unreachable:
            # It died a moment ago and the system has not told us yet; by now it has.
            await asyncio.sleep(DEATH_SECONDS)
            found = await self._discover_local()
        return replace(found, model=model, is_ours=True)

    async def _discover_local(self) -> Copilot:
        address = await self._service.address()
        found = await self._port.discover(address.url, frozenset(), address.headers)
        return found[0]

    async def at(self, address: str, allowed_hosts: frozenset[str] = frozenset()) -> Copilot:
        """Return the copilot at an address, or the one that was added under a name.

        Raises: CopilotError; NotACopilot if it publishes several and none is named.
        """
        if NAME.fullmatch(address) and address != "localhost":
            return await self.named(address)
        found = await self._port.discover(address, allowed_hosts)
        if len(found) > 1:
            names = ", ".join(f"{address}#{c.id}" for c in found)
            raise NotACopilot(f"{address} publishes {len(found)} copilots.", f"Name one: {names}.")
        return found[0]

    async def all(self) -> list[Added]:
        """Return the copilots that were added; raises SetupError."""
        return await self._book.all()

    async def get(self, name: str) -> Added:
        """Return an added copilot as it is kept.

        Raises: NotACopilot, SetupError.
        """
        known = await self._book.all()
        for added in known:
            if added.name == name:
                return added
        names = ", ".join(added.name for added in known)
        remedy = f"There are: {names}." if names else "Add one: deskpilot copilots add URL."
        raise NotACopilot(f"No copilot {name} was added.", remedy)

    async def named(self, name: str) -> Copilot:
        """Return an added copilot ready to be asked, its headers from the keyring.

        Raises: NotACopilot, SetupError, SecretsError.
        """
        added = await self.get(name)
        kept = await self._secrets.get(place(name)) if added.secrets else {}
        return replace(added.copilot, headers=kept, note="")

    async def add(
        self,
        address: str,
        *,
        name: str = "",
        headers: dict[str, str] | None = None,
        hosts: frozenset[str] = frozenset(),
        dialect: Dialect | None = None,
    ) -> list[Added]:
        """Keep the copilots an address publishes and return them; one that was there is replaced.

        headers: sent with each question, kept in the keyring. dialect: what it speaks, found out if
        absent; an lmc server publishes nothing, its address is where questions go.
        Raises: CopilotError, ConsentNeeded for hosts that were not allowed, SecretsError,
        SetupError.
        """
        given, base, made = headers or {}, base_of(address), list[Added]()
        if dialect == "lmc":
            await self._port.reach(base, hosts, given)
            found = [Copilot("lmc", name or "Open Interpreter", base, "lmc", headers=given)]
        else:
            found = await self._port.discover(address, hosts, given)
        if name and len(found) > 1:
            ids = ", ".join(f"{address}#{c.id}" for c in found)
            raise NotACopilot(
                f"{address} publishes {len(found)} copilots.", f"Add them one by one: {ids}."
            )
        taken = {a.name for a in await self._book.all() if a.address != base}
        for copilot in found:
            handle = free_name(name or copilot.id, taken)
            taken.add(handle)
            spoken = replace(copilot, dialect=dialect or copilot.dialect)
            made.append(
                Added(handle, base, spoken, tuple(sorted(hosts)), tuple(sorted(copilot.headers)))
            )
        for added in made:
            if added.secrets:
                await self._secrets.put(place(added.name), added.copilot.headers)
            await self._book.keep_picture(added.name, await self._port.picture(added.copilot))
        await self._book.change(lambda known: replaced(known, made))
        return made

    async def remove(self, name: str) -> None:
        """Forget a copilot and its headers.

        Raises: NotACopilot, SetupError, SecretsError.
        """
        added = await self.get(name)
        await self._book.change(lambda known: [a for a in known if a.name != name])
        await self._book.keep_picture(name, b"")
        if added.secrets:
            await self._secrets.put(place(name), {})

    async def set_option(self, name: str, key: str, value: Value) -> None:
        """Choose the value of one of a copilot's own features.

        Raises: NotACopilot, SetupError.
        """
        added = await self.get(name)
        own = [feature.key for feature in added.copilot.own_features()]
        own += [WHOLE] if added.copilot.looks_around else []
        own += [OTHERS] if added.copilot.orchestrates else []
        if key not in own:
            known = ", ".join(own) or "none"
            raise NotACopilot(f"{name} has no feature {key} of its own.", f"It has: {known}.")
        await self._change(
            lambda a: a.name == name, lambda c: replace(c, options={**c.options, key: value})
        )

    async def learned(self, query_url: str, dialect: Dialect) -> None:
        """Keep which generation a copilot turned out to speak.

        Raises: SetupError.
        """
        if any(a.copilot.query_url == query_url for a in await self._book.all()):
            await self._change(
                lambda a: a.copilot.query_url == query_url, lambda c: replace(c, dialect=dialect)
            )

    async def rate(self, turn: Turn, vote: Vote, tags: list[str], comment: str = "") -> Rateable:
        """Tell the copilot that answered a turn what one thinks of it; return what is to be kept of
        that.

        It is sent the question and its answer, which it knows, and nothing else of the
        conversation.
        Raises: NotACopilot if it was removed or takes no rating, CopilotError, SecretsError,
        StoreError.
        """
        asked = next((item for item in turn.items if isinstance(item, Rateable)), None)
        known = [a for a in await self._book.all() if asked and a.copilot.feedback_url == asked.url]
        if asked is None or not known:
            raise NotACopilot(
                "Nobody takes a rating of this answer.", "Its copilot may have been removed."
            )
        told: dict[str, Any] = {"vote": vote, "tags": tags, "trace_id": asked.trace}
        told |= {"ai_response": turn.answer(), "user_prompt": turn.question}
        await self._port.rate(
            await self.named(known[0].name), told | ({"user_comment": comment} if comment else {})
        )
        return replace(asked, vote=vote)

    async def picture(self, name: str) -> bytes:
        """Return the picture of an added copilot, as it was when it was added; empty if there is
        none.
        """
        return await self._book.picture(name)

    async def _change(
        self, which: Callable[[Added], bool], change: Callable[[Copilot], Copilot]
    ) -> None:
        await self._book.change(
            lambda known: [replace(a, copilot=change(a.copilot)) if which(a) else a for a in known]
        )


def place(name: str) -> str:
    """Return where in the keyring the headers of a copilot are."""
    return f"copilot:{name}"


def free_name(wanted: str, taken: set[str]) -> str:
    """Return a name one can type that nobody has: letters, digits, hyphens."""
    name = "-".join(NAME.findall(wanted)).lower() or "copilot"
    name = f"{name}-1" if name == "localhost" else name
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free


def replaced(known: list[Added], made: list[Added]) -> list[Added]:
    """Return the copilots with some put in place of those of their names, what was chosen kept;
    others behind.
    """
    new = {added.name: added for added in made}
    for old in known:
        if (added := new.get(old.name)) is not None:
            kept = replace(added.copilot, options=old.copilot.options)
            new[old.name] = replace(added, copilot=kept)
    return [new.pop(a.name, a) for a in known] + list(new.values())
