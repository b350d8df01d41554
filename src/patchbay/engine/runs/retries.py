"""The retry policy: whether a failed step is retried, and when."""

import random

from patchbay.domain.step_policy import (
    ATTEMPTS_WHEN_ASKED_TO_WAIT,
    ATTEMPTS_WHEN_REPEATABLE,
    DEFAULT_FIRST_DELAY_SECONDS,
)
from patchbay.engine.app_calls import StepResult
from patchbay.engine.plan import PlannedStep
from patchbay.integration.app_definition import OnInterrupted

MAX_DELAY_SECONDS = 3_600.0
"""Max. seconds between attempts, before up to 20 % are added or subtracted at random."""


def max_attempts(planned: PlannedStep, result: StepResult) -> int:
    """The maximum number of attempts of a step that failed like this.

    A number set by a person applies to every temporary error, even if the action isn't safe to repeat.
    """
    if not result.retriable:
        return 1
    chosen = planned.step.policy.attempts
    if chosen is not None:
        return chosen
    if result.retry_after is not None:
        return ATTEMPTS_WHEN_ASKED_TO_WAIT
    action, parameters = planned.action, planned.step.parameters
    asks_before_repeating = action is None or action.interruption_policy(parameters) is OnInterrupted.ASK
    return 1 if asks_before_repeating else ATTEMPTS_WHEN_REPEATABLE


def retry_delay(planned: PlannedStep, result: StepResult, attempt: int) -> float:
    """Seconds until the next attempt; never less than the third party asked for."""
    first = planned.step.policy.first_pause_seconds or DEFAULT_FIRST_DELAY_SECONDS
    # Random, so that runs that failed together aren't retried together.
    delay = min(first * 2.0 ** (attempt - 1), MAX_DELAY_SECONDS) * random.uniform(0.8, 1.2)  # noqa: S311
    return delay if result.retry_after is None else max(1.0, result.retry_after)
