"""Data interfaces computed by DuckDB, each cell traceable."""

from backends.kernel.errors import (
    Interrupted,
    KernelError,
    NothingSelected,
    UnknownColumn,
    WrongArguments,
)
from backends.kernel.interfaces import INTERFACES, Interface
from backends.kernel.profile import profile
from backends.kernel.sql.over import select_over
from backends.kernel.sql.rows import table_from_rows
from backends.kernel.stopping import interruptibly
from backends.kernel.table import Table, connect, table_from_sql
from backends.kernel.values import Cell, ColumnProfile, Condition, Profile, Reach, Result, Scalar

__all__ = [
    "INTERFACES",
    "Cell",
    "ColumnProfile",
    "Condition",
    "Interface",
    "Interrupted",
    "KernelError",
    "NothingSelected",
    "Profile",
    "Reach",
    "Result",
    "Scalar",
    "Table",
    "UnknownColumn",
    "WrongArguments",
    "connect",
    "interruptibly",
    "profile",
    "select_over",
    "table_from_rows",
    "table_from_sql",
]
