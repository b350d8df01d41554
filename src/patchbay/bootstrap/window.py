"""Start the window."""

import logging
import signal
import sys
from pathlib import Path

from PySide6.QtCore import QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from patchbay import __version__
from patchbay.bootstrap.window_controller import WindowController
from patchbay.desktop.kit import accessibility, theme
from patchbay.desktop.kit.theme import SchemeChoice
from patchbay.desktop.tasks import Collector
from patchbay.domain.errors import AppError
from patchbay.platform.crash_reports import CrashReports
from patchbay.platform.exit_watchdog import ExitWatchdog
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile

log = logging.getLogger("qt")

THREAD_SWITCH_SECONDS = 0.0005
"""How long a thread keeps the interpreter while another waits. At Python's 5 ms the window, which lets it go
at every file it opens, crawls behind a loop thread that loads its own modules."""


def run_window(
    paths: AppPaths,
    workspace: str | None,
    *,
    passphrase_file: str | None = None,
    api_key: str | None = None,
    safe: bool = False,
) -> int:
    """Open the window on a workspace, the one used last, or the welcome page; returns the exit code.

    `safe`: the workspace of this computer opens with all runs paused.
    """
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    settings = SettingsFile(paths.settings)
    app = create_application(settings.value.appearance.scheme, settings.value.appearance.font)
    controller = WindowController(
        paths, settings, passphrase_file=passphrase_file, api_key=api_key, safe=safe
    )
    _install_crash_reports(paths, controller)
    _quit_on_signals(app)
    collector = Collector(app)
    collector.start()
    controller.window.show()
    if wanted := workspace or settings.value.workspace:
        controller.open(wanted)
    if settings.problem and controller.services is not None:
        controller.services.notices.post(settings.problem)
    code = app.exec()
    ExitWatchdog(CLOSING_SECONDS).arm()
    controller.close()
    collector.stop()
    return code


def ask_for_folder(error: AppError, paths: AppPaths) -> Path | None:
    """Say in a window why the data folder can't be used; returns the one to start with, None to end."""
    from patchbay.desktop.shell.start_problem import StartErrorDialog

    app = create_application("system", "automatic")
    _quit_on_signals(app)
    return StartErrorDialog(error, paths.data).choose_folder()


CLOSING_SECONDS = 20.0
"""How long after the window was closed the program is gone; closing the workspace may take 15 of them."""


def create_application(scheme: SchemeChoice, font: theme.FontChoice) -> QApplication:
    """The application object, in the chosen colours and font."""
    running = QApplication.instance()
    app = running if isinstance(running, QApplication) else QApplication(sys.argv[:1])
    app.setApplicationName("Patchbay")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("patchbay")
    accessibility.install()
    qInstallMessageHandler(_log_qt_message)
    theme.apply(app, scheme, font)
    return app


def _log_qt_message(kind: QtMsgType, context: object, message: str) -> None:
    """Qt's own messages go to the log; the offscreen plugin's chatter is of no use to anybody."""
    if "propagateSizeHints" in message:
        return
    log.log(logging.DEBUG if kind == QtMsgType.QtDebugMsg else logging.WARNING, message)


def _install_crash_reports(paths: AppPaths, controller: WindowController) -> None:
    reports = CrashReports(paths.logs)
    reports.install()
    reports.set_listener(controller.report_crash)


def _quit_on_signals(app: QApplication) -> None:
    """Let Ctrl+C in a terminal end the program: Python handles signals only when it gets a turn."""
    signal.signal(signal.SIGINT, lambda *_: app.exit(130))
    signal.signal(signal.SIGTERM, lambda *_: app.quit())
    turn = QTimer(app)
    turn.start(250)
    turn.timeout.connect(lambda: None)
