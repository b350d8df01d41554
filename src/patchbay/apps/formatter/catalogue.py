"""`Transform`: a function of its inputs, and its cost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from patchbay.domain.base import EpochMs, Json, JsonObject
from patchbay.integration import Argument


@dataclass(frozen=True)
class Now:
    """The current time and the workspace's time zone."""

    ms: EpochMs
    time_zone: str = "UTC"


class Cost(Enum):
    """The cost of a transform, which decides where it runs."""

    LINEAR = auto()
    """Time, memory, and output are linear in the input. Small inputs are processed in this process."""
    UNBOUNDED = auto()
    """It may take long, or import a large library. Always runs in a worker process."""


Apply = Callable[[JsonObject, Now], Json]


@dataclass(frozen=True)
class Transform:
    """One way to change a value."""

    key: str
    label: str
    apply: Apply
    arguments: Callable[[], Sequence[Argument]] = tuple
    cost: Cost | Callable[[JsonObject], Cost] = Cost.LINEAR
    """A function of the inputs if it depends on them."""

    def cost_of(self, given: JsonObject) -> Cost:
        """How expensive the transform is for these parameters."""
        return self.cost if isinstance(self.cost, Cost) else self.cost(given)
