"""Boards and their groups for dropdowns."""

from contextlib import aclosing

from patchbay.integration import Context, DynamicData, Option

from .graphql import BOARDS, read_rows, run_operation

_GROUPS = "query ($board: [ID!]) { boards(ids: $board) { groups { id title } } }"


async def _load_boards(ctx: Context) -> list[Option]:
    async with aclosing(read_rows(ctx, BOARDS, "boards")) as found:
        return [
            Option(label=board["name"], value=str(board["id"]))
            async for board in found
            if board["type"] == "board"
        ]


async def _load_groups(ctx: Context) -> list[Option]:
    board = ctx.parameters.get("boardId")
    if not board:
        return []
    boards = (await run_operation(ctx, _GROUPS, board=[str(board)]))["data"]["boards"]
    return [Option(label=group["title"], value=group["id"]) for one in boards for group in one["groups"]]


list_boards = DynamicData(key="listBoards", load=_load_boards)
list_groups = DynamicData(key="listGroups", load=_load_groups)
