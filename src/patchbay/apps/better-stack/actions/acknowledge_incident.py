from patchbay.integration import Action, Context, OnInterrupted, segment, text
from patchbay.integration.values import text_of


async def run(ctx: Context) -> None:
    """Acknowledge the incident."""
    path = f"/v2/incidents/{segment(ctx.parameters.get('incidentId'))}/acknowledge"
    by = text_of(ctx.parameters, "acknowledgedBy")
    answer = await ctx.http.post(path, json={"acknowledged_by": by} if by else {})
    ctx.set_action_item(answer.json())


acknowledge_incident = Action(
    key="acknowledgeIncident",
    name="Acknowledge incident",
    description="Acknowledges an incident.",
    on_interrupted=OnInterrupted.REPEAT,
    arguments=(
        text("incidentId", "Incident ID", required=True),
        text(
            "acknowledgedBy",
            "Acknowledged by",
            description="An email address, a name, or another identifier.",
        ),
    ),
    run=run,
)
