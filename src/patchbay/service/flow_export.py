"""Duplicating, exporting and importing flows, and templates."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from uuid import uuid4

from patchbay.domain.apps import AppInfo
from patchbay.domain.audit_log import AuditAction
from patchbay.domain.base import (
    AppKey,
    ConnectionId,
    EpochMs,
    FlowId,
    Json,
    StepId,
    TemplateId,
    UserId,
    get_optional,
)
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import Conflict, Forbidden, NotFound, ValidationFailed
from patchbay.domain.fields import is_empty, missing_required
from patchbay.domain.flows import Flow, FlowExport, Step, StepExport, StepType, remap_condition_references
from patchbay.domain.folders import Template
from patchbay.domain.step_tree import STEP_LIMIT, find_problem, in_tree_order
from patchbay.domain.template_inputs import fill_template
from patchbay.domain.variables import rewrite_references
from patchbay.service.addresses import starts_by_webhook, webhook_path
from patchbay.service.flows import Flows
from patchbay.service.names import MAX_NAME_LENGTH, checked_name
from patchbay.service.service_context import ServiceContext
from patchbay.service.steps import as_untested, check_size
from patchbay.storage.repositories import flows, owners, templates
from patchbay.storage.repositories.rows import Tx


class FlowTransfer:
    """Duplicates, exports and imports flows. The new flows are drafts with untested steps."""

    def __init__(self, context: ServiceContext, flows: Flows) -> None:
        self._context = context
        self._flows = flows

    async def duplicate_flow(self, flow_id: FlowId) -> Flow:
        """Copy a flow with its settings and connections, outside folders.

        Connections that the new owner may not use are left out.
        """
        owner = self._context.owner_id

        def work(tx: Tx) -> tuple[Flow, frozenset[ConnectionId]]:
            flow = flows.get(tx, flow_id)
            return flow, owners.connections_not_owned_by(tx, owner, flow.connection_ids)

        flow, foreign = await self._context.db.read(work)
        now = self._context.clock()
        ids = {step.id: StepId(str(uuid4())) for step in flow.steps}
        copied = tuple(_copy_step(step, ids, foreign) for step in flow.steps)
        return await self._flows.insert(
            Flow(
                id=FlowId(str(uuid4())),
                name=f"Copy of {flow.name}"[:MAX_NAME_LENGTH],
                user_id=owner,
                steps=copied,
                execution_interval=flow.execution_interval,
                settings=flow.settings,
                created_at=now,
                updated_at=now,
            )
        )

    async def export_flow(self, flow_id: FlowId) -> FlowExport:
        return self.to_export(await self._context.db.read(lambda tx: flows.get(tx, flow_id)))

    async def import_flow(self, export: FlowExport) -> Flow:
        """Create a draft from an export. Apps and events that aren't installed here stay in it."""
        return await self.create_from_export(export, self._context.owner_id, export.fingerprint)

    async def create_from_export(self, export: FlowExport, owner: UserId, origin: str | None = None) -> Flow:
        """Create a draft of this owner; `origin` is the fingerprint of the imported file."""
        apps = self._context.app_details(step.app_key for step in export.steps if step.app_key)
        return await self._flows.insert(draft_from_export(export, owner, self._context.clock(), apps, origin))

    def to_export(self, flow: Flow) -> FlowExport:
        """Return the flow in the portable form: new IDs, no connections."""
        export = _export_with_same_ids(flow, self._context.app_details(flow.app_keys))
        return export.with_new_ids(*_new_ids(len(flow.steps)))


