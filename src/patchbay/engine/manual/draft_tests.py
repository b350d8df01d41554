"""Test runs of a single step or a whole draft, and sample items from triggers.

Test runs never wait, and are stored in one piece when they have finished.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, tzinfo

from patchbay.domain.apps import TriggerKind
from patchbay.domain.audit_log import current_person
from patchbay.domain.base import EpochMs, ExecutionId, FlowId, Json, JsonObject, StepId
from patchbay.domain.engine import EngineSettings
from patchbay.domain.engine_store import EngineStore, NewExecution, Permit, StepOutcome
from patchbay.domain.errors import AppError, Conflict, NotFound, RateLimited, ValidationFailed
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.flows import FlowVersion
from patchbay.domain.json_limits import THREAD_THRESHOLD, size_of
from patchbay.domain.ports import TriggerItem
from patchbay.domain.request_context import caller_disconnected, current_run_root
from patchbay.domain.variables import RUN, run_values
from patchbay.engine.app_calls import AppCaller, Call, StepResult, failed
from patchbay.engine.intake import Intake, new_execution_id, trigger_outcome
from patchbay.engine.parameters import (
    iso_time,
    missing_value_warnings,
    missing_values,
    resolve_parameters,
    resolve_with_warnings,
)
from patchbay.engine.plan import Plan, PlannedStep, Plans
from patchbay.engine.run_permits import PermitIssuer
from patchbay.engine.runs.active_run import (
    continued_after_failure_note,
    too_many_steps_note,
    too_much_data_note,
)
from patchbay.engine.runs.container_steps import ContainerSteps, decision_inputs
from patchbay.engine.runs.execution_cursor import ExecutionCursor
from patchbay.engine.step_errors import step_timeout_error, unusable_item_error
from patchbay.engine.threads import run_in_thread_if_large
from patchbay.engine.triggers.schedules import flow_time_zone, next_start

MAX_CONCURRENT_TESTS = 10
"""Concurrent tests of all people together."""
MAX_CONCURRENT_TESTS_PER_PERSON = 4
"""Concurrent tests of one person, so that slots are left for others."""
MAX_WAITING_TESTS_PER_PERSON = 16
"""Tests of one person that may wait for a slot; further ones are rejected."""
RETRY_SECONDS = 30.0
_MAX_NAMED_VALUES = 20
_PASSED = (StepState.SUCCESS, StepState.FILTERED)
"""A filter whose conditions don't match has worked, so its test has passed."""
_STATES = {
    StepState.SUCCESS: ExecutionState.SUCCESS,
    StepState.FAILURE: ExecutionState.FAILURE,
    StepState.FILTERED: ExecutionState.FILTERED,
}


class TriggerSampler:
    """Fetches one item from a trigger without starting a run."""

    def __init__(
        self, caller: AppCaller, store: EngineStore, clock: Callable[[], EpochMs], time_zone: tzinfo
    ) -> None:
        self._caller = caller
        self._store = store
        self._clock = clock
        self._time_zone = time_zone

    async def one(
        self,
        plan: Plan,
        samples: Mapping[StepId, Json],
        *,
        is_published: bool = False,
        is_test: bool = True,
    ) -> TriggerItem | None:
        """The newest item; None when the service has none.

        A schedule shows its next time, or this moment when it is started by hand (`is_published`). A webhook
        shows what was last sent to it and raises `Conflict` while nothing was. A broken trigger raises its
        own error. `is_test` is false for a run; it only changes what that error says.
        """
        if plan.start.problem is not None:
            raise plan.start.problem
        if plan.kind is TriggerKind.WEBHOOK:
            return await self._last_delivery(plan, samples, is_test=is_test)
        as_test = not (is_published and plan.kind is TriggerKind.SCHEDULE)
        items = await self._caller.items(await self._call(plan, as_test))
        usable = next((item for item in items if item.starts and item.problem is None), None)
        if usable is None and (problem := next((item.problem for item in items if item.problem), None)):
            raise unusable_item_error(problem)
        return usable

    async def _last_delivery(
        self, plan: Plan, samples: Mapping[StepId, Json], *, is_test: bool
    ) -> TriggerItem | None:
        step_id, trigger = plan.start.step.id, plan.start.trigger
        if samples.get(step_id) is not None:
            return TriggerItem(raw=samples[step_id])
        if trigger is not None and trigger.test_run is not None:
            items = await self._caller.items(await self._call(plan))
            if items:
                return items[0]
        happened = "This webhook hasn't received a request yet."
        if is_test:
            raise Conflict(
                happened,
                meaning="A test shows the latest request, and there is none.",
                todo="Send a request to the webhook address, then test again.",
            )
        raise Conflict(
            happened,
            meaning="A run that isn't started by a request uses the latest one, and there is none.",
            todo="Send a request to the webhook address, then run the flow again.",
        )

    async def _call(self, plan: Plan, test_run: bool = True) -> Call:
        arguments = plan.start.trigger.arguments if plan.start.trigger else ()
        parameters = resolve_parameters(arguments, plan.start.step.parameters, {})
        own, at = None, None
        if plan.kind is TriggerKind.SCHEDULE:
            own = flow_time_zone(await self._store.flow_settings(plan.flow_id))
            at = next_start(plan, self._clock(), own or self._time_zone) if test_run else None
        return Call(
            planned=plan.start,
            flow_id=plan.flow_id,
            parameters=parameters,
            test_run=test_run,
            approved=plan.version.approved,
            draft=plan.version.is_draft,
            at=at,
            time_zone=own.key if own else None,
        )


