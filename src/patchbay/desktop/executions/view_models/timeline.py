"""The steps of an execution as a tree: attempts gathered, loops by item, branches as taken. Pure."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from patchbay.desktop.core.execution_labels import TimelineRow, attempt_start, replace_references
from patchbay.desktop.core.language import number_text, tr, tr_count
from patchbay.desktop.executions.view_models.queries import EventNames, named_steps
from patchbay.domain.base import EpochMs, Json, StepId
from patchbay.domain.executions import Execution, ExecutionState, ExecutionStep, StepRef, StepState
from patchbay.domain.flows import StructuralType

UNFOLDED_ITEMS = 12
"""Loops with more items than this start folded."""

_STATE_PRIORITY = (
    StepState.RUNNING,
    StepState.FAILURE,
    StepState.CANCELLED,
    StepState.FILTERED,
    StepState.SUCCESS,
)


@dataclass(slots=True)
class _TimeSpan:
    """Time span and state of the steps inside a row."""

    begin: EpochMs
    end: EpochMs | None
    state: StepState

    def add(self, begin: EpochMs, end: EpochMs | None, state: StepState) -> None:
        self.begin = min(self.begin, begin)
        self.end = None if self.end is None or end is None else max(self.end, end)
        self.state = min(self.state, state, key=_STATE_PRIORITY.index)


class Timeline:
    """The full tree of an execution; `rows` lists the visible rows.

    Built off the window's thread because loops can be long. `initial_row_key` is the key of the row to
    open first: the failed step, else the last one that ran.
    """

    def __init__(
        self, execution: Execution, results: Iterable[ExecutionStep], names: EventNames | None = None
    ) -> None:
        self._attempts: dict[tuple[StepId, str | None], list[ExecutionStep]] = {}
        steps = {step.id: step for step in execution.flow.steps}
        last: dict[bool, tuple[StepId, str | None]] = {}
        for result in results:
            steps.setdefault(result.step.id, result.step)
            self._attempts.setdefault((result.step.id, result.path), []).append(result)
        for place, attempts in self._attempts.items():
            last[attempts[-1].status is StepState.FAILURE] = place
        self._steps = steps = named_steps(steps, names or {})
        self._positions = {step.id: step.position for step in steps.values()}
        self._children: dict[StepId | None, list[StepRef]] = {}
        for step in steps.values():
            known = step.parent_step_id if step.parent_step_id in steps else None
            self._children.setdefault(known, []).append(step)
        self._measure(execution)
        self._spans = self._collect_spans()
        failed = execution.state is ExecutionState.FAILURE
        self._initial_place = last.get(failed) or last.get(not failed)
        if self._initial_place is not None and execution.state is ExecutionState.SUCCESS:
            self._initial_place = self._outermost(*self._initial_place)
        self.initial_row_key = (
            _key(*self._initial_place)
            if self._initial_place
            else next((_key(step.id, None) for step in self._children.get(None, ())), "")
        )
        self._initially_open = frozenset(self._initially_open_keys())

    def rows(self, toggled: Collection[str] = ()) -> tuple[TimelineRow, ...]:
        """Return the visible rows. `toggled`: keys of rows folded or unfolded by hand."""
        self._toggled = toggled
        return tuple(row for step in self._children.get(None, ()) for row in self._rows_of(step, None, 0))

    # Computed once

    def _measure(self, execution: Execution) -> None:
        every = [result for attempts in self._attempts.values() for result in attempts]
        self._begin = min(map(attempt_start, every), default=execution.created_at)
        end = max((result.finished_at or attempt_start(result) for result in every), default=self._begin)
        self._scale = max(1, end - self._begin)

    def _collect_spans(self) -> dict[str, _TimeSpan]:
        """Compute the time span of each item and branch by key, and the item count of each loop."""
        found: dict[str, _TimeSpan] = {}
        self._items: dict[str, int] = {}
        self._orphans: dict[StepId, list[ExecutionStep]] = {}
        for (step_id, path), attempts in self._attempts.items():
            begin, end = attempt_start(attempts[0]), attempts[-1].finished_at
            if path and self._steps[step_id].parent_step_id not in self._steps:
                self._orphans.setdefault(step_id, []).extend(attempts)
            for key in self._ancestor_keys(step_id, path):
                known = found.get(key)
                if known is None:
                    found[key] = _TimeSpan(begin, end, attempts[-1].status)
                else:
                    known.add(begin, end, attempts[-1].status)
        self._failed = Counter(
            key.rpartition("#")[2]
            for key, span in found.items()
            if span.state is StepState.FAILURE and "#" in key
        )
        return found

    def _ancestor_keys(self, step_id: StepId, path: str | None) -> Iterator[str]:
        """Return the keys of a step's ancestors, innermost first; an item comes before its loop."""
        numbers = path.split(".") if path else []
        parent = self._steps[step_id].parent_step_id
        while parent in self._steps:
            holder = self._steps[parent]
            if holder.structural_type is StructuralType.EACH and numbers:
                at = int(numbers.pop())
                loop = _key(holder.id, ".".join(numbers) or None)
                self._items[loop] = max(self._items.get(loop, 0), at + 1)
                yield _item_key(loop, at)
                yield loop
            else:
                yield _key(holder.id, ".".join(numbers) or None)
            parent = holder.parent_step_id

    def _outermost(self, step_id: StepId, path: str | None) -> tuple[StepId, str | None]:
        """Return the top-level step that contains this one."""
        parent = self._steps[step_id].parent_step_id
        while parent in self._steps:
            step_id, path = parent, None
            parent = self._steps[parent].parent_step_id
        return step_id, path

    def _initially_open_keys(self) -> Iterator[str]:
        """Return the keys unfolded at first: branches, short loops, and ancestors of `initial_row_key`."""
        if self._initial_place is not None:
            yield from self._ancestor_keys(*self._initial_place)
        for key in self._spans:
            if "#" not in key and self._items.get(key, 0) <= UNFOLDED_ITEMS:
                yield key
        for (step_id, path), _ in self._attempts.items():
            if self._steps[step_id].structural_type is StructuralType.PATHS:
                yield _key(step_id, path)

    # Rows

    def _rows_of(self, step: StepRef, path: str | None, depth: int) -> Iterator[TimelineRow]:
        kind = step.structural_type
        row = self._step_row(step, path, depth)
        yield row
        if not row.open:
            return
        if kind is StructuralType.EACH:
            yield from self._items_of(row)
            return
        for held in self._children.get(step.id, ()):
            yield from self._rows_of(held, path, depth + 1)

    def _step_row(self, step: StepRef, path: str | None, depth: int) -> TimelineRow:
        key = _key(step.id, path)
        if step.structural_type is StructuralType.BRANCH:
            return self._branch_row(step, key, path, depth)
        found = self._attempts.get((step.id, path)) or (self._orphans.get(step.id) if path is None else None)
        attempts = tuple(found or ())
        if step.structural_type is StructuralType.EACH and attempts:
            note = self._items_text(key, len(_items(attempts)))
            return self._container_row(step, key, path, depth, attempts=attempts, note=note)
        paths = step.structural_type is StructuralType.PATHS
        note = (
            (", ".join(map(str, _output_list(attempts, "names"))) or tr("no branch ran"))
            if paths and attempts
            else ""
        )
        folds = paths and bool(attempts) and bool(self._children.get(step.id))
        start, length, elapsed = self._bar(attempts)
        return TimelineRow(
            step,
            attempts,
            start,
            length,
            elapsed,
            attempts[-1].status if attempts else None,
            key,
            path,
            depth=depth,
            folds=folds,
            open=folds and self._is_open(key),
            note=note,
            warnings=self._warnings(attempts),
        )

    def _branch_row(self, step: StepRef, key: str, path: str | None, depth: int) -> TimelineRow:
        row = self._container_row(step, key, path, depth)
        if row.state is not None:
            return row
        chosen = _output_list(self._attempts.get((step.parent_step_id or StepId(""), path), ()), "taken")
        if step.id not in chosen:
            return replace(row, note=tr("skipped"))
        return replace(row, state=StepState.SUCCESS, note=tr("ran, has no steps"))

    def _items_of(self, loop: TimelineRow) -> Iterator[TimelineRow]:
        values = _items(loop.attempts)
        for at in range(max(len(values), self._items.get(loop.key, 0))):
            path = f"{loop.path}.{at}" if loop.path else str(at)
            value = values[at] if at < len(values) else None
            row = self._container_row(
                loop.step, _item_key(loop.key, at), path, loop.depth + 1, item=at, value=value
            )
            yield row
            if row.open:
                for held in self._children.get(loop.step.id, ()):
                    yield from self._rows_of(held, path, loop.depth + 2)

    def _container_row(
        self,
        step: StepRef,
        key: str,
        path: str | None,
        depth: int,
        *,
        item: int | None = None,
        value: Json = None,
        note: str = "",
        attempts: tuple[ExecutionStep, ...] = (),
    ) -> TimelineRow:
        """Return the row of a branch, item, or loop, with the span and state of its steps."""
        span = self._spans.get(key)
        if span is None:
            start, length, elapsed = self._bar(attempts)
            state = attempts[-1].status if attempts else None
        else:
            elapsed = None if span.end is None else max(0, span.end - span.begin)
            start = min(1.0, (span.begin - self._begin) / self._scale)
            length, state = self._length(start, elapsed), span.state
        folds = span is not None and bool(self._children.get(step.id))
        return TimelineRow(
            step,
            attempts,
            start,
            length,
            elapsed,
            state,
            key,
            path,
            item,
            depth,
            folds,
            folds and self._is_open(key),
            note,
            value,
            self._warnings(attempts),
        )

    def _warnings(self, attempts: tuple[ExecutionStep, ...]) -> tuple[str, ...]:
        warnings = attempts[-1].warnings if attempts else ()
        return tuple(replace_references(one, self._positions) for one in warnings)

    def _items_text(self, loop: str, number: int) -> str:
        number = number or self._items.get(loop, 0)
        failed = self._failed.get(loop, 0)
        if not failed:
            return tr_count(number, "{n} item", "{n} items")
        return tr_count(
            number, "{n} item, {failed} failed", "{n} items, {failed} failed", failed=number_text(failed)
        )

    def _is_open(self, key: str) -> bool:
        return (key in self._initially_open) is not (key in self._toggled)

    def _bar(self, attempts: tuple[ExecutionStep, ...]) -> tuple[float, float, int | None]:
        if not attempts:
            return 0.0, 0.0, None
        first, end = attempt_start(attempts[0]), attempts[-1].finished_at
        elapsed = None if end is None else max(0, end - first)
        start = min(1.0, (first - self._begin) / self._scale)
        return start, self._length(start, elapsed), elapsed

    def _length(self, start: float, elapsed: int | None) -> float:
        return 1.0 - start if elapsed is None else min(1.0 - start, elapsed / self._scale)


def _key(step_id: StepId, path: str | None) -> str:
    return f"{step_id}@{path or ''}"


def _item_key(loop: str, at: int) -> str:
    return f"{at}#{loop}"


def _items(attempts: Collection[ExecutionStep]) -> list[Json]:
    """Return the items of a loop from its step's output."""
    return _output_list(attempts, "items")


def _output_list(attempts: Iterable[ExecutionStep], key: str) -> list[Json]:
    """Return the list in a step's output under this key."""
    for result in attempts:
        found = result.data_out.get(key) if isinstance(result.data_out, dict) else None
        if isinstance(found, list):
            return found
    return []
