"""Writes small documents of each format."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
RELATIONS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'


def write_pdf(path: Path, pages: list[str | None]) -> Path:
    """Write a PDF with a line of text a page; None makes a page that is a picture only."""
    from matplotlib.backends.backend_pdf import PdfPages
    from matplotlib.figure import Figure

    with PdfPages(path) as pdf:
        for text in pages:
            figure = Figure(figsize=(6, 8))
            if text is None:
                axes = figure.add_axes((0, 0, 1, 1))
                axes.axis("off")
                axes.imshow([[0, 1], [1, 0]])
            else:
                figure.text(0.1, 0.9, text, fontsize=9)
            pdf.savefig(figure)
    return path


def write_scan(path: Path, pages: list[str]) -> Path:
    """Write a PDF whose pages are pictures of text, as a scanner makes them."""
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_pdf import PdfPages
    from matplotlib.figure import Figure

    with PdfPages(path) as pdf:
        for text in pages:
            drawn = Figure(figsize=(6, 8), dpi=150)
            canvas = FigureCanvasAgg(drawn)
            drawn.text(0.1, 0.9, text, fontsize=11, va="top", linespacing=1.6)
            canvas.draw()
            grey = np.asarray(canvas.buffer_rgba())[:, :, 0]
            figure = Figure(figsize=(6, 8))
            axes = figure.add_axes((0, 0, 1, 1))
            axes.axis("off")
            axes.imshow(grey, cmap="gray", vmin=0, vmax=255, aspect="auto")
            pdf.savefig(figure, dpi=150)
    return path


def write_docx(
    path: Path, blocks: list[tuple[str, str] | None], body: str = "", **parts: str
) -> Path:
    """Write a Word file of paragraphs with a style and a text; None ends a page.

    body: XML above them. parts: the XML of other parts by name, such as header1.
    """
    for block in blocks:
        if block is None:
            body += '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
            continue
        style, text = block
        named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
        body += f"<w:p>{named}<w:r><w:t>{escape(text)}</w:t></w:r></w:p>"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "word/document.xml", f"<w:document {W}><w:body>{body}</w:body></w:document>"
        )
        for name, xml in parts.items():
            archive.writestr(f"word/{name}.xml", f"<w:part {W}>{xml}</w:part>")
    return path


def write_pptx(path: Path, slides: list[tuple[str, list[str]]]) -> Path:
    """Write slides, each with a title and boxes that stand from the bottom to the top, an inch
    apart; a text with a bar is two boxes side by side, the left one a little lower.
    """
    with zipfile.ZipFile(path, "w") as archive:
        ids = "".join(f'<p:sldId r:id="r{n}"/>' for n in range(len(slides)))
        shown = f"<p:presentation {P} {R}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>"
        archive.writestr("ppt/presentation.xml", shown)
        links = "".join(
            f'<Relationship Id="r{n}" Target="slides/slide{n}.xml"/>' for n in range(len(slides))
        )
        archive.writestr(
            "ppt/_rels/presentation.xml.rels",
            f"<Relationships {RELATIONS}>{links}</Relationships>",
        )
        for n, (title, texts) in enumerate(slides):
            boxes = (
                "<p:sp><p:nvSpPr><p:nvPr><p:ph"
                f' type="title"/></p:nvPr></p:nvSpPr>{said(title)}</p:sp>'
            )
            for place, text in enumerate(texts):
                for x, column in reversed(list(enumerate(text.split("|")))):
                    y = 914_400 * (9 - place) + (20_000 if x == 0 else 0)
                    offset = f'<p:spPr><a:xfrm><a:off x="{x * 914_400}" y="{y}"/></a:xfrm></p:spPr>'
                    boxes += f"<p:sp>{offset}{said(column)}</p:sp>"
            archive.writestr(f"ppt/slides/slide{n}.xml", f"<p:sld {P} {A}>{boxes}</p:sld>")
    return path


def said(text: str) -> str:
    """Return the body of a box."""
    return f"<p:txBody><a:p><a:r><a:t>{escape(text)}</a:t></a:r></a:p></p:txBody>"


def write_epub(path: Path, chapters: dict[str, str]) -> Path:
    """Write a book of chapters with a heading and a text."""
    opf = 'xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    items = "".join(f'<item id="c{n}" href="c{n}.xhtml"/>' for n in range(len(chapters)))
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "META-INF/container.xml",
            '<container><rootfiles><rootfile full-path="O/a.opf"/></rootfiles></container>',
        )
        archive.writestr(
            "O/a.opf",
            f"<package {opf}><metadata><dc:title>Book</dc:title></metadata>"
            f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
        )
        for n, (heading, text) in enumerate(chapters.items()):
            archive.writestr(
                f"O/c{n}.xhtml", f"<html><body><h1>{heading}</h1><p>{text}</p></body></html>"
            )
    return path
