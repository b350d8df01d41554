"""Actions."""

from patchbay.domain.base import JsonObject
from patchbay.integration import Action, Context, dropdown, request_action, text
from patchbay.integration.described_requests import prepare, values_of

_SETTINGS: JsonObject = {
    "title": "{campaignName}",
    "subject_line": "{emailSubject}",
    "preview_text": "{previewText}",
    "from_name": "{fromName}",
    "reply_to": "{fromEmailAddress}",
    "to_name": "{toName}",
}


async def _create(ctx: Context) -> None:
    """Create the campaign, then set its content, which is a separate resource of Mailchimp's."""
    values = values_of(ctx)
    recipients: JsonObject = {
        "list_id": "{audienceId}",
        "segment_opts": {"saved_segment_id": "{segmentOrTagId:number}"},
    }
    request = prepare(
        "POST /3.0/campaigns",
        values,
        body={"type": "regular", "recipients": recipients, "settings": _SETTINGS},
    )
    campaign = (await request.send(ctx)).json()
    content = prepare(
        "PUT /3.0/campaigns/{campaignId}/content",
        {**values, "campaignId": campaign["id"]},
        body={"template": {"id": "{templateId:number}"}, "html": "{emailContent}"},
    )
    written = (await content.send(ctx)).json() if content.body else {}
    ctx.set_action_item({**written, **campaign})


create_campaign = Action(
    key="createCampaign",
    name="Create campaign",
    description="Creates a campaign that isn't sent yet. Outputs the campaign with its content.",
    arguments=(
        text("campaignName", "Campaign name", description="Only visible to you."),
        dropdown("audienceId", "Audience", source="listAudiences", required=True, variables=True),
        dropdown(
            "segmentOrTagId",
            "Segment or tag",
            source="listSegmentsOrTags",
            within="audienceId",
            variables=True,
            description="Leave empty for the whole audience.",
        ),
        text("emailSubject", "Subject", required=True),
        text("previewText", "Preview text", description="Mail programs show it after the subject."),
        text("fromName", "Sender name", required=True),
        text(
            "fromEmailAddress",
            "Sender email",
            required=True,
            description="Its domain must be verified in Mailchimp.",
        ),
        text("toName", "Recipient name", placeholder="*|FNAME|*", description="Can contain merge tags."),
        dropdown("templateId", "Template", source="listTemplates", variables=True),
        text(
            "emailContent",
            "Content",
            multiline=True,
            description="HTML. Leave empty if you choose a template.",
        ),
    ),
    run=_create,
)

send_campaign = request_action(
    key="sendCampaign",
    name="Send campaign",
    description="Sends a campaign to its audience now.",
    arguments=(dropdown("campaignId", "Campaign", source="listCampaigns", required=True, variables=True),),
    request="POST /3.0/campaigns/{campaignId}/actions/send",
    output={"output": "{response}"},
)
