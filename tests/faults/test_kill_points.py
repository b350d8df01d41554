"""Backup, restore, change of the key and moves between homes survive kill -9 at each of their steps."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.forms import long_form
from tests.support.kill_points import WORKS

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are made by fork")

QUICK = {"restore into a vault": 13, "change the key": 7}
"""The works of the quick test, each with the distance between two kills."""


def kills(folder: Path, work: str, stride: int) -> int:
    """Kill the work at every `stride`-th step and check; returns how many kills there were."""
    words = [sys.executable, "-m", "tests.support.kill_points", str(folder), work, str(stride)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return int(done.stdout)


@long_form
@pytest.mark.timeout(300)
@pytest.mark.parametrize("work", QUICK)
def test_killed_now_and_then_nothing_is_lost_and_it_can_be_done_again(tmp_path, work):
    assert kills(tmp_path, work, QUICK[work]) >= 3


@pytest.mark.acceptance
@pytest.mark.timeout(900)
@pytest.mark.parametrize("work", WORKS)
def test_killed_at_each_step_nothing_is_lost_and_it_can_be_done_again(tmp_path, work):
    assert kills(tmp_path, work, stride=1) >= 10
