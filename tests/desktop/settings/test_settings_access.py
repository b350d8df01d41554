"""Keys, people, service and log from the palette, and the settings that hold them."""

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget
from tests.support.shell import window

from patchbay.desktop.settings.api_keys_page import NewKeyDialog
from patchbay.desktop.settings.audit_log import AuditLogDialog
from patchbay.desktop.settings.dialog import SettingsDialog
from patchbay.desktop.settings.pages import SETTINGS_SECTIONS
from patchbay.desktop.settings.people_page import InviteDialog
from patchbay.domain.backend import Capabilities, Feature


@pytest.fixture
def main(qtbot, tasks, backend):
    made = window(tasks, backend=backend)
    qtbot.addWidget(made)
    made.show()
    yield made
    for dialog in _open(SettingsDialog) + _open(AuditLogDialog):
        dialog.done(0)
    made.close()


class Watch(QObject):
    """Remembers every window that was shown."""

    def __init__(self):
        super().__init__()
        self.shown = []

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.shown.append(type(watched).__name__)
        return False


@pytest.fixture
def watch(qapp, main):
    made = Watch()
    qapp.installEventFilter(made)
    yield made
    qapp.removeEventFilter(made)


def _open(kind):
    return [item for item in QApplication.topLevelWidgets() if isinstance(item, kind) and item.isVisible()]


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_enter_in_a_field_saves_it_and_leaves_the_dialog_open(qtbot, main, backend, key):
    dialog = main.open_settings()
    dialog.show_page("Server")
    page = dialog.page("Server")
    qtbot.waitUntil(lambda: page.model.settings is not None)
    for field in (page.outgoing.allowed, page.address):
        field.setFocus()
        qtbot.keyClicks(field, "flows.example.org")
        qtbot.keyClick(field, key)
        qtbot.waitUntil(lambda: not page.model.busy)
        assert dialog.isVisible()

    assert backend.hosting.allowed_addresses == ("flows.example.org",)
    assert backend.hosting.public_address == "https://flows.example.org"


def test_every_page_is_built_when_it_is_looked_at(main, backend):
    dialog = main.open_settings()
    assert not [name for name, _ in backend.calls if name in ("list_api_keys", "audit_log")]

    for row, matter in enumerate(SETTINGS_SECTIONS):
        dialog.list.setCurrentRow(row)
        assert dialog.page(matter.title).isVisible()


def test_a_key_is_requested_from_the_palette(qtbot, main):
    main.actions_by_id.get("keys.new").run()

    qtbot.waitUntil(lambda: bool(_open(NewKeyDialog)))
    [dialog] = _open(NewKeyDialog)
    assert dialog.person.count() == 4
    dialog.reject()


def test_a_user_is_invited_from_the_palette(qtbot, main):
    main.actions_by_id.get("people.invite").run()

    qtbot.waitUntil(lambda: bool(_open(InviteDialog)))
    [dialog] = _open(InviteDialog)
    assert len(dialog.role.buttons) == 3
    dialog.reject()


def test_the_public_address_is_tested_from_the_palette(qtbot, main, backend):
    main.actions_by_id.get("address.test").run()

    qtbot.waitUntil(lambda: any(name == "test_public_address" for name, _ in backend.calls))
    [settings] = _open(SettingsDialog)
    qtbot.waitUntil(lambda: settings.page("Server").checks.isVisible())


def test_the_log_opens_from_the_palette_and_from_its_page_in_place_of_the_settings(qtbot, main):
    main.actions_by_id.get("audit").run()
    [log] = _open(AuditLogDialog)
    log.done(0)

    main.open_settings("Audit log").page("Audit log").all.click()

    assert len(_open(AuditLogDialog)) == 1
    assert _open(SettingsDialog) == []


def test_what_a_workspace_does_not_offer_says_why_in_the_palette(main, backend):
    reasons = {Feature.ACCESS: "Made on its web page.", Feature.ADDRESS: "Set on its web page."}
    backend.capabilities = Capabilities(unavailable=reasons)

    told = {name: main.actions_by_id.get(name).reason() for name in ("keys.new", "audit", "address.test")}

    assert told == {
        "keys.new": reasons[Feature.ACCESS],
        "audit": reasons[Feature.ACCESS],
        "address.test": reasons[Feature.ADDRESS],
    }


def test_without_a_workspace_these_pages_say_so(main):
    main.show_welcome()
    dialog = main.open_settings("API keys")

    assert dialog.page("API keys").text() == "Open a workspace to see its API keys."
    assert main.open_audit_log() is None
    assert main.actions_by_id.get("people.invite").reason() == "open a workspace first"


def test_every_control_of_every_page_has_a_name_and_no_page_opens_a_window(qtbot, main, watch):
    dialog = main.open_settings()
    for matter in SETTINGS_SECTIONS:
        dialog.show_page(matter.title)
        qtbot.wait(60)
        assert _nameless(dialog) == [], matter.title

    assert set(watch.shown) == {"SettingsDialog"}


def test_every_control_of_the_dialogs_has_a_name(qtbot, main):
    keys = main.open_settings("API keys").page("API keys")
    keys.run_when_loaded(keys.open_new_dialog)
    qtbot.waitUntil(lambda: bool(_open(NewKeyDialog)))
    assert _nameless(_open(NewKeyDialog)[0]) == []
    keys.dialog.reject()

    log = main.open_audit_log()
    qtbot.waitUntil(lambda: log.rows.is_showing_rows)
    assert _nameless(log) == []


def _nameless(top):
    return [
        widget
        for widget in top.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.isVisible()
        and not (widget.accessibleName() or getattr(widget, "text", lambda: "")())
    ]
