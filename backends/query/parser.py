"""Interpret a question in plain language as ranked candidates, each with a typed query."""

from __future__ import annotations

import datetime as dt
import math
import re
from itertools import chain
from typing import NamedTuple, get_args

from backends.data.compiler import walk
from backends.data.query import (
    Aggregate,
    Arithmetic,
    Call,
    Column,
    Query,
    Show,
    Time,
    Value,
)
from backends.data.values import Profile
from backends.query.annotate import Annotation, Embed, Span, TableWords
from backends.query.candidate import Candidate
from backends.query.decide import ASK
from backends.query.followup import goes_on, of_found, patched, refers, within
from backends.query.frames import CUES, Frame, FrameBuilder, names_people
from backends.query.joined import JoinedTable, joined_tables
from backends.query.lexicon import Lexicon, languages_of, lexicon
from backends.query.normal import asked, is_void, normal
from backends.query.reading import Choice, SpanReading
from backends.query.score import (
    ALONE,
    BINDING,
    WITH_WRITER,
    certainty,
    columns_of,
    echoes,
    features,
    grounds,
    score,
    works,
)
from backends.query.sequence import NotWritable, Pointer, Symbol, Things, is_day, read, write
from backends.query.transforms import CUES as TRANSFORMS
from backends.query.transforms import TransformFrames
from backends.query.writer import input_of, vectors_of, writer

READINGS = 14  # maximum number of assignments of meanings that are tried
CANDIDATES = 5
ELSEWHERE = 4.0  # penalty for an interpretation if its table lacks the days asked for
OF_FOUND = 30  # number of interpretations that are applied to the previous result
# Remarks that change nothing, because ranges include both ends here; 金额(含税) is not such a
# remark.
BOTH_ENDS = re.compile(
    r"[（(]\s*包?[含括]\s*(?:\d|当[天日]|當[天日]|本数|两端)[^()（）]{0,12}[)）]"
    r"|[,;]?\s*\bboth (?:(?:years|days|ends) )?included\b"
    r"|(?<=\d),? inclusive\b",
    re.IGNORECASE,
)
# Remarks that do not change a mean, which ignores empty cells, but do change a count.
NO_BLANKS = re.compile(
    r"[,;]?\s*\b(?:leaving out|ignoring|excluding|not counting) (?:the )?blanks\b"
    r"|[。，,;；?？]?\s*(?:完全)?没有[^。，,?？]{1,6}的[^。，,?？]{0,4}不算(?:在内)?"
    r"|空欄は(?:除|のぞ)い\w*",
    re.IGNORECASE,
)
HEARD = 3  # maximum number of likely tables for which the network is asked; each takes a moment
WEIGHED = 40  # number of interpretations that the network weighs
OWN = 4  # maximum number of interpretations that the network adds
NUMERIC = frozenset(get_args(Arithmetic)) - {"least", "greatest"} | {"sum", "mean", "median"}
COMPARISONS = frozenset({"=", "!=", "<", "<=", ">", ">=", "in"})
DATED = frozenset(get_args(Time)) - {"first day", "add days", "add months", "add years"}
FARTHEST = -12.0  # log probability of a reading that the network would never write
FEW = 4  # number of interpretations of a follow-up question that are tried
# words that restrict the rows: an answer that ignores one of them answers a different question
CONDITIONS = (
    *(
        "late",
        "overdue",
        "on time",
        "over plan",
        "under plan",
        "over limit",
        "lapsed",
        "serving",
        "win",
        "loss",
    ),
    *("draw", "home win", "away win", "same day", "above average", "below average", "weekend"),
    *("working day", "rest", "missing"),
)
# words that ask for a computation: an answer without it answers a different question
OPERATIONS = ("change", "median", "correlation", "weighted mean", *TRANSFORMS)
# An interpretation with at least this probability is used without asking the network. Below it, on
# tables that it was not trained on, the network corrected more interpretations than it spoiled.
SURE = 0.9
# The same if the network cannot judge the interpretation: for one that ignores some words, and for
# one that uses all of them.
SURE_ALONE, SURE_OF_ALL = 0.6, 0.2
SHARED = 20  # number of interpretations among which the probability is divided
NAMED = 3.0  # score added for a table that the question names
FUNCTIONAL = 0.84  # score of a word's general meaning if it may also be a value or a column


