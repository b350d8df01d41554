"""The folders and owners of flows on Automatisch servers, which don't return them.

They're derived from its flow lists, filtered by user and by folder.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from patchbay.client.responses import ApiResponse
from patchbay.client.service_adapter import ServiceAdapter
from patchbay.client.service_client import build_path
from patchbay.domain.base import FlowId, FolderId, Model, UserId
from patchbay.domain.errors import AppError, Forbidden, NotFound, NotSupported
from patchbay.domain.flows import Flow, FlowFilter
from patchbay.domain.folders import NO_FOLDER, Folder, FolderStats

T = TypeVar("T")

CACHE_SECONDS = 60.0
"""Moves by other users are noticed after this time at the latest."""
MAX_REQUESTS = 80
"""Max. requests to find all folders and owners; the rest stays unknown."""
MAX_CONCURRENT = 4
_FLOWS = "/v1/flows"


@dataclass
class _Ownership:
    """Known folders and owners. `at` (when they were read) and `valid_until` use the monotonic clock."""

    at: float
    valid_until: float
    folders: dict[FlowId, FolderId] = field(default_factory=dict)
    owners: dict[FlowId, UserId] = field(default_factory=dict)
    unlisted: set[FlowId] = field(default_factory=set)
    """Flows that are in no list; requesting the lists again doesn't help."""

    def unknown_flows(self, flows: Iterable[FlowId]) -> set[FlowId]:
        return {flow for flow in flows if flow not in self.owners and flow not in self.unlisted}


class _Row(Model):
    id: FlowId


