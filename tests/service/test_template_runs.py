"""Each built-in template, published and run to its end: real apps and engine, simulated services.

`template_runs.json` has what services respond and report. In its rounds, each filter passes and stops runs.
"""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.support.catalogue.facts import the_app
from tests.support.dry_runs.dry_run import DryRun, TemplateRuns, dry_run, load_scenario

from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.flows import FlowExport, StepExport
from patchbay.domain.folders import Template
from patchbay.integration.registry import load_apps
from patchbay.service.built_in_templates import built_in_templates

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

TEMPLATES = built_in_templates()
SCENARIO = Path(__file__).with_name("template_runs.json")
WITHOUT_HTTP = {"imap", "mysql", "postgresql", "smtp"}
_ESCAPED = re.compile(r"&(?:#\d+|#x[0-9a-fA-F]+|amp|lt|gt|quot|apos);")


def steps_of(template: Template) -> tuple[StepExport, ...]:
    return FlowExport.model_validate(template.flow_data).steps


def filters_of(template: Template) -> set[int]:
    """The positions of the template's filters."""
    return {step.position for step in steps_of(template) if step.app_key == "filter"}


each_template = pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
each_with_filters = pytest.mark.parametrize(
    "template", [one for one in TEMPLATES if filters_of(one)], ids=lambda template: template.name
)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> DryRun:
    """The workspace in which all templates were run; one for all tests, because it takes seconds."""
    folder = tmp_path_factory.mktemp("dry-run")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PATCHBAY_DATA_DIR", str(folder / "patchbay-data"))
        environment.setenv("TZ", "UTC")
        return asyncio.run(dry_run(folder, load_apps(), TEMPLATES, load_scenario(SCENARIO)))


def runs_of(ran: DryRun, template: Template) -> TemplateRuns:
    own = ran.by_template[template.name]
    assert own.problem == ""
    assert own.runs, "nothing started its flow"
    return own


@each_template
def test_it_runs_to_its_end(ran: DryRun, template: Template):
    own = runs_of(ran, template)
    length = len(steps_of(template))

    ends = {ExecutionState.SUCCESS, *([ExecutionState.FILTERED] if filters_of(template) else [])}
    assert [run.text() for run in own.runs if run.execution.state not in ends] == []
    assert length in {len(run.steps) for run in own.runs if run.execution.state is ExecutionState.SUCCESS}


@each_template
def test_its_steps_have_outputs_and_its_variables_have_values(ran: DryRun, template: Template):
    steps = [step for run in runs_of(ran, template).runs for step in run.steps]

    assert [
        step.step.name for step in steps if step.status is StepState.SUCCESS and step.data_out is None
    ] == []
    assert [warning for step in steps for warning in step.warnings] == []


@each_template
def test_it_sends_no_characters_that_a_service_escaped_for_html(ran: DryRun, template: Template):
    sent = [
        json.dumps(step.data_in, ensure_ascii=False)
        for run in runs_of(ran, template).runs
        for step in run.steps[1:]
        if step.step.app_key != "formatter"
    ]

    assert [text for text in sent if _ESCAPED.search(text)] == []


@each_with_filters
def test_its_filters_let_runs_pass_and_stop_runs(ran: DryRun, template: Template):
    own = runs_of(ran, template)

    stopped = {len(run.steps) for run in own.runs if run.execution.state is ExecutionState.FILTERED}

    assert stopped == filters_of(template)
    assert any(run.execution.state is ExecutionState.SUCCESS for run in own.runs)


@pytest.mark.parametrize("name", ["Website is down", "API check with incident"])
def test_a_check_reports_error_statuses_and_servers_that_are_not_reached(ran: DryRun, name: str):
    own = ran.by_template[name].runs
    reported = [run for run in own if run.execution.state is ExecutionState.SUCCESS]

    checks: list[Any] = [run.steps[1].data_out for run in reported]

    assert [check["status"] for check in checks] == [503, 0]
    assert "example.com" in checks[-1]["statusText"]


def test_texts_in_slack_messages_are_escaped(ran: DryRun):
    sent = ran.services.of("slack").simulated.requests
    texts = [one.body["text"] for one in sent if one.url.endswith("/chat.postMessage")]

    assert any("R&amp;D &lt;!channel&gt;" in text for text in texts)
    assert [text for text in texts if re.search("[<>]", _ESCAPED.sub("", text))] == []


def test_each_app_calls_its_own_service_only(ran: DryRun):
    connected = {step.app_key for template in TEMPLATES for step in steps_of(template)}
    silent = {key for key in connected if the_app(key).auth and not ran.services.of(key).addresses}

    assert silent == WITHOUT_HTTP
    assert {one.key: found for one in ran.services.used() if (found := one.foreign_addresses())} == {}


def test_no_response_is_made_up(ran: DryRun):
    made_up = [
        f"{one.key}: {sent.method} {sent.url}"
        for one in ran.services.used()
        for sent in one.simulated.made_up
    ]

    assert made_up == [], "add realistic responses to the catalogue or to template_runs.json"


def test_each_email_is_sent_once(ran: DryRun):
    steps = [step for own in ran.by_template.values() for run in own.runs for step in run.steps]

    assert len(ran.mail.sent) == sum(step.step.app_key == "smtp" for step in steps)
    assert {str(message["From"]) for message in ran.mail.sent} == {"patchbay@example.com"}
