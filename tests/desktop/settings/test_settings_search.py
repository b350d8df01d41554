"""The search of the settings finds labels, effects, and synonyms, and leads to the control."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QScrollArea, QWidget
from tests.support.fake_backend import FakeBackend
from tests.support.fake_backups import FakeBackups
from tests.support.shell import window

from patchbay.desktop.settings.pages import SETTINGS_SECTIONS
from patchbay.desktop.settings.search_pane import Highlight, Reveal, find_control
from patchbay.desktop.settings.view_models.backups import BackupsViewModel
from patchbay.desktop.settings.view_models.search import ENTRIES, find_settings
from patchbay.desktop.settings.view_models.start_at_login import StartAtLogin
from patchbay.desktop.settings.view_models.stored_files import StoredFilesViewModel
from patchbay.desktop.settings.window_options import ShellOptions
from patchbay.platform.paths import AppPaths
from patchbay.platform.stored_files import StoredFiles


class LoginItem:
    """An entry of a system that is off."""

    def is_enabled(self) -> bool:
        return False

    def set_enabled(self, enabled: bool) -> None:
        raise AssertionError("nothing turns it on")


@pytest.fixture
def dialog(qtbot, tasks, tmp_path):
    stored = StoredFilesViewModel(StoredFiles(AppPaths.choose(tmp_path)), tasks)
    backups = BackupsViewModel(FakeBackups(), tasks, tmp_path)
    options = ShellOptions(
        workspace="local",
        test_every_hours=6.0,
        stored_files=stored,
        backups=backups,
        start_at_login=StartAtLogin(LoginItem(), tasks),
    )
    main = window(tasks, options, FakeBackend(executions=20))
    qtbot.addWidget(main)
    main.show()
    qtbot.waitUntil(lambda: bool(main.area and main.area.model.health and main.area.model.info))
    opened = main.open_settings()
    qtbot.waitExposed(opened)
    yield opened
    opened.close()
    main.close()


@pytest.mark.parametrize(
    ("query", "label"),
    [
        ("dark mode", "Colours"),
        ("retention", "Max. executions to keep"),
        ("do not disturb", "Quiet hours"),
        ("autostart", "Start at login"),
        ("quiet", "Quiet hours"),
        ("  KEYRING ", "Store credentials"),
    ],
)
def test_words_people_use_find_the_setting(query, label):
    assert find_settings(query)[0].label == label


def test_labels_come_before_other_matches():
    assert [entry.label for entry in find_settings("max")][:2] == [
        "Max. runs at a time",
        "Max. executions to keep",
    ]


@pytest.mark.parametrize("query", ["", "   ", "no such setting"])
def test_nothing_is_found(query):
    assert find_settings(query) == ()


def test_every_entry_names_a_section_and_says_what_it_does():
    titles = {section.title for section in SETTINGS_SECTIONS}

    assert {entry.page for entry in ENTRIES} == titles
    assert [entry.label for entry in ENTRIES if not entry.effect.endswith(".")] == []


def test_every_entry_is_a_control_of_its_page(dialog):
    missing = [entry.label for entry in ENTRIES if entry.label not in _names(dialog.page(entry.page))]

    assert missing == []


def _names(page):
    named = {widget.accessibleName() for widget in page.findChildren(QWidget)}
    return named | {button.text() for button in page.findChildren(QAbstractButton)}


def test_ctrl_f_and_enter_lead_to_the_control(qtbot, dialog):
    qtbot.keyClick(dialog, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(dialog.search.field.hasFocus)
    qtbot.keyClicks(dialog.search.field, "simultaneous")
    qtbot.keyClick(dialog.search.field, Qt.Key.Key_Return)

    page = dialog.page("Engine")
    qtbot.waitUntil(page.concurrency.hasFocus)
    assert dialog.list.currentItem().text() == "Engine"
    assert page.findChildren(Highlight)


def test_a_setting_far_down_a_page_that_was_never_shown_is_scrolled_into_view(qtbot, dialog):
    entry = next(entry for entry in ENTRIES if entry.label == "Outgoing addresses")
    dialog.show_setting(entry)

    page = dialog.page(entry.page)
    qtbot.waitUntil(lambda: bool(page.findChildren(Highlight)))
    control = find_control(page, entry.label)
    area = control.parentWidget()
    while not isinstance(area, QScrollArea):
        area = area.parentWidget()
    top = control.mapTo(area.viewport(), QPoint()).y()
    assert 0 <= top <= area.viewport().height() - control.height()
    assert area.verticalScrollBar().value() > 0


def test_every_entry_leads_to_a_control_or_to_the_setting_on_which_it_depends(qtbot, dialog):
    led_to_nothing = []
    for entry in ENTRIES:
        page = dialog.page(entry.page)
        before = set(page.findChildren(Highlight))
        dialog.show_setting(entry)
        qtbot.waitUntil(lambda page=page: not page.findChildren(Reveal))
        if not set(page.findChildren(Highlight)) - before:
            led_to_nothing.append(entry.label)

    assert led_to_nothing == []


def test_escape_shows_the_sections_again_and_then_closes(qtbot, dialog):
    field = dialog.search.field
    field.setFocus()
    qtbot.keyClicks(field, "font")
    qtbot.waitUntil(dialog.search.results.isVisible)
    qtbot.keyClick(field, Qt.Key.Key_Down)
    assert dialog.search.results.hasFocus()

    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert dialog.list.isVisible()
    assert dialog.isVisible()
    qtbot.keyClick(field, Qt.Key.Key_Escape)

    assert not dialog.isVisible()


def test_no_match_is_said(qtbot, dialog):
    qtbot.keyClicks(dialog.search.field, "no such setting")

    qtbot.waitUntil(dialog.search._nothing.isVisible)
    assert dialog.search.results.count() == 0


def test_the_appearance_can_be_reset_and_restored(dialog):
    page = dialog.page("Appearance")
    page.scheme.set_value("light")
    page.font_choice.set_value("inter")

    page.reset.button.click()
    assert (page.scheme.value(), page.font_choice.value()) == ("system", "automatic")
    page.reset.undo.click()

    assert (page.scheme.value(), page.font_choice.value()) == ("light", "inter")
    page.reset.button.click()


def test_the_engine_settings_are_reset_after_a_question(qtbot, dialog):
    page = dialog.page("Engine")
    qtbot.waitUntil(lambda: page.concurrency.isEnabled() and page._model.settings is not None)
    page.concurrency.set_value(50)
    qtbot.waitUntil(lambda: page._model.settings.max_concurrent == 50 and not page._model.busy)

    page.reset.click()
    [yes] = [
        button for button in page.confirm_dialog.findChildren(QAbstractButton) if button.text() == "Reset"
    ]
    yes.click()

    qtbot.waitUntil(lambda: page._model.settings.max_concurrent == 20)
    qtbot.waitUntil(lambda: page.reset.toolTip() == "This page has its defaults.")


def test_escape_ends_the_search_before_it_closes_the_dialog(qtbot, dialog):
    dialog.search.field.setText("limit")
    dialog.list.setFocus()

    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert (dialog.isVisible(), dialog.search.field.text()) == (True, "")

    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
