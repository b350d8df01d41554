"""Runs one Python program in its own process, which has set its limits before. Imports nothing of Patchbay.

Standard input: `{"code", "inputs"}`. The result is written to the original standard output, which other
languages find at descriptor 3: `{"output"}` or `{"failed": {"kind", "line", "message"}}`. What the program
prints goes to standard error.
"""

import ast
import json
import os
import sys
from types import CodeType, CoroutineType

NAME = "program"
MAX_MESSAGE_LENGTH = 2000
_IN_MEMORY = "/dev/shm"  # inside the sandbox, where no other user can write


def run_program(code: str, inputs: object) -> str:
    """Run a program; returns its result or its error as JSON."""
    reserve = bytearray(1 << 20)
    try:
        program = ast.parse(code, NAME)
        output = _run(_compile(program), inputs)
        if output is None and (unused := _find_uncalled_main(program)):
            return _encode_failure("uncalled", unused.lineno, unused.name)
        return _encode_result(output)
    except _NotJsonError as error:
        return _encode_failure("no_json", None, str(error))
    except SyntaxError as error:
        if error.filename != NAME or _error_line(error) is not None:
            return _encode_failure("raised", _error_line(error), _error_text(error))
        return _encode_failure("syntax", error.lineno, error.msg)
    except MemoryError as error:
        del reserve
        return _encode_failure("memory", _error_line(error), "")
    except SystemExit as error:
        return (
            _encode_result(None)
            if error.code in (None, 0)
            else _encode_failure("raised", _error_line(error), _error_text(error))
        )
    except BaseException as error:  # noqa: BLE001  whatever the program raises
        return _encode_failure("raised", _error_line(error), _error_text(error))


class _NotJsonError(Exception):
    pass


def _find_uncalled_main(tree: ast.Module) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The first top-level function that isn't mentioned anywhere else."""
    defined = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    if not defined:
        return None
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    # A decorator may have called it or registered it.
    return next((item for item in defined if item.name not in used and not item.decorator_list), None)


def _compile(tree: ast.Module) -> CodeType:
    """The program as the body of a function, so that “return” works and line numbers stay the same."""
    start = "async def" if any(map(_awaits, tree.body)) else "def"
    shell = ast.parse(f"{start} program(inputs):\n    output = None\n    return output")
    function = shell.body[0]
    assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
    function.body[1:1] = tree.body
    # allow forbidden: this process exists to run the program, in isolation from everything else
    return compile(shell, NAME, "exec")


def allow_shared_memory() -> None:
    """Make `mmap.mmap(-1, size)` work where the sandbox forbids shared memory without a file.

    It uses a nameless file in memory instead, which counts towards the limits of the program.
    """
    if sys.platform != "linux":
        return
    import mmap

    class SharedMemory(mmap.mmap):
        """Memory shared with child processes, in a nameless file if it can't be without one."""

        def __new__(
            cls,
            fileno: int,
            length: int,
            flags: int = mmap.MAP_SHARED,
            *others: int,
            **named: int,
        ) -> "SharedMemory":
            try:
                return super().__new__(cls, fileno, length, flags, *others, **named)
            except PermissionError:
                if fileno != -1 or not flags & mmap.MAP_SHARED or length <= 0:
                    raise
            file = os.open(_IN_MEMORY, os.O_RDWR | os.O_TMPFILE | os.O_CLOEXEC, 0o600)
            try:
                os.posix_fallocate(file, 0, length)
                return super().__new__(cls, file, length, flags & ~mmap.MAP_ANONYMOUS, *others, **named)
            finally:
                os.close(file)

    mmap.mmap = SharedMemory  # type: ignore[misc]


def _awaits(node: ast.AST) -> bool:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
        return False
    if isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)):
        return True
    return any(map(_awaits, ast.iter_child_nodes(node)))


def _run(program: CodeType, inputs: object) -> object:
    names: dict[str, object] = {"__name__": "__main__"}
    # allow forbidden: this process exists to run the program, in isolation from everything else
    exec(program, names)  # noqa: S102  # the purpose of this process
    made = names["program"](inputs)  # type: ignore[operator]
    if isinstance(made, CoroutineType):
        import asyncio

        return asyncio.run(made)
    return made


def _encode_result(value: object) -> str:
    try:
        return f'{{"output": {json.dumps(value, allow_nan=False, default=_to_json_value)}}}'
    except (TypeError, ValueError, RecursionError) as error:
        raise _NotJsonError(str(error)) from error


def _to_json_value(value: object) -> object:
    """Convert dates to ISO texts and sets to lists; nothing else has a JSON form."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, (set, frozenset)):
        return list(value)
    raise TypeError(f"a value of the type {type(value).__name__}")


def _error_line(error: BaseException) -> int | None:
    """The line of the program that raised the error."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == NAME:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _error_text(error: BaseException) -> str:
    try:
        said = str(error)
    except Exception:  # noqa: BLE001  whatever the program raises
        said = ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _encode_failure(kind: str, line: int | None, message: str) -> str:
    return json.dumps({"failed": {"kind": kind, "line": line, "message": message[:MAX_MESSAGE_LENGTH]}})


def main() -> None:
    """Run the program from standard input."""
    result = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    allow_shared_memory()
    given = json.loads(sys.stdin.buffer.read())
    found = run_program(given["code"], given["inputs"])
    result.write(found.encode())
    result.flush()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(0)  # don't wait for threads that the program left running


if __name__ == "__main__":
    main()
