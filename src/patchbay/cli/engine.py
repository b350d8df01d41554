"""`patchbay engine`: status, pause and resume all runs, settings, and clean-up."""

import argparse
import re

from patchbay.cli import output
from patchbay.cli.database_option import names_server
from patchbay.domain.backend import Backend
from patchbay.domain.engine import EngineHealth, EngineSettings, EngineState, RateLimit

_STATE_TEXTS = {
    EngineState.RUNNING: "running",
    EngineState.PAUSED: "paused: new events are queued, no runs start",
    EngineState.STOPPED: "stopped",
}
_MAY_RUN_ELSEWHERE = "stopped in this command; servers and workers of the database may be running"
_RUNS_NOTHING = "This server runs nothing (--no-runs); workers run the flows."
_NUMBER_SETTINGS = ("max_concurrent", "max_runs_per_root", "max_loop_items", "max_body_mb", "max_retry_after")
"""Settings that are single numbers; fields of `EngineSettings` and options have the same names."""

_LIMIT = re.compile(r"(\d+)/(\d+)s?")


def app_limit(text: str) -> tuple[str, RateLimit | None]:
    """Parse the rate limit of an app: `KEY=CALLS/SECONDS`, or `KEY=none` for no limit."""
    key, _, limit = text.partition("=")
    return key, rate_limit(limit)


def rate_limit(text: str) -> RateLimit | None:
    """Parse a rate limit: `60/60` is 60 requests in any 60 seconds, `none` is None. Raises `WrongUsage`."""
    if text == "none":
        return None
    try:
        found = _LIMIT.fullmatch(text)
        return RateLimit(calls=int(found[1]), seconds=int(found[2])) if found else _invalid_limit(text)
    except ValueError:
        return _invalid_limit(text)


def _invalid_limit(text: str) -> RateLimit:
    raise output.WrongUsage(
        "limit", f"“{text}” isn't a rate limit.", "Use CALLS/SECONDS such as 60/60 (max. 86,400 s), or none."
    )


async def status(backend: Backend, options: argparse.Namespace) -> int:
    """Show the engine's state, the number of runs, and disk usage."""
    health, use = await backend.health(), await backend.storage_usage()
    since = f" since {output.format_time(use.oldest_at)}" if use.oldest_at is not None else ""
    size, reusable = output.format_size(use.bytes), output.format_size(use.free_bytes)
    usage = f"{use.executions:,} executions{since}, {size} ({reusable} reusable)"
    lines = _health_lines(health)
    if health.state is EngineState.STOPPED and names_server(options):
        lines[0] = _MAY_RUN_ELSEWHERE
    text = "\n".join([*lines, usage])
    output.data({"health": health.wire(), "storage": use.wire()}, as_json=options.json, text=text)
    return 0


async def pause(backend: Backend, options: argparse.Namespace) -> int:
    """Pause all runs."""
    health = await backend.pause_runs()
    text = "All runs are paused until you resume them, also after a restart. New events are queued."
    output.data(health.wire(), as_json=options.json, text=text)
    return 0


async def resume(backend: Backend, options: argparse.Namespace) -> int:
    """Resume all runs."""
    health = await backend.resume_runs()
    text = "Runs resumed."
    if health.state is EngineState.STOPPED:
        text = "Runs aren't paused any more. They continue while a server, a worker, or the window runs."
    elif not health.runs_flows:
        text = f"Runs resumed. {_RUNS_NOTHING}"
    output.data(health.wire(), as_json=options.json, text=text)
    return 0


async def clean_up(backend: Backend, options: argparse.Namespace) -> int:
    """Delete executions that are past the retention, and free disk space."""
    done = await backend.clean_up_history()
    text = f"{done.removed:,} executions deleted, {output.format_size(done.freed_bytes)} of disk space freed."
    output.data(done.wire(), as_json=options.json, text=text)
    return 0


async def change_settings(backend: Backend, options: argparse.Namespace) -> int:
    """Change the settings given as options, and show all settings."""
    before = await backend.engine_settings()
    settings = apply_options(before, options)
    if settings != before:
        fields = [
            name for name in EngineSettings.model_fields if getattr(before, name) != getattr(settings, name)
        ]
        settings = await backend.change_engine_settings(settings, fields)
    output.data(settings.wire(), as_json=options.json, text="\n".join(_settings_lines(settings)))
    return 0


def apply_options(settings: EngineSettings, options: argparse.Namespace) -> EngineSettings:
    """The settings with the changes given by the options of `engine settings`."""
    retention = {
        "success_days": options.keep_successes,
        "failure_days": options.keep_failures,
        "most": options.keep_most,
    }
    given = {name: value or None for name, value in retention.items() if value is not None}
    limits = settings.app_limits | {key: limit for key, limit in map(app_limit, options.limit)}
    whole = settings.model_dump() | {
        "retention": settings.retention.model_dump() | given,
        "app_limits": {key: limit for key, limit in limits.items() if limit is not None},
    }
    chosen = {name: getattr(options, name) for name in _NUMBER_SETTINGS}
    whole |= {name: value for name, value in chosen.items() if value is not None}
    if options.program_network is not None:
        whole["program_network"] = options.program_network == "yes"
    removed = {*options.remove_folder}
    folders = dict.fromkeys([*settings.allowed_folders, *options.allow_folder])
    whole["allowed_folders"] = tuple(folder for folder in folders if folder not in removed)
    removed = {*options.remove_program}
    programs = dict.fromkeys([*settings.allowed_programs, *options.allow_program])
    whole["allowed_programs"] = tuple(program for program in programs if program not in removed)
    return EngineSettings.model_validate(whole)


def _health_lines(health: EngineHealth) -> list[str]:
    lines = [
        _STATE_TEXTS[health.state]
        + (f" since {output.format_time(health.started_at)}" if health.started_at else "")
    ]
    if not health.runs_flows:
        lines.append(_RUNS_NOTHING)
    lines.append(f"{health.running} running, {health.waiting} waiting, {health.queued} queued")
    if health.oldest_queued_at is not None:
        lines.append(f"oldest queued since {output.format_time(health.oldest_queued_at)}")
    lines.append(f"{health.failures_today} failed today")
    if health.next_run_at is not None:
        lines.append(f"next run: {health.next_flow}, {output.format_time(health.next_run_at)}")
    if health.storage_problem:
        lines.append(f"disk: {health.storage_problem}")
    lines.append(f"programs: {health.isolation.summary}")
    return lines


def _settings_lines(settings: EngineSettings) -> list[str]:
    keep = settings.retention
    most = f"max. {keep.most:,} executions" if keep.most else "no limit on the number"
    limits = [
        f"rate limit of {key}: {limit.calls} requests per {limit.seconds} s"
        for key, limit in sorted(settings.app_limits.items(), key=lambda item: item[0])
    ]
    return [
        f"max. {settings.max_concurrent} runs at a time, {settings.max_runs_per_root:,} from one start",
        f"max. {settings.max_loop_items:,} items in a loop, {settings.max_body_mb} MB in a webhook request",
        f"max. wait for Retry-After: {settings.max_retry_after:,} s",
        f"network access for programs: {'allowed' if settings.program_network else 'blocked'}",
        *(f"steps can use files in {folder}" for folder in settings.allowed_folders),
        *(f"steps can run {program}" for program in settings.allowed_programs),
        f"retention: successes {_days(keep.success_days)}, failures {_days(keep.failure_days)}, {most}",
        *limits,
    ]


def _days(days: int | None) -> str:
    return "forever" if days is None else f"{days} days"
