"""The engine as the rest of the program sees it: one object, one asyncio loop, any number of runs."""

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from patchbay.domain.base import AppKey, EpochMs, ExecutionId, FlowId, Json, StepId
from patchbay.domain.changes import Change, Noun
from patchbay.domain.engine import EngineHealth, EngineSettings, EngineState, RateLimit
from patchbay.domain.errors import Unreachable
from patchbay.domain.executions import ReplayOn
from patchbay.domain.flow_calls import FlowDirectory
from patchbay.domain.flows import FlowSettings, FlowVersion
from patchbay.domain.ports import (
    Credentials,
    EngineStore,
    StepOutcome,
    TriggerState,
    WebhookAnswer,
    WebhookRequest,
)
from patchbay.engine.aftermath import Aftermath
from patchbay.engine.calls import Caller
from patchbay.engine.changes import Announcer
from patchbay.engine.contexts import Contexts
from patchbay.engine.control import Control
from patchbay.engine.dispatcher import Dispatcher
from patchbay.engine.failure_flows import FailureFlows
from patchbay.engine.hooks import RemoteHooks
from patchbay.engine.housekeeping import Housekeeping
from patchbay.engine.intake import Intake
from patchbay.engine.limits import Limits
from patchbay.engine.plan import AppSource, Plans
from patchbay.engine.replies import Replies
from patchbay.engine.rules import Rules
from patchbay.engine.runner import Runner
from patchbay.engine.samples import TriggerSampler
from patchbay.engine.scheduler.cron import local_zone
from patchbay.engine.scheduler.timer import Timer
from patchbay.engine.starter import Starter
from patchbay.engine.steps import Steps
from patchbay.engine.trials import Trials
from patchbay.engine.triggers import Triggers
from patchbay.engine.webhooks import LONGEST_WAIT, Webhooks

if TYPE_CHECKING:
    from patchbay.integration.http_factory import HttpFactory

_BATCH = 500
"""Executions read from the store at once; the next batch follows when these are through."""
_BUSY = 250
"""Milliseconds until the next look while something due has not found a slot yet."""


def _now() -> EpochMs:
    return time.time_ns() // 1_000_000


