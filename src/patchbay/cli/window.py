"""`patchbay` without a command opens the window; `patchbay tour` saves screenshots of it."""

import argparse
import gc
import os
import sys

from patchbay.cli import output
from patchbay.domain.errors import AppError, NotSupported, ValidationFailed
from patchbay.platform.paths import AppPaths

os.environ.setdefault("PYSIDE6_OPTION_LAZY", "0")
"""Set before PySide is loaded, which would otherwise create each type at its first use. That isn't
thread-safe, and the window uses types while other threads import modules that use more of them."""


def open_window(options: argparse.Namespace, paths: AppPaths) -> int:
    """Open the window. Returns its exit code."""
    gc.disable()  # what start-up loads never becomes garbage; the window collects with its own timer
    if _no_display():
        raise NotSupported(
            "The window can't be opened: there is no display.",
            todo="Run “patchbay serve” for the server without a window, or “patchbay tour DIR” for "
            "screenshots.",
        )
    paths.prepare()
    from patchbay.bootstrap.window import run_window

    return run_window(
        paths,
        options.workspace,
        passphrase_file=options.passphrase_file,
        api_key=output.key_from_stdin(options),
        safe=options.safe,
        background=options.background,
    )


def ask_for_folder(error: AppError, paths: AppPaths) -> AppPaths | None:
    """Show the error in a dialog where the user can choose another folder; None ends the program."""
    if _no_display():
        return None
    from patchbay.bootstrap.window import ask_for_folder as ask

    chosen = ask(error, paths)
    if chosen is None:
        return None
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
    from patchbay.tour.command import save_pictures

    size = (int(width), int(height))
    return save_pictures(paths, options.out_dir, options.scheme, size, report=output.print_message)


def _no_display() -> bool:
    """Whether this is Linux without X11 or Wayland and without a Qt platform set."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return sys.platform.startswith("linux") and not any(os.environ.get(name) for name in names)
