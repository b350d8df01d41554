"""`patchbay flow …`"""

import argparse
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from patchbay.cli import execution_result, lookup, output
from patchbay.domain import json_limits
from patchbay.domain.apps import AppInfo, connection_app, needs_connection_choice
from patchbay.domain.backend import Backend
from patchbay.domain.base import AppKey, Json, JsonObject
from patchbay.domain.errors import AppError, FlowNotReady, ValidationFailed
from patchbay.domain.flow_import import (
    MAX_FILE_BYTES,
    MAX_FILE_VALUES,
    MAX_FLOWS,
    flow_label,
    import_error,
    import_flows,
    import_notes,
)
from patchbay.domain.flows import (
    Flow,
    FlowExport,
    FlowFilter,
    Step,
    StepChange,
    StepStatus,
    StepType,
    StructuralType,
)
from patchbay.domain.paging import read_all

# MERGED: Connections for the steps of an imported flow: an export has none.


async def use_single_connections(backend: Backend, flow: Flow) -> Flow:
    """Give each step that uses a connection the one of its app, where there is exactly one.

    A step whose connection is optional gets one only if it had one where the flow was exported: a webhook
    that accepted every call shouldn't begin to refuse some, and a request that was sent without credentials
    shouldn't begin to carry some. Steps of apps that aren't installed are skipped.
    """
    installed = {app.key for app in await backend.list_apps()}
    apps: dict[AppKey, AppInfo] = {}
    for step in flow.steps:
        if step.connection_id or step.app_key not in installed:
            continue
        app = apps.get(step.app_key) or await backend.get_app(step.app_key)
        apps[step.app_key] = app
        event = app.trigger(step.key) if step.type is StepType.TRIGGER else app.action(step.key)
        asked = needs_connection_choice(app, event, undecided=step.connection_required)
        connections = await backend.list_connections(connection_app(app, event)) if asked else ()
        if len(connections) == 1:
            flow = await backend.update_step(step.id, StepChange(connection_id=connections[0].id))
    return flow


MAX_LISTED_FLOWS = 5
"""Flows named with a difference; a file may hold hundreds."""


_WEBHOOK_NOTES = {
    True: "Signed: calls without a valid signature are refused.",
    False: "Unsigned: anyone who knows this address can start the flow.",
}


async def run(backend: Backend, options: argparse.Namespace) -> int:
    command = _COMMANDS[options.action]
    if "id" in options:
        options.id = await lookup.flow_id(backend, options.id)
    result: int = await command(backend, options)
    return result


async def _list(backend: Backend, options: argparse.Namespace) -> int:
    flows = await read_all(partial(backend.list_flows, FlowFilter()))
    rows = [
        (flow.id, flow.status.value, str(len(flow.steps)), _webhook(flow.trigger), flow.name)
        for flow in flows
    ]
    output.data(
        [_document(flow) for flow in flows],
        as_json=options.json,
        text=output.table(("ID", "STATUS", "STEPS", "WEBHOOK", "NAME"), rows),
    )
    return 0


def _webhook(trigger: Step | None) -> str:
    """Whether the flow's webhook accepts signed calls only; a dash for flows without one."""
    if trigger is None or trigger.webhook_signed is None:
        return "-"
    return "signed" if trigger.webhook_signed else "unsigned"


def _document(flow: Flow) -> JsonObject:
    """The flow as JSON, without the owner and folder of a flow whose service tells neither."""
    document = flow.wire()
    hidden_fields = () if flow.user_id else ("userId", "folderId")
    return {key: value for key, value in document.items() if key not in hidden_fields}


async def _show(backend: Backend, options: argparse.Namespace) -> int:
    flow = await backend.get_flow(options.id)
    lines = [f"{flow.name}  ({flow.status.value})", f"  revision {flow.updated_at}"]
    if flow.paused_reason:
        lines.append(f"  paused: {flow.paused_reason}")
    depths: dict[str | None, int] = {None: 1}
    for step in flow.steps:
        depths[step.id] = depths[step.parent_step_id] + 1
        lines += _step_lines(step, "  " * depths[step.parent_step_id])
    output.data(_document(flow), as_json=options.json, text="\n".join(lines))
    return 0


