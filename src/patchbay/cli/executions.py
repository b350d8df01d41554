"""`patchbay execution`: list, show, cancel, resume, retry, replay, and export executions."""

import argparse
import asyncio
import contextlib
import io
import re
import sys
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TextIO

from patchbay.cli import execution_result, lookup, output
from patchbay.cli.flows import read_json
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import EpochMs, JsonObject
from patchbay.domain.clock import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, WEEK_MS, now_ms
from patchbay.domain.desktop import waits_for_input
from patchbay.domain.errors import AppError, Conflict, StorageFault
from patchbay.domain.executions import (
    BulkRetry,
    Execution,
    ExecutionFilter,
    ExecutionState,
    ExecutionStatus,
    ExecutionStep,
    ReplayOn,
    StepRef,
)
from patchbay.domain.exports import EXPORT_FORMATS, RowFormatter, read_execution_pages, row_formatter
from patchbay.domain.file_moves import delete_file, replace_file
from patchbay.domain.paging import MAX_PAGE_SIZE, read_all_pages

POLL_SECONDS = 0.2
PROGRESS_INTERVAL = 10_000
"""Number of exported executions after which progress is printed."""

_SPAN = re.compile(r"(\d+)\s*([smhdw])")
_UNIT_MS = {"s": SECOND_MS, "m": MINUTE_MS, "h": HOUR_MS, "d": DAY_MS, "w": WEEK_MS}


async def iterate_executions(
    backend: Backend, where: ExecutionFilter, text: str | None
) -> AsyncIterator[tuple[tuple[Execution, ...], int | None]]:
    """Yield pages of matching executions, newest first, each with the total number, or None if unknown.

    With `text`, only executions that contain it. Raises `NotSupported` if the server can't search.
    """
    if text is None:
        async for page in read_execution_pages(backend, where):
            yield page.items, page.total
        return
    cursor = None
    while True:
        found = await backend.search_executions(text, where, cursor)
        yield found.items, None
        cursor = found.next_cursor
        if cursor is None:
            return


async def list_executions(backend: Backend, options: argparse.Namespace) -> int:
    """List executions, newest first."""
    where = await _read_filter(backend, options)
    executions = await _read(backend, where, options.limit, options.search)
    rows = [
        (item.id, _status(item), output.format_time(item.created_at), item.flow.name, item.note or "")
        for item in executions
    ]
    text = output.table(("ID", "STATUS", "STARTED", "FLOW", "NOTE"), rows)
    output.data([item.wire() for item in executions], as_json=options.json, text=text)
    return 0


async def _read(backend: Backend, where: ExecutionFilter, limit: int, text: str | None) -> list[Execution]:
    executions: list[Execution] = []
    if text is not None:
        async for items, _ in iterate_executions(backend, where, text):
            executions.extend(items)
            if len(executions) >= limit:
                break
        return executions[:limit]
    fetch_page = partial(backend.list_executions, where)
    page_size = min(MAX_PAGE_SIZE, limit)
    async for page in read_all_pages(fetch_page, max_items=limit, page_size=page_size):
        executions.extend(page.items)
    return executions[:limit]


async def _read_filter(backend: Backend, options: argparse.Namespace) -> ExecutionFilter:
    """The filter of `execution list`, `export`, and `retry --all`.

    Complete IDs aren't looked up, since deleted flows and executions can be filtered by.
    """
    if options.flow and not lookup.is_full_id(options.flow):
        options.flow = await lookup.flow_id(backend, options.flow)
    if options.origin and not lookup.is_full_id(options.origin):
        options.origin = await lookup.execution_id(backend, options.origin)
    return filter_from_options(options)


def filter_from_options(options: argparse.Namespace) -> ExecutionFilter:
    """The filter given by options whose IDs are complete."""
    status: ExecutionStatus | None = None
    states: tuple[ExecutionState, ...] = ()
    if options.status in list(ExecutionStatus):
        status = ExecutionStatus(options.status)
    elif options.status:
        states = (_state(options.status),)
    return ExecutionFilter(
        name=options.name,
        flow_id=options.flow,
        status=status,
        states=states,
        started_after=parse_time(options.since),
        ended_before=parse_time(options.until),
        origin_id=options.origin,
    )


def _status(execution: Execution) -> str:
    return "waiting for input" if waits_for_input(execution) else execution.state.value


def _state(word: str) -> ExecutionState:
    try:
        return ExecutionState(word)
    except ValueError:
        known = ", ".join(ExecutionState)
        raise output.WrongUsage("status", f"There is no status “{word}”.", f"Use one of {known}.") from None


