"""Decide whether a question needs code to be run, or only asks about code."""

from __future__ import annotations

import json
import re
from contextlib import aclosing
from typing import TYPE_CHECKING

from backends.copilot.models import NoModel, ThoughtPiece
from backends.flexai.errors import FlexAIError

if TYPE_CHECKING:
    from backends.copilot.models import CopilotModels

LANGUAGE = (
    r"(?:python|pandas|matplotlib|plotly|javascript|node(?:\.?js)?|bash|shell|terminal"
    r"|(?-i:R)(?![&'\w]))"
)
# Tasks done with code: "plot it with matplotlib", "use Python to …", "run this", "write and run a
# script"
DOING = re.compile(
    rf"\b(?:with|using|use|in|via|by)\s+(?:a\s+|some\s+|the\s+)?(?:{LANGUAGE}|code|a?\s*(?:script|program))\b"
    rf"|\b(?:run|execute|launch)\s+(?:this|that|it|the|a|an|some|my|following|{LANGUAGE})\b"
    r"|\b(?:write|make|create)\s+and\s+(?:run|execute)\b"
    rf"|\b(?:run|execute)\b.{{0,40}}\b(?:code|script|program|command|{LANGUAGE})\b",
    re.IGNORECASE,
)
DOING_ZH = re.compile(
    r"(?:用|使用|以)\s*(?:Python|代码|脚本|matplotlib|pandas|JavaScript|shell)|(?:运行|执行)(?:这|以下|代码|脚本|命令)",
    re.IGNORECASE,
)
# Questions about code: "what is a list in Python?", "explain this code", "how do I … in Python"
TELLING = re.compile(
    r"^\s*(?:what|why|who|when|which|explain|describe|how"
    r" (?:do|does|can|could|would|to|is|are)|is|are|does|do|can you explain|"
    r"tell me about|compare|should)\b|什么是|解释|怎么|如何",
    re.IGNORECASE,
)
FENCE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
BLOCK = re.compile(r"^\s*(```|~~~).*?(?:^\s*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
ORDER = re.compile(r"\b(?:run|execute|try|launch|start)\b|运行|执行", re.IGNORECASE)


# Files created or changed: "write the word X to a .txt file", "rename a.csv to b.csv"
FILE = re.compile(
    r"^\s*(?:please\s+)?(?:write|save|create|make|append|add|rename|delete|remove|copy|move|convert|unzip|zip)\b"
    r".*(?:\bfiles?\b|\bfolder\b|\b[\w-]+\.(?:txt|csv|json|md|py|log|xlsx?|pdf|png|jpe?g|html?|zip)\b)",
    re.IGNORECASE,
)
NAMED = re.compile(
    rf"\b{LANGUAGE}\b|\b(?:code|script|program|file|folder|director(?:y|ies))\b|代码|脚本|文件|程序",
    re.IGNORECASE,
)
CLAUSES = re.compile(r"(?<=[.?!;。？！；])\s+|\n+")
SYSTEM = (
    "You decide whether a request is to be done by running code on the person's computer now. "
    "Computing with a program, working with files and using a named tool are; "
    "explaining, discussing or showing code is not."
)
SCHEMA = (
    '{"type": "object", "properties": {"run": {"type": "boolean"}}, '
    '"required": ["run"], "additionalProperties": false}'
)
SURE = 0.8  # a model must be right this often to be asked
TOKENS = 12


async def wants_code(
    question: str, models: CopilotModels | None = None, model: str | None = None
) -> bool:
    """Return whether a question asks for code to be run; a question about code does not.

    A capable model decides if code, a language or a file is named; otherwise rules do.
    """
    words = " ".join(BLOCK.sub("\n", question).split("\n")).strip()
    if FENCE.search(question):
        return bool(ORDER.search(words)) and not TELLING.search(words)
    if not NAMED.search(words) and not FILE.search(words):
        return False
    if models is not None and models.ability(model).reliability >= SURE:
        said = await decided(words, models, model)
        if said is not None:
            return said
    return reads_as_order(words)


def reads_as_order(words: str) -> bool:
    """Return whether the words of a sentence ask for something to be done with code."""
    if FILE.search(words):
        return True
    for clause in CLAUSES.split(words):
        if not TELLING.search(clause) and (DOING.search(clause) or DOING_ZH.search(clause)):
            return True
    return False


async def decided(words: str, models: CopilotModels, model: str | None) -> bool | None:
    """Return a model's decision, made under a grammar, or None."""
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": words}]
    parameters = {"json_schema": SCHEMA, "temperature": 0.0, "max_tokens": TOKENS}
    text = ""
    try:
        async with aclosing(models.chat(messages, model=model, parameters=parameters)) as pieces:
            async for piece in pieces:
                text += "" if isinstance(piece, ThoughtPiece) else piece
        return bool(json.loads(text)["run"])
    except (FlexAIError, NoModel, ValueError, KeyError, TypeError):
        return None
