"""Whether code does nothing but compute: only that may be allowed by voice."""

from __future__ import annotations

import ast

HARMLESS = frozenset(
    [
        "math",
        "statistics",
        "random",
        "datetime",
        "time",
        "calendar",
        "json",
        "re",
        "collections",
        "itertools",
        "functools",
        "string",
        "decimal",
        "fractions",
        "numpy",
        "pandas",
        "matplotlib",
        "plotly",
        "scipy",
        "textwrap",
        "operator",
        "typing",
        "dataclasses",
    ]
)
REACHING = frozenset(
    [
        "open",
        "exec",
        "eval",
        "compile",
        "input",
        "breakpoint",
        "globals",
        "locals",
        "vars",
        "getattr",
        "setattr",
        "delattr",
        "get_ipython",
        "exit",
        "quit",
        "memoryview",
    ]
)
WRITES = (
    "_",
    "to_",
    "save",
    "write",
    "read_",
    "load",
    "dump",
    "tofile",
    "fromfile",
    "eval",
    "query",
    "exec",
)
MODULES = (
    "os",
    "sys",
    "io",
    "subprocess",
    "shutil",
    "socket",
    "builtins",
    "importlib",
    "ctypes",
    "pathlib",
    "urllib",
)
KEPT = (
    "to_datetime",
    "to_numeric",
    "to_list",
    "tolist",
    "to_string",
    "to_dict",
    "to_frame",
    "to_numpy",
    "to_period",
)


def only_computes(language: str, code: str) -> bool:
    """Tell whether code surely reads and writes nothing but its own values; in doubt it does not."""
    if language != "python":
        return False
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):  # magics of IPython, too
        return False
    return all(is_harmless(node) for node in ast.walk(tree))


def is_harmless(node: ast.AST) -> bool:
    """Tell whether one node of a program reaches nothing outside."""
    if isinstance(node, ast.Import):
        return all(alias.name.partition(".")[0] in HARMLESS for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return node.level == 0 and (node.module or "").partition(".")[0] in HARMLESS
    if isinstance(node, ast.Name):
        return node.id not in REACHING and "__" not in node.id
    if isinstance(node, ast.Attribute):
        return node.attr in KEPT or not (node.attr in MODULES or node.attr.startswith(WRITES))
    return True
