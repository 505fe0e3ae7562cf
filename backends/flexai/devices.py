"""Choose the device that a model runs on. If the requested device is not available, an error is
raised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from backends.flexai.errors import InvokeBadRequestError
from backends.installation import installation

Device = Literal["auto", "cpu", "cuda", "metal", "vulkan"]
NAMES = {
    "cpu": "the processor",
    "cuda": "an NVIDIA GPU",
    "metal": "Apple's GPU",
    "vulkan": "a GPU through Vulkan",
}
_told = ""


def choose(asked: str, here: Sequence[str], engine: str, builds: Mapping[str, str]) -> str:
    """Return the device to run on. `auto` means the first one available.

    here: the engine's devices on this machine, best first. builds: the devices that the engine
    supports, and how to get a build for each. Raises: InvokeBadRequestError for a missing device;
    the error says what to install.
    """
    if asked == "auto":
        return here[0]
    if asked in here:
        return asked
    usable = ", ".join(["auto", *here])
    if asked not in builds:
        raise InvokeBadRequestError(
            f"{engine} does not support {NAMES.get(asked, asked)}.",
            f"Set the device to one of: {usable}.",
        )
    raise InvokeBadRequestError(
        f"{engine} cannot use {NAMES.get(asked, asked)} here: its build or the driver does not "
        "support it.",
        f"{builds[asked]} Or set the device to one of: {usable}.",
    )


def build_for(device: str) -> str:
    """Return instructions for adding engines that are built for a device to this installation."""
    return f"Install its driver and the builds for it: {installation().gpu(device)}."


def report(device: str) -> None:
    """Report the device that the model in this process runs on; the worker passes this on."""
    global _told
    _told = device


def reported() -> str:
    """Return the last report; it is empty until a model is loaded, and for a remote model."""
    return _told
