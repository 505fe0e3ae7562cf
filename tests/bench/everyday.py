"""Measure questions as people ask them: python -m tests.bench.everyday FOLDER [--failures].

The folder holds tables/NAME.csv, tables.jsonl (table, title, language, perhaps today),
questions.jsonl (id, table, language, kind, question, answers, perhaps style, steps and sql), and
perhaps foreign.jsonl (what the tables do not hold) and followups.jsonl (first, then, answers). Any
one of the `answers` is enough. The copilot answers in this process, the terminal's own functions
run its calls; without its own day for a table, today is 2026-06-15.

Without more, no language model takes part. --model FILE runs one in this process, tested first as
the service does. --oracle P puts in one that writes the true SELECT
(`sql`) for a share P of the questions and the SELECT of another question for the rest. --recorded
FILE plays answers that were written before (JSONL: id, answer); --write-prompts FILE writes what
they answer (id, prompt); tests/bench/recorded holds such answers to the everyday questions of the
test tables of tests/corpus, by a writer who saw the prompts alone. A set is spent once its failures
were looked at.
"""

from __future__ import annotations

import argparse
import asyncio
import calendar
import datetime as dt
import json
import random
import re
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.data.sources import Sources
from app.domain.copilot import OfferedWidget
from app.domain.events import CopilotCall
from app.services import functions
from app.services.functions.agent_tools import agent_tools
from app.services.functions.context import CallContext
from backends.copilot.answer import answer
from backends.data.values import Result
from backends.data.workflow.report import WorkflowResult
from backends.protocol.events import FunctionCall, MessageChunk, StatusUpdate
from backends.protocol.parser import parse_request
from backends.query.propose import TEST, Ability, measure_ability
from tests.bench.questions import same, starter_embedder

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import numpy as np

TODAY = "2026-06-15"
ROUNDS = 6  # calls of one turn, at most
OUTCOMES = (
    *("right", "right flagged", "right asked", "in 3", "wrong", "wrong flagged"),
    *("asked", "talk", "error"),
)


class Talker:
    """The models of the bench: the starter embedder, and a scripted language model or none."""

    def __init__(self, embed: Any) -> None:
        self._embed = embed
        self.answers: dict[str, str] = {}
        self.asked = ""  # the question that is open
        self.prompts: dict[str, list[dict[str, str]]] = {}
        self.listening = False  # whether prompts are only written down
        self.known = Ability(right=len(TEST))  # of a recorded or scripted model, not yet known

    def has_embedder(self) -> bool:
        return self._embed is not None

    async def embed(self, texts: list[str]) -> np.ndarray:
        return await self._embed(texts)

    def speaks(self, model: str | None, language: str) -> bool:
        return True

    def ability(self, model: str | None) -> Ability:
        scripted = self.listening or self.asked in self.answers
        return self.known if scripted else Ability(right=0)

    async def learn(self, model: str | None, *, agreed: bool) -> None:
        self.known = self.known.after(agreed=agreed)

    async def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        self.prompts.setdefault(self.asked, messages)
        yield self.answers.get(self.asked, "I cannot say.")


class LocalTalker(Talker):
    """The starter embedder, and a language model in a GGUF file, run in this process."""

    def __init__(self, embed: Any, path: Path) -> None:
        super().__init__(embed)
        from llama_cpp import Llama

        self._llama = Llama(str(path), n_ctx=4096, n_threads=2, verbose=False)
        self._thread = ThreadPoolExecutor(1, "language model")
        self.spent = 0.0
        self.calls = 0

    async def test(self) -> None:
        """Find how reliable the model is, as the service does."""

        def chat(messages: list[dict[str, str]]) -> AsyncGenerator[str, None]:
            return self.chat(messages, model=None, parameters={"max_tokens": 200})

        self.known = await measure_ability(chat)
        print(f"self-test: {self.known.right} of {len(TEST)}")
        self.spent, self.calls = 0.0, 0

    def ability(self, model: str | None) -> Ability:
        return self.known

    async def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        began = time.perf_counter()
        write = partial(
            self._llama.create_chat_completion,
            messages,  # type: ignore[arg-type]
            max_tokens=parameters["max_tokens"],
            temperature=0.0,
        )
        # one at a time: what was given up goes on to its end
        made: Any = await asyncio.get_running_loop().run_in_executor(self._thread, write)
        self.spent += time.perf_counter() - began
        self.calls += 1
        yield made["choices"][0]["message"]["content"]


@dataclass
class Answered:
    """What came of one question."""

    results: list[Result] = field(default_factory=list[Result])
    readings: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    decision: str = "talk"
    flagged: bool = False
    said: str = ""
    messages: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


