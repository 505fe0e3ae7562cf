"""The words that ask for an action, as patterns, and the copilot's own phrases."""

from __future__ import annotations

import itertools
import json
import re
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

import yaml
from rapidfuzz.distance import OSA

if TYPE_CHECKING:
    from backends.protocol.request import OfferedTool


@lru_cache
def table() -> dict[str, str | list[str]]:
    """Return the table with a given name: a pattern, several patterns, or a list of words."""
    return yaml.safe_load((files("resources") / "actions.yaml").read_text("utf-8"))


@lru_cache
def pattern(name: str) -> re.Pattern[str]:
    """Return a pattern. If the table has several, they are combined into one."""
    one = table()[name]
    return re.compile(
        one if isinstance(one, str) else "|".join(f"(?:{p})" for p in one), re.IGNORECASE
    )


@lru_cache
def listed(name: str) -> frozenset[str]:
    """Return a list of words."""
    one = table()[name]
    assert isinstance(one, str)
    return frozenset(one.split())


@lru_cache
def patterns(name: str) -> list[re.Pattern[str]]:
    """Return patterns as a list, in their order."""
    return [re.compile(one, re.IGNORECASE) for one in table()[name]]


PARTS = {
    "thought": ("thought", "think", "思考", "想法"),
    "action": ("action", "tool", "操作", "行动", "动作"),
    "input": ("input", "action_input", "action input", "输入", "操作输入"),
    "output": ("output", "observation", "result", "输出", "观察", "结果"),
}
LINE = re.compile(r"^\s*([\w ]{1,20}?)\s*[:：]\s*(.*)$", re.MULTILINE)
LONGEST = 120


