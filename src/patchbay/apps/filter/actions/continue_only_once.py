"""The action “Continue only once”."""

import hashlib

from patchbay.domain.base import EpochMs
from patchbay.domain.engine_store import KeyPass
from patchbay.integration import Action, Context, OnInterrupted, dropdown, text
from patchbay.integration.values import local_time, number, parameter_error, parse_time_zone, text_of

_UNITS = {"minutes": 60_000, "hours": 3_600_000, "days": 86_400_000, "weeks": 604_800_000}
_FOREVER = "forever"
_LONGEST = 10 * 366 * _UNITS["days"]
_MAX_STORED_KEY = 255
_MAX_SHOWN_KEY = 80


async def run(ctx: Context) -> None:
    """Continue if the key hasn't passed within the period, else end the run with the reason.

    A test always continues, and the key can still pass afterwards.
    """
    key, period = text_of(ctx.parameters, "key").strip(), _period_ms(ctx)
    if not key:
        raise parameter_error("key", "Enter a key.", "Use a value that identifies the item, such as its ID.")
    if ctx.execution.test_run:
        last = await ctx.datastore.key_passed_at(_stored(key))
        if last is not None and (period is None or last > ctx.now - period):
            ctx.warnings.append(f"A run would stop here: {_reason(ctx, key, last, period)}")
    else:
        asking = KeyPass(key=_stored(key), passed_by=ctx.idempotency_key, at=ctx.now, period_ms=period)
        last = await ctx.datastore.pass_key(asking)
        if last is not None:
            ctx.execution.exit(f"Stopped because {_reason(ctx, key, last, period)}")
    ctx.set_action_item({"key": key, "passedAt": _iso(ctx, ctx.now)})


def _period_ms(ctx: Context) -> int | None:
    """The period in milliseconds; None: forever."""
    unit = text_of(ctx.parameters, "periodUnit").strip() or "days"
    if unit == _FOREVER:
        return None
    if unit not in _UNITS:
        raise parameter_error("periodUnit", "Choose minutes, hours, days, weeks, or forever.")
    value = number(ctx.parameters, "periodValue", "a number")
    length = int(value * _UNITS[unit])
    if not 0 < length <= _LONGEST:
        problem = f"The period can't be {value:.6g} {unit}."
        raise parameter_error("periodValue", problem, "The maximum is 10 years.")
    return length


def _stored(key: str) -> str:
    """The key as it is stored: a long one as its hash, and half a surrogate pair as an escape."""
    encoded = key.encode("utf-8", "backslashreplace")
    return (
        encoded.decode() if len(key) <= _MAX_STORED_KEY else f"sha256-{hashlib.sha256(encoded).hexdigest()}"
    )


def _reason(ctx: Context, key: str, last: EpochMs, period: int | None) -> str:
    line = " ".join(key.split())
    shown = line if len(line) <= _MAX_SHOWN_KEY else f"{line[:_MAX_SHOWN_KEY]}…"
    again = "and passes only once" if period is None else f"and can pass again on {_at(ctx, last + period)}"
    return f"the key “{shown}” passed on {_at(ctx, last)} {again}."


def _at(ctx: Context, moment: EpochMs) -> str:
    return f"{local_time(moment, parse_time_zone(ctx.time_zone)):%Y-%m-%d at %H:%M:%S}"


def _iso(ctx: Context, moment: EpochMs) -> str:
    return local_time(moment, parse_time_zone(ctx.time_zone)).isoformat(timespec="seconds")


continue_only_once = Action(
    key="continueOnlyOnce",
    name="Continue only once",
    keywords=(
        "duplicate",
        "unique",
        "already seen",
        "skip",
    ),
    description="Runs the following steps only if this key hasn't passed yet, or not within a period.",
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    arguments=(
        text(
            "key",
            "Key",
            required=True,
            description="What should pass only once, such as the ID of an order or an e-mail address.",
        ),
        dropdown(
            "periodUnit",
            "Once per",
            [*((unit, unit.capitalize()) for unit in _UNITS), (_FOREVER, "Forever")],
            required=True,
            value="days",
            description="After this period, the key can pass again.",
        ),
        text("periodValue", "How many", required=True, value="1", visible_if={"periodUnit": [*_UNITS]}),
    ),
    run=run,
)
