"""`patchbay flow`: list, show, import, export, publish, pause, run, and delete flows."""

import argparse
import sys
from collections.abc import Container, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from patchbay.cli import execution_result, output
from patchbay.domain import json_limits
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import Backend, ImportedFlow
from patchbay.domain.base import AppKey, FlowId, Json, JsonObject, get_optional
from patchbay.domain.charsets import decode_text_file
from patchbay.domain.engine import EngineState
from patchbay.domain.errors import AppError, Conflict, FlowNotReady, ValidationFailed
from patchbay.domain.flow_import import (
    MAX_FILE_BYTES,
    MAX_FILE_VALUES,
    MAX_FLOWS,
    find_imported_flows,
    flow_label,
    import_error,
    import_flows,
    import_notes,
    missing_connection_app,
    publish_draft,
    publishing_problems,
)
from patchbay.domain.flows import (
    Flow,
    FlowExport,
    FlowFilter,
    FlowStatus,
    Step,
    StepChange,
    StructuralType,
)
from patchbay.domain.input_problems import json_problem, place_of, shape_problem
from patchbay.domain.paging import read_all

MAX_LISTED_FLOWS = 5
"""Flows listed for each difference from Automatisch; a file can have hundreds."""

_INCOMPLETE_HINT = (
    "Complete the drafts in the window. Or delete them with “patchbay flow delete”, fix the file, and "
    "import it again: a flow that was changed in the file is imported as a new flow."
)

_NEEDS_WINDOW = (
    "It uses the desktop, so it works only while the Patchbay window runs the flows, and not with "
    "“patchbay serve”."
)

_WEBHOOK_NOTES = {
    True: "Signed: requests without a valid signature are rejected.",
    False: "Unsigned: anyone who knows the webhook address can start the flow.",
}


async def use_single_connections(backend: Backend, flow: Flow) -> Flow:
    """Set the connection of each step whose app has exactly one connection; exported flows have none.

    Steps of apps that aren't installed are skipped.
    """
    apps = await _apps_of(backend, flow, {app.key for app in await backend.list_apps()})
    for step in flow.steps:
        app_key = missing_connection_app(step, get_optional(apps, step.app_key))
        connections = await backend.list_connections(app_key) if app_key else ()
        if len(connections) == 1:
            flow = await backend.update_step(step.id, StepChange(connection_id=connections[0].id))
    return flow


async def _apps_of(backend: Backend, flow: Flow, installed: Container[AppKey]) -> dict[AppKey, AppInfo]:
    """The apps of the flow's steps, in full; without those that aren't installed."""
    return {key: await backend.get_app(key) for key in dict.fromkeys(flow.app_keys) if key in installed}


async def list_flows(backend: Backend, options: argparse.Namespace) -> int:
    """List all flows, with whether their webhooks accept only signed requests."""
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
    """Whether the flow's webhook only accepts signed requests; a dash for flows without a webhook."""
    if trigger is None or trigger.webhook_signed is None:
        return "-"
    return "signed" if trigger.webhook_signed else "unsigned"


def _document(flow: Flow) -> JsonObject:
    """The flow as JSON, without owner and folder if the server doesn't report them."""
    document = flow.wire()
    hidden_fields = () if flow.user_id else ("userId", "folderId")
    return {key: value for key, value in document.items() if key not in hidden_fields}


async def show(backend: Backend, options: argparse.Namespace) -> int:
    """Show a flow's steps, indented by branch and loop, with the addresses of webhooks."""
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
    elif step.webhook_signed is not None:
        lines.append(f"{indent}   The webhook address is shown while patchbay serve or the window runs.")
    if step.webhook_signed is not None:
        lines.append(f"{indent}   {_WEBHOOK_NOTES[step.webhook_signed]}")
    return lines


async def export(backend: Backend, options: argparse.Namespace) -> int:
    """Print a flow as JSON that `flow import` reads."""
    export = await backend.export_flow(options.id)
    output.data(export.wire(), as_json=True, text="")
    return 0


async def import_file(backend: Backend, options: argparse.Namespace) -> int:
    """Import all flows of a file, or none. Flows already imported from the same file are left unchanged."""
    exports = read_exports(options.file)
    imported_flows = {} if options.copy else await find_imported_flows(backend)
    if options.publish and options.use_accounts:
        published = await backend.import_and_publish_flows(exports, use_accounts=True, copy=options.copy)
        imports = list(map(ImportedFlow, published))
    else:
        imports = await import_flows(backend, exports, imported_flows, publish=options.publish)
    installed = {app.key for app in await backend.list_apps()}
    finished = [
        await _finish_import(
            backend,
            options,
            imported,
            export,
            is_new=imported.flow.imported_from not in imported_flows,
            installed=installed,
        )
        for imported, export in zip(imports, exports, strict=True)
    ]
    warnings = await _warnings(backend, [imported.flow for imported in imports]) if options.publish else {}
    entries = [
        {**entry, "warning": warnings[entry["id"]]}
        if entry["published"] and entry["id"] in warnings
        else entry
        for entry in finished
    ]
    lines = [_import_line(entry) for entry in entries]
    failed = any(entry.get("failed") or (options.publish and not entry["published"]) for entry in entries)
    output.result(entries, as_json=options.json, text="\n".join(lines), failed=failed)
    if not options.json:
        for line in _differences(exports):
            output.print_message(line)
    if failed:
        output.print_message(_INCOMPLETE_HINT)
    return 1 if failed else 0