def _step_lines(step: Step, indent: str) -> list[str]:
    what = f"{step.app_key or '-'} / {step.key or '-'}"
    if step.structural_type is not StructuralType.SINGLE:
        what = " ".join(filter(None, (step.structural_type.value, step.name)))
    lines = [f"{indent}{step.position}. {what}  {step.status.value}"]
    if step.webhook_url:
        lines.append(f"{indent}   {step.webhook_url}")
    if step.webhook_signed is not None:
        lines.append(f"{indent}   {_WEBHOOK_NOTES[step.webhook_signed]}")
    return lines


async def _export(backend: Backend, options: argparse.Namespace) -> int:
    export = await backend.export_flow(options.id)
    output.data(export.wire(), as_json=True, text="")
    return 0


async def _import(backend: Backend, options: argparse.Namespace) -> int:
    """Import the flows of a file, or none of them. Flows that the file already brought in are left alone."""
    exports = read_exports(options.file)
    imported_flows = (
        {}
        if options.copy
        else {flow.imported_from: flow for flow in await read_all(partial(backend.list_flows, FlowFilter()))}
    )
    flows = await import_flows(backend, exports, imported_flows)
    installed = {app.key for app in await backend.list_apps()}
    entries = []
    for flow, export in zip(flows, exports, strict=True):
        known = imported_flows.get(flow.imported_from)
        entry: dict[str, Any] = {
            "id": flow.id, "name": flow.name, "imported": known is None, "published": flow.active,
        }  # fmt: skip
        if notes := [note.with_step_numbers() for note in import_notes(export)]:
            entry["notes"] = notes
        unknown = dict.fromkeys(key for key in flow.app_keys if key not in installed)
        missing = [f"The app “{key}” isn't installed here." for key in unknown]
        try:
            if options.use_accounts:
                flow = await use_single_connections(backend, flow)
            if options.publish and not flow.active:
                entry["published"], missing = await publish_imported(backend, flow)
        except AppError as error:
            missing = [error.text()]
            entry["failed"] = True
        if missing:
            entry["missing"] = missing
        entries.append(entry)
    lines = [_import_line(entry) for entry in entries]
    failed = any(entry.get("failed") or (options.publish and not entry["published"]) for entry in entries)
    output.result(entries, as_json=options.json, text="\n".join(lines), failed=failed)
    if not options.json:
        for line in _differences(exports):
            output.print_message(line)
    if failed:
        output.print_message("Complete these flows, or repeat the command: it doesn't import a flow twice.")
    return 1 if failed else 0


def _differences(exports: list[FlowExport]) -> list[str]:
    """What works in another way than at Automatisch, each difference once, with the flows it concerns."""
    found: dict[str, list[str]] = {}
    for export in exports:
        for note in import_notes(export):
            numbers = ", ".join(map(str, note.steps))
            found.setdefault(note.text, []).append(f"{export.name}: step {numbers}")
    lines = []
    for text, flow_labels in found.items():
        more = (
            f", and {len(flow_labels) - MAX_LISTED_FLOWS} more" if len(flow_labels) > MAX_LISTED_FLOWS else ""
        )
        lines.append(f"  {text} ({'; '.join(flow_labels[:MAX_LISTED_FLOWS])}{more})")
    return ["Different from Automatisch:", *lines] if lines else []


def _import_line(entry: Mapping[str, Any]) -> str:
    states = [] if entry["imported"] else ["already imported"]
    states.append("published" if entry["published"] else "imported as a draft" if not states else "a draft")
    reasons = "".join(f"\n    {reason}" for reason in entry.get("missing", []))
    return f"{entry['id']}  {entry['name']}: {', '.join(states)}{reasons}"


async def publish_imported(backend: Backend, flow: Flow) -> tuple[bool, list[str]]:
    """Publish what is complete, marking untested steps as skipped: (published, what is missing)."""
    for step in flow.steps:
        if step.status is not StepStatus.COMPLETED:
            try:
                flow = await backend.skip_step_test(step.id)
            except ValidationFailed:
                continue  # publishing says what is missing, for all steps together
    try:
        await backend.publish_flow(flow.id, seen=flow.updated_at)
    except FlowNotReady as error:
        return False, error.by_field["flow"]
    return True, []