class TestSlots:
    """Slots for concurrent tests, limited in all and per person, in order of arrival.

    Tests don't count towards the engine's concurrency limit, so that people don't have to wait for runs.
    """

    __test__ = False

    def __init__(self) -> None:
        self._all_slots = asyncio.Semaphore(MAX_CONCURRENT_TESTS)
        self._slots_by_person: dict[str, asyncio.Semaphore] = {}
        self._requests_by_person: Counter[str] = Counter()

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[None]:
        """Wait for a slot, and release it at the end of the block.

        Raises `RateLimited`, and `Conflict` if the caller disconnects while waiting.
        """
        person = current_person()
        if self._requests_by_person[person] >= MAX_CONCURRENT_TESTS_PER_PERSON + MAX_WAITING_TESTS_PER_PERSON:
            raise RateLimited(
                f"You already have {self._requests_by_person[person]} tests running or waiting.",
                meaning="This test wasn't started.",
                todo="Wait until one of them has finished, then test again.",
                retry_after=RETRY_SECONDS,
            )
        self._requests_by_person[person] += 1
        own_slots = self._slots_by_person.setdefault(
            person, asyncio.Semaphore(MAX_CONCURRENT_TESTS_PER_PERSON)
        )
        try:
            async with AsyncExitStack() as acquired_slots:
                await _wait_while_connected(self._acquire_both(own_slots, acquired_slots))
                yield
        finally:
            self._requests_by_person[person] -= 1
            if not self._requests_by_person[person]:
                del self._requests_by_person[person], self._slots_by_person[person]

    async def _acquire_both(self, own_slots: asyncio.Semaphore, acquired_slots: AsyncExitStack) -> None:
        """Acquire both.

        `acquired_slots` releases what was acquired, also when this is cancelled in between.
        """
        for semaphore in (own_slots, self._all_slots):
            await semaphore.acquire()
            acquired_slots.callback(semaphore.release)


