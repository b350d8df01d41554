"""A person's first working day in the window: connect an app, build a flow, test and publish it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLineEdit, QListView, QTextEdit
from pytestqt.qtbot import QtBot
from tests.support import patient
from tests.support.counterparty import GOOD_KEY, REFUSAL, Counterparty
from tests.support.forms import long_form
from tests.support.window import Window, open_window

from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.kit.messages import MessageBox

ENTER = Qt.Key.Key_Return


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, data: Path) -> Iterator[Window]:
    """The local workspace, empty, with a passphrase vault."""
    passphrase = tmp_path / "passphrase"
    passphrase.write_text("correct horse")
    passphrase.chmod(0o600)
    with open_window(qtbot, data, "local", passphrase_file=passphrase) as opened:
        opened.wait(lambda: opened.services.apps.all)
        yield opened


def connect(window: Window, party: Counterparty, name: str, key: str) -> None:
    """Pick the app, fill in the form, and have it checked."""
    tab = window.tab(Tab.MY_APPS)
    tab.pick_app()
    search = window.see(QLineEdit, "Search apps")
    window.type(search, "changed")
    window.key(search, ENTER)
    for label, text in (("Screen name", name), ("Instance URL", party.address), ("API Key", key)):
        field = window.see(QLineEdit, label)
        field.clear()
        window.type(field, text)
    window.press("Test and save")


def connections(window: Window) -> list[str]:
    """The cards of the app's page, as assistive technology reads them."""
    return [card.accessibleName() for card in window.tab(Tab.MY_APPS).page.cards.values()]


@long_form
def test_a_good_key_is_listed_as_valid_and_a_wrong_one_is_reported_in_the_services_words(window, party):
    connect(window, party, "Watch", "not-the-key")
    window.wait(lambda: REFUSAL in told(window))
    refused = connections(window)
    key = window.see(QLineEdit, "API Key")
    key.clear()
    window.type(key, GOOD_KEY)
    window.press("Test and save")
    window.wait(lambda: not dialogs(window))

    assert refused == []
    window.wait(lambda: connections(window) == ["Connection Watch, Valid"])


def dialogs(window: Window) -> list[QDialog]:
    return [dialog for dialog in window.desk.window.findChildren(QDialog) if dialog.isVisible()]


def told(window: Window) -> str:
    """What the open dialog says about a refusal."""
    boxes = [box for dialog in dialogs(window) for box in dialog.findChildren(MessageBox)]
    return " ".join(box.accessibleName() for box in boxes if box.isVisible())


def choose_event(window: Window, words: str) -> None:
    """Find an event among those of all apps, and take the best match."""
    window.see(QListView, "Apps and events")
    search = window.see(QLineEdit, "Search apps and events")
    window.type(search, words)
    window.wait(lambda: words in str(window.rows("Apps and events")[:2]))  # below its app
    window.key(search, ENTER)


@long_form
def test_a_flow_is_built_tested_published_and_seen_running(window, party, data):
    flows = window.tab(Tab.FLOWS)
    window.press("New flow")
    choose_event(window, "Catch raw webhook")
    editor = flows.editor_page.editor
    hook = window.wait(lambda: editor.flow.steps[0].webhook_url)
    patient.post(hook, json={"customer": "Ada"}).raise_for_status()
    window.press("Test")
    window.wait(lambda: editor.flow.steps[0].status == "completed" and "customer" in str(editor.samples))

    steps = window.see(QListView, "Steps")
    steps.setFocus()
    window.key(steps, Qt.Key.Key_Down)
    choose_event(window, "Custom request")
    window.see(QTextEdit, "URL")
    window.fill("URL", f"{party.address}/built")
    window.press("Insert variable into Data")
    picker = window.see(QLineEdit, "Search variables from earlier steps")
    window.type(picker, "customer")
    window.key(picker, ENTER)
    window.press("Test")
    window.wait(lambda: "/built" in party.paths())
    window.wait(lambda: editor.flow.steps[1].status == "completed")
    window.press("Publish")
    window.wait(lambda: editor.flow.active)

    patient.post(hook, json={"customer": "Grace"}).raise_for_status()
    window.wait(lambda: [call.body for call in party.seen if call.path == "/built"] == ["Ada", "Grace"])
    window.tab(Tab.EXECUTIONS)
    window.wait(lambda: any("Success" in row for row in window.rows("Executions")))
    assert json.loads((data / "service.json").read_text())["address"] in hook
