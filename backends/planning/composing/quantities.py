"""Quantities: columns, and what is made of them by +, -, * and /."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Leaf:
    """A column."""

    source: str
    column: str


@dataclass(frozen=True)
class Node:
    """Two quantities and what is made of them."""

    sign: str
    left: Leaf | Node
    right: Leaf | Node


Quantity = Leaf | Node


def balanced(tokens: list[str | Quantity]) -> list[str | Quantity]:
    """Return tokens without brackets that have no other half."""
    open_: list[int] = []
    drop: set[int] = set()
    for i, token in enumerate(tokens):
        if token == "(":
            open_.append(i)
        elif token == ")":
            if open_:
                open_.pop()
            else:
                drop.add(i)
    drop |= set(open_)
    return [t for i, t in enumerate(tokens) if i not in drop]


def parsed(tokens: Sequence[str | Quantity]) -> Quantity | None:
    """Return a quantity of columns, signs and brackets; None if they make none."""
    rest = list(tokens)

    def factor() -> Quantity | None:
        if not rest:
            return None
        token = rest.pop(0)
        if token == "(":
            made = total()
            if rest and rest[0] == ")":
                rest.pop(0)
            return made
        return token if isinstance(token, Leaf | Node) else None

    def chain(of: tuple[str, ...], inner: str) -> Quantity | None:
        made = factor() if inner == "factor" else chain(("*", "/"), "factor")
        while made is not None and rest and rest[0] in of:
            sign = str(rest.pop(0))
            right = factor() if inner == "factor" else chain(("*", "/"), "factor")
            made = Node(sign, made, right) if right is not None else None
        return made

    def total() -> Quantity | None:
        return chain(("+", "-"), "term")

    made = total()
    return made if not rest else None


def leaves(quantity: Quantity) -> list[Leaf]:
    """Return the columns of a quantity, each once."""
    if isinstance(quantity, Leaf):
        return [quantity]
    return list(dict.fromkeys([*leaves(quantity.left), *leaves(quantity.right)]))


def written(quantity: Quantity) -> str:
    """Return a quantity in words."""
    if isinstance(quantity, Leaf):
        return quantity.column
    left, right = written(quantity.left), written(quantity.right)
    if isinstance(quantity.left, Node) and quantity.sign in "*/" and quantity.left.sign in "+-":
        left = f"({left})"
    if isinstance(quantity.right, Node):
        right = f"({right})"
    return f"{left} {quantity.sign} {right}"


def signs(quantity: Quantity) -> set[str]:
    """Return the signs of a quantity."""
    return (
        set()
        if isinstance(quantity, Leaf)
        else {quantity.sign} | signs(quantity.left) | signs(quantity.right)
    )
