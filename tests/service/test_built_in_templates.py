"""Each built-in template: its apps, fields, values, and variables exist, and it becomes a complete draft."""

import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from tests.support.contract_workspaces import served

from patchbay.bootstrap.workspace_runtime import open_runtime
from patchbay.client.remote import RemoteBackend
from patchbay.domain.apps import ActionInfo, AppInfo, TriggerInfo
from patchbay.domain.base import AppKey, Json, TemplateId
from patchbay.domain.blockers import Blocker
from patchbay.domain.clock import now_ms
from patchbay.domain.errors import FlowNotReady, Forbidden
from patchbay.domain.fields import Argument, ArgumentType, is_empty, is_visible
from patchbay.domain.flows import Flow, FlowExport, Step, StepExport, StepType
from patchbay.domain.folders import Template
from patchbay.domain.template_inputs import fill_template, input_keys
from patchbay.domain.variables import incomplete_references, references
from patchbay.integration.registry import AppRegistry, load_apps
from patchbay.service.built_in_templates import built_in_templates
from patchbay.service.key_stores import MemoryKeyStore

TEMPLATES = built_in_templates()
OUTPUTS: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("template_outputs.json").read_text("utf-8")
)
"""What the steps used in templates put out: `#` is an index, and `*` at the end allows anything below."""
NOT_A_PROBLEM = "Test this step, or skip the test."

each_template = pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)


@cache
def registry() -> AppRegistry:
    return load_apps()


@cache
def app_info(key: AppKey) -> AppInfo:
    return registry().info(key)


def steps_of(template: Template) -> tuple[StepExport, ...]:
    return FlowExport.model_validate(template.flow_data).steps


def filled(template: Template) -> FlowExport:
    """The template's flow, with a value for each input."""
    return fill_template(template, {item.key: item.value or "sample" for item in template.inputs})


def event_of(step: StepExport | Step) -> TriggerInfo | ActionInfo | None:
    assert step.app_key is not None
    app = app_info(step.app_key)
    return app.trigger(step.key) if step.type is StepType.TRIGGER else app.action(step.key)


def is_filled_by_variable(value: Json) -> bool:
    return any(references(value)) or any(input_keys(value))


def problems_of_fields(arguments: tuple[Argument, ...], values: dict[str, Json]) -> Iterator[str]:
    """Fields that don't exist or aren't shown, and values that aren't among the options."""
    known = {argument.key: argument for argument in arguments}
    more_fields = any(
        argument.additional_fields and not is_empty(values.get(argument.key)) for argument in arguments
    )
    for key, value in values.items():
        argument = known.get(key)
        if argument is None:
            if not more_fields:
                yield f"there is no field {key}"
            continue
        if not is_visible(argument, values):
            yield f"the field {key} isn't shown"
        if argument.options and not is_filled_by_variable(value):
            chosen = [option.value for option in argument.options]
            if value not in chosen:
                yield f"{key} has no option {value!r}"
        if argument.type is ArgumentType.DYNAMIC:
            for row in value if isinstance(value, list) else ["no list"]:
                yield from problems_of_fields(argument.fields, row) if isinstance(row, dict) else ["no row"]


def has_output(step: StepExport, path: tuple[str, ...]) -> bool:
    """Whether a step can put out a value at this path."""
    known = [*OUTPUTS.get(f"{step.app_key}.{step.key}", ()), *OUTPUTS.get(f"{step.app_key}.*", ())]
    wanted = ".".join("#" if part.isdigit() else part for part in path)
    return any(
        wanted == one or (one.endswith("*") and wanted.startswith(one.removesuffix("*"))) for one in known
    )


def test_there_are_templates_in_every_group_with_a_sentence_each():
    for template in TEMPLATES:
        assert template.description.endswith("."), template.name
        assert template.name == template.name.strip()
        assert not template.name.endswith("."), template.name
        assert template.built_in
        assert template.needs == "" or template.needs.endswith(".")
    assert len({template.id for template in TEMPLATES}) == len(TEMPLATES)
    assert len({template.name for template in TEMPLATES}) == len(TEMPLATES)


@each_template
def test_its_apps_events_fields_and_options_exist(template: Template):
    for step in steps_of(template):
        event = event_of(step)

        assert event is not None, f"{step.app_key} has no {step.key}"
        assert [*problems_of_fields(event.arguments, step.parameters)] == [], step.key


