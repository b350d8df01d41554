"""What kind of service is at the other end, and what that means for each call."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from patchbay.client.answers import Answer
from patchbay.client.dialect import Dialect, DialectMemory, SessionMemory, found_out
from patchbay.client.failures import AnswerTooLarge, NotRead, NotTheInterface
from patchbay.client.foreign import LACKING, REASONS, foreign_page
from patchbay.client.pages import ForeignPages
from patchbay.client.service import Service
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.base import Model, UserId
from patchbay.domain.changes import Change, Noun
from patchbay.domain.errors import AppError, NotFound, NotSupported
from patchbay.domain.organise import User
from patchbay.domain.paging import MAX_PAGE_SIZE, Page, PageRequest

M = TypeVar("M", bound=Model)

ANEW_AFTER_SECONDS = 15.0
"""How soon after it was found out what a service is, that is doubted again."""
_PEOPLE = ("/v1/users", "/v1/user-invitations")
_NOUNS = {
    "flows": Noun.FLOW, "templates": Noun.TEMPLATE, "users": Noun.USER, "user-invitations": Noun.USER,
}  # fmt: skip
_LISTS = {f"/v1/{name}" for name in ("apps", "executions", "flows", "users", "user-invitations")}


class Peer:
    """The service behind a `RemoteBackend`: one of ours, or another of the same interface.

    Paths are written as our own service has them; what another one expects instead is put in here.
    """

    def __init__(self, service: Service, memory: DialectMemory | None = None) -> None:
        self.service = service
        self.capabilities = Capabilities()
        self.anew_after = ANEW_AFTER_SECONDS
        self.pages = ForeignPages(self.get)
        self.announce: Callable[[Change], None] = lambda change: None
        self._memory = memory or SessionMemory()
        self._dialect: Dialect | None = None
        self._asked_at: float | None = None
        """When it was found out without believing what was kept."""
        self._probing = asyncio.Lock()
        self._owner: UserId | None = None

    async def is_ours(self) -> bool:
        """Whether the service has our additions; asked once."""
        return (await self.dialect()).ours

    async def dialect(self) -> Dialect:
        """How the service speaks; asked once, and anew when an answer contradicts it."""
        async with self._probing:
            if self._dialect is None:
                await self._find_out(await self._memory.load())
            assert self._dialect is not None
            return self._dialect

    async def require(self, feature: Feature) -> Service:
        """The service, when it has the endpoints of a feature. Raises `NotSupported` with the reason."""
        if not await self.is_ours():
            reason = self.capabilities.reason(feature) or "This service does not offer that."
            raise NotSupported(reason, feature=feature)
        return self.service

    def lacks(self, feature: Feature) -> NotSupported:
        """To raise when it turned out that the service lacks a feature; from then on that is known."""
        reason = LACKING.get(feature) or REASONS[feature]
        self.capabilities = Capabilities(unavailable={**self.capabilities.unavailable, feature: reason})
        return NotSupported(reason, feature=feature)

    async def get(self, path: str, query: Mapping[str, Any] | None = None) -> Answer:
        """Ask. When the answer shows that the service speaks otherwise by now, ask once more, in its way."""
        spoken = await self._spoken(path)
        try:
            return await self.service.get(spoken, query)
        except (NotTheInterface, NotFound, NotRead) as error:
            refused = self._of_thing(error, path)
            if not _contradicts(refused, path) or not await self._asked_anew(path):
                raise refused from None
        return await self.service.get(await self._spoken(path), query)

    async def send(self, method: str, path: str, body: object = None, *, patient: bool = False) -> Answer:
        """Change something; never repeated. What another service won't announce is announced here."""
        spoken = await self._spoken(path)
        try:
            answer = await self.service.send(method, spoken, body, patient=patient)
        except NotRead as error:
            raise self._of_thing(error, path) from None
        if not await self.is_ours():
            self.announce(Change(noun=_noun_of(path)))
        return answer

    async def page(self, model: type[M], path: str, query: Mapping[str, Any], page: PageRequest) -> Page[M]:
        """One page of a list, of the size asked for, whatever the page size of the service."""
        if not await self.is_ours():
            return await foreign_page(self.pages, model, path, query, page)
        try:
            return await self._our_page(model, path, query, page)
        except AnswerTooLarge:
            if page.limit == 1:
                raise
        return await self._page_in_parts(model, path, query, page)

    async def _our_page(
        self, model: type[M], path: str, query: Mapping[str, Any], page: PageRequest
    ) -> Page[M]:
        sizes = {"page": page.page, "limit": page.limit, "cursor": page.cursor}
        answer = await self.get(path, {**query, **sizes})
        return Page(
            items=answer.many(model),
            total=answer.count,
            page=answer.meta.get("currentPage") or page.page,
            limit=page.limit,
            next_cursor=answer.meta.get("nextCursor"),
        )

    async def _page_in_parts(
        self, model: type[M], path: str, query: Mapping[str, Any], page: PageRequest
    ) -> Page[M]:
        """The page, put together from smaller ones."""
        size = next(size for size in range(max(1, page.limit // 8), 0, -1) if page.limit % size == 0)
        parts = page.limit // size
        part = PageRequest(page=(page.page - 1) * parts + 1, limit=size, cursor=page.cursor)
        items: list[M] = []
        for _ in range(parts):
            found = await self.page(model, path, query, part)
            items.extend(found.items)
            if found.next_cursor is None:
                break
            part = PageRequest(limit=size, cursor=found.next_cursor)
        return found.model_copy(update={"items": tuple(items), "page": page.page, "limit": page.limit})

    async def everything(self, model: type[M], path: str) -> tuple[M, ...]:
        """All rows of a list in pages, however many pages that takes."""
        if not await self.is_ours():
            return tuple([row async for answer in self.pages.every(path) for row in answer.many(model)])
        found: list[M] = []
        request = PageRequest(limit=MAX_PAGE_SIZE)
        while True:
            part = await self.page(model, path, {}, request)
            found.extend(part.items)
            if not part.items or len(found) >= part.total:
                return tuple(found)
            request = PageRequest(page=request.page + 1, limit=MAX_PAGE_SIZE)

    async def users(self) -> tuple[User, ...]:
        """All users."""
        return await self.everything(User, "/v1/users")

    async def owner(self) -> UserId:
        """Whose new flows are: the first user the service ever had."""
        if self._owner is None:
            users = await self.users()
            if not users:
                raise NotFound("The service has no user yet.", todo="Create one there first.")
            self._owner = min(users, key=lambda user: (user.created_at, user.id)).id
        return self._owner

    async def _find_out(self, kept: Dialect | None) -> None:
        found, info = await found_out(self.service, kept)
        if kept is None or found is not kept:
            self._asked_at = time.monotonic()
        if info is None:
            self.capabilities = Capabilities(unavailable=REASONS)
        else:
            self.capabilities = self.service.read(Capabilities, info.data["capabilities"])
        await self._keep(found)

    async def _keep(self, dialect: Dialect) -> None:
        self._dialect = dialect
        if dialect != await self._memory.load():
            await self._memory.save(dialect)

    async def _asked_anew(self, path: str) -> bool:
        """Whether the service turns out to speak otherwise than we thought."""
        before = await self.dialect()
        if self._asked_at is not None and time.monotonic() - self._asked_at < self.anew_after:
            return False
        async with self._probing:
            if self._dialect is before:
                try:
                    await self._find_out(None)
                except AppError:
                    self.service.base, self._asked_at = before.base, time.monotonic()
                    return False
        if path.startswith(_PEOPLE):
            await self._spoken(path)
        return self._dialect != before

    async def _spoken(self, path: str) -> str:
        """The path as this service expects it."""
        dialect = await self.dialect()
        if not path.startswith(_PEOPLE):
            return path
        if dialect.people is None:
            dialect = dialect.model_copy(update={"people": await self._where_people_are()})
            await self._keep(dialect)
        return path.replace("/v1", dialect.people or "", 1)

    async def _where_people_are(self) -> str:
        for before in ("/v1", ""):
            try:
                (await self.service.get(before + "/users")).rows()
            except (NotTheInterface, NotFound):
                continue
            return before
        raise self.lacks(Feature.PEOPLE)

    def _of_thing(self, error: AppError, path: str) -> AppError:
        """Other services do not read ids that are none of theirs: such a thing does not exist."""
        ours = self._dialect is None or self._dialect.ours
        if ours or not isinstance(error, NotRead) or path in _LISTS:
            return error
        return NotFound("This does not exist (any more).", todo="Refresh the list.")


def _noun_of(path: str) -> Noun:
    """What a request to this path changes."""
    if "/folders" in path:
        return Noun.FOLDER
    named = path.removeprefix("/v1/").partition("/")[0]
    return _NOUNS.get(named, Noun.WORKSPACE)


def _contradicts(error: AppError, path: str) -> bool:
    """Whether a service that speaks as we think could not have answered so."""
    return isinstance(error, NotTheInterface) or (isinstance(error, NotFound) and path in _LISTS)
