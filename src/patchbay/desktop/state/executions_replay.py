"""Running an execution again: its data as JSON to edit, and which version is to run."""

import asyncio
import json
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.executions_control import RunControl
from patchbay.desktop.state.services import Services
from patchbay.desktop.tasks import Latest
from patchbay.domain.backend import Feature
from patchbay.domain.base import Json
from patchbay.domain.errors import AppError, NotFound
from patchbay.domain.executions import Execution, ReplayOn

LONGEST_EDITED = 100_000
"""Characters; longer data is used as it was, for an editor would hold the window up."""

_SLIPS = {
    "Expecting ',' delimiter": "a comma is missing",
    "Expecting ':' delimiter": "a colon is missing after the name",
    "Expecting property name enclosed in double quotes": "a name in double quotes is expected",
    "Illegal trailing comma before end of object": "there is one comma too many",
    "Illegal trailing comma before end of array": "there is one comma too many",
    "Expecting value": "a value is expected",
    "Extra data": "there is more after the end",
    "Unterminated string starting at": "this text has no closing quotation mark",
    "Invalid control character at": "a text goes over the end of the line",
    "Invalid \\escape": "a backslash must be written twice",
}


@dataclass(frozen=True)
class _Read:
    """What was read to fill the form; `newest` is the version published now, None where there is none.

    `cut`: the service didn't send all of the data.
    """

    item: Json
    text: str
    newest: int | None
    cut: bool


class ReplayForm(QObject):
    """Reads what started the execution; `run` starts the new one, or says what is wrong with the data."""

    changed = Signal()

    def __init__(
        self, services: Services, control: RunControl, run: Execution, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._services, self._backend, self._control = services, services.backend, control
        self.execution = run
        self.loading = True
        self.original = ""
        self.too_long = False
        self.newest: int | None = None
        self.problem: AppError | None = None
        self._item: Json = None
        self._slot = Latest(services.tasks, self)
        self._slot.ask(self._read(), done=self._filled, failed=self._failed)

    @property
    def editable(self) -> bool:
        """Whether the data can be seen and changed."""
        return not self.loading and bool(self.original) and not self.too_long

    @property
    def choices(self) -> tuple[tuple[ReplayOn, str], ...]:
        """Which steps may run; one choice where both are the same, or there is only one."""
        ran = self.execution.flow_version
        if self.newest is None or self.newest == ran:
            only = "The flow as it was then" if ran is None else f"Version {ran} of the flow"
            return ((ReplayOn.ORIGINAL, only + (", still the newest," if self.newest else "")),)
        first = "The flow as it was in the test" if ran is None else f"The version it ran, number {ran}"
        return (
            (ReplayOn.ORIGINAL, first),
            (ReplayOn.NEWEST, f"The newest version, number {self.newest}"),
        )

    def run(self, text: str, on: ReplayOn) -> str | None:
        """Start it; else what is wrong with the data, in words."""
        if not self.editable or text.strip() == self.original:
            self._control.replay(self.execution, None, on)
            return None
        try:
            item = parsed(text)
        except ValueError as slip:
            return str(slip)
        self._control.replay(self.execution, None if item == self._item else item, on)
        return None

    async def _read(self) -> _Read:
        """The trigger's output where results are shown, and the version that is published now."""
        shown = self._backend.capabilities.reason(Feature.STEP_RESULTS) is None
        results = await self._backend.execution_steps(self.execution.id) if shown else ()
        item = results[0].data_out if results else None
        text = "" if item is None else await asyncio.to_thread(_pretty, item)
        cut = bool(results) and results[0].shortened
        try:
            flow = await self._backend.get_flow(self.execution.flow.id)
        except NotFound:
            return _Read(item, text, None, cut)
        return _Read(item, text, flow.published_version if flow.active else None, cut)

    def _filled(self, read: _Read) -> None:
        self.loading = False
        self._item, self.original, self.newest = read.item, read.text, read.newest
        self.too_long = read.cut or len(read.text) > LONGEST_EDITED
        self.changed.emit()

    def _failed(self, error: AppError) -> None:
        self.loading, self.problem = False, error
        self.changed.emit()


def parsed(text: str) -> Json:
    """The JSON of a text. Raises `ValueError` with the place and the slip in words."""
    try:
        value: Json = json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as slip:
        words = _SLIPS.get(slip.msg, slip.msg[:1].lower() + slip.msg[1:])
        raise ValueError(f"Line {slip.lineno}, column {slip.colno}: {words}.") from slip
    except RecursionError as slip:
        raise ValueError("This is nested too deeply.") from slip
    if value is None:
        raise ValueError("A flow cannot be started with nothing. Write {} for an empty object.")
    return value


def _no_number(word: str) -> Json:
    raise ValueError(f"{word} is not a number in JSON.")


def _pretty(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
