"""`patchbay` without a command opens the window; `patchbay tour` saves screenshots of it."""

import argparse
import builtins
import gc
import importlib
import logging
import os
import sys
from typing import TYPE_CHECKING

from patchbay.cli import output
from patchbay.domain.errors import AppError, NotSupported, StorageFault, ValidationFailed
from patchbay.platform.paths import AppPaths

if TYPE_CHECKING:
    from patchbay.bootstrap.application import Application
    from patchbay.bootstrap.open_request import OpenRequest
    from patchbay.bootstrap.window_frame import WindowFrame
    from patchbay.platform.runtime_folder import WindowLock
    from patchbay.platform.start_settings import StartSettings


def open_window(options: argparse.Namespace, paths: AppPaths) -> int:
    """Open the window. Returns its exit code."""
    if options.database is not None:
        raise NotSupported(
            "The window works only with the database in its data folder.",
            todo="Run “patchbay serve --database URL”, and connect the window to that server.",
        )
    gc.disable()  # what start-up loads never becomes garbage; the window collects with its own timer
    if _no_display():
        raise NotSupported(
            "The window can't be opened: there is no display.",
            todo="Run “patchbay serve” for the server without a window, or “patchbay tour DIR” for "
            "screenshots.",
        )
    paths.prepare()
    import_qt()
    from patchbay.desktop.core.language import use_language
    from patchbay.platform.start_settings import read_start_settings

    chosen = read_start_settings(paths.settings)
    use_language(chosen.language, chosen.formats)
    request = _StartRequest(options)
    api_key = output.key_from_stdin(options)  # before the window is shown, which couldn't respond meanwhile
    lock = None if options.new_window else _window_lock(paths)
    if lock is not None and _is_handed_over(lock, request, safe=options.safe):
        return 0
    from patchbay.bootstrap.window_frame import start_application

    app = start_application(chosen)
    frame = _show_frame(app, options, paths, chosen)
    if isinstance(frame, int):
        return frame
    from patchbay.bootstrap.window import WindowStart, run_window
    from patchbay.platform.settings import SettingsFile

    start = WindowStart(
        request.to_open_request(),
        lock if lock is not None and lock.is_locked else None,
        passphrase_file=options.passphrase_file,
        api_key=api_key,
        is_further=options.new_window or (lock is not None and not lock.is_locked),
        safe=options.safe,
    )
    return run_window(app, paths, SettingsFile(paths.settings), start, frame)


def _show_frame(
    app: "Application", options: argparse.Namespace, paths: AppPaths, chosen: "StartSettings"
) -> "WindowFrame | int | None":
    """Show the frame while the rest is loaded: None if it isn't shown, the exit code if it was closed."""
    workspace = options.workspace or chosen.workspace
    if options.background or not workspace:
        return None
    from patchbay.bootstrap.window_frame import WindowFrame
    from patchbay.desktop.core.frame_options import FrameOptions
    from patchbay.platform.window_state import WindowState

    frame = WindowFrame(app, FrameOptions(workspace, chosen.servers, WindowState(paths.window_state)))
    code = frame.show_and_load()
    return frame if code is None else code


def import_qt() -> None:
    """Import Qt, and leave Python's `import` as it was.

    PySide replaces it for the sake of modules that import `__feature__`, which ours don't. It would read the
    source of each module that is imported from then on, and keep it in memory.
    """
    python_import = builtins.__import__
    importlib.import_module("PySide6.QtWidgets")
    builtins.__import__ = python_import


class _StartRequest:
    """What the window is to open. A file is shown, and nothing in it imported, until the user clicks.

    Raises `ValidationFailed` for a link that isn't known.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        from patchbay.desktop.core.links import is_link, place_of_link
        from patchbay.platform.activation_tokens import take_tokens

        target = options.open
        self._link = target if target is not None and is_link(target) else None
        if self._link is not None and place_of_link(self._link) is None:
            raise ValidationFailed(
                {"open": ["unknown link"]},
                happened=f"“{self._link[:100]}” isn't a link that Patchbay can open.",
                todo="See the links in the documentation of the command line.",
            )
        self._file = os.path.abspath(target) if target is not None and self._link is None else None
        self._workspace, self._background, self._tokens = options.workspace, options.background, take_tokens()

    def to_open_request(self) -> "OpenRequest":
        """The request as the open window gets it. Its module is imported now, after the frame is shown."""
        from patchbay.bootstrap.open_request import OpenRequest

        return OpenRequest(
            workspace=self._workspace,
            background=self._background,
            file=self._file,
            link=self._link,
            **self._tokens,
        )


def _window_lock(paths: AppPaths) -> "WindowLock | None":
    """The lock of the data folder's window; None if it can't be used, so that each start opens a window."""
    from patchbay.platform.runtime_folder import WindowLock

    try:
        return WindowLock(paths)
    except StorageFault as error:
        logging.getLogger("window").warning("%s", error.text())
        return None


def _is_handed_over(lock: "WindowLock", request: _StartRequest, *, safe: bool) -> bool:
    """Whether an open window does what this start was to do. Otherwise, this start opens a window."""
    if lock.acquire():
        return False
    from patchbay.bootstrap.open_request import Response
    from patchbay.bootstrap.single_instance import hand_over

    response = hand_over(lock, request.to_open_request())
    if response is Response.REJECTED:
        output.print_message(
            "The open Patchbay window has another version. Quit it, then start Patchbay again."
        )
    if response is Response.SHOWN and safe:
        output.print_message("Patchbay is already running, so --safe has no effect. Quit it first (Ctrl+Q).")
    return response in (Response.SHOWN, Response.REJECTED)


def ask_for_folder(error: AppError, paths: AppPaths) -> AppPaths | int:
    """Show the error in a dialog where the user can choose another folder. Returns it, or the exit code."""
    if _no_display():
        return 1
    from patchbay.desktop.core.language import use_language

    use_language()  # the settings are in the folder that can't be used
    from patchbay.bootstrap.window import ask_for_folder as ask

    chosen = ask(error, paths)
    if isinstance(chosen, int):
        return chosen
    return paths if chosen == paths.data else AppPaths.choose(chosen)


def save_tour(options: argparse.Namespace, paths: AppPaths) -> int:
    """Save screenshots of every screen to a folder."""
    gc.disable()
    width, _, height = options.size.partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) >= 640 and int(height) >= 400):
        raise ValidationFailed(
            {"size": ["use 1280x800"]},
            happened=f"“{options.size}” isn't a size.",
            todo="Use WIDTHxHEIGHT, at least 640x400.",
        )
    if "QT_QPA_PLATFORM" not in os.environ and _no_display():
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    if options.scale != 1.0:
        os.environ["QT_SCALE_FACTOR"] = str(options.scale)
    os.environ.setdefault("PYSIDE6_OPTION_LAZY", "0")  # all screens use nearly all types, in several threads
    from patchbay.desktop.core.language import use_language

    use_language(options.language, "language")
    from patchbay.tour.command import save_pictures

    size = (int(width), int(height))
    return save_pictures(paths, options.out_dir, options.scheme, size, report=output.print_message)


def _no_display() -> bool:
    """Whether this is Linux without X11 or Wayland and without a Qt platform set."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return sys.platform.startswith("linux") and not any(os.environ.get(name) for name in names)
