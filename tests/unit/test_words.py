"""What the window says: all of it can be translated, and all of it is, into every language we
claim.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import shutil
import string
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from app.domain.errors import DeskpilotError
from app.services.dashboard.tiles import FIRST
from app.ui.dashboard.tabs import shown
from app.ui.theme.i18n import (
    COMMAND_NAMED,
    Catalogue,
    WindowLanguage,
    language_for,
    place_for,
    speak,
    told,
    tr,
    without_commands,
)
from app.ui.theme.i18n import said as in_words
from backends.sentences import VALUE, known, say

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[2]
WINDOW = sorted((REPOSITORY / "app" / "ui").rglob("*.py"))
FOLDER = REPOSITORY / "resources" / "translations"
TASKS = {"_do", "_run", "do", "start", "cancel"}  # their first words name work, for the log
UNSEEN = {"setObjectName", "setStyleSheet", "setProperty", "QKeySequence", "cast", "getattr"}
# Keys, names of files, of fonts, of people's languages and of things; markup and styles.
NO_WORDS = re.compile(
    r"\*\.|(Ctrl|Alt|Shift)\+|Escape$|Enter$|Esc$|Deskpilot$|English$|Deutsch$|Français$|Español$|Microsoft"
    r" YaHei"
    r"|PingFang|Noto Sans|X-API-KEY|\s*[<^\n]|.*[{};<]|M\d|Plotly\.|Markdown$|GB$|"
    r" ms$|font-|color:| &nbsp; $| ?--|Go on\.$"
    r"|\" [a-z]+=\"$|[a-z]+( [a-z]+)* $|choose the theme$"  # what tasks are called
)
SHOWN = re.compile(r"[^A-Za-z]*[A-Z][a-z]|.*[A-Za-z]{2,}.* |.* [a-z]{2,}")


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, REPOSITORY / "packaging" / f"{name}.py")
    assert spec
    assert spec.loader
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


read_code = load("read_code")
sentences = load("sentences")
translations = load("translations")
CATALOGUES = ["deskpilot_en", "deskpilot_zh", "deskpilot_ja", "sentences_zh", "sentences_ja"]


def messages(catalogue: str) -> list[ElementTree.Element]:
    return list(ElementTree.parse(FOLDER / f"{catalogue}.ts").iter("message"))


def said(message: ElementTree.Element) -> list[str]:
    translation = message.find("translation")
    assert translation is not None
    return [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]


def test_the_catalogues_hold_the_words_of_the_code_and_no_others(tmp_path: Path) -> None:
    for file in FOLDER.glob("*.ts"):
        shutil.copy(file, tmp_path)
    translations.update(tmp_path)
    for file in FOLDER.glob("*.ts"):
        new, old = (file_words(folder / file.name) for folder in (tmp_path, FOLDER))
        assert new == old, "run: python packaging/translations.py update"


def file_words(path: Path) -> set[tuple[str, str, bool]]:
    found = ElementTree.parse(path).iter("message")
    return {
        (m.findtext("source", ""), m.findtext("comment", ""), m.get("numerus") == "yes")
        for m in found
    }


@pytest.mark.parametrize("catalogue", CATALOGUES)
def test_every_word_is_translated(catalogue: str) -> None:
    for message in messages(catalogue):
        translation = message.find("translation")
        assert translation is not None
        assert translation.get("type") is None, message.findtext("source")
        assert all(said(message)), message.findtext("source")


@pytest.mark.parametrize("catalogue", CATALOGUES)
def test_a_translation_has_the_same_values_in_it(catalogue: str) -> None:
    for message in messages(catalogue):
        source = message.findtext("source", "")
        for form in said(message):
            assert values(form) == values(source), source
            assert ("%n" in form) == ("%n" in source), source


def values(text: str) -> set[str]:
    if not re.search(r"\{\w+(:[^{}]*)?\}", text):
        return set()
    return {
        f"{name}:{form}" for _, name, form, _ in string.Formatter().parse(text) if name is not None
    }


def test_the_window_reads_what_the_catalogues_say(tmp_path: Path) -> None:
    translations.release(into=tmp_path)
    for name in (
        "deskpilot_en.qm",
        "deskpilot_zh.qm",
        "deskpilot_ja.qm",
        "qt_zh.qm",
        "qt_ja.qm",
        "sentences.json",
    ):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), (
            "run: python packaging/translations.py release"
        )


def is_named(node: ast.AST, names: set[str]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
    return name in names


def unseen(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield what holds text that nobody sees as it stands, or that is translated."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from node.body[:1] if ast.get_docstring(node) is not None else []
        if is_named(node, {"tr", "mark"} | UNSEEN):
            yield node
        if is_named(node, TASKS):
            assert isinstance(node, ast.Call)
            yield from node.args[:1]
        if isinstance(node, ast.Subscript):
            yield node.slice
        if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
            yield node.annotation
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            yield node.returns
        if isinstance(node, ast.Assign) and [getattr(t, "id", "") for t in node.targets] in (
            ["TASK"],
            ["__all__"],
        ):
            yield node.value


def test_nothing_is_shown_that_cannot_be_translated() -> None:
    found: list[str] = []
    for path in WINDOW:
        if path.parent.name == "theme" or path.name == "commands.py":  # commands of the shell
            continue
        tree = ast.parse(path.read_text("utf-8"))
        hidden = {id(inner) for node in unseen(tree) for inner in ast.walk(node)}
        for node in ast.walk(tree):
            text = (
                node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            )
            if id(node) not in hidden and SHOWN.match(text) and not NO_WORDS.match(text):
                found.append(
                    f"{path.relative_to(REPOSITORY)}:{getattr(node, 'lineno', 0)} {text!r}"
                )
    assert not found, "say it with tr(), or mark() it"


def test_words_that_are_translated_stand_whole_in_the_code() -> None:
    found: list[str] = []
    for path in WINDOW:
        if path.parent.name == "words":
            continue
        tree = ast.parse(path.read_text("utf-8"))
        inside = [n for f in ast.walk(tree) if isinstance(f, ast.JoinedStr) for n in ast.walk(f)]
        glued = [
            n
            for n in inside
            if is_named(n, {"tr"}) and isinstance(n, ast.Call) and is_text(n.args[0])
        ]
        made = [
            n for n in ast.walk(tree) if is_named(n, {"tr", "mark"}) and isinstance(n, ast.Call)
        ]
        glued += [n for n in made if isinstance(n.args[0], ast.JoinedStr | ast.BinOp)]
        found += [f"{path.relative_to(REPOSITORY)}:{node.lineno}" for node in glued]
    assert not found, "Qt Linguist finds plain texts only, and never in f-strings"


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


@pytest.fixture
def quiet() -> Iterator[None]:
    """Speak English again after a test."""
    yield
    speak("en")
    WindowLanguage.now = None


def test_a_number_has_its_plural(quiet: None) -> None:
    assert [tr("%n rows", "", n) for n in (0, 1, 2, 1234)] == [
        "0 rows",
        "1 row",
        "2 rows",
        "1,234 rows",
    ]
    speak("zh")
    assert [tr("%n rows", "", n) for n in (1, 1234)] == ["1 行", "1,234 行"]


def test_a_language_is_the_chosen_one_or_the_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DESKPILOT_LANGUAGE", raising=False)
    assert [language_for(chosen) for chosen in ("zh", "ja", "en", "tlh")] == [
        "zh",
        "ja",
        "en",
        "en",
    ]
    monkeypatch.setenv("DESKPILOT_LANGUAGE", "ja")
    assert language_for("zh") == "ja"


def test_words_without_a_translation_are_said_as_they_are() -> None:
    assert Catalogue("ja").find("a name of somebody's own", "", -1) == "a name of somebody's own"


def test_a_dashboard_that_nobody_named_is_called_as_the_language_has_it(quiet: None) -> None:
    assert [shown(name) for name in (FIRST.name, "Prices")] == ["Dashboard", "Prices"]
    speak("zh")
    assert [shown(name) for name in (FIRST.name, "Prices")] == ["仪表板", "Prices"]


def test_errors_of_the_layers_below_are_told_in_the_persons_language(quiet: None) -> None:
    error = DeskpilotError("Desk does not respond.", "Send the question again.")
    assert told(error) == str(error)
    speak("zh")
    assert told(error) == "Desk 没有回应。请重新发送问题。"
    assert in_words(str(error)) == told(error)
    assert in_words("Available: a, b.") == "现有：a, b。"
    assert in_words("Nobody translated this.") == "Nobody translated this."
    assert in_words("") == ""
    speak("ja")
    assert told(error) == "Desk が応答しません。質問を送り直してください。"


def test_a_sentence_is_found_among_what_others_said() -> None:
    assert (
        say("rates.csv: No row meets these conditions.", "zh")
        == "rates.csv: 没有符合这些条件的行。"
    )
    said = say("Nobody knows why. No row meets these conditions. It broke.", "ja")
    assert said == "Nobody knows why. この条件に合う行はありません。It broke."
    refused = "The server at 127.0.0.1:8 refused the key (401): no such key."
    assert say(refused, "zh") == "服务器 127.0.0.1:8：拒绝了密钥（401）: no such key。"
    assert say("x" * 5_000, "zh") == "x" * 5_000


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_whatever_stands_in_a_sentence_it_is_found(language: str) -> None:
    read = json.loads((FOLDER / "sentences.json").read_text("utf-8"))
    plain, templates = known()
    assert len(plain) + len(templates) == len(read)
    for sentence, translations in read.items():
        values = {name: f"v{name}" for name in VALUE.findall(sentence)}
        held = sentence.format(**values) if values else sentence
        assert say(held, language) != held or translations[language] == sentence, sentence


WRITTEN = """
AGAIN = "Try again."
FAULTS = {1: "is empty", 2: f"has {AGAIN} in it"}

