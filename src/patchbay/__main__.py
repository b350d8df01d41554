"""`python -m patchbay`."""

import sys

from patchbay.platform.process_limits import raise_gc_thresholds


def main() -> None:
    """The console script: ends the process with the command's exit code."""
    raise_gc_thresholds()
    from patchbay.cli import main as run

    sys.exit(run())


if __name__ == "__main__":
    main()
