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
from patchbay.service.parts import Parts
from patchbay.service.showing import steps_with_addresses
from patchbay.storage import flow_versions
from patchbay.storage.repositories import flows, versions
from patchbay.storage.repositories.rows import Tx

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Started:
    """A version and where its trigger stands."""

    version: FlowVersion
    state: TriggerState


class RegisteringOperations(FlowOperations):
    """What has to be told to third parties when a flow goes live or ends."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._turns: WeakValueDictionary[FlowId, asyncio.Lock] = WeakValueDictionary()

    async def delete_flow(self, flow_id: FlowId) -> Change:
        async with self._turn(flow_id):
            running = await self._running(flow_id)
            change = await super().delete_flow(flow_id)
            await self._withdraw(running)
            return change

    def _turn(self, flow_id: FlowId) -> asyncio.Lock:
        """Held by who publishes, unpublishes or deletes a flow: one after the other tells third parties."""
        return self._turns.setdefault(flow_id, asyncio.Lock())

    @asynccontextmanager
    async def _starting(
        self, version: FlowVersion, settings: FlowSettings, source: int
    ) -> AsyncIterator[TriggerState]:
        """Where the trigger of a version stands, for a block that makes it live.

        `source` is the place of the trigger's source among those of the flow.
        What the running version has registered is taken back first, because many services keep one webhook
        for an address or an account. When the trigger cannot start, or the block fails, what was
        registered is taken back and the former registration is put there again.
        """
        before = await self._running(version.flow_id)
        await self._withdraw(before)
        try:
            state = await self._engine.register_hook(self._addressed(version))
            fresh = Started(version, state or await self._engine.baseline(version, settings, source))
            try:
                yield fresh.state
            except BaseException:
                await self._withdraw(fresh)
                raise
        except BaseException as error:
            await self._put_back(before, error)
            raise

    async def _running(self, flow_id: FlowId) -> Started | None:
        return await self._db.read(lambda tx: _running(tx, flow_id))

    async def _withdraw(self, started: Started | None) -> None:
        if started is not None:
            await self._engine.unregister_hook(self._addressed(started.version), started.state)

    async def _put_back(self, before: Started | None, error: BaseException) -> None:
        """Register anew what runs on. When that fails, too, the error that led here says so."""
        if before is None:
            return
        try:
            state = await self._engine.register_hook(self._addressed(before.version))
            if state is not None:
                await self._db.write(lambda tx: versions.reset_trigger_state(tx, state))
        except AppError as second:
            _log.error("A webhook could not be put back: %s", second.text())
            if isinstance(error, AppError):
                words = "The webhook of the published version could not be put back, so it is not called now."
                error.meaning = " ".join(filter(None, (error.meaning, words)))
                error.todo = " ".join(filter(None, (error.todo, "Then publish the flow again.")))

    def _addressed(self, version: FlowVersion) -> FlowVersion:
        """The version with the address that its webhook has now, which is no part of what is frozen."""
        keys = [step.app_key for step in version.steps if step.app_key]
        base = self._parts.workspace.outside()
        steps = steps_with_addresses(version.flow_id, version.steps, self._infos(keys), base)
        return version.model_copy(update={"steps": steps})


def _running(tx: Tx, flow_id: FlowId) -> Started | None:
    flow = flows.get(tx, flow_id)
    state = versions.get_trigger_state(tx, flow_id)
    if not flow.active or flow.published_version is None or state is None:
        return None
    version = flow_versions.frozen(tx, flow_id, flow.published_version)
    return None if version is None else Started(version, state)
