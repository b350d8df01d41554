"""`Engine`: runs the published flows of a workspace.

Other packages use the engine through it. The service also imports functions of other modules that run
nothing, so that it decides and says the same as a run does, such as about variables, branches, and permits.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, Json, JsonObject, StepId
from patchbay.domain.changes import Change
from patchbay.domain.clock import midnight, now_ms
from patchbay.domain.desktop import Desktop
from patchbay.domain.engine import EngineHealth, EngineSettings, EngineState
from patchbay.domain.engine_store import EngineStore, StepOutcome, TriggerState
from patchbay.domain.errors import AppError, StorageFault, Unreachable
from patchbay.domain.executions import ReplayOn
from patchbay.domain.flow_calls import FlowDirectory
from patchbay.domain.flows import FlowSettings, FlowVersion
from patchbay.domain.peers import ALL_FLOWS, NoPeers, PeerMessage, Peers, WorkFilter
from patchbay.domain.ports import BodyReader, Credentials, WebhookRequest, WebhookResponse
from patchbay.domain.schedules import SchedulePreview
from patchbay.domain.tools import ToolResult
from patchbay.domain.trigger_sources import FIRST_SOURCE
from patchbay.engine.components import EngineComponents, EngineDependencies
from patchbay.engine.cron import local_zone
from patchbay.engine.plan import AppSource
from patchbay.engine.triggers.schedules import flow_time_zone, preview_schedule
from patchbay.engine.triggers.tool_calls import MAX_TOOL_SECONDS
from patchbay.engine.triggers.webhooks import MAX_RESPONSE_WAIT_SECONDS
from patchbay.integration.allowed_programs import ProgramAccess
from patchbay.integration.app_definition import Trigger
from patchbay.integration.local_files import FileAccess, LocalFiles
from patchbay.integration.sandbox import Sandbox
from patchbay.integration.workers import Workers

if TYPE_CHECKING:
    from patchbay.integration.http_factory import HttpFactory


_log = logging.getLogger(__name__)


class Engine:
    """Runs the published flows of one workspace. Implements `ports.WebhookIntake`.

    All durable state is in `store`, so the engine can be killed at any time. `time_zone` is an IANA name, by
    default the computer's. `limit` is the number of concurrent executions. `monotonic` is a clock in seconds
    that can't be set. `flows` gives apps access to other flows. `workers` run calculations that must be
    stoppable (default: its own pool), `sandbox` runs programs, and `files` opens files of this computer.
    `desktop` is that of the window, if there is one.
    `peers` are the programs that share the database, and `work_filter` the flows that this one runs.
    Belongs to one event loop.
    """

    def __init__(
        self,
        store: EngineStore,
        apps: AppSource,
        credentials: Credentials,
        clock: Callable[[], EpochMs] = now_ms,
        on_change: Callable[[Change], None] = lambda change: None,
        http: "HttpFactory | None" = None,
        flows: FlowDirectory | None = None,
        workers: Workers | None = None,
        sandbox: Sandbox | None = None,
        files: FileAccess | None = None,
        *,
        desktop: Desktop | None = None,
        time_zone: str | None = None,
        limit: int = 20,
        max_wait_seconds: float = MAX_RESPONSE_WAIT_SECONDS,
        max_tool_seconds: float = MAX_TOOL_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
        peers: Peers | None = None,
        work_filter: WorkFilter = ALL_FLOWS,
    ) -> None:
        pool = workers or Workers()
        self._owned_workers = pool if workers is None else None
        self._sandbox = sandbox or Sandbox(may_use_network=lambda: self.settings.program_network)
        files = files or FileAccess(LocalFiles(lambda: self.settings.allowed_folders))
        self.programs = ProgramAccess(lambda: self.settings.allowed_programs, files)
        """The installed programs that steps can run."""
        dependencies = EngineDependencies(
            store=store,
            apps=apps,
            credentials=credentials,
            clock=clock,
            on_change=on_change,
            http=http,
            flows=flows,
            workers=pool,
            sandbox=self._sandbox,
            files=files,
            programs=self.programs,
            desktop=desktop,
            zone=time_zone or local_zone(),
            max_wait_seconds=max_wait_seconds,
            max_tool_seconds=max_tool_seconds,
            monotonic=monotonic,
            peers=peers or NoPeers(),
            work_filter=work_filter,
        )
        self._store = store
        self._desktop = desktop
        self._clock = clock
        self.files = dependencies.files
        """The files that steps can use."""
        self.time_zone = dependencies.zone
        """The IANA name of the workspace's time zone."""
        self._components = EngineComponents(dependencies, EngineSettings(max_concurrent=limit))
        self._started_at: EpochMs | None = None
        self._is_rejecting_webhooks = False

    # Life

    async def start(self, *, paused: bool = False) -> None:
        """Start the engine: resume unfinished runs, and run missed schedules and due polls.

        `paused`: start nothing before `resume`.
        """
        components = self._components
        if self.state is not EngineState.STOPPED:
            return
        await self._sandbox.prepare()
        await self._store.recover(self._clock())
        components.runner.stopping = False
        self._is_rejecting_webhooks = False
        components.pending_responses.open()
        self._started_at = self._clock()
        components.work_starter.state = EngineState.PAUSED if paused else EngineState.RUNNING
        components.work_starter.changed()
        components.timer.start()
        components.history_cleanup.start()

    def reject_webhooks(self) -> None:
        """Reject webhook requests until the next start, and respond to callers that wait for a flow.

        Called before the HTTP listeners are closed, while responses can still be sent.
        """
        self._is_rejecting_webhooks = True
        self._components.pending_responses.close()

    async def stop(self, grace: float = 10) -> None:
        """Stop accepting events, and wait up to `grace` seconds for running steps.

        A step that takes longer is interrupted, and its outcome is unknown. Unfinished runs resume at the
        next start.
        """
        components = self._components
        if self.state is EngineState.STOPPED:
            return
        components.work_starter.state = EngineState.STOPPED
        components.runner.stopping = True
        self.reject_webhooks()
        if self._desktop is not None:
            self._desktop.interrupt()  # else the program would wait for a person who wants to close it
        await components.timer.stop()
        await components.history_cleanup.stop()
        await components.triggers.stop()
        await components.dispatcher.stop(grace)
        components.peer_work.close()
        try:
            await self._store.release(self._clock())
        except StorageFault as fault:
            _log.warning("Interrupted runs will count as crashed: %s", fault.text())
        if self._owned_workers is not None:
            await self._owned_workers.close()
        components.announcer.flush()

    def pause(self) -> None:
        """Pause all runs, polls, and schedules until `resume`. Webhooks are still accepted and queued."""
        if self.state is EngineState.RUNNING:
            self._components.work_starter.state = EngineState.PAUSED
            self._components.dispatcher.close()

    def resume(self) -> None:
        """Continue the runs that `pause` stopped."""
        if self.state is EngineState.PAUSED:
            self._components.work_starter.state = EngineState.RUNNING
            self._components.timer.wake_up()

    @property
    def state(self) -> EngineState:
        """Whether the engine runs, is paused, or has stopped."""
        return self._components.work_starter.state

    # Called for other programs that share the database

    def on_peer_message(self, kind: PeerMessage, body: JsonObject) -> None:
        """Handle a message of another program."""
        if self.state is not EngineState.STOPPED:
            self._components.peer_work.on_message(kind, body)

    def executions_changed_elsewhere(self, execution_ids: Collection[ExecutionId]) -> None:
        """Respond to callers that wait for executions which another program may have ended.

        Without IDs, any of them may have.
        """
        if self.state is not EngineState.STOPPED:
            self._components.peer_work.executions_changed(execution_ids)

    # Called by the service

    @property
    def has_desktop(self) -> bool:
        """Whether steps can use the desktop of a window."""
        return self._desktop is not None

    def listening_problem(self, flow_id: FlowId) -> AppError | None:
        """Why a published flow can't notice the events of the desktop that start it; None if it can.

        Can be called on any thread.
        """
        return self._components.triggers.listening_problem(flow_id)

    @property
    def settings(self) -> EngineSettings:
        """The current settings."""
        return self._components.settings

    def settings_changed(self, settings: EngineSettings) -> None:
        """Apply new settings."""
        self._components.settings = settings
        self._components.dispatcher.set_limit(settings.max_concurrent)
        self.triggers_changed()

    def triggers_changed(self) -> None:
        """Read the triggers again after a flow was published, unpublished, deleted, or changed."""
        self._components.changed()

    def apps_changed(self) -> None:
        """Use the new code of apps whose files changed, from the next poll and the next step of a run."""
        self._components.plans.clear()
        self.triggers_changed()

    async def initial_trigger_state(
        self, version: FlowVersion, settings: FlowSettings | None = None, source: int = FIRST_SOURCE
    ) -> TriggerState:
        """The trigger state to store when this version is published; see `TriggerScheduler.baseline`."""
        return await self._components.triggers.baseline(version, settings, source)

    async def preview_schedule(
        self, trigger: Trigger, parameters: JsonObject, settings: FlowSettings
    ) -> SchedulePreview:
        """When a schedule with these parameters would start a flow with these settings.

        Raises `ValidationFailed` for an invalid schedule.
        """
        zone = flow_time_zone(settings) or self._components.zone
        return await asyncio.to_thread(preview_schedule, trigger, parameters, self._clock(), zone)

    async def register_webhook(self, version: FlowVersion) -> TriggerState | None:
        """See `RemoteWebhooks.register`."""
        return await self._components.remote_webhooks.register(version)

    async def unregister_webhook(self, version: FlowVersion, state: TriggerState) -> None:
        """See `RemoteWebhooks.unregister`."""
        await self._components.remote_webhooks.unregister(version, state)

    async def run_now(self, flow_id: FlowId, item: Json = None, *, full_rights: bool = False) -> ExecutionId:
        """Run a flow now: the published version, or a test of the draft if it isn't published.

        `item` is the trigger's output; without one, it is fetched from the trigger. Returns once the
        execution is stored, or for a test, once it has finished. Raises `NotFound`, `Forbidden`, `Conflict`
        if the trigger has no item, or what the trigger raises.
        """
        self._check_running()
        return await self._components.starter.run(flow_id, item, full_rights=full_rights)

    async def call_tool(self, flow_id: FlowId, arguments: JsonObject) -> ToolResult:
        """Run a published flow that is a tool, and wait for its output; see `Backend.call_tool`."""
        self._check_running()
        return await self._components.tool_calls.call(flow_id, arguments)

    async def cancel(self, execution_id: ExecutionId) -> None:
        """Cancel an unfinished run; see `Backend.cancel_execution`."""
        await self._components.control.cancel(execution_id)

    async def resume_run(self, execution_id: ExecutionId) -> None:
        """End the wait for a retry or a rate limit; see `Backend.resume_execution`."""
        self._check_running()
        await self._components.control.resume(execution_id)

    async def retry(self, execution_id: ExecutionId, *, full_rights: bool = False) -> ExecutionId:
        """Retry a failed run in a new execution; see `Backend.retry_execution`."""
        self._check_running()
        return await self._components.control.retry(execution_id, full_rights=full_rights)

    async def continue_after(self, execution_id: ExecutionId, *, full_rights: bool = False) -> ExecutionId:
        """Continue after an interrupted step; see `Backend.continue_execution`."""
        self._check_running()
        return await self._components.control.continue_after(execution_id, full_rights=full_rights)

    async def replay(
        self, execution_id: ExecutionId, item: Json, on: ReplayOn, *, full_rights: bool = False
    ) -> ExecutionId:
        """Run an execution again from the start; see `Backend.replay_execution`."""
        self._check_running()
        return await self._components.control.replay(execution_id, item, on, full_rights=full_rights)

    async def test_step(
        self,
        flow: FlowVersion,
        step_id: StepId,
        samples: Mapping[StepId, Json],
        *,
        full_rights: bool = False,
    ) -> tuple[ExecutionId, StepOutcome]:
        """Test one step with `samples` as the outputs of the steps before it; see `TestRuns.step`."""
        return await self._components.test_runs.step(flow, step_id, samples, full_rights=full_rights)

    def require_publishable(self, version: FlowVersion, *, full_rights: bool = False) -> None:
        """Raise `Forbidden` if this version may not be published: its programs, files, or desktop steps.

        Connections of other people are checked by publishing.
        """
        self._components.permits.require_publishable(
            self._components.plans.fresh(version), full_rights=full_rights
        )

    def find_rejection(self, version: FlowVersion) -> AppError | None:
        """Why every run of this published version fails before its first step; None if runs can start.

        Doesn't check who owns its connections. None also while the engine is stopped: it doesn't know then
        whether programs are isolated.
        """
        if self.state is EngineState.STOPPED:
            return None
        plan = self._components.plans.of(version)
        problem = next((step.problem for step in plan.steps if step.problem is not None), None)
        return problem or self._components.permits.permit_to_store(plan).rejection

    async def health(self) -> EngineHealth:
        """The status of the engine. "Today" starts at midnight in this computer's time zone."""
        today_since = midnight(self._clock())
        counts = await self._store.counts(today_since)
        next_due = self._components.triggers.next_start() if self.state is EngineState.RUNNING else None
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
            last_tick_at=self._components.timer.last_tick_at,
            finished=dict(self._components.announcer.finished),
            runs_flows=self._components.published_settings.runs_flows,
            isolation=await self._sandbox.prepare(),
        )

    async def flows_without_desktop(self) -> tuple[str, ...]:
        """The names of the published flows that need the desktop of a window; empty if there is one."""
        if self.has_desktop:
            return ()
        active = await self._store.active_triggers()
        plans = self._components.plans
        found = [
            one.version.flow_id for one in active if one.version.steps and plans.of(one.version).uses_desktop
        ]
        names = [await self._store.flow_name(flow_id) for flow_id in found]
        return tuple(sorted(filter(None, names)))

    # Called by the server

    async def deliver(
        self,
        flow_id: FlowId,
        request: WebhookRequest,
        *,
        synchronous: bool,
        read_body: BodyReader | None = None,
    ) -> WebhookResponse:
        """See `ports.WebhookIntake`."""
        self._check_accepting()
        webhooks = self._components.webhooks
        return await webhooks.deliver(flow_id, request, synchronous=synchronous, read_body=read_body)

    async def deliver_test(
        self, flow_id: FlowId, request: WebhookRequest, *, read_body: BodyReader | None = None
    ) -> WebhookResponse:
        """See `ports.WebhookIntake`."""
        self._check_accepting()
        return await self._components.webhooks.deliver_test(flow_id, request, read_body=read_body)

    @property
    def max_body_bytes(self) -> int:
        """See `ports.WebhookIntake`."""
        return self._components.settings.max_body_bytes

    async def record_rejection(self, flow_id: FlowId, error: AppError) -> None:
        """See `ports.WebhookIntake`."""
        self._check_accepting()
        await self._components.webhooks.record_rejection(flow_id, error)

    async def check_webhook(self, flow_id: FlowId, *, test: bool = False) -> None:
        """See `ports.WebhookIntake`."""
        self._check_accepting()
        await self._components.webhooks.check_webhook(flow_id, test=test)

    # Inside

    def _check_running(self) -> None:
        if self.state is EngineState.STOPPED:
            raise self._not_running_error()

    def _check_accepting(self) -> None:
        if self._is_rejecting_webhooks:
            raise self._not_running_error()
        self._check_running()

    def _not_running_error(self) -> Unreachable:
        if self._started_at is None:
            return Unreachable(
                "No engine is running for this workspace.",
                meaning="The request wasn't accepted.",
                todo="Start “patchbay serve” or open the window, then try again.",
            )
        return Unreachable(
            "Patchbay is starting or stopping.",
            meaning="The request wasn't accepted.",
            todo="Try again in a few seconds.",
        )
