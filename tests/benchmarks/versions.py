"""Versions of Patchbay to measure: this checkout, and any other commit with its own installed package."""

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.lines import ROOT, commit_of_head

CHECKOUTS = ROOT / "out" / "bench"
"""Checkouts of other commits, which are kept for the next comparison."""


@dataclass(frozen=True)
class Version:
    """A version of Patchbay: its checkout, and the interpreter in whose environment it is installed."""

    name: str
    commit: str
    folder: Path
    python: Path

    def words(self, *arguments: object, data: Path) -> list[str]:
        """The command that runs this version of Patchbay on a data folder."""
        return [str(self.python), "-m", "patchbay", "--data-dir", str(data), *map(str, arguments)]

    def start(self, words: list[str], **options: Any) -> "subprocess.Popen[str]":
        """Start a command in the checkout; its output can be read."""
        return subprocess.Popen(
            words, cwd=self.folder, env=self._environment(), stdout=subprocess.PIPE, text=True, **options
        )

    def output(self, words: list[str]) -> str:
        """Run a command to its end and return what it printed; it must succeed."""
        with self.start(words, stderr=subprocess.PIPE) as process:
            found, messages = process.communicate()
        if process.returncode != 0:
            raise RuntimeError(f"{words} ended with {process.returncode}: {messages}")
        return found

    def _environment(self) -> Mapping[str, str]:
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return {
            **inherited,
            "QT_QPA_PLATFORM": "offscreen",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        }


def this_version() -> Version:
    """This checkout, in the environment that runs the benchmark."""
    return Version("head", commit_of_head(), ROOT, Path(sys.executable))


def version_of(commit: str) -> Version:
    """A checkout of this commit, with its package in an environment that shares our dependencies."""
    found = _git("rev-parse", "--verify", f"{commit}^{{commit}}")
    folder = CHECKOUTS / found[:12]
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        _git("clone", "--quiet", "--shared", "--no-checkout", str(ROOT), str(folder))
    _git("-C", str(folder), "checkout", "--quiet", "--detach", found)
    return Version("base", found[:8], folder, _environment_of(folder))


def _environment_of(folder: Path) -> Path:
    """The interpreter of an environment in which only Patchbay itself differs from ours.

    Our packages are on its path, but not our path files, one of which would lead to our own Patchbay.
    """
    place = folder / ".venv"
    if not place.is_dir():
        venv.create(place, with_pip=False, symlinks=os.name == "posix")
    scripts = "Scripts" if os.name == "nt" else "bin"
    variables = {"base": str(place), "platbase": str(place)}
    packages = Path(sysconfig.get_path("purelib", "venv", variables))
    lines = f"{folder / 'src'}\n{sysconfig.get_path('purelib')}\n"
    (packages / "patchbay-bench.pth").write_text(lines, encoding="utf-8")
    return place / scripts / Path(sys.executable).name


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()
