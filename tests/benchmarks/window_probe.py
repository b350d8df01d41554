"""Runs the window of any version of Patchbay and reports when it paints, without knowing its code.

`python window_probe.py STARTED ARGUMENT…` runs `patchbay ARGUMENT…`; STARTED is the time (seconds since the
epoch) at which this process was started. When the list of flows is first painted with rows in it, prints the
milliseconds to the first paint and to the rows, and the CPU time up to then. The window stays open.
"""

import importlib.util
import json
import runpy
import sys
import time
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MODULE = "PySide6.QtWidgets"


class WidgetsImport(MetaPathFinder):
    """Calls a function with the module of Qt's widgets as soon as the program has imported it."""

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname != MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        assert spec is not None
        assert spec.loader is not None
        execute = spec.loader.exec_module

        def execute_and_watch(module: ModuleType) -> None:
            execute(module)
            watch_paints(module)

        spec.loader.exec_module = execute_and_watch  # type: ignore[method-assign]  # of this one loader
        return spec


def watch_paints(widgets: Any) -> None:
    """Replace the class of the application by one that watches every paint."""
    from PySide6.QtCore import QEvent, QObject, QTimer

    class Watch(QObject):
        """Sees the first paint of any widget, and the first of the list of flows with rows in it."""

        def __init__(self) -> None:
            super().__init__()
            self.seen: dict[str, float | None] = {}

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint and watched.isWidgetType():
                if "first_paint_ms" not in self.seen:
                    self._note_after_paint("first_paint_ms")
                view = watched.parent()
                if "rows_ms" not in self.seen and isinstance(view, widgets.QListView) and _has_rows(view):
                    self._note_after_paint("rows_ms")
            return False

        def _note_after_paint(self, name: str) -> None:
            self.seen[name] = None
            QTimer.singleShot(0, self, lambda: self._note(name))

        def _note(self, name: str) -> None:
            self.seen[name] = (time.time() - STARTED) * 1000
            if name == "rows_ms":
                widgets.QApplication.instance().removeEventFilter(self)
                print(json.dumps({**self.seen, "cpu_ms": time.process_time() * 1000}), flush=True)

    class WatchedApplication(widgets.QApplication):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            self._paints = Watch()
            self.installEventFilter(self._paints)

    widgets.QApplication = WatchedApplication


def _has_rows(view: Any) -> bool:
    return bool(view.accessibleName() == "Flows" and view.model().rowCount())


if __name__ == "__main__":
    STARTED = float(sys.argv[1])
    sys.path.pop(0)  # the folder of this file, whose modules the program must not find
    sys.argv[1:2] = []
    sys.meta_path.insert(0, WidgetsImport())
    runpy.run_module("patchbay", run_name="__main__", alter_sys=True)