class Engine:
    """Runs the published flows of one workspace. Implements `ports.WebhookIntake`.

    Everything durable is in `store`; the engine can be killed at any moment. `time_zone` is an IANA name, by
    default the computer's. `limit` is how many executions run at once; `steady` is a clock in seconds that
    nobody sets. `flows` is what apps may know of the other flows. Belongs to one event loop.
    """

    def __init__(
        self,
        store: EngineStore,
        apps: AppSource,
        credentials: Credentials,
        clock: Callable[[], EpochMs] = _now,
        on_change: Callable[[Change], None] = lambda change: None,
        http: "HttpFactory | None" = None,
        flows: FlowDirectory | None = None,
        *,
        time_zone: str | None = None,
        limit: int = 20,
        longest_wait: float = LONGEST_WAIT,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        zone = time_zone or local_zone()
        tz = ZoneInfo(zone)
        self._store = store
        self._apps = apps
        self._on_change = on_change
        self._settings = EngineSettings(max_concurrent=limit)
        self._clock = clock
        self._announcer = Announcer(on_change)
        self._replies = Replies()
        self._plans = Plans(apps)
        self._timer = Timer(clock, self._tick)
        self._rules = Rules()
        self._limits = Limits(steady)
        self._failure_flows = FailureFlows(self._plans, clock)
        self._dispatcher = Dispatcher(self._run, self._drained, self._rules, limit)
        caller = Caller(Contexts(store, credentials, http, clock, zone, flows), credentials)
        self._intake = Intake(
            store, self._dispatcher, self._announcer, self._failure_flows, clock, self._timer.poke
        )
        aftermath = Aftermath(
            store, self._plans, self._failure_flows, self._intake, self._rules, clock, self._flow_paused
        )
        self._runner = Runner(
            store, self._plans, Steps(caller, self._limits, clock), aftermath, self._replies,
            self._announcer, clock, self._timer.no_later_than,
        )  # fmt: skip
        sampler = TriggerSampler(caller)
        self._trials = Trials(self._plans, caller, sampler, self._intake, clock)
        self._starter = Starter(store, self._plans, sampler, self._trials, self._intake, clock)
        self._control = Control(
            store, self._plans, self._intake, self._trials, self._runner, self._replies, self._announcer,
            clock,
        )  # fmt: skip
        self._triggers = Triggers(store, self._plans, caller, self._intake, clock, tz, self._timer.poke)
        self._webhooks = Webhooks(
            store, self._plans, caller, self._intake, self._trials, self._replies, clock, longest_wait,
            is_paused=lambda: self._state is EngineState.PAUSED,
        )  # fmt: skip
        self._hooks = RemoteHooks(self._plans, caller)
        self._housekeeping = Housekeeping(
            store.remove_old, lambda: self._settings.retention, clock,
            lambda done: on_change(Change(noun=Noun.EXECUTION, action="deleted")),
        )  # fmt: skip
        self._state = EngineState.STOPPED
        self._started_at: EpochMs | None = None
        self._stale = True
        self._more = False
        self._last_tick: EpochMs | None = None

    # Life

    async def start(self, *, paused: bool = False) -> None:
        """Take up what the last life left, then begin: unfinished runs, missed schedules, due polls.

        `paused`: begin nothing before `resume`.
        """
        if self._state is not EngineState.STOPPED:
            return
        await self._store.recover(self._clock())
        self._runner.stopping, self._stale = False, True
        self._started_at = self._clock()
        self._state = EngineState.PAUSED if paused else EngineState.RUNNING
        if not paused:
            self._dispatcher.open()
        self._timer.start()
        self._housekeeping.start()

    async def stop(self, grace: float = 10) -> None:
        """Accept nothing more, let running steps finish for `grace` seconds, leave the rest to next time.

        A step cut off after that counts as interrupted: its outcome is unknown.
        """
        if self._state is EngineState.STOPPED:
            return
        self._state = EngineState.STOPPED
        self._runner.stopping = True
        await self._timer.stop()
        await self._housekeeping.stop()
        await self._triggers.stop()
        await self._dispatcher.stop(grace)
        self._replies.close()
        self._announcer.flush()

    def pause(self) -> None:
        """Start no run, poll or schedule until `resume`; webhooks are still accepted and wait."""
        if self._state is EngineState.RUNNING:
            self._state = EngineState.PAUSED
            self._dispatcher.close()

    def resume(self) -> None:
        if self._state is EngineState.PAUSED:
            self._state = EngineState.RUNNING
            self._dispatcher.open()
            self._timer.poke()

    # Asked by the service

    def settings_changed(self, settings: EngineSettings) -> None:
        """These hold from now on."""
        self._settings = settings
        self._dispatcher.set_limit(settings.max_concurrent)
        self.triggers_changed()

    def triggers_changed(self) -> None:
        """A flow was published, unpublished, deleted or given another interval: read the triggers again."""
        self._stale = True
        self._webhooks.forget()
        self._timer.poke()

    async def baseline(self, version: FlowVersion, settings: FlowSettings | None = None) -> TriggerState:
        """What publishing this version records as its trigger's state; see `Triggers.baseline`."""
        return await self._triggers.baseline(version, settings)

    async def register_hook(self, version: FlowVersion) -> TriggerState | None:
        """See `RemoteHooks.register`."""
        return await self._hooks.register(version)

    async def unregister_hook(self, version: FlowVersion, state: TriggerState) -> None:
        """See `RemoteHooks.unregister`."""
        await self._hooks.unregister(version, state)

    async def run_now(self, flow_id: FlowId, item: Json = None) -> ExecutionId:
        """Start a flow now: the published version, or a test of the draft while there is none.

        `item` is the trigger's output; without one the trigger is asked. Returns once the execution is
        stored (a test of a draft: once it is finished). Raises `NotFound`, `Conflict` when the trigger has
        nothing to give, or what the trigger raises.
        """
        self._check_running()
        return await self._starter.run(flow_id, item)

    async def cancel(self, execution_id: ExecutionId) -> None:
        """End an unfinished run now; see `Backend.cancel_execution`."""
        await self._control.cancel(execution_id)

    async def retry(self, execution_id: ExecutionId) -> ExecutionId:
        """Go on with a failed run in a new execution; see `Backend.retry_execution`."""
        self._check_running()
        return await self._control.retry(execution_id)

    async def replay(self, execution_id: ExecutionId, item: Json, on: ReplayOn) -> ExecutionId:
        """Make a run again from the start; see `Backend.replay_execution`."""
        self._check_running()
        return await self._control.replay(execution_id, item, on)

    async def test_step(
        self, flow: FlowVersion, step_id: StepId, samples: Mapping[StepId, Json]
    ) -> tuple[ExecutionId, StepOutcome]:
        """Run this one step as a test, on `samples` as outputs of the steps before it; see `Trials.step`."""
        return await self._trials.step(flow, step_id, samples)

    async def health(self) -> EngineHealth:
        """How it goes. "Today" begins at midnight on this computer's clock."""
        midnight = datetime.fromtimestamp(self._clock() / 1000).replace(
            hour=0, minute=0, second=0, microsecond=0
        )
        counts = await self._store.counts(int(midnight.timestamp() * 1000))
        next_due = self._triggers.next_due() if self._state is EngineState.RUNNING else None
        return EngineHealth(
            state=self._state,
            running=counts.get("running", 0),
            waiting=counts.get("waiting", 0),
            queued=counts.get("queued", 0),
            oldest_queued_at=counts.get("oldest_queued_at"),
            failures_today=counts.get("failures", 0),
            next_run_at=next_due[0] if next_due else None,
            next_flow=next_due[1] if next_due else None,
            started_at=self._started_at,
            last_tick_at=self._last_tick,
        )

    # Asked by the server

    async def deliver(self, flow_id: FlowId, request: WebhookRequest, *, synchronous: bool) -> WebhookAnswer:
        """See `ports.WebhookIntake`."""
        self._check_running()
        return await self._webhooks.deliver(flow_id, request, synchronous=synchronous)

    async def deliver_test(self, flow_id: FlowId, request: WebhookRequest) -> WebhookAnswer:
        """See `ports.WebhookIntake`."""
        self._check_running()
        return await self._webhooks.deliver_test(flow_id, request)

    async def look_up(self, flow_id: FlowId) -> None:
        """See `ports.WebhookIntake`."""
        self._check_running()
        await self._webhooks.look_up(flow_id)

    # Inside

    def _check_running(self) -> None:
        if self._state is EngineState.STOPPED:
            raise Unreachable(
                "Patchbay is starting or stopping.",
                meaning="Nothing was accepted.",
                todo="Try again in a few seconds.",
            )

    async def _run(self, execution_id: ExecutionId) -> None:
        await self._runner.run(execution_id)

    def _drained(self) -> None:
        if self._more:
            self._timer.poke()

    async def _tick(self, now: EpochMs) -> EpochMs | None:
        """Look what is due; the answer is when to look again."""
        self._last_tick = now
        if self._stale:
            await self._reload()
        if self._state is EngineState.PAUSED:
            return None
        self._triggers.fire(now)
        left_out = {*self._rules.paused, *self._dispatcher.full}
        due = await self._store.due(now, _BATCH, left_out)
        self._more = len(due) == _BATCH
        for execution_id, flow_id in due:
            self._dispatcher.submit(execution_id, flow_id)
        next_due = self._triggers.next_due()
        times = (await self._store.next_wake(), next_due[0] if next_due else None)
        return min((max(at, now + _BUSY) for at in times if at is not None), default=None)

    def _flow_paused(self, flow_id: FlowId) -> None:
        self._on_change(Change(noun=Noun.FLOW, ids=(flow_id,)))
        self.triggers_changed()

    def _app_limits(self) -> dict[AppKey, RateLimit]:
        """What apps ask for, and what the settings say in place of it."""
        asked = {app.key: app.rate_limit for app in self._apps.all() if app.rate_limit is not None}
        return asked | self._settings.app_limits

    async def _reload(self) -> None:
        self._stale = False
        try:
            active = await self._store.active_triggers()
            self._rules.read(active)
            self._failure_flows.read(active)
            self._limits.configure(await self._store.connection_limits(), self._app_limits())
            self._dispatcher.forget(self._rules.paused)
            await self._triggers.reload()
        except BaseException:
            self._stale = True
            raise
