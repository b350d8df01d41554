"""The plan of the demo workspace, and its data files: JSON in `resources/demo`."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import patchbay
from patchbay.domain.base import AppKey, Json, JsonObject, Model
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import StructuralType


@cache
def resources_folder() -> Path:
    """`patchbay/resources` in an installed wheel, the top-level `resources` in a checkout."""
    package = Path(patchbay.__file__).parent
    candidates = (package / "resources", package.parent.parent / "resources")
    found = next((folder for folder in candidates if (folder / "demo").is_dir()), None)
    if found is None:
        raise FileNotFoundError("The demo's files are missing. Reinstall Patchbay.")
    return found


@cache
def load_json(name: str) -> Any:
    """Load one of the JSON files. The result is shared, so treat it as read-only."""
    return json.loads((resources_folder() / "demo" / f"{name}.json").read_text("utf-8"))


class FilterRule(Model):
    """How often a filter step ends a run, the note of such a run, and changes to its trigger's output."""

    rate: float
    note: str
    trigger: dict[str, Json]
    """Values by dotted path in the trigger's output."""


class StepPlan(Model):
    """A step. References in `parameters` use positions as IDs; `takes` is its duration in milliseconds."""

    app: AppKey | None = None
    key: str | None = None
    name: str | None = None
    kind: StructuralType = StructuralType.SINGLE
    inside: int | None = None
    """The position of the step that contains this one."""
    conditions: tuple[JsonObject, ...] | None = None
    connection: str | None = None
    parameters: JsonObject = {}
    gives: JsonObject | None = None
    takes: tuple[int, int]
    stops: FilterRule | None = None
    incomplete: bool = False


class StepFailureRate(Model):
    """How often a step fails, and with which failure."""

    step: int
    rate: float
    failure: str


class Schedule(Model):
    """When a scheduled flow starts: every so many minutes, or at an hour every day or on one weekday."""

    minutes: int | None = None
    hour: int | None = None
    weekday: int | None = None


class FlowPlan(Model):
    """A flow. `version` counts published versions, 0 for a draft; `weight` is its share of the history."""

    name: str
    folder: str | None
    draft: bool = False
    version: int = 0
    interval: int = 15
    edits: bool = False
    rhythm: str = "office"
    weight: int = 0
    burst: bool = False
    """Whether it runs far more often during outages."""
    schedule: Schedule | None = None
    tests: int = 2
    fails: tuple[StepFailureRate, ...] = ()
    steps: tuple[StepPlan, ...]

    @property
    def trigger(self) -> str:
        """The key of its app and its own key, as in the data files: `github.newIssues`."""
        return f"{self.steps[0].app}.{self.steps[0].key}"

    @property
    def polls(self) -> bool:
        """Whether its trigger asks a service for new items."""
        return self.trigger in load_json("polled")

    def outage_step(self, app: AppKey) -> int | None:
        """The position of the first step of this app."""
        return next((position for position, step in enumerate(self.steps, 1) if step.app == app), None)


class ConnectionPlan(Model):
    """A connection, and its health."""

    id: str
    app: AppKey
    name: str
    health: ConnectionHealth
    reason: str | None = None
    tested_minutes_ago: int | None = None


class TemplatePlan(Model):
    """A template: a flow with another name."""

    name: str
    description: str
    category: str
    flow: str


class Outage(Model):
    """A time span in which every call to an app failed."""

    failure: str
    app: AppKey
    days_ago: float
    hours: float


class RecentExecution(Model):
    """One of the latest executions, specified exactly. `step` is the position it reached."""

    flow: str
    minutes_ago: float
    state: ExecutionState
    step: int | None = None
    note: str | None = None
    failure: str | None = None
    wakes_in: int | None = None
    """Minutes from now."""
    retries: float | None = None
    """The `minutes_ago` of the failed execution of the same flow that it retried."""


class Failure(Model):
    """The error of a failing step."""

    kind: str = "HttpError"
    happened: str
    meaning: str
    todo: str
    app: str | None = None
    said: str | None = None
    status: int | None = None
    request: str | None = None
    response: Json = None
    takes: tuple[int, int]

    def details(self) -> JsonObject:
        """The `error_details` of the step."""
        details = self.model_dump(exclude={"takes"}, exclude_none=True)
        return {key: details[key] for key in sorted(details, key=_DETAIL_ORDER.index)}


_DETAIL_ORDER = ["kind", "happened", "meaning", "todo", "app", "said", "status", "request", "response"]


class Owner(Model):
    """The owner of the demo workspace."""

    full_name: str
    email: str


class Blueprint(Model):
    """The whole workspace."""

    owner: Owner
    executions: int
    days: int
    folders: tuple[str, ...]
    connections: tuple[ConnectionPlan, ...]
    templates: tuple[TemplatePlan, ...]
    outages: tuple[Outage, ...]
    latest: tuple[RecentExecution, ...]
    flows: tuple[FlowPlan, ...]


@cache
def blueprint() -> Blueprint:
    """The flows, connections, and folders of the demo."""
    return Blueprint.model_validate(load_json("workspace"))


@cache
def failures() -> dict[str, Failure]:
    """The errors that sample runs fail with, by key."""
    return {key: Failure.model_validate(item) for key, item in load_json("failures").items()}
