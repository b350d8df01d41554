"""The apps and events a step can use: all triggers or all actions, by app, searchable."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.app_search import EVENT_MATCH, TEXT_MATCH, app_rank, starts_word
from patchbay.desktop.core.language import tr
from patchbay.desktop.core.services import Services
from patchbay.domain.apps import ActionInfo, AppInfo, EventInfo, TriggerInfo, TriggerKind
from patchbay.domain.base import AppKey
from patchbay.domain.errors import AppError
from patchbay.domain.flows import StepType

_TAGS = {
    TriggerKind.WEBHOOK: tr("instant", "how a trigger starts"),
    TriggerKind.EVENT: tr("instant", "how a trigger starts"),
    TriggerKind.SCHEDULE: tr("schedule", "how a trigger starts"),
    TriggerKind.POLLING: "",
}


@dataclass(frozen=True)
class EventChoice:
    """One event. `tag`: how a trigger starts, where that matters."""

    key: str
    name: str
    description: str
    tag: str = ""
    keywords: tuple[str, ...] = ()

    def contains(self, terms: Sequence[str], about_app: str) -> bool:
        """Whether each word is in one of its texts, or in `about_app`."""
        text = " ".join((about_app, self.name, self.description, *self.keywords)).casefold()
        return all(word in text for word in terms)


@dataclass(frozen=True)
class EventGroup:
    """The events of one app."""

    app: AppInfo
    events: tuple[EventChoice, ...]


def filter_groups(groups: Iterator[EventGroup], query: str) -> tuple[EventGroup, ...]:
    """Return the groups and events that contain every search word, best matches first."""
    terms = query.casefold().split()
    if not terms:
        return tuple(groups)
    found = []
    for group in groups:
        app = group.app
        searchable = " ".join((app.name, app.description, app.category, *app.keywords)).casefold()
        events = group.events
        if not all(word in searchable for word in terms):
            events = tuple(event for event in group.events if event.contains(terms, searchable))
        if events:
            found.append((_rank(query, app, events), EventGroup(app, events)))
    return tuple(group for _, group in sorted(found, key=lambda item: item[0]))


def _rank(query: str, app: AppInfo, events: tuple[EventChoice, ...]) -> int:
    """How well a group matches, lower is better. Of the app's events, only those that are offered count."""
    rank = app_rank(query, app.model_copy(update={"events": None}))
    if rank is not None and rank < EVENT_MATCH:
        return rank
    names = [name for event in events for name in (event.name, *event.keywords)]
    return EVENT_MATCH if starts_word(query, names) else TEXT_MATCH


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
        """Load the events of usable apps that the server doesn't list."""
        self.error = None
        for app in self._store.all:
            if app.key not in self._requested and not app.broken and app.events is None:
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
        listed = (app for app in self._store.all if app.events is not None and not app.broken)
        apps = {app.key: app for app in (*self._details.values(), *listed)}
        for app in sorted(apps.values(), key=lambda item: (item.supports_connections, item.name)):
            if events := _events(app, kind):
                yield EventGroup(app, tuple(map(_event_choice, events)))

    def _on_apps_changed(self) -> None:
        self._details = {key: app for key, app in self._details.items() if self._store.get(key) is not None}
        if self._requested:
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


def _events(app: AppInfo, kind: StepType) -> Sequence[EventInfo | TriggerInfo | ActionInfo]:
    if app.events is not None:
        return [event for event in app.events if (event.kind is not None) == (kind is StepType.TRIGGER)]
    return (app.triggers if kind is StepType.TRIGGER else app.actions) or ()


def _event_choice(event: EventInfo | TriggerInfo | ActionInfo) -> EventChoice:
    kind = None if isinstance(event, ActionInfo) else event.kind
    keywords = event.keywords if isinstance(event, EventInfo) else ()
    return EventChoice(event.key, event.name, event.description, _TAGS[kind] if kind else "", keywords)
