"""Import and export of flows: parsing, preview, and writing files."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.services import Services
from patchbay.desktop.editor.view_models.step_labels import step_title
from patchbay.desktop.flows.view_models.flow_list import FlowsViewModel
from patchbay.domain import json_limits
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import Backend, ImportedFlow
from patchbay.domain.base import AppKey, FlowId, Json, get_optional
from patchbay.domain.charsets import decode_text_file
from patchbay.domain.errors import AppError
from patchbay.domain.fields import AuthField
from patchbay.domain.file_names import unreserved_name
from patchbay.domain.flow_import import (
    MAX_FILE_BYTES,
    MAX_FILE_VALUES,
    find_imported_flows,
    import_flows,
    import_notes,
)
from patchbay.domain.flows import Flow, FlowExport, StepExport, StepType
from patchbay.domain.input_problems import json_problem, place_of, shape_problem

_NO_APP = AppInfo(key=AppKey(""), name="")


@dataclass(frozen=True)
class StepPreview:
    """A step in the preview. `problem` says what must be fixed after the import."""

    position: int
    app_key: AppKey | None
    title: str
    app_name: str
    problem: str = ""


@dataclass(frozen=True)
class FlowPreview:
    """A flow found in a file.

    `error`: why it can't be imported. `here`: name of the flow imported from the same export before.
    """

    name: str
    export: FlowExport | None
    steps: tuple[StepPreview, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""
    existing: str | None = None


@dataclass(frozen=True)
class ImportPlan:
    """The flows in a file. `error`: why the file as a whole can't be read."""

    source: str
    flows: tuple[FlowPreview, ...] = ()
    error: str = ""

    @property
    def importable(self) -> tuple[FlowExport, ...]:
        """The flows of the files that can be imported."""
        return tuple(flow.export for flow in self.flows if flow.export is not None)


def plan_import(
    text: str, source: str, apps: Mapping[AppKey, AppInfo], existing: Mapping[str | None, Flow]
) -> ImportPlan:
    """Read a JSON text: one exported flow, a list of them, or an object with `flows` or `data`.

    `apps` by their keys, `here` by `imported_from`.
    """
    try:
        content = json_limits.read_json(text, MAX_FILE_VALUES)
    except json.JSONDecodeError as error:
        return ImportPlan(source, error=tr("This isn't valid JSON: {problem}.", problem=json_problem(error)))
    except ValueError as error:
        return ImportPlan(source, error=tr("Couldn't read flows from this file: {problem}.", problem=error))
    if isinstance(content, dict) and "steps" not in content:
        content = content.get("flows", content.get("data", content))
    items = content if isinstance(content, list) else [content]
    if not items:
        return ImportPlan(source, error=tr("The file contains no flows."))
    return ImportPlan(source, tuple(_preview(item, apps, existing) for item in items))


def _preview(item: Any, apps: Mapping[AppKey, AppInfo], existing: Mapping[str | None, Flow]) -> FlowPreview:
    name = str(item.get("name") or tr("Unnamed flow")) if isinstance(item, dict) else tr("Unknown entry")
    if not isinstance(item, dict) or "steps" not in item:
        return FlowPreview(name, None, error=tr("This isn't an exported flow: it has no steps."))
    try:
        export = FlowExport.model_validate(item)
    except ValidationError as error:
        first = error.errors()[0]
        return FlowPreview(
            name,
            None,
            error=tr(
                "At {place}: {problem}", place=place_of(first, tr("the flow")), problem=shape_problem(first)
            ),
        )
    if problem := _rule_broken(export):
        return FlowPreview(export.name, None, error=problem)
    steps = tuple(_step_preview(step, apps) for step in export.steps)
    known = existing.get(export.fingerprint)
    return FlowPreview(
        export.name, export, steps, _notes(export, apps), existing=known.name if known else None
    )


def _rule_broken(export: FlowExport) -> str:
    if not export.steps:
        return tr("The flow has no steps.")
    if export.steps[0].type is not StepType.TRIGGER:
        return tr("The first step must be a trigger.")
    if any(step.type is StepType.TRIGGER for step in export.steps[1:]):
        return tr("Only the first step may be a trigger.")
    return ""


def _step_preview(step: StepExport, apps: Mapping[AppKey, AppInfo]) -> StepPreview:
    if step.structural_type.is_container:
        return StepPreview(step.position, None, step_title(step), tr("Contains other steps"))
    app = get_optional(apps, step.app_key)
    title = _title(step, apps)
    if step.app_key and app is None:
        return StepPreview(
            step.position,
            step.app_key,
            title,
            step.app_key,
            tr("The app “{app}” isn't installed", app=step.app_key),
        )
    return StepPreview(step.position, step.app_key, title, app.name if app else tr("No app selected"))


def _notes(export: FlowExport, apps: Mapping[AppKey, AppInfo]) -> tuple[str, ...]:
    used = (get_optional(apps, step.app_key) for step in export.steps)
    names = dict.fromkeys(app.name for app in used if app and app.supports_connections)
    notes = [tr("After the import, choose a connection for {apps}.", apps=", ".join(names))] if names else []
    trigger = export.steps[0]
    own = (get_optional(apps, trigger.app_key) or _NO_APP).supports_connections
    if trigger.connection_undecided and trigger.webhook_path and not own:
        notes.append(
            tr("Its webhook only accepts signed requests. After the import, choose a signing secret.")
        )
    if secrets := sorted({key for step in export.steps for key in _secret_keys(step.parameters)}):
        notes.append(tr("The file may contain a secret in {places}.", places=", ".join(secrets)))
    notes += [note.with_step_numbers() for note in import_notes(export)]
    return tuple(notes)


