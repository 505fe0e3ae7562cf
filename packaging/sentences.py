"""Find user-facing sentences in the layers below the window: texts and remedies of errors.

A sentence with values becomes a template: f"{path} is not a table." gives "{a} is not a table."
"""

from __future__ import annotations

import ast
import itertools
import re
from pathlib import Path

from read_code import FREE, Module, Reader, name_of, read_module, reader_of, words

ROOT = Path(__file__).resolve().parent.parent
ERRORS = {"DeskpilotError", "FlexAIError", "CatalogError", "KernelError", "NoModel"}
# Other calls that carry sentences, and the positions of those arguments.
TELLING = {
    "Status": (1,),
    "StatusUpdate": (1,),
    "Ended": (1, 2),
    "Consent": (0,),
    "FailureKind": (1, 2),
    "sound_card.SoundDevice": (0,),
    "failures.ours": (0, 1),
    "ai_model.ours": (0, 1),
    "worker.kind": (0, 1),
    "present.say": (0,),
    "filters.check": (0,),
    "validator.failed": (1,),
    "mergers.failed": (1,),
    "warnings.append": (0,),
    "why.append": (0,),
    "notes.append": (0,),
}
SAYING = {  # functions that return a sentence
    *("words_for_bug", "stale", "interrupted", "keyring_trouble"),
    *("call_words", "influence_words", "receiver_words"),
}
NAMING = {"KINDS", "DESCRIPTIONS"}  # tables whose texts become parts of sentences
LISTS = {"warnings", "why"}  # lists that are shown
TABLES = {"STATES", "WORDS"}  # tables of sentences, whose values are filled in by `format`
# Translated in place, or shown only in a shell or to other programs.
ELSEWHERE = (
    *("app/ui", "app/cli", "app/api", "app/adapters/gateway"),
    "app/services/conversation/exchange",
    *("app/services/dialogue", "app/services/models/profiles"),
    *("backends/catalog/shell", "backends/protocol", "backends/service/routes/chat"),
)


def read() -> dict[str, Module]:
    """Return the product's modules by dotted name."""
    found: dict[str, Module] = {}
    for path in sorted(
        itertools.chain(*((ROOT / top).rglob("*.py") for top in ("app", "backends")))
    ):
        dotted = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found[dotted] = read_module(path.read_text("utf-8"))
    return found


def errors(modules: dict[str, Module]) -> set[str]:
    """Return the names of all errors that carry a text and a remedy."""
    found, grew = set(ERRORS), True
    classes = [n for m in modules.values() for n in ast.walk(m.tree) if isinstance(n, ast.ClassDef)]
    while grew:
        more = {c.name for c in classes if {name_of(base) for base in c.bases} & found}
        grew = not more <= found
        found |= more
    return found


def template(text: str) -> str:
    """Return a sentence with its values named {a}, {b} … in order, whatever their names in the
    code.
    """
    parts = re.split(f"{FREE}.*?{FREE}", text.strip())
    if len(parts) == 1:
        return parts[0]
    held = [part.replace("{", "{{").replace("}", "}}") for part in parts]
    return held[0] + "".join(f"{{{chr(ord('a') + at)}}}{part}" for at, part in enumerate(held[1:]))


def told(modules: dict[str, Module] | None = None) -> list[str]:
    """Return every template that can be shown, once, in code order."""
    modules = modules or read()
    kinds = {name: (0, 1) for name in errors(modules)} | TELLING
    found: dict[str, None] = {}
    for dotted, module in modules.items():
        if dotted.replace(".", "/").startswith(ELSEWHERE) or dotted.endswith("__main__"):
            continue
        for call, inside in module.calls:
            name = name_of(call.func) if not isinstance(call.func, ast.Call) else ""
            holder = (
                name_of(getattr(call.func, "value", call.func))
                if name == "append"
                else dotted.rpartition(".")[2]
            )
            places = kinds.get(name) or kinds.get(f"{holder}.{name}", ())
            given = [call.args[at] for at in places if at < len(call.args)]
            given += [
                k.value
                for k in call.keywords
                if (places and k.arg in ("text", "remedy")) or k.arg in ("good_for", "note")
            ]
            reader = reader_of(modules, module, inside)
            for one in given:
                found |= {template(text): None for text in reader.read(one) if words(text)}
        for one, reader in beside(modules, module):
            found |= {template(text): None for text in reader.read(one) if words(text)}
    return list(found)


def beside(modules: dict[str, Module], module: Module) -> list[tuple[ast.expr, Reader]]:
    """Return sentences that are not raised: those from functions that return a sentence, and from
    tables.
    """
    found: list[tuple[ast.expr, Reader]] = []
    for name in SAYING & set(module.functions):
        reader = reader_of(modules, module, module.functions[name])
        returned = [n.value for n in ast.walk(module.functions[name]) if isinstance(n, ast.Return)]
        found += [(one, reader) for one in returned if one is not None]
    for name in (NAMING | TABLES) & set(module.names):
        for table in module.names[name]:
            rows = table.values if isinstance(table, ast.Dict) else getattr(table, "elts", [])
            texts = [one for row in rows if isinstance(row, ast.Tuple) for one in row.elts]
            reader = reader_of(modules, module, None)
            found += [(filled(one), reader) for one in texts if is_told(one, whole=name in TABLES)]
    for node in ast.walk(module.tree):
        if isinstance(node, ast.AugAssign) and name_of(node.target) in LISTS:
            texts = getattr(node.value, "elts", []) or [
                getattr(node.value, "elt", ast.Constant(""))
            ]
            found += [(one, reader_of(modules, module, None)) for one in texts]
    return found


def is_told(node: ast.expr, *, whole: bool) -> bool:
    """Return whether a table cell is shown to users. whole: only if it is a complete sentence."""
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and (text.endswith(".") or not whole)


def filled(node: ast.expr) -> ast.expr:
    """Return a text whose {values} are marked as values."""
    assert isinstance(node, ast.Constant)
    return ast.Constant(re.sub(r"\{(\w+)(:[^{}]*)?\}", rf"{FREE}\1{FREE}", str(node.value)))


if __name__ == "__main__":
    print("\n".join(told()))
