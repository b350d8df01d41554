"""The data of a document, as rows or as JSON."""

from collections.abc import Sequence

from patchbay.integration import Argument, Context, DynamicFields, rows, text
from patchbay.integration.values import as_bool

DATA = "documentData"
JSON_DATA = "customJsonPayload"
NAME, VALUE = "documentDataKey", "documentDataValue"


async def load(ctx: Context) -> Sequence[Argument]:
    """One field for JSON, or rows of names and values."""
    if as_bool(ctx.parameters.get("useCustomJsonStructure")):
        return [
            text(
                JSON_DATA,
                "Data of the document",
                required=True,
                multiline=True,
                description="A JSON object. The template refers to its values.",
            )
        ]
    return [
        rows(
            DATA,
            "Data of the document",
            (text(NAME, "Name", required=True), text(VALUE, "Value")),
            description="The values that the template refers to.",
            add="Add value",
        )
    ]


list_document_data = DynamicFields(key="listDocumentData", load=load)
