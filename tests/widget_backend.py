"""A widget backend with every kind of widget and parameter, and hostile ones. `python -m
tests.widget_backend PORT`.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import math
import queue
import struct
import sys
import threading
import zlib
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

PARAMS: list[Any] = [
    {
        "paramName": "symbol",
        "type": "ticker",
        "label": "Symbol",
        "value": "ORB",
        "description": "A company",
    },
    {"paramName": "limit", "type": "number", "label": "Rows", "value": 6, "min": 1, "max": 40},
    {"paramName": "adjusted", "type": "boolean", "label": "Adjusted", "value": True},
    {"paramName": "start", "type": "date", "label": "From", "value": "$currentDate-1w"},
    {"paramName": "note", "type": "text", "label": "Note", "value": ""},
    [
        {
            "paramName": "region",
            "type": "text",
            "label": "Region",
            "value": "eu",
            "options": [{"label": "Europe", "value": "eu"}, {"label": "Asia", "value": "asia"}],
        },
        {
            "paramName": "city",
            "type": "endpoint",
            "label": "City",
            "optionsEndpoint": "cities",
            "optionsParams": {"area": "$region"},
        },
    ],
    {
        "paramName": "fields",
        "type": "text",
        "label": "Fields",
        "multiSelect": True,
        "value": ["open", "close"],
        "options": ["open", "high", "low", "close"],
    },
    {"paramName": "secret", "type": "text", "show": False, "value": "hidden"},
]
COLUMNS = [
    {"field": "symbol", "headerName": "Symbol", "pinned": "left"},
    {"field": "name", "renderFn": "titleCase", "headerTooltip": "What it is called"},
    {
        "field": "change",
        "headerName": "Change",
        "formatterFn": "percent",
        "renderFn": "greenRed",
        "decimalPlaces": 2,
    },
    {"field": "volume", "formatterFn": "int"},
    {
        "field": "risk",
        "renderFn": "columnColor",
        "renderFnParams": {
            "colorRules": [
                {"condition": "gt", "value": 7, "color": "red"},
                {"condition": "between", "range": {"min": 3, "max": 7}, "color": "blue"},
            ]
        },
    },
    {
        "field": "about",
        "renderFn": "hoverCard",
        "renderFnParams": {
            "hoverCard": {
                "cellField": "value",
                "title": "More",
                "markdown": "**{value}** {description}",
            }
        },
    },
    {"field": "trend", "sparkline": {"type": "line"}},
    {
        "field": "founded",
        "formatterFn": "dateToYear",
        "renderFn": "columnColor",
        "renderFnParams": {
            "colorValueKey": "risk",
            "colorRules": [{"condition": "gt", "value": 7, "color": "orange", "fill": True}],
        },
    },
    {"field": "internal", "hide": True},
]
SYMBOL = {"paramName": "symbol", "type": "ticker", "label": "Symbol", "value": "ORB"}
WATCHED = [
    {
        "field": "symbol",
        "headerName": "Symbol",
        "pinned": "left",
        "width": 90,
        "renderFn": "cellOnClick",
        "renderFnParams": {
            "actionType": "groupBy",
            "groupBy": {"paramName": "symbol", "valueField": "symbol"},
        },
    },
    {
        "field": "ask",
        "renderFn": ["cellOnClick"],
        "renderFnParams": {
            "actionType": "sendToAgent",
            "sendToAgent": {"markdown": "Why did {symbol} move {move}?"},
        },
    },
    {"field": "page", "renderFn": "cellOnClick", "renderFnParams": {"actionType": "openUrl"}},
    {"field": "move", "align": "center", "renderFn": "greenRed"},
    {"field": "bars", "sparkline": {"type": "bar"}},
    {"field": "area", "sparkline": {"type": "area"}},
]
TICKS = [
    {"field": "symbol", "headerName": "Symbol", "pinned": "left"},
    {
        "field": "price",
        "renderFn": "showCellChange",
        "renderFnParams": {"colorValueKey": "price"},
        "decimalPlaces": 2,
    },
    {"field": "change", "formatterFn": "percent", "renderFn": ["greenRed", "showCellChange"]},
    {"field": "volume", "formatterFn": "int", "enableCellChangeWs": True},
]
FILES = {
    "paramName": "files",
    "type": "endpoint",
    "label": "Files",
    "multiSelect": True,
    "roles": ["fileSelector"],
    "show": False,  # as OpenBB's own example has it
    "optionsEndpoint": "file_names",
    "value": ["report.pdf", "picture.png"],
}
WIDGETS: dict[str, Any] = {
    "watch": {
        "name": "Watch list",
        "type": "table",
        "endpoint": "watch",
        "data": {"table": {"columnsDefs": WATCHED}},
    },
    "quote": {
        "name": "Quote",
        "type": "metric",
        "endpoint": "quote",
        "params": [SYMBOL],
        "gridData": {"w": 12, "h": 5},
    },
    "story": {"name": "Story", "type": "markdown", "endpoint": "story", "params": [SYMBOL]},
    "ticks": {
        "name": "Live prices",
        "type": "live_grid",
        "endpoint": "ticks",
        "wsEndpoint": "socket",
        "data": {"wsRowIdColumn": "symbol", "table": {"columnsDefs": TICKS}},
        "params": [
            {**SYMBOL, "value": "ORB,KLM,ZED", "type": "text", "label": "Symbols", "multiple": True}
        ],
    },
    "ticks away": {
        "name": "Ticks from elsewhere",
        "type": "live_grid",
        "endpoint": "ticks",
        "wsEndpoint": "ws://169.254.169.254/x",
        "data": {"wsRowIdColumn": "symbol"},
    },
    "bars": {
        "name": "Candles",
        "type": "advanced_charting",
        "endpoint": "udf",
        "data": {"defaultSymbol": "ORB", "updateFrequency": 60000},
    },
    "trades": {
        "name": "Trades",
        "type": "markdown",
        "endpoint": "trades",
        "params": [
            {
                "paramName": "add",
                "label": "Add a trade",
                "type": "form",
                "endpoint": "add_trade",
                "inputParams": [
                    *PARAMS[:2],
                    {"paramName": "buy", "type": "button", "label": "Buy"},
                ],
            }
        ],
    },
    "nightly": {
        "name": "Nightly",
        "type": "metric",
        "endpoint": "metric",
        "refetchInterval": "0 3 * * *",
        "gridData": {"w": 20, "h": 5},
    },
    "files": {
        "name": "Filings",
        "type": "multi_file_viewer",
        "endpoint": "files",
        "params": [FILES],
    },
    "old files": {
        "name": "Old filings",
        "type": "multi_file_viewer",
        "endpoint": "old_files",
        "params": [FILES],
    },
    "table": {
        "name": "Companies",
        "description": "Companies and how they do",
        "category": "Equity",
        "type": "table",
        "endpoint": "companies",
        "gridData": {"w": 20, "h": 12},
        "params": PARAMS,
        "source": ["Tests", "None"],
        "data": {"dataKey": "results.rows", "table": {"showAll": True, "columnsDefs": COLUMNS}},
        "refetchInterval": 60_000,
    },
    "news/today": {"name": "News", "type": "newsfeed", "endpoint": "/news", "category": "News"},
    "markdown": {"name": "Summary", "type": "markdown", "endpoint": "summary"},
    "chart": {"name": "Prices", "type": "chart", "endpoint": "chart"},
    "metric": {
        "name": "Metrics",
        "type": "metric",
        "endpoint": "metric",
        "gridData": {"w": 20, "h": 5},
    },
    "pdf": {"name": "Report", "type": "pdf", "endpoint": "report"},
    "linked": {"name": "Linked report", "type": "pdf", "endpoint": "linked"},
    "image": {"name": "Picture", "type": "image", "endpoint": "picture.png"},
    "html": {"name": "Page", "type": "html", "endpoint": "page"},
    "omni": {
        "name": "Omni",
        "type": "omni",
        "endpoint": "omni",
        "params": [
            {
                "paramName": "form",
                "type": "text",
                "value": "table",
                "options": ["table", "text", "chart"],
            }
        ],
    },
    "run": {"name": "On demand", "type": "markdown", "endpoint": "summary", "runButton": True},
    "strange": {"name": "Strange", "type": "chart-vegalite", "endpoint": "vega"},
    "broken": {"name": "Broken", "type": "table", "endpoint": "broken"},
    "empty": {"name": "Empty", "type": "table", "endpoint": "empty"},
    "huge": {"name": "Huge", "type": "table", "endpoint": "huge"},
    "stored": {"name": "Stored elsewhere", "type": "pdf", "endpoint": "stored"},
    "away": {"name": "Away", "type": "table", "endpoint": "away"},
    "elsewhere": {
        "name": "Elsewhere",
        "type": "table",
        "endpoint": "http://169.254.169.254/latest/meta-data",
    },
    "clock": {
        "name": "Clock",
        "type": "markdown",
        "endpoint": "summary",
        "refetchInterval": 1,
        "staleTime": 2000,
    },
    "large": {"name": "Large", "type": "ssrm_table", "endpoint": "large", "params": [SYMBOL]},
    "framed": {
        "name": "Framed",
        "type": "iframe",
        "endpoint": "https://example.org/page",
        "params": [SYMBOL],
    },
    "film": {"name": "Film", "type": "youtube", "endpoint": "film"},
    "high": {"name": "High", "type": "chart-highcharts", "endpoint": "high"},
    "unknown page": {"name": "Unknown page", "type": "hologram", "endpoint": "page"},
    "switched": {
        "name": "Switched",
        "type": "markdown",
        "endpoint": "story",
        "params": [
            {
                **SYMBOL,
                "type": "tabs",
                "options": [{"label": n.title(), "value": n} for n in ("ORB", "KLM")],
            }
        ],
    },
    "drawn": {
        "name": "Drawn",
        "type": "table",
        "endpoint": "watch",
        "data": {
            "table": {
                "enableCharts": True,
                "chartView": {
                    "enabled": True,
                    "chartType": "column",
                    "cellRangeCols": {"column": ["symbol", "move"]},
                },
                "columnsDefs": WATCHED,
            }
        },
    },
    "memo": {"name": "Memo", "type": "note", "endpoint": "summary"},
    "deep": {"name": "Deep", "type": "strange", "endpoint": "deep"},
    "no endpoint": {"name": "Nothing"},
}
APPS = [
    {
        "name": "Desk",
        "description": "A dashboard",
        "tabs": {
            "one": {
                "id": "one",
                "name": "Overview",
                "layout": [
                    {"i": "metric", "x": 0, "y": 0, "w": 40, "h": 4},
                    {
                        "i": "table",
                        "x": 0,
                        "y": 4,
                        "w": 40,
                        "h": 10,
                        "state": {"params": {"limit": 3}},
                    },
                ],
            },
            "two": {
                "id": "two",
                "name": "News",
                "layout": [{"i": "news_today", "x": 0, "y": 0, "w": 20, "h": 9}],
            },
        },
    },
    {
        "name": "Linked",
        "description": "A list that leads, and what follows",
        "tabs": {
            "": {
                "id": "",
                "name": "",
                "layout": [
                    {"i": "watch", "x": 0, "y": 0, "w": 24, "h": 9},
                    {"i": "quote", "x": 24, "y": 0, "w": 16, "h": 5, "groups": ["Group 1"]},
                    {
                        "i": "story",
                        "x": 24,
                        "y": 5,
                        "w": 16,
                        "h": 6,
                        "state": {"params": {"symbol": "KLM"}},
                    },
                ],
            }
        },
        "groups": [
            {
                "name": "Group 1",
                "type": "ticker",
                "paramName": "symbol",
                "widgetIds": ["story"],
                "defaultValue": "ZED",
            }
        ],
        "prompts": ["What moved?"],
    },
]
LEFT = {
    "chartView": {"enabled": False, "chartType": "line"},
    "columnState": {
        "default_": {
            "sort": {"sortModel": [{"colId": "move", "sort": "desc"}]},
            "columnPinning": {"leftColIds": ["move"], "rightColIds": []},
            "columnVisibility": {"hiddenColIds": ["page"]},
            "columnSizing": {"columnSizingModel": [{"colId": "ask", "width": 222}]},
            "columnOrder": {"orderedColIds": ["move", "symbol", "ask"]},
        }
    },
}
APPS.append(
    {
        "name": "As left",
        "description": "A table as somebody left it",
        "tabs": {
            "": {
                "id": "",
                "name": "",
                "layout": [{"i": "drawn", "x": 0, "y": 0, "w": 40, "h": 12, "state": LEFT}],
            }
        },
        "prompts": ["Why did @[id:drawn] fall?", "What is new?"],
    }
)
MANY = 12_345  # rows of the large table
MARKDOWN = (
    "# Hello\n\nA **bold** word, [a link](https://example.org) and a table:\n\n| a | b"
    " |\n|---|---|\n| 1 | 2 |\n\n"
    "<script>fetch('http://127.0.0.1:9/stolen')</script>\n\n![x](http://127.0.0.1:9/pixel.png)\n\n"
    "[bad](javascript:alert(1))"
)
HTML = (
    "<html><body style='font-family:sans-serif'><h2>Hello</h2><p id=p>Quarterly report</p><img"
    " src='http://127.0.0.1:9/pixel.png'><script>document.title='owned';document.getElementById('p').textContent='owned'</script><iframe"
    " src='http://127.0.0.1:9/frame'></iframe><meta http-equiv=refresh"
    " content='0;url=http://127.0.0.1:9/'></body></html>"
)


def rows(query: dict[str, str]) -> list[dict[str, Any]]:
    names = ["ORB", "KLM", "ZED", "ACE", "BOX", "CUP", "DAY", "ELM"]
    return [
        {
            "symbol": names[i % 8],
            "name": f"{names[i % 8].lower()} holdings",
            "change": (-1) ** i * 0.0125 * (i + 1),
            "volume": 1_234_567.8 * (i + 1),
            "risk": (i * 3) % 11,
            "about": {"value": f"Note {i}", "description": "written by hand"},
            "trend": [1, 3, 2, 5 - i % 4, 4 + i],
            "founded": f"{1990 + i}-05-01",
            "internal": i,
        }
        for i in range(int(query.get("limit", "6")))
    ]


def large(query: dict[str, Any]) -> dict[str, Any]:
    """Rows of a range, sorted and filtered here."""
    found = [{"id": n, "square": (n * n) % 1009, "name": f"item {n % 50}"} for n in range(MANY)]
    for name, told in query.get("filterModel", {}).items():
        kind, want = told["type"], told["filter"]
        tests: dict[str, Any] = {
            "contains": lambda v, want=want: str(want) in str(v),
            "lessThan": lambda v, want=want: v < want,
            "inRange": lambda v, want=want, told=told: want <= v <= told["filterTo"],
        }
        found = [row for row in found if tests[kind](row[name])]
    for told in query.get("sortModel", []):
        found.sort(key=lambda row, told=told: row[told["colId"]], reverse=told["sort"] == "desc")
    return {"rowData": found[query["startRow"] : query["endRow"]], "rowCount": len(found)}


def watched() -> list[dict[str, Any]]:
    return [
        {
            "symbol": name,
            "ask": f"Why {name}?",
            "page": f"https://example.org/{name}",
            "move": (-1) ** n * (n + 1) / 4,
            "bars": [2 + (n * 3 + k * 5) % 7 for k in range(9)],
            "area": [3 + (n * 2 + k * k) % 6 for k in range(9)],
        }
        for n, name in enumerate(["ORB", "KLM", "ZED", "ACE", "BOX"])
    ]


def history(query: dict[str, Any]) -> dict[str, Any]:
    """Daily bars of TradingView's UDF: OLD ended long ago, NONE has none, BAD is an error."""
    last = 1_700_006_400
    if query["symbol"] == "BAD":
        return {"s": "error", "errmsg": "unknown symbol"}
    if query["symbol"] == "NONE":
        return {"s": "no_data"}
    if query["symbol"] == "OLD" and int(query["from"]) > last:
        return {"s": "no_data", "nextTime": last}
    to = min(int(query["to"]), last) if query["symbol"] == "OLD" else int(query["to"])
    times = [to - to % 86_400 - n * 86_400 for n in range(int(query["countback"]))][::-1]
    closes = [100 + 12 * math.sin(n / 9) + 5 * math.sin(n * 1.7) for n in range(len(times) + 1)]
    opens, closes = closes[:-1], closes[1:]
    return {
        "s": "ok",
        "t": times,
        "o": opens,
        "h": [max(o, c) + 1.5 + n % 3 for n, (o, c) in enumerate(zip(opens, closes, strict=True))],
        "l": [min(o, c) - 1.0 - n % 2 for n, (o, c) in enumerate(zip(opens, closes, strict=True))],
        "c": closes,
        "v": [1e6 + 4e5 * math.sin(n / 5) for n in range(len(times))],
    }


