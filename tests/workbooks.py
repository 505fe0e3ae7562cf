"""Workbooks as spreadsheets write them, as small as they can be: .xlsx and .ods of several sheets,
some hidden.
"""

from __future__ import annotations

import datetime as dt
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
EPOCH = dt.datetime(1899, 12, 30)


@dataclass(frozen=True)
class Formatted:
    """A number shown in a format: £1.50 in `[$£-809]0.00`."""

    value: float
    code: str


Cell = str | float | bool | dt.date | Formatted | None


@dataclass
class Sheet:
    """A sheet. state: visible, hidden or veryHidden. left, top: columns and rows that stay empty
    before its cells.
    """

    name: str
    rows: Sequence[Sequence[Cell]]
    state: str = "visible"
    left: int = 0
    top: int = 0


def write_xlsx(path: Path, *sheets: Sheet) -> Path:
    """Write a workbook."""
    numbered = list(enumerate(sheets, 1))
    listed = "".join(
        f'<sheet name={quoteattr(s.name)} sheetId="{n}" state="{s.state}" r:id="r{n}"/>'
        for n, s in numbered
    )
    related = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n, _ in numbered
    )
    cells = [cell for sheet in sheets for row in sheet.rows for cell in row]
    codes = list(dict.fromkeys(cell.code for cell in cells if isinstance(cell, Formatted)))
    formats = "".join(
        f'<numFmt numFmtId="{n}" formatCode={quoteattr(code)}/>'
        for n, code in enumerate(codes, 164)
    )
    own = "".join(f'<xf numFmtId="{n}"/>' for n in range(164, 164 + len(codes)))
    styles = (
        f'<styleSheet xmlns="{MAIN}"><numFmts>{formats}</numFmts><cellStyleXfs><xf numFmtId="0"/>'
        '</cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/>'
        f"{own}</cellXfs></styleSheet>"
    )
    parts = {
        "[Content_Types].xml": (
            f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
            f'PartName="/xl/workbook.xml" ContentType="{KIND}.sheet.main+xml"/></Types>'
        ),
        "_rels/.rels": (
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
            f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
        ),
        "xl/workbook.xml": (
            f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": (
            f'<Relationships xmlns="{PACKAGE}/relationships">{related}'
            f'<Relationship Id="s" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>'
        ),
        "xl/styles.xml": styles,
    }
    parts |= {f"xl/worksheets/sheet{n}.xml": sheet_xml(s, codes) for n, s in numbered}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in parts.items():
            book.writestr(name, text)
    return path


def sheet_xml(sheet: Sheet, codes: list[str]) -> str:
    """Return the cells of a sheet. codes: the formats of numbers that have styles of their own."""
    made: list[str] = []
    for n, row in enumerate(sheet.rows, sheet.top + 1):
        cells = [cell(value, f"{letters(sheet.left + m)}{n}", codes) for m, value in enumerate(row)]
        made.append(f'<row r="{n}">{"".join(cells)}</row>')
    return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(made)}</sheetData></worksheet>'


def cell(value: Cell, at: str, codes: list[str]) -> str:
    """Return a cell."""
    if value is None:
        return ""
    if isinstance(value, Formatted):
        return f'<c r="{at}" s="{codes.index(value.code) + 3}"><v>{value.value}</v></c>'
    if isinstance(value, bool):
        return f'<c r="{at}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, dt.datetime):
        return f'<c r="{at}" s="2"><v>{(value - EPOCH).total_seconds() / 86400}</v></c>'
    if isinstance(value, dt.date):
        return f'<c r="{at}" s="1"><v>{(value - EPOCH.date()).days}</v></c>'
    if isinstance(value, str):
        return f'<c r="{at}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{at}"><v>{value}</v></c>'


def letters(number: int) -> str:
    """Return what a column of the first 26 is called."""
    return chr(ord("A") + number)


def write_ods(path: Path, *sheets: Sheet) -> Path:
    """Write a workbook of LibreOffice's kind, of words and numbers."""
    space = 'xmlns:{0}="urn:oasis:names:tc:opendocument:xmlns:{0}:1.0"'
    spaces = " ".join(space.format(one) for one in ("office", "table", "text", "style"))
    hidden = (
        '<style:style style:name="h" style:family="table"><style:table-properties'
        ' table:display="false"/></style:style>'
    )
    tables = "".join(
        "<table:table"
        f" table:name={quoteattr(s.name)}{' table:style-name=' + quoteattr('h') if s.state != 'visible' else ''}>"
        + "".join(
            f"<table:table-row>{''.join(map(ods_cell, row))}</table:table-row>" for row in s.rows
        )
        + "</table:table>"
        for s in sheets
    )
    content = (
        "<office:document-content"
        f" {spaces}><office:automatic-styles>{hidden}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        "<manifest:manifest"
        ' xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry'
        f' manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>'
    )
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", kind)
        book.writestr("META-INF/manifest.xml", manifest)
        book.writestr("content.xml", f'<?xml version="1.0" encoding="UTF-8"?>{content}')
    return path


def ods_cell(value: Cell) -> str:
    """Return a cell."""
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, str):
        return (
            "<table:table-cell"
            f' office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'
        )
    return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
