"""Actions."""

from patchbay.integration import Action, Context, dropdown, rows, text
from patchbay.integration.templates import find_value
from patchbay.integration.values import as_text, text_of

from .graphql import run_operation

_CREATE_BOARD = """mutation ($name: String!, $kind: BoardKind!, $template: ID) {
  create_board(board_name: $name, board_kind: $kind, template_id: $template) { id name board_kind }
}"""
_CREATE_COLUMN = """mutation ($board: ID!, $title: String!, $type: ColumnType!) {
  create_column(board_id: $board, title: $title, column_type: $type) { id title type }
}"""
_CREATE_ITEM = """mutation ($board: ID!, $group: String, $name: String!) {
  create_item(board_id: $board, group_id: $group, item_name: $name) { id name url }
}"""
_CREATE_SUBITEM = """mutation ($item: ID!, $name: String!) {
  create_subitem(parent_item_id: $item, item_name: $name) { id name }
}"""
_BOARD = dropdown("boardId", "Board", source="listBoards", required=True, variables=True)
_COLUMN_TYPES = {
    "auto_number": "Auto number",
    "board_relation": "Connect boards",
    "button": "Button",
    "checkbox": "Checkbox",
    "color_picker": "Color picker",
    "country": "Country",
    "creation_log": "Creation log",
    "date": "Date",
    "dependency": "Dependency",
    "doc": "Doc",
    "dropdown": "Dropdown",
    "email": "Email",
    "file": "Files",
    "formula": "Formula",
    "hour": "Hour",
    "item_assignees": "Item assignees",
    "item_id": "Item ID",
    "last_updated": "Last updated",
    "link": "Link",
    "location": "Location",
    "long_text": "Long text",
    "mirror": "Mirror",
    "name": "Name",
    "numbers": "Numbers",
    "people": "People",
    "phone": "Phone",
    "progress": "Progress",
    "rating": "Rating",
    "status": "Status",
    "subtasks": "Subitems",
    "tags": "Tags",
    "team": "Team",
    "text": "Text",
    "time_tracking": "Time tracking",
    "timeline": "Timeline",
    "unsupported": "Unsupported",
    "vote": "Vote",
    "week": "Week",
    "world_clock": "World clock",
}


async def _create_board(ctx: Context) -> None:
    given = ctx.parameters
    output = await run_operation(
        ctx,
        _CREATE_BOARD,
        name=given.get("boardName"),
        kind=given.get("boardKind"),
        template=given.get("templateId"),
    )
    ctx.set_action_item(output)


async def _create_column(ctx: Context) -> None:
    given = ctx.parameters
    output = await run_operation(
        ctx,
        _CREATE_COLUMN,
        board=text_of(given, "boardId"),
        title=given.get("columnTitle"),
        type=given.get("columnType"),
    )
    ctx.set_action_item(output)


async def _create_item(ctx: Context) -> None:
    given = ctx.parameters
    output = await run_operation(
        ctx,
        _CREATE_ITEM,
        board=text_of(given, "boardId"),
        group=given.get("groupId"),
        name=given.get("itemName"),
    )
    item = output["data"]["create_item"]["id"]
    for name in find_value(dict(given), "subitemNames[].subitemName") or ():
        await run_operation(ctx, _CREATE_SUBITEM, item=item, name=as_text(name))
    ctx.set_action_item(output)


create_board = Action(
    key="createBoard",
    name="Create board",
    description="Creates a board in the main workspace.",
    arguments=(
        text("boardName", "Name", required=True),
        dropdown(
            "boardKind",
            "Kind",
            (("public", "Main"), ("private", "Private"), ("share", "Shareable")),
            required=True,
            variables=True,
        ),
        text("templateId", "Template ID", description="The ID of a board that is a template."),
    ),
    run=_create_board,
)

create_column = Action(
    key="createColumn",
    name="Create column",
    description="Adds a column to a board.",
    arguments=(
        _BOARD,
        text("columnTitle", "Title", required=True),
        dropdown("columnType", "Type", _COLUMN_TYPES.items(), required=True, variables=True),
    ),
    run=_create_column,
)

create_item = Action(
    key="createItem",
    name="Create item",
    description="Adds an item to a board, with subitems if you name some. Outputs the item.",
    arguments=(
        _BOARD,
        dropdown(
            "groupId",
            "Group",
            source="listGroups",
            within="boardId",
            variables=True,
            description="The first group if it's empty.",
        ),
        text("itemName", "Name", required=True),
        rows("subitemNames", "Subitems", [text("subitemName", "Name")]),
    ),
    run=_create_item,
)
