"""Settings, Notifications: each choice is stored at once, and can be reset and restored."""

from dataclasses import replace
from datetime import time

import pytest

from patchbay.desktop.core.notification_preferences import NotificationPreferences
from patchbay.desktop.settings.notifications_page import NotificationsPage, effect_text
from patchbay.desktop.settings.view_models.notification_settings import NotificationSettingsViewModel
from patchbay.domain.base import FlowId
from patchbay.domain.notification_settings import NotificationSettings, NotifyOnFailure, QuietHours


@pytest.fixture
def stored():
    return []


@pytest.fixture
def preferences(stored):
    return NotificationPreferences(save=stored.append)


@pytest.fixture
def page(qtbot, around, preferences):
    made = NotificationsPage(NotificationSettingsViewModel(preferences, around))
    qtbot.addWidget(made)
    made.show()
    return made


def test_opening_the_page_changes_nothing(page, stored):
    assert stored == []


def test_each_choice_is_stored(page, stored):
    page.failures.set_value(NotifyOnFailure.NEVER)
    page.quiet.click()
    page.begin.set_value(time(20, 30))
    page.end.set_value(time(6))
    page.days[6].click()

    quiet = QuietHours(True, time(20, 30), time(6), frozenset(range(6)))
    assert stored[-1] == NotificationSettings(NotifyOnFailure.NEVER, {}, quiet)


def test_a_time_of_the_settings_file_is_an_option_of_its_own(qtbot, around):
    hours = QuietHours(True, time(21, 47), time(7))
    preferences = NotificationPreferences(NotificationSettings(quiet_hours=hours))
    page = NotificationsPage(NotificationSettingsViewModel(preferences, around))
    qtbot.addWidget(page)

    assert page.begin.value() == time(21, 47)


def test_a_flow_with_its_own_choice_is_listed_and_can_be_changed_and_removed(
    qtbot, page, preferences, backend
):
    flow_id = next(iter(backend.flows))
    preferences.set_for_flow(flow_id, NotifyOnFailure.ALWAYS)
    preferences.set_for_flow(FlowId("of another workspace"), NotifyOnFailure.NEVER)
    qtbot.waitUntil(lambda: list(page.flows.rows) == [flow_id])
    row = page.flows.rows[flow_id]

    page._model.set_for_flow(flow_id, NotifyOnFailure.NEVER)
    assert preferences.value.for_flow(flow_id) is NotifyOnFailure.NEVER
    page._model.set_for_flow(flow_id, None)

    assert row.accessibleName() == backend.flows[flow_id].name
    assert not page.flows.rows
    assert list(preferences.value.flows) == ["of another workspace"]


def test_reset_restores_the_defaults_and_undo_the_choices(page, preferences):
    chosen = replace(preferences.value, failures=NotifyOnFailure.ALWAYS)
    preferences.restore(chosen)

    page.reset.button.click()
    assert preferences.value == NotificationSettings()
    page.reset.undo.click()

    assert preferences.value == chosen
    assert page.failures.value() is NotifyOnFailure.ALWAYS


def test_the_effect_of_quiet_hours_is_a_sentence():
    assert effect_text(QuietHours()) == ""
    assert effect_text(QuietHours(True, days=frozenset())).startswith("Choose a day")
    assert effect_text(QuietHours(True, time(22), time(7))).endswith("on the next day.")
    assert "next day" not in effect_text(QuietHours(True, time(12), time(13)))
