"""`patchbay execution export`: any number of executions into a file, or to standard output."""

import argparse
import contextlib
import io
import sys
from pathlib import Path
from typing import TextIO

from patchbay.cli import output
from patchbay.cli.execution_search import iterate_executions
from patchbay.cli.executions import filter_from_options
from patchbay.domain.backend import Backend
from patchbay.domain.errors import StorageFault
from patchbay.domain.execution_files import EXPORT_FORMATS, RowFormatter, row_formatter
from patchbay.domain.executions import ExecutionFilter

PROGRESS_EVERY = 10_000


async def _export(backend: Backend, options: argparse.Namespace) -> int:
    wanted, text, format_name = filter_from_options(options), options.search, _choose_format(options)
    if options.raw and format_name != "csv":
        raise output.WrongUsage("raw", "--raw is for CSV only.", "Other formats are never changed.")
    lines = row_formatter(format_name, raw=options.raw)
    if options.out == "-":
        if options.json:
            raise output.WrongUsage(
                "out", "Standard output cannot hold both the export and --json.", "Name a file to write."
            )
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(newline="")  # the ends of lines are part of the form
        await _write(backend, wanted, text, lines, sys.stdout)
        return 0
    count = await _to_file(backend, wanted, text, lines, Path(options.out))
    document = {"file": options.out, "format": format_name, "executions": count}
    output.data(document, as_json=options.json, text=f"{count:,} executions written to {options.out}.")
    return 0


def _choose_format(options: argparse.Namespace) -> str:
    """The form asked for, or the one that the ending of the name means."""
    format_name = options.format or Path(options.out).suffix.lower().removeprefix(".")
    if format_name not in EXPORT_FORMATS:
        known = " or ".join(EXPORT_FORMATS)
        raise output.WrongUsage("format", "It is not clear in which form to write.", f"Use --format {known}.")
    return str(format_name)


async def _to_file(
    backend: Backend, wanted: ExecutionFilter, text: str | None, lines: RowFormatter, path: Path
) -> int:
    """The file appears when it is complete; an interruption leaves what was there."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            count = await _write(backend, wanted, text, lines, file)
        part.replace(path)
    except OSError as error:
        raise StorageFault(
            f"{path} could not be written: {error.strerror or error}.", todo="Choose another place."
        ) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
    return count


async def _write(
    backend: Backend, wanted: ExecutionFilter, text: str | None, lines: RowFormatter, file: TextIO
) -> int:
    done, first = 0, True
    async for items, total in iterate_executions(backend, wanted, text):
        if items or first:
            file.write(lines(items, first))
        first, before, done = False, done, done + len(items)
        if total is not None and before // PROGRESS_EVERY < done // PROGRESS_EVERY < total // PROGRESS_EVERY:
            output.print_message(f"{done:,} of {total:,}")
    return done
