"""My Apps without widgets: groups, testing, deleting with undo, the connection form."""

import pytest
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.state.connection_form import ConnectionFormViewModel, FormState
from patchbay.desktop.state.my_apps import MyAppsViewModel
from patchbay.desktop.state.my_apps_rows import Group
from patchbay.domain.connections import Health
from patchbay.domain.errors import Unreachable


@pytest.fixture
def backend():
    return FakeBackend(executions=5)


@pytest.fixture
def shared(qtbot, tasks, backend):
    made = services(tasks, backend)
    qtbot.waitUntil(lambda: bool(made.apps.all))
    return made


@pytest.fixture
def model(qtbot, shared):
    made = MyAppsViewModel(shared)
    made.load()
    qtbot.waitUntil(lambda: made.loaded and bool(made.flows))
    return made


def test_apps_are_grouped_worst_first(model):
    groups = [row.group for row in model.rows]

    assert groups == sorted(groups, key=list(Group).index)
    assert model.rows[0].group is Group.ATTENTION
    assert model.attention == 2


def test_the_filter_finds_apps_by_the_name_of_a_connection(model):
    model.set_text("ops team")

    assert [row.app.key for row in model.rows] == ["todoist"]


def test_a_test_shows_that_it_runs_and_then_its_answer(qtbot, model):
    model.select("todoist")
    model.test("con-old")
    assert model.testing == {"con-old"}

    qtbot.waitUntil(lambda: not model.testing)

    assert model.connection("con-old").health is Health.VALID


def test_testing_all_can_be_stopped(qtbot, model, backend):
    backend.delay = 0.05
    model.test_all()
    assert model.testing_all

    model.cancel_test_all()

    qtbot.waitUntil(lambda: not model.testing_all)
    tested = [call for call in backend.calls if call[0] == "test_connection"]
    assert len(tested) < len(backend.connections)


def test_a_deleted_connection_comes_back_by_undo(qtbot, model, shared, backend):
    notices = []
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
    made = ConnectionFormViewModel(shared, "deepl")
    made.load()
    qtbot.waitUntil(lambda: bool(made.fields))
    return made


def test_missing_fields_are_told_at_once_and_nothing_is_asked(form, backend):
    form.submit()

    assert form.messages == {"screenName": "Enter Screen Name.", "apiKey": "Enter API Key."}
    assert not [call for call in backend.calls if call[0] == "add_connection"]


def test_a_refusal_keeps_what_was_typed(qtbot, form, backend):
    form.set_value("screenName", "Mine")
    form.set_value("apiKey", "wrong")

    form.submit()
    qtbot.waitUntil(lambda: form.state is FormState.REFUSED)

    assert form.refusal.said == "Invalid API key"
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
    backend.delay = 5
    form.set_value("screenName", "Mine")
    form.set_value("apiKey", "right")
    form.submit()
    assert form.state is FormState.CHECKING

    form.cancel()

    qtbot.waitUntil(lambda: form.state is FormState.EDITING)
    assert len(backend.connections) == 6


def test_renewing_prefills_what_is_not_secret_and_may_keep_the_secret(qtbot, shared, backend):
    form = ConnectionFormViewModel(shared, "todoist", backend.connections["con-anna"])
    form.load()
    qtbot.waitUntil(lambda: bool(form.fields))
    assert form.values == {"screenName": "Anna’s Todoist"}

    with qtbot.waitSignal(form.finished):
        form.submit()

    assert backend.connections["con-anna"].health is Health.VALID
