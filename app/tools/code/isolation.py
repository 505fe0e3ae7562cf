"""The sandbox for code, which is chosen by testing which methods work on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.domain.code import Limits

# the user id under which code runs if the app runs as root, since process limits do not apply to
# root
USER = 64_321
TRY_SECONDS = 10
SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
ETC = (
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "alternatives",
    "fonts",
    "localtime",
    "mime.types",
    "R",  # where Debian keeps R's startup files
)
DROP = ("--clear-groups", "--inh-caps=-all", "--no-new-privs")
INSTALL = "install it with: apt-get install bubblewrap"


@dataclass(frozen=True)
class Isolation:
    """The mechanisms that isolate code. bubblewrap: the program, or empty if it is missing or does
    not work. why: the reason, if `bubblewrap` is empty. setpriv: the program that drops root's
    privileges. user: the user id under which code runs. The last two are used only if the app runs
    as root.
    """

    bubblewrap: str = ""
    why: str = ""
    setpriv: str = ""
    user: int | None = None

    def mechanisms(self) -> list[tuple[str, bool, str]]:
        """Return the mechanisms that limit code here: the name of each, whether it works, and
        how."""
        linux = sys.platform == "linux"
        boxed = "bubblewrap: no network, read-only system, none of your files, separate processes"
        missing = f"{self.why}; code can use your files and the network"
        watched = "memory, processes and disk use are watched; code that exceeds a limit is stopped"
        orphans = "processes that it starts are found and killed" + (
            " (subreaper)" if linux else ", unless they hide"
        )
        made = [
            ("a sandbox for code", bool(self.bubblewrap), boxed if self.bubblewrap else missing),
            ("limits for code", True, f"{'RLIMIT_AS, NPROC, FSIZE; ' if linux else ''}{watched}"),
            ("ending code", True, "PID namespace" if self.bubblewrap else orphans),
        ]
        if linux and os.getuid() == 0:
            told = (
                f"code runs as user {self.user}"
                if self.user
                else "code runs as root: processes are only watched"
            )
            made.append(("a user for code", self.user is not None, told))
        return made

    def wrapped(self, command: list[str], box: Sandbox, limits: Limits) -> list[str]:
        """Return a command that runs another command, isolated as far as this machine allows."""
        dropping = (
            [self.setpriv, f"--reuid={self.user}", f"--regid={self.user}", *DROP]
            if self.user
            else []
        )
        if not self.bubblewrap:
            return [*dropping, *command]
        return [self.bubblewrap, *self._arguments(box, limits), "--", *dropping, *command]

    def _arguments(self, box: Sandbox, limits: Limits) -> list[str]:
        made = [
            "--die-with-parent",
            "--unshare-pid",
            "--unshare-net",
            "--unshare-ipc",
            "--unshare-uts",
        ]
        made += ["--unshare-cgroup-try", "--hostname", "computer"]
        made += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"] if self.user else []
        made += [
            "--proc",
            "/proc",
            "--dev",
            "/dev",
            "--perms",
            "1777",  # multiprocessing keeps its locks there, and root's privileges are dropped
            "--size",
            str(limits.disk),
            "--tmpfs",
            "/dev/shm",
        ]
        made += ["--perms", "1777", "--size", str(limits.disk)]
        made += ["--tmpfs", "/tmp", "--ro-bind", "/usr", "/usr"]
        for place in SYSTEM:
            if (path := Path(place)).is_symlink():
                made += ["--symlink", str(path.readlink()), place]
            elif path.is_dir():
                made += ["--ro-bind", place, place]
        bound = [("--ro-bind-try", Path("/etc") / name) for name in ETC]
        bound += [("--ro-bind", place) for place in box.readable] + [
            ("--bind", place) for place in box.writable
        ]
        # folders created implicitly would be accessible only to root
        above = dict.fromkeys(
            folder for _, place in bound for folder in reversed(place.parents[:-1])
        )
        made += [
            word for folder in above if folder != Path("/tmp") for word in ("--dir", str(folder))
        ]
        made += [word for how, place in bound for word in (how, str(place), str(place))]
        made += ["--remount-ro", "/dev", "--remount-ro", "/"]
        return [*made, "--clearenv", *set_variables(box.variables), "--chdir", str(box.writable[0])]


@dataclass(frozen=True)
class Sandbox:
    """The content of a sandbox. writable: its folders, with the working folder first. readable:
    readable paths other than the system's. variables: its complete environment.
    """

    writable: tuple[Path, ...]
    readable: tuple[Path, ...]
    variables: dict[str, str]


def set_variables(variables: dict[str, str]) -> list[str]:
    """Return variables as options for bubblewrap."""
    return [word for name, value in variables.items() for word in ("--setenv", name, value)]


def environment(folder: Path, programs: Iterable[str]) -> dict[str, str]:
    """Return the complete environment of code. It contains none of our variables and no secrets."""
    places = [str(Path(program).parent) for program in programs if program]
    return {
        "PATH": os.pathsep.join(dict.fromkeys([*places, "/usr/local/bin", "/usr/bin", "/bin"])),
        "HOME": str(folder),
        "TMPDIR": "/tmp",
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "IPYTHONDIR": str(folder / ".ipython"),
        "MPLCONFIGDIR": str(folder / ".matplotlib"),
        "PLOTLY_RENDERER": "plotly_mimetype",
    } | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "4")


def readable_for(program: str) -> tuple[Path, ...]:
    """Return the folders that a program needs besides the system's. For an interpreter, these are
    all folders that were installed with it.
    """
    found = [Path(sys.prefix), Path(sys.base_prefix)] if program == sys.executable else []
    for path in (Path(program), Path(program).resolve()):
        whole = path.parent.parent
        found.append(
            path if Path.home().is_relative_to(whole) else whole
        )  # inside a home folder, only the program itself
    return tuple(dict.fromkeys(p for p in found if not p.is_relative_to("/usr")))


@cache
def find_isolation() -> Isolation:
    """Return the mechanisms that work here. They are tested only once."""
    if sys.platform != "linux":
        return Isolation(why="bubblewrap is available only on Linux")
    setpriv = shutil.which("setpriv") or ""
    user = USER if os.getuid() == 0 and setpriv else None
    program = shutil.which("bwrap")
    if program is None:
        why = f"bubblewrap is not installed; {INSTALL}"
    else:
        boxed = Isolation(program, "", setpriv if user else "", user)
        if not (why := problem_of(boxed)):
            return boxed
        why = f"bubblewrap does not work here ({why})"
    alone = Isolation("", why, setpriv, user)
    return alone if user and not problem_of(alone) else Isolation("", why)


def problem_of(isolation: Isolation) -> str:
    """Return why Python does not start this way, or an empty string if it starts."""
    from app.domain.code import Limits

    with tempfile.TemporaryDirectory(prefix="deskpilot-try-") as name:
        folder = Path(name)
        if isolation.user:
            os.chown(folder, isolation.user, isolation.user)
        variables = environment(folder, [sys.executable])
        box = Sandbox((folder,), readable_for(sys.executable), variables)
        code = "import os; open('tried', 'w').close(); print(os.getuid())"
        command = isolation.wrapped([sys.executable, "-I", "-c", code], box, Limits())
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=False,
                env=variables,
                cwd=folder,
                timeout=TRY_SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
    said = done.stderr.strip().splitlines()
    return (
        "" if done.returncode == 0 else (said[-1] if said else f"it ended with {done.returncode}")
    )
