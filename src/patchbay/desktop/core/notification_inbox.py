"""Collects notifications: those of quiet hours, and those that follow one that hasn't been seen."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core.flow_alerts import (
    DesktopNotification,
    failure_notification,
    paused_notification,
)
from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.services import Services
from patchbay.domain.clock import local_datetime

QUIET_CHECK_MS = 30_000
"""How often the end of quiet hours is checked while notifications wait for it."""
_NAMED = 5
"""How many notifications a summary names."""


class NotificationInbox(QObject):
    """Passes notifications on, at most one at a time: until it was seen, later ones are added to it."""

    show_requested = Signal(object)
    """Emitted with a `DesktopNotification` that replaces the one that is shown."""

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock, self._preferences = services.clock, services.notifications
        self._unseen: list[DesktopNotification] = []
        self._waiting: list[DesktopNotification] = []
        """Those of the quiet hours."""
        self._timer = QTimer(self, interval=QUIET_CHECK_MS)
        self._timer.timeout.connect(self.end_quiet_hours)
        self._preferences.changed.connect(self.end_quiet_hours)

    @property
    def waiting(self) -> int:
        """How many notifications wait for the end of the quiet hours."""
        return len(self._waiting)

    def add(self, notification: DesktopNotification) -> None:
        """Show a notification, or keep it until the quiet hours end."""
        if self._is_quiet():
            self._waiting.append(notification)
            self._timer.start()
            return
        self._unseen.append(notification)
        self.show_requested.emit(summary(self._unseen))

    def mark_seen(self) -> None:
        """Note that the person saw, used, or closed the notification that was shown."""
        self._unseen.clear()

    def end_quiet_hours(self) -> None:
        """Show in one notification what happened in the quiet hours, if they are over."""
        if not self._waiting or self._is_quiet():
            return
        self._timer.stop()
        found = summary(self._waiting)
        self._waiting = []
        text = tr("During quiet hours. {text}", text=found.text) if found.text else tr("During quiet hours.")
        self._unseen.append(replace(found, text=text))
        self.show_requested.emit(summary(self._unseen))

    def _is_quiet(self) -> bool:
        return self._preferences.value.quiet_hours.is_quiet(local_datetime(self._clock()))


def summary(notifications: Sequence[DesktopNotification]) -> DesktopNotification:
    """Several notifications as one; those of the same kind are counted together."""
    if len(notifications) == 1:
        return notifications[0]
    if all(one.runs for one in notifications):
        return failure_notification([run for one in reversed(notifications) for run in one.runs])
    if all(one.flows for one in notifications):
        return paused_notification({flow.id: flow for one in notifications for flow in one.flows}.values())
    titles = list(dict.fromkeys(one.title for one in reversed(notifications)))
    text = "; ".join(titles[:_NAMED])
    if len(titles) > _NAMED:
        text = tr_count(len(titles) - _NAMED, "{titles}; and {n} more", "{titles}; and {n} more", titles=text)
    tabs = {one.place.tab for one in notifications}
    place = notifications[-1].place if len(tabs) == 1 else Place(Tab.EXECUTIONS)
    return DesktopNotification(
        tr_count(len(notifications), "{n} notification", "{n} notifications"),
        text,
        Place(place.tab),
        settings=notifications[0].settings if all(one.settings for one in notifications) else "",
    )
