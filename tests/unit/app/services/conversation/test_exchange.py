"""Conversations as files: what is written says all of it, what strangers wrote is read, what is no
chat is told.
"""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from app.domain.conversation import Conversation, Thread, Turn
from app.domain.errors import ExchangeError
from app.domain.events import (
    Artifact,
    CellRef,
    Citation,
    Citations,
    Ended,
    Reading,
    Status,
    Thought,
)
from app.domain.stream import Message
from app.services.conversation.exchange import Exchange, Phrasing, as_html, as_markdown
from app.services.conversation.history import History

if TYPE_CHECKING:
    from pathlib import Path

    from app.adapters.store.store import Store
    from tests.unit.app.services.scripted import Terminal

ITEMS: list[Any] = [
    Status("INFO", "a step"),
    Message(
        "assistant",
        "message",
        "It was **9.6** [1].\n\n<script>alert(1)</script> ![x](http://a/b.png)",
        id="m",
    ),
    Message("assistant", "code", "print(1)", "python", id="n"),
    Artifact("table", "Rates", [{"year": 2009, "rate": "9|6"}]),
    Citations([Citation("w", "us macro", CellRef("h", 202, "unemp"), 9.6)]),
    Ended("done"),
]


def node(role: str, text: str, *children: str, **about: Any) -> dict[str, Any]:
    content = about.pop("content", {"content_type": "text", "parts": [text]})
    message = {"author": {"role": role}, "content": content, "create_time": 1.7e9, **about}
    return {"message": message, "children": list(children)}


def chatgpt() -> list[dict[str, Any]]:
    thought = {"content_type": "thoughts", "thoughts": []}
    code = {"content_type": "code", "text": "print(1)"}
    picture = {
        "content_type": "multimodal_text",
        "parts": [{"content_type": "image_asset_pointer"}, "How far?"],
    }
    mapping: dict[str, dict[str, Any]] = {
        "root": {"message": None, "children": ["s"]},
        "s": node("system", "", "u1"),
        "u1": node("user", "Where to?", "h1", "a2"),
        "h1": node("assistant", "", "a1", content=thought),
        "a1": node("assistant", "Rome.", "u2", "u2b"),
        "a2": node("assistant", "Paris."),
        "u2": node("user", "", "c", content=picture),
        "c": node("assistant", "", "t", content=code, recipient="python"),
        "t": node("tool", "1", "a4", "a5"),
        "a4": node("assistant", "Far."),
        "a5": node("assistant", "Near."),
        "u2b": node("user", "How long?", "a3"),
        "a3": node("assistant", "Two days."),
    }
    for uid, one in mapping.items():
        one["parent"] = next((u for u, n in mapping.items() if uid in n["children"]), None)
    return [{"title": "Trip", "create_time": 1.7e9, "current_node": "a3", "mapping": mapping}]


async def filled(store: Store) -> tuple[History, Exchange, str]:
    history = History(store)
    begun = await history.begin("Rates & <b>prices</b>")
    await store.add_turn(
        Turn("t", begun.id, None, "What\n<i>was</i> it?", "done", 1.7e9, list(ITEMS))
    )
    await store.add_turn(Turn("t2", begun.id, None, "And now?", "done", 1.7e9, list(ITEMS)))
    await history.show(begun.id, (await history.open(begun.id))[0])
    await history.pin(begun.id, pinned=True)
    return history, Exchange(store, history), begun.id


async def test_markdown_and_html_say_all_and_run_nothing(terminal: Terminal) -> None:
    _, exchange, uid = await filled(terminal.store)
    text = await exchange.text(uid, "md")
    assert text.startswith("# Rates & <b>prices</b>\n\n*20")
    assert " UTC*\n\n## What\n\n> What\n> <i>was</i> it?\n\nIt was **9.6** [1]." in text
    assert "| 2009 | 9\\|6 |" in text
    assert "```python\nprint(1)\n```" in text
    assert "- [1] us macro, row 203, unemp: 9.6" in text
    assert "And now?" not in text  # another branch is shown
    page = await exchange.text(uid, "html")
    assert "<strong>9.6</strong>" in page
    assert "<td>9|6</td>" in page
    assert not [tag for tag in ("<script", "<img", "<i>", "<b>") if tag in page]
    assert "default-src 'none'" in page


def told(*items: Any) -> str:
    turn = Turn("t", "c", None, "How much?", "done", 1.0, [*items, Ended("done")])
    return as_markdown(Conversation("c", "Fees", 1.0, 1.0), Thread([turn]))


