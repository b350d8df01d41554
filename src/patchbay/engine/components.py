"""Builds the components of an engine and connects them to each other."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from patchbay.domain.base import AppKey, EpochMs, ExecutionId, FlowId, JsonObject
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.desktop import Desktop
from patchbay.domain.engine import EngineSettings, EngineState, RateLimit
from patchbay.domain.engine_store import EngineStore
from patchbay.domain.flow_calls import FlowDirectory
from patchbay.domain.peers import ALL_FLOWS, Peers, WorkFilter
from patchbay.domain.ports import Credentials
from patchbay.domain.tools import ToolResult
from patchbay.engine.app_calls import AppCaller, Call, ContextFactory
from patchbay.engine.changes import ChangeAnnouncer
from patchbay.engine.dispatcher import Dispatcher, PublishedFlowSettings
from patchbay.engine.intake import FailureFlows, Intake
from patchbay.engine.manual.draft_tests import TestRuns, TriggerSampler
from patchbay.engine.manual.run_control import FlowStarter, RunControl
from patchbay.engine.peer_work import PeerWork
from patchbay.engine.plan import AppSource, Plans
from patchbay.engine.retention import HistoryCleanup
from patchbay.engine.run_permits import PermitIssuer
from patchbay.engine.runs.container_steps import ContainerSteps
from patchbay.engine.runs.rate_limits import RateLimiter
from patchbay.engine.runs.run_effects import RunEffects
from patchbay.engine.runs.runner import Runner, StepRunner
from patchbay.engine.runs.shared_limits import SharedLimits
from patchbay.engine.timer import Timer, WorkStarter
from patchbay.engine.triggers.remote_webhooks import RemoteWebhooks
from patchbay.engine.triggers.scheduler import TriggerScheduler
from patchbay.engine.triggers.schedules import flow_time_zone
from patchbay.engine.triggers.tool_calls import MAX_TOOL_SECONDS, ToolCalls
from patchbay.engine.triggers.webhook_responses import PendingResponses
from patchbay.engine.triggers.webhooks import MAX_RESPONSE_WAIT_SECONDS, Webhooks
from patchbay.integration.allowed_programs import ProgramAccess
from patchbay.integration.local_files import FileAccess
from patchbay.integration.sandbox import Sandbox
from patchbay.integration.workers import Workers

if TYPE_CHECKING:
    from patchbay.integration.http_factory import HttpFactory


@dataclass(frozen=True, kw_only=True)
class EngineDependencies:
    """The dependencies of an engine; see `Engine`."""

    store: EngineStore
    apps: AppSource
    credentials: Credentials
    clock: Callable[[], EpochMs]
    on_change: Callable[[Change], None]
    http: "HttpFactory | None"
    flows: FlowDirectory | None
    workers: Workers
    sandbox: Sandbox
    files: FileAccess
    programs: ProgramAccess
    desktop: Desktop | None
    zone: str
    peers: Peers
    work_filter: WorkFilter = ALL_FLOWS
    max_wait_seconds: float = MAX_RESPONSE_WAIT_SECONDS
    max_tool_seconds: float = MAX_TOOL_SECONDS
    monotonic: Callable[[], float] = time.monotonic


class EngineComponents:
    """All components of an engine. `settings` may be replaced at any time."""

    def __init__(self, dependencies: EngineDependencies, settings: EngineSettings) -> None:
        self.settings = settings
        self._dependencies = dependencies
        self.zone = ZoneInfo(dependencies.zone)
        store, clock = dependencies.store, dependencies.clock
        self.timer = Timer(
            clock, self._tick, monotonic=dependencies.monotonic, on_clock_jump=self._on_clock_jump
        )
        self.announcer = ChangeAnnouncer(dependencies.on_change)
        self.pending_responses = PendingResponses()
        self.plans = Plans(dependencies.apps)
        self.published_settings = PublishedFlowSettings(dependencies.work_filter)
        self.limits = RateLimiter(dependencies.monotonic)
        self.permits = PermitIssuer(
            lambda: dependencies.sandbox.isolation, store, dependencies.files, dependencies.programs
        )
        self.failure_flows = FailureFlows(self.plans, self.permits, clock)
        self.dispatcher = Dispatcher(
            self._run, self._on_drained, self.published_settings, settings.max_concurrent
        )
        self.peer_work = self._make_peer_work()
        self.intake = Intake(
            store,
            self.dispatcher,
            self.announcer,
            self.permits,
            self.failure_flows,
            clock,
            self._tree_limit,
            self.timer.wake_up,
            self.peer_work.offer,
        )
        self.caller = AppCaller(
            ContextFactory(
                store=store,
                credentials=dependencies.credentials,
                http=dependencies.http,
                clock=clock,
                time_zone=dependencies.zone,
                flows=dependencies.flows,
                workers=dependencies.workers,
                sandbox=dependencies.sandbox,
                call_tool=self._call_tool,
                files=dependencies.files,
                desktop=dependencies.desktop,
                programs=dependencies.programs,
            ),
            dependencies.credentials,
        )
        self.container_steps = ContainerSteps(
            dependencies.workers, clock, dependencies.zone, self._current_settings
        )
        self.runner = self._make_runner()
        self._make_manual_starters()
        self._make_triggers()
        self.history_cleanup = HistoryCleanup(
            store, lambda: self.settings.retention, clock, dependencies.on_change, self._is_leader
        )

    def _make_peer_work(self) -> PeerWork:
        return PeerWork(
            self._dependencies.peers,
            self._dependencies.store,
            self.limits,
            self.pending_responses,
            self._dependencies.clock,
            self.timer.wake_up,
            lambda execution_id: self.runner.interrupt(execution_id),
        )

    def _make_runner(self) -> Runner:
        store, clock = self._dependencies.store, self._dependencies.clock
        run_effects = RunEffects(
            store,
            self.plans,
            self.permits,
            self.failure_flows,
            self.intake,
            self.published_settings,
            clock,
            self._tree_limit,
            self._on_flow_paused,
            self._dependencies.peers,
        )
        step_runner = StepRunner(
            self.caller,
            self.container_steps,
            SharedLimits(
                self.limits,
                store.count_call if self._dependencies.peers.are_possible else None,
                self.peer_work.hold,
            ),
            clock,
            self._current_settings,
            self.published_settings.owner_of,
            self._zone_of,
        )
        return Runner(
            store,
            self.plans,
            self.permits,
            step_runner,
            run_effects,
            self.pending_responses,
            self.announcer,
            clock,
            self.timer.wake_by,
            self._dependencies.peers.program_id,
            self.peer_work,
        )

    def _make_manual_starters(self) -> None:
        """Create what people start executions with."""
        store = self._dependencies.store
        clock = self._dependencies.clock
        sampler = TriggerSampler(self.caller, store, clock, self.zone)
        self.test_runs = TestRuns(
            self.plans,
            self.permits,
            self.caller,
            self.container_steps,
            sampler,
            self.intake,
            store,
            clock,
            self._current_settings,
            self._on_flow_changed,
            self.zone,
        )
        self.starter = FlowStarter(
            store, self.plans, sampler, self.test_runs, self.permits, self.intake, clock
        )
        self.control = RunControl(
            store,
            self.plans,
            self.permits,
            self.intake,
            self.test_runs,
            self.runner,
            self.limits,
            self.pending_responses,
            self.announcer,
            clock,
            self.peer_work,
        )

    def _make_triggers(self) -> None:
        """Create what starts executions by itself: polls, schedules, and webhooks."""
        store = self._dependencies.store
        clock = self._dependencies.clock
        self.triggers = TriggerScheduler(
            store,
            self.plans,
            self.caller,
            self.intake,
            clock,
            self.zone,
            self.timer.wake_up,
            self._current_settings,
            self.published_settings.runs_here,
            self._is_leader,
            self._on_flow_changed,
            has_desktop=self._dependencies.desktop is not None,
            is_shared=self._dependencies.peers.are_possible,
        )
        self.work_starter = WorkStarter(
            store,
            self.triggers,
            self.dispatcher,
            self.published_settings,
            self.failure_flows,
            self.limits,
            self._app_limits,
            self.timer.wake_up,
            self._on_rescheduled,
            self._dependencies.peers,
        )
        self.webhooks = Webhooks(
            store,
            self.plans,
            self.caller,
            self.intake,
            self.test_runs,
            self.pending_responses,
            clock,
            self._dependencies.max_wait_seconds,
            is_paused=lambda: self.work_starter.state is EngineState.PAUSED,
        )
        self.remote_webhooks = RemoteWebhooks(self.plans, self.caller)
        self.tool_calls = ToolCalls(
            store,
            self.plans,
            self.intake,
            self.pending_responses,
            self.webhooks.is_queued_only,
            self.dispatcher.lend_slot,
            self.runner.is_cancelled,
            self.control.cancel,
            self._tree_limit,
            clock,
            self._dependencies.max_tool_seconds,
        )

    def changed(self) -> None:
        """A flow was published, unpublished, paused, resumed, or changed: read the flows again."""
        self.webhooks.clear_cache()
        self.work_starter.changed()

    async def _call_tool(self, call: Call, flow_id: FlowId, arguments: JsonObject) -> ToolResult:
        return await self.tool_calls.call_from_step(call, flow_id, arguments)

    async def _run(self, execution_id: ExecutionId) -> None:
        await self.runner.run(execution_id)

    async def _tick(self, now: EpochMs) -> EpochMs | None:
        return await self.work_starter.run(now)

    async def _on_clock_jump(self, by: int) -> None:
        await self.triggers.clock_jumped(by)

    def _on_drained(self) -> None:
        self.work_starter.on_drained()

    def _on_flow_paused(self, flow_id: FlowId) -> None:
        self._on_flow_changed(flow_id)
        self.changed()

    def _on_flow_changed(self, flow_id: FlowId) -> None:
        self._dependencies.on_change(Change(noun=ResourceType.FLOW, ids=(flow_id,)))

    def _on_rescheduled(self) -> None:
        self._dependencies.on_change(Change(noun=ResourceType.WORKSPACE))

    def _zone_of(self, flow_id: FlowId) -> ZoneInfo:
        return flow_time_zone(self.published_settings.of(flow_id)) or self.zone

    def _is_leader(self) -> bool:
        return self._dependencies.peers.is_leader

    def _tree_limit(self) -> int:
        return self.settings.max_runs_per_root

    def _current_settings(self) -> EngineSettings:
        return self.settings

    def _app_limits(self) -> Mapping[AppKey, RateLimit]:
        """The rate limits that apps declare, overridden by those in the settings."""
        return {**self._dependencies.apps.rate_limits(), **self.settings.app_limits}
