"""How queries are read: as leniently as other services of the interface do.

Page numbers, times and states that make no sense are left out instead of refused; a malformed id is refused.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
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

from patchbay.domain.executions import ExecutionFilter, ExecutionState, ExecutionStatus
from patchbay.domain.flows import FlowFilter, FlowStatus
from patchbay.domain.paging import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, PageRequest

NO_FOLDER = "null"
_MAX_PAGE = 10**12
_MAX_INT = 2**63 - 1
_MAX_DIGITS = 30
"""More are as much too large, and would take long to read."""
_UUID_SCHEMA = {"type": "string", "format": "uuid"}


def is_uuid(value: str) -> bool:
    """Whether the text is an id in any spelling a database takes: case, dashes and braces do not matter."""
    try:
        UUID(value)
    except ValueError:
        return False
    return True


def canonical_id(value: str) -> str:
    """The usual spelling of an id; a text that is none stays as it is and will not be found."""
    return str(UUID(value)) if is_uuid(value) else value


def _well_formed(value: str) -> str:
    if is_uuid(value):
        return canonical_id(value)
    raise ValueError("This is not an id: ids look like 7b1c6c52-8d0f-4d0a-9f5a-0c7d1a7a2f11")


def _id_or_none(value: str | None) -> str | None:
    return value and _well_formed(value)


def _folder_or_none(value: str | None) -> str | None:
    return value if value == NO_FOLDER else _id_or_none(value)


def _blank_is_none(value: Any) -> Any:
    return None if value == "" else value


def _searchable(value: Any) -> Any:
    """NUL would end the text for the database; nothing has it, and nothing has what stands for it here."""
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
    """Reads one of a few words; anything else counts as not given."""

    kind: type[StrEnum]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        known = {str(item): item for item in self.kind}
        return no_info_before_validator_function(lambda value: known.get(str(value)), handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        values = [item.value for item in self.kind]
        description = f"One of {', '.join(values)}; anything else counts as not given."
        return {"anyOf": [{"type": "string", "enum": values}, {"type": "string"}], "description": description}


Id = Annotated[str, AfterValidator(canonical_id), WithJsonSchema(_UUID_SCHEMA)]
WellFormedId = Annotated[str, AfterValidator(_well_formed), WithJsonSchema(_UUID_SCHEMA)]
"""An id in a body: a malformed one is refused as the value it is."""
FilterId = Annotated[
    str | None,
    BeforeValidator(_blank_is_none),
    AfterValidator(_id_or_none),
    WithJsonSchema({"anyOf": [_UUID_SCHEMA, {"type": "string", "const": ""}]}),
    Field(description="An id; an empty text counts as not given."),
]
FolderFilter = Annotated[
    str | None,
    BeforeValidator(_blank_is_none),
    AfterValidator(_folder_or_none),
    WithJsonSchema({"anyOf": [_UUID_SCHEMA, {"type": "string", "enum": ["", NO_FOLDER]}]}),
    Field(description="An id, or the text `null` for no folder; an empty text counts as not given."),
]
AppPath = Annotated[str, Path(alias="appKey", description="The key of an app, such as `todoist`.")]
BulkRetryPath = Annotated[Id, Path(alias="retryId")]
ConnectionPath = Annotated[Id, Path(alias="connectionId")]
ExecutionPath = Annotated[Id, Path(alias="executionId")]
FlowPath = Annotated[Id, Path(alias="flowId")]
FolderPath = Annotated[Id, Path(alias="folderId")]
SignInPath = Annotated[Id, Path(alias="signInId")]
StepPath = Annotated[Id, Path(alias="stepId")]
TemplatePath = Annotated[Id, Path(alias="templateId")]
UserPath = Annotated[Id, Path(alias="userId")]
OptionalText = Annotated[
    str | None,
    BeforeValidator(_blank_is_none),
    BeforeValidator(_searchable),
    WithJsonSchema({"type": "string"}),
]  # fmt: skip
OptionalTime = Annotated[
    int | None,
    BeforeValidator(_milliseconds),
    WithJsonSchema({"anyOf": [{"type": "integer", "format": "int64"}, {"type": "string"}]}),
    Field(description="Milliseconds since 1970 (UTC), inclusive; anything else counts as not given."),
]
PageNumber = Annotated[
    int,
    BeforeValidator(_page),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}], "default": 1}),
    Field(description="Which page, from 1; anything else counts as 1."),
]
Limit = Annotated[
    int,
    BeforeValidator(_limit),
    WithJsonSchema(
        {"anyOf": [{"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE}, {"type": "string"}],
         "default": DEFAULT_PAGE_SIZE}
    ),
    Field(description=f"How many on a page, up to {MAX_PAGE_SIZE}; anything else as {DEFAULT_PAGE_SIZE}."),
]  # fmt: skip
Cursor = Annotated[
    OptionalText,
    Field(description="`nextCursor` of an earlier page: what comes after it. Wins over the page number."),
]


async def page_request(
    page: PageNumber = 1, limit: Limit = DEFAULT_PAGE_SIZE, cursor: Cursor = None
) -> PageRequest:
    """Which page; a cursor wins over the page number."""
    return PageRequest(page=page, limit=limit, cursor=cursor)


async def execution_filter(
    name: Annotated[OptionalText, Query(description="Part of the flow's name.")] = None,
    status: Annotated[ExecutionStatus | None, EnumOrNone(ExecutionStatus)] = None,
    start_date_time: Annotated[OptionalTime, Query(alias="startDateTime")] = None,
    end_date_time: Annotated[OptionalTime, Query(alias="endDateTime")] = None,
    states: Annotated[list[ExecutionState] | None, Query(description="In one of these states.")] = None,
    flow_id: Annotated[FilterId, Query(alias="flowId")] = None,
    folder_id: Annotated[FolderFilter, Query(alias="folderId")] = None,
    app_key: Annotated[OptionalText, Query(alias="appKey", description="Of flows that use this app.")] = None,
    user_id: Annotated[FilterId, Query(alias="userId", description="Of this person's flows.")] = None,
    test_run: Annotated[
        bool | None, Query(alias="testRun", description="Only test runs, or only real ones.")
    ] = None,
    note: Annotated[OptionalText, Query(description="Part of the result note.")] = None,
    origin_id: Annotated[
        FilterId, Query(alias="originId", description="Only what came from this execution.")
    ] = None,
    retried: Annotated[
        bool | None, Query(description="Only what was retried or run again, or only what wasn't.")
    ] = None,
) -> ExecutionFilter:
    """Which executions: the interface's four conditions and ours."""
    return ExecutionFilter(
        name=name, status=status, started_after=start_date_time, ended_before=end_date_time,
        states=tuple(states or ()), flow_id=flow_id, folder_id=folder_id, app_key=app_key,
        test_run=test_run, note=note, origin_id=origin_id, retried=retried, user_id=user_id,
    )  # fmt: skip


async def flow_filter(
    folder_id: Annotated[FolderFilter, Query(alias="folderId")] = None,
    name: Annotated[OptionalText, Query(description="Part of the name.")] = None,
    status: Annotated[FlowStatus | None, EnumOrNone(FlowStatus)] = None,
    user_id: Annotated[FilterId, Query(alias="userId")] = None,
    app_key: Annotated[OptionalText, Query(alias="appKey", description="That use this app.")] = None,
    connection_id: Annotated[FilterId, Query(alias="connectionId")] = None,
) -> FlowFilter:
    """Which flows: the interface's four conditions and ours."""
    return FlowFilter(
        folder_id=folder_id, name=name, status=status, user_id=user_id, app_key=app_key,
        connection_id=connection_id,
    )  # fmt: skip


PageQuery = Annotated[PageRequest, Depends(page_request)]
ExecutionFilterQuery = Annotated[ExecutionFilter, Depends(execution_filter)]
FlowFilterQuery = Annotated[FlowFilter, Depends(flow_filter)]
