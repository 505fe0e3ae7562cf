"""An answer is of one language: that of the question, from its first line to the note below it."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from app.data.sources import Runs
from backends.copilot import answer
from backends.copilot.actions.action import ask_back, words_of
from backends.data.compiler import QUERY, QueryArguments, run_query
from backends.data.interfaces import INTERFACES
from backends.data.profile import profile
from backends.data.table import Table, connect, table_from_sql
from backends.data.workflow.report import TOOL
from backends.data.workflow.step import Workflow
from backends.protocol.events import ArtifactEvent, Event, FunctionCall, MessageChunk, StatusUpdate
from backends.protocol.parser import parse_request
from backends.protocol.request import OfferedTool
from tests.conftest import REPOSITORY
from tests.unembedded import Unembedded

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

pytestmark = pytest.mark.slow

SAMPLES = REPOSITORY / "resources" / "samples"
FILES = {name: SAMPLES / "tables" / f"{name}.csv" for name in ("shares", "gdp", "cpi")}
FILES["macro"] = SAMPLES / "us_macro.csv"
DATA = ["query", "find_values"]
SIMPLIFIED = re.compile(
    "[们个这没总显图线张对将据统计论为从获]|您|吗|哪|请"
)  # of Chinese, and of no Japanese word
HAN, KANA = re.compile(r"[\u3400-\u9fff]"), re.compile(r"[\u3041-\u30fa]")
# names of columns, values, interfaces and things that are called so everywhere
NAMES = re.compile(
    r"`\w+`|(?<![A-Za-z])(?:macro|shares|Alder|Birch|Cedar|close|volume|company|date|gdp|cpi|unemp|infl|realgdp|year|quarter|realcons|realinv|realgovt|realdpi|m1|tbilrate|pop|realint|CSV|GDP|CPI)(?![A-Za-z])"
)


class Models(Unembedded):
    """No embedder; a model that would talk."""

    async def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        yield "TALK"


def table(name: str) -> Table:
    """Return a sample."""
    sql = "SELECT * FROM read_csv(?, all_varchar = true)"
    return table_from_sql(connect(), sql, [str(FILES[name])], source=name, hash_=name)


def results(call: FunctionCall, tables: dict[str, Table]) -> str:
    """Return what a terminal returns for a call."""
    asked, name = call.arguments["parameters"], call.arguments["tool_name"]
    if name == TOOL:
        runs = Runs(tables.__getitem__)
        return runs.run(Workflow.model_validate(asked["workflow"]), asked["run"]).model_dump_json()
    if name == QUERY:
        query = QueryArguments.model_validate(asked).query
        return run_query(query, tables).model_dump_json()
    return INTERFACES[name].run(tables[asked["source"]], asked).model_dump_json()


async def ask(question: str, *names: str) -> list[Event]:
    """Return all that is said to a question about samples, the terminal's work done."""
    tables = {name: table(name) for name in names}
    widgets = [
        {"uuid": n, "name": n, "description": "", "origin": "deskpilot", "widget_id": n, "params": [],
         "metadata": {"profile": profile(t, n).model_dump(mode="json")}}
        for n, t in tables.items()
    ]  # fmt: skip
    tools = [{"name": n, "server_id": "deskpilot", "url": "deskpilot:data"} for n in (*DATA, TOOL)]
    messages: list[dict[str, Any]] = [{"role": "human", "content": question}]
    said: list[Event] = []
    while True:
        body = {
            "messages": messages,
            "widgets": {"primary": widgets, "secondary": [], "extra": []},
            "tools": tools,
        }
        events = [
            e async for e in answer(parse_request(body), Models(), today=dt.date(2024, 6, 28))
        ]
        said += events
        calls = [event for event in events if isinstance(event, FunctionCall)]
        if not calls:
            return said
        wire = {
            "function": calls[0].function,
            "input_arguments": calls[0].arguments,
            "extra_state": calls[0].extra_state,
        }
        content = results(calls[0], tables)
        messages.append({"role": "ai", "content": json.dumps(wire)})
        messages.append({"role": "tool", **wire, "data": [{"items": [{"content": content}]}]})


