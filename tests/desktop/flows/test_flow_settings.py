"""How a flow is run: its settings, and pausing and resuming it."""

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from patchbay.desktop.core.services import Services
from patchbay.desktop.editor.flow_settings_dialog import LIMITED, SEQUENTIAL, FlowSettingsDialog
from patchbay.desktop.editor.view_models.flow_settings import FlowSettingsModel, time_zones
from patchbay.desktop.flows.flow_rows import next_run, run_tooltip
from patchbay.desktop.flows.tab import FlowsTab
from patchbay.desktop.flows.view_models.flow_list import FlowRow, row_details
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.base import FlowId
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.executions import FlowActivity
from patchbay.domain.flows import FlowSettings, FlowStatus, MissedStartPolicy

K = Qt.Key
CLOCK, HOOK = FlowId("flow-inventory"), FlowId("flow-uptime")


@pytest.fixture
def tab(qtbot: QtBot, around: Services) -> FlowsTab:
    made = FlowsTab(around)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    made.activate()
    qtbot.waitUntil(lambda: made.list_page.flows.loaded)
    return made


@pytest.fixture
def dialog(qtbot: QtBot, tab: FlowsTab) -> FlowSettingsDialog:
    """The settings of a flow that a schedule starts, from the list."""
    tab.list_page.flow_actions.settings(CLOCK)
    made = tab.list_page.flow_actions.dialog
    assert isinstance(made, FlowSettingsDialog)
    qtbot.waitUntil(lambda: made.zone.isVisible() and "computer" in made.zone.words())
    return made


def stored(backend, flow_id: FlowId = CLOCK) -> FlowSettings:
    return backend.flows[flow_id].settings


# Settings


def test_a_flow_can_run_one_after_the_other_or_a_few_at_a_time(qtbot, dialog, backend, notices):
    dialog.concurrency.set_value(SEQUENTIAL)
    qtbot.waitUntil(lambda: stored(backend).max_concurrent == 1)
    hidden = not dialog.most.isVisible()
    dialog.concurrency.set_value(LIMITED)
    dialog.most.edit.selectAll()
    qtbot.keyClicks(dialog.most.edit, "12")
    qtbot.keyClick(dialog.most.edit, K.Key_Tab)

    assert hidden
    qtbot.waitUntil(lambda: stored(backend).max_concurrent == 12)
    notices[-1].undo()
    qtbot.waitUntil(lambda: stored(backend).max_concurrent == 5)


def test_a_number_that_cannot_be_is_not_stored(qtbot, dialog, backend):
    dialog.failures.edit.setFocus()
    dialog.failures.edit.selectAll()
    qtbot.keyClicks(dialog.failures.edit, "0")
    qtbot.keyClick(dialog.failures.edit, K.Key_Tab)

    assert "from 1 to 1,000" in (dialog._pause_field.error or "")
    assert stored(backend).pause_after == 20


def test_pausing_after_failures_can_be_switched_off_and_undone(qtbot, dialog, backend, notices):
    dialog.pauses.click()
    qtbot.waitUntil(lambda: stored(backend).pause_after is None)
    greyed = not dialog.failures.isEnabled()
    notices[-1].undo()

    assert greyed
    assert notices[-1].text == "“Inventory check”: pause after failures"
    qtbot.waitUntil(lambda: stored(backend).pause_after == 20)


def test_missed_starts_and_the_time_zone_belong_to_schedules(qtbot, dialog, backend):
    dialog.missed.buttons[MissedStartPolicy.ALL].click()
    qtbot.waitUntil(lambda: stored(backend).missed is MissedStartPolicy.ALL)
    dialog.choose_zone()
    popup = dialog.popup
    qtbot.keyClicks(popup.search, "berl")
    qtbot.keyClick(popup.search, K.Key_Return)

    qtbot.waitUntil(lambda: stored(backend).time_zone == "Europe/Berlin")
    assert dialog.zone.words() == "Europe/Berlin"


def test_a_flow_that_a_webhook_starts_has_no_schedule_to_set(qtbot, tab):
    tab.list_page.flow_actions.settings(HOOK)
    dialog = tab.list_page.flow_actions.dialog
    qtbot.waitUntil(lambda: dialog._model.default_zone_label != "" and dialog.isVisible())

    assert not dialog.missed.isVisible()


def test_a_rejected_change_is_reverted_and_reported(qtbot, dialog, backend, notices):
    backend.failing["change_flow_settings"] = ValidationFailed({"timeZone": ["There is no such time zone."]})
    dialog._model.change("time zone", time_zone="Mars/Olympus")

    qtbot.waitUntil(lambda: dialog._zone_field.error == "There is no such time zone.")
    assert dialog._model.settings.time_zone is None


def test_every_zone_offered_is_one_the_engine_knows():
    from zoneinfo import available_timezones

    names = {name for name, _ in time_zones()}

    assert {"Europe/Berlin", "America/New_York", "UTC"} <= names
    assert names <= available_timezones()


def test_where_flows_cannot_be_edited_the_settings_can_be_read(qtbot, around, backend):
    backend.capabilities = Capabilities(unavailable={Feature.EDIT_FLOWS: "The service does not allow it."})
    model = FlowSettingsModel(around, backend.flows[CLOCK])
    model.change("runs at a time", max_concurrent=1)

    assert model.unavailable_reason == "The service does not allow it."
    assert model.settings == FlowSettings()


def test_in_the_editor_a_change_of_settings_can_be_undone_as_everything(qtbot, tab, backend):
    tab.edit(CLOCK)
    page = tab.editor_page
    qtbot.waitUntil(lambda: page.editor.flow is not None)
    page.header.settings.click()
    page.dialog._model.change("runs at a time", max_concurrent=1)
    qtbot.waitUntil(lambda: stored(backend).max_concurrent == 1)
    page.editor.history.undo()

    qtbot.waitUntil(lambda: stored(backend).max_concurrent is None)
    qtbot.waitUntil(lambda: page.dialog._model.settings.max_concurrent is None)