async def _finish_import(
    backend: Backend,
    options: argparse.Namespace,
    imported: ImportedFlow,
    export: FlowExport,
    *,
    is_new: bool,
    installed: Container[AppKey],
) -> dict[str, Any]:
    """Set connections and publish a draft if the options say so; returns the flow's entry in the output."""
    flow = imported.flow
    entry: dict[str, Any] = {
        "id": flow.id,
        "name": flow.name,
        "imported": is_new,
        "published": flow.active,
    }
    if notes := [note.with_step_numbers() for note in import_notes(export)]:
        entry["notes"] = notes
    unknown = dict.fromkeys(key for key in flow.app_keys if key not in installed)
    missing = [f"The app “{key}” isn't installed here." for key in unknown]
    try:
        if imported.error is not None:
            raise imported.error
        if not is_new and not flow.active and (options.use_accounts or options.publish):
            flow = await _unchanged_draft(backend, flow, export, installed)
        if options.use_accounts and not options.publish and not flow.active:
            flow = await use_single_connections(backend, flow)
        if options.publish and not flow.active:
            await publish_draft(backend, flow)
            entry["published"] = True
            missing = []
    except FlowNotReady as error:
        missing = publishing_problems(error, flow, await _apps_of(backend, flow, installed))
    except AppError as error:
        missing = [error.text()]
        entry["failed"] = True
    if missing:
        entry["missing"] = missing
    return entry


async def _unchanged_draft(
    backend: Backend, flow: Flow, export: FlowExport, installed: Container[AppKey]
) -> Flow:
    """The draft of an earlier import, read again. Raises `Conflict` if it was changed since."""
    # Imported here: it loads the whole service, which only imports need.
    from patchbay.service.flow_export import changed_draft_error, is_changed_since_import

    flow = await backend.get_flow(flow.id)
    keys = (*flow.app_keys, *(step.app_key for step in export.steps if step.app_key))
    apps = {key: await backend.get_app(key) for key in dict.fromkeys(keys) if key in installed}
    if is_changed_since_import(flow, export, apps):
        raise changed_draft_error()
    return flow


def _differences(exports: list[FlowExport]) -> list[str]:
    """Each difference from Automatisch once, with the flows and steps it affects."""
    found: dict[str, list[str]] = {}
    for export in exports:
        for note in import_notes(export):
            numbers = ", ".join(map(str, note.steps))
            found.setdefault(note.text, []).append(f"{export.name}: step {numbers}")
    lines = []
    for text, flow_labels in found.items():
        hidden = len(flow_labels) - MAX_LISTED_FLOWS
        more = f", and {hidden} more" if hidden > 0 else ""
        lines.append(f"  {text} ({'; '.join(flow_labels[:MAX_LISTED_FLOWS])}{more})")
    return ["Different from Automatisch:", *lines] if lines else []


def _import_line(entry: Mapping[str, Any]) -> str:
    states = [] if entry["imported"] else ["already imported"]
    states.append("published" if entry["published"] else "imported as a draft" if not states else "a draft")
    notes = [*entry.get("missing", []), *([f"Warning: {entry['warning']}"] if "warning" in entry else [])]
    reasons = "".join(f"\n    {note}" for note in notes)
    return f"{entry['id']}  {entry['name']}: {', '.join(states)}{reasons}"


def read_exports(name: str) -> list[FlowExport]:
    """Read one flow or a list of flows from a file (`-`: standard input). Raises `ValidationFailed`."""
    # Imported here: it loads the whole service, which only imports need.
    from patchbay.service.flow_export import validate_export

    document = read_json(name)
    items = document if isinstance(document, list) else [document]
    if not items:
        raise ValidationFailed({"file": ["it is an empty list"]}, happened=f"{name} contains no flows.")
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
            place = place_of(first, "the flow")
            problems.append(f"{label} isn't an exported flow. At {place}: {shape_problem(first)}")
        except ValidationFailed as error:
            problems.append(f"{label}: {error.text()}")
    if problems:
        raise import_error(problems, len(items))
    return exports


