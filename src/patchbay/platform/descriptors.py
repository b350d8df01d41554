"""How many files and connections this process may hold open."""

import contextlib
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