def words(events: list[Event]) -> str:
    """Return the words of an answer."""
    return "".join(event.delta for event in events if isinstance(event, MessageChunk))


def all_words(events: list[Event]) -> list[str]:
    """Return every line that is read: steps, words, titles of charts and tables, their heads and
    traces.
    """
    made = [event.message for event in events if isinstance(event, StatusUpdate)] + words(
        events
    ).splitlines()
    for event in events:
        if isinstance(event, ArtifactEvent):
            made += [event.name, event.description, *event.content[0]]
            figure = event.chart_params or {}
            made += [str(trace.get("name", "")) for trace in figure.get("data", [])]
            made.append(
                str(figure.get("layout", {}).get("yaxis", {}).get("title", {}).get("text", ""))
            )
    return [line for line in made if line.strip()]


def foreign(line: str, language: str) -> bool:
    """Tell whether a line has words of another language."""
    if language == "en":
        return bool(HAN.search(line) or KANA.search(line))
    left = NAMES.sub(" ", line)
    other = KANA if language == "zh" else SIMPLIFIED
    return bool(other.search(left) or re.search("[A-Za-z]{2,}", left))


@pytest.mark.parametrize(
    ("language", "question", "tables"),
    [
        (language, question, tables)
        for tables, asked in {
            ("shares",): {
                "en": ["Compare the close of Alder and Birch as lines", "Rank the companies by return", "4-week moving average of the close of Alder", "Print the three days with the highest volume and save them", "close of Zzyzx over time", "Mean and median of close for each company"],
                "zh": ["比较Alder和Birch的收盘价，画折线图", "每个公司的收益率排名", "Alder的收盘价的4周移动平均线", "列出成交量最高的三天，保存", "每个公司的收盘价的平均值和中位数", "Alder的收盘价每月收益率"],
                "ja": ["AlderとBirchの終値を折れ線グラフで比較して", "会社ごとの収益率のランキング", "Alderの終値の4週移動平均", "出来高の上位3日を表にして保存して", "各社の終値の平均と中央値", "Alderの2030年の終値の累積リターン"],
            },
            ("gdp", "cpi"): {
                "en": ["What is the correlation of GDP and CPI?", "Forecast GDP for the next 4 quarters"],
                "zh": ["GDP和CPI的相关系数", "预测未来4个季度的GDP"],
                "ja": ["GDPとCPIの相関係数は？", "今後4四半期のGDPを予測して"],
            },
            ("macro",): {
                "en": ["What was unemployment in the third quarter of 2009?", "average unemployment rate per year", "What was unemployment in 2050?", "Show unemployment over time since 1990"],
                "zh": ["2009 年第三季度的失业率是多少？", "每年的平均失业率", "2050年的失业率是多少", "1990年以来失业率的走势", "失业率高于10的季度有哪些"],
                "ja": ["2009年第3四半期の失業率は？", "年ごとの平均失業率", "2050年の失業率は？", "1990年以降の失業率の推移をグラフにして", "平均インフレ率が一番高い年は？"],
            },
        }.items()
        for language, questions in asked.items()
        for question in questions
    ],
)  # fmt: skip
async def test_no_line_of_an_answer_is_of_another_language(
    language: str, question: str, tables: tuple[str, ...]
) -> None:
    said = await ask(question, *tables)
    assert [line for line in all_words(said) if foreign(line, language)] == []
    assert "TALK" not in words(said)


def shares(company: str) -> pd.Series:
    """Return the closes of a company, by day."""
    rows = pd.read_csv(FILES["shares"], parse_dates=["date"])
    return rows[rows.company == company].set_index("date").close


def has(text: str, value: float) -> bool:
    """Tell whether a number stands in a text, as it is cut to be read."""
    said = [float(n.replace(",", "")) for n in re.findall(r"(?<![\w-])-?\d[\d,]*(?:\.\d+)?", text)]
    return any(abs(n - value) <= max(0.006, abs(value) * 5e-4) for n in said)


