"""Keeps programs that share a database in step: what one changes, the others read again and announce."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from pydantic import ValidationError

from patchbay.domain.base import ExecutionId, JsonObject
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import AppError
from patchbay.domain.peers import PeerMessage
from patchbay.engine.engine import Engine
from patchbay.service.api_keys import StoredApiKeys
from patchbay.service.changes import ChangeBroadcaster

if TYPE_CHECKING:
    from patchbay.storage.postgresql.peers import PostgresPeers

_log = logging.getLogger(__name__)

_ENGINE_RESOURCES = (ResourceType.FLOW, ResourceType.CONNECTION, ResourceType.USER)
_KEY_RESOURCES = (ResourceType.API_KEY, ResourceType.USER)


class PeerSync:
    """Passes changes between the listeners of this program and the others, and drops outdated caches.

    `reload_settings` reads the settings of the workspace, and whether it is paused.
    """

    def __init__(
        self,
        peers: "PostgresPeers",
        engine: Engine,
        changes: ChangeBroadcaster,
        keys: StoredApiKeys,
        reload_settings: Callable[[], Awaitable[None]],
    ) -> None:
        self._peers = peers
        self._engine = engine
        self._changes = changes
        self._keys = keys
        self._reload_settings = reload_settings
        self._reloading: asyncio.Task[None] | None = None
        self._is_reload_due = False
        self._undelivered: list[Change] = []
        changes.on_publish = self._send
        peers.on_message = self._on_message
        peers.on_gap = self._on_gap

    def _send(self, change: Change) -> None:
        self._peers.send(PeerMessage.CHANGE, change=change.model_dump(mode="json"))

    def _on_message(self, kind: PeerMessage, body: JsonObject) -> None:
        try:
            if kind is PeerMessage.RELOAD:
                self._reload(ResourceType(str(body["noun"])))
            elif kind is PeerMessage.CHANGE:
                self._on_change(Change.model_validate(body["change"]))
            else:
                self._engine.on_peer_message(kind, body)
        except (KeyError, ValueError, ValidationError) as error:
            _log.error("A message of another program can't be read: %s", error)

    def _on_change(self, change: Change) -> None:
        if change.noun is ResourceType.WORKSPACE:
            self._undelivered.append(change)  # listeners read the settings of this program
        self._reload(change.noun)
        if change.noun is not ResourceType.WORKSPACE:
            self._changes.deliver(change)
        if change.noun is ResourceType.EXECUTION:
            self._engine.executions_changed_elsewhere(tuple(map(ExecutionId, change.ids)))

    def _on_gap(self) -> None:
        """Read everything again: messages may have been lost."""
        self._keys.invalidate()
        self._engine.triggers_changed()
        self._engine.executions_changed_elsewhere(())
        self._on_change(Change(noun=ResourceType.WORKSPACE))

    def _reload(self, resource_type: ResourceType) -> None:
        if resource_type in _KEY_RESOURCES:
            self._keys.invalidate()
        if resource_type in _ENGINE_RESOURCES:
            self._engine.triggers_changed()
        if resource_type is ResourceType.WORKSPACE:
            self._is_reload_due = True
            if self._reloading is None or self._reloading.done():
                self._reloading = asyncio.create_task(self._read_settings(), name="reload settings")

    async def _read_settings(self) -> None:
        while self._is_reload_due:
            self._is_reload_due = False
            undelivered, self._undelivered = self._undelivered, []  # later ones wait for what is read next
            try:
                await self._reload_settings()
            except AppError as error:
                _log.warning("The settings couldn't be read again: %s", error.text())
            for change in undelivered:
                self._changes.deliver(change)

    async def close(self) -> None:
        """Stop handling messages and reading settings."""
        self._peers.on_message = lambda kind, body: None
        self._peers.on_gap = lambda: None
        if self._reloading is not None:
            self._reloading.cancel()
            await asyncio.gather(self._reloading, return_exceptions=True)