class FlowOwnershipResolver:
    """The folders and owners of the flows of one server; read when first needed.

    With `is_enabled` False, they stay unknown.
    """

    def __init__(self, adapter: ServiceAdapter, *, is_enabled: bool = True) -> None:
        self._adapter, self._is_enabled = adapter, is_enabled
        self._ownership: _Ownership | None = None
        self._fetch_lock = asyncio.Lock()
        self._slots = asyncio.Semaphore(MAX_CONCURRENT)
        self._request_count = 0
        self._generation = 0

    def invalidate(self) -> None:
        """Read folders and owners again when they are next needed."""
        self._ownership = None
        self._generation += 1

    async def resolved(self, flows: Sequence[Flow], where: FlowFilter | None = None) -> tuple[Flow, ...]:
        """The flows with their folder and owner, as far as they can be determined.

        `where` is the filter they were listed with: its folder and user apply without a request.
        """
        if not flows or not self._is_enabled or await self._adapter.is_patchbay():
            return tuple(flows)
        where = where or FlowFilter()
        started_at = time.monotonic()
        ownership = await self._current_ownership()
        if ownership.at < started_at and ownership.unknown_flows(
            flow.id for flow in flows
        ):  # flows created since the lists were read
            ownership = await self._current_ownership(ownership)
        ownership.unlisted |= ownership.unknown_flows(flow.id for flow in flows)
        return tuple(_apply_ownership(flow, ownership, where) for flow in flows)

    async def whole(self, response: ApiResponse) -> Flow:
        """The flow in the response to a change; read again if the response lacks its steps."""
        flow = response.one(Flow)
        if "steps" not in response.data and not await self._adapter.is_patchbay():
            flow = (await self._adapter.get(build_path("/v1/flows/{id}", id=flow.id))).one(Flow)
        (resolved,) = await self.resolved((flow,))
        return resolved

    async def folders(self, users: Iterable[UserId] | None = None) -> tuple[Folder, ...]:
        """The folders of these users, or of all, each with its owner; by name."""
        wanted = [user.id for user in await self._adapter.users()] if users is None else list(users)
        found = await self._gather_limited(partial(self._folders_of, user) for user in wanted)
        return tuple(sorted((item for part in found for item in part), key=lambda item: item.name.casefold()))

    async def stats(self, user_id: UserId | None = None) -> tuple[FolderStats, ...]:
        """The number of flows in each folder and in none, without runs.

        For all users, or for this one.
        """
        folders = (await self.folders([user_id] if user_id else None))[: MAX_REQUESTS // 2 - 1]
        ids = [folder.id for folder in folders]
        counts = await self._gather_limited(
            partial(self._count, key, status, user_id)
            for key in (*ids, None)
            for status in (None, "published")
        )
        return tuple(
            FolderStats(folder_id=key, flows=counts[2 * number], published=counts[2 * number + 1])
            for number, key in enumerate((*ids, None))
        )

    async def _current_ownership(self, old: _Ownership | None = None) -> _Ownership:
        """The known folders and owners, read after `old`."""
        async with self._fetch_lock:
            cached = self._ownership
            if cached is not None and cached is not old and time.monotonic() < cached.valid_until:
                return cached
            generation = self._generation
            found = await self._fetch_ownership()
            if generation == self._generation:
                self._ownership = found
            return found

    async def _fetch_ownership(self) -> _Ownership:
        now = time.monotonic()
        ownership = _Ownership(at=now, valid_until=now + CACHE_SECONDS)
        self._request_count = 0
        try:
            users = [user.id for user in await self._adapter.users()]
            folders = await self.folders(users)
            in_folders = await self._gather_limited(
                partial(self._flows_with, "folderId", folder.id) for folder in folders
            )
            of_users = await self._gather_limited(partial(self._flows_with, "userId", user) for user in users)
        except (Forbidden, NotFound, NotSupported):
            return ownership  # not available on this server, or to this key
        except AppError:
            ownership.valid_until = now  # later, perhaps
            return ownership
        ownership.folders = _invert_unless_ambiguous(
            dict(zip((item.id for item in folders), in_folders, strict=True))
        )
        ownership.owners = _invert_unless_ambiguous(dict(zip(users, of_users, strict=True)))
        return ownership

    async def _flows_with(self, name: str, value: str) -> list[FlowId]:
        found: list[FlowId] = []
        async for response in self._adapter.pages.iter_pages(_FLOWS, {name: value}):
            found.extend(row.id for row in response.many(_Row))
            self._request_count += 1
            if self._request_count >= MAX_REQUESTS:
                break
        return found

    async def _folders_of(self, user_id: UserId) -> tuple[Folder, ...]:
        response = await self._adapter.get(build_path("/v1/users/{user}/folders", user=user_id))
        return tuple(item.model_copy(update={"user_id": user_id}) for item in response.many(Folder))

    async def _count(self, folder_id: FolderId | None, status: str | None, user_id: UserId | None) -> int:
        query = {"folderId": folder_id or NO_FOLDER, "status": status, "userId": user_id}
        return (await self._adapter.get(_FLOWS, query)).count

    async def _gather_limited(self, requests: Iterable[Callable[[], Awaitable[T]]]) -> list[T]:
        """The results of all requests, a few of them running at a time."""

        async def one(request: Callable[[], Awaitable[T]]) -> T:
            async with self._slots:
                return await request()

        return list(await asyncio.gather(*(one(request) for request in requests)))


def _apply_ownership(flow: Flow, ownership: _Ownership, where: FlowFilter) -> Flow:
    folder = flow.folder_id or where.folder_id or ownership.folders.get(flow.id)
    owner = flow.user_id or where.user_id or ownership.owners.get(flow.id)
    return flow.model_copy(update={"folder_id": None if folder == NO_FOLDER else folder, "user_id": owner})


def _invert_unless_ambiguous(lists: dict[T, list[FlowId]]) -> dict[FlowId, T]:
    """Map each flow to its list's key. Empty if any is in two lists: the server ignored the filter then."""
    found: dict[FlowId, T] = {}
    for key, flows in lists.items():
        if not found.keys().isdisjoint(flows):
            return {}
        found.update(dict.fromkeys(flows, key))
    return found
