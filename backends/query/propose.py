"""Ask a language model for the meaning of a question. The model writes one SELECT, which is
converted to a `Query`.

A model is asked only if it has passed a test: it must answer at least half of twelve questions
about a small table correctly. Its score then determines how much its answers count. Its SELECT is
parsed but never run directly, and the numbers come from the engine.
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
from backends.query.sql import NoQuery, identifiers, query_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from backends.data.query import Expression, Query
    from backends.data.values import ColumnProfile, Scalar

    Chat = Callable[[list[dict[str, str]]], AsyncGenerator[str, None]]

RULES = (
    "You translate a person's question about a table into one DuckDB SELECT. Use only the columns"
    " of the table. People use everyday words, slips and half sentences: take them by what they"
    " mean for this table. Select what is asked for: for who or which, the name first, then its"
    " number. Round nothing. An empty cell is NULL. Answer with the SELECT alone, or with NONE if"
    " the table does not hold what is asked."
)
# Solved questions that are shown before each question. They are always the same, so that the engine
# caches them. A model with 1.5 billion parameters wrote 9 of 22 SELECTs correctly with them, and 7
# without.
EXAMPLE = """Table t: Van hire. 40 rows.
CREATE TABLE t (
  customer TEXT, -- 'Ann', 'Bob', 'Cy', … 19 in all
  van TEXT, -- 'big', 'small'
  went_out DATE, -- Out; 2025-01-03 to 2025-06-01
  back DATE, -- 2025-01-05 to 2025-06-04; some NULL
  miles DOUBLE, -- 12 to 480
  charge DOUBLE -- Charge (£); 30 to 400
);
Today is 2025-06-10, a Tuesday."""
SOLVED = (
    ("who's still got one of ours?", "SELECT customer FROM t WHERE back IS NULL"),
    (
        "what did the small ones bring in last month, all told",
        "SELECT sum(charge) FROM t WHERE van = 'small' AND went_out >= '2025-05-01'"
        " AND went_out < '2025-06-01'",
    ),
    (
        "谁花钱最多?",
        "SELECT customer, sum(charge) FROM t GROUP BY customer ORDER BY 2 DESC LIMIT 1",
    ),
    (
        "which trip was the longest and how long",
        "SELECT customer, miles FROM t ORDER BY miles DESC LIMIT 1",
    ),
    (
        "how much dearer is a big one on average",
        "SELECT avg(charge) FILTER (WHERE van = 'big') - avg(charge) FILTER (WHERE van = 'small')"
        " FROM t",
    ),
    (
        "what share of hires went over 100 miles?",
        "SELECT 100.0 * count(*) FILTER (WHERE miles > 100) / count(*) FROM t",
    ),
    ("what colour is Bob's van?", "NONE"),
)
TYPES = {
    "number": "DOUBLE",
    "date": "DATE",
    "time": "TIMESTAMP",
    "boolean": "BOOLEAN",
}
VALUES, CUT, COLUMNS, TABLES = 10, 24, 40, 3
FENCE = re.compile(r"```(?:sql)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)
START = re.compile(
    r"\b(?:WITH\s+(?:RECURSIVE\s+)?(?:\w+|\"[^\"]+\")\s*(?:\([^)]*\)\s*)?AS\b|SELECT\b)",
    re.IGNORECASE,
)
# up to a semicolon outside quotes
STATEMENT = re.compile(r"""(?:[^;'"]|'[^']*'|"[^"]*")*""")
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
    """Return the prompt: the rules, solved questions, the content of the tables and the question.

    The parts that change least come first, so that an engine only has to process what is new.

    previous: the previous question, and the SELECT or description of its answer.
    """
    about = [
        *(table_words(one, table_name(n, profiles)) for n, one in enumerate(profiles[:TABLES], 1)),
        f"Today is {today.isoformat()}, a {today:%A}.",
    ]
    if previous is not None:
        about.append(f"The question before: {previous[0]}\nIt was answered by: {previous[1]}")
    told = [{"role": "system", "content": RULES}]
    for number, (asked, written) in enumerate(SOLVED):
        content = f"Question: {asked}" if number else f"{EXAMPLE}\n\nQuestion: {asked}"
        told += [{"role": "user", "content": content}, {"role": "assistant", "content": written}]
    content = "\n".join(about) + f"\n\nQuestion: {question}"
    return [*told, {"role": "user", "content": content}]


def table_name(number: int, profiles: list[Profile]) -> str:
    """Return the name that a table has in the prompt."""
    return "t" if len(profiles) == 1 else f"t{number}"


def table_words(one: Profile, name: str) -> str:
    """Return the description of a table for the prompt, in terms of SQL: its columns with their
    content, and its first and last row.
    """
    lines = [f"Table {name}: {one.name}. {one.description}".strip() + f" {one.rows} rows."]
    lines.append(f"CREATE TABLE {name} (")
    written = identifiers([column.name for column in one.columns])
    shown = one.columns[:COLUMNS]
    for number, column in enumerate(shown, 1):
        comma = "," if number < len(shown) else ""
        notes = "; ".join(column_notes(column, written[column.name]))
        type_ = TYPES.get(column.kind, "TEXT")
        lines.append(f"  {written[column.name]} {type_}{comma}" + (f" -- {notes}" if notes else ""))
    lines.append(");")
    if len(one.columns) <= 24:
        for which, row in (("First row", one.first_row), ("Last row", one.last_row)):
            if row:
                lines.append(f"{which}: " + " | ".join(short(value) for value in row.values()))
    return "\n".join(lines)


def column_notes(column: ColumnProfile, written: str) -> list[str]:
    """Return what the prompt says about a column: its name in the table, if this is different, its
    meaning, and its values or range.
    """
    held = ""
    if column.values and column.kind in ("text", "boolean"):
        held = ", ".join(repr(short(value)) for value in column.values[:VALUES])
        held += f", … {column.distinct} in all" if column.distinct > VALUES else ""
    elif column.low is not None:
        held = f"{short(column.low)} to {short(column.high)}"
    name = column.name if column.name.lower().replace(" ", "_") != written else ""
    missing = "some NULL" if column.missing else ""
    return [one for one in (name, (column.meaning or "")[:60], held, missing) if one]


def short(value: Scalar) -> str:
    """Return a short form of a value for the prompt."""
    text = "" if value is None else str(value)
    return text if len(text) <= CUT else text[: CUT - 1] + "…"


def select_in(answer: str) -> str:
    """Return the SELECT in a model's answer.

    Raises: NotInTables if the answer says that there is nothing to write, NoQuery for anything
    else.
    """
    fenced = FENCE.search(answer)
    text = (fenced[1] if fenced else answer).strip()
    if NONE.match(text):
        raise NotInTables
    start = START.search(text)
    if start is None:
        raise NoQuery("no SELECT in the answer")
    statement = STATEMENT.match(text, start.start())
    return statement[0].strip() if statement else ""


def candidate_of(
    answer: str, profiles: list[Profile], *, today: dt.date, ability: Ability
) -> Candidate:
    """Return the meaning of a model's answer.

    ability: the test result of this model. Raises: NotInTables, NoQuery.
    """
    known = {table_name(n, profiles): p for n, p in enumerate(profiles[:TABLES], 1)}
    query = normal(query_of(select_in(answer), known, today=today))
    query = normal(with_years(query, {c.name: c for p in profiles for c in p.columns}))
    return Candidate(query, ability.reliability, author="model", alone=ability.able)


def with_years(query: Query, columns: dict[str, ColumnProfile]) -> Query:
    """Return a query in which each test of a month ("in March") is replaced by a test of the only
    such month in the data. The parser interprets months in this way, so that the two queries can be
    compared.
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
    """Convert a test of a month to a test of the month's first day. Return None if the data contain
    this month in more than one year.
    """
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
    """Return the prompt that asks for another SELECT and states why the last one could not be
    converted.
    """
    return [
        *prompt,
        {"role": "assistant", "content": answer[:2000]},
        {"role": "user", "content": f"This SELECT can't be used: {error.text}. Write another one."},
    ]


async def ask(chat: Chat, prompt: list[dict[str, str]]) -> str:
    """Return the whole answer of a model.

    Raises: FlexAIError.
    """
    text = ""
    async with aclosing(chat(prompt)) as pieces:
        async for piece in pieces:
            text += piece
    return text


# The self-test: questions as people would ask them, in two languages, about a table that does not
# contain the answers to the last two.
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
TEST: tuple[tuple[str, float | str | None], ...] = (
    ("How much do people still owe us altogether?", 125.5),
    ("Which town brought in the most money, paid ones only?", "Narvik"),
    ("How many went out in April 2025?", 3),
    ("How much bigger was the largest than the smallest?", 180.0),
    ("How many are not for Oslo?", 3),
    ("whos still not coughed up in bergen, the number of it", "A2"),
    ("平均每张多少钱?", 97.42),
    ("哪个城市的单子最多?", "Oslo"),
    ("when did the dearest one go out", "2025-04-17"),
    ("how many were for over a hundred", 2),
    ("Who signed for the Narvik one?", None),
    ("What was the weather like in Oslo?", None),
)
# Numbers of correct answers out of twelve that a model needs. With fewer than the first number, a
# model does not interpret questions. With fewer than the second, its interpretations only confirm
# the parser's or are offered as choices, because such a model is often wrong and rarely says that a
# table does not contain the answer. It then may neither discuss data nor choose tools.
PASS, ABLE = 6, 10
# if a model fails all of these, it is not asked any further, because each question takes seconds
FIRST = 2
# the number of confident interpretations of the parser that have the same weight as the self-test
TESTED = 4.0
# The share of these that an always-correct model interprets in the same way. It lies between the
# share for plain questions (0.9) and that for everyday questions (0.5), for which the parser is
# sometimes confident but wrong.
ALIKE = 0.7
MOST = 0.97


class Ability(BaseModel):
    """How many test questions a model answered correctly, and how often it agreed with the parser,
    or differed from it, on later questions of which the parser was sure.

    asked: the number of questions in the test. If the test has changed, the model is tested again.
    """

    right: int
    asked: int = 0
    agreed: int = 0
    differed: int = 0

    @property
    def able(self) -> bool:
        """Return whether the model may answer by itself, discuss data and choose tools."""
        return self.right >= ABLE

    @property
    def reliability(self) -> float:
        """Return the probability that the model is right, estimated from the test and the later
        questions. It is 0 if the model failed the test.
        """
        if self.right < PASS:
            return 0.0
        passed = (self.right + 0.5) / (len(TEST) + 1)
        if not self.able:
            # Real questions are harder: a model with 1.5 billion parameters that answers nine of
            # the twelve correctly interpreted 172 of 284 correctly, including 28 of the 96 everyday
            # ones.
            return passed**2
        counted = TESTED + self.agreed + self.differed
        return min(MOST, (TESTED * passed + self.agreed / ALIKE) / counted)

    def after(self, *, agreed: bool) -> Ability:
        """Return the record after one more question of which the parser was sure."""
        more = {"agreed": self.agreed + agreed, "differed": self.differed + (not agreed)}
        return self.model_copy(update=more)


async def measure_ability(chat: Chat) -> Ability:
    """Ask a model the questions in the test. Stop as soon as it can no longer pass.

    Raises: FlexAIError.
    """
    table = await asyncio.to_thread(
        lambda: table_from_sql(connect(), TEST_ROWS, [], source="test", hash_="test")
    )
    known = await asyncio.to_thread(profile, table, "Invoices")
    today = dt.date(2025, 6, 1)
    right = 0
    try:
        for number, (question, wanted) in enumerate(TEST):
            if right + len(TEST) - number < PASS or (number == FIRST and not right):
                break
            answer = await ask(chat, messages(question, [known], today=today))
            try:
                made = candidate_of(answer, [known], today=today, ability=Ability(right=0))
                result = await asyncio.to_thread(run_query, made.query, {"test": table})
            except NotInTables:
                right += wanted is None
                continue
            except (NoQuery, KernelError):
                continue
            row = result.rows[0] if len(result.rows) == 1 else ()
            right += wanted is not None and any(matches(value, wanted) for value in row)
    finally:
        table.connection.close()
    return Ability(right=right, asked=len(TEST))


def matches(value: Scalar, wanted: float | str) -> bool:
    """Return whether a cell is the expected answer to a test question."""
    if isinstance(wanted, str):
        return str(value).startswith(wanted)  # a date may include a time
    return isinstance(value, int | float) and abs(value - wanted) < 0.01


class Abilities:
    """The results of testing models. Each model is tested once. The result, and the later record,
    are stored in a file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, Ability] | None = None
        self._testing: dict[str, asyncio.Task[None]] = {}

    def get(self, identity: str) -> Ability | None:
        """Return the record of a model, or None if it has not been tested yet."""
        if self._known is None:
            self._known = self._read()
        found = self._known.get(identity)
        return found if found is not None and found.asked == len(TEST) else None

    def begin(self, identity: str, chat: Chat) -> None:
        """Test a model in the background, unless it has been tested or is being tested."""
        if self.get(identity) is None and identity not in self._testing:
            task = asyncio.create_task(self._test(identity, chat), name=f"test {identity}")
            self._testing[identity] = task
            task.add_done_callback(lambda _: self._testing.pop(identity, None))

    async def learn(self, identity: str, *, agreed: bool) -> None:
        """Record whether a model agreed with the parser on a question of which the parser was
        sure.
        """
        found = self.get(identity)
        if found is None or self._known is None:
            return
        self._known = {**self._known, identity: found.after(agreed=agreed)}
        await asyncio.to_thread(self._write, self._known)

    async def aclose(self) -> None:
        """Cancel the running tests."""
        for task in list(self._testing.values()):
            task.cancel()
        await asyncio.gather(*self._testing.values(), return_exceptions=True)

    async def _test(self, identity: str, chat: Chat) -> None:
        try:
            found = await measure_ability(chat)
        except FlexAIError:  # the model could not be asked; the next question will try again
            return
        known = {**(self._known or {}), identity: found}
        await asyncio.to_thread(self._write, known)
        self._known = known

    def _read(self) -> dict[str, Ability]:
        try:
            raw: dict[str, Any] = json.loads(self._path.read_text("utf-8"))
            return {name: Ability.model_validate(one) for name, one in raw.items()}
        except (OSError, ValueError, ValidationError, AttributeError):
            return {}  # there are no tests yet, or the file is damaged: models are tested again

    def _write(self, known: dict[str, Ability]) -> None:
        told = {name: one.model_dump() for name, one in known.items()}
        made = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            made.write_text(json.dumps(told), "utf-8")
            made.replace(self._path)
        except OSError:
            return  # the folder is read-only: the result is kept only until the service stops


def as_select(query: Query) -> str:
    """Return the query that answered a question as JSON, for the prompt of the next question."""
    return query.model_dump_json(exclude_defaults=True)
