"""One workflow of the library: what it does, where it comes from, whether it may be trusted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from app.ui.plugins.row import ToolRow
from app.ui.words import mark, said, spoken_language, tr
from app.ui.workflows.words import asked, does, in_words, numbered, words_of

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.data.library.entry import Entry

STATUS = {
    "validated": mark("tried out"),
    "stale": mark("out of date"),
    "failed": mark("failed"),
}
BY = {"person": mark("kept by you"), "design": mark("designed by the model")}


SHOWN = 3  # requests a designed one answers


def requests_of(entry: Entry) -> list[str]:
    """Return some requests a designed one answers, in the person's language if it is told so, none said twice."""
    here = [c for c in entry.covers if c.language == spoken_language()] or entry.covers
    first = {json.dumps(cover.values, sort_keys=True): cover.request for cover in reversed(here)}
    return list(reversed(first.values()))[:SHOWN]


class EntryRow(ToolRow):
    """The buttons are `run`, `read`, `edit`, `test` and `remove`. steps: opened by `read`."""

    def __init__(self, entry: Entry, names: dict[str, str], parent: QWidget) -> None:
        super().__init__(entry.name, b"", parent)
        self.entry = entry
        workflow, origin = entry.workflow, entry.origin
        self.say(entry.meanings.get(spoken_language()) or entry.description, "")
        status = tr(STATUS[entry.status])
        made = tr(BY.get(origin.made_by, origin.made_by))
        made = tr("designed by {model}", model=origin.model) if origin.model else made
        version = tr("version {number}", number=entry.version)
        self.status = self.say(" · ".join([status, version, made, origin.made_at[:10]]))
        self.reason = self.say(said(entry.reason), "problem")
        self.say(
            tr("Answers: {requests}", requests=" ".join(requests_of(entry))) if entry.covers else ""
        )
        question = tr("Asked: {question}", question=origin.question)
        self.say(
            question if origin.question not in ("", entry.description) and not entry.covers else ""
        )
        files = ", ".join(Path(path).name for path in origin.paths.values())
        self.say(tr("Reads: {names}", names=files) if files else "")
        given = ", ".join(
            f"{asked(p.name)} ({words_of(p.default, {})})" for p in workflow.parameters
        )
        self.say(tr("Asks for: {names}", names=given) if given else "")
        results = numbered(workflow)
        lines = [
            f"{n}  {does(step.interface)}: {in_words(step, names, results)}"
            for n, step in enumerate(workflow.steps, 1)
        ]
        if entry.trials:
            lines.append(
                tr(
                    "Tried out twice in {seconds} s, with the same result.",
                    seconds=entry.trials[-1].seconds,
                )
            )
        self.steps = self.say("\n".join(lines))
        self.steps.hide()
        self.run = self.button(tr("Run …") if workflow.parameters else tr("Run"))
        self.run.setEnabled(entry.status == "validated")
        self.read = self.button(tr("Read"))
        self.read.setCheckable(True)
        self.read.toggled.connect(self.steps.setVisible)
        self.edit = self.button(tr("Change …"))
        self.test = self.button(tr("Try out"))
        self.remove = self.button(tr("Remove"))
