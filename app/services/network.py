"""Offline mode: the switch for this process and its children, and a check of whether it works."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.domain.settings import OFFLINE
from backends import offline

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.domain.settings import Setting
    from app.services.ports import ModelsPort
    from app.services.settings import Settings
    from app.services.tasks import Tasks


ROUTE = "/v1/manage/ways-out"


@dataclass(frozen=True)
class ConnectionWay:
    """An attempted outbound connection: name, tcp, tcp6 or udp. refused: whether the guard blocked
    it. told: the outcome.
    """

    way: str
    refused: bool
    told: str


@dataclass(frozen=True)
class ProcessCheck:
    """The results of the test in one process. name: window, service or worker. model: the model
    that a worker runs, if any.
    """

    name: str
    model: str
    pid: int
    ways: tuple[ConnectionWay, ...]

    @property
    def closed(self) -> bool:
        """Return whether no outbound connection was possible."""
        return all(way.refused for way in self.ways)


class Network:
    """Blocks and allows connections to other machines. renew: a function that ends the model
    service so that a new one starts with the same state.
    """

    def __init__(self, manage: ModelsPort, renew: Callable[[], Awaitable[None]]) -> None:
        self._manage = manage
        self._renew = renew
        self._listeners: list[Callable[[bool], None]] = []

    @property
    def is_offline(self) -> bool:
        """Return whether this process can connect only to this machine."""
        return offline.is_on()

    def subscribe(self, listener: Callable[[bool], None]) -> None:
        """Call `listener` each time the window goes offline or online, with whether it is
        offline.
        """
        self._listeners.append(listener)

    async def switch(self, *, closed: bool) -> None:
        """Block or allow connections to other machines. If the environment blocks them, they stay
        blocked.
        """
        before = offline.is_on()
        if closed:
            offline.close()
        else:
            offline.open_()
        if offline.is_on() is not before:
            for listener in self._listeners:
                listener(offline.is_on())
            await self._renew()

    async def check(self) -> list[ProcessCheck]:
        """Let this process, the service and its workers try to connect to other machines.

        If nothing is blocked, this takes a few seconds. Raises: ServiceError, ModelServiceError.
        """
        tried = await asyncio.to_thread(offline.trials)
        ways = tuple(ConnectionWay(trial.way, trial.refused, trial.told) for trial in tried)
        told = await self._manage.get(ROUTE)
        others = [
            ProcessCheck(
                one["name"],
                one["model"],
                int(one["pid"]),
                tuple(ConnectionWay(**trial) for trial in one["trials"]),
            )
            for one in told["processes"]
        ]
        return [ProcessCheck("window", "", os.getpid(), ways), *others]


def followed(network: Network, kept: Settings, tasks: Tasks) -> Network:
    """Return a network switch that follows the setting whenever it changes."""

    def follow(setting: Setting[Any], value: Any) -> None:
        if setting.key == OFFLINE.key:
            tasks.start("offline", network.switch(closed=bool(value)))

    kept.subscribe(follow)
    return network
