"""My Apps without widgets: groups, testing, deleting with undo, the connection form."""

from typing import Any

import pytest
from tests.support.fake_backend import FakeBackend
from tests.support.fake_workspace import NOW

from patchbay.desktop.my_apps.app_list import health_mark
from patchbay.desktop.my_apps.connection_card import AppLoadError, last_test_text, parse_load_error
from patchbay.desktop.my_apps.view_models.app_list import (
    AppPickerViewModel,
    HealthGroup,
    SortOrder,
    app_rows,
    free_name,
    health_label,
)
from patchbay.desktop.my_apps.view_models.connection_form import ConnectionFormViewModel, FormState
from patchbay.desktop.my_apps.view_models.my_apps import MyAppsViewModel, flows_by_connection
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey, ConnectionId, FlowId
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.errors import NotSupported, SecretsUnavailable, Unreachable

TODOIST = AppKey("todoist")
CONNECTION = ConnectionId("c")

UNUSED = ConnectionId("unused")


@pytest.fixture
def model(qtbot, shared):
    made = MyAppsViewModel(shared)
    made.load()
    qtbot.waitUntil(lambda: made.loaded and bool(made.flows))
    return made


async def test_the_flows_of_a_connection_are_all_listed_however_many_there_are():
    backend = FakeBackend(executions=0)
    used = next(flow for flow in backend.flows.values() if any(step.connection_id for step in flow.steps))
    key = next(step.connection_id for step in used.steps if step.connection_id)
    for number in range(450):
        backend.flows[FlowId(f"more-{number}")] = used.model_copy(update={"id": f"more-{number}"})
    expected = {
        flow.id for flow in backend.flows.values() if any(step.connection_id == key for step in flow.steps)
    }

    found = await flows_by_connection(backend, [key, UNUSED])

    assert {flow.id for flow in found[key]} == expected
    assert len(found[key]) == len(expected) > 450
    assert found[UNUSED] == []


def test_apps_are_grouped_worst_first(model):
    groups = [row.group for row in model.rows]

    assert groups == sorted(groups, key=list(HealthGroup).index)
    assert model.rows[0].group is HealthGroup.ATTENTION
    assert model.attention == 2


def test_the_filter_finds_apps_by_the_name_of_a_connection(model):
    model.set_text("ops team")

    assert [row.app.key for row in model.rows] == ["todoist"]


def test_a_test_shows_that_it_runs_and_then_its_answer(qtbot, model):
    model.select("todoist")
    model.test("con-old")
    assert model.testing == {"con-old"}

    qtbot.waitUntil(lambda: not model.testing)

    assert model.connection("con-old").health is ConnectionHealth.VALID


def test_testing_all_can_be_stopped(qtbot, model, backend):
    backend.delay = 0.05
    model.test_all()
    assert model.testing_all

    model.cancel_test_all()

    qtbot.waitUntil(lambda: not model.testing_all)
    tested = [call for call in backend.calls if call[0] == "test_connection"]
    assert len(tested) < len(backend.connections)


def test_testing_all_counts_and_sums_up(qtbot, model, shared):
    notices: list[Any] = []
    seen: list[Any] = []
    shared.notices.posted.connect(notices.append)
    model.busy_changed.connect(lambda: seen.append((model.test_run.done, model.test_run.total)))

    model.test_all()
    qtbot.waitUntil(lambda: bool(notices))

    assert (0, 6) in seen
    assert (5, 6) in seen
    assert notices[0].text == "6 connections tested: 2 need attention."


def test_a_locked_vault_ends_the_round_in_its_words(qtbot, model, shared, backend):
    notices: list[Any] = []
    shared.notices.posted.connect(notices.append)
    backend.failing["test_connection"] = SecretsUnavailable("The vault is locked.", reason="locked")

    model.test_all()
    qtbot.waitUntil(lambda: bool(notices))

    assert notices[0].text == "The vault is locked."
    assert len([call for call in backend.calls if call[0] == "test_connection"]) == 1


def test_while_testing_the_row_says_so(model):
    model.test("con-gh")

    row = next(row for row in model.rows if row.app.key == "github")
    assert (row.testing, row.word) == (True, "Testing")


def test_categories_narrow_the_list(model):
    assert "Tasks" in model.categories

    model.set_category("Tasks")

    assert [row.app.key for row in model.rows] == ["todoist"]
    model.set_category("")
    assert len(model.rows) > 1


