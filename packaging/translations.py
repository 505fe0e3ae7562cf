"""Update the translation catalogues of the window for Qt Linguist, and compile the files that the
window reads.

    python packaging/translations.py update    update resources/translations/*.ts from the code
    python packaging/translations.py release   compile them into *.qm and sentences.json

There are three catalogues per language. deskpilot_zh.ts contains the strings of the window.
sentences_zh.ts contains the error messages of the layers below, with {a} and {b} for values.
qt_zh.ts contains strings of Qt's own dialogs whose translation is missing or poor; `update` does
not change it.

After adding strings, run `update`, fill in the "unfinished" translations (with Qt Linguist or by
hand), then run `release`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"
LANGUAGES = {"en": "en_US", "zh": "zh_CN", "ja": "ja_JP"}  # English contains only plural forms


def data() -> list[str]:
    """Return the strings that come from data in layers without Qt; the window translates them."""
    sys.path.insert(0, str(ROOT))
    import yaml

    from app.domain.conversation import DAYS, PINNED
    from app.domain.model import TYPES
    from app.domain.settings import PAGES

    words = [PINNED, *DAYS, *TYPES.values()]
    sample = json.loads((ROOT / "resources" / "samples" / "dashboard.json").read_text("utf-8"))
    words += [word for view in sample["views"] for word in (view["name"], *view.get("titles", []))]
    for name in ("catalogue", "packs"):
        entries = yaml.safe_load((ROOT / "resources" / f"{name}.yaml").read_text("utf-8"))
        words += [entry["name"] if name == "packs" else entry["good_for"] for entry in entries]
        words += [entry["licence"] for entry in entries if " " in entry.get("licence", "")]
        words += [word for entry in entries for word in entry.get("languages", []) if len(word) > 3]
    for page in PAGES:
        words.append(page.title)
        for setting in page.settings:
            words += [setting.label, setting.help, setting.unset, setting.unit]
            words += [text for _, text in setting.options]
    return [word for word in dict.fromkeys(words) if word]


def sentences() -> list[str]:
    """Return the templates of the messages from the layers below the window."""
    sys.path.append(str(Path(__file__).parent))
    from sentences import told

    return sorted(told())


def update(folder: Path = FOLDER) -> None:
    """Update the catalogues in a folder from the code; existing translations are kept."""
    sources = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "app" / "ui").rglob("*.py"))
    with tempfile.TemporaryDirectory() as made:
        listed, below = Path(made) / "data.py", Path(made) / "sentences.py"
        listed.write_text("".join(f"mark({quoted(word)})\n" for word in data()), "utf-8")
        below.write_text("".join(f"mark({quoted(word)})\n" for word in sentences()), "utf-8")
        for language, locale in LANGUAGES.items():
            options = ["-source-language", "en_US", "-target-language", locale]
            if language == "en":
                options.append("-pluralonly")
            else:
                find(options, [str(below)], folder / f"sentences_{language}.ts")
            find(options, [*sources, str(listed)], folder / f"deskpilot_{language}.ts")


def find(options: list[str], sources: list[str], catalogue: Path) -> None:
    """Write the strings of source files into a catalogue."""
    ours = [
        "-tr-function-alias",
        "QT_TR_NOOP+=mark",
        "-locations",
        "none",
        "-no-obsolete",
        "-silent",
    ]
    run("lupdate", [*ours, *options, *sources, "-ts", str(catalogue)])


def release(folder: Path = FOLDER, into: Path | None = None) -> None:
    """Compile the catalogues in a folder; the results are written there unless `into` is set."""
    for path in sorted([*folder.glob("deskpilot_*.ts"), *folder.glob("qt_*.ts")]):
        name = path.stem
        made = (into or folder) / f"{name}.qm"
        run("lrelease", ["-silent", "-nounfinished", str(folder / f"{name}.ts"), "-qm", str(made)])
    told: dict[str, dict[str, str]] = {}
    for language in LANGUAGES:
        if language != "en":
            for sentence, said in finished(folder / f"sentences_{language}.ts"):
                told.setdefault(sentence, {})[language] = said
    lines = json.dumps(told, ensure_ascii=False, indent=0, sort_keys=True)
    ((into or folder) / "sentences.json").write_text(f"{lines}\n", "utf-8")


def finished(catalogue: Path) -> list[tuple[str, str]]:
    """Return the translated strings of a catalogue, each with its translation."""
    found = [
        (m.findtext("source", ""), m.find("translation"))
        for m in ElementTree.parse(catalogue).iter("message")
    ]
    return [
        (source, t.text or "") for source, t in found if t is not None and t.get("type") is None
    ]


def quoted(text: str) -> str:
    """Return a text as a string literal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def run(tool: str, arguments: list[str]) -> None:
    """Run one of the Qt tools that come with PySide6."""
    import PySide6

    found = Path(PySide6.__file__).parent / (f"{tool}.exe" if sys.platform == "win32" else tool)
    subprocess.run([str(found), *arguments], check=True, cwd=ROOT)


if __name__ == "__main__":
    if sys.argv[1:] not in (["update"], ["release"]):
        sys.exit(__doc__)
    update() if sys.argv[1] == "update" else release()
