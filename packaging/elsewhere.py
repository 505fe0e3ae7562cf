"""Build packages that this project's own machines cannot build or test: AppImage, Windows, macOS.

    python3 packaging/elsewhere.py appdir TREE OUT   a folder for appimagetool, from the Linux tree
    python3 packaging/elsewhere.py nsis TREE OUT     the installer for Windows; needs makensis
    python3 packaging/elsewhere.py app TREE OUT      the application for macOS
    python3 packaging/elsewhere.py dmg TREE OUT      a disk image with it; needs hdiutil

Tests on Linux create and check the folders and compile the script with makensis. The definitions in
packaging/ci use them, but have not been run yet.
"""

from __future__ import annotations

import plistlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LINUX, WINDOWS = HERE / "linux", HERE / "windows"


def main() -> int:
    """Run the command."""
    makers = {"appdir": appdir, "nsis": nsis, "app": app, "dmg": dmg}
    if len(sys.argv) != 4 or sys.argv[1] not in makers:
        print(__doc__, file=sys.stderr)
        return 2
    print(makers[sys.argv[1]](Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()))
    return 0


def version_of(tree: Path) -> str:
    """Return the version recorded in a tree."""
    told = (tree / "python" / "installation.json").read_text("utf-8")
    found = re.search(r'"version": "([\d.]+)"', told)
    assert found is not None, told
    return found[1]


def appdir(tree: Path, out: Path) -> Path:
    """Build an AppDir, from which appimagetool makes one file that needs neither root nor
    installation.
    """
    folder = out / "Deskpilot.AppDir"
    shutil.copytree(tree, folder, symlinks=True)
    (folder / "AppRun").write_text('#!/bin/sh\nexec "${0%/AppRun}/bin/deskpilot" "$@"\n')
    (folder / "AppRun").chmod(0o755)
    shutil.copyfile(LINUX / "deskpilot.desktop", folder / "deskpilot.desktop")
    shutil.copyfile(LINUX / "deskpilot.svg", folder / "deskpilot.svg")
    return folder


def nsis(tree: Path, out: Path) -> Path:
    """Build the installer for Windows."""
    version = version_of(tree)
    made = out / f"deskpilot-{version}-windows-x86_64.exe"
    command = ["makensis", "-V2", f"-DVERSION={version}", f"-DTREE={tree}", f"-DOUT={made}"]
    subprocess.run([*command, str(WINDOWS / "deskpilot.nsi")], check=True)
    return made


def app(tree: Path, out: Path) -> Path:
    """Build the application for macOS."""
    folder = out / "Deskpilot.app"
    contents = folder / "Contents"
    shutil.copytree(tree, contents / "Resources" / "deskpilot", symlinks=True)
    program = contents / "MacOS" / "deskpilot"
    program.parent.mkdir()
    program.write_text(
        '#!/bin/sh\nexec "${0%/MacOS/deskpilot}/Resources/deskpilot/bin/deskpilot" "$@"\n'
    )
    program.chmod(0o755)
    told = {
        "CFBundleName": "Deskpilot",
        "CFBundleIdentifier": "app.deskpilot.Deskpilot",
        "CFBundleExecutable": "deskpilot",
        "CFBundleShortVersionString": version_of(tree),
        "CFBundleVersion": version_of(tree),
        "CFBundlePackageType": "APPL",
        "LSMinimumSystemVersion": "13.0",  # what Qt 6.11 asks for
        "NSHighResolutionCapable": True,
        "NSMicrophoneUsageDescription": "Deskpilot transcribes what you say, on this Mac.",
    }
    (contents / "Info.plist").write_bytes(plistlib.dumps(told))
    return folder


def dmg(tree: Path, out: Path) -> Path:
    """Build a disk image with the application for macOS."""
    stage = out / "dmg"
    app(tree, stage)
    (stage / "Applications").symlink_to("/Applications")
    made = out / f"deskpilot-{version_of(tree)}-macos.dmg"
    command = ["hdiutil", "create", "-volname", "Deskpilot", "-srcfolder", str(stage), "-ov"]
    subprocess.run([*command, "-format", "ULFO", str(made)], check=True)
    return made


if __name__ == "__main__":
    sys.exit(main())
