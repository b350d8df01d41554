"""Calls a Backend and records the results, so that two workspaces can be compared line by line."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import TypeAdapter
from tests.support.contract_workspaces import ContractWorkspace

from patchbay.domain.backend import ImportedFlow
from patchbay.domain.base import ExecutionId, Model
from patchbay.domain.error_wire import to_wire
from patchbay.domain.errors import AppError
from patchbay.domain.executions import Execution

_TICKS = {"last_tick_at", "next_run_at", "next_flow"}
ELSEWHERE = {
    "info": {"kind", "name", "address"},
    "health": _TICKS,
    "pause_runs": _TICKS,
    "resume_runs": _TICKS | {"queued", "running", "oldest_queued_at"},  # what waited may have begun already
    "resume_execution": {"note"},
    "storage_usage": {"bytes", "free_bytes"},
    "clean_up_history": {"freed_bytes"},
}
"""Fields that differ between local and remote workspaces, or between two runs."""

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{64}\b")
"""IDs, and fingerprints of data with IDs."""
_PORT = re.compile(r"127\.0\.0\.1:\d+")
_FIRST_TIME = 1_000_000_000_000


_ANYTHING = TypeAdapter[Any](Any)


def _shown(result: Any) -> Any:
    """A result without private fields, such as who entered a connection."""
    return type(result), _ANYTHING.dump_python(result)


class OperationRecorder:
    """Calls the Backend of one workspace. Every call becomes a line of `lines`."""

    def __init__(self, workspace: ContractWorkspace) -> None:
        self.workspace = workspace
        self.lines: list[tuple[str, Any]] = []
        self.called: set[str] = set()
        self._ids: dict[str, str] = {}

    async def __call__(self, operation: str, *args: Any, **named: Any) -> Any:
        """The result of an operation. Reads of a remote workspace are also compared with the local result."""
        result = await self._method(operation)(*args, **named)
        self.note(operation, result)
        if self.workspace.kind == "remote" and _only_reads(operation):
            original = await getattr(self.workspace.runtime.backend, operation)(*args, **named)
            assert _shown(result) == _shown(original), operation
        return result

    async def refused(self, operation: str, *args: Any, **named: Any) -> AppError:
        """The error of an operation that must fail."""
        try:
            result = await self._method(operation)(*args, **named)
        except AppError as error:
            self.note(operation, {"error": type(error).__name__, **to_wire(error)})
            return error
        raise AssertionError(f"{operation} answered {result!r} instead of refusing")

    def note(self, operation: str, result: Any) -> None:
        self.called.add(operation)
        if isinstance(result, Model) and operation in ELSEWHERE:
            plain = self._plain(result)
            self.lines.append((operation, plain | dict.fromkeys(ELSEWHERE[operation], "elsewhere")))
            return
        self.lines.append((operation, self._plain(result)))

    async def finished(self, execution_id: ExecutionId) -> Execution:
        """The execution once its run has ended."""
        while True:
            run: Execution = await self.workspace.runtime.backend.get_execution(execution_id)
            if run.state.finished:
                return run
            await asyncio.sleep(0)

    def _method(self, operation: str) -> Callable[..., Awaitable[Any]]:
        method: Callable[..., Awaitable[Any]] = getattr(self.workspace.backend, operation)
        return method

    def _plain(self, value: Any) -> Any:
        """The value without what differs from run to run: ids by order of appearance, no times, no ports."""
        if isinstance(value, ImportedFlow):
            error = None if value.error is None else to_wire(value.error)
            return {"flow": self._plain(value.flow), "error": self._plain(error)}
        if isinstance(value, Model):
            return {"": type(value).__name__, **self._plain(value.model_dump())}
        if isinstance(value, dict):
            plain = {self._plain(key): self._plain(item) for key, item in value.items()}
            told = {"next_cursor": bool, "duration_ms": type}
            return plain | {key: tell(plain[key]) for key, tell in told.items() if key in plain}
        if isinstance(value, (list, tuple)):
            return [self._plain(item) for item in value]
        if isinstance(value, str):
            return _PORT.sub("127.0.0.1", _ID.sub(self._short, value))
        if isinstance(value, int) and value > _FIRST_TIME:
            return "a time"
        return value

    def _short(self, found: re.Match[str]) -> str:
        return self._ids.setdefault(found[0], f"#{len(self._ids) + 1}")


def _only_reads(operation: str) -> bool:
    return operation.startswith(("list_", "get_")) or operation in {
        "execution_steps",
        "histogram",
        "count_executions",
        "flow_activity",
        "folder_stats",
        "step_samples",
        "preview_schedule",
        "dynamic_options",
        "dynamic_fields",
    }
