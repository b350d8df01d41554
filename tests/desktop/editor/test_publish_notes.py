"""What the editor says before a flow is published: what it stores, and what it can run."""

import pytest

from patchbay.apps.desktop import app as desktop_app
from patchbay.apps.programs import app as programs_app
from patchbay.desktop.editor.view_models.publish_notes import find_publish_notes
from patchbay.desktop.kit.text import ElidedLabel
from patchbay.integration.app_descriptions import describe_fully

APPS = {app.app_key: describe_fully(app) for app in (desktop_app, programs_app)}


@pytest.fixture
def flow(backend):
    """A flow for the clipboard that runs a program."""
    made = backend.flows["flow-invoice"]
    trigger = made.steps[0].model_copy(update={"app_key": "desktop", "key": "clipboardChanged"})
    program = made.steps[1].model_copy(
        update={
            "app_key": "programs",
            "key": "runProgram",
            "parameters": {"program": "/usr/bin/convert"},
        }
    )
    return made.model_copy(update={"steps": (trigger, program)})


def test_copied_texts_and_programs_are_named(flow):
    texts = [note.text for note in find_publish_notes(flow, APPS)]

    assert texts == [
        "Each text that you copy is stored with an execution, unless it is marked as secret",
        "Each run can start /usr/bin/convert with the rights of Patchbay",
    ]


def test_other_flows_have_no_notes(backend):
    assert find_publish_notes(backend.flows["flow-issues"], APPS) == ()


def test_the_bar_shows_the_notes(qtbot, page, backend, flow):
    backend.flows["flow-invoice"] = flow
    page.open("flow-invoice")

    def shown():
        return {label.text() for label in page.bar.findChildren(ElidedLabel)}

    qtbot.waitUntil(
        lambda: (
            "Each text that you copy is stored with an execution, unless it is marked as secret" in shown()
        )
    )
