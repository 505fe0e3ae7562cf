"""The pages of help: read from resources/help in the language that is spoken, found by their words."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path


@dataclass(frozen=True)
class HelpPage:
    """One page. name: of its file; title: its first heading; text: Markdown; folder: where its pictures are."""

    name: str
    title: str
    text: str
    folder: Path

    def holds(self, words: list[str]) -> bool:
        """Tell whether all the words stand in it, in any case."""
        text = self.text.casefold()
        return all(word.casefold() in text for word in words)


def read_pages(language: str) -> list[HelpPage]:
    """Return the pages in a language, in the order of their names."""
    with as_file(files("resources").joinpath("help")) as folder:
        own = folder / language
        pictures = own if any(own.glob("*.png")) else folder
        return [read_page(path, pictures) for path in sorted(own.glob("*.md"))]


def read_page(path: Path, pictures: Path) -> HelpPage:
    """Return the page of a file."""
    text = path.read_text("utf-8")
    return HelpPage(path.stem, text.partition("\n")[0].removeprefix("# ").strip(), text, pictures)


def found_in(pages: list[HelpPage], wanted: str) -> list[HelpPage]:
    """Return the pages that hold all words of a search; all of them for an empty one."""
    return [page for page in pages if page.holds(wanted.split())]
