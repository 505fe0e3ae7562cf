"""The parsing file of a table: its description, for people and models."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from app.data.readers.parts import TableRef

if TYPE_CHECKING:
    from pathlib import Path

    from app.data.readers.workbook import WorkbookSheet
    from app.data.tables import OpenTable
    from app.domain.widget import Widget
    from backends.data.table import Table

VALUES = 10  # values of a column that are listed
TYPES = {"number": "number", "text": "text", "date": "date", "time": "time", "boolean": "yes or no"}


def schema_hash(table: Table) -> str:
    """Return a hash of the names and kinds of a table's columns; if it changes, everything built on
    the table is out of date.
    """
    shape = [[column.name, column.kind] for column in table.columns]
    return hashlib.sha256(json.dumps(shape, ensure_ascii=False).encode()).hexdigest()[:16]


def parsing_file(source: OpenTable, widget: Widget | None = None) -> dict[str, Any]:
    """Return the description of a table: its columns with meaning, type, range and values, an
    example of reading it, and its first and last row. widget: the widget it belongs to, if any.
    """
    profile = source.profile
    columns = [
        {
            "name": c.name,
            "meaning": c.meaning or c.name.replace("_", " "),
            "type": TYPES[c.kind],
            "source_type": (source.copy.types if source.copy else source.types).get(c.name),
            "role": c.role,
            "unit": c.unit,
            "distinct": c.distinct,
            "missing": c.missing,
            "range": [c.low, c.high] if c.low is not None else None,
            "values": c.values[:VALUES],
        }
        for c in profile.columns
    ]
    example = {"source": source.uuid, "columns": [c.name for c in profile.columns[:3]], "n": 5}
    copy, sheet = source.copy, source.sheet
    ref = TableRef.of(source.path)
    return {
        "source": source.uuid,
        "kind": kind_of(source, widget),
        "path": str(source.path),
        "database": copy.url if copy else None,
        "table": f"{copy.schema}.{copy.name}"
        if copy
        else ref.part or None
        if sheet is None
        else None,
        "sheet": sheet.name if sheet else None,
        "cells": sheet.cells(len(columns), profile.rows) if sheet else None,
        "backend": widget.backend or None if widget else None,
        "parameters": source.values,
        "name": widget.name if widget else profile.name,
        "description": (
            profile.description
            or (widget.description if widget else "")
            or where(ref.file, ref.part, sheet)
        ),
        "rows": profile.rows,
        "schema_hash": schema_hash(source.table),
        "closes": profile.closes,
        "columns": columns,
        "access_example": {"interface": "read_rows", "arguments": example},
        "first_row": profile.first_row,
        "last_row": profile.last_row,
    }


def where(file: Path, part: str, sheet: WorkbookSheet | None) -> str:
    """Return which table in a file it is, in words; empty for a file with one table."""
    if sheet is not None and sheet.of > 1:
        return f"The sheet {sheet.name} of {file.name}."
    return f"The table {part} of {file.name}." if part and sheet is None else ""


def kind_of(source: OpenTable, widget: Widget | None) -> str:
    """Return the origin of a table: a database, a widget and its type, or a file and its format."""
    if source.copy is not None:
        return "postgresql"
    if widget is not None and (widget.backend or widget.type != "table"):
        return f"widget: {widget.type}"
    return TableRef.of(source.path).file.suffix.lower().removeprefix(".")
