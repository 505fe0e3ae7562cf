"""The interfaces of workflows by name: acquire, process, predict, draw, reshape."""

from __future__ import annotations

from backends.data.steps import (
    acquire,
    candles,
    charts,
    forecast,
    indicators,
    process,
    query,
    reshape,
    summarise,
)
from backends.data.workflow.interface import StepInterface

STEPS: dict[str, StepInterface] = {
    interface.name: interface
    for module in (
        acquire,
        query,
        process,
        indicators,
        forecast,
        charts,
        candles,
        reshape,
        summarise,
    )
    for interface in module.ALL
}
