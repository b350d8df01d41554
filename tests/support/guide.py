"""Follows a guide as a reader would: saves its files, types its commands, compares what comes out.

A block of the document begins with three backquotes and words that say what it is:
`python NAME` (or json …) is a file to save; `sh` is typed into one terminal, from top to bottom, and must
succeed, or fail where it says `sh fails`; `sh in a second terminal` is left running; `text` is what the
command before it prints, in which `…` stands for anything.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.support.typed_commands import TypedCommands, can_run_typed

_BLOCK = re.compile(r"^```(\S+)(?: +([^\n]*))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SECONDS = 60.0


@dataclass(frozen=True)
class Block:
    """One block: its language, the words after it, and what is in it."""

    language: str
    words: str
    content: str


@dataclass(frozen=True)
class Said:
    """A command's end."""

    code: int
    out: str


def blocks(document: Path, changes: dict[str, str]) -> list[Block]:
    """The blocks of a guide, with texts changed that cannot be the same on every machine, such as ports."""
    text = document.read_text(encoding="utf-8")
    for old, new in changes.items():
        text = text.replace(old, new)
    return [Block(language, words or "", content) for language, words, content in _BLOCK.findall(text)]


def prints(expected: str, out: str) -> bool:
    """Whether this came out, line by line and from its beginning."""
    pattern = ".*".join(re.escape(part) for part in expected.strip().split("…"))
    return re.match(pattern, out.strip()) is not None


class Reader:
    """Somebody with a folder and a terminal, in which `patchbay` and `python3` are those of this test."""

    def __init__(self, folder: Path, *patchbay_options: str) -> None:
        self.folder = folder / "reader"
        self._programs, self._kept = folder / "programs", folder / "environment"
        self.folder.mkdir()
        self._programs.mkdir()
        self._kept.touch()
        self._left: list[subprocess.Popen[bytes]] = []
        self._program("python3")
        self._typed: TypedCommands | None = None
        if can_run_typed():
            self._typed = TypedCommands(self._programs / "patchbay", *patchbay_options)
        else:
            self._program("patchbay", "-m", "patchbay", *patchbay_options)

    def save(self, name: str, content: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")

    def type(self, commands: str) -> Said:
        """Run the commands; what they export or set is still there for the next ones."""
        script = f"set -a; . {self._kept}; set -e -o pipefail\n{commands}\nexport -p > {self._kept}"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self._environment(),
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return Said(done.returncode, done.stdout)

    def leave_running(self, command: str) -> None:
        self._left.append(
            subprocess.Popen(
                ["bash", "-c", f"exec {command.strip()}"],
                cwd=self.folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )

    def close(self) -> None:
        """End what was left running."""
        for process in self._left:
            process.terminate()
            process.wait(10)
        if self._typed is not None:
            self._typed.close()

    def _environment(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if name != "PATCHBAY_DATA_DIR"}
        return {**inherited, "PATH": f"{self._programs}{os.pathsep}{os.environ['PATH']}"}

    def _program(self, name: str, *words: str) -> None:
        path = self._programs / name
        quoted = " ".join(f'"{word}"' for word in (sys.executable, *words))
        path.write_text(f'#!/bin/sh\nexec {quoted} "$@"\n')
        path.chmod(0o755)
