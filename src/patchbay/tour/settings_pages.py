"""The pictures of the settings of this computer: notifications, data, and the search."""

from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from patchbay.domain.notification_settings import NotificationSettings, NotifyOnFailure, QuietHours
from patchbay.tour.scene import Scene

if TYPE_CHECKING:
    from patchbay.desktop.settings.dialog import SettingsDialog
    from patchbay.desktop.shell.main_window import MainWindow

_CHOICES = (NotifyOnFailure.ALWAYS, NotifyOnFailure.NEVER)


def settings_scenes(window: "MainWindow") -> tuple[Scene, ...]:
    """The pages with sample settings, which are put away after the picture."""
    poser = _Poser(window)
    return (
        Scene(
            "settings-notifications",
            poser.show_notifications,
            poser.has_notification_choices,
            poser.target,
            poser.close,
        ),
        Scene("settings-search", poser.search, poser.has_found, poser.target, poser.close),
    )


class _Poser:
    """Opens the settings dialog, and closes it again."""

    def __init__(self, window: "MainWindow") -> None:
        self._window = window
        self._dialog: SettingsDialog | None = None

    def open(self, title: str) -> "SettingsDialog":
        self._dialog = self._window.open_settings(title)
        return self._dialog

    def page(self, title: str) -> Any:
        assert self._dialog is not None
        return self._dialog.page(title)

    def target(self) -> QWidget:
        assert self._dialog is not None
        return self._dialog

    def close(self) -> None:
        if self._dialog is not None:
            self._dialog.done(0)
        self._dialog = None
        if self._window.area is not None:
            self._window.area.services.notifications.restore(NotificationSettings())

    def search(self) -> None:
        self.open("Engine").search.field.setText("limit")

    def has_found(self) -> bool:
        assert self._dialog is not None
        return bool(self._dialog.search.found)

    def show_notifications(self) -> None:
        area = self._window.area
        assert area is not None
        quiet = QuietHours(enabled=True, days=frozenset(range(5)))
        area.services.notifications.restore(NotificationSettings(quiet_hours=quiet))
        area.objects.load()
        self.open("Notifications")

    def has_notification_choices(self) -> bool:
        area = self._window.area
        assert area is not None
        for flow, choice in zip(area.objects.flows, _CHOICES, strict=False):
            area.services.notifications.set_for_flow(flow.id, choice)
        return len(self.page("Notifications").flows.rows) == len(_CHOICES)
