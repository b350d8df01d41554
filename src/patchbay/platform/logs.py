"""Logging to a rotating file, with secrets masked and floods of similar lines suppressed."""

import contextlib
import logging
import logging.handlers
import math
import re
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from patchbay.platform.paths import LOG_NAME

FILE_NAME = LOG_NAME
MAX_BYTES, OLD_FILES = 2_000_000, 5
MAX_PROCESSES = 50
"""Max. processes with a log file of their own; further ones share the first."""
KEPT_DAYS = 30
_reserved: dict[Path, FileLock] = {}
"""The log files of this process."""
_MASK = "••••"
_SECRETS = re.compile(
    r"""(?ix)
    (["']?(?:x-api-token|authorization|api[-_]?key|access[-_]?token|refresh[-_]?token|token|secret|password|passphrase)["']?
     \s*[:=]\s*["']?(?:bearer\s+|basic\s+)?)
    [^\s"',;&}]{4,}
    """
)


_SUPPRESSED_ATTRIBUTE = "left_out"
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters, line separators, and characters that change the writing direction."""


def mask(text: str) -> str:
    """Replace the values of keys that look like secrets."""
    return _SECRETS.sub(rf"\1{_MASK}", text)


def one_line(text: str) -> str:
    """Escape control characters, so that names from outside can't start a new log line."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class RedactingFormatter(logging.Formatter):
    """Masks secrets in the formatted line, including the traceback, so that no argument is missed.

    A record is one line. Only tracebacks have more lines, which are indented so that they don't look like
    records.
    """

    def format(self, record: logging.LogRecord) -> str:
        return mask(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  logging's own name
        line = one_line(super().formatMessage(record))
        suppressed = getattr(record, _SUPPRESSED_ATTRIBUTE, None)
        return f"{line} (repeated {suppressed} times)" if suppressed else line

    def formatException(self, ei: Any) -> str:  # noqa: N802  logging's own name
        lines = super().formatException(ei).split("\n")
        return "\n".join(f"    {one_line(line)}" for line in lines)

    def formatStack(self, stack_info: str) -> str:  # noqa: N802  logging's own name
        return "\n".join(f"    {one_line(line)}" for line in stack_info.split("\n"))


class FloodFilter(logging.Filter):
    """Suppresses floods of similar log lines; the next line that passes says how many were suppressed.

    In a minute `MAX_SAME` equal lines, and `MAX_SIMILAR` lines of one place in the code, are written. Shared
    by all handlers: the first of them decides.
    """

    MAX_SAME, MAX_SIMILAR = 10, 300
    SECONDS = 60.0
    _MAX_KINDS = 1000

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._kinds: OrderedDict[Hashable, _Flood] = OrderedDict()
        self._lock = threading.Lock()  # handlers call their filters outside their own locks

    def filter(self, record: logging.LogRecord) -> bool:
        if not hasattr(record, _SUPPRESSED_ATTRIBUTE):
            setattr(record, _SUPPRESSED_ATTRIBUTE, self._suppressed(record))
        return getattr(record, _SUPPRESSED_ATTRIBUTE) is not None

    def _suppressed(self, record: logging.LogRecord) -> int | None:
        """The number of similar lines suppressed before this one; None if this one is suppressed too."""
        now, place = self._clock(), (record.name, record.levelno, record.pathname, record.lineno)
        message = _message(record)[:500]
        with self._lock:
            same = self._flood((*place, message)).admit(now, self.MAX_SAME, self.SECONDS)
            if same is None:
                return None
            similar = self._flood(place).admit(now, self.MAX_SIMILAR, self.SECONDS)
            return None if similar is None else max(same, similar)

    def _flood(self, kind: Hashable) -> "_Flood":
        flood = self._kinds.setdefault(kind, _Flood())
        self._kinds.move_to_end(kind)
        if len(self._kinds) > self._MAX_KINDS:
            self._kinds.popitem(last=False)
        return flood


def _message(record: logging.LogRecord) -> str:
    """The message, or its template when the arguments don't fit.

    Filters run in the call that logs, where an exception would reach the caller. The handler, which formats
    the record again, reports the mistake as logging does.
    """
    try:
        return record.getMessage()
    except Exception:  # noqa: BLE001  the arguments can be any objects
        return record.msg if isinstance(record.msg, str) else type(record.msg).__name__


class _Flood:
    """Counts lines of one kind within a time window."""

    def __init__(self) -> None:
        self._window_start = -math.inf
        self._passed = 0
        self._suppressed = 0

    def admit(self, now: float, limit: int, seconds: float) -> int | None:
        """The number of lines suppressed since the last one that passed; None if this one is suppressed."""
        if now - self._window_start >= seconds:
            self._window_start, self._passed = now, 0
        if self._passed >= limit:
            self._suppressed += 1
            return None
        self._passed += 1
        suppressed, self._suppressed = self._suppressed, 0
        return suppressed


class _LogFile(logging.handlers.RotatingFileHandler):
    """Keeps writing to a file that can't be renamed now, because another program reads it."""

    def __init__(self, file: Path) -> None:
        super().__init__(file, maxBytes=MAX_BYTES, backupCount=OLD_FILES, encoding="utf-8", delay=True)

    def doRollover(self) -> None:  # noqa: N802  logging's own name
        with contextlib.suppress(OSError):
            super().doRollover()
        if self.stream is None:
            self.stream = self._open()


def log_file(folder: Path) -> Path:
    """The file that this process writes: the first one that no other process has.

    Processes can't share one: each would rename the file that another one is writing, which fails on Windows
    and loses lines elsewhere. The system releases the file when the process ends.
    """
    for number in range(1, MAX_PROCESSES + 1):
        file = folder / (FILE_NAME if number == 1 else f"{FILE_NAME.removesuffix('.log')}-{number}.log")
        if _acquire(file):
            return file
    return folder / FILE_NAME


def _acquire(file: Path) -> bool:
    """Reserve a log file for this process. Where files can't be locked, they are shared."""
    if file in _reserved:
        return True
    lock = FileLock(file.with_name(f".{file.name}.lock"), thread_local=False)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    except (OSError, NotImplementedError):
        return True
    _reserved[file] = lock
    return True


def delete_abandoned_logs(folder: Path) -> None:
    """Delete the logs of processes that ended long ago, except those of the first one."""
    oldest = time.time() - KEPT_DAYS * 24 * 3600
    for file in folder.glob(f"{FILE_NAME.removesuffix('.log')}-*.log"):
        with contextlib.suppress(OSError, Timeout):
            if file.stat().st_mtime < oldest and file not in _reserved:
                with FileLock(file.with_name(f".{file.name}.lock"), timeout=0):
                    for part in folder.glob(f"{file.name}*"):
                        part.unlink()


def set_up_logging(folder: Path, *, debug: bool = False) -> None:
    """Log to a file of at most 2 MB (5 old ones are kept), and errors, or everything with `debug`, to
    stderr.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    logging.raiseExceptions = False  # a log that can't be written must not fill the terminal with tracebacks
    layout = RedactingFormatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s")
    file = _LogFile(log_file(folder))
    delete_abandoned_logs(folder)
    console = logging.StreamHandler(sys.stderr)
    console.setLevel(logging.DEBUG if debug else logging.ERROR)
    root, flood_filter = logging.getLogger(), FloodFilter()
    for handler in (file, console):
        handler.setFormatter(layout)
        handler.addFilter(flood_filter)
        root.addHandler(handler)
    root.setLevel(logging.DEBUG if debug else logging.INFO)
    for logger_name in ("httpx", "httpcore", "asyncio", "uvicorn.access", "alembic"):
        logging.getLogger(logger_name).setLevel(logging.WARNING)
