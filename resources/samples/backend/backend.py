"""A widget backend in one file: a table, a note in Markdown, a chart and key figures, with parameters.

python backend.py --port 7779
"""

from __future__ import annotations

import argparse
import datetime as dt
import math
from typing import Any

import uvicorn
from fastapi import FastAPI, HTTPException

app = FastAPI(title="Sample backend")
CITIES = {"berlin": (10.0, 9.5), "singapore": (27.5, 1.0), "sydney": (18.0, -5.5)}
CITY: dict[str, Any] = {
    "paramName": "city",
    "label": "City",
    "description": "Whose weather",
    "type": "text",
    "value": "berlin",
    "options": [{"label": name.title(), "value": name} for name in CITIES],
}
MONTHS: dict[str, Any] = {
    "paramName": "months",
    "label": "Months",
    "description": "How many months of the year",
    "type": "number",
    "value": 12,
    "min": 1,
    "max": 12,
}


@app.get("/widgets.json")
def widgets() -> dict[str, Any]:
    """List the widgets: their names, where their data is, and their parameters."""
    columns = [
        {"field": "month", "headerName": "Month", "cellDataType": "text", "pinned": "left"},
        {
            "field": "celsius",
            "headerName": "°C",
            "cellDataType": "number",
            "decimalPlaces": 1,
            "renderFn": "greenRed",
        },
    ]
    return {
        "weather_table": {
            "name": "Weather",
            "description": "Mean temperature of each month, made up",
            "category": "Sample",
            "type": "table",
            "endpoint": "weather",
            "gridData": {"w": 12, "h": 9},
            "params": [CITY, MONTHS],
            "data": {"table": {"columnsDefs": columns}},
        },
        "weather_chart": {
            "name": "Weather, drawn",
            "description": "The same as a line",
            "category": "Sample",
            "type": "chart",
            "endpoint": "weather/chart",
            "gridData": {"w": 14, "h": 9},
            "params": [CITY],
        },
        "weather_figures": {
            "name": "Warmest and coldest",
            "description": "Key figures of the year",
            "category": "Sample",
            "type": "metric",
            "endpoint": "weather/figures",
            "gridData": {"w": 8, "h": 4},
            "params": [CITY],
        },
        "about": {
            "name": "About this data",
            "description": "Where it comes from",
            "category": "Sample",
            "type": "markdown",
            "endpoint": "about",
            "gridData": {"w": 12, "h": 4},
        },
    }


@app.get("/apps.json")
def apps() -> list[dict[str, Any]]:
    """List ready-made dashboards."""
    layout = [
        {"i": "weather_table", "x": 0, "y": 0, "w": 12, "h": 9, "state": {"params": {"city": "sydney"}}},
        {"i": "weather_chart", "x": 12, "y": 0, "w": 14, "h": 9},
        {"i": "about", "x": 26, "y": 0, "w": 12, "h": 4},
    ]
    tabs = {"": {"id": "", "name": "Weather", "layout": layout}}
    return [{"name": "Weather", "description": "One city at a time", "tabs": tabs, "groups": []}]


@app.get("/weather")
def weather(city: str = "berlin", months: int = 12) -> list[dict[str, Any]]:
    """Return the rows of the table."""
    if city not in CITIES:
        raise HTTPException(404, f"There is no city {city}. There are: {', '.join(CITIES)}.")
    mean, swing = CITIES[city]
    return [
        {
            "month": dt.date(2024, n, 1).isoformat(),
            "celsius": round(mean - swing * math.cos(math.tau * (n - 1) / 12), 1),
        }
        for n in range(1, min(max(months, 1), 12) + 1)
    ]


@app.get("/weather/chart")
def chart(city: str = "berlin", theme: str = "light", raw: bool = False) -> Any:
    """Return a Plotly figure, or its rows."""
    rows = weather(city)
    if raw:
        return rows
    line = {"type": "scatter", "mode": "lines", "name": city, "x": [r["month"] for r in rows]}
    return {
        "data": [line | {"y": [r["celsius"] for r in rows]}],
        "layout": {"yaxis": {"title": {"text": "°C"}}},
    }


@app.get("/weather/figures")
def figures(city: str = "berlin") -> list[dict[str, str]]:
    """Return key figures."""
    rows = sorted(weather(city), key=lambda row: row["celsius"])
    told = (("Warmest", rows[-1]), ("Coldest", rows[0]))
    return [
        {"label": label, "value": f"{row['celsius']} °C", "delta": row["month"][5:7]} for label, row in told
    ]


@app.get("/about")
def about() -> str:
    """Return a note."""
    return "# About this data\n\nA cosine with a mean and a swing for each city. **Nothing was measured.**"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=7779)
    uvicorn.run(app, host="127.0.0.1", port=parser.parse_args().port)
