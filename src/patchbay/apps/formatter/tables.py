"""All transforms by key, and the function that applies one, also in worker processes."""

from patchbay.domain.base import EpochMs, Json, JsonObject

from .catalogue import Now
from .transforms.data import DATA
from .transforms.date_time import DATE_TIME
from .transforms.numbers import NUMBERS
from .transforms.text import TEXT

TRANSFORMS = {transform.key: transform for transform in (*TEXT, *NUMBERS, *DATE_TIME, *DATA)}


def apply_transform(key: str, given: JsonObject, ms: EpochMs, time_zone: str) -> Json:
    """Apply a transform to these inputs. Raises `ValidationFailed` for invalid inputs."""
    return TRANSFORMS[key].apply(given, Now(ms, time_zone))
