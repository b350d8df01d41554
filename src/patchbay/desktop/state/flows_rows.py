"""What one row of the Flows list says, and how rows are filtered and sorted. Pure functions."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from patchbay.desktop.state.editor_words import webhook_words
from patchbay.desktop.state.name_order import by_name
from patchbay.domain.base import AppKey, ConnectionId, FlowId
from patchbay.domain.executions import ExecutionState, FlowActivity
from patchbay.domain.flows import Flow, FlowStatus, StepStatus

UNCATEGORISED = "Uncategorised"

Tone = Literal["plain", "warning", "accent"]


class SidePlace(StrEnum):
    """The fixed entries of the side list; every other value is a folder id."""

    ALL = "all"
    ATTENTION = "attention"
    UNCATEGORISED = "null"


class FlowSort(StrEnum):
    """Columns the list can be sorted by."""

    NAME = "name"
    STATUS = "status"
    LAST_RUN = "last_run"
    NEXT_RUN = "next_run"


@dataclass(frozen=True)
class FlowsFilter:
    """What the list shows. All given conditions hold together; `place` is a `SidePlace` or a folder id."""

    place: str = SidePlace.ALL
    text: str = ""
    status: FlowStatus | None = None
    app_key: AppKey | None = None
    result: ExecutionState | None = None
    connection_id: ConnectionId | None = None

    @property
    def narrowed(self) -> bool:
        """Whether anything beside the place leaves flows out."""
        return any((self.text, self.status, self.app_key, self.result, self.connection_id))


@dataclass(frozen=True)
class Piece:
    """A part of a row's second line."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class FlowRow:
    """One flow with what is known about its runs. `busy` while it is being published or unpublished."""

    flow: Flow
    activity: FlowActivity | None = None
    folder: str = UNCATEGORISED
    busy: bool = False
    pieces: tuple[Piece, ...] = field(default=())

    @property
    def id(self) -> FlowId:
        return self.flow.id

    @property
    def starts_by_webhook(self) -> bool:
        """Also where its address isn't known, such as in the demo."""
        trigger = self.flow.trigger
        return bool(trigger and (trigger.webhook_url or trigger.webhook_signed is not None))

    @property
    def attention(self) -> str | None:
        return self.activity.attention if self.activity else None


def make_row(flow: Flow, activity: FlowActivity | None, folder: str | None, busy: bool) -> FlowRow:
    name = folder or UNCATEGORISED
    return FlowRow(flow, activity, name, busy, second_line(flow, activity, name))


def second_line(flow: Flow, activity: FlowActivity | None, folder: str) -> tuple[Piece, ...]:
    """Folder (or what needs attention), number of steps, and what is unfinished."""
    attention = activity.attention if activity else None
    paused = flow.status is FlowStatus.PAUSED
    reason = attention or (flow.paused_reason if paused else None)
    pieces = [Piece(reason, "warning") if reason else Piece(folder)]
    pieces.append(Piece(plural(len(flow.steps), "step")))
    if flow.trigger and (words := webhook_words(flow.trigger)):
        pieces.append(Piece(words))
    if flow.active and flow.has_unpublished_edits:
        pieces.append(Piece("unpublished edits", "accent"))
    unfinished = sum(step.status is StepStatus.INCOMPLETE for step in flow.steps)
    if not flow.active and unfinished:
        pieces.append(Piece(f"{plural(unfinished, 'step')} to finish"))
    return tuple(pieces)


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def matches(row: FlowRow, where: FlowsFilter) -> bool:
    return in_place(row, where.place) and all(
        (
            where.text.casefold() in row.flow.name.casefold(),
            where.status is None or where.status.covers(row.flow.status),
            where.app_key is None or where.app_key in row.flow.app_keys,
            where.result is None or where.result is _last_state(row),
            where.connection_id is None or where.connection_id in _connections(row.flow),
        )
    )


def in_place(row: FlowRow, place: str) -> bool:
    if place == SidePlace.ALL:
        return True
    if place == SidePlace.ATTENTION:
        return row.attention is not None
    if place == SidePlace.UNCATEGORISED:
        return row.flow.folder_id is None
    return row.flow.folder_id == place


def sort_rows(rows: Iterable[FlowRow], by: FlowSort, descending: bool) -> list[FlowRow]:
    """Flows without a value come last. Those with the same value, or none, are in order of their names."""
    items = sorted(rows, key=lambda row: by_name(row.flow.name))
    if by is FlowSort.STATUS:
        return sorted(items, key=lambda row: row.flow.active is not descending)
    if by is FlowSort.NAME:
        return items[::-1] if descending else items
    known = [row for row in items if _moment(row, by) is not None]
    rest = [row for row in items if _moment(row, by) is None]
    return sorted(known, key=lambda row: _moment(row, by) or 0, reverse=descending) + rest


def _moment(row: FlowRow, by: FlowSort) -> int | None:
    if row.activity is None:
        return None
    if by is FlowSort.NEXT_RUN:
        return row.activity.next_run_at
    return row.activity.last.created_at if row.activity.last else None


def _last_state(row: FlowRow) -> ExecutionState | None:
    return row.activity.last.state if row.activity and row.activity.last else None


def _connections(flow: Flow) -> set[ConnectionId]:
    return {step.connection_id for step in flow.steps if step.connection_id}
