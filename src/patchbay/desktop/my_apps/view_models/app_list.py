"""How apps are grouped, sorted, and labelled on the My Apps screen; and the app picker."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.services import Services
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey, ConnectionId, EpochMs
from patchbay.domain.connections import Connection, ConnectionHealth

BAD = (ConnectionHealth.NEEDS_ATTENTION, ConnectionHealth.EXPIRES_SOON)


class Group(StrEnum):
    """Sections of the list, worst first; the values are the headings."""

    ATTENTION = "Needs attention"
    BROKEN = "Failed to load"
    VALID = "Valid"
    UNTESTED = "Never tested"
    AVAILABLE = "Not connected"


class Order(StrEnum):
    """Sort orders of the list; only the first has sections by health."""

    HEALTH = "health"
    RECENT = "recent"
    NAME = "name"


ORDER = tuple(Group)
LOCKED, KEY_LOST, UNREACHED = "Locked", "Key missing", "Unreachable"


@dataclass(frozen=True)
class AppRow:
    """One app with its connections. `word` is the label at the right of the row."""

    app: AppInfo
    connections: tuple[Connection, ...]
    group: Group
    word: str = ""
    testing: bool = False

    @property
    def counts(self) -> str:
        """Return "3 connections · 4 flows", or the app's description without connections."""
        if self.app.broken:
            return self.app.broken
        if not self.connections:
            return self.app.description or self.app.category
        parts = [_count(len(self.connections), "connection")]
        if self.app.flow_count:
            parts.append(_count(self.app.flow_count, "flow"))
        return " · ".join(parts)

    @property
    def refused(self) -> int:
        """Number of connections with rejected credentials."""
        return sum(item.health is ConnectionHealth.NEEDS_ATTENTION for item in self.connections)

    def matches(self, words: str) -> bool:
        """Whether the app's or a connection's name contains the text."""
        names = (self.app.name, self.app.key, self.app.category, *(x.screen_name for x in self.connections))
        wanted = words.casefold().strip()
        return any(wanted in name.casefold() for name in names)


@dataclass(frozen=True)
class Section:
    """A section of rows; no heading if `heading` is empty."""

    heading: str
    rows: tuple[AppRow, ...]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def group_of(connections: tuple[Connection, ...]) -> Group:
    """Return the worst health of an app's connections."""
    if not connections:
        return Group.AVAILABLE
    if any(item.health in BAD for item in connections):
        return Group.ATTENTION
    if all(item.health is ConnectionHealth.NEVER_TESTED for item in connections):
        return Group.UNTESTED
    return Group.VALID


def rows_of(
    apps: Iterable[AppInfo],
    connections: Iterable[Connection],
    now: EpochMs = 0,
    testing: frozenset[ConnectionId] = frozenset(),
) -> tuple[AppRow, ...]:
    """Return the rows, grouped and sorted. Uninstalled apps with connections stay listed."""
    by_app: dict[AppKey, list[Connection]] = {}
    for item in connections:
        by_app.setdefault(item.app_key, []).append(item)
    known = {app.key: app for app in apps if app.supports_connections or app.broken or app.key in by_app}
    for key in by_app.keys() - known.keys():
        known[key] = AppInfo(key=key, name=key, broken="This app is no longer installed.")
    rows = [_row(app, by_app.get(key, []), now, testing) for key, app in known.items()]
    return tuple(
        sorted(rows, key=lambda row: (ORDER.index(row.group), not row.refused, row.app.name.casefold()))
    )


def _row(app: AppInfo, mine: list[Connection], now: EpochMs, testing: frozenset[ConnectionId]) -> AppRow:
    connections = tuple(sorted(mine, key=_worst_first))
    group = Group.BROKEN if app.broken else group_of(connections)
    busy = any(item.id in testing for item in connections)
    return AppRow(app, connections, group, "Testing" if busy else _word(group, connections, now), busy)


def _word(group: Group, connections: tuple[Connection, ...], now: EpochMs) -> str:
    if group is Group.BROKEN:
        return "Broken"
    if group is Group.AVAILABLE:
        return ""
    if words := {secrets_word(item) for item in connections} - {""}:
        return KEY_LOST if KEY_LOST in words else LOCKED
    if group is not Group.ATTENTION:
        return UNREACHED if any(map(is_unreached, connections)) else group.value
    refused = sum(item.health is ConnectionHealth.NEEDS_ATTENTION for item in connections)
    ending = next((item for item in connections if item.health is ConnectionHealth.EXPIRES_SOON), None)
    return f"{refused} rejected" if refused or ending is None else health_word(ending, now)


