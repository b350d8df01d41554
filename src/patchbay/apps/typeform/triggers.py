"""Triggers: a webhook that is registered for the form."""

from collections.abc import AsyncGenerator

from patchbay.domain.base import Json
from patchbay.integration import Context, dropdown, hmac_signature, segment, webhook_trigger


async def _past_entries(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
    """Earlier responses of the form in the shape in which Typeform delivers new ones, newest first."""
    form_id = segment(ctx.parameters.get("formId"))
    form = (await ctx.http.get(f"/forms/{form_id}")).json()
    found = (await ctx.http.get(f"/forms/{form_id}/responses")).json()["items"]
    definition = {"id": form["id"], "title": form["title"], "fields": form.get("fields", [])}
    for response in found:
        content = {**response, "form_id": form["id"], "definition": definition}
        yield {"event_type": "form_response", "form_response": content}, str(response["token"])


new_entry = webhook_trigger(
    key="newEntry",
    name="New entry",
    description="Starts when someone submits a form.",
    arguments=[dropdown("formId", "Form", source="listForms", required=True)],
    register="PUT /forms/{formId}/webhooks/{flowId}",
    body={"enabled": True, "url": "{webhookUrl}", "secret": "{webhookSecret}"},
    unregister="DELETE /forms/{formId}/webhooks/{flowId}",
    verify=hmac_signature("Typeform-Signature", prefix="sha256=", base64=True),
    test_items=_past_entries,
)
