"""The trigger “New row”."""

from patchbay.domain.base import Json
from patchbay.integration import Context, Trigger, text
from patchbay.integration.values import text_of

from . import worker
from .fields import MAX_BYTES, OUTPUT_BYTES, SECONDS, file_arguments, file_kind, read_options

MAX_NEW = 1_000
"""Max. rows that one poll reports. The next one continues with the others."""


async def run(ctx: Context) -> None:
    """Report the rows whose IDs aren't stored. What is there at publishing counts as known."""
    path, options = ctx.files.path(text_of(ctx.parameters, "path")), read_options(ctx)
    kind = file_kind(path)
    _, content = await ctx.files.read(path, MAX_BYTES)
    found, first = await ctx.compute(
        worker.identify_rows, content, kind, options, seconds=SECONDS, output_bytes=OUTPUT_BYTES
    )
    ids = [str(one) for one in _as_list(found)]
    if ctx.is_baseline:
        for internal_id in ids:
            ctx.mark_known(internal_id)
        return
    stored = frozenset[str]() if ctx.execution.test_run else await ctx.seen(ids)
    new = [(first + index, one) for index, one in enumerate(ids) if one not in stored]
    new = new[-1:] if ctx.execution.test_run else new[:MAX_NEW]
    rows = await ctx.compute(
        worker.rows_at,
        content,
        kind,
        options,
        [index for index, _ in new],
        seconds=SECONDS,
        output_bytes=OUTPUT_BYTES,
    )
    for row, (index, internal_id) in reversed([*zip(rows, new, strict=True)]):
        with ctx.guard_item(internal_id, name=f"Row {index + 1}"):
            ctx.push_trigger_item({"row": row, "rowNumber": index + 1}, internal_id)


def _as_list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


new_row = Trigger(
    key="newRow",
    name="New row",
    description="Starts when a row is added to a CSV or Excel file.",
    keywords=("append", "added", "watch", "spreadsheet"),
    arguments=(
        *file_arguments(variables=False),
        text(
            "idColumn",
            "ID column",
            variables=False,
            description="A column whose value is different in each row. Empty: a changed row is new, too.",
        ),
    ),
    source=("path", "sheet", "idColumn"),
    file_arguments=("path",),
    supports_connections=False,
    run=run,
)
