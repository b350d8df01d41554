"""The notification settings of this computer, for the notifier, the menus of flows, and the settings."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.language import tr
from patchbay.domain.base import FlowId
from patchbay.domain.notification_settings import NotificationSettings, NotifyOnFailure, QuietHours

FAILURE_CHOICES = (
    (NotifyOnFailure.ALWAYS, tr("Every failure")),
    (NotifyOnFailure.FIRST, tr("First failure")),
    (NotifyOnFailure.NEVER, tr("Never", "notify of failures")),
)
FAILURE_LABELS = dict(FAILURE_CHOICES)


class NotificationPreferences(QObject):
    """The current settings. `save` stores each change; without it, they last as long as the object."""

    changed = Signal()

    def __init__(
        self,
        value: NotificationSettings | None = None,
        save: Callable[[NotificationSettings], object] = lambda _: None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.value = value or NotificationSettings()
        self._save = save

    def set_failures(self, choice: NotifyOnFailure) -> None:
        """Set which failures of flows without their own setting cause a notification."""
        self.restore(replace(self.value, failures=choice))

    def set_for_flow(self, flow_id: FlowId, choice: NotifyOnFailure | None) -> None:
        """Set which failures of one flow cause a notification; None: those of all flows."""
        flows = {key: value for key, value in self.value.flows.items() if key != flow_id}
        if choice is not None:
            flows[flow_id] = choice
        self.restore(replace(self.value, flows=flows))

    def set_quiet_hours(self, hours: QuietHours) -> None:
        """Set at what times there are no notifications."""
        self.restore(replace(self.value, quiet_hours=hours))

    def restore(self, value: NotificationSettings) -> None:
        """Use and store these settings."""
        if value != self.value:
            self.value = value
            self._save(value)
            self.changed.emit()