def wording(prompt: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Return the names that a template uses for each part, and their texts. The parts are either
    its fields or the lines of a text.
    """
    told = dict(prompt)
    for text in prompt.values():
        told |= {label: rest for label, rest in LINE.findall(text) if label not in told}
    found: dict[str, tuple[str, str]] = {}
    for part, names in PARTS.items():
        for label, text in told.items():
            if label.strip().lower() in names and part not in found:
                found[part] = (label.strip(), short(re.sub(r"^[^:：]{1,20}[:：]\s*", "", text)))
    return found


def step_before(tool: OfferedTool, values: dict[str, Any]) -> str:
    """Return the text that is shown for a call: in the plugin's own words, if it provides any."""
    shown = [f"{name} {value}" for name, value in values.items()]
    told = wording(tool.prompt)
    if "action" not in told and "input" not in told:
        return " · ".join([tool.server_id, tool.name, *shown])
    thought, action, given = told.get("thought"), told.get("action"), told.get("input")
    said = [f"{thought[0]}: {thought[1]}"] if thought is not None and thought[1] else []
    said.append(f"{action[0] if action else tool.server_id}: {tool.name}")
    said.append(f"{given[0]}: {', '.join(shown)}" if given else ", ".join(shown))
    return " · ".join(part for part in said if part)


def step_after(tool: OfferedTool, text: str) -> str:
    """Return the text that is shown for an answer, in the plugin's own words; empty if it provides
    none.
    """
    told = wording(tool.prompt).get("output")
    if told is None:
        return ""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    if isinstance(value, dict):
        value = value.get("error") or value.get("answer")
    return (
        f"{told[0]}:"
        f" {short(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))}"
    )


def short(text: str) -> str:
    """Return a text on one line, truncated if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 2]} …"


Action = Literal["add", "delete", "change", "show"]

CUES: dict[Action, tuple[str, ...]] = {
    "add": (
        r"\badd(?:ing)?\b",
        r"\bput(?:ting)?\b",
        r"\binsert\b",
        r"\bstick\b",
        r"\bslot\b",
        r"\bcreate\b",
        r"^(?:please )?make (?:me )?(?:a|an|another|one more)\b",
        r"\bnew\b",
        r"\bappend\b",
        r"^note\b",
        r"\bnote\b(?!\s+#?\w*\d)",  # "note 81" is an existing note
        r"\bwrite (?:that |this |it )?down\b",
        r"\bjot\b",
        r"\bremember\b",
        r"\bremind(?:er)?\b",
        r"\brecord\b",
        r"\bschedule\b",
        r"\bsave\b",
        r"\bstore\b",
        r"\bdon'?t (?:let me )?forget\b",
        r"\bkeep in mind\b",
        r"\bpost\b",
        r"\bregister\b",
        r"^(?:please )?(?:start|begin|launch|book|arrange|organi[sz]e|set up)\b",
        r"^(?:please )?(?:draft|compose|submit)\b",
        r"\b(?:have|let|make) (?:my|the|our) [\w -]*list (?:say|read|include)\b",
        "添加",
        "增加",
        "新增",
        "新建",
        "插入",
        "创建",
        "记录",
        "记下",
        "记一下",
        "记得",
        "记住",
        "提醒",
        "写下",
        "加入",
        "加到",
        "加进",
        "加上",
        "加一",
        "加个",
        "加条",
        "加入",
        "添",
        "插",
        "记一",
        "记条",
        "写一条",
        "写上",
        "写到",
        "放进",
        "放到",
        "录入",
        "别忘",
        "记个",
        "记到",
        "写进",
        "备忘",
    ),
    "delete": (
        r"\bdelet(?:e|ing)\b",
        r"\bremov(?:e|ing)\b",
        r"\bcross(?:ing)?\b",
        r"\b(?:tak(?:e|ing)|get|knock|wipe)\b.*\boff\b",
        r"\bdrop\b",
        r"\berase\b",
        r"\bclear\b",
        r"\bcancel\b",
        r"\bdone with\b",
        r"\bfinished\b",
        r"\bcompleted?\b",
        r"\bget rid\b",
        r"\bstrik(?:e|ing)\b",
        r"\bscratch(?:ing)?\b",
        r"\btick\b.*\boff\b",
        r"\bcheck\b.*\boff\b",
        r"\bno longer\b",
        r"\bis done\b",
        "删",
        "去掉",
        "移除",
        "划掉",
        "取消",
        "做完",
        "完成了",
        "清除",
        "拿掉",
        "不用做",
        "办完",
        "搞定",
        "清掉",
        "移走",
        "勾掉",
        "勾了",
        "不用留",
        "不必留",
        "不留了",
        "扔掉",
    ),
    "change": (
        r"\bchange\b",
        r"\bupdate\b",
        r"\bedit\b",
        r"\brename\b",
        r"\breplace\b",
        r"^(?:please )?set\b",
        r"\bmov(?:e|ing)\b",
        "修改",
        "更新",
        "编辑",
        "改成",
        "改为",
        "更改",
    ),
    "show": (
        r"\bshow\b",
        r"\bwhat\b",
        r"\bwhat'?s\b",
        r"\bwhich\b",
        r"^(?:please |just )?list\b",
        r"\bsee\b",
        r"\bdisplay\b",
        r"\bread\b",
        r"\btell me\b",
        r"\blook\b",
        r"\bview\b",
        r"\bquery\b",
        r"\bcheck\b",
        r"\bget\b",
        r"\bfind\b",
        r"\bsearch\b",
        r"\bfetch\b",
        r"\bhow many\b",
        r"\bdo i (?:still )?have\b",
        r"\bis there\b",
        r"\bare there\b",
        r"\banything\b",
        r"\bgive me\b",
        r"\bsummar\w+\b",
        r"\b(?:pull|bring) up\b",
        r"\bgo (?:over|through)\b",
        "查",
        "看",
        "列出",
        "显示",
        "哪些",
        "什么",
        "啥",
        "过一遍",
        "还有",
        "告诉我",
        "多少",
        "几",
        "念",
        "读",
        "列一下",
        "展示",
        "检索",
        "摘要",
        "总结",
    ),
}
THINGS_TOO = frozenset(  # words for an action that can also be nouns
    ["record", "list", "note", "order", "book", "schedule", "log", "store", "mark"]
)
SUBJECTS: dict[
    str, str
] = {  # words for one thing; a tool and a question with one of them are about the same thing
    "to-do": (
        r"\bto[- ]?dos?\b|\btasks?\b|\bthings? (?:i |we )?(?:still )?(?:have |need |ought )?to"
        r" do\b|\bchecklist\b|\bremind\w*\b|\bremember to\b"
        r"|\b(?:note|write|jot) (?:\w+ )?down\b|\bmy list\b|\bforget to\b|\bon (?:my|the)"
        r" list\b|待办|提醒|记一下|要做|清单|事项|任务|备忘|别忘|记得"
        r"|记下|该做|记一|(?:插|加|添|写)[入进]?一[条项]|[这那]一?[条项]"
    ),
    "calendar": r"\bcalendar\b|\bappointments?\b|\bmeetings?\b|\bevents?\b|日历|日程|会议",
    "weather": r"\bweather\b|\bforecast\b|\brain(?:ing)?\b|\btemperature\b|天气|下雨|气温",
    "mail": r"\be-?mails?\b|\binbox\b|\bmails?\b|邮件|邮箱",
    "time": r"\bwhat time\b|\bcurrent time\b|\btime in\b|\btime ?zones?\b|几点|时间|时区",
    "document": r"\bpdfs?\b|\bdocx?\b|\bdocuments?\b|文档|文件|长文本|摘要",
    "folder": r"\bfolders?\b|\bdirector(?:y|ies)\b|\bfiles?\b|文件夹|目录",
    "repository": r"\bgit\b|\bcommits?\b|\bbranch(?:es)?\b|\brepositor\w+\b|仓库|提交|分支",
}
STOP = set(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "can",
        "could",
        "do",
        "does",
        "for",
        "from",
        "has",
        "have",
        "how",
        "i",
        "if",
        "in",
        "is",
        "it",
        "its",
        "me",
        "my",
        "of",
        "on",
        "or",
        "our",
        "please",
        "so",
        "that",
        "the",
        "their",
        "them",
        "there",
        "this",
        "to",
        "was",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "about",
        "into",
        "all",
        "any",
        "one",
        "use",
        "used",
        "using",
        "given",
        "return",
        "returns",
    ]
)


ASKS = re.compile(
    r"^(?:(?:hey|ok|so|please)[, ]+)?(?:how"
    r" (?:do|can|could|should|would|to)\b|why\b|explain\b|define\b|translate\b|what (?:is|are)"
    r" (?:an? |the meaning)|"
    r"(?:write|tell me|make up) (?:me )?an?"
    r" (?:poem|joke|story|song|essay))|^(?:什么是|为什么|怎么|如何|怎样|解释|翻译)|是什么意思",
    re.IGNORECASE,
)


FILLERS = frozenset(  # polite words and words for wishes, in the form that `content_words` returns
    (
        "want need like love give get got show tell let know look see find search fetch list read"
        " open check see hey hello thank thanks please just now today could would some more there"
        " here please quick quickly kindly help via through using plugin tool every each also"
        " sorted ordered start make create add send new post put called named titled entitled"
        " saying"
    )
    .replace("thanks", "thank")
    .split()
)


def asks_for_knowledge(text: str) -> bool:
    """Return whether a text asks for an explanation or for a piece of writing, and not for an
    action.
    """
    return bool(ASKS.search(text.strip()))


def with_verb_repaired(text: str) -> str:
    """Return a request with its first verb corrected if two of its letters were swapped."""
    found = re.match(r"\W*(?P<x>[a-z]{4,})\b", text, re.IGNORECASE)
    if found is None or action_of(found["x"]) is not None:
        return text
    said = found["x"].lower()
    meant = [one for one in verbs() if sorted(one) == sorted(said) and OSA.distance(one, said) == 1]
    return f"{text[: found.start('x')]}{meant[0]}{text[found.end() :]}" if len(meant) == 1 else text


@lru_cache
def verbs() -> frozenset[str]:
    """Return the verbs for actions that consist of a single plain word."""
    cues = (c.removeprefix("\\b").removesuffix("\\b") for told in CUES.values() for c in told)
    return frozenset(cue for cue in cues if re.fullmatch("[a-z]+", cue))


def is_chinese(text: str) -> bool:
    """Return whether a text is written in Chinese."""
    return bool(re.search(r"[\u4e00-\u9fff]", text))


def action_of(text: str) -> Action | None:
    """Return the action that a text asks for, given by the first word for an action. If two such
    words start at the same place, the longer one counts.
    """
    low = text.lower()
    found: list[tuple[int, int, Action]] = [
        (match.start(), -len(match[0]), action)
        for action, cues in CUES.items()
        for cue in cues
        if (match := re.search(cue, low)) is not None
    ]
    return min(found)[2] if found else None


def subjects_of(text: str) -> set[str]:
    """Return the things a text is about."""
    return {name for name, pattern in SUBJECTS.items() if re.search(pattern, text, re.IGNORECASE)}


def stem(word: str) -> str:
    """Return a word without those English endings that do not change its meaning here."""
    for ending in ("ing", "ed", "es", "s", "e", "d"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def content_words(text: str) -> set[str]:
    """Return the content words of a text; for Chinese, pairs of characters."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", text)
    latin = {
        w.rstrip("s")
        for w in re.findall(r"[a-z0-9]{3,}", spaced.lower().replace("_", " "))
        if w not in STOP
    }
    runs = re.findall(r"[\u4e00-\u9fff]+", text)
    return latin | {a + b for run in runs for a, b in itertools.pairwise(run)}
