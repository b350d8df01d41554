"""The generated form without widgets: dependent fields, run-time choices, errors."""

import pytest

from patchbay.desktop.editor.view_models.dynamic_options import LoadState
from patchbay.desktop.editor.view_models.form import dependents
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import ThirdPartyError
from patchbay.domain.fields import Argument, Source, loader_arguments


def test_what_depends_on_a_field_is_cleared_with_it(form):
    form.set_value("sectionId", "later")

    form.set_value("projectId", "docs")

    assert form.value("projectId") == "docs"
    assert form.value("sectionId") is None


def test_dependence_goes_through_several_fields():
    arguments = (
        Argument(key="a", label="A"),
        Argument(key="b", label="B", depends_on=("parameters.a",)),
        Argument(key="c", label="C", depends_on=("b",)),
    )

    assert dependents(arguments, "a") == {"b", "c"}


def test_choices_wait_for_the_field_they_need(form):
    form.set_value("projectId", None)

    section = form.argument("sectionId")
    loaded = form.choices(section.source, form.scopes())

    assert (loaded.state, loaded.required_field) == (LoadState.WAITING, "projectId")


def test_choices_are_loaded_once_after_the_step_is_saved(qtbot, form, backend):
    project = form.argument("projectId")

    first = form.choices(project.source, form.scopes())
    form.choices(project.source, form.scopes())

    assert first.state is LoadState.LOADING
    qtbot.waitUntil(lambda: form.choices(project.source, form.scopes()).state is LoadState.READY)
    asked = [call for call in backend.calls if call[0] == "dynamic_options"]
    assert len(asked) == 1


def test_choices_that_could_not_be_loaded_can_be_asked_for_again(qtbot, form, backend):
    project = form.argument("projectId")
    backend.failing["dynamic_options"] = ThirdPartyError(app="Todoist", said="Unauthorized", status=401)
    form.choices(project.source, form.scopes())
    qtbot.waitUntil(lambda: form.choices(project.source, form.scopes()).state is LoadState.FAILED)

    backend.failing.clear()
    form.retry_choices(project.source, form.scopes())

    qtbot.waitUntil(lambda: form.choices(project.source, form.scopes()).state is LoadState.READY)


@pytest.mark.parametrize(
    ("changed", "state"), [(ResourceType.WORKSPACE, LoadState.LOADING), (ResourceType.FLOW, LoadState.READY)]
)
def test_choices_are_loaded_again_after_the_settings_changed(qtbot, form, editor, changed, state):
    project = form.argument("projectId")
    form.choices(project.source, form.scopes())
    qtbot.waitUntil(lambda: form.choices(project.source, form.scopes()).state is LoadState.READY)

    editor.services.feed.changed.emit(Change(noun=changed))

    assert form.choices(project.source, form.scopes()).state is state


def test_a_choice_that_no_longer_exists_keeps_its_value_in_the_message(qtbot, form):
    project = form.argument("projectId")
    form.set_value("projectId", "inbox-2025")
    form.choices(project.source, form.scopes())
    qtbot.waitUntil(lambda: form.choices(project.source, form.scopes()).state is LoadState.READY)

    form.leave("projectId")

    assert form.error("projectId") == "“inbox-2025” no longer exists."


def test_an_error_is_shown_on_leaving_and_cleared_by_the_next_edit(form):
    form.set_value("content", "")
    silent = form.error("content")
    form.leave("content")
    told = form.error("content")

    form.set_value("content", "again")

    assert (silent, told, form.error("content")) == ("", "Enter Content.", "")


def test_a_value_of_a_later_step_is_an_error(form):
    form.set_value("content", "{{step.flow-issues-5.ok}}")

    assert not form.check("content")


def test_another_step_has_another_form(qtbot, form, editor):
    with qtbot.waitSignal(form.rebuilt):
        editor.select("flow-issues-5")

    assert [item.key for item in form.arguments] == ["channel", "message"]


def test_loader_arguments_take_values_from_step_row_and_outer_row():
    source = Source(
        loader="x", parameters={"a": "{parameters.list}", "b": "{fieldsScope.kind}/{outerScope.id}"}
    )

    made, waiting = loader_arguments(
        source, {"parameters": {"list": 7}, "fieldsScope": {"kind": "k"}, "outerScope": {"id": "o"}}
    )

    assert (made, waiting) == ({"a": 7, "b": "k/o"}, "")