class Templates:
    """Templates: exports that are stored in the workspace, and built-in ones, which come first in lists."""

    def __init__(
        self, context: ServiceContext, transfer: FlowTransfer, built_in: Callable[[], tuple[Template, ...]]
    ) -> None:
        self._context = context
        self._transfer = transfer
        self._built_in = built_in

    async def list_templates(self) -> tuple[Template, ...]:
        stored = await self._context.db.read(templates.find)
        return tuple(map(self._with_icons, (*await asyncio.to_thread(self._built_in), *stored)))

    async def get_template(self, template_id: TemplateId) -> Template:
        return self._with_icons(await self._find(template_id))

    async def create_template(self, name: str, flow_id: FlowId) -> Template:
        now, name = self._context.clock(), checked_name(name)
        flow = await self._context.db.read(lambda tx: flows.get(tx, flow_id))
        check_size(flow.steps)
        template = Template(
            id=TemplateId(str(uuid4())),
            name=name,
            flow_data=self._transfer.to_export(flow).wire(),
            created_at=now,
            updated_at=now,
        )
        await self._context.commit(
            lambda tx: templates.add(tx, template), AuditAction.CREATED, ResourceType.TEMPLATE, template.id
        )
        self._context.changes.notify(ResourceType.TEMPLATE, template.id, action="created")
        return self._with_icons(template)

    async def delete_template(self, template_id: TemplateId) -> Change:
        if self._find_built_in(template_id):
            raise Forbidden("Built-in templates can't be deleted.")

        def work(tx: Tx) -> None:
            templates.get(tx, template_id)
            templates.remove(tx, template_id)

        await self._context.commit(work, AuditAction.DELETED, ResourceType.TEMPLATE, template_id)
        return self._context.changes.notify(ResourceType.TEMPLATE, template_id, action="deleted")

    async def use_template(self, template_id: TemplateId, user_id: UserId | None = None) -> Flow:
        export = fill_template(await self._find(template_id))
        return await self._transfer.create_from_export(export, user_id or self._context.owner_id)

    async def _find(self, template_id: TemplateId) -> Template:
        if (built_in := self._find_built_in(template_id)) is not None:
            return built_in
        return await self._context.db.read(lambda tx: templates.get(tx, template_id))

    def _find_built_in(self, template_id: TemplateId) -> Template | None:
        return next((template for template in self._built_in() if template.id == template_id), None)

    def _with_icons(self, template: Template) -> Template:
        """Return the template with the icon URL of each step's app."""
        steps = template.flow_data.get("steps")
        if not isinstance(steps, list):
            return template
        shown: list[Json] = [
            {**step, "iconUrl": self._icon_url(step.get("appKey"))}
            for step in steps
            if isinstance(step, dict)
        ]
        return template.model_copy(update={"flow_data": {**template.flow_data, "steps": shown}})

    def _icon_url(self, app_key: Json) -> str | None:
        """The icon of an app, without loading its definition; None without an app that exists."""
        try:
            return self._context.apps.info(AppKey(str(app_key)), detail=False).icon_url if app_key else None
        except NotFound:
            return None


def draft_from_export(
    export: FlowExport,
    owner: UserId,
    now: EpochMs,
    apps: Mapping[AppKey, AppInfo],
    origin: str | None = None,
) -> Flow:
    """Return a new flow of this owner, not stored yet; `origin` is the fingerprint of the imported file.

    Required parameters that the file leaves out get the default of the app, if it has one.

    Raises `ValidationFailed` when the export can't be imported.
    """
    validate_export(export)
    fresh = export.with_new_ids(*_new_ids(len(export.steps)))
    steps = in_tree_order([_with_defaults(_step_from_export(item), apps) for item in fresh.steps])
    check_size(steps)  # the new IDs may be longer
    return Flow(
        id=fresh.id,
        name=checked_name(fresh.name),
        user_id=owner,
        imported_from=origin,
        steps=steps,
        created_at=now,
        updated_at=now,
    )


def is_changed_since_import(draft: Flow, export: FlowExport, apps: Mapping[AppKey, AppInfo]) -> bool:
    """Whether a draft that was imported from this export now has another name or other steps.

    Connections don't matter, since files contain none. `apps` are the apps of the steps of both.
    """
    imported = draft_from_export(export, UserId(""), draft.created_at, apps)
    return _contents_fingerprint(draft, apps) != _contents_fingerprint(imported, apps)


def changed_draft_error() -> Conflict:
    """The error for a draft that isn't published by an import, since it was changed after an earlier one."""
    return Conflict(
        "This draft was changed since it was imported.",
        todo="Publish it in the editor, or delete it to import it again.",
    )


def _contents_fingerprint(flow: Flow, apps: Mapping[AppKey, AppInfo]) -> str:
    """The fingerprint of a flow's export, the same for each import of a file: without IDs and connections."""
    steps = tuple(step.model_copy(update={"connection_id": None}) for step in flow.steps)
    export = _export_with_same_ids(flow.model_copy(update={"steps": steps}), apps)
    numbered = (StepId(str(number)) for number in range(len(steps)))
    return export.with_new_ids(FlowId("flow"), numbered).fingerprint


