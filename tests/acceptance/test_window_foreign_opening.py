"""The way to a service that is not ours: typed, refused, lacking something, looked at before it is known."""

from collections.abc import Iterator

import pytest
from tests.support.foreign_window import foreign_window, service_elsewhere
from tests.support.forms import in_forms, long_form
from tests.support.recorded_service import KEY, Habits, RecordedService

from patchbay.desktop.core.navigation import Tab

HARBOUR = "Harbour news"


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordedService]:
    with service_elsewhere(monkeypatch) as playing:
        yield playing


SHORTEST, LONGEST = "127.0.0.1:{port}", " http://127.0.0.1:{port}/api/v1/ "


@long_form
@pytest.mark.parametrize("typed", in_forms([SHORTEST, LONGEST], short=[LONGEST]))
def test_a_service_is_added_by_typing_its_address_in_any_way(qtbot, tmp_path, service, typed):
    with foreign_window(qtbot, tmp_path / "data", service, opened=False) as foreign:
        window = foreign.window
        dialog = window.desk.window.add_server()
        window.type(dialog.address, typed.format(port=service.port))
        window.type(dialog.key.edit, KEY)
        window.press("Connect")

        window.wait(lambda: len(window.rows("Flows")) >= 13)
        foreign.listen()
        window.tab(Tab.EXECUTIONS)
        window.wait(lambda: any(HARBOUR in row for row in window.rows("Executions")))
        folders = window.tab(Tab.FOLDERS)
        window.wait(lambda: len(window.rows("Folders")) == 4)
        window.wait(lambda: folders.folders.detail)
        assert "by Jonas Petit" in folders.pane.facts.text()
        assert folders.pane.flows.lines.rowCount() == 2
        window.tab(Tab.TEMPLATES)
        window.wait(lambda: any("Feed to phone" in row for row in window.rows("Templates")))
        window.tab(Tab.MY_APPS)
        window.wait(lambda: "API doesn't include connections" in foreign.texts())

        assert foreign.errors == []
        assert service.refused == []


@long_form
def test_a_wrong_key_is_reported_in_the_dialog_and_nothing_is_kept(qtbot, tmp_path, service):
    with foreign_window(qtbot, tmp_path / "data", service, opened=False) as foreign:
        window = foreign.window
        dialog = window.desk.window.add_server()
        window.type(dialog.address, service.address)
        window.type(dialog.key.edit, "wrong")
        window.press("Connect")

        window.wait(dialog.problem.isVisible)
        assert window.services is None
        assert dialog.connect_button.isEnabled()
    assert not (tmp_path / "data" / "settings.toml").exists()


@long_form
def test_a_service_that_cannot_be_opened_says_the_same_however_often_it_is_asked(qtbot, tmp_path, service):
    service.habits = Habits(licence=False)
    with foreign_window(qtbot, tmp_path / "data", service) as foreign:
        window = foreign.window
        window.wait(lambda: "No API found at" in foreign.texts())
        page = window.tab(Tab.FOLDERS).rows.page
        window.wait(lambda: page.kind == "error")
        assert "No API found at" in foreign.texts()

        service.habits = Habits()
        window.press("Try again")
        window.wait(lambda: len(window.rows("Folders")) == 4)
        window.tab(Tab.FLOWS)
        window.wait(lambda: len(window.rows("Flows")) == 13)
        window.wait(lambda: "online" in window.desk.window.area.status.engine.words())


@long_form
@pytest.mark.parametrize("tab", in_forms(list(Tab), short=[Tab.FLOWS]), ids=lambda tab: tab.value)
def test_a_tab_that_is_opened_before_anything_is_known_of_the_service_asks_for_nothing_in_vain(
    qtbot, tmp_path, service, tab
):
    with foreign_window(qtbot, tmp_path / "data", service) as foreign:
        foreign.window.tab(tab)
        foreign.window.wait(lambda: service.times("GET /api/v1/executions"))
        foreign.rest()

        assert foreign.errors == []
        assert service.refused == []


@long_form
def test_where_templates_are_switched_off_the_window_says_so_and_offers_none(qtbot, tmp_path, service):
    service.habits = Habits(templates=False)
    with foreign_window(qtbot, tmp_path / "data", service) as foreign:
        tab = foreign.window.tab(Tab.TEMPLATES)
        foreign.window.wait(lambda: "No templates here" in foreign.texts())

        assert "they're turned off" in foreign.texts()
        assert not tab.new.isEnabled()
        assert tab.rows.page.kind == "empty"
        assert foreign.errors == []
