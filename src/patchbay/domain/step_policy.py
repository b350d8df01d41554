"""Timeout and retries of a step: limits and defaults, for the engine and the form."""

from pydantic import Field

from patchbay.domain.base import Model, WholeNumber

MAX_TIMEOUT_SECONDS = 86_400
MAX_ATTEMPTS = 20
MAX_FIRST_DELAY_SECONDS = 3_600

DEFAULT_TIMEOUT_SECONDS = 300
SPARE_SECONDS = 60
"""Time beyond a step's own time limit, so that the step says itself that it timed out."""
ATTEMPTS_WHEN_ASKED_TO_WAIT = 5
"""Default attempts of a step whose service says how long to wait."""
ATTEMPTS_WHEN_REPEATABLE = 3
"""Default attempts of a step with a temporary error that can be repeated safely. Others have 1 attempt."""
DEFAULT_FIRST_DELAY_SECONDS = 2
"""Seconds before the second attempt; doubled for each further one."""


class StepPolicy(Model):
    """Timeout and retries of a step. None means the default, which depends on the error and the action.

    `attempts` includes the first one, so 1 means no retries. If set, it applies to every temporary error,
    even if the action isn't safe to repeat. The delay before a retry starts with `first_pause_seconds` and
    doubles each time, unless the third party says how long to wait.
    """

    timeout_seconds: WholeNumber | None = Field(None, ge=1, le=MAX_TIMEOUT_SECONDS)
    attempts: WholeNumber | None = Field(None, ge=1, le=MAX_ATTEMPTS)
    first_pause_seconds: WholeNumber | None = Field(None, ge=1, le=MAX_FIRST_DELAY_SECONDS)


def default_timeout_seconds(own_limit_seconds: float | None) -> float:
    """The timeout of a step without one in its policy. `own_limit_seconds` is what its parameters set."""
    if own_limit_seconds is None:
        return float(DEFAULT_TIMEOUT_SECONDS)
    return max(float(DEFAULT_TIMEOUT_SECONDS), own_limit_seconds + SPARE_SECONDS)
