"""Notes on steps that a model chose: that a model chose them, its reading of each word, and the
alternatives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backends.copilot import workflows
from backends.copilot.interpretation import Interpretation
from backends.data.workflow.report import TOOL
from backends.planning.choosing.course import ChosenStep, Course, workflow_of
from backends.protocol.events import Event, MessageChunk, StatusUpdate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backends.data.workflow.step import Workflow
    from backends.planning import Intent

OFFERED = 3  # choices at once, as many as a window shows
BY_MODEL = {
    "en": "\n\n*A language model chose these steps, not the rules; check them: {steps}.*",
    "zh": "\n\n（以下步骤由语言模型选择，并非按规则得出，请核对：{steps}。）",
    "ja": "\n\n（次の手順は規則ではなく言語モデルが選びました。確認してください：{steps}。）",
}
STANDS = {
    "en": "“{word}” as {said}",
    "zh": "“{word}”理解为 {said}",
    "ja": "「{word}」を {said} と解釈",
}
BETWEEN = {"en": "; ", "zh": "；", "ja": "、"}
OR_ELSE = {
    "en": "Or, as a language model would go on (check it):",
    "zh": "或者按语言模型的建议继续（请核对）：",
    "ja": "または、言語モデルの案で続けることもできます（確認してください）：",
}
CHOOSING = {
    "en": "A language model chooses the next step",
    "zh": "语言模型正在选择下一步",
    "ja": "言語モデルが次の手順を選んでいます",
}


def by_model(chosen: Sequence[ChosenStep], language: str) -> list[Event]:
    """Return the note on which steps a model chose, and for which words; nothing if it
    chose none.
    """
    if not chosen:
        return []
    lines = [
        STANDS[language].format(word=", ".join(one.accounts), said=f"`{one.said}`")
        if one.accounts
        else f"`{one.said}`"
        for one in chosen
    ]
    return [MessageChunk(BY_MODEL[language].format(steps=BETWEEN[language].join(lines)))]


def asked_back(course: Course, others: list[Course], language: str) -> list[Event]:
    """Return the question to the user, as without a model, and the model's alternatives, one click
    away each.
    """
    status, message = workflows.asked_back(course.plan)
    if not others or not isinstance(status, StatusUpdate) or not isinstance(message, MessageChunk):
        return [status, message]
    choices = [reading_of(other) for other in others[: OFFERED - 1]]
    details: dict[str, Any] = status.details[0]
    listed = [
        *details["alternatives"],
        *(choice.model_dump(exclude={"score"}) for choice in choices),
    ]
    lines = [f"- {choice.words[0]}" for choice in choices]
    said = "\n".join([message.delta, "", OR_ELSE[language], *lines])
    return [
        StatusUpdate(status.level, status.message, [details | {"alternatives": listed}]),
        MessageChunk(said),
    ]


def reading_of(course: Course) -> Interpretation:
    """Return a course as a choice for the user."""
    return choice_of(workflow_of(course), course.plan.intent, course.chosen, course.left)


def choice_of(
    workflow: Workflow, intent: Intent, chosen: Sequence[ChosenStep], left: list[str]
) -> Interpretation:
    """Return a workflow with steps a model chose as a choice for the user."""
    steps = " → ".join(one.said for one in chosen)
    return Interpretation(
        interface=TOOL,
        arguments={"source": workflow.sources()[0], "workflow": workflow.model_dump(mode="json")},
        words=[f"{intent.rewritten} → {steps}"],
        score=0.0,
        slots={
            "intent": intent.model_dump(mode="json"),
            "unread": left,
            "chosen": [one.model_dump() for one in chosen],
        },
    )


def offered(
    choices: list[tuple[Workflow, Intent, ChosenStep]], left: list[str], language: str
) -> list[Event]:
    """Return a model's alternatives to a failed step, one click away each."""
    readings = [
        choice_of(workflow, intent, [one], left) for workflow, intent, one in choices[:OFFERED]
    ]
    told = [reading.model_dump(exclude={"score"}) for reading in readings]
    details = [
        {"interpretation": told[0] | {"ignored": [], "decision": "ask"}, "alternatives": told}
    ]
    lines = [f"- {reading.words[0]}" for reading in readings]
    said = "\n".join(["", "", OR_ELSE[language], *lines])
    return [StatusUpdate("INFO", choices[0][1].rewritten, details), MessageChunk(said)]
