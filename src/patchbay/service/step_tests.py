"""Testing single steps, skipping the test, sample data, and the options and fields that forms load."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from patchbay.domain.audit_log import AuditAction
from patchbay.domain.backend import StepTest
from patchbay.domain.base import AppKey, ConnectionId, ExecutionId, FlowId, Json, JsonObject, StepId
from patchbay.domain.blockers import Blocker
from patchbay.domain.changes import ResourceType
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.engine_store import StepOutcome
from patchbay.domain.errors import AppError, Conflict, NotFound, ValidationFailed
from patchbay.domain.executions import ExecutionStep, StepRef
from patchbay.domain.fields import Argument, Option, is_empty, loader_arguments, parameters_with_references
from patchbay.domain.flows import Flow, FlowVersion, Step, StepStatus, StepTestStatus, StructuralType
from patchbay.domain.schedules import SchedulePreview
from patchbay.domain.step_tree import children
from patchbay.domain.variables import missing
from patchbay.engine.parameters import resolve_parameters
from patchbay.engine.run_permits import foreign_connection_error
from patchbay.engine.runs.branches_and_loops import with_first_item
from patchbay.integration.context import Context, CurrentAuth, CurrentExecution, CurrentFlow, CurrentStep
from patchbay.integration.outgoing_addresses import AddressPolicy
from patchbay.integration.token_renewal import stored_auth
from patchbay.service.flows import Flows
from patchbay.service.readiness import (
    MAX_LISTED_REFERENCES,
    ConnectionsById,
    required_blockers,
    step_blockers,
)
from patchbay.service.service_context import ServiceContext
from patchbay.service.steps import StepEditor
from patchbay.service.verification import translate_app_errors
from patchbay.storage.executions import latest_samples
from patchbay.storage.flow_directory import SqlFlowDirectory
from patchbay.storage.repositories import connections, flows, steps
from patchbay.storage.repositories.owners import foreign_connections
from patchbay.storage.repositories.rows import Tx

_log = logging.getLogger(__name__)

FieldLoader = Callable[[str, JsonObject], Awaitable[tuple[Argument, ...]]]
"""Loads dynamic fields: by the key of the loader, and its parameters."""


class StepTests:
    """Tests steps or skips their tests; either completes a step, which records which of the two it was."""

    __test__ = False  # not a test class for pytest

    def __init__(self, context: ServiceContext, flows: Flows, step_editor: StepEditor) -> None:
        self._context = context
        self._flows = flows
        self._step_editor = step_editor

    async def step_samples(self, flow_id: FlowId) -> tuple[ExecutionStep, ...]:
        """The newest successful result of each step, for value pickers; at most one per step."""

        def work(tx: Tx) -> tuple[ExecutionStep, ...]:
            flows.get(tx, flow_id)
            return _samples(tx, flow_id)

        return await self._context.db.read(work)

    async def test_step(self, step_id: StepId) -> StepTest:
        """Run this one step with the newest data of the steps before it. Completed only when it passed.

        Raises `ValidationFailed` when the step can't run yet. Errors of the step itself are in the result.
        """
        flow, step, samples = await self._prepare_test(step_id)
        if step.structural_type is StructuralType.BRANCH:
            raise Conflict(
                "Branches can only be tested together.",
                meaning="The latest data decides which of them run.",
                todo="Test the step that contains them.",
            )
        is_paths = step.structural_type is StructuralType.PATHS
        branches = children(flow.steps, step.id) if is_paths else ()
        for branch in branches:
            self._require_no_blockers(step_blockers(flow, branch, {}, {}))
        info = self._context.app_details((step.app_key,)).get(step.app_key) if step.app_key else None
        event = info.action(step.key) if info else None
        evaluated = parameters_with_references(event.arguments if event else (), step.parameters)
        conditions: list[Json] = [group for branch in branches for group in branch.branch_conditions or ()]
        if conditions:
            evaluated = evaluated | {"branchConditions": conditions}
        self._require_no_blockers(_missing_data_blockers(flow, step, evaluated, samples))
        draft = FlowVersion(
            flow_id=flow.id,
            number=0,
            name=flow.name,
            steps=self._context.with_addresses(flow).steps,
            created_at=self._context.clock(),
        )
        execution_id, outcome = await self._context.engine.test_step(
            draft, step.id, samples, full_rights=self._context.full_rights
        )
        await self._context.record_audit_entry(AuditAction.TESTED, ResourceType.FLOW, flow.id)
        result = _with_first_loop_item(_result(execution_id, step, outcome))
        return StepTest(flow=await self._flows.get_flow(flow.id), execution_id=execution_id, result=result)

    async def skip_step_test(self, step_id: StepId) -> Flow:
        """Mark the step as complete without running it.

        Raises `ValidationFailed` when the step can't run yet.
        """
        _, checked, _ = await self._prepare_test(step_id)

        def edit(tx: Tx, flow: Flow) -> None:
            step = _step_of(flow, step_id)
            if step.behaves_like(checked):
                steps.put(tx, _with_skipped_test(step), self._context.clock())

        return await self._step_editor.edit(
            lambda tx: steps.flow_id_of_step(tx, step_id), edit, marks_unpublished=False
        )

    async def skip_tests(self, flow: Flow, *, is_stored: bool) -> Flow:
        """Return the flow with the tests skipped of all steps that could run; nothing is stored."""
        known = await self._context.db.read(_testable_connections)
        steps: list[Step] = []
        for step in flow.steps:
            if step.status is not StepStatus.COMPLETED:
                load_fields = partial(self._fields_of_changed_step, flow, step, is_stored)
                try:
                    await self._require_ready(flow, step, known, load_fields)
                except ValidationFailed:
                    pass  # publishing reports the problems of all steps together
                else:
                    step = _with_skipped_test(step)
            steps.append(step)
        return flow.model_copy(update={"steps": tuple(steps)})

    async def preview_schedule(
        self, flow_id: FlowId, app_key: AppKey, key: str, parameters: JsonObject
    ) -> SchedulePreview:
        """When a schedule trigger with these parameters would start this flow."""
        flow = await self._flows.get_flow(flow_id)
        trigger = self._context.apps.trigger(app_key, key)
        return await self._context.engine.preview_schedule(trigger, parameters, flow.settings)

    async def dynamic_options(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Option, ...]:
        ctx = await self._loader_context(step_id, parameters)
        load = self._context.apps.dynamic_data(ctx.app.app_key, loader).load
        with translate_app_errors(ctx):
            return tuple(await load(ctx))

    async def dynamic_fields(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Argument, ...]:
        return await self._load_fields(await self._loader_context(step_id, parameters), loader)

    async def _fields_of_changed_step(
        self, flow: Flow, step: Step, is_stored: bool, loader: str, parameters: JsonObject
    ) -> tuple[Argument, ...]:
        """The dynamic fields of a step that isn't stored, at least not like this."""
        directory = SqlFlowDirectory(self._context.db, owner=flow.user_id)
        network = await self._context.http.network.policy(
            flow_id=flow.id if is_stored else None, connection_id=step.connection_id
        )
        ctx = await self._build_context(flow, step, parameters, {}, directory, network)
        return await self._load_fields(ctx, loader)

    async def _load_fields(self, ctx: Context, loader: str) -> tuple[Argument, ...]:
        load = self._context.apps.dynamic_fields(ctx.app.app_key, loader).load
        with translate_app_errors(ctx):
            return tuple(await load(ctx))

    async def _prepare_test(self, step_id: StepId) -> tuple[Flow, Step, dict[StepId, Json]]:
        """Return the flow, the step, and the newest output of it and the steps before it.

        Raises `ValidationFailed` when the step can't run yet.
        """

        def work(tx: Tx) -> tuple[Flow, dict[StepId, Json], dict[ConnectionId, Connection]]:
            flow = flows.get(tx, steps.flow_id_of_step(tx, step_id))
            return flow, _outputs(tx, flow.id), _testable_connections(tx)

        flow, samples, known = await self._context.db.read(work)
        step = _step_of(flow, step_id)
        await self._require_ready(flow, step, known, partial(self.dynamic_fields, step.id))
        available_ids = {item.id for item in flow.steps if item.position <= step.position}
        return flow, step, {key: data for key, data in samples.items() if key in available_ids}

    async def _require_ready(
        self, flow: Flow, step: Step, known: ConnectionsById, load_fields: FieldLoader
    ) -> None:
        """Raise `ValidationFailed` when the step can't run yet."""
        self._require_no_blockers(step_blockers(flow, step, self._context.app_details(flow.app_keys), known))
        dynamic = await self._dynamic_fields_of(step, load_fields)
        self._require_no_blockers(
            required_blockers(step, tuple(item for item in dynamic if is_empty(item.value)))
        )

    def _require_no_blockers(self, blockers: list[Blocker]) -> None:
        if blockers:
            by_field: dict[str, list[str]] = {}
            for blocker in blockers:
                by_field.setdefault(blocker.field or "general", []).append(blocker.reason)
            raise ValidationFailed(by_field, happened=f"This step isn't ready. {blockers[0].reason}")

    async def _dynamic_fields_of(self, step: Step, load_fields: FieldLoader) -> tuple[Argument, ...]:
        """The fields that depend on values of the step; fields that can't be loaded now are left out."""
        info = (
            self._context.app_details((step.app_key,)).get(step.app_key)
            if step.app_key and step.key
            else None
        )
        event = info and (info.trigger(step.key) or info.action(step.key))
        found: list[Argument] = []
        for item in event.arguments if event else ():
            if item.additional_fields is None or is_empty(step.parameters.get(item.key)):
                continue
            try:
                arguments, waits_for = loader_arguments(
                    item.additional_fields, {"parameters": step.parameters}
                )
                if not waits_for:
                    found += await load_fields(item.additional_fields.loader, arguments)
            except AppError as problem:
                _log.info("fields of %s could not be loaded: %s", step.app_key, problem.happened)
        return tuple(found)

    async def _loader_context(self, step_id: StepId, parameters: JsonObject) -> Context:
        """The context for a loader: entered values over stored ones, with references resolved."""

        def work(tx: Tx) -> tuple[Flow, dict[StepId, Json], frozenset[ConnectionId]]:
            flow = flows.get(tx, steps.flow_id_of_step(tx, step_id))
            return flow, _outputs(tx, flow.id), foreign_connections(tx, flow.id, flow.connection_ids)

        flow, samples, foreign = await self._context.db.read(work)
        step = _step_of(flow, step_id)
        if step.connection_id in foreign and not self._context.full_rights:
            raise foreign_connection_error(step.position, step.name or step.app_key or "")
        network = await self._context.http.network.policy(flow_id=flow.id, connection_id=step.connection_id)
        directory = SqlFlowDirectory(self._context.db, flow.id)
        return await self._build_context(flow, step, parameters, samples, directory, network)

    async def _build_context(
        self,
        flow: Flow,
        step: Step,
        parameters: JsonObject,
        samples: Mapping[StepId, Json],
        directory: SqlFlowDirectory,
        network: AddressPolicy,
    ) -> Context:
        if not step.app_key:
            raise NotFound("This step has no app yet.", todo="Choose an app first.")
        app, info = self._context.apps.get(step.app_key), self._context.apps.info(step.app_key, detail=True)
        event = info.trigger(step.key) or info.action(step.key)
        values = resolve_parameters(event.arguments if event else (), step.parameters | parameters, samples)
        auth = CurrentAuth()
        if step.connection_id is not None:
            key = event.connection_app if event else None
            connection_provider = self._context.apps.get(key) if key else None
            auth = await stored_auth(self._context.credentials, step.connection_id, connection_provider)
        return Context(
            app=app,
            auth=auth,
            flow=CurrentFlow(id=flow.id, find_name=partial(_name_of, flow)),
            step=CurrentStep(id=step.id, app_key=app.app_key, parameters=values),
            execution=CurrentExecution(test_run=True),
            flows=directory,
            http_factory=self._context.http,
            network=network,
            workers=self._context.workers,
            file_access=self._context.engine.files,
            program_access=self._context.engine.programs,
            now=self._context.clock(),
            time_zone=self._context.engine.time_zone,
        )


