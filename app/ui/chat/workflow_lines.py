"""The steps of a workflow below an answer: what each step did, with its first and last row."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from app.ui.controls.actions import OpenWorkflow, UnfoldStep
from app.ui.controls.rich_text import GAP, grey, link
from app.ui.theme.i18n import tr
from app.ui.workflows.step_results import came
from app.ui.workflows.words import does, in_words, numbered

if TYPE_CHECKING:
    from app.services.library.answers import Ran
    from app.ui.theme.tokens import Tokens


def line(ran: Ran, seconds: float, *, opened: bool, tokens: Tokens) -> str:
    """Return the line of a workflow that ran; if expanded, with its steps below."""
    count = tr("%n steps", "", len(ran.workflow.steps))
    word = ("▾ " if opened else "▸ ") + tr("Computed")
    head = link(UnfoldStep(ran.at), word, f"color:{tokens.text}")
    head += f" {grey(count, tokens.muted)}{GAP}{grey(f'{seconds * 1000:.0f} ms', tokens.faint)}"
    head += GAP + link(OpenWorkflow(ran.at), tr("Change steps …"), f"color:{tokens.accent}")
    return head + (listing(ran, tokens) if opened else "")


def listing(ran: Ran, tokens: Tokens) -> str:
    """Return the steps, each with its arguments in words and its result."""
    results, by_id = numbered(ran.workflow), {told.id: told for told in ran.result.steps}
    made: list[str] = []
    for number, step in enumerate(ran.workflow.steps, 1):
        about = in_words(step, ran.result.names, results)
        words = f"{number}&nbsp;&nbsp;<b>{html.escape(does(step.interface))}</b>"
        words += f"&nbsp; {grey(about, tokens.muted)}"
        made.append(f"<p style='margin:8px 0 2px 0'>{words}</p>{came(by_id.get(step.id), tokens)}")
    return "".join(made)
