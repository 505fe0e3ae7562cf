"""Find calls of tools in what a model writes: they leave the text and become calls.

Models were taught different forms: `<tool_call>{…}</tool_call>` (Hermes, Qwen, SmolLM),
`[TOOL_CALLS][{…}]` and later `[TOOL_CALLS]name[ARGS]{…}` (Mistral), `<|python_tag|>{…}` (Llama), or bare JSON,
fenced or not; the one of gpt-oss is read in harmony.py.
Only the name of a tool that was offered makes a call; everything else is shown as written.
"""

from __future__ import annotations

import json
import re
import uuid
from typing import Any, cast

from backends.flexai.entities import AssistantPromptMessage
from backends.providers.llama_cpp.text import overlap

MARKS = ("<tool_call>", "[TOOL_CALLS]", "<|python_tag|>")
ENDS = ("</tool_call>", "```")
NAMED = re.compile(r"\[TOOL_CALLS\]\s*([^\s\[\]{}]+)\s*(?:\[CALL_ID\]\s*\w+\s*)?\[ARGS\]\s*(?={)")
BARE = ("{", "[{", "```json", "```\n{")  # an answer that begins so may be a call as a whole

ToolCall = AssistantPromptMessage.ToolCall


class CallStream:
    """Lets text through until a call may have begun, then holds it to the end.

    names: the tools that were offered.
    """

    def __init__(self, names: set[str]) -> None:
        self._names = names
        self._held = ""
        self._begun = False  # text was shown: the answer is not a bare call
        self._holding = False
        self.mark: str | None = None  # the one that opened a call

    def feed(self, text: str) -> str:
        """Take text and return what is surely no call; without tools there are no calls."""
        if not self._names:
            return text
        self._held += text
        if self._holding:
            return ""
        places = [(at, mark) for mark in MARKS if (at := self._held.find(mark)) >= 0]
        if places:
            self._holding = True
            at, self.mark = min(places)
            return self._show(at)
        if not self._begun:
            start = self._held.lstrip()
            if start.startswith(BARE):
                self._holding = True
                return ""
            if not start or any(bare.startswith(start) for bare in BARE):
                return ""
        return self._show(len(self._held) - max(overlap(self._held, mark) for mark in MARKS))

    def back_to_mark(self) -> None:
        """Forget what came behind the mark: it is written again."""
        self._held = self.mark or ""

    def finish(self, text: str = "") -> tuple[str, list[ToolCall]]:
        """Take the last text; return what is left to show, and the calls."""
        shown = self.feed(text)
        rest, calls = find_calls(self._held, self._names)
        return shown + rest, calls

    def _show(self, size: int) -> str:
        shown, self._held = self._held[:size], self._held[size:]
        self._begun = self._begun or bool(shown.strip())
        return shown


def find_calls(text: str, names: set[str]) -> tuple[str, list[ToolCall]]:
    """Return the text without its calls, and the calls; without any call the text is unchanged."""
    decoder = json.JSONDecoder()
    calls: list[ToolCall] = []
    rest, at = "", 0
    while at < len(text):
        if text[at] in "{[":
            named = NAMED.match(text, at)
            try:
                value, end = decoder.raw_decode(text, named.end() if named else at)
            except (ValueError, RecursionError):
                value, end = None, at
            found = read_calls({"name": named[1], "arguments": value} if named else value, names)
            if found:
                calls += found
                at = end
                continue
        rest += text[at]
        at += 1
    if not calls:
        return text, []
    for mark in ("```json", *MARKS, *ENDS):
        rest = rest.replace(mark, "")
    return rest.strip(), calls


def read_calls(value: Any, names: set[str]) -> list[ToolCall]:
    """Return the calls a JSON value stands for; none unless all of it are calls of known tools."""
    calls = [
        read_call(item, names)
        for item in cast("list[Any]", value if isinstance(value, list) else [value])
    ]
    known = [call for call in calls if call is not None]
    return known if len(known) == len(calls) else []


def read_call(value: Any, names: set[str]) -> ToolCall | None:
    """Return one call; None if the value is none."""
    if not isinstance(value, dict):
        return None
    said = cast("dict[str, Any]", value)
    said = said["function"] if isinstance(said.get("function"), dict) else said
    name = said.get("name")
    arguments = said.get("arguments", said.get("parameters"))
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return None
    if not isinstance(name, str) or name not in names or not isinstance(arguments, dict):
        return None
    function = ToolCall.ToolCallFunction(
        name=name, arguments=json.dumps(arguments, ensure_ascii=False)
    )
    return ToolCall(id=f"call_{uuid.uuid4().hex[:24]}", type="function", function=function)
