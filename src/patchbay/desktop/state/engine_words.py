"""How the engine does, in words for its popup. Pure."""

from datetime import datetime

from patchbay.domain.base import EpochMs
from patchbay.domain.calendar_words import day_name
from patchbay.domain.engine import EngineHealth, EngineState

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000

MEANING = {
    EngineState.RUNNING: "Flows start by themselves, as they are published.",
    EngineState.PAUSED: "Nothing starts until runs are resumed, also not after a restart. Webhooks are kept "
    "and run then.",
    EngineState.STOPPED: "Nothing runs. It starts with the workspace: open it again.",
}


def engine_facts(health: EngineHealth, now: EpochMs) -> tuple[tuple[str, str], ...]:
    """What the popup lists: names and values, in order."""
    return (
        ("Running since", "–" if health.started_at is None else _since(health.started_at, now)),
        ("Last look for what is due", _ago(health.last_tick_at, now)),
        ("Under way", _under_way(health)),
        ("In the queue", _queue(health, now)),
        ("Next run", _next(health, now)),
    )


def _since(at: EpochMs, now: EpochMs) -> str:
    return f"{_moment(at, now)} ({_length(now - at)})"


def _ago(at: EpochMs | None, now: EpochMs) -> str:
    if at is None:
        return "–"
    return "just now" if now - at < 2 * SECOND else f"{_length(now - at)} ago"


def _under_way(health: EngineHealth) -> str:
    counts = ((health.running, "running"), (health.waiting, "waiting"))
    return ", ".join(f"{number:,} {word}" for number, word in counts if number) or "nothing"


def _queue(health: EngineHealth, now: EpochMs) -> str:
    if not health.queued:
        return "nothing"
    number = "1 execution" if health.queued == 1 else f"{health.queued:,} executions"
    if health.oldest_queued_at is None:
        return number
    return f"{number}, the oldest for {_length(now - health.oldest_queued_at)}"


def _next(health: EngineHealth, now: EpochMs) -> str:
    if health.next_run_at is None:
        return "none while runs are paused" if health.state is EngineState.PAUSED else "none is due"
    flow = f", {health.next_flow}" if health.next_flow else ""
    return f"{_moment(health.next_run_at, now)}{flow}"


def _moment(at: EpochMs, now: EpochMs) -> str:
    then, today = (datetime.fromtimestamp(ms / 1000).astimezone() for ms in (at, now))
    return f"{then:%H:%M}" if then.date() == today.date() else f"{day_name(then)} {then.day}, {then:%H:%M}"


def _length(ms: int) -> str:
    """4 s, 3 min, 5 h, 12 d."""
    ms = max(0, ms)
    if ms < MINUTE:
        return f"{ms // SECOND} s"
    if ms < HOUR:
        return f"{ms // MINUTE} min"
    return f"{ms // HOUR} h" if ms < DAY else f"{ms // DAY} d"
