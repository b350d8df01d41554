"""The resources of one user, and what another user might try with them."""

import asyncio
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from tests.support.desk import DESK
from tests.support.patience import PATIENCE
from tests.support.workspace import CATCH, PASS, WorkspaceRuntime

from patchbay.domain.backend import Backend
from patchbay.domain.base import ConnectionId, ExecutionId
from patchbay.domain.connections import Connection
from patchbay.domain.error_wire import to_wire
from patchbay.domain.errors import AppError
from patchbay.domain.flows import Flow, StepChange
from patchbay.domain.folders import Folder
from patchbay.domain.people import User
from patchbay.storage.repositories import connections


@dataclass
class Holdings:
    """What belongs to one person: a published flow that ran, a folder, a connection."""

    flow: Flow
    run: ExecutionId
    folder: Folder
    connection: Connection


async def _finished(backend: Backend, run: ExecutionId) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            if (await backend.get_execution(run)).state.finished:
                return
            await asyncio.sleep(0)


async def furnish(runtime: WorkspaceRuntime, owner: User, name: str) -> Holdings:
    """Make one of each for this person."""
    backend = runtime.backend
    folder = await backend.create_folder(f"{name} folder", owner.id)
    flow = await backend.create_flow(f"{name} flow", folder.id, owner.id)
    for step, change in zip(flow.steps, (CATCH, PASS), strict=True):
        flow = await backend.update_step(step.id, change)
    flow = await backend.publish_flow((await runtime.skipped(flow)).id)
    run = await backend.run_flow(flow.id, {"from": name})
    await _finished(backend, run)
    connection = Connection(
        id=ConnectionId(str(uuid4())), app_key=DESK, screen_name=f"{name} desk", user_id=owner.id
    )
    await runtime.db.write(lambda tx: connections.add(tx, connection, owner.id))
    return Holdings(flow, run, folder, connection)


def not_there(like: Holdings) -> Holdings:
    """The same under ids that nothing has."""
    steps = tuple(step.model_copy(update={"id": str(uuid4())}) for step in like.flow.steps)
    return Holdings(
        like.flow.model_copy(update={"id": str(uuid4()), "steps": steps}),
        ExecutionId(str(uuid4())),
        like.folder.model_copy(update={"id": str(uuid4())}),
        like.connection.model_copy(update={"id": str(uuid4())}),
    )


async def refusal_of(operation: Any) -> dict[str, Any]:
    """How an operation is refused."""
    try:
        result = await operation
    except AppError as error:
        return {"kind": type(error).__name__, **to_wire(error)}
    raise AssertionError(f"it answered {result!r}")


def tries(of: Holdings) -> dict[str, tuple[Any, ...]]:
    """Operations on what belongs to somebody, with their arguments."""
    step, action = (item.id for item in of.flow.steps)
    flow = of.flow.id
    run = of.run
    connection = of.connection.id
    folder = of.folder.id
    on_flow = (
        "get_flow",
        "pause_flow",
        "resume_flow",
        "duplicate_flow",
        "delete_flow",
        "restore_flow",
        "export_flow",
        "publish_flow",
        "unpublish_flow",
        "run_flow",
        "add_step",
        "step_samples",
    )
    on_run = (
        "get_execution",
        "execution_steps",
        "cancel_execution",
        "resume_execution",
        "retry_execution",
        "continue_execution",
        "replay_execution",
    )
    on_connection = ("get_connection", "test_connection", "delete_connection")
    return {
        **dict.fromkeys(on_flow, (flow,)),
        **dict.fromkeys(on_run, (run,)),
        **dict.fromkeys(on_connection, (connection,)),
        "update_flow": (flow,),
        "change_flow_settings": (flow, of.flow.settings),
        "move_flow": (flow, None),
        "create_template": ("Stolen", flow),
        "update_step": (action, StepChange(name="Mine now")),
        "move_step": (action, 2),
        "delete_step": (action,),
        "restore_step": (action,),
        "test_step": (action,),
        "skip_step_test": (step,),
        "preview_schedule": (flow, "tools", "everyHour", {}),
        "dynamic_options": (step, "list", {}),
        "dynamic_fields": (step, "list", {}),
        "reconnect": (connection, {}),
        "begin_sign_in": ("desk", {}, connection),
        "duplicate_connection": (connection, "Mine"),
        "rename_connection": (connection, "Mine"),
        "set_connection_rate_limit": (connection, None),
        "restore_connection": (connection,),
        "rename_folder": (folder, "Mine"),
        "delete_folder": (folder,),
    }
