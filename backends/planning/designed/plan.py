"""The plan that uses one interface of the terminal's library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.data.workflow.designed import put_in
from backends.data.workflow.step import Step, Task, Workflow
from backends.planning.cues import Wanted
from backends.planning.plan import Intent, Plan
from backends.planning.times import Time

if TYPE_CHECKING:
    from backends.planning.designed.match import Chosen


def planned_with(question: str, chosen: Chosen) -> Plan:
    """Return the plan of the interface's own steps, so that they can be opened, changed and run
    without the library.

    Raises: WrongArguments for values that do not fit.
    """
    one = chosen.designed
    language = chosen.language
    means = one.meanings.get(language) or one.description or one.name
    kinds = {p.name: p.type for p in one.parameters}
    given = [
        str(v) if kinds[name] == "text" else f"{name} = {v}" for name, v in chosen.values.items()
    ]
    about = " · ".join([means, *given])
    step = Step(id="result1", interface=one.name, arguments=dict(chosen.values), description=about)
    named = f"{about} (`{one.name}`)"
    steps = put_in(step, one.workflow)
    task = Task(kind=one.kind, instruction=named, steps=[s.id for s in steps])
    workflow = Workflow(name=about[:120], description=question, tasks=[task], steps=steps)
    shown = {"chart": "chart", "value": "text"}.get(one.gives, "table")
    intent = Intent.model_validate(
        {
            "rewritten": about,
            "language": language,
            "time": Time(),
            "format": shown,
            "wanted": Wanted(),
        }
    )
    return Plan(intent=intent, workflow=workflow, several=True)