class Ranked(NamedTuple):
    """A query with its score, its unread words, how many of these ask for something that the table
    lacks, and its features. changes: whether it changes the previous query.
    """

    total: float
    query: Query
    unread: tuple[str, ...]
    strange: int = 0
    found: dict[str, float] = {}  # noqa: RUF012 - never changed
    changes: bool = False


class Scored(NamedTuple):
    """A frame of an interpretation, with its score and the features from which the score is
    computed.
    """

    total: float
    reading: SpanReading
    frame: Frame
    found: dict[str, float]


class RankedTable(NamedTuple):
    """A table that the question may be about, or two joined tables, with the interpretations of the
    question.
    """

    joined: JoinedTable | None
    annotation: Annotation
    made: list[Scored]


def parse(
    question: str,
    profiles: list[Profile],
    *,
    today: dt.date,
    previous: Query | None = None,
    embed: Embed | None = None,
    words: Lexicon | None = None,
) -> list[Candidate]:
    """Return the possible meanings of a question, the likeliest first.

    previous: the query behind the last answer, which a short follow-up question may change.
    """
    asked_of: list[tuple[JoinedTable | None, Profile]] = [(None, profile) for profile in profiles]
    if len(profiles) > 1:
        asked_of += [(joined, joined.profile) for joined in joined_tables(profiles)]
    tables: list[RankedTable] = []
    for joined, profile in asked_of:
        annotation = annotated(question, profile, today, embed, words)
        tables.append(RankedTable(joined, annotation, rank(annotation)))
    ranked = ranked_of(tables)
    if previous is not None:
        known = [
            words_of(profile, words or spoken_words(question, profile)) for profile in profiles
        ]
        changed = patched(
            question, known, previous, today=today, embed=embed, readings=likeliest_readings
        )
        if any(refers(Annotation(question, table, today).spans) for table in known):
            about = [
                one._replace(total=one.total + 1.0, query=made, changes=True)
                for one in ranked[:OF_FOUND]
                if (made := of_found(one.query, previous)) is not None
            ]
            ranked = [*(one._replace(total=one.total - 3.0) for one in ranked), *about]
        else:
            likely = [goes_on(Annotation(question, table, today).spans) for table in known]
            ranked += [
                one._replace(total=one.total + more, query=made, changes=True)
                for more in likely
                if more is not None
                for one in ranked[:OF_FOUND]
                if (made := within(one.query, previous)) is not None
            ]
        ranked += [Ranked(*one, changes=True) for one in changed]
    best = each_once(ranked)
    if not best or best[0].changes:
        return _with_probabilities(best)
    near = likely_tables(tables)
    if is_sure(best, near[0], embed):
        return _with_probabilities(best)
    heard = [
        one._replace(made=made)
        for one in near[:HEARD]
        if (made := with_writer(one.annotation, one.made, embed)) is not None
    ]
    alone = _with_probabilities(best)
    if not heard:
        return alone
    both = _with_probabilities(each_once(ranked_of(heard)), WITH_WRITER)
    offered = both and both[0].probability >= ASK
    return both if offered or alone[0].probability < ASK else alone


def ranked_of(tables: list[RankedTable]) -> list[Ranked]:
    """Return the interpretations of a question about some tables, the most likely first."""
    several = len(tables) > 1
    return [
        Ranked(total_among(one, several), query, *aside(one.reading, one.frame), one.found)
        for table in tables
        for one in table.made
        if (query := query_in(table.joined, one)) is not None
    ]


def total_among(one: Scored, several: bool) -> float:
    """Return the score of an interpretation among those of several tables, or of a single one. A
    table that the question names is preferred and, if each month has a sheet, the one with the
    days asked for.
    """
    named = NAMED if one.reading.annotation.names_table else 0.0
    elsewhere = ELSEWHERE * one.found.get("out of reach", 0.0) if several else 0.0
    return one.total + named - elsewhere


def likely_tables(tables: list[RankedTable]) -> list[RankedTable]:
    """Return the tables that a question can be about, each with its interpretations, the most
    likely first.
    """
    several = len(tables) > 1
    ordered: list[tuple[float, RankedTable]] = []
    for table in tables:
        made = [one for one in table.made if query_in(table.joined, one) is not None]
        made.sort(key=lambda one: -total_among(one, several))
        if made:
            ordered.append((total_among(made[0], several), table._replace(made=made)))
    return [table for _, table in sorted(ordered, key=lambda one: -one[0])]