@each_template
def test_its_inputs_are_declared_and_used(template: Template):
    used = {key for step in steps_of(template) for key in input_keys(step.parameters)}

    assert used == {item.key for item in template.inputs}
    assert all(re.fullmatch(r"[a-z][A-Za-z0-9]*", item.key) and item.label for item in template.inputs)


@each_template
def test_its_variables_are_outputs_of_earlier_steps(template: Template):
    steps = {step.id: step for step in filled(template).steps}
    for step in steps.values():
        assert [*incomplete_references(step.parameters)] == []
        for reference in references(step.parameters):
            if reference.is_run_value:
                continue
            source = steps[reference.step_id]

            assert source.position < step.position
            assert has_output(source, reference.path), f"{source.app_key}.{source.key}: {reference.token}"


def is_left_to_the_user(flow: Flow, blocker: Blocker) -> bool:
    """Whether a blocker is a missing connection, a choice of the connected account, or a missing test."""
    if blocker.field == "connectionId" or blocker.reason == NOT_A_PROBLEM:
        return True
    step = flow.step(blocker.step_id)
    event = event_of(step) if step else None
    argument = next((one for one in event.arguments if one.key == blocker.field), None) if event else None
    return argument is not None and argument.source is not None and blocker.reason.endswith("is required.")


@pytest.fixture
async def runtime(tmp_path: Path):
    opened = await open_runtime(
        tmp_path / "patchbay.db",
        registry(),
        MemoryKeyStore(),
        now_ms,
        built_in_templates=built_in_templates,
    )
    yield opened
    await opened.close(0)


@pytest.fixture
def backend(runtime):
    return runtime.backend


async def test_their_drafts_only_wait_for_connections_and_choices_of_accounts(backend):
    problems: dict[str, list[str]] = {}
    for template in TEMPLATES:
        flow = await backend.import_flow(filled(template))
        with pytest.raises(FlowNotReady) as refused:
            await backend.publish_flow(flow.id)

        left = [
            f"{one.position} {one.field}: {one.reason}"
            for one in refused.value.blockers
            if not is_left_to_the_user(flow, one)
        ]
        left += ["an input isn't filled in"] if any(input_keys(flow.wire())) else []
        if left:
            problems[template.name] = left
    assert problems == {}


async def test_they_are_listed_before_saved_templates_and_used_by_id(backend):
    flow = await backend.create_flow()
    saved = await backend.create_template("Mine", flow.id)
    first = TEMPLATES[0]

    listed = await backend.list_templates()
    draft = await backend.use_template(first.id)

    assert [item.id for item in listed] == [*(item.id for item in TEMPLATES), saved.id]
    assert (await backend.get_template(first.id)).inputs == first.inputs
    assert draft.name == first.name
    assert len(draft.steps) == len(steps_of(first))


async def test_they_are_offered_and_used_over_http(runtime):
    template = next(item for item in TEMPLATES if item.inputs)
    async with served(runtime) as service:
        remote = RemoteBackend(service.base_url, service.key)
        listed = await remote.list_templates()
        read = await remote.get_template(template.id)
        draft = await remote.use_template(template.id)
        filled_draft = await remote.import_flow(filled(read))
        await remote.close()

    assert [item.id for item in listed] == [item.id for item in TEMPLATES]
    assert (read.built_in, read.needs, read.inputs) == (True, template.needs, template.inputs)
    assert draft.name == filled_draft.name == template.name
    assert not any(input_keys(filled_draft.wire()))


async def test_listing_them_loads_no_app(tmp_path: Path):
    apps = load_apps()
    runtime = await open_runtime(
        tmp_path / "patchbay.db", apps, MemoryKeyStore(), now_ms, built_in_templates=built_in_templates
    )
    before = {key for key in sys.modules if key.startswith("patchbay.apps.")}
    with patch.object(AppRegistry, "get", side_effect=AssertionError("an app was loaded")):
        listed = await runtime.backend.list_templates()

    assert {key for key in sys.modules if key.startswith("patchbay.apps.")} == before
    flows: list[Any] = [template.flow_data for template in listed]
    steps = [step for flow in flows for step in flow["steps"]]
    assert steps
    assert all(step["iconUrl"] for step in steps)
    await runtime.close(0)


async def test_they_cant_be_deleted(backend):
    with pytest.raises(Forbidden):
        await backend.delete_template(TemplateId(TEMPLATES[0].id))