def sections(
    rows: Iterable[AppRow], order: Order, used: Mapping[AppKey, EpochMs] | None = None
) -> tuple[Section, ...]:
    """Return the sections. `used`: when flows last used each app."""
    rows = tuple(rows)
    if order is Order.HEALTH:
        found = ((group, tuple(row for row in rows if row.group is group)) for group in Group)
        return tuple(Section(group.value, inside) for group, inside in found if inside)
    by_name = sorted(rows, key=lambda row: row.app.name.casefold())
    if order is Order.NAME:
        return (Section("", tuple(by_name)),) if by_name else ()
    times = used or {}
    recent = sorted((row for row in by_name if row.app.key in times), key=lambda row: -times[row.app.key])
    others = tuple(row for row in by_name if row.app.key not in times)
    parts = (Section("Recently used", tuple(recent)), Section("Not used recently", others))
    return tuple(part for part in parts if part.rows)


def secrets_word(connection: Connection) -> str:
    """Return why credentials can't be used, in two words; empty if they can."""
    if connection.secrets_problem is None:
        return ""
    return KEY_LOST if connection.reason == connection.secrets_problem else LOCKED


def is_unreached(connection: Connection) -> bool:
    """Whether the last test got no response and nothing worse is known."""
    return bool(connection.unreachable) and not connection.secrets_problem and connection.health not in BAD


def health_word(connection: Connection, now: EpochMs) -> str:
    """Return the health of a connection, with its expiry."""
    if word := secrets_word(connection):
        return word
    if is_unreached(connection):
        return UNREACHED
    if connection.health is not ConnectionHealth.EXPIRES_SOON or connection.expires_at is None:
        return _HEALTH[connection.health]
    days = (_day(connection.expires_at) - _day(now)).days
    if connection.expires_at <= now:
        return "Expired"
    return {0: "Expires today", 1: "Expires tomorrow"}.get(days, f"Expires in {days} days")


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """Return a unique name by adding a number."""
    names = set(taken)
    numbered = (f"{wanted} {number}" for number in range(2, len(names) + 3))
    return wanted if wanted not in names else next(name for name in numbered if name not in names)


def _day(ms: EpochMs) -> datetime:
    return datetime.fromtimestamp(ms / 1000).astimezone().replace(hour=0, minute=0, second=0, microsecond=0)


_HEALTH = {
    ConnectionHealth.VALID: "Valid",
    ConnectionHealth.NEEDS_ATTENTION: "Needs attention",
    ConnectionHealth.EXPIRES_SOON: "Expires soon",
    ConnectionHealth.NEVER_TESTED: "Never tested",
}
_WORST = (
    ConnectionHealth.NEEDS_ATTENTION,
    ConnectionHealth.EXPIRES_SOON,
    ConnectionHealth.VALID,
    ConnectionHealth.NEVER_TESTED,
)


def _worst_first(item: Connection) -> tuple[int, str]:
    return _WORST.index(item.health), item.screen_name.casefold()


# App picker

SHOWN_RECENT = 4


class AppPickerViewModel(QObject):
    """Apps that can be connected, by name; recently used ones first while nothing is filtered.

    `used`: when flows last used each app, newest first; passed in, so that the order doesn't change later.
    """

    changed = Signal()

    def __init__(
        self, services: Services, used: Mapping[AppKey, EpochMs], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._used = used
        self._rows = tuple(
            sorted(
                (row for row in rows_of(services.apps.all, ()) if not row.app.broken),
                key=lambda row: row.app.name.casefold(),
            )
        )
        self.text, self.category = "", ""

    @property
    def categories(self) -> tuple[str, ...]:
        return tuple(sorted({row.app.category for row in self._rows} - {""}, key=str.casefold))

    @property
    def rows(self) -> tuple[AppRow, ...]:
        return tuple(
            row for row in self._rows
            if self.category in ("", row.app.category) and (not self.text or row.matches(self.text))
        )  # fmt: skip

    @property
    def sections(self) -> tuple[Section, ...]:
        """Return the sections; "Recently used" first while nothing is filtered."""
        rows = self.rows
        by_key = {row.app.key: row for row in rows}
        recent = tuple(by_key[key] for key in self._used if key in by_key)[:SHOWN_RECENT]
        if self.text or self.category or not recent:
            return (Section("", rows),) if rows else ()
        others = tuple(row for row in rows if row not in recent)
        parts = (Section("Recently used", recent), Section("All other apps", others))
        return tuple(part for part in parts if part.rows)

    def set_text(self, text: str) -> None:
        self.text = text
        self.changed.emit()

    def set_category(self, category: str) -> None:
        self.category = category
        self.changed.emit()
