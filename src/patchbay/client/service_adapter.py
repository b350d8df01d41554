"""Adapts requests to the kind of server: Patchbay or Automatisch, which is detected once and stored."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError

from patchbay.client.compat import UNSUPPORTED_ON_SOME_SERVERS, UNSUPPORTED_REASONS, CompatPager, compat_page
from patchbay.client.errors import NotAnApiResponse, RequestNotUnderstood, ResponseTooLarge, ServerMoved
from patchbay.client.responses import ApiResponse
from patchbay.client.service_client import ServiceClient
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.base import Model, UserId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import (
    AppError,
    Forbidden,
    NotFound,
    NotSupported,
    ServerFault,
    TimedOut,
    Unreachable,
)
from patchbay.domain.paging import MAX_PAGE_SIZE, Page, PageRequest
from patchbay.domain.people import User
from patchbay.domain.remote_cache import RemoteCache

_NOTE_KEY = "dialect"
API_PREFIX = "/api"
"""The path prefix of the API on third-party servers, which also serve web pages."""


class Dialect(Model):
    """The kind of a server. `base` is the path prefix of its API.

    `people` is the path prefix of users, folders, and invitations: "/v1", or empty as Automatisch documents
    it; None until it is first needed.
    """

    base: str = ""
    ours: bool = False
    """Whether it's a Patchbay server."""
    people: str | None = None


class DialectStore(Protocol):
    """Stores the dialect of one server between sessions."""

    async def load(self) -> Dialect | None:
        """Return the stored dialect of the server; None if it isn't known."""
        ...

    async def save(self, dialect: Dialect) -> None:
        """Store the dialect of the server."""
        ...


class InMemoryDialectStore:
    """Stores a dialect in memory."""

    def __init__(self, dialect: Dialect | None = None) -> None:
        self.dialect = dialect

    async def load(self) -> Dialect | None:
        return self.dialect

    async def save(self, dialect: Dialect) -> None:
        self.dialect = dialect


class PersistentDialectStore:
    """Stores a dialect in the cache of its server."""

    def __init__(self, cache: RemoteCache) -> None:
        self._cache = cache

    async def load(self) -> Dialect | None:
        text = await self._cache.note(_NOTE_KEY)
        try:
            return Dialect.model_validate_json(text) if text else None
        except ValidationError:
            return None  # written by another version of Patchbay: detect it again

    async def save(self, dialect: Dialect) -> None:
        await self._cache.write_note(_NOTE_KEY, dialect.model_dump_json(by_alias=True))


async def detect_dialect(
    service: ServiceClient, cached: Dialect | None
) -> tuple[Dialect, ApiResponse | None]:
    """Detect the dialect of a server; return it with `/v1/info` of a Patchbay server. Sets `service.base`.

    The cached dialect is tried first, and trusted unless the server contradicts it. Raises `NotFound` or
    `ServerFault` if there is no API, and errors of the server.
    """
    errors: list[AppError] = []
    prefixes = [cached.base] if cached else []
    prefixes += ["", *([] if service.base_url.lower().endswith(API_PREFIX) else [API_PREFIX])]
    for base in dict.fromkeys(prefixes):  # the likeliest first
        service.base = base
        try:
            return await _detect_at(service, base, cached)
        except (NotFound, NotSupported, NotAnApiResponse) as error:
            errors.append(error)

    service.base = ""
    if not any(isinstance(error, NotFound) for error in errors):
        raise errors[-1]
    raise NotFound(
        f"No API found at {service.base_url}.",
        meaning="The address may be wrong, or the API is turned off: some servers need a licence for it.",
        todo="Check the address, and ask the server's administrator whether its API is available.",
    )


