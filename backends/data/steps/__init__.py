"""The interfaces of workflows, by name: acquisition, processing, prediction, charts and
reshaping.
"""

from __future__ import annotations

from backends.data.steps import (
    acquisition,
    calculations,
    charts,
    forecast,
    frames,
    indicators,
    sql,
    summaries,
)
from backends.data.workflow.interface import StepInterface

STEPS: dict[str, StepInterface] = {
    interface.name: interface
    for module in (
        acquisition,
        sql,
        calculations,
        indicators,
        forecast,
        charts,
        frames,
        summaries,
    )
    for interface in module.ALL
}
