"""How fast two builds of llama.cpp are beside each other: the one that is shipped and a native one.

    python -m tests.bench.llama_builds SHIPPED OTHER [--pairs 9] [--model FILE]

Each is a folder with an unpacked `llama_cpp`. Pairs alternate, one thread each; what is compared is
processor time per token, so that other work on the machine does not decide. Exit status 1 where the
shipped one writes at less than 0.95 of the other's speed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from backends.paths import models_folder

LEAST = 0.95
CHILD = """
import json, sys, time, llama_cpp
llm = llama_cpp.Llama(sys.argv[1], n_ctx=1024, n_batch=256, n_threads=1, n_threads_batch=1, verbose=False)
prompt = llm.tokenize(b"A desktop terminal answers questions about tables. " * 20)[:128]
started = time.process_time()
llm.eval(prompt)
read = len(prompt) / (time.process_time() - started)
started = time.process_time()
for _ in range(48):
    llm.eval([llm.sample(temp=0.0)])
print(json.dumps([read, 48 / (time.process_time() - started)]))
"""


def measure(folder: Path, model: Path) -> tuple[float, float]:
    """Return tokens read and written in a second of processor time by the build in a folder."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", CHILD, str(model)],
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    read, written = json.loads(done.stdout.strip().splitlines()[-1])
    return read, written


def main() -> int:
    """Print the ratios with their range; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("shipped", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument(
        "--model", type=Path, default=models_folder() / "smollm2-135m" / "model.gguf"
    )
    order = parser.parse_args()
    ratios: list[tuple[float, float]] = []
    for at in range(order.pairs):
        pair = [order.shipped, order.other]
        told = {one: measure(one, order.model) for one in (pair if at % 2 else pair[::-1])}
        shipped, other = told[order.shipped], told[order.other]
        ratios.append((shipped[0] / other[0], shipped[1] / other[1]))
        print(f"read {shipped[0]:.0f} : {other[0]:.0f}, wrote {shipped[1]:.1f} : {other[1]:.1f}")
    for name, at in (("reads", 0), ("writes", 1)):
        one = [ratio[at] for ratio in ratios]
        middle = statistics.median(one)
        print(f"{name} at {middle:.3f} ({min(one):.3f} to {max(one):.3f}, n={len(one)})")
    return 0 if statistics.median(ratio[1] for ratio in ratios) >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
