"""Settings → Notifications: which failures cause one, for all flows and for single ones, and quiet hours."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import time

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.notification_preferences import NotificationPreferences
from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.base import FlowId
from patchbay.domain.errors import AppError
from patchbay.domain.notification_settings import NotificationSettings, NotifyOnFailure, QuietHours


@dataclass(frozen=True)
class FlowChoice:
    """A flow of the open workspace with its own setting."""

    flow_id: FlowId
    name: str
    choice: NotifyOnFailure


class NotificationSettingsViewModel(QObject):
    """Changes the settings at once. Only flows of the open workspace are listed."""

    changed = Signal()

    def __init__(
        self, preferences: NotificationPreferences, services: Services | None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._preferences, self._services = preferences, services
        self._names: dict[FlowId, str] = {}
        self._loading = LatestRequest(services.tasks, self) if services is not None else None
        preferences.changed.connect(self._on_changed)

    @property
    def value(self) -> NotificationSettings:
        """The current settings."""
        return self._preferences.value

    @property
    def flows(self) -> tuple[FlowChoice, ...]:
        """The flows with their own setting, by name."""
        found = (
            FlowChoice(flow_id, self._names[flow_id], choice)
            for flow_id, choice in self.value.flows.items()
            if flow_id in self._names
        )
        return tuple(sorted(found, key=lambda flow: flow.name.casefold()))

    @property
    def is_default(self) -> bool:
        """Whether nothing differs from the defaults."""
        return self.value == NotificationSettings()

    def load(self) -> None:
        """Read the names of the flows with their own setting."""
        if self._loading is not None and self.value.flows:
            self._loading.run(self._read_names(), done=self._on_names, failed=lambda _: None)

    def set_failures(self, choice: NotifyOnFailure) -> None:
        """Set which failures of flows without their own setting cause a notification."""
        self._preferences.set_failures(choice)

    def set_for_flow(self, flow_id: FlowId, choice: NotifyOnFailure | None) -> None:
        """Set which failures of one flow cause a notification; None: those of all flows."""
        self._preferences.set_for_flow(flow_id, choice)

    def set_quiet(self, enabled: bool) -> None:
        """Turn quiet hours on or off."""
        self._set(replace(self.value.quiet_hours, enabled=enabled))

    def set_begin(self, at: time) -> None:
        """Set when quiet hours begin."""
        self._set(replace(self.value.quiet_hours, begin=at))

    def set_end(self, at: time) -> None:
        """Set when quiet hours end."""
        self._set(replace(self.value.quiet_hours, end=at))

    def set_day(self, day: int, quiet: bool) -> None:
        """Set whether quiet hours begin on this weekday; 0 is Monday."""
        days = self.value.quiet_hours.days
        self._set(replace(self.value.quiet_hours, days=days | {day} if quiet else days - {day}))

    def reset(self) -> Callable[[], None]:
        """Restore the defaults. Returns what undoes that."""
        before = self.value
        self._preferences.restore(NotificationSettings())
        return lambda: self._preferences.restore(before)

    def _set(self, hours: QuietHours) -> None:
        self._preferences.set_quiet_hours(hours)

    def _on_changed(self) -> None:
        if any(flow_id not in self._names for flow_id in self.value.flows):
            self.load()
        self.changed.emit()

    async def _read_names(self) -> dict[FlowId, str]:
        async def read(flow_id: FlowId) -> tuple[FlowId, str] | None:
            assert self._services is not None
            try:
                return flow_id, (await self._services.backend.get_flow(flow_id)).name
            except AppError:
                return None  # it was deleted, or belongs to another workspace

        found = await asyncio.gather(*(read(flow_id) for flow_id in self.value.flows))
        return dict(pair for pair in found if pair is not None)

    def _on_names(self, names: dict[FlowId, str]) -> None:
        self._names = names
        self.changed.emit()
