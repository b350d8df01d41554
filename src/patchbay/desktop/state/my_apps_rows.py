"""How apps are grouped and worded on the My Apps screen: pure functions over what was read."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey
from patchbay.domain.connections import Connection, Health

BAD = (Health.NEEDS_ATTENTION, Health.EXPIRES_SOON)


class Group(StrEnum):
    """Groups of the list, worst first; the values are the headings."""

    ATTENTION = "Needs attention"
    VALID = "Valid"
    UNTESTED = "Never tested"
    AVAILABLE = "Not connected"


ORDER = tuple(Group)


@dataclass(frozen=True)
class AppRow:
    """One app with the connections a person has there."""

    app: AppInfo
    connections: tuple[Connection, ...]
    group: Group

    @property
    def counts(self) -> str:
        """ "3 connections · 4 flows"; for an app without connections what it is."""
        if not self.connections:
            return self.app.broken or self.app.description or self.app.category
        parts = [_count(len(self.connections), "connection")]
        if self.app.flow_count:
            parts.append(_count(self.app.flow_count, "flow"))
        return " · ".join(parts)

    @property
    def refused(self) -> int:
        """How many of the connections the app does not accept any more."""
        return sum(item.health is Health.NEEDS_ATTENTION for item in self.connections)

    @property
    def word(self) -> str:
        """The state at the right of the row, in words; empty for apps that are not connected."""
        if self.group is Group.ATTENTION:
            return f"{self.refused} refused" if self.refused else "Expires soon"
        return "" if self.group is Group.AVAILABLE else self.group.value


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def group_of(connections: tuple[Connection, ...]) -> Group:
    """The worst thing known about the connections of one app."""
    if not connections:
        return Group.AVAILABLE
    if any(item.health in BAD for item in connections):
        return Group.ATTENTION
    if all(item.health is Health.NEVER_TESTED for item in connections):
        return Group.UNTESTED
    return Group.VALID


def rows_of(apps: Iterable[AppInfo], connections: Iterable[Connection]) -> tuple[AppRow, ...]:
    """Apps that can be connected, grouped and by name. Apps that are gone but still connected stay listed."""
    by_app: dict[AppKey, list[Connection]] = {}
    for item in connections:
        by_app.setdefault(item.app_key, []).append(item)
    known = {app.key: app for app in apps if app.supports_connections or app.broken or app.key in by_app}
    for key in by_app.keys() - known.keys():
        known[key] = AppInfo(key=key, name=key, broken="This app is not installed any more.")
    rows = []
    for key, app in known.items():
        mine = tuple(sorted(by_app.get(key, []), key=_worst_first))
        rows.append(AppRow(app, mine, group_of(mine)))
    return tuple(
        sorted(rows, key=lambda row: (ORDER.index(row.group), not row.refused, row.app.name.casefold()))
    )


_WORST = (Health.NEEDS_ATTENTION, Health.EXPIRES_SOON, Health.VALID, Health.NEVER_TESTED)


def _worst_first(item: Connection) -> tuple[int, str]:
    return _WORST.index(item.health), item.screen_name.casefold()
