"""The action “Delay for”."""

from patchbay.domain.clock import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, WEEK_MS
from patchbay.integration import Action, Context, OnInterrupted, dropdown, text
from patchbay.integration.values import (
    json_number,
    local_time,
    number,
    parameter_error,
    parse_time_zone,
    text_of,
)

_UNITS = {
    "seconds": SECOND_MS,
    "minutes": MINUTE_MS,
    "hours": HOUR_MS,
    "days": DAY_MS,
    "weeks": WEEK_MS,
}
_LONGEST = 10 * 366 * DAY_MS


async def run(ctx: Context) -> None:
    """Wait for the given time, counted from now."""
    unit = text_of(ctx.parameters, "delayForUnit").strip()
    if unit not in _UNITS:
        raise parameter_error("delayForUnit", "Choose seconds, minutes, hours, days, or weeks.")
    value = number(ctx.parameters, "delayForValue", "a number")
    length = int(value * _UNITS[unit])
    if not 0 <= length <= _LONGEST:
        raise parameter_error("delayForValue", f"Can't wait {value:.6g} {unit}.", "The maximum is 10 years.")
    until = ctx.now + length
    ends = local_time(until, parse_time_zone(ctx.time_zone)).isoformat(timespec="seconds")
    ctx.set_action_item({"delayForUnit": unit, "delayForValue": json_number(value), "until": ends})
    ctx.park(until)


delay_for = Action(
    key="delayFor",
    name="Delay for",
    keywords=(
        "wait",
        "pause",
        "minutes",
        "hours",
        "days",
        "later",
    ),
    description="Waits for a duration before the next step.",
    parks=True,
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    arguments=(
        dropdown("delayForUnit", "Unit", [(unit, unit.capitalize()) for unit in _UNITS], required=True),
        text("delayForValue", "How many", required=True),
    ),
    run=run,
)
