"""Read a request of any generation.

Generations differ in `widgets` (a list in 2024, priorities today) and in what a tool returns; all
four shapes of results seen in the wild are read: `data: {content}`, top-level `content`, a flat
list of `{content}`, a list of `{items}`.
"""

from __future__ import annotations

import json
from typing import Any, cast

from backends.wire.errors import BadRequest
from backends.wire.query import (
    Called,
    Context,
    Dialect,
    Human,
    Message,
    Query,
    Returned,
    Said,
    Tool,
    Widget,
)

TODAY = {
    "tools",
    "timezone",
    "workspace_options",
    "workspace_state",
    "api_keys",
    "urls",
    "force_web_search",
}


def parse_request(body: Any) -> Query:
    """Return the query of a request body.

    Raises: BadRequest, saying which field is wrong.
    """
    if not isinstance(body, dict):
        raise BadRequest("The request is not a JSON object.", 'Send {"messages": [...]}.')
    fields = cast("dict[str, Any]", body)
    messages = fields.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("messages list cannot be empty", "Send at least one message.")
    widgets: Any = fields.get("widgets")
    groups: dict[str, Any] = widgets if isinstance(widgets, dict) else {"primary": widgets or []}
    options: Any = fields.get("workspace_options")
    model: Any = fields.get("model")
    return Query(
        messages=[
            parse_message(m, f"messages[{i}]") for i, m in enumerate(cast("list[Any]", messages))
        ],
        primary=parse_widgets(groups.get("primary"), "widgets.primary"),
        secondary=parse_widgets(groups.get("secondary"), "widgets.secondary"),
        extra=parse_widgets(groups.get("extra"), "widgets.extra"),
        context=parse_context(fields.get("context")),
        tools=[
            parse_tool(t, f"tools[{i}]")
            for i, t in enumerate(as_list(fields.get("tools"), "tools"))
        ],
        options=cast("dict[str, Any]", options) if isinstance(options, dict) else {},
        timezone=str(fields.get("timezone") or "UTC"),
        skills=parse_skills(fields.get("selected_skills")),
        model=model if isinstance(model, str) else None,
        dialect=dialect_of(fields),
    )


def dialect_of(fields: dict[str, Any]) -> Dialect:
    """Tell which generation sent the request: by the shape of widgets, else by newer fields."""
    widgets = fields.get("widgets")
    if isinstance(widgets, dict):
        return "today"
    if isinstance(widgets, list):
        return "2024"
    return "today" if TODAY & set(fields) else "2024"


def parse_message(value: Any, place: str) -> Message:
    """Read one message.

    Raises: BadRequest.
    """
    message = as_object(value, place)
    role = message.get("role")
    if role == "human":
        return Human(as_text(message.get("content"), f"{place}.content"))
    if role == "ai":
        return parse_said(message.get("content"), place)
    if role == "tool":
        return parse_returned(message, place)
    raise BadRequest(f"{place}.role is {role!r}.", "It is human, ai or tool.")


def parse_said(content: Any, place: str) -> Said | Called:
    """Read what a copilot said: text, or a call (an object, or its JSON once or twice encoded)."""
    value: Any = content
    for _ in range(2):
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):  # nested without end is text
                break
    if isinstance(value, dict) and "function" in value and "input_arguments" in value:
        call = cast("dict[str, Any]", value)
        extra = {k: v for k, v in call.items() if k not in ("function", "input_arguments")}
        state = call.get("extra_state")
        return Called(
            str(call["function"]),
            as_object(call["input_arguments"] or {}, f"{place}.content.input_arguments"),
            cast("dict[str, Any]", state) if isinstance(state, dict) else extra,
        )
    return Said(as_text(content, f"{place}.content"))


def parse_returned(message: dict[str, Any], place: str) -> Returned:
    """Read what a tool returned, in any of the four shapes."""
    function = as_text(message.get("function"), f"{place}.function")
    data = message.get("data")
    texts: list[str] = []
    failed = False
    entries: list[Any] = data if isinstance(data, list) else [data] if data is not None else []
    for entry in entries:
        found, wrong = entry_texts(entry, f"{place}.data")
        texts += found
        failed = failed or wrong
    if not texts and "content" in message:
        texts = [as_content(message["content"])]
    if not texts and not entries:
        raise BadRequest(
            f"{place} has neither data nor content.", "Send what the function returned."
        )
    state = message.get("extra_state")
    return Returned(
        function,
        as_object(message.get("input_arguments") or {}, f"{place}.input_arguments"),
        texts,
        failed,
        cast("dict[str, Any]", state) if isinstance(state, dict) else {},
    )


