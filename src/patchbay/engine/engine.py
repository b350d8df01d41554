"""The engine as the rest of the program sees it: one object, one asyncio loop, any number of runs."""

import logging
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, Json, StepId
from patchbay.domain.changes import Change
from patchbay.domain.engine import EngineHealth, EngineSettings, EngineState
from patchbay.domain.engine_store import EngineStore
from patchbay.domain.errors import AppError, StorageFault, Unreachable
from patchbay.domain.executions import ReplayOn
from patchbay.domain.flow_calls import FlowDirectory
from patchbay.domain.flows import FlowSettings, FlowVersion
from patchbay.domain.ports import Credentials, ReadBody, WebhookAnswer, WebhookRequest
from patchbay.domain.runs import StepOutcome, TriggerState
from patchbay.domain.sources import FIRST
from patchbay.engine.machinery import Given, Machinery, system_clock
from patchbay.engine.plan import AppSource
from patchbay.engine.scheduler.cron import local_zone
from patchbay.engine.starts.webhooks import LONGEST_WAIT
from patchbay.integration.sandbox import Sandbox
from patchbay.integration.workers import Workers

if TYPE_CHECKING:
    from patchbay.integration.http_factory import HttpFactory


_log = logging.getLogger(__name__)


class Engine:
    """Runs the published flows of one workspace. Implements `ports.WebhookIntake`.

    Everything durable is in `store`; the engine can be killed at any moment. `time_zone` is an IANA name, by
    default the computer's. `limit` is how many executions run at once; `steady` is a clock in seconds that
    nobody sets. `flows` is what apps may know of the other flows; `workers` make calculations that must be
    stoppable (by default a pool of its own), and `sandbox` runs programs. Belongs to one event loop.
    """

    def __init__(
        self,
        store: EngineStore,
        apps: AppSource,
        credentials: Credentials,
        clock: Callable[[], EpochMs] = system_clock,
        on_change: Callable[[Change], None] = lambda change: None,
        http: "HttpFactory | None" = None,
        flows: FlowDirectory | None = None,
        workers: Workers | None = None,
        sandbox: Sandbox | None = None,
        *,
        time_zone: str | None = None,
        limit: int = 20,
        longest_wait: float = LONGEST_WAIT,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        pool = workers or Workers()
        self._own_workers = pool if workers is None else None
        self._sandbox = sandbox or Sandbox(may_use_network=lambda: self.settings.program_network)
        given = Given(
            store=store, apps=apps, credentials=credentials, clock=clock, on_change=on_change, http=http,
            flows=flows, workers=pool, sandbox=self._sandbox, zone=time_zone or local_zone(),
            longest_wait=longest_wait, steady=steady,
        )  # fmt: skip
        self._store = store
        self._clock = clock
        self._parts = Machinery(given, EngineSettings(max_concurrent=limit))
        self._started_at: EpochMs | None = None
        self._refuses_webhooks = False

    # Life

    async def start(self, *, paused: bool = False) -> None:
        """Take up what the last life left, then begin: unfinished runs, missed schedules, due polls.

        `paused`: begin nothing before `resume`.
        """
        parts = self._parts
        if self.state is not EngineState.STOPPED:
            return
        await self._sandbox.prepare()
        await self._store.recover(self._clock())
        parts.runner.stopping = self._refuses_webhooks = False
        parts.replies.open()
        self._started_at = self._clock()
        parts.pulse.state = EngineState.PAUSED if paused else EngineState.RUNNING
        parts.pulse.changed()
        parts.timer.start()
        parts.housekeeping.start()

    def refuse_webhooks(self) -> None:
        """Refuse webhook calls until the next start, and answer the callers that wait for a flow.

        Called while the listeners still run, since nobody can be answered after them.
        """
        self._refuses_webhooks = True
        self._parts.replies.close()

    async def stop(self, grace: float = 10) -> None:
        """Accept nothing more, let running steps finish for `grace` seconds, leave the rest to next time.

        A step cut off after that counts as interrupted: its outcome is unknown.
        """
        parts = self._parts
        if self.state is EngineState.STOPPED:
            return
        parts.pulse.state = EngineState.STOPPED
        parts.runner.stopping = True
        self.refuse_webhooks()
        await parts.timer.stop()
        await parts.housekeeping.stop()
        await parts.triggers.stop()
        await parts.dispatcher.stop(grace)
        await self._release()
        if self._own_workers is not None:
            await self._own_workers.close()
        parts.announcer.flush()

    async def _release(self) -> None:
        """Runs cut off here did not bring the program down; without this they would count as if they had."""
        try:
            await self._store.release(self._clock())
        except StorageFault as fault:
            _log.warning("Runs that were cut off count as interrupted by a crash: %s", fault.text())

    def pause(self) -> None:
        """Start no run, poll or schedule until `resume`; webhooks are still accepted and wait."""
        if self.state is EngineState.RUNNING:
            self._parts.pulse.state = EngineState.PAUSED
            self._parts.dispatcher.close()

    def resume(self) -> None:
        if self.state is EngineState.PAUSED:
            self._parts.pulse.state = EngineState.RUNNING
            self._parts.timer.poke()

    @property
    def state(self) -> EngineState:
        return self._parts.pulse.state

    # Asked by the service

    @property
    def settings(self) -> EngineSettings:
        """The settings that hold now."""
        return self._parts.settings

    def settings_changed(self, settings: EngineSettings) -> None:
        """These hold from now on."""
        self._parts.settings = settings
        self._parts.dispatcher.set_limit(settings.max_concurrent)
        self.triggers_changed()

    def triggers_changed(self) -> None:
        """A flow was published, unpublished, deleted or given another interval: read the triggers again."""
        self._parts.changed()

    async def baseline(
        self, version: FlowVersion, settings: FlowSettings | None = None, source: int = FIRST
    ) -> TriggerState:
        """What publishing this version records as its trigger's state; see `Triggers.baseline`."""
        return await self._parts.triggers.baseline(version, settings, source)

    async def register_hook(self, version: FlowVersion) -> TriggerState | None:
        """See `RemoteHooks.register`."""
        return await self._parts.hooks.register(version)

    async def unregister_hook(self, version: FlowVersion, state: TriggerState) -> None:
        """See `RemoteHooks.unregister`."""
        await self._parts.hooks.unregister(version, state)

    async def run_now(self, flow_id: FlowId, item: Json = None, *, full_rights: bool = False) -> ExecutionId:
        """Start a flow now: the published version, or a test of the draft while there is none.

        `item` is the trigger's output; without one the trigger is asked. Returns once the execution is
        stored (a test of a draft: once it is finished). Raises `NotFound`, `Forbidden` (`Permissions`),
        `Conflict` when the trigger has nothing to give, or what the trigger raises.
        """
        self._check_running()
        return await self._parts.starter.run(flow_id, item, full_rights=full_rights)

    async def cancel(self, execution_id: ExecutionId) -> None:
        """End an unfinished run now; see `Backend.cancel_execution`."""
        await self._parts.control.cancel(execution_id)

    async def resume_run(self, execution_id: ExecutionId) -> None:
        """End the wait for a retry or a rate limit; see `Backend.resume_execution`."""
        self._check_running()
        await self._parts.control.resume(execution_id)

    async def retry(self, execution_id: ExecutionId, *, full_rights: bool = False) -> ExecutionId:
        """Go on with a failed run in a new execution; see `Backend.retry_execution`."""
        self._check_running()
        return await self._parts.control.retry(execution_id, full_rights=full_rights)

    async def continue_after(self, execution_id: ExecutionId, *, full_rights: bool = False) -> ExecutionId:
        """Go on behind an interrupted step; see `Backend.continue_execution`."""
        self._check_running()
        return await self._parts.control.continue_after(execution_id, full_rights=full_rights)

    async def replay(
        self, execution_id: ExecutionId, item: Json, on: ReplayOn, *, full_rights: bool = False
    ) -> ExecutionId:
        """Make a run again from the start; see `Backend.replay_execution`."""
        self._check_running()
        return await self._parts.control.replay(execution_id, item, on, full_rights=full_rights)

    async def test_step(
        self,
        flow: FlowVersion,
        step_id: StepId,
        samples: Mapping[StepId, Json],
        *,
        full_rights: bool = False,
    ) -> tuple[ExecutionId, StepOutcome]:
        """Run this one step as a test, on `samples` as outputs of the steps before it; see `Trials.step`."""
        return await self._parts.trials.step(flow, step_id, samples, full_rights=full_rights)

    def check_version(self, version: FlowVersion, *, full_rights: bool = False) -> None:
        """Raises `Forbidden` when this version may not be published; see `Permissions`."""
        self._parts.permissions.require_programs(self._parts.plans.fresh(version), full_rights=full_rights)

    async def health(self) -> EngineHealth:
        """How it goes. "Today" begins at midnight on this computer's clock."""
        midnight = datetime.fromtimestamp(self._clock() / 1000).replace(
            hour=0, minute=0, second=0, microsecond=0
        )
        today_since = int(midnight.timestamp() * 1000)
        counts = await self._store.counts(today_since)
        next_due = self._parts.triggers.next_due() if self.state is EngineState.RUNNING else None
        return EngineHealth(
            state=self.state,
            running=counts.get("running", 0),
            waiting=counts.get("waiting", 0),
            queued=counts.get("queued", 0),
            oldest_queued_at=counts.get("oldest_queued_at"),
            failures_today=counts.get("failures", 0),
            today_since=today_since,
            next_run_at=next_due[0] if next_due else None,
            next_flow=await self._store.flow_name(next_due[1]) if next_due else None,
            started_at=self._started_at,
            last_tick_at=self._parts.timer.last_look,
            finished=dict(self._parts.announcer.finished),
            isolation=self._sandbox.isolation,
        )

    # Asked by the server

    async def deliver(
        self,
        flow_id: FlowId,
        request: WebhookRequest,
        *,
        synchronous: bool,
        read_body: ReadBody | None = None,
    ) -> WebhookAnswer:
        """See `ports.WebhookIntake`."""
        self._check_accepting()
        webhooks = self._parts.webhooks
        return await webhooks.deliver(flow_id, request, synchronous=synchronous, read_body=read_body)

    async def deliver_test(
        self, flow_id: FlowId, request: WebhookRequest, *, read_body: ReadBody | None = None
    ) -> WebhookAnswer:
        """See `ports.WebhookIntake`."""
        self._check_accepting()
        return await self._parts.webhooks.deliver_test(flow_id, request, read_body=read_body)

    @property
    def max_body_bytes(self) -> int:
        """See `ports.WebhookIntake`."""
        return self._parts.settings.max_body_bytes

    async def record_refusal(self, flow_id: FlowId, error: AppError) -> None:
        """See `ports.WebhookIntake`."""
        self._check_accepting()
        await self._parts.webhooks.record_refusal(flow_id, error)

    async def look_up(self, flow_id: FlowId, *, test: bool = False) -> None:
        """See `ports.WebhookIntake`."""
        self._check_accepting()
        await self._parts.webhooks.look_up(flow_id, test=test)

    # Inside

    def _check_running(self) -> None:
        if self.state is EngineState.STOPPED:
            raise _not_running()

    def _check_accepting(self) -> None:
        if self._refuses_webhooks:
            raise _not_running()
        self._check_running()


def _not_running() -> Unreachable:
    return Unreachable(
        "Patchbay is starting or stopping.",
        meaning="Nothing was accepted.",
        todo="Try again in a few seconds.",
    )
