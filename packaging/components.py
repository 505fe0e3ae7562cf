"""List every package and native library of a tree, with version and licence.

Writes a CycloneDX 1.6 file, a readable page, and, for components under the GPL or LGPL, a list of
where their sources are. A native file that belongs to no component stops the build.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.parser import HeaderParser
from fnmatch import fnmatch
from pathlib import Path
from time import gmtime, strftime

NATIVE = Path(__file__).with_name("native.json")
COPYLEFT = re.compile(r"\bA?L?GPL")
COMMON = Path("/usr/share/common-licenses")  # where Debian keeps the texts many share
TEXTS = re.compile(r"\b(L?GPL)-([\d.]+)-|\b(Apache)-(2\.0)|\b(MPL)-(2\.0)")
# Licences in words or old short forms, as packages write them → their SPDX name.
SPDX = {
    "mit license": "MIT",
    "mit": "MIT",
    "bsd license": "BSD-3-Clause",
    "bsd": "BSD-3-Clause",
    "bsd-3": "BSD-3-Clause",
    "new bsd": "BSD-3-Clause",
    "apache": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache-2": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "lgplv2+": "LGPL-2.1-or-later",
    "mpl 2.0": "MPL-2.0",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "isc license (iscl)": "ISC",
    "python software foundation license": "PSF-2.0",
}


class Unclaimed(Exception):
    """A component lacks required information; the message says which one and what to do."""


@dataclass
class Component:
    """One delivered component. kind: `pypi`, `deb` or `generic`. texts: its licence texts.

    files: its native files, as paths in the tree. inside: the package that contains it.
    """

    kind: str
    name: str
    version: str
    licence: str
    source: str = ""
    inside: str = ""
    texts: list[Path] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


def write(place: Path, folder: Path, version: str, when: int) -> list[Component]:
    """Write `sbom.cdx.json`, `licences.txt` and `sources.json` of a tree into a folder.

    when: their timestamp, in seconds since 1970. Raises: Unclaimed.
    """
    found = claimed(place, [*native(place / "python"), *packages(place / "python")])
    unknown = [one.name for one in found if not one.licence]
    if unknown:
        raise Unclaimed(f"No licence is known for: {', '.join(unknown)}. Add it to LICENCES.")
    folder.mkdir(parents=True, exist_ok=True)
    places = {one.name: texts_of(one, place, folder) for one in found}
    told = json.dumps(bill(found, places, version, when), indent=1, sort_keys=True)
    (folder / "sbom.cdx.json").write_text(told + "\n", "utf-8")
    (folder / "licences.txt").write_text(page(found, places), "utf-8")
    sources = [
        {"name": one.name, "version": one.version, "licence": one.licence, "source": one.source}
        for one in found
        if COPYLEFT.search(one.licence)
    ]
    if nameless := [one["name"] for one in sources if not one["source"]]:
        raise Unclaimed(f"Their sources must be offered, but none are named: {nameless}.")
    (folder / "sources.json").write_text(json.dumps(sources, indent=1) + "\n", "utf-8")
    return found


def texts_of(one: Component, place: Path, folder: Path) -> list[str]:
    """Return where a component's licence texts are: in `python` of the tree, or in a folder.

    Texts from elsewhere, and texts shared by many components, are copied to that folder.
    """
    if one.texts and one.kind != "deb":
        return [str(text.relative_to(place)) for text in one.texts]
    kept = folder / "licences"
    kept.mkdir(exist_ok=True)
    for text in one.texts:
        shutil.copyfile(text, kept / f"{one.name}.txt")
    if one.texts:
        return [f"licences/{one.name}.txt"]
    names: list[str] = []
    for found in TEXTS.finditer(one.licence):
        name, number = (part for part in found.groups() if part)
        text = COMMON / f"{name}-{number.removesuffix('.0')}"
        if name in ("Apache", "MPL"):
            text = COMMON / f"{name}-{number}"
        if not text.is_file():
            raise Unclaimed(f"{text}, the licence of {one.name}, is not on this system.")
        shutil.copyfile(text, kept / f"{text.name}.txt")
        names.append(f"licences/{text.name}.txt")
    return names


# Packages whose own description names no licence a program can read.
LICENCES = json.loads(NATIVE.with_name("licences.json").read_text("utf-8"))


def packages(python: Path) -> list[Component]:
    """Return the Python packages of a tree, by name."""
    site = site_of(python)
    table = json.loads(NATIVE.read_text("utf-8"))["components"]
    elsewhere = {name: row["source"] for row in table for name in row.get("source_of", ())}
    found: list[Component] = []
    for info in sorted(site.glob("*.dist-info")):
        told = HeaderParser().parsestr((info / "METADATA").read_text("utf-8"))
        name, version = str(told["Name"]), str(told["Version"])
        texts = sorted(p for p in info.rglob("*") if re.match(r"(?i)(licen[cs]e|copying)", p.name))
        record = (info / "RECORD").read_text("utf-8").splitlines()
        one = Component(
            "pypi", name, version, licence_of(told), texts=[p for p in texts if p.is_file()]
        )
        one.files = [line.rsplit(",", 2)[0].strip('"') for line in record]
        one.source = source_of(told) if COPYLEFT.search(one.licence) else ""
        if told_in := elsewhere.get(normal(name)):
            one.source = re.sub(r"@[\w-]+@", version, told_in)
        found.append(one)
    return found


def normal(name: str) -> str:
    """Return the name of a package as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def site_of(python: Path) -> Path:
    """Return the package folder of a tree's Python."""
    (site,) = [*python.glob("lib/python3*/site-packages"), *python.glob("Lib/site-packages")]
    return site


