"""`python -m patchbay`."""

import runpy
import sys
from pathlib import Path

RUN_PROGRAM = "run-program"
"""For the code app where there is no interpreter beside us: this process becomes one for a single program."""
RUN_WORKER = "run-worker"
"""For worker processes, in the same case."""


def main() -> None:
    """The console script: ends the process with the command's exit code."""
    if sys.argv[1:2] == [RUN_PROGRAM]:
        child = Path(__file__).parent / "apps" / "code" / "child" / "run.py"
        runpy.run_path(str(child))["main"](sys.argv[2:])
        return
    if sys.argv[1:2] == [RUN_WORKER]:
        from patchbay.integration.worker_child import main as run_worker

        run_worker()
        return
    from patchbay.cli import main as run

    sys.exit(run())


if __name__ == "__main__":
    main()
