"""The time limit that an argument of a step sets."""

import pytest

from patchbay.domain.apps import TimeLimit
from patchbay.domain.base import Json
from patchbay.domain.step_policy import DEFAULT_TIMEOUT_SECONDS, default_timeout_seconds

LIMIT = TimeLimit(argument="minutes", default=10, most=100, unit_seconds=60)


@pytest.mark.parametrize(
    ("entered", "minutes"),
    [("5", 5), (7, 7), ("900", 100), ("", 10), (None, 10), ("{{minutes}}", 10), (True, 10)],
)
def test_a_limit_that_isnt_a_number_yet_is_the_default(entered: Json, minutes: int) -> None:
    assert LIMIT.seconds({"minutes": entered}) == minutes * 60
    assert LIMIT.seconds({}) == 600


def test_a_timeout_is_longer_than_the_own_limit_of_the_step() -> None:
    assert default_timeout_seconds(None) == DEFAULT_TIMEOUT_SECONDS
    assert default_timeout_seconds(5) == DEFAULT_TIMEOUT_SECONDS
    assert default_timeout_seconds(3600) > 3600
