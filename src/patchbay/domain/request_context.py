"""Context of the request that is being handled: whether its caller has disconnected, and which run sent it.

The run is recognised by a header of its requests, so that loops through the network are limited too.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar

from patchbay.domain.base import ExecutionId

DisconnectWaiter = Callable[[], Awaitable[None]]

caller_disconnected: ContextVar[DisconnectWaiter | None] = ContextVar("until_caller_gone", default=None)
"""Waits until the caller of this operation has disconnected; None if it wasn't called over a network.

Only valid while the operation runs: afterwards it returns at once.
"""

RUN_ROOT_HEADER = "patchbay-run-root"

current_run_root: ContextVar[ExecutionId | None] = ContextVar("caused_by", default=None)
"""The root of the run that sent the current request; None if no run sent it."""

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def root_id_from_headers(headers: Mapping[str, str]) -> ExecutionId | None:
    """The root run in a request's headers (lower-case keys); None if it is missing or not a valid ID."""
    root_id = headers.get(RUN_ROOT_HEADER, "")
    return ExecutionId(root_id) if _ID.fullmatch(root_id) else None