async def _name_of(flow: Flow) -> str:
    return flow.name


def _step_of(flow: Flow, step_id: StepId) -> Step:
    return next(step for step in flow.steps if step.id == step_id)


def _with_skipped_test(step: Step) -> Step:
    return step.model_copy(update={"status": StepStatus.COMPLETED, "tested": StepTestStatus.SKIPPED})


def _testable_connections(tx: Tx) -> dict[ConnectionId, Connection]:
    """All connections; those that need attention as valid, because the test shows whether they still do."""
    return {
        item.id: item.model_copy(update={"health": ConnectionHealth.VALID}) for item in connections.find(tx)
    }


def _samples(tx: Tx, flow_id: FlowId) -> tuple[ExecutionStep, ...]:
    """The newest successful result of each step; that of a loop with its first item."""
    return tuple(map(_with_first_loop_item, latest_samples(tx, flow_id)))


def _with_first_loop_item(result: ExecutionStep) -> ExecutionStep:
    if result.step.structural_type is not StructuralType.EACH:
        return result
    return result.model_copy(update={"data_out": with_first_item(result.data_out)})


def _outputs(tx: Tx, flow_id: FlowId) -> dict[StepId, Json]:
    return {sample.step.id: sample.data_out for sample in _samples(tx, flow_id)}


