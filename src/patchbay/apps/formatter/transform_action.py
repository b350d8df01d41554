"""An action with a dropdown of transforms. Applies the selected one, in this process or in a worker."""

from collections.abc import Sequence

from patchbay.domain.base import Json
from patchbay.domain.json_limits import size_of
from patchbay.integration import Action, Context, OnInterrupted, dropdown
from patchbay.integration.values import parameter_error, text_of

from .catalogue import Cost, Transform
from .tables import apply_transform

_LOADER = "listTransformOptions"
_PREVIEW = "previewTransform"
_MAX_INPUT = 5_000_000
INLINE_LENGTH = 64 * 1024
"""Max. characters of all inputs for a linear transform to run in this process."""
SECONDS = 10.0
OUTPUT_BYTES = 16 << 20


def transform_action(
    key: str, name: str, description: str, transforms: Sequence[Transform], keywords: tuple[str, ...]
) -> Action:
    """An action with a dropdown of transforms, each with its own inputs. The output is `output`."""
    by_key = {transform.key: transform for transform in transforms}

    async def run(ctx: Context) -> None:
        transform = by_key.get(text_of(ctx.parameters, "transform"))
        if transform is None:
            raise parameter_error("transform", "Choose a transform.")
        ctx.set_action_item({"output": await apply(transform, ctx)})

    return Action(
        key=key,
        name=name,
        description=description,
        keywords=keywords,
        supports_connections=False,
        on_interrupted=OnInterrupted.REPEAT,
        is_pure=True,
        arguments=(
            dropdown(
                "transform",
                "Transform",
                [(transform.key, transform.label) for transform in transforms],
                required=True,
                more_fields=_LOADER,
            ),
        ),
        run=run,
        preview=_PREVIEW,
    )


async def apply(transform: Transform, ctx: Context) -> Json:
    """The result of a transform for the parameters of a step, in a worker process if it may take long."""
    given = ctx.parameters
    if size_of(given.get("input"), _MAX_INPUT) > _MAX_INPUT:
        raise parameter_error(
            "input", "The input is longer than 5 million characters.", "Split the input first."
        )
    small = size_of(given, INLINE_LENGTH) <= INLINE_LENGTH
    if small and transform.cost_of(given) is Cost.LINEAR:
        return apply_transform(transform.key, given, ctx.now, ctx.time_zone)
    return await ctx.compute(
        apply_transform,
        transform.key,
        given,
        ctx.now,
        ctx.time_zone,
        seconds=SECONDS,
        output_bytes=OUTPUT_BYTES,
    )