async def test_several_steps_are_asked_for_in_japanese() -> None:
    rows = pd.read_csv(FILES["shares"], parse_dates=["date"])
    gdp, cpi = pd.read_csv(FILES["gdp"]), pd.read_csv(FILES["cpi"])
    macro = pd.read_csv(FILES["macro"])
    alder, birch = shares("Alder"), shares("Birch")
    march = (
        rows[rows.date.dt.strftime("%Y-%m") == "2023-03"].groupby("date").volume.sum().nlargest(3)
    )
    some = macro[macro.year.between(2000, 2005)].unemp
    truth: dict[tuple[str, ...], dict[str, list[float]]] = {
        ("shares",): {
            "Alderの終値の4週移動平均": [
                alder.rolling(4).mean().iloc[3],
                alder.rolling(4).mean().iloc[-1],
            ],
            "会社ごとの出来高の合計を棒グラフで": [rows.groupby("company").volume.sum().max()],
            "2023年3月の出来高の上位3日を表にして": list(march),
            "会社ごとの終値の最大値を表にして": list(rows.groupby("company").close.max()),
            "Birchの終値の週ごとの変化率を折れ線グラフで": [birch.pct_change().iloc[-1] * 100],
        },
        ("gdp", "cpi"): {
            "GDPとCPIの相関係数は？": [gdp.gdp.corr(cpi.cpi)],
            "GDPをCPIで割った比率の推移": [(gdp.gdp / cpi.cpi).iloc[-1]],
        },
        ("gdp",): {"GDPの前年同期比を表示": [gdp.gdp.pct_change(4).iloc[-1] * 100]},
        ("macro",): {"2000年から2005年までの失業率の平均と中央値": [some.mean(), some.median()]},
    }
    for tables, asked in truth.items():
        for question, numbers in asked.items():
            said = words(await ask(question, *tables))
            assert [n for n in numbers if not has(said, float(n))] == [], f"{question}\n{said}"


async def test_what_is_not_understood_of_several_steps_is_asked_back_in_japanese() -> None:
    for question, word in {
        "ピグモンごとの出来高の合計を棒グラフで": "ピグモン",
        "GDPとズレの相関係数は？": "ズレ",
    }.items():
        said = words(await ask(question, "gdp" if "GDP" in question else "shares"))
        assert word in said or said == "TALK", said
        assert not re.search(r"\*\*[\d,.]+\*\*", said)


@pytest.mark.parametrize(
    ("language", "question", "what", "failed", "nothing"),
    [
        ("en", "add a task", "What is “due”?", "Todo: that did not work. No row meets these conditions.", "Todo returned an empty answer."),
        ("zh", "添加一个任务", "“due”应该是什么？", "Todo：没有成功。没有符合这些条件的行。", "Todo 没有返回内容。"),
        ("ja", "タスクを追加して", "「due」は何にしますか？", "Todo：うまくいきませんでした。この条件に合う行はありません。", "Todo から返された内容はありません。"),
    ],
)  # fmt: skip
def test_what_tools_did_is_told_in_the_language_of_the_question(
    language: Any, question: str, what: str, failed: str, nothing: str
) -> None:
    tool = OfferedTool("add", "todo", schema={"properties": {"due": {"enum": ["1", "2"]}}})
    asked = ask_back(tool, "due", question)
    assert asked.startswith(what)
    assert not foreign(asked.replace("due", ""), language)
    refused = {"from": "Todo", "error": "No row meets these conditions."}
    assert words_of(json.dumps(refused), language) == failed
    assert words_of(json.dumps({"from": "Todo", "answer": {}}), language) == nothing
    both = {
        "error": "No row meets these conditions.",
        "remedy": "Use fewer or different conditions.",
    }
    assert not foreign(words_of(json.dumps(both), language), language)
