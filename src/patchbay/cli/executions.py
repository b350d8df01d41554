"""`patchbay execution …`"""

import argparse
import asyncio
import contextlib
import io
import re
import sys
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import TextIO

from patchbay.cli import execution_result, lookup, output
from patchbay.cli.flows import read_json
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import EpochMs
from patchbay.domain.errors import AppError, StorageFault
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
from patchbay.domain.paging import MAX_PAGE_SIZE, PageRequest
from patchbay.platform.clock import now_ms

# MERGED: Executions found by what their steps took in and put out, for `execution list` and `export`.


async def iterate_executions(
    backend: Backend, where: ExecutionFilter, text: str | None
) -> AsyncIterator[tuple[tuple[Execution, ...], int | None]]:
    """Every execution of the filter, newest first, part by part, with how many there are in all if known.

    With a text, only those that it is found in. Raises `NotSupported` where that cannot be searched.
    """
    if text is None:
        async for page in read_execution_pages(backend, where):
            yield page.items, page.total
        return
    cursor = None
    while True:
        stretch = await backend.search_executions(text, where, cursor)
        yield stretch.items, None
        cursor = stretch.next_cursor
        if cursor is None:
            return


_SPAN = re.compile(r"(\d+)\s*([smhdw])")
_UNIT_MS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}


async def run(backend: Backend, options: argparse.Namespace) -> int:
    await _resolve_ids(backend, options)
    if options.action == "list":
        return await _list(backend, options)
    if options.action == "show":
        return await _show(backend, options)
    if options.action == "export":
        return await _export(backend, options)

    return await _run_control(backend, options)


async def _resolve_ids(backend: Backend, options: argparse.Namespace) -> None:
    """Put whole IDs into the options. Filters also take those of flows and executions that were deleted."""
    if getattr(options, "id", None) and not getattr(options, "all", False):
        options.id = await lookup.execution_id(backend, options.id)
    if getattr(options, "flow", None) and not lookup.is_full_id(options.flow):
        options.flow = await lookup.flow_id(backend, options.flow)
    if getattr(options, "origin", None) and not lookup.is_full_id(options.origin):
        options.origin = await lookup.execution_id(backend, options.origin)


async def _list(backend: Backend, options: argparse.Namespace) -> int:
    executions = await _read(backend, filter_from_options(options), options.limit, options.search)
    rows = [
        (item.id, item.state.value, output.format_time(item.created_at), item.flow.name, item.note or "")
        for item in executions
    ]
    text = output.table(("ID", "STATUS", "STARTED", "FLOW", "NOTE"), rows)
    output.data([item.wire() for item in executions], as_json=options.json, text=text)
    return 0


async def _read(backend: Backend, wanted: ExecutionFilter, limit: int, text: str | None) -> list[Execution]:
    executions: list[Execution] = []
    if text is not None:
        async for items, _ in iterate_executions(backend, wanted, text):
            executions.extend(items)
            if len(executions) >= limit:
                break
        return executions[:limit]
    cursor, number = None, 1
    while len(executions) < limit:
        size = min(MAX_PAGE_SIZE, limit - len(executions))
        page = await backend.list_executions(wanted, PageRequest(page=number, limit=size, cursor=cursor))
        executions.extend(page.items)
        if not page.items or len(executions) >= page.total:
            break
        cursor, number = page.next_cursor, number + 1
    return executions[:limit]


def filter_from_options(options: argparse.Namespace) -> ExecutionFilter:
    """The filter that the options of `execution list`, `export` and `retry --all` ask for."""
    status: ExecutionStatus | None = None
    states: tuple[ExecutionState, ...] = ()
    if options.status in list(ExecutionStatus):
        status = ExecutionStatus(options.status)
    elif options.status:
        states = (_state(options.status),)
    return ExecutionFilter(
        name=options.name, flow_id=options.flow, status=status, states=states,
        started_after=moment(options.since), ended_before=moment(options.until), origin_id=options.origin,
    )  # fmt: skip


def _state(word: str) -> ExecutionState:
    try:
        return ExecutionState(word)
    except ValueError:
        known = ", ".join(ExecutionState)
        raise output.WrongUsage("status", f"There is no status “{word}”.", f"Use one of {known}.") from None


def moment(text: str | None) -> EpochMs | None:
    """A point in time from an ISO text or a span back from now (`90m`, `2h`, `7d`)."""
    if not text:
        return None
    if span := _SPAN.fullmatch(text.strip()):
        return now_ms() - int(span[1]) * _UNIT_MS[span[2]]
    try:
        return round(datetime.fromisoformat(text).timestamp() * 1000)
    except ValueError:
        raise output.WrongUsage(
            "time", f"“{text}” is not a time.", "Use 2026-11-20T08:00, or a span back from now such as 2h."
        ) from None


async def _show(backend: Backend, options: argparse.Namespace) -> int:
    execution = await backend.get_execution(options.id)
    unavailable = backend.capabilities.reason(Feature.STEP_RESULTS)
    steps = None if unavailable else await backend.execution_steps(options.id)
    lines = [
        f"{execution.flow.name}: {execution.state.value}" + (f" ({execution.note})" if execution.note else "")
    ]
    if execution.origin_id:
        lines.append(f"{execution.origin_kind} of {execution.origin_id}")
    lines.append(
        f"started {output.format_time(execution.created_at)}, ended {output.format_time(execution.finished_at)}"
    )
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
    what = _step_label(item.step)
    attempt_text = f", attempt {item.attempt}" if item.attempt > 1 else ""
    filter_from_options = f", item {_one_based_path(item.path)}" if item.path else ""
    result = f"error:    {output.pretty(item.error_details)}" if item.error_details else (
        f"data out: {output.pretty(item.data_out)}")  # fmt: skip
    return [
        f"{item.seq + 1}. {what}{filter_from_options}: {item.status.value}{attempt_text}",
        f"data in:  {output.pretty(item.data_in)}",
        result,
        *(f"warning:  {warning}" for warning in item.warnings),
    ]


