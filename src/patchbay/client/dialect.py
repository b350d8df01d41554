"""How a service speaks the interface: under which base, and where it keeps people. Asked once, then kept."""

from collections.abc import Iterator
from typing import Protocol

from pydantic import ValidationError

from patchbay.client.answers import ApiResponse
from patchbay.client.failures import NotAnApiResponse, ServerMoved
from patchbay.client.service import ServiceClient
from patchbay.domain.base import Model
from patchbay.domain.errors import (
    AppError,
    Forbidden,
    NotFound,
    NotSupported,
    ServerFault,
    TimedOut,
    Unreachable,
)
from patchbay.domain.keeping import RemoteCache

_NOTE_KEY = "dialect"
API_PREFIX = "/api"
"""Under which other services offer the interface, beside their web pages."""


class Dialect(Model):
    """What was found out about a service. `base` stands between its address and the paths of the interface.

    `people` stands before the paths of users, folders and invitations: "/v1", or nothing where the service
    follows its own description; None until that was needed.
    """

    base: str = ""
    ours: bool = False
    """Whether it has our additions."""
    people: str | None = None


class DialectStore(Protocol):
    """Where the dialect of one service is kept from one session to the next."""

    async def load(self) -> Dialect | None: ...
    async def save(self, dialect: Dialect) -> None: ...


class InMemoryDialectStore:
    """Keeps a dialect for as long as the program runs."""

    def __init__(self, dialect: Dialect | None = None) -> None:
        self.dialect = dialect

    async def load(self) -> Dialect | None:
        return self.dialect

    async def save(self, dialect: Dialect) -> None:
        self.dialect = dialect


class PersistentDialectStore:
    """Keeps a dialect with the rest of what is kept of its service."""

    def __init__(self, memory: RemoteCache) -> None:
        self._memory = memory

    async def load(self) -> Dialect | None:
        text = await self._memory.note(_NOTE_KEY)
        try:
            return Dialect.model_validate_json(text) if text else None
        except ValidationError:
            return None  # written by another version of this program: it is asked for anew

    async def save(self, dialect: Dialect) -> None:
        await self._memory.write_note(_NOTE_KEY, dialect.model_dump_json(by_alias=True))


async def detect_dialect(
    service: ServiceClient, cached: Dialect | None
) -> tuple[Dialect, ApiResponse | None]:
    """The dialect of a service, and its `/v1/info` when it is one of ours; `service.base` is set by it.

    What is kept from earlier is asked about first, and believed when the service does not contradict it.
    Raises `NotFound` or `ServerFault` when the interface is not there, and what the service refuses with.
    """
    refusals: list[AppError] = []
    for base in _candidate_bases(service.base_url, cached):
        service.base = base
        try:
            return await _detect_at(service, base, cached)
        except (NotFound, NotSupported, NotAnApiResponse) as error:
            refusals.append(error)
    service.base = ""
    raise _api_not_found(service.base_url, refusals)


def _candidate_bases(base_url: str, cached: Dialect | None) -> Iterator[str]:
    """Where the interface may be, the likeliest place first."""
    likely_bases = [cached.base] if cached else []
    candidates = [*likely_bases, "", *([] if base_url.lower().endswith(API_PREFIX) else [API_PREFIX])]
    yield from dict.fromkeys(candidates)


async def _detect_at(
    service: ServiceClient, base: str, cached: Dialect | None
) -> tuple[Dialect, ApiResponse | None]:
    try:
        info = await service.get("/v1/info")
    except ServerMoved:
        raise
    except (Unreachable, TimedOut):
        if service.line.offline_since is None or cached is None or cached.base != base or cached.ours:
            raise
        return cached, None  # it was another service when it answered last
    except (NotFound, NotSupported, Forbidden, ServerFault):
        info = None
    if info is not None and isinstance(info.data, dict) and "capabilities" in info.data:
        return Dialect(base=base, ours=True, people="/v1"), info
    if cached and cached.base == base and not cached.ours:
        return cached, None
    (await service.get("/v1/flows")).rows()
    return Dialect(base=base), None


def _api_not_found(base_url: str, refusals: list[AppError]) -> AppError:
    if not any(isinstance(error, NotFound) for error in refusals):
        return refusals[-1]
    return NotFound(
        f"{base_url} does not offer the interface.",
        meaning="The address may be wrong, or the interface is not switched on there: some services offer it "
        "only with a licence.",
        todo="Check the address, and ask whoever runs the service whether keys may be used with it.",
    )
