"""A million rows against a hundred through the terminal: the same question, time to the first word.

python -m tests.bench.data [--pairs 41] [--rows 1000000]
Prints how long the large table takes to open, from each kind of file, and for each question the
ratio of the times to the first word of the answer, with the number checked. The two are asked in
turn, now one first and now the other; the ratio that counts is the median of the pairs, in brackets
are their quartiles and the ratio of the quicker quarter of the times, which other work on the
machine disturbs least.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil

from app.bootstrap import build
from app.domain.stream import Chunk
from app.services.conversation.turns import offer_for
from app.services.deskpilot import Deskpilot

FEW = 100
GATE = 1.3
WARM = 2  # pairs that do not count


@dataclass(frozen=True)
class Question:
    """A question, and its truth from a data frame."""

    text: str
    truth: Callable[[pd.DataFrame], Any]


def mean_of(frame: pd.DataFrame, region: str) -> float:
    return float(frame.loc[frame.region == region, "price"].mean())


QUESTIONS = [
    Question("What is the average price?", lambda f: f.price.mean()),
    Question("What is the total quantity in the north region?", lambda f: f[f.region == "north"].quantity.sum()),
    Question("What is the highest price?", lambda f: f.price.max()),
    Question("How many orders are in the south region?", lambda f: (f.region == "south").sum()),
    Question("Which region has the highest total quantity?", lambda f: f.groupby("region").quantity.sum().max()),
    Question("What was the average price in March 2024?", lambda f: f[f.day.dt.month == 3].price.mean()),
    Question("What is the median price?", lambda f: f.price.median()),
    Question("What is the median price in the north region?", lambda f: f[f.region == "north"].price.median()),
    Question("How many different regions are there?", lambda f: f.region.nunique()),
    Question("What was the total quantity by month?", lambda f: f.groupby(f.day.dt.month).quantity.sum().iloc[-1]),
    Question("What share of the orders is in the west region?", lambda f: (f.region == "west").mean() * 100),
    Question("What is the price of item 42?", lambda f: f.price.iloc[42]),
]  # fmt: skip


def make(rows: int) -> pd.DataFrame:
    """Return a table of orders: an item of its own each, a day of 2024, a region, two measures."""
    random = np.random.default_rng(7)
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta(random.integers(0, 366, rows), unit="D")
    regions = np.array(["north", "south", "east", "west"])
    return pd.DataFrame(
        {
            "item": [f"item {i}" for i in range(rows)],
            "day": days,
            "region": regions[random.integers(0, 4, rows)],
            "quantity": random.integers(1, 100, rows),
            "price": random.uniform(1, 500, rows).round(2),
        }
    )


def write(frame: pd.DataFrame, folder: Path, name: str) -> dict[str, Path]:
    """Write a table in each kind of file that holds a million rows."""
    paths = {kind: folder / f"{name}.{kind}" for kind in ("csv", "parquet")}
    frame.assign(day=frame.day.dt.strftime("%Y-%m-%d")).to_csv(paths["csv"], index=False)
    frame.to_parquet(paths["parquet"], index=False)
    return paths


async def first_word(deskpilot: Deskpilot, question: str, uid: str) -> tuple[float, str]:
    """Return the seconds from the question to the first word of its answer, and the answer."""
    conversation = await deskpilot.history.begin(question)
    turn = deskpilot.turns.new_turn(conversation.id, question, None)
    begun, first = time.perf_counter(), 0.0
    offer = offer_for(deskpilot.widgets, [uid])
    async with aclosing(deskpilot.turns.run([], turn, deskpilot.copilots.local, offer)) as items:
        async for item in items:
            if isinstance(item, Chunk) and item.content and not first:
                first = time.perf_counter() - begun
    return first or float("inf"), turn.answer()


def says(answer: str, truth: Any) -> bool:
    """Tell whether an answer has a number, as precisely as it is shown."""
    value = float(truth)
    shown = {f"{value:,.{digits}f}" for digits in range(5)} | {f"{value:.4g}", f"{value:,}"}
    return any(f"**{text}" in answer or f" {text}" in answer for text in shown)


async def measure(rows: int, pairs: int) -> None:
    """Print ingest times and ratios."""
    frames = {FEW: make(FEW), rows: make(rows)}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DESKPILOT_HOME"] = folder
        files = {
            count: write(frame, Path(folder), f"orders_{count}") for count, frame in frames.items()
        }
        async with build() as deskpilot:
            me, uids = psutil.Process(), {}
            for kind in ("parquet", "csv"):  # the questions ask the last one
                for count in frames:
                    begun, before = time.perf_counter(), me.memory_info().rss
                    widget = await deskpilot.widgets.add_file(files[count][kind])
                    uids[count] = widget.uuid
                    took, more = time.perf_counter() - begun, me.memory_info().rss - before
                    size = files[count][kind].stat().st_size
                    print(
                        f"open {count:,} rows of {kind} ({size / 1e6:.1f} MB): {took:.2f} s,"
                        f" {more / 1e6:.0f} MB"
                    )
            worst = 0.0
            for question in QUESTIONS:
                worst = max(worst, await ask(deskpilot, question, frames, uids, pairs))
    print(f"load {psutil.getloadavg()[0]:.1f} on {psutil.cpu_count()} cores; {pairs} pairs")
    print(f"worst ratio {worst:.2f}; gate ≤ {GATE}: {'kept' if worst <= GATE else 'MISSED'}")


async def ask(
    deskpilot: Deskpilot,
    question: Question,
    frames: dict[int, pd.DataFrame],
    uids: dict[int, str],
    pairs: int,
) -> float:
    """Print the ratio of one question and return it."""
    small, large = frames
    times: dict[int, list[float]] = {small: [], large: []}
    right: dict[int, bool] = {}
    for pair in range(-WARM, pairs):
        for count in (small, large) if pair % 2 else (large, small):
            seconds, answer = await first_word(deskpilot, question.text, uids[count])
            right[count] = says(answer, question.truth(frames[count]))
            if pair >= 0:
                times[count].append(seconds)
    ratios = [many / few for few, many in zip(times[small], times[large], strict=True)]
    low, ratio, high = statistics.quantiles(ratios, n=4)
    quick = statistics.quantiles(times[large], n=4)[0] / statistics.quantiles(times[small], n=4)[0]
    few, many = (statistics.median(times[count]) * 1000 for count in (small, large))
    marks = "".join("✓" if right[c] else "✗" for c in (small, large))
    print(
        f"{ratio:5.2f} ({low:.2f} … {high:.2f}; quick {quick:.2f})"
        f"  {few:6.1f} → {many:6.1f} ms  {marks}  {question.text}"
    )
    return ratio


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=41)
    parser.add_argument("--rows", type=int, default=1_000_000)
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.rows, arguments.pairs))


if __name__ == "__main__":
    main()
