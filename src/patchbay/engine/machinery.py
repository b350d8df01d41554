"""The parts of an engine, put together in one place."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from patchbay.domain.base import AppKey, EpochMs, FlowId
from patchbay.domain.changes import Change, Noun
from patchbay.domain.engine import EngineSettings, EngineState, RateLimit
from patchbay.domain.engine_store import EngineStore
from patchbay.domain.flow_calls import FlowDirectory
from patchbay.domain.ports import Credentials
from patchbay.engine.by_hand.control import Control
from patchbay.engine.by_hand.starter import Starter
from patchbay.engine.by_hand.trials import Trials
from patchbay.engine.calling.calls import Caller
from patchbay.engine.calling.contexts import Contexts
from patchbay.engine.changes import Announcer
from patchbay.engine.dispatcher import Dispatcher
from patchbay.engine.housekeeping import Housekeeping
from patchbay.engine.intake import Intake
from patchbay.engine.permissions import Permissions
from patchbay.engine.plan import AppSource, Plans
from patchbay.engine.pulse import Pulse
from patchbay.engine.rules import Rules
from patchbay.engine.runs.aftermath import Aftermath
from patchbay.engine.runs.failure_flows import FailureFlows
from patchbay.engine.runs.limits import Limits
from patchbay.engine.runs.runner import Runner
from patchbay.engine.runs.steps import Steps
from patchbay.engine.scheduler.timer import Timer
from patchbay.engine.starts.hooks import RemoteHooks
from patchbay.engine.starts.replies import Replies
from patchbay.engine.starts.samples import TriggerSampler
from patchbay.engine.starts.triggers import Triggers
from patchbay.engine.starts.webhooks import LONGEST_WAIT, Webhooks
from patchbay.integration.sandbox import Sandbox
from patchbay.integration.workers import Workers

if TYPE_CHECKING:
    from patchbay.integration.http_factory import HttpFactory


def system_clock() -> EpochMs:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, kw_only=True)
class Given:
    """What an engine is handed from outside; see `Engine`."""

    store: EngineStore
    apps: AppSource
    credentials: Credentials
    clock: Callable[[], EpochMs]
    on_change: Callable[[Change], None]
    http: "HttpFactory | None"
    flows: FlowDirectory | None
    workers: Workers
    sandbox: Sandbox
    zone: str
    longest_wait: float = LONGEST_WAIT
    steady: Callable[[], float] = time.monotonic


class Machinery:
    """One of each part, and what they know of one another. `settings` may be replaced at any time."""

    def __init__(self, given: Given, settings: EngineSettings) -> None:
        self.settings = settings
        self._given = given
        store, clock = given.store, given.clock
        self.timer = Timer(clock, self._beat, steady=given.steady, jumped=self._jumped)
        self.announcer = Announcer(given.on_change)
        self.replies = Replies()
        self.plans = Plans(given.apps)
        self.rules = Rules()
        self.limits = Limits(given.steady)
        self.permissions = Permissions(lambda: given.sandbox.isolation, store)
        self.failure_flows = FailureFlows(self.plans, self.permissions, clock)
        self.dispatcher = Dispatcher(self._run, self._drained, self.rules, settings.max_concurrent)
        self.intake = Intake(
            store, self.dispatcher, self.announcer, self.permissions, self.failure_flows, clock,
            self._tree_limit, self.timer.poke,
        )  # fmt: skip
        self.caller = Caller(
            Contexts(
                store, given.credentials, given.http, clock, given.zone, given.flows, given.workers,
                given.sandbox,
            ),
            given.credentials,
        )  # fmt: skip
        self.runner = self._make_runner()
        self._make_entrances()
        self.housekeeping = Housekeeping(store, lambda: self.settings.retention, clock, given.on_change)

    def _make_runner(self) -> Runner:
        store, clock = self._given.store, self._given.clock
        aftermath = Aftermath(
            store, self.plans, self.permissions, self.failure_flows, self.intake, self.rules, clock,
            self._tree_limit, self._flow_paused,
        )  # fmt: skip
        return Runner(
            store, self.plans, self.permissions,
            Steps(self.caller, self.limits, clock, self._current, self.rules.owner_of), aftermath,
            self.replies, self.announcer, clock, self.timer.no_later_than,
        )  # fmt: skip

    def _make_entrances(self) -> None:
        """Everything by which executions begin."""
        store, clock, zone = self._given.store, self._given.clock, ZoneInfo(self._given.zone)
        sampler = TriggerSampler(self.caller, store)
        self.trials = Trials(
            self.plans, self.permissions, self.caller, sampler, self.intake, store, clock, self._current,
            self._flow_changed,
        )  # fmt: skip
        self.starter = Starter(store, self.plans, sampler, self.trials, self.permissions, self.intake, clock)
        self.control = Control(
            store,
            self.plans,
            self.permissions,
            self.intake,
            self.trials,
            self.runner,
            self.limits,
            self.replies,
            self.announcer,
            clock,
        )
        self.triggers = Triggers(
            store, self.plans, self.caller, self.intake, clock, zone, self.timer.poke, self._current
        )
        self.pulse = Pulse(
            store, self.triggers, self.dispatcher, self.rules, self.failure_flows, self.limits,
            self._app_limits, self.timer.poke,
        )  # fmt: skip
        self.webhooks = Webhooks(
            store, self.plans, self.caller, self.intake, self.trials, self.replies, clock,
            self._given.longest_wait, is_paused=lambda: self.pulse.state is EngineState.PAUSED,
        )  # fmt: skip
        self.hooks = RemoteHooks(self.plans, self.caller)

    def changed(self) -> None:
        """A flow was published, unpublished, held or changed."""
        self.webhooks.forget()
        self.pulse.changed()

    async def _run(self, execution_id: str) -> None:
        await self.runner.run(execution_id)

    async def _beat(self, now: EpochMs) -> EpochMs | None:
        return await self.pulse.beat(now)

    async def _jumped(self, by: int) -> None:
        await self.triggers.clock_jumped(by)

    def _drained(self) -> None:
        self.pulse.drained()

    def _flow_paused(self, flow_id: FlowId) -> None:
        self._flow_changed(flow_id)
        self.changed()

    def _flow_changed(self, flow_id: FlowId) -> None:
        self._given.on_change(Change(noun=Noun.FLOW, ids=(flow_id,)))

    def _tree_limit(self) -> int:
        return self.settings.max_runs_per_root

    def _current(self) -> EngineSettings:
        return self.settings

    def _app_limits(self) -> Mapping[AppKey, RateLimit]:
        """What apps ask for, and what the settings say in place of it."""
        apps = self._given.apps.all()
        asked = {app.key: app.rate_limit for app in apps if app.rate_limit is not None}
        return asked | self.settings.app_limits
