"""A server of the Model Context Protocol for one folder: list, find, read and write its files.

python -m app.tools.mcp.files FOLDER

Nothing outside the folder can be reached, not even through a link, and nothing is deleted.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

if TYPE_CHECKING:
    from collections.abc import Iterator

LISTED, CHARACTERS, FILE_BYTES = 500, 60_000, 2_000_000
READS = ToolAnnotations(read_only_hint=True)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=True)


class Folder:
    """The files in a folder and its subfolders. Paths are relative to the folder."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve(strict=True)

    def place(self, path: str) -> Path:
        """Return a path inside the folder.

        Raises: ToolError if it is outside.
        """
        found = (self.root / path).resolve()
        if found != self.root and self.root not in found.parents:
            raise ToolError(f"{path} is outside the folder.")
        return found

    def name(self, path: Path) -> str:
        """Return the relative name of a path."""
        return path.relative_to(self.root).as_posix()

    def files(self) -> Iterator[Path]:
        """Return the files in the folder in order, without hidden files and without links that lead
        out of the folder.
        """
        for path in sorted(self.root.rglob("*")):
            inside = path.relative_to(self.root).parts
            if any(part.startswith(".") for part in inside) or not path.is_file():
                continue
            if self.root in path.resolve().parents:
                yield path

    def text(self, path: Path) -> str:
        """Return the content of a file.

        Raises: ToolError if it is too large or not text.
        """
        if path.stat().st_size > FILE_BYTES:
            raise ToolError(f"{self.name(path)} is larger than {FILE_BYTES // 10**6} MB.")
        try:
            return path.read_text("utf-8")
        except UnicodeDecodeError as error:
            raise ToolError(f"{self.name(path)} is not text.") from error


def server_of(root: Path) -> MCPServer:
    """Return the server for a folder."""
    folder, server = Folder(root), MCPServer("files")

    @server.tool(annotations=READS, title="List folder")
    def list_folder(path: str = ".") -> list[str]:
        """List the files and folders in a folder. Folders end with a slash."""
        place = folder.place(path)
        if not place.is_dir():
            raise ToolError(f"{path} is not a folder.")
        held = sorted(part for part in place.iterdir() if not part.name.startswith("."))
        return [folder.name(part) + "/" * part.is_dir() for part in held[:LISTED]]

    @server.tool(annotations=READS, title="Find files")
    def find_files(name: str) -> list[str]:
        """Find files whose name contains these words, in all folders."""
        words = name.casefold().split()
        found = (folder.name(path) for path in folder.files())
        return [path for path in found if all(word in path.casefold() for word in words)][:LISTED]

    @server.tool(annotations=READS, title="Search in files")
    def search_text(text: str) -> list[str]:
        """Find the lines of text files that contain a text; each with its file and line number."""
        made: list[str] = []
        for path in folder.files():
            try:
                held = folder.text(path)
            except ToolError:
                continue  # an image or a program has no lines
            lines = enumerate(held.splitlines(), 1)
            made += [
                f"{folder.name(path)}:{number}: {line.strip()[:300]}"
                for number, line in lines
                if text.casefold() in line.casefold()
            ]
            if len(made) >= LISTED:
                break
        return made[:LISTED]

    @server.tool(annotations=READS, title="Read file")
    def read_file(path: str, first_line: int = 1) -> str:
        """Return the text of a file, from a line on; a long one is cut, with a note where."""
        place = folder.place(path)
        if not place.is_file():
            raise ToolError(f"There is no file {path}.")
        held = folder.text(place).splitlines(keepends=True)[max(0, first_line - 1) :]
        text = "".join(held)
        if len(text) <= CHARACTERS:
            return text
        shown = text[:CHARACTERS]
        following = max(1, first_line) + len(re.findall("\n", shown))
        return f"{shown}\n[The rest begins in line {following}.]"

    @server.tool(annotations=WRITES, title="Write file")
    def write_file(path: str, text: str) -> str:
        """Write a text file; one that is there is replaced."""
        place = folder.place(path)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")
        except OSError as error:
            raise ToolError(f"{path} was not written: {error.strerror}.") from error
        return f"Wrote {folder.name(place)}."

    return server


if __name__ == "__main__":
    server_of(Path(sys.argv[1])).run()
