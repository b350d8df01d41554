"""A whole workspace in which every template becomes a published flow that runs against simulated services."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.support.catalogue.facts import responses
from tests.support.dry_runs import databases
from tests.support.dry_runs.deliveries import delivery
from tests.support.dry_runs.mail import MailServer, mail_server
from tests.support.dry_runs.services import Services
from tests.support.workspace import Clock

from patchbay.bootstrap.workspace_runtime import WorkspaceRuntime, open_runtime
from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import AppKey, ConnectionId, FlowId, JsonObject, StepId, TemplateId
from patchbay.domain.connections import Connection
from patchbay.domain.errors import AppError
from patchbay.domain.executions import Execution, ExecutionFilter, ExecutionStep
from patchbay.domain.fields import Argument, is_visible, loader_arguments, missing_required
from patchbay.domain.flows import Flow, FlowExport, Step, StepChange, StepExport, StepType
from patchbay.domain.folders import Template
from patchbay.domain.paging import PageRequest
from patchbay.domain.template_inputs import fill_template
from patchbay.integration.registry import AppRegistry
from patchbay.service.key_stores import MemoryKeyStore
from patchbay.service.people import ensure_owner
from patchbay.service.verification import with_verified_credentials
from patchbay.storage.engine_store import SqlEngineStore
from patchbay.storage.repositories import connections, secrets
from patchbay.storage.repositories.rows import Tx

WEBHOOKS = "https://patchbay.example.com"
WITHOUT_CONNECTION = ("http-request", "webhook")
"""Apps whose connection is optional, and left out by the templates."""
FAILING = "A flow that fails"
ROUND_SECONDS = 100.0
"""A round has up to a hundred runs. On a busy machine they take many times as long as on a quiet one."""


@dataclass(frozen=True)
class Run:
    """One run of a template's flow."""

    execution: Execution
    steps: tuple[ExecutionStep, ...]

    def text(self) -> str:
        """How and where it ended, for messages."""
        last = self.steps[-1]
        return (
            f"{self.execution.state} at step {len(self.steps)}: {last.error_details or self.execution.note}"
        )


@dataclass
class TemplateRuns:
    """The flow of one template and its runs. `problem`: why it couldn't be published or started."""

    problem: str = ""
    flow: Flow | None = None
    runs: list[Run] = field(default_factory=list)


