"""View-model of the Templates tab: cards, previews, required connections, and using a template."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any

from pydantic import ValidationError
from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core.execution_labels import humanize_key
from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.screen_view_model import ScreenViewModel
from patchbay.desktop.core.services import Services
from patchbay.desktop.editor.view_models.step_labels import step_title
from patchbay.desktop.tasks import LatestRequest, Task
from patchbay.domain.apps import AppInfo, connection_app, needs_connection_choice
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import AppKey, FlowId, TemplateId, get_optional
from patchbay.domain.changes import ResourceType
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.errors import AppError, NotSupported
from patchbay.domain.fields import missing_required
from patchbay.domain.flows import Flow, FlowExport, FlowFilter, StepExport
from patchbay.domain.folders import Template
from patchbay.domain.paging import read_all
from patchbay.domain.template_inputs import fill_template


class TemplateFilter(StrEnum):
    """Sections of the gallery."""

    ALL = "all"
    READY = "ready"
    """Those whose apps need no connection, or are connected already."""
    SAVED = "saved"


_SAVED_CATEGORY = "Saved by you"
"""The category that a workspace may store with templates saved from flows."""


@dataclass(frozen=True)
class TemplateCard:
    """A template with its steps parsed. `broken`: its flow can't be read."""

    template: Template
    steps: tuple[StepExport, ...]
    broken: bool = False

    @property
    def id(self) -> TemplateId:
        """The ID of the template."""
        return self.template.id

    @property
    def saved(self) -> bool:
        """Whether it was saved from a flow, not shipped with Patchbay."""
        return not self.template.built_in and self.template.category in ("", _SAVED_CATEGORY)

    @property
    def category(self) -> str:
        """What groups the template in the gallery."""
        return self.template.category or _SAVED_CATEGORY

    @property
    def category_label(self) -> str:
        """The category as shown, or “Saved by you”."""
        return tr("Saved by you") if self.category == _SAVED_CATEGORY else self.category

    @property
    def app_keys(self) -> tuple[AppKey, ...]:
        """The apps of the steps."""
        return tuple(step.app_key for step in self.steps if step.app_key)

    @property
    def line(self) -> str:
        """Return "Engineering · 3 steps"."""
        return f"{self.category_label} · {tr_count(len(self.steps), '{n} step', '{n} steps')}"


@dataclass(frozen=True)
class StepLine:
    """A step of the preview: its title and description."""

    app: AppInfo | None
    title: str
    text: str


@dataclass(frozen=True)
class Account:
    """A required app and the connection that would be used."""

    app: AppInfo | None
    app_key: AppKey
    connection: Connection | None

    @property
    def name(self) -> str:
        """The name of the app; its key until it is loaded."""
        return self.app.name if self.app else self.app_key


def make_card(template: Template) -> TemplateCard:
    """Read the steps of a template. A template that can't be read has none."""
    try:
        export = FlowExport.model_validate(template.flow_data)
    except ValidationError:
        return TemplateCard(template, (), broken=True)
    return TemplateCard(template, tuple(sorted(export.steps, key=lambda step: step.position)))


def in_gallery_order(cards: Iterable[TemplateCard]) -> tuple[TemplateCard, ...]:
    """Sort by category and name. Built-in categories keep their order; the user's templates come last."""
    found = tuple(cards)
    shipped = list(dict.fromkeys(card.category for card in found if card.template.built_in))
    order = {category: number for number, category in enumerate(shipped)}

    def key(card: TemplateCard) -> tuple[bool, int, str, str]:
        return card.saved, order.get(card.category, len(order)), card.category, card.template.name

    return tuple(sorted(found, key=key))


def step_line(step: StepExport, app: AppInfo | None) -> StepLine:
    """Return the preview of a step, with the event's name if the app's details are loaded."""
    if step.structural_type.is_container:
        return StepLine(None, step_title(step), tr("Contains other steps"))
    event = (app.trigger(step.key) or app.action(step.key)) if app else None
    title = step.name or (event.name if event else humanize_key(step.key)) or tr("Empty step")
    action_text = (
        event.description if event and event.description else (humanize_key(step.key) if step.name else "")
    )
    name = app.name if app else step.app_key or tr("No app")
    text = f"{name} · {action_text.rstrip('.')}" if action_text and action_text != title else name
    return StepLine(app, title, text)


