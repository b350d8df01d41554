"""Waits until an execution finishes or has to wait, and prints its result."""

import argparse
import asyncio

from patchbay.cli import output
from patchbay.domain.backend import Backend
from patchbay.domain.base import ExecutionId
from patchbay.domain.engine import EngineState
from patchbay.domain.errors import AppError
from patchbay.domain.executions import Execution, ExecutionState
from patchbay.domain.flows import FlowStatus

RUN_WAIT_SECONDS = 300
POLL_SECONDS = 0.05
PAUSE_CHECK_EVERY = 20
"""Number of polls of a queued run after which to check whether runs are paused."""


async def wait_until_settled(backend: Backend, execution_id: ExecutionId) -> Execution:
    """Wait until an execution has finished, is waiting, or is queued while all runs or its flow are paused.

    Raises `AppError` after `RUN_WAIT_SECONDS`.
    """
    polls = 0
    try:
        async with asyncio.timeout(RUN_WAIT_SECONDS):
            while True:
                execution = await backend.get_execution(execution_id)
                if execution.state.finished or execution.state is ExecutionState.WAITING:
                    return execution
                polls += 1
                if polls % PAUSE_CHECK_EVERY == 0 and await _is_paused(backend, execution):
                    return execution
                await asyncio.sleep(POLL_SECONDS)
    except TimeoutError:
        raise AppError(
            f"The flow is still running after {RUN_WAIT_SECONDS} seconds.",
            todo=f"Check again later with: patchbay execution show {execution_id}",
        ) from None


def print_result(execution: Execution, options: argparse.Namespace) -> int:
    """Print the state of an execution, and what it waits for. Returns the exit code: 1 if it failed."""
    text = f"{execution.id}  {execution.state.value}" + (f": {execution.note}" if execution.note else "")
    failed = execution.state is ExecutionState.FAILURE
    output.result(execution.wire(), as_json=options.json, text=text, failed=failed)
    if execution.state is ExecutionState.QUEUED:
        output.print_message("Runs are paused. The execution starts when they are resumed.")
    if options.engine_stops and not execution.state.finished:
        output.print_message(
            "No engine is running now. The execution continues when patchbay serve or the window runs."
        )
    return 1 if failed else 0


async def _is_paused(backend: Backend, execution: Execution) -> bool:
    if execution.state is not ExecutionState.QUEUED:
        return False
    if (await backend.health()).state is EngineState.PAUSED:
        return True
    return (await backend.get_flow(execution.flow_id)).status is FlowStatus.PAUSED
