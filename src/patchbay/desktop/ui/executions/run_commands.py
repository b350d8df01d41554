"""Retry, run again and cancel as a person meets them: with the questions that come before."""

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QWidget

from patchbay.desktop.state.executions_control import RunControl
from patchbay.desktop.state.executions_replay import ReplayForm
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.executions.replay_dialog import ReplayDialog
from patchbay.desktop.ui.kit.actions import Action
from patchbay.desktop.ui.kit.dialogs import Dialog, confirm
from patchbay.domain.executions import Execution, ExecutionState


class ExecutionCommands:
    """Asks where something cannot be taken back, then has it done. `question` is the last one asked."""

    def __init__(self, owner: QWidget, control: RunControl, services: Services) -> None:
        self._owner, self._control, self._services = owner, control, services
        self.question: Dialog | None = None

    def retry(self, run: Execution) -> None:
        """Go on from the failed step; says why where that cannot be."""
        self._run_or_notify(self._control.retry_missing(run), partial(self._control.retry, run))

    def run_again(self, run: Execution) -> None:
        """Ask for the data and the steps to run with."""
        self._run_or_notify(self._control.missing, partial(self._open_replay_dialog, run))

    def cancel(self, run: Execution) -> None:
        """Cancel at once what only waits; ask before a step is cut off."""
        stop = partial(self._control.cancel, run)
        if run.state is ExecutionState.RUNNING:
            stop = partial(self._confirm_cancel, run)
        self._run_or_notify(self._control.cancel_missing(run), stop)

    def resume(self, run: Execution) -> None:
        """End its wait; says why where that cannot be."""
        self._run_or_notify(self._control.resume_missing(run), partial(self._control.resume, run))

    def actions(self, run: Execution) -> tuple[Action, ...]:
        """The same for the command palette."""
        control, flow_name = self._control, run.flow.name
        return (
            Action("run.retry", "Retry from failed step", partial(self.retry, run), "rotate-ccw", "Ctrl+R",
                   hint=flow_name, group="This execution", reason=partial(control.retry_missing, run)),
            Action("run.again", "Run again…", partial(self.run_again, run), "play", "Ctrl+Shift+R",
                   hint=flow_name, group="This execution", reason=lambda: control.missing),
            Action("run.resume", "Try now instead of waiting", partial(self.resume, run), "play",
                   hint=flow_name, group="This execution", reason=partial(control.resume_missing, run)),
            Action("run.cancel", "Cancel", partial(self.cancel, run), "circle-minus",
                   hint=flow_name, group="This execution", reason=partial(control.cancel_missing, run)),
        )  # fmt: skip

    def _open_replay_dialog(self, run: Execution) -> None:
        form = ReplayForm(self._services, self._control, run)
        self.question = ReplayDialog(self._owner.window(), form, self._services.clock())
        self.question.open()

    def _confirm_cancel(self, run: Execution) -> None:
        self.question = confirm(
            self._owner.window(), f"Cancel “{run.flow.name}”?",
            "A step is being carried out now. It is cut off: whether the third party has done it is unknown. "
            "The steps before it are not undone, and none comes after it.",
            "Cancel the execution", True, partial(self._control.cancel, run), cancel="Let it run",
        )  # fmt: skip

    def _run_or_notify(self, missing: str | None, action: Callable[[], object]) -> None:
        if missing is not None:
            self._services.notices.post(missing)
        else:
            action()
