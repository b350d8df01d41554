"""How many files and connections this process may hold open."""

import contextlib
import gc
import sys

OPEN_FILES = 4096


def raise_open_files_limit(wanted: int = OPEN_FILES) -> int | None:
    """Raise the limit towards `wanted`, as far as the system lets this user; returns what holds now.

    Systems begin with as few as 256, which callers alone could take. None where there is no such limit.
    """
    if sys.platform == "win32":
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return None if soft == resource.RLIM_INFINITY else soft
    new_limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (new_limit, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


# MERGED: When Python's garbage collector looks for cycles, in a process that serves.

FIRST_THRESHOLD, LATER_THRESHOLD = 20_000, 20


def raise_gc_thresholds() -> None:
    """Let many more objects come before a collection: loading the program is a tenth faster by that."""
    gc.set_threshold(FIRST_THRESHOLD, LATER_THRESHOLD, LATER_THRESHOLD)


def tune_garbage_collection() -> None:
    """Leave what is loaded by now out of each collection, and let many more objects come before one.

    With Python's own thresholds the collector runs for every 700 new lists or dicts and goes through all that
    live every now and then. Reading one megabyte of JSON with 330,000 lists took 250 ms of which 235 were
    collections; with these it takes 15. Most objects are freed without the collector, by reference counting.
    """
    gc.collect()
    gc.freeze()
    raise_gc_thresholds()
