"""The pictures of this tab for the tour."""

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.page_window import ListStatus
from patchbay.desktop.core.times import ExecutionQuery
from patchbay.domain.executions import BulkRetry, Execution, ExecutionState, HistoryCopy, HistoryCopyState
from patchbay.domain.flows import StructuralType
from patchbay.tour.scene import Scene

if TYPE_CHECKING:
    from patchbay.desktop.executions.tab import ExecutionsTab

LOOPS = ExecutionQuery(text="backup")
SEARCHED = ExecutionQuery(data="invoice")
_OFFER = HistoryCopy(state=HistoryCopyState.ABSENT)
_READING = HistoryCopy(state=HistoryCopyState.READING, done=12_400, total=48_210, oldest_at=1_789_000_000_000)
FAILED = ExecutionQuery(states=(ExecutionState.FAILURE,))


def execution_scenes(tab: "ExecutionsTab") -> tuple[Scene, ...]:
    """A failure, a loop, a wait, a brush, running again, retrying all, and no match."""
    return (
        Scene("executions", lambda: _show_all(tab), lambda: _select_by_state(tab, ExecutionState.FAILURE)),
        Scene("executions-loop", lambda: tab.runs.set_query(LOOPS), lambda: _select_loop(tab)),
        Scene("executions-retried", lambda: _show_all(tab), lambda: _select_retried(tab)),
        Scene(
            "executions-waiting",
            lambda: _show_all(tab),
            lambda: _select_by_state(tab, ExecutionState.WAITING),
        ),
        Scene(
            "executions-filtered",
            lambda: _pose_brush(tab),
            lambda: _settled(tab) and tab.runs.query.started is not None,
        ),
        Scene(
            "executions-run-again",
            lambda: _open_replay_dialog(tab),
            lambda: _is_dialog_ready(tab),
            lambda: _open_dialog(tab),
            lambda: _close_dialog(_open_dialog(tab)),
        ),
        Scene(
            "executions-retry-all", lambda: _pose_bulk_retry(tab), lambda: _settled(tab), leave=tab.bulk.hide
        ),
        Scene(
            "executions-retry-all-question",
            lambda: tab.runs.set_query(FAILED),
            lambda: _is_confirm_open(tab),
            lambda: tab.bulk.dialog or tab,
            lambda: _close_dialog(tab.bulk.dialog),
        ),
        Scene(
            "executions-search",
            lambda: tab.runs.set_query(SEARCHED),
            lambda: _select_found(tab),
            leave=tab.runs.clear,
        ),
        Scene(
            "executions-history",
            lambda: _show_all(tab),
            lambda: _pose_history(tab, _OFFER),
            leave=tab.history.model.load,
        ),
        Scene(
            "executions-history-reading",
            lambda: _show_all(tab),
            lambda: _pose_history(tab, _READING),
            leave=tab.history.model.load,
        ),
        Scene(
            "executions-no-match",
            lambda: tab.runs.set_query(replace(FAILED, text="no flow has this name")),
            lambda: _settled(tab) and tab.runs.status is ListStatus.NO_MATCH,
            leave=tab.runs.clear,
        ),
    )


def _pose_history(tab: "ExecutionsTab", copy: HistoryCopy) -> bool:
    """Simulates a server that can't filter its history, and restores the capability afterwards."""
    if tab.history.model.copy != copy:
        tab.history.model.copy = copy
        tab.history.model.changed.emit()
        return False
    return _settled(tab)


def _show_all(tab: "ExecutionsTab") -> None:
    tab.runs.clear()
    tab.runs.load()


def _settled(tab: "ExecutionsTab") -> bool:
    return tab.runs.is_up_to_date


def _select(tab: "ExecutionsTab", found: list[Execution]) -> bool:
    """Select the first of these, then wait for its steps; ready at once where there is none."""
    shown = tab.pane.execution
    if not found or (shown is not None and shown.id == found[0].id):
        return not tab.pane.loading
    tab.table.select_id(found[0].id)
    return False


def _select_by_state(tab: "ExecutionsTab", state: ExecutionState) -> bool:
    if not _settled(tab):
        return False
    return _select(tab, [item for item in tab.runs.window.loaded() if item.state is state])


def _select_found(tab: "ExecutionsTab") -> bool:
    """Once the search rests; the pane shows what was found first."""
    if not _settled(tab) or not tab.runs.search.text or tab.runs.search.running:
        return False
    return _select(tab, list(tab.runs.window.inserted_rows()))


def _select_loop(tab: "ExecutionsTab") -> bool:
    if not _settled(tab):
        return False
    found = [
        item
        for item in tab.runs.window.loaded()
        if any(step.structural_type is StructuralType.EACH for step in item.flow.steps)
        and (item.steps_done or 0) > item.steps_total
    ]
    return _select(tab, sorted(found, key=lambda item: item.state is not ExecutionState.FAILURE))


def _select_retried(tab: "ExecutionsTab") -> bool:
    if not _settled(tab):
        return False
    return _select(tab, [item for item in tab.runs.window.loaded() if item.origin_id is not None])


def _pose_brush(tab: "ExecutionsTab") -> None:
    span = tab.runs.span
    if span is not None:
        tab.runs.brush(span.end - span.bars // 3 * span.bar_ms, span.end)


def _open_replay_dialog(tab: "ExecutionsTab") -> None:
    run = tab.pane.execution
    if run is not None:
        tab.execution_commands.run_again(run)


def _open_dialog(tab: "ExecutionsTab") -> QWidget:
    return tab.execution_commands.dialog or tab


def _is_dialog_ready(tab: "ExecutionsTab") -> bool:
    edits = getattr(tab.execution_commands.dialog, "edit", None)
    return edits is not None and bool(edits.toPlainText())


def _pose_bulk_retry(tab: "ExecutionsTab") -> None:
    tab.runs.set_query(FAILED)
    tab.bulk.show_job(
        BulkRetry(id="picture", total=318, done=174, refused=2, reasons=("The flow was deleted.",))
    )


def _close_dialog(dialog: QWidget | None) -> None:
    if dialog is not None:
        dialog.close()


def _is_confirm_open(tab: "ExecutionsTab") -> bool:
    if tab.bulk.dialog is None and _settled(tab):
        tab.bulk.plan_retry(FAILED.to_filter(0))
    return tab.bulk.dialog is not None and tab.bulk.dialog.isVisible()
