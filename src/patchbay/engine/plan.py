"""Plans: flow versions together with the code of their apps."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Protocol

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import AppKey, ConnectionId, FlowId, StepId
from patchbay.domain.engine import RateLimit
from patchbay.domain.errors import AppError, NotFound
from patchbay.domain.flows import FlowVersion, Step, StructuralType
from patchbay.domain.step_policy import default_timeout_seconds
from patchbay.integration.app_definition import Action, App, Trigger

_MAX_CACHED_PLANS = 500
_NAMES = {
    StructuralType.PATHS: "Branches",
    StructuralType.BRANCH: "Branch",
    StructuralType.EACH: "For each item",
}


class AppSource(Protocol):
    """Looks up apps: `integration.registry.AppRegistry`, or a few apps in a test."""

    def get(self, key: AppKey) -> App:
        """The app with this key. Raises `NotFound`."""
        ...

    def rate_limits(self) -> Mapping[AppKey, RateLimit]:
        """The rate limits that apps declare."""
        ...


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step with the code of its event. `index` counts the steps of the plan from 0 (the trigger)."""

    index: int
    step: Step
    end: int
    """The index after the last step inside this one; `index + 1` if there is none."""
    app: App | None = None
    action: Action | None = None
    trigger: Trigger | None = None
    problem: AppError | None = None
    """Why the step can't run, such as a missing app or event."""
    connection_provider: App | None = None
    """The app whose connection the step uses, if it isn't its own app."""

    @property
    def kind(self) -> StructuralType:
        """The structural type of the step."""
        return self.step.structural_type

    @property
    def runs_programs(self) -> bool:
        """Whether the action runs programs, which needs a permit."""
        return self.action is not None and self.action.runs_programs

    @property
    def file_arguments(self) -> tuple[str, ...]:
        """The arguments that are paths of this computer; empty if it uses no files."""
        part = self.action or self.trigger
        return part.file_arguments if part else ()

    @property
    def program_argument(self) -> str:
        """The argument with the path of an installed program; empty if it runs none."""
        return self.action.program_argument if self.action is not None else ""

    @property
    def uses_desktop(self) -> bool:
        """Whether it acts for the person who has the window open, which needs a permit."""
        part = self.action or self.trigger
        return part is not None and part.uses_desktop

    @property
    def needs_intent(self) -> bool:
        """Whether it must be recorded that the step is about to run."""
        return self.action is None or not self.action.is_pure

    @property
    def timeout_seconds(self) -> float:
        """The timeout of the step: that of its policy, or else a default that leaves it time to wait."""
        chosen = self.step.policy.timeout_seconds
        if chosen is not None:
            return chosen
        limit = self.action.time_limit if self.action is not None else None
        return default_timeout_seconds(limit.seconds(self.step.parameters) if limit is not None else None)

    @property
    def label(self) -> str:
        """The name of the step in messages: "Redmine · Create issue"."""
        if self.kind in _NAMES:
            return self.step.name or _NAMES[self.kind]
        part = self.action or self.trigger
        event = part.name if part else self.step.key or "no event"
        return f"{self.app_name} · {event}"

    @property
    def app_name(self) -> str:
        """The name of the app; its key if it isn't loaded."""
        return self.app.name if self.app else self.step.app_key or "No app"


@dataclass(frozen=True)
class Plan:
    """The steps of a version in the order they run. What each run needs of them is computed once."""

    version: FlowVersion
    steps: tuple[PlannedStep, ...]

    @property
    def flow_id(self) -> FlowId:
        """The ID of the flow."""
        return self.version.flow_id

    @property
    def start(self) -> PlannedStep:
        """The first step."""
        return self.steps[0]

    @property
    def kind(self) -> TriggerKind | None:
        """The kind of trigger; None if its app is missing."""
        return self.start.trigger.kind if self.start.trigger else None

    @property
    def has_actions(self) -> bool:
        """Whether there are steps after the trigger."""
        return len(self.steps) > 1

    def step(self, step_id: StepId) -> PlannedStep:
        """The step with this ID. Raises `KeyError` for a step of another plan."""
        found = next((item for item in self.steps if item.step.id == step_id), None)
        if found is None:
            raise KeyError(step_id)
        return found

    @cached_property
    def length(self) -> int:
        """The number of steps in a run that skips and repeats none."""
        return sum(step.kind is not StructuralType.BRANCH for step in self.steps)

    @cached_property
    def programs(self) -> tuple[PlannedStep, ...]:
        """The steps that run programs."""
        return tuple(step for step in self.steps if step.runs_programs)

    @property
    def uses_desktop(self) -> bool:
        """Whether a step acts for the person who has the window open."""
        return any(step.uses_desktop for step in self.steps)

    @cached_property
    def connection_ids(self) -> frozenset[ConnectionId]:
        """The connections that the steps use."""
        return used_connections(self.steps)

    def branches(self, paths: PlannedStep) -> tuple[PlannedStep, ...]:
        """The branches of a branches step, in their order."""
        inside = self.steps[paths.index + 1 : paths.end]
        return tuple(step for step in inside if step.step.parent_step_id == paths.step.id)


