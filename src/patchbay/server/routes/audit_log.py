"""The audit log: who changed what, and when."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from patchbay.domain.audit_log import AuditEntry, AuditFilter
from patchbay.domain.changes import ResourceType
from patchbay.server.authentication import RequestBackend, admin_only
from patchbay.server.request_parameters import EnumOrNone, FilterId, OptionalText, OptionalTime, PageQuery
from patchbay.server.responses import Paged, describe_responses, paged
from patchbay.server.routing import ResourceRouter

router = ResourceRouter(prefix="/audit", tags=["audit log"])


@router.get("", responses=describe_responses(Paged[AuditEntry]))
@admin_only
async def audit_log(
    backend: RequestBackend,
    page: PageQuery,
    text: Annotated[
        OptionalText, Query(description="Part of the name of the changed resource or the API key used.")
    ] = None,
    noun: Annotated[ResourceType | None, EnumOrNone(ResourceType)] = None,
    subject_id: Annotated[FilterId[str], Query(alias="subjectId")] = None,
    actor_id: Annotated[FilterId[str], Query(alias="actorId")] = None,
    after: OptionalTime = None,
    before: OptionalTime = None,
) -> Response:
    """List all changes made by users and API keys, newest first. Times are inclusive milliseconds."""
    where = AuditFilter(
        text=text, noun=noun, subject_id=subject_id, actor_id=actor_id, after=after, before=before
    )
    return paged(await backend.audit_log(where, page))
