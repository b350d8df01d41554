"""Actions."""

from patchbay.domain.base import JsonObject
from patchbay.integration import Action, Context, segment, text
from patchbay.integration.google import DRIVE_FILES

DOCUMENT_TYPE = "application/vnd.google-apps.document"


async def _create_document(ctx: Context) -> None:
    """Create an empty document in Drive, then insert the content."""
    properties = {"name": ctx.parameters["title"], "mimeType": DOCUMENT_TYPE}
    created = (await ctx.http.post(DRIVE_FILES, json=properties)).json()
    if content := ctx.parameters.get("content"):
        insertion: JsonObject = {"insertText": {"location": {"index": 1}, "text": content}}
        address = f"/v1/documents/{segment(created['id'])}:batchUpdate"
        await ctx.http.post(address, json={"requests": [insertion]})
    ctx.set_action_item(created)


create_document = Action(
    key="createDocument",
    name="Create document",
    description="Creates a document in My Drive.",
    arguments=(
        text("title", "Title", required=True),
        text("content", "Content", multiline=True, description="Plain text."),
    ),
    run=_create_document,
)
