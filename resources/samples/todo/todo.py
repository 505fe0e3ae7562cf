"""A plugin in one file: a to-do list whose items copilots can add, read and delete.

    python todo.py --port 7781

Add it: `deskpilot plugins add http://127.0.0.1:7781`. The README in this folder explains more.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

HERE = Path(__file__).parent
PICTURE = (HERE / "logo.png").read_bytes()
app = FastAPI(title="待办事项", openapi_url=None)  # the specification is handwritten for copilots
app.state.items = []  # lost when the plugin stops


@app.get("/ai-plugin.json")
def manifest(request: Request) -> dict[str, Any]:
    """Describe the plugin and say where its specification is."""
    base = str(request.base_url)
    about = "给自己记录待办事项时使用，支持插入、删除、查询"
    return {
        "schema_version": "v1",
        "name_for_human": "待办事项",
        "name_for_model": "ToDoList",
        "description_for_human": about,
        "description_for_model": f"A to-do list: insert, delete and query things to do. {about}",
        "auth": {"type": "none"},
        "api": {"type": "openapi", "url": f"{base}openapi.yaml", "is_user_authenticated": False},
        "logo_url": f"{base}logo.png",
        "contact_email": "support@example.com",
        "legal_info_url": "http://www.example.com/legal",
    }


@app.get("/openapi.yaml")
def specification() -> Response:
    """Return the specification. It names no server, as the operations are at the same address."""
    return Response((HERE / "openapi.yaml").read_text("utf-8"), media_type="text/yaml")


@app.get("/logo.png")
def logo() -> Response:
    """Return the logo."""
    return Response(PICTURE, media_type="image/png")


@app.post("/run")
async def run(request: Request) -> JSONResponse:
    """Perform one operation on the list and return the result."""
    asked, items = await request.json(), app.state.items
    what, thing, place = asked.get("操作"), asked.get("事项"), asked.get("顺序")
    if what == "查询":
        return JSONResponse(
            {"result": "; ".join(f"{n}. {item}" for n, item in enumerate(items, 1)) or "没有待办事项"}
        )
    if what == "插入" and thing:
        at = int(place) - 1 if str(place or "").isdigit() else len(items)
        items.insert(at, thing)
        return JSONResponse({"result": f"已插入: {thing}"})
    if what == "删除" and (str(place or "").isdigit() or thing in items):
        at = int(place) - 1 if place else items.index(thing)
        if 0 <= at < len(items):
            return JSONResponse({"result": f"已删除: {items.pop(at)}"})
        return JSONResponse({"result": f"没有第{place}项"}, status_code=404)
    return JSONResponse({"result": "缺少操作、事项或顺序"}, status_code=422)


def end_with_input() -> None:
    """Exit when the process that started this one ends, even if it was killed."""
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=7781)
    parser.add_argument("--parent-pipe", action="store_true", help="end when standard input closes")
    given = parser.parse_args()
    if given.parent_pipe:
        threading.Thread(target=end_with_input, daemon=True).start()
    uvicorn.run(app, host="127.0.0.1", port=given.port)
