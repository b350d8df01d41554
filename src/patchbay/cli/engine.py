"""`patchbay engine …`"""

import argparse
import re
from typing import Any

from patchbay.cli import output
from patchbay.domain.backend import Backend
from patchbay.domain.engine import EngineHealth, EngineSettings, EngineState, RateLimit, StorageUsage

# MERGED: Limits on calls as people write them: `60/60` is sixty calls in any sixty seconds.

_LIMIT = re.compile(r"(\d+)/(\d+)s?")


def app_limit(text: str) -> tuple[str, RateLimit | None]:
    """`KEY=CALLS/SECONDS` or `KEY=none`."""
    key, _, limit = text.partition("=")
    return key, rate_limit(limit)


def rate_limit(text: str) -> RateLimit | None:
    """`CALLS/SECONDS`, or `none`."""
    if text == "none":
        return None
    try:
        found = _LIMIT.fullmatch(text)
        return RateLimit(calls=int(found[1]), seconds=int(found[2])) if found else _invalid_limit(text)
    except ValueError:
        return _invalid_limit(text)


def _invalid_limit(text: str) -> RateLimit:
    raise output.WrongUsage(
        "limit", f"“{text}” is no limit.", "Use CALLS/SECONDS such as 60/60, a day at most, or none."
    )


_STATE_TEXTS = {
    EngineState.RUNNING: "running",
    EngineState.PAUSED: "paused: what comes in is kept, nothing runs",
    EngineState.STOPPED: "stopped",
}


_NUMBER_SETTINGS = ("max_concurrent", "max_runs_per_root", "max_loop_items", "max_body_mb", "max_retry_after")
"""Settings that are single numbers, by their names in `EngineSettings` and among the options."""


async def run(backend: Backend, options: argparse.Namespace) -> int:
    command = _COMMANDS[options.action]
    result: int = await command(backend, options)
    return result


async def _status(backend: Backend, options: argparse.Namespace) -> int:
    health, use = await backend.health(), await backend.storage_usage()
    text = "\n".join([*_health_lines(health), *_storage_lines(use)])
    output.data({"health": health.wire(), "storage": use.wire()}, as_json=options.json, text=text)
    return 0


async def _pause(backend: Backend, options: argparse.Namespace) -> int:
    health = await backend.pause_runs()
    text = "No run starts until they are resumed, also after a restart. What comes in is kept."
    output.data(health.wire(), as_json=options.json, text=text)
    return 0


async def _resume(backend: Backend, options: argparse.Namespace) -> int:
    health = await backend.resume_runs()
    output.data(health.wire(), as_json=options.json, text="Runs start again.")
    return 0


async def _tidy(backend: Backend, options: argparse.Namespace) -> int:
    done = await backend.clean_up_history()
    text = f"{done.removed:,} executions removed, {_size(done.freed_bytes)} given back."
    output.data(done.wire(), as_json=options.json, text=text)
    return 0


async def _settings(backend: Backend, options: argparse.Namespace) -> int:
    before = await backend.engine_settings()
    settings = apply_options(before, options)
    if settings != before:
        fields = [name for name in EngineSettings.model_fields if _differs(name, before, settings)]
        settings = await backend.change_engine_settings(settings, fields)
    output.data(settings.wire(), as_json=options.json, text="\n".join(_settings_lines(settings)))
    return 0


def apply_options(settings: EngineSettings, options: argparse.Namespace) -> EngineSettings:
    """The settings with what the options of `engine settings` change."""
    kept = {"success_days": options.keep_successes, "failure_days": options.keep_failures,
            "most": options.keep_most}  # fmt: skip
    given = {name: value or None for name, value in kept.items() if value is not None}
    limits = settings.app_limits | {key: limit for key, limit in map(app_limit, options.limit)}
    whole = settings.model_dump() | {
        "retention": settings.retention.model_dump() | given,
        "app_limits": {key: limit for key, limit in limits.items() if limit is not None},
    }
    chosen = {name: getattr(options, name) for name in _NUMBER_SETTINGS}
    whole |= {name: value for name, value in chosen.items() if value is not None}
    if options.program_network is not None:
        whole["program_network"] = options.program_network == "yes"
    return EngineSettings.model_validate(whole)


def _differs(name: str, before: EngineSettings, after: EngineSettings) -> bool:
    return bool(getattr(before, name) != getattr(after, name))


def _health_lines(health: EngineHealth) -> list[str]:
    lines = [
        _STATE_TEXTS[health.state]
        + (f" since {output.format_time(health.started_at)}" if health.started_at else "")
    ]
    lines.append(f"{health.running} running, {health.waiting} waiting, {health.queued} queued")
    if health.oldest_queued_at is not None:
        lines.append(f"the oldest waits since {output.format_time(health.oldest_queued_at)}")
    lines.append(f"{health.failures_today} failed today")
    if health.next_run_at is not None:
        lines.append(f"next: {health.next_flow}, {output.format_time(health.next_run_at)}")
    if health.storage_problem:
        lines.append(f"disk: {health.storage_problem}")
    if health.state is not EngineState.STOPPED:  # a stopped engine hasn't looked at the isolation yet
        lines.append(f"programs: {health.isolation.summary}")
    return lines


def _storage_lines(use: StorageUsage) -> list[str]:
    since = f" since {output.format_time(use.oldest_at)}" if use.oldest_at is not None else ""
    return [f"{use.executions:,} executions{since}, {_size(use.bytes)} ({_size(use.free_bytes)} of it free)"]


def _settings_lines(settings: EngineSettings) -> list[str]:
    keep = settings.retention
    most = f"{keep.most:,} executions" if keep.most else "any number of executions"
    limits = [f"{key}: {limit.calls} calls in {limit.seconds} s" for key, limit in _limits(settings)]
    return [
        f"{settings.max_concurrent} executions at a time, {settings.max_runs_per_root:,} from one start",
        f"loops of {settings.max_loop_items:,} items, webhook bodies of {settings.max_body_mb} MB at most",
        f"waits at most {settings.max_retry_after:,} s when a service asks to wait (Retry-After)",
        f"network access for programs: {'allowed' if settings.program_network else 'blocked'}",
        f"keeps successes {_days(keep.success_days)}, failures {_days(keep.failure_days)}, {most}",
        *limits,
    ]


def _limits(settings: EngineSettings) -> list[tuple[str, RateLimit]]:
    return sorted(settings.app_limits.items(), key=lambda item: item[0])


def _days(days: int | None) -> str:
    return "for ever" if days is None else f"{days} days"


def _size(number: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


_COMMANDS: dict[str, Any] = {
    "status": _status, "pause": _pause, "resume": _resume, "tidy": _tidy, "settings": _settings,
}  # fmt: skip
