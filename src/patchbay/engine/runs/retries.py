"""Whether a step that failed is tried again, and when."""

import random

from patchbay.engine.app_calls import StepResult
from patchbay.engine.plan import PlannedStep
from patchbay.integration.app_definition import OnInterrupted

ATTEMPTS_WHEN_ASKED_TO_WAIT = 5
"""Tries of a step whose service says how long to wait."""
ATTEMPTS_WHEN_REPEATABLE = 3
"""Tries of a step that met a passing trouble and may be repeated without harm."""
FIRST_DELAY_SECONDS = 2.0
"""Seconds before the second try; the pause doubles with each."""
MAX_DELAY_SECONDS = 3_600.0


def max_attempts(planned: PlannedStep, result: StepResult) -> int:
    """How many tries a step that failed like this gets in all."""
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
    """Seconds until the next try after this one; never less than the service asked for."""
    first = planned.step.policy.first_pause_seconds or FIRST_DELAY_SECONDS
    delay = min(first * 2.0 ** (attempt - 1), MAX_DELAY_SECONDS) * random.uniform(0.8, 1.2)  # nosec B311  # spreads retries
    return delay if result.retry_after is None else max(1.0, result.retry_after)
