"""The loader of the preview of a transform's result."""

import json
from collections.abc import Sequence

from patchbay.domain.base import Json
from patchbay.domain.json_limits import size_of
from patchbay.integration import Context, DynamicData, Option
from patchbay.integration.values import text_of

from ..tables import TRANSFORMS
from ..transform_action import apply

MAX_PREVIEW = 5_000
"""Characters of a result that are shown; longer ones are cut."""


async def load(ctx: Context) -> Sequence[Option]:
    """The result of the chosen transform for the entered values. Raises what the transform raises."""
    transform = TRANSFORMS.get(text_of(ctx.parameters, "transform"))
    if transform is None:
        return ()
    return (Option(label="output", value=_shortened(await apply(transform, ctx))),)


def _shortened(value: Json) -> Json:
    """The value, or the beginning of its text if it is long."""
    if size_of(value, MAX_PREVIEW) <= MAX_PREVIEW:
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return text[:MAX_PREVIEW] + "…"


preview_transform = DynamicData(key="previewTransform", load=load)