def entry_texts(entry: Any, place: str) -> tuple[list[str], bool]:
    """Return the texts of one entry of a result, and whether it tells of a failure."""
    value = as_object(entry, place)
    if isinstance(value.get("items"), list):
        items = [as_object(item, f"{place}.items") for item in cast("list[Any]", value["items"])]
        return [as_content(i["content"]) for i in items if "content" in i], False
    if "error_type" in value:
        return [as_content(value.get("content") or value["error_type"])], True
    if "status" in value:
        text = as_content(value.get("message") or value["status"])
        return [text], value["status"] == "error"
    return ([as_content(value["content"])] if "content" in value else []), False


def parse_widgets(value: Any, place: str) -> list[Widget]:
    """Read a list of widgets.

    Raises: BadRequest.
    """
    widgets: list[Widget] = []
    for i, raw in enumerate(as_list(value, place)):
        one = as_object(raw, f"{place}[{i}]")
        metadata, params = one.get("metadata"), one.get("params")
        widgets.append(
            Widget(
                uuid=str(one.get("uuid") or ""),
                name=str(one.get("name") or ""),
                description=str(one.get("description") or ""),
                origin=str(one.get("origin") or ""),
                widget_id=str(one.get("widget_id") or ""),
                params=cast("list[dict[str, Any]]", params) if isinstance(params, list) else [],
                metadata=cast("dict[str, Any]", metadata) if isinstance(metadata, dict) else {},
            )
        )
    return widgets


def parse_context(value: Any) -> list[Context]:
    """Read the context: text, or a list of named data."""
    if isinstance(value, str):
        return [Context("context", "", [value])] if value else []
    found: list[Context] = []
    for i, raw in enumerate(as_list(value, "context")):
        one = as_object(raw, f"context[{i}]")
        texts, _ = entry_texts(one.get("data") or {}, f"context[{i}].data")
        found.append(
            Context(
                str(one.get("name") or ""),
                str(one.get("description") or ""),
                texts,
                str(one.get("uuid") or ""),
            )
        )
    return found


def parse_skills(value: Any) -> list[str]:
    """Read the texts of the skills that a question calls."""
    told = [
        as_object(raw, f"selected_skills[{i}]")
        for i, raw in enumerate(as_list(value, "selected_skills"))
    ]
    return [text for one in told if isinstance(text := one.get("contentMarkdown"), str) and text]


def parse_tool(value: Any, place: str) -> Tool:
    """Read one tool.

    Raises: BadRequest.
    """
    one = as_object(value, place)
    schema, prompt = one.get("input_schema"), one.get("prompt")
    return Tool(
        name=as_text(one.get("name"), f"{place}.name"),
        server_id=str(one.get("server_id") or ""),
        description=str(one.get("description") or ""),
        schema=cast("dict[str, Any]", schema) if isinstance(schema, dict) else {},
        prompt={k: v for k, v in prompt.items() if isinstance(v, str)}
        if isinstance(prompt, dict)
        else {},
    )


def as_list(value: Any, place: str) -> list[Any]:
    """Return a list; nothing is an empty one.

    Raises: BadRequest.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadRequest(f"{place} is not a list.", "Send a list.")
    return cast("list[Any]", value)


def as_object(value: Any, place: str) -> dict[str, Any]:
    """Return an object.

    Raises: BadRequest.
    """
    if not isinstance(value, dict):
        raise BadRequest(f"{place} is not an object.", "Send an object.")
    return cast("dict[str, Any]", value)


def as_text(value: Any, place: str) -> str:
    """Return a text.

    Raises: BadRequest.
    """
    if not isinstance(value, str):
        raise BadRequest(f"{place} is not text.", "Send a string.")
    return value


def as_content(value: Any) -> str:
    """Return content as text: what is not text as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