async def _detect_at(
    service: ServiceClient, base: str, cached: Dialect | None
) -> tuple[Dialect, ApiResponse | None]:
    try:
        info = await service.get("/v1/info")
    except ServerMoved:
        raise
    except (Unreachable, TimedOut):
        if service.connectivity.offline_since is None or cached is None or cached.base != base or cached.ours:
            raise
        return cached, None  # it was an Automatisch server when it last responded
    except (NotFound, NotSupported, Forbidden, ServerFault):
        info = None
    if info is not None and isinstance(info.data, dict) and "capabilities" in info.data:
        return Dialect(base=base, ours=True, people="/v1"), info
    if cached and cached.base == base and not cached.ours:
        return cached, None
    (await service.get("/v1/flows")).rows()
    return Dialect(base=base), None


M = TypeVar("M", bound=Model)

RECHECK_AFTER_SECONDS = 15.0
"""Min. time between two detections of the kind of server."""
_USER_PATHS = ("/v1/users", "/v1/user-invitations")
_RESOURCE_BY_PATH = {
    "flows": ResourceType.FLOW,
    "templates": ResourceType.TEMPLATE,
    "users": ResourceType.USER,
    "user-invitations": ResourceType.USER,
}
_LIST_PATHS = {f"/v1/{name}" for name in ("apps", "executions", "flows", "users", "user-invitations")}


