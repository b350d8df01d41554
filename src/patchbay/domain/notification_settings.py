"""When the desktop notifies a person: of which failures, and at what times not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from enum import StrEnum

from patchbay.domain.base import FlowId

WEEKDAYS = tuple(range(7))
"""The numbers of the weekdays; 0 is Monday."""


class NotifyOnFailure(StrEnum):
    """Which failures of a flow cause a notification. `FIRST`: only those that follow a success."""

    ALWAYS = "always"
    FIRST = "first"
    NEVER = "never"


@dataclass(frozen=True)
class QuietHours:
    """A span of the day without notifications; it can end on the next day. `days` are those it begins on."""

    enabled: bool = False
    begin: time = time(22)
    end: time = time(7)
    days: frozenset[int] = frozenset(WEEKDAYS)

    def is_quiet(self, at: datetime) -> bool:
        """Whether quiet hours include this local time. If they end when they begin, they last 24 hours."""
        if not self.enabled:
            return False
        clock, today = at.time().replace(tzinfo=None), at.weekday()
        yesterday = (at - timedelta(days=1)).weekday()
        if self.begin < self.end:
            return today in self.days and self.begin <= clock < self.end
        began_today = today in self.days and clock >= self.begin
        return began_today or (yesterday in self.days and clock < self.end)


@dataclass(frozen=True)
class NotificationSettings:
    """What a person chose on this computer: for all flows, and in `flows` for single ones."""

    failures: NotifyOnFailure = NotifyOnFailure.FIRST
    flows: Mapping[FlowId, NotifyOnFailure] = field(default_factory=dict)
    quiet_hours: QuietHours = QuietHours()

    def for_flow(self, flow_id: FlowId) -> NotifyOnFailure:
        """Which failures of this flow cause a notification."""
        return self.flows.get(flow_id, self.failures)

    @property
    def can_notify_of_failures(self) -> bool:
        """Whether failures of any flow cause a notification."""
        return any(choice is not NotifyOnFailure.NEVER for choice in (self.failures, *self.flows.values()))
