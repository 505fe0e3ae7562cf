"""The commands of the shell."""

from app.cli.commands import main

__all__ = ["main"]
