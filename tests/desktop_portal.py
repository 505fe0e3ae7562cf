"""A session bus of its own, and on it a desktop that gives keys: what a Wayland desktop's portal
does.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import pytest

PATH, SHORTCUTS = "/org/freedesktop/portal/desktop", "org.freedesktop.portal.GlobalShortcuts"
CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={folder}/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>
"""


class DesktopPortal:
    """Answers what it is asked. bus: its address. allows: whether the person says yes. asked:
    methods and bodies.
    """

    def __init__(self, bus: str) -> None:
        self.bus, self.allows = bus, True
        self.asked: list[tuple[str, Any]] = []
        self._caller, self._session = "", ""

    async def start(self) -> None:
        """Stand on the bus under the portal's name."""
        from jeepney import message_bus
        from jeepney.io.asyncio import DBusRouter, Proxy, open_dbus_connection

        self._connection: Any = await open_dbus_connection(self.bus)
        async with DBusRouter(self._connection) as router:
            await Proxy(message_bus, router).RequestName("org.freedesktop.portal.Desktop")
        self._serving = asyncio.create_task(self._serve(), name="portal")

    async def press(self, name: str, at_ms: int) -> None:
        """Tell of the key: Activated or Deactivated."""
        body = self._session, "dictate", at_ms, dict[str, Any]()
        await self._signal(PATH, SHORTCUTS, name, "osta{sv}", body)

    async def stop(self) -> None:
        """Leave the bus."""
        self._serving.cancel()
        await asyncio.gather(self._serving, return_exceptions=True)
        await self._connection.close()

    async def _serve(self) -> None:
        from jeepney import HeaderFields, MessageType, new_method_return

        while True:
            call = await self._connection.receive()
            if call.header.message_type is not MessageType.method_call:
                continue
            method, self._caller = (
                call.header.fields[HeaderFields.member],
                call.header.fields[HeaderFields.sender],
            )
            options = call.body[-1]
            self.asked.append((method, call.body))
            request = (
                f"{PATH}/request/{self._caller[1:].replace('.', '_')}/{options['handle_token'][1]}"
            )
            await self._connection.send(new_method_return(call, "o", (request,)))
            told: dict[str, Any] = {"shortcuts": ("a(sa{sv})", [("dictate", {})])}
            if method == "CreateSession":
                self._session = f"{PATH}/session/{options['session_handle_token'][1]}"
                told = {"session_handle": ("s", self._session)}
            status = 0 if self.allows or method == "CreateSession" else 1
            body = status, told if status == 0 else {}
            await self._signal(
                request, "org.freedesktop.portal.Request", "Response", "ua{sv}", body
            )

    async def _signal(
        self, path: str, interface: str, name: str, form: str, body: tuple[Any, ...]
    ) -> None:
        from jeepney import DBusAddress, HeaderFields, new_signal

        message = new_signal(DBusAddress(path, interface=interface), name, form, body)
        message.header.fields[HeaderFields.destination] = self._caller
        await self._connection.send(message)


@pytest.fixture
def session_bus(tmp_path: Path) -> Iterator[str]:
    """A bus nobody else is on; its address."""
    if sys.platform != "linux":
        pytest.skip("D-Bus is on Linux")
    assert shutil.which("dbus-daemon"), (
        "dbus-daemon is missing: python3 packaging/dev.py test installs it"
    )
    (tmp_path / "bus.conf").write_text(CONFIGURATION.format(folder=tmp_path))
    command = ["dbus-daemon", "--nofork", "--print-address", f"--config-file={tmp_path}/bus.conf"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as daemon:
        assert daemon.stdout is not None
        yield daemon.stdout.readline().strip()
        daemon.terminate()


@pytest.fixture
async def portal(session_bus: str) -> AsyncGenerator[DesktopPortal]:
    """A desktop that gives keys."""
    made = DesktopPortal(session_bus)
    await made.start()
    yield made
    await made.stop()


class DesktopTheme:
    """What a desktop tells of how it looks, by its portal. bus: its address. dark: whether it
    is.
    """

    def __init__(self, bus: str, *, dark: bool) -> None:
        self.bus, self._scheme = bus, 1 if dark else 2

    async def start(self) -> None:
        """Stand on the bus under the portal's name."""
        from jeepney import message_bus
        from jeepney.io.asyncio import DBusRouter, Proxy, open_dbus_connection

        self._connection: Any = await open_dbus_connection(self.bus)
        async with DBusRouter(self._connection) as router:
            await Proxy(message_bus, router).RequestName("org.freedesktop.portal.Desktop")
        self._serving = asyncio.create_task(self._serve(), name="theme of the desktop")

    async def turn(self, *, dark: bool) -> None:
        """Look otherwise, and tell everybody."""
        from jeepney import DBusAddress, new_signal

        self._scheme = 1 if dark else 2
        address = DBusAddress(PATH, interface="org.freedesktop.portal.Settings")
        body = "org.freedesktop.appearance", "color-scheme", ("u", self._scheme)
        await self._connection.send(new_signal(address, "SettingChanged", "ssv", body))

    async def stop(self) -> None:
        """Leave the bus."""
        self._serving.cancel()
        await asyncio.gather(self._serving, return_exceptions=True)
        await self._connection.close()

    async def _serve(self) -> None:
        from jeepney import HeaderFields, MessageType, new_error, new_method_return

        while True:
            call = await self._connection.receive()
            if call.header.message_type is not MessageType.method_call:
                continue
            if call.header.fields[HeaderFields.member] == "ReadAll":
                told = {"org.freedesktop.appearance": {"color-scheme": ("u", self._scheme)}}
                await self._connection.send(new_method_return(call, "a{sa{sv}}", (told,)))
            else:
                await self._connection.send(
                    new_error(call, "org.freedesktop.DBus.Error.UnknownMethod")
                )
