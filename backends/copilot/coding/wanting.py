"""Whether a question wants something done with code, or only to hear about code."""

from __future__ import annotations

import re

LANGUAGE = r"(?:python|pandas|matplotlib|plotly|javascript|node(?:\.?js)?|bash|shell|terminal)"
# done with code: "plot it with matplotlib", "use Python to …", "run this", "write and run a script"
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
# only to be told: "what is a list in Python?", "explain this code", "how do I … in Python"
TELLING = re.compile(
    r"^\s*(?:what|why|who|when|which|explain|describe|how (?:do|does|can|could|would|to|is|are)|is|are|does|do|can you explain|"
    r"tell me about|compare|should)\b|什么是|解释|怎么|如何",
    re.IGNORECASE,
)
FENCE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
ORDER = re.compile(r"\b(?:run|execute|try|launch|start)\b|运行|执行", re.IGNORECASE)


def wants_code(question: str) -> bool:
    """Tell whether a question asks to do something with code; a question about code does not."""
    words = FENCE.split(question, maxsplit=1)[0]
    if FENCE.search(question):
        return bool(ORDER.search(words)) and not TELLING.search(words)
    if TELLING.search(words):
        return False
    return bool(DOING.search(words) or DOING_ZH.search(words))
