"""The apps of the demo: they keep the contract, fit the flows, and are answered without a network."""

from typing import Any

import pytest
from tests.support.storage_rows import NOW

from patchbay.demo.apps import demo_apps, works_offline
from patchbay.demo.blueprint import blueprint, failures
from patchbay.demo.history import make_sample_runs
from patchbay.demo.timing import slots
from patchbay.demo.transport import DemoTransport
from patchbay.demo.workspace import Ids, frozen_steps
from patchbay.domain.base import AppKey, StepId
from patchbay.domain.errors import NotFound, ThirdPartyError
from patchbay.domain.variables import missing
from patchbay.integration import App
from patchbay.integration.app_rules import find_violations
from patchbay.integration.context import Context, CurrentAuth, CurrentStep, collect_items
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.registry import AppRegistry

WITHOUT_GLYPH = {"pushover", "smtp", "typeform"}


@pytest.fixture
def apps():
    from patchbay.integration.registry import built_in_apps

    found = tuple(app for app in built_in_apps() if isinstance(app, App) and works_offline(app))
    return AppRegistry((*found, *demo_apps(existing_keys={AppKey(one.key) for one in found})))


@pytest.fixture
async def http():
    factory = HttpFactory(transport=DemoTransport(lambda: NOW, delay_factor=0))
    yield factory
    await factory.aclose()


@pytest.mark.parametrize("app", demo_apps(), ids=lambda app: app.key)
def test_an_app_keeps_the_contract_and_has_its_looks(app):
    assert find_violations(app) == []
    assert app.category
    assert app.description
    assert app.icon_svg.startswith("<svg") or app.key in WITHOUT_GLYPH


def test_an_app_that_is_really_there_is_not_replaced():
    assert "github" not in {app.key for app in demo_apps(existing_keys={AppKey("github")})}


def test_apps_whose_connections_would_leave_this_computer_are_not_in_the_demo(apps):
    from patchbay.integration.registry import built_in_apps

    away = {app.key for app in built_in_apps() if isinstance(app, App) and not works_offline(app)}

    assert {"postgresql", "mysql"} <= away
    assert apps.get("postgresql").api_base_url == "https://postgresql.example.org"
    with pytest.raises(NotFound):
        apps.get("mysql")


@pytest.mark.parametrize("plan", blueprint().flows, ids=lambda plan: plan.name)
def test_a_flow_uses_what_the_apps_offer(apps, plan):
    unknown = {}
    for position, step in enumerate(plan.steps, 1):
        if step.app and step.key:
            event = apps.trigger(step.app, step.key) if position == 1 else apps.action(step.app, step.key)
            offered = {argument.key for argument in event.arguments}
            if not any(argument.additional_fields for argument in event.arguments):
                unknown[position] = set(step.parameters) - offered

    assert plan.draft or (plan.steps[0].app and unknown)
    assert {position: keys for position, keys in unknown.items() if keys} == {}


@pytest.mark.parametrize(
    "plan", [flow for flow in blueprint().flows if not flow.draft], ids=lambda plan: plan.name
)
def test_every_value_a_step_refers_to_is_there(plan):
    step_ids = [StepId(step.name or "") for step in plan.steps]
    outputs = make_sample_runs(plan, step_ids, 1).runs[0].outputs

    assert [found for step in plan.steps for found in missing(step.parameters, outputs)] == []


def test_what_the_plan_names_exists():
    plan = blueprint()
    connections, names = {item.id for item in plan.connections}, {flow.name for flow in plan.flows}

    assert {step.connection for flow in plan.flows for step in flow.steps if step.connection} <= connections
    assert {weakness.failure for flow in plan.flows for weakness in flow.fails} <= failures().keys()
    assert {outage.failure for outage in plan.outages} <= failures().keys()
    assert {item.flow for item in plan.templates} | {item.flow for item in plan.latest} <= names
    assert {flow.folder for flow in plan.flows} - {None} == set(plan.folders)
    assert len({step.id for flow in plan.flows for step in frozen_steps(flow, Ids(1))}) == sum(
        len(flow.steps) for flow in plan.flows
    )


async def test_a_good_key_is_accepted_and_a_revoked_one_rejected_with_a_clear_error(apps, http):
    app = apps.get("todoist")

    async def verify(secret):
        data = {"screenName": "Anna", "clientId": "demo", "clientSecret": secret}
        await app.auth.verify_credentials(
            Context(app=app, auth=CurrentAuth(data=data), http_factory=http, now=NOW)
        )

    await verify("demo")
    with pytest.raises(ThirdPartyError, match="Invalid credentials") as caught:
        await verify("demo-revoked")
    assert caught.value.status == 401


async def test_an_action_answers_with_what_it_was_given(apps, http):
    step = CurrentStep(app_key=AppKey("todoist"), parameters={"content": "Buy milk", "description": ""})
    ctx: Any = Context(app=apps.get("todoist"), step=step, http_factory=http, now=NOW)

    await apps.action("todoist", "createTask").run(ctx)

    assert ctx.action_output["content"] == "Buy milk"
    assert ctx.action_output["id"] == NOW


async def test_a_poll_finds_the_same_newest_items_until_something_happens(apps, http):
    async def poll():
        ctx = Context(app=apps.get("github"), http_factory=http, now=NOW)
        return await collect_items(apps.trigger("github", "newIssues").run, ctx)

    first, second = await poll(), await poll()

    assert first == second
    assert [item.internal_id for item in first] == [str(slot) for slot in slots(NOW)]
    assert first[0].raw["title"]


async def test_requests_to_any_address_are_answered_here(apps, http):
    parameters: dict[str, Any] = {"method": "GET", "url": "https://stock.example.org/api/stock"}
    step = CurrentStep(app_key=AppKey("http-request"), parameters=parameters)
    ctx = Context(app=apps.get("http-request"), step=step, http_factory=http, now=NOW)

    await apps.action("http-request", "customRequest").run(ctx)

    assert "stock.example.org" in str(ctx.action_output)


def test_an_app_of_another_name_is_not_there(apps):
    with pytest.raises(NotFound):
        apps.get("fax")
