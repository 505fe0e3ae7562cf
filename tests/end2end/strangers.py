"""Copilots written by strangers: they know only the public protocol, or do not keep to it."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse, StreamingResponse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


def sse(name: str, data: Any) -> bytes:
    return f"event: {name}\r\ndata: {json.dumps(data)}\r\n\r\n".encode()


def tool_user() -> FastAPI:
    """A copilot that looks something up with whatever tool the terminal offers for that."""
    app = FastAPI()
    features = {"streaming": True, "widget-dashboard-select": True, "mcp-tools": True}
    card = {
        "name": "Stranger",
        "description": "",
        "image": "",
        "endpoints": {"query": "/v1/query"},
        "features": features,
    }
    app.state.requests = []
    app.state.words = "It was {value}."

    @app.get("/agents.json")
    def agents() -> dict[str, Any]:
        return {"stranger": card}

    @app.post("/v1/query")
    async def query(request: Request) -> StreamingResponse:
        body = await request.json()
        app.state.requests.append(body)
        results = [m for m in body["messages"] if m["role"] == "tool"]

        async def stream() -> AsyncIterator[bytes]:
            if results:
                value = json.loads(results[-1]["data"][0]["items"][0]["content"])["value"]
                yield sse("copilotMessageChunk", {"delta": app.state.words.format(value=value)})
                return
            tool = next(t for t in body["tools"] if t["name"] == "look_up")
            widget = body["widgets"]["primary"][0]
            where = [
                {"column": "year", "op": "=", "value": 2009},
                {"column": "quarter", "op": "=", "value": 3},
            ]
            parameters = {"source": widget["uuid"], "columns": ["unemp"], "where": where}
            call = {
                "server_id": tool["server_id"],
                "tool_name": tool["name"],
                "parameters": parameters,
            }
            yield sse(
                "copilotFunctionCall", {"function": "execute_agent_tool", "input_arguments": call}
            )

        return StreamingResponse(stream(), media_type="text/event-stream")

    return app


def reader() -> FastAPI:
    """A copilot that searches documents with the tool the terminal offers, and cites the first
    passage as the tool's description says.
    """
    app = FastAPI()
    features = {"streaming": True, "widget-dashboard-select": True, "mcp-tools": True}
    card = {
        "name": "Reader",
        "description": "",
        "image": "",
        "endpoints": {"query": "/v1/query"},
        "features": features,
    }
    app.state.requests = []

    @app.get("/agents.json")
    def agents() -> dict[str, Any]:
        return {"reader": card}

    @app.post("/v1/query")
    async def query(request: Request) -> StreamingResponse:
        body = await request.json()
        app.state.requests.append(body)
        results = [m for m in body["messages"] if m["role"] == "tool"]

        async def stream() -> AsyncIterator[bytes]:
            if not results:
                tool = next(t for t in body["tools"] if "Search the attached" in t["description"])
                call = {
                    "server_id": tool["server_id"],
                    "tool_name": tool["name"],
                    "parameters": {"query": body["messages"][-1]["content"]},
                }
                yield sse(
                    "copilotFunctionCall",
                    {"function": "execute_agent_tool", "input_arguments": call},
                )
                return
            found = json.loads(results[-1]["data"][0]["items"][0]["content"])
            first = found["passages"][0]
            yield sse("copilotMessageChunk", {"delta": f"It says: {first['quote']} [1]"})
            cited = [
                {"id": "c1", "source_info": {"type": "direct retrieval", "uuid": first["id"]}},
                {"id": "c2", "source_info": {"type": "direct retrieval", "uuid": "p99999"}},
            ]
            yield sse("copilotCitationCollection", {"citations": cited})

        return StreamingResponse(stream(), media_type="text/event-stream")

    return app


def reader_of_2024() -> FastAPI:
    """A copilot of 2024 that asks for nothing: it says what the context holds."""
    app = FastAPI()
    app.state.requests = []

    @app.get("/copilots.json")
    def copilots() -> dict[str, Any]:
        card = {"name": "Old", "hasStreaming": True, "hasFunctionCalling": False}
        return {"old": card | {"endpoints": {"query": "/v1/query"}}}

    @app.post("/v1/query")
    async def query(request: Request) -> StreamingResponse:
        body = await request.json()
        app.state.requests.append(body)

        async def stream() -> AsyncIterator[bytes]:
            found = json.loads(body["context"][0]["data"]["content"])
            yield sse("copilotMessageChunk", {"delta": found["passages"][0]["quote"]})

        return StreamingResponse(stream(), media_type="text/event-stream")

    return app


def broken(kind: str) -> FastAPI:
    """A copilot that breaks the protocol in one way."""
    app = FastAPI()

    @app.get("/copilots.json")
    def copilots() -> dict[str, Any]:
        card = {"name": kind, "hasStreaming": True, "hasFunctionCalling": True}
        return {"broken": card | {"endpoints": {"query": "http://localhost:7777/v1/query"}}}

    @app.post("/v1/query", response_model=None)
    async def query(request: Request) -> Any:
        body = await request.json()
        if kind == "error 500":
            return PlainTextResponse("Internal Server Error", 500)
        if kind == "json":
            return JSONResponse({"answer": 42})
        return StreamingResponse(stream(kind, body), media_type="text/event-stream")

    return app


async def stream(kind: str, body: dict[str, Any]) -> AsyncIterator[bytes]:
    uuid = (body.get("widgets") or [{"uuid": "x"}])[0]["uuid"]
    if kind == "cut":
        yield sse("copilotMessageChunk", {"delta": "Half an ans"})
        yield b'event: copilotMessageChunk\r\ndata: {"del'
    elif kind == "silent":
        yield b": ping\r\n\r\n"
    elif kind == "garbage":
        yield b"\xff\xfe\x00garbage\r\ndata: {nope\r\n\r\ndata: [1]\r\n\r\n"
        yield sse("copilotMessageChunk", {"delta": 7}) + sse("copilotNews", {"x": 1})
    elif kind == "same call":
        yield sse(
            "copilotFunctionCall",
            {"function": "get_widget_data", "input_arguments": {"widget_uuid": uuid}},
        )
    elif kind == "many calls":
        n = sum(m["role"] == "tool" for m in body["messages"])
        yield sse("copilotFunctionCall", {"function": "x", "input_arguments": {"n": n}})
    elif kind == "100 MB":
        for _ in range(110):
            yield b"data: " + b"x" * (1 << 20) + b"\n"
            await asyncio.sleep(0)
    elif kind == "endless":
        yield sse("copilotMessageChunk", {"delta": "Half an ans"})
        await asyncio.Event().wait()
    elif kind == "steering":
        yield sse("copilotMessageChunk", {"delta": "a\x1b[2Jb\x07\tc\u009b1m\n"})
    elif kind == "spy":
        seen = [m for m in body["messages"] if m["role"] == "tool"]
        if seen:
            yield sse("copilotMessageChunk", {"delta": seen[-1]["content"]})
        else:
            yield sse(
                "copilotFunctionCall",
                {"function": "get_widget_data", "input_arguments": {"widget_uuid": "secret"}},
            )


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """Serve an app on loopback and give its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="off"))
    started = threading.Event()
    startup = server.startup

    async def tell(*args: Any, **kwargs: Any) -> None:
        await startup(*args, **kwargs)
        started.set()

    server.startup = tell  # type: ignore[method-assign]
    thread = threading.Thread(target=server.run, name="stranger")
    thread.start()
    assert started.wait(10)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)