class Terminal:
    """The tables of a set, and the turns about them."""

    def __init__(self, folder: Path, models: Talker) -> None:
        self.sources, self.models = Sources(), models
        self.widgets: dict[str, dict[str, Any]] = {}
        self.days: dict[str, dt.date] = {}
        for line in (folder / "tables.jsonl").read_text("utf-8").splitlines():
            about = json.loads(line)
            path = folder / about.get("file", f"tables/{about['table']}.csv")
            self.days[about["table"]] = dt.date.fromisoformat(about.get("today", TODAY))
            source = self.sources.add_file(path)
            uid = source.profile.source
            profile = source.profile.model_copy(update={"name": about["title"]})
            self.widgets[about["table"]] = {
                "uuid": uid,
                "name": about["title"],
                "description": "",
                "origin": "deskpilot",
                "widget_id": uid,
                "params": [],
                "metadata": {"profile": profile.model_dump(mode="json")},
            }

    async def ask(
        self, question: str, table: str, before: list[dict[str, Any]] | None = None
    ) -> Answered:
        """Ask a question as the window does, and run the calls of the answer."""
        widget = self.widgets[table]
        made = Answered(messages=[*(before or []), {"role": "human", "content": question}])
        desk = CallContext(
            self.sources, {widget["uuid"]: OfferedWidget(widget["uuid"])}, question=question
        )
        for _ in range(ROUNDS):
            body = {
                "messages": made.messages,
                "widgets": {"primary": [widget], "secondary": [], "extra": []},
                "tools": list(agent_tools()),
                "timezone": "UTC",
            }
            call = await self._round(body, made, self.days[table])
            if call is None:
                break
            wire = {"function": call.function, "input_arguments": call.arguments}
            wire |= {"extra_state": call.extra_state} if call.extra_state else {}
            result = await functions.run(
                CopilotCall(call.function, call.arguments, json.dumps(wire)), desk
            )
            made.results += results_of(result.content)
            made.messages.append({"role": "ai", "content": json.dumps(wire)})
            data = [
                {"items": [{"content": result.content, "data_format": {"data_type": "object"}}]}
            ]
            made.messages.append(
                {
                    "role": "tool",
                    "function": call.function,
                    "input_arguments": call.arguments,
                    "data": data,
                    "extra_state": call.extra_state or {},
                }
            )
        made.messages.append({"role": "ai", "content": made.said})
        return made

    async def compute(self, reading: dict[str, Any]) -> list[Result]:
        """Return what a reading gives; nothing if it cannot be computed."""
        called = {
            "server_id": "deskpilot",
            "tool_name": reading["interface"],
            "parameters": reading["arguments"],
        }
        uids = [widget["uuid"] for widget in self.widgets.values()]
        offered = {uid: OfferedWidget(uid) for uid in uids}
        call = CopilotCall("execute_agent_tool", called, "{}")
        return results_of((await functions.run(call, CallContext(self.sources, offered))).content)

    async def _round(
        self, body: dict[str, Any], made: Answered, today: dt.date
    ) -> FunctionCall | None:
        call: FunctionCall | None = None
        events = answer(parse_request(body), self.models, today=today)
        async with aclosing(events):
            async for event in events:
                if isinstance(event, FunctionCall):
                    call = event
                elif isinstance(event, MessageChunk):
                    made.said += event.delta
                    made.flagged |= "Not taken into account" in event.delta or "没有理解" in (
                        event.delta
                    )
                elif isinstance(event, StatusUpdate):
                    note(event, made)
        return call


def note(event: StatusUpdate, made: Answered) -> None:
    """Take in what a status tells: how the question was understood."""
    for detail in event.details or []:
        read = detail.get("interpretation") if isinstance(detail, dict) else None
        if isinstance(read, dict):
            made.decision = str(read.get("decision") or "answer")
            others = detail.get("alternatives") or []
            made.readings = [*([] if made.decision == "ask" else [read]), *others]
        elif isinstance(detail, dict) and "plan" in detail:
            made.decision = "answer"
    made.flagged |= made.decision == "confirm" or event.level == "WARNING"


def results_of(text: str) -> list[Result]:
    """Return the results in what a call returned."""
    try:
        found = Result.model_validate_json(text)
        return [] if found.interface == "find_values" else [found]
    except ValueError:
        pass
    try:
        return WorkflowResult.model_validate_json(text).as_results()
    except ValueError:
        return []


def fits(result: Result, answers: list[Any]) -> bool:
    """Tell whether a result is one of the answers."""
    return any(fits_one(result, wanted) for wanted in answers)


