"""What the gallery shows of a template: its steps in words, the accounts it needs, what it will ask for."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from pydantic import ValidationError

from patchbay.desktop.state.editor_words import step_title
from patchbay.desktop.state.executions_timeline import spaced
from patchbay.domain.apps import AppInfo, connection_app, needs_connection_choice
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import AppKey, TemplateId
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.errors import NotSupported
from patchbay.domain.fields import missing_required
from patchbay.domain.flows import FlowExport, StepExport
from patchbay.domain.organise import Template


class Kind(StrEnum):
    """The parts of the gallery."""

    ALL = "All"
    READY = "Ready to use"
    SAVED = "Saved by you"


@dataclass(frozen=True)
class Card:
    """A template with its steps read out. `broken`: its flow cannot be read."""

    template: Template
    steps: tuple[StepExport, ...]
    broken: bool = False

    @property
    def id(self) -> TemplateId:
        return self.template.id

    @property
    def saved(self) -> bool:
        """Made here from a flow, not brought along."""
        return self.template.category in ("", "Saved by you")

    @property
    def category(self) -> str:
        return self.template.category or "Saved by you"

    @property
    def app_keys(self) -> tuple[AppKey, ...]:
        return tuple(step.app_key for step in self.steps if step.app_key)

    @property
    def line(self) -> str:
        """ "Engineering · 3 steps"."""
        count = len(self.steps)
        return f"{self.category} · {count} step{'s' if count != 1 else ''}"


@dataclass(frozen=True)
class StepLine:
    """A step of the preview: what it is called and what it does with which app."""

    app: AppInfo | None
    title: str
    text: str


@dataclass(frozen=True)
class Account:
    """An app that the template needs an account for, and the connection that would be used."""

    app: AppInfo | None
    app_key: AppKey
    connection: Connection | None

    @property
    def name(self) -> str:
        return self.app.name if self.app else self.app_key


def card_of(template: Template) -> Card:
    try:
        export = FlowExport.model_validate(template.flow_data)
    except ValidationError:
        return Card(template, (), broken=True)
    return Card(template, tuple(sorted(export.steps, key=lambda step: step.position)))


def step_line(step: StepExport, app: AppInfo | None) -> StepLine:
    """A step in words; with the app's details the event's own words are used."""
    if step.structural_type.is_container:
        return StepLine(None, step_title(step), "Holds other steps")
    event = (app.trigger(step.key) or app.action(step.key)) if app else None
    title = step.name or (event.name if event else spaced(step.key)) or "Empty step"
    does = event.description if event and event.description else (spaced(step.key) if step.name else "")
    name = app.name if app else step.app_key or "No app"
    text = f"{name}, {does[:1].lower()}{does[1:].rstrip('.')}" if does and does != title else name
    return StepLine(app, title, text)


def open_fields(card: Card, details: Mapping[AppKey, AppInfo]) -> tuple[str, ...]:
    """Required fields the template leaves open, by app and label."""
    asked: list[str] = []
    for step in card.steps:
        app = details.get(step.app_key or "")
        event = (app.trigger(step.key) or app.action(step.key)) if app else None
        for argument in missing_required(event.arguments, step.parameters) if event else ():
            asked.append(f"{app.name if app else ''} {argument.label.lower()}".strip())
    return tuple(dict.fromkeys(asked))


def needed_accounts(card: Card, known: Mapping[AppKey, AppInfo]) -> tuple[AppKey, ...]:
    """The apps whose connections the steps can't do without, in step order, each once.

    An app without its events counts when it has connections at all; so does one that isn't installed.
    """
    needed: list[AppKey] = []
    for step in card.steps:
        app = known.get(step.app_key or "")
        event = (app.trigger(step.key) or app.action(step.key)) if app else None
        if app is None or event is None:
            needed += [step.app_key] if step.app_key and (app is None or app.supports_connections) else []
        elif needs_connection_choice(app, event, undecided=step.connection_required):
            needed.append(connection_app(app, event) or app.key)
    return tuple(dict.fromkeys(needed))


def best_connection(connections: Iterable[Connection], key: AppKey) -> Connection | None:
    """The account of an app that would be used: the healthiest."""
    order = (
        ConnectionHealth.VALID,
        ConnectionHealth.EXPIRES_SOON,
        ConnectionHealth.NEVER_TESTED,
        ConnectionHealth.NEEDS_ATTENTION,
    )
    mine = [item for item in connections if item.app_key == key]
    return min(mine, key=lambda item: order.index(item.health), default=None)


async def read_all(backend: Backend) -> tuple[tuple[Template, ...], tuple[Connection, ...]]:
    return await asyncio.gather(backend.list_templates(), _connections(backend))


async def _connections(backend: Backend) -> tuple[Connection, ...]:
    """Every connection; none where the workspace cannot list them, which is not known before it is open."""
    if backend.capabilities.reason(Feature.CONNECTIONS):
        return ()
    try:
        return await backend.list_connections()
    except NotSupported:
        return ()
