"""The columns of the executions table: texts and widths."""

import re
from collections.abc import Callable
from datetime import datetime

from PySide6.QtGui import QFontMetricsF

from patchbay.desktop.core.execution_labels import WAITING_FOR_INPUT, execution_label, state_label
from patchbay.desktop.core.language import date_text, number_text, time_text, tr
from patchbay.desktop.core.times import age, duration, full_moment
from patchbay.desktop.kit.text import clock_time, when
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.kit.windowed_model import Column
from patchbay.domain import clock
from patchbay.domain.base import EpochMs
from patchbay.domain.executions import Execution, ExecutionState

STATUS, FLOW, STARTED, DURATION, STEPS, NOTE = range(6)
OPTIONAL_COLUMNS = {"started": STARTED, "duration": DURATION, "steps": STEPS, "note": NOTE}

_LEAST_WIDTHS = {STATUS: 102, STARTED: 104, DURATION: 74, STEPS: 52}
_FLOW_MIN, _NOTE_MIN = 250, 150
_WAIT_TIME = re.compile(r"until \d{4}-\d\d-\d\d \d\d:\d\d")


_TITLES = {DURATION: tr("Duration"), STEPS: tr("Steps")}


def columns(clock: Callable[[], EpochMs]) -> tuple[Column, ...]:
    """The column texts. `clock` is the current time, for ages and running durations."""
    return (
        Column("status", tr("Status"), execution_label),
        Column("flow", tr("Flow"), flow_text, tool_tip=lambda item: item.flow.name),
        Column(
            "started",
            tr("Started"),
            lambda item: " ".join(started_text(item, clock())),
            tool_tip=lambda item: full_moment(item.created_at),
        ),
        Column("duration", _TITLES[DURATION], lambda item: duration_text(item, clock()), right=True),
        Column(
            "steps",
            _TITLES[STEPS],
            steps_text,
            right=True,
            tool_tip=lambda _: tr(
                "Steps reached out of all steps; with a loop, the number of steps that ran"
            ),
        ),
        Column(
            "note",
            tr("Result note"),
            lambda item: note_text(item, clock()),
            tool_tip=lambda item: item.note or "",
        ),
    )


def flow_text(item: Execution) -> str:
    """The name of the flow, with “(test)” for a test run."""
    return tr("{name} (test)", name=item.flow.name) if item.test_run else item.flow.name


def started_text(item: Execution, now: EpochMs) -> tuple[str, str]:
    """Return time and age; day and time for another day; the date for another year."""
    then, today = clock.local_datetime(item.created_at), clock.local_datetime(now)
    if then.date() == today.date():
        return clock_time(item.created_at), age(item.created_at, now)
    if then.year != today.year and (today.date() - then.date()).days > 6:
        return date_text(then, year=True), ""
    return when(item.created_at, now), ""


def duration_text(item: Execution, now: EpochMs) -> str:
    """How long the execution ran, or has been running."""
    if item.state is not ExecutionState.RUNNING:
        return duration(item.duration_ms, parts=2, exact=True)
    passed = now - (item.started_at or item.created_at)
    return duration(passed, parts=1 if passed < clock.HOUR_MS else 2)


def steps_text(item: Execution) -> str:
    """Return "3/5": steps reached and total; with loops, the number run; "–" if none; "" without a total."""
    if not item.steps_done:  # every run has at least its trigger
        return "–"
    if item.steps_done > item.steps_total:
        return number_text(item.steps_done)
    return f"{item.steps_done}/{item.steps_total}" if item.steps_total else ""


def note_text(item: Execution, now: EpochMs) -> str:
    """Return the note; for waiting executions with the time shortened."""
    if item.note and item.wake_at is not None and item.state is ExecutionState.WAITING:
        return _WAIT_TIME.sub(f"until {when(item.wake_at, now)}", item.note).removesuffix(".")
    return item.note or ""


def widths(available_width: int, hidden: frozenset[str] = frozenset()) -> dict[int, int]:
    """Pixel widths by column. Columns that don't fit get 0: first the note, then the steps."""
    px = theme().px
    hidden_columns = {OPTIONAL_COLUMNS[key] for key in hidden if key in OPTIONAL_COLUMNS}
    widths_by_column = {
        column: 0 if column in hidden_columns else max(px(width), _text_width(column))
        for column, width in _LEAST_WIDTHS.items()
    }
    rest = available_width - sum(widths_by_column.values())
    if NOTE not in hidden_columns and rest >= px(_FLOW_MIN + _NOTE_MIN):
        widths_by_column[NOTE] = max(px(_NOTE_MIN), round(rest * 0.41))
    else:
        widths_by_column[NOTE] = 0
    if rest - widths_by_column[NOTE] < px(_FLOW_MIN):
        widths_by_column[STEPS] = 0
    widths_by_column[FLOW] = max(px(120), available_width - sum(widths_by_column.values()))
    return widths_by_column


def _text_width(column: int) -> int:
    """The width that a column needs for its title or its longest text, which depend on the language."""
    px = theme().px
    title, body = QFontMetricsF(theme().font("caption")), QFontMetricsF(theme().font())
    if column == STATUS:
        labels = [*map(state_label, ExecutionState), WAITING_FOR_INPUT]
        return px(16 + 22 + 8) + round(max(map(body.horizontalAdvance, labels)))
    if column == STARTED:
        late = [datetime(2025, month, 28, 22, 28) for month in range(1, 13)]
        return px(16) + round(max(body.horizontalAdvance(f"{date_text(at)}, {time_text(at)}") for at in late))
    return px(22) + round(title.horizontalAdvance(_TITLES[column])) if column in _TITLES else 0
