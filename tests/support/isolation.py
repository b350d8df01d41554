"""Programs in a sandbox: in this process, and in one of a user without privileges."""

import json
import os
import subprocess
import sys
import sysconfig
import textwrap
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.support.app_calls import act

import patchbay
from patchbay.domain.base import Json
from patchbay.integration.sandbox import Sandbox

PYTHON, JS = "runPython", "runJavascript"
NOBODY = 65534


async def isolating(hidden: Sequence[Path] = (), **more: Any) -> Sandbox:
    """The sandbox of this computer, where it isolates programs."""
    made = Sandbox(hidden, **more)
    found = await made.prepare()
    if not found.isolates_programs:
        pytest.skip(f"no isolation on this computer: {found.detail}")
    return made


async def python(sandbox: Sandbox, code: str, inputs: dict[str, Any] | None = None, **more: Json) -> Any:
    """What a Python program returns."""
    rows = [{"key": key, "value": value} for key, value in (inputs or {}).items()]
    values: dict[str, Any] = {"codeSnippet": textwrap.dedent(code), "inputs": rows, **more}
    done = await act("code", PYTHON, values, sandbox=sandbox)
    return done["output"]


_RUN = """
import asyncio, json, sys
from dataclasses import asdict
from pathlib import Path
import patchbay
from patchbay.integration.sandbox import Limits, Program, Sandbox, bubblewrap

async def main(code, inputs, seconds, megabytes, hide_init):
    if not hide_init:
        bubblewrap._HIDDEN_INIT = ()
    sandbox = Sandbox()
    if not (await sandbox.prepare()).isolates_programs:
        return {"missing": sandbox.isolation.detail}
    script = Path(patchbay.__file__).parent / "apps/code/child/run.py"
    given = json.dumps({"code": code, "inputs": inputs}).encode()
    ended = await sandbox.run(Program(script=script, limits=Limits(seconds, megabytes)), given)
    return {**asdict(ended), "result": ended.result.decode(), "printed": ended.printed.decode(), "last": ""}

print(json.dumps(asyncio.run(main(**json.load(sys.stdin)))))
"""


_TRIAL = "import os, sys, patchbay.integration.sandbox; open(os.path.realpath(sys.executable)).close()"


@cache
def _words(unprivileged: bool) -> tuple[tuple[str, ...], dict[str, str]]:
    """What starts Python with Patchbay as this user, or as one without privileges, and its environment."""
    if os.name != "posix" or not unprivileged or os.geteuid() != 0:
        return (sys.executable,), dict(os.environ)
    folders = (str(Path(patchbay.__file__).parents[1]), sysconfig.get_path("purelib"))
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": os.pathsep.join(folders)}
    become = ("/usr/bin/setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"  # the packages are compiled for it
    for python in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        words = (*become, python, "-B")
        trial = [*words, "-c", _TRIAL]
        done = subprocess.run(trial, env=environment, cwd="/", capture_output=True, check=False)
        if done.returncode == 0:
            return words, environment
    pytest.skip(f"no Python of this version that user ID {NOBODY} may run with Patchbay's packages")


def start_isolated(
    unprivileged: bool,
    code: str,
    inputs: dict[str, Any] | None = None,
    *,
    seconds: int = 30,
    megabytes: int = 64,
    hide_init: bool = True,
) -> subprocess.Popen[str]:
    """A process of its own that runs a Python program isolated."""
    words, environment = _words(unprivileged)
    process = subprocess.Popen(
        [*words, "-c", _RUN],
        env=environment,
        cwd="/",
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    given = {
        "code": textwrap.dedent(code),
        "inputs": inputs or {},
        "seconds": seconds,
        "megabytes": megabytes,
        "hide_init": hide_init,
    }
    assert process.stdin is not None
    process.stdin.write(json.dumps(given))
    process.stdin.close()
    process.stdin = None
    return process


def run_isolated(
    unprivileged: bool, code: str, inputs: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """How a Python program ended, as `ProcessResult` has it."""
    process = start_isolated(unprivileged, code, inputs, **more)
    try:
        said, _ = process.communicate(timeout=120)
    finally:
        process.kill()
        process.wait()
    found: dict[str, Any] = json.loads(said)
    if "missing" in found:
        pytest.skip(f"no isolation on this computer: {found['missing']}")
    return found
