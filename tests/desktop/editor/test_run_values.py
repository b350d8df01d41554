"""The variables of the run in the editor: the picker, chips, errors, and blockers."""

from typing import Any

import pytest

from patchbay.desktop.editor.fields.variable_picker import PickerModel
from patchbay.desktop.editor.view_models.blockers import VALUE_OUT_OF_SCOPE
from patchbay.desktop.editor.view_models.step_labels import plain_text
from patchbay.desktop.editor.view_models.step_test import StepTestModel
from patchbay.domain.variables import RUN, references


@pytest.fixture
def group(editor):
    return editor.catalog().groups[-1]


def test_they_are_offered_last_in_a_group_of_their_own_with_names_and_samples(editor, group):
    newest = max(editor.samples.values(), key=lambda item: item.created_at)
    samples = {entry.token: (entry.label, entry.sample) for entry in group.entries}
    model = PickerModel(editor.catalog())

    assert (group.step_id, group.heading) == (RUN, "This run")
    assert model.item(model.rowCount() - 1).text() == "This run"
    assert samples["{{execution.id}}"] == ("Execution ID", newest.execution_id)
    assert samples["{{flow.id}}"] == ("Flow ID", editor.flow.id)
    assert samples["{{now}}"][0] == "Current time"
    assert samples["{{now}}"][1].startswith("20")


def test_a_search_finds_them_by_name(editor):
    (found,) = editor.catalog().search("current time")

    assert [entry.token for entry in found.entries] == ["{{now}}"]


def test_a_chip_names_them(editor):
    (reference,) = references("{{now}}")

    chip = editor.catalog().describe(reference)

    assert (chip.text, chip.broken) == ("This run · Current time", False)
    assert plain_text("at {{now}}") == "at Current time"


def test_an_action_that_uses_them_has_no_error_and_nothing_missing(editor, form):
    form.set_value("content", "{{execution.id}} {{flow.id}} {{now}}")
    tester = StepTestModel(editor, form, editor)

    assert form.check("content")
    assert tester.missing_references() == []
    preview: Any = tester.preview_input()
    assert preview["content"].split()[1] == editor.flow.id
    assert [item for item in editor.blockers if item.field == "content"] == []


def test_a_trigger_is_not_offered_them(editor, form):
    trigger = editor.flow.steps[0]
    editor.select(trigger.id)
    key = form.arguments[0].key

    form.set_value(key, "{{now}}")
    form.check(key)

    assert editor.catalog().groups == ()
    assert form.error(key) == f"{VALUE_OUT_OF_SCOPE}."
