"""New flows: their names, until they get one of their own."""

import re
from collections.abc import Container
from functools import partial
from itertools import count

from patchbay.desktop.core.language import tr
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import FolderId
from patchbay.domain.flows import DEFAULT_FLOW_NAME, Flow, FlowFilter
from patchbay.domain.paging import read_all

NEW_FLOW = tr("New flow")
_NEW_FLOWS = re.compile(rf"{re.escape(NEW_FLOW)}( \d+)?")


def is_default_name(name: str) -> bool:
    """Whether a flow still has the name that it was created with."""
    return name == DEFAULT_FLOW_NAME or _NEW_FLOWS.fullmatch(name) is not None


def new_flow_name(taken: Container[str]) -> str:
    """A name that no other flow has: “New flow”, or the next free number after it."""
    names = (NEW_FLOW if number == 1 else f"{NEW_FLOW} {number}" for number in count(1))
    return next(name for name in names if name not in taken)


async def create_new_flow(backend: Backend, folder_id: FolderId | None = None) -> Flow:
    """Create a flow with a name of the window's language, if the server doesn't choose it itself."""
    if backend.capabilities.reason(Feature.EDIT_FLOWS) is not None:
        return await backend.create_flow(folder_id=folder_id)
    similar = await read_all(partial(backend.list_flows, FlowFilter(name=NEW_FLOW)))
    return await backend.create_flow(new_flow_name({flow.name for flow in similar}), folder_id=folder_id)
