"""The data interfaces, computed by DuckDB, with cells that can be traced to their source."""

from backends.data.computation import interruptibly
from backends.data.declared_select import select_over
from backends.data.errors import (
    ComputationStopped,
    KernelError,
    NothingSelected,
    UnknownColumn,
    WrongArguments,
)
from backends.data.interfaces import INTERFACES, Interface
from backends.data.profile import profile
from backends.data.table import Table, connect, table_from_rows, table_from_sql
from backends.data.values import Cell, ColumnProfile, Condition, Profile, Reach, Result, Scalar

__all__ = [
    "INTERFACES",
    "Cell",
    "ColumnProfile",
    "ComputationStopped",
    "Condition",
    "Interface",
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
