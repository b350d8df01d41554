"""Starts the window: the application object, signal handlers, crash reports, and the event loop."""

import contextlib
import logging
import signal
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSocketNotifier, QTimer, QtMsgType, Signal, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from patchbay import __version__
from patchbay.bootstrap.open_request import OpenRequest
from patchbay.bootstrap.window_controller import WindowController
from patchbay.bootstrap.window_texts import unreadable_settings_text
from patchbay.desktop.core.language import install_qt_translation
from patchbay.desktop.kit import accessibility, theme
from patchbay.desktop.kit.icons import icon
from patchbay.desktop.kit.theme import SchemeChoice
from patchbay.desktop.tasks import GarbageCollector
from patchbay.domain.errors import AppError
from patchbay.platform.app_identity import set_app_id
from patchbay.platform.crash_reports import CrashReports
from patchbay.platform.exit_watchdog import ExitWatchdog
from patchbay.platform.interrupts import interrupt_signals
from patchbay.platform.paths import AppPaths
from patchbay.platform.process_limits import share_memory_pool
from patchbay.platform.runtime_folder import WindowLock
from patchbay.platform.settings import SettingsFile

if TYPE_CHECKING:  # loading Qt's network module would delay the first frame
    from patchbay.bootstrap.single_instance import InstanceServer

log = logging.getLogger("qt")

LISTEN_AFTER_MS = 300
"""Delay before the window listens for further starts, which wait for it."""

THREAD_SWITCH_SECONDS = 0.0005
"""Python's thread switch interval. The window releases the interpreter at every file it opens; with the
default of 5 ms, it then waits long for the event loop thread, which imports modules at the same time."""


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


def run_window(paths: AppPaths, settings: SettingsFile, start: WindowStart) -> int:
    """Open the window with a workspace, the last used one, or the welcome page. Returns the exit code.

    The language was chosen before this module was imported (`use_language`).
    """
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    share_memory_pool()
    app = create_application(settings.value.appearance.scheme, settings.value.appearance.font)
    controller = WindowController(
        paths,
        settings,
        passphrase_file=start.passphrase_file,
        api_key=start.api_key,
        remembers_workspace=not start.is_further,
        safe=start.safe,
        in_background=start.request.background,
    )
    reports = CrashReports(paths.logs)
    reports.install()
    reports.set_listener(controller.report_crash)
    _quit_on_signals(app)
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


def ask_for_folder(error: AppError, paths: AppPaths) -> Path | None:
    """Show why the data folder can't be used. Returns the folder to use instead; None to quit."""
    from patchbay.desktop.shell.start_problem import StartErrorDialog

    app = create_application("system", "automatic")
    _quit_on_signals(app)
    return StartErrorDialog(error, paths.data).choose_folder()


CLOSING_SECONDS = 20.0
"""Time limit for the program to exit after the window was closed; closing the workspace can take 15 s."""


class Application(QApplication):
    """The application object. `ending` is emitted before the windows are closed because the system or a
    signal ends the program, and `activated` when the user activates it by its icon (macOS).
    """

    ending = Signal()
    activated = Signal()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Quit:
            self.ending.emit()
        elif event.type() is QEvent.Type.ApplicationActivate:
            self.activated.emit()
        return super().event(event)


def create_application(scheme: SchemeChoice, font: theme.FontChoice) -> Application:
    """Create the application object, with the chosen colours and font."""
    running = QApplication.instance()
    app = running if isinstance(running, Application) else Application(sys.argv[:1])
    app.setApplicationName("Patchbay")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("patchbay")
    set_app_id()
    install_qt_translation(app)
    accessibility.install()
    qInstallMessageHandler(_log_qt_message)
    theme.apply(app, scheme, font)
    if sys.platform == "win32":
        app.setWindowIcon(icon("workflow", "accent"))  # elsewhere, it is that of the desktop entry or bundle
    return app


def _log_qt_message(kind: QtMsgType, context: object, message: str) -> None:
    """Log Qt's messages, except a useless one that the offscreen plugin repeats."""
    if "propagateSizeHints" in message:
        return
    log.log(logging.DEBUG if kind == QtMsgType.QtDebugMsg else logging.WARNING, message)


def _quit_on_signals(app: QApplication) -> None:
    """Quit on Ctrl+C, Ctrl+Break, and SIGTERM."""
    for number in interrupt_signals():
        signal.signal(number, lambda *_: app.exit(130))
    signal.signal(signal.SIGTERM, lambda *_: app.quit())
    _SignalWakeUp(app)


class _SignalWakeUp(QObject):
    """Wakes the event loop up when a signal arrives: Python handles signals only while it runs."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._read, self._write = socket.socketpair()
        for end in (self._read, self._write):
            end.setblocking(False)
        signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_signal)

    def _on_signal(self) -> None:
        with contextlib.suppress(OSError):
            self._read.recv(64)
