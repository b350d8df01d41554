"""The command line. `main` answers with the exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""

from patchbay.cli.main import main

__all__ = ["main"]