def licence_of(told: object) -> str:
    """Return the licence named in a package's metadata; empty if it has none that can be parsed."""
    get, all_ = told.get, told.get_all  # type: ignore[attr-defined]
    name = normal(str(get("Name")))
    if name in LICENCES:
        return LICENCES[name]
    if expression := get("License-Expression"):
        return str(expression)
    short = str(get("License") or "").strip()
    if short and "\n" not in short and len(short) < 60:
        return SPDX.get(short.lower(), short)
    for line in all_("Classifier") or []:
        if line.startswith("License :: ") and not line.endswith("OSI Approved"):
            last = line.rpartition(" :: ")[2]
            return SPDX.get(last.lower(), last)
    return ""


def source_of(told: object) -> str:
    """Return the location of the sources, as stated by a package."""
    get, all_ = told.get, told.get_all  # type: ignore[attr-defined]
    if get("Name") == "deskpilot":
        return f"deskpilot-{get('Version')}.tar.gz, published beside this package"
    links = dict(re.split(r",\s*", line, maxsplit=1) for line in all_("Project-URL") or [])
    by_name = {name.lower(): link for name, link in links.items()}
    names = ("source", "source code", "repository", "github", "homepage", "home")
    home = next((by_name[name] for name in names if name in by_name), str(get("Home-page") or ""))
    archive = f"{get('Name')}, source archive of version {get('Version')}"
    return f"{archive}, on the Python Package Index; {home}".removesuffix("; ")


def native(python: Path) -> list[Component]:
    """Return the native components in the table whose files are in the tree.

    Raises: Unclaimed for a component whose version is not recorded for the current package.
    """
    versions = {normal(one.name): one.version for one in packages(python)} | {
        "PYTHON": platform.python_version()
    }
    paths = [str(p.relative_to(python)) for p in elf_files(python)]
    found: list[Component] = []
    taken: set[str] = set()
    table = json.loads(NATIVE.read_text("utf-8"))["components"]
    # The most particular patterns first: WebEngine before the rest of Qt.
    for row in sorted(table, key=lambda row: -max(map(len, row.get("files", [""])))):
        files = [
            p
            for p in paths
            if p not in taken and any(fnmatch(p, one) for one in row.get("files", ()))
        ]
        # A static library has no file of its own: it goes with the file it was linked into.
        linked = [p for p in paths if any(fnmatch(p, one) for one in row.get("linked_into", ()))]
        if not files and not linked:
            continue
        taken |= set(files)
        looked_up, _, of = row.get("checked", "").rpartition(" ")
        if looked_up and versions[looked_up] != of:
            raise Unclaimed(
                f"{row['name']} was checked in {looked_up} {of}; the version is now"
                f" {versions[looked_up]}. Write its version and source into packaging/native.json."
            )
        version = filled(row["version"], versions) if row["version"] else soname(files)
        source = filled(row.get("source", ""), versions)
        found.append(
            Component(
                "generic",
                row["name"],
                version,
                row["licence"],
                source,
                row.get("inside", ""),
                files=files,
            )
        )
    return found


def filled(text: str, versions: dict[str, str]) -> str:
    """Return a text from the table with package versions filled in."""
    return re.sub(r"@([\w-]+)@", lambda found: versions[found[1]], text)


def soname(files: list[str]) -> str:
    """Return the versions in library names, which differ from release versions."""
    found = {Path(one).name.partition(".so.")[2] for one in files if ".so." in Path(one).name}
    return f"library {', '.join(sorted(found))}" if found else "unknown"


