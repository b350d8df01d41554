"""From words to a command. A command's room is imported only when asked for, so the window starts lean."""

import argparse
import asyncio
import importlib
import logging
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from patchbay.cli import output, parser
from patchbay.domain.errors import AppError, StorageFault
from patchbay.platform import logs
from patchbay.platform.paths import AppPaths

_COMMAND_MODULES = {
    "flow": "flows", "execution": "executions", "engine": "engine", "connection": "connections",
    "app": "apps", "user": "people",
}  # fmt: skip
_COMMANDS_THAT_RUN_FLOWS = {("flow", "run"), ("execution", "retry"), ("execution", "replay")}
_SERVICE_COMMANDS = ("serve", "doctor")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; without one, open the window."""
    options = parser.parse(arguments)
    paths: AppPaths | None = AppPaths.choose(options.data_dir)
    while paths is not None:
        try:
            return _run(options, paths)
        except StorageFault as error:
            output.print_message(error.text())
            paths = _ask_for_other_folder(options, paths, error)
    return 1


def _ask_for_other_folder(
    options: argparse.Namespace, paths: AppPaths, error: StorageFault
) -> AppPaths | None:
    """Where to start the window after this error, as people choose in a dialog; None for other commands."""
    if options.command is not None:
        return None
    from patchbay.cli.window import ask_for_folder

    return ask_for_folder(error, paths)


def _run(options: argparse.Namespace, paths: AppPaths) -> int:
    """Run the command in this folder. Raises `StorageFault`; tells of every other error."""
    try:
        paths.prepare()
        logs.set_up_logging(paths.logs, debug=options.debug)
        return _dispatch(options, paths)
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
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  the reader went away; nothing is left to tell
        return 1
    except OSError as error:
        raise _system_error(error) from error


def _system_error(error: OSError) -> StorageFault:
    """The error for a failed system call, such as writing to a disk that is full or read-only."""
    logging.getLogger("cli").warning("a system call failed", exc_info=error)
    where = f" ({error.filename})" if error.filename else ""
    return StorageFault(
        f"The system reported an error: {error.strerror or error}{where}.",
        meaning="The command was not completed.",
        todo="Check that the disk has space and can be written, or choose another folder with --data-dir.",
    )


def _dispatch(options: argparse.Namespace, paths: AppPaths) -> int:
    command = options.command
    if command is None or command == "tour":
        from patchbay.cli.window import run

        return run(options, paths)
    if command == "app" and options.action == "check":
        from patchbay.cli import apps as check

        return check.run_check(options, paths)
    if command == "app" and options.action == "new":
        from patchbay.cli import apps as new_app

        return new_app.run_new(options, paths)
    if command in ("backup", "restore"):
        from patchbay.cli import backup

        return backup.run(options, paths)
    if command == "api-key":
        from patchbay.cli import api_keys

        return asyncio.run(api_keys.run(options, paths))
    if command in _SERVICE_COMMANDS:
        from patchbay.cli import doctor as service

        return asyncio.run(service.run(options, paths))
    # asyncio's own handler only cancels, which reading from standard input would never notice.
    signal.signal(signal.SIGINT, _interrupt)
    return asyncio.run(_with_backend(options, paths))


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


async def _with_backend(options: argparse.Namespace, paths: AppPaths) -> int:
    from patchbay.cli import workspaces

    module = importlib.import_module(f"patchbay.cli.{_COMMAND_MODULES[options.command]}")
    runs_flows = (options.command, getattr(options, "action", None)) in _COMMANDS_THAT_RUN_FLOWS
    async with workspaces.open_workspace_for(options, paths, engine=runs_flows) as backend:
        code: int = await module.run(backend, options)
        return code
