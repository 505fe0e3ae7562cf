"""`deskpilot models measure`: the speed of a language model on this machine, in tokens a second."""

from __future__ import annotations

from rich.console import Console

from app.bootstrap import build_service

USAGE = "Usage: deskpilot models measure MODEL"


async def run_measure(arguments: list[str]) -> int:
    """Measure a model in its worker and print the results; return the exit status.

    Raises: DeskpilotError.
    """
    if len(arguments) != 1 or arguments[0].startswith("-"):
        Console(stderr=True).print(USAGE)
        return 0 if arguments == ["--help"] else 2
    screen = Console(stderr=True)
    with screen.status(f"{arguments[0]} reads and writes"):
        async with build_service() as service:
            told = await service.send("POST", "/v1/manage/measure", {"id": arguments[0]})
    where = f", on {told['device']}" if told["device"] else ""
    print(f"prompt {told['prompt']:g} tokens/s, answer {told['answer']:g} tokens/s{where}")
    return 0
