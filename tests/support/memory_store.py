"""An `EngineStore` in memory: the contract of the port in the fewest lines, for quick tests of the engine."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, Json, StepId
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.flows import FlowVersion
from patchbay.domain.ports import ActiveTrigger, Continue, NewExecution, Run, StepOutcome, TriggerState


@dataclass
class Stored:
    """One execution with every attempt of its steps, by (seq, attempt)."""

    new: NewExecution
    state: ExecutionState
    cursor: int
    note: str | None
    run_token: str | None = None
    wake_at: EpochMs | None = None
    finished_at: EpochMs | None = None
    steps: dict[tuple[int, int], StepOutcome] = field(default_factory=dict)

    def last(self, seq: int) -> StepOutcome | None:
        tries = [step for (at, _), step in sorted(self.steps.items()) if at == seq]
        return tries[-1] if tries else None


class MemoryStore:
    """Keeps everything in dictionaries. `flows` and `drafts` are filled by the test."""

    def __init__(self) -> None:
        self.executions: dict[ExecutionId, Stored] = {}
        self.versions: dict[tuple[FlowId, int], FlowVersion] = {}
        self.live: dict[FlowId, tuple[FlowVersion, int]] = {}
        self.drafts: dict[FlowId, FlowVersion] = {}
        self.triggers: dict[FlowId, TriggerState] = {}
        self.values: dict[tuple[FlowId, str], Json] = {}
        self.accepts = 0

    async def publish(self, version: FlowVersion, interval: int, state: TriggerState | None) -> None:
        self.versions[version.flow_id, version.number] = version
        self.live[version.flow_id] = (version, interval)
        if state is not None:
            self.triggers[version.flow_id] = state

    async def unpublish(self, flow_id: FlowId) -> None:
        del self.live[flow_id]

    async def accept(
        self, events: Sequence[NewExecution], trigger: TriggerState | None = None
    ) -> tuple[bool, ...]:
        self.accepts += 1
        fresh = tuple(self._add(event) for event in events)
        if trigger is not None:
            self.triggers[trigger.flow_id] = trigger
        return fresh

    def _add(self, event: NewExecution) -> bool:
        if event.internal_id is not None and event.internal_id in self._ids(event.flow_id):
            return False
        steps = (event.trigger, *event.steps)
        json.dumps([step.wire() for step in steps])
        stored = Stored(event, event.state, steps[-1].seq + 1, event.note)
        stored.steps = {(step.seq, step.attempt): step for step in steps}
        stored.finished_at = steps[-1].finished_at if event.state.finished else None
        self.executions[event.id] = stored
        return True

    def _ids(self, flow_id: FlowId) -> list[str]:
        mine = (one.new for one in self.executions.values() if one.new.flow_id == flow_id)
        return [new.internal_id for new in mine if new.internal_id is not None and not new.test_run]

    async def claim(self, execution_id: ExecutionId, run_token: str, now: EpochMs) -> Run | None:
        one = self.executions.get(execution_id)
        if one is None:
            return None
        due = one.state is ExecutionState.WAITING and one.wake_at is not None and one.wake_at <= now
        if one.state is not ExecutionState.QUEUED and not due:
            return None
        one.state, one.run_token, one.wake_at = ExecutionState.RUNNING, run_token, None
        before = [step for seq in range(one.cursor) if (step := one.last(seq))]
        here = one.last(one.cursor)
        interrupted = here is not None and here.status is StepState.RUNNING
        attempt = 1 if here is None else here.attempt + (0 if interrupted else 1)
        assert one.new.flow_version is not None
        return Run(
            id=execution_id,
            run_token=run_token,
            version=self.versions[one.new.flow_id, one.new.flow_version],
            cursor=one.cursor,
            attempt=attempt,
            outputs={step.step_id: step.data_out for step in before if step.data_out is not None},
            failed=tuple(step.seq for step in before if step.status is StepState.FAILURE),
            interrupted=interrupted,
            note=one.note,
            created_at=one.new.created_at,
        )

    async def intent(self, run: Run, outcome: StepOutcome) -> bool:
        one = self.executions[run.id]
        if one.run_token != run.run_token:
            return False
        one.steps[outcome.seq, outcome.attempt] = outcome
        return True

    async def outcome(self, run: Run, outcome: StepOutcome, then: Continue) -> bool:
        one = self.executions[run.id]
        if one.run_token != run.run_token or one.state is not ExecutionState.RUNNING:
            return False
        json.dumps([outcome.data_in, outcome.data_out, outcome.error])
        one.steps[outcome.seq, outcome.attempt] = outcome
        one.state, one.cursor, one.wake_at, one.note = then.state, then.cursor, then.wake_at, then.note
        one.finished_at = outcome.finished_at if then.state.finished else None
        if then.state is not ExecutionState.RUNNING:
            one.run_token = None
        return True

    async def recover(self, now: EpochMs) -> int:
        left = [one for one in self.executions.values() if one.state is ExecutionState.RUNNING]
        for one in left:
            one.state, one.run_token = ExecutionState.QUEUED, None
        return len(left)

    async def due(self, now: EpochMs, limit: int) -> tuple[ExecutionId, ...]:
        found = [
            (one.wake_at or one.new.created_at, key)
            for key, one in self.executions.items()
            if one.state is ExecutionState.QUEUED
            or (one.state is ExecutionState.WAITING and (one.wake_at or 0) <= now)
        ]
        return tuple(key for _, key in sorted(found)[:limit])

    async def next_wake(self) -> EpochMs | None:
        waiting = [one for one in self.executions.values() if one.state is ExecutionState.WAITING]
        return min((one.wake_at for one in waiting if one.wake_at is not None), default=None)

    async def known_ids(self, flow_id: FlowId, internal_ids: Sequence[str]) -> frozenset[str]:
        return frozenset(internal_ids).intersection(self._ids(flow_id))

    async def last_internal_id(self, flow_id: FlowId) -> str | None:
        ids = self._ids(flow_id)
        return ids[-1] if ids else None

    async def active_triggers(self) -> tuple[ActiveTrigger, ...]:
        return tuple(
            ActiveTrigger(
                version=version,
                interval_minutes=interval,
                state=self.triggers.get(flow_id) or TriggerState(flow_id=flow_id),
            )
            for flow_id, (version, interval) in self.live.items()
        )

    async def version(self, flow_id: FlowId) -> FlowVersion | None:
        return self.live[flow_id][0] if flow_id in self.live else None

    async def draft(self, flow_id: FlowId) -> FlowVersion | None:
        return self.drafts.get(flow_id)

    async def save_trigger(self, state: TriggerState) -> None:
        self.triggers[state.flow_id] = state

    async def counts(self, since: EpochMs) -> Mapping[str, int]:
        states = [one.state.value for one in self.executions.values()]
        failures = [
            one for one in self.executions.values()
            if one.state is ExecutionState.FAILURE and one.new.created_at >= since
        ]  # fmt: skip
        counts = {state: states.count(state) for state in ("running", "waiting", "queued")}
        return counts | {"failures": len(failures)}

    async def samples(self, flow_id: FlowId) -> Mapping[StepId, Json]:
        found: dict[StepId, Json] = {}
        for one in self.executions.values():
            if one.new.flow_id == flow_id:
                for step in one.steps.values():
                    if step.status is StepState.SUCCESS:
                        found[step.step_id] = step.data_out
        return found

    async def get_value(self, flow_id: FlowId, key: str) -> Json:
        return self.values.get((flow_id, key))

    async def set_value(self, flow_id: FlowId, key: str, value: Json) -> None:
        self.values[flow_id, key] = value
