"""The course of a choice, step by step."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from backends.data.steps import STEPS
from backends.data.workflow.step import Step, Task, Workflow
from backends.planning.checking.offer import of_steps
from backends.planning.checking.single import Request, doubts, read
from backends.planning.choosing.choice import key_of, step_of, words
from backends.planning.plan import Plan
from backends.planning.tables import View, plain
from backends.planning.text import CJK, stem
from backends.planning.times import count_of

if TYPE_CHECKING:
    from backends.data.values import Profile, Scalar
    from backends.data.workflow.output import Preview
    from backends.planning.choosing.choice import Option


NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w.]*-\d|\d|[年月日号])")
WORDS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b|[二三四五六七八九十]+(?=[个名家只天日位])"
)
VALUES = 20  # of one column that are looked for in a request


@dataclass(frozen=True)
class Ground:
    """steps: those made so far. seen: what is known of the results that are held. unread: words of
    the request that nothing stands for yet.
    """

    question: str
    unread: tuple[str, ...]
    profiles: tuple[Profile, ...]
    steps: tuple[Step, ...]
    seen: dict[str, Preview]

    @cached_property
    def request(self) -> Request:
        """Return the request, read for what it demands."""
        return read(self.question, [View(profile) for profile in self.profiles])

    @property
    def frames(self) -> dict[str, dict[str, str]]:
        """Return the columns of the rows that are held, by the name of the result: name → kind."""
        return {
            step.id: self.seen[step.id].columns
            for step in self.steps
            if step.id in self.seen and self.seen[step.id].kind in ("frame", "table")
        }

    @property
    def numbers(self) -> list[int | float]:
        """Return the numbers a request says, without those of its days."""
        said = [float(m[0]) for m in NUMBER.finditer(self.question)]
        said += [float(count_of(m[0].lower())) for m in WORDS.finditer(self.question)]
        return [
            int(n) if n.is_integer() else n for n in dict.fromkeys(said) if not 1900 <= n <= 2100
        ]

    def values(self, column: str) -> list[Scalar]:
        """Return the values of a column of text that a request names."""
        said = plain(self.question)
        held = [v for p in self.profiles if (c := p.column(column)) is not None for v in c.values]
        return [v for v in dict.fromkeys(held) if plain(str(v)) in said][:VALUES]

    def words_of(self, column: str) -> str:
        """Return what a column is called, and what it holds."""
        told = [c.meaning for p in self.profiles if (c := p.column(column)) is not None]
        return plain(" ".join([column.replace("_", " "), *told]))

    def names(self, column: str) -> bool:
        """Return whether the request names a column, or a word of its name or meaning."""
        said = plain(self.question)
        words = {w for w in re.findall(r"[a-z]{3,}|[\u3400-\u9fff]{2,}", self.words_of(column))}
        known = {stem(w) for w in re.findall(r"[a-z]+", said)}
        return any((w in said) if CJK.search(w) else (stem(w) in known) for w in words)

    def next_id(self) -> str:
        """Return the name of the next result."""
        taken = {step.id for step in self.steps}
        return next(name for n in range(1, 100) if (name := f"result{n}") not in taken)


MOST = 4  # steps a model chooses at most
AFTER = (
    "rank",
    "select",
    "line",
    "bar",
    "pie",
    "show_table",
)  # what is done with a new column as with the old ones
SECONDS = 40.0  # that a model may take for all of them


class ChosenStep(BaseModel):
    """A step a model chose. said: the step in words. accounts: the words of the request it stands
    for.
    """

    id: str
    said: str
    accounts: list[str]


class Course(BaseModel):
    """What travels from one step to the next. plan: of the rules, with the words they left over.
    steps: those that are held. words: that the rules left over; left: those of them that nothing
    stands for yet. tried: steps that failed.
    seconds: a model took.
    """

    plan: Plan
    steps: list[Step]
    left: list[str]
    words: list[str] = []
    chosen: list[ChosenStep] = []
    tried: list[str] = []
    seconds: float = 0.0

    def with_(self, option: Option, ground: Ground) -> Course:
        """Return the course with one more step."""
        step = step_of(option, ground)
        one = ChosenStep(id=step.id, said=words(option), accounts=sorted(option.accounts))
        left = [word for word in self.left if word not in option.accounts]
        return self.model_copy(
            update={"steps": [*self.steps, step], "left": left, "chosen": [*self.chosen, one]}
        )

    def doubts(self, ground: Ground) -> list[str]:
        """Return the words of the request that the workflow so far does not serve."""
        return doubts(ground.request, of_steps(workflow_of(self).steps, ground.request.views))

    def back(self) -> Course:
        """Return the course without its last step, which failed."""
        step, one = self.steps[-1], self.chosen[-1]
        key = key_of(step.interface, {k: v for k, v in step.arguments.items() if k != "name"})
        left = [word for word in self.words if word in {*self.left, *one.accounts}]
        return self.model_copy(
            update={
                "steps": self.steps[:-1],
                "left": left,
                "chosen": self.chosen[:-1],
                "tried": [*self.tried, key],
            }
        )


def beginning(made: Plan) -> Course | None:
    """Return the course that starts with the rows a plan makes; None if it makes none."""
    rows = [
        s
        for s in made.workflow.steps
        if STEPS[s.interface].kind != "visualization" and STEPS[s.interface].gives == "frame"
    ]
    return Course(plan=made, steps=rows, left=made.unread, words=made.unread) if rows else None


def workflow_of(course: Course) -> Workflow:
    """Return the whole workflow of a course: what its last step takes, and how that is shown."""
    last = course.steps[-1]
    kept, wanted = list[Step](), {last.id}
    for step in reversed(course.steps):
        if step.id in wanted:
            kept.insert(0, step)
            wanted |= set(step.inputs())
    title = course.plan.intent.rewritten[:120]
    if STEPS[last.interface].gives == "frame":
        kept += replayed(course, last) or [shown(last.id, title)]
    return Workflow(
        name=title,
        description=course.plan.workflow.description,
        tasks=tasks_of(course, kept),
        steps=kept,
    )


def shown(handle: str, title: str) -> Step:
    """Return the step that shows a result as a table."""
    return Step(
        id="shown",
        interface="show_table",
        arguments={"data": handle, "title": title},
        description=title,
    )


def replayed(course: Course, last: Step) -> list[Step]:
    """Return what the plan did next with the rows a new column was computed of, done with that
    column; nothing if the last step computed none, or the plan did nothing with them.
    """
    name = last.arguments.get("name")
    if last.interface != "compute" or not isinstance(name, str):
        return []
    old = {str(last.arguments["first"]), str(last.arguments["second"])}
    handles, made = {str(last.arguments["data"]): last.id}, list[Step]()
    for step in course.plan.workflow.steps:
        data = step.arguments.get("data")
        if step.interface not in AFTER or data not in handles:
            continue
        again = f"{step.id}_again"
        arguments = {key: put(value, old, name) for key, value in step.arguments.items()} | {
            "data": handles[data]
        }
        made.append(step.model_copy(update={"id": again, "arguments": arguments}))
        handles[step.id] = again
    return made


def put(value: Any, old: set[str], new: str) -> Any:
    """Return an argument with a new column in place of those it was computed of, each once."""
    if isinstance(value, list):
        if not all(isinstance(one, str) for one in value):
            return value  # conditions are of the rows as they were
        return list(dict.fromkeys(put(one, old, new) for one in value))
    return new if isinstance(value, str) and value in old else value


def tasks_of(course: Course, kept: list[Step]) -> list[Task]:
    """Return the tasks of a course: that of the rules, each step that was chosen, and the
    showing.
    """
    said = {one.id: one.said for one in course.chosen}
    by_rule = [s for s in kept if s.id not in said and not is_shown(s)]
    made: list[Task] = []
    if by_rule:
        first = course.plan.workflow.tasks[0]
        made.append(
            Task(kind=first.kind, instruction=first.instruction, steps=[s.id for s in by_rule])
        )
    made += [
        Task(kind=STEPS[s.interface].kind, instruction=said[s.id], steps=[s.id])
        for s in kept
        if s.id in said
    ]
    last = [s.id for s in kept if is_shown(s)]
    told = Task(kind="visualization", instruction=course.plan.intent.rewritten, steps=last)
    return [*made, told] if last else made


def is_shown(step: Step) -> bool:
    """Return whether a step was put behind those that were chosen, to show them."""
    return step.id == "shown" or step.id.endswith("_again")
