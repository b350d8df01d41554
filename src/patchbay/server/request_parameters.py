"""Path and query parameters, parsed as leniently as Automatisch does.

Invalid page numbers, times, and states are ignored; a malformed ID is rejected.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Path, Query
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from pydantic_core.core_schema import no_info_before_validator_function

from patchbay.domain.base import (
    AppKey,
    ConnectionId,
    ExecutionId,
    FlowId,
    FolderId,
    IdType,
    StepId,
    TemplateId,
    UserId,
)
from patchbay.domain.executions import ExecutionFilter, ExecutionState, ExecutionStatus
from patchbay.domain.flows import FlowFilter, FlowStatus
from patchbay.domain.folders import NO_FOLDER
from patchbay.domain.paging import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, PageRequest

_MAX_PAGE = 10**12
_MAX_INT = 2**63 - 1
_MAX_DIGITS = 30
"""More digits are out of range anyway, and would be slow to parse."""
EXAMPLE_ID = "7b1c6c52-8d0f-4d0a-9f5a-0c7d1a7a2f11"
_UUID_SCHEMA = {"type": "string", "format": "uuid"}


@lru_cache(maxsize=1024)
def is_uuid(value: str) -> bool:
    """Whether the text is a UUID, regardless of case, dashes, and braces."""
    try:
        UUID(value)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1024)
def canonical_id(value: str) -> str:
    """The canonical spelling of a UUID; any other text unchanged."""
    return str(UUID(value)) if is_uuid(value) else value


def _well_formed(value: str) -> str:
    if is_uuid(value):
        return canonical_id(value)
    raise ValueError(f"This isn't an ID. IDs look like {EXAMPLE_ID}")


def _id_or_none(value: str | None) -> str | None:
    return value and _well_formed(value)


def _folder_or_none(value: str | None) -> str | None:
    return value if value == NO_FOLDER else _id_or_none(value)


def _blank_is_none(value: Any) -> Any:
    return None if value == "" else value


def _searchable(value: Any) -> Any:
    """Replace NUL, which would end the text for the database, by a character that matches nothing either."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value


def _parse_leading_int(value: Any) -> int | None:
    found = re.match(rf"\s*([+-]?\d{{1,{_MAX_DIGITS}}})", str(value))
    return int(found[1]) if found else None


def _page(value: Any) -> int:
    number = _parse_leading_int(value)
    return 1 if number is None or number < 1 else min(number, _MAX_PAGE)


def _limit(value: Any) -> int:
    number = _parse_leading_int(value)
    return DEFAULT_PAGE_SIZE if number is None or number < 1 else min(number, MAX_PAGE_SIZE)


def _milliseconds(value: Any) -> int | None:
    text = str(value).strip()
    if not re.fullmatch(r"[+-]?\d+(\.\d*)?", text):
        return None
    return max(-_MAX_INT, min(int(text.split(".")[0][:_MAX_DIGITS]), _MAX_INT))


