"""The application object of Qt: its look, its signals, and what it logs."""

import contextlib
import logging
import signal
import socket
import sys
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QSocketNotifier, QtMsgType, Signal, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from patchbay import __version__
from patchbay.desktop.core.language import install_qt_translation
from patchbay.desktop.kit import accessibility, theme
from patchbay.desktop.kit.icons import icon
from patchbay.desktop.kit.theme import SchemeChoice
from patchbay.platform.app_identity import set_app_id
from patchbay.platform.interrupts import interrupt_signals

log = logging.getLogger("qt")


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


def quit_on_signals(app: QApplication, interrupt: Callable[[], None], terminate: Callable[[], None]) -> None:
    """Call `interrupt` on Ctrl+C and Ctrl+Break, and `terminate` on SIGTERM."""
    for number in interrupt_signals():
        signal.signal(number, lambda *_: interrupt())
    signal.signal(signal.SIGTERM, lambda *_: terminate())
    if app.findChild(_SignalWakeUp) is None:
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
