from patchbay.domain.flow_calls import ANSWER_ACTION
from patchbay.integration import Action, Context, OnInterrupted

from ..data import data_arguments, parse_data


async def run(ctx: Context) -> None:
    """Put the answer out; the engine hands the last one of a run to the calling flow."""
    ctx.set_action_item(parse_data(ctx.parameters))


answer = Action(
    key=ANSWER_ACTION,
    name="Answer the calling flow",
    description="Says what the flow that called this one goes on with. The last answer counts.",
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    arguments=data_arguments("Answer", "What the step “Call a flow” puts out as answer."),
    run=run,
)
