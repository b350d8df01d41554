"""Actions for incidents."""

from patchbay.integration import YES_NO, OnInterrupted, dropdown, request_action, text

_INCIDENT_ID = text("incidentId", "Incident ID", required=True)
_BY = "An email address, a name, or another identifier."

create_incident = request_action(
    key="createIncident",
    name="Create incident",
    description="Creates an incident and alerts the person on call.",
    arguments=(
        text("briefSummary", "Summary", required=True),
        text("description", "Description", multiline=True),
        text("requesterEmail", "Email of the requester", required=True),
        *(
            dropdown(key, f"Alert by: {label}", YES_NO, required=True, variables=True, value=False)
            for key, label in (
                ("alertSettingsCall", "Call"),
                ("alertSettingsText", "Text message"),
                ("alertSettingsEmail", "Email"),
                ("alertSettingsPushNotification", "Push notification"),
            )
        ),
        text(
            "teamAlertWaitTime",
            "Wait before alerting the team",
            required=True,
            value="180",
            description="Seconds until the whole team is alerted if no one has responded.",
        ),
    ),
    request="POST /v3/incidents",
    body={
        "summary": "{briefSummary}",
        "description": "{description}",
        "requester_email": "{requesterEmail}",
        "call": "{alertSettingsCall:bool}",
        "sms": "{alertSettingsText:bool}",
        "email": "{alertSettingsEmail:bool}",
        "push": "{alertSettingsPushNotification:bool}",
        "team_wait": "{teamAlertWaitTime:number}",
    },
    output="data",
)

find_incident = request_action(
    key="findIncident",
    name="Find incident",
    description="Finds an incident by its ID.",
    arguments=(_INCIDENT_ID,),
    request="/v3/incidents/{incidentId}",
    output="data",
)

acknowledge_incident = request_action(
    key="acknowledgeIncident",
    name="Acknowledge incident",
    description="Acknowledges an incident.",
    arguments=(_INCIDENT_ID, text("acknowledgedBy", "Acknowledged by", description=_BY)),
    request="POST /v3/incidents/{incidentId}/acknowledge",
    body={"acknowledged_by": "{acknowledgedBy}"},
    output="data",
    on_interrupted=OnInterrupted.REPEAT,
)

resolve_incident = request_action(
    key="resolveIncident",
    name="Resolve incident",
    description="Resolves an incident.",
    arguments=(_INCIDENT_ID, text("resolvedBy", "Resolved by", description=_BY)),
    request="POST /v3/incidents/{incidentId}/resolve",
    body={"resolved_by": "{resolvedBy}"},
    output="data",
    on_interrupted=OnInterrupted.REPEAT,
)
