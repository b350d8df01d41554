"""A plain file server on this computer, Python's own: `with file_server(folder) as server:`."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from tests.support import patient
from tests.support.ports import free_port
from tests.support.processes import until


@dataclass
class FileServer:
    """The running server; `files` is the folder that it serves."""

    address: str
    files: Path
    log: Path

    def write(self, name: str, text: str) -> str:
        """Store a file; the answer is its address. Each change of a file has a newer whole second."""
        path = self.files / name
        changed = path.stat().st_mtime + 1 if path.exists() else 1_700_000_000
        path.write_text(text, encoding="utf-8")
        os.utime(path, (changed, changed))
        return f"{self.address}/{name}"

    def requests(self) -> list[str]:
        """What was requested, such as `GET /feed.xml`, in order."""
        return re.findall(r'"(\w+ \S+) HTTP/[\d.]+" \d+', self.log.read_text(encoding="utf-8"))


@contextmanager
def file_server(folder: Path) -> Iterator[FileServer]:
    """Run the server while the block runs."""
    port = free_port()
    server = FileServer(f"http://127.0.0.1:{port}", folder / "files", folder / "log")
    server.files.mkdir()
    words = [sys.executable, "-u", "-m", "http.server", str(port), "--bind", "127.0.0.1"]
    with server.log.open("wb") as log:
        process = subprocess.Popen(
            [*words, "--directory", str(server.files)], stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    try:
        until(lambda: _answers(server.address), every=0.05)
        yield server
    finally:
        process.terminate()
        process.wait(10)


def _answers(address: str) -> bool:
    try:
        return patient.get(address).is_success
    except httpx.TransportError:
        return False
