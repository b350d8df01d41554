"""Finding, filtering and paging in the fake backend's dictionaries."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from patchbay.domain.base import IdType
from patchbay.domain.errors import NotFound
from patchbay.domain.executions import Execution, ExecutionFilter
from patchbay.domain.flows import Flow, FlowFilter
from patchbay.domain.paging import Page, PageRequest

T = TypeVar("T")


def found(where: Mapping[IdType, T], key: IdType, noun: str) -> T:
    """The item with this key. Raises `NotFound`."""
    if key not in where:
        raise NotFound(f"This {noun} is gone.", meaning="Somebody deleted it meanwhile.")
    return where[key]


def page_of(items: list[Any], page: PageRequest) -> Page[Any]:
    start = int(page.cursor) if page.cursor else (page.page - 1) * page.limit
    end = start + page.limit
    cursor = str(end) if end < len(items) else None
    return Page(
        items=tuple(items[start:end]), total=len(items), page=page.page, limit=page.limit, next_cursor=cursor
    )


def flow_matches(flow: Flow, where: FlowFilter) -> bool:
    folder = None if where.folder_id == "null" else where.folder_id
    return (
        (where.name is None or where.name.lower() in flow.name.lower())
        and (where.status is None or where.status.covers(flow.status))
        and (where.folder_id is None or flow.folder_id == folder)
        and (where.app_key is None or where.app_key in flow.app_keys)
        and (
            where.connection_id is None
            or any(step.connection_id == where.connection_id for step in flow.steps)
        )
        and (where.ids is None or flow.id in where.ids)
    )


def matches(item: Execution, where: ExecutionFilter, among: Sequence[Execution] = ()) -> bool:
    """Whether it passes the filter; retries of it are looked for `among` these."""
    return (
        (where.name is None or where.name.lower() in item.flow.name.lower())
        and (where.status is None or where.status == item.status)
        and (not where.states or item.state in where.states)
        and (where.started_after is None or item.created_at >= where.started_after)
        and (where.ended_before is None or item.created_at <= where.ended_before)
        and (where.flow_id is None or item.flow.id == where.flow_id)
        and (where.folder_id is None or item.flow.folder_id == where.folder_id)
        and (where.app_key is None or where.app_key in item.flow.app_keys)
        and (where.test_run is None or item.test_run == where.test_run)
        and (where.note is None or where.note in (item.note or ""))
        and (where.origin_id is None or item.origin_id == where.origin_id)
        and (where.retried is None or where.retried == any(run.origin_id == item.id for run in among))
    )
