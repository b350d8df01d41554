"""Users, their folders, invitations, and roles. All but roles are served with and without /v1."""

from starlette.responses import Response

from patchbay.domain.backend import Backend
from patchbay.domain.base import UserId
from patchbay.domain.errors import Forbidden, NotFound
from patchbay.domain.folders import Folder
from patchbay.domain.paging import Page
from patchbay.domain.people import Invitation, Role, User
from patchbay.server.authentication import RequestBackend, admin_only
from patchbay.server.request_models import Named, NewInvitation, NewUser, UserEdit
from patchbay.server.request_parameters import FolderPath, PageQuery, UserPath
from patchbay.server.responses import Many, One, Paged, describe_responses, many, no_content, one, paged
from patchbay.server.routing import ResourceRouter

router = ResourceRouter(prefix="/users", tags=["users"])


@router.get("", responses=describe_responses(Paged[User]))
async def list_users(backend: RequestBackend, page: PageQuery) -> Response:
    """List users by name."""
    users = await backend.list_users()
    start = (page.page - 1) * page.limit
    part = users[start : start + page.limit]
    return paged(Page[User](items=part, total=len(users), page=page.page, limit=page.limit))


@router.get("/{userId}", responses=describe_responses(One[User], not_found=True))
async def get_user(backend: RequestBackend, user_id: UserPath) -> Response:
    """Get a user; admins also get invited people."""
    user = next((item for item in await backend.list_users() if item.id == user_id), None)
    user = user or await _find_invited(backend, user_id)
    if user is None:
        raise NotFound("This user doesn't exist.", meaning="They may have been removed.")
    return one(user)


@router.post("", status_code=201, responses=describe_responses(One[User], 201, invalid=True))
@admin_only
async def create_user(backend: RequestBackend, body: NewUser) -> Response:
    """Create a user without an invitation; an editor by default."""
    return one(await backend.create_user(body.full_name, body.email, body.role_id), 201)


@router.patch(
    "/{userId}", responses=describe_responses(One[User], not_found=True, invalid=True, conflict=True)
)
@admin_only
async def update_user(backend: RequestBackend, user_id: UserPath, body: UserEdit) -> Response:
    """Change the name or the role of a user. The last admin's role can't be changed."""
    return one(await backend.update_user(user_id, full_name=body.full_name, role_id=body.role_id))


@router.delete(
    "/{userId}", status_code=204, responses=describe_responses(None, 204, not_found=True, conflict=True)
)
@admin_only
async def delete_user(backend: RequestBackend, user_id: UserPath) -> Response:
    """Remove a user: their API keys are revoked, and their flows are unpublished and stay readable.

    For an invited person, the invitation is revoked.
    """
    if await _find_invited(backend, user_id):
        await backend.revoke_invitation(user_id)
    else:
        await backend.delete_user(user_id)
    return no_content()


@router.get("/{userId}/folders", responses=describe_responses(Many[Folder], not_found=True))
async def list_folders(backend: RequestBackend, user_id: UserPath) -> Response:
    """List the folders of a user, by name; none for an invited person."""
    return many(() if await _find_invited(backend, user_id) else await backend.list_folders(user_id))


@router.post(
    "/{userId}/folders",
    status_code=201,
    responses=describe_responses(One[Folder], 201, not_found=True, invalid=True),
)
async def create_folder(backend: RequestBackend, user_id: UserPath, body: Named) -> Response:
    """Create a folder of a user."""
    return one(await backend.create_folder(body.name, user_id), 201)


@router.patch(
    "/{userId}/folders/{folderId}", responses=describe_responses(One[Folder], not_found=True, invalid=True)
)
async def rename_folder(
    backend: RequestBackend, user_id: UserPath, folder_id: FolderPath, body: Named
) -> Response:
    """Rename a folder of a user."""
    return one(await backend.rename_folder(folder_id, body.name, user_id))


@router.delete(
    "/{userId}/folders/{folderId}", status_code=204, responses=describe_responses(None, 204, not_found=True)
)
async def delete_folder(backend: RequestBackend, user_id: UserPath, folder_id: FolderPath) -> Response:
    """Delete a folder of a user; its flows stay."""
    await backend.delete_folder(folder_id, user_id)
    return no_content()


async def _find_invited(backend: Backend, user_id: UserId) -> User | None:
    """The invited person with this ID, if the API key may list invitations."""
    try:
        found = await backend.list_invitations()
    except Forbidden:
        return None
    person = next((item for item in found if item.id == user_id), None)
    return person and User(**{name: getattr(person, name) for name in User.model_fields})


invitation_router = ResourceRouter(prefix="/user-invitations", tags=["users"])


@invitation_router.get("", responses=describe_responses(Paged[Invitation]))
@admin_only
async def list_invitations(backend: RequestBackend, page: PageQuery) -> Response:
    """List pending invitations by full name, without their links."""
    found = await backend.list_invitations()
    start = (page.page - 1) * page.limit
    part = found[start : start + page.limit]
    return paged(Page[Invitation](items=part, total=len(found), page=page.page, limit=page.limit))


@invitation_router.post(
    "", status_code=201, responses=describe_responses(One[Invitation], 201, invalid=True, conflict=True)
)
@admin_only
async def invite(backend: RequestBackend, body: NewInvitation) -> Response:
    """Invite a person for 72 hours. The response contains the link, which is shown only once."""
    return one(await backend.invite(body.full_name, body.email, body.role_id), 201)


@invitation_router.delete(
    "/{userId}", status_code=204, responses=describe_responses(None, 204, not_found=True)
)
@admin_only
async def revoke_invitation(backend: RequestBackend, user_id: UserPath) -> Response:
    """Revoke an invitation; 404 if it was accepted."""
    await backend.revoke_invitation(user_id)
    return no_content()


role_router = ResourceRouter(prefix="/roles", tags=["users"])


@role_router.get("", responses=describe_responses(Many[Role]))
async def list_roles(backend: RequestBackend) -> Response:
    """List the roles, from most to fewest permissions."""
    return many(await backend.list_roles())
