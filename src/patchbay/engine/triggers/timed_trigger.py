"""The in-memory state of published triggers that poll or follow a schedule."""

import asyncio
from dataclasses import dataclass, field
from enum import StrEnum

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import EpochMs, JsonObject
from patchbay.domain.engine_store import NewExecution, TriggerState
from patchbay.domain.flows import FlowSettings
from patchbay.domain.trigger_sources import FIRST_SOURCE
from patchbay.engine.app_calls import Call
from patchbay.engine.parameters import resolve_parameters
from patchbay.engine.plan import Plan

WAIT_UNTIL_KEY = "held"
"""Key in the stored cursor of a trigger: until when its service asked to wait."""


class MissedReason(StrEnum):
    """Why a start was missed, to end a sentence."""

    NOT_RUNNING = "Patchbay wasn't running"
    ENGINE_PAUSED = "Patchbay was paused"
    FLOW_PAUSED = "the flow was paused"


@dataclass(slots=True)
class TimedTrigger:
    """A published polling or schedule trigger, with its state."""

    plan: Plan
    interval: int
    """Milliseconds between two polls."""
    settings: FlowSettings
    paused: bool
    state: TriggerState
    missed_reason: MissedReason = MissedReason.NOT_RUNNING
    task: asyncio.Task[None] | None = None
    is_signalled: bool = False
    """Whether its watch has signalled that there may be new items."""
    source: int = FIRST_SOURCE
    """The number of its source among those of the flow; see `domain/trigger_sources.py`."""
    not_before: EpochMs = 0
    """It doesn't fire before this time, because its state couldn't be stored."""

    @property
    def is_schedule(self) -> bool:
        """Whether the trigger is a schedule, not a poll."""
        return self.plan.kind is TriggerKind.SCHEDULE

    @property
    def is_rate_limited(self) -> bool:
        """Whether its service asked to wait."""
        return self.state.cursor.get(WAIT_UNTIL_KEY) is not None

    @property
    def next_at(self) -> EpochMs | None:
        """When it is due; None while it is paused, is running, or has no time."""
        if self.paused or self.task is not None or self.state.next_due_at is None:
            return None
        return max(self.state.next_due_at, self.not_before)

    def due(self, now: EpochMs) -> EpochMs | None:
        """Since when it is due; None if it isn't. Signals are ignored while its service asked to wait."""
        if (
            self.is_signalled
            and not self.is_rate_limited
            and not self.paused
            and self.task is None
            and self.not_before <= now
        ):
            return now
        at = self.next_at
        return self.state.next_due_at if at is not None and at <= now else None


@dataclass(frozen=True, slots=True)
class TriggerResult:
    """The new executions and state of a trigger, to be stored in one commit."""

    state: TriggerState
    executions: list[NewExecution] = field(default_factory=list)


def trigger_call(
    plan: Plan,
    *,
    known: frozenset[str] = frozenset(),
    unfinished: int = 0,
    last: str | None = None,
    at: EpochMs | None = None,
    time_zone: str | None = None,
    source: int = FIRST_SOURCE,
    baseline: bool = False,
) -> Call:
    """Build the call of a flow's trigger. The arguments are those of `Call`."""
    arguments = plan.start.trigger.arguments if plan.start.trigger else ()
    parameters: JsonObject = resolve_parameters(arguments, plan.start.step.parameters, {})
    return Call(
        planned=plan.start,
        flow_id=plan.flow_id,
        parameters=parameters,
        known_ids=known,
        unfinished_polls=unfinished,
        last_internal_id=last,
        at=at,
        time_zone=time_zone,
        source=source,
        baseline=baseline,
        approved=plan.version.approved,
    )
