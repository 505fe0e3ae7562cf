"""Find the object of a request, and its position in a list."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.copilot.actions.words import (
    action_of,
    pattern,
    patterns,
    table,
)

if TYPE_CHECKING:
    from backends.copilot.actions.words import Action


ORDINALS = {word: n for n, word in enumerate(table()["ordinals"], 1)}
COUNTED = {word: n for n, word in enumerate(table()["counted"], 1)}
DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九十")} | {"两": 2}
PLACE = re.compile(
    rf"\b({'|'.join(ORDINALS)}|\d+(?:st|nd|rd|th))\b(?={table()['after']})"
    rf"|(?:\b(?:number|no\.?|nr\.?|item|task|todo|entry|position)|#)\s*(\d+|{'|'.join(COUNTED)})\b"
    rf"|第\s*([零一二三四五六七八九十两]+|\d+)\s*[条项个件位则行]?{table()['after_chinese']}",
    re.IGNORECASE,
)


def place_of(text: str) -> int | None:
    """Return the requested position in a list, or None if there is none, or more than one."""
    found = {
        number(next(group for group in match.groups() if group)) for match in PLACE.finditer(text)
    }
    return found.pop() if len(found) == 1 else at_top(text) if not found else None


def put_at(text: str) -> int | None:
    """Return the position in a list at which something should be put, or None if the request states
    none.
    """
    found = pattern("put_at").search(text)
    place = number(next((group for group in found.groups() if group), "")) if found else 0
    return place or at_top(text)


def at_top(text: str) -> int | None:
    """Return 1 if a text refers to the top of a list."""
    return 1 if pattern("top").search(text) else None


def number(text: str) -> int:
    """Return an ordinal or a number that is written in digits or words; 0 if the text is
    neither.
    """
    if digits := re.fullmatch(r"(\d+)(?:st|nd|rd|th)?", text, re.IGNORECASE):
        return int(digits[1])
    if known := (ORDINALS | COUNTED).get(text.lower()):
        return known
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return DIGITS.get(text[-1:], 0)
    return (DIGITS.get(tens, 1) if tens else 1) * 10 + (DIGITS.get(ones, 0) if ones else 0)


QUOTED = re.compile(
    r"[\"“”「『](?P<x>[^\"“”「」『』]{1,300})[\"“”」』]|(?<!\w)['‘](?P<y>[^'‘’\"“”]{1,300})['’](?!\w)"
)
POLITE = re.compile(
    r"^(?:(?:hey|hi|hello|ok(?:ay)?|please|kindly|now|then|also|and)\b[,"
    r" ]*|(?:can|could|would|will) (?:you|we|i)\b[, ]*|"
    r"i(?:'d| would) like (?:you )?to |i (?:want|need|have) (?:you )?to |let'?s"
    r" |请(?![假客教人求])|麻烦(?:你|您)?|帮我|帮忙|给我(?=[加记删把添看列插写提放查在往])"
    r"|你能|能不能"
    r"|可以|我要|我想|我需要|您|你|再)+",
    re.IGNORECASE,
)
NOUN = r"(?:to[- ]?dos?|tasks?|items?|entr(?:y|ies)|reminders?|things?|notes?|list)"
ENGLISH = (
    r"\blist (?:say|read|include)s?\b(?: that)?(?: i (?:need|have|want|ought) to)? (?P<x>.+)$",
    (
        r"^(?:add |create |make )?(?:a |an |another |one )?(?:new |more"
        rf" )*{NOUN}\s*(?:[:,\-–]|to\b|called|named|saying)\s*(?P<x>.+)$"
    ),
    (
        r"\b(?:remind me|remember|(?:don'?t|do not) (?:let me )?forget|keep in mind|make sure"
        r" (?:that )?i)\b(?: to| that| about| of)?[:,]? (?P<x>.+)$"
    ),
    r"^(?:note|write|jot)(?: that| this| it)? down(?: that| to)?[:,]? (?P<x>.+)$",
    r"^(?:add|put|insert|append|write|note|jot|record|create|make(?: me)?|save|schedule|store"
    r"|delete|remove|drop|erase|cancel|clear|cross"
    r" (?:off|out)|"
    r"find|search(?: for)?|look up|look for|take)(?: down| in| out| off)? (?:a |an |the |that |this"
    r" |new |another |task |item |reminder )*(?P<x>.+)$",
    r"(?P<x>.+?) (?:is|was) (?:done|finished)\b",
    r"\b(?:finished|done with|completed)\b (?:the |my )?(?P<x>.+)$",
)
CHINESE = (
    r"把(?P<x>.+?)(?:添加|增加|新增|插入|加|放|记|写|录|从.+?删|删|去掉|移除|划掉|取消|清除)",
    r"(?:提醒我|提醒一下|别忘了|别忘记|记得|记住)(?:提醒我)?(?:要|去|一下)?[：:，,]?(?P<x>.+)$",
    r"(?:添加|增加|新增|新建|插入|创建|记录|记下|记|加|写下|备忘|录入|删除|删掉|删|取消|去掉|移除|划掉|检索|查找|搜索)(?:一下|上|入|进)?"
    r"(?:一个|一条|一项|一件|个|条|项|新的)*(?:待办事项|待办|事项|任务|提醒|备忘)?[：:，,"
    r" ]*(?P<x>.+)$",
    r"(?P<x>.+?)(?:已经)?(?:做完|办完|完成|搞定)了",
)
TAIL = re.compile(
    r"(?:[, ]+(?:on|to|in|into|onto|from|off|for|at)(?: to)? (?:my |the |our |this |that )?(?:\w+"
    rf" )?(?:{NOUN}|calendar)(?: list)?"
    r"|[, ]+(?:please|thanks|thank you|for me|note (?:that|it|this) down|write (?:that|it|this)"
    r" down|put (?:that|it) on .+|add (?:that|it) .+))+[ .!?]*$",
    re.IGNORECASE,
)
TAIL_CHINESE = re.compile(
    r"(?:[那这]一?[条项件个]|(?:到|进|在|从)?(?:我的|这个)?(?:待办事项|待办|清单|列表|任务列表)(?:里面|里|中|上)?|吧|谢谢|一下|了)+[。"
    r"！!？?]*$"
)
EMPTY = re.compile(
    rf"^(?:it|that|this|them|one|some(?:thing)?|(?:a|an|the|my|new|another|\s)*{NOUN}|(?:我的|清单|列表|里面|里|中|上|的|待办|事项|任务|一个|一条|它|这个|那个)+)?$",
    re.IGNORECASE,
)


def thing_of(text: str) -> str:
    """Return the object of a request, as the request writes it; empty if it names none."""
    told = text.strip().rstrip("。.!！?？ ")
    told = (
        POLITE.sub("", told, count=1)
        if not re.match(r"i (?:need|have|want) to remember", told, re.IGNORECASE)
        else told
    )
    for form in (*CHINESE, *ENGLISH) if re.search(r"[\u4e00-\u9fff]", told) else ENGLISH:
        match = re.search(form, told, re.IGNORECASE)
        if match is not None:
            return trimmed(match["x"])
    return ""


def trimmed(text: str) -> str:
    """Return an object without its destination and without polite words; empty if nothing else is
    left.
    """
    made = re.sub(r"^about ", "", text.strip(" ，,：:。.!！?？\"'"))
    while (shorter := TAIL_CHINESE.sub("", TAIL.sub("", made)).strip(" ，,：:。.!！?？")) != made:
        made = shorter
    return "" if EMPTY.match(made) else made[:500]


CLAUSE = re.compile(r"[,，。;；!！?？\n]+|\.(?!\d)|\b(?:so|but)\b")
COLON = re.compile(r"(?<!\d)[:：]|[:：](?!\d)")
COMMA = re.compile(r"\s*[,，]\s*|\s+[-–—]+\s+")
TAG = re.compile(r"(?:好|可以|行)?(?:吗|么|吧)$")
START = re.compile(r"^(?:that )?(?:i (?:need|have|want) to |to (?=\w))", re.IGNORECASE)
THANKS = re.compile(
    r"(?:^|[,，]?\s*)\b(?:please|thanks|thank you|谢谢(?:你|您)?|拜托(?:了)?)\W*$", re.IGNORECASE
)
MARK = " … "  # stands for quoted text in the frame


@dataclass(frozen=True)
class ActionRequest:
    """A request, as understood by the rules.

    frame: the sentence, leaving out a separate text that it contains. item: this text, or else the
    object; may be empty. reads: whether the request must not change anything. action: None if the
    request asks for none, or if it is unclear. place: the position in a list, starting at 1.
    """

    text: str
    frame: str
    item: str
    reads: bool
    action: Action | None
    place: int | None


def read(text: str) -> ActionRequest:
    """Parse a sentence as a request."""
    frame, item, opened = parted(text.strip())
    action = "add" if opened else meaning(frame)
    reads = action == "show" or (
        action is None and (asks(frame) or is_open(frame) or withheld(frame))
    )
    place = put_at(frame) if action == "add" else place_of(frame)
    named = item or (asked_thing(frame) if action == "show" else thing_of(frame))
    item = "" if MARK.strip() in named or pattern("unnamed").match(named) else named
    return ActionRequest(text, frame, item, reads, action, place)


def meaning(frame: str) -> Action | None:
    """Return the action that a sentence asks for, or None if it both asks a question and gives an
    order, or leaves the action open.
    """
    if is_open(frame):
        return None
    if asks(frame):
        return None if commands(frame) else "show"
    return wanted(frame)


def parted(text: str) -> tuple[str, str, bool]:
    """Return a sentence without a separate text that it contains (such as a quotation), this text,
    and whether the sentence creates an entry from it.
    """
    if quoted := list(QUOTED.finditer(text)):
        item = quoted[0]["x"] or quoted[0]["y"]
        return QUOTED.sub(MARK, text), item.strip() if len(quoted) == 1 else "", False
    for mark in (COLON, COMMA):
        parts = mark.split(text, maxsplit=1)
        if len(parts) < 2:
            continue
        head = TAG.sub("", POLITE.sub("", parts[0].strip()))
        rest = START.sub("", THANKS.sub("", parts[1].strip(" 。.!！")))
        opened = bool(pattern("opens").search(head))
        heads = mark is COLON and action_of(head) is not None and not thing_of(parts[0])
        if rest and (opened or heads):
            return parts[0], rest, opened
    return text, "", False


def clauses(frame: str) -> list[str]:
    """Return the clauses of a sentence, with polite words at their start removed."""
    return [POLITE.sub("", clause.strip()) for clause in CLAUSE.split(frame) if clause.strip()]


def asks(frame: str) -> bool:
    """Return whether a sentence asks for information, as opposed to a request phrased as a
    question.
    """
    told, polite = pattern("asks"), pattern("polite").search(frame.strip())
    if polite is None:
        return frame.rstrip().endswith(("?", "？")) or any(
            told.search(one) for one in clauses(frame)
        )
    return any(told.search(one) for one in clauses(frame) if not pattern("polite").search(one))


def withheld(frame: str) -> bool:
    """Return whether a clause reports a past action, or forbids one."""
    return any(pattern("withheld").search(one) for one in clauses(frame))


def is_open(frame: str) -> bool:
    """Return whether a clause leaves it open whether something should be done."""
    return any(pattern("open").search(one) for one in clauses(frame))


def commands(frame: str) -> bool:
    """Return whether a clause starts with an order to change something."""
    firsts = (
        re.split(r"\W+", one, maxsplit=1)[0]
        for one in clauses(frame)
        if not pattern("asks").search(one)
    )
    return any(action_of(first) in ("add", "delete", "change") for first in firsts)


def wanted(frame: str) -> Action | None:
    """Return the action of the clauses that give orders."""
    kept = [
        one
        for one in CLAUSE.split(frame)
        if not pattern("withheld").search(POLITE.sub("", one.strip()))
    ]
    return action_of(", ".join(POLITE.sub("", one.strip()) for one in kept))


def asked_thing(frame: str) -> str:
    """Return the object that a question asks about; empty if it asks about everything."""
    found = (one.search(frame) for one in patterns("asked_for"))
    return next((match["x"].strip() for match in found if match), "")


def is_opinion(said: ActionRequest) -> bool:
    """Return whether a sentence asks for an opinion, or is about a subject in general."""
    if said.action in ("add", "delete", "change"):
        return False
    general = pattern("general").search(said.frame) and not pattern("own").search(said.frame)
    return bool(general or pattern("opinions").search(said.frame))
