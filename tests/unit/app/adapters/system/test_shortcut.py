"""A key that is heard from any window: on a real X11 display, with keys that are really pressed."""

from __future__ import annotations

import asyncio

import pytest

from app.adapters.system.global_key import GlobalKey
from app.domain.errors import ShortcutError
from tests.desktop_portal import DesktopPortal, portal, session_bus
from tests.virtual_keyboard import VirtualKeyboard, keyboard

__all__ = ["keyboard", "portal", "session_bus"]


async def test_a_held_key_is_told_once_and_once_when_it_is_let_go(
    keyboard: VirtualKeyboard,
) -> None:
    key, told = GlobalKey(), asyncio.Queue[bool]()
    await key.hold("ctrl+alt+m", lambda pressed, _: told.put_nowait(pressed))
    try:
        keyboard.tap("m")  # without the others it is a letter
        keyboard.press("Control_L", "Alt_L", "m")
        async with asyncio.timeout(10):
            assert await told.get() is True
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(told.get(), 1.2)  # meanwhile the display repeats the key
            keyboard.let_go("m", "Alt_L", "Control_L")
            assert await told.get() is False
            keyboard.tap("Num_Lock")
            keyboard.tap("Control_L", "Alt_L", "m")
            assert await told.get() is True
            assert await told.get() is False
    finally:
        key.close()
    assert told.empty()


async def test_a_key_another_program_has_is_told_and_one_given_back_can_be_had(
    keyboard: VirtualKeyboard,
) -> None:
    mine, other = GlobalKey(), GlobalKey()
    await other.hold("F8", lambda *_: None)
    with pytest.raises(
        ShortcutError, match=r"Another program already uses the keys F8\. Choose another"
    ):
        await mine.hold("F8", lambda *_: None)
    await other.hold("F9", lambda *_: None)
    await mine.hold("F8", lambda *_: None)
    await mine.hold("", lambda *_: None)
    await other.hold("F8", lambda *_: None)
    other.close()


@pytest.mark.parametrize(
    ("environment", "platform", "said"),
    [
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, "linux", "Wayland"),
        ({"XDG_SESSION_TYPE": "wayland", "DISPLAY": ":0"}, "linux", "Wayland"),
        ({}, "linux", "On this system"),
        ({}, "darwin", "On this system"),
        ({}, "win32", "On this system"),
    ],
)
async def test_where_the_system_gives_no_key_it_says_so_and_what_works(
    environment: dict[str, str], platform: str, said: str
) -> None:
    key = GlobalKey(environment, platform)
    await key.hold("", lambda *_: None)  # nobody asked for one
    with pytest.raises(
        ShortcutError, match=rf"{said}.*In Deskpilot's own window, Ctrl\+M starts dictation\."
    ):
        await key.hold("F8", lambda *_: None)


def wayland(bus: str) -> GlobalKey:
    return GlobalKey({"WAYLAND_DISPLAY": "wayland-0", "DBUS_SESSION_BUS_ADDRESS": bus}, "linux")


async def test_a_wayland_desktop_is_asked_for_the_key_and_tells_of_it(
    portal: DesktopPortal,
) -> None:
    key, told = wayland(portal.bus), asyncio.Queue[tuple[bool, int]]()
    async with asyncio.timeout(10):
        await key.hold("super+shift+m", lambda pressed, at_ms: told.put_nowait((pressed, at_ms)))
        assert [method for method, _ in portal.asked] == ["CreateSession", "BindShortcuts"]
        session, [(name, wanted)], window, _ = portal.asked[1][1]
        assert (session, name, window) == (
            "/org/freedesktop/portal/desktop/session/deskpilot",
            "dictate",
            "",
        )
        assert wanted["preferred_trigger"] == ("s", "LOGO+SHIFT+m")
        assert wanted["description"] == ("s", "Dictate to Deskpilot")
        await portal.press("Activated", 1000)
        await portal.press("Deactivated", 1700)
        assert [await told.get(), await told.get()] == [(True, 1000), (False, 1700)]
    assert key.held == "super+shift+m"
    await key.aclose()
    assert key.held == ""


async def test_a_key_the_person_refuses_is_told_and_a_desktop_without_the_portal_too(
    portal: DesktopPortal, session_bus: str
) -> None:
    portal.allows = False
    key = wayland(portal.bus)
    with pytest.raises(ShortcutError, match="The desktop did not assign the shortcut to Deskpilot"):
        await key.hold("F8", lambda *_: None)
    assert key.held == ""
    await portal.stop()
    with pytest.raises(ShortcutError, match=r"Wayland.*Ctrl\+M starts dictation"):
        await key.hold("F8", lambda *_: None)
    await portal.start()
