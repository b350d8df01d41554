"""Actions."""

from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.json_limits import read_json
from patchbay.integration import YES_NO, dropdown, request_action, rows, text
from patchbay.integration.values import as_bool, parameter_error, text_of

from .dynamic_fields import DATA, JSON_DATA, NAME, VALUE

_DOCUMENT_ID = text("documentId", "Document ID", required=True)

delete_document = request_action(
    key="deleteDocument",
    name="Delete document",
    description="Deletes a document and its file.",
    arguments=(_DOCUMENT_ID,),
    request="DELETE /v1/documents/{documentId}",
    output={"result": "Deleted", "documentId": "{documentId}"},
)

find_document = request_action(
    key="findDocument",
    name="Find document",
    description="Outputs a document, with its status and the address of its file.",
    arguments=(_DOCUMENT_ID,),
    request="GET /v1/documents/{documentId}",
    output="document",
)


def _pairs(entered: Any, name: str, value: str) -> dict[str, Json]:
    """The values of rows by their names."""
    found = [row for row in entered if isinstance(row, dict)] if isinstance(entered, list) else []
    return {text_of(row, name): row.get(value) for row in found if text_of(row, name)}


def _data(parameters: JsonObject) -> dict[str, Json]:
    if not as_bool(parameters.get("useCustomJsonStructure")):
        return _pairs(parameters.get(DATA), NAME, VALUE)
    entered = parameters.get(JSON_DATA)
    try:
        found = read_json(entered) if isinstance(entered, str) else entered
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise parameter_error(JSON_DATA, "The data of the document isn't a JSON object.")
    return found


def _document(parameters: JsonObject) -> JsonObject:
    meta = _pairs(parameters.get("metaData"), "metaDataKey", "metaDataValue")
    if filename := text_of(parameters, "customFilename").strip():
        meta["_filename"] = filename
    return {
        "document": {
            "document_template_id": parameters.get("templateId"),
            "status": "pending",
            "payload": _data(parameters),
            "meta": meta,
        }
    }


generate_document = request_action(
    key="generateDocument",
    name="Generate document",
    description="Generates a document. It's finished a little later; see the trigger Document generated.",
    arguments=(
        dropdown("workspaceId", "Workspace", source="listWorkspaces", required=True, variables=True),
        dropdown(
            "templateId",
            "Template",
            source="listTemplates",
            within="workspaceId",
            required=True,
            variables=True,
        ),
        dropdown(
            "useCustomJsonStructure",
            "Enter the data as JSON",
            YES_NO,
            required=True,
            variables=True,
            more_fields="listDocumentData",
            description="Needed for lists and nested values.",
        ),
        text("customFilename", "File name", description="Such as invoice-17.pdf. Empty: a generated one."),
        rows(
            "metaData",
            "Metadata",
            (text("metaDataKey", "Name"), text("metaDataValue", "Value")),
            description="Kept with the document, and not shown in it.",
            add="Add metadata",
        ),
    ),
    request="POST /v1/documents",
    body=_document,
)
