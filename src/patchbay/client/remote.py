"""A workspace on a server: the `Backend` over HTTP."""

import hashlib
import hmac
from collections.abc import AsyncIterator

import httpx

from patchbay.client.api_keys import ApiKeyCalls
from patchbay.client.audit_log import AuditLogCalls
from patchbay.client.changes import ChangeFeed
from patchbay.client.connections import ConnectionCalls
from patchbay.client.engine import EngineCalls
from patchbay.client.executions import ExecutionCalls, RunCalls
from patchbay.client.flow_ownership import FlowOwnershipResolver
from patchbay.client.flows import FlowCalls
from patchbay.client.folders import FolderCalls
from patchbay.client.history import HistoryCalls, HistoryReader, LocalHistory
from patchbay.client.people import PeopleCalls
from patchbay.client.secrets import SecretCalls
from patchbay.client.service_adapter import DialectStore, PersistentDialectStore, ServiceAdapter
from patchbay.client.service_client import READ_TIMEOUT_SECONDS, ServiceClient, normalize_address
from patchbay.client.service_settings import ServiceSettingsCalls
from patchbay.client.templates import TemplateCalls
from patchbay.client.tools import ToolCalls
from patchbay.client.workspace import WorkspaceCalls
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.remote_cache import RemoteCache
from patchbay.domain.remote_options import RemoteOptions


class RemoteBackend(
    WorkspaceCalls,
    ConnectionCalls,
    SecretCalls,
    FlowCalls,
    ExecutionCalls,
    HistoryCalls,
    RunCalls,
    EngineCalls,
    FolderCalls,
    TemplateCalls,
    PeopleCalls,
    ApiKeyCalls,
    AuditLogCalls,
    ServiceSettingsCalls,
    ToolCalls,
):
    """The `Backend` over HTTP. Raises the same errors as the server's own workspace.

    For an Automatisch server, `capabilities` has the missing features and the reasons, once `open` or any
    other call was awaited. The API key is sent in a header and never shown.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        timeout: float = READ_TIMEOUT_SECONDS,
        options: RemoteOptions | None = None,
        dialect_store: DialectStore | None = None,
        remote_cache: RemoteCache | None = None,
        resolve_ownership: bool = True,
    ) -> None:
        """`resolve_ownership`: find out the folder and owner of flows if the server doesn't report them."""
        service = ServiceClient(
            base_url,
            api_key,
            transport=transport,
            timeout=timeout,
            options=options,
            response_store=remote_cache.responses if remote_cache else None,
        )
        self._remote_cache = remote_cache
        if remote_cache is not None:
            # Identifies the cached responses of one key, without revealing the key.
            address = normalize_address(base_url)
            remote_cache.bind(hmac.new(api_key.encode(), address.encode(), hashlib.sha256).hexdigest())
        super().__init__(
            ServiceAdapter(
                service, dialect_store or (PersistentDialectStore(remote_cache) if remote_cache else None)
            )
        )
        self._flow_ownership = FlowOwnershipResolver(self._adapter, is_enabled=resolve_ownership)
        copy = remote_cache.history if remote_cache else None
        self._reader = HistoryReader(self._adapter, copy, self._notify) if copy else None
        self._history = LocalHistory(self._adapter, copy, self._reader)
        self._change_feed = ChangeFeed(self._adapter, on_list_changed=self._on_lists_changed)
        self._adapter.on_change = self._change_feed.publish
        service.connectivity.on_change = lambda: self._notify(ResourceType.WORKSPACE)

    def __repr__(self) -> str:
        return f"RemoteBackend({self._adapter.service.base_url!r})"

    async def open(self) -> None:
        """Detect what the server supports. Raises `AuthRequired` for a wrong key, `Unreachable`, …"""
        if not await self._adapter.is_patchbay() and self._reader is not None:
            await self._reader.resume()

    def changes(self) -> AsyncIterator[Change]:
        return self._change_feed.subscribe()

    async def close(self) -> None:
        await self._change_feed.close()
        if self._reader is not None:
            await self._reader.close()
        await self._adapter.service.close()
        if self._remote_cache is not None:
            await self._remote_cache.close()

    def _notify(self, resource: ResourceType) -> None:
        """Publish a local change: of the connectivity, or of the copy of the history."""
        self._change_feed.publish(Change(noun=resource))

    def _on_lists_changed(self) -> None:
        self._flow_ownership.invalidate()
        if self._reader is not None:
            self._reader.wake()
