"""`python -m patchbay`."""

import sys

from patchbay.cli import main as run


def main() -> None:
    """The console script: ends the process with the command's exit code."""
    sys.exit(run())


if __name__ == "__main__":
    main()
