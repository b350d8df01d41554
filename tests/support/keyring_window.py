"""The window as a process of a session: `python -m tests.support.keyring_window SCENE DATA ADDRESS`.

Says what is to be done with the keyring, a line each, and waits for an answer; ends with what was
seen, as JSON.
"""

import json
import sys
from pathlib import Path
from typing import Any, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel, QLineEdit, QListView
from pytestqt.qtbot import QtBot
from tests.support.bot import Bot
from tests.support.counterparty import GOOD_KEY
from tests.support.planted import MARKER, in_windows
from tests.support.stall import FROZEN_MS, StallMeter
from tests.support.window import Window, open_window

from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.my_apps.connection_dialog import ConnectionDialog
from patchbay.desktop.my_apps.view_models.connection_form import FormState
from patchbay.desktop.settings.secrets_page import SecretsPage
from patchbay.domain.flows import FlowFilter
from patchbay.domain.paging import PageRequest

WATCHED_MS = 500
WAITING = "Waiting for the system keyring"


class Scene:
    """One window over the local workspace, and what was seen in it."""

    def __init__(self, bot: Bot, window: Window, address: str) -> None:
        self.bot = bot
        self.window = window
        self.address = address
        self.seen: dict[str, Any] = {}

    def order(self, word: str) -> None:
        """Have something done with the keyring."""
        print(word, flush=True)
        sys.stdin.readline()

    def form(self) -> ConnectionDialog:
        """Pick the app and enter what it wants, without sending it."""
        self.window.wait(lambda: self.window.services.apps.all)
        self.window.tab(Tab.MY_APPS).pick_app()
        search = self.window.see(QLineEdit, "Search apps")
        self.window.type(search, "changed")
        self.window.key(search, Qt.Key.Key_Return)
        values = {"Screen name": "Mine", "Instance URL": self.address, "API Key": GOOD_KEY}
        for label, text in values.items():
            field = self.window.see(QLineEdit, label)
            field.clear()
            self.window.type(field, text)
        found: ConnectionDialog = self.window.wait(
            lambda: self.window.desk.window.findChildren(ConnectionDialog)
        )[-1]
        return found

    def page(self) -> SecretsPage:
        made: SecretsPage = self.window.desk.window.open_settings("Secrets").page("Secrets")
        return made

    def says(self, page: SecretsPage, words: str) -> str:
        """The box of the page, once it says these words."""
        self.window.wait(lambda: words in page.state.accessibleName())
        return page.state.accessibleName()

    def footer(self, words: str) -> str:
        """What the status bar says about secrets, once it is this."""
        area = self.window.desk.window.area
        assert area is not None
        self.window.wait(lambda: area.status.secrets.words() == words)
        return area.status.secrets.words()

    def paints(self) -> bool:
        """Whether the window's event loop turns: it would stand still until the keyring answers."""
        with StallMeter() as meter:
            self.bot.wait(WATCHED_MS)
        return meter.longest_ms < FROZEN_MS

    def hangs(self) -> None:
        """The keyring hangs while a connection is made, and while the settings ask."""
        dialog = self.form()
        model = dialog._model
        self.window.press("Test and save")
        self.window.wait(lambda: any(WAITING in text for text in dialog.checking.step_texts()))
        self.seen["paints"] = [self.paints()]
        self.window.press("Cancel")
        self.window.wait(lambda: model.state is FormState.EDITING)
        self.seen["typed"] = model.values["apiKey"] == GOOD_KEY
        page = self.page()
        self.seen["waits"] = self.says(page, WAITING)
        self.seen["paints"].append(self.paints())
        page.stop.click()
        self.seen["stopped"] = self.says(page, "Stopped waiting for the keyring")
        self.order("thaw")
        page.again.click()
        self.seen["again"] = self.says(page, "Credentials are stored securely")
        page.window().close()
        model.submit()
        self.window.wait(lambda: model.state is FormState.DONE)

    def locked(self) -> None:
        """The keyring refuses, and is unlocked meanwhile."""
        dialog = self.form()
        self.window.press("Test and save")
        self.window.wait(lambda: "is locked" in dialog.error_box.box.accessibleName())
        self.seen["paints"] = [self.paints()]
        self.seen["footer"] = self.footer("Credentials aren't available")
        self.order("unlock")
        self.seen["footer later"] = self.footer("Secrets in system keyring")
        dialog._model.submit()
        self.window.wait(lambda: dialog._model.state is FormState.DONE)

    def none(self) -> None:
        """There is no keyring."""
        dialog = self.form()
        self.window.press("Test and save")
        self.window.wait(lambda: "There is no system keyring" in dialog.error_box.box.accessibleName())
        self.seen["paints"] = [self.paints()]
        page = self.page()
        self.seen["page"] = self.says(page, "passphrase vault")
        self.seen["way out"] = self.window.wait(page.create_vault.isVisible)

    def lost(self) -> None:
        """The keyring has no key to what is in the folder."""
        self.seen["flows"] = self.window.wait(lambda: self.window.rows("Flows"))
        tab = self.window.tab(Tab.MY_APPS)
        self.seen["reason"] = self.window.wait(lambda: reason_in(tab))
        page = self.page()
        self.window.wait(lambda: page.state.accessibleName().startswith("Credentials"))
        self.seen["page"] = page.state.accessibleName()
        if page.discard.isVisible():
            page._model.discard_lost()
            self.says(page, "Credentials are stored securely")
            page.window().close()
            self.seen["given up"] = self.window.wait(
                lambda: (reason := reason_in(tab)) != self.seen["reason"] and reason
            )

    def planted(self) -> None:
        """Everything that a planted secret was near to, looked through while it is on the screen."""
        control = QLabel(f"It is {MARKER}.")
        control.setAccessibleName("the control")
        self.seen["control"] = in_windows(MARKER)
        control.deleteLater()
        self.window.wait(lambda: not in_windows(MARKER))
        places: dict[str, list[str]] = {}
        dialog = self.form()
        key = self.window.see(QLineEdit, "API Key")
        key.clear()
        self.window.type(key, MARKER)
        places["form"] = in_windows(MARKER)
        self.window.press("Test and save")
        self.window.wait(lambda: dialog._model.state is FormState.REJECTED)
        dialog.error_box.more.click()
        places["refused"] = in_windows(MARKER)
        key.clear()
        dialog.done(0)
        self.window.tab(Tab.EXECUTIONS)
        rows = self.window.see(QAbstractItemView, "Executions")
        self.window.wait(lambda: len(self.window.rows("Executions")) >= 3)
        places["executions"] = in_windows(MARKER)
        places["execution"] = []
        for row in range(3):
            rows.setCurrentIndex(rows.model().index(row, 0))
            self.bot.wait(700)
            places["execution"] += in_windows(MARKER)
        flows = self.window.tab(Tab.FLOWS)
        found: list[Any] = []
        listing = self.window.services.backend.list_flows(FlowFilter(), PageRequest())
        self.window.services.tasks.run(flows, listing, done=lambda page: found.append(page.items[0].id))
        self.window.wait(lambda: found)
        flows.go(Place(Tab.FLOWS, id=found[0], section="editor"))
        steps = self.window.see(QListView, "Steps")
        steps.setCurrentIndex(steps.model().index(1, 0))
        self.bot.wait(1_000)
        places["editor"] = in_windows(MARKER)
        self.seen["places"] = places
        self.window.desk.window.close()


def reason_in(tab: Any) -> str:
    """Why the connection of the first app needs attention."""
    return next((row.connection.reason or "" for row in tab.page.cards.values()), "")


def main(scene: str, data: str, address: str) -> None:
    QApplication([])
    bot = Bot()
    with open_window(cast(QtBot, bot), Path(data), "local") as window:
        made = Scene(bot, window, address)
        getattr(made, scene)()
    print(json.dumps(made.seen), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
