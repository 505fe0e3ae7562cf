"""What one presses in an answer is typed, and its text in an anchor is read in one place."""

from __future__ import annotations

import pytest

from app.ui.controls.actions import (
    Action,
    Ask,
    ChangeAnswer,
    Cite,
    CopyCode,
    CopyTable,
    OpenAddress,
    OpenArtifact,
    OpenPage,
    OpenSettings,
    OpenWorkflow,
    Rate,
    Reinterpret,
    SaveTable,
    SortTable,
    TakeArtifact,
    TakeTable,
    ToggleChart,
    ToggleRows,
    Unfold,
    UnfoldCitations,
    UnfoldStep,
    UnfoldText,
    action_of,
)

ACTIONS = [
    Ask("What is 1.5: more than one.two?"),
    ChangeAnswer("again"),
    Cite(12),
    CopyCode(3),
    CopyTable(4),
    OpenAddress("https://example.org/a?b=c:d"),
    OpenArtifact(3),
    OpenArtifact(3, 1),
    OpenPage(2),
    OpenPage(2, 0),
    OpenSettings("models"),
    OpenWorkflow(5),
    Rate("thumbs_up"),
    Reinterpret(0),
    SaveTable(7),
    SortTable(0),
    TakeArtifact("csv", 3),
    TakeArtifact("pin", 3, 0),
    TakeTable("svg", 9),
    ToggleChart(1),
    ToggleRows(1),
    UnfoldCitations(),
    UnfoldStep(8),
    UnfoldText(8, 2),
]


def kinds(base: type[Action]) -> set[type[Action]]:
    found = set(base.__subclasses__())
    return found.union(*(kinds(kind) for kind in found))


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.href)
def test_an_action_is_read_back_from_its_anchor(action: Action) -> None:
    assert action_of(action.href) == action


def test_every_kind_of_action_is_read_back() -> None:
    assert {type(action) for action in ACTIONS} == kinds(Action) - {Unfold}


def test_no_two_actions_have_the_same_anchor() -> None:
    assert len({action.href for action in ACTIONS}) == len(ACTIONS)


@pytest.mark.parametrize(
    "href", ["", "javascript:alert(1)", "file:///etc/passwd", "act:x", "cite:x"]
)
def test_a_text_that_is_no_action_does_nothing(href: str) -> None:
    assert action_of(href) is None
