"""Reading what the flow editor needs at its opening."""

import asyncio
from dataclasses import dataclass

from patchbay.domain.backend import Backend
from patchbay.domain.base import FlowId
from patchbay.domain.connections import Connection
from patchbay.domain.errors import NotSupported
from patchbay.domain.executions import ExecutionStep
from patchbay.domain.flows import Flow
from patchbay.domain.organise import Folder


@dataclass(frozen=True)
class EditorData:
    """What the editor reads when it opens."""

    flow: Flow
    samples: tuple[ExecutionStep, ...]
    connections: tuple[Connection, ...]
    folders: tuple[Folder, ...]


async def read_editor(backend: Backend, flow_id: FlowId) -> EditorData:
    async def samples() -> tuple[ExecutionStep, ...]:
        try:
            return await backend.step_samples(flow_id)
        except NotSupported:
            return ()

    async def connections() -> tuple[Connection, ...]:
        try:
            return await backend.list_connections()
        except NotSupported:
            return ()

    async def folders() -> tuple[Folder, ...]:
        try:
            return await backend.list_folders()
        except NotSupported:
            return ()

    flow = await backend.get_flow(flow_id)
    return EditorData(flow, *await asyncio.gather(samples(), connections(), folders()))