def query_in(table: JoinedTable | None, one: Scored) -> Query | None:
    """Return the query of an interpretation, or None if it is for two tables but needs only one."""
    if table is None:
        return one.frame.query
    query = table.query_of(one.frame.query)
    return query if query is not None and takes_both(one, table) else None


def each_once(ranked: list[Ranked]) -> list[Ranked]:
    """Return each query once, the likeliest first."""
    best: dict[Query, Ranked] = {}
    for one in sorted(ranked, key=lambda one: -one.total):
        best.setdefault(one.query, one)
    return list(best.values())


def is_sure(best: list[Ranked], table: RankedTable, embed: Embed | None) -> bool:
    """Return whether the network need not be asked. This is the case if the rules are sure of the
    most likely interpretation, if the table lacks the days that it names and no words are unread,
    or if it asks for a chart, a file, a forecast or stacked columns, which the network never
    writes.

    table: the table of the most likely interpretation.
    """
    query, unread = best[0].query, best[0].unread
    if best[0].found.get("out of reach") and not unread:
        return True
    if query.show in ("file", "line", "bar", "pie", "scatter", "histogram"):
        return True
    if query.forecast or query.stack:
        return True
    probable = _with_probabilities(best[:SHARED])[0].probability
    if probable >= SURE:
        return True
    return probable >= (SURE_ALONE if unread else SURE_OF_ALL) and not is_judged(table, embed)


def is_judged(table: RankedTable, embed: Embed | None) -> bool:
    """Return whether the network can judge the rules' best interpretation of a table. It needs an
    embedder, the table must be a single one, as those that it was trained on, and the
    interpretation must be one that it can write.
    """
    if embed is None or table.joined is not None:
        return False
    things = Things(
        table.annotation.table.profile, table.annotation.spans, table.annotation.clock.today
    )
    return sequence_of(normal(table.made[0].frame.query), things) != [""]


def takes_both(one: Scored, table: JoinedTable) -> bool:
    """Return whether a question names something from each table that its interpretation uses. For
    example, `who owes most` does not ask about the people in another table.
    """
    own = frozenset(column.name for column in table.first.columns) - table.second
    taken = columns_of(one.frame.query)
    named = is_named(one, table.further)
    return named and not (table.paired and taken & own and not is_named(one, own))


def is_named(one: Scored, columns: frozenset[str]) -> bool:
    """Return whether a question names at least one of the given columns or one of their values."""
    if any(c.column in columns for c in one.reading.conditions):
        return True
    spans = one.reading.spans
    return any(
        link.column.name in columns and not spans[i].has("ask who", "ask where", "ask when")
        for i in one.frame.uses
        for link in spans[i].columns[:2]
    )


def rank(annotation: Annotation) -> list[Scored]:
    """Return the interpretations of a question about one table, with their scores, the best
    first.
    """
    if not annotation.touches():
        return []
    made: list[Scored] = []
    for choices in assignments(annotation.spans):
        reading = SpanReading(annotation, choices)
        builder = FrameBuilder(reading)
        for frame in chain(builder.frames(), TransformFrames(builder).frames()):
            if compares_nothing(frame.query) or is_void(frame.query):
                continue
            frame = saved(frame, reading)
            found = features(reading, frame)
            made.append(Scored(score(found), reading, frame, found))
    made.sort(key=lambda one: -one.total)
    return made


def annotated(
    question: str,
    profile: Profile,
    today: dt.date,
    embed: Embed | None = None,
    words: Lexicon | None = None,
) -> Annotation:
    """Return what the words of a question may stand for in a table."""
    table = words_of(profile, words or spoken_words(question, profile))
    question = BOTH_ENDS.sub("", question)
    annotation = Annotation(question, table, today, embed)
    if NO_BLANKS.search(question) and any(s.has("mean", "median") for s in annotation.spans):
        annotation = Annotation(NO_BLANKS.sub("", question), table, today, embed)
    return annotation


