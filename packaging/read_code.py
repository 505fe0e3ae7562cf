"""Find the possible texts of an expression in the code: names, choices, parts of sentences,
arguments.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from dataclasses import dataclass, field

MOST = 24  # ways to say one sentence; more are a value
DEEPEST = 6  # names and functions that are followed
Function = ast.FunctionDef | ast.AsyncFunctionDef
FREE = "\ue000"  # stands around the name of a value


@dataclass
class Module:
    """The contents of a file. names: the values assigned to each name. functions: by name."""

    tree: ast.Module
    names: dict[str, list[ast.expr]] = field(default_factory=lambda: defaultdict(list))
    functions: dict[str, Function] = field(default_factory=dict)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)
    calls: list[tuple[ast.Call, Function | None]] = field(default_factory=list)
    readers: dict[int, Reader] = field(default_factory=dict)


def read_module(source: str) -> Module:
    """Return the contents of a file."""
    made = Module(ast.parse(source))
    made.calls = calls(made.tree, None)
    for node in made.tree.body:
        keep(node, made.names)
    for node in ast.walk(made.tree):
        if isinstance(node, Function):
            made.functions[node.name] = node
        if isinstance(node, ast.ImportFrom):
            made.imported |= {a.asname or a.name: (node.module or "", a.name) for a in node.names}
    return made


def keep(node: ast.AST, names: dict[str, list[ast.expr]]) -> None:
    """Record the value that an assignment gives to a name."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                names[target.id].append(node.value)
            elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                if any(isinstance(one, ast.Starred) for one in [*target.elts, *node.value.elts]):
                    continue  # which value a name gets is not known here
                for one, value in zip(target.elts, node.value.elts, strict=True):
                    if isinstance(one, ast.Name):
                        names[one.id].append(value)
    elif (
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and node.value is not None
    ):
        names[node.target.id].append(node.value)


def calls(node: ast.AST, inside: Function | None) -> list[tuple[ast.Call, Function | None]]:
    """Return all calls, each with the function that contains it."""
    found: list[tuple[ast.Call, Function | None]] = []
    for child in ast.iter_child_nodes(node):
        found += calls(child, child if isinstance(child, Function) else inside)
    if isinstance(node, ast.Call):
        found.append((node, inside))
    return found


