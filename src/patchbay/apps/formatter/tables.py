"""All transforms by key, and how one is applied: also by worker processes, which know it by its key."""

from patchbay.domain.base import EpochMs, Json, JsonObject

from .catalogue import Now
from .transforms.date_time import DATE_TIME
from .transforms.numbers import NUMBERS
from .transforms.text import TEXT

TRANSFORMS = {transform.key: transform for transform in (*TEXT, *NUMBERS, *DATE_TIME)}


def apply_transform(key: str, given: JsonObject, ms: EpochMs, time_zone: str) -> Json:
    """The result of a transform for these inputs. Raises `ValidationFailed` for inputs it can't take."""
    return TRANSFORMS[key].apply(given, Now(ms, time_zone))
