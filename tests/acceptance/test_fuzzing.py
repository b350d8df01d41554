"""The fuzz tests again, with many more examples that are other ones each time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.fuzzing import TIMES

_ROOT = Path(__file__).parents[2]


@pytest.mark.acceptance
@pytest.mark.timeout(1500)
def test_many_random_inputs_stop_no_parser():
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "--timeout", "900", "tests/fuzz"],
        cwd=_ROOT,
        env={**os.environ, TIMES: "15"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=1400,
        check=False,
    )

    assert ran.returncode == 0, ran.stdout[-8000:]