def test_a_table_is_written_once_whole_with_its_numbers_as_in_the_window() -> None:
    """It stood there twice: with its first rows, and as it came, in 1234567 and 55.9375."""
    head = "| Month | Fee |\n|---|---:|\n"
    rows = [{"Month": f"M{n}", "Fee": 1234567.5 + n} for n in range(25)]
    words = "Fees (25 rows):\n\n" + head + "\n".join(f"| M{n} | 1 |" for n in range(20))
    whole = told(Message("assistant", "message", words), Artifact("table", "Fees", rows))
    assert "Fees (25 rows):" in whole
    assert whole.count("| Month | Fee |") == 1
    assert "|---:|" in whole.replace(" ", "")
    assert whole.count("| M") == 26
    assert "| M24 | 1,234,591.5 |" in whole
    few = "Fees:\n\n" + head + "| M0 | 1 € |\n| M1 | 2 € |\n\nSaved."
    once = told(Message("assistant", "message", few), Artifact("table", "Fees", rows[:2]))
    assert "| M1 | 2 € |\n\nSaved." in once
    assert once.count("| Month | Fee |") == 1
    other = told(Message("assistant", "message", few), Artifact("table", "More", [{"Year": 2024}]))
    assert "| 2024 |" in other
    assert "| M1 | 2 € |" in other


def test_how_a_question_was_understood_goes_along_in_the_words_of_the_window() -> None:
    """“No row meets these conditions.” stood alone."""
    items = [
        Status("INFO", "x", reading=Reading(("total fee", "Status = No-show"))),
        Status("INFO", "x", reading=Reading(("total fee",), asks=True)),
        Message("assistant", "message", "No row meets these conditions."),
        Citations([Citation("w", "fees", CellRef("h", 1, "fee"))]),
    ]
    assert "*Understood: total fee · Status = No-show*\n\nNo row" in told(*items)
    assert told(*items).count("Understood") == 1
    turn = Turn("t", "c", None, "多少？", "done", 1.0, items)
    phrasing = Phrasing(lambda _: "2026年", lambda one: f"{one.name}，第 2 行", "理解为：{}")
    page = as_html(Conversation("c", "Fees", 1.0, 1.0), Thread([turn]), {}, phrasing)
    for words in ("2026年", "[1] fees，第 2 行", "理解为：total fee"):
        assert words in page
    assert "UTC" not in page


async def test_json_comes_back_as_it_went(terminal: Terminal, tmp_path: Path) -> None:
    history, exchange, uid = await filled(terminal.store)
    assert await exchange.write_all(tmp_path / "all.json") == 1
    (again,) = await exchange.read(tmp_path / "all.json")
    (again_all,) = await exchange.read(tmp_path / "all.json")
    assert len({uid, again.id, again_all.id}) == 3
    kept = await history.get(again.id)
    assert (kept.title, kept.pinned, kept.branched) == ("Rates & <b>prices</b>", True, True)
    old, new = await history.thread(uid), await history.thread(again.id)
    assert [t.items for t in new.turns] == [t.items for t in old.turns] == [ITEMS, ITEMS]
    assert [t.question for t in new.path] == ["What\n<i>was</i> it?"]
    assert len(await history.search("now 9.6")) == 3


async def test_lmc_goes_out_and_comes_in(terminal: Terminal, tmp_path: Path) -> None:
    history, exchange, uid = await filled(terminal.store)
    await exchange.write(uid, "lmc", tmp_path / "talk.json")
    said = json.loads((tmp_path / "talk.json").read_text("utf-8"))
    assert [(m["role"], m["type"]) for m in said] == [
        ("user", "message"), ("assistant", "message"), ("assistant", "code"),
    ]  # fmt: skip
    (made,) = await exchange.read(tmp_path / "talk.json")
    (turn,) = await history.open(made.id)
    assert made.title == "talk"
    assert turn.question == "What\n<i>was</i> it?"
    assert turn.answer().startswith("It was **9.6**")


async def test_a_thought_leaves_only_with_all_that_is_known_and_comes_back_as_one(
    terminal: Terminal, tmp_path: Path
) -> None:
    history = History(terminal.store)
    exchange = Exchange(terminal.store, history)
    (tmp_path / "talk.json").write_text(
        json.dumps(
            [
                {"role": "user", "type": "message", "content": "What was it?"},
                {
                    "role": "assistant",
                    "type": "message",
                    "content": "Zebra.\n</think>\n\nIt was 9.6.",
                },
            ]
        )
    )
    (made,) = await exchange.read(tmp_path / "talk.json")
    (turn,) = await history.open(made.id)
    assert turn.answer() == "It was 9.6."
    assert turn.items[1] == Status("INFO", "Thought", thought=Thought("Zebra."))
    assert ["Zebra" in await exchange.text(made.id, form) for form in ("md", "html", "lmc", "json")] == [
        False, False, False, True,
    ]  # fmt: skip
    await exchange.write(made.id, "json", tmp_path / "all.json")
    (again,) = await exchange.read(tmp_path / "all.json")
    assert [t.items for t in (await history.thread(again.id)).turns] == [turn.items]
    (tmp_path / "talk.json").write_text(
        json.dumps([chatgpt_of("<think>Zebra.</think>It was 9.6.")])
    )
    (made,) = await exchange.read(tmp_path / "talk.json")
    assert [t.answer() for t in await history.open(made.id)] == ["It was 9.6."]


