"""How the engine of a workspace is set, how it does, and what its history takes up."""

from enum import StrEnum
from typing import Any

from pydantic import Field, StrictBool

from patchbay.domain.base import AppKey, EpochMs, Model, WholeNumber
from patchbay.domain.executions import ExecutionState

# MERGED: Whether programs that steps run are isolated from this computer, and by what.


class IsolationKind(StrEnum):
    """The mechanism that isolates programs."""

    BUBBLEWRAP = "bubblewrap"
    NONE = "none"


class Isolation(Model):
    """How programs of steps are isolated here. Found out once, when the workspace is opened.

    `detail` says it in plain words, for `doctor`, the settings and errors.
    """

    kind: IsolationKind = IsolationKind.NONE
    detail: str = "Programs run as the same user as Patchbay, without isolation."

    @property
    def summary(self) -> str:
        """One sentence that begins with the answer, and then how, or why not and what to do."""
        answer = "isolated" if self.isolates_programs else "not isolated; only admins can run them"
        return f"{answer}. {self.detail}"

    @property
    def isolates_programs(self) -> bool:
        """Whether a program can reach neither the data of Patchbay nor other processes."""
        return self.kind is not IsolationKind.NONE


NOT_ISOLATED = Isolation()


class EngineState(StrEnum):
    """Whether runs are started."""

    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"


class EngineHealth(Model):
    """How the engine does. `next_run_at` and `next_flow` name the next scheduled or polled start.

    `queued` is the length of the queue, `oldest_queued_at` when the one that waits longest came in, and
    `last_tick_at` when the engine last looked for what is due (at least every 30 s).
    """

    state: EngineState = EngineState.STOPPED
    running: int = 0
    waiting: int = 0
    queued: int = 0
    oldest_queued_at: EpochMs | None = None
    failures_today: int = 0
    """How many executions `ExecutionFilter.failures_to_look_at` finds since `today_since`."""
    today_since: EpochMs | None = None
    """When today began on the clock of the computer that counted."""
    next_run_at: EpochMs | None = None
    next_flow: str | None = None
    started_at: EpochMs | None = None
    last_tick_at: EpochMs | None = None
    finished: dict[ExecutionState, int] = {}
    """How many runs ended how since it was started; what did not happen is left out."""
    isolation: Isolation = NOT_ISOLATED
    """How programs of steps are isolated."""
    storage_problem: str | None = None
    """Why nothing can be saved now, and what to do about it; None while everything can."""


class RateLimit(Model):
    """At most `calls` calls in any `seconds`."""

    calls: WholeNumber = Field(ge=1, le=100_000)
    seconds: WholeNumber = Field(1, ge=1, le=86_400)


class Retention(Model):
    """How long finished executions are kept. None keeps them for ever; unfinished ones always stay."""

    success_days: WholeNumber | None = Field(90, ge=1, le=3_650)
    failure_days: WholeNumber | None = Field(365, ge=1, le=3_650)
    most: WholeNumber | None = Field(1_000_000, ge=1_000)
    """Executions in all; the oldest go first, failures last."""


class EngineSettings(Model):
    """What holds for all flows of a workspace."""

    max_concurrent: WholeNumber = Field(20, ge=1, le=200)
    max_runs_per_root: WholeNumber = Field(10_000, ge=10, le=1_000_000)
    """Runs that one run and all it causes may add up to: called flows, own webhooks, and so on."""
    max_loop_items: WholeNumber = Field(10_000, ge=1, le=100_000)
    """Items one loop may go through. An execution may make ten times as many steps."""
    max_body_mb: WholeNumber = Field(10, ge=1, le=100)
    """Megabytes that the body of a webhook request may have."""
    max_retry_after: WholeNumber = Field(900, ge=1, le=86_400)
    """Seconds. The longest a third party can make steps and polls wait with `Retry-After`."""
    retention: Retention = Retention()
    app_limits: dict[AppKey, RateLimit] = {}
    """In place of what the app itself asks for."""
    program_network: StrictBool = False
    """Whether programs whose step asks for the network get it. Without isolation all programs have it."""

    @property
    def max_steps(self) -> int:
        """Steps one execution may make, loops included."""
        return max(10_000, 10 * self.max_loop_items)

    @property
    def max_body_bytes(self) -> int:
        return self.max_body_mb * 1024 * 1024


SettingPath = tuple[str, ...]
"""Where a single engine setting is: `("max_concurrent",)`, `("retention", "most")`, `("app_limits", KEY)`."""


def get_setting(settings: EngineSettings, path: SettingPath) -> Any:
    """The value of a single setting; None for an app without a limit."""
    value: Any = getattr(settings, path[0])
    for name in path[1:]:
        value = value.get(name) if isinstance(value, dict) else getattr(value, name)
    return value


def with_setting(settings: EngineSettings, path: SettingPath, value: Any) -> EngineSettings:
    """The settings with a single one changed; None removes the limit of an app."""
    group: Any = getattr(settings, path[0])
    if isinstance(group, dict):
        others = {key: limit for key, limit in group.items() if key != path[1]}
        value = others if value is None else {**others, path[1]: value}
    elif len(path) > 1:
        value = group.model_copy(update={path[1]: value})
    return settings.model_copy(update={path[0]: value})


class StorageUsage(Model):
    """What the workspace takes on the disk. `free_bytes` is space inside the file that is used again."""

    bytes: int
    free_bytes: int = 0
    executions: int = 0
    oldest_at: EpochMs | None = None


class CleanupResult(Model):
    """What cleaning up the history did."""

    removed: int
    freed_bytes: int