class DryRun:
    """Publishes the flows, and starts them at the times of a scenario."""

    def __init__(
        self, runtime: WorkspaceRuntime, apps: AppRegistry, services: Services, mail: MailServer, clock: Clock
    ) -> None:
        self.runtime, self.apps, self.services, self.mail, self.clock = runtime, apps, services, mail, clock
        self.store = SqlEngineStore(runtime.db, clock)
        self.by_template: dict[str, TemplateRuns] = {}
        self._connections: dict[AppKey, Connection] = {}
        self._choices: dict[str, Any] = {}

    async def connect(self, key: AppKey) -> ConnectionId | None:
        """The connection of an app, stored with made-up credentials; None if it has none."""
        app = self.apps.get(key)
        if app.auth is None or key in WITHOUT_CONNECTION:
            return None
        if key not in self._connections:
            now = self.clock()
            fresh = Connection(
                id=ConnectionId(f"connection-{key}"), app_key=key, created_at=now, approved=True
            )
            data = self._credentials(key)
            self._connections[key] = made = with_verified_credentials(fresh, app, data, now)
            sealed = await self.runtime.secret_store.seal(made.id, data)
            owner = await ensure_owner(self.runtime.db, self.clock)

            def store(tx: Tx) -> None:
                connections.add(tx, made, owner.id)
                secrets.put(tx, sealed)

            await self.runtime.db.write(store)
        return self._connections[key].id

    def _credentials(self, key: AppKey) -> JsonObject:
        if key in ("imap", "smtp"):
            return self.mail.account(key)
        if key in ("mysql", "postgresql"):
            return {**databases.ACCOUNT, "port": "5432"}
        return self.services.of(key).data

    async def publish(self, template: Template, inputs: dict[str, str]) -> None:
        """Create a flow from a template as people do: connect accounts, choose from lists, and publish."""
        own = self.by_template[template.name] = TemplateRuns()
        try:
            values = {item.key: inputs.get(item.key) or item.value for item in template.inputs}
            assert all(values.values()), f"the scenario has no value for {values}"
            flow = await self.runtime.backend.import_flow(fill_template(template, values))
            for step in flow.steps:
                await self._complete(step)
            own.flow = await self._published(flow)
        except (AppError, AssertionError) as error:
            own.problem = f"{error.text()} {error.extra()}" if isinstance(error, AppError) else str(error)

    async def _published(self, flow: Flow) -> Flow:
        """Publish a flow while its service has no items yet, so that all that come later are new."""
        start = flow.steps[0]
        assert start.app_key is not None
        service = self.services.of(start.app_key)
        info = self.apps.info(start.app_key).trigger(start.key)
        service.is_empty = info is not None and info.kind is TriggerKind.POLLING
        try:
            return await self.runtime.backend.publish_flow(flow.id)
        finally:
            service.is_empty = False

    async def _complete(self, step: Step) -> None:
        assert step.app_key is not None
        connection_id = await self.connect(step.app_key)
        if connection_id is not None:
            await self.runtime.backend.update_step(step.id, StepChange(connection_id=connection_id))
        app = self.apps.info(step.app_key)
        event = app.trigger(step.key) or app.action(step.key)
        parameters = dict(step.parameters)
        for argument in missing_required(event.arguments if event else (), parameters):
            if argument.source is not None and is_visible(argument, parameters):
                parameters[argument.key] = await self._choice(step, argument, parameters)
        if parameters != step.parameters:
            await self.runtime.backend.update_step(step.id, StepChange(parameters=parameters))
        await self.runtime.backend.skip_step_test(step.id)

    async def _choice(self, step: Step, argument: Argument, parameters: JsonObject) -> Any:
        """The first option of a list."""
        assert argument.source is not None
        loaded, empty = loader_arguments(argument.source, {"parameters": parameters})
        assert not empty, f"{argument.key} needs {empty}"
        key = f"{step.app_key} {argument.source.loader} {loaded}"
        if key not in self._choices:
            found = await self.runtime.backend.dynamic_options(step.id, argument.source.loader, loaded)
            assert found, f"{step.app_key}: the list {argument.source.loader} is empty"
            self._choices[key] = found[0].value
        return self._choices[key]

    def respond(self, always: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        """Let services respond with these answers by app, in addition to the responses of the catalogue."""
        both = {key: {**always.get(key, {}), **now.get(key, {})} for key in {*always, *now}}
        self.services.respond(both)

    # Rounds

    async def jump(self, moment: str) -> None:
        """Set the clock, and wait for what is due then: polls, schedules, and their runs."""
        self.clock.now = round(datetime.fromisoformat(moment).timestamp() * 1000)
        self.runtime.engine.triggers_changed()
        await self.idle()

    async def idle(self) -> None:
        """Wait until nothing is due and no run is queued or running. Runs that don't end are found later."""
        with suppress(TimeoutError):
            async with asyncio.timeout(ROUND_SECONDS):
                while await self._is_due() or await self._is_running():  # noqa: ASYNC110
                    await asyncio.sleep(0.05)

    async def _is_due(self) -> bool:
        due = [trigger.state.next_due_at for trigger in await self.store.active_triggers()]
        due.append(await self.store.next_wake(()))
        return any(at is not None and at <= self.clock.now for at in due)

    async def _is_running(self) -> bool:
        health = await self.runtime.engine.health()
        return bool(health.queued or health.running)

    async def deliver(self, name: str, body: Any) -> None:
        """Let the service of a template's webhook report an event."""
        own = self.by_template[name]
        if own.flow is None:
            return
        key, event = own.flow.steps[0].app_key, own.flow.steps[0].key
        assert key is not None
        if body is None:
            body = responses(key)["$deliveries"][event]
        try:
            request = delivery(self.services.of(key), own.flow.id, body, self.clock())
            response = await self.runtime.engine.deliver(own.flow.id, request, synchronous=False)
            assert response.status < 400, f"the delivery was rejected: {response}"
        except (AppError, AssertionError) as error:
            own.problem = str(error)

    async def collect(self) -> None:
        """Read what all flows have done."""
        for own in self.by_template.values():
            if own.flow is None:
                continue
            where = ExecutionFilter(flow_id=own.flow.id)
            page = await self.runtime.backend.list_executions(where, PageRequest(limit=200))
            for execution in reversed(page.items):
                steps = await self.runtime.backend.execution_steps(execution.id)
                own.runs.append(Run(execution, tuple(sorted(steps, key=lambda one: one.seq))))


def failing_template() -> Template:
    """A flow whose request is rejected, for the templates that start when a flow fails."""
    parameters: JsonObject = {"method": "GET", "url": "https://broken.example.org/", "headers": []}
    catch = StepExport(
        id=StepId("1"),
        type=StepType.TRIGGER,
        app_key=AppKey("webhook"),
        key="catchRawWebhook",
        position=1,
        parameters={"workSynchronously": False},
    )
    send = StepExport(
        id=StepId("2"),
        type=StepType.ACTION,
        app_key=AppKey("http-request"),
        key="customRequest",
        position=2,
        parameters=parameters,
    )
    flow = FlowExport(id=FlowId("failing"), name=FAILING, steps=(catch, send))
    return Template(id=TemplateId("failing"), name=FAILING, flow_data=flow.wire())


@asynccontextmanager
async def _workspace(folder: Path, apps: AppRegistry) -> AsyncIterator[DryRun]:
    services, clock = Services(), Clock(round(datetime(2026, 1, 29, 10, tzinfo=UTC).timestamp() * 1000))
    with databases.sample_databases():
        async with mail_server() as mail:
            runtime = await open_runtime(folder / "patchbay.db", apps, MemoryKeyStore(), clock, http=services)
            try:
                runtime.workspace.webhooks = lambda: WEBHOOKS
                await runtime.engine.start()
                yield DryRun(runtime, apps, services, mail, clock)
            finally:
                await runtime.close(0)


async def dry_run(
    folder: Path, apps: AppRegistry, templates: Sequence[Template], scenario: dict[str, Any]
) -> DryRun:
    """Run all templates through the rounds of the scenario."""
    async with _workspace(folder, apps) as made:
        made.respond(scenario["services"], scenario["before"])
        for template in (*templates, failing_template()):
            await made.publish(template, scenario["inputs"])
        databases.ORDERS[:] = scenario["orders"]
        for message in scenario["messages"]:
            made.mail.receive(**message)
        for one in scenario["rounds"]:
            made.respond(scenario["services"], one["services"])
            await made.jump(one["at"])
            for name, body in one["deliveries"].items():
                await made.deliver(name, body)
            await made.idle()
        await made.collect()
        return made


def load_scenario(path: Path) -> dict[str, Any]:
    """The scenario: inputs, and what services have and report, at first and in each round."""
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found
