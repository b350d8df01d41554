from patchbay.domain.base import JsonObject
from patchbay.integration import YES_NO, Action, Context, dropdown, text
from patchbay.integration.values import as_bool, json_number, number, text_of

_CHANNELS = {
    "alertSettingsCall": ("call", "Call"),
    "alertSettingsText": ("sms", "Text message"),
    "alertSettingsEmail": ("email", "Email"),
    "alertSettingsPushNotification": ("push", "Push notification"),
}


async def run(ctx: Context) -> None:
    """Create an incident and alert the person on call."""
    given = ctx.parameters
    body: JsonObject = {
        "summary": text_of(given, "briefSummary"),
        "description": text_of(given, "description") or None,
        "requester_email": text_of(given, "requesterEmail"),
        "team_wait": json_number(number(given, "teamAlertWaitTime", "Wait before alerting the team")),
    }
    body |= {name: as_bool(given.get(key)) for key, (name, _) in _CHANNELS.items()}
    answer = await ctx.http.post("/v2/incidents", json={k: v for k, v in body.items() if v is not None})
    ctx.set_action_item(answer.json())


create_incident = Action(
    key="createIncident",
    name="Create incident",
    description="Creates an incident and alerts the person on call.",
    arguments=(
        text("briefSummary", "Summary", required=True),
        text("description", "Description", multiline=True),
        text("requesterEmail", "Email of the requester", required=True),
        *(
            dropdown(key, f"Alert by: {label}", YES_NO, required=True, variables=True, value=False)
            for key, (_, label) in _CHANNELS.items()
        ),
        text(
            "teamAlertWaitTime",
            "Wait before alerting the team",
            required=True,
            value="180",
            description="Seconds until the whole team is alerted if no one has responded.",
        ),
    ),
    run=run,
)
