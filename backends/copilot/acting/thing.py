"""The thing a request is about, without the words that ask: “put milk on my list” is about milk."""

from __future__ import annotations

import re

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
    r"^(?:add|put|insert|append|write|note|jot|record|create|save|schedule|store|delete|remove|drop|erase|cancel|clear|cross"
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
    """Return the thing a request is about, in its own words; nothing if it names none."""
    told = text.strip().rstrip("。.!！?？ ")
    told = (
        POLITE.sub("", told, count=1)
        if not re.match(r"i (?:need|have|want) to remember", told, re.IGNORECASE)
        else told
    )
    for pattern in (*CHINESE, *ENGLISH) if re.search(r"[\u4e00-\u9fff]", told) else ENGLISH:
        match = re.search(pattern, told, re.IGNORECASE)
        if match is not None:
            return trimmed(match["x"])
    return ""


def trimmed(text: str) -> str:
    """Return a thing without where it goes and without politeness; nothing where only those are
    left.
    """
    made = re.sub(r"^about ", "", text.strip(" ，,：:。.!！?？\"'"))
    while (shorter := TAIL_CHINESE.sub("", TAIL.sub("", made)).strip(" ，,：:。.!！?？")) != made:
        made = shorter
    return "" if EMPTY.match(made) else made[:500]