def read_exports(name: str) -> list[FlowExport]:
    """One flow or a list of flows from a file (`-`: standard input). Raises `ValidationFailed` in words."""
    from patchbay.service.flow_export import (
        validate_export,
    )  # it brings the whole service, which only imports need

    document = read_json(name)
    items = document if isinstance(document, list) else [document]
    if not items:
        raise ValidationFailed({"file": ["it is an empty list"]}, happened=f"{name} holds no flow.")
    if len(items) > MAX_FLOWS:
        raise _unreadable_file(name, f"has {len(items):,} flows; {MAX_FLOWS:,} can be imported at once")
    exports: list[FlowExport] = []
    problems: list[str] = []
    for number, item in enumerate(items, 1):
        label = flow_label(number, item.get("name") if isinstance(item, dict) else None)
        try:
            exports.append(FlowExport.model_validate(item))
            validate_export(exports[-1])
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "its top"
            problems.append(f"{label} is not an exported flow. At {place}: {first['msg']}.")
        except ValidationFailed as error:
            problems.append(f"{label}: {error.text()}")
    if problems:
        raise import_error(problems, len(items))
    return exports


def read_json(name: str) -> Json:
    """A JSON document from a file or standard input, errors in words."""
    try:
        return json_limits.read_json(_read_text(name), MAX_FILE_VALUES)
    except OSError as error:
        raise _unreadable_file(name, f"cannot be read: {error.strerror}") from error
    except json_limits.TooManyValues as error:
        raise _unreadable_file(name, f"is too large: it has {error}") from error
    except ValueError as error:
        raise _unreadable_file(name, f"is not JSON: {error}") from error


def _read_text(name: str) -> str:
    """The text of a file or of standard input, of which no more is read than can be used."""
    if name == "-":
        text = sys.stdin.read(MAX_FILE_BYTES + 1)
    elif Path(name).exists() and not Path(name).is_file():
        raise _unreadable_file(name, "is not a file", todo="Choose a file, or pipe the flow in and give “-”.")
    else:
        with Path(name).open(encoding="utf-8") as file:
            text = file.read(MAX_FILE_BYTES + 1)
    if len(text) > MAX_FILE_BYTES:
        raise _unreadable_file(name, f"is larger than {MAX_FILE_BYTES // 1_000_000} MB")
    return text


def _unreadable_file(name: str, reason: str, todo: str = "") -> ValidationFailed:
    return ValidationFailed({"file": [reason]}, happened=f"{name} {reason}.", todo=todo)


async def _publish(backend: Backend, options: argparse.Namespace) -> int:
    revision = options.revision
    if revision is None:
        revision = (await backend.get_flow(options.id)).updated_at
    flow = await backend.publish_flow(options.id, seen=revision)
    version = f" as version {flow.published_version}" if flow.published_version else ""
    output.data(_document(flow), as_json=options.json, text=f"{flow.name} is live{version}.")
    return 0


async def _unpublish(backend: Backend, options: argparse.Namespace) -> int:
    flow = await backend.unpublish_flow(options.id)
    output.data(_document(flow), as_json=options.json, text=f"{flow.name} is a draft now and does not run.")
    return 0


async def _delete(backend: Backend, options: argparse.Namespace) -> int:
    await backend.delete_flow(options.id)
    output.data({"id": options.id, "deleted": True}, as_json=options.json, text="Deleted.")
    return 0


async def _pause(backend: Backend, options: argparse.Namespace) -> int:
    flow = await backend.pause_flow(options.id)
    text = f"{flow.name} is paused: what comes in is kept, nothing of it runs."
    output.data(_document(flow), as_json=options.json, text=text)
    return 0


async def _resume(backend: Backend, options: argparse.Namespace) -> int:
    flow = await backend.resume_flow(options.id)
    output.data(_document(flow), as_json=options.json, text=f"{flow.name} is {flow.status.value}.")
    return 0


async def _run(backend: Backend, options: argparse.Namespace) -> int:
    # allow blocking: nothing else runs on the loop of a command
    item = read_json(options.input) if options.input else None
    return execution_result.print_result(
        await execution_result.wait_for_end(backend, await backend.run_flow(options.id, item)), options
    )


_COMMANDS = {
    "list": _list, "show": _show, "export": _export, "import": _import, "publish": _publish,
    "unpublish": _unpublish, "delete": _delete, "run": _run, "pause": _pause, "resume": _resume,
}  # fmt: skip
