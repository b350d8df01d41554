from patchbay.integration import Action, Context, OnInterrupted, segment, text


async def run(ctx: Context) -> None:
    """Fetch one incident."""
    answer = await ctx.http.get(f"/v2/incidents/{segment(ctx.parameters.get('incidentId'))}")
    ctx.set_action_item(answer.json())


find_incident = Action(
    key="findIncident",
    name="Find incident",
    description="Finds an incident by its ID.",
    on_interrupted=OnInterrupted.REPEAT,
    arguments=(text("incidentId", "Incident ID", required=True),),
    run=run,
)