def chatgpt_of(answer: str) -> dict[str, Any]:
    mapping = {"u": node("user", "q", "a"), "a": node("assistant", answer)}
    mapping["a"]["parent"] = "u"
    return {"title": "Trip", "create_time": 1.7e9, "current_node": "a", "mapping": mapping}


async def test_messages_that_follow_each_other_in_a_circle_are_read_once(
    terminal: Terminal, tmp_path: Path
) -> None:
    talk = chatgpt_of("It was 9.6.")
    talk["mapping"]["a"]["children"] = ["u", "a"]
    (tmp_path / "talk.json").write_text(json.dumps([talk]))
    history = History(terminal.store)
    (made,) = await Exchange(terminal.store, history).read(tmp_path / "talk.json")
    assert [t.answer() for t in await history.open(made.id)] == ["It was 9.6."]


@pytest.mark.parametrize("packed", [False, True])
async def test_a_chatgpt_export_keeps_its_branches(
    terminal: Terminal, tmp_path: Path, packed: bool
) -> None:
    path = tmp_path / ("export.zip" if packed else "conversations.json")
    text = json.dumps(chatgpt())
    if packed:
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("some/conversations.json", text)
    else:
        path.write_text(text, "utf-8")
    history = History(terminal.store)
    (made,) = await Exchange(terminal.store, history).read(path)
    thread = await history.thread(made.id)
    assert [(t.question, t.answer()) for t in thread.path] == [
        ("Where to?", "Rome."), ("How long?", "Two days."),
    ]  # fmt: skip
    assert [thread.place(t)[1] for t in thread.path] == [2, 3]
    every = sorted((t.question, t.answer()) for t in thread.turns)
    picture = "[image asset pointer]\n\nHow far?"
    assert every == sorted(
        [("Where to?", "Rome."), ("Where to?", "Paris."), ("How long?", "Two days."), (picture, "Far."), (picture, "Near.")]
    )  # fmt: skip
    near = next(t for t in thread.turns if t.answer() == "Near.")
    assert [(i.type, i.content) for i in near.items if isinstance(i, Message)][:2] == [
        ("code", "print(1)"), ("console", "1"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "content", ["", "nothing", "[]x", '{"a": 1}', '[{"role": "pope", "type": "message"}]', "[1]", '{"deskpilot": 1}', '{"messages": 3}']
)  # fmt: skip
async def test_what_holds_no_chats_is_told_and_nothing_kept(
    terminal: Terminal, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "x.json"
    path.write_text(content, "utf-8")
    with pytest.raises(ExchangeError) as caught:
        await Exchange(terminal.store, History(terminal.store)).read(path)
    assert caught.value.remedy
    assert await terminal.store.conversations() == []


@pytest.mark.parametrize("form", ["own", "lmc", "chatgpt", "zip"])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
async def test_a_file_that_is_cut_off_is_told_and_nothing_of_it_kept(
    terminal: Terminal, tmp_path: Path, form: str, part: float
) -> None:
    history, exchange, uid = await filled(terminal.store)
    await history.rename(uid, "利率 " * 500)  # letters of three bytes, which are cut as well
    path = tmp_path / "x.json"
    if form == "own":
        await exchange.write_all(path)
    elif form == "lmc":
        await exchange.write(uid, "lmc", path)
    elif form == "chatgpt":
        path.write_text(json.dumps(chatgpt(), ensure_ascii=False), "utf-8")
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("conversations.json", json.dumps(chatgpt() * 50))
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(ExchangeError) as caught:
        await exchange.read(path)
    assert caught.value.remedy
    assert [one.id for one in await terminal.store.conversations()] == [uid]


async def test_a_file_that_cannot_be_written_is_told(terminal: Terminal, tmp_path: Path) -> None:
    _, exchange, uid = await filled(terminal.store)
    with pytest.raises(ExchangeError, match="cannot be written"):
        await exchange.write(uid, "md", tmp_path / "none" / "x.md")


async def test_a_page_holds_the_pictures_of_its_charts_and_tables_of_the_others(
    terminal: Terminal,
) -> None:
    history = History(terminal.store)
    exchange, begun = Exchange(terminal.store, history), await history.begin("Sales")
    rows, drawn = [{"month": "May", "sold": 4711}], {"chartType": "bar", "xKey": "month"}
    items: list[Any] = [
        Message("assistant", "message", "Before.", id="m"),
        Artifact("chart", "Sold <b>", rows, drawn),
        Artifact("chart", "Kept", [{"month": "June", "sold": 815}], drawn),
        Ended("done"),
    ]
    await terminal.store.add_turn(Turn("t", begun.id, None, "Plot it", "done", 1.7e9, items))
    assert [chart.name for chart in (await exchange.charts(begun.id)).values()] == [
        "Sold <b>",
        "Kept",
    ]
    page = await exchange.text(begun.id, "html", {("t", 1): b"png"})
    assert 'alt="Sold &lt;b&gt;" src="data:image/png;base64,cG5n"' in page
    assert "4711" not in page
    assert ">815</td>" in page
    assert "img-src data:;" in page
