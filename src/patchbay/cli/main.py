"""Entry point of the command line: runs one command, or opens the window."""

import argparse
import asyncio
import importlib
import inspect
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from patchbay.cli import output, parser
from patchbay.cli.commands import Command, Needs
from patchbay.domain.errors import AppError, StorageFault
from patchbay.platform import logs
from patchbay.platform.interrupts import interrupt_signals
from patchbay.platform.paths import AppPaths, find_data_key_file

if TYPE_CHECKING:
    from patchbay.domain.backend import Backend


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, or open the window without one. Returns the exit code."""
    options = parser.parse(arguments)
    data_key = find_data_key_file(options.data_key_file)
    next_paths: AppPaths | int = AppPaths.choose(options.data_dir)
    while isinstance(next_paths, AppPaths):
        paths = replace(next_paths, data_key=data_key)
        try:
            return _run(options, paths)
        except StorageFault as error:
            output.print_message(error.text())
            next_paths = _ask_for_other_folder(options, paths, error)
    return next_paths


def _ask_for_other_folder(
    options: argparse.Namespace, paths: AppPaths, error: StorageFault
) -> AppPaths | int:
    """Let the user choose a folder if the window can't start. Otherwise, returns the exit code."""
    if options.entry is not None:
        return 1
    from patchbay.cli.window import ask_for_folder

    return ask_for_folder(error, paths)


def _run(options: argparse.Namespace, paths: AppPaths) -> int:
    """Run the command with this data folder. Raises `StorageFault`; prints every other error."""
    try:
        paths.prepare()
        logs.set_up_logging(paths.logs, debug=options.debug)
        code = _dispatch(options, paths)
        if sys.stdout is not None:  # pythonw has none
            sys.stdout.flush()
        return code
    except output.WrongUsage as error:
        output.print_message(error.text())
        return 2
    except StorageFault:
        raise
    except AppError as error:
        output.print_message(error.text())
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader closed the pipe. Python flushes standard output at exit, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        logging.getLogger("cli").warning("a system call failed", exc_info=error)
        where = f" ({error.filename})" if error.filename else ""
        raise StorageFault(
            f"The system reported an error: {error.strerror or error}{where}.",
            meaning="The command wasn't completed.",
            todo="Check that the disk has space and can be written, "
            "or choose another folder with --data-dir.",
        ) from error


def _dispatch(options: argparse.Namespace, paths: AppPaths) -> int:
    command: Command | None = options.entry
    if command is None:
        from patchbay.cli.window import open_window

        return open_window(options, paths)
    is_local = not options.workspace or options.workspace == "local"
    if command.function_without_workspace and is_local and not options.json:
        return int(_load_function(command.function_without_workspace)(options, paths))
    if command.needs is Needs.DATA_FOLDER:
        code = _load_function(command.function)(options, paths)
        return asyncio.run(code) if inspect.iscoroutine(code) else int(code)
    # asyncio's own handler only cancels, which reading from standard input would never notice.
    for number in interrupt_signals():
        signal.signal(number, _interrupt)
    return asyncio.run(_open_and_run(options, paths))


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


async def _open_and_run(options: argparse.Namespace, paths: AppPaths) -> int:
    from patchbay.cli.workspaces import open_workspace_for

    command: Command = options.entry
    async with open_workspace_for(
        options, paths, engine=command.needs is Needs.ENGINE, wait_for_history=command.wait_for_history
    ) as backend:
        return await run_in_workspace(backend, options)


async def run_in_workspace(backend: "Backend", options: argparse.Namespace) -> int:
    """Run a command that needs a workspace, after completing the ID in its arguments."""
    from patchbay.cli import lookup

    command: Command = options.entry
    if command.id_of is not None:
        find_id = {
            "flow": lookup.flow_id,
            "connection": lookup.connection_id,
            "execution": lookup.execution_id,
        }[command.id_of]
        options.id = await find_id(backend, options.id)
    code: int = await _load_function(command.function)(backend, options)
    return code


def _load_function(path: str) -> Callable[..., Any]:
    module, _, name = path.rpartition(".")
    function: Callable[..., Any] = getattr(importlib.import_module(f"patchbay.cli.{module}"), name)
    return function
