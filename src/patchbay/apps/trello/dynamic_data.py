"""Boards and what is on them, for dropdowns."""

from patchbay.integration import option_list

list_boards = option_list("listBoards", "/1/members/me/boards", query={"filter": "open", "fields": "name"})
list_board_lists = option_list("listBoardLists", "/1/boards/{boardId}/lists", in_order=True)
list_board_labels = option_list(
    "listBoardLabels",
    "/1/boards/{boardId}/labels",
    query={"fields": "color,name", "limit": 1000},
    label="{name|color}",
)
list_members = option_list("listMembers", "/1/boards/{boardId}/members", label="{fullName|username}")
