"""Looking up users of the service."""

from patchbay.domain.backend import Backend
from patchbay.domain.base import UserId
from patchbay.domain.errors import NotFound
from patchbay.domain.organise import User


async def find_user(home: Backend, user_id: UserId) -> User:
    """The user with this id; raises NotFound."""
    user = next((item for item in await home.list_users() if item.id == user_id), None)
    if user is None:
        raise NotFound(
            "This person is not there.",
            meaning="It may have been deleted meanwhile.",
            todo="Refresh the list.",
        )
    return user