class OurError(DeskpilotError):
    pass

def gone(what, how=""):
    return OurError(f"The {what} is gone{how}.", remedy=AGAIN if how else "Find it.")

def work(path, error):
    text = f"{path.name} {FAULTS[1]}."
    raise gone("key") from OurError(text + f" It said {error!r}: {{}}.", error.remedy)

def more(value):
    gone(value, " for good")
    print("This is told to nobody.")
"""


def test_what_an_error_can_tell_is_read_from_the_code() -> None:
    module = read_code.read_module(WRITTEN)
    assert set(sentences.told({"app.written": module})) == {
        "The key is gone.",
        "The key is gone for good.",
        "The {a} is gone.",
        "The {a} is gone for good.",
        "Try again.",
        "Find it.",
        "{a} is empty. It said {b}: {{}}.",
        "{a} has Try again. in it. It said {b}: {{}}.",
    }


def test_no_sentence_of_the_window_is_a_command_of_the_shell() -> None:
    found = [text for text in sentences.told() if COMMAND_NAMED.search(text)]
    assert len(found) > 20
    assert [text for text in found if COMMAND_NAMED.search(without_commands(text))] == []
    missing = "There is no language model on this machine. Download one with: deskpilot models pull x (9 MB)"
    assert without_commands(missing) == "There is no language model on this machine."
    assert place_for(missing) == ("models", "Models")
    assert place_for("The disk is full.") == ("", "")
