"""`python -m backends.service.devices`: the devices of each engine, as JSON.

Each engine is asked in a separate process, so a faulty driver can crash only that process.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from backends import offline
from backends.catalog.shell import loaded_now
from backends.flexai.errors import FlexAIError
from backends.flexai.registry import Registry, load_providers
from backends.workers import Pool, Workers


async def look(registry: Registry, workers: Pool) -> list[dict[str, Any]]:
    """Return, for each engine, its provider, label, types, devices (best first), error or None, and
    loaded.

    loaded: the device of each of its models that is loaded in the running service, by id. Engines
    whose models run on a server are left out.
    """
    found = await asyncio.gather(*(ask(registry, workers, name) for name in registry.names()))
    running = await asyncio.to_thread(loaded_now)
    for told in found:
        told["loaded"] = {
            name: model["device"]
            for name, model in running.items()
            if model.get("provider") == told["provider"] and model.get("device")
        }
    return [told for told in found if told["devices"] or told["error"]]


async def ask(registry: Registry, workers: Pool, name: str) -> dict[str, Any]:
    """Return the devices of one engine, which is asked in a separate process."""
    told: dict[str, Any] = {
        "provider": name,
        "label": name,
        "types": [],
        "devices": [],
        "error": None,
    }
    try:
        described = registry.provider(name).entity
        told["label"] = described.label.text()
        told["types"] = [kind.value for kind in described.supported_model_types]
        (told["devices"],) = await workers.try_out(
            name, described.supported_model_types[0], ("devices", {})
        )
    except FlexAIError as error:
        told["error"] = str(error)
    return told


async def main() -> None:
    """Print the devices found."""
    async with Workers() as workers:
        print(json.dumps(await look(load_providers(), workers)))  # noqa: T201 - this line is what the caller waits for


if __name__ == "__main__":
    offline.begin()
    asyncio.run(main())
