"""Talk, hands free, in the window: the cited number by voice, and being interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.domain.events import Citations
from app.ui.dashboard.bodies.pdf_pages import PdfBody
from app.ui.dashboard.table.view import TableBody
from tests.gui.living import in_window, until
from tests.gui.test_dictation import TYPED, bar, without_names
from tests.models.speech import SENTENCES
from tests.network_watch import NetworkWatch, network
from tests.unit.app.documents.files import write_pdf
from tests.virtual_sound import MICROPHONE, VirtualSound, pactl

if TYPE_CHECKING:
    from pathlib import Path

    from app.services.voice.script import SpokenPart
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

__all__ = ["network"]

WHY = SENTENCES[34]
REASON = "The profit fell in June because the mill in Bergen stood still."
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.mark.starter
@pytest.mark.usefixtures("tiny_models")
def test_the_cited_number_by_voice_without_a_touch_of_the_network(
    qapp: Any, virtual: VirtualSound, aapl: Path, network: NetworkWatch
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        await without_names(session)
        widgets, talk, said = (
            session.deskpilot.widgets,
            session.deskpilot.voice.talk,
            list["SpokenPart"](),
        )
        for widget in widgets.all():
            await widgets.attach(widget.uuid, attached=False)
        table = await widgets.add_file(aapl)
        await until(lambda: window.dashboard.cards[table.uuid].findChildren(TableBody))
        shown, lit = (
            window.dashboard.cards[table.uuid].findChildren(TableBody)[0].model(),
            list[Any](),
        )
        shown.dataChanged.connect(lambda *_: lit.append(shown._lit))  # type: ignore[attr-defined]
        marked = session.voice.spoken
        session.voice.spoken = lambda turn, piece: (said.append(piece), marked(turn, piece))  # type: ignore[method-assign]
        QTest.keyClick(window, Qt.Key.Key_M, CONTROL_SHIFT)
        await until(lambda: session.voice.talking.seen == "listening")
        virtual.say(0.2, SENTENCES[0], 1.5)
        await until(lambda: session.voice.talking.seen == "speaking")
        virtual.say(SENTENCES[6], 0.5)  # half-duplex: what is said meanwhile is not heard
        await until(lambda: session.voice.talking.seen == "listening")
        names = [shown.headerData(i, Qt.Orientation.Horizontal) for i in range(shown.columnCount())]
        assert (0, names.index("close")) in lit  # the cell flashed
        (turn,) = session.turns
        assert turn.question == TYPED
        assert [piece.said for piece in said] == ["Close (date October fifteenth, 2024) is 233.85."]
        (cited,) = [item for item in turn.items if isinstance(item, Citations)]
        assert [c.value for c in cited.citations] == [233.85]
        QTest.keyClick(window, Qt.Key.Key_Escape)
        await until(lambda: not talk.active)
        assert bar(window) == ""
        assert len(session.turns) == 1

    in_window(work)
    assert network.watches("backends.service", "faster_whisper speech2text", "piper tts")
    assert network.tried() == []


@pytest.mark.usefixtures("tiny_models")
def test_a_document_asked_aloud_is_quoted_aloud_and_its_page_opens_by_itself(
    qapp: Any, virtual: VirtualSound, tmp_path: Path
) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    write_pdf(folder / "board.pdf", ["Minutes of the meeting.", REASON])

    async def work(window: MainWindow, session: WindowSession) -> None:
        await without_names(session)
        deskpilot, said = session.deskpilot, list["SpokenPart"]()
        await deskpilot.widgets.attach_only(set())
        session.context.attach_files([str(folder)])
        await until(lambda: deskpilot.widgets.attached())
        window.dashboard.hide()
        marked = session.voice.spoken
        session.voice.spoken = lambda turn, piece: (said.append(piece), marked(turn, piece))  # type: ignore[method-assign]
        session.voice.toggle_talk()
        await until(lambda: session.voice.talking.seen == "listening")
        virtual.say(0.2, WHY, 1.5)
        await until(
            lambda: any(body.pages.marks for body in window.dashboard.findChildren(PdfBody))
        )
        assert window.dashboard.isVisible()
        (turn,) = session.turns
        assert turn.question == WHY
        (mark,) = next(b.pages.marks for b in window.dashboard.findChildren(PdfBody))
        assert (mark.page, mark.quote) == (1, True)
        await until(lambda: len(said) >= 2)
        assert said[0].said == "From board.pdf, page 2:"
        assert REASON.startswith(said[1].said)
        QTest.keyClick(window, Qt.Key.Key_Escape)
        await until(lambda: not deskpilot.voice.talk.active)

    in_window(work)


@pytest.mark.starter
@pytest.mark.usefixtures("tiny_models")
def test_who_speaks_stops_sound_and_model_and_the_answer_is_cut_to_what_was_heard(
    qapp: Any, virtual: VirtualSound
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        await without_names(session)
        deskpilot, said = session.deskpilot, list["SpokenPart"]()
        await deskpilot.voice.choices.change(interrupt=True)
        for widget in deskpilot.widgets.all():
            await deskpilot.widgets.attach(widget.uuid, attached=False)
        marked = session.voice.spoken
        session.voice.spoken = lambda turn, piece: (said.append(piece), marked(turn, piece))  # type: ignore[method-assign]
        session.voice.toggle_talk()
        await until(lambda: session.voice.talking.seen == "listening")
        virtual.say(0.2, "Write a short email to the team.", 1.0)
        await until(lambda: len(said) >= 2)  # the first piece has been heard
        first = session.turns[0]
        virtual.say(SENTENCES[6], 1.2)
        await until(lambda: session.voice.talking.seen == "listening", 5)
        await until(lambda: first.state != "running" and len(session.turns) == 2)
        assert session.turns[1].question == SENTENCES[6]
        kept = (await deskpilot.history.open(first.conversation_id))[0].answer()
        assert kept == first.answer()
        heard = [piece.end for piece in said if piece.end <= len(kept)]
        assert len(kept) == heard[-1]
        QTest.keyClick(window, Qt.Key.Key_Escape)
        await until(lambda: not deskpilot.voice.talk.active)

    in_window(work)


@pytest.mark.usefixtures("tiny_models")
def test_a_microphone_that_is_pulled_out_of_a_talk_is_told_and_no_other_is_listened_to(
    qapp: Any, virtual: VirtualSound
) -> None:
    """The default one: the sound server would move us to another without a word."""

    async def work(window: MainWindow, session: WindowSession) -> None:
        other = pactl(
            "load-module", "module-remap-source", "master=out.monitor", "source_name=other"
        )
        try:
            session.voice.toggle_talk()
            await until(lambda: session.voice.talking.seen == "listening")
            virtual.unplug()
            try:
                await until(
                    lambda: bar(window).startswith(
                        f"{MICROPHONE} is no longer available. Connect it again"
                    )
                )
                await until(lambda: not session.deskpilot.voice.talk.active)
            finally:
                virtual.plug_in()
        finally:
            pactl("unload-module", other)

    in_window(work)


def test_without_a_voice_the_talk_offers_one_and_does_not_open_the_microphone(
    qapp: Any, virtual: VirtualSound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))

    async def work(window: MainWindow, session: WindowSession) -> None:
        opened: list[str] = []
        session.voice.talking.opened = opened.append  # type: ignore[method-assign]
        session.voice.toggle_talk()
        await until(lambda: window.composer.bar.action.text() == "Download 129 MB")
        assert bar(window).startswith("There is no voice on this machine.")
        await until(lambda: not session.deskpilot.voice.talk.active)
        assert not opened

    in_window(work)
