"""What a transform is, and the action that offers a list of them."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from patchbay.domain.base import EpochMs, Json, JsonObject
from patchbay.integration import Action, Argument, Context, OnInterrupted, dropdown
from patchbay.integration.values import refuse, text_of

_LOADER = "listTransformOptions"
_MAX_INPUT = 5_000_000


@dataclass(frozen=True)
class Now:
    """The moment a transform runs at: clock value and the zone of the workspace."""

    ms: EpochMs
    time_zone: str = "UTC"


Apply = Callable[[JsonObject, Now], Json]


@dataclass(frozen=True)
class Transform:
    """One way to change a value. `slow` ones leave the event loop alone while they run."""

    key: str
    label: str
    apply: Apply
    arguments: Callable[[], Sequence[Argument]] = tuple
    slow: bool = False


def transform_action(key: str, name: str, description: str, transforms: Sequence[Transform]) -> Action:
    """An action with a dropdown of transforms; the chosen one brings its own inputs. Puts out `output`."""
    by_key = {transform.key: transform for transform in transforms}

    async def run(ctx: Context) -> None:
        transform = by_key.get(text_of(ctx.parameters, "transform"))
        if transform is None:
            raise refuse("transform", "Choose a transform.")
        ctx.set_action_item({"output": await _applied(transform, ctx)})

    return Action(
        key=key,
        name=name,
        description=description,
        supports_connections=False,
        on_interrupted=OnInterrupted.REPEAT,
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
    )


async def _applied(transform: Transform, ctx: Context) -> Json:
    if len(text_of(ctx.parameters, "input")) > _MAX_INPUT:
        raise refuse("input", "The text is longer than five million characters.")
    now = Now(ctx.now, ctx.time_zone)
    if transform.slow:
        return await asyncio.to_thread(transform.apply, ctx.parameters, now)
    return transform.apply(ctx.parameters, now)
