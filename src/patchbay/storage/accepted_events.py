"""The steps of new runs, kept in memory until they are claimed, so that they needn't be read again."""

import time

from patchbay.domain.base import ExecutionId
from patchbay.storage.run_transactions import EncodedEvent, Row, claimed_step

MAX_EVENTS = 250
MAX_CHARACTERS = 16_384
"""Longer steps are read from the database."""
MAX_SECONDS = 30.0
"""After this time, the steps of a run make room for others: its flow may be paused."""


class AcceptedEvents:
    """The step rows of at most `MAX_EVENTS` queued runs. Those of others are read when they are claimed."""

    def __init__(self) -> None:
        self._steps: dict[ExecutionId, tuple[float, list[Row]]] = {}

    def add(self, execution_id: ExecutionId, event: EncodedEvent) -> None:
        """Keep the steps of a run that was stored."""
        now = time.monotonic()
        if len(self._steps) >= MAX_EVENTS:
            oldest = next(iter(self._steps))
            if now - self._steps[oldest][0] < MAX_SECONDS:
                return
            del self._steps[oldest]
        steps = [claimed_step(row) for row in event.steps]
        if sum(len(output or "") for *_, output, _ in steps) <= MAX_CHARACTERS:
            self._steps[execution_id] = now, steps

    def pop(self, execution_id: ExecutionId) -> list[Row] | None:
        """Remove and return the steps of a run, in the form of `claim`; None if they aren't known."""
        _, steps = self._steps.pop(execution_id, (0.0, None))
        return steps
