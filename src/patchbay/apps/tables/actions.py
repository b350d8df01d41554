"""Actions."""

from patchbay.domain.errors import NotFound
from patchbay.integration import YES_NO, Action, Context, OnInterrupted, dropdown, text
from patchbay.integration.local_files import AllowedPath, FileEntry, WriteMode
from patchbay.integration.values import count, parameter_error, text_of

from . import worker
from .fields import (
    MAX_BYTES,
    OUTPUT_BYTES,
    SECONDS,
    file_arguments,
    file_kind,
    read_options,
    read_values,
    values_argument,
)

_MAX_ROWS, _ROWS = 10_000, 1_000
_FORMULAS = dropdown(
    "formulas",
    "Write formulas",
    YES_NO,
    value=False,
    description="If no, values that begin with = and the like are written as text. If yes, anyone whose data "
    "ends up in the values can have the spreadsheet calculate or load something.",
)


async def run_read(ctx: Context) -> None:
    """Read rows."""
    path, options = ctx.files.path(text_of(ctx.parameters, "path")), read_options(ctx)
    kind = file_kind(path)
    _, content = await ctx.files.read(path, MAX_BYTES)
    limit = count(ctx.parameters, "limit", "Max. rows", default=_ROWS, most=_MAX_ROWS)
    rows, total, columns = await ctx.compute(
        worker.read_rows,
        content,
        kind,
        {**options, "limit": limit},
        seconds=SECONDS,
        output_bytes=OUTPUT_BYTES,
    )
    ctx.set_action_item({"rows": rows, "total": total, "columns": columns})


async def run_append(ctx: Context) -> None:
    """Add a row."""
    path, options = ctx.files.path(text_of(ctx.parameters, "path")), read_options(ctx)
    kind, values = file_kind(path), read_values(ctx)
    async with ctx.files.lock(path):
        before, content = await _read_if_there(ctx, path)
        changed, row = await ctx.compute(
            worker.append_row, content, kind, options, values, seconds=SECONDS, output_bytes=OUTPUT_BYTES
        )
        entry = await _write(ctx, path, changed, before)
    ctx.set_action_item({**entry.wire(), "rowNumber": row})


async def run_update(ctx: Context) -> None:
    """Change a row."""
    path, options = ctx.files.path(text_of(ctx.parameters, "path")), read_options(ctx)
    kind, values = file_kind(path), read_values(ctx)
    column, value = text_of(ctx.parameters, "column"), text_of(ctx.parameters, "value")
    async with ctx.files.lock(path):
        entry, content = await ctx.files.read(path, MAX_BYTES)
        arguments = (content, kind, options, column, value, values)
        changed, row = await ctx.compute(
            worker.update_row, *arguments, seconds=SECONDS, output_bytes=OUTPUT_BYTES
        )
        if row:
            entry = await _write(ctx, path, changed, entry)
    ctx.set_action_item({**entry.wire(), "isUpdated": row > 0, "rowNumber": row or None})


async def _read_if_there(ctx: Context, path: AllowedPath) -> tuple[FileEntry | None, bytes]:
    try:
        return await ctx.files.read(path, MAX_BYTES)
    except NotFound:
        return None, b""


async def _write(ctx: Context, path: AllowedPath, content: bytes, before: FileEntry | None) -> FileEntry:
    """Replace a file, unless another program has changed or created it meanwhile."""
    if len(content) > MAX_BYTES:
        raise parameter_error(
            "path", f"The file would be larger than {MAX_BYTES >> 20} MB.", "Use another one."
        )
    mode = WriteMode.CREATE if before is None else WriteMode.REPLACE
    return await ctx.files.write(path, content, mode, unless_changed=before)


read_rows = Action(
    key="readRows",
    name="Read rows",
    description="Returns the rows of a table, for a loop, or those with a value in a column.",
    keywords=("find", "search", "lookup", "list"),
    arguments=(
        *file_arguments(),
        text("column", "Only rows with column", description="Empty: all rows."),
        text("value", "equal to"),
        text("limit", "Max. rows", value=str(_ROWS), description=f"Up to {_MAX_ROWS:,}."),
    ),
    file_arguments=("path",),
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    run=run_read,
)

append_row = Action(
    key="appendRow",
    name="Add row",
    description="Adds a row to the end of a table. A missing file is created with these columns.",
    keywords=("append", "insert", "log", "create"),
    arguments=(*file_arguments(), values_argument("Cells"), _FORMULAS),
    file_arguments=("path",),
    supports_connections=False,
    run=run_append,
)

update_row = Action(
    key="updateRow",
    name="Update row",
    description="Changes cells of the first row with a value in a column.",
    keywords=("change", "edit", "set"),
    arguments=(
        *file_arguments(),
        text("column", "Column", required=True, description="The column by which the row is found."),
        text("value", "Value", required=True, description="Its value in that row."),
        values_argument("Cells to change"),
        _FORMULAS,
    ),
    file_arguments=("path",),
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    run=run_update,
)