def parse_time(text: str | None) -> EpochMs | None:
    """Parse an ISO time, or a time span up to now (`90m`, `2h`, `7d`). Raises `WrongUsage`."""
    if not text:
        return None
    if span := _SPAN.fullmatch(text.strip()):
        return now_ms() - int(span[1]) * _UNIT_MS[span[2]]
    try:
        return round(datetime.fromisoformat(text).timestamp() * 1000)
    except ValueError:
        raise output.WrongUsage(
            "time",
            f"“{text}” isn't a time.",
            "Use a time such as 2026-11-20T08:00, or a time span up to now such as 2h.",
        ) from None


async def show(backend: Backend, options: argparse.Namespace) -> int:
    """Show an execution with the input, output, or error of each step."""
    execution = await backend.get_execution(options.id)
    unavailable = backend.capabilities.reason(Feature.STEP_RESULTS)
    steps = None if unavailable else await backend.execution_steps(options.id)
    lines = [
        f"{execution.flow.name}: {_status(execution)}" + (f" ({execution.note})" if execution.note else "")
    ]
    if execution.origin_id:
        lines.append(f"{execution.origin_kind} of {execution.origin_id}")
    started, finished = map(output.format_time, (execution.created_at, execution.finished_at))
    lines.append(f"started {started}, finished {finished}")
    for item in steps or ():
        lines += ["", *_step_lines(item)]
    if steps is None:
        lines += ["", *(f"{step.position}. {_step_label(step)}" for step in execution.flow.steps)]
    results = None if steps is None else [item.wire() for item in steps]
    document = execution.wire() | {"executionSteps": results}
    output.data(document, as_json=options.json, text="\n".join(lines))
    if unavailable:
        output.print_message(unavailable)
    return 0


def _step_label(step: StepRef) -> str:
    return f"{step.app_key} / {step.key}" if step.app_key else step.structural_type.value


def _step_lines(item: ExecutionStep) -> list[str]:
    attempt_text = f", attempt {item.attempt}" if item.attempt > 1 else ""
    loop_item = f", item {_one_based_path(item.path)}" if item.path else ""
    result = (
        _error_lines(item.error_details)
        if item.error_details
        else [f"output:  {output.pretty(item.data_out)}"]
    )
    return [
        f"{item.seq + 1}. {_step_label(item.step)}{loop_item}: {item.status.value}{attempt_text}",
        f"input:   {output.pretty(item.data_in)}",
        *result,
        *(f"warning: {warning}" for warning in item.warnings),
    ]


def _error_lines(error: JsonObject) -> list[str]:
    """The sentences of an error, then its facts, such as the response of a third party.

    Third-party servers send errors in their own formats, which are printed as JSON.
    """
    sentences = [str(error[key]) for key in ("happened", "meaning", "todo") if error.get(key)]
    if not error.get("happened"):
        return [f"error:   {output.pretty(error)}"]
    facts = {key: error[key] for key in ("request", "status", "response") if error.get(key) is not None}
    lines = [f"error:   {sentences[0]}", *(f"         {sentence}" for sentence in sentences[1:])]
    return lines + ([f"details: {output.pretty(facts)}"] if facts else [])


def _one_based_path(path: str) -> str:
    """Loop indexes counted from 1: the path "2.0" becomes "3.1"."""
    return ".".join(str(int(number) + 1) for number in path.split("."))


async def export(backend: Backend, options: argparse.Namespace) -> int:
    """Export executions to a file, or to standard output."""
    where = await _read_filter(backend, options)
    format_name: str = options.format or Path(options.out).suffix.lower().removeprefix(".")
    if format_name not in EXPORT_FORMATS:
        known = " or ".join(EXPORT_FORMATS)
        raise output.WrongUsage("format", "Choose an output format.", f"Use --format {known}.")
    if options.raw and format_name != "csv":
        raise output.WrongUsage(
            "raw", "--raw works only with CSV.", "Leave it out: other formats always keep values unchanged."
        )
    lines = row_formatter(format_name, raw=options.raw)
    if options.out == "-":
        if options.json:
            raise output.WrongUsage(
                "out", "--json can't be combined with an export to standard output.", "Export to a file."
            )
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(newline="")  # line ends are part of the format
        await _write(backend, where, options.search, lines, sys.stdout)
        return 0
    count = await _write_file(backend, where, options.search, lines, Path(options.out))
    document = {"file": options.out, "format": format_name, "executions": count}
    output.data(document, as_json=options.json, text=f"{count:,} executions written to {options.out}.")
    return 0


