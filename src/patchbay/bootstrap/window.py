"""Runs the window: its controller, crash reports, and the event loop."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from patchbay.bootstrap.application import Application, create_application, quit_on_signals
from patchbay.bootstrap.open_request import OpenRequest
from patchbay.bootstrap.window_controller import WindowController
from patchbay.bootstrap.window_frame import WindowFrame
from patchbay.bootstrap.window_texts import unreadable_settings_text
from patchbay.desktop.kit import theme
from patchbay.desktop.tasks import GarbageCollector
from patchbay.domain.errors import AppError
from patchbay.platform.crash_reports import CrashReports
from patchbay.platform.exit_watchdog import ExitWatchdog
from patchbay.platform.paths import AppPaths
from patchbay.platform.runtime_folder import WindowLock
from patchbay.platform.settings import SettingsFile

if TYPE_CHECKING:  # loading Qt's network module would delay the first paint
    from patchbay.bootstrap.single_instance import InstanceServer

LISTEN_AFTER_MS = 300
"""Delay before the window listens for further starts, which wait for it."""


@dataclass(frozen=True)
class WindowStart:
    """What to open, and how. `request.background` opens the workspace of this computer without the window."""

    request: OpenRequest
    lock: WindowLock | None
    """Held if further starts are to find this window."""
    passphrase_file: str | None = None
    api_key: str | None = None
    is_further: bool = False
    """Another window of the data folder is open, so this one doesn't change what the next start opens."""
    safe: bool = False
    """Open the workspace of this computer with all runs paused."""


def run_window(
    app: Application,
    paths: AppPaths,
    settings: SettingsFile,
    start: WindowStart,
    frame: WindowFrame | None = None,
) -> int:
    """Open the window with a workspace, the last used one, or the welcome page. Returns the exit code.

    `frame` is the window that is already shown. The language was chosen before this module was imported
    (`use_language`).
    """
    appearance = settings.value.appearance
    if (theme.theme().choice, theme.theme().font_choice) != (appearance.scheme, appearance.font):
        theme.apply(app, appearance.scheme, appearance.font)  # the defaults, for a file with a mistake
    controller = WindowController(
        paths,
        settings,
        passphrase_file=start.passphrase_file,
        api_key=start.api_key,
        remembers_workspace=not start.is_further,
        safe=start.safe,
        in_background=start.request.background,
        frame=frame,
    )
    reports = CrashReports(paths.logs)
    reports.install()
    reports.set_listener(controller.report_crash)
    quit_on_signals(app, partial(app.exit, 130), app.quit)
    app.setQuitOnLastWindowClosed(False)  # the window may be hidden in the background
    app.ending.connect(controller.window.background.prepare_to_quit)
    app.commitDataRequest.connect(controller.window.background.prepare_to_quit)
    app.activated.connect(controller.show_from_background)
    controller.window.closed.connect(lambda: app.exit(0))
    collector = GarbageCollector(app)
    collector.start()
    controller.start(start.request)
    further_starts = FurtherStarts(controller, start.lock)
    if settings.unreadable is not None and controller.services is not None:
        controller.services.notices.post(unreadable_settings_text(settings.unreadable))
    code = app.exec()
    further_starts.close()
    ExitWatchdog(CLOSING_SECONDS).arm()
    controller.close()
    collector.stop()
    return code


class FurtherStarts:
    """Shows the window when the program is started again. It listens once the window was painted."""

    def __init__(self, controller: WindowController, lock: WindowLock | None) -> None:
        self._controller, self._lock = controller, lock
        self._server: InstanceServer | None = None
        if lock is not None:
            QTimer.singleShot(LISTEN_AFTER_MS, controller, self._listen)

    def close(self) -> None:
        """Stop listening, so that the next start opens a window of its own."""
        if self._server is not None:
            self._server.close()
        if self._lock is not None:
            self._lock.release()

    def _listen(self) -> None:
        from patchbay.bootstrap.single_instance import InstanceServer

        assert self._lock is not None
        self._server = InstanceServer(self._lock, self._controller.receive, self._controller)


def ask_for_folder(error: AppError, paths: AppPaths) -> Path | int:
    """Show why the data folder can't be used. Returns the folder to use instead, or the exit code.

    A signal ends the dialog at once: `Application.quit` would only work while the application runs.
    """
    from patchbay.desktop.shell.start_problem import StartErrorDialog

    app = create_application("system", "automatic")
    codes: list[int] = []

    def end(code: int) -> None:
        codes.append(code)
        app.exit(code)

    quit_on_signals(app, partial(end, 130), partial(end, 0))
    folder = StartErrorDialog(error, paths.data).choose_folder()
    if codes:
        return codes[0]
    return 1 if folder is None else folder


CLOSING_SECONDS = 20.0
"""Time limit for the program to exit after the window was closed; closing the workspace can take 15 s."""
