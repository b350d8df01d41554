"""`patchbay execution retry`, `replay` and `cancel`."""

import argparse
import asyncio
import contextlib

from patchbay.cli import ends, output
from patchbay.cli.executions import where
from patchbay.cli.flows import read_json
from patchbay.domain.backend import Backend
from patchbay.domain.errors import AppError
from patchbay.domain.executions import BulkRetry, ReplayOn

LOOK_SECONDS = 0.2


async def run(backend: Backend, options: argparse.Namespace) -> int:
    if options.action == "cancel":
        return await _cancel(backend, options)
    if options.action == "resume":
        return await _resume(backend, options)
    if options.action == "continue":
        return ends.tell(await ends.ended(backend, await backend.continue_execution(options.id)), options)
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
    return ends.tell(await ends.ended(backend, await backend.retry_execution(options.id)), options)


async def _replay(backend: Backend, options: argparse.Namespace) -> int:
    item = read_json(options.input) if options.input else None
    on = ReplayOn.NEWEST if options.newest else ReplayOn.ORIGINAL
    made = await backend.replay_execution(options.id, item=item, on=on)
    return ends.tell(await ends.ended(backend, made), options)


async def _retry_all(backend: Backend, options: argparse.Namespace) -> int:
    job = await backend.retry_executions(where(options))
    try:
        job = await _through(backend, job)
    except BaseException:
        with contextlib.suppress(AppError):
            await backend.cancel_bulk_retry(job.id)
        raise
    failed = bool(job.refused or job.cancelled)
    output.result(job.wire(), as_json=options.json, text=_told(job), failed=failed)
    return 1 if failed else 0


async def _through(backend: Backend, job: BulkRetry) -> BulkRetry:
    while not job.finished:
        await asyncio.sleep(LOOK_SECONDS)
        before, job = job, await backend.bulk_retry(job.id)
        if job != before and not job.finished:
            output.say(f"{job.done + job.refused:,} of {job.total:,}")
    return job


def _told(job: BulkRetry) -> str:
    if not job.total:
        return "Nothing to retry."
    text = f"{job.done:,} of {job.total:,} retried."
    if job.refused:
        text += f" {job.refused:,} could not be:"
    return "\n".join([text, *(f"    {reason}" for reason in job.reasons)])
