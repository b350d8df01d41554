"""Pages of any size out of a list that a service gives in pages of its own size."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

from patchbay.client.responses import ApiResponse, parse_models
from patchbay.domain.backend import Feature
from patchbay.domain.base import Json, JsonObject, Model
from patchbay.domain.errors import NotSupported, ValidationFailed
from patchbay.domain.executions import Execution, ExecutionFilter, ExecutionState, ExecutionStatus
from patchbay.domain.flows import Flow, FlowExport, FlowFilter, FlowStatus, StepExport
from patchbay.domain.paging import DEFAULT_PAGE_SIZE, Page, PageRequest

Get = Callable[[str, Mapping[str, Any] | None], Awaitable[ApiResponse]]

MAX_PAGES = 1000
"""However many there are said to be."""


@dataclass
class RowRange:
    """Consecutive rows of a list. `total` is how many the whole list has, as far as that is known."""

    rows: list[Any] = field(default_factory=list)
    total: int = 0
    more: bool = False
    """Whether there are rows behind these."""


class CompatPager:
    """Reads lists page by page. Pages have ten rows, until the service is seen to have others."""

    def __init__(self, get: Get) -> None:
        self._get = get
        self._page_size = DEFAULT_PAGE_SIZE
        self._page_size_known = False
        """Whether a page of that size was seen."""

    async def read_range(self, path: str, query: Mapping[str, Any], start: int, limit: int) -> RowRange:
        """Up to `limit` rows from the one with number `start` (from 0) on."""
        for _ in range(2):
            if (found := await self._read(path, query, start, limit)) is not None:
                return found
            # A page of another size than thought begins at another row: it is asked for anew.
        return RowRange()

    async def iter_pages(
        self, path: str, query: Mapping[str, Any] | None = None
    ) -> AsyncIterator[ApiResponse]:
        """All pages of a list, as they are."""
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
        """None when the pages turned out to be of another size."""
        size = self._page_size
        first = start // size
        rows: list[Any] = []
        for number in range(first, (start + limit - 1) // size + 1):
            response = await self._get(path, {**query, "page": number + 1})
            part = response.rows()
            if await self._page_size_changed(number, len(part), response.total, path, query):
                return None
            if part == rows[-len(part) :]:
                break  # there are no pages: the same comes again, or nothing
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
        """Whether pages are of another size than thought, which is known then."""
        before, size = number * self._page_size, self._page_size
        if not length and number and not self._page_size_known and (total is None or before < total):
            length = len((await self._get(path, {**query, "page": 1})).rows())
        elif 0 < length < size and (total is None or before + length >= total):
            return False  # the last one
        self._page_size_known = self._page_size_known or length > 0
        self._page_size = length or size
        return self._page_size != size


def offset(page: PageRequest) -> int:
    """How many rows come before the page. Raises `ValidationFailed` for a cursor of another list."""
    if page.cursor is None:
        return (page.page - 1) * page.limit
    if not page.cursor.isdigit():
        raise ValidationFailed({"cursor": ["This is not a cursor of this list."]})
    return int(page.cursor)


# MERGED: Living with other services of the interface. Source: wire facts.

M = TypeVar("M", bound=Model)

MAX_NAME_LENGTH = 255
_USE_WEB_PAGE = "open its web page"
UNSUPPORTED_REASONS: Mapping[Feature, str] = {
    Feature.CONNECTIONS: f"This service does not offer connections over its API; {_USE_WEB_PAGE}.",
    Feature.EDIT_FLOWS: f"This service does not offer to edit flows over its API; {_USE_WEB_PAGE}.",
    Feature.RUN_FLOWS: f"This service does not offer to start flows over its API; {_USE_WEB_PAGE}.",
    Feature.STEP_RESULTS: "This service does not tell over its API what the steps of an execution did; "
    f"{_USE_WEB_PAGE}.",
    Feature.STATISTICS: "This service does not offer statistics.",
    Feature.LIVE_UPDATES: "This service does not announce changes; it is asked every few seconds instead.",
    Feature.RUN_CONTROL: f"This service does not offer to cancel or retry executions over its API; {_USE_WEB_PAGE}.",
    Feature.ENGINE: "This service does not offer the settings of its engine over its API.",
    Feature.FILTERS: "This service finds executions only by the name of their flow, success or "
    "failure, and time.",
    Feature.SEARCH: "This service does not tell over its API what steps took in and put out, so that "
    "cannot be searched.",
    Feature.ACCESS: f"This service does not offer its keys and what they did over its API; {_USE_WEB_PAGE}.",
    Feature.PEOPLE: "This service offers over its API to invite people and to remove them, and not to change "
    f"them or their roles; {_USE_WEB_PAGE}.",
    Feature.ADDRESS: f"This service does not tell over its API how it is reached and how it mails; {_USE_WEB_PAGE}.",
}
UNSUPPORTED_ON_SOME_SERVERS: Mapping[Feature, str] = {
    Feature.PEOPLE: f"This service does not offer people and folders over its API; {_USE_WEB_PAGE}.",
    Feature.TEMPLATES: "This service does not offer templates: they are switched off, or it is too old.",
}
"""What only some other services lack; found out when it is asked for."""

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
    """An execution in the shape of the interface, with the fields our model needs."""
    row: JsonObject = dict(data) if isinstance(data, Mapping) else {}
    if "state" in row:
        return row
    status = row.get("status")
    row["state"] = _state(status)
    row["startedAt"] = row.get("createdAt")
    row["finishedAt"] = row.get("updatedAt") if status else None
    if status and status not in list(ExecutionState):
        row["note"] = f"The service says “{status}”."
    flow = _flow(row.get("flow"))
    row["flow"] = {"id": str(row.get("flowId") or ""), "name": "Deleted flow", **flow}
    row["stepsDone"] = None
    row["stepsTotal"] = len(steps) if isinstance(steps := flow.get("steps"), list) else 0
    return row


def _flow(data: Json) -> JsonObject:
    """What an execution says of its flow, without what makes no sense."""
    if not isinstance(data, dict):
        return {}
    named = {key: data[key] for key in ("id", "name") if isinstance(data.get(key), str)}
    return {
        key: value for key, value in data.items() if value is not None and key not in ("id", "name")
    } | named


def _state(status: Json) -> ExecutionState:
    """Null until the first step is stored; words of newer services that we do not know mean unfinished."""
    return ExecutionState(status) if status in list(ExecutionState) else ExecutionState.RUNNING


def compatible_execution_query(where: ExecutionFilter) -> dict[str, Any]:
    """The conditions another service knows. Raises `NotSupported` for one it would silently ignore."""
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
        "name": where.name, "status": status, "startDateTime": where.started_after,
        "endDateTime": where.ended_before,
    }  # fmt: skip


def compatible_flow_query(where: FlowFilter) -> dict[str, Any] | None:
    """The conditions another service knows, None when no flow of it can meet them.

    Raises `NotSupported` for one it would silently ignore; `app_key` is left to who asks.
    """
    if where.connection_id is not None:
        raise NotSupported(
            "This service does not tell which connections its flows use.", feature=Feature.CONNECTIONS
        )
    if where.status is FlowStatus.PAUSED:
        return None
    return {
        "name": where.name, "status": where.status, "folderId": where.folder_id, "userId": where.user_id,
    }  # fmt: skip


def build_export(flow: Flow) -> FlowExport:
    """The portable form of a flow, which other services only make in their web page."""
    steps = tuple(
        StepExport(
            id=step.id, key=step.key, name=step.name, app_key=step.app_key, type=step.type,
            parameters=step.parameters, position=step.position, structural_type=step.structural_type,
            parent_step_id=step.parent_step_id, branch_conditions=step.branch_conditions,
            webhook_path=urlsplit(step.webhook_url).path if step.webhook_url else None,
        )
        for step in flow.steps
    )  # fmt: skip
    return FlowExport(id=flow.id, name=flow.name, steps=steps).with_new_ids(
        str(uuid4()), [str(uuid4()) for _ in steps]
    )


def validate_name(name: str) -> str:
    """The name, when every service takes it. Some fail over long ones instead of refusing them."""
    name = name.strip()
    if not name:
        raise ValidationFailed({"name": ["Enter a name."]})
    if len(name) > MAX_NAME_LENGTH:
        raise ValidationFailed({"name": [f"Use at most {MAX_NAME_LENGTH} characters."]})
    return name
