"""Fill a folder with the models of this machine, and take models in from such a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from backends.catalog.catalog import Catalog, Installed
from backends.catalog.download import Progress, Report, need_space, sha256_of
from backends.catalog.entries import MARK, PREPARED, hashes, write_mark
from backends.catalog.errors import NotAModel, NotTheFile
from backends.catalog.kit.copying import copy_whole, is_there
from backends.catalog.kit.manifest import KitFile, KitModel, Manifest, read_manifest, write_manifest

AGAIN = "Copy the kit again from where it was made."


def export_kit(
    catalog: Catalog, folder: Path, ids: list[str], report: Report = lambda _: None
) -> list[str]:
    """Copy models into a kit and return their ids; what is in it already, whole, is left as it is.

    ids: of installed models; empty for all of them. Links are followed: a kit holds files.
    Raises: CatalogError and its kinds, OSError.
    """
    chosen = [found for found in catalog.all_installed() if not ids or found.entry.id in ids]
    for missing in sorted(set(ids) - {found.entry.id for found in chosen}):
        name = catalog.entry(missing).name
        raise NotAModel(
            f"{name} is not on this machine.", f"Get it with: deskpilot models pull {missing}"
        )
    if not chosen:
        raise NotAModel(
            "There is no model on this machine.", "Get some with: deskpilot models pull --starter"
        )
    folder.mkdir(parents=True, exist_ok=True)
    models = {found.entry.id: described(found) for found in chosen}
    lacking = [
        (m.entry.id, f)
        for m in models.values()
        for f in m.files
        if not present(folder / m.entry.id, f)
    ]
    need_space(
        folder,
        sum(file.bytes for _, file in lacking),
        "Make room, or name a folder on another disk.",
    )
    try:
        kit = {model.entry.id: model for model in read_manifest(folder).models}
    except NotAModel:
        kit = {}
    for found in chosen:
        copy_model(models[found.entry.id], found.folder, folder / found.entry.id, report)
        kit[found.entry.id] = models[found.entry.id]
        write_manifest(
            folder, Manifest(models=list(kit.values()))
        )  # what is whole can be used already
    return list(models)


def import_kit(
    catalog: Catalog, folder: Path, ids: list[str], report: Report = lambda _: None
) -> list[Installed]:
    """Take models in from a kit and return them; one that is here already is left as it is.

    ids: empty for all of them. A kit that lacks a file is refused before anything is copied.
    Raises: CatalogError and its kinds, OSError.
    """
    held = read_manifest(folder).models
    for missing in sorted(set(ids) - {model.entry.id for model in held}):
        raise NotAModel(
            f"The kit holds no {missing!r}.", f"It holds: {', '.join(m.entry.id for m in held)}."
        )
    models = [model for model in held if not ids or model.entry.id in ids]
    here = {found.entry.id for found in catalog.all_installed()}
    wanted = [model for model in models if model.entry.id not in here]
    for model in wanted:
        check_sizes(folder / model.entry.id, model)
    catalog.folder.mkdir(parents=True, exist_ok=True)
    need_space(catalog.folder, sum(model.bytes for model in wanted))
    for model in wanted:
        known = next((entry for entry in catalog.entries() if entry.id == model.entry.id), None)
        entry = model.here(known)
        with catalog.alone(entry, report):
            copy_model(model, folder / entry.id, catalog.folder / entry.id, report)
            write_mark(catalog.folder / entry.id, entry)
    chosen = {model.entry.id for model in models}
    return [found for found in catalog.all_installed() if found.entry.id in chosen]


def described(found: Installed) -> KitModel:
    """Return what the kit says of an installed model."""
    told: dict[str, Any] = json.loads((found.folder / MARK).read_text("utf-8"))
    known = hashes(found.entry) | dict(told.get("made") or {})
    files: list[KitFile] = []
    for name in [
        *known,
        *(n for n in PREPARED.get(found.entry.prepare or "", ()) if n not in known),
    ]:
        path = found.folder / name
        sha256 = known.get(name) or sha256_of(path)
        files.append(KitFile(name=name, bytes=path.stat().st_size, sha256=sha256))
    return KitModel(entry=found.entry, files=files)


def copy_model(model: KitModel, source: Path, target: Path, report: Report) -> None:
    """Copy the files of a model that are not there yet."""
    done = 0
    for file in model.files:

        def told(p: Progress, before: int = done) -> None:
            report(Progress(f"{p.what} {model.entry.id}", before + p.done_bytes, model.bytes))

        if not is_there(target / file.name, file.bytes, file.sha256):
            copy_whole(source / file.name, target / file.name, file.sha256, told)
        done += file.bytes


def check_sizes(folder: Path, model: KitModel) -> None:
    """Check that every file of a model is in the kit, as long as it should be.

    Raises: NotTheFile.
    """
    for file in model.files:
        if not present(folder, file):
            raise NotTheFile(
                f"{file.name} of {model.entry.name} is missing in the kit or cut short.", AGAIN
            )


def present(folder: Path, file: KitFile) -> bool:
    """Tell whether a file lies there and has its length."""
    path = folder / file.name
    return path.is_file() and path.stat().st_size == file.bytes
