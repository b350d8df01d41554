"""Registering the triggers of flows that are published, and the webhooks that third parties keep for them."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from weakref import WeakValueDictionary

from patchbay.domain.base import AppKey, ConnectionId, FlowId
from patchbay.domain.blockers import Blocker
from patchbay.domain.engine_store import TriggerState
from patchbay.domain.errors import AppError, FlowNotReady, SecretsUnavailable, ValidationFailed
from patchbay.domain.flows import FlowSettings, FlowVersion, Step
from patchbay.service.addresses import steps_with_addresses
from patchbay.service.service_context import ServiceContext
from patchbay.storage.repositories import flow_versions, flows, secrets
from patchbay.storage.repositories.rows import Tx
from patchbay.storage.repositories.secrets import Sealed

MAX_WEBHOOK_SECRETS = 3
"""Max. secrets of a flow's webhook that are valid at the same time, including the newest."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RunningTrigger:
    """A published version and the state of its trigger."""

    version: FlowVersion
    state: TriggerState


@dataclass(frozen=True)
class RegisteredTrigger:
    """The state of a trigger that was registered, and the encrypted secrets of its webhook."""

    state: TriggerState
    sealed: Sealed | None

    def store(self, tx: Tx, source: int | None = None) -> None:
        """Store it, replacing the state and the secrets of the previous one."""
        flow_versions.reset_trigger_state(tx, self.state, source)
        if self.sealed is not None:
            secrets.put(tx, self.sealed)


