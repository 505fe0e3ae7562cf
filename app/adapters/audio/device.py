"""What an open device of miniaudio needs at its end."""

from __future__ import annotations

from typing import Any


def release(device: Any) -> None:
    """Close a device, and the connection to the sound system that was opened for it."""
    import miniaudio

    device.close()
    miniaudio.lib.ma_context_uninit(device._context)  # the library leaves it open until the process ends
