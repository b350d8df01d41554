"""What opening another workspace does: switch, or ask first if flows of this computer would stop."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from patchbay.desktop.shell.header import LOCAL, choice
from patchbay.desktop.shell.runs_dialogs import SwitchDialog
from patchbay.desktop.shell.view_models.local_runs import LocalRuns, find_local_runs
from patchbay.desktop.tasks import Task
from patchbay.domain.backend import Backend
from patchbay.domain.errors import AppError

if TYPE_CHECKING:
    from patchbay.desktop.shell.main_window import MainWindow


SEARCH_SECONDS = 5.0
"""How long the open workspace may take to say what it runs."""


class WorkspaceSwitch(QObject):
    """Opens another workspace in the window, unless the user wants flows of this computer to keep running."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self._search: Task | None = None
        self._stay: Callable[[], object] | None = None
        """Ends the request whose search is running."""
        self.dialog: SwitchDialog | None = None

    def request(self, workspace: str) -> None:
        """Emit the window's `workspace_requested`, after a question if flows would stop."""
        self.confirm(workspace, partial(self._window.workspace_requested.emit, workspace))

    def confirm(
        self, workspace: str, switch: Callable[[], object], stay: Callable[[], object] = lambda: None
    ) -> None:
        """Call `switch` if the workspace may replace the open one, or `stay`.

        A request before it is known what runs takes the place of the one before, which stays.
        """
        if self._search is not None and self._stay is not None:
            self._search.cancel()
            self._stay()
        window, area = self._window, self._window.area
        if (
            area is None
            or window.options.workspace != LOCAL
            or workspace == LOCAL
            or area.services.engine_owner.is_missing
        ):
            switch()
            return

        def found(runs: LocalRuns | None) -> None:
            if runs is None or runs.published:
                self._ask(workspace, runs, switch, stay)
            else:
                switch()

        def failed(_: AppError) -> None:
            switch()  # the workspace can't be reached, so nothing runs that would stop

        search = area.services.tasks.run(
            self, _find_in_time(area.services.backend), done=found, failed=failed
        )
        search.ended.connect(partial(self._on_search_ended, search))
        self._search, self._stay = search, stay

    def _ask(
        self,
        workspace: str,
        runs: LocalRuns | None,
        switch: Callable[[], object],
        stay: Callable[[], object],
    ) -> None:
        dialog = SwitchDialog(self._window, runs, choice(workspace).name)
        dialog.new_window_chosen.connect(partial(self._window.new_window_requested.emit, workspace))
        dialog.new_window_chosen.connect(stay)
        dialog.switch_chosen.connect(switch)
        dialog.rejected.connect(stay)
        dialog.finished.connect(self._on_dialog_closed)
        self.dialog = dialog
        dialog.open()

    def _on_search_ended(self, search: Task) -> None:
        if search is self._search:  # not one whose place another took
            self._search = self._stay = None

    def _on_dialog_closed(self) -> None:
        self.dialog = None


async def _find_in_time(backend: Backend) -> LocalRuns | None:
    """What the open workspace runs; None if it doesn't say so in time."""
    try:
        async with asyncio.timeout(SEARCH_SECONDS):
            return await find_local_runs(backend)
    except TimeoutError:
        return None
