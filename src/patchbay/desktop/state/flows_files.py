"""Flows as files: reading what may be imported, with a preview and clear words, and writing exports."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.editor_words import step_title
from patchbay.desktop.state.flows_commands import Batch, each
from patchbay.desktop.state.flows_list import FlowsViewModel
from patchbay.desktop.state.flows_rows import plural
from patchbay.desktop.state.services import Services
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import FlowId, Json
from patchbay.domain.errors import AppError
from patchbay.domain.fields import AuthField
from patchbay.domain.flows import Flow, FlowExport, StepExport, StepType
from patchbay.domain.import_notes import import_notes

MAX_FILE_BYTES = 20_000_000


_NO_APP = AppInfo(key="", name="")


@dataclass(frozen=True)
class StepPreview:
    """One line of the preview. `problem` says why the step will need work after the import."""

    position: int
    app_key: str | None
    title: str
    app_name: str
    problem: str = ""


@dataclass(frozen=True)
class FlowPreview:
    """A flow found in a file: what importing it would make. `error` set: it cannot be imported."""

    name: str
    export: FlowExport | None
    steps: tuple[StepPreview, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class ImportPlan:
    """What a file holds. `error` set: the file as a whole cannot be read."""

    source: str
    flows: tuple[FlowPreview, ...] = ()
    error: str = ""

    @property
    def importable(self) -> tuple[FlowExport, ...]:
        return tuple(flow.export for flow in self.flows if flow.export is not None)


def plan_import(text: str, source: str, apps: dict[str, AppInfo]) -> ImportPlan:
    """Read a JSON text: one exported flow, a list of them, or an object with `flows` or `data`."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        return ImportPlan(source, error=f"This is not a JSON file: {error.msg} at {where}.")
    if isinstance(content, dict) and "steps" not in content:
        content = content.get("flows", content.get("data", content))
    items = content if isinstance(content, list) else [content]
    if not items:
        return ImportPlan(source, error="The file holds no flow.")
    return ImportPlan(source, tuple(_preview(item, apps) for item in items))


def _preview(item: Any, apps: dict[str, AppInfo]) -> FlowPreview:
    name = str(item.get("name") or "Unnamed flow") if isinstance(item, dict) else "Unknown entry"
    if not isinstance(item, dict) or "steps" not in item:
        return FlowPreview(name, None, error="This is not an exported flow: it has no steps.")
    try:
        export = FlowExport.model_validate(item)
    except ValidationError as error:
        first = error.errors()[0]
        place = " → ".join(str(part) for part in first["loc"])
        return FlowPreview(name, None, error=f"{place}: {first['msg']}.")
    if problem := _rule_broken(export):
        return FlowPreview(export.name, None, error=problem)
    steps = tuple(_step_preview(step, apps) for step in export.steps)
    return FlowPreview(export.name, export, steps, _notes(export, apps))


def _rule_broken(export: FlowExport) -> str:
    if not export.steps:
        return "The flow has no steps."
    if export.steps[0].type is not StepType.TRIGGER:
        return "The first step must be a trigger."
    if any(step.type is StepType.TRIGGER for step in export.steps[1:]):
        return "Only the first step may be a trigger."
    return ""


def _step_preview(step: StepExport, apps: dict[str, AppInfo]) -> StepPreview:
    if step.structural_type.holds_steps:
        return StepPreview(step.position, None, step_title(step), "Holds other steps")
    app = apps.get(step.app_key or "")
    title = step.name or step.key or ("Trigger" if step.type is StepType.TRIGGER else "Action")
    if step.app_key and app is None:
        return StepPreview(
            step.position, step.app_key, title, step.app_key, f"The app “{step.app_key}” is not installed"
        )
    return StepPreview(step.position, step.app_key, title, app.name if app else "No app chosen")


