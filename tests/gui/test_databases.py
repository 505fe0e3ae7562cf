"""A database in the window: added, a table chosen, its card refreshed, each failure told where one
looks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.ui.dashboard.add_dialog import AddDialog
from tests.gui.living import in_window, until
from tests.postgres_server import SECRET, Server, running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow
    from tests.memory_keyring import MemoryKeyring

SLOW = "slow"  # a database of its own


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as made:
        made.do(
            "CREATE TABLE orders AS SELECT i AS n, i * 1.5 AS amount, '北京' AS 城市 FROM"
            " generate_series(1, 30) i",
            "CREATE TABLE doomed AS SELECT 1 AS n",
            "ANALYZE",
        )
        yield made


def test_a_table_of_a_database_is_chosen_shown_and_read_anew(
    qapp: Any, server: Server, keyring_in_memory: MemoryKeyring
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        adder, pane = session.board.adder, window.dashboard
        pane.tabs.widget_wanted.emit()
        dialog = adder.dialog
        assert dialog is not None
        await until(lambda: "Add a widget backend or a database" in dialog.told.text())
        dialog.database.click()
        form = dialog.databases
        assert (form.isVisible(), dialog.list.isVisible()) == (True, False)
        form.url.setText(server.url())
        form.password.setText("not it")
        form.add.click()
        await until(lambda: "refused the user name" in form.told.text())
        form.password.setText(SECRET)
        form.add.click()
        await until(lambda: dialog.tree.topLevelItemCount() == 1)
        top = dialog.tree.topLevelItem(0)
        assert top is not None
        items = {top.child(n).text(0): top.child(n) for n in range(top.childCount())}
        assert list(items) == ["public.doomed  ·  about 1 row", "public.orders  ·  about 30 rows"]
        server.do("DROP TABLE doomed")
        dialog.tree.setCurrentItem(items["public.doomed  ·  about 1 row"])
        dialog.add.click()
        await until(lambda: "public.doomed no longer exists" in dialog.told.text())
        dialog.tree.setCurrentItem(items["public.orders  ·  about 30 rows"])
        dialog.add.click()
        await until(lambda: adder.dialog is None)
        (uid,) = [w.uuid for w in session.deskpilot.widgets.all() if w.name == "orders"]
        await until(lambda: pane.table(uid) is not None)
        bar = pane.cards[uid].bar
        assert bar.refresh in bar.quiet
        server.do("INSERT INTO orders VALUES (31, 1, 'x')")
        bar.refresh.click()
        await until(lambda: session.deskpilot.widgets.profile(uid).rows == 31)
        await until(lambda: "31 rows" in pane.cards[uid].bar.caption.text())

    in_window(work)


def busy(server: Server) -> int:
    """Return how many queries of ours a server computes."""
    sql = (
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'deskpilot' AND state ="
        " 'active'"
    )
    return int(server.rows(sql)[0][0])


def test_a_copy_that_takes_long_is_followed_and_stopped_at_the_server_too(
    qapp: Any, server: Server, keyring_in_memory: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.do(f"CREATE DATABASE {SLOW}")
    server.do(
        "CREATE TABLE pages AS SELECT i AS n FROM generate_series(1, 1000) i",
        "CREATE VIEW endless AS SELECT 1 AS n WHERE pg_sleep(900) IS NOT NULL",
        database=SLOW,
    )

    async def work(window: MainWindow, session: WindowSession) -> None:
        adder, databases = session.board.adder, session.deskpilot.databases
        made = await databases.add(server.url(database=SLOW), SECRET)
        told: list[str] = []
        show = AddDialog.show_copying
        monkeypatch.setattr(AddDialog, "show_copying", lambda d, t: (told.append(t), show(d, t)))
        window.dashboard.tabs.widget_wanted.emit()
        dialog = adder.dialog
        assert dialog is not None
        await until(lambda: dialog.tree.topLevelItemCount() == 1)
        dialog.copy_wanted.emit(made.url, "public", "endless", False)
        await until(lambda: busy(server) == 1)
        assert dialog.told.text() == "Copying public.endless …"
        assert dialog.stop.isVisible()
        dialog.reject()
        await until(lambda: adder.dialog is None)
        window.dashboard.tabs.widget_wanted.emit()  # opened anew, it still follows
        again = adder.dialog
        assert again is not None
        await until(lambda: again.tree.topLevelItemCount() == 1)
        assert again.told.text() == "Copying public.endless …"
        again.stop.setFocus()
        QTest.keyClick(again.stop, Qt.Key.Key_Space)
        await until(lambda: "Stopped copying public.endless" in again.told.text())
        assert not again.stop.isVisible()
        await until(lambda: busy(server) == 0)
        assert not [path for path in databases.folder.rglob("*") if path.is_file()]
        again.copy_wanted.emit(made.url, "public", "pages", False)
        await until(lambda: adder.dialog is None)
        assert any(text.startswith("Copying public.pages: 1,000 rows so far, ") for text in told)
        (uid,) = [w.uuid for w in session.deskpilot.widgets.all() if w.name == "pages"]
        await until(
            lambda: uid in window.dashboard.cards and window.dashboard.table(uid) is not None
        )
        again_ = "CREATE VIEW pages AS SELECT 1 AS n WHERE pg_sleep(900) IS NOT NULL"
        server.do("DROP TABLE pages", again_, database=SLOW)
        bar = window.dashboard.cards[uid].bar
        bar.refresh.click()
        await until(lambda: busy(server) == 1)
        assert bar.refresh.accessibleName() == "pages: stop"
        bar.refresh.click()
        await until(lambda: busy(server) == 0)
        await until(lambda: bar.refresh.accessibleName() == "pages: refresh")
        assert session.deskpilot.widgets.profile(uid).rows == 1000  # the copy before stays
        assert "1,000 rows" in bar.caption.text()

    in_window(work)
