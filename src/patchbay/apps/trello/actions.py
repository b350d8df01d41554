"""Actions."""

from patchbay.integration import Argument, dropdown, request_action, rows, text


def _on_board(key: str, label: str, source: str, *, required: bool = False) -> Argument:
    """A dropdown of what is on the chosen board."""
    return dropdown(
        key,
        label,
        source=source,
        within="boardId",
        required=required,
        variables=True,
    )


create_card = request_action(
    key="createCard",
    name="Create card",
    description="Creates a card in a list of a board.",
    arguments=(
        dropdown("boardId", "Board", source="listBoards", required=True, variables=True),
        _on_board("listId", "List", "listBoardLists", required=True),
        text("name", "Name", required=True),
        text("description", "Description", multiline=True, description="Markdown."),
        _on_board("label", "Label", "listBoardLabels"),
        dropdown("cardPosition", "Position", (("top", "Top"), ("bottom", "Bottom")), variables=True),
        rows("memberIds", "Members", [_on_board("memberId", "Member", "listMembers")], add="Add member"),
        text("dueDate", "Due date", placeholder="2026-03-31T14:30:00Z"),
        text("urlSource", "URL to attach", placeholder="https://example.com"),
    ),
    request="POST /1/cards",
    body={
        "name": "{name}",
        "desc": "{description}",
        "idList": "{listId}",
        "pos": "{cardPosition}",
        "due": "{dueDate}",
        "idMembers": "{memberIds[].memberId}",
        "idLabels": ["{label}"],
        "urlSource": "{urlSource}",
    },
)
