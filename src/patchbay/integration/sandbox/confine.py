"""Sets limits on its own process, then executes a program. Standalone: imports nothing from Patchbay.

Arguments: limits as `name=value`, then `script` and a Python file that runs in this process, `command` and
its arguments, or `result-command`: the same with standard output on descriptor 3, and prints on standard
error. Without any of them, it ends immediately.

`started=` is a descriptor that is written to and closed just before.

Limits: `megabytes`, `seconds`, `processes` (default: more than the system runs); none without `megabytes`.
And `supervise=yes` for a program that isn't isolated: a supervising process then ends everything the program
started. `file=` is what is executed for a command, whose first part is only its name then.
"""

import os
import signal
import sys

GRACE_SECONDS = 5
"""Seconds after the time limit when the process ends if its parent hasn't stopped it."""
MAX_FILE_BYTES = 64 << 20
EXTRA_PROCESSES = 64
EXTRA_ADDRESS_SPACE_MEGABYTES = 512
MAX_OPEN_FILES = 256
MAX_KILL_ROUNDS = 200
"""Max. rounds of ending processes; each round that finds some is followed by another."""
RESULT_DESCRIPTOR = 3
SUBREAPER, PARENT_DEATH_SIGNAL = 36, 1
"""Options of `prctl(2)`."""


def set_limits(limits: dict[str, str], *, limit_address_space: bool) -> None:
    """Limit memory, time, files, and processes, as far as this system can.

    Memory shared between processes only counts towards the address space (`limit_address_space`). Some
    languages, such as JavaScript in Node.js, reserve far more address space than they use.
    """
    if sys.platform == "win32":
        return
    import resource

    megabytes, seconds = int(limits["megabytes"]), int(limits["seconds"])
    values = {
        "RLIMIT_DATA": megabytes << 20,
        "RLIMIT_CPU": 2 * (seconds + GRACE_SECONDS),
        "RLIMIT_FSIZE": MAX_FILE_BYTES,
        "RLIMIT_CORE": 0,
        "RLIMIT_NOFILE": MAX_OPEN_FILES,
        "RLIMIT_NPROC": int(limits.get("processes") or _system_thread_count() + EXTRA_PROCESSES),
    }
    if limit_address_space:
        values["RLIMIT_AS"] = megabytes + EXTRA_ADDRESS_SPACE_MEGABYTES << 20
    for name, value in values.items():
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
        except (AttributeError, ValueError, OSError):
            continue
    signal.alarm(seconds + GRACE_SECONDS)


def _system_thread_count() -> int:
    """The number of threads on the system: an upper bound for those of a user, which the limit counts."""
    try:
        with open("/proc/loadavg", encoding="ascii") as load:
            return max(512, int(load.read().split()[3].split("/")[1]))
    except (OSError, ValueError, IndexError):
        return 4096


def supervise() -> None:
    """Return in a child process. This process ends with it, after all that the child started has ended.

    Descendants that lose their parent become children of this process, so detaching doesn't hide them.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        import ctypes

        prctl = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return
    parent = os.getppid()
    prctl(SUBREAPER, 1, 0, 0, 0)
    prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
    child = os.fork()
    if child == 0:
        return
    signal.signal(signal.SIGTERM, lambda *_: _end_with_descendants(signal.SIGKILL))
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    if os.getppid() != parent:
        _end_with_descendants(signal.SIGKILL)
    while True:
        ended, status = os.wait()
        if ended == child:
            _end_with_descendants(status)


def _end_with_descendants(status: int) -> None:
    """End all descendants, then this process in the way `status` says."""
    if sys.platform == "win32":
        return
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for _ in range(MAX_KILL_ROUNDS):
        found = descendants(os.getpid())
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        try:
            while os.waitpid(-1, 0 if found else os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            break
    if os.WIFSIGNALED(status):
        code = os.WTERMSIG(status)
        if code != signal.SIGKILL:
            signal.signal(code, signal.SIG_DFL)
        os.kill(os.getpid(), code)
    os._exit(os.WEXITSTATUS(status))


def descendants(pid: int) -> list[int]:
    """All running descendants of a process."""
    found: list[int] = []
    pending = [pid]
    while pending:
        parent = pending.pop()
        children = [child for task in _tasks(parent) for child in _children(parent, task)]
        found += children
        pending += children
    return found


def _tasks(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def _children(pid: int, task: str) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as children:
            return [int(word) for word in children.read().split()]
    except (OSError, ValueError):
        return []


def restore_signals() -> None:
    """Let the program have the usual signals: it inherits those that Python ignores, and those that wait."""
    if sys.platform == "win32":
        return
    for name in ("SIGPIPE", "SIGXFSZ", "SIGXFZ"):
        if (number := getattr(signal, name, None)) is not None:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def main(argv: list[str]) -> None:
    """Set the limits and execute the program."""
    limits: dict[str, str] = {}
    while argv and "=" in argv[0]:
        name, _, limits[name] = argv.pop(0).partition("=")
    mode, *program = argv or [""]
    os.environ.pop("PWD", None)  # bubblewrap sets it
    if limits.get("supervise"):
        supervise()
    if started := limits.get("started"):
        os.write(int(started), b"1")
        os.close(int(started))
    if "megabytes" in limits:
        set_limits(limits, limit_address_space=mode == "script")
    if mode == "script":
        with open(program[0], encoding="utf-8") as file:
            source = file.read()
        # allow forbidden: the purpose of the process, once it is confined
        exec(compile(source, program[0], "exec"), {"__name__": "__main__", "__file__": program[0]})  # noqa: S102  # see above
    elif mode:
        if mode == "result-command":
            os.dup2(1, RESULT_DESCRIPTOR)
            os.dup2(2, 1)
        restore_signals()
        os.execv(limits.get("file", program[0]), program)  # noqa: S606  # the program itself, without a shell


if __name__ == "__main__":
    main(sys.argv[1:])