def elf_files(folder: Path) -> Iterator[Path]:
    """Yield the native programs and libraries in a folder, except links."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def claimed(place: Path, found: list[Component]) -> list[Component]:
    """Assign every native file to a component; system libraries get a new one.

    Raises: Unclaimed, which lists the files that belong to no component.
    """
    python = place / "python"
    site = site_of(python)
    held = str(site.relative_to(python))
    owner: dict[str, Component] = {}
    for one in found:
        for name in one.files:
            path = f"{held}/{name}" if one.kind == "pypi" else name
            if one.kind == "pypi" and (".libs/" in name or path in owner):
                continue  # brought along, not its own
            owner[path] = one
    systems: dict[str, Component] = {}
    strays: list[str] = []
    for one in found:
        one.files = []
    for path in elf_files(place):
        name = str(path.relative_to(python)) if path.is_relative_to(python) else str(path)
        mine = owner.get(name)
        if mine is None:
            mine = of_system(path.name, systems)
        if mine is None:
            strays.append(name)
        else:
            mine.files.append(name)
    if strays:
        raise Unclaimed(
            "No component claims these files; add them to packaging/native.json:\n  "
            + "\n  ".join(strays)
        )
    return [*found, *systems.values()]


def of_system(name: str, known: dict[str, Component]) -> Component | None:
    """Return the Debian package that a library was copied from, or None."""
    asked = subprocess.run(["dpkg", "-S", f"*/{name}"], capture_output=True, text=True, check=False)
    packages_ = [line.split(":")[0] for line in asked.stdout.splitlines() if line.endswith(name)]
    if not packages_:
        return None
    package = packages_[0]
    if package not in known:
        show = ["dpkg-query", "-W", "-f=${source:Package} ${source:Version} ${Version}", package]
        source, of_source, version = subprocess.run(
            show, capture_output=True, text=True, check=True
        ).stdout.split()
        if package not in LICENCES:
            raise Unclaimed(
                f"No licence is known for {package}; add it to packaging/licences.json."
            )
        text = Path("/usr/share/doc") / package / "copyright"
        known[package] = Component(
            "deb",
            package,
            version,
            LICENCES[package],
            f"Debian source {source} {of_source}",
            texts=[text] if text.is_file() else [],
        )
    return known[package]


def bill(
    found: list[Component], places: dict[str, list[str]], version: str, when: int
) -> dict[str, object]:
    """Return the CycloneDX 1.6 document."""
    parts: list[dict[str, object]] = []
    for one in found:
        address = f"pkg:{one.kind}/{one.name.replace(' ', '-')}@{one.version.replace(' ', '')}"
        part: dict[str, object] = {
            "type": "library",
            "bom-ref": address,
            "name": one.name,
            "version": one.version,
            "purl": address.replace("pkg:deb/", "pkg:deb/debian/"),
            "licenses": [licence_entry(one.licence)],
        }
        if one.source:
            part["externalReferences"] = [{"type": "source-distribution", "url": one.source}]
            if not one.source.startswith("http"):
                part["externalReferences"] = []
                part["description"] = one.source
        told = [{"name": "deskpilot:file", "value": name} for name in one.files]
        if one.inside:
            told.append({"name": "deskpilot:inside", "value": one.inside})
        told += [{"name": "deskpilot:text", "value": text} for text in places[one.name]]
        if told:
            part["properties"] = told
        parts.append(part)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'deskpilot {version} {when}')}",
        "version": 1,
        "metadata": {
            "timestamp": strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(when)),
            "component": {
                "type": "application",
                "bom-ref": "deskpilot",
                "name": "deskpilot",
                "version": version,
                "licenses": [{"license": {"id": "GPL-3.0-or-later"}}],
            },
        },
        "components": sorted(parts, key=lambda part: str(part["bom-ref"])),
    }


def licence_entry(text: str) -> dict[str, object]:
    """Return a licence in CycloneDX form: an SPDX expression, or plain text."""
    if re.fullmatch(r"[A-Za-z0-9.+()-]+( (AND|OR|WITH) [A-Za-z0-9.+()-]+)*", text):
        return {"expression": text}
    return {"license": {"name": text}}


def page(found: list[Component], places: dict[str, list[str]]) -> str:
    """Return the licence page: one line per component, and where its licence text is."""
    lines = [
        "What Deskpilot is made of. Deskpilot itself is under the GNU General Public License,",
        "version 3 or later. sources.json, beside this file, says where to find the sources of the",
        "components under the GPL and LGPL. Texts in python/ are in Deskpilot's Python folder;",
        "the others are beside this file.",
        "",
    ]
    for one in sorted(found, key=lambda one: one.name.lower()):
        brought = f", part of {one.inside}" if one.inside else ""
        lines.append(f"{one.name} {one.version}: {one.licence}{brought}")
        lines += [f"    {text}" for text in places[one.name]]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for made in write(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])):
        print(f"{made.name} {made.version}: {made.licence}")
