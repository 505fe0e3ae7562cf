"""Questions of an office, a clinic and a shop about what is owed, admitted, planned and allowed."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from backends.data.compiler import run_query
from backends.data.profile import profile
from backends.data.table import table_from_rows
from backends.query.decide import decide
from backends.query.parser import parse

TODAY = dt.date(2026, 6, 15)
INVOICES = [
    ("I-1", "Alder Foods", "2026-01-05", "2026-02-04", 100.0, 120.0, "2026-02-20"),
    ("I-2", "Brook Ltd", "2026-03-01", "2026-03-31", 500.0, 600.0, None),
    ("I-3", "Alder Foods", "2026-04-11", "2026-05-11", 300.0, 360.0, None),
    ("I-4", "Cedar AG", "2026-06-01", "2026-07-01", 900.0, 1080.0, None),
    ("I-5", "Brook Ltd", "2026-06-02", "2026-07-02", 450.0, 540.0, None),
    ("I-6", "Dune SA", "2026-01-20", "2026-02-19", 700.0, 840.0, "2026-02-01"),
]
PATIENTS = [
    ("P1", "2023-12-20", "2024-01-02", "private", "Y", 900),
    ("P2", "2024-02-03", "2024-02-09", "public", "N", 1200),
    ("P3", "2024-06-17", "2024-06-18", "public", "N", 400),
    ("P4", "2024-11-30", "2024-12-08", "public", "Y", 2500),
    ("P5", "2025-01-14", "2025-01-15", "private", "N", 650),
]
BUDGET = [
    ("2026-03-01", 10300, 9900),
    ("2026-04-01", 10400, 11000),
    ("2026-05-01", 10500, 10450),
]
ACCOUNTS = [("Alder Foods", 1200, 2000), ("Brook Ltd", 5400, 5000), ("Cedar AG", 300, 1000)]
TABLES: dict[str, tuple[tuple[str, ...], list[Any]]] = {
    "invoices": (("invoice", "customer", "date", "due", "net", "gross", "paid on"), INVOICES),
    "patients": (
        ("patient", "admitted", "discharged", "insurance", "readmitted within 30 days", "cost"),
        PATIENTS,
    ),
    "budget": (("month", "budget", "actual"), BUDGET),
    "accounts": (("customer", "balance", "credit limit"), ACCOUNTS),
}


@pytest.mark.parametrize(
    ("table", "question", "answer"),
    [
        ("invoices", "total gross of overdue invoices", [960.0]),
        ("invoices", "which customer owes us most", ["Brook Ltd", 1140.0]),
        ("patients", "how many patients were admitted in 2024", [3]),
        ("patients", "share readmitted within 30 days", [40.0]),
        ("budget", "did we hit the budget in April", [600]),
        ("patients", "private against public", [-1]),
        ("accounts", "who is over the credit limit?", ["Brook Ltd"]),
    ],
)
def test_it_is_answered_at_once(table: str, question: str, answer: list[Any]) -> None:
    names, facts = TABLES[table]
    rows = [dict(zip(names, fact, strict=True)) for fact in facts]
    made = table_from_rows(rows, source=table, hash_="h")
    decided = decide(parse(question, [profile(made, table.title())], today=TODAY), None)
    assert decided.decision in ("answer", "confirm")
    assert run_query(decided.candidates[0].query, {table: made}).rows == [answer]
