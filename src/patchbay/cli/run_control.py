"""`patchbay execution retry`, `replay` and `cancel`."""

import argparse
import asyncio
import contextlib

from patchbay.cli import ends, output
from patchbay.cli.executions import filter_from_options
from patchbay.cli.flows import read_json
from patchbay.domain.backend import Backend
from patchbay.domain.errors import AppError
from patchbay.domain.executions import BulkRetry, ReplayOn

POLL_SECONDS = 0.2


async def _run_control(backend: Backend, options: argparse.Namespace) -> int:
    if options.action == "cancel":
        return await _cancel(backend, options)
    if options.action == "resume":
        return await _resume(backend, options)
    if options.action == "continue":
        return ends.print_result(
            await ends.wait_for_end(backend, await backend.continue_execution(options.id)), options
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
    return ends.print_result(
        await ends.wait_for_end(backend, await backend.retry_execution(options.id)), options
    )


async def _replay(backend: Backend, options: argparse.Namespace) -> int:
    item = read_json(options.input) if options.input else None
    on = ReplayOn.NEWEST if options.newest else ReplayOn.ORIGINAL
    made = await backend.replay_execution(options.id, item=item, on=on)
    return ends.print_result(await ends.wait_for_end(backend, made), options)


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
