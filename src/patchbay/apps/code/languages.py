"""With which words a program of each language is started. None of them holds the program or its values."""

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from patchbay.domain.errors import NotSupported

from .arguments import Limits

FROZEN_ENTRY = "run-program"
"""First word by which the packaged program, which has no interpreter beside it, runs `child/run.py`."""
_CHILD = Path(__file__).parent / "child"
_USUAL_PLACES = ("/usr/local/bin", "/opt/homebrew/bin", "/usr/bin")
"""Where Node.js is found when a program is started from a menu and has only a short search path."""
_ROOM = 64
"""Megabytes Node.js has for itself, so that its own limit is reached first: that one it can tell of."""
_LIMITS_BY_THEMSELVES = os.name == "posix"


@dataclass(frozen=True, slots=True)
class Language:
    """A language programs are written in. `words` gives the command for these limits, or raises.

    `signals` are those by which its interpreter ends itself when it gets no more memory.
    """

    name: str
    words: Callable[[Limits], Sequence[str]]
    signals: tuple[int, ...] = ()


def _python(limits: Limits, more: int = 0) -> list[str]:
    """Isolated: no packages but Python's own, no settings of the person, nothing written beside it."""
    given = [str(limits.megabytes + more), str(limits.seconds)]
    if getattr(sys, "frozen", False):
        return [sys.executable, FROZEN_ENTRY, *given]
    if not sys.executable:
        raise NotSupported(
            "This Patchbay does not know where its Python is, so it cannot run programs.", feature="python"
        )
    return [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(_CHILD / "run.py"), *given]


def _javascript(limits: Limits) -> list[str]:
    heap = f"--max-old-space-size={limits.megabytes * 3 // 4}"
    words = [find_node(), heap, str(_CHILD / "run.cjs")]
    # Where a process can limit itself, Python sets the limits and then becomes Node.js.
    return [*_python(limits, _ROOM), *words, "3"] if _LIMITS_BY_THEMSELVES else [*words, "1"]


def find_node() -> str:
    """Where Node.js is. Raises `NotSupported` when it is nowhere."""
    places = os.pathsep.join([os.environ.get("PATH", ""), *_USUAL_PLACES])
    found = shutil.which("node", path=places) or shutil.which("nodejs", path=places)
    if found is None:
        raise NotSupported(
            "JavaScript needs Node.js, which is not installed on this computer.",
            todo="Install it from nodejs.org or with your system's packages, or write the step in Python.",
            feature="node",
        )
    return found


python = Language("Python", _python)
javascript = Language("JavaScript", _javascript, (4, 5, 6, 11))
