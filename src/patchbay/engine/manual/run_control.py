"""Running a flow now; and cancelling, resuming, retrying, and replaying executions."""

from collections.abc import Callable
from dataclasses import replace

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, Json
from patchbay.domain.engine_store import (
    CancelResult,
    EngineStore,
    FinishedStep,
    NewExecution,
    Permit,
    StepOutcome,
    StoredExecution,
)
from patchbay.domain.errors import Conflict, NotFound
from patchbay.domain.executions import ExecutionState, Origin, ReplayOn, StepState
from patchbay.domain.flows import FlowVersion
from patchbay.domain.ports import TriggerItem
from patchbay.engine.changes import ChangeAnnouncer
from patchbay.engine.intake import Intake, new_execution_id, trigger_outcome
from patchbay.engine.manual.draft_tests import TestRuns, TriggerSampler
from patchbay.engine.peer_work import PeerWork
from patchbay.engine.plan import Plan, Plans
from patchbay.engine.run_permits import PermitIssuer
from patchbay.engine.runs.execution_cursor import ExecutionCursor
from patchbay.engine.runs.rate_limits import RateLimiter
from patchbay.engine.runs.runner import Runner
from patchbay.engine.step_errors import OUTCOME_UNKNOWN
from patchbay.engine.triggers.webhook_responses import PendingResponses

CANCELLED = "Cancelled."
CANCEL_TIMEOUT_SECONDS = 5.0
"""How long to wait for an interrupted step to end."""
MAX_CANCEL_ATTEMPTS = 3
"""How often to interrupt a run that continues because it was between two steps."""


class FlowStarter:
    """Runs a published flow now, or tests a whole draft."""

    def __init__(
        self,
        store: EngineStore,
        plans: Plans,
        sampler: TriggerSampler,
        test_runs: TestRuns,
        permits: PermitIssuer,
        intake: Intake,
        clock: Callable[[], EpochMs],
    ) -> None:
        self._store = store
        self._plans = plans
        self._sampler = sampler
        self._test_runs = test_runs
        self._permits = permits
        self._intake = intake
        self._clock = clock

    async def run(self, flow_id: FlowId, item: Json, *, full_rights: bool) -> ExecutionId:
        """See `Engine.run_now`."""
        version = await self._store.version(flow_id)
        is_published = version is not None
        version = version or await self._store.draft(flow_id)
        if version is None:
            raise NotFound("This flow doesn't exist any more.")
        plan = self._plans.of(version)
        permit = await self._permits.permit_for_person(plan, full_rights=full_rights)
        if item is not None:
            event = TriggerItem(raw=item)
        else:
            samples = await self._store.samples(flow_id)
            sample = await self._sampler.one(plan, samples, is_published=is_published, is_test=False)
            if sample is None:
                raise Conflict(
                    "The trigger found no item to start the flow with.",
                    meaning="The service responded, but has no item yet.",
                    todo="Create an item there, then run the flow again.",
                )
            event = TriggerItem(raw=sample.raw)
        if not is_published:
            return await self._test_runs.draft(permit, event, from_trigger=item is None)
        execution = self._intake.new_execution(plan, event, self._clock(), permit=permit)
        await self._intake.accept([execution])
        return execution.id


