"""Triggers: a webhook that is registered for the form."""

from dataclasses import replace

from patchbay.domain.base import Json
from patchbay.domain.json_limits import read_json
from patchbay.integration import Context, dropdown, segment, webhook_trigger


def _with_parsed_content(sent: Json) -> Json:
    """A delivery whose field `rawRequest`, a JSON text with the entered values, is parsed."""
    if not isinstance(sent, dict) or not isinstance(raw := sent.get("rawRequest"), str):
        return sent
    try:
        return {**sent, "rawRequest": read_json(raw)}
    except ValueError:
        return sent


async def _unregister(ctx: Context) -> None:
    """Delete the webhook: Jotform renumbers a form's webhooks whenever one is deleted."""
    path = f"/form/{segment(ctx.parameters.get('formId'))}/webhooks"
    content = (await ctx.http.get(path)).json()["content"]
    listed = content.items() if isinstance(content, dict) else enumerate(content)
    for number, address in listed:
        if address == ctx.webhook_url:
            await ctx.http.delete(f"{path}/{segment(str(number))}")
            return


new_submissions = replace(
    webhook_trigger(
        key="newSubmissions",
        name="New submission",
        description="Starts when someone submits a form.",
        arguments=[dropdown("formId", "Form", source="listForms", required=True, variables=True)],
        register="POST /form/{formId}/webhooks",
        body={"webhookURL": "{webhookUrl}"},
        form=True,
        remote_id="",
        unregister="GET /form/{formId}/webhooks",
        internal_id="submissionID",
        item=_with_parsed_content,
    ),
    unregister_hook=_unregister,
)
