"""The retry policy of a step as a form: numbers with limits and defaults, and a summary."""

import math
from dataclasses import dataclass
from typing import Literal

from patchbay.desktop.core.language import formats, number_text, tr, tr_count
from patchbay.domain.apps import ActionInfo, TriggerInfo
from patchbay.domain.flows import Step, StructuralType
from patchbay.domain.step_policy import (
    ATTEMPTS_WHEN_ASKED_TO_WAIT,
    ATTEMPTS_WHEN_REPEATABLE,
    DEFAULT_FIRST_DELAY_SECONDS,
    DEFAULT_TIMEOUT_SECONDS,
    MAX_ATTEMPTS,
    MAX_FIRST_DELAY_SECONDS,
    MAX_TIMEOUT_SECONDS,
    StepPolicy,
    default_timeout_seconds,
)

PolicyKey = Literal["timeout_seconds", "attempts", "first_pause_seconds"]


@dataclass(frozen=True)
class PolicyField:
    """An optional whole number. `unit` is shown after the field, `default` below it.

    The default of the timeout depends on the step; see `default_timeout_text`.
    """

    key: PolicyKey
    label: str
    unit: str
    maximum: int
    default: str
    minimum: int = 1


POLICY_FIELDS = (
    PolicyField(
        "timeout_seconds",
        tr("Timeout"),
        tr("seconds", "after a number"),
        MAX_TIMEOUT_SECONDS,
        "",
    ),
    PolicyField(
        "attempts",
        tr("Attempts"),
        tr("in total", "after a number of attempts"),
        MAX_ATTEMPTS,
        tr(
            "Default: {attempts} if the step is safe to repeat, otherwise 1",
            attempts=ATTEMPTS_WHEN_REPEATABLE,
        ),
    ),
    PolicyField(
        "first_pause_seconds",
        tr("First delay"),
        tr("seconds", "after a number"),
        MAX_FIRST_DELAY_SECONDS,
        tr_count(
            DEFAULT_FIRST_DELAY_SECONDS,
            "Default: {n} second, doubled each time",
            "Default: {n} seconds, doubled each time",
        ),
    ),
)
ATTEMPTS_NOTE = tr(
    "Attempts that you set apply to every temporary error, even if the step isn't safe to repeat. "
    "The default is {attempts} if the app says how long to wait.",
    attempts=ATTEMPTS_WHEN_ASKED_TO_WAIT,
)


def parse_amount(text: str, minimum: int, maximum: int) -> tuple[int | None, str]:
    """Parse the number; None if empty. Also returns an error text."""
    typed = "".join(text.split()).replace(formats().groupSeparator(), "")
    if not typed:
        return None, ""
    number = int(typed) if typed.isascii() and typed.isdecimal() else None
    if number is None or not minimum <= number <= maximum:
        return None, tr(
            "Enter a whole number from {minimum} to {maximum}, or leave it empty for the default.",
            minimum=number_text(minimum),
            maximum=number_text(maximum),
        )
    return number, ""


def has_retry_policy(step: Step) -> bool:
    """Whether timeout and attempts apply: not to branches and loops. Triggers have no such section."""
    return step.structural_type is StructuralType.SINGLE


def continue_on_error_text(step: Step) -> tuple[str, str]:
    """Return label and help of the Continue check box."""
    if step.structural_type is StructuralType.EACH:
        return (
            tr("Continue with the next item when one fails"),
            tr("Failed items are skipped. The run shows how many failed."),
        )
    return (
        tr("Continue with the next step when this one fails"),
        tr("Later steps get empty values from this step."),
    )


def default_timeout_text(step: Step, event: TriggerInfo | ActionInfo | None) -> str:
    """Return the timeout of a step that sets none, which leaves it time to wait."""
    action = event if isinstance(event, ActionInfo) else None
    limit = action.time_limit if action is not None else None
    seconds = default_timeout_seconds(limit.seconds(step.parameters) if limit is not None else None)
    minutes = math.ceil(seconds / 60)
    if seconds > DEFAULT_TIMEOUT_SECONDS:
        return tr_count(
            minutes,
            "Default: {n} minute, longer than the time limit above",
            "Default: {n} minutes, longer than the time limit above",
        )
    if action is not None and action.parks:
        return tr_count(
            minutes, "Default: {n} minute, without the wait", "Default: {n} minutes, without the wait"
        )
    return tr_count(minutes, "Default: {n} minute", "Default: {n} minutes")


def policy_summary(step: Step) -> str:
    """Return the settings that differ from the defaults, for the collapsed section."""
    policy = step.policy if has_retry_policy(step) else StepPolicy()
    parts = []
    if policy.attempts is not None:
        parts.append(tr_count(policy.attempts, "{n} attempt", "{n} attempts"))
    if policy.first_pause_seconds is not None:
        parts.append(tr("first delay {seconds} s", seconds=number_text(policy.first_pause_seconds)))
    if policy.timeout_seconds is not None:
        parts.append(tr("timeout {seconds} s", seconds=number_text(policy.timeout_seconds)))
    if step.continue_on_error:
        parts.append(tr("then continues", "after: 3 attempts"))
    return ", ".join(parts) or tr("Defaults", "no setting was changed")