def file_named(name: str) -> dict[str, Any]:
    held = {"report.pdf": pdf(), "picture.png": png(), "notes.md": MARKDOWN.encode()}[name]
    form = {"data_type": name.rpartition(".")[2], "filename": name}
    return {"data_format": form, "content": base64.b64encode(held).decode()}


def figure() -> dict[str, Any]:
    x = list(range(2000, 2020))
    return {
        "data": [{"type": "bar", "name": "close", "x": x, "y": [v % 7 + 3 for v in x]}],
        "layout": {"title": {"text": "</script><script>document.title='owned'</script>"}},
    }


def pdf() -> bytes:
    """Two pages, made here: no library that writes words is needed for two lines of them."""
    out, places = io.BytesIO(b"%PDF-1.4\n"), []
    out.seek(0, 2)
    pages = ["Annual report: revenue was 231.30 million.", "The second page tells of Brontosaurus."]
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [4 0 R 6 0 R] /Count 2 >>",
    ]
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for number, text in enumerate(pages):
        content = f"BT /F1 20 Tf 60 700 Td ({text}) Tj ET"
        box = "/MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R {box} /Contents {5 + number * 2} 0 R >>")
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode())
    begin = out.tell()
    lines = "".join(f"{place:010} 00000 n \n" for place in places)
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{lines}".encode())
    out.write(
        f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{begin}\n%%EOF\n".encode()
    )
    return out.getvalue()


