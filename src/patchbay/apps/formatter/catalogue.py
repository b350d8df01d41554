"""What a transform is: a function of its inputs, with what it may cost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from patchbay.domain.base import EpochMs, Json, JsonObject
from patchbay.integration import Argument


@dataclass(frozen=True)
class Now:
    """The moment a transform runs at: clock value and the zone of the workspace."""

    ms: EpochMs
    time_zone: str = "UTC"


class Cost(Enum):
    """What a transform may cost, which decides where it runs."""

    LINEAR = auto()
    """Time, memory and output grow no faster than the input: small inputs stay in this process."""
    UNBOUNDED = auto()
    """It may take long, or bring in a large library: always in a worker process."""


Apply = Callable[[JsonObject, Now], Json]


@dataclass(frozen=True)
class Transform:
    """One way to change a value."""

    key: str
    label: str
    apply: Apply
    arguments: Callable[[], Sequence[Argument]] = tuple
    cost: Cost | Callable[[JsonObject], Cost] = Cost.LINEAR
    """Where it depends on the inputs, a function of them."""

    def cost_of(self, given: JsonObject) -> Cost:
        """How expensive the transform is for these parameters."""
        return self.cost if isinstance(self.cost, Cost) else self.cost(given)
