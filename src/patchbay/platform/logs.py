"""Logging: one rotating file, loggers named by area, and a filter that masks what looks like a secret."""

import logging
import logging.handlers
import re
import sys
from pathlib import Path

FILE_NAME = "patchbay.log"
_MASK = "••••"
_SECRETS = re.compile(
    r"""(?ix)
    (["']?(?:x-api-token|authorization|api[-_]?key|access[-_]?token|refresh[-_]?token|token|secret|password|passphrase)["']?
     \s*[:=]\s*["']?(?:bearer\s+|basic\s+)?)
    [^\s"',;&}]{4,}
    """
)


def mask(text: str) -> str:
    """The text with the values of secret-looking keys replaced."""
    return _SECRETS.sub(rf"\1{_MASK}", text)


class RedactingFormatter(logging.Formatter):
    """Masks the finished line, traceback included, so that no argument slips past."""

    def format(self, record: logging.LogRecord) -> str:
        return mask(super().format(record))


def set_up(folder: Path, *, debug: bool = False) -> None:
    """Log to a file of at most 2 MB (five kept); warnings, or everything with `debug`, to standard error."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    layout = RedactingFormatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s")
    file = logging.handlers.RotatingFileHandler(
        folder / FILE_NAME, maxBytes=2_000_000, backupCount=5, encoding="utf-8", delay=True
    )
    console = logging.StreamHandler(sys.stderr)
    console.setLevel(logging.DEBUG if debug else logging.ERROR)
    root = logging.getLogger()
    for handler in (file, console):
        handler.setFormatter(layout)
        root.addHandler(handler)
    root.setLevel(logging.DEBUG if debug else logging.INFO)
    for chatty in ("httpx", "httpcore", "asyncio", "uvicorn.access", "alembic"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