class RunControl:
    """Cancels and resumes executions, and starts new ones from earlier ones."""

    def __init__(
        self,
        store: EngineStore,
        plans: Plans,
        permits: PermitIssuer,
        intake: Intake,
        test_runs: TestRuns,
        runner: Runner,
        limits: RateLimiter,
        pending_responses: PendingResponses,
        announcer: ChangeAnnouncer,
        clock: Callable[[], EpochMs],
        peer_work: PeerWork,
    ) -> None:
        self._peer_work = peer_work
        self._store = store
        self._plans = plans
        self._permits = permits
        self._intake = intake
        self._test_runs = test_runs
        self._runner = runner
        self._limits = limits
        self._pending_responses = pending_responses
        self._announcer = announcer
        self._clock = clock

    async def cancel(self, execution_id: ExecutionId) -> None:
        """Cancel an execution. Raises `NotFound`, and `Conflict` if it has finished."""
        done = await self._cancel(execution_id)
        if not done.ended and not done.running:
            past = await self._load_execution(execution_id)
            raise Conflict(
                "This execution has already finished.",
                meaning=f"Its status is {past.state}.",
            )
        for _ in range(MAX_CANCEL_ATTEMPTS):
            here = [running for running in done.running if self._runner.runs_here(running)]
            elsewhere = set(done.running) - set(here)
            left = [await self._runner.cancel(running, CANCEL_TIMEOUT_SECONDS) for running in here]
            left.append(await self._peer_work.cancel(elsewhere, CANCEL_TIMEOUT_SECONDS))
            if not done.running or not all(left):
                return
            # It may have started to wait just before it was interrupted, or have called another flow.
            done = await self._cancel(execution_id)

    async def _cancel(self, execution_id: ExecutionId) -> CancelResult:
        """Cancel what is queued or waits, and return also what is running."""
        done = await self._store.cancel(execution_id, self._clock(), CANCELLED)
        for ended in done.ended:
            self._announcer.ended(ended, ExecutionState.CANCELLED)
            self._pending_responses.on_run_stopped(ended, ExecutionState.CANCELLED, CANCELLED)
        if done.woken:
            self._intake.woken(done.woken)
        return done

    async def resume(self, execution_id: ExecutionId) -> None:
        """End the wait for a retry or for a service that asked to wait, for all runs that wait for that
        service.

        Raises `NotFound`, and `Conflict` for runs that wait for something else.
        """
        released = self._limits.release(execution_id)
        self._peer_work.release(execution_id)
        if not released and self._limits.is_queued(execution_id):
            raise Conflict(
                "This execution is waiting because of a rate limit in Patchbay.",
                meaning="Resuming it now would exceed the limit.",
                todo="Wait, or raise the rate limit of the connection or app.",
            )
        woken = await self._store.wake((execution_id, *released), self._clock())
        self._intake.woken(woken)
        if execution_id not in woken:
            past = await self._load_execution(execution_id)
            raise Conflict(
                "This execution isn't waiting for a retry or a rate limit.",
                meaning=f"Its status is {past.state}.",
            )

    async def retry(self, execution_id: ExecutionId, *, full_rights: bool) -> ExecutionId:
        """Retry a failed execution. Raises `NotFound`, `Forbidden`, and `Conflict` if it can't be retried."""
        past = await self._load_execution(execution_id)
        if past.state is not ExecutionState.FAILURE:
            raise _not_failed_error(past.state)
        return await self._start_from_stored(past, _before_failure, full_rights=full_rights)

    async def continue_after(self, execution_id: ExecutionId, *, full_rights: bool) -> ExecutionId:
        """Continue after an interrupted step that was carried out, in a new execution.

        Raises as `retry`, and `Conflict` for a run that didn't end at an interrupted step.
        """
        past = await self._load_execution(execution_id)
        error = past.steps[-1].error if past.steps and past.state is ExecutionState.FAILURE else None
        if (error or {}).get("kind") != OUTCOME_UNKNOWN:
            raise Conflict(
                "Only executions that ended at an interrupted step can be continued after it.",
                meaning="The outcome of other steps is known.",
                todo="Retry it from the failed step instead.",
            )
        return await self._start_from_stored(past, _with_interrupted_step_done, full_rights=full_rights)

    async def _start_from_stored(
        self,
        past: StoredExecution,
        finished: Callable[[StoredExecution, Plan], tuple[StepOutcome, ...]],
        *,
        full_rights: bool,
    ) -> ExecutionId:
        """Start a new execution of the same version in which these steps are finished."""
        plan = self._plans.of(await self._version_of(past))
        permit = await self._permits.permit_for_person(plan, full_rights=full_rights)
        steps = finished(past, plan)
        marks = (FinishedStep(step.status, step.data_out) for step in (past.steps[0], *steps))
        ended = ExecutionCursor.from_steps(plan, marks).ended
        new_execution = NewExecution(
            permit=permit,
            id=new_execution_id(),
            flow_id=past.flow_id,
            flow_version=past.flow_version,
            origin_id=past.id,
            origin_kind=Origin.RETRY,
            run_key=past.run_key,
            state=ExecutionState.SUCCESS if ended else ExecutionState.QUEUED,
            trigger=past.steps[0],
            steps=steps,
            steps_total=plan.length,
            created_at=self._clock(),
        )
        await self._intake.accept([new_execution])
        return new_execution.id

    async def replay(
        self, execution_id: ExecutionId, item: Json, on: ReplayOn, *, full_rights: bool
    ) -> ExecutionId:
        """Run an execution again.

        Raises `NotFound`, `Forbidden`, and `Conflict` if version or trigger data is missing.
        """
        past = await self._load_execution(execution_id)
        given = item
        if given is None:
            first = past.steps[0] if past.steps else None
            if first is None or first.status is not StepState.SUCCESS:
                raise Conflict(
                    "The trigger of this execution failed, so there is no data to start with.",
                    todo="Enter the trigger data yourself.",
                )
            given = first.data_out
        version = await self._version_to_replay(past, on)
        plan = self._plans.of(version)
        permit = await self._permits.permit_for_person(plan, full_rights=full_rights)
        if past.test_run:
            return await self._test_runs.draft(permit, TriggerItem(raw=given), from_trigger=False)
        new_execution = self._from_start(past, plan, permit, given)
        await self._intake.accept([new_execution])
        return new_execution.id

    async def _version_to_replay(self, past: StoredExecution, on: ReplayOn) -> FlowVersion:
        """The version to run; for a test, the current draft."""
        if past.test_run:
            draft = await self._store.draft(past.flow_id)
            if draft is None:
                raise Conflict("The flow of this test was deleted.")
            return draft
        if on is ReplayOn.ORIGINAL:
            return await self._version_of(past)
        published = await self._store.version(past.flow_id)
        if published is None:
            raise Conflict(
                "The flow isn't published, so it has no current version to run.",
                todo="Publish it, or run the version that the execution used.",
            )
        return published

    def _from_start(self, past: StoredExecution, plan: Plan, permit: Permit, item: Json) -> NewExecution:
        now = self._clock()
        return NewExecution(
            permit=permit,
            id=new_execution_id(),
            flow_id=past.flow_id,
            flow_version=plan.version.number,
            origin_id=past.id,
            origin_kind=Origin.REPLAY,
            state=ExecutionState.QUEUED if plan.has_actions else ExecutionState.SUCCESS,
            trigger=trigger_outcome(plan, item, now, now),
            steps_total=plan.length,
            created_at=now,
        )

    async def _load_execution(self, execution_id: ExecutionId) -> StoredExecution:
        past = await self._store.stored_execution(execution_id)
        if past is None:
            raise NotFound(
                "This execution doesn't exist.",
                meaning="It may have been deleted from the history.",
            )
        return past

    async def _version_of(self, past: StoredExecution) -> FlowVersion:
        """The version that the execution ran. Raises `Conflict` for tests and deleted flows."""
        if past.flow_version is None:
            raise Conflict(
                "This execution was a test of one or more steps.",
                meaning="It has no published version to continue with.",
                todo="Test the steps again in the flow.",
            )
        version = await self._store.flow_version(past.flow_id, past.flow_version)
        if version is None or await self._store.draft(past.flow_id) is None:
            raise Conflict(
                "The flow of this execution was deleted, so the execution can't be run again.",
            )
        return version


