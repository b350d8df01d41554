"""The fields of the chosen transform."""

from collections.abc import Sequence

from patchbay.integration import Argument, Context, DynamicFields
from patchbay.integration.values import text_of

from ..tables import TRANSFORMS


async def load(ctx: Context) -> Sequence[Argument]:
    """The inputs of the selected transform."""
    transform = TRANSFORMS.get(text_of(ctx.parameters, "transform"))
    return tuple(transform.arguments()) if transform else ()


list_transform_options = DynamicFields(key="listTransformOptions", load=load)
