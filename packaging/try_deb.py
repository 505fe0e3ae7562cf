"""Test the Debian package in a fresh Debian: install, ask, update while running, remove, purge.

    python3 packaging/try_deb.py PACKAGE [--starters PACKAGE] [--root FOLDER] [--models FOLDER]

Requires root, debootstrap and bubblewrap. --root: the folder of the fresh system, created if
missing; it is changed. Debian packages come from this machine's sources; after the installation,
Deskpilot has no network. --starters: also install, use and remove the package of the starter
models. --keep: stop after the installation, for smoke.py --debian.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

USER, NAME = 12_345, "person"
HOME = f"/home/{NAME}"
PLACE = "usr/lib/deskpilot"
QUESTION = "What was the unemployment rate in the third quarter of 2009?"
TABLE = f"/{PLACE}/python/lib/python3.11/site-packages/resources/samples/us_macro.csv"
STARTERS = ("minilm-l6", "smollm2-135m")
NEWER = "99.0"


class Wrong(Exception):
    """Something did not give the expected result."""


class Debian:
    """A Debian system in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def make(self, models: Path) -> None:
        """Create the system, with one user who has the starter models."""
        if not (self.root / "etc/debian_version").is_file():
            subprocess.run(
                ["debootstrap", "--variant=minbase", "bookworm", str(self.root)], check=True
            )
        for path in Path("/etc/apt/apt.conf.d").glob("*registry*"):
            shutil.copy2(path, self.root / "etc/apt/apt.conf.d")
        if f"{NAME}:" not in (self.root / "etc/passwd").read_text():
            self.run("useradd", "--uid", str(USER), "--create-home", NAME)
        kept = self.root / HOME[1:] / ".local/share/deskpilot/models"
        for one in STARTERS:
            shutil.copytree(models / one, kept / one, dirs_exist_ok=True)
        subprocess.run(["chown", "-R", f"{USER}:{USER}", str(self.root / HOME[1:])], check=True)

    def command(self, *words: str, person: bool = False) -> list[str]:
        """Return the command line that runs a command there: as root with a network, or as the user
        without one.
        """
        made = ["bwrap", "--die-with-parent", "--bind", str(self.root), "/", "--dev", "/dev"]
        made += ["--proc", "/proc", "--ro-bind", "/etc/resolv.conf", "/etc/resolv.conf"]
        made += ["--clearenv", "--setenv", "PATH", "/usr/sbin:/usr/bin:/sbin:/bin"]
        made += ["--setenv", "LANG", "C.UTF-8", "--setenv", "DEBIAN_FRONTEND", "noninteractive"]
        if person:
            words = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *words)
            made += ["--unshare-net", "--setenv", "HOME", HOME, "--chdir", HOME]
        return [*made, "--", *words]

    def run(self, *words: str, person: bool = False) -> str:
        """Run a command to its end, and return what it printed.

        Raises: Wrong.
        """
        done = subprocess.run(
            self.command(*words, person=person), capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise Wrong(f"{' '.join(words)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout + done.stderr

    def install(self, package: Path, *options: str) -> str:
        """Install a package as users do, with its dependencies."""
        shutil.copy2(package, self.root / "tmp" / package.name)
        try:
            return self.run("apt-get", "install", "-y", "-q", *options, f"/tmp/{package.name}")
        finally:
            (self.root / "tmp" / package.name).unlink()

    def answers(self, *, person: bool = True) -> None:
        """Ask the first question, as the user or as root."""
        told = self.run("deskpilot", "ask", QUESTION, "--widget", TABLE, person=person)
        if "**9.6** [1]" not in told or not re.search(r"row 203.*9\.6", told):
            raise Wrong(told)

    def left(self) -> list[str]:
        """Return what is left of the package."""
        places = ("usr/lib/deskpilot", "usr/share/deskpilot", "usr/share/doc/deskpilot")
        places += ("usr/bin/deskpilot", "etc/apparmor.d/deskpilot")
        return [one for one in places if os.path.lexists(self.root / one)]


def newer(package: Path, folder: Path) -> Path:
    """Return the same package with a newer version number."""
    stage = folder / "newer"
    shutil.rmtree(stage, ignore_errors=True)
    subprocess.run(["dpkg-deb", "-R", str(package), str(stage)], check=True)
    for path in (
        stage / "DEBIAN/control",
        *stage.glob(f"{PLACE}/python/lib/python3*/site-packages/deskpilot-*.dist-info/METADATA"),
    ):
        path.write_text(
            re.sub(r"(?m)^Version: .*", f"Version: {NEWER}", path.read_text("utf-8"), count=1)
        )
    made = folder / f"deskpilot_{NEWER}_amd64.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(stage), str(made)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(stage)
    return made


def main() -> int:
    """Test the package from installation to purge; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("package", type=Path)
    parser.add_argument("--root", type=Path, default=Path("/var/tmp/deskpilot-root"))
    parser.add_argument(
        "--models", type=Path, default=Path.home() / ".local/share/deskpilot/models"
    )
    parser.add_argument("--starters", type=Path)
    parser.add_argument("--keep", action="store_true")
    order = parser.parse_args()
    debian = Debian(order.root.resolve())
    try:
        debian.make(order.models)
        debian.run("apt-get", "update", "-q")
        debian.install(order.package)
        print("ok      installed:", debian.run("deskpilot", "--version", person=True).strip())
        debian.answers()
        debian.answers(person=False)
        print("ok      asked: 9.6, its row, as a person and as root")
        if order.keep:
            return 0
        doctor = subprocess.run(
            debian.command("deskpilot", "doctor", person=True), capture_output=True, text=True
        ).stdout
        if "dev.py" in doctor or f"/{PLACE}/python/bin/python3" not in doctor:
            raise Wrong(doctor)
        print("ok      doctor names the Python of the package, and no file that is not there")
        add(debian, doctor)
        print("ok      what the doctor says adds a package adds one")
        if order.starters:
            try_starters(debian, order.starters)
        update(debian, order.package)
        refuse(debian, order.package)
        said = debian.run("apt-get", "remove", "-y", "-q", "deskpilot")
        said += debian.run("apt-get", "purge", "-y", "-q", "deskpilot")
        if debian.left():
            raise Wrong(f"left behind: {debian.left()}")
        if not (debian.root / HOME[1:] / ".local/share/deskpilot/deskpilot.sqlite").is_file():
            raise Wrong("the person's data are gone")
        if ".local/share/deskpilot" not in said:
            raise Wrong(f"nothing says where the person's data are:\n{said}")
        if "/usr/local/lib/deskpilot" not in said:
            raise Wrong(f"nothing says where added packages are:\n{said}")
        print("ok      removed and purged: nothing left but the person's data, which are named")
    except Wrong as error:
        print(f"FAILED  {error}")
        return 1
    return 0


def try_starters(debian: Debian, package: Path) -> None:
    """Install the starter models, find them in an empty data folder, and remove them.

    Raises: Wrong.
    """
    debian.install(package)
    empty = ("env", f"DESKPILOT_HOME={HOME}/empty", "deskpilot", "models", "list")
    listed = debian.run(*empty, person=True)
    if missing := [name for name in STARTERS if not re.search(rf"{name} .* here ", listed)]:
        raise Wrong(f"not found: {missing}\n{listed}")
    debian.run("apt-get", "purge", "-y", "-q", "deskpilot-starters")
    if (debian.root / PLACE / "models").exists():
        raise Wrong("models are left behind")
    if re.search(r"minilm-l6 .* here ", debian.run(*empty, person=True)):
        raise Wrong("removed models are listed")
    print("ok      starter models: installed, found in place, removed")


def refuse(debian: Debian, package: Path) -> None:
    """Try to install an older package over the newer one.

    Raises: Wrong.
    """
    try:
        debian.install(package, "--allow-downgrades")
    except Wrong as error:
        if f"Deskpilot {NEWER} is installed, and this is the older" not in str(error):
            raise
    else:
        raise Wrong("an older package was installed over a newer one")
    debian.answers()
    print("ok      refused the older package in words; the newer one still answers")


def add(debian: Debian, doctor: str) -> None:
    """Add a Python package with the command that `doctor` shows, with another package name.

    Raises: Wrong.
    """
    wheel = debian.root / "tmp/added_here-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("added_here.py", "")
        archive.writestr("added_here-1.dist-info/METADATA", "Name: added-here\nVersion: 1\n")
        archive.writestr("added_here-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("added_here-1.dist-info/RECORD", "")
    flat = " ".join(doctor.split())  # the table breaks its lines
    command = re.search(r"sudo (\S+ -m pip install --target \S+) torch", flat)
    if command is None:
        raise Wrong(f"no command in:\n{doctor}")
    debian.run(*command[1].split(), "--no-index", f"/tmp/{wheel.name}")
    wheel.unlink()
    debian.run(f"/{PLACE}/python/bin/python3", "-P", "-c", "import added_here", person=True)


def update(debian: Debian, package: Path) -> None:
    """Install a newer version while the old one's service is running, and ask again.

    Raises: Wrong.
    """
    service = subprocess.Popen(
        debian.command(
            f"/{PLACE}/python/bin/python3",
            *("-P", "-m", "backends.service", "--parent-pipe"),
            person=True,
        ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert service.stdout is not None
    if not service.stdout.readline():
        raise Wrong("the service did not start")
    debian.install(newer(package, debian.root / "var/tmp"))
    (debian.root / "var/tmp" / f"deskpilot_{NEWER}_amd64.deb").unlink()
    if debian.run("deskpilot", "--version", person=True).strip() != f"deskpilot {NEWER}":
        raise Wrong("the newer version was not installed")
    if service.poll() is not None:
        raise Wrong("the old service ended by itself")
    debian.answers()
    try:
        service.wait(20)
    except subprocess.TimeoutExpired:
        service.kill()
        raise Wrong("the service of the old version still runs") from None
    print("ok      updated over a running service, which the next question replaced")


if __name__ == "__main__":
    sys.exit(main())
