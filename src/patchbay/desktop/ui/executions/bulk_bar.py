"""Retrying all failures of a filter: the question before, the progress, and how it ended."""

from functools import partial

from PySide6.QtWidgets import QWidget

from patchbay.desktop.state.executions_bulk import BulkPlan, BulkRetryViewModel, summary
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.dialogs import Dialog, confirm
from patchbay.desktop.ui.kit.progress_bar import ProgressBar
from patchbay.desktop.ui.kit.text import count, plain_tip
from patchbay.domain.executions import BulkRetry, ExecutionFilter

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
