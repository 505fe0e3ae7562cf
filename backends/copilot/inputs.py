"""The files and data that came with a question. Items that are missing or unreadable are
reported.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from backends.copilot.tables import called_widgets, is_empty, offers_tools
from backends.protocol import parser
from backends.protocol.parser import texts_of
from backends.protocol.request import FunctionResult, Human
from backends.sentences import joined

if TYPE_CHECKING:
    from backends.copilot.turn import OpenTurn
    from backends.protocol.request import ContentPart, CopilotRequest, Message, RequestWidget

READS = ("get_widget_data", "get_extra_widget_data")
PICTURES = frozenset({"png", "jpg", "jpeg"})
MOST = 6  # maximum number of missing items that are reported individually
# Words that show that a question is about the contents of the dashboard, if nothing is attached to
# the question.
ABOUT = re.compile(
    r"\b(?:widget|table|chart|report|document|file|pdf|page|dashboard|data|rows?|columns?|summar\w+|this|these)\b"
    r"|[表图圖文書档檔件資数據報]|要約|まとめ|总结|摘要",
    re.IGNORECASE,
)
SENTENCES: dict[str, dict[str, str]] = {
    "link": {
        "en": "Only the address of “{name}” arrived ({detail}), not its content.",
        "zh": "“{name}”只收到了地址（{detail}），没有收到内容。",
        "ja": "「{name}」はアドレス（{detail}）だけが届き、内容は届いていません。",
    },
    "page": {
        "en": "{detail} was not opened: I read only what is attached, and I don't fetch pages.",
        "zh": "没有打开 {detail}：我只读取附加的内容，不会获取网页。",
        "ja": "{detail} は開いていません。添付された内容だけを読み、ページは取得しません。",
    },
    "file": {
        "en": "“{name}” arrived as a file that can't be read ({detail}).",
        "zh": "“{name}”是无法读取的文件（{detail}）。",
        "ja": "「{name}」は読み取れないファイル（{detail}）です。",
    },
    "picture": {
        "en": "“{name}” is an image, and I don't look at images.",
        "zh": "“{name}”是图片，我不会查看图片。",
        "ja": "「{name}」は画像です。画像は見られません。",
    },
    "empty": {
        "en": "“{name}” contains no data.",
        "zh": "“{name}”没有数据。",
        "ja": "「{name}」にはデータがありません。",
    },
    "empty for": {
        "en": "“{name}” contains no data for {detail}.",
        "zh": "“{name}”在 {detail} 条件下没有数据。",
        "ja": "「{name}」には {detail} のデータがありません。",
    },
    "failed": {
        "en": "“{name}” could not be read: {detail}",
        "zh": "无法读取“{name}”：{detail}",
        "ja": "「{name}」を読めませんでした：{detail}",
    },
    "attach": {
        "en": "Attach the file itself, or its text, and ask again.",
        "zh": "请附加文件本身或其文本，然后再问一次。",
        "ja": "ファイルそのものか本文を添付して、もう一度質問してください。",
    },
    "the data": {"en": "the data", "zh": "数据", "ja": "データ"},
}


@dataclass(frozen=True)
class Gap:
    """An item that did not arrive or cannot be read. why: a key of `SENTENCES`. attached: whether
    the user added it to the question.
    """

    name: str
    why: str
    detail: str = ""
    attached: bool = True


async def with_files(query: CopilotRequest) -> CopilotRequest:
    """Return a query in which the readable files in its context and its open turn are converted to
    text.
    """
    asked = [at for at, message in enumerate(query.messages) if isinstance(message, Human)]
    start = asked[-1] if asked else 0

    async def opened(message: Message) -> Message:
        if not isinstance(message, FunctionResult) or all(part.is_text for part in message.parts):
            return message
        parts = await read(message.parts)
        return replace(message, parts=parts, texts=texts_of(parts))

    held = [*query.messages[:start], *[await opened(m) for m in query.messages[start:]]]
    context = list(query.context)
    for at, one in enumerate(context):
        if not all(part.is_text for part in one.parts):
            parts = await read(one.parts)
            context[at] = replace(one, parts=parts, texts=texts_of(parts))
    return replace(query, messages=held, context=context)


async def read(parts: list[ContentPart]) -> list[ContentPart]:
    """Return parts in which files are replaced by their text."""
    made = [await parser.read(part) if part.data else [part] for part in parts]
    return [part for some in made for part in some]


def gaps(query: CopilotRequest, turn: OpenTurn) -> list[Gap]:
    """Return the items that were requested or sent in this turn and cannot be read."""
    found: list[Gap] = []
    attached = {id(widget) for widget in query.primary}
    for called, result in turn.pairs:
        if called.function not in READS:
            continue
        widgets = called_widgets(query, called.arguments)
        settings = settings_of(called.arguments)
        for part in result.parts:
            widget = widget_of(widgets, part.entry)
            gap = gap_of(part, widget.name if widget else "", settings.get(part.entry, ""))
            if gap is not None:
                found.append(replace(gap, attached=widget is None or id(widget) in attached))
        if not result.parts:
            for at, widget in enumerate(widgets or [None]):
                name, detail = widget.name if widget else "", settings.get(at, "")
                found.append(Gap(name, "empty for" if detail else "empty", detail))
    for context in query.context:
        found += [gap for part in context.parts if (gap := gap_of(part, context.name)) is not None]
    if not offers_tools(query):  # our own terminal reports itself which pages it opened
        found += [Gap("", "page", url) for url in query.urls]
    return list(dict.fromkeys(found))


def widget_of(widgets: list[RequestWidget | None], entry: int) -> RequestWidget | None:
    """Return the widget to which an entry of a result belongs."""
    if entry < len(widgets):
        return widgets[entry]
    return widgets[0] if len(widgets) == 1 else None


def gap_of(part: ContentPart, name: str, settings: str = "") -> Gap | None:
    """Return the reason why a part cannot be read, or None if it can be."""
    name = part.name or name
    if part.url:
        return Gap(name or part.url, "link", part.url)
    if part.data:
        return Gap(name, "picture" if part.kind in PICTURES else "file", part.kind)
    if why := part.text if part.failed else error_in(part.text):
        return Gap(name, "failed", why)
    if is_empty(part.text):
        return Gap(name, "empty for" if settings else "empty", settings)
    return None


def settings_of(arguments: dict[str, Any]) -> dict[int, str]:
    """Return, for each item that a call requests, its parameters in words."""
    listed = arguments.get("data_sources")
    made: dict[int, str] = {}
    for at, source in enumerate(cast("list[Any]", listed) if isinstance(listed, list) else []):
        given = (
            cast("dict[str, Any]", source).get("input_args") if isinstance(source, dict) else None
        )
        told = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
        made[at] = ", ".join(
            f"{name} {value}" for name, value in told.items() if value not in (None, "")
        )
    return made


def error_in(text: str) -> str:
    """Return the error that a terminal sent in place of data; empty if there is none."""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    told = cast("dict[str, Any]", value).get("error") if isinstance(value, dict) else None
    return str(told) if told else ""


def is_about(found: list[Gap], question: str) -> bool:
    """Return whether a question depends on data that did not arrive. It depends on everything that
    is attached to it.
    """
    said = set(re.findall(r"\w{3,}", question.lower()))
    names = {word for gap in found for word in re.findall(r"\w{3,}", gap.name.lower())}
    return any(gap.attached for gap in found) or bool(said & names) or bool(ABOUT.search(question))


def told(found: list[Gap], language: str) -> str:
    """Return sentences about the missing data."""
    made = [said(gap, language) for gap in found[:MOST]]
    if any(gap.why in ("link", "page", "file") for gap in found):
        made.append(SENTENCES["attach"].get(language, SENTENCES["attach"]["en"]))
    return joined(*made)


def said(gap: Gap, language: str) -> str:
    """Return the sentence about one missing item."""
    words = SENTENCES[gap.why]
    name = gap.name or SENTENCES["the data"].get(language, "the data")
    return words.get(language, words["en"]).format(name=name, detail=gap.detail)
