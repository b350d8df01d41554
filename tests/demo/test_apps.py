"""The demo uses the real apps: its flows and accounts fit their definitions, and so do its sample data."""

from typing import Any

import pytest
from tests.support.storage_rows import NOW

from patchbay.bootstrap.demo import _demo_registry
from patchbay.demo.blueprint import blueprint, failures, load_json
from patchbay.demo.history import make_sample_runs
from patchbay.demo.samples import Occasion
from patchbay.demo.timing import SLOT_MS, slots
from patchbay.demo.workspace import Ids, frozen_steps, internal_id
from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import Json, StepId
from patchbay.domain.errors import ThirdPartyError
from patchbay.domain.fields import SCREEN_NAME
from patchbay.domain.variables import missing, resolve
from patchbay.integration.context import collect_items
from patchbay.integration.oauth import REDIRECT_FIELD
from patchbay.integration.registry import load_apps

PLANS = blueprint().flows
PUBLISHED = [plan for plan in PLANS if not plan.draft]
STEPS = [
    (plan, position)
    for plan in PUBLISHED
    for position, step in enumerate(plan.steps, 1)
    if position > 1 and step.app not in (None, "filter", "delay")
]
ON_THE_WIRE = ("content-length", "content-type")
"""Headers that the sample data show only in part."""


def name_of(value: Any) -> str:
    return value.name if hasattr(value, "name") else str(value)


def test_the_demo_has_all_apps_of_the_catalogue_with_the_same_definitions():
    demo, local = _demo_registry(), load_apps()

    assert {info.key for info in demo.infos()} == {info.key for info in local.infos()}
    assert [app.key for app in demo.all() if app != local.get(app.app_key)] == []


@pytest.mark.parametrize("plan", PLANS, ids=name_of)
async def test_a_flow_uses_what_the_apps_offer(apps, context, plan):
    unknown = {}
    for position, step in enumerate(plan.steps, 1):
        if step.app and step.key:
            event = apps.trigger(step.app, step.key) if position == 1 else apps.action(step.app, step.key)
            offered = {argument.key for argument in event.arguments}
            for argument in event.arguments:
                if argument.additional_fields:
                    fields = apps.dynamic_fields(step.app, argument.additional_fields.loader)
                    loaded = await fields.load(context(step.app, step.parameters))
                    offered |= {field.key for field in loaded}
            unknown[position] = set(step.parameters) - offered

    assert plan.draft or unknown
    assert {position: keys for position, keys in unknown.items() if keys} == {}


@pytest.mark.parametrize("key", sorted(load_json("accounts")))
def test_an_account_has_the_values_that_the_form_of_the_app_asks_for(apps, key):
    account = load_json("accounts")[key]
    fields = [field for field in apps.get(key).auth.fields if field.key not in (SCREEN_NAME, REDIRECT_FIELD)]
    required = {field.key for field in fields if field.required}

    assert set(account["shown"]) <= {field.key for field in fields if not field.is_secret}
    assert required <= {*account["shown"], *account["stored"]}
    assert {field.key for field in fields if field.is_secret and field.required} <= set(account["stored"])


@pytest.mark.parametrize("key", sorted(load_json("accounts")))
async def test_an_account_is_still_accepted_and_one_whose_access_was_revoked_is_not(apps, context, key):
    auth = apps.get(key).auth
    stored = load_json("accounts")[key]["stored"]
    granted = ("demo-access", "demo-refresh")
    revoked = {name: "demo-revoked" for name, value in stored.items() if value in granted}

    assert await auth.is_still_verified(context(key))
    with pytest.raises(ThirdPartyError) as caught:
        await auth.is_still_verified(context(key, **revoked))
    assert caught.value.status in (None, 200, 400, 401, 403)


@pytest.mark.parametrize("plan", PUBLISHED, ids=name_of)
def test_every_value_a_step_refers_to_is_there(plan):
    step_ids = [StepId(step.name or "") for step in plan.steps]
    outputs = make_sample_runs(plan, step_ids, 1).runs[0].outputs

    assert [found for step in plan.steps for found in missing(step.parameters, outputs)] == []


@pytest.mark.parametrize(("plan", "position"), STEPS, ids=name_of)
async def test_a_step_outputs_what_the_history_shows(apps, context, plan, position):
    step = plan.steps[position - 1]
    sample = make_sample_runs(plan, [StepId(str(n)) for n in range(1, len(plan.steps) + 1)], 1).runs[0]
    parameters = {key: resolve(value, sample.outputs) for key, value in step.parameters.items()}
    ctx = context(step.app, parameters)

    await apps.action(step.app, step.key).run(ctx)

    assert shape(ctx.action_output) == shape(sample.outputs[StepId(str(position))])


@pytest.mark.parametrize("plan", [plan for plan in PUBLISHED if plan.polls], ids=name_of)
async def test_a_poll_finds_the_items_that_the_history_shows_and_their_ids(apps, context, plan):
    step = plan.steps[0]
    trigger = apps.trigger(step.app, step.key)
    sample = make_sample_runs(plan, [StepId(str(n)) for n in range(1, len(plan.steps) + 1)], 1).runs[0]

    first = await collect_items(trigger.run, context(step.app, step.parameters))
    second = await collect_items(trigger.run, context(step.app, step.parameters))

    known = [internal_id(plan, Occasion(slot, slot * SLOT_MS)) for slot in slots(NOW)]
    assert [item.internal_id for item in first] == known
    assert first == second
    assert {str(shape(item.raw)) for item in first} == {str(shape(sample.outputs[StepId("1")]))}


def test_what_polls_is_known_by_the_kind_of_its_trigger(apps):
    polling = {
        plan.name
        for plan in PUBLISHED
        if apps.trigger(plan.steps[0].app, plan.steps[0].key).kind is TriggerKind.POLLING
    }

    assert {plan.name for plan in PUBLISHED if plan.polls} == polling


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


def shape(value: Json) -> Any:
    """The keys of a value, however deep, without what they hold."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in sorted(value.items()) if key not in ON_THE_WIRE}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__ if not isinstance(value, (int, float)) else "number"