def test_recently_used_apps_come_first_on_request(qtbot, model, shared):
    model.set_order(SortOrder.RECENT)
    qtbot.waitUntil(lambda: model.sections[0].heading == "Recently used")

    assert {row.app.key for row in model.sections[0].rows} >= {"github", "todoist"}
    assert model.sections[-1].heading == "Not used recently"


def test_view_and_order_are_remembered(shared, model):
    model.set_grid(True)
    model.set_order(SortOrder.NAME)

    again = MyAppsViewModel(shared)

    assert (again.grid, again.order) == (True, SortOrder.NAME)


def test_a_duplicate_gets_a_name_of_its_own_and_can_be_undone(qtbot, model, shared, backend):
    notices: list[Any] = []
    shared.notices.posted.connect(notices.append)
    model.duplicate(backend.connections["con-gh"])
    qtbot.waitUntil(lambda: bool(notices))
    made = next(item for item in backend.connections.values() if item.screen_name == "anna-lindqvist copy")

    notices[0].undo()

    qtbot.waitUntil(lambda: made.id not in backend.connections)


def test_a_connection_that_cannot_be_copied_says_why(qtbot, model, shared, backend):
    notices: list[Any] = []
    shared.notices.posted.connect(notices.append)
    backend.failing["duplicate_connection"] = NotSupported("Sign-ins that renew themselves are not copied.")

    model.duplicate(backend.connections["con-gh"])

    qtbot.waitUntil(lambda: bool(notices))
    assert notices[0].severity == "error"


def test_broken_apps_are_a_group_of_their_own():
    rows = app_rows((AppInfo(key=AppKey("mine"), name="Mine", broken="NameError"),), ())

    assert (rows[0].group, rows[0].word, rows[0].counts) == (HealthGroup.BROKEN, "Load error", "NameError")


def test_a_locked_keyring_is_no_refusal_and_the_last_test_stands():
    tested = Connection(
        id=CONNECTION, app_key=TODOIST, health=ConnectionHealth.VALID, verified=True, tested_at=NOW
    )
    locked = tested.model_copy(update={"secrets_problem": "The system keyring is locked."})

    [row] = app_rows((AppInfo(key=TODOIST, name="Todoist"),), (locked,), NOW)

    assert (row.group, row.word, row.rejected) == (HealthGroup.VALID, "Locked", 0)
    assert health_label(locked, NOW) == "Locked"
    assert last_test_text(locked, NOW).endswith(", succeeded")


def test_a_service_that_is_down_is_no_refusal_and_the_last_test_stands():
    tested = Connection(
        id=CONNECTION, app_key=TODOIST, health=ConnectionHealth.VALID, verified=True, tested_at=NOW
    )
    unreached = tested.model_copy(update={"unreachable": "Nothing answers.", "unreachable_at": NOW})

    [row] = app_rows((AppInfo(key=TODOIST, name="Todoist"),), (unreached,), NOW)

    assert (row.group, row.word, row.rejected) == (HealthGroup.VALID, "Unreachable", 0)
    assert health_mark(row) == ("unplug", "warning")
    assert health_label(unreached, NOW) == "Unreachable"
    assert last_test_text(unreached, NOW).endswith(", succeeded")


def test_testing_all_tells_what_was_refused_from_what_was_not_reached(qtbot, model, shared, backend):
    notices: list[Any] = []
    shared.notices.posted.connect(notices.append)
    backend.unreachable["github"] = "Nothing answers at api.github.com."

    model.test_all()
    qtbot.waitUntil(lambda: bool(notices))

    assert notices[0].text == "6 connections tested: 2 need attention, 1 couldn't be reached."


def test_a_lost_key_is_reported_as_such():
    lost = Connection(
        id=CONNECTION,
        app_key=TODOIST,
        health=ConnectionHealth.NEEDS_ATTENTION,
        tested_at=NOW,
        reason="The key is not here.",
        secrets_problem="The key is not here.",
    )

    [row] = app_rows((AppInfo(key=TODOIST, name="Todoist"),), (lost,), NOW)

    assert (row.group, row.word) == (HealthGroup.ATTENTION, "Key missing")
    assert "refused" not in last_test_text(lost, NOW)


