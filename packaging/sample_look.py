"""Write the snapshot of the sample table, so that a new window shows it immediately: `python
packaging/sample_look.py`.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from app.data.sources import Sources
from app.data.tables import Looks

SAMPLES = Path(__file__).parents[1] / "resources" / "samples"


def made(folder: Path) -> Path:
    """Write the snapshot of the sample table and its dashboard into a folder, and return it."""
    told = json.loads((SAMPLES / "dashboard.json").read_text("utf-8"))
    sources = Sources(looks=Looks(folder))
    source = sources.add_file(SAMPLES / told["table"])
    for view in told["views"]:
        for column in view["columns"]:
            sources.series(source.uuid, column)
    (written,) = folder.glob("*.json")
    return written


def main() -> None:
    """Replace the existing snapshot."""
    target = SAMPLES / "looks"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    with tempfile.TemporaryDirectory() as folder:
        written = made(Path(folder))
        told = json.loads(written.read_text("utf-8"))
        del told["code"]  # a test says when it is not what this code would write
        (target / written.name).write_text(json.dumps(told, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()
