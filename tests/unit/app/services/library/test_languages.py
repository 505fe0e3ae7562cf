"""Designed interfaces speak the language of their table, and are reached from English, Chinese and
Japanese alike.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import random
import re
import string
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from app.adapters.system.json_file import JsonFile
from app.cli.commands import app
from app.data.design.definition import SelfRequest, covering, defined, entry_for
from app.data.design.mergers import tried
from app.data.design.phrases import LANGUAGES, language_of, wording
from app.data.design.requests import ideas_over
from app.data.library.library_file import Library, told_of
from app.data.sources import Sources
from app.domain.copilot import OfferedWidget
from app.services.functions.agent_tools import execute_agent_tool
from app.services.functions.context import CallContext
from backends.data.workflow.report import WorkflowResult
from backends.paths import library_file
from backends.planning.library import asked_for
from backends.protocol.events import FunctionCall, MessageChunk
from tests.unit.app.services.library.chooser import Chooser, designer
from tests.unit.app.services.library.test_dispatch import events, request

if TYPE_CHECKING:
    from pathlib import Path

    from app.data.design.ideas import Idea
    from backends.data.workflow.library_interface import Designed

pytestmark = pytest.mark.slow

HEADS = {
    "en": ("shares", "date,company,close", ("Alder", "Birch", "Cedar")),
    "zh": ("行情", "日期,公司,收盘价", ("赤松", "白桦", "云杉")),
    "ja": ("相場", "日付,会社,終値", ("アルダー", "バーチ", "シダー")),
}


def prices(folder: Path, language: str) -> Path:
    """Write weeks of three shares, in a language; the second falls by half from its high of 80."""
    name, head, companies = HEADS[language]
    chance, lines = random.Random(3), [head]
    for n in range(30):
        for place, company in enumerate(companies):
            close = (
                40.0
                if place == 1 and n == 20
                else 80.0
                if place == 1 and n == 9
                else chance.uniform(50, 70)
            )
            lines.append(f"{dt.date(2023, 1, 6) + dt.timedelta(days=7 * n)},{company},{close:.2f}")
    path = folder / f"{name}.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def ideas_of(path: Path, sources: Sources) -> list[Idea]:
    (ideas,) = ideas_over([sources.add_file(path).profile]).values()
    return ideas


async def kept(path: Path, library: Library, shapes: set[str]) -> Sources:
    """Keep the interfaces of some shapes, each designed for its first request, in a library."""
    sources = Sources.of(library)
    for shape in sorted(shapes):
        idea = next(i for i in ideas_of(path, sources) if i.draft.shape == shape)
        asked = SelfRequest(
            id="r1", request=idea.wordings[0], also=idea.wordings[1:], others=idea.others, language=idea.draft.language,
            key=idea.draft.key, kind=idea.draft.kind, values=idea.values, sources=idea.draft.workflow.sources(),
            model="m", asked_at="",
        )  # fmt: skip
        entry = entry_for(covering(defined(idea, idea.draft.names[0]), asked), sources, "d", "m")
        entry = await tried(entry, sources)
        assert entry.status == "validated", entry.reason
        await library.put(entry)
    return sources


def test_each_language_has_words_for_all_and_the_same_slots() -> None:
    first = wording("en")
    for language in LANGUAGES:
        words = wording(language)
        assert words.shapes.keys() == first.shapes.keys()
        assert words.headings.keys() == first.headings.keys()
        assert words.parameters.keys() == first.parameters.keys()
        assert len(set(words.headings.values())) == len(words.headings)
        for name, shape in words.shapes.items():
            (wanted,) = {frozenset(slots(text)) for text in first.shapes[name].asks}
            assert {frozenset(slots(text)) for text in shape.asks} == {wanted}, (language, name)
            assert slots(shape.means) == slots(first.shapes[name].means)


def slots(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize(
    ("shape", "values", "text"),
    [
        ("change", {"what": "gdp", "rows": 1}, "against 1 row before."),
        ("change", {"what": "gdp", "rows": 4}, "against 4 rows before."),
        ("forecast", {"what": "gdp", "values": 1}, "the next 1 value of gdp."),
        (
            "top_share",
            {"what": "sales", "top": 2, "category": "company"},
            "the top 2 companies have?",
        ),
        (
            "top_share",
            {"what": "sales", "top": 2, "category": "branch"},
            "the top 2 branches have?",
        ),
        ("top_share", {"what": "sales", "top": 2, "category": "sales"}, "the top 2 sales have?"),
        ("top_share", {"what": "销售额", "top": 2, "category": "公司"}, "the top 2 公司 have?"),
    ],
)
def test_an_english_request_agrees_in_number(shape: str, values: dict[str, Any], text: str) -> None:
    assert wording("en").asks(shape, values)[0].endswith(text)


def test_a_figure_in_a_name_stays_a_figure() -> None:
    assert wording("en").called("above_mean", {"window": "4"}) == "above_mean_4"


@pytest.mark.parametrize("language", ["en", "zh", "ja"])
def test_a_table_is_asked_in_its_own_language(language: str, tmp_path: Path) -> None:
    sources = Sources()
    ideas = ideas_of(prices(tmp_path, language), sources)
    assert language_of(sources.add_file(prices(tmp_path, language)).profile) == language
    assert len({text for idea in ideas for text in idea.wordings}) == sum(
        len(idea.wordings) for idea in ideas
    )
    for idea in ideas:
        draft = idea.draft
        said = [
            *idea.wordings,
            draft.description,
            *draft.names,
            *(p.description for p in draft.workflow.parameters),
        ]
        assert not any(
            "{" in text
            for text in [*said, *draft.meanings.values()]
            if text not in draft.meanings.values()
        )
        assert set(idea.others) == {"en", "zh", "ja"} - {language}
        if language == "en":
            assert all(text.isascii() for text in said)
        else:
            assert all(re.search(r"[\u3041-\u9fff]", text) for text in said)
    if language != "en":
        names = {idea.draft.names[0] for idea in ideas}
        assert {"收盘价_最大回撤", "收盘价_走势"} <= names or {
            "終値_最大ドローダウン",
            "終値_推移",
        } <= names


@pytest.mark.parametrize("language", ["en", "zh", "ja"])
async def test_every_wording_of_every_language_reaches_its_select_and_no_other(
    language: str, tmp_path: Path, library: Library
) -> None:
    shapes = {"drawdown", "longest_rise", "above_mean_4", "outliers"}
    path = prices(tmp_path, language)
    sources = await kept(path, library, shapes)
    known: list[Designed] = [told_of(entry) for entry in sources.library()]
    columns = HEADS[language][1].split(",")
    asked = 0
    for idea in ideas_of(path, sources):
        if idea.draft.shape not in shapes or idea.values.get("entity") not in (
            None,
            HEADS[language][2][1],
        ):
            continue
        for text in [*idea.wordings, *(t for some in idea.others.values() for t in some)]:
            found = asked_for(text, known, columns)
            assert found is not None, text
            assert found.designed.name == idea.draft.names[0], text
            assert found.values == idea.values
            asked += 1
    assert asked >= 30


def drawn_down(path: Path, company: str) -> float:
    """Return the largest fall below an earlier high, in percent, from the file itself."""
    high = worst = 0.0
    for line in path.read_text("utf-8").splitlines()[1:]:
        _, who, close = line.split(",")
        if who == company:
            high = max(high, float(close))
            worst = min(worst, 100 * (float(close) / high - 1))
    return worst


QUESTIONS = [
    ("zh", "白桦的收盘价最大回撤是多少？", "我用一个任务完成", "收盘价的最大回撤"),
    ("zh", "请问白桦收盘价的最大回撤有多大", "我用一个任务完成", "收盘价的最大回撤"),
    (
        "zh",
        "What was the maximum drawdown of 收盘价 of 白桦?",
        "in one task",
        "largest drawdown of 收盘价",
    ),
    ("en", "Birch的收盘价的最大回撤是多少？", "我用一个任务完成", "close的最大回撤"),
    (
        "en",
        "What is the largest drawdown of the closing price of Birch?",
        "in one task",
        "largest drawdown of close",
    ),
    (
        "ja",
        "バーチの終値の最大ドローダウンはいくらですか？",
        "1 つの作業で",
        "終値の最大ドローダウン",
    ),
    (
        "en",
        "Birchのcloseの最大ドローダウンはいくらですか？",
        "1 つの作業で",
        "closeの最大ドローダウン",
    ),
]


@pytest.mark.parametrize(("language", "question", "head", "meaning"), QUESTIONS)
async def test_a_question_is_answered_through_a_designed_interface_in_its_own_language(
    language: str, question: str, head: str, meaning: str, tmp_path: Path, library: Library
) -> None:
    path = prices(tmp_path, language)
    sources = await kept(path, library, {"drawdown"})
    uid = sources.add_file(path).uuid
    made = await events(request(question, sources, uid))
    (call,) = [e for e in made if isinstance(e, FunctionCall)]
    done = await execute_agent_tool(CallContext(sources, {uid: OfferedWidget(uid)}), call.arguments)
    result = WorkflowResult.model_validate_json(done.content)
    truth = drawn_down(path, HEADS[language][2][1])
    assert truth == -50.0
    assert truth in result.shown[0].rows[0]
    said = {
        "function": call.function,
        "input_arguments": call.arguments,
        "extra_state": call.extra_state,
    }
    back: list[dict[str, Any]] = [
        {"role": "ai", "content": json.dumps(said)},
        {"role": "tool", **said, "data": [{"items": [{"content": done.content}]}]},
    ]
    told = await events(request(question, sources, uid, *back))
    words = "".join(e.delta for e in told if isinstance(e, MessageChunk))
    assert "50" in words
    assert head in words
    assert meaning in words


@pytest.mark.parametrize(
    "question",
    [
        "白桦的收盘价在2023年的最大回撤是多少？",  # it knows no years
        "白桦的成交量的最大回撤是多少？",  # nor this column
        "收盘价的最大回撤是多少？",  # whose?
        "白桦的收盘价最小回撤是多少？",
        "白桦的收盘价没有最大回撤吗？",
        "白桦和云杉的收盘价的最大回撤是多少？",
        "白桦收盘价最高是多少？",
    ],
)
async def test_a_chinese_request_that_says_anything_else_is_not_taken_for_it(
    question: str, tmp_path: Path, library: Library
) -> None:
    path = prices(tmp_path, "zh")
    sources = await kept(path, library, {"drawdown"})
    known = [told_of(entry) for entry in sources.library()]
    assert asked_for("白桦的收盘价的最大回撤是多少？", known) is not None
    assert asked_for(question, known, ["日期", "公司", "收盘价"]) is None


async def test_another_word_for_a_column_is_not_taken_where_it_is_a_column_itself(
    tmp_path: Path, library: Library
) -> None:
    sources = await kept(prices(tmp_path, "en"), library, {"drawdown"})
    known = [told_of(entry) for entry in sources.library()]
    asked = "What was the maximum drawdown of price of Birch?"
    assert asked_for(asked, known, ["date", "company", "close"]) is not None
    assert asked_for(asked, known, ["date", "company", "close", "price"]) is None


async def test_a_chinese_table_is_designed_in_chinese(
    tmp_path: Path, file: JsonFile, home: Path
) -> None:
    library = Library(JsonFile(library_file()))
    gdp, cpi = tmp_path / "国内.csv", tmp_path / "居民.csv"
    for path, name in ((gdp, "国内生产总值"), (cpi, "居民消费价格指数")):
        rows = [
            f"{y}-{q * 3:02}-28,{100 + (y * q * len(name)) % 23}"
            for y in range(2018, 2024)
            for q in (1, 2, 3, 4)
        ]
        path.write_text("\n".join([f"日期,{name}", *rows]) + "\n", "utf-8")
    chooser = Chooser()
    state = await designer(file, library, chooser).run([gdp, cpi], lambda _: None, 16, chance=2)
    assert all(re.search(r"[\u4e00-\u9fff]", r.request) for r in state.requests)
    assert "净流入最高的十行" not in chooser.asked[0]["messages"][-1]["content"]
    assert (
        "最大回撤" in chooser.asked[0]["messages"][-1]["content"]
        or "收盘价" in chooser.asked[0]["messages"][-1]["content"]
    )
    merged = [d for d in state.merged if set(d.labels) == {"国内生产总值", "居民消费价格指数"}]
    assert merged
    for entry in library.entries():
        assert re.search(r"[\u4e00-\u9fff]", entry.name)
        assert re.search(r"[\u4e00-\u9fff]", entry.description)
        assert set(entry.meanings) == {"en", "zh", "ja"}
        assert all("{" not in text for text in entry.meanings.values())
    name = merged[0].name
    done = await asyncio.to_thread(CliRunner().invoke, app, ["data", "run", name])
    assert done.exit_code == 0, done.output
    assert "国内生产总值" in done.output.splitlines()[0]