def with_writer(
    annotation: Annotation, made: list[Scored], embed: Embed | None = None
) -> list[Scored] | None:
    """Return the likeliest interpretations for a table, weighted by how likely the network would be
    to write them, and those that the network writes itself. Return None if the question is too long
    for the network.

    made: the result of `rank`.
    """
    things = Things(annotation.table.profile, annotation.spans, annotation.clock.today)
    told = input_of(annotation, things)
    heard = writer().listen(told, vectors_of(told, embed, annotation.table.kept))
    if heard is None:
        return None
    first: dict[Query, Scored] = {}
    for one in made:
        first.setdefault(normal(one.frame.query), one)
        if len(first) == WEIGHED:
            break
    sequences = [sequence_of(one, things) for one in first]
    none, *likely = heard.likely([["none", "end"], *sequences])
    shared = {"writer none": math.exp(none or FARTHEST)}
    found: list[Scored] = []
    for one, log in zip(first.values(), likely, strict=True):
        seen = one.found | shared | {"writer": max(FARTHEST, FARTHEST if log is None else log)}
        if log is None:
            seen["unwritable"] = 1.0
        found.append(one._replace(total=score(seen, WITH_WRITER), found=seen))
    known = [asked(query) for query in first]
    reading = SpanReading(annotation, assignments(annotation.spans)[0])
    for log, symbols in heard.written()[:OWN]:
        try:
            query = normal(read(symbols, things))
        except NotWritable:
            continue
        if not (query.items or query.group) or asked(query) in known:
            continue
        if compares_nothing(query) or is_void(query):
            continue
        if not fits_types(query, annotation.table.profile):
            continue
        if query.limit is not None and query.order:
            query = query.model_copy(update={"ties": True})
        frame = Frame(query, spans_read(symbols, reading, things), {"writer's own": 1.0})
        seen = features(reading, frame) | shared | {"writer": max(FARTHEST, log)}
        found.append(Scored(score(seen, WITH_WRITER), reading, frame, seen))
    found.sort(key=lambda one: -one.total)
    return found


def compares_nothing(query: Query) -> bool:
    """Return whether a query compares something with itself, which nobody asks for."""
    return any(
        isinstance(part, Call) and part.name in ("-", "/") and part.args[0] == part.args[-1]
        for item in query.items
        for part in walk(item.expression)
    )


def fits_types(query: Query, profile: Profile) -> bool:
    """Return whether a query from the network compares days only with days, and numbers only with
    numbers, and computes only with numbers.
    """
    if isinstance(query.source, Query) and not fits_types(query.source, profile):
        return False
    kinds = {column.name: column.kind for column in profile.columns}
    told = [one.expression for one in (*query.group, *query.items)]
    told += [one.by for one in query.order]
    told += [one for one in (query.where, query.having) if one is not None]
    for part in (part for one in told for part in walk(one)):
        if not isinstance(part, Call | Aggregate):
            continue
        held = {kinds.get(one.name) for one in part.args if isinstance(one, Column)} - {None}
        numeric = part.name in NUMERIC
        dated = part.name in DATED or any(is_day(one) for one in part.args)
        if (numeric and held - {"number"}) or (dated and held - {"date", "time"}):
            return False
        worded = any(isinstance(one, Value) and isinstance(one.value, str) for one in part.args)
        if part.name in COMPARISONS and held == {"number"} and worded:
            return False
    return True


def sequence_of(query: Query, things: Things) -> list[Symbol]:
    """Return a query as symbols. If it cannot be written, return a symbol that the network does not
    know.
    """
    try:
        return write(query, things)
    except NotWritable:
        return [""]


def spans_read(symbols: list[Symbol], reading: SpanReading, things: Things) -> frozenset[int]:
    """Return the spans that a sequence points at, either directly or through the columns and values
    that they mean, and the spans of words whose general meaning the query expresses. The network
    has read all of them.
    """
    at = [one for one in symbols if isinstance(one, Pointer)]
    columns = {things.columns[one.at] for one in at if one.kind == "column"}
    values = {one.at for one in at if one.kind == "value"}
    columns |= {things.columns[things.values[value][0]] for value in values}
    found = {one.at for one in at if one.kind not in ("column", "value")}
    found |= {i for i, value in things.linked if value in values}
    told = " ".join(one for one in symbols if isinstance(one, str))
    concepts = {c for w in reading.table.columns if w.column.name in columns for c in w.concepts}
    for i, span in enumerate(reading.spans):
        named = any(link.column.name in columns for link in span.columns[:2])
        if named or (reading.choices[i].role == "sense" and _is_said(span, told, concepts)):
            found.add(i)
    return frozenset(found)


