"""The steps of an execution as a tree: attempts gathered, loops by item, branches as taken. Pure."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from patchbay.desktop.core.execution_labels import TimelineRow, begun, with_names
from patchbay.desktop.executions.view_models.queries import EventNames, named_steps
from patchbay.domain.base import EpochMs, Json, StepId
from patchbay.domain.executions import Execution, ExecutionState, ExecutionStep, StepRef, StepState
from patchbay.domain.flows import StructuralType

UNFOLDED_ITEMS = 12
"""Loops with more items than this start folded."""

_WORST = (
    StepState.RUNNING, StepState.FAILURE, StepState.CANCELLED, StepState.FILTERED, StepState.SUCCESS,
)  # fmt: skip


@dataclass(slots=True)
class _Stretch:
    """Time span and state of the steps inside a row."""

    begin: EpochMs
    end: EpochMs | None
    state: StepState

    def add(self, begin: EpochMs, end: EpochMs | None, state: StepState) -> None:
        self.begin = min(self.begin, begin)
        self.end = None if self.end is None or end is None else max(self.end, end)
        self.state = min(self.state, state, key=_WORST.index)


class Timeline:
    """The full tree of an execution; `rows` lists the visible rows.

    Built off the window's thread because loops can be long. `answer` is the key of the row to open first:
    the failed step, else the last one that ran.
    """

    def __init__(
        self, execution: Execution, results: Iterable[ExecutionStep], names: EventNames | None = None
    ) -> None:
        self._places: dict[tuple[StepId, str | None], list[ExecutionStep]] = {}
        steps = {step.id: step for step in execution.flow.steps}
        last: dict[bool, tuple[StepId, str | None]] = {}
        for result in results:
            steps.setdefault(result.step.id, result.step)
            self._places.setdefault((result.step.id, result.path), []).append(result)
        for place, attempts in self._places.items():
            last[attempts[-1].status is StepState.FAILURE] = place
        self._steps = steps = named_steps(steps, names or {})
        self._positions = {step.id: step.position for step in steps.values()}
        self._held: dict[StepId | None, list[StepRef]] = {}
        for step in steps.values():
            known = step.parent_step_id if step.parent_step_id in steps else None
            self._held.setdefault(known, []).append(step)
        self._measure(execution)
        self._stretches = self._gather()
        failed = execution.state is ExecutionState.FAILURE
        self._answer = last.get(failed) or last.get(not failed)
        if self._answer is not None and execution.state is ExecutionState.SUCCESS:
            self._answer = self._outermost(*self._answer)
        self.answer = _key(*self._answer) if self._answer else self._first_key()
        self._default = frozenset(self._open_at_first())

    def rows(self, toggled: Collection[str] = ()) -> tuple[TimelineRow, ...]:
        """Return the visible rows. `toggled`: keys of rows folded or unfolded by hand."""
        self._toggled = toggled
        return tuple(row for step in self._held.get(None, ()) for row in self._rows_of(step, None, 0))

    # What is known at once

    def _measure(self, execution: Execution) -> None:
        every = [result for attempts in self._places.values() for result in attempts]
        self._begin = min(map(begun, every), default=execution.created_at)
        end = max((result.finished_at or begun(result) for result in every), default=self._begin)
        self._scale = max(1, end - self._begin)

    def _gather(self) -> dict[str, _Stretch]:
        """Compute the time span of each item and branch by key, and the item count of each loop."""
        found: dict[str, _Stretch] = {}
        self._items: dict[str, int] = {}
        self._loose: dict[StepId, list[ExecutionStep]] = {}
        for (step_id, path), attempts in self._places.items():
            begin, end = begun(attempts[0]), attempts[-1].finished_at
            if path and self._steps[step_id].parent_step_id not in self._steps:
                self._loose.setdefault(step_id, []).extend(attempts)
            for key in self._around(step_id, path):
                known = found.get(key)
                if known is None:
                    found[key] = _Stretch(begin, end, attempts[-1].status)
                else:
                    known.add(begin, end, attempts[-1].status)
        self._failed = Counter(
            key.rpartition("#")[2] for key, stretch in found.items()
            if stretch.state is StepState.FAILURE and "#" in key
        )  # fmt: skip
        return found

    def _around(self, step_id: StepId, path: str | None) -> Iterator[str]:
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

    def _first_key(self) -> str:
        return next((_key(step.id, None) for step in self._held.get(None, ())), "")

    def _open_at_first(self) -> Iterator[str]:
        """Return the keys unfolded at first: branches, short loops, and ancestors of `answer`."""
        if self._answer is not None:
            yield from self._around(*self._answer)
        for key in self._stretches:
            if "#" not in key and self._items.get(key, 0) <= UNFOLDED_ITEMS:
                yield key
        for (step_id, path), _ in self._places.items():
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
        for held in self._held.get(step.id, ()):
            yield from self._rows_of(held, path, depth + 1)

    def _step_row(self, step: StepRef, path: str | None, depth: int) -> TimelineRow:
        key = _key(step.id, path)
        if step.structural_type is StructuralType.BRANCH:
            return self._branch_row(step, key, path, depth)
        found = self._places.get((step.id, path)) or (self._loose.get(step.id) if path is None else None)
        attempts = tuple(found or ())
        if step.structural_type is StructuralType.EACH and attempts:
            note = self._counted(key, len(_items(attempts)))
            return self._holding(step, key, path, depth, attempts=attempts, note=note)
        paths = step.structural_type is StructuralType.PATHS
        note = (
            (", ".join(map(str, _told(attempts, "names"))) or "no branch ran") if paths and attempts else ""
        )
        folds = paths and bool(attempts) and bool(self._held.get(step.id))
        start, length, spent = self._bar(attempts)
        return TimelineRow(
            step, attempts, start, length, spent, attempts[-1].status if attempts else None, key, path,
            depth=depth, folds=folds, open=folds and self._is_open(key), note=note,
            warnings=self._warnings(attempts),
        )  # fmt: skip

    def _branch_row(self, step: StepRef, key: str, path: str | None, depth: int) -> TimelineRow:
        row = self._holding(step, key, path, depth)
        if row.state is not None:
            return row
        chosen = _told(self._places.get((step.parent_step_id or "", path), ()), "taken")
        if step.id not in chosen:
            return replace(row, note="skipped")
        return replace(row, state=StepState.SUCCESS, note="ran, has no steps")

    def _items_of(self, loop: TimelineRow) -> Iterator[TimelineRow]:
        values = _items(loop.attempts)
        for at in range(max(len(values), self._items.get(loop.key, 0))):
            path = f"{loop.path}.{at}" if loop.path else str(at)
            value = values[at] if at < len(values) else None
            row = self._holding(
                loop.step, _item_key(loop.key, at), path, loop.depth + 1, item=at, value=value
            )
            yield row
            if row.open:
                for held in self._held.get(loop.step.id, ()):
                    yield from self._rows_of(held, path, loop.depth + 2)

    def _holding(
        self, step: StepRef, key: str, path: str | None, depth: int, *, item: int | None = None,
        value: Json = None, note: str = "", attempts: tuple[ExecutionStep, ...] = (),
    ) -> TimelineRow:  # fmt: skip
        """Return the row of a branch, item, or loop, with the span and state of its steps."""
        stretch = self._stretches.get(key)
        if stretch is None:
            start, length, spent = self._bar(attempts)
            state = attempts[-1].status if attempts else None
        else:
            spent = None if stretch.end is None else max(0, stretch.end - stretch.begin)
            start = min(1.0, (stretch.begin - self._begin) / self._scale)
            length, state = self._length(start, spent), stretch.state
        folds = stretch is not None and bool(self._held.get(step.id))
        return TimelineRow(
            step, attempts, start, length, spent, state, key, path, item, depth,
            folds, folds and self._is_open(key), note, value, self._warnings(attempts),
        )  # fmt: skip

    def _warnings(self, attempts: tuple[ExecutionStep, ...]) -> tuple[str, ...]:
        said = attempts[-1].warnings if attempts else ()
        return tuple(with_names(one, self._positions) for one in said)

    def _counted(self, loop: str, number: int) -> str:
        number = number or self._items.get(loop, 0)
        words = "1 item" if number == 1 else f"{number:,} items"
        failed = self._failed.get(loop, 0)
        return f"{words}, {failed:,} failed" if failed else words

    def _is_open(self, key: str) -> bool:
        return (key in self._default) is not (key in self._toggled)

    def _bar(self, attempts: tuple[ExecutionStep, ...]) -> tuple[float, float, int | None]:
        if not attempts:
            return 0.0, 0.0, None
        first, end = begun(attempts[0]), attempts[-1].finished_at
        spent = None if end is None else max(0, end - first)
        start = min(1.0, (first - self._begin) / self._scale)
        return start, self._length(start, spent), spent

    def _length(self, start: float, spent: int | None) -> float:
        return 1.0 - start if spent is None else min(1.0 - start, spent / self._scale)


def _key(step_id: StepId, path: str | None) -> str:
    return f"{step_id}@{path or ''}"


def _item_key(loop: str, at: int) -> str:
    return f"{at}#{loop}"


def _items(attempts: Collection[ExecutionStep]) -> list[Json]:
    """Return the items of a loop from its step's output."""
    return _told(attempts, "items")


def _told(attempts: Iterable[ExecutionStep], key: str) -> list[Json]:
    """Return the list in a step's output under this key."""
    for result in attempts:
        found = result.data_out.get(key) if isinstance(result.data_out, dict) else None
        if isinstance(found, list):
            return found
    return []
