"""Tests of properties again, with as many examples as take minutes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.fuzzing import TIMES

_ROOT = Path(__file__).resolve().parent.parent
PROPERTIES = (
    "tests/desktop/editor/test_value_text.py",
    "tests/domain/test_step_tree.py",
    "tests/engine/test_schedule_arithmetic.py",
    "tests/engine/test_walk.py",
    "tests/storage/test_counters.py",
    "tests/storage/test_statistics.py",
)
"""Files whose tests use `examples`."""


def test_every_file_with_two_numbers_of_examples_is_listed():
    using = {
        file.relative_to(_ROOT).as_posix()
        for file in (_ROOT / "tests").rglob("test_*.py")
        if "@examples(" in file.read_text("utf-8") and file != Path(__file__).resolve()
    }

    assert using == set(PROPERTIES)


@pytest.mark.acceptance
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("file", PROPERTIES)
def test_the_properties_hold_for_many_examples(file):
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:xdist",
            "-m",
            "not acceptance",
            "--timeout",
            "900",
            file,
        ],
        cwd=_ROOT,
        env={**os.environ, TIMES: "15"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=1400,
        check=False,
    )

    assert ran.returncode == 0, ran.stdout[-8000:]
