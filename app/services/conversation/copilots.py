"""Which copilot answers (ours, an added one or one at an address), and the choices that later
questions use.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.domain.copilot import OTHERS, WHOLE, AddedCopilot, Copilot, base_of
from app.domain.errors import NotACopilot, ServiceError, Unreachable
from app.domain.events import Rateable, Reading
from app.domain.settings import MODEL
from app.services.ports import ServicePort

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.conversation import Turn
    from app.domain.copilot import Dialect, Value, Vote
    from app.services.ports import BookPort, CopilotPort, SecretsPort, StorePort
    from app.services.settings import Settings

DEATH_SECONDS, TRIES = 0.3, 4
NAME = re.compile(r"[\w-]+")


class Copilots:
    """Finds the copilot for a question, and stores the copilots that were added."""

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
        """Return this machine's copilot, after starting the service if necessary.

        It uses the model that is chosen in the settings. Raises: ServiceError, CopilotError,
        SetupError.
        """
        model = await self._settings.get(MODEL) if self._settings else ""
        for _ in range(TRIES):
            try:
                found = await self._discover_local()
            except Unreachable:
                # Either the service has just died, which the system has detected by now, or the
                # machine was too busy to answer.
                await asyncio.sleep(DEATH_SECONDS)
            else:
                return replace(found, model=model, is_ours=True)
        raise ServiceError(
            "The model service doesn't respond. This machine may be busy.", "Try again."
        )

    async def _discover_local(self) -> Copilot:
        address = await self._service.address()
        found = await self._port.discover(address.url, frozenset(), address.headers)
        return found[0]

    async def at(self, address: str, allowed_hosts: frozenset[str] = frozenset()) -> Copilot:
        """Return the copilot at an address, or the added one with this name.

        Raises: CopilotError; NotACopilot if the address publishes several copilots and none is
        named.
        """
        if NAME.fullmatch(address) and address != "localhost":
            return await self.named(address)
        found = await self._port.discover(address, allowed_hosts)
        if len(found) > 1:
            names = ", ".join(f"{address}#{c.id}" for c in found)
            raise NotACopilot(
                f"{address} publishes {len(found)} copilots.", f"Specify one: {names}."
            )
        return found[0]

    async def all(self) -> list[AddedCopilot]:
        """Return the copilots that were added.

        Raises: SetupError.
        """
        return await self._book.all()

    async def get(self, name: str) -> AddedCopilot:
        """Return an added copilot as it is stored.

        Raises: NotACopilot, SetupError.
        """
        known = await self._book.all()
        for added in known:
            if added.name == name:
                return added
        names = ", ".join(added.name for added in known)
        remedy = f"Available: {names}." if names else "Add one: deskpilot copilots add URL."
        raise NotACopilot(f"No copilot named {name} has been added.", remedy)

    async def named(self, name: str) -> Copilot:
        """Return an added copilot that is ready for questions, with its headers from the keyring.

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
    ) -> list[AddedCopilot]:
        """Store the copilots that an address publishes, and return them. Existing ones are
        replaced.

        headers: headers that are sent with each question and stored in the keyring. dialect: the
        protocol that the address uses, which is detected if not given. An lmc server publishes
        nothing, and questions are sent to its address. Raises: CopilotError; ConsentNeeded for
        hosts that were not allowed; SecretsError; SetupError.
        """
        given, base, made = headers or {}, base_of(address), list[AddedCopilot]()
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
                AddedCopilot(
                    handle, base, spoken, tuple(sorted(hosts)), tuple(sorted(copilot.headers))
                )
            )
        for added in made:
            if added.secrets:
                await self._secrets.put(place(added.name), added.copilot.headers)
            await self._book.keep_picture(added.name, await self._port.picture(added.copilot))
        await self._book.change(lambda known: replaced(known, made))
        return made

    async def remove(self, name: str) -> None:
        """Remove a copilot and its headers.

        Raises: NotACopilot, SetupError, SecretsError.
        """
        added = await self.get(name)
        await self._book.change(lambda known: [a for a in known if a.name != name])
        await self._book.keep_picture(name, b"")
        if added.secrets:
            await self._secrets.put(place(name), {})

    async def set_option(self, name: str, key: str, value: Value) -> None:
        """Set the value of an optional feature that a copilot offers.

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
        """Save the protocol version that a copilot was found to use.

        Raises: SetupError.
        """
        if any(a.copilot.query_url == query_url for a in await self._book.all()):
            await self._change(
                lambda a: a.copilot.query_url == query_url, lambda c: replace(c, dialect=dialect)
            )

    async def rate(self, turn: Turn, vote: Vote, tags: list[str], comment: str = "") -> Rateable:
        """Send a rating to the copilot that answered a turn, and return the rating to save.

        The copilot receives the question and its answer, which it already has, and nothing else
        from the conversation. Raises: NotACopilot if the copilot was removed or does not accept
        ratings; CopilotError; SecretsError; StoreError.
        """
        asked = next((item for item in turn.items if isinstance(item, Rateable)), None)
        known = [a for a in await self._book.all() if asked and a.copilot.feedback_url == asked.url]
        if asked is None or not known:
            raise NotACopilot("This answer cannot be rated.", "Its copilot may have been removed.")
        told: dict[str, Any] = {"vote": vote, "tags": tags, "trace_id": asked.trace}
        told |= {"ai_response": turn.answer(), "user_prompt": turn.question}
        await self._port.rate(
            await self.named(known[0].name), told | ({"user_comment": comment} if comment else {})
        )
        return replace(asked, vote=vote)

    async def picture(self, name: str) -> bytes:
        """Return the picture that a copilot had when it was added, or empty bytes if it had
        none."""
        return await self._book.picture(name)

    async def _change(
        self, which: Callable[[AddedCopilot], bool], change: Callable[[Copilot], Copilot]
    ) -> None:
        await self._book.change(
            lambda known: [replace(a, copilot=change(a.copilot)) if which(a) else a for a in known]
        )


def place(name: str) -> str:
    """Return the keyring entry for the headers of a copilot."""
    return f"copilot:{name}"


def free_name(wanted: str, taken: set[str]) -> str:
    """Return an unused name that consists of letters, digits and hyphens."""
    name = "-".join(NAME.findall(wanted)).lower() or "copilot"
    name = f"{name}-1" if name == "localhost" else name
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free


def replaced(known: list[AddedCopilot], made: list[AddedCopilot]) -> list[AddedCopilot]:
    """Return the copilots, with some of them replaced by name. Those keep their options, and new
    ones come last.
    """
    new = {added.name: added for added in made}
    for old in known:
        if (added := new.get(old.name)) is not None:
            kept = replace(added.copilot, options=old.copilot.options)
            new[old.name] = replace(added, copilot=kept)
    return [new.pop(a.name, a) for a in known] + list(new.values())


SETTING = "copilot"


class CopilotChoice:
    """Stores which copilot was chosen last."""

    def __init__(self, store: StorePort) -> None:
        self._store = store

    async def name(self) -> str:
        """Return the name of an added copilot, or an empty string for our own."""
        return await self._store.setting(SETTING) or ""

    async def choose(self, name: str) -> None:
        """Save a choice. An empty name stands for our own copilot."""
        await self._store.save_setting(SETTING, name)


CORRECTIONS = "corrections"
LIMIT = 50


class Corrections:
    """The user's corrections, newest first, at most 50.

    Only our own copilot receives them. The wording of past questions is not sent to any other
    copilot.
    """

    def __init__(self, store: StorePort) -> None:
        self._store = store
        self._chosen: list[dict[str, Any]] | None = None

    async def learn(self, reading: Reading) -> None:
        """Save an interpretation that the user chose. It replaces any earlier interpretation of the
        same words.
        """
        new = reading.template()
        if new is None:
            return
        kept = [r for r in await self.chosen() if r["template"] != new["template"]]
        self._chosen = [new, *kept][:LIMIT]
        await self._store.save_setting(CORRECTIONS, json.dumps(self._chosen, ensure_ascii=False))

    async def chosen(self) -> list[dict[str, Any]]:
        """Return the chosen interpretations."""
        chosen = self._chosen
        if chosen is None:
            chosen = self._chosen = json.loads(await self._store.setting(CORRECTIONS) or "[]")
        return chosen

    async def options(self) -> dict[str, object]:
        """Return the corrections as options for a request."""
        chosen = await self.chosen()
        return {"deskpilot-templates": json.dumps(chosen, ensure_ascii=False)} if chosen else {}