def png() -> bytes:
    """A picture of 320 by 180, written here."""

    def part(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    lines = b"".join(b"\x00" + bytes([y * 255 // 180, 110, 140]) * 320 for y in range(180))
    head = struct.pack(">IIBBBBB", 320, 180, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + part(b"IHDR", head)
        + part(b"IDAT", zlib.compress(lines))
        + part(b"IEND", b"")
    )


class Handler(BaseHTTPRequestHandler):
    """Answers; what was asked is kept on the server."""

    server: Server

    def do_GET(self) -> None:
        self._serve({})

    def do_POST(self) -> None:
        self._serve(json.loads(self.rfile.read(int(self.headers["content-length"] or 0)) or b"{}"))

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def _serve(self, body: dict[str, Any]) -> None:
        split = urlsplit(self.path)
        query = dict(parse_qsl(split.query))
        path = split.path.strip("/")
        self.server.asked.append((self.command, path, query | body, dict(self.headers)))
        self.server.arrived.set()
        if self.server.failing:
            return self._json({"detail": "The data base is asleep"}, 503)
        if self.server.secret and self.headers.get("x-api-key") != self.server.secret:
            return self._json({"detail": "no"}, 401)
        if path == "away":
            return self._send(b"", "text/plain", 307, {"Location": "http://127.0.0.1:9/private"})
        if path == "deep":
            return self._send(b"[" * 700 + b"]" * 700, "application/json")
        if path == "huge":
            return self._huge()
        if path == "page":
            return self._send(HTML.encode(), "text/html")
        if path == "picture.png":
            return self._send(png(), "image/png")
        if path == "report.pdf":
            return self._send(pdf(), "application/pdf")
        if path == "socket":
            return self._socket()
        if path == "old_files" and self.command == "POST":
            return self._json({"detail": "Method Not Allowed"}, 405)
        if path == "add_trade":
            if body.get("limit") == 13:
                return self._json({"detail": "Thirteen brings bad luck"}, 422)
            self.server.trades.append(body)
            return self._json({})
        if path == "broken":
            return self._json({"detail": "No such company"}, 404)
        made = self._found(path, query | body)
        return self._json(made) if made is not None else self._json({"detail": "Not Found"}, 404)

    def _found(self, path: str, query: dict[str, Any]) -> Any:
        omni = {"table": rows({"limit": "2"}), "text": "Some *words*.", "chart": figure()}
        form = str(query.get("form", "table"))
        news = {
            "title": "Orb rises",
            "date": "2026-11-20T08:00:00",
            "author": "Ada",
            "excerpt": "It rose.",
            "body": MARKDOWN,
        }
        held = {"data_type": "pdf", "filename": "report.pdf"}
        cities = {"eu": ["Paris", "Rome"], "asia": ["Tokyo"]}.get(str(query.get("area")), [])
        answers: dict[str, Any] = {
            "widgets.json": WIDGETS,
            "apps.json": APPS,
            "companies": (
                {"results": {"rows": rows(query)}, "meta": {}} if path == "companies" else None
            ),
            "cities": [{"label": city, "value": city.lower()} for city in cities],
            "summary": MARKDOWN,
            "chart": figure(),
            "metric": [
                {"label": "Users", "value": "1,234", "delta": "12.5"},
                {"label": "Churn", "value": "2.1 %", "delta": "-0.4"},
            ],
            "news": [news, {**news, "title": "Klm falls", "author": "Grace"}],
            "report": {"data_format": held, "content": base64.b64encode(pdf()).decode()},
            "stored": {"data_format": held, "url": f"{self.server.store}/report.pdf"},
            "linked": {
                "data_format": held,
                "url": f"http://127.0.0.1:{self.server.server_port}/report.pdf",
            },
            "omni": {
                "content": omni.get(form),
                "data_format": {"data_type": "object", "parse_as": form},
            },
            "vega": {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "mark": "bar"},
            "empty": [],
            "large": large(query) if path == "large" else None,
            "film": "https://www.youtube.com/watch?v=x",
            "high": {"chart": {"type": "bar"}, "series": [{"data": [1, 2]}]},
            "watch": watched(),
            "trades": f"# {len(self.server.trades)} trades",
            "udf/search": [
                {"symbol": one, "full_name": one, "description": f"{one} holdings"}
                for one in ("ORB", "KLM", "OLD")
            ],
            "udf/history": history(query) if path == "udf/history" else None,
            "ticks": [
                {"symbol": one, "price": 100.0 + n, "change": 0.5 * n, "volume": 1000 * (n + 1)}
                for n, one in enumerate(str(query.get("symbol", "ORB")).split(","))
            ],
            "quote": [
                {"label": f"Last of {query.get('symbol')}", "value": "231.30", "delta": "1.1"}
            ],
            "story": f"# {query.get('symbol')}\n\nWhat there is to say of it.",
            "file_names": ["report.pdf", "picture.png", "notes.md"],
            "files": [file_named(one) for one in query.get("files", []) if path == "files"],
            "old_files": file_named(str(query.get("files"))) if path == "old_files" else None,
        }
        return answers.get(path)

    def _socket(self) -> None:
        """Shake hands, hear the hello, then tell what the server is told to until it says None."""
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.protocol_version = "HTTP/1.1"
        self.send_response(101)
        for name, value in {
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Accept": base64.b64encode(hashlib.sha1(key.encode()).digest()).decode(),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        head = self.rfile.read(2)
        if len(head) < 2:
            return
        size = head[1] & 127
        size = struct.unpack(">H", self.rfile.read(2))[0] if size == 126 else size
        mask, data = self.rfile.read(4), self.rfile.read(size)
        told: queue.Queue[str | None] = queue.Queue()
        self.server.sockets.append(told)
        self.server.hellos.append(json.loads(bytes(b ^ mask[n % 4] for n, b in enumerate(data))))
        while (text := told.get()) is not None:
            body = text.encode()
            size = len(body)
            long = struct.pack(">BH", 126, size) if size < 65536 else struct.pack(">BQ", 127, size)
            try:
                self.wfile.write(b"\x81" + (bytes([size]) if size < 126 else long) + body)
            except OSError:
                break
        self.close_connection = True

    def _huge(self) -> None:
        """A reply of 100 MB, or as much of it as anybody reads."""
        self.send_response(200)
        self.end_headers()
        try:
            for _ in range(1600):
                self.wfile.write(b"x" * 65536)
                self.server.sent += 65536
        except OSError:
            self.close_connection = True

    def _json(self, value: Any, status: int = 200) -> None:
        self._send(json.dumps(value).encode(), "application/json", status)

    def _send(
        self, body: bytes, kind: str, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    """asked: (method, path, parameters, headers) of each request. secret: what X-API-KEY must
    be.
    """

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.asked: list[tuple[str, str, dict[str, Any], dict[str, str]]] = []
        self.arrived = threading.Event()
        self.secret, self.failing, self.sent = "", False, 0
        self.store = self.url  # where its files lie
        self.sockets: list[queue.Queue[str | None]] = []
        self.trades: list[dict[str, Any]] = []
        self.hellos: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def tick(self, row: Any) -> None:
        """Tell a row to all that listen; None ends them."""
        for one in self.sockets:
            one.put(None if row is None else json.dumps(row))
        if row is None:
            self.sockets.clear()

    def last(self, path: str) -> dict[str, Any]:
        """Return the parameters of the last request for a path."""
        return next(query for _, asked, query, _ in reversed(self.asked) if asked == path)


@contextmanager
def running() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    try:
        yield server
    finally:
        server.tick(None)
        server.shutdown()
        server.server_close()
        thread.join(5)


if __name__ == "__main__":
    Server(int(sys.argv[1])).serve_forever()
