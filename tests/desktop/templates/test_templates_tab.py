"""The Templates tab by keyboard."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLineEdit
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import Tasks
from patchbay.desktop.templates.tab import TemplatesTab
from patchbay.desktop.templates.use_dialog import UseTemplateDialog
from patchbay.domain.base import TemplateId
from patchbay.domain.errors import Conflict
from patchbay.domain.folders import TemplateInput

K = Qt.Key


@pytest.fixture
def backend() -> FakeBackend:
    backend = FakeBackend()
    for number in range(2, 9):
        backend.templates[f"tpl-{number}"] = backend.templates["tpl-1"].model_copy(
            update={"id": f"tpl-{number}", "name": f"Template {number}"}
        )
    return backend


@pytest.fixture
def around(tasks: Tasks, backend: FakeBackend) -> Services:
    return services(tasks, backend)


@pytest.fixture
def tab(qtbot: QtBot, around: Services) -> TemplatesTab:
    tab = TemplatesTab(around)
    qtbot.addWidget(tab)
    tab.resize(1280, 724)
    tab.show()
    tab.activate()
    qtbot.waitUntil(lambda: tab.rows.is_showing_rows and tab.templates.has_details(tab.templates.card))
    return tab


def test_arrows_walk_the_cards_and_fill_the_preview(qtbot, tab):
    qtbot.keyClick(tab.gallery, K.Key_Right)
    qtbot.keyClick(tab.gallery, K.Key_Right)

    assert tab.pane.name.text() == "Template 3"
    assert "1. Every day: Scheduler · Starts once a day" in tab.pane.steps.accessibleName()
    assert tab.pane.menu().accessibleName() == "Actions for Template 3"


def test_enter_uses_the_template(qtbot, tab, around):
    with qtbot.waitSignal(around.navigator.requested) as asked:
        qtbot.keyClick(tab.gallery, K.Key_Return)

    assert asked.args[0].section == "editor"


@pytest.fixture
def asking(qtbot: QtBot, tab: TemplatesTab, backend: FakeBackend) -> TemplatesTab:
    """The tab with a template selected that asks for a value, and uses it in its first step."""
    template = backend.templates["tpl-1"]
    flow_data: Any = template.flow_data
    first, *rest = flow_data["steps"]
    steps = [{**first, "parameters": {"hour": "{{input.hour}}"}}, *rest]
    backend.templates["tpl-1"] = template.model_copy(
        update={
            "inputs": (TemplateInput(key="hour", label="Hour", value="7"),),
            "needs": "An alarm clock.",
            "built_in": True,
            "flow_data": {**flow_data, "steps": steps},
        }
    )
    with qtbot.waitSignal(tab.templates.selection_changed):
        tab.templates.refresh()
    tab.templates.select(TemplateId("tpl-1"))
    return tab


def test_a_template_says_what_it_needs_and_asks_for(asking):
    assert asking.pane.needs.text() == "An alarm clock."
    assert asking.pane.needs_section.isVisible()
    assert asking.pane.required_inputs.text().splitlines()[0] == "Hour"


def test_the_values_that_a_template_asks_for_are_filled_in(qtbot, asking, around, backend):
    asking.pane.use_template()
    dialog = asking.findChild(UseTemplateDialog) or asking.window().findChild(UseTemplateDialog)
    assert dialog.values["hour"].text() == "7"
    dialog.values["hour"].setText(" 9 ")

    with qtbot.waitSignals([around.navigator.requested, dialog.accepted]):
        dialog.create_button.click()

    assert [*backend.flows.values()][-1].steps[0].parameters == {"hour": "9"}


def test_a_value_may_not_be_empty(asking):
    asking.pane.use_template()
    dialog = asking.window().findChild(UseTemplateDialog)
    dialog.values["hour"].setText(" ")

    dialog.create_button.click()

    assert dialog.fields["hour"].error == "Enter a value."
    dialog.reject()


def test_the_parts_are_chosen_by_arrow_keys_and_say_so(qtbot, tab):
    qtbot.keyClick(tab.kinds, K.Key_Right)
    qtbot.keyClick(tab.kinds, K.Key_Right)

    assert (tab.kinds.accessibleName(), tab.kinds.accessible_value()) == ("Show templates", "Saved by you 0")
    assert tab.rows.page.kind == "no_match"
    assert not tab.pane.isVisible()


def test_a_flow_is_saved_as_a_template_under_its_name(qtbot, tab, backend):
    dialog = tab.save_from_flow()
    qtbot.waitUntil(lambda: dialog.flow.count() == len(backend.flows))
    name = dialog.name.text()

    with qtbot.waitSignal(dialog.accepted):
        dialog.save.click()

    assert name in {template.name for template in backend.templates.values()}


def test_a_template_needs_a_name(qtbot, tab, backend):
    dialog = tab.save_from_flow()
    qtbot.waitUntil(lambda: dialog.flow.count() == len(backend.flows))
    dialog.name.setText("  ")

    dialog.save.click()

    assert dialog.name_field.error == "Enter a name."
    dialog.reject()


def test_a_refusal_stays_in_the_dialog(qtbot, tab, backend):
    backend.failing["create_template"] = Conflict("There is a template with this name.")
    dialog = tab.save_from_flow()
    qtbot.waitUntil(lambda: dialog.flow.count() == len(backend.flows))

    dialog.save.click()
    qtbot.waitUntil(lambda: dialog.problem.isVisible())

    assert dialog.problem.accessibleName() == "There is a template with this name."
    dialog.reject()


def test_a_workspace_without_templates_says_what_they_are(qtbot, tasks):
    backend = FakeBackend()
    backend.templates.clear()
    tab = TemplatesTab(services(tasks, backend))
    qtbot.addWidget(tab)
    tab.show()

    tab.activate()

    qtbot.waitUntil(lambda: tab.rows.page.kind == "empty")


def test_the_model_keeps_qts_rules(tab, qtmodeltester: ModelTester):
    qtmodeltester.check(tab.gallery.cards)


def test_everything_that_takes_the_focus_has_a_name(tab):
    nameless = [
        widget
        for kind in (QAbstractButton, QAbstractItemView, QLineEdit)
        for widget in tab.findChildren(kind)
        if widget.isVisible()
        and widget.focusPolicy() is not Qt.FocusPolicy.NoFocus
        and not (widget.accessibleName() or (isinstance(widget, QAbstractButton) and widget.text()))
    ]

    assert nameless == []
