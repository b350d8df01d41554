"""How apps are grouped, sorted, and labelled on the My Apps screen; and the app picker."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.app_search import app_rank
from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.services import Services
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey, ConnectionId, EpochMs
from patchbay.domain.connections import Connection, ConnectionHealth

UNHEALTHY = (ConnectionHealth.NEEDS_ATTENTION, ConnectionHealth.EXPIRES_SOON)


class HealthGroup(StrEnum):
    """Sections of the list, worst first."""

    ATTENTION = "attention"
    BROKEN = "broken"
    VALID = "valid"
    UNTESTED = "untested"
    AVAILABLE = "available"


GROUP_LABELS = {
    HealthGroup.ATTENTION: tr("Needs attention"),
    HealthGroup.BROKEN: tr("Failed to load"),
    HealthGroup.VALID: tr("Valid"),
    HealthGroup.UNTESTED: tr("Never tested"),
    HealthGroup.AVAILABLE: tr("Not connected"),
}


class Blocker(StrEnum):
    """Why credentials can't be used, although they weren't rejected."""

    LOCKED = "locked"
    KEY_MISSING = "key_missing"
    UNREACHABLE = "unreachable"


BLOCKER_LABELS = {
    Blocker.LOCKED: tr("Locked"),
    Blocker.KEY_MISSING: tr("Key missing"),
    Blocker.UNREACHABLE: tr("Unreachable"),
}


class SortOrder(StrEnum):
    """Sort orders of the list; only the first has sections by health."""

    HEALTH = "health"
    RECENT = "recent"
    NAME = "name"


GROUP_ORDER = tuple(HealthGroup)


@dataclass(frozen=True)
class AppRow:
    """One app with its connections. `word` is the label at the right of the row."""

    app: AppInfo
    connections: tuple[Connection, ...]
    group: HealthGroup
    word: str = ""
    testing: bool = False
    blocker: Blocker | None = None

    @property
    def counts(self) -> str:
        """Return "3 connections · 4 flows", or the app's description without connections."""
        if self.app.broken:
            return self.app.broken
        if not self.connections:
            return self.app.description or self.app.category
        parts = [tr_count(len(self.connections), "{n} connection", "{n} connections")]
        if self.app.flow_count:
            parts.append(tr_count(self.app.flow_count, "{n} flow", "{n} flows"))
        return " · ".join(parts)

    @property
    def rejected(self) -> int:
        """Number of connections with rejected credentials."""
        return sum(item.health is ConnectionHealth.NEEDS_ATTENTION for item in self.connections)

    def rank(self, query: str) -> int | None:
        """How well the app or a connection's name matches the search, lower is better; None if neither."""
        needle = " ".join(query.casefold().split())
        if any(needle in item.screen_name.casefold() for item in self.connections):
            return 0
        return app_rank(query, self.app)


def search_rows(rows: Iterable[AppRow], query: str) -> tuple[AppRow, ...]:
    """The rows that match the search, best matches first; all rows without a search."""
    if not query.strip():
        return tuple(rows)
    ranked = [(rank, row) for row in rows if (rank := row.rank(query)) is not None]
    return tuple(row for _, row in sorted(ranked, key=lambda item: item[0]))


@dataclass(frozen=True)
class AppSection:
    """A section of rows; no heading if `heading` is empty."""

    heading: str
    rows: tuple[AppRow, ...]


def group_of(connections: tuple[Connection, ...]) -> HealthGroup:
    """Return the worst health of an app's connections."""
    if not connections:
        return HealthGroup.AVAILABLE
    if any(item.health in UNHEALTHY for item in connections):
        return HealthGroup.ATTENTION
    if all(item.health is ConnectionHealth.NEVER_TESTED for item in connections):
        return HealthGroup.UNTESTED
    return HealthGroup.VALID


