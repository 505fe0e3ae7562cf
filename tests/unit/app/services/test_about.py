"""What Deskpilot is made of is read from its package, or from the packages of Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.services.about import about
from backends.installation import Installation


def test_a_package_says_what_is_in_it_and_where_licences_and_sources_are(tmp_path: Path) -> None:
    documents = tmp_path / "share" / "doc" / "deskpilot"
    own = tmp_path / "python" / "x" / "LICENSE"
    for path, text in ((own, "Do as you like."), (documents / "licences" / "GPL-2.txt", "Share.")):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    parts = [
        {
            "name": "x264",
            "version": "165",
            "licenses": [{"expression": "GPL-2.0-or-later"}],
            "externalReferences": [{"type": "source-distribution", "url": "https://x.test/165"}],
            "properties": [{"name": "deskpilot:text", "value": "licences/GPL-2.txt"}],
        },
        {
            "name": "libreadline8",
            "version": "8.2",
            "licenses": [{"license": {"name": "GNU"}}],
            "externalReferences": [],
            "description": "Debian source readline 8.2-1",
        },
        {
            "name": "Anything",
            "version": "1",
            "licenses": [{"expression": "MIT"}],
            "properties": [
                {"name": "deskpilot:file", "value": "x.so"},
                {"name": "deskpilot:text", "value": "python/x/LICENSE"},
                {"name": "deskpilot:text", "value": "python/x/GONE"},
            ],
        },
    ]
    (documents / "sbom.cdx.json").write_text(json.dumps({"components": parts}))
    told = about(Installation("tree", tmp_path / "python", tmp_path))
    assert told.kind == "tree"
    assert [(one.name, one.licence, one.source, one.text()) for one in told.components] == [
        ("Anything", "MIT", "", "Do as you like."),
        ("libreadline8", "GNU", "Debian source readline 8.2-1", ""),
        ("x264", "GPL-2.0-or-later", "https://x.test/165", "Share."),
    ]


@pytest.mark.slow
def test_without_a_package_the_installed_packages_are_listed(tmp_path: Path) -> None:
    told = about(Installation("clone", tmp_path, tmp_path))
    found = {one.name.lower().replace("_", "-"): one for one in told.components}
    assert found["deskpilot"].licence == "GPL-3.0-or-later"
    assert "Permission is hereby granted" in found["typer"].text()
    assert found["httpx"].source.startswith("https://")
    assert len(found) > 100