@pytest.mark.parametrize(
    ("days", "word"),
    [(-1, "Expired"), (0.01, "Expires today"), (1, "Expires tomorrow"), (3, "Expires in 3 days")],
)
def test_the_expiry_is_shown_in_days(days, word):
    ends = NOW + round(days * 86_400_000)
    connection = Connection(
        id=ConnectionId("x"), app_key=AppKey("a"), health=ConnectionHealth.EXPIRES_SOON, expires_at=ends
    )

    assert health_label(connection, NOW) == word


def test_names_are_counted_on_when_they_are_taken():
    assert free_name("A copy", ["A", "A copy", "A copy 2"]) == "A copy 3"


def test_the_place_of_a_fault_is_taken_out_of_its_reason():
    assert parse_load_error("NameError: no (auth.py, line 12)") == AppLoadError(
        "NameError: no", "auth.py", "12"
    )
    assert parse_load_error("It has no triggers.") == AppLoadError("It has no triggers.")


def test_a_deleted_connection_comes_back_by_undo(qtbot, model, shared, backend):
    notices: list[Any] = []
    shared.notices.posted.connect(notices.append)
    model.delete(backend.connections["con-gh"])
    qtbot.waitUntil(lambda: len(notices) == 1 and "con-gh" not in backend.connections)

    notices[0].undo()

    qtbot.waitUntil(lambda: "con-gh" in backend.connections)


def test_a_list_that_cannot_be_read_says_why(qtbot, shared, backend):
    backend.failing["list_connections"] = Unreachable("The service does not answer.")
    model = MyAppsViewModel(shared)

    with qtbot.waitSignal(model.failed) as told:
        model.load()

    assert told.args[0].happened == "The service does not answer."


@pytest.fixture
def form(qtbot, shared):
    made = ConnectionFormViewModel(shared, AppKey("deepl"))
    made.load()
    qtbot.waitUntil(lambda: bool(made.fields))
    return made


def test_missing_fields_are_reported_at_once_without_a_request(form, backend):
    form.submit()

    assert form.messages == {"screenName": "Enter Screen name.", "apiKey": "Enter API Key."}
    assert not [call for call in backend.calls if call[0] == "add_connection"]


def test_a_refusal_keeps_what_was_typed(qtbot, form, backend):
    form.set_value("screenName", "Mine")
    form.set_value("apiKey", "wrong")

    form.submit()
    qtbot.waitUntil(lambda: form.state is FormState.REJECTED)

    assert form.error.said == "Invalid API key"
    assert form.values["screenName"] == "Mine"
    assert len(backend.connections) == 6


def test_good_values_make_a_connection(qtbot, form, backend):
    form.set_value("screenName", "Mine")
    form.set_value("apiKey", "right")

    with qtbot.waitSignal(form.finished) as told:
        form.submit()

    assert told.args[0].screen_name == "Mine"
    assert form.state is FormState.DONE


def test_a_check_can_be_cancelled_and_edited_again(qtbot, form, backend):
    backend.hold("add_connection")
    form.set_value("screenName", "Mine")
    form.set_value("apiKey", "right")
    form.submit()
    assert form.state is FormState.CHECKING

    form.cancel()

    qtbot.waitUntil(lambda: form.state is FormState.EDITING)
    assert len(backend.connections) == 6


def test_renewing_prefills_what_is_not_secret_and_may_keep_the_secret(qtbot, shared, backend):
    form = ConnectionFormViewModel(shared, AppKey("todoist"), backend.connections["con-anna"])
    form.load()
    qtbot.waitUntil(lambda: bool(form.fields))
    assert form.values == {"screenName": "Anna’s Todoist"}

    with qtbot.waitSignal(form.finished):
        form.submit()

    assert backend.connections["con-anna"].health is ConnectionHealth.VALID


def test_the_picker_is_one_list_by_name_with_the_last_used_on_top(shared):
    picker = AppPickerViewModel(
        shared, {AppKey("slack"): NOW, AppKey("deepl"): NOW - 1, AppKey("webhook"): NOW - 2}
    )

    used, others = picker.sections

    assert (used.heading, [row.app.key for row in used.rows]) == ("Recently used", ["slack", "deepl"])
    assert [row.app.name for row in others.rows] == ["Forge", "GitHub", "Todoist"]
    picker.set_category("Development")
    assert [[row.app.name for row in section.rows] for section in picker.sections] == [["Forge", "GitHub"]]
    picker.set_text("git")
    assert [row.app.key for row in picker.rows] == ["github"]
