"""The questions when flows of this computer would stop: at closing the window, and at another workspace."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.text import Label
from patchbay.desktop.settings.window_options import OnClose
from patchbay.desktop.shell.view_models.local_runs import LocalRuns

IN_TRAY = tr("Patchbay stays in the system tray. Click its icon there to open the window again.")
WITHOUT_TRAY = tr("This desktop has no system tray. To get the window back, start Patchbay again.")
AFTER_QUITTING = tr(
    "If you quit, no flow starts until you open Patchbay again. Running steps get 10 seconds to "
    "finish, and unfinished executions continue at the next start."
)
AFTER_SWITCHING = tr(
    "If you switch, no flow starts until you open “This computer” again. Running steps get 10 seconds "
    "to finish, and unfinished executions continue then."
)
UNKNOWN = tr("This window doesn't respond, so it isn't known which flows it runs.")


class RunsDialog(Dialog):
    """Says what runs and what would become of it, and has a second choice beside the suggested one."""

    def __init__(
        self, parent: QWidget, title: str, width: int, unfinished: int, texts: tuple[str, ...]
    ) -> None:
        """`texts` is what to say; the number of unfinished executions is added to the first."""
        super().__init__(parent, title, width)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if unfinished:
            still = tr_count(
                unfinished, "{n} execution hasn't finished yet.", "{n} executions haven't finished yet."
            )
            texts = (f"{texts[0]} {still}", *texts[1:])
        for text in texts:
            self.body.addWidget(Label(text, "body", "text_secondary", wrap=True))
        self.setAccessibleDescription(" ".join(texts))

    def _add_choices(
        self, suggested: str, choose: Callable[[], object], other: str, choose_other: Callable[[], object]
    ) -> tuple[Button, Button, Button]:
        """Add the buttons; returns (suggested, other, cancel)."""
        first, cancel = self.add_buttons(suggested, choose)
        second = Button(other, large=True)
        second.clicked.connect(lambda: choose_other())
        self.footer.insertWidget(self.footer.indexOf(cancel) + 1, second)
        return first, second, cancel


class CloseDialog(RunsDialog):
    """Asks what closing the window does, now and from now on. `decided` carries the choice."""

    decided = Signal(str)

    def __init__(self, parent: QWidget, runs: LocalRuns, *, has_tray: bool) -> None:
        texts = (
            tr_count(
                runs.published,
                "{n} published flow runs only while Patchbay does.",
                "{n} published flows run only while Patchbay does.",
            ),
            IN_TRAY if has_tray else WITHOUT_TRAY,
            AFTER_QUITTING,
        )
        super().__init__(parent, tr("Keep flows running in the background?"), 460, runs.unfinished, texts)
        # Forms of flows stay on top of all windows: the question mustn't wait below one.
        self.setWindowFlag(Qt.WindowType.WindowStaysOnTopHint)
        note = tr("You won't be asked again. You can change this in Settings → General.")
        self.body.addWidget(Label(note, "caption", "text_tertiary", wrap=True))
        self.keep, self.leave, _ = self._add_choices(
            tr("Keep running"), lambda: self._decide("background"), tr("Quit"), lambda: self._decide("quit")
        )

    def _decide(self, chosen: OnClose) -> None:
        self.accept()
        self.decided.emit(chosen)


class SwitchDialog(RunsDialog):
    """Asks where another workspace opens: in a new window, or in this one, whose flows stop then."""

    new_window_chosen = Signal()
    switch_chosen = Signal()

    def __init__(self, parent: QWidget, runs: LocalRuns | None, name: str) -> None:
        """`runs` is None if the window doesn't say what it runs."""
        runs_text = UNKNOWN
        if runs:
            runs_text = tr_count(
                runs.published,
                "This window runs {n} published flow.",
                "This window runs {n} published flows.",
            )
        beside = tr("In a new window, “{name}” opens beside this one, and flows keep running.", name=name)
        texts = (runs_text, AFTER_SWITCHING, beside)
        title = tr("Flows on this computer stop while another workspace is open")
        super().__init__(parent, title, 540, runs.unfinished if runs else 0, texts)
        self.new_window, self.switch, self.cancel = self._add_choices(
            tr("Open in a new window"), self._open_new_window, tr("Switch and stop flows"), self._switch
        )

    def _open_new_window(self) -> None:
        self.new_window_chosen.emit()
        self.accept()

    def _switch(self) -> None:
        self.switch_chosen.emit()
        self.accept()
