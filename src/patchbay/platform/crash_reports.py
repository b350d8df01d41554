"""Crash reports: unhandled exceptions are logged and written to a file, once per distinct traceback."""

import faulthandler
import hashlib
import logging
import platform
import sys
import threading
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO

from patchbay import __version__
from patchbay.platform.logs import mask

log = logging.getLogger("crash")

Hook = tuple[type[BaseException], BaseException, TracebackType | None]


class CrashReports:
    """Reports unhandled exceptions of all threads, once per distinct traceback."""

    def __init__(self, folder: Path, on_report: Callable[[Path], None] | None = None) -> None:
        self._folder = folder
        self._on_report = on_report
        self._seen: set[str] = set()
        self._native_log: IO[str] | None = None

    def install(self) -> None:
        """Install the exception hooks. Native crashes are logged to a separate file."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._native_log = (self._folder / "native-crash.log").open("a", encoding="utf-8")
        faulthandler.enable(self._native_log)
        sys.excepthook = self._on_uncaught
        threading.excepthook = lambda args: self._on_uncaught(
            args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback
        )

    def close(self) -> None:
        """Close the file for native crashes. The hooks stay installed."""
        if self._native_log is not None:
            self._native_log.close()
            self._native_log = None

    def set_listener(self, on_report: Callable[[Path], None]) -> None:
        """Call `on_report` with the file of each new report, on the thread of the crash."""
        self._on_report = on_report

    def _on_uncaught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        log.error("Unhandled exception", exc_info=(kind, error, trace))
        text = mask("".join(traceback.format_exception(kind, error, trace)))
        locations = "\n".join(f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(trace))
        fingerprint = hashlib.sha256(locations.encode()).hexdigest()[:12]
        if fingerprint in self._seen:
            return
        self._seen.add(fingerprint)
        report = self._folder / f"crash-{datetime.now(UTC):%Y%m%d-%H%M%S}-{fingerprint}.txt"
        head = f"Patchbay {__version__}, Python {platform.python_version()}, {platform.platform()}\n\n"
        report.write_text(head + text, encoding="utf-8")
        if self._on_report is not None:
            self._on_report(report)
