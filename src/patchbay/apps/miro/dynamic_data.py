"""Boards and their frames for dropdowns."""

from patchbay.integration import cursor, offsets, option_list

list_boards = option_list("listBoards", "/v2/boards", at="data", pages=offsets(limit=50))
list_frames = option_list(
    "listFrames",
    "/v2/boards/{boardId}/items",
    query={"type": "frame"},
    at="data",
    label="{data.title}",
    pages=cursor("cursor", "cursor", limit_key="limit", limit=50),
)