def _is_said(span: Span, told: str, concepts: set[str]) -> bool:
    """Return whether a query expresses what a word asks for. A word that only means a thing counts
    if the query uses a column for this thing. Words for operations count only if the query contains
    these operations; negations never count.

    told: the words of the query. concepts: the concepts of its columns.
    """
    operations = [name for name in OPERATIONS if span.has(name)]
    if span.has("not", "except") or not all(name in told for name in operations):
        return False
    return not span.concepts or works(span.senses) or bool(concepts & set(span.concepts))


def saved(frame: Frame, reading: SpanReading) -> Frame:
    """Return a frame as a table that is printed or saved, if the question asks for that."""
    save, table = reading.sense("save"), reading.sense("table form")
    if not save and not table:
        return frame
    show: Show | None = "file" if save else frame.query.show or "table"
    query = frame.query.model_copy(update={"show": show})
    return Frame(query, frame.uses | frozenset([*save, *table]), frame.features)


def likeliest_readings(annotation: Annotation) -> list[SpanReading]:
    """Return the likeliest interpretations of a follow-up question."""
    return [SpanReading(annotation, choices) for choices in assignments(annotation.spans)[:FEW]]


def spoken_words(question: str, profile: Profile) -> Lexicon:
    """Return the words of English and of the language in which a question about a table is
    asked.
    """
    named = " ".join(
        [profile.name, *(f"{c.name} {' '.join(map(str, c.values[:8]))}" for c in profile.columns)]
    )
    return lexicon(languages_of(question, named))


_tables: dict[tuple[str, str, int], TableWords] = {}


def words_of(profile: Profile, words: Lexicon) -> TableWords:
    """Return the words of a table, cached by its content."""
    key = (profile.hash, profile.source, id(words))
    found = _tables.get(key)
    if found is None or found.profile != profile:
        if len(_tables) > 200:
            _tables.clear()
        found = _tables[key] = TableWords(profile, words)
    return found


def options(span: Span) -> list[Choice]:
    """Return the possible meanings of one span, the likeliest first."""
    if span.period is not None:
        dated = 0.6 if span.columns else 1.0
        found = [Choice("date", 0, dated)]
        found += [Choice("value", k, v.score) for k, v in enumerate(span.values[:1])]
        found += [Choice("column", k, link.score) for k, link in enumerate(span.columns[:2])]
        return sorted(found, key=lambda choice: -choice.score)
    if span.clock is not None:
        return [Choice("clock")]
    found: list[Choice] = []
    if span.values:
        found += [Choice("value", k, v.score - 0.03 * k) for k, v in enumerate(span.values[:2])]
    if span.columns:
        found += [
            Choice("column", k, link.score - 0.02 * k) for k, link in enumerate(span.columns[:2])
        ]
    functional = [s for s in span.senses if s != "stop" and not s.startswith("concept ")]
    if functional:
        weak = all(
            s in ("rows", "present", "of", "past", "future", "times", "minus", "to")
            or s.startswith("maybe")
            for s in functional
        )
        found.append(
            Choice("sense", 0, 0.6 if weak and (span.values or span.columns) else FUNCTIONAL)
        )
    elif span.number is not None:
        found.append(Choice("number"))
    elif span.senses:
        found.append(Choice("sense", 0, 0.35 if found else 1.0))
    if span.number is not None and functional:
        found.append(Choice("number", 0, 0.8))
    if found and span.senses == () and found[0].role == "value" and found[0].score < 0.65:
        found.append(Choice("unknown", 0, 0.45))
    if not found:
        return [Choice("unknown" if span.unknown else "sense")]
    return sorted(found, key=lambda choice: -choice.score)


def assignments(spans: list[Span]) -> list[tuple[Choice, ...]]:
    """Return the likeliest meanings of all spans together, using beam search from left to right."""
    beam: list[tuple[float, tuple[Choice, ...]]] = [(0.0, ())]
    for span in spans:
        grown: list[tuple[float, tuple[Choice, ...]]] = []
        for total, chosen in beam:
            for choice in options(span)[:4]:
                grown.append((total + math.log(max(choice.score, 0.05)), (*chosen, choice)))
        grown.sort(key=lambda one: -one[0])
        beam = grown[:READINGS]
    return [chosen for _, chosen in beam]


def aside(reading: SpanReading, frame: Frame) -> tuple[tuple[str, ...], int]:
    """Return the words that a query does not answer, starting with those for things that the table
    lacks, and the number of such words.
    """
    lacking = strange(reading, frame)
    return tuple(dict.fromkeys([*lacking, *unread(reading, frame)])), len(lacking)