async def _wait_while_connected(acquiring: Coroutine[None, None, None]) -> None:
    """Wait for a slot while the caller is connected. Raises `Conflict` if it disconnects first."""
    wait_for_disconnect = caller_disconnected.get()
    if wait_for_disconnect is None:
        await acquiring
        return
    acquired, gone = asyncio.create_task(acquiring), asyncio.ensure_future(wait_for_disconnect())
    try:
        await asyncio.wait((acquired, gone), return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        if not acquired.done():
            acquired.cancel()
            await asyncio.wait((acquired,))
    if acquired.cancelled():
        raise Conflict(
            "The caller disconnected before the test could start.",
            meaning="Nothing was run.",
            todo="Test again when fewer tests are running.",
        )


@dataclass(slots=True)
class _TestRun:
    """A test run in progress."""

    id: ExecutionId
    plan: Plan
    permit: Permit
    steps: list[StepOutcome]
    outputs: dict[StepId, Json]
    state: ExecutionState = ExecutionState.SUCCESS
    note: str | None = None
    trigger_tested: bool = True
    """False if the run started with data that isn't from the trigger."""
    zone: tzinfo = UTC

    def set_run_values(self, now: EpochMs) -> None:
        """Set what `{{now}}` and the other values of the run insert into the next step."""
        self.outputs[RUN] = run_values(self.id, self.plan.flow_id, iso_time(now, self.zone))

    def passed(self) -> dict[StepId, bool]:
        """The steps that were tested, and whether each passed every time it ran."""
        found: dict[StepId, bool] = {}
        for outcome in self.steps if self.trigger_tested else self.steps[1:]:
            found[outcome.step_id] = found.get(outcome.step_id, True) and outcome.status in _PASSED
        return found


class TestRuns:
    """Runs tests and stores their results."""

    def __init__(
        self,
        plans: Plans,
        permits: PermitIssuer,
        caller: AppCaller,
        container_steps: ContainerSteps,
        sampler: TriggerSampler,
        intake: Intake,
        store: EngineStore,
        clock: Callable[[], EpochMs],
        settings: Callable[[], EngineSettings],
        on_tested: Callable[[FlowId], None],
        time_zone: tzinfo,
    ) -> None:
        self._plans = plans
        self._permits = permits
        self._caller = caller
        self._container_steps = container_steps
        self._sampler = sampler
        self._intake = intake
        self._store = store
        self._clock = clock
        self._settings = settings
        self._on_tested = on_tested
        self._time_zone = time_zone
        self._slots = TestSlots()

    async def step(
        self, version: FlowVersion, step_id: StepId, samples: Mapping[StepId, Json], *, full_rights: bool
    ) -> tuple[ExecutionId, StepOutcome]:
        """Test one step with the newest data of the steps before it.

        Errors of third parties are returned as a failed outcome. Raises `NotFound` for an unknown step,
        `Conflict` for a webhook without requests so far, `Forbidden`, and `RateLimited`.
        """
        plan = self._plans.of(version)
        permit = await self._permits.permit_for_person(plan, full_rights=full_rights)
        planned = next((item for item in plan.steps if item.step.id == step_id), None)
        if planned is None:
            raise NotFound("This step isn't part of the flow any more.", todo="Open the flow again.")
        zone = await self._zone_of(plan.flow_id)
        test = _TestRun(new_execution_id(), plan, permit, [], dict(samples), zone=zone)
        async with self._slots.acquire():
            if planned.index == 0:
                await self._test_trigger(test)
            else:
                await self._test_action(test, planned)
            await self._finish(test)
        return test.id, test.steps[0]

    async def draft(self, permit: Permit, item: TriggerItem, *, from_trigger: bool) -> ExecutionId:
        """Test all steps of a draft with one item, without retries and without delays.

        `from_trigger`: the item was just fetched from the trigger, which counts as a test of it.
        """
        async with self._slots.acquire():
            return await self._run_draft(permit, item, from_trigger)

    async def _run_draft(self, permit: Permit, item: TriggerItem, from_trigger: bool) -> ExecutionId:
        started = self._clock()
        plan = self._plans.of(permit.version)
        zone = await self._zone_of(plan.flow_id)
        outcome = trigger_outcome(plan, item.raw, started, started)
        cursor = ExecutionCursor(plan)
        cursor.step(StepState.SUCCESS, item.raw)
        test = _TestRun(
            new_execution_id(),
            plan,
            permit,
            [outcome],
            cursor.outputs,
            trigger_tested=from_trigger,
            zone=zone,
        )
        result, max_steps = StepResult(StepState.SUCCESS), self._settings().max_steps
        while not cursor.ended and cursor.seq < max_steps and not cursor.too_large:
            result = await self._test_action(test, cursor.current_step, cursor)
            cursor.step(result.status, result.data)
        test.state, test.note = _end_state(cursor, result, max_steps)
        await self._finish(test)
        return test.id

    async def store_delivery(self, version: FlowVersion, item: TriggerItem) -> ExecutionId:
        """Store a request to the webhook of a draft, as its sample."""
        now = self._clock()
        plan = self._plans.of(version)
        permit = self._permits.permit_to_store(plan)
        test = _TestRun(new_execution_id(), plan, permit, [trigger_outcome(plan, item.raw, now, now)], {})
        await self._finish(test)
        return test.id

    async def _test_trigger(self, test: _TestRun) -> None:
        plan, started = test.plan, self._clock()
        if plan.start.problem is not None:
            result = failed(plan.start.problem, plan.start)
        else:
            try:
                item = await self._sampler.one(plan, test.outputs)
            except Conflict:
                raise
            except Exception as error:  # noqa: BLE001  app code may raise anything
                result = failed(error, plan.start)
            else:
                result = StepResult(StepState.SUCCESS, item.raw if item else None)
        self._record(test, plan.start, result, plan.start.step.parameters, started, (0, None))

    async def _test_action(
        self, test: _TestRun, planned: PlannedStep, cursor: ExecutionCursor | None = None
    ) -> StepResult:
        """Test an action: at the cursor in a test of a whole draft, or by itself."""
        started = self._clock()
        test.set_run_values(started)
        place = (planned.index, None) if cursor is None else (cursor.seq, cursor.path)
        size = size_of([*test.outputs.values()], THREAD_THRESHOLD)
        container_result = await self._container_steps.evaluate(test.plan, planned, test.outputs, size)
        if container_result is not None:
            warnings = missing_value_warnings(decision_inputs(test.plan, planned), test.outputs)
            self._record(test, planned, container_result, None, started, place, warnings)
            return container_result
        arguments = planned.action.arguments if planned.action else ()
        try:
            data_in, warnings = await run_in_thread_if_large(
                size, resolve_with_warnings, arguments, planned.step.parameters, test.outputs
            )
        except AppError as error:
            result = failed(error, planned)
            self._record(test, planned, result, None, started, place)
            return result
        if warnings and cursor is None and (problem := _missing_values(test, planned)):
            result = failed(problem, planned)
        else:
            result = await self._call(test, planned, data_in)
        self._record(test, planned, result, data_in, started, place, warnings)
        return result

    async def _zone_of(self, flow_id: FlowId) -> tzinfo:
        return flow_time_zone(await self._store.flow_settings(flow_id)) or self._time_zone

    async def _call(self, test: _TestRun, planned: PlannedStep, data_in: JsonObject) -> StepResult:
        call = Call(
            planned=planned,
            flow_id=test.plan.flow_id,
            parameters=data_in.copy(),
            permit=test.permit,
            execution_id=test.id,
            root_id=current_run_root.get(),
            test_run=True,
        )
        seconds = planned.timeout_seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._caller.checked_action(call)
        except TimeoutError:
            return failed(step_timeout_error(planned.label, planned.app_name, seconds), planned)

    def _record(
        self,
        test: _TestRun,
        planned: PlannedStep,
        result: StepResult,
        data_in: JsonObject | None,
        started: EpochMs,
        place: tuple[int, str | None],
        warnings: tuple[str, ...] = (),
    ) -> None:
        test.steps.append(
            StepOutcome(
                seq=place[0],
                path=place[1],
                step_id=planned.step.id,
                status=result.status,
                data_in=data_in,
                data_out=result.data,
                error=result.error,
                started_at=started,
                finished_at=self._clock(),
                warnings=(*warnings, *result.warnings),
            )
        )
        if result.status is not StepState.SUCCESS and test.state is ExecutionState.SUCCESS:
            test.state, test.note = _STATES[result.status], result.note

    async def _finish(self, test: _TestRun) -> None:
        """Store the test, then mark the steps of the draft as passed or failed."""
        first, *more = test.steps
        await self._intake.accept(
            [
                NewExecution(
                    permit=test.permit,
                    id=test.id,
                    flow_id=test.plan.flow_id,
                    flow_version=None,
                    state=test.state,
                    test_run=True,
                    note=test.note,
                    trigger=first,
                    steps=tuple(more),
                    steps_total=test.plan.length,
                    created_at=first.started_at,
                )
            ]
        )
        if await self._store.record_test(test.plan.version, test.passed(), self._clock()):
            self._on_tested(test.plan.flow_id)


def _end_state(
    cursor: ExecutionCursor, last: StepResult, max_steps: int
) -> tuple[ExecutionState, str | None]:
    if not cursor.ended:
        return ExecutionState.FAILURE, too_much_data_note() if cursor.too_large else too_many_steps_note(
            max_steps
        )
    state, note = (_STATES[last.status], last.note) if cursor.ended_early else (ExecutionState.SUCCESS, None)
    if cursor.failed is not None and state is not ExecutionState.FAILURE:
        return ExecutionState.FAILURE, continued_after_failure_note(cursor)
    return state, note


def _missing_values(test: _TestRun, planned: PlannedStep) -> ValidationFailed | None:
    """The error for references without a value, which are only a warning in runs."""
    arguments = planned.action.arguments if planned.action else ()
    found = missing_values(arguments, planned.step.parameters, test.outputs)
    if not found:
        return None
    positions = {item.step.id: item.index + 1 for item in test.plan.steps}
    places = [
        f"{'.'.join(ref.path)[:100]} of step {positions.get(ref.step_id, '?')}"
        for ref in found[:_MAX_NAMED_VALUES]
    ]
    return ValidationFailed(
        {"parameters": [f"No value for {place}." for place in places]},
        happened=f"This step uses values that don't exist: {', '.join(places)}.",
        meaning="They would be empty.",
        todo="Test the earlier steps first, or choose other values.",
    )
