"""`deskpilot doctor --offline`: every process really tries to reach other machines, and says what came of it."""

from __future__ import annotations

from rich.console import Console
from rich.table import Column, Table

WAYS = {"name": "a name is looked up", "tcp": "TCP", "tcp6": "TCP, IPv6", "udp": "UDP"}


async def run_check() -> int:
    """Print what came of each trial; return 0 if every one was refused, 1 otherwise.

    Raises: ServiceError, ModelServiceError.
    """
    from app.bootstrap import build_network

    async with build_network() as network:
        checked = await network.check()
    told = Column(overflow="fold")
    table = Table("", "process", "way out", told, box=None)
    for process in checked:
        name = " ".join(part for part in (process.name, process.model, str(process.pid)) if part)
        for way in process.ways:
            mark = "[green]refused[/]" if way.refused else "[red]open[/]"
            table.add_row(mark, name, WAYS[way.way], way.told)
    closed = all(process.closed for process in checked)
    screen = Console()
    screen.print(table)
    screen.print(
        "Offline: nothing but this machine is reached."
        if closed
        else "Not offline. Let nothing out: deskpilot settings set network.offline on"
    )
    return 0 if closed else 1
