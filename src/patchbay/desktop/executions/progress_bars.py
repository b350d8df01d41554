"""Progress bars of the executions screen: data search, history download, export, and bulk retry."""

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from patchbay.desktop.core.language import number_text, tr, tr_count
from patchbay.desktop.core.services import Services
from patchbay.desktop.executions.view_models.execution_list import (
    ExecutionsExport,
    ExecutionsViewModel,
    ExportSource,
)
from patchbay.desktop.executions.view_models.history_copy import HistoryCopyViewModel
from patchbay.desktop.executions.view_models.run_actions import BulkRetryPlan, BulkRetryViewModel, summary
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.dialogs import Dialog, confirm
from patchbay.desktop.kit.progress_bar import ExportTexts, FileExportBar, ProgressBar
from patchbay.desktop.kit.text import plain_tip
from patchbay.domain.executions import BulkRetry, ExecutionFilter, HistoryCopyState


class SearchBar(ProgressBar):
    """Progress of a data search; stays until the search is cleared."""

    def __init__(self, screen: ExecutionsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._screen = screen
        self.cancel.setText(tr("Stop"))
        self.search_more = Button(tr("Search further back"), "link", small=True)
        self.clear = Button(tr("Clear search"), "link", small=True)
        self.row.addWidget(self.search_more)
        self.row.addWidget(self.clear)
        self.cancel.clicked.connect(screen.search.pause)
        self.search_more.clicked.connect(screen.search.resume)
        self.clear.clicked.connect(lambda: screen.search_data(""))
        screen.search.changed.connect(self._show)
        screen.counts_changed.connect(self._show)

    def _show(self) -> None:
        search, matching = self._screen.search, self._screen.counts.matching
        if not search.text:
            self.hide()
            return
        self.cancel.setVisible(search.running)
        self.search_more.setVisible(not search.running and not search.complete)
        self.show_progress(search.status_text(matching), search.progress(matching))


# History download


class HistoryBar(ProgressBar):
    """Progress of the history download; only for servers with limited filters."""

    def __init__(self, model: HistoryCopyViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.cancel.setText(tr("Stop"))
        self.download = Button(tr("Download history"), "link", small=True)
        self.dismiss = Button(tr("Not now"), "link", small=True)
        self.row.addWidget(self.download)
        self.row.addWidget(self.dismiss)
        self.cancel.clicked.connect(model.stop)
        self.download.clicked.connect(model.read)
        self.dismiss.clicked.connect(model.dismiss)
        model.changed.connect(self._show)

    def _show(self) -> None:
        model = self.model
        if not model.is_visible:
            self.hide()
            return
        self.cancel.setVisible(model.copy.state is HistoryCopyState.READING)
        self.download.setVisible(model.can_read)
        self.download.setText(tr("Resume download") if model.copy.done else tr("Download history"))
        self.dismiss.setVisible(model.can_read)
        self.show_progress(model.status_text(), model.progress())


# Export


_EXPORT_TEXTS = ExportTexts(
    progress=lambda done, total: tr_count(
        total, "Exported {done} of {n} execution", "Exported {done} of {n} executions", done=number_text(done)
    ),
    written=lambda number, file: tr_count(
        number, "{n} execution written to {file}.", "{n} executions written to {file}.", file=file
    ),
)


class ExportBar(FileExportBar):
    """Progress of an export."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        self.work = ExecutionsExport(services)
        super().__init__(self.work, services.notices, _EXPORT_TEXTS, parent)

    def choose_export_file(self, source: ExportSource, extension: str) -> QFileDialog:
        """Let the user choose a file, and export to it."""
        return self.choose_file(tr("Export executions"), "executions", extension, partial(self.start, source))

    def start(self, source: ExportSource, path: Path, raw: bool = False) -> None:
        """Export the executions to a file."""
        self.show_started(path)
        self.work.start(source, path, raw)


# Bulk retry

MAX_NAMED_FLOWS = 3


class BulkRetryBar(ProgressBar):
    """Progress of a bulk retry; stays until its summary is dismissed."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self.work = BulkRetryViewModel(services, self)
        self.dismiss = Button(tr("Close"), "link", small=True)
        self.row.addWidget(self.dismiss)
        self.dialog: Dialog | None = None
        self.cancel.clicked.connect(self.work.cancel)
        self.dismiss.clicked.connect(self.work.dismiss)
        self.work.planned.connect(self._confirm_retry)
        self.work.changed.connect(self._show)
        self.work.ended.connect(self._on_ended)

    def plan_retry(self, where: ExecutionFilter) -> None:
        """Count what would be retried, then confirm."""
        if not self.work.running:
            self.work.plan(where)

    def _confirm_retry(self, plan: BulkRetryPlan) -> None:
        if not plan.total:
            self._services.notices.post(tr("There are no failed executions to retry."))
            return
        title = tr_count(plan.total, "Retry {n} failed execution?", "Retry {n} failed executions?")
        verb = tr_count(plan.total, "Retry it", "Retry all {n}")
        start = partial(self.work.start, plan.where)
        self.dialog = confirm(self.window(), title, words(plan), verb, bool(plan.unknown), start)

    def _show(self) -> None:
        work, job = self.work, self.work.job
        self.cancel.setVisible(work.running and job is not None)
        self.dismiss.setVisible(not work.running)
        if work.error is not None:
            self.show_progress(work.error.text(), None)
        elif work.running and job is None:
            self.show_progress(tr("Starting retries"), 0.0)
        elif work.running and job is not None:
            self.show_job(job)
        elif job is not None and (job.refused or job.cancelled):
            self.show_progress(f"{summary(job)}{_reasons_text(job)}", None)
        else:
            self.hide()
        self.words.setToolTip(plain_tip("\n".join(job.reasons) if job else ""))

    def show_job(self, job: BulkRetry) -> None:
        """Show the progress of a bulk retry."""
        self.dismiss.hide()
        done, total = number_text(job.done), number_text(job.total)
        text = (
            tr_count(
                job.refused,
                "Retried {done} of {total}. {n} couldn't be retried.",
                "Retried {done} of {total}. {n} couldn't be retried.",
                done=done,
                total=total,
            )
            if job.refused
            else tr("Retried {done} of {total}", done=done, total=total)
        )
        self.show_progress(f"{text}{_reasons_text(job)}", progress(job))

    def _on_ended(self, job: BulkRetry) -> None:
        if not job.refused and not job.cancelled:
            self._services.notices.post(summary(job))


def progress(job: BulkRetry) -> float:
    """The finished part of a bulk retry, from 0 to 1."""
    return (job.done + job.refused) / job.total if job.total else 1.0


def _reasons_text(job: BulkRetry) -> str:
    return f" {' '.join(job.reasons)}" if job.reasons else ""


def words(plan: BulkRetryPlan) -> str:
    """Return the text of the confirmation: affected flows and what a retry does."""
    explanation = tr(
        "Each execution continues from the step that failed. Earlier steps don't run again; their output is "
        "reused. The failed executions stay in the list."
    )
    return f"{_affected_flows(plan)}\n\n{explanation}{_warning(plan)}"


def _affected_flows(plan: BulkRetryPlan) -> str:
    names = [
        tr("“{name}” ({n})", name=name, n=number_text(number))
        if len(plan.flows) > 1
        else tr("“{name}”", name=name)
        for name, number in plan.flows
    ]
    flows, unnamed = ", ".join(names[:MAX_NAMED_FLOWS]), len(names) - MAX_NAMED_FLOWS
    if unnamed > 0 and plan.whole:
        return tr_count(
            unnamed, "From {flows}, and {n} other flow.", "From {flows}, and {n} other flows.", flows=flows
        )
    if unnamed > 0:
        return tr_count(
            unnamed,
            "From {flows}, and {n} other flow, and older executions.",
            "From {flows}, and {n} other flows, and older executions.",
            flows=flows,
        )
    if plan.whole:
        return tr("From {flows}.", flows=flows)
    return tr("From {flows}, and older executions.", flows=flows)


def _warning(plan: BulkRetryPlan) -> str:
    """Return the warning about interrupted steps; empty if there are none."""
    if not plan.unknown:
        return ""
    if plan.whole:
        stopped = tr_count(
            plan.unknown,
            "Of these, {n} execution stopped at an interrupted step that may already have finished its work.",
            "Of these, {n} executions stopped at an interrupted step that may already have finished its "
            "work.",
        )
    else:
        stopped = tr_count(
            plan.unknown,
            "Of these, at least {n} execution stopped at an interrupted step that may already have finished "
            "its work.",
            "Of these, at least {n} executions stopped at an interrupted step that may already have finished "
            "its work.",
        )
    advice = tr(
        "Retrying runs that step a second time. To decide one by one, cancel and open the executions with "
        "the note “Patchbay was stopped while …”."
    )
    return f"\n\n{stopped} {advice}"
