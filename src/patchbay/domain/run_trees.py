"""How a run is recognized behind the requests it sends, so that loops through the network are bounded too.

Each request of a step carries the root of its run (`RUN_ROOT_HEADER`). A service that receives one counts the runs it
starts for that request in the tree of that root. The header gives no rights: whoever sends the id of another
tree can only use up that tree's limit.
"""

import re
from collections.abc import Mapping
from contextvars import ContextVar

from patchbay.domain.base import ExecutionId

RUN_ROOT_HEADER = "patchbay-run-root"

current_run_root: ContextVar[ExecutionId | None] = ContextVar("caused_by", default=None)
"""The root of the run whose request is being answered; None for requests that no run sent."""

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def root_id_from_headers(headers: Mapping[str, str]) -> ExecutionId | None:
    """The root named by a request's headers (keys in lower case); None without one, or for no id of ours."""
    root_id = headers.get(RUN_ROOT_HEADER, "")
    return root_id if _ID.fullmatch(root_id) else None
