"""`patchbay execution …`"""

import argparse
import re
from datetime import datetime

from patchbay.cli import lookup, output
from patchbay.cli.execution_search import iterate_executions
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import EpochMs
from patchbay.domain.executions import (
    Execution,
    ExecutionFilter,
    ExecutionState,
    ExecutionStatus,
    ExecutionStep,
    StepRef,
)
from patchbay.domain.paging import MAX_PAGE_SIZE, PageRequest
from patchbay.platform.clock import now_ms

_SPAN = re.compile(r"(\d+)\s*([smhdw])")
_UNIT_MS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}


async def run(backend: Backend, options: argparse.Namespace) -> int:
    await _resolve_ids(backend, options)
    if options.action == "list":
        return await _list(backend, options)
    if options.action == "show":
        return await _show(backend, options)
    if options.action == "export":
        from patchbay.cli import execution_export

        return await execution_export._export(backend, options)
    from patchbay.cli import run_control

    return await run_control._run_control(backend, options)


async def _resolve_ids(backend: Backend, options: argparse.Namespace) -> None:
    """Put whole IDs into the options. Filters also take those of flows and executions that were deleted."""
    if getattr(options, "id", None) and not getattr(options, "all", False):
        options.id = await lookup.execution_id(backend, options.id)
    if getattr(options, "flow", None) and not lookup.is_full_id(options.flow):
        options.flow = await lookup.flow_id(backend, options.flow)
    if getattr(options, "origin", None) and not lookup.is_full_id(options.origin):
        options.origin = await lookup.execution_id(backend, options.origin)


async def _list(backend: Backend, options: argparse.Namespace) -> int:
    executions = await _read(backend, filter_from_options(options), options.limit, options.search)
    rows = [
        (item.id, item.state.value, output.format_time(item.created_at), item.flow.name, item.note or "")
        for item in executions
    ]
    text = output.table(("ID", "STATUS", "STARTED", "FLOW", "NOTE"), rows)
    output.data([item.wire() for item in executions], as_json=options.json, text=text)
    return 0


async def _read(backend: Backend, wanted: ExecutionFilter, limit: int, text: str | None) -> list[Execution]:
    executions: list[Execution] = []
    if text is not None:
        async for items, _ in iterate_executions(backend, wanted, text):
            executions.extend(items)
            if len(executions) >= limit:
                break
        return executions[:limit]
    cursor, number = None, 1
    while len(executions) < limit:
        size = min(MAX_PAGE_SIZE, limit - len(executions))
        page = await backend.list_executions(wanted, PageRequest(page=number, limit=size, cursor=cursor))
        executions.extend(page.items)
        if not page.items or len(executions) >= page.total:
            break
        cursor, number = page.next_cursor, number + 1
    return executions[:limit]


def filter_from_options(options: argparse.Namespace) -> ExecutionFilter:
    """The filter that the options of `execution list`, `export` and `retry --all` ask for."""
    status: ExecutionStatus | None = None
    states: tuple[ExecutionState, ...] = ()
    if options.status in list(ExecutionStatus):
        status = ExecutionStatus(options.status)
    elif options.status:
        states = (_state(options.status),)
    return ExecutionFilter(
        name=options.name, flow_id=options.flow, status=status, states=states,
        started_after=moment(options.since), ended_before=moment(options.until), origin_id=options.origin,
    )  # fmt: skip


def _state(word: str) -> ExecutionState:
    try:
        return ExecutionState(word)
    except ValueError:
        known = ", ".join(ExecutionState)
        raise output.WrongUsage("status", f"There is no status “{word}”.", f"Use one of {known}.") from None


def moment(text: str | None) -> EpochMs | None:
    """A point in time from an ISO text or a span back from now (`90m`, `2h`, `7d`)."""
    if not text:
        return None
    if span := _SPAN.fullmatch(text.strip()):
        return now_ms() - int(span[1]) * _UNIT_MS[span[2]]
    try:
        return round(datetime.fromisoformat(text).timestamp() * 1000)
    except ValueError:
        raise output.WrongUsage(
            "time", f"“{text}” is not a time.", "Use 2026-11-20T08:00, or a span back from now such as 2h."
        ) from None


async def _show(backend: Backend, options: argparse.Namespace) -> int:
    execution = await backend.get_execution(options.id)
    unavailable = backend.capabilities.reason(Feature.STEP_RESULTS)
    steps = None if unavailable else await backend.execution_steps(options.id)
    lines = [
        f"{execution.flow.name}: {execution.state.value}" + (f" ({execution.note})" if execution.note else "")
    ]
    if execution.origin_id:
        lines.append(f"{execution.origin_kind} of {execution.origin_id}")
    lines.append(
        f"started {output.format_time(execution.created_at)}, ended {output.format_time(execution.finished_at)}"
    )
    for item in steps or ():
        lines += ["", *_step_lines(item)]
    if steps is None:
        lines += ["", *(f"{step.position}. {_step_label(step)}" for step in execution.flow.steps)]
    results = None if steps is None else [item.wire() for item in steps]
    document = execution.wire() | {"executionSteps": results}
    output.data(document, as_json=options.json, text="\n".join(lines))
    if unavailable:
        output.print_message(unavailable)
    return 0


def _step_label(step: StepRef) -> str:
    return f"{step.app_key} / {step.key}" if step.app_key else step.structural_type.value


def _step_lines(item: ExecutionStep) -> list[str]:
    what = _step_label(item.step)
    attempt_text = f", attempt {item.attempt}" if item.attempt > 1 else ""
    filter_from_options = f", item {_one_based_path(item.path)}" if item.path else ""
    result = f"error:    {output.pretty(item.error_details)}" if item.error_details else (
        f"data out: {output.pretty(item.data_out)}")  # fmt: skip
    return [
        f"{item.seq + 1}. {what}{filter_from_options}: {item.status.value}{attempt_text}",
        f"data in:  {output.pretty(item.data_in)}",
        result,
        *(f"warning:  {warning}" for warning in item.warnings),
    ]


def _one_based_path(path: str) -> str:
    """The items of loops as people count them: "2.0" is item 1 of what item 3 held."""
    return ".".join(str(int(number) + 1) for number in path.split("."))
