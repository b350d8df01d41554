"""Flows of real apps in a whole local workspace: connected, published, polled and run."""

import asyncio
from collections.abc import Mapping
from typing import Any

from tests.support.app_calls import built_in_app
from tests.support.patience import PATIENCE
from tests.support.workspace import WorkspaceRuntime, open_runtime

from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.executions import Execution, ExecutionFilter
from patchbay.domain.flows import Flow, StepChange
from patchbay.domain.paging import PageRequest


async def open_runtime_with(folder: Any, *app_keys: str) -> WorkspaceRuntime:
    """A workspace whose engine runs, with these apps as they come with the program."""
    runtime = await open_runtime(folder, more_apps=[built_in_app(key) for key in app_keys])
    await runtime.engine.start()
    return runtime


async def publish(runtime: WorkspaceRuntime, *changes: StepChange) -> Flow:
    """A published flow of these steps; `{trigger}` in parameters stands for the id of the first, `{2}` …"""
    flow = await runtime.flow(*changes)
    names = {f"{{{position}}}": step.id for position, step in enumerate(flow.steps, 1)}
    names["{trigger}"] = flow.steps[0].id
    for step in flow.steps[1:]:
        values = {key: _placed(value, names) for key, value in step.parameters.items()}
        flow = await runtime.backend.update_step(step.id, StepChange(parameters=values))
    return await runtime.backend.publish_flow((await runtime.skipped(flow)).id)


async def poll(runtime: WorkspaceRuntime) -> None:
    """Let time pass until the trigger is due, and wait until it has been asked."""
    runtime.clock.now = await _due_after(runtime, 0)
    runtime.engine.triggers_changed()
    await _due_after(runtime, runtime.clock.now)


async def _due_after(runtime: WorkspaceRuntime, moment: int, seconds: float = PATIENCE) -> int:
    """When the trigger is due next, once that is later than this moment."""
    async with asyncio.timeout(seconds):
        while (due := (await runtime.engine.health()).next_run_at) is None or due <= moment:  # noqa: ASYNC110  only the engine knows
            await asyncio.sleep(0.01)
    return due


async def runs(runtime: WorkspaceRuntime, count: int, seconds: float = PATIENCE) -> list[Execution]:
    """The flow's executions, newest first, once there are `count` and all have ended."""
    found: list[Execution] = []
    try:
        async with asyncio.timeout(seconds):
            while len(found) < count or not all(one.state.finished for one in found):
                await asyncio.sleep(0.01)
                page = await runtime.backend.list_executions(ExecutionFilter(), PageRequest(limit=200))
                found = list(page.items)
    except TimeoutError:
        raise AssertionError(
            f"not {count} ended executions within {seconds} s, but {[one.state for one in found]}"
        ) from None
    return found


async def steps(runtime: WorkspaceRuntime, execution: Execution) -> tuple[Any, ...]:
    """The execution's steps in their order."""
    return tuple(sorted(await runtime.backend.execution_steps(execution.id), key=lambda step: step.seq))


def _placed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_placed(item, names) for item in value]
    if isinstance(value, dict):
        return {key: _placed(item, names) for key, item in value.items()}
    if isinstance(value, str):
        for name, step_id in names.items():
            value = value.replace(f"step.{name}", f"step.{step_id}")
    return value


def change(app: str, key: str, connection: ConnectionId | None = None, /, **parameters: Any) -> StepChange:
    values: dict[str, Any] = parameters
    return StepChange(app_key=AppKey(app), key=key, connection_id=connection, parameters=values)