def name_of(node: ast.AST) -> str:
    """Return the last name of an expression."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
        case ast.Call():
            return (
                name_of(node.args[0])
                if name_of(node.func) in ("len", "str", "repr", "printable", "short") and node.args
                else name_of(node.func)
            )
        case ast.Subscript():
            return name_of(node.value)
        case _:
            return ""


class Reader:
    """Finds the possible texts of an expression."""

    def __init__(self, modules: dict[str, Module], module: Module, inside: Function | None) -> None:
        self._modules, self._module = modules, module
        self._local: dict[str, list[ast.expr]] = defaultdict(list)
        self._given: set[str] = set()
        self._open: set[str] = set()
        self._inside = inside
        if inside is not None:
            for node in ast.walk(inside):
                keep(node, self._local)
                if isinstance(node, ast.arg):
                    self._given.add(node.arg)
                if isinstance(node, ast.For | ast.comprehension):
                    self._given |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}

    def read(self, node: ast.expr, depth: int = 0) -> list[str]:
        """Return all possible texts, with values as their names between two FREE marks."""
        if depth > DEEPEST:
            return [self._value(node)]
        match node:
            case ast.Constant(value=str() as text):
                return [text]
            case ast.JoinedStr():
                return self._join([self._part(one, depth) for one in node.values])
            case ast.BinOp(op=ast.Add()):
                return self._join(
                    [self.read(node.left, depth + 1), self.read(node.right, depth + 1)]
                )
            case ast.IfExp():
                return self.read(node.body, depth + 1) + self.read(node.orelse, depth + 1)
            case ast.BoolOp():
                return [text for one in node.values for text in self.read(one, depth + 1)]
            case ast.Name():
                return self._named(node, depth)
            case (
                ast.Subscript(value=ast.Name())
                | ast.Call(func=ast.Attribute(value=ast.Name(), attr="get"))
            ):
                return self._chosen(node, depth)
            case ast.Call():
                return self._called(node, depth)
            case _:
                return [self._value(node)]

    def _value(self, node: ast.AST) -> str:
        return f"{FREE}{name_of(node) or 'value'}{FREE}"

    def _part(self, node: ast.expr, depth: int) -> list[str]:
        if not isinstance(node, ast.FormattedValue):
            return self.read(node, depth + 1)
        found = (
            self.read(node.value, depth + 1)
            if node.format_spec is None and node.conversion < 0
            else []
        )
        return found or [self._value(node.value)]

    def _join(self, parts: list[list[str]]) -> list[str]:
        made = [""]
        for part in parts:
            few = part if len(made) * len(part) <= MOST else [f"{FREE}value{FREE}"]
            made = [start + end for start in made for end in few]
        return made

    def _named(self, node: ast.Name, depth: int) -> list[str]:
        if node.id in self._given:
            return self._texts(
                node, [reader.read(one, depth + 3) for reader, one in self._passed(node.id)]
            )
        given = self._local.get(node.id) or self._module.names.get(node.id)
        if given and node.id not in self._open:
            self._open.add(node.id)  # a name may be given what it holds already, and more
            found = self._texts(node, [self.read(one, depth + 1) for one in given])
            self._open.discard(node.id)
            return found
        if node.id in self._module.imported:
            where, name = self._module.imported[node.id]
            other = self._modules.get(where)
            if other is not None and other.names.get(name):
                reader = reader_of(self._modules, other, None)
                return self._texts(node, [reader.read(one, depth + 1) for one in other.names[name]])
        return [self._value(node)]

    def _passed(self, name: str) -> list[tuple[Reader, ast.expr]]:
        """Return the values that callers in the same file pass for a parameter of this function."""
        if self._inside is None:
            return []
        arguments = self._inside.args
        places = [arg.arg for arg in arguments.args if arg.arg not in ("self", "cls")]
        unsaid = dict(zip(reversed(places), reversed(arguments.defaults), strict=False))
        unsaid |= {
            a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d
        }
        found: list[tuple[Reader, ast.expr]] = []
        for call, around in self._module.calls:
            if name_of(call.func) == self._inside.name:
                given = unsaid | dict(zip(places, call.args, strict=False))
                given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
                if name in given:
                    found.append((reader_of(self._modules, self._module, around), given[name]))
        return found

    def _texts(self, node: ast.expr, ways: list[list[str]]) -> list[str]:
        found = [text for way in ways for text in way]
        known = [text for text in found if words(text) or not text.strip()]
        if not any(words(text) for text in known):
            return [self._value(node)]
        return known if len(known) == len(found) else [*known, self._value(node)]

    def _chosen(self, node: ast.Subscript | ast.Call, depth: int) -> list[str]:
        owner = node.value if isinstance(node, ast.Subscript) else getattr(node.func, "value", node)
        for given in self._local.get(name_of(owner)) or self._module.names.get(name_of(owner), []):
            if isinstance(given, ast.Dict):
                return self._texts(node, [self.read(one, depth + 1) for one in given.values])
        return [self._value(node)]

    def _called(self, node: ast.Call, depth: int) -> list[str]:
        if isinstance(node.func, ast.Attribute) and node.func.attr in (
            "strip",
            "removesuffix",
            "rstrip",
        ):
            return [text.strip() for text in self.read(node.func.value, depth + 1)]
        plain = (
            isinstance(node.func, ast.Name) or name_of(getattr(node.func, "value", node)) == "self"
        )
        function = self._module.functions.get(name_of(node.func)) if plain else None
        if function is None:
            return [self._value(node)]
        reader = reader_of(self._modules, self._module, function)
        given = [
            n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None
        ]
        return self._texts(node, [reader.read(one, depth + 1) for one in given])


def reader_of(modules: dict[str, Module], module: Module, inside: Function | None) -> Reader:
    """Return the reader for expressions in a function; for None, in the file itself."""
    if id(inside) not in module.readers:
        module.readers[id(inside)] = Reader(modules, module, inside)
    return module.readers[id(inside)]


def words(text: str) -> bool:
    """Return whether a sentence has words in addition to its values."""
    return bool(re.search(r"[A-Za-z]{2}", re.sub(f"{FREE}.*?{FREE}", "", text)))
