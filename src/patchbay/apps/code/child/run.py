"""Sets limits on its own process and runs one program in it. Knows nothing of Patchbay.

Words: megabytes, seconds, and for another language the command to become once the limits are set.
Standard input: `{"code", "inputs"}`. The answer goes where standard output led, which other languages find
at descriptor 3: `{"output"}` or `{"failed": {"kind", "line", "message"}}`. What is printed goes to standard
error.
"""

import ast
import json
import os
import sys
from types import CodeType, CoroutineType

NAME = "program"
RESULT = 3
GRACE = 5
"""Seconds after which the process ends by itself, should nobody be left to stop it."""
LARGEST_FILE = 64 << 20
MORE_PROCESSES = 64
MORE_ADDRESSES = 512
LONGEST_MESSAGE = 2000


def set_limits(megabytes: int, seconds: int, *, other: bool) -> None:
    """Limit memory, time, files and processes, as far as this system can.

    Memory shared between processes counts only as address space. That is not limited for an `other` language:
    Node.js speaks for far more of it than it ever uses.
    """
    if sys.platform == "win32":
        return
    import resource
    import signal

    limits = {
        "RLIMIT_DATA": megabytes << 20,
        "RLIMIT_CPU": 2 * (seconds + GRACE),
        "RLIMIT_FSIZE": LARGEST_FILE,
        "RLIMIT_CORE": 0,
        "RLIMIT_NPROC": _processes() + MORE_PROCESSES,
    }
    if not other:
        limits["RLIMIT_AS"] = megabytes + MORE_ADDRESSES << 20
    for name, value in limits.items():
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
        except (AttributeError, ValueError, OSError):
            continue
    signal.alarm(seconds + GRACE)


def _processes() -> int:
    """How many threads the whole system runs: no person has more, and the limit counts those of a person."""
    try:
        with open("/proc/loadavg", encoding="ascii") as load:
            return max(512, int(load.read().split()[3].split("/")[1]))
    except (OSError, ValueError, IndexError):
        return 4096


def answer(code: str, inputs: object) -> str:
    """Run a program and say what it gave, or how it failed: JSON."""
    reserve = bytearray(1 << 20)
    try:
        return _gave(_run(_compiled(code), inputs))
    except _NoJson as error:
        return _failed("no_json", None, str(error))
    except SyntaxError as error:
        if error.filename != NAME or _line(error) is not None:
            return _failed("raised", _line(error), _words(error))
        return _failed("syntax", error.lineno, error.msg)
    except MemoryError as error:
        del reserve
        return _failed("memory", _line(error), "")
    except SystemExit as error:
        return _gave(None) if error.code in (None, 0) else _failed("raised", _line(error), _words(error))
    except BaseException as error:  # noqa: BLE001  whatever the program raises
        return _failed("raised", _line(error), _words(error))


class _NoJson(Exception):
    pass


def _compiled(code: str) -> CodeType:
    """The program as the body of a function, in which “return” works and lines keep their numbers."""
    tree = ast.parse(code, NAME)
    start = "async def" if any(map(_awaits, tree.body)) else "def"
    shell = ast.parse(f"{start} program(inputs):\n    output = None\n    return output")
    function = shell.body[0]
    assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
    function.body[1:1] = tree.body
    return compile(shell, NAME, "exec")


def _awaits(node: ast.AST) -> bool:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
        return False
    if isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)):
        return True
    return any(map(_awaits, ast.iter_child_nodes(node)))


def _run(program: CodeType, inputs: object) -> object:
    names: dict[str, object] = {"__name__": "__main__"}
    exec(program, names)
    made = names["program"](inputs)  # type: ignore[operator]
    if isinstance(made, CoroutineType):
        import asyncio

        return asyncio.run(made)
    return made


def _gave(value: object) -> str:
    try:
        return f'{{"output": {json.dumps(value, allow_nan=False, default=_plain)}}}'
    except (TypeError, ValueError, RecursionError) as error:
        raise _NoJson(str(error)) from error


def _plain(value: object) -> object:
    """Dates as ISO texts and sets as lists; there is no JSON for anything else."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, (set, frozenset)):
        return list(value)
    raise TypeError(f"a value of the type {type(value).__name__}")


def _line(error: BaseException) -> int | None:
    """The line of the program where it went wrong."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == NAME:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _words(error: BaseException) -> str:
    try:
        said = str(error)
    except Exception:  # noqa: BLE001  whatever the program raises
        said = ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _failed(kind: str, line: int | None, message: str) -> str:
    return json.dumps({"failed": {"kind": kind, "line": line, "message": message[:LONGEST_MESSAGE]}})


def main(words: list[str]) -> None:
    """Become the command, or run the Python program that comes in."""
    megabytes, seconds, command = int(words[0]), int(words[1]), words[2:]
    set_limits(megabytes, seconds, other=bool(command))
    if command:
        os.dup2(1, RESULT)
        os.dup2(2, 1)
        os.execv(command[0], command)
    result = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    given = json.loads(sys.stdin.buffer.read())
    found = answer(given["code"], given["inputs"])
    result.write(found.encode())
    result.flush()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(0)  # threads the program left behind do not hold it back


if __name__ == "__main__":
    main(sys.argv[1:])
