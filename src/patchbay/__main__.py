"""`python -m patchbay`."""

import runpy
import sys
from pathlib import Path

from patchbay.platform.process_limits import raise_gc_thresholds

RUN_PROGRAM = "run-program"
"""For steps that run programs, if there is no separate interpreter: this process becomes one."""
RUN_WORKER = "run-worker"
"""For worker processes, in the same case."""


def main() -> None:
    """The console script: ends the process with the command's exit code."""
    if sys.argv[1:2] == [RUN_PROGRAM]:
        confine = Path(__file__).parent / "integration" / "sandbox" / "confine.py"
        runpy.run_path(str(confine))["main"](sys.argv[2:])
        return
    if sys.argv[1:2] == [RUN_WORKER]:
        from patchbay.integration.worker_child import main as run_worker

        run_worker()
        return
    raise_gc_thresholds()
    from patchbay.cli import main as run

    sys.exit(run())


if __name__ == "__main__":
    main()
