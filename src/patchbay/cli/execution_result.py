"""Waiting for the end of an execution, and telling how it ended."""

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
"""Looks at a run that does not begin, after which it is asked whether it is held."""


async def wait_for_end(backend: Backend, execution_id: ExecutionId) -> Execution:
    """The execution at its end, or when it goes to sleep, or when it is held until somebody resumes it.

    Raises `AppError` when it goes on for longer than anybody would wait.
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
            todo=f"Look again with: patchbay execution show {execution_id}",
        ) from None


def print_result(execution: Execution, options: argparse.Namespace) -> int:
    """Print how it ended; the exit code of the command."""
    text = f"{execution.id}  {execution.state.value}" + (f": {execution.note}" if execution.note else "")
    failed = execution.state is ExecutionState.FAILURE
    output.result(execution.wire(), as_json=options.json, text=text, failed=failed)
    if execution.state is ExecutionState.QUEUED:
        output.print_message("Runs are paused, so it waits until they are resumed.")
    return 1 if failed else 0


async def _is_paused(backend: Backend, execution: Execution) -> bool:
    if execution.state is not ExecutionState.QUEUED:
        return False
    if (await backend.health()).state is EngineState.PAUSED:
        return True
    return (await backend.get_flow(execution.flow_id)).status is FlowStatus.PAUSED
