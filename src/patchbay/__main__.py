"""`python -m patchbay`."""

import os
import sys

from patchbay.platform.process_limits import forbid_core_dumps, raise_gc_thresholds
from patchbay.platform.standard_streams import prepare_standard_streams


def main() -> None:
    """The console script: ends the process with the command's exit code."""
    try:
        os.environ.setdefault(
            "PYDANTIC_DISABLE_PLUGINS", "1"
        )  # it would search all installed packages for them
        raise_gc_thresholds()
        forbid_core_dumps()
        prepare_standard_streams()
        from patchbay.cli import main as run

        code = run()
    except KeyboardInterrupt:  # while the program was loading
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
