"""Whether somebody still waits for the result of the operation that is being made."""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar

DisconnectWaiter = Callable[[], Awaitable[None]]

caller_disconnected: ContextVar[DisconnectWaiter | None] = ContextVar("until_caller_gone", default=None)
"""Waits until the caller of this operation has disconnected; None when the call didn't come over a network.

Only for use while the operation runs: afterwards it returns at once.
"""
