"""How a program of each language is started. The command contains neither the program nor its values."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from patchbay.domain.errors import NotSupported
from patchbay.integration.installed_programs import find_program
from patchbay.integration.sandbox import Limits, Program

_CHILD = Path(__file__).parent / "child"
_NODE_FOLDERS = ("/usr/local/bin", "/opt/homebrew/bin", "/usr/bin")
"""Folders to search for Node.js if a program started from a menu has a short search path."""
_NODE_OVERHEAD_MEGABYTES = 64
"""Megabytes for Node.js, so that it reaches its own limit first, which it can report."""
_HAS_PROCESS_LIMITS = os.name == "posix"


@dataclass(frozen=True, slots=True)
class Language:
    """A programming language. `start` returns the command for these limits, or raises.

    `signals` are those by which its interpreter ends when it gets no more memory.
    """

    name: str
    start: Callable[[Limits], Program]
    signals: tuple[int, ...] = ()


def _python(limits: Limits) -> Program:
    return Program(script=_CHILD / "run.py", limits=limits)


def _javascript(limits: Limits) -> Program:
    node, script = find_node(), _CHILD / "run.cjs"
    heap = f"--max-old-space-size={limits.megabytes * 3 // 4}"
    words = (node, heap, str(script), "3" if _HAS_PROCESS_LIMITS else "1")
    # In a sandbox, only the file itself is certain to exist, not a link to it.
    real = Path(node).resolve()
    return Program(
        command=(str(real), *words[1:]),
        readable=(real, script),
        limits=replace(limits, megabytes=limits.megabytes + _NODE_OVERHEAD_MEGABYTES),
    )


def find_node() -> str:
    """The path of Node.js. Raises `NotSupported` if it isn't installed."""
    places = os.pathsep.join([os.environ.get("PATH", ""), *_NODE_FOLDERS])
    found = find_program("node", places) or find_program("nodejs", places)
    if found is None:
        raise NotSupported(
            "JavaScript needs Node.js, which isn't installed on this computer.",
            todo="Install it from nodejs.org or your package manager, or use Run Python.",
            feature="node",
        )
    return found


python = Language("Python", _python)
javascript = Language("JavaScript", _javascript, (4, 5, 6, 11))
