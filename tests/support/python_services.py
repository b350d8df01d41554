"""Services from PyPI that run in an environment of their own, which `make test-acceptance` creates."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from tests.support.processes import until

FOLDER = Path(__file__).parents[2] / ".venv" / "counterparties" / "python"
PYTHON = FOLDER / "bin" / "python"
_START_SECONDS = 60.0


def why_missing(package: str) -> str:
    """Why the service can't run here; empty if it can. `package` is what its package is imported as."""
    there = any(FOLDER.glob(f"lib/python3*/site-packages/{package}/__init__.py"))
    return "" if there else f"{package} isn't installed in {FOLDER} (make test-acceptance does it)"


def run_python(folder: Path, *words: object) -> None:
    """Run the environment's Python with these words, to its end."""
    command = [str(PYTHON), *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


@contextmanager
def python_service(log: Path, answers: Callable[[], bool], *words: object) -> Iterator[None]:
    """Run the environment's Python with these words while the block runs, once the service answers."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            [str(PYTHON), *map(str, words)],
            cwd=log.parent,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        until(lambda: process.poll() is not None or _is_ready(answers), _START_SECONDS, every=0.05)
        assert process.poll() is None, log.read_text(errors="replace")[-2000:]
        yield
    finally:
        process.terminate()
        process.wait(20)


def _is_ready(answers: Callable[[], bool]) -> bool:
    try:
        return answers()
    except httpx.TransportError:
        return False
