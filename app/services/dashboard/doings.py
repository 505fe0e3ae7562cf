"""What was done on the dashboards last, in words, for copilots that look at all of the workspace."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.dashboard import Tab
    from app.domain.widget import Widget

KEPT, LONGEST = 20, 80  # doings; characters of a name or a value
Seen = tuple[dict[str, "Widget"], dict[str, str], str]


class Doings:
    """Compares what stands there with what stood there before. The first look only remembers.

    tabs: gives the dashboards, and the id of the open one.
    """

    def __init__(self, tabs: Callable[[], tuple[tuple[Tab, ...], str]]) -> None:
        self._tabs = tabs
        self._seen: Seen | None = None
        self._done: deque[str] = deque(maxlen=KEPT)

    def look(self, widgets: list[Widget]) -> None:
        """Take in how things stand now."""
        tabs, current = self._tabs()
        now: Seen = ({w.uuid: w for w in widgets}, {tab.id: tab.name for tab in tabs}, current)
        before, self._seen = self._seen, now
        if before is not None and before != now:
            self._done += of_tabs(before, now)
            self._done += of_widgets(before[0], now[0])

    def latest(self, widgets: list[Widget]) -> list[str]:
        """Return what was done, the newest last."""
        self.look(widgets)
        return list(self._done)


def of_tabs(before: Seen, now: Seen) -> list[str]:
    """Return what was done to the dashboards themselves."""
    old, new = before[1], now[1]
    made = [f"Made the dashboard {short(new[i])}" for i in new if i not in old]
    made += [f"Closed the dashboard {short(old[i])}" for i in old if i not in new]
    made += [
        f"Renamed the dashboard {short(old[i])} to {short(new[i])}"
        for i in old
        if i in new and old[i] != new[i]
    ]
    if before[2] != now[2] and now[2] in old:
        made.append(f"Opened the dashboard {short(new.get(now[2], now[2]))}")
    return made


def of_widgets(old: dict[str, Widget], new: dict[str, Widget]) -> list[str]:
    """Return what was done to the widgets."""
    made = [f"Removed {short(w.name)}" for uid, w in old.items() if uid not in new]
    for uid, widget in new.items():
        name, before = short(widget.name), old.get(uid)
        if before is None:
            made.append(f"Added {name}")
            continue
        if before.attached != widget.attached:
            made.append(
                f"Added {name} to the context"
                if widget.attached
                else f"Took {name} out of the context"
            )
        made += [
            f"Set {short(key)} of {name} to {short(str(value))}"
            for key, value in widget.values.items()
            if before.values.get(key) != value
        ]
    return made


def short(text: str) -> str:
    """Return what of a name or a value is told."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
