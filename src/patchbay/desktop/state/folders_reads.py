"""What the folders screen shows, and the questions and writes of more than one step behind it."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

from patchbay.desktop.state.executions_filter import DAY
from patchbay.desktop.state.name_order import by_name
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import FlowId, FolderId
from patchbay.domain.errors import AppError, NotSupported
from patchbay.domain.executions import ExecutionFilter, FlowActivity, Histogram
from patchbay.domain.flows import Flow, FlowFilter
from patchbay.domain.organise import Folder, FolderStats, User
from patchbay.domain.paging import PageRequest

DAYS = 14
NO_FOLDER = "null"
LASTING_DELETE = (
    "Its flows become uncategorised and go on running. This service cannot put them back into a folder."
)
"""Asked before a folder is deleted that cannot be brought back as it was."""


@dataclass(frozen=True)
class FolderRow:
    """One line of the table; `folder` None stands for the flows in no folder."""

    folder: Folder | None
    stats: FolderStats

    @property
    def key(self) -> str:
        return self.folder.id if self.folder else NO_FOLDER

    @property
    def name(self) -> str:
        return self.folder.name if self.folder else "Uncategorised"

    @property
    def drafts(self) -> int:
        return max(0, self.stats.flows - self.stats.published)

    @property
    def success_rate(self) -> float | None:
        """Share of runs without failure in the last seven days; None without runs."""
        return 1 - self.stats.failures / self.stats.runs if self.stats.runs else None


@dataclass(frozen=True)
class FolderDetail:
    """The pane: the flows of a folder, how each did last, and the runs of the last days (None: not told)."""

    key: str
    flows: tuple[Flow, ...] = ()
    activity: dict[FlowId, FlowActivity] = field(default_factory=dict)
    runs: Histogram | None = None


def in_order(rows: Iterable[FolderRow]) -> tuple[FolderRow, ...]:
    """By name, the flows without a folder last."""
    return tuple(sorted(rows, key=lambda row: (row.folder is None, by_name(row.name))))


async def read_all(
    backend: Backend,
) -> tuple[tuple[Folder, ...], tuple[FolderStats, ...], tuple[User, ...]]:
    return await asyncio.gather(backend.list_folders(), backend.folder_stats(), _people(backend))


async def _people(backend: Backend) -> tuple[User, ...]:
    """Everybody, or nobody where the key may not ask."""
    try:
        return await backend.list_users()
    except AppError:
        return ()


async def flows_of(backend: Backend, key: str | None) -> tuple[Flow, ...]:
    """Every flow of a folder (`NO_FOLDER`: in none; None: of all)."""
    flows: list[Flow] = []
    number = 1
    while True:
        page = await backend.list_flows(FlowFilter(folder_id=key), PageRequest(page=number, limit=200))
        flows.extend(page.items)
        if not page.items or number >= page.total_pages:
            return tuple(flows)
        number += 1


async def read_detail(backend: Backend, key: str, end: int) -> FolderDetail:
    flows, runs = await asyncio.gather(flows_of(backend, key), _runs(backend, key, end))
    activity = await _activity(backend, tuple(flow.id for flow in flows))
    return FolderDetail(key, flows, activity, runs)


async def _runs(backend: Backend, key: str, end: int) -> Histogram | None:
    if backend.capabilities.reason(Feature.STATISTICS):
        return None
    try:
        return await backend.histogram(ExecutionFilter(folder_id=key), end - DAYS * DAY, end, DAYS)
    except NotSupported:  # what a workspace cannot do is not known before it is open
        return None


async def _activity(backend: Backend, ids: tuple[FlowId, ...]) -> dict[FlowId, FlowActivity]:
    if not ids or backend.capabilities.reason(Feature.STATISTICS):
        return {}
    return {item.flow_id: item for item in await backend.flow_activity(ids)}


async def delete_folder(backend: Backend, key: str) -> tuple[FlowId, ...]:
    flows = await flows_of(backend, key)
    await backend.delete_folder(key)
    return tuple(flow.id for flow in flows)


async def restore_folder(backend: Backend, old: Folder, flow_ids: tuple[FlowId, ...]) -> Folder:
    """A folder of the same name and person, with these flows."""
    folder = await backend.create_folder(old.name, old.user_id)
    for flow_id in flow_ids:
        await backend.move_flow(flow_id, folder.id)
    return folder


async def move_flows(
    backend: Backend, flow_ids: tuple[FlowId, ...], target: FolderId | None
) -> dict[FlowId, FolderId | None]:
    """Where each flow was before."""
    old: dict[FlowId, FolderId | None] = {}
    for flow_id in flow_ids:
        old[flow_id] = (await backend.get_flow(flow_id)).folder_id
        await backend.move_flow(flow_id, target)
    return old


async def put_back(backend: Backend, old: dict[FlowId, FolderId | None]) -> None:
    for flow_id, folder_id in old.items():
        await backend.move_flow(flow_id, folder_id)
