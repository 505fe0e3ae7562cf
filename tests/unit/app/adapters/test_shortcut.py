"""A key that is heard from any window: on a real X11 display, with keys that are really pressed."""

from __future__ import annotations

import asyncio

import pytest

from app.adapters.shortcut.global_key import GlobalKey
from app.domain.errors import ShortcutError
from tests.virtual_keyboard import VirtualKeyboard, keyboard

__all__ = ["keyboard"]


async def test_a_held_key_is_told_once_and_once_when_it_is_let_go(keyboard: VirtualKeyboard) -> None:
    key, told = GlobalKey(), asyncio.Queue[bool]()
    key.hold("ctrl+alt+m", lambda pressed, _: told.put_nowait(pressed))
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
    other.hold("F8", lambda *_: None)
    with pytest.raises(ShortcutError, match=r"Another program has the keys F8 already\. Choose another"):
        mine.hold("F8", lambda *_: None)
    other.hold("F9", lambda *_: None)
    mine.hold("F8", lambda *_: None)
    mine.hold("", lambda *_: None)
    other.hold("F8", lambda *_: None)
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
    key.hold("", lambda *_: None)  # nobody asked for one
    with pytest.raises(ShortcutError, match=rf"{said}.*In Deskpilot's own window Ctrl\+M dictates\."):
        key.hold("F8", lambda *_: None)
