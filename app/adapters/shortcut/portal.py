"""A key asked of a Wayland desktop, by its portal for global shortcuts: the person allows it there."""

from __future__ import annotations

import asyncio
from importlib import import_module
from itertools import count
from typing import TYPE_CHECKING, Any

from app.domain.errors import ShortcutError

if TYPE_CHECKING:
    from collections.abc import Callable

BUS, PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
SHORTCUTS, REQUEST = "org.freedesktop.portal.GlobalShortcuts", "org.freedesktop.portal.Request"
MODIFIERS = {"ctrl": "CTRL", "alt": "ALT", "shift": "SHIFT", "super": "LOGO"}
ID, TITLE = "dictate", "Dictate to Deskpilot"
REPLY_SECONDS = 10
NO_KEY = "This desktop (Wayland) gives no program a key while another window is in front."


class PortalKey:
    """One key. Called on the loop: told(True, ms) on its press, told(False, ms) once it is let go.

    The desktop decides which key it is; the one that was asked for is what it proposes.
    """

    def __init__(self, holding: asyncio.Task[None]) -> None:
        self._holding = holding

    @classmethod
    async def take(
        cls, keys: str, told: Callable[[bool, int], object], *, bus: str, elsewhere: str
    ) -> PortalKey:
        """Ask for a key such as `ctrl+alt+m`; it may take as long as a person thinks.

        bus: address of the session's. elsewhere: what works where there is no key.
        Raises: ShortcutError if the desktop has no such portal, or the person says no.
        """
        if not bus:
            raise ShortcutError(NO_KEY, elsewhere)
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        holding = asyncio.create_task(held(bus, keys, told, ready), name="global key")
        try:
            await asyncio.wait({holding, ready}, return_when=asyncio.FIRST_COMPLETED)
            if holding.done():
                holding.result()
        except NoPortal as error:
            raise ShortcutError(NO_KEY, elsewhere) from error
        finally:
            if not ready.done():
                holding.cancel()
        return cls(holding)

    def close(self) -> None:
        """Give the key back: the portal takes it from who hangs up."""
        self._holding.cancel()

    async def ended(self) -> None:
        """Return once it has hung up."""
        await asyncio.wait({self._holding})


class NoPortal(Exception):
    """There is no bus, no portal on it, or one that knows no shortcuts."""


async def held(
    bus: str, keys: str, told: Callable[[bool, int], object], ready: asyncio.Future[None]
) -> None:
    """Hold a key until this is cancelled, or the desktop ends; `ready` once it is ours.

    Raises: NoPortal, ShortcutError.
    """
    jeepney, io = import_module("jeepney"), import_module("jeepney.io.asyncio")
    try:
        async with io.open_dbus_router(bus) as router:
            portal = Portal(router, jeepney)
            session = await portal.session()
            pressed: asyncio.Queue[Any] = asyncio.Queue()
            rules = [portal.rule(SHORTCUTS, name, PATH) for name in ("Activated", "Deactivated")]
            with router.filter(rules[0], queue=pressed), router.filter(rules[1], queue=pressed):
                await portal.bind(session, keys)
                ready.set_result(None)
                while True:
                    message = await pressed.get()
                    if message.body[:2] == (session, ID):
                        member = message.header.fields[jeepney.HeaderFields.member]
                        told(member == "Activated", int(message.body[2]))
    except (jeepney.DBusErrorResponse, RuntimeError, ValueError, OSError, EOFError) as error:
        if not ready.done():
            raise NoPortal from error


class Portal:
    """What is asked of the portal. A request is answered by a signal, later."""

    def __init__(self, router: Any, jeepney: Any) -> None:
        self._router, self._jeepney = router, jeepney
        self._numbers = count(1)

    def rule(self, interface: str, member: str, path: str) -> Any:
        """Return what one kind of signal is known by."""
        return self._jeepney.MatchRule(type="signal", interface=interface, member=member, path=path)

    async def session(self) -> str:
        """Return a new session's name; raises ShortcutError."""
        made = await self._asked(
            "CreateSession", "", (), {"session_handle_token": ("s", "deskpilot")}
        )
        return str(made["session_handle"][1])

    async def bind(self, session: str, keys: str) -> None:
        """Ask for the key; raises ShortcutError."""
        *modifiers, name = keys.split("+")
        wanted = "+".join([*(MODIFIERS[one] for one in modifiers), name])
        shortcut = ID, {"description": ("s", TITLE), "preferred_trigger": ("s", wanted)}
        bound = await self._asked("BindShortcuts", "oa(sa{sv})s", (session, [shortcut], ""), {})
        if ID not in {shortcut[0] for shortcut in bound.get("shortcuts", ("", []))[1]}:
            raise refused()

    async def _asked(
        self, method: str, form: str, body: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """Call a method, and return what its answer tells."""
        token = f"deskpilot{next(self._numbers)}"
        sender = self._router.unique_name[1:].replace(".", "_")
        rule = self.rule(REQUEST, "Response", f"{PATH}/request/{sender}/{token}")
        address = self._jeepney.DBusAddress(PATH, BUS, SHORTCUTS)
        given = (*body, options | {"handle_token": ("s", token)})
        call = self._jeepney.new_method_call(address, method, f"{form}a{{sv}}", given)
        with self._router.filter(rule) as answers:
            reply = await asyncio.wait_for(self._router.send_and_get_reply(call), REPLY_SECONDS)
            if reply.header.message_type is self._jeepney.MessageType.error:
                raise self._jeepney.DBusErrorResponse(reply)
            status, told = (await answers.get()).body
        if status != 0:
            raise refused()
        return told


def refused() -> ShortcutError:
    """Return the error of a key that was not allowed."""
    return ShortcutError(
        "The desktop did not give Deskpilot the key.",
        "Choose another one, or allow it where the desktop asks.",
    )
