"""People who are invited and have not come yet. Served both with and without /v1."""

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.organise import Invitation
from patchbay.domain.paging import Page
from patchbay.server.access import RequestBackend, admin_only
from patchbay.server.bodies import NewInvitation
from patchbay.server.docs import describe_responses
from patchbay.server.envelope import One, Paged, no_content, one, paged
from patchbay.server.params import PageQuery, UserPath

invitation_router = APIRouter(prefix="/user-invitations", tags=["users"])


@invitation_router.get("", responses=describe_responses(Paged[Invitation]))
@admin_only
async def list_invitations(backend: RequestBackend, page: PageQuery) -> Response:
    """Who is invited, by full name, in pages; without the links."""
    found = await backend.list_invitations()
    start = (page.page - 1) * page.limit
    part = found[start : start + page.limit]
    return paged(Page[Invitation](items=part, total=len(found), page=page.page, limit=page.limit))


@invitation_router.post(
    "", status_code=201, responses=describe_responses(One[Invitation], 201, invalid=True, conflict=True)
)
@admin_only
async def invite(backend: RequestBackend, body: NewInvitation) -> Response:
    """Invite somebody for 72 hours. The link is in this answer and is not shown again."""
    return one(await backend.invite(body.full_name, body.email, body.role_id), 201)


@invitation_router.delete(
    "/{userId}", status_code=204, responses=describe_responses(None, 204, not_found=True)
)
@admin_only
async def revoke_invitation(backend: RequestBackend, user_id: UserPath) -> Response:
    """Take an invitation back: its link ends. People who are in already are not found here."""
    await backend.revoke_invitation(user_id)
    return no_content()
