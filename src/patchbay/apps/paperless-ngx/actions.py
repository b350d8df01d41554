"""Actions."""

from patchbay.domain.base import JsonObject
from patchbay.integration import Action, Context, dropdown, text
from patchbay.integration.files import FileArgument
from patchbay.integration.request import FormPart
from patchbay.integration.templates import fill_object
from patchbay.integration.values import as_text, parameter_error, text_of

_DOCUMENT = FileArgument("document", "document")
_FIELDS: JsonObject = {
    "title": "{title:text}",
    "created": "{created:text}",
    "correspondent": "{correspondentId:text}",
    "document_type": "{documentTypeId:text}",
    "archive_serial_number": "{archiveSerialNumber:text}",
    "tags": "{tagIds:list}",
}


async def run(ctx: Context) -> None:
    """Upload the document. Paperless-ngx returns the ID of the task that processes it."""
    form = [*_fields(ctx.parameters), _file(ctx.parameters)]
    task = (await ctx.http.post("/api/documents/post_document/", multipart=form)).json()
    ctx.set_action_item({"taskId": task})


def _fields(parameters: JsonObject) -> list[FormPart]:
    """A form field for each value; several tags are several fields."""
    filled = fill_object(_FIELDS, parameters)
    return [
        FormPart(name, as_text(value))
        for name, values in filled.items()
        for value in (values if isinstance(values, list) else [values])
    ]


def _file(parameters: JsonObject) -> FormPart:
    name = text_of(parameters, "fileName")
    files = list(_DOCUMENT.files(parameters.get("document"), name=name, is_base64=True))
    if len(files) != 1 or not files[0].content:
        message = "Choose one file." if files else "Choose a file."
        raise parameter_error("document", message, "Use a loop to upload several documents.")
    return FormPart("document", files[0].content, files[0].name, files[0].content_type)


upload_document = Action(
    key="uploadDocument",
    name="Upload document",
    description="Uploads a document to be processed, and outputs the ID of the task.",
    arguments=(
        text(
            "document",
            "Document",
            required=True,
            description="A file of an earlier step, or the content of a file as base64.",
        ),
        text(
            "fileName",
            "File name",
            placeholder="invoice.pdf",
            description="Leave empty for the name of the file. Required for base64.",
        ),
        text("title", "Title", description="Leave empty for the name of the file."),
        text("created", "Date of the document", placeholder="2026-03-31"),
        dropdown("correspondentId", "Correspondent", source="listCorrespondents", variables=True),
        dropdown("documentTypeId", "Document type", source="listDocumentTypes", variables=True),
        dropdown(
            "tagIds",
            "Tags",
            source="listTags",
            variables=True,
            description="A tag, or the IDs of several, separated by commas.",
        ),
        text("archiveSerialNumber", "Archive serial number", placeholder="1024"),
    ),
    run=run,
)
