"""Generate the manual page from the commands. Runs with the tree's Python.

python3 manual.py VERSION DAY > deskpilot.1
"""

from __future__ import annotations

import re
import sys
from typing import Any

import typer.main

from app.cli.commands import app


def plain(text: str | None) -> str:
    """Return a text on one line, escaped for roff."""
    flat = re.sub(r"\s+", " ", text or "").strip()
    return flat.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")


def options(command: Any) -> list[str]:
    """Return the lines for the options shown in the help."""
    lines: list[str] = []
    for one in command.params:
        if one.param_type_name == "option" and not one.hidden and one.help:
            names = ", ".join([*one.opts, *one.secondary_opts])
            value = "" if one.is_flag else f" \\fI{one.name.upper()}\\fR"
            lines += [".TP", f"\\fB{plain(names)}\\fR{value}", plain(one.help)]
    return lines


def section(command: Any, name: str) -> list[str]:
    """Return the lines for a command and its subcommands."""
    lines: list[str] = []
    if below_it := getattr(command, "commands", None):
        for one, below in sorted(below_it.items()):
            if not below.hidden:
                lines += section(below, f"{name} {one}")
        return lines
    words = [one.name.upper() for one in command.params if one.param_type_name == "argument"]
    told = plain(" ".join([name, *words]))
    return [f".SS {told}", plain(command.help), *options(command)]


def main() -> None:
    """Print the page."""
    version, day = sys.argv[1:3]
    top = typer.main.get_command(app)
    lines = [
        f'.TH DESKPILOT 1 {day} "Deskpilot {version}" "User Commands"',
        ".SH NAME",
        "deskpilot \\- desktop terminal for AI copilots with its own models",
        ".SH SYNOPSIS",
        ".B deskpilot",
        "[\\fIOPTIONS\\fR] [\\fICOMMAND\\fR]",
        ".SH DESCRIPTION",
        "Without a command, Deskpilot opens its window; without a display, a chat in the shell.",
        ".SH OPTIONS",
        *options(top),
        ".SH COMMANDS",
        *section(top, "deskpilot"),
        ".SH FILES",
        ".TP",
        ".I ~/.local/share/deskpilot",
        "Conversations, settings and models; another folder if DESKPILOT_HOME names one.",
    ]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
