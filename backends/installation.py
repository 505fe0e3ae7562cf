"""How this Deskpilot was installed, and which commands work in this installation.

Sentences that name a command get it from here: `pip install` does not work in a Debian package, and
`packaging/dev.py` exists only in a clone.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

Kind = Literal["clone", "pip", "pipx", "uv", "deb", "tree"]
KINDS: tuple[Kind, ...] = ("clone", "pip", "pipx", "uv", "deb", "tree")
MARK = "installation.json"  # in the folder of a packaged Python; states the kind of installation
# folder for packages that an administrator adds to the Debian package
ADDED = "/usr/local/lib/deskpilot/site-packages"


@dataclass(frozen=True)
class Installation:
    """An installation of Deskpilot. prefix: the folder of its Python. root: the folder of the
    clone, if Deskpilot runs from one.
    """

    kind: Kind
    prefix: Path
    root: Path

    @property
    def documents(self) -> Path | None:
        """Return the folder with a package's licences and sources, or None outside a package."""
        base = {"tree": self.prefix.parent, "deb": self.prefix.parents[2]}.get(self.kind)
        folder = base / "share" / "doc" / "deskpilot" if base else None
        return folder if folder is not None and folder.is_dir() else None

    @property
    def models(self) -> Path | None:
        """Return the folder of models in a package, or None if the package contains no models."""
        folder = self.prefix.parent / "models"
        return folder if self.kind in ("deb", "tree") and folder.is_dir() else None

    @property
    def python(self) -> str:
        """Return the path of Python, as written in a command."""
        name = "Scripts/python.exe" if sys.platform == "win32" else "bin/python3"
        return shlex.quote(str(self.prefix / name))

    def start(self) -> str:
        """Return the command that starts Deskpilot. This is the short name if the shell finds this
        installation under that name.
        """
        own = {
            "deb": self.prefix.parent / "bin" / "deskpilot",
            "tree": self.prefix.parent / "bin" / "deskpilot",
        }.get(self.kind, self.prefix / "bin" / "deskpilot")
        found = shutil.which("deskpilot")
        if found is not None and Path(found).resolve() == own.resolve():
            return "deskpilot"
        if self.kind == "clone":
            return f"python3 {shlex.quote(str(self.root / 'packaging' / 'dev.py'))} run"
        return shlex.quote(str(own))

    def typed(self, text: str) -> str:
        """Return a text in which `deskpilot COMMAND` is replaced by the form that works here."""
        start = self.start()
        if start == "deskpilot":
            return text
        return re.sub(r"(?<![\w/.-])deskpilot(?= (?:--)?[a-z])", lambda _: start, text)

    def add(self, *wanted: str) -> str:
        """Return the command that adds Python packages to this installation."""
        names = " ".join(shlex.quote(one) for one in wanted)
        match self.kind:
            case "pipx":
                return f"pipx inject deskpilot {names}"
            case "uv":
                return f"uv pip install --python {self.python} {names}"
            case "deb":
                return f"sudo {self.python} -m pip install --target {ADDED} {names}"
            case _:
                return f"{self.python} -m pip install {names}"

    def add_pip(self) -> str:
        """Return the command that installs pip if this Python has no working pip."""
        match self.kind:
            case "clone" | "pip":
                return f"{self.python} -m ensurepip"
            case "pipx" | "uv":
                return self.add("pip")
            case _:
                return self.mend()

    def mend(self) -> str:
        """Return the fix to suggest when a part of Deskpilot itself is missing."""
        match self.kind:
            case "clone":
                folder = shlex.quote(str(self.prefix))
                return f"rm -r {folder}; python3 {shlex.quote(str(self.root))}/packaging/dev.py run"
            case "pip":
                return f"{self.python} -m pip install --force-reinstall deskpilot"
            case "pipx":
                return "pipx reinstall deskpilot"
            case "uv":
                return "uv tool upgrade --reinstall deskpilot"
            case "deb":
                return "sudo apt-get install --reinstall ./deskpilot_VERSION_amd64.deb"
            case "tree":
                return "unpack the archive again and run its install.sh"

    def gpu(self, device: str = "auto") -> str:
        """Return instructions for installing engines that use a GPU. device: `auto`, `cuda`,
        `metal` or `vulkan`.
        """
        if self.kind == "clone":
            return f"python3 {shlex.quote(str(self.root))}/packaging/dev.py run --gpu {device}"
        return "set Deskpilot up from a clone; this installation computes on the processor"


@cache
def installation() -> Installation:
    """Return how this Deskpilot was installed."""
    return find(Path(sys.prefix), Path(__file__).resolve().parents[1])


def find(prefix: Path, root: Path) -> Installation:
    """Return the installation that belongs to a Python prefix and the folder of our modules."""
    kind: Kind = "pip"
    if (mark := prefix / MARK).is_file():
        told = json.loads(mark.read_text("utf-8"))["kind"]
        kind = "deb" if told == "deb" else "tree"
    elif (root / "pyproject.toml").is_file():
        kind = "clone"
    elif (prefix / "pipx_metadata.json").is_file():
        kind = "pipx"
    elif (prefix / "uv-receipt.toml").is_file():
        kind = "uv"
    return Installation(kind, prefix, root)
