"""Triggers."""

from collections.abc import AsyncGenerator

from patchbay.integration import YES_NO, Context, dropdown, polling_trigger, segment, text
from patchbay.integration.polling import Item
from patchbay.integration.values import as_bool, text_of


async def items(ctx: Context) -> AsyncGenerator[Item, None]:
    """The current state of the entity, identified by when it changed."""
    wanted = text_of(ctx.parameters, "toState").strip()
    response = await ctx.http.get(f"/api/states/{segment(ctx.parameters['entityId'])}")
    state = response.json()
    with_attributes = as_bool(ctx.parameters.get("attributeChanges"))
    moment = state["last_updated" if with_attributes else "last_changed"]
    if not wanted or str(state["state"]).casefold() == wanted.casefold():
        yield state, f"{state['entity_id']} {moment}"


state_changed = polling_trigger(
    key="stateChanged",
    name="State changed",
    description="Starts when the state of an entity has changed since the last poll.",
    arguments=(
        dropdown("entityId", "Entity", source="listEntities", required=True),
        text(
            "toState",
            "New state",
            placeholder="on",
            variables=False,
            description="Starts only for this state. Leave empty for every state.",
        ),
        dropdown(
            "attributeChanges",
            "Attributes",
            YES_NO,
            value=False,
            description="Yes: also starts if only attributes have changed, such as the brightness.",
        ),
    ),
    source=["entityId"],
    items=items,
)
