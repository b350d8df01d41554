"""Rate limits on the engine's page of the settings."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.settings.engine_page import EnginePage
from patchbay.desktop.settings.view_models.engine_settings import EngineSettingsViewModel
from patchbay.domain.base import AppKey
from patchbay.domain.engine import EngineSettings, RateLimit
from patchbay.domain.errors import StorageFault

MINUTELY = RateLimit(calls=60, seconds=60)


@pytest.fixture
def backend():
    made = FakeBackend(executions=5)
    made.settings = EngineSettings(
        max_concurrent=7, app_limits={AppKey("slack"): MINUTELY, AppKey("gone"): MINUTELY}
    )
    github = AppKey("github")
    made.apps[github] = made.apps[github].model_copy(update={"rate_limit": RateLimit(calls=3)})
    return made


@pytest.fixture
def page(qtbot, tasks, backend):
    around = services(tasks, backend)
    made = EnginePage(EngineSettingsViewModel(around), around.clock)
    qtbot.addWidget(made)
    made.resize(520, 480)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(lambda: made.isActiveWindow() and "github" in made.limits.rows)
    return made


def _words(page):
    return [row.accessibleName() for row in page.limits.rows.values()]


def test_the_limits_that_hold_are_listed_by_app(page):
    assert _words(page) == [
        "GitHub: max. 3 a second, the app's default",
        "gone: max. 60 a minute",
        "Slack: max. 60 a minute",
    ]


def test_what_an_app_asks_for_is_changed_but_not_removed(page):
    assert not page.limits.rows["github"].remove.isVisible()
    assert page.limits.rows["slack"].remove.isVisible()
    assert page.limits.rows["github"].change.accessibleName() == "Change the rate limit of GitHub"


def test_an_app_is_limited_by_keyboard_and_other_settings_stay(qtbot, page, backend):
    page.limits.add.setFocus()
    qtbot.keyClick(page.limits.add, Qt.Key.Key_Space)
    dialog = page.limits.dialog
    qtbot.waitUntil(lambda: dialog.isActiveWindow() and dialog.app.hasFocus())
    offered = [dialog.app.itemText(row) for row in range(dialog.app.count())]
    assert offered == sorted(offered, key=str.casefold)
    assert not {"Slack", "GitHub"} & set(offered)

    qtbot.keyClicks(dialog.app, "Tod")
    qtbot.keyClick(dialog.app, Qt.Key.Key_Tab)
    qtbot.keyClicks(QApplication.focusWidget(), "100")
    qtbot.keyPress(QApplication.focusWidget(), Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: backend.settings.app_limits.get("todoist") == RateLimit(calls=100))
    assert backend.settings.app_limits["slack"] == MINUTELY
    assert backend.settings.max_concurrent == 7
    qtbot.waitUntil(lambda: "Todoist: max. 100 a second" in _words(page))


def test_adding_can_be_undone(qtbot, page, backend):
    page._model.limit_app("todoist", MINUTELY)
    qtbot.waitUntil(lambda: "todoist" in backend.settings.app_limits and page.undo.isVisible())

    page.undo.click()

    qtbot.waitUntil(lambda: "todoist" not in backend.settings.app_limits)
    qtbot.waitUntil(lambda: "todoist" not in page.limits.rows)


def test_a_limit_is_changed_in_place_of_what_the_app_asks_for(qtbot, page, backend):
    page.limits.rows["github"].change.click()
    dialog = page.limits.dialog
    assert (dialog.title.text(), dialog.limit.calls.text()) == ("Rate limit for GitHub", "3")

    dialog.limit.calls.setText("1")
    dialog._submit()

    qtbot.waitUntil(lambda: backend.settings.app_limits.get("github") == RateLimit(calls=1))
    qtbot.waitUntil(lambda: "GitHub: max. 1 a second (app default: max. 3 a second)" in _words(page))


def test_a_removed_limit_leaves_the_others_and_the_focus_stays_on_the_page(qtbot, page, backend):
    page.limits.rows["slack"].remove.setFocus()

    qtbot.keyClick(page.limits.rows["slack"].remove, Qt.Key.Key_Space)

    qtbot.waitUntil(lambda: list(backend.settings.app_limits) == ["gone"])
    qtbot.waitUntil(lambda: list(page.limits.rows) == ["github", "gone"])
    qtbot.waitUntil(lambda: page.limits.add.hasFocus())


def test_other_choices_keep_the_limits(qtbot, page, backend):
    page.concurrency.set_value(50)

    qtbot.waitUntil(lambda: backend.settings.max_concurrent == 50)
    assert set(backend.settings.app_limits) == {"slack", "gone"}


def test_an_invalid_number_is_reported_and_not_stored(page, backend):
    page.limits.open_new_dialog()
    dialog = page.limits.dialog
    dialog.limit.span.set_value(None)
    dialog.limit.calls.setText("0")

    dialog._submit()

    assert dialog.isVisible()
    assert "Enter the number of requests" in dialog.field.error
    assert "Enter the number of seconds" in dialog.field.error
    dialog.reject()
    assert not [name for name, _ in backend.calls if name == "change_engine_settings"]


def test_a_limit_that_was_refused_says_why_and_the_list_stays(qtbot, page, backend):
    backend.failing["change_engine_settings"] = StorageFault("The disk is full.", todo="Free some space.")

    page._model.limit_app("todoist", MINUTELY)

    qtbot.waitUntil(lambda: page.problem.isVisible())
    assert "todoist" not in page.limits.rows


def test_the_way_back_stays_in_sight_however_far_the_page_is_scrolled(qtbot, page):
    page.resize(520, 260)
    page._model.limit_app("todoist", MINUTELY)

    qtbot.waitUntil(lambda: page.undo.isVisible())

    corner = page.undo.mapTo(page, page.undo.rect().bottomRight())
    assert page.rect().contains(corner)
