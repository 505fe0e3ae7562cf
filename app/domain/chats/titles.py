"""What a conversation is called: the matter of its first question, without the words one asks with.

No model is asked: a title costs microseconds, and stands before the first word of the answer.
"""

from __future__ import annotations

import re

LONGEST, READ, UNTITLED = 60, 400, "New chat"
CALLED = re.compile(r"^/\S+\s+")  # a skill
ADDRESS = re.compile(r"https?://(?:www\.)?([^\s/]+)\S*")
MARKUP = re.compile(
    r"^[#>\s]+|[*`\[\]]+|(?<!\w)_+|_+(?!\w)"
)  # names_of_columns and <tags> stay whole
LEADS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^(?:hi|hello|hey|ok|okay|so|well)[,!.]?\s+(?=\w)",
        r"^(?:please|can|could|would|will)(?:\s+you)?(?:\s+please)?\s+(?=(?:show|tell|give|list|plot|draw|display|find|explain|write)\b)",
        r"^please\s+",
        r"^(?:show|tell|give)\s+me\s+(?:about\s+)?",
        r"^(?:show|list|plot|draw|display)\s+",
        r"^(?:what(?:['’]s|\s+is|\s+was|\s+are|\s+were))\s+(?=(?:the|a|an|my|our)\s)",
        r"^(?:the|an?)\s+(?=\w)",
        r"^(?:你好|您好)[,，。!！\s]*(?=\S)",
        r"^(?:请问|请|帮我|麻烦你?|告诉我|给我|显示|列出)+",
    )
)
ENDS = re.compile(
    r"(?:\s*(?:please|thanks|thank you))?[?？!！.。…\s]*$"
    r"|(?:是多少|是什么|有多少|是几|吗|呢)[?？。\s]*$"
    r"|(?:は(?:何|なん|いくら|いくつ|どれくらい|どのくらい)(?:ですか|でしたか)?|を?教えて(?:ください|下さい)?|ですか|でしたか)[?？。\s]*$",
    re.IGNORECASE,
)


def title_of(question: str) -> str:
    """Return the title of a conversation that begins with a question, at most 60 characters."""
    question = question.encode("utf-8", "replace").decode()
    lines = [line.strip() for line in question.splitlines() if MARKUP.sub("", line).strip()]
    line = CALLED.sub("", lines[0][:READ]) if lines else UNTITLED
    line = " ".join(MARKUP.sub("", ADDRESS.sub(r"\1", line)).split())
    bare = line
    for lead in LEADS:
        bare = lead.sub("", bare, count=1)
    bare = ENDS.sub("", bare, count=1).strip(" ,;:")
    return cut((bare[:1].upper() + bare[1:]) if len(bare) > 1 else line or UNTITLED)


def cut(text: str) -> str:
    """Return a text that fits, cut between words where there are any."""
    if len(text) <= LONGEST:
        return text
    short = text[: LONGEST - 1]
    space = short.rfind(" ")
    return f"{short[: space if space > LONGEST // 2 else None].rstrip(' ,;:')}…"
