"""Living with other services of the interface. Source: wire facts.

They list ten at a time, know two states of an execution, and have none of our additions.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from patchbay.client.service import Service
from patchbay.domain.backend import Feature
from patchbay.domain.base import JsonObject, Model
from patchbay.domain.errors import NotSupported, ValidationFailed
from patchbay.domain.executions import Execution, ExecutionFilter, ExecutionState, ExecutionStatus
from patchbay.domain.paging import DEFAULT_PAGE_SIZE, Page, PageRequest

M = TypeVar("M", bound=Model)

REASONS: Mapping[Feature, str] = {
    Feature.CONNECTIONS: "This service does not offer its connections over the interface.",
    Feature.EDIT_FLOWS: "This service does not offer the editing of flows over the interface.",
    Feature.RUN_FLOWS: "This service does not offer to start flows over the interface.",
    Feature.STEP_RESULTS: "This service does not show what the steps of an execution did.",
    Feature.STATISTICS: "This service does not offer statistics.",
    Feature.LIVE_UPDATES: "This service does not announce changes; it is asked every few seconds instead.",
    Feature.RUN_CONTROL: "This service does not offer to cancel or retry executions over the interface.",
    Feature.ENGINE: "This service does not offer the settings of its engine over the interface.",
}

_STATES: Mapping[tuple[ExecutionState, ...], ExecutionStatus] = {
    (ExecutionState.FAILURE,): ExecutionStatus.FAILURE,
    (ExecutionState.SUCCESS,): ExecutionStatus.SUCCESS,
}


async def foreign_page(
    service: Service, model: type[M], path: str, query: Mapping[str, Any], page: PageRequest
) -> Page[M]:
    """A page of any size put together from pages of ten. A cursor is the offset of the next item."""
    start = _offset(page)
    wanted = range(start // DEFAULT_PAGE_SIZE, (start + page.limit - 1) // DEFAULT_PAGE_SIZE + 1)
    rows: list[Any] = []
    total = 0
    for number in wanted:
        answer = await service.get(path, {**query, "page": number + 1})
        rows.extend(answer.data or ())
        total = int(answer.meta.get("count") or 0)
        if (number + 1) * DEFAULT_PAGE_SIZE >= total:
            break
    first = start - wanted.start * DEFAULT_PAGE_SIZE
    part = rows[first : first + page.limit]
    if model is Execution:
        part = [execution(row) for row in part]
    more = start + len(part) < total and bool(part)
    return Page(
        items=tuple(service.read(model, row) for row in part),
        total=total,
        page=start // page.limit + 1,
        limit=page.limit,
        next_cursor=str(start + len(part)) if more else None,
    )


def execution(data: Any) -> JsonObject:
    """An execution in the shape of the interface, with the fields our model needs."""
    row: JsonObject = dict(data or {})
    if "state" in row:
        return row
    status = row.get("status")
    row["state"] = status if status in list(ExecutionStatus) else ExecutionState.RUNNING
    row["startedAt"] = row.get("createdAt")
    row["finishedAt"] = row.get("updatedAt") if status else None
    row["flow"] = row.get("flow") or {"id": str(row.get("flowId") or ""), "name": "Deleted flow"}
    return row


def execution_query(where: ExecutionFilter) -> dict[str, Any]:
    """The conditions another service knows. Raises `NotSupported` for one it would silently ignore."""
    status = where.status
    if where.states:
        status = _STATES.get(where.states)
    unknown = (where.flow_id, where.folder_id, where.app_key, where.test_run, where.note, where.origin_id)
    if any(value is not None for value in unknown) or (where.states and status is None):
        raise NotSupported(
            "This service cannot filter executions like this.",
            meaning="It knows the flow's name, success or failure, and the time.",
            todo="Remove the other filters.",
        )
    return {
        "name": where.name, "status": status, "startDateTime": where.started_after,
        "endDateTime": where.ended_before,
    }  # fmt: skip


def _offset(page: PageRequest) -> int:
    if page.cursor is None:
        return (page.page - 1) * page.limit
    if not page.cursor.isdigit():
        raise ValidationFailed({"cursor": ["This is not a cursor of this list."]})
    return int(page.cursor)