def _notes(export: FlowExport, apps: dict[str, AppInfo]) -> tuple[str, ...]:
    used = (apps.get(step.app_key or "") for step in export.steps)
    names = dict.fromkeys(app.name for app in used if app and app.supports_connections)
    notes = [f"Choose a connection afterwards for {', '.join(names)}."] if names else []
    trigger = export.steps[0]
    own = (apps.get(trigger.app_key or "") or _NO_APP).supports_connections
    if trigger.connection_required and trigger.webhook_path and not own:
        notes.append("Its webhook accepts signed calls only. Choose a signing secret afterwards.")
    if secrets := sorted({key for step in export.steps for key in _secret_keys(step.parameters)}):
        notes.append(f"The file may contain a secret in {', '.join(secrets)}.")
    notes += [note.in_words() for note in import_notes(export)]
    return tuple(notes)


def _secret_keys(value: Json) -> list[str]:
    """Keys that sound like a secret and hold plain text."""
    if isinstance(value, list):
        return [key for item in value for key in _secret_keys(item)]
    if not isinstance(value, dict):
        return []
    found = [key for item in value.values() for key in _secret_keys(item)]
    for key, item in value.items():
        if isinstance(item, str) and len(item) >= 8 and "{{" not in item:
            found += [key] if AuthField(key=key, label=key).is_secret else []
    return found


def file_name(name: str) -> str:
    """A file name for a flow: readable, safe on every system, ending in .json."""
    words = re.sub(r"[^\w\-]+", "-", name.replace("→", "to"), flags=re.UNICODE).strip("-_").lower()
    return f"{words[:80] or 'flow'}.json"


def as_text(exports: tuple[FlowExport, ...]) -> str:
    """One flow as an object, several as a list."""
    wire = [export.model_dump(mode="json", by_alias=True, exclude_none=True) for export in exports]
    return json.dumps(wire[0] if len(wire) == 1 else wire, indent=2, ensure_ascii=False) + "\n"


class FlowFiles(QObject):
    """Import and export. `planned` carries an `ImportPlan`, `imported` the new flows."""

    planned = Signal(object)
    imported = Signal(object)

    def __init__(self, services: Services, flows: FlowsViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._flows = services, flows

    def read(self, path: Path) -> None:
        """Look into a file; nothing is imported yet."""
        self._services.tasks.run(
            self, asyncio.to_thread(_read_text, path), done=lambda text: self._plan(text, path)
        )

    def _plan(self, text: str | ImportPlan, path: Path) -> None:
        apps = {app.key: app for app in self._services.apps.all}
        plan = text if isinstance(text, ImportPlan) else plan_import(text, path.name, apps)
        self.planned.emit(plan)

    def take(self, exports: tuple[FlowExport, ...]) -> None:
        """Import the flows of a plan."""
        backend = self._services.backend
        waiting = {str(at): export for at, export in enumerate(exports)}
        work = each(tuple(waiting), lambda key: backend.import_flow(waiting[key]))
        self._services.tasks.run(self, work, done=self._taken)

    def _taken(self, batch: Batch) -> None:
        flows: tuple[Flow, ...] = tuple(flow for _, flow in batch.done)
        for flow in flows:
            self._flows.put(flow)
        for _, error in batch.failed:
            self._services.notices.failed(error)
        if flows:
            self._services.notices.post(f"{plural(len(flows), 'flow')} imported as draft")
            self.imported.emit(flows)

    def export(
        self, flow_ids: tuple[FlowId, ...], path: Path, then: Callable[[], object] | None = None
    ) -> None:
        """Write the flows to a file, one as an object, several as a list; then `then`, when it worked."""

        async def work() -> None:
            exports = [await self._services.backend.export_flow(key) for key in flow_ids]
            await asyncio.to_thread(path.write_text, as_text(tuple(exports)), encoding="utf-8")

        async def explained() -> None:
            try:
                await work()
            except OSError as error:
                raise AppError(f"{path.name} could not be written.", meaning=f"{error.strerror}.") from error

        def done(_: object) -> None:
            self._services.notices.post(f"{plural(len(flow_ids), 'flow')} saved to {path.name}")
            if then is not None:
                then()

        self._services.tasks.run(self, explained(), done=done, failed=self._services.notices.failed)


def _read_text(path: Path) -> str | ImportPlan:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return ImportPlan(path.name, error="The file is larger than 20 MB, too large for exported flows.")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        return ImportPlan(path.name, error="This is not a text file, so it cannot be an exported flow.")
    except OSError as error:
        return ImportPlan(path.name, error=f"The file cannot be read: {error.strerror}.")