def _one_based_path(path: str) -> str:
    """The items of loops as people count them: "2.0" is item 1 of what item 3 held."""
    return ".".join(str(int(number) + 1) for number in path.split("."))


# MERGED: `patchbay execution export`: any number of executions into a file, or to standard output.

PROGRESS_EVERY = 10_000


async def _export(backend: Backend, options: argparse.Namespace) -> int:
    wanted, text, format_name = filter_from_options(options), options.search, _choose_format(options)
    if options.raw and format_name != "csv":
        raise output.WrongUsage("raw", "--raw is for CSV only.", "Other formats are never changed.")
    lines = row_formatter(format_name, raw=options.raw)
    if options.out == "-":
        if options.json:
            raise output.WrongUsage(
                "out", "Standard output cannot hold both the export and --json.", "Name a file to write."
            )
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(newline="")  # the ends of lines are part of the form
        await _write(backend, wanted, text, lines, sys.stdout)
        return 0
    count = await _to_file(backend, wanted, text, lines, Path(options.out))
    document = {"file": options.out, "format": format_name, "executions": count}
    output.data(document, as_json=options.json, text=f"{count:,} executions written to {options.out}.")
    return 0


def _choose_format(options: argparse.Namespace) -> str:
    """The form asked for, or the one that the ending of the name means."""
    format_name = options.format or Path(options.out).suffix.lower().removeprefix(".")
    if format_name not in EXPORT_FORMATS:
        known = " or ".join(EXPORT_FORMATS)
        raise output.WrongUsage("format", "It is not clear in which form to write.", f"Use --format {known}.")
    return str(format_name)


async def _to_file(
    backend: Backend, wanted: ExecutionFilter, text: str | None, lines: RowFormatter, path: Path
) -> int:
    """The file appears when it is complete; an interruption leaves what was there."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            count = await _write(backend, wanted, text, lines, file)
        part.replace(path)
    except OSError as error:
        raise StorageFault(
            f"{path} could not be written: {error.strerror or error}.", todo="Choose another place."
        ) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
    return count


async def _write(
    backend: Backend, wanted: ExecutionFilter, text: str | None, lines: RowFormatter, file: TextIO
) -> int:
    done, first = 0, True
    async for items, total in iterate_executions(backend, wanted, text):
        if items or first:
            file.write(lines(items, first))
        first, before, done = False, done, done + len(items)
        if total is not None and before // PROGRESS_EVERY < done // PROGRESS_EVERY < total // PROGRESS_EVERY:
            output.print_message(f"{done:,} of {total:,}")
    return done


# MERGED: `patchbay execution retry`, `replay` and `cancel`.

POLL_SECONDS = 0.2


async def _run_control(backend: Backend, options: argparse.Namespace) -> int:
    if options.action == "cancel":
        return await _cancel(backend, options)
    if options.action == "resume":
        return await _resume(backend, options)
    if options.action == "continue":
        return execution_result.print_result(
            await execution_result.wait_for_end(backend, await backend.continue_execution(options.id)),
            options,
        )
    if options.action == "replay":
        return await _replay(backend, options)
    if options.all == bool(options.id):
        raise output.WrongUsage("id", "Either one execution or all of a filter.", "Give an ID, or --all.")
    return await (_retry_all if options.all else _retry)(backend, options)


async def _cancel(backend: Backend, options: argparse.Namespace) -> int:
    execution = await backend.cancel_execution(options.id)
    output.data(execution.wire(), as_json=options.json, text=f"{execution.id}  {execution.state.value}")
    return 0


async def _resume(backend: Backend, options: argparse.Namespace) -> int:
    execution = await backend.resume_execution(options.id)
    text = f"{execution.id}  stopped waiting"
    output.data(execution.wire(), as_json=options.json, text=text)
    return 0


async def _retry(backend: Backend, options: argparse.Namespace) -> int:
    return execution_result.print_result(
        await execution_result.wait_for_end(backend, await backend.retry_execution(options.id)), options
    )


async def _replay(backend: Backend, options: argparse.Namespace) -> int:
    item = read_json(options.input) if options.input else None
    on = ReplayOn.NEWEST if options.newest else ReplayOn.ORIGINAL
    made = await backend.replay_execution(options.id, item=item, on=on)
    return execution_result.print_result(await execution_result.wait_for_end(backend, made), options)


async def _retry_all(backend: Backend, options: argparse.Namespace) -> int:
    job = await backend.retry_executions(filter_from_options(options))
    try:
        job = await _wait_for_bulk_retry(backend, job)
    except BaseException:
        with contextlib.suppress(AppError):
            await backend.cancel_bulk_retry(job.id)
        raise
    failed = bool(job.refused or job.cancelled)
    output.result(job.wire(), as_json=options.json, text=_bulk_retry_text(job), failed=failed)
    return 1 if failed else 0


async def _wait_for_bulk_retry(backend: Backend, job: BulkRetry) -> BulkRetry:
    while not job.finished:
        await asyncio.sleep(POLL_SECONDS)
        before, job = job, await backend.bulk_retry(job.id)
        if job != before and not job.finished:
            output.print_message(f"{job.done + job.refused:,} of {job.total:,}")
    return job


def _bulk_retry_text(job: BulkRetry) -> str:
    if not job.total:
        return "Nothing to retry."
    text = f"{job.done:,} of {job.total:,} retried."
    if job.refused:
        text += f" {job.refused:,} could not be:"
    return "\n".join([text, *(f"    {reason}" for reason in job.reasons)])