def open_fields(card: TemplateCard, details: Mapping[AppKey, AppInfo]) -> tuple[str, ...]:
    """Return required fields without a value, by app and label."""
    fields: list[str] = []
    for step in card.steps:
        app = get_optional(details, step.app_key)
        event = (app.trigger(step.key) or app.action(step.key)) if app else None
        for argument in missing_required(event.arguments, step.parameters) if event else ():
            fields.append(f"{app.name if app else ''} {argument.label.lower()}".strip())
    return tuple(dict.fromkeys(fields))


def needed_accounts(card: TemplateCard, known: Mapping[AppKey, AppInfo]) -> tuple[AppKey, ...]:
    """The apps whose connections the steps can't do without, in step order, each once.

    An app without its events counts when it has connections at all; so does one that isn't installed.
    """
    needed: list[AppKey] = []
    for step in card.steps:
        app = get_optional(known, step.app_key)
        event = (app.trigger(step.key) or app.action(step.key)) if app else None
        listed = app.listed_event(step.key) if app else None
        if app is not None and event is None and listed is not None and listed.needs_connection is not None:
            if listed.needs_connection or (step.connection_undecided and listed.connection_app):
                needed.append(listed.connection_app or app.key)
        elif app is None or event is None:
            needed += [step.app_key] if step.app_key and (app is None or app.supports_connections) else []
        elif needs_connection_choice(app, event, undecided=step.connection_undecided):
            needed.append(connection_app(app, event) or app.key)
    return tuple(dict.fromkeys(needed))


def best_connection(connections: Iterable[Connection], key: AppKey) -> Connection | None:
    """Return the connection of an app that would be used: the healthiest."""
    order = (
        ConnectionHealth.VALID,
        ConnectionHealth.EXPIRES_SOON,
        ConnectionHealth.NEVER_TESTED,
        ConnectionHealth.NEEDS_ATTENTION,
    )
    mine = [item for item in connections if item.app_key == key]
    return min(mine, key=lambda item: order.index(item.health), default=None)


async def _read_gallery(backend: Backend) -> tuple[tuple[Template, ...], tuple[Connection, ...]]:
    return await asyncio.gather(backend.list_templates(), _connections(backend))


async def _connections(backend: Backend) -> tuple[Connection, ...]:
    """Return all connections; none if the workspace can't list them, which is known only once it is open."""
    if backend.capabilities.reason(Feature.CONNECTIONS):
        return ()
    try:
        return await backend.list_connections()
    except NotSupported:
        return ()


async def _use_with_values(backend: Backend, template_id: TemplateId, values: Mapping[str, str]) -> Flow:
    """Fill in the whole template, since lists have shortened ones, and import the flow."""
    return await backend.import_flow(fill_template(await backend.get_template(template_id), values))


# View-model

UNDO_MS = 10_500


