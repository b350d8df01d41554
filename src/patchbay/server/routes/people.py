"""Users and their folders. Served both with and without /v1: the interface writes them without."""

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.backend import Backend
from patchbay.domain.base import UserId
from patchbay.domain.errors import Forbidden, NotFound
from patchbay.domain.organise import Folder, User
from patchbay.domain.paging import Page
from patchbay.server.access import Home, admin_only
from patchbay.server.bodies import Named, NewUser, UserEdit
from patchbay.server.docs import answers
from patchbay.server.envelope import Many, One, Paged, many, nothing, one, paged
from patchbay.server.params import FolderPath, Paging, UserPath

router = APIRouter(prefix="/users", tags=["users"])


@router.get("", responses=answers(Paged[User]))
async def list_users(home: Home, page: Paging) -> Response:
    """Users by name, in pages."""
    users = await home.list_users()
    start = (page.page - 1) * page.limit
    part = users[start : start + page.limit]
    return paged(Page[User](items=part, total=len(users), page=page.page, limit=page.limit))


@router.get("/{userId}", responses=answers(One[User], missing=True))
async def get_user(home: Home, user_id: UserPath) -> Response:
    """One user; admins also find people who are invited."""
    user = next((item for item in await home.list_users() if item.id == user_id), None)
    user = user or await _invited(home, user_id)
    if user is None:
        meaning = "It may have been deleted meanwhile."
        raise NotFound("This person is not there.", meaning=meaning, todo="Refresh the list.")
    return one(user)


@router.post("", status_code=201, responses=answers(One[User], 201, checked=True))
@admin_only
async def create_user(home: Home, body: NewUser) -> Response:
    """A person who is in at once, without an invitation; without a role, an editor."""
    return one(await home.create_user(body.full_name, body.email, body.role_id), 201)


@router.patch("/{userId}", responses=answers(One[User], missing=True, checked=True, conflict=True))
@admin_only
async def update_user(home: Home, user_id: UserPath, body: UserEdit) -> Response:
    """Change the name or the role; the last admin stays one."""
    return one(await home.update_user(user_id, full_name=body.full_name, role_id=body.role_id))


@router.delete("/{userId}", status_code=204, responses=answers(None, 204, missing=True, conflict=True))
@admin_only
async def delete_user(home: Home, user_id: UserPath) -> Response:
    """Remove a person: their keys end, their flows are unpublished, and what they made can be read.

    Of somebody who was invited and has not come yet, the invitation is withdrawn.
    """
    if await _invited(home, user_id):
        await home.withdraw_invitation(user_id)
    else:
        await home.delete_user(user_id)
    return nothing()


@router.get("/{userId}/folders", responses=answers(Many[Folder], missing=True))
async def list_folders(home: Home, user_id: UserPath) -> Response:
    """The folders of a user, by name; none of somebody who was invited and has not come yet."""
    return many(() if await _invited(home, user_id) else await home.list_folders(user_id))


@router.post(
    "/{userId}/folders", status_code=201, responses=answers(One[Folder], 201, missing=True, checked=True)
)
async def create_folder(home: Home, user_id: UserPath, body: Named) -> Response:
    """A new folder of a user."""
    return one(await home.create_folder(body.name, user_id), 201)


@router.patch("/{userId}/folders/{folderId}", responses=answers(One[Folder], missing=True, checked=True))
async def rename_folder(home: Home, user_id: UserPath, folder_id: FolderPath, body: Named) -> Response:
    """Give a folder of this user another name."""
    return one(await home.rename_folder(folder_id, body.name, user_id))


@router.delete("/{userId}/folders/{folderId}", status_code=204, responses=answers(None, 204, missing=True))
async def delete_folder(home: Home, user_id: UserPath, folder_id: FolderPath) -> Response:
    """Delete a folder of this user; its flows stay."""
    await home.delete_folder(folder_id, user_id)
    return nothing()


async def _invited(home: Backend, user_id: UserId) -> User | None:
    """The person with this id who was invited and hasn't come yet, where the key may list invitations."""
    try:
        found = await home.list_invitations()
    except Forbidden:
        return None
    person = next((item for item in found if item.id == user_id), None)
    return person and User(**{name: getattr(person, name) for name in User.model_fields})