def app_rows(
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
        known[key] = AppInfo(key=key, name=key, broken=tr("This app is no longer installed."))
    rows = [_row(app, by_app.get(key, []), now, testing) for key, app in known.items()]
    return tuple(
        sorted(
            rows, key=lambda row: (GROUP_ORDER.index(row.group), not row.rejected, row.app.name.casefold())
        )
    )


def _row(
    app: AppInfo, own_connections: list[Connection], now: EpochMs, testing: frozenset[ConnectionId]
) -> AppRow:
    connections = tuple(sorted(own_connections, key=_worst_first))
    group = HealthGroup.BROKEN if app.broken else group_of(connections)
    busy = any(item.id in testing for item in connections)
    blocker = _common_blocker(group, connections)
    word = tr("Testing") if busy else _state_label(group, connections, blocker, now)
    return AppRow(app, connections, group, word, busy, blocker)


def _common_blocker(group: HealthGroup, connections: tuple[Connection, ...]) -> Blocker | None:
    if group in (HealthGroup.BROKEN, HealthGroup.AVAILABLE):
        return None
    found = {secrets_blocker(item) for item in connections}
    for blocker in (Blocker.KEY_MISSING, Blocker.LOCKED):
        if blocker in found:
            return blocker
    unreached = group is not HealthGroup.ATTENTION and any(map(is_unreachable, connections))
    return Blocker.UNREACHABLE if unreached else None


def _state_label(
    group: HealthGroup, connections: tuple[Connection, ...], blocker: Blocker | None, now: EpochMs
) -> str:
    if group is HealthGroup.BROKEN:
        return tr("Load error")
    if group is HealthGroup.AVAILABLE:
        return ""
    if blocker is not None:
        return BLOCKER_LABELS[blocker]
    if group is not HealthGroup.ATTENTION:
        return GROUP_LABELS[group]
    rejected = sum(item.health is ConnectionHealth.NEEDS_ATTENTION for item in connections)
    ending = next((item for item in connections if item.health is ConnectionHealth.EXPIRES_SOON), None)
    if rejected or ending is None:
        return tr_count(rejected, "{n} rejected", "{n} rejected", "connections")
    return health_label(ending, now)


def sections(
    rows: Iterable[AppRow], order: SortOrder, last_used: Mapping[AppKey, EpochMs] | None = None
) -> tuple[AppSection, ...]:
    """Return the sections. `last_used`: when flows last used each app."""
    rows = tuple(rows)
    if order is SortOrder.HEALTH:
        found = ((group, tuple(row for row in rows if row.group is group)) for group in HealthGroup)
        return tuple(AppSection(GROUP_LABELS[group], inside) for group, inside in found if inside)
    by_name = sorted(rows, key=lambda row: row.app.name.casefold())
    if order is SortOrder.NAME:
        return (AppSection("", tuple(by_name)),) if by_name else ()
    times = last_used or {}
    recent = sorted((row for row in by_name if row.app.key in times), key=lambda row: -times[row.app.key])
    others = tuple(row for row in by_name if row.app.key not in times)
    parts = (AppSection(tr("Recently used"), tuple(recent)), AppSection(tr("Not used recently"), others))
    return tuple(part for part in parts if part.rows)


def secrets_blocker(connection: Connection) -> Blocker | None:
    """Why the stored credentials can't be read; None if they can."""
    if connection.secrets_problem is None:
        return None
    is_key_missing = connection.reason == connection.secrets_problem
    return Blocker.KEY_MISSING if is_key_missing else Blocker.LOCKED


def is_unreachable(connection: Connection) -> bool:
    """Whether the last test got no response and nothing worse is known."""
    return (
        bool(connection.unreachable) and not connection.secrets_problem and connection.health not in UNHEALTHY
    )


def health_label(connection: Connection, now: EpochMs) -> str:
    """Return the health of a connection, with its expiry."""
    if blocker := secrets_blocker(connection):
        return BLOCKER_LABELS[blocker]
    if is_unreachable(connection):
        return BLOCKER_LABELS[Blocker.UNREACHABLE]
    if connection.health is not ConnectionHealth.EXPIRES_SOON or connection.expires_at is None:
        return _HEALTH[connection.health]
    days = (date.fromtimestamp(connection.expires_at / 1000) - date.fromtimestamp(now / 1000)).days
    if connection.expires_at <= now:
        return tr("Expired")
    if days < 2:
        return tr("Expires tomorrow") if days else tr("Expires today")
    return tr_count(days, "Expires in {n} day", "Expires in {n} days")


def free_name(needle: str, taken: Iterable[str]) -> str:
    """Return a unique name by adding a number."""
    names = set(taken)
    numbered = (f"{needle} {number}" for number in range(2, len(names) + 3))
    return needle if needle not in names else next(name for name in numbered if name not in names)


_HEALTH = {
    ConnectionHealth.VALID: tr("Valid"),
    ConnectionHealth.NEEDS_ATTENTION: tr("Needs attention"),
    ConnectionHealth.EXPIRES_SOON: tr("Expires soon"),
    ConnectionHealth.NEVER_TESTED: tr("Never tested"),
}
_HEALTH_ORDER = (
    ConnectionHealth.NEEDS_ATTENTION,
    ConnectionHealth.EXPIRES_SOON,
    ConnectionHealth.VALID,
    ConnectionHealth.NEVER_TESTED,
)


def _worst_first(item: Connection) -> tuple[int, str]:
    return _HEALTH_ORDER.index(item.health), item.screen_name.casefold()


# App picker

MAX_RECENT = 4


class AppPickerViewModel(QObject):
    """Apps that can be connected, by name; recently used ones first while nothing is filtered.

    `last_used`: when flows last used each app, newest first; passed in, so that the order doesn't change
    later.
    """

    changed = Signal()

    def __init__(
        self, services: Services, last_used: Mapping[AppKey, EpochMs], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._used = last_used
        self._rows = tuple(
            sorted(
                (row for row in app_rows(services.apps.all, ()) if not row.app.broken),
                key=lambda row: row.app.name.casefold(),
            )
        )
        self.text, self.category = "", ""

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories of the apps, by name."""
        return tuple(sorted({row.app.category for row in self._rows} - {""}, key=str.casefold))

    @property
    def rows(self) -> tuple[AppRow, ...]:
        """The apps that match the category and the search."""
        rows = (row for row in self._rows if self.category in ("", row.app.category))
        return search_rows(rows, self.text)

    @property
    def sections(self) -> tuple[AppSection, ...]:
        """Return the sections; "Recently used" first while nothing is filtered."""
        rows = self.rows
        by_key = {row.app.key: row for row in rows}
        recent = tuple(by_key[key] for key in self._used if key in by_key)[:MAX_RECENT]
        if self.text or self.category or not recent:
            return (AppSection("", rows),) if rows else ()
        others = tuple(row for row in rows if row not in recent)
        parts = (AppSection(tr("Recently used"), recent), AppSection(tr("All other apps"), others))
        return tuple(part for part in parts if part.rows)

    def set_text(self, text: str) -> None:
        """Show only apps that match the text."""
        self.text = text
        self.changed.emit()

    def set_category(self, category: str) -> None:
        """Show only apps of a category; empty: of all."""
        self.category = category
        self.changed.emit()
