"""Published triggers that the clock starts, as the engine holds them in memory."""

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


class MissedReason(StrEnum):
    """Why a start could be missed, as the end of a sentence."""

    NOT_RUNNING = "Patchbay was not running"
    ENGINE_PAUSED = "Patchbay was paused"
    FLOW_PAUSED = "the flow was paused"


@dataclass(slots=True)
class TimedTrigger:
    """A published trigger and where it stands."""

    plan: Plan
    interval: int
    """Milliseconds between two polls."""
    settings: FlowSettings
    paused: bool
    state: TriggerState
    missed_reason: MissedReason = MissedReason.NOT_RUNNING
    task: asyncio.Task[None] | None = None
    is_signalled: bool = False
    """Its watch says that there may be something new."""
    source: int = FIRST_SOURCE
    """The place of its source among those of the flow; see `domain/trigger_sources.py`."""
    not_before: EpochMs = 0
    """Where it stands could not be stored: it is left alone until then."""

    @property
    def is_schedule(self) -> bool:
        return self.plan.kind is TriggerKind.SCHEDULE

    @property
    def held(self) -> bool:
        """The service said how long to wait."""
        return self.state.cursor.get("held") is not None

    @property
    def next_at(self) -> EpochMs | None:
        """When it is due; None while it is paused, on its way, or without a time."""
        if self.paused or self.task is not None or self.state.next_due_at is None:
            return None
        return max(self.state.next_due_at, self.not_before)

    def due(self, now: EpochMs) -> EpochMs | None:
        """Since when; None while it is not due. A service that said wait is left alone."""
        if (
            self.is_signalled
            and not self.held
            and not self.paused
            and self.task is None
            and self.not_before <= now
        ):
            return now
        at = self.next_at
        return self.state.next_due_at if at is not None and at <= now else None


@dataclass(frozen=True, slots=True)
class TriggerResult:
    """What a trigger gave and where it stands then, to be stored in one commit."""

    state: TriggerState
    events: list[NewExecution] = field(default_factory=list)


def trigger_call(
    plan: Plan,
    *,
    known: frozenset[str] = frozenset(),
    unfinished: int = 0,
    last: str | None = None,
    at: EpochMs | None = None,
    time_zone: str | None = None,
    source: int = FIRST_SOURCE,
) -> Call:
    """The call of a flow's trigger; the arguments are those of `Call`."""
    arguments = plan.start.trigger.arguments if plan.start.trigger else ()
    parameters: JsonObject = resolve_parameters(arguments, plan.start.step.parameters, {})
    return Call(
        planned=plan.start, flow_id=plan.flow_id, parameters=parameters,
        known_ids=known, unfinished_polls=unfinished, last_internal_id=last, at=at, time_zone=time_zone,
        source=source, approved=plan.version.approved,
    )  # fmt: skip
