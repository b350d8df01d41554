"""`make run` says what it does: that it installs, which takes a while, and what it opens."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts for sh")

PACKAGING = Path(__file__).parents[2] / "packaging"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the scripts, and programs in place of Python and Patchbay that print their arguments."""
    shutil.copytree(PACKAGING, tmp_path / "packaging")
    for name in ("python", "patchbay"):
        program = tmp_path / ".venv" / "bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f'#!/bin/sh\necho "{name} $*"\n')
        program.chmod(0o755)
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("uname", "id"):  # without dpkg-query, no system packages are looked for
        (tools / tool).symlink_to(str(shutil.which(tool)))
    return tmp_path


def printed(checkout: Path, script: str, *words: str) -> list[str]:
    env = {"PATH": str(checkout / "tools"), "DISPLAY": ":7", "PYTHON": str(checkout / ".venv/bin/python")}
    shell = str(shutil.which("sh"))
    command = [shell, f"packaging/{script}", *words]
    done = subprocess.run(command, cwd=checkout, env=env, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_installing_says_that_it_takes_a_minute_before_it_begins(checkout):
    lines = printed(checkout, "setup.sh", "run")

    said = lines.index("Installing Patchbay into .venv. This takes a minute, once.")
    assert said < next(number for number, line in enumerate(lines) if "pip install" in line)


def test_running_says_that_it_opens_the_demo(checkout):
    assert printed(checkout, "run.sh") == ["Opening Patchbay with the demo", "patchbay --workspace demo"]
