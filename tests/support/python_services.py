"""Services from PyPI that run in environments of their own, which `make test-acceptance` creates."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
from tests.support.processes import until

_FOLDER = Path(__file__).parents[2] / ".venv" / "counterparties"
_START_SECONDS = 120.0


class PythonService:
    """A service with an environment of this name; `packaging/services` lists its packages."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.programs = _FOLDER / name / "bin"

    def why_missing(self) -> str:
        """Why the service can't run here; empty if it can."""
        there = (self.programs.parent / "wanted.txt").is_file()
        return "" if there else f"{self.name} isn't installed (make test-acceptance installs it)"

    def run_to_end(self, folder: Path, *words: object) -> None:
        """Run the environment's Python with these words."""
        command = self._command("python", words)
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr[-2000:]

    @contextmanager
    def running(
        self,
        log: Path,
        answers: Callable[[], bool],
        *words: object,
        program: str = "python",
        environment: Mapping[str, str] | None = None,
    ) -> Iterator[None]:
        """Run a program of the environment with these words while the block runs, once it answers."""
        with log.open("ab") as output:
            process = subprocess.Popen(
                self._command(program, words),
                cwd=log.parent,
                env={**os.environ, **(environment or {})},
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
            process.wait(30)

    def _command(self, program: str, words: tuple[object, ...]) -> list[str]:
        return [str(self.programs / program), *map(str, words)]


def _is_ready(answers: Callable[[], bool]) -> bool:
    try:
        return answers()
    except httpx.TransportError:
        return False