class TemplatesViewModel(ScreenViewModel):
    """The gallery: templates by category and name, filtered by section, text, topic, and app."""

    cards_changed = Signal()
    selection_changed = Signal()
    busy_changed = Signal(bool)
    flows_loaded = Signal(object)
    saved = Signal(str)
    save_failed = Signal(object)

    reloads_on = (ResourceType.TEMPLATE, ResourceType.CONNECTION, ResourceType.WORKSPACE)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(services, parent)
        self.cards: tuple[TemplateCard, ...] = ()
        self.connections: tuple[Connection, ...] = ()
        self.kind, self.text = TemplateFilter.ALL, ""
        self.topic: str | None = None
        self.app_key: AppKey | None = None
        self.selected = ""
        self._pending_deletes: dict[TemplateId, QTimer] = {}
        self._details: dict[AppKey, AppInfo] = {}
        self._flows_request = LatestRequest(services.tasks, self)
        services.apps.changed.connect(self.cards_changed)

    @property
    def filtered(self) -> bool:
        """Whether any filter is set."""
        return bool(self.text or self.topic or self.app_key or self.kind is not TemplateFilter.ALL)

    @property
    def shown(self) -> tuple[TemplateCard, ...]:
        """The templates that match the filter."""
        return tuple(card for card in self._visible_cards() if self._matches(card, self.kind))

    @property
    def card(self) -> TemplateCard | None:
        """The selected template; None without one."""
        return next((card for card in self._visible_cards() if card.id == self.selected), None)

    @property
    def topics(self) -> dict[str, str]:
        """The categories of the templates and their labels, in the order of the gallery."""
        return {card.category: card.category_label for card in self._visible_cards()}

    @property
    def apps(self) -> tuple[AppInfo, ...]:
        """Return the apps used in templates."""
        used = {key for card in self._visible_cards() for key in card.app_keys}
        return tuple(app for app in self._services.apps.all if app.key in used)

    @property
    def unavailable_reason(self) -> str | None:
        """Why templates can't be used or changed; None if they can."""
        return self._backend.capabilities.reason(Feature.CHANGES)

    @property
    def connections_unavailable_reason(self) -> str | None:
        """Why connections can't be added; None if they can."""
        return self._backend.capabilities.reason(Feature.CONNECTIONS)

    def has_details(self, card: TemplateCard) -> bool:
        """Whether the details of a card's apps are loaded."""
        return all(key in self._details for key in card.app_keys if self._services.apps.get(key))

    @property
    def kinds(self) -> tuple[TemplateFilter, ...]:
        """The sections to choose from; without READY if there is nothing in it."""
        is_empty = self.kind is not TemplateFilter.READY and not self.count(TemplateFilter.READY)
        return tuple(kind for kind in TemplateFilter if not (kind is TemplateFilter.READY and is_empty))

    def count(self, kind: TemplateFilter) -> int:
        """The number of templates of a kind that match the rest of the filter."""
        return sum(self._matches_kind(card, kind) for card in self._visible_cards())

    def app(self, key: AppKey | None) -> AppInfo | None:
        return self._services.apps.get(key)

    def lines(self, card: TemplateCard) -> tuple[StepLine, ...]:
        """Return the steps of a card, with event names where app details are loaded."""
        apps = self._card_apps(card)
        return tuple(step_line(step, get_optional(apps, step.app_key)) for step in card.steps)

    def accounts(self, card: TemplateCard) -> tuple[Account, ...]:
        """Return the required apps and connections, in step order."""
        return tuple(
            Account(self._services.apps.get(key), key, best_connection(self.connections, key))
            for key in needed_accounts(card, self._card_apps(card))
        )

    def required_inputs(self, card: TemplateCard) -> tuple[str, ...]:
        """What the template asks for, and the required fields that it leaves open, by app and label."""
        asked = (item.label for item in card.template.inputs)
        return (*asked, *open_fields(card, self._details))

    def _read(self) -> None:
        self._load_request.run(
            _read_gallery(self._backend), done=self._on_loaded, failed=self._on_load_failed
        )

    def update_filter(self, **changes: Any) -> None:
        """Set any of `kind`, `text`, `topic` and `app_key`."""
        for name, value in changes.items():
            setattr(self, name, value)
        self._update_cards()

    def clear(self) -> None:
        """Remove all filters."""
        self.update_filter(kind=TemplateFilter.ALL, text="", topic=None, app_key=None)

    def select(self, template_id: TemplateId) -> None:
        """Select a template and load its details."""
        if template_id != self.selected:
            self.selected = template_id
            self._read_details()
            self.selection_changed.emit()

    def use(self, template_id: TemplateId, values: Mapping[str, str] | None = None) -> Task:
        """Create a flow from the template, with the values it asks for, and open it in the editor."""
        self.busy_changed.emit(True)
        task = self._services.tasks.run(
            self,
            _use_with_values(self._backend, template_id, values)
            if values
            else self._backend.use_template(template_id),
            done=self._on_used,
            failed=self._services.notices.failed,
        )
        task.ended.connect(lambda: self.busy_changed.emit(False))
        return task

    def save(self, name: str, flow_id: FlowId) -> None:
        """Save a flow as a template; `saved` or `save_failed` follows."""
        work = self._backend.create_template(name.strip(), flow_id)
        self._services.tasks.run(self, work, done=self._on_saved, failed=self.save_failed.emit)

    def read_flows(self) -> None:
        """Load the flows that can become templates; `flows_loaded` carries them."""
        self._flows_request.run(
            read_all(partial(self._backend.list_flows, FlowFilter())),
            done=self.flows_loaded.emit,
            failed=self.save_failed.emit,
        )

    def delete(self, template_id: TemplateId) -> None:
        """Hide the template now and delete it when the time to undo is over."""
        card = next((card for card in self.cards if card.id == template_id), None)
        if card is None or template_id in self._pending_deletes:
            return
        timer = QTimer(self, singleShot=True, interval=UNDO_MS)
        timer.timeout.connect(lambda: self._delete_now(template_id))
        self._pending_deletes[template_id] = timer
        timer.start()
        self._services.notices.post(
            tr("Template “{name}” deleted.", name=card.template.name),
            undo=lambda: self._undo_delete(template_id),
        )
        self._update_cards()

    def flush(self) -> None:
        """Delete hidden templates now, without waiting for the time to undo."""
        for template_id in tuple(self._pending_deletes):
            self._delete_now(template_id)

    def open_account(self, account: Account) -> None:
        """Open My Apps to add or reconnect a connection."""
        if account.connection is not None:
            place = Place(Tab.MY_APPS, id=account.connection.id, section="reconnect")
        else:
            place = Place(Tab.MY_APPS, id=account.app_key, section="add")
        self._services.navigator.go(place)

    def _visible_cards(self) -> tuple[TemplateCard, ...]:
        return tuple(card for card in self.cards if card.id not in self._pending_deletes)

    def _matches_kind(self, card: TemplateCard, kind: TemplateFilter) -> bool:
        if kind is TemplateFilter.SAVED:
            return card.saved
        return kind is TemplateFilter.ALL or self._ready(card)

    def _ready(self, card: TemplateCard) -> bool:
        """Whether all apps are installed and all required connections work."""
        known = all(self._services.apps.get(key) for key in card.app_keys)
        return not card.broken and known and all(account.connection for account in self.accounts(card))

    def _card_apps(self, card: TemplateCard) -> dict[AppKey, AppInfo]:
        """Return the installed apps of a card, with events where loaded."""
        found = ((key, self._details.get(key) or self._services.apps.get(key)) for key in card.app_keys)
        return {key: app for key, app in found if app is not None}

    def _matches(self, card: TemplateCard, kind: TemplateFilter) -> bool:
        return (
            self._matches_kind(card, kind)
            and all(word in self._searchable(card) for word in self.text.casefold().split())
            and self.topic in (None, card.category)
            and (self.app_key is None or self.app_key in card.app_keys)
        )

    def _searchable(self, card: TemplateCard) -> str:
        """The text that the search looks at: name, description, category, and the names of the apps."""
        apps = filter(None, map(self._services.apps.get, card.app_keys))
        parts = (
            card.template.name,
            card.template.description,
            card.category_label,
            *(app.name for app in apps),
        )
        return " ".join(parts).casefold()

    def _read_details(self) -> None:
        for key in dict.fromkeys(self.card.app_keys if self.card else ()):
            if key not in self._details and self._services.apps.get(key):
                self._services.apps.detail(key, self._on_detail_loaded, owner=self)

    def _on_detail_loaded(self, app: AppInfo) -> None:
        self._details[app.key] = app
        self.selection_changed.emit()

    def _update_cards(self) -> None:
        self.cards_changed.emit()
        shown = self.shown
        if shown and self.selected not in {card.id for card in shown}:
            self.select(shown[0].id)

    def _on_loaded(self, result: tuple[tuple[Template, ...], tuple[Connection, ...]]) -> None:
        templates, self.connections = result
        self.loaded, self.error = True, None
        self.cards = in_gallery_order(map(make_card, templates))
        self._update_cards()
        self._read_details()
        self.selection_changed.emit()

    def _on_used(self, flow: Flow) -> None:
        self._services.navigator.go(Place(Tab.FLOWS, id=flow.id, section="editor"))

    def _on_saved(self, template: Template) -> None:
        self._services.notices.post(tr("Template “{name}” saved.", name=template.name))
        self.saved.emit(template.id)

    def _undo_delete(self, template_id: TemplateId) -> None:
        if timer := self._pending_deletes.pop(template_id, None):
            timer.stop()
            self._update_cards()
            self.select(template_id)

    def _delete_now(self, template_id: TemplateId) -> None:
        self._pending_deletes[template_id].stop()
        work = self._backend.delete_template(template_id)
        self._services.tasks.run(self, work, failed=self._on_delete_failed).ended.connect(
            lambda: self._pending_deletes.pop(template_id, None)
        )

    def _on_delete_failed(self, error: AppError) -> None:
        self._services.notices.failed(error)
        self.refresh()
