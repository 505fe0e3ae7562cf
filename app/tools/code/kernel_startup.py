"""Runs inside the kernel: reports the line that is running and provides the attached tables.

The source text of this module is sent to the kernel, so it imports nothing from the app.
"""

# pyright: basic
from __future__ import annotations

import ast
import builtins
import sys
import threading
import time
import warnings

NAME = "__deskpilot_line__"
EVERY = 0.03  # seconds between two reports


class LineReports:
    """Reports the running line, at most every 30 ms. A line that runs for a long time is always
    reported.
    """

    def __init__(self, kernel) -> None:
        self.kernel, self.parent = kernel, {}
        self.line = self.told = None
        self.next = 0.0
        self.running = threading.Event()
        threading.Thread(target=self.look, daemon=True).start()

    def at(self, number: int) -> None:
        """Record the line that is now running."""
        self.line = number
        if time.monotonic() >= self.next:
            self.tell()

    def tell(self) -> None:
        """Report the running line if it has changed."""
        self.next = time.monotonic() + EVERY
        if (line := self.line) != self.told:
            self.told = line
            self.kernel.session.send(
                self.kernel.iopub_socket, "deskpilot_line", {"line": line}, parent=self.parent
            )

    def look(self) -> None:
        """Report a line that was skipped if it is still running."""
        while True:
            self.running.wait()
            time.sleep(EVERY)
            if self.running.is_set():
                self.tell()

    def begin(self, *_) -> None:
        """Handle the start of a cell."""
        self.parent, self.line, self.told, self.next = (
            self.kernel.get_parent("shell"),
            None,
            None,
            0.0,
        )
        self.running.set()

    def end(self, *_) -> None:
        """Handle the end of a cell."""
        self.running.clear()


class LineMarker(ast.NodeTransformer):
    """Inserts a call that reports its line before each statement."""

    def generic_visit(self, node):
        """Mark the statements of a block. A docstring and statements that must come first stay in
        place.
        """
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(node, name, None)
            if isinstance(statements, list) and statements:
                setattr(
                    node,
                    name,
                    [made for n, one in enumerate(statements) for made in marked(n, one)],
                )
        return node


def marked(position, statement):
    """Return a statement with the call placed before it."""
    first = (
        position == 0
        and isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
    )
    if first or (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
        return [statement]
    called = ast.Call(ast.Name(NAME, ast.Load()), [ast.Constant(statement.lineno)], [])
    return [ast.fix_missing_locations(ast.copy_location(ast.Expr(called), statement)), statement]


def prepare(shell) -> None:
    """Prepare the kernel."""
    lines = LineReports(shell.kernel)
    setattr(builtins, NAME, lines.at)
    shell.ast_transformers.append(LineMarker())
    shell.events.register("pre_run_cell", lines.begin)
    shell.events.register("post_run_cell", lines.end)
    shell.InteractiveTB.set_mode("Plain")
    warnings.filterwarnings("ignore", module="IPython")  # these concern the kernel's own internals
    sys.path.append("")  # the code's folder, which was not on the path when the kernel started


def tables(places):
    """Return tables by name, as DataFrames."""
    import duckdb

    with duckdb.connect() as connection:
        return {
            name: connection.execute("SELECT * FROM read_parquet(?)", [path]).df()
            for name, path in places.items()
        }