def fits_one(result: Result, wanted: Any) -> bool:
    """Tell whether a result is an answer: a value, a name with its number, or a set of values."""
    rows = result.rows or [[result.value]]
    if isinstance(wanted, dict):
        return (
            len(rows) == 1
            and any(alike(cell, wanted["label"]) for cell in [result.label, *rows[0]])
            and any(alike(cell, wanted["value"]) for cell in [result.value, *rows[0]])
        )
    if isinstance(wanted, list):
        return fits_set(rows, wanted)
    if len(rows) == 1:
        return any(alike(cell, wanted) for cell in [result.value, result.label, *rows[0]])
    if result.value is not None:
        return alike(result.value, wanted)
    return len({str(row) for row in rows}) == 1 and any(alike(cell, wanted) for cell in rows[0])


def fits_set(rows: list[list[Any]], wanted: list[Any]) -> bool:
    """Tell whether a column, or the one row, holds just these values; of named ones, name and
    number.
    """
    if wanted and isinstance(wanted[0], dict):
        return len(rows) == len(wanted) and all(
            any(
                any(alike(cell, one["label"]) for cell in row)
                and any(alike(cell, one["value"]) for cell in row)
                for row in rows
            )
            for one in wanted
        )
    columns = [list(column) for column in zip(*rows, strict=True)]
    columns += [list(rows[0])] if len(rows) == 1 else []
    for column in columns:
        left = [value for value in dict.fromkeys(map(str, column))]
        texts = {str(value): value for value in column}
        if len(left) == len(wanted) and all(
            any(alike(texts[text], one) for text in left) for one in wanted
        ):
            return True
    return False


def alike(got: Any, wanted: Any) -> bool:
    """Tell whether a cell is a value that was expected; differences count with either sign."""
    if got is None:
        return False
    if isinstance(wanted, bool) or isinstance(got, bool):
        return str(got).lower() == str(wanted).lower()
    if isinstance(wanted, int | float) and isinstance(got, int | float):
        return abs(abs(got) - abs(wanted)) <= max(0.006, 0.0005 * abs(wanted))
    if isinstance(wanted, str) and isinstance(got, int | float) and wanted in WEEKDAYS:
        return got == WEEKDAYS[wanted]
    day = MONTH.fullmatch(got) if isinstance(got, str) and isinstance(wanted, str) else None
    if day is not None and (MONTHS.get(wanted) == int(day[1]) or wanted == str(got)[:7]):
        return True
    if isinstance(wanted, str) and isinstance(got, int | float) and wanted in MONTHS:
        return got == MONTHS[wanted]
    if isinstance(wanted, str) and isinstance(got, str) and got in WEEKDAYS:
        return WEEKDAYS.get(wanted) == WEEKDAYS[got]
    return same(got, wanted)


WEEKDAYS = {
    name: at % 7 + 1
    for names in (
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
        "星期一 星期二 星期三 星期四 星期五 星期六 星期日",
        "Mon Tue Wed Thu Fri Sat Sun",
        "一 二 三 四 五 六 日",
        "月 火 水 木 金 土 日",
        "周一 周二 周三 周四 周五 周六 周日",
        "月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日",
        "月曜 火曜 水曜 木曜 金曜 土曜 日曜",
    )
    for at, name in enumerate(names.split())
}


MONTH = re.compile(r"\d{4}-(\d\d)-01")
MONTHS = {
    name: at % 12 + 1
    for names in (
        list(calendar.month_name[1:]),
        list(calendar.month_abbr[1:]),
        [f"{n}月" for n in range(1, 13)],
    )
    for at, name in enumerate(names)
}


async def outcome(terminal: Terminal, made: Answered, answers: list[Any]) -> str:
    """Say how a question went."""
    if made.decision == "ask":
        right = await offered(terminal, made.readings[:3], answers)
        return "right asked" if right else "asked"
    if not made.results:
        return "talk" if made.decision == "talk" else "error"
    if any(fits(result, answers) for result in made.results[-3:]):
        return "right flagged" if made.flagged else "right"
    if await offered(terminal, made.readings[1:4], answers):
        return "in 3"
    return "wrong flagged" if made.flagged else "wrong"


async def offered(terminal: Terminal, readings: list[dict[str, Any]], answers: list[Any]) -> bool:
    """Tell whether one of the readings a person may choose gives an answer."""
    for reading in readings:
        if any(fits(result, answers) for result in await terminal.compute(reading)):
            return True
    return False


def lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file of JSON lines; none where there is no file."""
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def script(models: Talker, questions: list[dict[str, Any]], share: float, seed: int) -> None:
    """Give the scripted model the true SELECT for a share of the questions, another one for the
    rest.
    """
    chance = random.Random(seed)
    known = [one for one in questions if one.get("sql")]
    for one in known:
        others = [o for o in known if o["table"] == one["table"] and o["sql"] != one["sql"]]
        wrong = chance.choice(others)["sql"] if others else one["sql"]
        models.answers[one["question"]] = one["sql"] if chance.random() < share else wrong


async def measure(options: argparse.Namespace) -> None:
    """Ask all questions of a set and print how they went."""
    embedder = None if options.without_embedder else starter_embedder()
    models = LocalTalker(embedder, options.model) if options.model else Talker(embedder)
    if isinstance(models, LocalTalker):
        await models.test()
    terminal = Terminal(options.folder, models)
    questions = lines(options.folder / "questions.jsonl")
    if options.tables:
        questions = [one for one in questions if one["table"] in options.tables.split(",")]
    if options.style:
        questions = [one for one in questions if one.get("style") == options.style]
    if options.oracle is not None:
        script(models, questions, options.oracle, options.seed)
    foreign = lines(options.folder / "foreign.jsonl")
    if options.tables:
        foreign = [one for one in foreign if one["table"] in options.tables.split(",")]
    by_id = {one["id"]: one for one in [*questions, *foreign]}
    for one in lines(options.recorded) if options.recorded else []:
        if one["id"] in by_id:
            models.answers[by_id[one["id"]]["question"]] = one["answer"]
    models.listening = options.write_prompts is not None
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    began = time.perf_counter()
    for one in questions:
        models.asked = one["question"]
        made = await terminal.ask(one["question"], one["table"])
        went = await outcome(terminal, made, one["answers"])
        for group in ("all", one["language"], one.get("style", ""), f"kind {one['kind']}"):
            if group:
                counts[group][went] += 1
        if options.failures and went != "right":
            print(f"{one['id']} [{went}] {one['question']}\n    wanted {one['answers']}")
            print(f"    {made.said[:160]!r} {[r.get('words') for r in made.readings[:2]]}")
    spent = time.perf_counter() - began
    for group, found in counts.items():
        number = sum(found.values())
        told = ", ".join(
            f"{name} {100 * found[name] / number:.0f} %" for name in OUTCOMES if found[name]
        )
        print(f"{group} ({number}): {told}")
    print(f"{1000 * spent / max(1, len(questions)):.0f} ms a question")
    if isinstance(models, LocalTalker):
        each = models.spent / max(1, models.calls)
        print(f"the model was asked {models.calls} times, {each:.1f} s each")
    await measure_foreign(terminal, models, foreign, options)
    await measure_followups(terminal, models, options)
    if options.write_prompts is not None:
        with options.write_prompts.open("w", encoding="utf-8") as file:
            for one in [*questions, *foreign]:
                prompt = models.prompts.get(one["question"])
                if prompt is not None:
                    told = {"id": one["id"], "prompt": prompt}
                    file.write(json.dumps(told, ensure_ascii=False) + "\n")


async def measure_foreign(
    terminal: Terminal,
    models: Talker,
    foreign: list[dict[str, Any]],
    options: argparse.Namespace,
) -> None:
    """Ask what the tables do not hold; print how many got a number."""
    numbered = []
    for one in foreign:
        models.asked = one["question"]
        made = await terminal.ask(one["question"], one["table"])
        if made.decision != "ask" and made.results:
            numbered.append((one["question"], made.said[:100], made.flagged))
    if foreign:
        plain = sum(not flagged for *_, flagged in numbered)
        print(f"foreign: {len(numbered)} of {len(foreign)} got a number, {plain} without a flag")
    for question, said, _ in numbered if options.failures else []:
        print(f"    {question} -> {said!r}")


async def measure_followups(
    terminal: Terminal, models: Talker, options: argparse.Namespace
) -> None:
    """Ask pairs of questions; print how often the second was right."""
    pairs = lines(options.folder / "followups.jsonl")
    found: Counter[str] = Counter()
    for one in pairs:
        models.asked = one["first"]
        first = await terminal.ask(one["first"], one["table"])
        models.asked = one["then"]
        made = await terminal.ask(one["then"], one["table"], first.messages)
        went = await outcome(terminal, made, one["answers"])
        found[went] += 1
        if options.failures and went != "right":
            print(f"{one['id']} [{went}] {one['first']} / {one['then']}: {made.said[:120]!r}")
    if pairs:
        print(f"follow-ups ({len(pairs)}): {dict(found)}")


def main() -> None:
    """Read the options and measure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--without-embedder", action="store_true")
    options.add_argument("--failures", action="store_true", help="print each that was not right")
    options.add_argument("--tables", default="", help="only these, by commas")
    options.add_argument("--style", choices=("plain", "everyday"), help="only these")
    options.add_argument("--oracle", type=float, metavar="P")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--recorded", type=Path, metavar="FILE")
    options.add_argument("--model", type=Path, metavar="GGUF", help="a real language model")
    options.add_argument("--write-prompts", type=Path, metavar="FILE")
    asyncio.run(measure(options.parse_args()))


if __name__ == "__main__":
    main()