@dataclass(frozen=True)
class EnumOrNone:
    """Parses a value of the enum; any other value is ignored."""

    kind: type[StrEnum]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        known = {str(item): item for item in self.kind}
        return no_info_before_validator_function(lambda value: known.get(str(value)), handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        values = [item.value for item in self.kind]
        description = f"One of {', '.join(values)}; any other value is ignored."
        return {"anyOf": [{"type": "string", "enum": values}, {"type": "string"}], "description": description}


Id = Annotated[IdType, AfterValidator(canonical_id), WithJsonSchema(_UUID_SCHEMA)]
WellFormedId = Annotated[IdType, AfterValidator(_well_formed), WithJsonSchema(_UUID_SCHEMA)]
"""An ID in a body; a malformed one is a validation error."""
FilterId = Annotated[
    IdType | None,
    BeforeValidator(_blank_is_none),
    AfterValidator(_id_or_none),
    WithJsonSchema({"anyOf": [_UUID_SCHEMA, {"type": "string", "const": ""}]}),
    Field(description="An ID; an empty value is ignored."),
]
FolderFilter = Annotated[
    FolderId | None,
    BeforeValidator(_blank_is_none),
    AfterValidator(_folder_or_none),
    WithJsonSchema({"anyOf": [_UUID_SCHEMA, {"type": "string", "enum": ["", NO_FOLDER]}]}),
    Field(description="An ID, or `null` for no folder; an empty value is ignored."),
]
AppPath = Annotated[AppKey, Path(alias="appKey", description="The key of an app, such as `todoist`.")]
BulkRetryPath = Annotated[Id[str], Path(alias="retryId")]
ConnectionPath = Annotated[Id[ConnectionId], Path(alias="connectionId")]
ExecutionPath = Annotated[Id[ExecutionId], Path(alias="executionId")]
FlowPath = Annotated[Id[FlowId], Path(alias="flowId")]
FolderPath = Annotated[Id[FolderId], Path(alias="folderId")]
SignInPath = Annotated[Id[str], Path(alias="signInId")]
StepPath = Annotated[Id[StepId], Path(alias="stepId")]
TemplatePath = Annotated[Id[TemplateId], Path(alias="templateId")]
UserPath = Annotated[Id[UserId], Path(alias="userId")]
_Optional = Annotated[
    IdType | None,
    BeforeValidator(_blank_is_none),
    BeforeValidator(_searchable),
    WithJsonSchema({"type": "string"}),
]
OptionalText = _Optional[str]
OptionalAppKey = _Optional[AppKey]
OptionalTime = Annotated[
    int | None,
    BeforeValidator(_milliseconds),
    WithJsonSchema({"anyOf": [{"type": "integer", "format": "int64"}, {"type": "string"}]}),
    Field(description="Milliseconds since 1970 (UTC), inclusive; any other value is ignored."),
]
PageNumber = Annotated[
    int,
    BeforeValidator(_page),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}], "default": 1}),
    Field(description="Page number, from 1; any other value counts as 1."),
]
Limit = Annotated[
    int,
    BeforeValidator(_limit),
    WithJsonSchema(
        {
            "anyOf": [{"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE}, {"type": "string"}],
            "default": DEFAULT_PAGE_SIZE,
        }
    ),
    Field(description=f"Items per page, up to {MAX_PAGE_SIZE}; otherwise {DEFAULT_PAGE_SIZE}."),
]
Cursor = Annotated[
    OptionalText,
    Field(description="`nextCursor` of the previous page. Takes precedence over the page number."),
]


async def page_request(
    page: PageNumber = 1, limit: Limit = DEFAULT_PAGE_SIZE, cursor: Cursor = None
) -> PageRequest:
    """The requested page; a cursor takes precedence over the page number."""
    return PageRequest(page=page, limit=limit, cursor=cursor)


async def execution_filter(
    name: Annotated[
        OptionalText, Query(description="Part of the flow's name, or the beginning of an execution's ID.")
    ] = None,
    status: Annotated[ExecutionStatus | None, EnumOrNone(ExecutionStatus)] = None,
    start_date_time: Annotated[OptionalTime, Query(alias="startDateTime")] = None,
    end_date_time: Annotated[OptionalTime, Query(alias="endDateTime")] = None,
    states: Annotated[list[ExecutionState] | None, Query(description="Any of these states.")] = None,
    flow_id: Annotated[FilterId[FlowId], Query(alias="flowId")] = None,
    folder_id: Annotated[FolderFilter, Query(alias="folderId")] = None,
    app_key: Annotated[
        OptionalAppKey, Query(alias="appKey", description="Only flows that use this app.")
    ] = None,
    user_id: Annotated[FilterId[UserId], Query(alias="userId", description="Only this user's flows.")] = None,
    test_run: Annotated[
        bool | None, Query(alias="testRun", description="Only test runs, or only real ones.")
    ] = None,
    note: Annotated[OptionalText, Query(description="Part of the result note.")] = None,
    origin_id: Annotated[
        FilterId[ExecutionId],
        Query(alias="originId", description="Only retries and replays of this execution."),
    ] = None,
    retried: Annotated[
        bool | None,
        Query(description="Only executions that were retried or replayed, or only those that weren't."),
    ] = None,
) -> ExecutionFilter:
    """The execution filter: Automatisch's four conditions and Patchbay's."""
    return ExecutionFilter(
        name=name,
        status=status,
        started_after=start_date_time,
        ended_before=end_date_time,
        states=tuple(states or ()),
        flow_id=flow_id,
        folder_id=folder_id,
        app_key=app_key,
        test_run=test_run,
        note=note,
        origin_id=origin_id,
        retried=retried,
        user_id=user_id,
    )


async def flow_filter(
    folder_id: Annotated[FolderFilter, Query(alias="folderId")] = None,
    name: Annotated[OptionalText, Query(description="Part of the name.")] = None,
    status: Annotated[FlowStatus | None, EnumOrNone(FlowStatus)] = None,
    user_id: Annotated[FilterId[UserId], Query(alias="userId")] = None,
    app_key: Annotated[
        OptionalAppKey, Query(alias="appKey", description="Only flows that use this app.")
    ] = None,
    connection_id: Annotated[FilterId[ConnectionId], Query(alias="connectionId")] = None,
    ids: Annotated[list[WellFormedId[FlowId]] | None, Query(description="Only these flows.")] = None,
) -> FlowFilter:
    """The flow filter: Automatisch's four conditions and Patchbay's."""
    return FlowFilter(
        folder_id=folder_id,
        name=name,
        status=status,
        user_id=user_id,
        app_key=app_key,
        connection_id=connection_id,
        ids=None if ids is None else tuple(ids),
    )


PageQuery = Annotated[PageRequest, Depends(page_request)]
ExecutionFilterQuery = Annotated[ExecutionFilter, Depends(execution_filter)]
FlowFilterQuery = Annotated[FlowFilter, Depends(flow_filter)]
