"""What the bar of problems lists: also what is wrong inside rows, conditions, and schedules."""

from typing import Any

import pytest
from tests.support.fake_workspace import text

from patchbay.apps.filter import app as filter_app
from patchbay.apps.forms import app as forms_app
from patchbay.desktop.editor.view_models.blockers import (
    BlockerContext,
    blocker_link,
    find_blockers,
    remove_covered,
)
from patchbay.desktop.editor.view_models.form import StepFormModel
from patchbay.domain.apps import ActionInfo, AppInfo
from patchbay.domain.base import AppKey, StepId
from patchbay.domain.blockers import EVENT_FIELD, Blocker
from patchbay.domain.fields import Argument, ArgumentType, missing_in_rows
from patchbay.domain.flows import Step, StepType, StructuralType
from patchbay.integration.app_definition import App
from patchbay.integration.app_descriptions import describe_fully
from patchbay.service.readiness import step_blockers

EMPTY = {"key": "", "operator": "equal", "value": ""}
FULL = {"key": "a", "operator": "equal", "value": "b"}
ROWS = Argument(
    key="fields",
    label="Fields",
    type=ArgumentType.DYNAMIC,
    required=True,
    fields=(text("label", "Label", required=True), text("help", "Help")),
)


def problems(flow: Any, app: App, event: str, step_type: StepType, **parameters: Any) -> tuple[Any, Any]:
    """What the window, and what the workspace, finds in a step with this event."""
    info: AppInfo = describe_fully(app)
    step = Step(
        id=StepId("checked"),
        type=step_type,
        position=1 if step_type is StepType.TRIGGER else 2,
        app_key=AppKey(info.key),
        key=event,
        parameters=parameters,
    )
    checked = flow.model_copy(update={"steps": (step,)})
    apps = {info.key: info}
    found = find_blockers(checked, BlockerContext(apps, {}))
    window = [(item.field, item.reason) for item in found if item.field not in (None, "test")]
    service = [(item.field, item.reason) for item in step_blockers(checked, step, apps, {})]
    return window, service


def test_a_form_field_without_a_label_is_listed(backend):
    fields = [{"label": "Name", "type": "text"}, {"label": "", "type": "text"}]

    window, service = problems(
        backend.flows["flow-issues"],
        forms_app,
        "newFormSubmission",
        StepType.TRIGGER,
        formId="own",
        title="Feedback",
        workSynchronously=False,
        fields=fields,
    )

    assert window == [("fields", "Enter Label in row 2 of Fields")]
    assert service == [("fields", "In row 2 of “Fields”, “Label” is required.")]


@pytest.mark.parametrize(
    ("group", "window", "service"),
    [
        (
            [FULL, EMPTY],
            [("or", "A condition is empty. Fill it in, or remove it")],
            [("or", "A condition is empty. Fill it in, or remove it.")],
        ),
        ([FULL], [], []),
        ([{**FULL, "key": ""}], [], []),
    ],
)
def test_an_empty_condition_is_listed(backend, group, window, service):
    found = problems(
        backend.flows["flow-issues"],
        filter_app,
        "continueIfMatches",
        StepType.ACTION,
        **{"or": [{"and": group}]},
    )

    assert found == (window, service)


def test_rows_of_optional_fields_may_be_incomplete():
    optional = ROWS.model_copy(update={"required": False})

    assert missing_in_rows((optional,), {"fields": [{"label": ""}]}) == []
    assert [number for _, number, _ in missing_in_rows((ROWS,), {"fields": [{"label": "a"}, {}]})] == [2]


def test_a_value_that_the_workspace_rejects_is_listed_until_it_is_changed(qtbot, editor):
    form = StepFormModel(editor, editor)
    editor.selected.emit()

    form.report({"content": "“25:99” isn't a time."})
    listed = [(item.field, item.reason) for item in editor.blockers]
    form.set_value("content", "Another text")

    assert ("content", "“25:99” isn't a time") in listed
    assert "content" not in [item.field for item in editor.blockers]


def action(**fields: Any) -> Step:
    return Step(id=StepId("checked"), type=StepType.ACTION, position=2, **fields)


TODOIST = {"app_key": "todoist", "key": "createTask", "parameters": {"projectId": "a", "content": "b"}}


@pytest.mark.parametrize(
    "step",
    [
        action(),
        action(app_key="todoist"),
        action(**TODOIST),
        action(**TODOIST, connection_id="con-anna"),
        action(**TODOIST, connection_id="con-deleted"),
        action(structural_type=StructuralType.PATHS),
        action(structural_type=StructuralType.BRANCH),
        action(structural_type=StructuralType.EACH),
    ],
    ids=["app", "event", "connection", "rejected", "deleted", "branches", "conditions", "steps"],
)
def test_the_window_finds_blockers_at_the_places_where_the_workspace_finds_them(backend, step):
    flow = backend.flows["flow-issues"].model_copy(update={"steps": (step,)})

    window = find_blockers(flow, BlockerContext(backend.apps, backend.connections))
    service = tuple(step_blockers(flow, step, backend.apps, backend.connections))

    assert service
    assert remove_covered(service, window) == ()


def test_a_missing_event_is_chosen_in_the_step_and_an_argument_of_its_name_entered_in_its_field():
    blocker = Blocker(step_id=StepId("checked"), field=EVENT_FIELD, reason="Missing.")
    event = ActionInfo(name="Get a value", key="get", description="", arguments=(text("key", "Key"),))

    assert blocker_link(blocker) == "Go to step"
    assert blocker_link(blocker, event) == "Go to field"
