"""Questions about tables. The parser, and a capable model, interpret them as typed queries."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from pydantic import ValidationError

from backends.copilot.models import NoModel, ThoughtPiece, thread_embedder
from backends.copilot.tables import offers_tools
from backends.copilot.turn import Interpretation, NeedValues, Understanding, uncomputed
from backends.copilot.workflows import moment
from backends.data.compiler import QUERY, QueryArguments, query_sources
from backends.data.query import Query
from backends.flexai.errors import FlexAIError
from backends.protocol.request import CopilotMessage, Human
from backends.query import clarify, propose
from backends.query.corrections import preferred, read_corrections, template_of
from backends.query.decide import Decided, decide, told_apart
from backends.query.describe import condition_words, describe, messages
from backends.query.joined import joined_tables
from backends.query.lexicon import LANGUAGES, Language, language_of
from backends.query.normal import normal
from backends.query.parser import parse
from backends.query.sql import NoQuery

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import AsyncGenerator

    from backends.copilot.models import CopilotModels
    from backends.copilot.tables import TableSource
    from backends.copilot.turn import OpenTurn
    from backends.data.values import Profile
    from backends.protocol.request import CopilotRequest as Request
    from backends.query.candidate import Candidate

TOKENS = 300  # maximum length of a SELECT in tokens
SECONDS = 30.0  # time limit for a model's interpretation of a question, in seconds
# interpretations of a question over different tables count as equally likely if their probabilities
# differ by less than this
ALIKE = 0.02
QUOTED = re.compile(r"[“「]([^”」]*)[”」]")
PHRASES = 12  # maximum number of phrases looked up for one question
TRIES = 2  # a SELECT that cannot be read is returned to the model once, with the reason


async def understand(
    request: Request,
    turn: OpenTurn,
    sources: list[TableSource],
    models: CopilotModels,
    today: dt.date,
    found: dict[str, list[str]] | None,
) -> Understanding | NeedValues | None:
    """Return the meaning of a question as a query, or None if neither the parser nor a model finds
    one.

    found: values that the terminal looked up in columns that have more values than a profile lists;
    None if it has not been asked yet.
    """
    if not sources or not (offers_tools(request) or all(s.table is not None for s in sources)):
        return None
    profiles = [with_values(source.profile, found or {}) for source in sources]
    language = language_of(turn.question)
    words = messages(language)
    for profile in profiles:
        if clarify.asks_about_table(turn.question, profile):
            back = clarify.table_words(profile, language)
            return Understanding(decision="ask", back=back, language=language)
    parsed = await parsed_question(turn, profiles, models, today)
    ability = models.ability(request.model)
    proposed, doubted = None, False
    if ability.able or decide(parsed, None).decision != "answer":
        try:
            proposed = await proposal(request, turn, profiles, models, ability, today)
        except propose.NotInTables:
            if ability.able:
                return Understanding(decision="ask", back=words["not there"], language=language)
            doubted = True
    wide = [profile for profile in profiles if has_unlisted(profile)]
    goes_on = bool(parsed) and talks_on(turn, parsed[0].unread)
    if found is None and proposed is None and wide and offers_tools(request) and not goes_on:
        phrases = phrases_of(turn.question, parsed)
        if phrases:
            return NeedValues(source=wide[0].source, phrases=phrases)
    if proposed is not None and (agreed := told_apart(parsed, proposed)) is not None:
        await models.learn(request.model, agreed=agreed)
    corrections = read_corrections(request.options.get("deskpilot-templates"))
    chosen = await asyncio.to_thread(preferred, parsed, turn.question, profiles, corrections, today)
    decided = Decided("answer", tuple(chosen)) if chosen else decide(parsed, proposed)
    if doubted and decided.decision == "confirm":
        decided = Decided("ask", decided.candidates)
    if decided.decision in ("ask", "confirm") and goes_on:
        return None
    if decided.decision in ("none", "ask") and (back := out_of_reach(decided, profiles, language)):
        return Understanding(decision="ask", back=back, language=language)
    if decided.decision == "none":
        return None
    readings = await asyncio.to_thread(
        lambda: [reading_of(one, turn.question, profiles, today) for one in decided.candidates[:4]]
    )
    unread = list(decided.candidates[0].unread) if decided.decision != "answer" else []
    if several := alike(decided.candidates):
        named = [told_apart_by_table(reading, profiles) for reading in readings[:several]]
        back = words["which table"]
        return Understanding(readings=named, decision="ask", back=back, language=language)
    if unread and (back := await asyncio.to_thread(across, decided, profiles, today, language)):
        return Understanding(ignored=unread, decision="ask", back=back, language=language)
    back = None
    if decided.decision == "ask" and unread:
        name = profile_of(decided.candidates[0], profiles).name
        back = words["unread"].format(name, words["listed"].join(unread))
    elif decided.decision == "ask":
        back = words["did you mean"]
    return Understanding(
        readings=readings, ignored=unread, decision=decided.decision, back=back, language=language
    )


def alike(candidates: tuple[Candidate, ...]) -> int:
    """Return how many of the most likely interpretations are the same question about different
    tables; 0 if there is only one.
    """
    first = candidates[0]
    same = [
        one
        for one in candidates
        if first.probability - one.probability < ALIKE
        and one.query.source != first.query.source
        and normal(one.query.model_copy(update={"source": first.query.source}))
        == normal(first.query)
    ]
    rest = [one for one in candidates[: len(same) + 1] if one not in same and one is not first]
    return len(same) + 1 if same and not rest else 0


def told_apart_by_table(reading: Interpretation, profiles: list[Profile]) -> Interpretation:
    """Return an interpretation that says which table it is about."""
    source = reading.arguments["source"]
    name = next(profile.name for profile in profiles if profile.source == source)
    return reading.model_copy(update={"words": [*reading.words, name]})


def across(
    decided: Decided, profiles: list[Profile], today: dt.date, language: Language
) -> str | None:
    """Return the message that words missing in one table occur in another table, although no column
    joins the two. Return None if no other table has them.
    """
    first = decided.candidates[0]
    own = profile_of(first, profiles)
    joins = [(table.first.source, table.join.source) for table in joined_tables(profiles)]
    for profile in profiles:
        if (own.source, profile.source) in joins or (profile.source, own.source) in joins:
            continue
        for text in first.unread if profile is not own else ():
            if clarify.holds(text, profile, today) and not clarify.holds(text, own, today):
                words = messages(language)["across tables"]
                return words.format(text, profile.name, own.name)
    return None


async def unanswered(
    request: Request,
    turn: OpenTurn,
    sources: list[TableSource],
    models: CopilotModels,
    today: dt.date,
) -> Understanding:
    """Return what to do with a question that neither a query nor a workflow answers: ask the user
    if it is about a table, otherwise reply in conversation.

    A model that is not capable never discusses data, because it would invent the numbers.
    """
    language = language_of(turn.question)
    profiles = [source.profile for source in sources]
    parsed = await parsed_question(turn, profiles, models, today) if profiles else []
    if parsed and talks_on(turn, parsed[0].unread):
        return Understanding(decision="talk", language=language)
    if parsed:
        profile, unread = profile_of(parsed[0], profiles), parsed[0].unread
        if await asyncio.to_thread(clarify.is_about, turn.question, profile, unread, today):
            return asked_back(profile, unread, language)
    for profile in profiles:  # a model that cannot read tables would invent a number
        missing = await asyncio.to_thread(clarify.missing_words, turn.question, profile, today)
        if missing is not None:
            return asked_back(profile, missing, language)
    if not models.ability(request.model).able:
        for profile in profiles:
            asked = await asyncio.to_thread(clarify.words_of_data, turn.question, profile, today)
            if asked is not None:
                return asked_back(profile, asked, language)
    return Understanding(decision="talk", language=language)


def talks_on(turn: OpenTurn, unread: tuple[str, ...]) -> bool:
    """Return whether a question refers to a text that a model wrote earlier.

    It does if one of the words missing in the tables occurred in the previous question, and if that
    question was answered in conversation, not by asking what the word means.
    """
    asked = uncomputed(turn.before)
    if asked is None or not unread:
        return False
    said = " ".join(m.text for m in turn.before[-1:] if isinstance(m, CopilotMessage))
    back = any(messages(language)["did you mean"] in said for language in LANGUAGES)
    doubted = " ".join(QUOTED.findall(said)).casefold()
    known = [word.casefold() for word in unread if word.casefold() in asked.casefold()]
    return bool(said and known) and not back and not any(word in doubted for word in known)


def asked_back(profile: Profile, unread: tuple[str, ...], language: Language) -> Understanding:
    """Return the reply that a table does not contain what the question asks for."""
    back = clarify.not_found(profile, unread, language)
    return Understanding(ignored=list(unread), decision="ask", back=back, language=language)


def profile_of(candidate: Candidate, profiles: list[Profile]) -> Profile:
    """Return the profile of the first table that a candidate reads."""
    source = query_sources(candidate.query)[0]
    return next(profile for profile in profiles if profile.source == source)


def out_of_reach(decided: Decided, profiles: list[Profile], language: str) -> str | None:
    """Return the message that the dates of the most likely interpretation are outside the date
    range of its table, or None if they are not.
    """
    if not decided.candidates or decided.candidates[0].unread:
        return None  # its dates may also have been misunderstood
    first = decided.candidates[0]
    return clarify.out_of_reach(first.query, profile_of(first, profiles), language)


def has_unlisted(profile: Profile) -> bool:
    """Return whether a text column has more values than its profile lists."""
    return any(c.kind == "text" and c.distinct > len(c.values) for c in profile.columns)


def with_values(profile: Profile, found: dict[str, list[str]]) -> Profile:
    """Return a profile in which the columns also list the values that were looked up."""
    columns = [
        column.model_copy(
            update={"values": list(dict.fromkeys([*found[column.name], *column.values]))}
        )
        if column.name in found
        else column
        for column in profile.columns
    ]
    return profile.model_copy(update={"columns": columns}) if found else profile


def phrases_of(question: str, parsed: list[Candidate]) -> list[str]:
    """Return phrases that may be values that no profile lists: unread words, both alone and
    together with their neighbours.
    """
    words = re.findall(r"[\w'’.&/-]+", question)
    unread = {word for text in (parsed[0].unread if parsed else ()) for word in text.split()}
    found: list[str] = []
    for at, word in enumerate(words):
        if (
            word not in unread
            and not (at and word[:1].isupper())
            and not any(c.isdigit() for c in word)
        ):
            continue
        around = [
            words[max(0, at - 1) : at + 1],
            words[at : at + 2],
            words[max(0, at - 1) : at + 2],
        ]
        found += [word, *(" ".join(part) for part in around if len(part) > 1)]
    return list(dict.fromkeys(found))[:PHRASES]


async def proposal(
    request: Request,
    turn: OpenTurn,
    profiles: list[Profile],
    models: CopilotModels,
    ability: propose.Ability,
    today: dt.date,
) -> Candidate | None:
    """Return a model's interpretation of a question. Return None if the model may not interpret
    questions, or did not write a usable interpretation.

    ability: the model's test result. Raises: NotInTables if the model says that the tables do not
    contain the answer.
    """
    if not ability.reliability:
        return None
    prompt = propose.messages(turn.question, profiles, today=today, previous=before(turn))

    async def chat(messages: list[dict[str, str]]) -> AsyncGenerator[str, None]:
        parameters = {"temperature": 0.0, "max_tokens": TOKENS}
        async for piece in models.chat(messages, model=request.model, parameters=parameters):
            if not isinstance(piece, ThoughtPiece):
                yield piece

    try:
        async with asyncio.timeout(SECONDS):
            for _ in range(TRIES):
                answer = await propose.ask(chat, prompt)
                try:
                    return await asyncio.to_thread(
                        propose.candidate_of, answer, profiles, today=today, ability=ability
                    )
                except NoQuery as error:
                    prompt = propose.again(prompt, answer, error)
    except (FlexAIError, NoModel, TimeoutError):
        pass
    return None


async def parsed_question(
    turn: OpenTurn, profiles: list[Profile], models: CopilotModels, today: dt.date
) -> list[Candidate]:
    """Return the parser's interpretations of a question. They are computed in a thread, because
    this takes a while.
    """
    embedded = thread_embedder(models)

    def read() -> list[Candidate]:
        previous, now = previous_query(turn), moment(today)
        # a follow-up question may refer to the previous one
        if (asked := uncomputed(turn.before)) is not None:
            earlier = parse(asked, profiles, today=now, previous=previous, embed=embedded)
            previous = earlier[0].query if earlier else None
        return parse(turn.question, profiles, today=now, previous=previous, embed=embedded)

    return await asyncio.to_thread(read)


def before(turn: OpenTurn) -> tuple[str, str] | None:
    """Return the previous question, with the query that answered it as JSON, if there was one."""
    query = previous_query(turn)
    asked = [message.text for message in turn.before if isinstance(message, Human)]
    if query is None or not asked:
        return None
    return asked[-1], propose.as_select(query)


def previous_query(turn: OpenTurn) -> Query | None:
    """Return the query that answered the previous question, or None if no query did."""
    if turn.previous is None or turn.previous.interface != QUERY:
        return None
    try:
        return QueryArguments.model_validate(turn.previous.arguments).query
    except ValidationError:
        return None


def reading_of(
    candidate: Candidate, question: str, profiles: list[Profile], today: dt.date
) -> Interpretation:
    """Return a candidate in the form that the terminal shows, and sends back if the user chooses
    it.
    """
    query, language = candidate.query, language_of(question)
    return Interpretation(
        interface=QUERY,
        arguments={
            "source": query_sources(query)[0],
            "query": query.model_dump(mode="json", exclude_defaults=True),
        },
        words=describe(query, language),
        conditions=condition_words(query, language),
        score=candidate.probability,
        template=template_of(question, profile_of(candidate, profiles), today),
    )