async def _write_file(
    backend: Backend, where: ExecutionFilter, text: str | None, lines: RowFormatter, path: Path
) -> int:
    """Write the file under a temporary name first, so an interruption leaves an existing file unchanged."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            count = await _write(backend, where, text, lines, file)
        replace_file(part, path)
    except OSError as error:
        raise StorageFault(
            f"{path} couldn't be written: {error.strerror or error}.", todo="Choose another location."
        ) from error
    finally:
        with contextlib.suppress(OSError):
            delete_file(part)
    return count


async def _write(
    backend: Backend, where: ExecutionFilter, text: str | None, lines: RowFormatter, file: TextIO
) -> int:
    done, first = 0, True
    async for items, total in iterate_executions(backend, where, text):
        if items or first:
            file.write(lines(items, first))
        first = False
        before, done = done, done + len(items)
        steps_before, steps = before // PROGRESS_INTERVAL, done // PROGRESS_INTERVAL
        if total is not None and steps_before < steps < total // PROGRESS_INTERVAL:
            output.print_message(f"{done:,} of {total:,}")
    return done


async def cancel(backend: Backend, options: argparse.Namespace) -> int:
    """Cancel an execution that hasn't finished."""
    with _hint_on_conflict(f"To see its result: patchbay execution show {options.id}"):
        execution = await backend.cancel_execution(options.id)
    output.data(execution.wire(), as_json=options.json, text=f"{execution.id}  {execution.state.value}")
    return 0


async def resume(backend: Backend, options: argparse.Namespace) -> int:
    """End an execution's wait for a retry or a rate limit."""
    with _hint_on_conflict(f"To see what it did: patchbay execution show {options.id}"):
        execution = await backend.resume_execution(options.id)
    output.data(execution.wire(), as_json=options.json, text=f"{execution.id}  resumed")
    return 0


@contextlib.contextmanager
def _hint_on_conflict(hint: str) -> Iterator[None]:
    """Add what to do on the command line to a conflict that has no advice of its own."""
    try:
        yield
    except Conflict as error:
        error.todo = error.todo or hint
        raise


async def continue_execution(backend: Backend, options: argparse.Namespace) -> int:
    """Continue after an interrupted step that was done, and wait for the end or the next pause."""
    continued = await backend.continue_execution(options.id)
    return execution_result.print_result(
        await execution_result.wait_until_settled(backend, continued), options
    )


async def retry(backend: Backend, options: argparse.Namespace) -> int:
    """Retry one execution, or with `--all` every failed one that matches the filter, and wait for the end."""
    if options.all and options.id:
        raise output.WrongUsage("id", "An ID can't be combined with --all.", "Give an ID or use --all.")
    if options.all:
        return await _retry_all(backend, options)
    if not options.id:
        raise output.WrongUsage("id", "No execution was given.", "Give an ID or use --all.")
    execution_id = await lookup.execution_id(backend, options.id)
    try:
        made = await backend.retry_execution(execution_id)
    except Conflict as error:
        if (await backend.get_execution(execution_id)).state is ExecutionState.WAITING:
            error.todo = (
                f"To end its wait for a retry or a rate limit now: patchbay execution resume {execution_id}"
            )
        raise
    return execution_result.print_result(await execution_result.wait_until_settled(backend, made), options)


async def replay(backend: Backend, options: argparse.Namespace) -> int:
    """Run an execution again from the start, and wait until it finishes or has to wait."""
    item = read_json(options.input) if options.input else None
    on = ReplayOn.NEWEST if options.newest else ReplayOn.ORIGINAL
    made = await backend.replay_execution(options.id, item=item, on=on)
    return execution_result.print_result(await execution_result.wait_until_settled(backend, made), options)


async def _retry_all(backend: Backend, options: argparse.Namespace) -> int:
    job = await backend.retry_executions(await _read_filter(backend, options))
    try:
        while not job.finished:
            await asyncio.sleep(POLL_SECONDS)
            before, job = job, await backend.bulk_retry(job.id)
            if job != before and not job.finished:
                output.print_message(f"{job.done + job.refused:,} of {job.total:,}")
    except BaseException:
        with contextlib.suppress(AppError):
            await backend.cancel_bulk_retry(job.id)
        raise
    failed = bool(job.refused or job.cancelled)
    output.result(job.wire(), as_json=options.json, text=_bulk_retry_text(job), failed=failed)
    return 1 if failed else 0


def _bulk_retry_text(job: BulkRetry) -> str:
    if not job.total:
        return "Nothing to retry."
    text = f"{job.done:,} of {job.total:,} retried. See how they ended with: patchbay execution list"
    if job.refused:
        text += f"\n{job.refused:,} couldn't be retried:"
    return "\n".join([text, *(f"    {reason}" for reason in job.reasons)])
