"""The apps and events a step can use: all triggers or all actions, by app, searchable."""

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.services import Services
from patchbay.domain.apps import ActionInfo, AppInfo, TriggerInfo, TriggerKind
from patchbay.domain.base import AppKey
from patchbay.domain.errors import AppError
from patchbay.domain.flows import StepType

_KINDS = {
    TriggerKind.WEBHOOK: "instant",
    TriggerKind.EVENT: "instant",
    TriggerKind.SCHEDULE: "schedule",
    TriggerKind.POLLING: "",
}


@dataclass(frozen=True)
class EventChoice:
    """One event. `tag`: how a trigger starts, where that matters."""

    key: str
    name: str
    description: str
    tag: str = ""


@dataclass(frozen=True)
class EventGroup:
    """The events of one app."""

    app: AppInfo
    events: tuple[EventChoice, ...]


def filter_groups(groups: Iterator[EventGroup], query: str) -> tuple[EventGroup, ...]:
    """Return the groups and events that contain every search word."""
    terms = query.casefold().split()
    found = []
    for group in groups:
        searchable = f"{group.app.name} {group.app.description} {group.app.category}".casefold()
        if all(word in searchable for word in terms):
            found.append(group)
            continue
        events = tuple(
            event
            for event in group.events
            if all(word in f"{searchable} {event.name} {event.description}".casefold() for word in terms)
        )
        if events:
            found.append(EventGroup(group.app, events))
    return tuple(found)


class EventCatalog(QObject):
    """The catalogue of apps and events. `changed` as details arrive."""

    changed = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = services.apps
        self._details: dict[AppKey, AppInfo] = {}
        self._requested: set[AppKey] = set()
        self.error: AppError | None = None
        services.apps.changed.connect(self._on_apps_changed)

    def load(self) -> None:
        """Load the events of every usable app."""
        self.error = None
        for app in self._store.all:
            if app.key not in self._requested and not app.broken:
                self._requested.add(app.key)
                self._store.detail(app.key, self._on_loaded, self._on_failed, owner=self)

    @property
    def loading(self) -> bool:
        """Whether the details of apps are still loading."""
        return self.error is None and len(self._details) < len(self._requested)

    def groups(self, kind: StepType, query: str = "") -> tuple[EventGroup, ...]:
        """The events for a kind of step that match the search, by app."""
        return filter_groups(self._groups(kind), query)

    def _groups(self, kind: StepType) -> Iterator[EventGroup]:
        for app in sorted(self._details.values(), key=lambda item: (item.supports_connections, item.name)):
            events = app.triggers if kind is StepType.TRIGGER else app.actions
            if events:
                yield EventGroup(app, tuple(_event_choice(event) for event in events))

    def _on_apps_changed(self) -> None:
        nothing_requested = not self._requested
        self._details = {key: app for key, app in self._details.items() if self._store.get(key) is not None}
        if not nothing_requested:
            self._requested = set(self._details)
            self.load()
        self.changed.emit()

    def _on_loaded(self, app: AppInfo) -> None:
        self._details[app.key] = app
        self.changed.emit()

    def _on_failed(self, error: AppError) -> None:
        self.error = error
        self._requested = set(self._details)
        self.changed.emit()


def _event_choice(event: TriggerInfo | ActionInfo) -> EventChoice:
    tag = _KINDS[event.kind] if isinstance(event, TriggerInfo) else ""
    return EventChoice(event.key, event.name, event.description, tag)