class TriggerRegistrar:
    """Registers webhooks at third parties for published flows, and unregisters them."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self._flow_locks: WeakValueDictionary[FlowId, asyncio.Lock] = WeakValueDictionary()

    def flow_lock(self, flow_id: FlowId) -> asyncio.Lock:
        """Return the lock to hold while publishing, unpublishing or deleting a flow."""
        return self._flow_locks.setdefault(flow_id, asyncio.Lock())

    @asynccontextmanager
    async def register(
        self, version: FlowVersion, settings: FlowSettings, source: int
    ) -> AsyncIterator[RegisteredTrigger]:
        """Register the trigger of a version and yield it to the block that publishes the version.

        `source` is the number of the trigger's source among those of the flow. The webhook of the running
        version is unregistered first, because many services keep one webhook per address or account. If the
        trigger can't start, or the block fails, the new webhook is unregistered and the previous one
        registered again.
        """
        before = await self.running_trigger(version.flow_id)
        await self.unregister(before)
        try:
            async with self._register(version, settings, source, before) as registered:
                yield registered
        except BaseException as error:
            await self._restore(before, error)
            raise

    @asynccontextmanager
    async def register_first(
        self, version: FlowVersion, settings: FlowSettings, source: int
    ) -> AsyncIterator[RegisteredTrigger]:
        """Like `register`, for a flow that has no running version; it needn't be stored yet."""
        async with self._register(version, settings, source, None) as registered:
            yield registered

    @asynccontextmanager
    async def _register(
        self, version: FlowVersion, settings: FlowSettings, source: int, before: RunningTrigger | None
    ) -> AsyncIterator[RegisteredTrigger]:
        engine = self._context.engine
        state = await engine.register_webhook(self._with_webhook_address(version))
        try:
            state = state or await engine.initial_trigger_state(version, settings, source)
        except ValidationFailed as error:
            raise FlowNotReady(_rejected_values(version.steps[0], error)) from error
        fresh = RunningTrigger(version, state)
        try:
            async with self._sealed(fresh, before) as registered:
                yield registered
        except BaseException:
            await self.unregister(fresh)
            raise

    @asynccontextmanager
    async def _sealed(
        self, fresh: RunningTrigger, before: RunningTrigger | None
    ) -> AsyncIterator[RegisteredTrigger]:
        """Encrypt the secrets of a webhook for the block that stores them.

        Those of the webhook before stay valid, since deliveries of it may still arrive, unless it belongs to
        another app or connection.
        """
        store, flow_id = self._context.secrets, fresh.version.flow_id
        known = fresh.state.webhook_secrets
        if not known:
            yield RegisteredTrigger(fresh.state, None)
            await self.delete_unused_items()
            return
        if before is not None and _account_of(before) == _account_of(fresh):
            with suppress(SecretsUnavailable):  # lost ones don't prevent registering again
                earlier = await self._context.credentials.webhook_secrets(flow_id)
                known = (*known, *(one for one in earlier if one not in known))
        sealed = await store.seal_webhook(flow_id, known[:MAX_WEBHOOK_SECRETS])
        try:
            yield RegisteredTrigger(fresh.state, sealed)
        finally:
            store.mark_committed(sealed)  # or dropped, if the block failed
            await self.delete_unused_items()

    async def delete_unused_items(self) -> None:
        """Delete keyring items of secrets that were just deleted; if that fails, the next start does it."""
        try:
            await self._context.secrets.delete_unused_items()
        except SecretsUnavailable as problem:
            _log.info("keyring items that are no longer used weren't deleted: %s", problem.happened)

    async def running_trigger(self, flow_id: FlowId) -> RunningTrigger | None:
        """Return the trigger of the published version; None for drafts."""
        return await self._context.db.read(lambda tx: _running_trigger(tx, flow_id))

    async def unregister(self, running: RunningTrigger | None) -> None:
        """Unregister the webhook of a trigger, if it has one."""
        if running is not None:
            await self._context.engine.unregister_webhook(
                self._with_webhook_address(running.version), running.state
            )

    async def _restore(self, before: RunningTrigger | None, error: BaseException) -> None:
        """Register the previous webhook again. If that fails too, add that to `error`."""
        if before is None:
            return
        try:
            state = await self._context.engine.register_webhook(self._with_webhook_address(before.version))
            if state is not None:
                async with self._sealed(RunningTrigger(before.version, state), before) as registered:
                    await self._context.db.write(registered.store)
        except AppError as second:
            _log.error("a webhook couldn't be registered again: %s", second.text())
            if isinstance(error, AppError):
                words = (
                    "The published version's webhook couldn't be registered again, so it isn't called now."
                )
                error.meaning = " ".join(filter(None, (error.meaning, words)))
                error.todo = " ".join(filter(None, (error.todo, "Then publish the flow again.")))

    def _with_webhook_address(self, version: FlowVersion) -> FlowVersion:
        """Return the version with the current address of its webhook, which isn't stored in versions."""
        keys = [step.app_key for step in version.steps if step.app_key]
        base = self._context.workspace.address_for_services()
        steps = steps_with_addresses(version.flow_id, version.steps, self._context.app_details(keys), base)
        return version.model_copy(update={"steps": steps})


def _account_of(running: RunningTrigger) -> tuple[AppKey | None, ConnectionId | None]:
    """The app and the connection that a trigger's webhook is registered with."""
    trigger = running.version.steps[0]
    return trigger.app_key, trigger.connection_id


def _running_trigger(tx: Tx, flow_id: FlowId) -> RunningTrigger | None:
    flow = flows.get(tx, flow_id)
    state = flow_versions.get_trigger_state(tx, flow_id)
    if not flow.active or flow.published_version is None or state is None:
        return None
    version = flow_versions.frozen(tx, flow_id, flow.published_version)
    return None if version is None else RunningTrigger(version, state)


def _rejected_values(trigger: Step, error: ValidationFailed) -> tuple[Blocker, ...]:
    """The values of a trigger that only its app could check, such as keys that can't be a hot key."""
    rejected: list[tuple[str | None, str]] = [
        (field, " ".join(filter(None, (message, error.todo))))
        for field, messages in error.by_field.items()
        for message in messages
    ]
    return tuple(
        Blocker(step_id=trigger.id, position=trigger.position, field=field, reason=reason)
        for field, reason in rejected or [(None, error.text())]
    )
