"""The field that custom task IDs need."""

from collections.abc import Sequence

from patchbay.integration import Argument, Context, DynamicFields
from patchbay.integration.values import as_bool

from .places import WORKSPACE


async def load(ctx: Context) -> Sequence[Argument]:
    """The workspace: a custom ID is unique only within one."""
    return [WORKSPACE] if as_bool(ctx.parameters.get("useCustomId")) else []


list_fields_when_using_custom_id = DynamicFields(key="listFieldsWhenUsingCustomId", load=load)
