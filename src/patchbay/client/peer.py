"""What kind of service is at the other end, and what that means for each call."""

import asyncio
from collections.abc import Mapping
from typing import Any, TypeVar

from patchbay.client.answers import Answer
from patchbay.client.foreign import REASONS, foreign_page
from patchbay.client.service import Service
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.base import Model, UserId
from patchbay.domain.errors import AppError, NotFound, NotSupported, ServerFault
from patchbay.domain.organise import User
from patchbay.domain.paging import MAX_PAGE_SIZE, Page, PageRequest

M = TypeVar("M", bound=Model)


class Peer:
    """The service behind a `RemoteBackend`: one of ours, or another of the same interface."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.capabilities = Capabilities()
        self._ours: bool | None = None
        self._probing = asyncio.Lock()
        self._owner: UserId | None = None

    async def is_ours(self) -> bool:
        """Whether the service has our additions; asked once."""
        async with self._probing:
            if self._ours is None:
                await self._probe()
        return bool(self._ours)

    async def require(self, feature: Feature) -> Service:
        """The service, when it has the endpoints of a feature. Raises `NotSupported` with the reason."""
        if not await self.is_ours():
            reason = self.capabilities.reason(feature) or "This service does not offer that."
            raise NotSupported(reason, feature=feature)
        return self.service

    async def page(self, model: type[M], path: str, query: Mapping[str, Any], page: PageRequest) -> Page[M]:
        """One page of a list, of the size asked for, whatever the page size of the service."""
        if not await self.is_ours():
            return await foreign_page(self.service, model, path, query, page)
        sizes = {"page": page.page, "limit": page.limit, "cursor": page.cursor}
        answer = await self.service.get(path, {**query, **sizes})
        return Page(
            items=answer.many(model),
            total=answer.meta.get("count", 0),
            page=answer.meta.get("currentPage") or page.page,
            limit=page.limit,
            next_cursor=answer.meta.get("nextCursor"),
        )

    async def users(self) -> tuple[User, ...]:
        """All users, however many pages that takes."""
        found: list[User] = []
        for number in range(1, 1000):
            answer = await self.service.get("/v1/users", {"page": number, "limit": MAX_PAGE_SIZE})
            part = answer.many(User)
            found.extend(part)
            if not part or len(found) >= answer.meta.get("count", 0):
                break
        return tuple(found)

    async def owner(self) -> UserId:
        """Whose new flows are: the first user the service ever had."""
        if self._owner is None:
            users = await self.users()
            if not users:
                raise NotFound("The service has no user yet.", todo="Create one there first.")
            self._owner = min(users, key=lambda user: (user.created_at, user.id)).id
        return self._owner

    async def _probe(self) -> None:
        try:
            answer = await self.service.get("/v1/info")
        except (NotFound, NotSupported, ServerFault) as error:
            await self._confirm_interface(error)
            return
        self._adopt(answer)

    def _adopt(self, answer: Answer) -> None:
        self._ours = True
        if isinstance(answer.data, dict) and "capabilities" in answer.data:
            self.capabilities = self.service.read(Capabilities, answer.data["capabilities"])

    async def _confirm_interface(self, error: AppError) -> None:
        """No `/v1/info`: another kind of service, if it answers the interface at all."""
        try:
            await self.service.get("/v1/flows")
        except NotFound:
            raise error from None
        self._ours = False
        self.capabilities = Capabilities(unavailable=REASONS)
