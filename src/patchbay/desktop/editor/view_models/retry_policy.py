"""The retry policy of a step as a form: numbers with limits and defaults, and a summary."""

from dataclasses import dataclass
from typing import Literal

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
)

PolicyKey = Literal["timeout_seconds", "attempts", "first_pause_seconds"]


@dataclass(frozen=True)
class PolicyField:
    """An optional whole number. `unit` is shown after the field, `default` below it."""

    key: PolicyKey
    label: str
    unit: str
    maximum: int
    default: str
    minimum: int = 1


POLICY_FIELDS = (
    PolicyField(
        "timeout_seconds",
        "Timeout",
        "seconds",
        MAX_TIMEOUT_SECONDS,
        f"Default: {DEFAULT_TIMEOUT_SECONDS // 60} minutes",
    ),
    PolicyField(
        "attempts",
        "Attempts",
        "in total",
        MAX_ATTEMPTS,
        f"Default: {ATTEMPTS_WHEN_REPEATABLE} if the step is safe to repeat, otherwise 1",
    ),
    PolicyField(
        "first_pause_seconds",
        "First delay",
        "seconds",
        MAX_FIRST_DELAY_SECONDS,
        f"Default: {DEFAULT_FIRST_DELAY_SECONDS} seconds, doubled each time",
    ),
)
ATTEMPTS_NOTE = (
    "Attempts that you set apply to every temporary error, even if the step isn't safe to repeat. "
    f"The default is {ATTEMPTS_WHEN_ASKED_TO_WAIT} if the app says how long to wait."
)


def parse_amount(text: str, minimum: int, maximum: int) -> tuple[int | None, str]:
    """Parse the number; None if empty. Also returns an error text."""
    typed = text.strip().replace(",", "").replace(" ", "")
    if not typed:
        return None, ""
    number = int(typed) if typed.isascii() and typed.isdecimal() else None
    if number is None or not minimum <= number <= maximum:
        return None, f"Enter a whole number from {minimum} to {maximum:,}, or leave it empty for the default."
    return number, ""


def has_retry_policy(step: Step) -> bool:
    """Whether timeout and attempts apply: not to branches and loops. Triggers have no such section."""
    return step.structural_type is StructuralType.SINGLE


def continue_on_error_text(step: Step) -> tuple[str, str]:
    """Return label and help of the Continue check box."""
    if step.structural_type is StructuralType.EACH:
        return (
            "Continue with the next item when one fails",
            "Failed items are skipped. The run shows how many failed.",
        )
    return (
        "Continue with the next step when this one fails",
        "Later steps get empty values from this step.",
    )


def policy_summary(step: Step) -> str:
    """Return the settings that differ from the defaults, for the collapsed section."""
    policy = step.policy if has_retry_policy(step) else StepPolicy()
    parts = []
    if policy.attempts is not None:
        parts.append("1 attempt" if policy.attempts == 1 else f"{policy.attempts} attempts")
    if policy.first_pause_seconds is not None:
        parts.append(f"first delay {policy.first_pause_seconds:,} s")
    if policy.timeout_seconds is not None:
        parts.append(f"timeout {policy.timeout_seconds:,} s")
    if step.continue_on_error:
        parts.append("then continues")
    return ", ".join(parts) or "Defaults"
