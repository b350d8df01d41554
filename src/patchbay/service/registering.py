"""Webhooks that third parties keep for published flows: told before a flow goes live, taken back after."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from weakref import WeakValueDictionary

from patchbay.domain.base import FlowId
from patchbay.domain.changes import Change
from patchbay.domain.errors import AppError
from patchbay.domain.flows import FlowSettings, FlowVersion
from patchbay.domain.runs import TriggerState
from patchbay.service.flows import FlowOperations
from patchbay.service.parts import ServiceContext
from patchbay.service.showing import steps_with_addresses
from patchbay.storage import flow_versions
from patchbay.storage.repositories import flows, versions
from patchbay.storage.repositories.rows import Tx

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RunningTrigger:
    """A version and where its trigger stands."""

    version: FlowVersion
    state: TriggerState


class RemoteWebhookOperations(FlowOperations):
    """What has to be told to third parties when a flow goes live or ends."""

    def __init__(self, context: ServiceContext) -> None:
        super().__init__(context)
        self._flow_locks: WeakValueDictionary[FlowId, asyncio.Lock] = WeakValueDictionary()

    async def delete_flow(self, flow_id: FlowId) -> Change:
        async with self._flow_lock(flow_id):
            running = await self._running_trigger(flow_id)
            change = await super().delete_flow(flow_id)
            await self._unregister_webhook(running)
            return change

    def _flow_lock(self, flow_id: FlowId) -> asyncio.Lock:
        """Held by who publishes, unpublishes or deletes a flow: one after the other tells third parties."""
        return self._flow_locks.setdefault(flow_id, asyncio.Lock())

    @asynccontextmanager
    async def _register_trigger(
        self, version: FlowVersion, settings: FlowSettings, source: int
    ) -> AsyncIterator[TriggerState]:
        """Where the trigger of a version stands, for a block that makes it live.

        `source` is the place of the trigger's source among those of the flow.
        What the running version has registered is taken back first, because many services keep one webhook
        for an address or an account. When the trigger cannot start, or the block fails, what was
        registered is taken back and the former registration is put there again.
        """
        before = await self._running_trigger(version.flow_id)
        await self._unregister_webhook(before)
        try:
            state = await self._engine.register_hook(self._with_webhook_address(version))
            fresh = RunningTrigger(version, state or await self._engine.baseline(version, settings, source))
            try:
                yield fresh.state
            except BaseException:
                await self._unregister_webhook(fresh)
                raise
        except BaseException as error:
            await self._restore_webhook(before, error)
            raise

    async def _running_trigger(self, flow_id: FlowId) -> RunningTrigger | None:
        return await self._db.read(lambda tx: _running_trigger(tx, flow_id))

    async def _unregister_webhook(self, started: RunningTrigger | None) -> None:
        if started is not None:
            await self._engine.unregister_hook(self._with_webhook_address(started.version), started.state)

    async def _restore_webhook(self, before: RunningTrigger | None, error: BaseException) -> None:
        """Register anew what runs on. When that fails, too, the error that led here says so."""
        if before is None:
            return
        try:
            state = await self._engine.register_hook(self._with_webhook_address(before.version))
            if state is not None:
                await self._db.write(lambda tx: versions.reset_trigger_state(tx, state))
        except AppError as second:
            _log.error("A webhook could not be put back: %s", second.text())
            if isinstance(error, AppError):
                words = "The webhook of the published version could not be put back, so it is not called now."
                error.meaning = " ".join(filter(None, (error.meaning, words)))
                error.todo = " ".join(filter(None, (error.todo, "Then publish the flow again.")))

    def _with_webhook_address(self, version: FlowVersion) -> FlowVersion:
        """The version with the address that its webhook has now, which is no part of what is frozen."""
        keys = [step.app_key for step in version.steps if step.app_key]
        base = self._service_context.workspace.external_address()
        steps = steps_with_addresses(version.flow_id, version.steps, self._app_details(keys), base)
        return version.model_copy(update={"steps": steps})


def _running_trigger(tx: Tx, flow_id: FlowId) -> RunningTrigger | None:
    flow = flows.get(tx, flow_id)
    state = versions.get_trigger_state(tx, flow_id)
    if not flow.active or flow.published_version is None or state is None:
        return None
    version = flow_versions.frozen(tx, flow_id, flow.published_version)
    return None if version is None else RunningTrigger(version, state)
