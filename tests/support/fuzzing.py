"""How many examples tests try: a few in `make test`, many in the acceptance tests.

Parsers are fuzzed with fixed examples in `make test` and random ones in the acceptance tests.
"""

import os
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, settings

TIMES = "PATCHBAY_FUZZ_TIMES"
"""Environment variable: so many times as many examples as usual, and other ones each time."""


def examples(count: int, *, of: int) -> settings:
    """Settings of a property test: `count` examples in `make test`, and `of` in the acceptance tests."""
    return settings(
        max_examples=of if TIMES in os.environ else count,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


def fuzz(examples: int = 100) -> Callable[[Any], Any]:
    """Settings of a fuzz test that tries so many examples; a third of them in `make test`."""
    times = int(os.environ.get(TIMES, "1"))
    return settings(
        max_examples=examples * times if TIMES in os.environ else examples // 3,
        derandomize=TIMES not in os.environ,
        database=None,
        deadline=None,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
