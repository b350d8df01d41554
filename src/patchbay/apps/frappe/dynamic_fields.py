"""The fields of the chosen type of document."""

from collections.abc import Sequence

from patchbay.integration import Argument, Context, DynamicFields

from .fields import argument_of, fields_of


async def load(ctx: Context) -> Sequence[Argument]:
    """An input for each field that can be filled. Nothing while no type is chosen."""
    if not ctx.parameters.get("doctype"):
        return []
    return [argument_of(field) for field in await fields_of(ctx)]


list_fields = DynamicFields(key="listFields", load=load)
