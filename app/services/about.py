"""The components of Deskpilot, each with its version, licence and source."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from email.message import Message
from importlib.metadata import Distribution, distributions, version
from pathlib import Path
from typing import Any

from backends.installation import Installation, installation

BILL = "sbom.cdx.json"  # shipped in a package; also lists the package's native libraries


@dataclass(frozen=True)
class Component:
    """A component. source: where to find the source code of this version, as text or as an address.

    texts: files with its licence.
    """

    name: str
    version: str
    licence: str
    source: str = ""
    texts: tuple[Path, ...] = ()

    def text(self) -> str:
        """Return its licence text as it was shipped, or an empty string if there is no licence
        file."""
        return "\n\n".join(path.read_text("utf-8", "replace") for path in self.texts)


@dataclass(frozen=True)
class About:
    """Deskpilot's version, the kind of installation, and the components by name."""

    version: str
    kind: str
    components: tuple[Component, ...]


def about(here: Installation | None = None) -> About:
    """Return the components of this installation, from its package or from Python's packages."""
    here = here or installation()
    bill = here.documents / BILL if here.documents else None
    if bill is not None and bill.is_file():
        found = components_of(json.loads(bill.read_text("utf-8")), here)
    else:
        found = [installed(one) for one in distributions()]
    unique = {(one.name, one.version): one for one in found}
    by_name = sorted(unique.values(), key=lambda one: one.name.lower())
    return About(version("deskpilot"), here.kind, tuple(by_name))


def components_of(bill: dict[str, Any], here: Installation) -> list[Component]:
    """Return the components in a CycloneDX document. here: the installation that contains the files
    named in the document.
    """
    found: list[Component] = []
    for part in bill["components"]:
        licence = part["licenses"][0]
        named = licence.get("expression") or licence["license"]["name"]
        links = [link["url"] for link in part.get("externalReferences", ())]
        texts = [
            (here.prefix.parent if one["value"].startswith("python/") else here.documents or Path())
            / one["value"]
            for one in part.get("properties", ())
            if one["name"] == "deskpilot:text"
        ]
        source = part.get("description", "") or next(iter(links), "")
        whole = tuple(path for path in texts if path.is_file())
        found.append(Component(part["name"], part["version"], named, source, whole))
    return found


def installed(one: Distribution) -> Component:
    """Return an installed Python package."""
    told = one.metadata
    assert isinstance(told, Message)
    files = [
        path
        for path in one.files or ()
        if re.match(r"(?i)(licen[cs]e|copying)", path.name) and ".dist-info" in str(path)
    ]
    texts = tuple(Path(str(path.locate())) for path in files)
    links = [line.partition(",") for line in told.get_all("Project-URL") or ()]
    source = next(
        (link.strip() for name, _, link in links if re.match("(?i)source|repository|code", name)),
        "",
    )
    return Component(told["Name"], told["Version"], licence_of(told), source, texts)


def licence_of(told: Message) -> str:
    """Return the licence in a package's metadata, or an empty string if there is none."""
    short = str(told.get("License-Expression") or told.get("License") or "").strip()
    if short and "\n" not in short and len(short) < 60:
        return short
    named = [
        str(line).rpartition(" :: ")[2]
        for line in told.get_all("Classifier") or ()
        if str(line).startswith("License :: ") and not str(line).endswith("OSI Approved")
    ]
    return ", ".join(named)
