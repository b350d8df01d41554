"""The frame of the window: header, tabs, status bar, palette, settings, welcome, tour."""

from patchbay.desktop.ui.shell.main_window import MainWindow
from patchbay.desktop.ui.shell.options import Appearance, ShellOptions

__all__ = ["Appearance", "MainWindow", "ShellOptions"]