def unread(reading: SpanReading, frame: Frame) -> tuple[str, ...]:
    """Return the words that a query ignores and that may be important, the most important first."""
    left: list[tuple[int, str]] = []
    echoed = echoes(reading, frame)
    for i, span in enumerate(reading.spans):
        if i in frame.uses or i in echoed:
            continue
        role = reading.choices[i].role
        if role in ("value", "date", "clock", "number"):
            left.append((0, span.text))
        elif role == "unknown":
            left.append((1 if span.text[:1].isupper() and i else 2, span.text))
        elif (
            (role == "sense" and span.has(*OPERATIONS) and not span.has("stop"))
            or span.has("not", "except")
            or any(s[0] in "<>" for s in span.senses)
            or (role == "sense" and _is_extreme(span))
            or span.has("ask age", "ask distance", "ask weight", "ask height", *CONDITIONS)
        ):
            left.append((1, span.text))
        elif (role == "column" and not span.has("stop", "rows")) or (
            span.concepts
            and not span.has("stop", "rows")
            and not any(s.startswith("ask ") for s in span.senses)
        ):
            left.append((3, span.text))
    return tuple(text for _, text in sorted(left, key=lambda one: one[0]))


def _is_extreme(span: Span) -> bool:
    """Return whether a word asks for the highest or lowest value of something: fastest."""
    if span.has("stop"):
        return False
    return any(s.startswith(("max ", "min ")) for s in span.senses)


def strange(reading: SpanReading, frame: Frame) -> tuple[str, ...]:
    """Return the words that ask for something for which the table has no column, such as the
    humidity.
    """
    found: list[str] = []
    echoed = echoes(reading, frame)
    for i, span in enumerate(reading.spans):
        if i in echoed:
            continue
        apart = span.guessed or span.has("rows") or i not in frame.uses
        lacking = apart and _is_asked_for(i, reading)
        if lacking or _lacks_people(i, reading):
            found.append(span.text)
            continue
        if i in frame.uses or span.columns or span.values or span.has("stop", "rows", *BINDING):
            continue
        operation = any(s.split()[0] in (*CUES, "ask") for s in span.senses)
        if span.concepts and not operation:
            found.append(span.text)
    return tuple(found)


def _in_title(i: int, reading: SpanReading) -> bool:
    """Return whether the table's name contains the words of a span."""
    span = reading.spans[i]
    tokens = reading.annotation.tokens[span.first : span.last]
    return all(t.key in reading.table.title for t in tokens if t.word)


def _lacks_people(i: int, reading: SpanReading) -> bool:
    """Return whether a question asks who, and the table has no column of people or names."""
    if not reading.spans[i].has("ask who"):
        return False
    persons = set(reading.table.words.relations["persons"])
    return not any(
        persons & set(one.concepts) or names_people(one.column) for one in reading.table.columns
    )


def _is_asked_for(i: int, reading: SpanReading) -> bool:
    """Return whether an unknown word, or one whose meaning is guessed, is the thing that is asked
    for: which tent, what is the phone number.
    """
    asked = reading.spans[i]
    lacking = asked.has("rows") and bool(asked.concepts)  # which customer, in a table without any
    lacking = lacking and not asked.columns and not asked.values
    lacking = lacking and not _in_title(i, reading)
    if not (asked.guessed or lacking or reading.choices[i].role == "unknown"):
        return False
    if not asked.text.isascii():
        return False
    for j in range(i - 1, -1, -1):
        span = reading.spans[j]
        if span.has("ask which", "ask what") or (asked.guessed and span.has("ask count")):
            return True
        if not span.has("stop", "of", "copula") or span.columns or span.values:
            return False
    return False


def _with_probabilities(ranked: list[Ranked], known: str = ALONE) -> list[Candidate]:
    """Return candidates with their probabilities, which leave room for the case that none is right.

    ranked: each query once, the best first. known: the weights with which they were scored.
    """
    if not ranked:
        return []
    top = ranked[0]
    whole = sum(math.exp(one.total - top.total) for one in ranked[:SHARED])
    sure = certainty(grounds(top.total, 1 / whole, len(top.unread), top.strange, top.found), known)
    return [
        Candidate(one.query, sure * math.exp(one.total - top.total), one.unread)
        for one in ranked[:CANDIDATES]
    ]
