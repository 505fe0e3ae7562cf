"""A language model that follows a script, behind OpenAI's routes on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Messages = list[dict[str, Any]]


@dataclass
class ScriptedModel:
    """script: returns the words for some messages. asked: the messages of each request."""

    script: Callable[[Messages], str]
    url: str = ""
    asked: list[Messages] = field(default_factory=list)


def said_last(messages: Messages) -> str:
    """Return what the person, or what ran their code, said last."""
    content = messages[-1]["content"]
    return content if isinstance(content, str) else json.dumps(content)


@contextmanager
def scripted(script: Callable[[Messages], str]) -> Iterator[ScriptedModel]:
    """Serve a model until the block ends."""
    made = ScriptedModel(script)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer("application/json", json.dumps({"data": [{"id": "scripted"}]}))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            made.asked.append(body["messages"])
            text = made.script(body["messages"])
            if not body.get("stream"):
                message = {"role": "assistant", "content": text}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                self.answer("application/json", json.dumps({"choices": [choice]}))
                return
            pieces = [text[at : at + 7] for at in range(0, len(text), 7)]
            chunks: list[dict[str, Any]] = [
                {"index": 0, "delta": {"content": piece}, "finish_reason": None} for piece in pieces
            ]
            chunks.append({"index": 0, "delta": {}, "finish_reason": "stop"})
            events = [f"data: {json.dumps({'choices': [chunk]})}\n\n" for chunk in chunks]
            self.answer("text/event-stream", "".join([*events, "data: [DONE]\n\n"]))

        def answer(self, kind: str, text: str) -> None:
            content = text.encode()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        yield made
    finally:
        server.shutdown()
        serving.join()
        server.server_close()
