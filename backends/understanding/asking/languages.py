"""How English and Chinese ask: their question words, and what pronouns stand for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.matching import label_column, person_column
from backends.understanding.operations import groupable, part_of
from backends.understanding.spans.flags import truth_of
from backends.understanding.spans.numbers import MONEY, is_money, is_sum_of_money, unit_said
from backends.understanding.spans.periods import time_columns
from backends.understanding.spans.text import bare

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile
    from backends.understanding.asking.telling import Nouns
    from backends.understanding.operations import Parts


NAMED = re.compile(r"\b(ids?|names|addresses|titles|codes|numbers) (?:of|from|in|with|for)\b")
PLACE = re.compile(
    r"city|town|place|location|country|region|site|station|branch|office|port|origin|venue|address|from|where|城市|地区|地点|地址|省|目的地|位置|站",
    re.IGNORECASE,
)
KIND = re.compile(r"type|kind|species|category|breed|class\b|genre|variety", re.IGNORECASE)
EVERYBODY = re.compile(
    r"name|employee|customer|member|guest|student|pupil|player|runner|singer|patient|person|staff",
    re.I,
)
MAKERS = re.compile(
    r"\bwho (?:\w+"
    r" )?(?:wrote|authored|invented|directed|composed|painted|founded|discovered|sang|sings|stars?|starred|designed|built|owns)\b"
)
MADE_BY = re.compile(
    r"author|writer|director|composer|artist|painter|founder|inventor|singer|designer|builder|owner|by$",
    re.IGNORECASE,
)
METHOD = re.compile(r"method|payment|tender|pay(?:ing)?[_ ]?(?:type|mode)", re.IGNORECASE)
TRANSPORT = re.compile(r"travel|transport|mode|commute", re.IGNORECASE)
HOW = (
    (
        re.compile(
            r"^how (?:did|was|were|is|are|do|does|has|have)\b.*\b(?:pay|paid|pays|settled?)\b"
        ),
        METHOD,
    ),
    (
        re.compile(
            r"^how (?:did|do|does|is|are)\b.*\b(?:travels?|commute|get (?:to|here|home)|come"
            r" (?:to|here))\b"
        ),
        TRANSPORT,
    ),
)
REASON = re.compile(r"reason|cause|complaint|purpose|原因|事由", re.IGNORECASE)
WHEN = re.compile(
    r"\bwhen\b|\b(?:which|what)"
    r" (?:day|date|year|month|quarter)|什么时候|哪一?[天年月]|几月|哪个(?:季度|月)|何时"
)
STEPS = (
    ("quarter", re.compile(r"\bwhich quarter|哪一?个?季度")),
    ("month", re.compile(r"\bwhich month|哪一?个?月")),
    ("year", re.compile(r"\bwhich year|哪一?年")),
)


def time_or_person(nouns: Nouns) -> tuple[ColumnProfile | None, bool]:
    """Return the column "when", "which month" or "who" asks for, and whether it is only a guess."""
    masked = nouns.question.masked()
    for role, said in STEPS:
        named = [c for c in nouns.profile.columns if c.role == role]
        if named and said.search(masked):
            return named[0], False
    times = time_columns(nouns.profile)
    if times and WHEN.search(masked):
        dates = [
            m.column for m in nouns.matches if m.column.kind in ("date", "time") and m.score >= 0.5
        ]
        return (dates or times)[0], False
    for said, column in HOW:
        if said.search(nouns.text):
            return next((c for c in nouns.profile.columns if column.search(c.name)), None), False
    if re.match(r"why\b|为什么|what (?:was|is|were) .* for\W*$", nouns.text):
        return next((c for c in nouns.profile.columns if REASON.search(c.name)), None), False
    return person(nouns) if re.search(r"\bwho(?:se|m)?\b|谁|哪位|哪个人", masked) else (None, False)


def person(nouns: Nouns) -> tuple[ColumnProfile | None, bool]:
    """Return the column "who" asks for; a role nothing in the question speaks of is only a
    guess.
    """
    english = nouns.question.language == "en"
    column = person_column(nouns.matches)
    if column is None:
        label = label_column(nouns.profile)
        named = (
            english and label is not None and label.kind == "text" and label.role != "identifier"
        )
        return (label if named else None), False
    score = next(m.score for m in nouns.matches if m.column is column)
    if english and MAKERS.search(nouns.text) and not MADE_BY.search(column.name):
        return column, True  # who borrowed a book is not who wrote it
    return column, english and score < 0.5 and not EVERYBODY.search(column.name)


def codes_or_names(nouns: Nouns) -> ColumnProfile | None:
    """Return the column that "ticket ids of …" or "addresses in …" names."""
    match = NAMED.search(nouns.text)
    if match is None:
        return None
    if match[1].startswith(("id", "code", "number")):
        return next((c for c in nouns.profile.columns if c.role == "identifier"), None)
    if match[1].startswith("name"):
        start, end = nouns.after(match.end())
        named = nouns.column(start, start + len(nouns.text[start:end].split(" ")[0]))
        if named is not None and named.role == "category":
            return named
        return person_column(nouns.matches) or label_column(nouns.profile)
    return nouns.column(match.start(1), match.end(1))


def place_column(nouns: Nouns) -> ColumnProfile | None:
    """Return the column "where" asks for."""
    places = [m for m in nouns.matches if m.column.kind == "text" and PLACE.search(m.column.name)]
    if re.search(r"\bfrom\b", nouns.text):
        places.sort(
            key=lambda m: not re.search(r"orig|from|prev|source|start", m.column.name, re.I)
        )
    if re.search("[到往至]哪", nouns.text):
        places.sort(key=lambda m: not re.search("收|目的|到达", m.column.name))
    elif re.search("从哪|自哪", nouns.text):
        places.sort(key=lambda m: not re.search("寄|出发|始发|来源", m.column.name))
    return places[0].column if places else None


def kind_column(nouns: Nouns) -> ColumnProfile | None:
    """Return the column that says what kind of thing a row is."""
    return next(
        (c for c in nouns.profile.columns if KIND.search(c.name) and c.kind == "text"), None
    )


OF = r"(?:(?:two|three|four|five|ten|\d+)\s+)?(?=[a-z])"
CUES = (
    (
        "which|what|whose|how many|number of|count of|(?:list|names?|ids?|titles?|all|any)(?:"
        " of)?(?: all)?(?: the)?|different|distinct|unique"
    ),
    (
        r"(?:share|percentage|proportion|fraction|percent) of|top"
        r" \w+|rarest|commonest|favou?rite|by|per|for each|for every|each|every"
    ),
    (
        "(?:most|least)"
        " (?:popular|common|frequent|expensive|costly|profitable|productive|successful|active|valuable)"
    ),
    r"the (?:two|three|four|five|ten|\d+)",
)
ASKED = re.compile(rf"(?:^(?=[a-z]+ (?:with|having|that ha[sd]) )|\b(?:{'|'.join(CUES)})\s+{OF})")
LISTED = {"list", "name", "names", "all", "any"}
EACH = {"by", "per", "for", "each", "every"}
HEADS = {"which", "what", "how", "whose"}
AGENT = re.compile(r"(?:ed|en|n) $")  # "scored by home teams" groups nothing
OWNER = re.compile(r"([a-z]+)['’]s [a-z]")
ROLE = re.compile(r"who (?:is|are|was|were) (?:the|our|its|their) ([a-z]+) (?:of|for|in|at|on)\b")
KIND_OF = re.compile(r"\b(?:kind|type|sort) of $")


def settle_english(nouns: Nouns, parts: Parts) -> None:
    """Set what the question asks for."""
    settled = which_step(nouns, parts)
    for match in ASKED.finditer(nouns.text):
        cue = (match[0].split() or ["which"])[0]
        start, end = nouns.after(match.end())
        if not nouns.question.free(start, max(end, start + 1)):
            parts.asks_rows = (
                parts.asks_rows or cue in LISTED or cue == "which"
            )  # "how many altos" counts a value
        elif cue in EACH:
            grouped(nouns, parts, match.start(), cue, start, end)
        elif not settled:
            settled = by_noun(nouns, parts, cue, start, end)
    column = place_column(nouns) if nouns.text.startswith("where") else codes_or_names(nouns)
    if column is not None:
        parts.asks_for, parts.asks_rows, parts.unknown = column, False, ""
    elif not settled:
        by_pronoun(nouns, parts)
    if (
        parts.asks_for is None
        and not parts.asks_rows
        and {"highest", "lowest"} & parts.operations.keys()
    ):
        parts.asks_for = best_of(nouns, parts)


def best_of(nouns: Nouns, parts: Parts) -> ColumnProfile | None:
    """Return the column whose groups a superlative ranks on average or in total: "priciest
    neighbourhood on average".
    """
    if not {"mean", "sum", "median"} & parts.operations.keys():
        return None
    able = [
        m.column
        for m in nouns.matches
        if m.column.role == "category" and m.column.kind == "text" and m.score >= 0.9
    ]
    return next((c for c in able if c.name not in parts.held and groupable(c, parts)), None)


def which_step(nouns: Nouns, parts: Parts) -> bool:
    """Set the time as what "which year" of a table of days or months asks for."""
    said = re.search(r"\b(?:which|what) (?:year|quarter|month)(?!['’])\b", nouns.text)
    times = time_columns(nouns.profile)
    if (
        not said
        or not times
        or part_of(times[0], parts) is None
        or not {"highest", "lowest"} & parts.operations.keys()
    ):
        return False
    parts.asks_for = times[0]
    return True


def grouped(nouns: Nouns, parts: Parts, at: int, cue: str, start: int, end: int) -> None:
    """Set the column for each value of which a number is asked for."""
    column = nouns.column(start, end)
    if nouns.text[start:end].startswith(("people", "person")):
        return  # "by people over 65" groups nothing
    if (
        column is not None
        and nouns.is_step(nouns.text[start:end])
        and not nouns.says_whole(column, nouns.text[start:end])
    ):
        return  # "per day" of a table of days is over time
    said = nouns.text[start:end]
    head = nouns.text.rfind(" ", start, end) + 1 if " " in said else start
    places = next((m.places for m in nouns.matches if m.column is column), [])
    if places and not any(head <= p < end for p in places):
        return  # "per picking session" groups by no picker
    if column is not None and truth_of(column) and not nouns.says_whole(column, said):
        return  # "if every member pays" groups by no yes and no
    agent = cue == "by" and AGENT.search(nouns.text[:at])
    if column is not None and not agent and groupable(column, parts) and parts.grouped_by is None:
        parts.grouped_by = column


def by_noun(nouns: Nouns, parts: Parts, cue: str, start: int, end: int) -> bool:
    """Set what a noun behind a cue asks for; return whether it is anything of the table."""
    said = nouns.text[start:end]
    if cue in HEADS and (owner := OWNER.match(said)):
        end, said = start + owner.end(1), owner[1]  # "which country's runners" asks for countries
    column = nouns.column(start, end)
    counted = cue in ("how", "number", "count")
    column = (nouns.by_unit(said.split()[:1]) if counted else None) or column
    if counted and nouns.is_step(said) and not (column and nouns.says_whole(column, said)):
        column = None  # "how many days" of a table of days counts its rows
    if cue == "which" and column is not None and column.role == "measure":
        column = (
            nouns.category(said) or column
        )  # "which area has the highest rent": not the floor area
    of_money = any(unit_said(w) in MONEY for w in said.split())
    if (
        counted
        and column is not None
        and column.role == "measure"
        and is_sum_of_money(column)
        and not of_money
    ):
        parts.asks_rows = True  # "how many orders were paid by card" counts no money
        return True
    people = counted and not nouns.is_table_of_people(said) and nouns.counted_in(start, end)
    if people:
        parts.asks_for = people
    elif nouns.is_subject(said) and not (column is not None and nouns.says_whole(column, said)):
        parts.asks_for = kind_column(nouns) if KIND_OF.search(nouns.text[:start]) else None
        parts.asks_rows = parts.asks_for is None
    elif column is not None:
        parts.asks_for = column
        parts.loosely = (
            nouns.part_of_name(column)
            and not nouns.says_whole(column, said)
            and not nouns.is_head(column, said)
        )
    elif said and (nouns.rows_in(start, end) or nouns.is_step(said)):
        parts.asks_rows = True
    else:
        parts.unknown = parts.unknown or (said if cue in HEADS else "")
        return False
    return True


def by_pronoun(nouns: Nouns, parts: Parts) -> None:
    """Set what "when" and "who" ask for; a role nothing in the question speaks of is only a
    guess.
    """
    parts.asks_for, parts.guessed = time_or_person(nouns)
    if parts.asks_for is not None:
        parts.unknown = ""
    elif re.match(r"(?:\w+ )?who\b", nouns.text):
        parts.unknown = "who"
    if role := ROLE.match(nouns.text):
        known = (
            nouns.column(*role.span(1)) or nouns.is_subject(role[1]) or nouns.rows_in(*role.span(1))
        )
        parts.unknown = "" if known else role[1]


CHINESE_ASKED = re.compile(
    r"(?:哪一?[个位家种类只款天年月条部座场些本间门道支辆台栋幢]?|的[二三四五六七八九十两\d]+[个种类家位名款]|什么|(?:有|了|下了|是)?多少[个种类家位条天名本间门栋户]?|几[个种类家位条本间门栋]|列出所?有?|不同的?"
    r"|前[一二三四五六七八九十\d]+[个名位家大款种]?|每[个种家位]|各个?|按|最(?:常见|多|少|受欢迎|热门|畅销)的(?=[^是]{1,6}是)|最[\u4e00-\u9fff]{1,2}的(?=[^是]{1,6}是(?:哪|谁|什么)))的?([\u4e00-\u9fff]{1,6})"
)
CHINESE_EACH = {"各", "每", "按"}
YEARLY = re.compile(r"(?:每一?|各个?|按|逐|历)年(?![级龄假薪租])")
WANTED = re.compile(r"(?:给我|给|告诉我|要)([\u4e00-\u9fff]{2,6})[。？?！!]*$")
ROWS = re.compile(r"(?:多少|几)[条笔单套场趟起例]")
WHAT = re.compile(r"的([\u4e00-\u9fff]{1,6}?)(?:是(?:什么|谁|哪[\u4e00-\u9fff]*)|[。？?！!]*$)")
UNKNOWN = re.compile(
    r"^([\u4e00-\u9fff]{2,8}?)(?:一共|总共|共|现在|还)?有(?:几|多少)[单笔条个间次件本只]|的([\u4e00-\u9fff]{2,6}?)(?:是多少|是什么|多少钱)"
)
TAIL = re.compile(r"列出[^，,]*的([\u4e00-\u9fff]{1,6})[。？?]?$")
CHINESE_STEPS = re.compile(r"(?:多少|(?<!哪)几)个?(天|月|季度|年)(?!假)")
PEOPLE = re.compile("会员|员工|学生|同学|客户|顾客|客人|用户|患者|病人|老师|人")
CHINESE_LISTED = re.compile(r"哪些|都?有谁|名单")


def settle_chinese(nouns: Nouns, parts: Parts) -> None:
    """Set what the question asks for."""
    steps = CHINESE_STEPS.search(nouns.text)
    counted_steps = (
        steps is not None and nouns.each_row_is(steps) and measure_before(nouns, parts) is None
    )
    parts.asks_rows = counted_steps  # 几天 of a table of days counts its rows
    parts.asks_for = at_the_end(nouns)
    settled = parts.asks_for is not None or parts.asks_rows
    for match in CHINESE_ASKED.finditer(nouns.text):
        settled = by_cue(nouns, parts, match, settled=settled)
    if parts.grouped_by is None and YEARLY.search(nouns.text):
        years = (c for c in nouns.profile.columns if c.role == "year" and groupable(c, parts))
        parts.grouped_by = next(years, None)
    parts.unknown = unknown_noun(nouns)
    if counted_steps:
        return
    counted = measure_counted(nouns, parts) if parts.asks_for is None else None
    if counted is not None:
        parts.asks_for, parts.asks_rows = counted, False
    else:
        parts.asks_for = measure_before(nouns, parts) or parts.asks_for
    if settled or parts.asks_for is not None:
        return
    parts.asks_rows = bool(ROWS.search(nouns.text) or CHINESE_LISTED.search(nouns.text))
    if not parts.asks_rows:
        chinese_by_pronoun(nouns, parts)


def unknown_noun(nouns: Nouns) -> str:
    """Return the noun asked for or counted if nothing of the table is meant by it: 总统套房有几单,
    的基本工资是多少.
    """
    for match in UNKNOWN.finditer(nouns.question.masked()):
        said = match[1] or match[2]
        at = nouns.text.find(said)
        known = (
            at < 0
            or nouns.column(at, at + len(said)) is not None
            or any(c in nouns.profile.name for c in said)
        )
        if not known and nouns.strange(said):
            return said
    return ""


def at_the_end(nouns: Nouns) -> ColumnProfile | None:
    """Return the column that a wish ends in: 告诉我房号, 列出5号楼的房号."""
    if wanted := WANTED.search(nouns.text):
        return nouns.column(*wanted.span(1))
    if (
        (what := WHAT.search(nouns.text))
        and (column := nouns.column(*what.span(1)))
        and bare(column.name) == what[1]
    ):
        return column  # 郭思远的工号是什么
    tail = TAIL.search(nouns.text)
    listed = nouns.column(*tail.span(1)) if tail else None
    return listed if tail and listed is not None and bare(listed.name) == tail[1] else None


def by_cue(nouns: Nouns, parts: Parts, match: re.Match[str], *, settled: bool) -> bool:
    """Set what a noun behind a cue asks for; return whether it is settled now."""
    column = nouns.column(*match.span(1))
    if (match[0].startswith("哪") or "不同" in match[0]) and PEOPLE.match(
        re.sub("^不同的?", "", match[1])
    ):
        column = (
            person_column(nouns.matches) or column
        )  # 哪个会员 asks for a name, not for a number
    if match[0][0] in CHINESE_EACH:
        if column is not None and groupable(column, parts) and parts.grouped_by is None:
            parts.grouped_by = column
        return settled
    if (
        not settled
        and ROWS.search(match[0])
        and not (column and nouns.says_whole(column, match[1]))
    ):
        parts.asks_rows = True
        return True
    if not settled and column is not None:
        parts.asks_for = column
        return True
    return settled


def chinese_by_pronoun(nouns: Nouns, parts: Parts) -> None:
    """Set what 哪里, 什么时候 and 谁 ask for."""
    if re.search("哪里|哪儿|何处", nouns.text):
        parts.asks_for = place_column(nouns)
        return
    parts.asks_for, _ = time_or_person(nouns)
    if parts.asks_for is None and re.search("谁|哪位", nouns.text):
        parts.unknown = "谁"


def measure_counted(nouns: Nouns, parts: Parts) -> ColumnProfile | None:
    """Return the measure whose name ends in what is counted, as 销售杯数 for 多少杯."""
    counted = re.search(r"(?:多少|几)([\u4e00-\u9fff])", nouns.text)
    if counted is None:
        return None
    ends = (f"{counted[1]}数", f"{counted[1]}数量")
    named = [m.column for m in parts.measures if bare(m.column.name).endswith(ends)]
    held = [
        m.column for m in parts.measures if re.search(rf"[(（]{counted[1]}[)）]", m.column.name)
    ]
    return (named or held or [None])[0]


def measure_before(nouns: Nouns, parts: Parts) -> ColumnProfile | None:
    """Return the measure that stands right before 多少 or 几, as in 缺勤多少次."""
    cue = re.search(r"(?:多少|几(?!号))([次天本件人条套台辆页月年]?)", nouns.text)
    for match in parts.measures if cue else ():
        counts = re.search("([次天本件人条套台辆页月年])数", match.column.name)
        if cue and counts and cue[1] and cue[1] != counts[1]:
            continue  # 借过几次 asks for no days
        if cue and cue[1] in tuple("次笔单") and is_money(match.column):
            continue
        size = len(bare(match.column.name)) + 1
        if cue and match.score >= 0.6 and any(0 <= cue.start() - p <= size for p in match.places):
            return match.column
    return None
