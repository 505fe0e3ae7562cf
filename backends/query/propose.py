"""Ask a language model for the meaning of a question: it writes one SELECT, which is read as a
`Query`.

A model is asked only if it is able: it has to answer four of five known questions over a small
table first. Its SELECT is parsed, never run directly, and numbers come from the engine.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import re
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from backends.data.compiler import run_query
from backends.data.errors import KernelError
from backends.data.profile import profile
from backends.data.query import Aggregate, Call, Column, Value
from backends.data.table import connect, table_from_sql
from backends.data.values import Profile
from backends.flexai.errors import FlexAIError
from backends.query.candidate import Candidate
from backends.query.normal import normal
from backends.query.sql import NoQuery, query_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from backends.data.query import Expression, Query
    from backends.data.values import ColumnProfile, Scalar

    Chat = Callable[[list[dict[str, str]]], AsyncGenerator[str, None]]

RULES = (
    "You turn a question about tables into one DuckDB SELECT. Rules: quote every column name with"
    " double quotes, exactly as listed. Round nothing. Compare text by its listed values. Select"
    " the value that is asked for; for who or which, the name first, then its number. An empty cell"
    " is NULL. Dates are DATE columns. Answer with the SELECT alone, or with NONE if the tables do"
    " not hold what is asked."
)
VALUES, CUT, COLUMNS, TABLES = 10, 24, 40, 3
FENCE = re.compile(r"```(?:sql)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)
START = re.compile(r"\b(?:WITH|SELECT)\b", re.IGNORECASE)
NONE = re.compile(r"^\W*none\b", re.IGNORECASE)


class NotInTables(Exception):
    """The model reports that the tables do not contain the answer."""


def messages(
    question: str,
    profiles: list[Profile],
    *,
    today: dt.date,
    previous: tuple[str, str] | None = None,
) -> list[dict[str, str]]:
    """Return the prompt: the rules, the content of the tables, the question.

    previous: the previous question, and the SELECT or the description of its answer.
    """
    told = [RULES]
    about = [f"Today is {today.isoformat()}, a {today:%A}."]
    for number, one in enumerate(profiles[:TABLES], 1):
        about.append(table_words(one, table_name(number, profiles)))
    if previous is not None:
        about.append(f"The question before: {previous[0]}\nIt was answered by: {previous[1]}")
    about.append(f"Question: {question}")
    return [
        {"role": "system", "content": "\n".join(told)},
        {"role": "user", "content": "\n\n".join(about)},
    ]


def table_name(number: int, profiles: list[Profile]) -> str:
    """Return the name of a table in the prompt."""
    return "t" if len(profiles) == 1 else f"t{number}"


def table_words(one: Profile, name: str) -> str:
    """Return a table for the prompt: its columns with their content, its first and last row."""
    lines = [f"Table {name}: {one.name}. {one.description}".strip() + f" {one.rows} rows."]
    lines += [column_words(column) for column in one.columns[:COLUMNS]]
    if len(one.columns) <= 24:
        for which, row in (("First row", one.first_row), ("Last row", one.last_row)):
            if row:
                lines.append(f"{which}: " + " | ".join(short(value) for value in row.values()))
    return "\n".join(lines)


def column_words(column: ColumnProfile) -> str:
    """Return a column for the prompt: its name, type, range or values."""
    kind = {"boolean": "boolean", "time": "timestamp"}.get(column.kind, column.kind)
    line = f'"{column.name}" {kind}'
    if column.meaning:
        line += f" ({column.meaning[:60]})"
    if column.values and column.kind in ("text", "boolean"):
        listed = ", ".join(repr(short(value)) for value in column.values[:VALUES])
        more = f", … {column.distinct} in all" if column.distinct > VALUES else ""
        line += f": {listed}{more}"
    elif column.low is not None:
        line += f": {short(column.low)} to {short(column.high)}"
    return line + (", some NULL" if column.missing else "")


def short(value: Scalar) -> str:
    """Return a value in few characters."""
    text = "" if value is None else str(value)
    return text if len(text) <= CUT else text[: CUT - 1] + "…"


def select_in(answer: str) -> str:
    """Return the SELECT in a model's answer.

    Raises: NotInTables if it says that there is none to write, NoQuery for anything else.
    """
    fenced = FENCE.search(answer)
    text = (fenced[1] if fenced else answer).strip()
    if NONE.match(text):
        raise NotInTables
    start = START.search(text)
    if start is None:
        raise NoQuery("no SELECT in the answer")
    return text[start.start() :].split(";")[0].strip()


def candidate_of(
    answer: str, profiles: list[Profile], *, today: dt.date, reliability: float
) -> Candidate:
    """Return the meaning of a model's answer.

    reliability: the probability that this model is right, 0 to 1. Raises: NotInTables, NoQuery.
    """
    known = {table_name(n, profiles): p for n, p in enumerate(profiles[:TABLES], 1)}
    query = normal(query_of(select_in(answer), known, today=today))
    query = normal(with_years(query, {c.name: c for p in profiles for c in p.columns}))
    return Candidate(query, reliability, author="model")


def with_years(query: Query, columns: dict[str, ColumnProfile]) -> Query:
    """Return a query whose tests of a month ("in March") are tests of the one such month in the
    data, as the parser reads them: only then can the two be compared.
    """

    def whole(expression: Expression) -> Expression:
        if isinstance(expression, Call):
            made = Call(name=expression.name, args=tuple(map(whole, expression.args)))
            return only_month(made, columns) or made
        if isinstance(expression, Aggregate) and expression.where is not None:
            return expression.model_copy(update={"where": whole(expression.where)})
        return expression

    items = tuple(
        item.model_copy(update={"expression": whole(item.expression)}) for item in query.items
    )
    where = whole(query.where) if query.where is not None else None
    return query.model_copy(update={"items": items, "where": where})


def only_month(call: Call, columns: dict[str, ColumnProfile]) -> Call | None:
    """Return a test of a month as one of its first day; None if the data have it twice."""
    if call.name != "=" or not isinstance(call.args[0], Call) or len(call.args[0].args) != 1:
        return None
    tested, wanted = call.args
    column = tested.args[0] if isinstance(tested, Call) else None
    if not isinstance(tested, Call) or tested.name != "month of year":
        return None
    known = columns.get(column.name) if isinstance(column, Column) else None
    if known is None or not isinstance(wanted, Value) or not isinstance(wanted.value, int):
        return None
    try:
        low, high = (dt.date.fromisoformat(str(end)[:10]) for end in (known.low, known.high))
        months = [dt.date(year, wanted.value, 1) for year in range(low.year, high.year + 1)]
    except ValueError:
        return None
    held = [month for month in months if low.replace(day=1) <= month <= high]
    if len(held) != 1:
        return None
    return Call(
        name="=",
        args=(
            Call(name="month", args=tested.args),
            Value(value=held[0].isoformat(), type="date"),
        ),
    )


def again(prompt: list[dict[str, str]], answer: str, error: NoQuery) -> list[dict[str, str]]:
    """Return the prompt that asks for another SELECT, with the reason why the last one could not be
    read.
    """
    return [
        *prompt,
        {"role": "assistant", "content": answer[:2000]},
        {"role": "user", "content": f"This SELECT can't be used: {error.text}. Write another one."},
    ]


async def ask(chat: Chat, prompt: list[dict[str, str]]) -> str:
    """Return a model's whole answer.

    Raises: FlexAIError.
    """
    text = ""
    async with aclosing(chat(prompt)) as pieces:
        async for piece in pieces:
            text += piece
    return text


# The self-test: a table whose questions need a condition, a group, a date, a difference, a
# negation.
TEST_ROWS = """
    SELECT * FROM (VALUES
        ('A1', DATE '2025-03-03', 'Oslo', 'paid', 120.0),
        ('A2', DATE '2025-03-09', 'Bergen', 'owed', 80.0),
        ('A3', DATE '2025-04-01', 'Oslo', 'owed', 45.5),
        ('A4', DATE '2025-04-17', 'Narvik', 'paid', 210.0),
        ('A5', DATE '2025-04-20', 'Bergen', 'paid', 99.0),
        ('A6', DATE '2025-05-02', 'Oslo', 'paid', 30.0)
    ) AS rows ("No.", "Sent", "Town", "Status", "Amount (€)")
