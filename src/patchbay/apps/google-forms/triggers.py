"""Triggers."""

from patchbay.integration import dropdown, list_items, polling_trigger
from patchbay.integration.google import google_pages

new_form_responses = polling_trigger(
    key="newFormResponses",
    name="New form response",
    description="Starts when someone submits a form.",
    arguments=[dropdown("formId", "Form", source="listForms", required=True)],
    items=list_items(
        "/v1/forms/{formId}/responses",
        at="responses",
        internal_id="responseId",
        pages=google_pages("pageSize", 5000),
        absent_if_empty=True,
        sort_by="createTime",
    ),
)
