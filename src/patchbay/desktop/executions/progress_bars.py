"""How far a search in the data is, with a way to stop it and to go on."""

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from patchbay.desktop.core.services import Services
from patchbay.desktop.executions.view_models.execution_list import (
    ExecutionsExport,
    ExecutionsViewModel,
    Exported,
)
from patchbay.desktop.executions.view_models.history_copy import HistoryCopyViewModel
from patchbay.desktop.executions.view_models.run_actions import BulkPlan, BulkRetryViewModel, summary
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.dialogs import Dialog, confirm
from patchbay.desktop.kit.progress_bar import FileExportBar, ProgressBar
from patchbay.desktop.kit.text import count, plain_tip
from patchbay.domain.executions import BulkRetry, ExecutionFilter, HistoryCopyState


class SearchBar(ProgressBar):
    """A thin row under the toolbar while the data are searched, and after it until the search is cleared."""

    def __init__(self, screen: ExecutionsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._screen = screen
        self.cancel.setText("Stop")
        self.search_more = Button("Search further back", "link", small=True)
        self.clear = Button("Clear search", "link", small=True)
        self.row.addWidget(self.search_more)
        self.row.addWidget(self.clear)
        self.cancel.clicked.connect(screen.search.stop)
        self.search_more.clicked.connect(screen.search.go_on)
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
        self.tell(search.words(matching), search.share(matching))


# MERGED: The copy of a service's history: the offer to read it, the progress, and how it ended.


class HistoryBar(ProgressBar):
    """A thin row under the toolbar; only with services that cannot filter their history themselves."""

    def __init__(self, model: HistoryCopyViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.cancel.setText("Stop")
        self.read = Button("Read the history", "link", small=True)
        self.dismiss = Button("Not now", "link", small=True)
        self.row.addWidget(self.read)
        self.row.addWidget(self.dismiss)
        self.cancel.clicked.connect(model.stop)
        self.read.clicked.connect(model.read)
        self.dismiss.clicked.connect(model.dismiss)
        model.changed.connect(self._show)

    def _show(self) -> None:
        model = self.model
        if not model.wanted:
            self.hide()
            return
        self.cancel.setVisible(model.copy.state is HistoryCopyState.READING)
        self.read.setVisible(model.can_read)
        self.read.setText("Go on reading" if model.copy.done else "Read the history")
        self.dismiss.setVisible(model.can_read)
        self.tell(model.words(), model.share())


# MERGED: Exporting executions: where to, how far, and a way to stop it.


class ExportBar(FileExportBar):
    """A thin row under the toolbar while executions are exported."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        self.work = ExecutionsExport(services)
        super().__init__(self.work, services.notices, "execution", "executions", parent)

    def ask(self, source: Exported, extension: str) -> QFileDialog:
        return self.ask_where("Export executions", "executions", extension, partial(self.begin, source))

    def begin(self, source: Exported, path: Path, raw: bool = False) -> None:
        self.tell_beginning(path)
        self.work.start(source, path, raw)


# MERGED: Retrying all failures of a filter: the question before, the progress, and how it ended.

MAX_NAMED_FLOWS = 3


class BulkRetryBar(ProgressBar):
    """A row under the toolbar while failures are retried, and after it until the summary was read."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self.work = BulkRetryViewModel(services, self)
        self.dismiss = Button("Close", "link", small=True)
        self.row.addWidget(self.dismiss)
        self.question: Dialog | None = None
        self.cancel.clicked.connect(self.work.cancel)
        self.dismiss.clicked.connect(self.work.dismiss)
        self.work.planned.connect(self._confirm_retry)
        self.work.changed.connect(self._show)
        self.work.ended.connect(self._on_ended)

    def ask(self, where: ExecutionFilter) -> None:
        """Find out what would be retried, then ask."""
        if not self.work.running:
            self.work.plan(where)

    def _confirm_retry(self, plan: BulkPlan) -> None:
        if not plan.total:
            self._services.notices.post("No execution failed here any more.")
            return
        verb = "Retry it" if plan.total == 1 else f"Retry all {plan.total:,}"
        title, start = f"Retry {count(plan.total, 'failed execution')}?", partial(self.work.start, plan.where)
        self.question = confirm(self.window(), title, words(plan), verb, bool(plan.unknown), start)

    def _show(self) -> None:
        work, job = self.work, self.work.job
        self.cancel.setVisible(work.running and job is not None)
        self.dismiss.setVisible(not work.running)
        if work.error is not None:
            self.tell(work.error.text(), None)
        elif work.running and job is None:
            self.tell("Beginning to retry", 0.0)
        elif work.running and job is not None:
            self.show_job(job)
        elif job is not None and (job.refused or job.cancelled):
            self.tell(f"{summary(job)}{_reasons_text(job)}", None)
        else:
            self.hide()
        self.words.setToolTip(plain_tip("\n".join(job.reasons) if job else ""))

    def show_job(self, job: BulkRetry) -> None:
        """How far it is."""
        self.dismiss.hide()
        refused = f", {job.refused:,} refused." if job.refused else ""
        self.tell(f"Retried {job.done:,} of {job.total:,}{refused}{_reasons_text(job)}", progress(job))

    def _on_ended(self, job: BulkRetry) -> None:
        if not job.refused and not job.cancelled:
            self._services.notices.post(summary(job))


def progress(job: BulkRetry) -> float:
    return (job.done + job.refused) / job.total if job.total else 1.0


def _reasons_text(job: BulkRetry) -> str:
    return f" {' '.join(job.reasons)}" if job.reasons else ""


def words(plan: BulkPlan) -> str:
    """Which flows, and what a retry means."""
    names = [f"“{name}”" + (f" ({number:,})" if len(plan.flows) > 1 else "") for name, number in plan.flows]
    unnamed = len(names) - MAX_NAMED_FLOWS
    shown = ", ".join(names[:MAX_NAMED_FLOWS])
    if unnamed > 0:
        shown += f" and {count(unnamed, 'other flow')}"
    if not plan.whole:
        shown += ", and more further back"
    return (
        f"Of {shown}.\n\nEach goes on from the step that failed, with what the steps before it put out: "
        "those are not run again. The failed executions stay in the list." + _warning(plan)
    )


def _warning(plan: BulkPlan) -> str:
    """What to check before steps that were interrupted are run a second time."""
    if not plan.unknown:
        return ""
    at_least = "" if plan.whole else "at least "
    return (
        f"\n\nOf these, {at_least}{count(plan.unknown, 'execution')} ended at an interrupted step that may "
        "have done its work already. Retrying does it a second time. To decide one by one, cancel and open "
        "those that say “Patchbay was stopped while …”."
    )
