"""The action “Respond to the calling flow”."""

from patchbay.domain.flow_calls import ANSWER_ACTION
from patchbay.integration import Action, Context, OnInterrupted

from ..data import data_arguments, parse_data


async def run(ctx: Context) -> None:
    """Set the response as output. The engine passes the last one of a run to the calling flow."""
    ctx.set_action_item(parse_data(ctx.parameters))


answer = Action(
    key=ANSWER_ACTION,
    name="Respond to the calling flow",
    description="Returns data to the flow that called this one. The last response counts.",
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    arguments=data_arguments("Answer", "The output of the “Call a flow” step."),
    run=run,
)
