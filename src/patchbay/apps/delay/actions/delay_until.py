"""The action “Delay until”."""

from patchbay.integration import Action, Context, OnInterrupted, text
from patchbay.integration.values import epoch_ms, parameter_error, parse_date_time, parse_time_zone, text_of


async def run(ctx: Context) -> None:
    """Wait until the given date; continue immediately if it has passed."""
    given = text_of(ctx.parameters, "delayUntil")
    here = parse_time_zone(ctx.time_zone)
    moment = parse_date_time(given, time_zone=here, now=ctx.now, key="delayUntil")
    until = epoch_ms(moment)
    try:
        ends = moment.astimezone(here).isoformat(timespec="seconds")
    except OverflowError:
        raise parameter_error(
            "delayUntil", "The date is outside the years 1 to 9999 in this time zone."
        ) from None
    ctx.set_action_item({"delayUntil": given, "until": ends, "passed": until <= ctx.now})
    if until > ctx.now:
        ctx.park(until)


delay_until = Action(
    key="delayUntil",
    name="Delay until",
    keywords=(
        "wait",
        "pause",
        "date",
        "time",
        "later",
    ),
    description=(
        "Waits until a date before the next step. If the date has passed, the next step starts at once."
    ),
    parks=True,
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    arguments=(
        text(
            "delayUntil",
            "Until",
            required=True,
            placeholder="2026-03-31 14:30",
            description="A date in any common format. Without an offset, the workspace's time zone applies.",
        ),
    ),
    run=run,
)
