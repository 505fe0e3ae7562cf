"""Import models from this machine. They are recognised by their content, not by their name."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

from backends.catalog.download import PIECE_BYTES, DownloadProgress, Report, need_space, sha256_of
from backends.catalog.entries import CatalogEntry, HubSource, LocalFile, LocalSource, write_mark
from backends.catalog.errors import NotAModel, NotTheFile
from backends.flexai.entities import ModelType
from backends.gguf import NotGguf, missing_parts, need_whole, own_name, parts_of, read_gguf

Files = dict[str, Path]  # name in the model's folder → current path of the file
WHISPER = ("config.json", "model.bin", "tokenizer.json")
WHISPER_MORE = ("vocabulary.json", "vocabulary.txt", "preprocessor_config.json")
WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin")
WANTED = re.compile(
    r".*\.(json|txt|safetensors|model)|pytorch_model.*\.bin"
)  # files that sentence-transformers reads
UNREAD = {"onnx", "openvino", ".git"}  # folders that contain the same model for other engines
EYES = "projector.gguf"  # name of a model's projector in its folder
GUARDS = ("guard", "shieldgemma")  # parts of the names of guard models
SYSTEM_VOICE = "espeak-ng"  # a program that can speak without a model file
KINDS = (
    "a folder with a model for faster-whisper or sentence-transformers, a Piper voice (.onnx"
    " with its .onnx.json), or a GGUF file"
)


def recognise(path: Path, model_id: str | None) -> tuple[CatalogEntry, Files]:
    """Return what kind of model a file or folder is.

    Raises: NotAModel.
    """
    if not path.exists():
        raise NotAModel(f"There is nothing at {path}.", f"Name {KINDS}.")
    if (
        own := system_voice()
    ) is not None and path.resolve() == own.resolve():  # no other program is ever run
        name, files = SYSTEM_VOICE, {SYSTEM_VOICE: path}
        return described(name, model_id, ModelType.TTS, "espeak", name, ["multilingual"], files)
    voice = voice_in(path)
    if path.is_dir() and all((path / name).is_file() for name in WHISPER):
        files = {n: path / n for n in (*WHISPER, *WHISPER_MORE) if (path / n).is_file()}
        return described(
            path.name, model_id, ModelType.SPEECH2TEXT, "faster_whisper", ".", [], files
        )
    if voice is not None:
        beside = voice.with_name(voice.name + ".json")
        files = {voice.name: voice, beside.name: beside}
        name = voice.name.removesuffix(".onnx")
        return described(
            name, model_id, ModelType.TTS, "piper", voice.name, spoken_by(beside), files
        )
    if (kind := kind_of_folder(path)) is not None:
        files = files_of_folder(path)
        return described(path.name, model_id, kind, "sentence_transformers", ".", [], files)
    if path.is_file() and begins_as_gguf(path):
        return gguf_model(path, model_id)
    raise NotAModel(f"{path} is not a model that can be used here.", f"Name {KINDS}.")


def system_voice(path: str | None = None) -> Path | None:
    """Return the path of the system's voice program, or None if there is none.

    path: folders in the format of the PATH variable, which is the default.
    """
    place = shutil.which(SYSTEM_VOICE, path=path)
    return Path(place) if place is not None else None


def begins_as_gguf(path: Path) -> bool:
    """Return whether a file starts with a GGUF header."""
    with path.open("rb") as file:
        return file.read(4) == b"GGUF"


def gguf_model(path: Path, model_id: str | None) -> tuple[CatalogEntry, Files]:
    """Return the kind of a GGUF file: a language model, or a guard model if its name says so.

    For a split model, any part can be given, but all parts must be in the same folder. If exactly
    one other GGUF file there has mmproj in its name, it is used as the projector. Raises:
    NotAModel.
    """
    first, *more = parts_of(path)
    if missing := missing_parts(path):
        raise NotAModel(
            f"The model has {1 + len(more)} parts, but {missing[0].name} is not in the same"
            f" folder as {path.name}.",
            "Download it, put it there, and run the same command again.",
        )
    part = first
    try:
        head = read_gguf(first)
        for part in (first, *more):
            need_whole(part)
    except NotGguf as error:
        raise NotAModel(
            f"{part.name} is a damaged GGUF file.", "Copy or download it again."
        ) from error
    if head.architecture == "clip":
        raise NotAModel(
            f"{path.name} is the projector of another model.",
            "Import the model; a projector next to it is imported too.",
        )
    guard = any(word in head.name.lower() for word in GUARDS)
    kind = ModelType.MODERATION if guard else ModelType.LLM
    files = {"model.gguf": path}
    if more:  # the engine finds the other parts by these names
        files = {
            f"model-{n:05}-of-{1 + len(more):05}.gguf": part
            for n, part in enumerate([first, *more], 1)
        }
    entry, files = described(
        own_name(path), model_id, kind, "llama_cpp", next(iter(files)), [], files
    )
    eyes = [other for other in path.parent.glob("*.gguf") if "mmproj" in other.name.lower()]
    return with_projector(entry, files, eyes[0]) if len(eyes) == 1 and not guard else (entry, files)


def kind_of_folder(path: Path) -> ModelType | None:
    """Return whether a sentence-transformers folder contains an embedder or a reranker, or None for
    any other folder.
    """
    modules, inner = told_by(path / "modules.json"), path
    if isinstance(modules, list) and modules and isinstance(modules[0], dict):
        inner = path / str(modules[0].get("path", ""))
        if (
            str(modules[0].get("type")).endswith("StaticEmbedding")
            and (inner / WEIGHTS[0]).is_file()
        ):
            return ModelType.TEXT_EMBEDDING  # a table of vectors, which needs no configuration
    config = told_by(inner / "config.json")
    if not isinstance(config, dict) or not any((inner / name).is_file() for name in WEIGHTS):
        return None
    made = told_by(path / "config_sentence_transformers.json")
    reranks = str((config.get("architectures") or [""])[0]).endswith("ForSequenceClassification")
    if isinstance(modules, list):
        reranks = isinstance(made, dict) and made.get("model_type") == "CrossEncoder"
    return ModelType.RERANK if reranks else ModelType.TEXT_EMBEDDING


def files_of_folder(path: Path) -> Files:
    """Return the files in a sentence-transformers folder that the library reads, including those in
    subfolders.
    """
    here = [file for file in path.rglob("*") if file.is_file() and WANTED.fullmatch(file.name)]
    parts = {file.relative_to(path): file for file in sorted(here)}
    return {
        str(name.as_posix()): file for name, file in parts.items() if not UNREAD & set(name.parts)
    }


def told_by(file: Path) -> Any:
    """Return the content of a JSON file, or None if it is missing or invalid."""
    try:
        return json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def voice_in(path: Path) -> Path | None:
    """Return the only Piper voice in a folder, or the file itself if it is a voice."""
    found = (
        sorted(path.glob("*.onnx")) if path.is_dir() else [path] if path.suffix == ".onnx" else []
    )
    whole = [voice for voice in found if voice.with_name(voice.name + ".json").is_file()]
    return whole[0] if len(whole) == 1 else None


def spoken_by(beside: Path) -> list[str]:
    """Return the language that is stated in a voice's JSON file.

    Raises: NotAModel.
    """
    try:
        told = json.loads(beside.read_text("utf-8"))
        if "phoneme_id_map" not in told:
            raise ValueError("it does not describe a voice")
        family = told.get("language", {}).get("family")
    except (ValueError, AttributeError, TypeError) as error:
        raise NotAModel(
            f"{beside.name} cannot be read: {error}.", "Copy both of the voice's files."
        ) from error
    return [family] if family else []


def described(
    name: str,
    model_id: str | None,
    kind: ModelType,
    provider: str,
    at: str,
    languages: list[str],
    files: Files,
) -> tuple[CatalogEntry, Files]:
    """Return the entry of an imported model."""
    known = [LocalFile(name=n, bytes=file.stat().st_size) for n, file in files.items()]
    own = model_id or re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", own):
        raise NotAModel(
            f"{own!r} is not a valid model name.",
            "Specify an --id of letters, digits, dots and hyphens.",
        )
    entry = CatalogEntry(
        id=own,
        name=name,
        type=kind,
        provider=provider,
        model=own,
        licence="see its source",
        languages=languages,
        good_for="Imported.",
        source=LocalSource(kind="local", files=known),
        credentials={"model_path": at},
    )
    return entry, files


def with_projector(
    entry: CatalogEntry, files: Files, projector: Path
) -> tuple[CatalogEntry, Files]:
    """Return a language model with the projector that lets it see images, replacing any other
    projector."""
    files = files | {EYES: projector}
    source = LocalSource(
        kind="local",
        files=[LocalFile(name=n, bytes=file.stat().st_size) for n, file in files.items()],
    )
    credentials = entry.credentials | {"projector_path": EYES}
    return entry.model_copy(update={"source": source, "credentials": credentials}), files


def fit(entry: CatalogEntry, path: Path) -> tuple[CatalogEntry, Files]:
    """Return the files in a folder that a model in the catalogue needs, after checking the hash of
    each.

    Raises: NotAModel, NotTheFile.
    """
    if not isinstance(entry.source, HubSource):
        raise NotAModel(
            f"{entry.name} is not available as a folder.",
            f"Download it: deskpilot models pull {entry.id}",
        )
    files: Files = {}
    for file in entry.source.files:
        places = (path / file.path, path / file.name, path / file.path.rpartition("/")[2])
        here = next((place for place in places if place.is_file()), places[-1])
        if not here.is_file():
            raise NotAModel(
                f"{here.name} is missing from {path}.", "Copy all of the model's files there."
            )
        if here.stat().st_size != file.bytes or sha256_of(here) != file.sha256:
            raise NotTheFile(
                f"{here.name} is not the file of {entry.name}: its hash differs.",
                "Copy it again, or omit --id to import it as a model of your own.",
            )
        files[file.name] = here
    return entry, files


def take_in(entry: CatalogEntry, files: Files, folder: Path, *, link: bool, report: Report) -> None:
    """Copy or link files into a model's folder, and mark it as complete.

    Raises: NoSpace, OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    total, done = entry.source.bytes, 0
    if not link:
        need_space(folder, total)
    for name, file in files.items():
        part = folder / f"{name}.part"
        part.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        if link:
            link_to(file.resolve(), part)
        else:
            with file.open("rb") as source, part.open("wb") as target:
                while piece := source.read(PIECE_BYTES):
                    target.write(piece)
                    done += len(piece)
                    report(DownloadProgress("copying", done, total))
            shutil.copystat(file, part)
        os.replace(part, folder / name)
    write_mark(folder, entry)


def link_to(file: Path, place: Path) -> None:
    """Create a symbolic link to a file, or a hard link where symbolic ones are not allowed, as on
    Windows.

    Raises: OSError.
    """
    try:
        place.symlink_to(file)
    except OSError:
        os.link(file, place)
