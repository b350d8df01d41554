"""The My Apps tab by keyboard and by accessible names."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QWidget
from tests.support.fake_workspace import NOW

from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.text import clock_time
from patchbay.desktop.my_apps.app_list import AppListModel
from patchbay.desktop.my_apps.app_picker import AppPicker
from patchbay.desktop.my_apps.connection_dialog import ConnectionDialog
from patchbay.desktop.my_apps.tab import MyAppsTab
from patchbay.domain.base import AppKey


@pytest.fixture
def tab(qtbot, shared, opened):
    made = MyAppsTab(shared, open_url=lambda url: opened.append(url) is None)
    qtbot.addWidget(made)
    made.resize(1280, 720)
    made.show()
    made.activate()
    qtbot.waitUntil(lambda: made.model.loaded and bool(made.page.cards) and bool(made.model.flows))
    return made


def test_only_the_demo_has_a_strip_at_the_top(qtbot, tab, backend):
    assert tab.bar.mapTo(tab, QPoint(0, 0)).y() == 0

    local = backend.info

    async def demo():
        return (await local()).model_copy(update={"kind": "demo"})

    backend.info = demo
    tab.activate()

    qtbot.waitUntil(lambda: tab.bar.mapTo(tab, QPoint(0, 0)).y() > 0)


def test_without_connections_the_tab_leads_to_the_templates(qtbot, tab, shared, backend):
    assert not tab.first_note.isVisible()
    backend.connections.clear()

    tab.model.refresh()
    qtbot.waitUntil(tab.first_note.isVisible)

    with qtbot.waitSignal(shared.navigator.requested) as asked:
        qtbot.mouseClick(_named(tab.first_note, "Choose a template"), Qt.MouseButton.LeftButton)
    assert asked.args[0].tab is Tab.TEMPLATES


def _named(widget: QWidget, name: str) -> QAbstractButton:
    return next(
        item
        for item in widget.findChildren(QAbstractButton)
        if item.accessibleName() == name or item.text() == name
    )


def test_arrow_keys_move_from_app_to_app_and_skip_headings(qtbot, tab):
    tab.list.setFocus()
    seen = [tab.model.selected]

    for _ in range(3):
        qtbot.keyClick(tab.list, Qt.Key.Key_Down)
        seen.append(tab.model.selected)

    assert seen == [row.app.key for row in tab.model.rows][:4]


def test_a_connection_is_made_by_keyboard_alone(qtbot, tab, backend):
    tab.go(Place(Tab.MY_APPS, "deepl", "add"))
    qtbot.waitUntil(lambda: isinstance(tab.dialog, ConnectionDialog) and bool(tab.dialog.fields))
    dialog = tab.dialog
    name, key = dialog.fields["screenName"].editor, dialog.fields["apiKey"].editor

    qtbot.keyClicks(name, "Mine")
    qtbot.keyClicks(key.edit, "right")
    qtbot.keyClick(key.edit, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: any(item.screen_name == "Mine" for item in backend.connections.values()))
    qtbot.waitUntil(lambda: tab.dialog is None)


def test_a_wrong_key_is_answered_in_the_words_of_the_app(qtbot, tab, backend):
    dialog = tab.add("deepl")
    qtbot.waitUntil(lambda: bool(dialog.fields))
    dialog.fields["screenName"].editor.setText("Mine")
    dialog.fields["apiKey"].editor.set_text("wrong")

    dialog.primary.click()

    qtbot.waitUntil(lambda: dialog.error_box.isVisible())
    assert "Invalid API key" in dialog.error_box.box.accessibleName()
    assert len(backend.connections) == 6
    dialog._model.values.clear()
    dialog.reject()


def test_secrets_are_masked_until_shown(qtbot, tab):
    dialog = tab.add("deepl")
    qtbot.waitUntil(lambda: bool(dialog.fields))

    assert dialog.fields["apiKey"].editor.edit.echoMode() is QLineEdit.EchoMode.Password
    dialog.reject()


def test_a_card_offers_test_and_reconnect_by_name(qtbot, tab, backend):
    tab.model.select("todoist")
    qtbot.waitUntil(lambda: "con-anna" in tab.page.cards)

    _named(tab.page, "Reconnect Anna’s Todoist").click()

    qtbot.waitUntil(lambda: isinstance(tab.dialog, ConnectionDialog) and bool(tab.dialog.fields))
    assert tab.dialog.fields["screenName"].editor.text() == "Anna’s Todoist"
    tab.dialog.reject()


def test_a_service_that_is_down_is_tested_again_and_not_reconnected(qtbot, tab, backend):
    backend.unreachable["github"] = "Nothing answers at api.github.com."
    tab.model.select("github")
    qtbot.waitUntil(lambda: "con-gh" in tab.page.cards)
    card = tab.page.cards["con-gh"]

    card.test.click()

    qtbot.waitUntil(lambda: card.test.text() == "Test again" and not card.test.busy)
    assert (card.test.kind, card.reconnect.isVisible()) == ("primary", False)
    told = card.findChild(MessageBox).accessibleName()
    assert told.startswith(f"Couldn't reach GitHub at {clock_time(NOW)}. Nothing answers")

    backend.unreachable.clear()
    card.test.click()

    qtbot.waitUntil(lambda: card.test.text() == "Test")
    assert card.test.kind == "default"
    assert not card.findChild(MessageBox).isVisible()


def test_the_picker_filters_and_takes_the_first(qtbot, tab):
    tab.pick_app()
    picker = tab.dialog
    assert isinstance(picker, AppPicker)

    qtbot.keyClicks(picker.search, "deep")
    qtbot.waitUntil(lambda: picker.list.rows.rowCount() == 1)
    qtbot.keyClick(picker.search, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: isinstance(tab.dialog, ConnectionDialog))
    tab.dialog.reject()


def test_a_search_shows_the_first_match_at_the_right(qtbot, tab):
    tab.model.select(AppKey("github"))

    tab.filter.setText("slack")

    qtbot.waitUntil(lambda: tab.model.selected == "slack")
    assert tab.page.isVisible()


def test_a_search_that_the_shown_app_matches_keeps_it(qtbot, tab):
    tab.model.select(AppKey("slack"))

    tab.filter.setText("s")

    qtbot.waitUntil(lambda: tab.model.text == "s")
    assert tab.model.selected == "slack"


def test_no_match_offers_to_clear_the_filter(qtbot, tab):
    tab.filter.setText("zzz")
    qtbot.waitUntil(lambda: not tab.stack.is_showing_rows)
    assert not tab.page.isVisible()

    tab.filter.clear()

    qtbot.waitUntil(lambda: tab.stack.is_showing_rows)


def test_the_list_model_keeps_the_rules_of_models(qtmodeltester, tab):
    model = AppListModel()
    model.set_sections(tab.model.sections)

    qtmodeltester.check(model)


def test_everything_that_takes_the_focus_has_a_name(tab):
    nameless = [
        item
        for item in tab.findChildren(QWidget)
        if item.focusPolicy() != Qt.FocusPolicy.NoFocus
        and item.isVisible()
        and not item.inherits("QScrollBar")
        and not (item.accessibleName() or getattr(item, "text", str)())
        and not item.focusProxy()
    ]

    assert [type(item).__name__ for item in nameless] == []
