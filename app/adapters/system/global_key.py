"""A global shortcut, on X11 or through a Wayland desktop's portal."""

from __future__ import annotations

import asyncio
import os
import sys
from importlib import import_module
from itertools import count, product
from typing import TYPE_CHECKING, Any

from app.domain.errors import ShortcutError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


MODIFIERS = {"ctrl": "ControlMask", "alt": "Mod1Mask", "shift": "ShiftMask", "super": "Mod4Mask"}
# Caps Lock and Num Lock: the shortcut also works while they are on
LOCKS = ("LockMask", "Mod2Mask")


class X11Key:
    """A global shortcut, such as `ctrl+alt+m`. On the event loop, told(True, ms) is called when it
    is pressed, and told(False, ms) when it is released.

    Raises: ShortcutError if the key does not exist, or if another program uses the shortcut.
    """

    def __init__(self, keys: str, told: Callable[[bool, int], object]) -> None:
        display, error, x = (import_module(f"Xlib.{name}") for name in ("display", "error", "X"))
        self._x, self._told, self._down = x, told, False
        try:
            self._display: Any = display.Display()
        except (error.DisplayError, OSError) as failure:
            raise ShortcutError(
                "The display does not respond.", "Check whether other windows open."
            ) from failure
        self._root = self._display.screen().root
        *modifiers, name = keys.split("+")
        self._code = self._display.keysym_to_keycode(
            import_module("Xlib.XK").string_to_keysym(name)
        )
        self._mask = sum(getattr(x, MODIFIERS[modifier]) for modifier in modifiers)
        self._loop = asyncio.get_running_loop()
        if not self._code:
            self._display.close()
            raise ShortcutError(
                f"This keyboard does not have the key {name!r}.", "Choose another shortcut."
            )
        self._take(keys, error)
        self._loop.add_reader(self._display.fileno(), self._read)

    def close(self) -> None:
        """Release the shortcut."""
        self._loop.remove_reader(self._display.fileno())
        # the X server also releases the shortcuts of a program that has exited
        self._display.close()

    def _take(self, keys: str, error: Any) -> None:
        refused = error.CatchError(error.BadAccess)
        for locks in product(*((0, getattr(self._x, lock)) for lock in LOCKS)):
            mode = self._x.GrabModeAsync
            self._root.grab_key(
                self._code, self._mask | sum(locks), True, mode, mode, onerror=refused
            )
        self._display.sync()
        if refused.get_error():
            self._display.close()
            raise ShortcutError(
                f"Another program already uses the keys {keys}.", "Choose another shortcut."
            )

    def _read(self) -> None:
        """Report presses and releases. A key that is held down repeats; the releases between
        repeats are ignored.
        """
        while self._display.pending_events():
            event = self._display.next_event()
            if event.type == self._x.KeyPress and not self._down:
                self._down = True
                self._told(True, event.time)
            elif event.type == self._x.KeyRelease and self._down and not self._held():
                self._down = False
                self._told(False, event.time)

    def _held(self) -> bool:
        return bool(self._display.query_keymap()[self._code // 8] & 1 << self._code % 8)


BUS, PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
SHORTCUTS, REQUEST = "org.freedesktop.portal.GlobalShortcuts", "org.freedesktop.portal.Request"
PORTAL_MODIFIERS = {"ctrl": "CTRL", "alt": "ALT", "shift": "SHIFT", "super": "LOGO"}
ID, TITLE = "dictate", "Dictate to Deskpilot"
REPLY_SECONDS = 10
NO_KEY = "On Wayland, a program cannot receive keyboard shortcuts while another window is active."


class PortalKey:
    """A global shortcut. On the event loop, told(True, ms) is called when it is pressed, and
    told(False, ms) when it is released.

    The desktop decides on the shortcut; the one requested is only a proposal.
    """

    def __init__(self, holding: asyncio.Task[None]) -> None:
        self._holding = holding

    @classmethod
    async def take(
        cls, keys: str, told: Callable[[bool, int], object], *, bus: str, elsewhere: str
    ) -> PortalKey:
        """Request a shortcut such as `ctrl+alt+m`; this waits for the user's decision.

        bus: the address of the session bus. elsewhere: an alternative to suggest. Raises:
        ShortcutError if the desktop has no such portal or the user refuses.
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
        """Release the shortcut, which the portal removes when the client disconnects."""
        self._holding.cancel()

    async def ended(self) -> None:
        """Return once the connection is closed."""
        await asyncio.wait({self._holding})


class NoPortal(Exception):
    """There is no session bus, no portal, or no support for shortcuts."""


async def held(
    bus: str, keys: str, told: Callable[[bool, int], object], ready: asyncio.Future[None]
) -> None:
    """Hold a shortcut until this is cancelled or the desktop session ends; `ready` is set once the
    shortcut is active.

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
    """Calls to the portal. The response to a request arrives later, as a signal."""

    def __init__(self, router: Any, jeepney: Any) -> None:
        self._router, self._jeepney = router, jeepney
        self._numbers = count(1)

    def rule(self, interface: str, member: str, path: str) -> Any:
        """Return the match rule for one kind of signal."""
        return self._jeepney.MatchRule(type="signal", interface=interface, member=member, path=path)

    async def session(self) -> str:
        """Return the name of a new session.

        Raises: ShortcutError.
        """
        made = await self._asked(
            "CreateSession", "", (), {"session_handle_token": ("s", "deskpilot")}
        )
        return str(made["session_handle"][1])

    async def bind(self, session: str, keys: str) -> None:
        """Request the shortcut.

        Raises: ShortcutError.
        """
        *modifiers, name = keys.split("+")
        wanted = "+".join([*(PORTAL_MODIFIERS[one] for one in modifiers), name])
        shortcut = ID, {"description": ("s", TITLE), "preferred_trigger": ("s", wanted)}
        bound = await self._asked("BindShortcuts", "oa(sa{sv})s", (session, [shortcut], ""), {})
        if ID not in {shortcut[0] for shortcut in bound.get("shortcuts", ("", []))[1]}:
            raise refused()

    async def _asked(
        self, method: str, form: str, body: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """Call a method and return its response."""
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
    """Return the error for a shortcut that was not allowed."""
    return ShortcutError(
        "The desktop did not assign the shortcut to Deskpilot.",
        "Choose another one, or allow it where the desktop asks.",
    )


ELSEWHERE = "In Deskpilot's own window, Ctrl+M starts dictation."


class GlobalKey:
    """Holds at most one shortcut. held: its name; empty if there is none."""

    def __init__(
        self, environment: Mapping[str, str] = os.environ, platform: str = sys.platform
    ) -> None:
        self._environment, self._platform = environment, platform
        self._key: X11Key | PortalKey | None = None
        self.held = ""

    async def hold(self, keys: str, told: Callable[[bool, int], object]) -> None:
        """Register a shortcut and release the previous one; an empty name only releases the
        previous one.

        told: a function that is called with True when the shortcut is pressed or False when it is
        released, and with the event's own time in milliseconds, of which only differences count.
        On Wayland, the user is asked first.

        Raises: ShortcutError if the system does not allow the shortcut or another program uses it.
        """
        self.close()
        if not keys:
            return
        if (
            self._environment.get("WAYLAND_DISPLAY")
            or self._environment.get("XDG_SESSION_TYPE") == "wayland"
        ):
            bus = self._environment.get("DBUS_SESSION_BUS_ADDRESS", "")
            self._key = await PortalKey.take(keys, told, bus=bus, elsewhere=ELSEWHERE)
        elif self._platform.startswith("linux") and self._environment.get("DISPLAY"):
            self._key = X11Key(keys, told)
        else:
            raise ShortcutError(
                "On this system, Deskpilot cannot receive shortcuts while another window is"
                " active.",
                ELSEWHERE,
            )
        self.held = keys

    async def aclose(self) -> None:
        """Release the shortcut."""
        key = self._key
        self.close()
        if isinstance(key, PortalKey):
            await key.ended()

    def close(self) -> None:
        """Release the shortcut."""
        key, self._key, self.held = self._key, None, ""
        if key is not None:
            key.close()
