"""Whose flows are whose and which folder they are in, where the service does not say so itself.

Its lists can be filtered by person and by folder; which flows those lists hold is what is known then.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from patchbay.client.answers import Answer
from patchbay.client.peer import Peer
from patchbay.client.service import at
from patchbay.domain.base import FlowId, FolderId, Model, UserId
from patchbay.domain.errors import AppError, Forbidden, NotFound, NotSupported
from patchbay.domain.flows import Flow, FlowFilter
from patchbay.domain.organise import Folder, FolderStats

T = TypeVar("T")

KEPT_SECONDS = 60.0
"""What others move to another folder is seen after that time at the latest."""
MOST_QUESTIONS = 80
"""With how many questions all places are found out; what is not known then stays unknown."""
AT_A_TIME = 4
NO_FOLDER = "null"
_FLOWS = "/v1/flows"


@dataclass
class _Known:
    """What was found out. `at` is when, `until` how long it holds, by a clock that only goes forward."""

    at: float
    until: float
    folders: dict[FlowId, FolderId] = field(default_factory=dict)
    owners: dict[FlowId, UserId] = field(default_factory=dict)
    nowhere: set[FlowId] = field(default_factory=set)
    """Flows that no list had; asking again does not help."""

    def lacks(self, flows: Iterable[FlowId]) -> set[FlowId]:
        return {flow for flow in flows if flow not in self.owners and flow not in self.nowhere}


class _Row(Model):
    id: FlowId


class Places:
    """The folders and owners of the flows of one foreign service; found out when first needed.

    With `find` False they stay unknown.
    """

    def __init__(self, peer: Peer, *, find: bool = True) -> None:
        self._peer, self._find_all = peer, find
        self._known: _Known | None = None
        self._finding = asyncio.Lock()
        self._slots = asyncio.Semaphore(AT_A_TIME)
        self._questions = 0
        self._forgotten = 0

    def forget(self) -> None:
        """Something changed: find out anew when it is needed again."""
        self._known = None
        self._forgotten += 1

    async def filled(self, flows: Sequence[Flow], where: FlowFilter | None = None) -> tuple[Flow, ...]:
        """The flows with their folder and owner, as far as the service lets that be known.

        `where` says by what they were found, which is known without asking.
        """
        if not flows or not self._find_all or await self._peer.is_ours():
            return tuple(flows)
        where = where or FlowFilter()
        begun = time.monotonic()
        known = await self._found()
        if known.at < begun and known.lacks(flow.id for flow in flows):  # made by others since
            known = await self._found(known)
        known.nowhere |= known.lacks(flow.id for flow in flows)
        return tuple(_placed(flow, known, where) for flow in flows)

    async def whole(self, answer: Answer) -> Flow:
        """The flow a change was answered with; read again where the service left its steps out."""
        flow = answer.one(Flow)
        if "steps" not in answer.data and not await self._peer.is_ours():
            flow = (await self._peer.get(at("/v1/flows/{id}", id=flow.id))).one(Flow)
        (filled,) = await self.filled((flow,))
        return filled

    async def folders(self, users: Iterable[UserId] | None = None) -> tuple[Folder, ...]:
        """The folders of these users, or of all, each with its owner; by name."""
        wanted = [user.id for user in await self._peer.users()] if users is None else list(users)
        found = await self._each(partial(self._folders_of, user) for user in wanted)
        return tuple(sorted((item for part in found for item in part), key=lambda item: item.name.casefold()))

    async def stats(self, user_id: UserId | None = None) -> tuple[FolderStats, ...]:
        """How many flows each folder holds, and no folder at all; nothing of how they did.

        Of all people, or of this one.
        """
        folders = (await self.folders([user_id] if user_id else None))[: MOST_QUESTIONS // 2 - 1]
        ids = [folder.id for folder in folders]
        counts = await self._each(
            partial(self._count, key, status, user_id)
            for key in (*ids, None)
            for status in (None, "published")
        )
        return tuple(
            FolderStats(folder_id=key, flows=counts[2 * number], published=counts[2 * number + 1])
            for number, key in enumerate((*ids, None))
        )

    async def _found(self, old: _Known | None = None) -> _Known:
        """What is known, newer than `old`."""
        async with self._finding:
            kept = self._known
            if kept is not None and kept is not old and time.monotonic() < kept.until:
                return kept
            before = self._forgotten
            found = await self._find()
            if before == self._forgotten:
                self._known = found
            return found

    async def _find(self) -> _Known:
        now = time.monotonic()
        known = _Known(at=now, until=now + KEPT_SECONDS)
        self._questions = 0
        try:
            users = [user.id for user in await self._peer.users()]
            folders = await self.folders(users)
            in_folders = await self._each(
                partial(self._flows_with, "folderId", folder.id) for folder in folders
            )
            of_users = await self._each(partial(self._flows_with, "userId", user) for user in users)
        except (Forbidden, NotFound, NotSupported):
            return known  # this service does not tell, or not this key
        except AppError:
            known.until = now  # later, perhaps
            return known
        known.folders = _without_contradiction(
            dict(zip((item.id for item in folders), in_folders, strict=True))
        )
        known.owners = _without_contradiction(dict(zip(users, of_users, strict=True)))
        return known

    async def _flows_with(self, name: str, value: str) -> list[FlowId]:
        found: list[FlowId] = []
        async for answer in self._peer.pages.every(_FLOWS, {name: value}):
            found.extend(row.id for row in answer.many(_Row))
            self._questions += 1
            if self._questions >= MOST_QUESTIONS:
                break
        return found

    async def _folders_of(self, user_id: UserId) -> tuple[Folder, ...]:
        answer = await self._peer.get(at("/v1/users/{user}/folders", user=user_id))
        return tuple(item.model_copy(update={"user_id": user_id}) for item in answer.many(Folder))

    async def _count(self, folder_id: FolderId | None, status: str | None, user_id: UserId | None) -> int:
        query = {"folderId": folder_id or NO_FOLDER, "status": status, "userId": user_id}
        return (await self._peer.get(_FLOWS, query)).count

    async def _each(self, questions: Iterable[Callable[[], Awaitable[T]]]) -> list[T]:
        """The answers to all questions, a few of them asked at a time."""

        async def one(question: Callable[[], Awaitable[T]]) -> T:
            async with self._slots:
                return await question()

        return list(await asyncio.gather(*(one(question) for question in questions)))


def _placed(flow: Flow, known: _Known, where: FlowFilter) -> Flow:
    folder = flow.folder_id or where.folder_id or known.folders.get(flow.id)
    owner = flow.user_id or where.user_id or known.owners.get(flow.id)
    return flow.model_copy(update={"folder_id": None if folder == NO_FOLDER else folder, "user_id": owner})


def _without_contradiction(lists: dict[str, list[FlowId]]) -> dict[FlowId, str]:
    """Flow to what it was listed under; nothing where a flow is in two lists: the filter was ignored then."""
    found: dict[FlowId, str] = {}
    for key, flows in lists.items():
        if not found.keys().isdisjoint(flows):
            return {}
        found.update(dict.fromkeys(flows, key))
    return found
