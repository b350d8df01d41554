"""Runs a parser on hostile inputs in a child process with limits: a regression fails instead of hanging.

`bounded(read, cases)` calls `read(*arguments)` for each case in a child whose memory and processor time are
limited, and fails with the names of the cases that took too long, too much memory, or raised an unexpected
error. The function is defined at the top level of a module.
"""

import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from patchbay.domain.errors import AppError

SECONDS = 5
"""Processor time for one case: far more than linear work takes, and far less than an attack."""
MEGABYTES = 400
"""Address space for one case beyond what the child had when it began."""
_INTERPRETER_MEGABYTES = 1024
_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Outcome:
    """What became of one case: the result, or the error it ended with (`died` when the child did)."""

    result: Any = None
    error: str = ""
    words: str = ""


def bounded(
    read: Callable[..., Any],
    cases: Mapping[str, tuple[Any, ...]],
    *,
    seconds: int = SECONDS,
    megabytes: int = MEGABYTES,
    allowed: tuple[type[Exception], ...] = (AppError,),
) -> dict[str, Any]:
    """The results by case, None where an allowed error was raised. Fails for every other end of a case."""
    outcomes = run_cases(read, cases, seconds=seconds, megabytes=megabytes, allowed=allowed)
    bad = {name: outcome.error for name, outcome in outcomes.items() if outcome.error}
    assert not bad, f"{read.__qualname__} isn't bounded: {bad}"
    return {name: outcome.result for name, outcome in outcomes.items()}


def run_cases(
    read: Callable[..., Any],
    cases: Mapping[str, tuple[Any, ...]],
    *,
    seconds: int = SECONDS,
    megabytes: int = MEGABYTES,
    allowed: tuple[type[Exception], ...] = (AppError,),
) -> dict[str, Outcome]:
    """What became of each case. A new child continues with the rest when one dies."""
    if sys.platform == "win32":
        pytest.skip("Windows has no resource module to limit memory and processor time")
    outcomes: dict[str, Outcome] = {}
    while left := {name: arguments for name, arguments in cases.items() if name not in outcomes}:
        call = pickle.dumps((read.__module__, read.__qualname__, left, seconds, megabytes, allowed))
        child = subprocess.run(
            [sys.executable, "-c", "from tests.support.bounded import main; main()"],
            input=call,
            stdout=subprocess.PIPE,
            cwd=_ROOT,
            check=False,
            timeout=len(left) * seconds * 4 + 60,
        )
        told = dict(_read_all(child.stdout))
        outcomes |= told
        if len(told) < len(left):
            died = next(name for name in left if name not in told)
            outcomes[died] = Outcome(error=f"it died ({child.returncode}): more than {seconds} s or memory")
    return outcomes


def _read_all(output: bytes) -> list[tuple[str, Outcome]]:
    found, place = [], 0
    while place + 8 <= len(output):
        length = int.from_bytes(output[place : place + 8], "big")
        if place + 8 + length > len(output):
            break
        found.append(pickle.loads(output[place + 8 : place + 8 + length]))
        place += 8 + length
    return found


def main() -> None:
    """What the child does: each case under its own limit, told as soon as it ended."""
    import resource  # not on Windows, where tests that use this are skipped

    stream, output = sys.stdin.buffer, sys.stdout.buffer
    module, name, cases, seconds, megabytes, allowed = pickle.load(stream)
    read: Any = import_module(module)
    for part in name.split("."):
        read = getattr(read, part)
    limit = _INTERPRETER_MEGABYTES + megabytes << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for case, arguments in cases.items():
        used = resource.getrusage(resource.RUSAGE_SELF)
        ends = int(used.ru_utime + used.ru_stime) + seconds + 1
        resource.setrlimit(resource.RLIMIT_CPU, (ends, resource.RLIM_INFINITY))
        told = pickle.dumps((case, _outcome(read, arguments, allowed)))
        output.write(len(told).to_bytes(8, "big") + told)
        output.flush()


def _outcome(read: Any, arguments: tuple[Any, ...], allowed: tuple[type[Exception], ...]) -> Outcome:
    try:
        return Outcome(result=read(*arguments))
    except allowed as error:
        return Outcome(words=str(error))
    except BaseException as error:  # noqa: BLE001  it is what the test is about
        return Outcome(error=f"{type(error).__name__}: {str(error)[:200]}")
