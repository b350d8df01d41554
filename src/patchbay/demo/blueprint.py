"""What the demo workspace is made of, as written in `resources/demo/workspace.json`."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import patchbay
from patchbay.domain.base import Json, JsonObject, Model
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import StructuralType

# MERGED: The data the demo is made from: JSON under `resources/demo`, icons under
# `resources/icons/apps`.


@cache
def resources_folder() -> Path:
    """`patchbay/resources` in an installed wheel, the top-level `resources` in a checkout."""
    package = Path(patchbay.__file__).parent
    candidates = (package / "resources", package.parent.parent / "resources")
    found = next((folder for folder in candidates if (folder / "demo").is_dir()), None)
    if found is None:
        raise FileNotFoundError("The files of the demo are missing; install the program again.")
    return found


@cache
def load_json(name: str) -> Any:
    """One of the JSON files. Shared: treat it as read-only."""
    return json.loads((resources_folder() / "demo" / f"{name}.json").read_text("utf-8"))


def load_icon(app_key: str) -> str:
    """The glyph of an app; empty when there is none."""
    path = resources_folder() / "icons" / "apps" / f"{app_key}.svg"
    return path.read_text("utf-8") if path.is_file() else ""


class FilterRule(Model):
    """How often a filter step ends a run, in which words, and what the trigger gave in such a run."""

    rate: float
    note: str
    trigger: dict[str, Json]
    """Values by dotted place in the trigger's output."""


class StepPlan(Model):
    """A step. References in `parameters` name steps by position; `takes` is its time in milliseconds."""

    app: str | None = None
    key: str | None = None
    name: str | None = None
    kind: StructuralType = StructuralType.SINGLE
    inside: int | None = None
    """The position of the step that holds this one."""
    conditions: tuple[JsonObject, ...] | None = None
    connection: str | None = None
    parameters: JsonObject = {}
    gives: JsonObject | None = None
    takes: tuple[int, int]
    stops: FilterRule | None = None
    incomplete: bool = False


class StepFailureRate(Model):
    """How often a step fails, and how."""

    step: int
    rate: float
    failure: str


class Schedule(Model):
    """When a scheduled flow starts: every so many minutes, or at an hour of each day or of one weekday."""

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
    """Runs far more often while one of the outages lasts."""
    schedule: Schedule | None = None
    tests: int = 2
    fails: tuple[StepFailureRate, ...] = ()
    steps: tuple[StepPlan, ...]

    def outage_step(self, app: str) -> int | None:
        """The position of the first step of this app."""
        return next((position for position, step in enumerate(self.steps, 1) if step.app == app), None)


class ConnectionPlan(Model):
    """A connection of the sample, and how it does."""

    id: str
    app: str
    name: str
    health: ConnectionHealth
    reason: str | None = None
    tested_minutes_ago: int | None = None


class TemplatePlan(Model):
    """A template of the sample: a flow under a name of its own."""

    name: str
    description: str
    category: str
    flow: str


class Outage(Model):
    """A span of time in which every call of an app failed."""

    failure: str
    app: str
    days_ago: float
    hours: float


class RecentExecution(Model):
    """One of the newest executions, told exactly. `step` is the position it reached."""

    flow: str
    minutes_ago: float
    state: ExecutionState
    step: int | None = None
    note: str | None = None
    failure: str | None = None
    wakes_in: int | None = None
    """Minutes from now."""
    retries: float | None = None
    """Which failure of the same flow it retried, by its `minutes_ago`."""


class Failure(Model):
    """What a failing step answered."""

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
        """As `error_details` of a step."""
        details = self.model_dump(exclude={"takes"}, exclude_none=True)
        return {key: details[key] for key in sorted(details, key=_DETAIL_ORDER.index)}


_DETAIL_ORDER = ["kind", "happened", "meaning", "todo", "app", "said", "status", "request", "response"]


class Owner(Model):
    """Whose sample workspace it is."""

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
    return Blueprint.model_validate(load_json("workspace"))


@cache
def failures() -> dict[str, Failure]:
    return {key: Failure.model_validate(item) for key, item in load_json("failures").items()}
