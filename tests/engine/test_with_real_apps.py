"""The flows of the first working day, with the apps that come with the program."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.engine_runtime import FLOW_1, Clock, MemoryCredentials, Shelf
from tests.support.processes import sleeping, until

from patchbay.domain.base import AppKey, Json, StepId
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowVersion, Step, StepType
from patchbay.domain.ports import WebhookRequest
from patchbay.engine.engine import Engine
from patchbay.integration.registry import load_apps


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    opened = await Shelf.open(tmp_path / "apps.db")
    yield opened
    await opened.db.close()


@pytest.fixture
async def engine(shelf: Shelf) -> AsyncIterator[Engine]:
    engine = Engine(shelf.store, load_apps(), MemoryCredentials(), Clock(), time_zone="Europe/Berlin")
    await engine.start()
    yield engine
    await engine.stop()


def chain(*steps: tuple[str, str, dict[str, Any]]) -> FlowVersion:
    made = tuple(
        Step(
            id=StepId(f"s{position}"),
            type=StepType.ACTION if position > 1 else StepType.TRIGGER,
            app_key=AppKey(app),
            key=key,
            position=position,
            parameters=parameters,
        )
        for position, (app, key, parameters) in enumerate(steps, start=1)
    )
    return FlowVersion(flow_id=FLOW_1, number=1, name="Orders", steps=made, approved=True)


FORMAT = ("formatter", "text", {"transform": "trimWhitespace", "input": "{{step.s1.body.name}}"})


def only_if(name: str) -> tuple[str, str, dict[str, Any]]:
    condition = {"key": "{{step.s2.output}}", "operator": "equal", "value": name}
    return ("filter", "continueIfMatches", {"or": [{"and": [condition]}]})


RESPOND = ("webhook", "respondWith", {"statusCode": "202", "headers": [], "body": "Hi {{step.s2.output}}"})


async def test_webhook_formatter_filter_respond(shelf: Shelf, engine: Engine):
    await shelf.publish(chain(("webhook", "catchRawWebhook", {}), FORMAT, only_if("Ada"), RESPOND), 15, None)
    request = WebhookRequest(method="POST", headers={"Cookie": "x"}, query={}, body={"name": "  Ada "})

    answer = await engine.deliver(FLOW_1, request, synchronous=True)

    assert (answer.status, answer.body) == (202, "Hi Ada")


async def test_a_filter_tells_the_caller_and_the_execution_which_condition_failed(
    shelf: Shelf, engine: Engine
):
    await shelf.publish(chain(("webhook", "catchRawWebhook", {}), FORMAT, only_if("Bob"), RESPOND), 15, None)
    request = WebhookRequest(method="POST", headers={}, query={}, body={"name": "Ada"})

    answer = await engine.deliver(FLOW_1, request, synchronous=True)

    assert answer.status == 422
    (seen,) = await shelf.all()
    assert seen.state is ExecutionState.FILTERED
    assert seen.note == "Stopped because this condition doesn't match: “Ada” equals “Bob”"


async def test_a_schedule_of_the_scheduler_app(shelf: Shelf, engine: Engine):
    version = chain(("scheduler", "everyHour", {"triggersOnWeekend": True}), FORMAT)

    state = await engine.initial_trigger_state(version)
    await shelf.publish(version, 15, state)
    engine.triggers_changed()
    await engine.run_now(FLOW_1)

    assert state.next_due_at is not None
    (seen,) = await shelf.all()
    assert seen.step(0).data_out["timeZone"] == "Europe/Berlin"


async def test_a_program_gets_values_as_inputs_and_its_result_continues(shelf: Shelf, engine: Engine):
    rows = [{"key": "people", "value": "{{step.s1.body.people}}"}]
    program = "return ', '.join(person['name'] for person in inputs['people']) + ' {{step.s1.body}}'"
    code = ("code", "runPython", {"inputs": rows, "codeSnippet": program})
    answer = ("webhook", "respondWith", {"statusCode": "200", "headers": [], "body": "{{step.s2.output}}"})
    await shelf.publish(chain(("webhook", "catchRawWebhook", {}), code, answer), 15, None)
    people: Json = [{"name": "Ada"}, {"name": "Zoë"}]

    said = await engine.deliver(
        FLOW_1, WebhookRequest(method="POST", headers={}, query={}, body={"people": people}), synchronous=True
    )

    assert said.body == "Ada, Zoë {{step.s1.body}}"
    (seen,) = await shelf.all()
    assert list(seen.step(1).warnings) == []


async def test_cancelling_a_run_ends_its_program(shelf: Shelf, engine: Engine):
    mark = f"3602.{os.getpid()}"
    program = f"import os\nos.execv('/bin/sleep', ['sleep', '{mark}'])"
    code = ("code", "runPython", {"codeSnippet": program})
    await shelf.publish(chain(("webhook", "catchRawWebhook", {}), code), 15, None)
    await engine.deliver(
        FLOW_1, WebhookRequest(method="POST", headers={}, query={}, body={}), synchronous=False
    )
    await asyncio.to_thread(until, lambda: sleeping(mark))
    (seen,) = await shelf.all()

    await engine.cancel(seen.id)

    await asyncio.to_thread(until, lambda: not sleeping(mark))
    (seen,) = await shelf.all()
    assert seen.state is ExecutionState.CANCELLED
