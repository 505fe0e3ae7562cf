"""What the page of skills does: joins it to the service. Not a widget, so it may await."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject

from app.domain.errors import DeskpilotError
from app.domain.skill import slug_of
from app.ui import boxes
from app.ui.skills.writing import SkillWindow
from app.ui.words import told, tr

if TYPE_CHECKING:
    from app.domain.skill import Skill
    from app.services.library.skills import Skills
    from app.services.tasks import Do, Work
    from app.ui.skills.page import SkillsPage


class Keeping(QObject):
    """Reads the skills anew each time they are shown: the shell may have changed them."""

    def __init__(self, page: SkillsPage, skills: Skills, do: Do) -> None:
        super().__init__(page)
        self._page, self._skills, self._do = page, skills, do
        page.write_wanted.connect(self._write)
        page.keep_wanted.connect(
            lambda name: self._change(f"keep skill {name}", lambda: skills.accept(name))
        )
        page.remove_wanted.connect(self._ask_to_remove)

    def read(self) -> None:
        """Show the skills there are now."""
        self._do("read skills", self._read())

    async def _read(self) -> None:
        try:
            kept, proposed = await self._skills.all(), await self._skills.all(proposed=True)
        except DeskpilotError as error:
            self._page.tell(told(error))
            return
        self._page.tell("")
        self._page.show_skills(kept, proposed)

    def _change(self, name: str, work: Work) -> None:
        async def changed() -> None:
            try:
                await work()
            except DeskpilotError as error:
                self._page.tell(told(error))
                return
            await self._read()

        self._do(name, changed())

    def _ask_to_remove(self, name: str) -> None:
        text = tr("Remove the skill {name}? Its text is gone with it.", name=name)
        boxes.ask_first(
            self._page.window(),
            text,
            tr("Remove"),
            lambda: self._change(f"remove skill {name}", lambda: self._skills.remove(name)),
        )

    def _write(self, skill: Skill | None) -> None:
        window = SkillWindow(skill, self._page.window())
        window.written.connect(
            lambda name, about, text: self._do(
                "write skill", self._put(window, skill, (name, about, text))
            )
        )
        window.open()

    async def _put(
        self, window: SkillWindow, skill: Skill | None, written: tuple[str, str, str]
    ) -> None:
        name, about, text = (part.strip() for part in written)
        try:
            known = {one.slug for one in await self._skills.all()} if skill is None else set[str]()
            made = await self._skills.put(name, about, text) if slug_of(name) not in known else None
        except DeskpilotError as error:
            if shiboken6.isValid(window):
                window.fail(told(error))
            return
        if shiboken6.isValid(window):
            if made is None:
                window.fail(tr("There is a skill {name} already.", name=name))
                return
            window.accept()
        await self._read()
