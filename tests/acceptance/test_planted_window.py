"""A key and a link that the window shows are nowhere once it has shown them."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit
from tests.support.forms import long_form
from tests.support.planted import in_files, in_windows
from tests.support.planted_access import CANARY, token_in
from tests.support.window import Window, open_window

pytestmark = long_form


def test_the_window_shows_a_key_and_a_link_once_and_keeps_neither(qtbot, tmp_path):
    secrets = {}
    with open_window(qtbot, tmp_path / "data", "local") as window:
        window.wait(lambda: window.services.apps.all and (tmp_path / "data" / "service.json").exists())
        _type(window, "keys.new", {"Name": CANARY}, "Create key")
        window.press("Copy API key")
        secrets["key"] = window.wait(lambda: QGuiApplication.clipboard().text())
        window.press("Done")
        QGuiApplication.clipboard().clear()
        _type(window, "people.invite", {"Name": "Dana", "Email address": "dana@example.org"}, "Invite")
        window.press("Copy link")
        secrets["link"] = token_in(window.wait(lambda: QGuiApplication.clipboard().text()))
        window.press("Done")
        window.wait(lambda: in_windows(CANARY))

        shown = {name: in_windows(secret) for name, secret in secrets.items()}
        window.desk.window.hide()

    assert shown == {"key": [], "link": []}
    assert in_files(tmp_path, CANARY)
    assert {name: in_files(tmp_path, secret) for name, secret in secrets.items()} == {"key": [], "link": []}


def _type(window: Window, action: str, words: dict[str, str], button: str) -> None:
    window.desk.window.actions_by_id.get(action).run()
    for name, text in words.items():
        window.type(window.see(QLineEdit, name), text)
    window.press(button)
