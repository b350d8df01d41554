"""The window with its frame, which is shown while the rest of the program is loaded."""

import asyncio
import importlib
import sys
from functools import partial

from PySide6.QtCore import QEventLoop, QObject, QTimer

from patchbay.bootstrap.application import Application, create_application, quit_on_signals
from patchbay.desktop.core.frame_options import FrameOptions
from patchbay.desktop.shell.main_window import MainWindow
from patchbay.desktop.tasks import LoopThread, Tasks
from patchbay.platform.process_limits import share_memory_pool
from patchbay.platform.start_settings import StartSettings

THREAD_SWITCH_SECONDS = 0.0005
"""Python's thread switch interval. The window releases the interpreter at every file it opens; with the
default of 5 ms, it then waits long for the event loop thread, which imports modules at the same time."""

WITHOUT_QT = (
    "patchbay.domain.backend",
    "patchbay.domain.backups",
    "patchbay.domain.forwarding_backend",
    "patchbay.domain.notification_settings",
    "patchbay.domain.remote_options",
    "patchbay.platform.settings",
    "patchbay.platform.stored_files",
    "patchbay.platform.system_keyring",
)
"""The modules that are imported in a thread while the frame is shown. None of them uses Qt, whose types only
the window's thread may create."""

WITH_QT = (
    "patchbay.desktop.kit.popups",
    "patchbay.desktop.core.flow_alerts",
    "patchbay.desktop.shell.status_bar",
    "patchbay.desktop.shell.work_area",
    "patchbay.desktop.shell.commands",
    "patchbay.desktop.shell.background",
    "patchbay.desktop.shell.welcome",
    "patchbay.bootstrap.window_controller",
    "patchbay.bootstrap.window",
)
"""The modules that are imported on the window's thread while the frame is shown, one by one, so that it
responds in between."""

LONGEST_WAIT_MS = 300
"""Max. delay before the modules are imported: the window is never painted if it isn't visible, such as on
another desktop."""

_LOADED = -1


def start_application(settings: StartSettings) -> Application:
    """Create the application object of a window, and set up the process for it."""
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    share_memory_pool()
    return create_application(settings.scheme, settings.font)


class WindowFrame(QObject):
    """The window, whose frame is shown at once, and its event loop thread."""

    def __init__(self, app: Application, options: FrameOptions) -> None:
        super().__init__()
        self.loop = LoopThread()
        self.loop.start()
        self.tasks = Tasks(self.loop)
        self.window = MainWindow(options)
        self._waiting = QEventLoop()
        self._is_loading = False
        self._remaining = list(WITH_QT)
        self._slices = QTimer(self, interval=0)
        self._slices.timeout.connect(self._load_next)
        quit_on_signals(app, partial(self._waiting.exit, 130), partial(self._waiting.exit, 0))

    def show_and_load(self) -> int | None:
        """Show the window and load the rest of the program. Returns the exit code if it was closed."""
        close = partial(self._waiting.exit, 0)
        self.window.closed.connect(close)
        if self.window.start_page is not None:
            self.window.start_page.painted.connect(self._load)
        QTimer.singleShot(LONGEST_WAIT_MS, self, self._load)
        self.window.show()
        code = self._waiting.exec()
        if code == _LOADED:
            self.window.closed.disconnect(close)
            return None
        self._slices.stop()
        self.window.close()
        self.loop.stop()
        return code

    def _load(self) -> None:
        if not self._is_loading:
            self._is_loading = True
            task = self.tasks.run(self, asyncio.to_thread(_import_without_qt))
            task.ended.connect(self._slices.start)

    def _load_next(self) -> None:
        if self._remaining:
            importlib.import_module(self._remaining.pop(0))
        else:
            self._slices.stop()
            self._waiting.exit(_LOADED)


def _import_without_qt() -> None:
    for name in WITHOUT_QT:
        importlib.import_module(name)
