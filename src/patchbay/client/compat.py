"""Compatibility with Automatisch servers: paging, missing features, filters, and execution data."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

from patchbay.client.responses import ApiResponse, parse_models
from patchbay.domain.backend import Feature
from patchbay.domain.base import FlowId, JsonObject, Model, StepId
from patchbay.domain.errors import NotSupported, ValidationFailed
from patchbay.domain.executions import Execution, ExecutionFilter, ExecutionState, ExecutionStatus
from patchbay.domain.flows import Flow, FlowExport, FlowFilter, FlowStatus, StepExport
from patchbay.domain.paging import DEFAULT_PAGE_SIZE, Page, PageRequest

Get = Callable[[str, Mapping[str, Any] | None], Awaitable[ApiResponse]]

MAX_PAGES = 1000
"""Limit, whatever total the server reports."""


@dataclass
class RowRange:
    """Consecutive rows of a list. `total` is the length of the whole list, as far as it's known."""

    rows: list[Any] = field(default_factory=list)
    total: int = 0
    more: bool = False
    """Whether more rows follow."""


class CompatPager:
    """Reads lists page by page. Assumes pages of ten rows until the server returns another size."""

    def __init__(self, get: Get) -> None:
        self._get = get
        self._page_size = DEFAULT_PAGE_SIZE
        self._page_size_known = False
        """Whether a page of this size was received."""

    async def read_range(self, path: str, query: Mapping[str, Any], start: int, limit: int) -> RowRange:
        """Read up to `limit` rows from row `start` (0-based)."""
        for _ in range(2):
            if (found := await self._read(path, query, start, limit)) is not None:
                return found
            # A page of another size than assumed starts at another row: read it again.
        return RowRange()

    async def iter_pages(
        self, path: str, query: Mapping[str, Any] | None = None
    ) -> AsyncIterator[ApiResponse]:
        """All pages of a list, as received."""
        before: list[Any] = []
        seen = 0
        for number in range(1, MAX_PAGES + 1):
            response = await self._get(path, {**(query or {}), "page": number})
            rows = response.rows()
            if not rows or rows == before:
                return
            yield response
            before, seen = rows, seen + len(rows)
            if response.total is not None and seen >= response.total:
                return

    async def _read(self, path: str, query: Mapping[str, Any], start: int, limit: int) -> RowRange | None:
        """The rows; None if the pages turned out to have another size."""
        size = self._page_size
        first = start // size
        rows: list[Any] = []
        for number in range(first, (start + limit - 1) // size + 1):
            response = await self._get(path, {**query, "page": number + 1})
            part = response.rows()
            if await self._page_size_changed(number, len(part), response.total, path, query):
                return None
            if part == rows[-len(part) :]:
                break  # no paging: the server returns the same rows again, or none
            rows.extend(part)
            if len(part) < size or (response.total is not None and (number + 1) * size >= response.total):
                break
        visible_rows = rows[start - first * size :][:limit]
        known = response.total if response.total is not None else first * size + len(rows)
        more = start + len(visible_rows) < known or (response.total is None and len(part) == size)
        return RowRange(visible_rows, known, more and bool(visible_rows))

    async def _page_size_changed(
        self, number: int, length: int, total: int | None, path: str, query: Mapping[str, Any]
    ) -> bool:
        """Detect the page size; returns whether it differs from the assumed one."""
        before, size = number * self._page_size, self._page_size
        if not length and number and not self._page_size_known and (total is None or before < total):
            length = len((await self._get(path, {**query, "page": 1})).rows())
        elif 0 < length < size and (total is None or before + length >= total):
            return False  # the last one
        self._page_size_known = self._page_size_known or length > 0
        self._page_size = length or size
        return self._page_size != size


def offset(page: PageRequest) -> int:
    """The number of rows before the page. Raises `ValidationFailed` for a cursor of another list."""
    if page.cursor is None:
        return (page.page - 1) * page.limit
    if not page.cursor.isdigit():
        raise ValidationFailed({"cursor": ["The cursor belongs to another list."]})
    return int(page.cursor)


# What Automatisch servers lack, and how their data differs

M = TypeVar("M", bound=Model)

MAX_NAME_LENGTH = 255
_USE_WEB_PAGE = "Use its web interface"
UNSUPPORTED_REASONS: Mapping[Feature, str] = {
    Feature.CONNECTIONS: f"This server's API doesn't include connections. {_USE_WEB_PAGE}.",
    Feature.EDIT_FLOWS: f"This server's API can't edit flows. {_USE_WEB_PAGE}.",
    Feature.RUN_FLOWS: f"This server's API can't start flows. {_USE_WEB_PAGE}.",
    Feature.STEP_RESULTS: f"This server's API doesn't include step results. {_USE_WEB_PAGE}.",
    Feature.STATISTICS: "This server has no statistics.",
    Feature.LIVE_UPDATES: "This server has no live updates; it's polled every few seconds instead.",
    Feature.RUN_CONTROL: f"This server's API can't cancel or retry executions. {_USE_WEB_PAGE}.",
    Feature.ENGINE: "This server's API has no engine settings.",
    Feature.FILTERS: "This server filters executions only by flow name, success or failure, and time.",
    Feature.SEARCH: "This server's API has no inputs and outputs of steps to search.",
    Feature.ACCESS: f"This server's API has no API keys or audit log; {_USE_WEB_PAGE}.",
    Feature.PEOPLE: f"This server's API can only invite and remove people, not change them; {_USE_WEB_PAGE}.",
    Feature.ADDRESS: f"This server's API has no server settings; {_USE_WEB_PAGE}.",
}
UNSUPPORTED_ON_SOME_SERVERS: Mapping[Feature, str] = {
    Feature.PEOPLE: f"This server's API has no people or folders; {_USE_WEB_PAGE}.",
    Feature.TEMPLATES: "This server has no templates: they're turned off, or its version is too old.",
}
"""What only some Automatisch servers lack; detected on use."""

_STATUS_BY_STATES: Mapping[frozenset[ExecutionState], ExecutionStatus] = {
    frozenset({ExecutionState.FAILURE}): ExecutionStatus.FAILURE,
    frozenset({ExecutionState.SUCCESS}): ExecutionStatus.SUCCESS,
    frozenset({ExecutionState.SUCCESS, ExecutionState.FILTERED}): ExecutionStatus.SUCCESS,
}


async def compat_page(
    pages: CompatPager, model: type[M], path: str, query: Mapping[str, Any], page: PageRequest
) -> Page[M]:
    """A page of any size, whatever the size of theirs. A cursor is the number of the next row."""
    start = offset(page)
    found = await pages.read_range(path, query, start, page.limit)
    shaped = [normalize_execution(row) for row in found.rows] if model is Execution else found.rows
    return Page(
        items=parse_models(model, shaped),
        total=found.total,
        page=start // page.limit + 1,
        limit=page.limit,
        next_cursor=str(start + len(found.rows)) if found.more else None,
    )


def normalize_execution(data: Any) -> JsonObject:
    """An execution with the fields our model needs, added where an Automatisch server lacks them."""
    row: JsonObject = dict(data) if isinstance(data, Mapping) else {}
    if "state" in row:
        return row
    status = row.get("status")
    # Null until the first step is stored; unknown values count as running.
    row["state"] = ExecutionState(status) if status in list(ExecutionState) else ExecutionState.RUNNING
    row["startedAt"] = row.get("createdAt")
    row["finishedAt"] = row.get("updatedAt") if status else None
    if status and status not in list(ExecutionState):
        row["note"] = f"The server reports “{status}”."
    given = row.get("flow")
    flow: JsonObject = {
        key: value
        for key, value in (given.items() if isinstance(given, dict) else ())
        if isinstance(value, str) or (value is not None and key not in ("id", "name"))
    }
    row["flow"] = {"id": str(row.get("flowId") or ""), "name": "Deleted flow", **flow}
    row["stepsDone"] = None
    row["stepsTotal"] = len(steps) if isinstance(steps := flow.get("steps"), list) else 0
    return row


def compatible_execution_query(where: ExecutionFilter) -> dict[str, Any]:
    """The conditions an Automatisch server supports. Raises `NotSupported` for one it would ignore."""
    status = where.status
    if where.states:
        status = _STATUS_BY_STATES.get(frozenset(where.states))
    known = {"name", "status", "states", "started_after", "ended_before"}
    unknown = (getattr(where, name) for name in ExecutionFilter.model_fields if name not in known)
    if any(value is not None for value in unknown) or (where.states and status is None):
        raise NotSupported(
            UNSUPPORTED_REASONS[Feature.FILTERS], feature=Feature.FILTERS, todo="Remove the other filters."
        )
    return {
        "name": where.name,
        "status": status,
        "startDateTime": where.started_after,
        "endDateTime": where.ended_before,
    }


def compatible_flow_query(where: FlowFilter) -> dict[str, Any] | None:
    """The conditions an Automatisch server supports; None if none of its flows can match.

    Raises `NotSupported` for one it would silently ignore; the caller handles `app_key`.
    """
    if where.connection_id is not None:
        raise NotSupported(
            "This server doesn't report which connections its flows use.", feature=Feature.CONNECTIONS
        )
    if where.ids is not None:
        raise NotSupported("This server can't list flows by their IDs.")
    if where.status is FlowStatus.PAUSED:
        return None
    return {
        "name": where.name,
        "status": where.status,
        "folderId": where.folder_id,
        "userId": where.user_id,
    }


def build_export(flow: Flow) -> FlowExport:
    """Build the export of a flow, which an Automatisch server's API doesn't offer."""
    steps = tuple(
        StepExport.of(step, webhook_path=urlsplit(step.webhook_url).path if step.webhook_url else None)
        for step in flow.steps
    )
    return FlowExport(id=flow.id, name=flow.name, steps=steps).with_new_ids(
        FlowId(str(uuid4())), [StepId(str(uuid4())) for _ in steps]
    )


def validate_name(name: str) -> str:
    """Validate a name here, because some servers fail on long names instead of rejecting them."""
    name = name.strip()
    if not name:
        raise ValidationFailed({"name": ["Enter a name."]})
    if len(name) > MAX_NAME_LENGTH:
        raise ValidationFailed({"name": [f"Use at most {MAX_NAME_LENGTH} characters."]})
    return name
