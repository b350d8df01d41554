"""The settings file: what it stores is what the window uses."""

from datetime import time

from patchbay.domain.base import FlowId
from patchbay.domain.notification_settings import NotificationSettings, NotifyOnFailure, QuietHours
from patchbay.platform.settings import SettingsFile


def test_notification_settings_are_read_as_they_were_written(tmp_path):
    chosen = NotificationSettings(
        NotifyOnFailure.ALWAYS,
        {FlowId("flow-1"): NotifyOnFailure.NEVER},
        QuietHours(True, time(20, 30), time(6), frozenset({0, 6})),
    )
    file = SettingsFile(tmp_path / "settings.toml")
    assert file.value.notifications.to_domain() == NotificationSettings()

    file.value.notifications.replace_with(chosen)
    file.save()

    assert SettingsFile(tmp_path / "settings.toml").value.notifications.to_domain() == chosen


def test_a_time_that_does_not_exist_makes_the_file_unreadable(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text('[notifications]\nquiet_from = "24:00"\n', "utf-8")

    assert SettingsFile(path).unreadable is not None
