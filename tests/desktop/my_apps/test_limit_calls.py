"""Limiting how often a connection is used: the dialog, the card, the way back."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.rate_limits import (
    app_limits,
    call_limit_text,
    parse_calls,
    parse_seconds,
    rate_limit_text,
)
from patchbay.desktop.kit.rate_limit_dialogs import ConnectionLimitDialog
from patchbay.desktop.my_apps.tab import MyAppsTab
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.base import AppKey
from patchbay.domain.engine import EngineSettings, RateLimit
from patchbay.domain.errors import StorageFault

FIVE = RateLimit(calls=5)


@pytest.fixture
def tab(qtbot, shared):
    made = MyAppsTab(shared)
    qtbot.addWidget(made)
    made.resize(1280, 720)
    made.show()
    made.activate()
    qtbot.waitUntil(lambda: made.model.loaded and bool(made.page.cards))
    made.model.select(AppKey("todoist"))
    qtbot.waitUntil(lambda: "con-ops" in made.page.cards)
    return made


@pytest.fixture
def notices(shared):
    told: list[Any] = []
    shared.notices.posted.connect(told.append)
    return told


def _entry(card):
    return next(action for action in card.menu().actions() if action.text().startswith("Rate limit…"))


def _open(qtbot, tab, key="con-ops"):
    _entry(tab.page.cards[key]).trigger()
    qtbot.waitUntil(lambda: isinstance(tab.dialog, ConnectionLimitDialog) and tab.dialog.isVisible())
    return tab.dialog


def _facts(card):
    return [
        label.text()
        for label in card.findChildren(QWidget)
        if label.inherits("QLabel") and not label.isHidden()
    ]


def test_a_number_typed_is_a_limit_and_enter_stores_it(qtbot, tab, backend):
    dialog = _open(qtbot, tab)
    assert dialog.no_limit.isChecked()

    qtbot.keyClicks(dialog.limit.calls, "5")
    assert dialog.own_limit.isChecked()
    qtbot.keyClick(dialog.limit.calls, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: backend.connections["con-ops"].rate_limit == FIVE)
    qtbot.waitUntil(lambda: "Max. 5 a second" in _facts(tab.page.cards["con-ops"]))
    assert "Rate limit" not in _facts(tab.page.cards["con-anna"])


def test_the_limit_set_can_be_undone(qtbot, tab, backend, notices):
    tab.model.limit(backend.connections["con-ops"], RateLimit(calls=60, seconds=60))
    qtbot.waitUntil(lambda: bool(notices))
    assert notices[0].text == "Rate limit of “Ops team”: max. 60 requests a minute"

    notices[0].undo()

    qtbot.waitUntil(lambda: backend.connections["con-ops"].rate_limit is None)


def test_a_limit_is_taken_away_by_choosing_none(qtbot, tab, backend, notices):
    tab.model.limit(backend.connections["con-ops"], FIVE)
    qtbot.waitUntil(lambda: tab.model.connection("con-ops").rate_limit == FIVE)
    dialog = _open(qtbot, tab)
    assert (dialog.own_limit.isChecked(), dialog.limit.calls.text()) == (True, "5")

    dialog.no_limit.click()
    qtbot.keyClick(dialog.no_limit, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: backend.connections["con-ops"].rate_limit is None)
    qtbot.waitUntil(lambda: len(notices) == 2)
    assert notices[1].text == "Removed the rate limit of “Ops team”"
    notices[1].undo()
    qtbot.waitUntil(lambda: backend.connections["con-ops"].rate_limit == FIVE)


def test_saving_what_is_there_already_asks_nothing_of_the_workspace(qtbot, tab, backend):
    _open(qtbot, tab)._submit()

    assert tab.dialog is None or not tab.dialog.isVisible()
    assert not [name for name, _ in backend.calls if name == "set_connection_rate_limit"]


def test_a_time_of_ones_own_is_typed_in_seconds(qtbot, tab, backend):
    dialog = _open(qtbot, tab)
    assert not dialog.limit.seconds.isVisible()

    dialog.limit.span.set_value(None)
    assert dialog.limit.seconds.isVisible()
    dialog.limit.calls.setText("1,000")
    dialog.limit.seconds.setText("30")
    dialog._submit()

    qtbot.waitUntil(lambda: backend.connections["con-ops"].rate_limit == RateLimit(calls=1000, seconds=30))
    qtbot.waitUntil(lambda: "Max. 1,000 in 30 seconds" in _facts(tab.page.cards["con-ops"]))
    dialog = _open(qtbot, tab)
    assert (dialog.limit.span.value(), dialog.limit.seconds.text()) == (None, "30")
    dialog.reject()


def test_what_cannot_be_is_said_at_the_number_and_nothing_is_stored(qtbot, tab, backend):
    dialog = _open(qtbot, tab)
    dialog.own_limit.click()
    dialog.limit.calls.setText("many")

    dialog._submit()

    assert dialog.isVisible()
    assert dialog.field.error == "Enter the number of requests: 1 to 100,000."
    assert dialog.limit.calls.accessibleDescription() == dialog.field.error
    qtbot.keyClicks(dialog.limit.calls, "7")
    assert dialog.field.error is None
    dialog.reject()
    assert backend.connections["con-ops"].rate_limit is None


def test_a_limit_that_was_refused_is_reported(qtbot, tab, backend, notices):
    backend.failing["set_connection_rate_limit"] = StorageFault("The disk is full.", todo="Free some space.")

    tab.model.limit(backend.connections["con-ops"], FIVE)

    qtbot.waitUntil(lambda: bool(notices))
    assert notices[0].severity == "error"
    assert tab.model.connection("con-ops").rate_limit is None


def test_the_dialog_says_what_holds_for_the_app_as_a_whole(qtbot, tab, backend):
    dialog = _open(qtbot, tab)
    assert dialog.app_limit_label.text() == "Requests aren't limited."
    dialog.reject()
    backend.settings = EngineSettings(app_limits={AppKey("todoist"): RateLimit(calls=60, seconds=60)})

    dialog = _open(qtbot, tab)

    text = "Todoist is limited to max. 60 requests a minute overall."
    qtbot.waitUntil(lambda: dialog.app_limit_label.text() == text)
    assert dialog.no_limit.accessibleDescription() == text
    dialog.reject()


def test_what_the_app_asks_for_is_said_where_the_settings_cannot_be_read(qtbot, tab, backend, shared):
    backend.apps["todoist"] = backend.apps["todoist"].model_copy(update={"rate_limit": FIVE})
    backend.capabilities = Capabilities(unavailable={Feature.ENGINE: "It runs its own engine."})
    shared.apps.load()
    qtbot.waitUntil(lambda: shared.apps.get("todoist").rate_limit == FIVE)

    dialog = _open(qtbot, tab)

    assert dialog.app_limit_label.text().startswith("Todoist is limited to max. 5 requests a second")
    dialog.reject()


def test_where_connections_cannot_be_changed_the_entry_says_why(tab):
    card = tab.page.cards["con-ops"]
    card.limit_disabled_reason = "This service keeps its connections to itself."

    entry = _entry(card)

    assert not entry.isEnabled()
    assert entry.text() == "Rate limit… (This service keeps its connections to itself)"
    assert entry.toolTip() == card.limit_disabled_reason


def test_everything_in_the_dialog_has_a_name(qtbot, tab):
    dialog = _open(qtbot, tab)
    dialog.limit.span.set_value(None)

    names = [
        item.accessibleName() or getattr(item, "text", str)()
        for item in dialog.findChildren(QWidget)
        if item.focusPolicy() != Qt.FocusPolicy.NoFocus and item.isVisible()
    ]

    assert {"No separate limit", "Calls", "Time", "Seconds", "Save", "Cancel"} <= set(names)
    assert all(names)
    dialog.reject()


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (FIVE, "max. 5 a second"),
        (RateLimit(calls=1, seconds=60), "max. 1 a minute"),
        (RateLimit(calls=5_000, seconds=3_600), "max. 5,000 an hour"),
        (RateLimit(calls=10, seconds=86_400), "max. 10 a day"),
        (RateLimit(calls=100, seconds=30), "max. 100 in 30 seconds"),
    ],
)
def test_limits_have_readable_labels(limit, text):
    assert rate_limit_text(limit) == text


def test_one_call_is_one_call():
    assert call_limit_text(RateLimit(calls=1, seconds=60)) == "max. 1 request a minute"


@pytest.mark.parametrize("typed", ["", "0", "-1", "1.5", "five", "100001", "٥", "9" * 5000])
def test_an_invalid_number_of_calls_is_reported(typed):
    assert parse_calls(typed) == (None, "Enter the number of requests: 1 to 100,000.")


def test_a_time_is_a_day_at_most():
    assert parse_seconds(" 86,400 ") == (86_400, "")
    assert parse_seconds("86401")[1] == "Enter the number of seconds: 1 to 86,400 (1 day)."


def test_configured_limits_override_the_apps_and_both_are_shown():
    asks = AppInfo(key=AppKey("shop"), name="Shop", rate_limit=FIVE)
    quiet = AppInfo(key=AppKey("mail"), name="Mail")

    [gone, shop] = app_limits([asks, quiet], {AppKey("shop"): RateLimit(calls=3), AppKey("gone"): FIVE})

    assert (gone.name, gone.text) == ("gone", "max. 5 a second")
    assert shop.text == "max. 3 a second (app default: max. 5 a second)"
    [asked] = app_limits([asks, quiet], {})
    assert (asked.configured, asked.text) == (False, "max. 5 a second, the app's default")
