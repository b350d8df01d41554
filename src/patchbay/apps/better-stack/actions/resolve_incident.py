from patchbay.integration import Action, Context, OnInterrupted, segment, text
from patchbay.integration.values import text_of


async def run(ctx: Context) -> None:
    """Resolve the incident."""
    path = f"/v2/incidents/{segment(ctx.parameters.get('incidentId'))}/resolve"
    by = text_of(ctx.parameters, "resolvedBy")
    answer = await ctx.http.post(path, json={"resolved_by": by} if by else {})
    ctx.set_action_item(answer.json())


resolve_incident = Action(
    key="resolveIncident",
    name="Resolve incident",
    description="Resolves an incident.",
    on_interrupted=OnInterrupted.REPEAT,
    arguments=(
        text("incidentId", "Incident ID", required=True),
        text("resolvedBy", "Resolved by", description="An email address, a name, or another identifier."),
    ),
    run=run,
)
