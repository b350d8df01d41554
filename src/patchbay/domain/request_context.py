"""Whether somebody still waits for the result of the operation that is being made."""

import re
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar

from patchbay.domain.base import ExecutionId

DisconnectWaiter = Callable[[], Awaitable[None]]

caller_disconnected: ContextVar[DisconnectWaiter | None] = ContextVar("until_caller_gone", default=None)
"""Waits until the caller of this operation has disconnected; None when the call didn't come over a network.

Only for use while the operation runs: afterwards it returns at once.
"""

# MERGED: How a run is recognized behind the requests it sends, so that loops through the network are
# bounded too.

RUN_ROOT_HEADER = "patchbay-run-root"

current_run_root: ContextVar[ExecutionId | None] = ContextVar("caused_by", default=None)
"""The root of the run whose request is being answered; None for requests that no run sent."""

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def root_id_from_headers(headers: Mapping[str, str]) -> ExecutionId | None:
    """The root named by a request's headers (keys in lower case); None without one, or for no id of ours."""
    root_id = headers.get(RUN_ROOT_HEADER, "")
    return root_id if _ID.fullmatch(root_id) else None
