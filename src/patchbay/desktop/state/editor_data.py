"""Reading what the flow editor needs at its opening."""

import asyncio
from dataclasses import dataclass

from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import FlowId
from patchbay.domain.connections import Connection
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
    """The flow and what stands around it, as far as the workspace offers it."""
    missing = backend.capabilities.reason

    async def samples() -> tuple[ExecutionStep, ...]:
        return () if missing(Feature.STEP_RESULTS) else await backend.step_samples(flow_id)

    async def connections() -> tuple[Connection, ...]:
        return () if missing(Feature.CONNECTIONS) else await backend.list_connections()

    flow = await backend.get_flow(flow_id)
    return EditorData(flow, *await asyncio.gather(samples(), connections(), backend.list_folders()))
