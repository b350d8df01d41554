"""The engine of a workspace: its settings, status, and disk usage, and how programs of steps are isolated."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, StrictBool

from patchbay.domain.base import AppKey, EpochMs, Model, WholeNumber
from patchbay.domain.executions import ExecutionState


class IsolationKind(StrEnum):
    """The mechanism that isolates programs from this computer."""

    BUBBLEWRAP = "bubblewrap"
    NONE = "none"


class Isolation(Model):
    """How programs that steps run are isolated. Detected once, when the workspace is opened.

    `detail` is a sentence for `patchbay doctor`, the settings, and errors.
    """

    kind: IsolationKind = IsolationKind.NONE
    detail: str = "Programs run as the same user as Patchbay, without isolation."

    @property
    def summary(self) -> str:
        """Whether programs are isolated, then how, or why not and what to do about it."""
        state = "isolated" if self.isolates_programs else "not isolated; only admins can run them"
        return f"{state}. {self.detail}"

    @property
    def isolates_programs(self) -> bool:
        """Whether programs can't access Patchbay's data and other processes."""
        return self.kind is not IsolationKind.NONE


NOT_ISOLATED = Isolation.model_construct()


class EngineState(StrEnum):
    """Whether runs are started."""

    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"


class EngineHealth(Model):
    """The engine's status. `next_run_at` and `next_flow` are the next poll or scheduled start.

    `queued` is the length of the queue, and `oldest_queued_at` when its oldest execution was queued.
    `last_tick_at` is when the engine last checked what is due, which it does at least every 30 seconds.
    """

    state: EngineState = EngineState.STOPPED
    running: int = 0
    waiting: int = 0
    queued: int = 0
    oldest_queued_at: EpochMs | None = None
    failures_today: int = 0
    """The executions that `ExecutionFilter.unresolved_failures_since` matches since `today_since`."""
    today_since: EpochMs | None = None
    """Midnight in the time zone of the computer that runs the engine."""
    next_run_at: EpochMs | None = None
    next_flow: str | None = None
    started_at: EpochMs | None = None
    last_tick_at: EpochMs | None = None
    finished: dict[ExecutionState, int] = {}
    """The number of runs that ended in each state since the engine was started, without zeros."""
    runs_flows: bool = True
    """False for a server that only accepts events (`--no-runs`) and leaves all runs to other programs."""
    isolation: Isolation = NOT_ISOLATED
    """How programs of steps are isolated."""
    storage_problem: str | None = None
    """Why nothing can be saved, and what to do about it; None if saving works."""


class RateLimit(Model):
    """At most `calls` requests in any span of `seconds`."""

    calls: WholeNumber = Field(ge=1, le=100_000)
    seconds: WholeNumber = Field(1, ge=1, le=86_400)


class Retention(Model):
    """How long finished executions are kept; None means forever. Unfinished ones are never deleted."""

    success_days: WholeNumber | None = Field(90, ge=1, le=3_650)
    failure_days: WholeNumber | None = Field(365, ge=1, le=3_650)
    most: WholeNumber | None = Field(1_000_000, ge=1_000)
    """Maximum number of executions. The oldest are deleted first, failed ones last."""


FolderPath = Annotated[str, Field(min_length=1, max_length=4_000)]


class EngineSettings(Model):
    """Settings for all flows of a workspace."""

    max_concurrent: WholeNumber = Field(20, ge=1, le=200)
    max_runs_per_root: WholeNumber = Field(10_000, ge=10, le=1_000_000)
    """The most runs that one run may cause in all, including itself: by calling flows, own webhooks, and so
    on.
    """
    max_loop_items: WholeNumber = Field(10_000, ge=1, le=100_000)
    """Items per loop. An execution may run ten times as many steps."""
    max_body_mb: WholeNumber = Field(10, ge=1, le=100)
    """Maximum size of a webhook request's body, in megabytes."""
    max_retry_after: WholeNumber = Field(900, ge=1, le=86_400)
    """Maximum number of seconds for which steps and polls wait when a third party sends `Retry-After`."""
    retention: Retention = Retention.model_construct()
    app_limits: dict[AppKey, RateLimit] = {}
    """Rate limits that override those of the apps themselves."""
    program_network: StrictBool = False
    """Whether isolated programs may use the network if their step asks for it. Others always can."""
    allowed_folders: tuple[FolderPath, ...] = Field((), max_length=50)
    """Full paths of the folders whose files steps can read and change; see `integration/local_files`."""
    allowed_programs: tuple[FolderPath, ...] = Field((), max_length=50)
    """Full paths of the programs that steps can run; see `integration/allowed_programs.py`."""

    @property
    def max_steps(self) -> int:
        """Maximum number of steps that an execution runs, counting each item of a loop: at least 10,000."""
        return max(10_000, 10 * self.max_loop_items)

    @property
    def max_body_bytes(self) -> int:
        return self.max_body_mb * 1024 * 1024


SettingPath = tuple[str, ...]
"""The path of a setting: `("max_concurrent",)`, `("retention", "most")`, `("app_limits", APP_KEY)`."""


def get_setting(settings: EngineSettings, path: SettingPath) -> Any:
    """Return the value of a setting; None for an app without a limit."""
    value: Any = getattr(settings, path[0])
    for name in path[1:]:
        value = value.get(name) if isinstance(value, dict) else getattr(value, name)
    return value


def with_setting(settings: EngineSettings, path: SettingPath, value: Any) -> EngineSettings:
    """Return a copy of the settings with one of them changed. None removes the limit of an app."""
    group: Any = getattr(settings, path[0])
    if isinstance(group, dict):
        others = {key: limit for key, limit in group.items() if key != path[1]}
        value = others if value is None else {**others, path[1]: value}
    elif len(path) > 1:
        value = group.model_copy(update={path[1]: value})
    return settings.model_copy(update={path[0]: value})


class StorageUsage(Model):
    """The disk usage of the workspace. `free_bytes` is unused space inside the database file."""

    bytes: int
    free_bytes: int = 0
    executions: int = 0
    oldest_at: EpochMs | None = None


class CleanupResult(Model):
    """The result of cleaning up the history: executions deleted, and bytes freed."""

    removed: int
    freed_bytes: int
