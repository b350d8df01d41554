"""What importing says about flows of Automatisch."""

from tests.support import flow_files as files
from tests.support.automatisch_flows import exported

from patchbay.domain.flow_import import import_notes
from patchbay.domain.flows import FlowExport

STEPS = (files.catch(), files.only_if("{{step.#1.body.a}}", "equal", "null"), files.respond(200, "x"))


def test_each_difference_names_its_steps():
    flow = exported("Shop", *STEPS, files.trimmed("{{step.#1.body.a}}"))

    notes = {note.text: note.steps for note in import_notes(FlowExport.model_validate(flow))}

    assert notes["Null is inserted as an empty text, not as “null”."] == (2, 4)
    assert [steps for text, steps in notes.items() if "compare with an empty value" in text] == [(2,)]
    assert [steps for text, steps in notes.items() if "Respond with" in text] == [(3,)]


def test_flows_that_automatisch_did_not_export_have_no_notes():
    by_hand = FlowExport.model_validate(files.flow("Shop", *STEPS))
    exported_here = FlowExport.model_validate(FlowExport.model_validate(exported("Shop", *STEPS)).wire())

    assert import_notes(by_hand) == import_notes(exported_here) == ()


def test_odd_parameters_are_no_error():
    for given in ("x", [1, {"and": "x"}, {"and": [1]}], {"or": 1}, None):
        step = files.step("filter", "continueIfMatches", **{"or": given})
        assert import_notes(FlowExport.model_validate(exported("Shop", files.catch(), step))) is not None
