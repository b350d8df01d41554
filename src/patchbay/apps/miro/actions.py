"""Actions."""

from html import escape

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import OnInterrupted, dropdown, request_action, text
from patchbay.integration.templates import fill_object
from patchbay.integration.values import text_of

_LINK_ACCESS = (("private", "No access"), ("view", "Can view"), ("comment", "Can comment"))
_TEAM_ACCESS = (*_LINK_ACCESS, ("edit", "Can edit"))
_DETAILS = (
    text("title", "Title", required=True),
    text("description", "Description"),
    dropdown("teamAccess", "Access of the team", _TEAM_ACCESS, variables=True),
    dropdown("accessViaLink", "Access with the link", _LINK_ACCESS, variables=True),
)
_BOARD: dict[str, Json] = {
    "name": "{title}",
    "description": "{description}",
    "policy": {"sharingPolicy": {"access": "{accessViaLink}", "teamAccess": "{teamAccess}"}},
}

copy_board = request_action(
    key="copyBoard",
    name="Copy board",
    description="Creates a board with the content of another one.",
    arguments=(
        dropdown("originalBoard", "Original board", source="listBoards", required=True, variables=True),
        *_DETAILS,
    ),
    request="PUT /v2/boards",
    query={"copy_from": "{originalBoard}"},
    body=_BOARD,
    on_interrupted=OnInterrupted.ASK,  # each request creates a board, although the method is PUT
)
create_board = request_action(
    key="createBoard",
    name="Create board",
    description="Creates an empty board.",
    arguments=_DETAILS,
    request="POST /v2/boards",
    body=_BOARD,
)


def _card(parameters: JsonObject) -> JsonObject:
    """The body that creates a card. A title with a link is HTML."""
    title, link = text_of(parameters, "cardTitle"), text_of(parameters, "cardTitleLink").strip()
    shown = f'<a href="{escape(link)}">{escape(title)}</a>' if link else title
    filled = fill_object(
        {
            "data": {"description": "{cardDescription}", "dueDate": "{cardDueDate}"},
            "style": {"cardTheme": "{cardBorderColor}"},
            "parent": {"id": "{frameId}"},
        },
        parameters,
    )
    data = filled.get("data")
    return {**filled, "data": {**(data if isinstance(data, dict) else {}), "title": shown}}


create_card_widget = request_action(
    key="createCardWidget",
    name="Create card",
    description="Creates a card in a frame of a board.",
    arguments=(
        dropdown("boardId", "Board", source="listBoards", required=True, variables=True),
        dropdown(
            "frameId",
            "Frame",
            source="listFrames",
            within="boardId",
            required=True,
            variables=True,
        ),
        text("cardTitle", "Title", required=True),
        text("cardTitleLink", "Link of the title", placeholder="https://example.com"),
        text("cardDescription", "Description", multiline=True),
        text("cardDueDate", "Due date", placeholder="2026-03-31T14:30:00Z"),
        dropdown(
            "cardBorderColor",
            "Border colour",
            (
                ("#FFFFFF", "White"),
                ("#FEF445", "Yellow"),
                ("#FAC710", "Orange"),
                ("#F24726", "Red"),
                ("#DA0063", "Bright red"),
                ("#E6E6E6", "Light grey"),
                ("#808080", "Grey"),
                ("#1A1A1A", "Black"),
                ("#CEE741", "Light green"),
                ("#8FD14F", "Green"),
                ("#0CA789", "Dark green"),
                ("#12CDD4", "Turquoise"),
                ("#2D9BF0", "Light blue"),
                ("#414BB2", "Blue"),
                ("#9510AC", "Magenta"),
                ("#652CB3", "Purple"),
            ),
            variables=True,
        ),
    ),
    request="POST /v2/boards/{boardId}/cards",
    body=_card,
)
