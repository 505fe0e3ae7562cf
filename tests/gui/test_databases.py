"""A database in the window: added, a table chosen, its card refreshed, each failure told where one looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.gui.living import in_window, until
from tests.postgres_server import SECRET, Server, running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.ui.session import Session
    from app.ui.window import Window
    from tests.memory_keyring import MemoryKeyring


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as made:
        made.do(
            "CREATE TABLE orders AS SELECT i AS n, i * 1.5 AS amount, '北京' AS 城市 FROM generate_series(1, 30) i",
            "CREATE TABLE doomed AS SELECT 1 AS n",
            "ANALYZE",
        )
        yield made


def test_a_table_of_a_database_is_chosen_shown_and_read_anew(
    qapp: Any, server: Server, keyring_in_memory: MemoryKeyring
) -> None:
    async def work(window: Window, session: Session) -> None:
        adder, pane = session.board.adder, window.dashboard
        pane.tabs.widget_wanted.emit()
        dialog = adder.dialog
        assert dialog is not None
        await until(lambda: "add a widget backend, or a database" in dialog.told.text())
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
        await until(lambda: "public.doomed is not there any more" in dialog.told.text())
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
