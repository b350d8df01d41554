"""The trigger of a form in the editor: its address, its fields as variables, and its rows by keyboard."""

from typing import Any

import pytest

from patchbay.apps.forms import app as forms
from patchbay.apps.forms.form import read_form
from patchbay.desktop.editor import form_pane
from patchbay.desktop.editor.fields.row_fields import RowsField
from patchbay.desktop.editor.form_pane import TriggerSettings
from patchbay.desktop.editor.page import EditorPage
from patchbay.desktop.editor.view_models.step_tree import StepTree
from patchbay.desktop.editor.view_models.variables import build_catalog
from patchbay.domain.apps import TriggerInfo, TriggerKind
from patchbay.domain.base import AppKey, StepId
from patchbay.domain.flows import Step, StepType
from patchbay.domain.row_output import declared_output
from patchbay.integration.app_descriptions import describe_fully

ADDRESS = "http://127.0.0.1:8787/webhooks/flows/flow-form"
FIELDS: list[Any] = [
    {"label": "First name", "type": "text"},
    {"label": "Mail", "key": "email", "type": "email"},
    {"label": "¿?", "type": "text"},
    {"label": "", "type": "text"},
]


@pytest.fixture
def trigger() -> TriggerInfo:
    found = describe_fully(forms).trigger("newFormSubmission")
    assert found is not None
    return found


@pytest.fixture
def settings(qtbot) -> TriggerSettings:
    made = TriggerSettings()
    qtbot.addWidget(made)
    made.show()
    return made


def form_step(**parameters: Any) -> Step:
    return Step(
        id=StepId("form"),
        type=StepType.TRIGGER,
        position=1,
        app_key=AppKey("forms"),
        key="newFormSubmission",
        webhook_url=ADDRESS,
        parameters={"formId": "own", "title": "Feedback", **parameters},
    )


def test_the_address_of_a_form_is_called_so_and_opens_in_the_browser(
    qtbot, settings, trigger, backend, monkeypatch
):
    opened: list[str] = []
    monkeypatch.setattr(form_pane, "open_in_browser", opened.append)
    settings.show_step(backend.flows["flow-uptime"], form_step(), trigger)

    settings.open_page.click()
    settings.open_test_page.click()

    assert settings._address_field.label.text() == "Form address"
    assert not settings._sync_field.isVisible()
    assert opened == [ADDRESS, f"{ADDRESS}/test"]


def test_the_address_of_a_webhook_has_no_button_to_open_it(settings, backend):
    webhook = TriggerInfo(key="catch", name="Catch", kind=TriggerKind.WEBHOOK, show_webhook_url=True)

    settings.show_step(backend.flows["flow-uptime"], form_step(), webhook)

    assert settings._address_field.label.text() == "Webhook address"
    assert not settings.open_page.isVisible()


def test_the_fields_of_a_form_are_known_before_a_test_by_the_keys_it_sends(trigger):
    step = form_step(fields=FIELDS)

    known = declared_output(trigger, step.parameters)

    sent = read_form({**step.parameters, "fields": FIELDS[:3]})
    assert known == {"body": {field.key: "" for field in sent.fields}}
    assert [field.key for field in sent.fields] == ["first_name", "email", "field_3"]
    assert declared_output(trigger, {**step.parameters, "formId": "another flow"}) is None


def test_they_are_offered_to_later_steps_until_there_is_a_sample(trigger):
    step = form_step(fields=FIELDS[:2])
    action = Step(id=StepId("next"), type=StepType.ACTION, position=2)
    declared = {step.id: declared_output(trigger, step.parameters)}

    catalog = build_catalog(StepTree((step, action)), action.id, (), {}, declared=declared)

    labels = [entry.label for entry in catalog.groups[0].entries]
    assert labels == ["body", "body.first_name", "body.email"]
    assert catalog.samples == {}


@pytest.fixture
def page(qtbot, tab) -> EditorPage:
    """The editor at a step that calls an address."""
    tab.edit("flow-uptime")
    made: EditorPage = tab.editor_page
    qtbot.waitUntil(lambda: made.editor.flow is not None and AppKey("http-request") in made.editor.apps)
    calls = next(step for step in made.editor.flow.steps if step.app_key == "http-request")
    made.editor.select(calls.id)
    qtbot.waitUntil(lambda: "headers" in made.form_pane.fields.editors)
    return made


@pytest.fixture
def rows(page) -> RowsField:
    """The rows of its headers."""
    editor: RowsField = page.form_pane.fields.editors["headers"]
    return editor


def test_a_removed_row_can_be_undone_by_the_notice_and_by_the_keys(qtbot, page, rows, notices):
    rows.add.click()
    rows.rows[0].editors["key"].changed.emit("X-Mine")
    before = rows.value()
    qtbot.waitUntil(lambda: page.editor.draft.saved)

    rows.rows[0].remove.click()
    assert page.editor.step.parameters.get("headers", []) == []
    assert notices[-1].text == "Removed a row from “Headers”"
    notices[-1].undo()
    assert page.editor.step.parameters["headers"] == before

    rows.rows[0].remove.click()
    page.editor.history.undo()

    assert page.editor.step.parameters["headers"] == before


def test_undoing_a_removal_keeps_what_was_changed_in_other_fields_since(qtbot, page, rows, notices):
    rows.add.click()
    rows.rows[0].editors["key"].changed.emit("X-Mine")
    before = rows.value()
    rows.rows[0].remove.click()
    page.form_pane.fields.editors["url"].changed.emit("https://example.org/changed")

    notices[-1].undo()

    parameters = page.editor.step.parameters
    assert (parameters["headers"], parameters["url"]) == (before, "https://example.org/changed")
    assert rows.value() == before