def read_json(name: str) -> Json:
    """Read JSON from a file or standard input. Raises `ValidationFailed`."""
    try:
        return json_limits.read_json(_read_text(name), MAX_FILE_VALUES)
    except OSError as error:
        raise _unreadable_file(name, f"can't be read: {error.strerror}") from error
    except json_limits.TooManyValues as error:
        raise _unreadable_file(name, f"is too large: it has {error}") from error
    except ValueError as error:
        raise _unreadable_file(name, f"isn't valid JSON: {json_problem(error)}") from error


def _read_text(name: str) -> str:
    """Read a file or standard input, but no more than the maximum size of a file."""
    if name == "-":
        text = sys.stdin.read(MAX_FILE_BYTES + 1).removeprefix("\ufeff")
    elif Path(name).exists() and not Path(name).is_file():
        raise _unreadable_file(name, "isn't a file", todo="Choose a file, or use “-” to read standard input.")
    else:
        with Path(name).open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
        text = decode_text_file(content) if len(content) <= MAX_FILE_BYTES else content.decode("latin-1")
    if len(text) > MAX_FILE_BYTES:
        raise _unreadable_file(name, f"is larger than {MAX_FILE_BYTES // 1_000_000} MB")
    return text


def _unreadable_file(name: str, reason: str, todo: str = "") -> ValidationFailed:
    return ValidationFailed({"file": [reason]}, happened=f"{name} {reason}.", todo=todo)


async def publish(backend: Backend, options: argparse.Namespace) -> int:
    """Publish a flow, if its revision is the given one or the one just read."""
    before = await backend.get_flow(options.id)
    revision = before.updated_at if options.revision is None else options.revision
    flow = await backend.publish_flow(options.id, seen=revision)
    is_unchanged = before.active and before.published_version == flow.published_version
    version = f" as version {flow.published_version}" if flow.published_version else ""
    text = f"{flow.name} {'was already' if is_unchanged else 'is'} published{version}."
    output.data(_document(flow), as_json=options.json, text=text)
    for warning in (await _warnings(backend, [flow])).values():
        output.print_message(f"Warning: {warning}")
    return 0


async def _warnings(backend: Backend, flows: Sequence[Flow]) -> dict[FlowId, str]:
    """Why published flows can't work in the program that runs them, such as for want of a desktop.

    If no program runs them now: which of them need a window. Empty if that can't be found out.
    """
    try:
        if (await backend.health()).state is EngineState.STOPPED:
            return dict.fromkeys(await _desktop_flows(backend, flows), _NEEDS_WINDOW)
        found = await backend.flow_activity([flow.id for flow in flows])
    except AppError:
        return {}
    return {
        one.flow_id: f"{one.attention_sentence} {one.attention_todo}".strip()
        for one in found
        if one.attention
    }


async def _desktop_flows(backend: Backend, flows: Sequence[Flow]) -> list[FlowId]:
    """The flows among these with steps that use the desktop."""
    events = {(app.key, event.key): event for app in await backend.list_apps() for event in app.events or ()}

    def uses_desktop(step: Step) -> bool:
        event = events.get((step.app_key, step.key)) if step.app_key and step.key else None
        return event is not None and event.uses_desktop

    return [flow.id for flow in flows if any(map(uses_desktop, flow.steps))]


async def unpublish(backend: Backend, options: argparse.Namespace) -> int:
    """Turn a published flow back into a draft."""
    flow = await backend.unpublish_flow(options.id)
    output.data(_document(flow), as_json=options.json, text=f"{flow.name} is now a draft and no longer runs.")
    return 0


async def delete(backend: Backend, options: argparse.Namespace) -> int:
    """Unpublish and delete a flow."""
    await backend.delete_flow(options.id)
    output.data({"id": options.id, "deleted": True}, as_json=options.json, text="Deleted.")
    return 0


async def pause(backend: Backend, options: argparse.Namespace) -> int:
    """Pause a flow."""
    flow = await backend.pause_flow(options.id)
    text = f"{flow.name} is paused. New events are queued until it is resumed."
    output.data(_document(flow), as_json=options.json, text=text)
    return 0


async def resume(backend: Backend, options: argparse.Namespace) -> int:
    """Resume a paused flow."""
    was_paused = (await backend.get_flow(options.id)).status is FlowStatus.PAUSED
    flow = await backend.resume_flow(options.id)
    text = (
        f"{flow.name} is resumed." if was_paused else f"{flow.name} wasn't paused. It is {flow.status.value}."
    )
    output.data(_document(flow), as_json=options.json, text=text)
    return 0


async def run_flow(backend: Backend, options: argparse.Namespace) -> int:
    """Run a flow now, and wait until it finishes or has to wait."""
    # allow blocking: nothing else runs on the loop of a command
    item = read_json(options.input) if options.input else None
    try:
        execution_id = await backend.run_flow(options.id, item)
    except Conflict as error:
        if item is None:
            error.todo += " Or enter the trigger's output yourself with --input FILE."
        raise
    return execution_result.print_result(
        await execution_result.wait_until_settled(backend, execution_id), options
    )