def _export_with_same_ids(flow: Flow, apps: Mapping[AppKey, AppInfo]) -> FlowExport:
    """The flow in the portable form, except that it has its own IDs."""
    steps = tuple(
        StepExport.of(
            step,
            webhook_path=webhook_path(flow.id, step)
            if starts_by_webhook(step, get_optional(apps, step.app_key))
            else None,
            connection_undecided=step.expects_connection,
        )
        for step in flow.steps
    )
    return FlowExport(id=flow.id, name=flow.name, steps=steps)


def validate_export(export: FlowExport) -> None:
    """Raise `ValidationFailed` when an export can't be imported."""
    checked_name(export.name)
    kinds = [step.type for step in export.steps]
    ids = Counter(step.id for step in export.steps)
    duplicates = [step_id for step_id, times in ids.items() if times > 1]
    if len(kinds) > STEP_LIMIT:
        raise ValidationFailed(
            {"steps": [f"A flow can have at most {STEP_LIMIT} steps; this one has {len(kinds):,}."]}
        )
    if not kinds:
        raise ValidationFailed({"steps": ["A flow needs at least one step."]})
    if kinds[0] is not StepType.TRIGGER:
        raise ValidationFailed({"steps": ["The first step must be a trigger."]})
    if StepType.TRIGGER in kinds[1:]:
        raise ValidationFailed({"steps": ["Only the first step may be a trigger."]})
    if duplicates:
        raise ValidationFailed({"steps": [f"The step ID {duplicates[0]} is used more than once."]})
    steps = in_tree_order([_step_from_export(step) for step in export.steps])
    if len(steps) < len(export.steps):
        raise ValidationFailed({"steps": ["A step is inside a step that doesn't exist."]})
    if reason := find_problem(steps):
        raise ValidationFailed({"steps": [reason]})
    for step in steps:
        if max(map(len, (step.key or "", step.name or "", step.app_key or ""))) > MAX_NAME_LENGTH:
            raise ValidationFailed({"steps": [f"A name or key is longer than {MAX_NAME_LENGTH} characters."]})
    check_size(steps)


def _with_defaults(step: Step, apps: Mapping[AppKey, AppInfo]) -> Step:
    """Fill in the defaults of required parameters that the step doesn't have."""
    app = get_optional(apps, step.app_key)
    if app is None:
        return step
    event = app.trigger(step.key) if step.type is StepType.TRIGGER else app.action(step.key)
    missing = missing_required(event.arguments if event else (), step.parameters)
    found = {
        item.key: item.value
        for item in missing
        if item.key not in step.parameters and not is_empty(item.value)
    }
    return step.model_copy(update={"parameters": {**step.parameters, **found}}) if found else step


def _step_from_export(item: StepExport) -> Step:
    step = Step(
        id=item.id,
        type=item.type,
        key=item.key,
        name=item.name,
        app_key=item.app_key,
        position=item.position,
        parameters=item.parameters,
        continue_on_error=item.continue_on_error,
        structural_type=item.structural_type,
        parent_step_id=item.parent_step_id,
        branch_conditions=item.branch_conditions,
        policy=item.policy,
        connection_undecided=item.connection_undecided,
    )
    return as_untested(step)


def _new_ids(steps: int) -> tuple[FlowId, list[StepId]]:
    """New IDs for a flow and its steps."""
    return FlowId(str(uuid4())), [StepId(str(uuid4())) for _ in range(steps)]


def _copy_step(step: Step, ids: dict[StepId, StepId], foreign: frozenset[ConnectionId]) -> Step:
    return as_untested(
        step.model_copy(
            update={
                "id": ids[step.id],
                "parent_step_id": get_optional(ids, step.parent_step_id),
                "connection_id": None if step.connection_id in foreign else step.connection_id,
                "connection_undecided": step.connection_undecided or step.connection_id in foreign,
                "parameters": rewrite_references(step.parameters, ids),
                "branch_conditions": remap_condition_references(step.branch_conditions, ids),
            }
        )
    )
