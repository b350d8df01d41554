"""References told in words, for sentences that name values of steps."""

from collections.abc import Mapping

from patchbay.domain.base import StepId
from patchbay.domain.variables import Reference, split


def with_names(sentence: str, positions: Mapping[StepId, int]) -> str:
    """ "{{step.x.title}} had no value" → "“title” of step 2 had no value"."""
    return "".join(
        _named(piece, positions) if isinstance(piece, Reference) else piece for piece in split(sentence)
    )


def _named(reference: Reference, positions: Mapping[StepId, int]) -> str:
    position = positions.get(reference.step_id)
    step = f"step {position}" if position is not None else "a removed step"
    return f"“{'.'.join(reference.path)}” of {step}"
