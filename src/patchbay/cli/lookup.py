"""Finds a flow, connection, execution, app, API key, or user by ID, start of its ID, or name."""

import contextlib
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic

from patchbay.cli import output
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import Backend
from patchbay.domain.base import AppKey, ConnectionId, ExecutionId, FlowId, IdType, UserId
from patchbay.domain.errors import NotFound, NotSupported
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.flows import FlowFilter
from patchbay.domain.paging import read_all

MIN_ID_LENGTH = 4
"""Characters of an ID that must be given."""
MAX_LISTED = 10
MAX_SEARCHED = 2_000
"""Newest executions that are searched for the start of an ID."""

_WHOLE_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True)
class Candidate(Generic[IdType]):
    """An object that an argument can refer to, with its names."""

    id: IdType
    names: tuple[str, ...]
    label: str = ""
    """How it is listed if the argument is ambiguous; empty: by its names."""

    def starts_with(self, text: str) -> bool:
        """Whether `text` is the beginning of the ID, and long enough to be one."""
        return len(text) >= MIN_ID_LENGTH and self.id.casefold().startswith(text.casefold())


async def flow_id(backend: Backend, text: str) -> FlowId:
    """Find the ID of a flow. Raises `NotFound`, or `WrongUsage` if several match."""

    async def candidates() -> list[Candidate[FlowId]]:
        return [
            Candidate(flow.id, (flow.name,))
            for flow in await read_all(partial(backend.list_flows, FlowFilter()))
        ]

    return await _resolve("flow", FlowId, text, backend.get_flow, candidates)


async def connection_id(backend: Backend, text: str) -> ConnectionId:
    """Find the ID of a connection. Raises `NotFound`, or `WrongUsage` if several match."""

    async def candidates() -> list[Candidate[ConnectionId]]:
        known = await backend.list_connections()
        return [
            Candidate(item.id, (item.screen_name,), f"{item.app_key}: {item.screen_name}") for item in known
        ]

    return await _resolve("connection", ConnectionId, text, backend.get_connection, candidates)


async def execution_id(backend: Backend, text: str) -> ExecutionId:
    """Find the ID of an execution, which has no name. Raises `NotFound`, or `WrongUsage` if several match."""

    async def candidates() -> list[Candidate[ExecutionId]]:
        newest = await read_all(partial(backend.list_executions, ExecutionFilter()), max_items=MAX_SEARCHED)
        return [
            Candidate(item.id, (), f"{output.format_time(item.created_at)}  {item.flow.name}")
            for item in newest
        ]

    return await _resolve("execution", ExecutionId, text, backend.get_execution, candidates)


async def app(backend: Backend, text: str) -> AppInfo:
    """Find an app by key or name. Raises `NotFound`, also for an app that can't be loaded."""
    try:
        return await backend.get_app(AppKey(text))
    except NotFound:
        known = await backend.list_apps()
        named = [item for item in known if item.name.casefold() == text.casefold()]
        if len(named) == 1:
            return await backend.get_app(named[0].key)
        if any(item.key == text for item in known):
            raise
        raise NotFound(f"There is no app “{text}”.", todo="List them with: patchbay app list") from None


async def api_key_id(backend: Backend, text: str) -> str:
    """Find the ID of an API key. Raises `NotFound`, or `WrongUsage` if several match."""
    known = [Candidate(key.id, (key.name,)) for key in await backend.list_api_keys()]
    return match_candidate("API key", "patchbay api-key list", text, known)


async def user_id(backend: Backend, text: str, *, invited: bool = False) -> UserId:
    """Find the ID of a user, also by email address. Raises `NotFound`, or `WrongUsage` if several match.

    `invited`: also find people whose invitation is open.
    """
    people = list(await backend.list_users())
    if invited:
        with contextlib.suppress(NotSupported):
            people += await backend.list_invitations()
    known = [
        Candidate(person.id, (person.full_name, person.email), f"{person.full_name}  {person.email}")
        for person in people
    ]
    return match_candidate("user", "patchbay user list", text, known)


async def _resolve(
    kind: str,
    id_type: Callable[[str], IdType],
    text: str,
    get: Callable[[IdType], Awaitable[Any]],
    candidates: Callable[[], Awaitable[list[Candidate[IdType]]]],
) -> IdType:
    """The matching ID. A complete ID is looked up without listing all objects."""
    listing = f"patchbay {kind} list"
    if not is_full_id(text):
        return match_candidate(kind, listing, text, await candidates())
    whole_id = id_type(text)
    try:
        await get(whole_id)
    except NotFound:
        raise _not_found_error(kind, listing, text, named=True) from None
    return whole_id


def is_full_id(text: str) -> bool:
    """Whether this is a complete ID rather than part of one or a name."""
    return _WHOLE_ID.fullmatch(text) is not None


def match_candidate(kind: str, listing: str, text: str, known: Sequence[Candidate[IdType]]) -> IdType:
    """The ID of the only match by ID, exact name, name in any case, or start of the ID, in this order.

    Raises `NotFound`, or `WrongUsage` if several match.
    """
    matchers: tuple[Callable[[Candidate[IdType]], bool], ...] = (
        lambda item: item.id == text,
        lambda item: text in item.names,
        lambda item: text.casefold() in [name.casefold() for name in item.names],
        lambda item: item.starts_with(text),
    )
    for matches in matchers:
        matched = [item for item in known if matches(item)]
        if len(matched) == 1:
            return matched[0].id
        if matched:
            lines = [f"  {item.id}  {item.label or ', '.join(item.names)}" for item in matched[:MAX_LISTED]]
            if len(matched) > MAX_LISTED:
                lines.append(f"  and {len(matched) - MAX_LISTED} more")
            raise output.WrongUsage(
                kind,
                f"“{text}” matches {len(matched)} {kind}s.",
                "Enter one of these IDs:\n" + "\n".join(lines),
            )
    raise _not_found_error(kind, listing, text, named=kind != "execution")


def _not_found_error(kind: str, listing: str, text: str, *, named: bool) -> NotFound:
    if is_full_id(text):
        happened = f"There is no {kind} with the ID {text}."
    elif not named and len(text) < MIN_ID_LENGTH:
        happened = f"“{text}” is too short. Enter at least {MIN_ID_LENGTH} characters of the ID."
    elif named and len(text) < MIN_ID_LENGTH:
        happened = (
            f"There is no {kind} called “{text}”. To search by ID, enter at least {MIN_ID_LENGTH} characters."
        )
    elif named:
        happened = f"No {kind} has the name “{text}” or an ID that starts with it."
    else:
        happened = f"None of the newest {MAX_SEARCHED:,} {kind}s has an ID that starts with “{text}”."
    return NotFound(happened, todo=f"List them with: {listing}")