def used_connections(steps: Iterable[PlannedStep]) -> frozenset[ConnectionId]:
    """The connections that these steps use."""
    return frozenset(step.step.connection_id for step in steps if step.step.connection_id is not None)


class Plans:
    """Builds plans, and caches those of published versions, which only change with the code of their apps."""

    def __init__(self, apps: AppSource) -> None:
        self._apps = apps
        self._cached: OrderedDict[tuple[FlowId, int], Plan] = OrderedDict()
        """Saves binding the steps to their apps for each run, poll, and webhook."""

    def of(self, version: FlowVersion) -> Plan:
        """The plan of a version. Raises `NotFound` for a version without steps."""
        if version.number == 0:
            return self._make(version)
        key = (version.flow_id, version.number)
        plan = self._cached.get(key)
        if plan is None:
            plan = self._cached[key] = self._make(version)
            if len(self._cached) > _MAX_CACHED_PLANS:
                self._cached.popitem(last=False)
        return plan

    def clear(self) -> None:
        """Forget the cached plans, which hold the code of apps."""
        self._cached.clear()

    def fresh(self, version: FlowVersion) -> Plan:
        """The plan of a version that isn't published yet.

        It isn't cached, since its number may be used again.
        """
        return self._make(version)

    def _make(self, version: FlowVersion) -> Plan:
        ordered = sorted(version.steps, key=lambda step: step.position)
        if not ordered:
            raise NotFound(f"The flow “{version.name}” has no steps.", todo="Add a trigger to it.")
        ends = _subtree_ends(ordered)
        return Plan(
            version, tuple(self._bind(index, step, ends[index]) for index, step in enumerate(ordered))
        )

    def _bind(self, index: int, step: Step, end: int) -> PlannedStep:
        bound = partial(PlannedStep, index, step, end)
        if step.structural_type.is_container:
            return bound()
        if not step.app_key or not step.key:
            return bound(
                problem=NotFound(
                    f"Step {index + 1} has no app or event yet.", todo="Choose an app and an event for it."
                )
            )
        try:
            app = self._apps.get(step.app_key)
        except AppError as error:
            return bound(problem=error)
        if index == 0:
            trigger = next((item for item in app.triggers if item.key == step.key), None)
            if trigger is None:
                return bound(app, problem=_missing_event_error(app, step))
            return bound(app, trigger=trigger, connection_provider=self._connection_provider(trigger))
        action = next((item for item in app.actions if item.key == step.key), None)
        if action is None:
            return bound(app, problem=_missing_event_error(app, step))
        return bound(app, action=action, connection_provider=self._connection_provider(action))

    def _connection_provider(self, event: Trigger | Action) -> App | None:
        """The app whose connections this event uses, if it isn't its own app."""
        try:
            return self._apps.get(AppKey(event.connection_app)) if event.connection_app else None
        except NotFound:
            return None


def _subtree_ends(steps: Sequence[Step]) -> list[int]:
    """For each step, the index after the last step inside it. `steps` are in depth-first order."""
    parents = {step.id: step.parent_step_id for step in steps}
    ends = [index + 1 for index in range(len(steps))]
    indexes = {step.id: index for index, step in enumerate(steps)}
    for index, step in enumerate(steps):
        parent_id = step.parent_step_id
        while parent_id in indexes:
            ends[indexes[parent_id]] = index + 1
            parent_id = parents[parent_id]
    return ends


def _missing_event_error(app: App, step: Step) -> NotFound:
    return NotFound(
        f"{app.name} has no {step.type.value} “{step.key}”.",
        meaning="The app may have changed since the flow was created.",
        todo=f"Choose another {step.type.value} in this step.",
    )