def _not_failed_error(state: ExecutionState) -> Conflict:
    happened = f"Only failed executions can be retried. The status of this one is {state}."
    if state.finished:
        return Conflict(happened, todo="Run it again from the start instead.")
    return Conflict(
        happened,
        meaning="It continues by itself, so running it again would do its steps twice.",
        todo="To end its wait for a retry or a rate limit now, resume it."
        if state is ExecutionState.WAITING
        else "",
    )


def _before_failure(past: StoredExecution, plan: Plan) -> tuple[StepOutcome, ...]:
    """The actions before the step that ended the run, or before the first failure after which it
    continued.
    """
    if not past.steps or past.steps[0].status is not StepState.SUCCESS:
        raise Conflict(
            "The trigger of this execution failed, so there is no data to retry with.",
            meaning="The trigger runs again automatically.",
            todo="Wait for its next run, or run the flow now.",
        )
    failed = [step.seq for step in past.steps if step.status is StepState.FAILURE]
    ended_early = ExecutionCursor.from_steps(
        plan, (FinishedStep(step.status, step.data_out) for step in past.steps)
    ).ended_early
    seq = past.steps[-1].seq if ended_early else min(failed, default=len(past.steps))
    return tuple(step for step in past.steps[1:] if step.seq < seq)


def _with_interrupted_step_done(past: StoredExecution, plan: Plan) -> tuple[StepOutcome, ...]:
    """The actions up to the interrupted step, which counts as successful, without output."""
    warning = "Marked as done manually after an interruption. Its output is unknown."
    done = replace(past.steps[-1], status=StepState.SUCCESS, error=None, data_out=None, warnings=(warning,))
    return (*past.steps[1:-1], done)