def _missing_data_blockers(
    flow: Flow, step: Step, parameters: JsonObject, samples: dict[StepId, Json]
) -> list[Blocker]:
    """One blocker per reference that the newest data can't resolve, at most `MAX_LISTED_REFERENCES`."""
    blockers: list[Blocker] = []
    for key, value in parameters.items():
        for reference in missing(value, samples)[: MAX_LISTED_REFERENCES - len(blockers)]:
            source = flow.step(reference.step_id)
            number = source.position if source else 0
            path = ".".join(reference.path)[:100]
            has = "its newest data has no" if reference.step_id in samples else "it has no data yet, so no"
            reason = f"It uses a value of step {number}, but {has} “{path}”. Test step {number} first."
            blockers.append(Blocker(step_id=step.id, position=step.position, field=key, reason=reason))
    return blockers


def _result(execution_id: ExecutionId, step: Step, outcome: StepOutcome) -> ExecutionStep:
    return ExecutionStep(
        id=f"{execution_id}.{outcome.seq}.{outcome.attempt}",
        execution_id=execution_id,
        step=StepRef.model_validate(step.model_dump()),
        seq=outcome.seq,
        attempt=outcome.attempt,
        status=outcome.status,
        data_in=outcome.data_in,
        data_out=outcome.data_out,
        error_details=outcome.error,
        warnings=outcome.warnings,
        started_at=outcome.started_at,
        finished_at=outcome.finished_at,
        created_at=outcome.started_at,
        updated_at=outcome.finished_at,
    )
