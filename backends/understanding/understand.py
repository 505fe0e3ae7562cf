"""Understand a question about tables, or say that one does not."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

from backends.understanding.asking.japanese import as_chinese, as_japanese, spoken
from backends.understanding.asking.telling import in_its_language, in_words
from backends.understanding.coverage import NeedValues, Understanding
from backends.understanding.describe import (
    asks_about_table,
    describe,
    names_no_column,
    which_column,
)
from backends.understanding.reader import Reader
from backends.understanding.readings.compare import redrawn, stays_in
from backends.understanding.spans.periods import OutsideData
from backends.understanding.spans.text import Question, mend, quarters_said, tight
from backends.understanding.values import columns_said

if TYPE_CHECKING:
    from backends.data.values import Profile
    from backends.understanding.matching import Embed
    from backends.understanding.operations import Reading, Template


# "before 2020 (not including 2020)" says again what "before" says
ASIDE = re.compile(
    r"[(（](?:(?:不?含|不?包括|not"
    r" including|excluding|including|incl\.?)[^)）]*|[^()（）]*\b(?:included|inclusive|excluded))[)）]",
    re.IGNORECASE,
)
# "whatever the status", 不管什么状态: said to restrict nothing
WHATEVER = re.compile(
    r"\b(?:regardless of|irrespective of|no matter|whatever) (?:the |their |its |what"
    r" )?[a-z]+\b|(?:不管|不论|无论)(?:是?什么|哪种|任何)?[\u4e00-\u9fff]{1,4}",
    re.IGNORECASE,
)
# 哪一年的平均通胀最高: of each year one mean, of these the highest
OF_EACH = re.compile(
    r"^(?:在)?哪(?:一|个|一个)?(年|月|季度|天)的?(平均|总)(?P<what>[^，。"
    r"？?]+?)最(高|低|多|少|大|小)"
)
INCLUDED = re.compile(r"(?:以后|之后)[(（]含[^)）]*[)）]")


async def understand(
    question: str,
    profiles: list[Profile],
    *,
    embed: Embed | None,
    today: dt.date | dt.datetime,
    previous: Reading | None = None,
    found: dict[str, list[str]] | None = None,
    templates: list[Template] | None = None,
) -> Understanding | NeedValues:
    """Understand a question about one of the tables.

    embed: texts → float32 (texts, dimensions), L2-normalised; None does without.
    today: a moment, too: of a table whose day is not over, the day before is the last.
    previous: the reading of the question before, whose slots a follow-up carries on.
    found: values the terminal found for the phrases of a NeedValues, by column.
    templates: what the person chose for questions before.
    """
    question, best = tight(question), None
    for profile in profiles:
        day = profile.today(today) if isinstance(today, dt.datetime) else today
        reader = Reader(
            prepared(question, profile), profile, embed, day, previous, found, templates or []
        )
        one = in_words_of(question, await understand_one(reader), profile)
        if best is None or rank(one) > rank(best):
            best = one
    return best or Understanding(decision="talk", language=Question(question).spoken)


def in_words_of(
    question: str, found: Understanding | NeedValues, profile: Profile
) -> Understanding | NeedValues:
    """Return what was understood in the words of the question's language; of Japanese ones, in its
    own.
    """
    if isinstance(found, NeedValues) or found.language == "en":
        return found
    readings = [in_its_language(one, profile, found.language) for one in found.readings]
    ignored, back = found.ignored, found.back
    if found.language == "ja":
        ignored = [as_japanese(word, question) for word in ignored]
        for word, own in zip(found.ignored, ignored, strict=True):
            back = back.replace(word, own) if back else back
    return found.model_copy(update={"readings": readings, "ignored": ignored, "back": back})


def rank(result: Understanding | NeedValues) -> tuple[int, float]:
    """Order results of several tables: understood before asked back before talk, then by score."""
    if isinstance(result, NeedValues):
        return (2, 0.0)
    order = {"answer": 4, "confirm": 3, "ask": 1, "talk": 0}[result.decision]
    return (order, (result.readings[0].score if result.readings else 0.0) - len(result.ignored))


def prepared(text: str, profile: Profile) -> Question:
    """Return the question without asides, its slips of the pen mended."""
    asked_in = spoken(text)
    text = as_chinese(text, [profile]) if asked_in == "ja" else text
    text = OF_EACH.sub(r"\2\g<what>最\4的是哪一\1", text)
    text = WHATEVER.sub(" ", ASIDE.sub(" ", INCLUDED.sub("起", text)))
    return Question(
        mend(columns_said(quarters_said(text, [profile]), [profile]), profile), asked_in
    )


async def understand_one(reader: Reader) -> Understanding | NeedValues:
    """Understand a question about one table, or about the table itself."""
    text, profile, language = reader.q.text, reader.profile, reader.q.spoken
    if (drawn := redrawn(text, reader.previous)) is not None and stays_in(profile, drawn):
        return Understanding(readings=[drawn], decision="answer", language=language)
    if asks_about_table(text):
        return Understanding(decision="ask", back=describe(profile, language), language=language)
    if names_no_column(text):
        return Understanding(
            decision="ask", back=which_column(profile, language), language=language
        )
    try:
        return await reader.read()
    except OutsideData as error:
        name = reader.profile.name
        words, held = (in_words(part, language) for part in (error.words, error.held))
        told = {
            "en": f"{name} holds nothing for {words}: it covers {held}. Which period do you mean?",
            "zh": f"{name} 没有 {words}的数据，它的范围是{held}。您指的是哪个时期？",
            "ja": f"{name} に{words}のデータはありません（範囲は{held}）。どの期間ですか？",
        }[language]
        return Understanding(decision="ask", back=told, language=reader.q.spoken)