def test_a_change_of_settings_can_be_undone_after_the_dialog_was_closed(qtbot, tab, backend, notices):
    tab.list_page.flow_actions.settings(CLOCK)
    dialog = tab.list_page.flow_actions.dialog
    dialog._model.change("runs at a time", max_concurrent=1)
    qtbot.waitUntil(lambda: stored(backend).max_concurrent == 1)
    dialog.close()
    qtbot.waitUntil(lambda: tab.list_page.flow_actions.dialog is None)
    notices[-1].undo()

    qtbot.waitUntil(lambda: stored(backend).max_concurrent is None)


# Paused flows


def test_flows_are_paused_and_resumed_from_the_list_with_undo(qtbot, tab, backend, notices):
    commands = tab.list_page.commands
    commands.set_paused((CLOCK, HOOK, "flow-invoice"), True)
    qtbot.waitUntil(lambda: backend.flows[HOOK].status is FlowStatus.PAUSED)
    qtbot.waitUntil(lambda: bool(notices))
    told = notices[-1].text
    notices[-1].undo()

    assert told == "2 flows paused"
    assert backend.flows["flow-invoice"].status is FlowStatus.DRAFT
    qtbot.waitUntil(lambda: backend.flows[HOOK].status is FlowStatus.PUBLISHED)


@pytest.mark.parametrize(
    ("key", "starts"),
    [("called", ("When called", "by another flow")), ("flowFailed", ("On failure", "of another flow"))],
)
def test_a_flow_that_another_one_starts_says_so(backend, key, starts):
    flow = backend.flows[CLOCK].model_copy(update={"active": True, "paused_at": None})
    trigger = flow.steps[0].model_copy(update={"app_key": "patchbay", "key": key, "webhook_url": None})
    flow = flow.model_copy(update={"steps": (trigger, *flow.steps[1:])})

    assert next_run(FlowRow(flow, activity=FlowActivity(flow_id=flow.id)), 0) == starts


def test_a_flow_that_an_event_of_the_desktop_starts_says_so(backend):
    flow = backend.flows[CLOCK].model_copy(update={"active": True, "paused_at": None})
    activity = FlowActivity(flow_id=flow.id, starts_on_event=True)

    assert next_run(FlowRow(flow, activity=activity), 0) == ("When it happens", "on the desktop")


def test_a_flow_that_does_not_start_has_no_next_run(backend):
    flow = backend.flows[CLOCK].model_copy(update={"active": True, "paused_at": None})
    reason = "Doesn't start: the demo has no desktop"
    todo = "Use it on “This computer” instead."
    activity = FlowActivity(flow_id=flow.id, starts_on_event=True, attention=reason, attention_todo=todo)
    row = FlowRow(flow, activity=activity)

    assert next_run(row, 0) == ("–", "")
    assert run_tooltip(row, 0) == f"{reason}.\n{todo}\nThis flow hasn't run yet"


def test_a_paused_flow_says_so_and_why_and_can_be_filtered(qtbot, tab, backend):
    paused = backend.flows[CLOCK].model_copy(update={"paused_at": 1, "paused_reason": "20 failures in a row"})
    backend.flows[CLOCK] = paused
    tab.list_page.flows.refresh()
    qtbot.waitUntil(lambda: tab.list_page.flows.paused == 1)
    tab.list_page.flows.update_filter(status=FlowStatus.PAUSED)
    row = tab.list_page.flows.rows[0]

    assert [item.id for item in tab.list_page.flows.rows] == [CLOCK]
    assert row_details(paused, None, "Operations")[0].text == "20 failures in a row"
    assert next_run(row, 0)[0] in ("–", "When resumed")
    assert "paused" in tab.list_page.model.data(
        tab.list_page.model.index(0), Qt.ItemDataRole.AccessibleTextRole
    )


def test_menu_and_bulk_bar_offer_what_fits_the_state(qtbot, tab, backend):
    page = tab.list_page
    page.commands.set_paused((CLOCK,), True)
    qtbot.waitUntil(lambda: page.flows.flow(CLOCK).status is FlowStatus.PAUSED)
    menu = page.flow_actions.menu((CLOCK,), QPoint(0, 0), open_flow=tab.edit, rename=page.view.rename)
    words = [action.text() for action in menu.actions()]
    menu.close()
    page.flows.select([CLOCK])

    assert "Resume" in words
    assert "Pause" not in words
    assert page.bulk.buttons["resume"].isVisible()
    page.bulk.buttons["resume"].click()
    qtbot.waitUntil(lambda: page.flows.flow(CLOCK).status is FlowStatus.PUBLISHED)


def test_the_editor_says_that_a_flow_is_paused_and_resumes_it(qtbot, tab, backend):
    backend.flows[CLOCK] = backend.flows[CLOCK].model_copy(
        update={"paused_at": 1, "paused_reason": "20 failures in a row."}
    )
    tab.edit(CLOCK)
    page = tab.editor_page
    qtbot.waitUntil(lambda: page.banner.isVisible())
    told = page.banner.accessibleName()
    page.banner.resume.click()

    assert told.startswith("This flow is paused. 20 failures in a row. New events are queued")
    qtbot.waitUntil(lambda: backend.flows[CLOCK].status is FlowStatus.PUBLISHED)
    qtbot.waitUntil(lambda: not page.banner.isVisible())
    page.editor.history.undo()
    qtbot.waitUntil(lambda: backend.flows[CLOCK].status is FlowStatus.PAUSED)
