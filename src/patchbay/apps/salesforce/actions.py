"""Actions."""

from patchbay.integration import dropdown, request_action, text
from patchbay.integration.values import text_of

from .soql import containing, first_record, quoted

_WHERE = (
    dropdown("object", "Object", source="listObjects", required=True, variables=True),
    dropdown(
        "field",
        "Field",
        source="listFields",
        within="object",
        required=True,
        variables=True,
    ),
    text("searchValue", "Search value", required=True),
)

find_record = request_action(
    key="findRecord",
    name="Find record",
    description=(
        "Finds a record whose field has this value. Outputs nothing if there is none. "
        "For numbers and dates, run a query."
    ),
    arguments=_WHERE,
    request="GET /services/data/v56.0/query",
    query=lambda parameters: first_record(parameters, f"= {quoted(text_of(parameters, 'searchValue'))}"),
    output="records.0",
)

find_partially_matching_record = request_action(
    key="findPartiallyMatchingRecord",
    name="Find partially matching record",
    description="Finds a record whose field contains this text. Outputs nothing if there is none.",
    arguments=_WHERE,
    request="GET /services/data/v61.0/query",
    query=lambda parameters: first_record(
        parameters, f"LIKE {containing(text_of(parameters, 'searchValue'))}"
    ),
    output="records.0",
)

create_attachment = request_action(
    key="createAttachment",
    name="Create attachment",
    description="Attaches a file to a record.",
    arguments=(
        text("parentId", "Record ID", required=True, description="The record that gets the attachment."),
        text("name", "File name", required=True),
        text(
            "body", "Content", required=True, multiline=True, description="The content of the file in Base64."
        ),
    ),
    request="POST /services/data/v56.0/sobjects/Attachment/",
    body={"ParentId": "{parentId}", "Name": "{name}", "Body": "{body}"},
)

execute_query = request_action(
    key="executeQuery",
    name="Run query",
    description="Runs a query in SOQL, and outputs its first page of up to 2,000 records.",
    arguments=(
        text(
            "query",
            "Query",
            required=True,
            multiline=True,
            placeholder="SELECT Id, Name FROM Account LIMIT 10",
            description="Values of earlier steps become part of the query, so don't use untrusted ones.",
        ),
    ),
    request="GET /services/data/v56.0/query",
    query={"q": "{query}"},
)
