"""The command line.

`main` returns the exit code: 0 success, 1 failure, 2 invalid arguments, 130 interrupted.
"""

from patchbay.cli.main import main

__all__ = ["main"]
