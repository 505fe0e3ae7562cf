"""Embedding and reranking against raw sentence-transformers on torch: `python -m tests.bench.embed
[--pairs 9]`.

Peer and ours embed the same texts (paragraphs of the docstrings of Python, NumPy and SciPy) with
the same model, the starter all-MiniLM-L6-v2, in turns in one process; of each pair the ratio peer /
ours is taken, so above 1 is faster. Prints how near the vectors stay (recall@10 of the peer's), and
the memory of each in a process of its own.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import logging
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

from backends.catalog import Catalog
from backends.flexai.entities import ModelType
from backends.flexai.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCES = (
    "argparse asyncio collections configparser csv datetime decimal difflib email.message fractions"
    " functools http.client inspect io itertools json logging math multiprocessing os pathlib"
    " random re shutil socket sqlite3 ssl statistics string subprocess tarfile threading typing"
    " unittest urllib.request uuid zipfile numpy numpy.linalg numpy.random scipy.stats scipy.linalg"
    " scipy.signal scipy.optimize scipy.sparse scipy.ndimage"
)
REGISTRY = Registry(
    {n: f"backends.providers.{n}" for n in ("onnxruntime", "sentence_transformers")}
)
THREADS = 2
QUERIES = 300


def paragraphs(count: int) -> list[str]:
    """Return paragraphs of docstrings, 30 to 900 characters, always the same for the same
    versions.
    """
    found: set[str] = set()
    for name in SOURCES.split():
        module = importlib.import_module(name)
        for value in list(vars(module).values()):
            members = list(vars(value).values()) if inspect.isclass(value) else []
            for thing in [value, *members]:
                told = inspect.getdoc(thing) if callable(thing) else None
                texts = (" ".join(part.split()) for part in (told or "").split("\n\n"))
                found |= {text for text in texts if 30 < len(text) < 900}
    texts = sorted(found)
    random.Random(1).shuffle(texts)
    return texts[:count]


def recall(theirs: np.ndarray, ours: np.ndarray) -> float:
    """Return the share of the peer's ten nearest that are among ours, over the first texts as
    queries.
    """

    def nearest(rows: np.ndarray) -> np.ndarray:
        near = rows[:QUERIES] @ rows.T
        near[np.arange(QUERIES), np.arange(QUERIES)] = -2  # not itself
        return np.argsort(-near, axis=1)[:, :10]

    pairs = zip(nearest(theirs), nearest(ours), strict=True)
    return float(np.mean([len(set(a) & set(b)) / 10 for a, b in pairs]))


def race(name: str, peer: Callable[[], Any], ours: Callable[[], Any], pairs: int) -> None:
    """Run both in turns and print the ratios peer / ours of wall time and of CPU time."""
    wall, cpu = [], []
    for _ in range(pairs):
        took = []
        for run in (peer, ours):
            begun = time.perf_counter(), time.process_time()
            run()
            took.append((time.perf_counter() - begun[0], time.process_time() - begun[1]))
        wall.append(took[0][0] / took[1][0])
        cpu.append(took[0][1] / took[1][1])
    print(
        f"{name}: {statistics.median(wall):.2f}x wall [{min(wall):.2f} – {max(wall):.2f}], "
        f"{statistics.median(cpu):.2f}x CPU [{min(cpu):.2f} – {max(cpu):.2f}], {pairs} pairs",
        flush=True,
    )


def embedder(provider: str, folder: Path) -> Callable[[list[str]], np.ndarray]:
    """Return how a provider of ours embeds."""
    model: Any = REGISTRY.model(provider, ModelType.TEXT_EMBEDDING)
    credentials = {"model_path": str(folder), "max_tokens": "256", "n_threads": str(THREADS)}
    return lambda texts: np.array(
        model.invoke("m", credentials, texts).embeddings, dtype=np.float32
    )


def int8(folder: Path, target: Path) -> Path:
    """Write the starter's graph with int8 weights a channel; return its folder."""
    from onnxruntime import (
        GraphOptimizationLevel,  # pyright: ignore[reportAttributeAccessIssue]
        InferenceSession,
        SessionOptions,  # pyright: ignore[reportAttributeAccessIssue]
    )
    from onnxruntime.quantization import QuantType, quantize_dynamic

    logging.getLogger().setLevel(logging.ERROR)
    target.mkdir()
    for name in ("tokenizer.json", "model.safetensors"):
        shutil.copy(folder / name, target)
    plain, options = target / "plain.onnx", SessionOptions()
    options.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(plain)  # holds the matrices as they are multiplied
    InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
    quantize_dynamic(
        str(plain),
        str(target / "model.onnx"),
        op_types_to_quantize=["MatMul"],
        per_channel=True,
        weight_type=QuantType.QInt8,
    )
    return target


