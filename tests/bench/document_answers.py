"""Questions to a folder of documents: is the right page found, is the answer right and cited there,
and is what no document holds refused?

    python -m tests.bench.document_answers FOLDER QUESTIONS [--verbose] [--index FILE]

QUESTIONS is JSON: a list of {question, document, page, answer}: the file that answers, its page from
1, and a pattern of the answer; null for what no document holds. All goes the way of the window: the
files are read (scanned pages too, where the pack is here), embedded, and each question is a turn
with the local copilot.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.bootstrap import build
from app.documents.index import Index
from app.documents.library import DocumentLibrary
from app.domain.events import Citations
from app.services.conversation.turns import offer_for
from backends.copilot.documents import is_refusal

if TYPE_CHECKING:
    from app.domain.dashboard import Widget
    from app.domain.events import Citation
    from app.services.deskpilot import Deskpilot

PAGES = 5  # among which the right one has to be


@dataclass
class Score:
    """What a run counts."""

    asked: int = 0
    among: int = 0
    first: int = 0
    answered: int = 0
    both: int = 0
    wrong: int = 0
    given_up: int = 0
    cited: int = 0
    right_cited: int = 0
    verbatim: int = 0
    foreign: int = 0
    refused: int = 0
    foreign_cited: int = 0


async def turn_of(
    deskpilot: Deskpilot, widget: Widget, question: str
) -> tuple[str, list[Citation]]:
    """Return the answer of the local copilot, and what it cites."""
    offer = offer_for(deskpilot.widgets, [widget.uuid])
    conversation = await deskpilot.history.begin(question)
    turn = deskpilot.turns.new_turn(conversation.id, question, None)
    async with aclosing(deskpilot.turns.run([], turn, deskpilot.copilots.local, offer)) as items:
        async for _ in items:
            pass
    cited = [c for item in turn.items if isinstance(item, Citations) for c in item.citations]
    return turn.answer(), cited


def holds(text: str, pattern: str) -> bool:
    """Tell whether an answer stands in a text, however its lines break."""
    wide = r"(?<=[\u3000-\u9fff])\s+(?=[\u3000-\u9fff])"
    return re.search(pattern, re.sub(wide, "", " ".join(text.split())), re.IGNORECASE) is not None


async def judge(
    deskpilot: Deskpilot, folder: Path, questions: list[dict[str, Any]], *, verbose: bool
) -> Score:
    """Ask all questions."""
    documents, score = deskpilot.documents, Score()
    widget = await deskpilot.widgets.add_library(folder.name, str(folder))
    whole = await documents.attach(folder)
    await documents.update()
    scans, vectors = await documents.read_scans(), await documents.embed_new()
    coverage = await documents.coverage()
    print(f"{scans} pages read by OCR, {vectors} passages embedded, {coverage.unread} pages unread")
    index = (await documents.library()).index
    for one in questions:
        question, name = one["question"], one["document"]
        answer, cited = await turn_of(deskpilot, widget, question)
        if is_refusal(answer):
            cited = []  # a refusal cites the closest page, for whoever wants to look
        if name is None:
            score.foreign += 1
            score.refused += not cited
            score.foreign_cited += bool(cited)
            if cited and verbose:
                print(f"ANSWERED  {question} → {' '.join(answer.split())[:160]}")
            continue
        score.asked += 1
        found = await documents.find(question, 20, [whole])
        places = [(Path(h.passage.path).name, h.passage.page) for h in found.hits]
        pages = list(dict.fromkeys(places))
        score.among += (name, one["page"]) in pages[:PAGES]
        score.first += pages[:1] == [(name, one["page"])]
        right = holds(answer, one["answer"])
        score.answered += right
        at_right = 0
        for citation in cited:
            passage = citation.passage
            if passage is None:
                continue
            text = index.page_text(passage.hash, passage.page) or ""
            score.verbatim += text[passage.start : passage.end] == passage.quote != ""
            there = (Path(passage.path).name, passage.page) == (name, one["page"])
            at_right += there or holds(passage.quote, one["answer"])
        score.cited += len(cited)
        score.right_cited += at_right
        ok = right and at_right > 0
        score.wrong += bool(cited) and not ok
        score.given_up += not cited
        if verbose and not (ok and (name, one["page"]) in pages[:PAGES]):
            rank = pages.index((name, one["page"])) + 1 if (name, one["page"]) in pages else 0
            print(
                f"WRONG  {question} [{name} p{one['page']}, rank {rank}] → "
                f"{' '.join(answer.split())[:200]}"
            )
        score.both += ok
    return score


async def main(options: argparse.Namespace) -> None:
    """Judge, and print."""
    questions = json.loads(options.questions.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as home:
        async with build(None) as deskpilot:
            index = options.index or Path(home) / "index.sqlite"
            deskpilot.documents._opened = lambda: DocumentLibrary(Index(index))
            score = await judge(deskpilot, options.folder, questions, verbose=options.verbose)
    print(
        f"right page among {PAGES}: {score.among}/{score.asked}, first: {score.first}\n"
        f"answered right: {score.answered}/{score.asked};"
        f" and cited on the right page: {score.both}/{score.asked};"
        f" wrong: {score.wrong}, refused: {score.given_up}\n"
        f"citations on a right page: {score.right_cited}/{score.cited},"
        f" verbatim: {score.verbatim}/{score.cited}\n"
        f"not in the documents, refused: {score.refused}/{score.foreign},"
        f" cited: {score.foreign_cited}"
    )


def arguments() -> argparse.Namespace:
    """Return what was asked on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--verbose", action="store_true", help="print what went wrong")
    parser.add_argument("--index", type=Path, help="keep what was read here, for the next run")
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main(arguments()))
