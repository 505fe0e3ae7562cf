"""A copilot in one file: it asks the terminal for the attached table and describes what is in it.

    python copilot.py --port 7777

Add it: `deskpilot copilots add http://127.0.0.1:7777`. The README in this folder explains more.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

if TYPE_CHECKING:
    from collections.abc import Iterator

app = FastAPI(title="Sample copilot")
CARD = {"name": "Sample copilot", "description": "Says how many rows a table has, and shows the first."}


@app.get("/agents.json")
def agents() -> dict[str, Any]:
    """Tell current terminals where to send questions and what this copilot can do."""
    features = {
        "streaming": True,
        "widget-dashboard-select": True,
        "shout": {"label": "Shout", "type": "toggle", "default": False, "description": "In capitals."},
    }
    return {"sample": CARD | {"endpoints": {"query": "/v1/query"}, "features": features}}


@app.get("/copilots.json")
def copilots(request: Request) -> dict[str, Any]:
    """Tell terminals from 2024 the same."""
    endpoints = {"query": f"{request.base_url}v1/query"}
    return {"sample": CARD | {"hasStreaming": True, "hasFunctionCalling": True, "endpoints": endpoints}}


@app.post("/v1/query")
async def query(request: Request) -> StreamingResponse:
    """Answer with server-sent events. Each request contains the whole conversation, so nothing is stored here."""
    return StreamingResponse(answer(await request.json()), media_type="text/event-stream")


def answer(body: dict[str, Any]) -> Iterator[str]:
    """Yield the events of an answer: either a call for data, which ends the stream, or text."""
    last, widgets = body["messages"][-1], attached(body.get("widgets"))
    if last["role"] == "human" and widgets:
        yield event("copilotStatusUpdate", {"eventType": "INFO", "message": f"Reading {widgets[0]['name']}"})
        yield event("copilotFunctionCall", call(widgets[0], old=isinstance(body["widgets"], list)))
        return
    text = told(last) if last["role"] == "tool" else "Attach a table and ask me about it."
    if (body.get("workspace_options") or {}).get("shout"):
        text = text.upper()
    for word in text.split(" "):  # your model would write the text here
        yield event("copilotMessageChunk", {"delta": f"{word} "})


def attached(widgets: Any) -> list[dict[str, Any]]:
    """Return the widgets that the user attached: one list in 2024, now `primary`, one of three lists."""
    return widgets if isinstance(widgets, list) else (widgets or {}).get("primary", [])


def call(widget: dict[str, Any], *, old: bool) -> dict[str, Any]:
    """Return the call for a widget's data. old: in the format that terminals from 2024 expect."""
    source = {"widget_uuid": widget["uuid"], "origin": widget.get("origin"), "id": widget.get("widget_id")}
    arguments = {"widget_uuid": widget["uuid"]} if old else {"data_sources": [source | {"input_args": {}}]}
    return {"function": "get_widget_data", "input_arguments": arguments}


def told(result: dict[str, Any]) -> str:
    """Return the content of a tool message as a sentence."""
    content = result.get("content") or result["data"][0]["items"][0]["content"]
    data = json.loads(content)
    if isinstance(data, dict) and "error" in data:
        return f"That did not work: {data['error']}"
    rows = data["rows"] if isinstance(data, dict) else data
    return f"I was given {len(rows)} rows. The first: {json.dumps(rows[0], ensure_ascii=False)}"


def event(name: str, data: dict[str, Any]) -> str:
    """Return one server-sent event."""
    return f"event: {name}\r\ndata: {json.dumps(data)}\r\n\r\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=7777)
    uvicorn.run(app, host="127.0.0.1", port=parser.parse_args().port)
