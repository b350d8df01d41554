"""Two programs that run the flows of one PostgreSQL database."""

import asyncio

import pytest
from tests.support.patience import PATIENCE
from tests.support.postgres_databases import location_on

from patchbay.bootstrap.local import open_local
from patchbay.domain.base import AppKey, JsonObject, StepId
from patchbay.domain.changes import ResourceType
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.flows import StepChange
from patchbay.domain.ports import WebhookRequest
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Settings


@pytest.fixture
def location(request):
    yield from location_on("postgresql", request)


@pytest.fixture
async def pair(location, tmp_path):
    opened = []
    for name in ("one", "two"):
        paths = AppPaths.choose(str(tmp_path / name))
        opened.append(await open_local(paths, Settings(), passphrase="correct horse", database=location))
        await opened[-1].runtime.start()
    yield opened
    for workspace in opened:
        await workspace.close()


def _catch() -> StepChange:
    return StepChange(app_key=AppKey("webhook"), key="catchRawWebhook")


def _answer(trigger_id: StepId) -> StepChange:
    body = f"Hello {{{{step.{trigger_id}.body.n}}}}"
    parameters: JsonObject = {"statusCode": "200", "body": body}
    return StepChange(app_key=AppKey("webhook"), key="respondWith", parameters=parameters)


async def _published(backend):
    flow = await backend.create_flow("Greet")
    trigger, action = flow.steps
    await backend.update_step(trigger.id, _catch())
    await backend.update_step(action.id, _answer(trigger.id))
    for step in (trigger, action):
        await backend.skip_step_test(step.id)
    await backend.publish_flow(flow.id)
    return flow


def _post(number):
    return WebhookRequest(method="POST", headers={}, query={}, body={"n": number})


@pytest.mark.timeout(60)
async def test_two_servers_share_flows_settings_changes_and_responses(pair):
    first, second = (workspace.runtime for workspace in pair)
    changes = second.backend.changes()
    flow = await _published(first.backend)

    async with asyncio.timeout(PATIENCE):
        while (await anext(changes)).noun is not ResourceType.FLOW:
            pass
        # The first accepts, the second runs: the response travels back.
        await first.backend.pause_runs()
        while second.engine.state != "paused":
            await anext(changes)
        await first.backend.resume_runs()
        while second.engine.state != "running":
            await anext(changes)
        first.engine._components.dispatcher.close()
        first.engine._components.dispatcher.open = lambda: None
        response = await first.engine.deliver(flow.id, _post(7), synchronous=True)
        assert (response.status, response.body) == (200, "Hello 7")

        for number in range(10):
            await first.engine.deliver(flow.id, _post(number), synchronous=False)
        while (await second.backend.count_executions(ExecutionFilter())).success < 11:
            await anext(changes)

    assert second.engine._components.announcer.finished["success"] == 11
    await first.backend.unpublish_flow(flow.id)
