"""Write a tiny model as a GGUF file: what every builder does at its end."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import gguf


def finish(file: gguf.GGUFWriter) -> None:
    """Write all that was added, and close the file."""
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


def build(name: str, write: Callable[[Path], None]) -> None:
    """Write the model into the folder the command names, and say how large it is."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    write(out / name)
    print(f"{out / name}: {(out / name).stat().st_size} bytes")
