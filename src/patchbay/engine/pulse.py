"""What happens each time the engine looks what is due."""

from collections.abc import Callable, Mapping

from patchbay.domain.base import AppKey, EpochMs
from patchbay.domain.engine import EngineState, RateLimit
from patchbay.domain.engine_store import EngineStore
from patchbay.engine.dispatcher import Dispatcher
from patchbay.engine.rules import PublishedFlowSettings
from patchbay.engine.runs.failure_flows import FailureFlows
from patchbay.engine.runs.limits import RateLimiter
from patchbay.engine.starts.triggers import TriggerScheduler

_BATCH_SIZE = 500
"""Executions read from the store at once; the next batch follows when these are through."""
_BUSY_RETRY_MS = 250
"""Milliseconds until the next look while something due has not found a slot yet."""


class SchedulerTick:
    """Fires triggers, hands out executions whose time has come, reads the flows again when they changed."""

    def __init__(
        self,
        store: EngineStore,
        triggers: TriggerScheduler,
        dispatcher: Dispatcher,
        flow_settings: PublishedFlowSettings,
        failure_flows: FailureFlows,
        limits: RateLimiter,
        app_limits: Callable[[], Mapping[AppKey, RateLimit]],
        wake_up: Callable[[], None],
    ) -> None:
        self._store = store
        self._triggers = triggers
        self._dispatcher = dispatcher
        self._flow_settings = flow_settings
        self._failure_flows = failure_flows
        self._limits = limits
        self._app_limits = app_limits
        self._wake_up = wake_up
        self._is_stale = True
        self._has_more = False
        self.state = EngineState.STOPPED

    def changed(self) -> None:
        """A flow was published, held or changed: read all of them at the next look, which is now."""
        self._is_stale = True
        self._wake_up()

    def on_drained(self) -> None:
        """Nothing waits in memory any more, or nothing of a flow that was left out."""
        if self._has_more:
            self._wake_up()

    async def run(self, now: EpochMs) -> EpochMs | None:
        """Look what is due; the answer is when to look again."""
        if self._is_stale:
            await self._reload()
        if self.state is EngineState.PAUSED:
            self._triggers.pause()
            return None
        self._dispatcher.open()
        self._triggers.fire(now)
        paused, full = self._flow_settings.paused, self._dispatcher.excluded_flows()
        self._has_more = True
        due = await self._store.due(now, _BATCH_SIZE, {*paused, *full})
        self._has_more = len(due) == _BATCH_SIZE or bool(full)
        for execution_id, flow_id, root_id in due:
            self._dispatcher.submit(execution_id, flow_id, root_id)
        next_due = self._triggers.next_due()
        times = (await self._store.next_wake(paused), next_due[0] if next_due else None)
        return min((max(at, now + _BUSY_RETRY_MS) for at in times if at is not None), default=None)

    async def _reload(self) -> None:
        self._is_stale = False
        try:
            active = await self._store.active_triggers()
            self._flow_settings.update(active)
            self._failure_flows.update(active)
            self._limits.configure(await self._store.connection_limits(), self._app_limits())
            self._dispatcher.forget(self._flow_settings.paused)
            await self._triggers.reload(active)
        except BaseException:
            self._is_stale = True
            raise