def _secret_keys(value: Json) -> list[str]:
    """Return keys that look like secrets and hold plain text; in name-value rows, the name is the key."""
    if isinstance(value, list):
        return [key for item in value for key in _secret_keys(item)]
    if not isinstance(value, dict):
        return []
    found = [key for item in value.values() for key in _secret_keys(item)]
    for key, item in value.items():
        if key == "key" and "value" in value:
            continue
        if isinstance(item, str) and len(item) >= 8 and "{{" not in item:
            found += [key] if AuthField(key=key, label=key).is_secret else []
    return found


def file_name(name: str) -> str:
    """Return a file name for a flow that is valid on every system and ends in .json."""
    words = re.sub(r"[^\w\-]+", "-", name.replace("→", "to"), flags=re.UNICODE).strip("-_").lower()
    return unreserved_name(f"{words[:80] or 'flow'}.json")


def exports_to_json(exports: tuple[FlowExport, ...]) -> str:
    """Return JSON text: an object for one flow, a list for several."""
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
        """Read a file and emit `planned`; nothing is imported."""
        apps = {app.key: app for app in self._services.apps.all}
        self._services.tasks.run(
            self,
            _plan(path, apps, self._services.backend),
            done=self.planned.emit,
            failed=self._services.notices.failed,
        )

    def import_exports(self, exports: tuple[FlowExport, ...]) -> None:
        """Import the flows of a plan, or none of them if one is rejected."""
        self._services.tasks.run(
            self,
            import_flows(self._services.backend, exports, {}),
            done=self._on_imported,
            failed=self._services.notices.failed,
        )

    def _on_imported(self, imported: list[ImportedFlow]) -> None:
        flows = tuple(item.flow for item in imported)
        for flow in flows:
            self._flows.put(flow)
        self._services.notices.post(
            tr_count(len(flows), "{n} flow imported as a draft", "{n} flows imported as drafts")
        )
        self.imported.emit(flows)

    def export(
        self, flow_ids: tuple[FlowId, ...], path: Path, then: Callable[[], object] | None = None
    ) -> None:
        """Write the flows to a file, then call `then` if it worked. One flow is an object, several a list."""

        async def work() -> None:
            exports = [await self._services.backend.export_flow(key) for key in flow_ids]
            await asyncio.to_thread(path.write_text, exports_to_json(tuple(exports)), encoding="utf-8")

        async def work_with_error() -> None:
            try:
                await work()
            except OSError as error:
                problem = tr("Couldn't write {file}.", file=path.name)
                raise AppError(problem, meaning=f"{error.strerror}.") from error

        def done(_: object) -> None:
            self._services.notices.post(
                tr_count(
                    len(flow_ids), "{n} flow saved to {file}", "{n} flows saved to {file}", file=path.name
                )
            )
            if then is not None:
                then()

        self._services.tasks.run(self, work_with_error(), done=done, failed=self._services.notices.failed)


async def _plan(path: Path, apps: dict[AppKey, AppInfo], backend: Backend) -> ImportPlan:
    text = await asyncio.to_thread(_read_text, path)
    if isinstance(text, ImportPlan):
        return text
    existing = await find_imported_flows(backend)
    plan = await asyncio.to_thread(plan_import, text, path.name, apps, existing)
    used = {step.app_key for flow in plan.flows for step in flow.steps if step.app_key in apps}
    detailed = {key: await backend.get_app(key) for key in sorted(filter(None, used))}
    return with_event_names(plan, detailed)


def with_event_names(plan: ImportPlan, apps: Mapping[AppKey, AppInfo]) -> ImportPlan:
    """Return the plan with steps named after the triggers and actions of these apps, by key."""

    def named(flow: FlowPreview) -> FlowPreview:
        steps = zip(flow.steps, flow.export.steps if flow.export else (), strict=True)
        return replace(
            flow, steps=tuple(replace(preview, title=_title(step, apps)) for preview, step in steps)
        )

    return replace(plan, flows=tuple(map(named, plan.flows)))


def _title(step: StepExport, apps: Mapping[AppKey, AppInfo]) -> str:
    app = get_optional(apps, step.app_key) or _NO_APP
    events = (app.triggers if step.type is StepType.TRIGGER else app.actions) or ()
    event = next((event.name for event in events if event.key == step.key), step.key or "")
    return step_title(step, event)


def _read_text(path: Path) -> str | ImportPlan:
    try:
        if path.exists() and not path.is_file():
            return ImportPlan(path.name, error=tr("This isn't a file."))
        if path.stat().st_size > MAX_FILE_BYTES:
            return ImportPlan(
                path.name, error=tr("The file is larger than 20 MB, which is too large for exported flows.")
            )
        return decode_text_file(path.read_bytes())
    except UnicodeDecodeError:
        return ImportPlan(path.name, error=tr("This isn't a text file, so it can't be an exported flow."))
    except OSError as error:
        return ImportPlan(path.name, error=tr("Couldn't read the file: {problem}.", problem=error.strerror))
