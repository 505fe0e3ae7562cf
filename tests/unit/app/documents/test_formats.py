"""Documents of each format are read page by page, and bad ones are refused in a sentence."""

from __future__ import annotations

import zipfile
from datetime import date, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest

from app.documents.formats import read_document
from app.documents.formats.office import cell_text, column_names
from app.documents.formats.pdf import PLAIN, quote_boxes
from app.domain.errors import DocumentError
from tests.unit.app.documents.files import write_docx, write_epub, write_pdf, write_pptx
from tests.workbooks import Sheet, write_xlsx


def test_pdf_pages_are_numbered_from_one_and_hold_their_text(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", ["Notice period is three months.", "Second page here."])
    document = read_document(path)
    assert [page.number for page in document.pages] == [1, 2]
    assert "three months" in document.pages[0].text
    assert document.unread == ()


def test_a_pdf_page_that_is_only_a_picture_is_named_as_unread(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", ["Text.  " * 10, None])
    assert read_document(path).unread == (2,)


def test_a_quote_has_boxes_from_the_upper_left_corner_and_an_absent_one_has_none(
    tmp_path: Path,
) -> None:
    path = write_pdf(tmp_path / "a.pdf", ["Notice period is three months."])
    ((left, top, right, bottom),) = quote_boxes(path, 1, "three   months")
    assert 0 < left < right
    assert 0 < top < bottom < 200  # the line stands near the top of the page
    assert quote_boxes(path, 1, "four months") == []
    assert quote_boxes(path, 7, "three months") == []


def test_radicals_and_marked_hyphens_of_a_text_layer_are_what_they_look_like() -> None:
    assert "⼀⽉，⼈⺠法院，two\ufffespotted".translate(PLAIN) == "一月，人民法院，two-spotted"


def test_a_damaged_pdf_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", ["Text"])
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(DocumentError, match="damaged"):
        read_document(path)


def test_word_text_keeps_headings_tables_and_page_ends(tmp_path: Path) -> None:
    path = write_docx(
        tmp_path / "a.docx",
        [("Heading1", "Terms"), ("", "Pay in 30 days."), None, ("", "Page two.")],
    )
    first, second = read_document(path).pages
    assert first.headings == ((0, "Terms"),)
    assert "Pay in 30 days." in first.text
    assert second.number == 2
    assert second.text.strip() == "Page two."


def test_words_of_a_text_box_are_read_once_and_those_of_cells_apart(tmp_path: Path) -> None:
    box = (
        f"<w:txbxContent>{paragraph('Parking is free.')}{paragraph('Ring twice.')}</w:txbxContent>"
    )
    compatible = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    inner = f"<w:tbl><w:tr><w:tc>{paragraph('inner')}</w:tc></w:tr></w:tbl>"
    cell = f"<w:tc>{paragraph('Rent')}{paragraph('monthly')}{inner}</w:tc>"
    body = (
        '<w:p><w:pPr><w:tabs><w:tab w:pos="9"/></w:tabs></w:pPr><w:r><w:t>Beside.</w:t></w:r><w:r>'
        f'<m:AlternateContent xmlns:m="{compatible}"><m:Choice>{box}</m:Choice>'
        f"<m:Fallback>{box}</m:Fallback></m:AlternateContent></w:r></w:p>"
        f"<w:tbl><w:tr>{cell}<w:tc>{paragraph('840')}</w:tc></w:tr></w:tbl>"
        "<w:p><w:moveFrom><w:r><w:t>Gone.</w:t></w:r></w:moveFrom></w:p>"
    )
    (page,) = read_document(write_docx(tmp_path / "a.docx", [], body)).pages
    assert page.text.split("\n") == [
        *("Beside.", "Parking is free.", "Ring twice.", "Rent monthly inner\t840", "", ""),
    ]


def test_what_the_headers_and_footers_of_a_letter_say_is_read_once(tmp_path: Path) -> None:
    path = write_docx(
        tmp_path / "a.docx",
        [("", "Dear Sir."), None, ("", "Yours.")],
        header1=paragraph("Clinic Nordhavn, telephone 0555 1212"),
        header2=paragraph("Clinic Nordhavn, telephone 0555 1212"),
        footer1=paragraph("Account: 8601 1117"),
    )
    first, second = read_document(path).pages
    assert first.text.split("\n") == ["Clinic Nordhavn, telephone 0555 1212", "Dear Sir."]
    assert second.text.split("\n")[-1] == "Account: 8601 1117"


def paragraph(text: str) -> str:
    """Return a paragraph of a Word file."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_a_sheet_is_read_as_it_is_shown_and_found_by_the_names_of_its_columns(
    tmp_path: Path,
) -> None:
    path = write_xlsx(
        tmp_path / "parts.xlsx",
        Sheet("Parts", [["Part", "Price", "Sold"], [4711, 12.5, True], [4712, 840, False]]),
    )
    (page,) = read_document(path).pages
    assert page.text.split("\n") == ["Part\tPrice\tSold", "4711\t12.5\tTRUE", "4712\t840\tFALSE"]
    assert page.headings == ((0, "Parts: Part, Price, Sold"),)
    assert column_names([["Note"], ["x"]]) == ""
    assert column_names([["A", 3.0], ["x", 4.0]]) == ""


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (datetime(2026, 3, 2), "2026-03-02"),
        (datetime(2026, 3, 4, 14, 30), "2026-03-04 14:30"),
        (date(2026, 3, 2), "2026-03-02"),
        ("0012", "0012"),
        (0.5, "0.5"),
    ],
)
def test_a_cell_is_written_as_a_person_reads_it(cell: object, text: str) -> None:
    assert cell_text(cell) == text


def test_boxes_side_by_side_on_a_slide_are_read_from_left_to_right(tmp_path: Path) -> None:
    path = write_pptx(tmp_path / "a.pptx", [("Goals", ["below", "winter|summer"])])
    (page,) = read_document(path).pages
    assert page.text.split("\n\n") == ["Goals", "winter", "summer", "below"]


def test_slides_come_in_their_order_with_boxes_from_top_to_bottom(tmp_path: Path) -> None:
    path = write_pptx(tmp_path / "a.pptx", [("Goals", ["lower", "upper"]), ("Risks", ["one"])])
    first, second = read_document(path).pages
    assert first.headings == ((0, "Goals"),)
    assert first.text.index("upper") < first.text.index("lower")
    assert second.text.startswith("Risks")


def test_an_epub_has_a_page_for_each_chapter(tmp_path: Path) -> None:
    path = write_epub(tmp_path / "a.epub", {"One": "It began.", "Two": "It ended."})
    pages = read_document(path).pages
    assert [page.label for page in pages] == ["One", "Two"]
    assert "It ended." in pages[1].text


def test_html_has_no_scripts_and_keeps_headings_and_cells(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(
        "<title>T</title><h1>Fees</h1><script>steal()</script><table><tr><td>a</td><td>b</td></tr>"
    )
    document = read_document(path)
    assert document.title == "T"
    assert document.pages[0].headings == ((0, "Fees"),)
    assert "a\tb" in document.pages[0].text
    assert "steal" not in document.pages[0].text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030", "shift_jis"])
def test_text_is_read_in_its_encoding(tmp_path: Path, encoding: str) -> None:
    words = "解約の通知は三か月前までに行ってください。\n" * 20
    if encoding == "gb18030":
        words = "合同的通知期限为三个月，逾期视为同意续约。\n" * 20
    path = tmp_path / "a.txt"
    path.write_bytes(words.encode(encoding))
    assert read_document(path).pages[0].text == words


def test_a_mail_is_read_with_its_head_and_the_names_of_its_attachments(tmp_path: Path) -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "ann@example.com", "Lease"
    message.set_content("The lease ends in May.")
    message.add_attachment(b"x", maintype="application", subtype="pdf", filename="lease.pdf")
    path = tmp_path / "a.eml"
    path.write_bytes(bytes(message))
    text = read_document(path).pages[0].text
    assert "From: ann@example.com" in text
    assert "The lease ends in May." in text
    assert "Attachments: lease.pdf" in text


def test_a_mail_inside_a_mail_and_each_of_its_texts_are_read(tmp_path: Path) -> None:
    offer = EmailMessage()
    offer["Subject"] = "Offer 771"
    offer.set_content("The price is 9,300 euros.")
    offer.add_alternative("<p>The price is <b>9,300</b> euros.</p>", subtype="html")
    mail = EmailMessage()
    mail["Subject"] = "Fwd"
    mail.set_content("See below.")
    mail.add_attachment(offer)
    mail.add_attachment("One two.", filename="terms.txt")
    mail.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="plan.pdf")
    signature = EmailMessage()
    signature.set_content("<p>Clinic Nordhavn</p>", subtype="html")
    mail.attach(signature)
    path = tmp_path / "a.eml"
    path.write_bytes(bytes(mail))
    (page,) = read_document(path).pages
    assert [line for line in page.text.splitlines() if line] == [
        *("Subject: Fwd", "See below.", "Subject: Offer 771", "The price is 9,300 euros."),
        *("One two.", "Clinic Nordhavn", "Attachments: terms.txt, plan.pdf"),
    ]


def test_mails_nested_without_end_are_read_to_a_depth(tmp_path: Path) -> None:
    mail = EmailMessage()
    mail.set_content("Innermost.")
    for number in range(60):
        outer = EmailMessage()
        outer.set_content(f"Mail {number}.")
        outer.add_attachment(mail)
        mail = outer
    path = tmp_path / "a.eml"
    path.write_bytes(bytes(mail))
    (page,) = read_document(path).pages
    assert [line for line in page.text.splitlines() if line.startswith("Mail")] == [
        f"Mail {59 - number}." for number in range(6)
    ]


def test_a_mail_from_nobody_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_bytes(b"From::nobody; x=y\r\nSubject: Lease\r\n\r\nThe lease ends in May.\r\n")
    document = read_document(path)
    assert document.title == "Lease"
    assert "The lease ends in May." in document.pages[0].text


def test_a_page_whose_head_does_not_end_has_words(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<html><head><title>Lease</title><meta charset=utf-8><body><h1>Ends</h1>In May")
    document = read_document(path)
    assert (document.title, document.pages[0].text) == ("Lease", "Ends\nIn May")
    assert document.pages[0].headings == ((0, "Ends"),)


def test_an_archive_that_unpacks_to_far_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.documents.formats.office.PART", 10_000)
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * 1_000_000)
    with pytest.raises(DocumentError, match="unpacks to more than"):
        read_document(path)


@pytest.mark.parametrize(
    ("before", "encoding"), [("", "utf-8"), (f"<!--{'x' * 3000}-->", "utf-8"), ("", "utf-16")]
)
def test_declared_entities_are_refused(tmp_path: Path, before: str, encoding: str) -> None:
    path = tmp_path / "a.docx"
    text = f'{before}<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", text.encode(encoding))
    with pytest.raises(DocumentError, match="entities"):
        read_document(path)


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.epub", "a.xlsx", "a.pdf"])
def test_a_file_that_is_not_what_its_name_says_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"not at all what the name says")
    with pytest.raises(DocumentError):
        read_document(path)


def test_an_unknown_type_and_an_empty_file_are_refused(tmp_path: Path) -> None:
    for name in ("a.bin", "a.txt"):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(DocumentError):
            read_document(tmp_path / name)