def embedding(folder: Path, work: Path, pairs: int, count: int) -> None:
    """Compare the peer with each of ours."""
    from sentence_transformers import SentenceTransformer

    peer = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    peer.max_seq_length = 256
    texts = paragraphs(1200)
    some = texts[:count]
    print(
        f"{len(texts)} texts of {statistics.median(map(len, texts)):.0f} characters; {count} a run"
    )

    def raw(given: list[str]) -> np.ndarray:
        return np.asarray(
            peer.encode(given, batch_size=32, normalize_embeddings=True, show_progress_bar=False)
        )

    theirs = raw(texts)
    arms = {
        "onnxruntime": embedder("onnxruntime", folder),
        "onnxruntime int8": embedder("onnxruntime", int8(folder, work / "int8")),
        "sentence_transformers": embedder("sentence_transformers", folder),
    }
    for name, ours in arms.items():
        kept = recall(theirs, ours(texts))
        race(
            f"{name}: recall@10 {kept:.3f}; raw sentence-transformers / ours",
            lambda: raw(some),
            lambda ours=ours: ours(some),
            pairs,
        )
        race(
            f"{name}: one query; raw / ours",
            lambda: raw(some[:1]),
            lambda ours=ours: ours(some[:1]),
            3 * pairs,
        )


def reranking(folder: Path, work: Path, pairs: int) -> None:
    """Compare raw `predict` with ours on a cross-encoder of the starter's size, its head
    untrained.
    """
    from sentence_transformers import CrossEncoder
    from transformers import AutoModelForSequenceClassification

    whole = work / "cross"
    shutil.copytree(folder, whole)
    AutoModelForSequenceClassification.from_pretrained(folder, num_labels=1).save_pretrained(whole)
    peer = CrossEncoder(str(whole), device="cpu", local_files_only=True)
    ours: Any = REGISTRY.model("sentence_transformers", ModelType.RERANK)
    credentials = {"model_path": str(whole), "n_threads": str(THREADS)}
    docs = paragraphs(60)
    query = "how to read a file line by line"
    asked = [(query, doc) for doc in docs]
    theirs = np.asarray(peer.predict(asked, show_progress_bar=False))
    made = {doc.index: doc.score for doc in ours.invoke("m", credentials, query, docs).docs}
    far = max(abs(made[i] - score) for i, score in enumerate(theirs))
    race(
        f"rerank {len(docs)} texts: scores within {far:.0e}; raw CrossEncoder.predict / ours",
        lambda: peer.predict(asked, show_progress_bar=False),
        lambda: ours.invoke("m", credentials, query, docs),
        pairs,
    )


def memory(folder: Path, work: Path) -> None:
    """Print the memory of a process that has embedded once, for each, and of one that imported
    nothing.
    """
    for name in ("nothing", "peer", "onnxruntime", "onnxruntime int8", "sentence_transformers"):
        at = work / "int8" if name.endswith("int8") else folder
        command = [
            sys.executable,
            "-m",
            "tests.bench.embed",
            "--resident",
            name,
            "--folder",
            str(at),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        print(f"memory, {name}: {done.stdout.strip().splitlines()[-1]} MB")


def resident(name: str, folder: Path) -> int:
    """Return the MB this process takes once it has embedded as `name` does."""
    texts = ["a text about the rate of unemployment"] * 32
    if name == "peer":
        from sentence_transformers import SentenceTransformer

        SentenceTransformer(str(folder), device="cpu", local_files_only=True).encode(texts)
    elif name != "nothing":
        embedder(name.partition(" ")[0], folder)(texts)
    return psutil.Process().memory_info().rss // 1_000_000


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--texts", type=int, default=100)
    parser.add_argument("--resident")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    if options.resident:
        print(resident(options.resident, options.folder))
        return
    import torch

    torch.set_num_threads(THREADS)
    found = Catalog().installed("minilm-l6")
    assert found, "pull the starter models first"
    print(f"load {os.getloadavg()[0]:.1f}, {THREADS} threads")
    with tempfile.TemporaryDirectory() as work:
        embedding(found.folder, Path(work), options.pairs, options.texts)
        reranking(found.folder, Path(work), options.pairs)
        memory(found.folder, Path(work))


if __name__ == "__main__":
    main()
