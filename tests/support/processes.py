"""The program as people and scripts meet it: real processes with a data folder of their own."""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from tests.support import patient
from tests.support.forked_commands import Fork, can_fork, run_fork, start_fork
from tests.support.patience import PATIENCE, STARTING

T = TypeVar("T")

COMMAND_SECONDS = 180.0


def until(look: Callable[[], T], seconds: float = PATIENCE, every: float = 0.01) -> T:
    """Look again and again until the answer is truthy; fails when it is not within `seconds`."""
    ends = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < ends, f"not within {seconds} seconds; last seen: {found!r}"
        time.sleep(every)
    return found


def alive(pid: int) -> bool:
    """Whether the process runs; where there is a /proc, a zombie does not."""
    try:
        os.kill(pid, 0)
        return not Path("/proc/self").exists() or " Z " not in Path(f"/proc/{pid}/stat").read_text("ascii")
    except OSError:  # FileNotFoundError, or ProcessLookupError where it ends between opening and reading
        return False


def sleeping(mark: str) -> list[int]:
    """The processes that run `sleep` with this argument, in any namespace."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if path.read_bytes().endswith(f"sleep\0{mark}\0".encode()):
                found.append(int(path.parent.name))
    return [pid for pid in found if alive(pid)]


def program(*words: object, data: Path | None = None) -> list[str]:
    """The words that start Patchbay on this data folder."""
    folder = ["--data-dir", str(data)] if data is not None else []
    return [sys.executable, "-m", "patchbay", *folder, *map(str, words)]


@dataclass(frozen=True)
class Done:
    """A command that ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as exactly one JSON document."""
        return json.loads(self.out)


def run(words: Sequence[str], *, stdin: str = "", env: Mapping[str, str] | None = None) -> Done:
    """Run a command to its end; its standard input is never a terminal."""
    environment = {**os.environ, **(env or {})}
    if can_fork(words, environment):
        return Done(*run_fork(words, stdin, environment, COMMAND_SECONDS))
    done = subprocess.run(
        words,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
        env=environment,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def at_once(commands: Mapping[str, Sequence[str]]) -> dict[str, Done]:
    """Run several commands side by side, so that their starting costs less time."""
    with ThreadPoolExecutor(3) as pool:
        return dict(zip(commands, pool.map(run, commands.values()), strict=True))


class Process:
    """A program that runs until it is stopped. `address` is where it says it listens."""

    def __init__(
        self, words: Sequence[str], said: Path, env: Mapping[str, str] | None = None, *, fresh: bool = False
    ) -> None:
        """`fresh` loads the program anew, for tests of what a fork lacks: its own `/proc` and peak memory."""
        self._said = said
        environment = {**os.environ, **(env or {})}
        self.popen: Fork | subprocess.Popen[bytes]
        with said.open("wb") as errors:
            if can_fork(words, environment) and not fresh:
                self.popen = start_fork(words, environment, errors.fileno())
            else:
                self.popen = subprocess.Popen(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    env=environment,
                )
        self.pid = self.popen.pid
        self.address = ""

    @property
    def said(self) -> str:
        """What it wrote to standard error."""
        return self._said.read_text(encoding="utf-8")

    def listening(self) -> str:
        """The address, once it says that it listens there."""
        line = self._first_line()
        assert line.startswith(("listening on http://", "listening on https://")), (
            f"it said {line!r} and {self.said!r}"
        )
        self.address = line.removeprefix("listening on ").strip()
        return self.address

    def stop(self, *, quiet: bool = True) -> None:
        """Ask it to end, as a system does. Must be done in time, with exit code 0 and without complaint."""
        if self.popen.returncode is not None:
            return  # stopped or killed before
        self.popen.send_signal(signal.SIGTERM)
        try:
            code = self.popen.wait(STARTING)
        finally:
            self.kill()
        complaint = self.said if quiet else ""
        assert (code, complaint) == (0, ""), f"it ended with {code} and said {complaint!r}"

    def kill(self) -> None:
        """End it at once, if it has not ended."""
        if self.popen.poll() is None:
            self.popen.kill()
            self.popen.wait()
        if self.popen.stdout is not None:
            self.popen.stdout.close()

    def _first_line(self) -> str:
        assert self.popen.stdout is not None
        ends, read = time.monotonic() + STARTING, b""
        with selectors.DefaultSelector() as ready:
            ready.register(self.popen.stdout, selectors.EVENT_READ)
            while not read.endswith(b"\n") and ready.select(max(0.0, ends - time.monotonic())):
                if not (part := os.read(self.popen.stdout.fileno(), 1)):
                    break
                read += part
        return read.decode()


class Service:
    """`patchbay serve` on a data folder, while the block runs, and commands on the same folder."""

    def __init__(
        self,
        data: Path,
        *options: str,
        env: Mapping[str, str] | None = None,
        port: int = 0,
        serve: Sequence[object] = (),
        fresh: bool = False,
    ) -> None:
        self.data = data
        self._options = options
        self._env = env
        self._port = port
        self._serve = serve
        self._fresh = fresh
        self.process: Process

    @property
    def address(self) -> str:
        return self.process.address

    def start(self) -> "Service":
        words = program(*self._options, "serve", "--port", self._port, *self._serve, data=self.data)
        self.process = Process(
            words, self.data.with_name(f"{self.data.name}.stderr"), self._env, fresh=self._fresh
        )
        try:
            self.process.listening()
        except BaseException:
            self.process.kill()
            raise
        return self

    def command(self, *words: object, stdin: str = "") -> Done:
        """A command of the program on this data folder, run by its own process."""
        return run(program(*words, data=self.data), stdin=stdin, env=self._env)

    def __enter__(self) -> "Service":
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        quiet = "--debug" not in self._options
        with contextlib.nullcontext() if error is None else contextlib.suppress(AssertionError):
            self.process.stop(quiet=quiet)


class Interface:
    """The HTTP API of a running service, asked with an API key that the command line made."""

    def __init__(self, service: Service, *options: str) -> None:
        """`options` go before the command that makes the key, such as those for another workspace."""
        self.key = str(service.command(*options, "api-key", "create", "--json").json["key"])
        self.http = patient.Client(base_url=service.address, headers={"x-api-token": self.key})

    def data(self, path: str, **query: Any) -> Any:
        """The `data` of an answer that must be 200."""
        answer = self.http.get(path, params={name: str(value) for name, value in query.items()})
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def executions(self, flow_name: str) -> list[Any]:
        """The newest executions of a flow, unfinished ones too."""
        found: list[Any] = self.data("/v1/executions", name=flow_name)
        return found

    def finished(self, flow_name: str, count: int = 1) -> list[Any]:
        """At least `count` executions of the flow, waited for until each has ended."""

        def ended() -> list[Any]:
            found = self.executions(flow_name)
            done = all(item["finishedAt"] for item in found)
            return found if done and len(found) >= count else []

        return until(ended)

    def steps(self, execution_id: str) -> list[Any]:
        found: list[Any] = self.data(f"/v1/executions/{execution_id}/execution-steps")
        return found

    def close(self) -> None:
        self.http.close()
