"""Ask plugins of strangers in words, and count what is called as it was meant.

    python -m tests.bench.plugin_words FOLDER [--at http://127.0.0.1:PORT]

FOLDER holds a folder for each plugin with `ai-plugin.json`, `openapi.yaml`, and `requests.jsonl`,
a request a line, written by somebody who knows the plugin's public description only:

    {"say": "Add milk to my list", "tool": "addTodo", "with": {"todo": "milk"}}

tool: what is to be called, null for nothing. Each is asked without a model, and with a scripted
able one that means what the line says and answers under the schema it is given. A wrong write is a
call that may change something, where another one, or none, was meant. --at: ask the copilot of a
running service instead, with the models it has; its token is in DESKPILOT_TOKEN.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import json
import os
import sys
from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import jsonschema

from app.domain.tool import InstalledPlugin, PublishedTexts, Tool
from app.tools.plugins.plugin import Plugin
from backends.copilot import NoModel, answer
from backends.protocol.events import FunctionCall, MessageChunk
from backends.protocol.parser import parse_request
from backends.query.propose import Ability
from tests.unembedded import Unembedded

Wanted = dict[str, Any]
ENOUGH = 120  # characters of an answer in words, after which no call comes


@dataclass
class Script(Unembedded):
    """An able model that means what it is told, as far as the schema lets it say so."""

    wanted: Wanted | None

    def ability(self, model: str | None) -> Ability:
        return Ability(right=12 if self.wanted is not None else 0)

    async def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        if self.wanted is None:
            raise NoModel("There is no model.", "Get one.")
        if "json_schema" not in parameters:
            yield "I cannot say."
            return
        schema = json.loads(parameters["json_schema"])
        yield json.dumps(self._told(schema))

    def _told(self, schema: dict[str, Any]) -> Any:
        assert self.wanted is not None
        values = self.wanted["with"]
        if "anyOf" not in schema:
            return bent(values, schema)
        for way in schema["anyOf"]:
            name = way["properties"].get("tool", {}).get("const", "")
            if name.rpartition(".")[2] == self.wanted["tool"]:
                return {"tool": name, "arguments": bent(values, way["properties"]["arguments"])}
        return {"tool": "none"}


def bent(values: Wanted, schema: dict[str, Any]) -> Wanted:
    """Return what of some values a grammar of a schema can say."""
    listed = schema.get("properties") or {}
    return {
        name: value
        for name, value in values.items()
        if name in listed and jsonschema.Draft202012Validator(listed[name]).is_valid(value)
    }


def tools_in(folder: Path) -> list[Tool]:
    """Return the tools of a plugin, as a copilot is offered them."""
    texts = PublishedTexts(
        (folder / "ai-plugin.json").read_text("utf-8"), (folder / "openapi.yaml").read_text("utf-8")
    )
    url = "http://plugin.example/.well-known/ai-plugin.json"
    never: Any = None  # nothing is fetched here
    return Plugin(InstalledPlugin("stranger", url, texts, {}), never, never, never).tools


async def called(
    tools: list[dict[str, Any]], line: Wanted, script: Script
) -> tuple[str, Wanted, str]:
    """Return the tool that was called with what, or what was said."""
    body = {"messages": [{"role": "human", "content": line["say"]}], "tools": tools}
    words = ""
    async for event in answer(parse_request(body), script, today=dt.date(2026, 11, 25)):
        if isinstance(event, FunctionCall):
            return event.arguments["tool_name"], event.arguments["parameters"], ""
        words += event.delta if isinstance(event, MessageChunk) else ""
    return "", {}, words


async def called_at(url: str, tools: list[dict[str, Any]], line: Wanted) -> tuple[str, Wanted, str]:
    """Return what the copilot of a service calls with what, or what it says."""
    body = {"messages": [{"role": "human", "content": line["say"]}], "tools": tools}
    headers = {"authorization": f"Bearer {os.environ['DESKPILOT_TOKEN']}"}
    name, words = "", ""
    async with (
        httpx.AsyncClient(timeout=300, trust_env=False) as client,
        client.stream("POST", f"{url}/v1/query", json=body, headers=headers) as told,
    ):
        async for event in told.aiter_lines():
            head, _, data = event.partition(": ")
            name = data if head == "event" else name
            if head == "data" and name == "copilotFunctionCall":
                call = json.loads(data)["input_arguments"]
                return call["tool_name"], call["parameters"], ""
            if head == "data" and name == "copilotMessageChunk":
                words += json.loads(data)["delta"]
            if len(words) > ENOUGH:
                break
    return "", {}, words


def verdict(line: Wanted, writes: set[str], tool: str, values: Wanted) -> str:
    """Return `right`, `asks` (called nothing where something was meant), `wrong` or `WROTE`."""
    meant = line["tool"] or ""
    same = {k: str(v).lower() for k, v in values.items()}
    free = line.get("free", ())  # what may be there or not
    wanted = {k: str(v).lower() for k, v in line["with"].items()}
    if tool == meant and {k: v for k, v in same.items() if k not in free or k in wanted} == wanted:
        return "right"
    if not tool:
        return "asks"
    return "WROTE" if tool in writes else "wrong"


async def run(plugins: list[Path], url: str) -> int:
    """Ask all and print the table; return how many writes were wrong."""
    wrong = 0
    for kind in ("service",) if url else ("no model", "able model"):
        counts: Counter[str] = Counter()
        for plugin in plugins:
            tools = tools_in(plugin)
            writes = {one.name for one in tools if one.writes}
            lines = (plugin / "requests.jsonl").read_text("utf-8").splitlines()
            for line in map(json.loads, filter(None, lines)):
                script = Script(line if kind == "able model" else None)
                offered = [one.told() for one in tools]
                tool, values, words = (
                    await called_at(url, offered, line)
                    if url
                    else await called(offered, line, script)
                )
                told = verdict(line, writes, tool, values)
                counts[told] += 1
                shown = f"{tool} {json.dumps(values, ensure_ascii=False)}" if tool else words[:110]
                print(
                    f"{kind:10} {told:5} {plugin.name}: {line['say']} → {' '.join(shown.split())}"
                )
        print(f"{kind}: {dict(counts)}")
        wrong += counts["WROTE"]
    return wrong


def main() -> int:
    """Run; 1 if anything was written that nobody meant."""
    parser = argparse.ArgumentParser(description="Ask plugins of strangers in words")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--at", default="", help="the address of a running service")
    asked = parser.parse_args()
    plugins = sorted(path for path in asked.folder.iterdir() if path.is_dir())
    return 1 if asyncio.run(run(plugins, asked.at)) else 0


if __name__ == "__main__":
    sys.exit(main())
