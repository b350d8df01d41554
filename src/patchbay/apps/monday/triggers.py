"""Triggers."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from patchbay.domain.base import Json
from patchbay.integration import Context, polling_trigger

from .graphql import BOARDS, USERS, read_rows


async def _boards(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
    """Boards without the documents and the boards of subitems that monday.com lists among them."""
    async with aclosing(read_rows(ctx, BOARDS, "boards")) as found:
        async for board in found:
            if board["type"] == "board":
                yield board, str(board["id"])


async def _users(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
    async with aclosing(read_rows(ctx, USERS, "users")) as found:
        async for user in found:
            yield user, str(user["id"])


new_board = polling_trigger(
    key="newBoard", name="New board", description="Starts when a board is created.", items=_boards
)
new_users = polling_trigger(
    key="newUsers", name="New user", description="Starts when a user joins the account.", items=_users
)
