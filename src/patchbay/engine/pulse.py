"""What happens each time the engine looks what is due."""

from collections.abc import Callable, Mapping

from patchbay.domain.base import AppKey, EpochMs
from patchbay.domain.engine import EngineState, RateLimit
from patchbay.domain.engine_store import EngineStore
from patchbay.engine.dispatcher import Dispatcher
from patchbay.engine.rules import Rules
from patchbay.engine.runs.failure_flows import FailureFlows
from patchbay.engine.runs.limits import Limits
from patchbay.engine.starts.triggers import Triggers

_BATCH = 500
"""Executions read from the store at once; the next batch follows when these are through."""
_BUSY = 250
"""Milliseconds until the next look while something due has not found a slot yet."""


class Pulse:
    """Fires triggers, hands out executions whose time has come, reads the flows again when they changed."""

    def __init__(
        self,
        store: EngineStore,
        triggers: Triggers,
        dispatcher: Dispatcher,
        rules: Rules,
        failure_flows: FailureFlows,
        limits: Limits,
        app_limits: Callable[[], Mapping[AppKey, RateLimit]],
        poke: Callable[[], None],
    ) -> None:
        self._store = store
        self._triggers = triggers
        self._dispatcher = dispatcher
        self._rules = rules
        self._failure_flows = failure_flows
        self._limits = limits
        self._app_limits = app_limits
        self._poke = poke
        self._stale = True
        self._more = False
        self.state = EngineState.STOPPED

    def changed(self) -> None:
        """A flow was published, held or changed: read all of them at the next look, which is now."""
        self._stale = True
        self._poke()

    def drained(self) -> None:
        """Nothing waits in memory any more, or nothing of a flow that was left out."""
        if self._more:
            self._poke()

    async def beat(self, now: EpochMs) -> EpochMs | None:
        """Look what is due; the answer is when to look again."""
        if self._stale:
            await self._read()
        if self.state is EngineState.PAUSED:
            self._triggers.hold()
            return None
        self._dispatcher.open()
        self._triggers.fire(now)
        paused, full = self._rules.paused, self._dispatcher.leave_out()
        self._more = True
        due = await self._store.due(now, _BATCH, {*paused, *full})
        self._more = len(due) == _BATCH or bool(full)
        for execution_id, flow_id, root_id in due:
            self._dispatcher.submit(execution_id, flow_id, root_id)
        next_due = self._triggers.next_due()
        times = (await self._store.next_wake(paused), next_due[0] if next_due else None)
        return min((max(at, now + _BUSY) for at in times if at is not None), default=None)

    async def _read(self) -> None:
        self._stale = False
        try:
            active = await self._store.active_triggers()
            self._rules.read(active)
            self._failure_flows.read(active)
            self._limits.configure(await self._store.connection_limits(), self._app_limits())
            self._dispatcher.forget(self._rules.paused)
            await self._triggers.reload(active)
        except BaseException:
            self._stale = True
            raise
