"""Letting others in, from the window over the real workspace: keys, invitations, the address, the log."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot
from tests.support import patient
from tests.support.forms import long_form
from tests.support.window import Window, open_window

from patchbay.desktop.settings.audit_log import AuditLogDialog
from patchbay.desktop.settings.dialog import SettingsDialog


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def window(qtbot: QtBot, data: Path) -> Iterator[Window]:
    """The local workspace, empty, with its own service."""
    with open_window(qtbot, data, "local") as opened:
        opened.wait(lambda: opened.services.apps.all)
        opened.address = opened.wait(lambda: (data / "service.json").exists() and _address(data))
        yield opened


def _address(data: Path) -> str:
    return str(json.loads((data / "service.json").read_text("utf-8"))["address"])


def do(window: Window, action: str) -> None:
    window.desk.window.actions_by_id.get(action).run()


def type_into(window: Window, name: str, text: str) -> None:
    window.type(window.see(QLineEdit, name), text)


def copied(window: Window, name: str) -> str:
    """What the button beside a value that is shown once puts on the clipboard."""
    window.press(name)
    return window.wait(lambda: QGuiApplication.clipboard().text())


def close_settings(window: Window) -> None:
    for dialog in window.desk.window.findChildren(SettingsDialog):
        dialog.done(0)


def flows(window: Window, key: str) -> int:
    return patient.get(f"{window.address}/v1/flows", headers={"x-api-token": key}).status_code


def log(window: Window) -> list[str]:
    """What the audit log says now, newest first."""
    do(window, "audit")
    dialog = window.wait(lambda: next(iter(window.desk.window.findChildren(AuditLogDialog)), None))
    window.wait(lambda: dialog.rows.is_showing_rows)
    said = [row.partition(", window, ")[2] for row in window.rows("Audit log")]
    dialog.done(0)
    return said


@long_form
def test_a_key_made_in_the_window_opens_the_interface_until_it_is_revoked(window, data):
    do(window, "keys.new")
    type_into(window, "Name", "Backup")
    window.press("Create key")
    key = copied(window, "Copy API key")
    assert flows(window, key) == 200
    window.press("Done")

    window.press("Revoke Backup")
    window.press("Revoke")
    window.wait(lambda: flows(window, key) == 401)
    close_settings(window)

    assert log(window)[:2] == ["revoked API key “Backup”", "created API key “Backup”"]
    window.desk.window.hide()
    assert [
        path.name for path in data.rglob("*") if path.is_file() and key.encode() in path.read_bytes()
    ] == []


@long_form
def test_a_user_invited_in_the_window_joins_and_is_listed_at_once(window):
    do(window, "people.invite")
    type_into(window, "Name", "Dana Mori")
    type_into(window, "Email address", "dana@example.org")
    window.press("Invite")
    link = copied(window, "Copy link")
    assert link.startswith(f"{window.address}/accept-invitation?token=")
    window.press("Done")
    page = window.desk.window.findChildren(SettingsDialog)[0].page("People")
    window.wait(lambda: [row.title.text() for row in page.invited.rows.values()] == ["Dana Mori"])

    assert patient.get(link).status_code == 200
    answer = patient.post(link.partition("?")[0], data={"token": link.partition("token=")[2]})
    assert answer.is_success

    window.wait(lambda: "Dana Mori" in [row.title.text() for row in page.people.rows.values()])
    window.wait(lambda: page.invited.rows == {})
    close_settings(window)
    assert "invited “Dana Mori”" in log(window)


@long_form
def test_the_public_address_is_tested_and_kept(window):
    do(window, "address.test")
    page = window.desk.window.findChildren(SettingsDialog)[0].page("Server")
    window.wait(lambda: page.checks.isVisible() and not page.test.busy)
    assert page.model.test is not None
    assert page.model.test.ok, page.model.test

    page.address.setText(window.address.replace("127.0.0.1", "localhost"))
    page.address.textEdited.emit("")
    window.press("Save")

    window.wait(lambda: page.undo.isVisible())
    window.wait(lambda: page.redirect.text().startswith("http://localhost:"))
    close_settings(window)
    assert log(window)[:2] == ["changed the settings", "tested the public address"]
