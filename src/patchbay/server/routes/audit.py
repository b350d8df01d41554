"""The audit log: who did what, when."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from patchbay.domain.audit import AuditEntry, AuditFilter
from patchbay.domain.changes import Noun
from patchbay.server.access import Home, admin_only
from patchbay.server.docs import answers
from patchbay.server.envelope import Paged, paged
from patchbay.server.params import FilterId, OneOf, Paging, Text, Time

router = APIRouter(prefix="/audit", tags=["audit log"])


@router.get("", responses=answers(Paged[AuditEntry]))
@admin_only
async def audit_log(
    home: Home,
    page: Paging,
    text: Annotated[
        Text, Query(description="Part of what a thing, or the key of who acted, is called.")
    ] = None,
    noun: Annotated[Noun | None, OneOf(Noun)] = None,
    subject_id: Annotated[FilterId, Query(alias="subjectId")] = None,
    actor_id: Annotated[FilterId, Query(alias="actorId")] = None,
    after: Time = None,
    before: Time = None,
) -> Response:
    """Every change that people and keys made, newest first. Times are inclusive milliseconds."""
    where = AuditFilter(
        text=text, noun=noun, subject_id=subject_id, actor_id=actor_id, after=after, before=before
    )
    return paged(await home.audit_log(where, page))