class ServiceAdapter:
    """The server behind a `RemoteBackend`: Patchbay or Automatisch.

    Callers pass the paths of a Patchbay server; they're adapted here for others.
    """

    def __init__(self, service: ServiceClient, dialect_store: DialectStore | None = None) -> None:
        self.service = service
        self.capabilities = Capabilities()
        self.recheck_after = RECHECK_AFTER_SECONDS
        self.pages = CompatPager(self.get)
        self.on_change: Callable[[Change], None] = lambda change: None
        self._dialect_store = dialect_store or InMemoryDialectStore()
        self._dialect: Dialect | None = None
        self._checked_at: float | None = None
        """When the dialect was last detected without the cached one."""
        self._detection_lock = asyncio.Lock()
        self._owner: UserId | None = None

    async def is_patchbay(self) -> bool:
        """Whether it's a Patchbay server; detected once."""
        return (await self.dialect()).ours

    async def dialect(self) -> Dialect:
        """The server's dialect; detected once, and again when a response contradicts it."""
        async with self._detection_lock:
            if self._dialect is None:
                await self._detect(await self._dialect_store.load())
            assert self._dialect is not None
            return self._dialect

    async def require(self, feature: Feature) -> ServiceClient:
        """The client, if the server has the endpoints of a feature. Raises `NotSupported` with the reason."""
        if not await self.is_patchbay():
            reason = self.capabilities.reason(feature) or "This server doesn't support that."
            raise NotSupported(reason, feature=feature)
        return self.service

    def mark_unsupported(self, feature: Feature) -> NotSupported:
        """The error for a feature the server turned out to lack; also marks it as unavailable."""
        reason = UNSUPPORTED_ON_SOME_SERVERS.get(feature) or UNSUPPORTED_REASONS[feature]
        self.capabilities = Capabilities(unavailable={**self.capabilities.unavailable, feature: reason})
        return NotSupported(reason, feature=feature)

    async def get(self, path: str, query: Mapping[str, Any] | None = None) -> ApiResponse:
        """Send a GET request. If the response contradicts the dialect, detect it again and retry."""
        native_path = await self._native_path(path)
        try:
            return await self.service.get(native_path, query)
        except (NotAnApiResponse, NotFound, RequestNotUnderstood) as error:
            mapped_error = self._as_not_found(error, path)
            # These errors are impossible for a server of this dialect.
            contradicts_dialect = isinstance(mapped_error, NotAnApiResponse) or (
                isinstance(mapped_error, NotFound) and path in _LIST_PATHS
            )
            if not contradicts_dialect or not await self._recheck_dialect(path):
                raise mapped_error from None
        return await self.service.get(await self._native_path(path), query)

    async def send(
        self, method: str, path: str, body: object = None, *, long_timeout: bool = False
    ) -> ApiResponse:
        """Send a change, never repeated. Publishes the change if the server has no live updates."""
        native_path = await self._native_path(path)
        try:
            response = await self.service.send(method, native_path, body, long_timeout=long_timeout)
        except RequestNotUnderstood as error:
            raise self._as_not_found(error, path) from None
        if not await self.is_patchbay():
            resource = path.removeprefix("/v1/").partition("/")[0]
            kind = _RESOURCE_BY_PATH.get(resource, ResourceType.WORKSPACE)
            self.on_change(Change(noun=ResourceType.FOLDER if "/folders" in path else kind))
        return response

    async def page(self, model: type[M], path: str, query: Mapping[str, Any], page: PageRequest) -> Page[M]:
        """One page of a list in the requested size, whatever the page size of the server."""
        if not await self.is_patchbay():
            return await compat_page(self.pages, model, path, query, page)
        try:
            sizes = {"page": page.page, "limit": page.limit, "cursor": page.cursor}
            response = await self.get(path, {**query, **sizes})
            return Page(
                items=response.many(model),
                total=response.count,
                page=response.meta.get("currentPage") or page.page,
                limit=page.limit,
                next_cursor=response.meta.get("nextCursor"),
            )
        except ResponseTooLarge:
            if page.limit == 1:
                raise
        return await self._page_in_parts(model, path, query, page)

    async def _page_in_parts(
        self, model: type[M], path: str, query: Mapping[str, Any], page: PageRequest
    ) -> Page[M]:
        """The page, combined from smaller ones."""
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

    async def list_all(self, model: type[M], path: str) -> tuple[M, ...]:
        """All rows of a paginated list."""
        if not await self.is_patchbay():
            return tuple(
                [row async for response in self.pages.iter_pages(path) for row in response.many(model)]
            )
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
        return await self.list_all(User, "/v1/users")

    async def owner(self) -> UserId:
        """The owner of new flows: the server's first user."""
        if self._owner is None:
            users = await self.users()
            if not users:
                raise NotFound("The server has no users yet.", todo="Create one there first.")
            self._owner = min(users, key=lambda user: (user.created_at, user.id)).id
        return self._owner

    async def _detect(self, cached: Dialect | None) -> None:
        found, info = await detect_dialect(self.service, cached)
        if cached is None or found is not cached:
            self._checked_at = time.monotonic()
        if info is None:
            self.capabilities = Capabilities(unavailable=UNSUPPORTED_REASONS)
        else:
            self.capabilities = self.service.read(Capabilities, info.data["capabilities"])
        await self._save_dialect(found)

    async def _save_dialect(self, dialect: Dialect) -> None:
        self._dialect = dialect
        if dialect != await self._dialect_store.load():
            await self._dialect_store.save(dialect)

    async def _recheck_dialect(self, path: str) -> bool:
        """Detect the dialect again; returns whether it changed."""
        before = await self.dialect()
        if self._checked_at is not None and time.monotonic() - self._checked_at < self.recheck_after:
            return False
        async with self._detection_lock:
            if self._dialect is before:
                try:
                    await self._detect(None)
                except AppError:
                    self.service.base, self._checked_at = before.base, time.monotonic()
                    return False
        if path.startswith(_USER_PATHS):
            await self._native_path(path)
        return self._dialect != before

    async def _native_path(self, path: str) -> str:
        """The path as this server expects it."""
        dialect = await self.dialect()
        if not path.startswith(_USER_PATHS):
            return path
        if dialect.people is None:
            dialect = dialect.model_copy(update={"people": await self._detect_users_prefix()})
            await self._save_dialect(dialect)
        return path.replace("/v1", dialect.people or "", 1)

    async def _detect_users_prefix(self) -> str:
        for before in ("/v1", ""):
            try:
                (await self.service.get(before + "/users")).rows()
            except (NotAnApiResponse, NotFound):
                continue
            return before
        raise self.mark_unsupported(Feature.PEOPLE)

    def _as_not_found(self, error: AppError, path: str) -> AppError:
        """Automatisch rejects malformed IDs, which means that the resource doesn't exist."""
        ours = self._dialect is None or self._dialect.ours
        if ours or not isinstance(error, RequestNotUnderstood) or path in _LIST_PATHS:
            return error
        return NotFound("This doesn't exist any more.", todo="Refresh the list.")
