"""Requests in words to plugins: with a model that is able, as it was meant; by rules alone, or
with a model that would do anything, never a write that nobody meant.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backends.copilot.actions.action import acting
from backends.copilot.actions.choice import choose
from backends.copilot.actions.model_choice import decided, decided_by_able
from backends.copilot.actions.request import read
from backends.copilot.actions.slots import FilledSlots, fill
from backends.protocol.events import MessageChunk
from backends.protocol.parser import parse_request
from backends.protocol.request import OfferedTool
from backends.query.propose import Ability
from tests.bench.plugin_words import Script, called, tools_in, verdict
from tests.unembedded import Unembedded

FOLDER = Path(__file__).parents[4] / "data" / "plugin_words"
REQUESTS = [
    (plugin.name, json.loads(line))
    for plugin in sorted(FOLDER.iterdir())
    for line in (plugin / "requests.jsonl").read_text("utf-8").splitlines()
]
BY_RULE = 20  # of them, without a model


async def told(plugin: str, line: dict[str, Any], script: Script) -> str:
    tools = tools_in(FOLDER / plugin)
    writes = {one.name for one in tools if one.writes}
    tool, values, _ = await called([one.told() for one in tools], line, script)
    return verdict(line, writes, tool, values)


@pytest.mark.parametrize(("plugin", "line"), REQUESTS, ids=[line["say"] for _, line in REQUESTS])
async def test_an_able_model_is_followed(plugin: str, line: dict[str, Any]) -> None:
    assert await told(plugin, line, Script(line)) == "right"


async def test_rules_write_nothing_that_was_not_meant_and_are_mostly_right() -> None:
    made = [await told(plugin, line, Script(None)) for plugin, line in REQUESTS]
    assert "WROTE" not in made
    assert made.count("right") >= BY_RULE


class Careless(Unembedded):
    """A model that says a call of a tool, whatever it is asked; able: whether it passed a test."""

    def __init__(self, tool: str, arguments: dict[str, Any], *, able: bool) -> None:
        self.says = {"tool": f"s.{tool}", "arguments": arguments}
        self.able = able

    def ability(self, model: str | None) -> Ability:
        return Ability(right=12 if self.able else 0)

    async def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        yield json.dumps(self.says)


SWITCH = OfferedTool(
    "switchLamp",
    "s",
    "Switch the lamp",
    {
        "type": "object",
        "properties": {"state": {"type": "string"}, "api_key": {"type": "string"}},
        "required": ["state"],
    },
)


@pytest.mark.parametrize("able", [True, False])
async def test_what_nobody_said_is_asked_for_and_never_sent(*, able: bool) -> None:
    made = await decided(
        "Please do something about the lamp",
        [SWITCH],
        await choose("Please do something about the lamp", [SWITCH], None),
        Careless("switchLamp", {"state": "off", "api_key": "lamp"}, able=able),
        None,
    )
    assert made.choice is None or made.choice.filled.missing == ("state",)
    assert made.choice is None or made.choice.filled.values == {}


def tool(name: str, /, *required: str, **properties: dict[str, Any]) -> OfferedTool:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return OfferedTool(name, "s", "", schema)


WORDS, WHOLE = {"type": "string"}, {"type": "integer"}
RESULTS = {"type": "integer", "description": "Maximum number of results"}
MAYBE, MOMENT = {"type": ["string", "null"]}, {"type": "string", "format": "date-time"}
SLOTS: dict[str, dict[str, Any]] = {
    "address": {"type": "string", "format": "email"}, "subject": WORDS, "body": WORDS,
}  # fmt: skip
LETTER = tool("sendLetter", **SLOTS)
VISIT = replace(tool("createVisit", subject=WORDS, location=WORDS), writes=True)


@pytest.mark.parametrize(
    ("say", "one", "values"),
    [
        ("Show order 12", tool("getOrder", "order_id", order_id=WHOLE), {"order_id": 12}),
        (
            "Update order 3 to espresso",
            tool("updateOrder", "order_id", "drink", order_id=WHOLE, drink=WORDS),
            {"order_id": 3, "drink": "espresso"},
        ),
        (
            "Change todo 2 to 'water the plants'",
            tool("updateTodo", "id", "title", id=WORDS, title=WORDS),
            {"id": "2", "title": "water the plants"},
        ),
        ("Create a sheet called Budget", tool("createSheet", title=WORDS), {"title": "Budget"}),
        (
            "Find polls with at least 100 points",
            tool("find", kind={"enum": ["story", "poll"]}, min_points=WHOLE, max_points=WHOLE),
            {"kind": "poll", "min_points": 100},
        ),
        (
            "Show me recipes by Anna Berg",
            tool("search_recipes", author=WORDS, title=WORDS),
            {"author": "Anna Berg"},
        ),
        ("Get book 12a.0b-3", tool("getBook", book_id=WORDS), {"book_id": "12a.0b-3"}),
        (
            "Send a letter to ann@example.com with the subject Lunch and the body See you at noon",
            LETTER,
            {"address": "ann@example.com", "subject": "Lunch", "body": "See you at noon"},
        ),
        (
            'Letter for bob@example.org: subject "With the body", body "It is in."',
            LETTER,
            {"address": "bob@example.org", "subject": "With the body", "body": "It is in."},
        ),
        (
            "Create a visit with subject Check from 2026-12-01T10:00:00Z to 2026-12-01T11:00:00Z"
            " in location Room 4",
            tool("createVisit", subject=WORDS, location=MAYBE, start_time=MOMENT, end_time=MOMENT),
            {
                "subject": "Check",
                "location": "Room 4",
                "start_time": "2026-12-01T10:00:00Z",
                "end_time": "2026-12-01T11:00:00Z",
            },
        ),
        ("Run Python code: print(6*7)", tool("runPython", code=WORDS), {"code": "print(6*7)"}),
        ("Run Python with code print(6*7)", tool("runPython", code=WORDS), {}),
        ('Run the shell "git status"', tool("runShell", command=WORDS), {"command": "git status"}),
        (
            "Balance of 0x742d35Cc6634C0532925a3b844 please",
            tool("getBalance", account=WORDS),
            {"account": "0x742d35Cc6634C0532925a3b844"},
        ),
        (
            "Create a high priority visit: call Ann",
            tool("createVisit", title=WORDS, priority={"enum": ["low", "high"]}),
            {"priority": "high", "title": "call Ann"},
        ),
        (
            "Write a note titled Wifi with the content guests, password on the door",
            tool("createNote", title=WORDS, content=WORDS),
            {"title": "Wifi", "content": "guests, password on the door"},
        ),
        (
            "Rename note 4 to Holiday plans",
            tool("updateNote", "id", id=WORDS, title=WORDS, content=WORDS),
            {"id": "4", "title": "Holiday plans"},
        ),
        (
            "Add a payment of 12.50 for lunch",
            tool("addPayment", "purpose", "amount", purpose=WORDS, amount={"type": "number"}),
            {"amount": 12.5, "purpose": "lunch"},
        ),
        (
            "Show my last 5 payments",
            tool("listPayments", user_id=WHOLE, limit={"type": "integer"}),
            {"limit": 5},
        ),
        (
            "List the coins minted in 2024",
            tool("listCoins", minting_year=WHOLE, weight=WHOLE),
            {"minting_year": 2024},
        ),
        (
            "Which ferries go from BGO to OSL on 2026-06-15?",
            tool("listFerries", origin=WORDS, destination=WORDS, date=WORDS),
            {"origin": "BGO", "destination": "OSL", "date": "2026-06-15"},
        ),
        (
            "Find halls in New York for 2 guests",
            tool("listHalls", city=WORDS, guests=WHOLE),
            {"city": "New York", "guests": 2},
        ),
        (
            "Book hall 4 from 2026-06-15 to 2026-06-20",
            tool(
                "bookHall", hall_id=WHOLE, check_in={"format": "date"}, check_out={"format": "date"}
            ),
            {"hall_id": 4, "check_in": "2026-06-15", "check_out": "2026-06-20"},
        ),
        (
            "How is the sea at BGO?",
            tool("getSea", harbour={"type": "string", "pattern": "^[A-Z]{3}$"}),
            {"harbour": "BGO"},
        ),
        (
            "List the jobs in progress",
            tool("listJobs", status={"enum": ["pending", "in_progress"]}),
            {"status": "in_progress"},
        ),
        (
            "Find 5 books on folding paper sorted by Newest",
            tool("searchBooks", query=WORDS, max_results=WHOLE, sort_by={"enum": ["Newest", "A"]}),
            {"query": "folding paper", "max_results": 5, "sort_by": "Newest"},
        ),
        (
            "Rename a.txt to old/b.txt",
            tool("moveFile", fromPath=WORDS, toPath=WORDS),
            {"fromPath": "a.txt", "toPath": "old/b.txt"},
        ),
        (
            "Create a file called list.txt and write in it eggs and flour",
            tool("createFile", "path", path=WORDS, source=WORDS),
            {"path": "list.txt", "source": "eggs and flour"},
        ),
        (
            "Search the acme-mobile workspace for slow checkout, five results is plenty",
            tool("searchNotes", "workspace", workspace=WORDS, q=WORDS, limit=RESULTS),
            {"workspace": "acme-mobile", "q": "slow checkout", "limit": 5},
        ),
        (
            "which stops have Grunwald in the name",
            tool("searchStops", "name", name=WORDS),
            {"name": "Grunwald"},
        ),
        (
            "New note in workspace acme-mobile, project spring-talks, content: no button",
            tool("createNote", workspace=WORDS, project_slug=WORDS, content=WORDS),
            {"workspace": "acme-mobile", "project_slug": "spring-talks", "content": "no button"},
        ),
    ],
)
def test_what_is_said_goes_where_it_belongs(
    say: str, one: OfferedTool, values: dict[str, Any]
) -> None:
    assert fill(one, read(say)).values == values


def written(name: str, /, *required: str, **properties: dict[str, Any]) -> OfferedTool:
    return replace(tool(name, *required, **properties), writes=True)


@pytest.mark.parametrize(
    ("say", "one", "missing"),
    [
        (
            "Send a letter to bob@example.org about the budget",
            written("sendLetter", **SLOTS),
            "subject",
        ),
        ("Letter bob@example.org", written("letter", **SLOTS), "subject"),
        ("Send a letter", written("sendLetter", **SLOTS), "address"),
        ("Show the books of someone", tool("listBooks", shelf=WORDS), "shelf"),
        ("Show me the balance of my account", tool("getBalance", account=WORDS), "account"),
    ],
)
async def test_what_a_request_says_and_no_slot_took_is_asked_about_before_a_call(
    say: str, one: OfferedTool, missing: str
) -> None:
    choice = await choose(say, [one], None)
    assert choice is not None
    assert choice.filled.missing == (missing,)


WHEN = {"type": "string", "format": "date-time"}
NOTE = written("createNote", title=WORDS, content=WORDS, priority={"enum": ["low", "high"]})
PAYMENT = written("addPayment", purpose=WORDS, amount={"type": "number"}, due_date=WHEN)


@pytest.mark.parametrize(
    ("say", "one"),
    [
        # something else is said than this tool does
        ("Mark visit 12 as completed", written("deleteVisit", id=WORDS)),
        ("Archive the visit 12", written("deleteVisit", id=WORDS)),
        ("Delete all visits but 12", written("deleteVisit", id=WORDS)),
        ("Delete visits 3 and 4", written("deleteVisit", id=WORDS)),
        ("Delete visit 4 unless it is paid", written("deleteVisit", id=WORDS)),
        ("Delete visit 4", written("deleteAllVisits", id=WORDS)),
        ("Undelete visit 4", written("deleteVisit", id=WORDS, pinned={"type": "boolean"})),
        ("Turn the heating off", written("turnHeatingOn")),
        ("Schedule the report", written("createReport", title=WORDS)),
        ("Delete a webhook", written("removeReminder", reminder=WORDS)),
        ("把所有会议都发给老板，删除会议 12", written("deleteVisit 会议", id=WORDS)),
        # a value is not in one piece, or has more in it than its own words
        ("Create a visit with subject Check tomorrow evening", written("createVisit", subject=WORDS, start=WHEN)),
        ("Add a payment for the rent tomorrow with amount 80", PAYMENT),
        ("Add a payment for 2 tickets and 3 drinks", PAYMENT),
        ("Create a note: buy paper with high priority, content by hand", NOTE),
        ("Create a note with the title Shopping, delete the old one", NOTE),
    ],
)  # fmt: skip
async def test_a_write_that_does_not_take_in_every_word_is_asked_about(
    say: str, one: OfferedTool
) -> None:
    choice = await choose(say, [one], None)
    assert choice is None or choice.filled.missing or choice.unplaced
    assert choice is None or not choice.sure


READ_FILE = replace(written("readFile", path=WORDS), description="Read a file")
DELETE_FILE = replace(written("deleteFile", path=WORDS), description="Delete a file")
MOVE_FILE = replace(
    written("moveFile", fromPath=WORDS, toPath=WORDS), description="Move or rename a file"
)
ADD_NOTE = replace(written("addNote", workspace=WORDS, content=WORDS), description="Add a note")
LIST_WORKSPACES = tool("listWorkspaces")


@pytest.mark.parametrize(
    ("say", "name", "values"),
    [
        # a path is a file, and what only reads one may be asked for by a question, POST or not
        ("what's in compose.yml?", "readFile", {"path": "compose.yml"}),
        # two letters of a verb are swapped
        ("renmae a.txt to b.txt", "moveFile", {"fromPath": "a.txt", "toPath": "b.txt"}),
        # a reason is no part of what is to be done
        ("get rid of src/a.py, we don't need it anymore", "deleteFile", {"path": "src/a.py"}),
        # a word that names an argument does not name another tool
        (
            "Add a note in workspace acme, content: no button",
            "addNote",
            {"workspace": "acme", "content": "no button"},
        ),
    ],
)
async def test_what_is_said_whole_is_done(say: str, name: str, values: dict[str, Any]) -> None:
    tools = [READ_FILE, DELETE_FILE, MOVE_FILE, ADD_NOTE, LIST_WORKSPACES]
    choice = await choose(say, tools, None)
    assert choice is not None
    assert (choice.tool.name, choice.filled.values) == (name, values)
    assert not choice.filled.missing
    assert not choice.unplaced


@pytest.mark.parametrize(
    "say",
    [
        "get rid of src/a.py, src/b.py too",
        "get rid of src/a.py, we don't need src/b.py",
        "what's in a.yml, and delete it",
        "Has anybody moved a.txt to b.txt?",
    ],
)
async def test_a_file_more_or_an_order_more_is_asked_about(say: str) -> None:
    choice = await choose(say, [READ_FILE, DELETE_FILE, MOVE_FILE], None)
    reads = choice is not None and choice.tool is READ_FILE
    assert choice is None or reads or choice.filled.missing or choice.unplaced


@pytest.mark.parametrize(
    ("say", "values"),
    [
        ("The next trams of route 10 after 8:15, five of them", {"time": "08:15:00", "count": 5}),
        ("The next trams after 8:15 pm", {"time": "20:15:00"}),
    ],
)
async def test_times_and_numbers_in_other_forms_were_said(say: str, values: dict[str, Any]) -> None:
    trams = tool("nextTrams", time={"type": "string", "format": "time"}, count=WHOLE)
    for given, kept in ((values, values), ({"time": "09:15:00", "count": 7}, {})):
        model = Careless("nextTrams", given, able=True)
        made = await decided(say, [trams], None, model, None)
        by_able = await decided_by_able(say, [trams], model, None)
        assert by_able is not None
        assert by_able.choice is not None
        assert by_able.choice.filled.values == kept
        assert made.choice is None


MEETING = written(
    "createMeeting", topic=WORDS, start_time=WHEN, duration=WHOLE, agenda=WORDS, day=WORDS
)
TODAY = dt.date(2026, 11, 27)


@pytest.mark.parametrize(
    ("say", "given", "kept", "missing"),
    [
        # the same day and time in another form
        ("on 3 December 2026 at 14:00", "2026-12-03T14:00:00Z", "2026-12-03T14:00:00Z", ()),
        ("tomorrow at 5 pm", "2026-11-28T17:00:00", "2026-11-28T17:00:00", ()),
        ("on 3 December", "2026-12-03", "2026-12-03", ()),
        # a write without what was said of it is not the one that was meant
        ("on 3 December 2026 at 14:00", "2026-12-03T15:00:00Z", None, ("start_time",)),
        ("on 3 December 2026 at 14:00", "2026-12-04T14:00:00Z", None, ("start_time",)),
        ("on Friday", "2026-12-04T00:00:00Z", None, ("start_time",)),
        # what nobody said is left out
        ("with Ann", "2026-12-04T00:00:00Z", None, ()),
    ],
)
async def test_a_model_that_rewords_a_time_is_understood_or_asked_about(
    say: str, given: str, kept: str | None, missing: tuple[str, ...]
) -> None:
    told = {"topic": "Budget", "start_time": given, "duration": 60, "agenda": ""}
    model = Careless("createMeeting", told, able=True)
    made = await decided_by_able(
        f"Create a meeting, topic Budget, {say}", [MEETING], model, None, today=TODAY
    )
    assert made is not None
    assert made.choice is not None
    assert made.choice.filled.values == {"topic": "Budget"} | ({"start_time": kept} if kept else {})
    assert made.choice.filled.missing == missing


CALL_TYPE = {
    "type": "integer",
    "enum": [1, 2, 8],
    "description": "Type: 1: instant, 2: scheduled, 8: with fixed times",
}
CALLER = WORDS | {"description": "The user's ID or email"}
START_CALL = replace(
    written("createCall", "user", "topic", "type", user=CALLER, topic=WORDS, type=CALL_TYPE),
    description="Create a call",
)
CALLS = replace(tool("listCalls", "user", user=CALLER), description="List calls")
PLAY = written("playSongs", "songs", songs={"type": "array", "items": WORDS})
JOT = written("createJotting", "body", body=WORDS, pinned={"type": "boolean"})
PIN = written("updateJotting", "id", id=WORDS, pinned={"type": "boolean"})
CONCERTS = tool("getConcerts", query=WORDS, limit=WHOLE)


@pytest.mark.parametrize(
    ("say", "name", "values"),
    [
        # an address goes where its description says that one may
        ("Which calls does ann@example.org have?", "listCalls", {"user": "ann@example.org"}),
        # an order is not answered by a list; a code is chosen by its explanation
        (
            "start an instant call for user 55120, topic Quick sync",
            "createCall",
            {"user": "55120", "topic": "Quick sync", "type": 1},
        ),
        # the verb of a tool's own name, and what stands behind it
        ("Play Dreams by Fleetwood Mac", "playSongs", {"songs": ["Dreams by Fleetwood Mac"]}),
        # what something says is what it holds
        ("make a jotting saying I am late", "createJotting", {"body": "I am late"}),
        # yes or no, by the verb
        ("Pin jotting 81", "updateJotting", {"id": "81", "pinned": True}),
        ("Please unpin jotting 81", "updateJotting", {"id": "81", "pinned": False}),
        # what is searched where one tool alone searches
        ("search for jazz in Bonn", "getConcerts", {"query": "jazz in Bonn"}),
        ("find 3 choirs in Bonn", "getConcerts", {"query": "choirs in Bonn", "limit": 3}),
        ("what have I saved about the organ?", "getConcerts", {"query": "organ"}),
    ],
)
async def test_what_people_say_otherwise_than_a_tool_does_is_read(
    say: str, name: str, values: dict[str, Any]
) -> None:
    choice = await choose(say, [START_CALL, CALLS, PLAY, JOT, PIN, CONCERTS], None)
    assert choice is not None
    assert (choice.tool.name, choice.filled.values) == (name, values)
    assert not choice.filled.missing
    assert not choice.unplaced


def of_path(name: str, about: str, /, *required: str, **properties: dict[str, Any]) -> OfferedTool:
    """Return a tool whose name was made of a method and a path."""
    made = replace(tool(name, *required, **properties), description=about)
    return replace(made, writes=not name.startswith("get"))


DRINKS = {"enum": ["tea", "juice"]}
CENTS = {"type": "number", "description": "Amount in cents"}
BAR = [
    of_path("post_v1_orders_id_lines", "Add a line to an order", "orderId", "drink", "units",
            orderId=WORDS, drink=DRINKS, units=WHOLE),
    of_path("post_v1_orders_id_payment", "Pay for an order", "orderId", "amount",
            orderId=WORDS, amount=CENTS),
    of_path("delete_v1_bills_id", "Delete a bill", "id", id=WORDS),
    of_path("get_v1_bills_id", "Read one bill", "id", id=WORDS),
    of_path("post_v1_login", "Log in (open a session)", "password", password=WORDS),
    of_path("post_v1_logout", "Log out (close the session)"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("say", "name", "values"),
    [
        ("add two juices to order 7", BAR[0].name, {"orderId": "7", "drink": "juice", "units": 2}),
        ("pay 350 cents for order 7", BAR[1].name, {"orderId": "7", "amount": 350}),
        ("delete bill 42", BAR[2].name, {"id": "42"}),
        ("what are the details of bill 7?", BAR[3].name, {"id": "7"}),
        ("log me out", BAR[5].name, {}),
    ],
)
async def test_a_tool_named_for_its_path_is_called_as_its_description_begins(
    say: str, name: str, values: dict[str, Any]
) -> None:
    choice = await choose(say, BAR, None)
    assert choice is not None
    assert choice.tool in BAR
    assert (choice.tool.name, choice.filled.values) == (name, values)
    assert not choice.filled.missing
    assert not choice.unplaced


ADD_MEMO = replace(
    written("addMemo", "username", username=WORDS, title=WORDS, content=WORDS),
    description="Add a memo for a user",
)
MEMOS = replace(tool("getMemos", "username", username=WORDS), description="Get all memos of a user")


@pytest.mark.parametrize(
    ("say", "name", "values"),
    [
        ("show me ann's memos", "getMemos", {"username": "ann"}),
        ("Which memos does user mark.b have?", "getMemos", {"username": "mark.b"}),
        ("save a memo for lena: no milk", "addMemo", {"username": "lena", "content": "no milk"}),
    ],
)
async def test_a_person_is_named_by_a_word(say: str, name: str, values: dict[str, Any]) -> None:
    choice = await choose(say, [ADD_MEMO, MEMOS], None)
    assert choice is not None
    assert (choice.tool.name, choice.filled.values) == (name, values)


RECIPIENT = {"type": "string", "description": "Recipient email address"}
MAIL = replace(
    written("createDraft", "to", "subject", "body", to=RECIPIENT, subject=WORDS, body=WORDS),
    description="Create a draft email",
)
NOVELS = tool("getNovelReviews", "novelId", novelId=WORDS)
SHEET = written(
    "createSheet", "sheet_name", sheet_name=WORDS, columns={"type": "array", "items": WORDS}
)
SITE = {"enum": ["map_all_huts", "map_single_hut", "price_list"]}
SITE_MADE = written("createSite", "kind", kind=SITE, site_title=WORDS)
REVIEW = replace(
    written(
        "postReview",
        "novelId",
        "inOneLine",
        novelId=WORDS,
        inOneLine=WORDS,
        stars={"type": "number"},
    ),
    description="Share a review of a novel",
)


@pytest.mark.parametrize(
    ("made", "say", "values"),
    [
        # to: an address, as its description says
        (
            MAIL,
            "draft an email to tom@example.org, subject Friday, body See you at noon",
            {"to": "tom@example.org", "subject": "Friday", "body": "See you at noon"},
        ),
        # an id of words and a number behind its noun
        (NOVELS, "show me the reviews of novel dune-part-2", {"novelId": "dune-part-2"}),
        # what is called something, and a list
        (
            SHEET,
            "make a new sheet called Returns with the columns Item, Stock and Place",
            {"sheet_name": "Returns", "columns": ["Item", "Stock", "Place"]},
        ),
        # the words of a choice in any order
        (
            SITE_MADE,
            "create a site with the map of all my huts, titled Our huts",
            {"kind": "map_all_huts", "site_title": "Our huts"},
        ),
        # the name of a parameter as a heading, and that of a number with it
        (
            REVIEW,
            "post a review of the novel dune-2: in one line, sand is wet. Stars 4",
            {"novelId": "dune-2", "inOneLine": "sand is wet", "stars": 4},
        ),
    ],
)
async def test_what_stands_beside_its_name_is_the_value(
    made: OfferedTool, say: str, values: dict[str, Any]
) -> None:
    choice = await choose(say, [made], None)
    assert choice is not None
    assert choice.filled.values == values
    assert not choice.filled.missing
    assert not choice.unplaced


async def test_what_somebody_sells_is_searched_for_where_the_tool_is_theirs() -> None:
    about = "Search for products in the Contoso catalog"
    search = replace(tool("productSearch", "query", query=WORDS), description=about)
    choice = await choose("Which tent does Contoso sell?", [search], None)
    assert choice is not None
    assert (choice.filled.values, choice.filled.missing) == ({"query": "tent"}, ())
    other = await choose("Which tent does Fabrikam sell?", [search], None)
    assert other is None or other.filled.missing == ("query",)


async def test_a_sentence_is_no_person() -> None:
    memo = replace(ADD_MEMO, schema=tool("addMemo", "username", username=WORDS).schema)
    choice = await choose("save a memo for the cleaner: no milk", [memo], None)
    assert choice is None or choice.filled.missing == ("username",)


@pytest.mark.parametrize("say", ["Show my last 5 expenses", "Search for an oven", "Show it"])
async def test_a_verb_of_looking_alone_means_no_tool(say: str) -> None:
    form = of_path("get_v1_bills_create", "Show the form for creating a new bill.")
    assert await choose(say, [form], None) is None


async def test_a_search_has_its_topic_and_is_not_what_makes_something() -> None:
    gifs = replace(tool("searchGifs", "searchTerm", searchTerm=WORDS), description="Search GIFs")
    for say in ("find me a gif of a dancing penguin", "gifs of a dancing penguin"):
        choice = await choose(say, [gifs], None)
        assert choice is not None
        assert choice.filled.values == {"searchTerm": "dancing penguin"}
    assert await choose("can you make a gif out of this video", [gifs], None) is None
    posted = written("search", "query", query=WORDS)
    choice = await choose("search for news of the yen", [posted, LETTER], None)
    assert choice is not None
    assert choice.filled.values == {"query": "news of the yen"}


def test_a_list_in_a_form_has_its_parts() -> None:
    said = read("Create a playlist, title: Running, songs: Titanium, Salt and Pepper, and One")
    made = written("createPlaylist", title=WORDS, songs={"type": "array", "items": WORDS})
    songs = ["Titanium", "Salt and Pepper", "One"]
    assert fill(made, said).values == {"title": "Running", "songs": songs}


async def test_a_search_that_another_tool_is_asked_for_is_no_search() -> None:
    root = replace(tool("sqrt", "a", a={"type": "number"}), description="The square root of a")
    choice = await choose("Find the square root of 144", [CONCERTS, root], None)
    assert choice is not None
    assert choice.tool.name == "sqrt"


async def test_a_question_switches_nothing_and_another_tools_name_is_respected() -> None:
    state = {"enum": ["on", "off"]}
    torch = replace(written("toggleTorch", state=state), description="Control flashlight")
    assert await choose("Is the torch on?", [torch], None) is None
    task = replace(written("addTask", text=WORDS), description="Add task to the list")
    reminder = replace(written("createReminder", text=WORDS, when=WORDS), description="Remind")
    say = "Remind me to water the plants tomorrow"
    for tools in ([task, reminder], [reminder, task]):
        choice = await choose(say, tools, None)
        assert choice is not None
        assert choice.tool == reminder
        assert choice.filled.values == {"text": "water the plants", "when": "tomorrow"}
        assert not choice.unplaced


async def test_words_without_a_place_are_named_and_nothing_is_called() -> None:
    one = written("deleteVisit", id=WORDS)
    choice = await choose("Mark visit 12 as completed", [one], None)
    assert choice is not None
    (told,) = acting(choice, "Mark visit 12 as completed")
    assert isinstance(told, MessageChunk)
    assert "“Mark”" in told.delta
    assert told.delta.startswith("Nothing was sent.")


async def test_of_two_writes_the_one_that_takes_in_every_word_is_made() -> None:
    visits = [
        written("deleteVisit", id=WORDS),
        replace(
            written("updateVisit", id=WORDS, title=WORDS, completed={"type": "boolean"}),
            description="Update a visit (e.g. mark complete)",
        ),
    ]
    choice = await choose("Mark visit 12 as completed", visits, None)
    assert choice is not None
    assert (choice.tool, choice.unplaced) == (visits[1], ())
    assert choice.filled.values == {"id": "12", "completed": True}


async def test_words_that_name_another_tool_are_no_value_of_this_one() -> None:
    who = {"owner": WORDS, "repo": WORDS}
    state = {"enum": ["open", "closed"]}
    issue = tool("createIssue", *who, "title", **who, title=WORDS, body=WORDS)
    comment = tool("commentIssue", *who, "body", **who, issue_number=WHOLE, body=WORDS)
    issue, comment = (replace(one, writes=True) for one in (issue, comment))
    listed = tool("listRepositoryIssues", *who, **who, state=state)
    say = "Add a comment to issue 5 of owner bob, repo shop: looks good to me"
    choice = await choose(say, [issue, listed, comment], None)
    assert choice is not None
    assert choice.tool.writes  # to add something is not to read
    assert choice.filled.missing
    assert "comment to issue 5" not in choice.filled.values.values()


async def test_the_tool_that_takes_in_all_that_was_said_is_the_one_that_is_meant() -> None:
    jokes = [tool("getRandomJoke"), tool("searchJokes", "query", query=WORDS)]
    choice = await choose("I want a joke about roundhouse kicks", jokes, None)
    assert choice is not None
    assert (choice.tool, choice.filled.values) == (jokes[1], {"query": "roundhouse kicks"})
    choice = await choose("Tell me a random joke", jokes, None)
    assert choice is not None
    assert choice.tool == jokes[0]


def test_words_in_the_middle_of_something_are_no_thing() -> None:
    made = fill(tool("placeOrder", "drink", drink=WORDS), read("Place an order with two straws"))
    assert made.values == {}
    assert made.missing == ("drink",)


@pytest.mark.parametrize("say", ["Turn the RC car left", "Drive the car backward", "Honk please"])
async def test_a_model_that_is_not_able_fills_in_nothing_that_is_written(say: str) -> None:
    """As a starter model did: it copied some words of the sentence."""
    car = {
        "server_id": "s",
        "name": "moveCar",
        "description": "Move the RC car",
        "annotations": {"readOnlyHint": False},
        "input_schema": {
            "type": "object",
            "properties": {"action": {"type": "string"}},
            "required": ["action"],
        },
    }
    (one,) = parse_request({"messages": [{"role": "human", "content": say}], "tools": [car]}).tools
    assert one.writes
    careless = Careless("moveCar", {"action": say.split()[1]}, able=False)
    made = await decided(say, [one], await choose(say, [one], None), careless, None)
    assert made.choice is None or made.choice.filled == FilledSlots({}, ("action",))
