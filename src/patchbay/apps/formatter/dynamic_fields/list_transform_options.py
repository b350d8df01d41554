from collections.abc import Sequence

from patchbay.integration import Argument, Context, DynamicFields
from patchbay.integration.values import text_of

from ..transforms.date_time import DATE_TIME
from ..transforms.numbers import NUMBERS
from ..transforms.text import TEXT

_ALL = {transform.key: transform for transform in (*TEXT, *NUMBERS, *DATE_TIME)}


async def load(ctx: Context) -> Sequence[Argument]:
    """The inputs of the chosen transform."""
    transform = _ALL.get(text_of(ctx.parameters, "transform"))
    return tuple(transform.arguments()) if transform else ()


list_transform_options = DynamicFields(key="listTransformOptions", load=load)
