"""A flow version bound to the code of its apps, made once and kept."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Protocol

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import AppKey, FlowId
from patchbay.domain.errors import AppError, NotFound
from patchbay.domain.flows import FlowVersion, Step
from patchbay.integration.contract import Action, App, Trigger

_KEPT = 500


class AppSource(Protocol):
    """Where apps are looked up: `integration.registry.AppRegistry`, or a few apps in a test."""

    def get(self, key: AppKey) -> App:
        """Raises `NotFound`."""
        ...


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step and the code behind it. `seq` counts from 0 (the trigger)."""

    seq: int
    step: Step
    app: App | None = None
    action: Action | None = None
    trigger: Trigger | None = None
    problem: AppError | None = None
    """Why the step cannot run: its app or event is gone."""
    connection_app: App | None = None
    """Whose connection the step uses, when not its own app's."""

    @property
    def label(self) -> str:
        """How sentences name the step: "Redmine · Create issue"."""
        part = self.action or self.trigger
        event = part.name if part else self.step.key or "nothing chosen"
        return f"{self.app_name} · {event}"

    @property
    def app_name(self) -> str:
        return self.app.name if self.app else self.step.app_key or "No app"


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of a version in the order they run."""

    version: FlowVersion
    steps: tuple[PlannedStep, ...]

    @property
    def flow_id(self) -> FlowId:
        return self.version.flow_id

    @property
    def start(self) -> PlannedStep:
        return self.steps[0]

    @property
    def kind(self) -> TriggerKind | None:
        """How the flow starts; None when its trigger's app is gone."""
        return self.start.trigger.kind if self.start.trigger else None

    @property
    def has_actions(self) -> bool:
        return len(self.steps) > 1


class Plans:
    """Makes plans and keeps those of frozen versions, which never change."""

    def __init__(self, apps: AppSource) -> None:
        self._apps = apps
        self._kept: OrderedDict[tuple[FlowId, int], Plan] = OrderedDict()

    def of(self, version: FlowVersion) -> Plan:
        """Raises `NotFound` for a version without a step."""
        if version.number == 0:
            return self._make(version)
        key = (version.flow_id, version.number)
        plan = self._kept.get(key)
        if plan is None:
            plan = self._kept[key] = self._make(version)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return plan

    def fresh(self, version: FlowVersion) -> Plan:
        """The plan of a version that is not published yet and may never be: its number may come again."""
        return self._make(version)

    def _make(self, version: FlowVersion) -> Plan:
        ordered = sorted(version.steps, key=lambda step: step.position)
        if not ordered:
            raise NotFound(f"The flow “{version.name}” has no step.", todo="Add a trigger to it.")
        return Plan(version, tuple(self._bind(seq, step) for seq, step in enumerate(ordered)))

    def _bind(self, seq: int, step: Step) -> PlannedStep:
        if not step.app_key or not step.key:
            return PlannedStep(seq, step, problem=_not_chosen(seq))
        try:
            app = self._apps.get(step.app_key)
        except AppError as error:
            return PlannedStep(seq, step, problem=error)
        if seq == 0:
            trigger = next((item for item in app.triggers if item.key == step.key), None)
            if trigger is None:
                return PlannedStep(seq, step, app, problem=_gone(app, step))
            return PlannedStep(seq, step, app, trigger=trigger, connection_app=self._lender(trigger))
        action = next((item for item in app.actions if item.key == step.key), None)
        if action is None:
            return PlannedStep(seq, step, app, problem=_gone(app, step))
        return PlannedStep(seq, step, app, action=action, connection_app=self._lender(action))

    def _lender(self, event: Trigger | Action) -> App | None:
        """The app whose connections this event uses instead of its own app's."""
        try:
            return self._apps.get(event.connection_app) if event.connection_app else None
        except NotFound:
            return None


def _not_chosen(seq: int) -> NotFound:
    return NotFound(
        f"Step {seq + 1} has no app or event yet.",
        meaning="There is nothing it could do.",
        todo="Choose an app and an event for it.",
    )


def _gone(app: App, step: Step) -> NotFound:
    return NotFound(
        f"{app.name} has no event “{step.key}” (any more).",
        meaning="The app was changed after this flow was built.",
        todo="Choose another event in this step.",
    )
