"""Importing the flows of a file: all of them or none, and none that the file already brought in."""

from collections.abc import Mapping, Sequence

from patchbay.domain.backend import Backend
from patchbay.domain.base import Json
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.flows import Flow, FlowExport, FlowFilter
from patchbay.domain.paging import MAX_PAGE_SIZE, PageRequest

MAX_FILE_BYTES = 20_000_000
"""Bytes of a file with flows."""
MAX_FILE_VALUES = 1_000_000
"""How many values it can have."""
MAX_FLOWS = 10_000
_MAX_NAME_LENGTH = 60
"""How much of a flow's name a message shows."""
_MAX_SHOWN_PROBLEMS = 20
"""How many problems a message describes."""


async def list_all_flows(backend: Backend) -> list[Flow]:
    """All flows, read page by page."""
    flows: list[Flow] = []
    number = 1
    while True:
        page = await backend.list_flows(FlowFilter(), PageRequest(page=number, limit=MAX_PAGE_SIZE))
        flows.extend(page.items)
        if not page.items or len(flows) >= page.total:
            return flows
        number += 1


async def import_flows(
    backend: Backend, exports: Sequence[FlowExport], existing_flows: Mapping[str | None, Flow]
) -> list[Flow]:
    """The flow of each export: the one that is here already, or a new draft.

    When one is refused, those imported before it are deleted again.
    """
    flows: list[Flow] = []
    imported: list[Flow] = []
    try:
        for export in exports:
            if (flow := existing_flows.get(export.fingerprint)) is None:
                flow = await backend.import_flow(export)
                imported.append(flow)
            flows.append(flow)
    except AppError as error:
        for flow in imported:
            await backend.delete_flow(flow.id)
        problem = f"{flow_label(len(flows) + 1, export.name)}: {error.text()}"
        raise import_error([problem], len(exports)) from error
    return flows


def flow_label(number: int, name: Json) -> str:
    """How a flow of a file is called in messages: its position, and the beginning of its name."""
    if not isinstance(name, str) or not name.strip():
        return f"Flow {number}"
    name = name.strip()
    short = name if len(name) <= _MAX_NAME_LENGTH else name[:_MAX_NAME_LENGTH] + "…"
    return f"Flow {number} “{short}”"


def import_error(problems: list[str], total: int) -> ValidationFailed:
    """What is wrong with the flows of a file: the first problems, and how many more there are."""
    shown = problems[:_MAX_SHOWN_PROBLEMS]
    if more := len(problems) - len(shown):
        shown.append(f"And {more:,} more.")
    return ValidationFailed(
        {"file": shown},
        happened="The flow can't be imported." if total == 1
        else f"{len(problems):,} of {total:,} flows can't be imported.",
        meaning=" ".join(shown),
        todo="Correct the file, or export a flow to see the form that is expected. Nothing was imported.",
    )  # fmt: skip