"""
TEST = (
    ("How much do people still owe us altogether?", 125.5),
    ("Which town brought in the most money, paid ones only?", "Narvik"),
    ("How many went out in April 2025?", 3),
    ("How much bigger was the largest than the smallest?", 180.0),
    ("How many are not for Oslo?", 3),
)
PASS = 4  # right ones of five
TESTED = 4.0  # sure readings of the parser that the self-test counts as much as
# Of them those that a model which is always right reads in the same form: between plain questions
# (0.9) and everyday ones (0.5), where the parser is sometimes sure and wrong.
ALIKE = 0.7
MOST = 0.97


class Ability(BaseModel):
    """How many of the five questions a model answered rightly; and of those questions since that
    the parser was sure of, with how many it agreed and from how many it differed.
    """

    right: int
    agreed: int = 0
    differed: int = 0

    @property
    def able(self) -> bool:
        """Return whether it may read questions."""
        return self.right >= PASS

    @property
    def reliability(self) -> float:
        """Return the probability that it is right, from five test questions and those
        asked since.
        """
        if not self.able:
            return 0.0
        passed = 0.75 + 0.04 * self.right
        counted = TESTED + self.agreed + self.differed
        return min(MOST, (TESTED * passed + self.agreed / ALIKE) / counted)

    def after(self, *, agreed: bool) -> Ability:
        """Return the record after one more question that the parser was sure of."""
        more = {"agreed": self.agreed + agreed, "differed": self.differed + (not agreed)}
        return self.model_copy(update=more)


async def measure_ability(chat: Chat) -> Ability:
    """Ask a model the five questions; stop as soon as it cannot pass any more.

    Raises: FlexAIError.
    """
    table = await asyncio.to_thread(
        lambda: table_from_sql(connect(), TEST_ROWS, [], source="test", hash_="test")
    )
    known = await asyncio.to_thread(profile, table, "Invoices")
    today = dt.date(2025, 6, 1)
    right = 0
    try:
        for asked, (question, wanted) in enumerate(TEST):
            if right + len(TEST) - asked < PASS:
                break
            answer = await ask(chat, messages(question, [known], today=today))
            try:
                made = candidate_of(answer, [known], today=today, reliability=0.0)
                result = await asyncio.to_thread(run_query, made.query, {"test": table})
            except (NoQuery, NotInTables, KernelError):
                continue
            right += any(
                value == wanted or (isinstance(value, float) and abs(value - float(wanted)) < 0.01)
                for value in result.rows[0]
                if not isinstance(wanted, str) or isinstance(value, str)
            )
    finally:
        table.connection.close()
    return Ability(right=right)


class Abilities:
    """The results of tests of models: each is tested once; the result and its later record are
    stored in a file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, Ability] | None = None
        self._testing: dict[str, asyncio.Task[None]] = {}

    def get(self, identity: str) -> Ability | None:
        """Return the record of a model; None before it was tested."""
        if self._known is None:
            self._known = self._read()
        return self._known.get(identity)

    def begin(self, identity: str, chat: Chat) -> None:
        """Test a model in the background, unless that was done or is being done."""
        if self.get(identity) is None and identity not in self._testing:
            task = asyncio.create_task(self._test(identity, chat), name=f"test {identity}")
            self._testing[identity] = task
            task.add_done_callback(lambda _: self._testing.pop(identity, None))

    async def learn(self, identity: str, *, agreed: bool) -> None:
        """Take in whether a model read a question as the parser did, which was sure of it."""
        found = self.get(identity)
        if found is None or self._known is None:
            return
        self._known = {**self._known, identity: found.after(agreed=agreed)}
        await asyncio.to_thread(self._write, self._known)

    async def aclose(self) -> None:
        """End the tests that run."""
        for task in list(self._testing.values()):
            task.cancel()
        await asyncio.gather(*self._testing.values(), return_exceptions=True)

    async def _test(self, identity: str, chat: Chat) -> None:
        try:
            found = await measure_ability(chat)
        except FlexAIError:  # it could not be asked; the next question tries again
            return
        known = {**(self._known or {}), identity: found}
        await asyncio.to_thread(self._write, known)
        self._known = known

    def _read(self) -> dict[str, Ability]:
        try:
            raw: dict[str, Any] = json.loads(self._path.read_text("utf-8"))
            return {name: Ability.model_validate(one) for name, one in raw.items()}
        except (OSError, ValueError, ValidationError, AttributeError):
            return {}  # nothing was tested yet, or the file is damaged: models are tested anew

    def _write(self, known: dict[str, Ability]) -> None:
        told = {name: one.model_dump() for name, one in known.items()}
        made = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            made.write_text(json.dumps(told), "utf-8")
            made.replace(self._path)
        except OSError:
            return  # a read-only folder: it is known until the service ends


def as_select(query: Query) -> str:
    """Return how a question was answered, for the prompt of the next one."""
    return query.model_dump_json(exclude_defaults=True)
