"""The window on a third-party server says what that server tells, and shows nothing else as a fact."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from tests.support.foreign_window import ForeignWindow, foreign_window, service_elsewhere
from tests.support.forms import long_form
from tests.support.recorded_service import RecordedService

from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.flows.view_models.flow_list import SidebarPlace

pytestmark = long_form

HARBOUR = "f1000003-0b1c-4d2e-8f30-000000000003"
WEBHOOK = "http://127.0.0.1/webhooks/flows/x"


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordedService]:
    with service_elsewhere(monkeypatch) as playing:
        harbour = next(row for row in playing.state.flows if row["id"] == HARBOUR)
        harbour["steps"][0] |= {"webhookUrl": WEBHOOK, "status": "incomplete"}
        yield playing


@pytest.fixture
def foreign(qtbot: QtBot, tmp_path: Path, service: RecordedService) -> Iterator[ForeignWindow]:
    with foreign_window(qtbot, tmp_path / "data", service) as opened:
        opened.window.wait(lambda: opened.window.rows("Flows"))
        yield opened


def test_a_flow_shows_its_parameters_addresses_and_events(foreign):
    window = foreign.window
    page = window.tab(Tab.FLOWS)
    window.services.navigator.go(Place(Tab.FLOWS, id=HARBOUR, section="editor"))
    editor = page.editor_page.editor
    window.wait(lambda: editor.flow and editor.flow.id == HARBOUR)
    pane, test = page.editor_page.form_pane, page.editor_page.test_pane

    window.wait(pane.trigger.address.isVisible)
    assert pane.trigger.address.text() == WEBHOOK
    assert editor.title(editor.step) == "New items in feed"
    assert not test.button.isVisible()
    assert not test.skip.isVisible()
    editor.select(editor.flow.steps[1].id)
    window.wait(lambda: "message" in pane.fields.editors)
    assert ".title}}" in str(pane.fields.editors["message"].value())
    assert pane.fields.frames["message"].label.text() == "Message"
    assert foreign.errors == []


def test_what_is_not_known_is_not_shown_as_a_fact(foreign):
    window = foreign.window
    page = window.tab(Tab.FLOWS).list_page
    counts = {entry.place: entry.count for entry in page.folders.fixed_entries()}

    assert counts[SidebarPlace.ATTENTION] is None
    assert counts[SidebarPlace.ALL] == 13
    assert "No run scheduled" not in foreign.texts()
    tab = window.tab(Tab.EXECUTIONS)
    window.wait(lambda: foreign.window.rows("Executions"))
    state = foreign.service.state
    run = next(row for row in state.executions if row["status"] == "success")
    window.services.navigator.go(Place(Tab.EXECUTIONS, id=run["id"]))
    window.wait(lambda: tab.pane.execution and tab.pane.execution.id == run["id"])
    assert tab.pane.status_sentence == "Success, steps not reported"


def test_a_saved_template_is_there_at_once_and_f5_reads_what_others_changed(foreign):
    window = foreign.window
    templates = window.tab(Tab.TEMPLATES).templates
    window.wait(lambda: templates.shown)

    templates.save("Brand new", HARBOUR)
    window.wait(lambda: any(card.template.name == "Brand new" for card in templates.shown))
    foreign.service.state.templates[0]["name"] = "Renamed elsewhere"
    window.desk.window.actions_by_id.get("reload").run()

    window.wait(lambda: any(card.template.name == "Renamed elsewhere" for card in templates.shown))
    assert "Brand new" in {card.template.name for card in templates.shown}


def test_a_copy_of_the_history_fills_the_columns_of_runs(foreign):
    window, services = foreign.window, foreign.window.services
    page = window.tab(Tab.FLOWS).list_page

    services.tasks.run(page, services.backend.start_history_download())
    window.wait(lambda: page.flows.rows and all(row.activity for row in page.flows.rows))

    ran = {row["flowId"] for row in foreign.service.state.executions}
    shown = {row.id for row in page.flows.rows}
    assert {row.id for row in page.flows.rows if row.activity.last is not None} == ran & shown
