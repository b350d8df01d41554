"""People who are invited and have not come yet. Served both with and without /v1."""

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.organise import Invitation
from patchbay.domain.paging import Page
from patchbay.server.access import Home, admin_only
from patchbay.server.bodies import NewInvitation
from patchbay.server.docs import answers
from patchbay.server.envelope import One, Paged, nothing, one, paged
from patchbay.server.params import Paging, UserPath

router = APIRouter(prefix="/user-invitations", tags=["users"])


@router.get("", responses=answers(Paged[Invitation]))
@admin_only
async def list_invitations(home: Home, page: Paging) -> Response:
    """Who is invited, by full name, in pages; without the links."""
    found = await home.list_invitations()
    start = (page.page - 1) * page.limit
    part = found[start : start + page.limit]
    return paged(Page[Invitation](items=part, total=len(found), page=page.page, limit=page.limit))


@router.post("", status_code=201, responses=answers(One[Invitation], 201, checked=True, conflict=True))
@admin_only
async def invite(home: Home, body: NewInvitation) -> Response:
    """Invite somebody for 72 hours. The link is in this answer and is not shown again."""
    return one(await home.invite(body.full_name, body.email, body.role_id), 201)


@router.delete("/{userId}", status_code=204, responses=answers(None, 204, missing=True))
@admin_only
async def withdraw_invitation(home: Home, user_id: UserPath) -> Response:
    """Take an invitation back: its link ends. People who are in already are not found here."""
    await home.withdraw_invitation(user_id)
    return nothing()
