"""The engine in the frame: its popup, pausing and resuming, its page of the settings."""

import asyncio

import pytest
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_workspace import MINUTE, NOW
from tests.support.shell import window

from patchbay.desktop.settings.engine_page import EnginePage
from patchbay.desktop.settings.view_models import engine_settings
from patchbay.desktop.settings.view_models.engine_settings import EngineSettingsViewModel, storage_text
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.changes import ResourceType
from patchbay.domain.engine import (
    CleanupResult,
    EngineSettings,
    EngineState,
    Isolation,
    IsolationKind,
    Retention,
    StorageUsage,
)
from patchbay.domain.errors import StorageFault


@pytest.fixture
def backend():
    return FakeBackend(executions=20)


@pytest.fixture
def main(qtbot, tasks, backend):
    made = window(tasks, backend=backend)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: bool(made.area and made.area.model.health and made.area.model.info))
    yield made
    made.close()


def show_page(qtbot, tasks, backend):
    around = services(tasks, backend)
    page = EnginePage(EngineSettingsViewModel(around), around.clock)
    qtbot.addWidget(page)
    page.resize(520, 480)
    page.show()
    return page


@pytest.fixture
def page(qtbot, tasks, backend):
    page = show_page(qtbot, tasks, backend)
    qtbot.waitUntil(lambda: page._model.settings is not None)
    return page


def test_the_engine_tells_how_it_does_above_the_status_bar(main, backend):
    backend.engine = backend.engine.model_copy(
        update={"queued": 12, "oldest_queued_at": NOW - 3 * MINUTE, "next_run_at": None}
    )
    main.area.model.set_health(backend.engine)

    main.area.status.engine.click()

    popup = main.area.engine_popup
    assert popup.title.text() == "Engine running"
    assert popup.facts()["Last scheduler check"] == "4 s ago"
    assert popup.facts()["Unfinished"] == "1 running, 2 waiting"
    assert popup.facts()["Queued"] == "12 executions, the oldest for 3 min"
    assert popup.facts()["Next run"] == "none scheduled"
    assert popup.facts()["Running since"].endswith("(1 h)")


def test_pausing_says_that_webhooks_are_kept_and_can_be_undone(qtbot, main, backend):
    popup = main.area.open_engine()
    popup.pause_button.click()
    qtbot.waitUntil(lambda: main.area.engine.paused)

    assert main.area.status.engine.words() == "Paused: storing webhooks"
    assert (popup.title.text(), popup.pause_button.text()) == ("Paused", "Resume all runs")
    assert main.area.toasts.text() == "All runs paused. Incoming webhooks are stored."

    main.area.toasts.toasts[-1].button.click()
    qtbot.waitUntil(lambda: backend.engine.state is EngineState.RUNNING)
    qtbot.waitUntil(lambda: main.area.status.engine.words() == "Engine running")


def test_the_palette_pauses_and_says_why_it_cannot_resume(qtbot, main, backend):
    actions = main.actions_by_id
    assert actions.get("engine.resume").reason() == "runs aren't paused"

    actions.get("engine.pause").run()
    qtbot.waitUntil(lambda: actions.get("engine.resume").reason() is None)

    assert actions.get("engine.pause").reason() == "runs are already paused"


def test_a_service_without_an_engine_of_ours_says_so(main, backend):
    backend.capabilities = Capabilities(unavailable={Feature.ENGINE: "This service runs its own engine."})

    popup = main.area.open_engine()

    assert not popup.pause_button.isEnabled()
    assert popup.pause_button.toolTip() == "This service runs its own engine."


def test_the_settings_are_shown_as_they_are(page):
    assert page.concurrency.currentText() == "20"
    assert page.successes.currentText() == "90 days"
    assert page.failures.currentText() == "1 year"
    assert page.most.currentText() == "1,000,000"
    assert page.runs_per_root.currentText() == "10,000"
    assert page.storage.text().startswith("241 MB on the disk, 13 MB of it reusable. 366 exec")


def test_showing_them_changes_nothing(page, backend):
    assert not [name for name, _ in backend.calls if name == "change_engine_settings"]


def test_a_choice_takes_effect_at_once_and_can_be_undone(qtbot, page, backend):
    page.concurrency.set_value(5)
    qtbot.waitUntil(lambda: backend.settings.max_concurrent == 5)
    qtbot.waitUntil(lambda: page.undo.isVisible())

    page.undo.click()
    qtbot.waitUntil(lambda: backend.settings.max_concurrent == 20)
    qtbot.waitUntil(lambda: page.concurrency.value() == 20)


def _change_elsewhere(backend, **values):
    """As another client does, without this window hearing of it."""
    backend.settings = backend.settings.model_copy(update=values)


def test_a_choice_leaves_what_was_changed_elsewhere(qtbot, page, backend):
    _change_elsewhere(backend, max_runs_per_root=500, program_network=True)

    page.concurrency.set_value(5)
    qtbot.waitUntil(lambda: backend.settings.max_concurrent == 5 and page.undo.isVisible())
    _change_elsewhere(backend, retention=Retention(success_days=30))
    page.undo.click()
    qtbot.waitUntil(lambda: backend.settings.max_concurrent == 20)

    assert backend.settings.max_runs_per_root == 500
    assert backend.settings.program_network
    assert backend.settings.retention.success_days == 30
    fields = [args[1] for name, args in backend.calls if name == "change_engine_settings"]
    assert fields == [("max_concurrent",)] * 2


def test_one_bound_of_the_history_leaves_the_others(qtbot, page, backend):
    _change_elsewhere(backend, retention=Retention(success_days=30))

    page.most.set_value(None)

    qtbot.waitUntil(lambda: backend.settings.retention.most is None)
    assert backend.settings.retention.success_days == 30


async def _announce(backend):
    backend.announce(ResourceType.WORKSPACE)


def test_settings_changed_elsewhere_are_shown(qtbot, page, backend):
    _change_elsewhere(backend, max_runs_per_root=1_000)
    page._model._services.tasks.run(page._model, _announce(backend))
    qtbot.waitUntil(lambda: page.runs_per_root.value() == 1_000)

    page.hide()
    _change_elsewhere(backend, max_runs_per_root=100)
    page.show()
    qtbot.waitUntil(lambda: page.runs_per_root.value() == 100)


def test_the_limit_of_a_tree_of_runs_is_set_there(qtbot, page, backend):
    page.runs_per_root.set_value(100)

    qtbot.waitUntil(lambda: backend.settings.max_runs_per_root == 100)


def test_keeping_less_is_asked_before_and_stays_as_it_was_without_a_yes(qtbot, page, backend):
    page.successes.set_value(7)
    assert page.confirm_dialog.isVisible()
    page.confirm_dialog.reject()

    assert page.successes.value() == 90
    assert backend.settings.retention.success_days == 90

    page.successes.set_value(None)
    qtbot.waitUntil(lambda: backend.settings.retention.success_days is None)


def test_a_value_of_ones_own_is_offered_too(qtbot, tasks, backend):
    backend.settings = EngineSettings(max_concurrent=33, retention=Retention(success_days=45))
    page = show_page(qtbot, tasks, backend)
    qtbot.waitUntil(lambda: page._model.settings is not None)

    assert page.concurrency.currentText() == "33"
    assert page.successes.currentText() == "45 days"


def test_cleaning_up_says_what_it_removed_and_gave_back(qtbot, page):
    page.clean_up.click()
    qtbot.waitUntil(lambda: "66 executions removed, 13 MB of disk space freed" in page.storage.text())

    assert page.storage.text().startswith("229 MB on the disk. 300 executions")


def test_while_it_is_cleaned_up_the_figures_show_how_far_it_is(qtbot, page, backend, monkeypatch):
    monkeypatch.setattr(engine_settings, "POLL_SECONDS", 0.01)
    release, storage = asyncio.Event(), backend.storage

    async def clean_up():
        backend.storage = storage.model_copy(update={"executions": 200})
        await release.wait()
        return CleanupResult(removed=166, freed_bytes=1_000_000)

    monkeypatch.setattr(backend, "clean_up_history", clean_up)
    page.clean_up.click()
    qtbot.waitUntil(lambda: "200 executions" in page.storage.text())
    assert (page.clean_up.busy, page.clean_up.text()) == (True, "Cleaning up")

    page._model._services.tasks.run(page._model, _set(release))
    qtbot.waitUntil(lambda: "166 executions removed" in page.storage.text())


async def _set(event):
    event.set()


def test_a_change_that_is_refused_says_why_and_shows_what_holds(qtbot, page, backend):
    backend.failing["change_engine_settings"] = StorageFault("The disk is full.", todo="Free some space.")

    page.concurrency.set_value(50)
    qtbot.waitUntil(lambda: page.problem.isVisible())

    assert "Free some space." in page.problem.accessibleName()
    assert page.concurrency.value() == 20


def test_where_the_engine_is_not_ours_the_page_says_so(qtbot, tasks, backend):
    backend.capabilities = Capabilities(unavailable={Feature.ENGINE: "This service runs its own engine."})

    page = show_page(qtbot, tasks, backend)

    assert "This service runs its own engine." in page.problem.accessibleName()
    assert not page.concurrency.isVisible()


def test_sizes_have_readable_labels():
    assert storage_text(StorageUsage(bytes=3_240_000_000), "") == "3.2 GB on the disk. 0 executions."
    assert storage_text(StorageUsage(bytes=812_000, executions=1), "Fri 20 Nov") == (
        "812 kB on the disk. 1 execution, the oldest of Fri 20 Nov."
    )


def test_it_says_how_programs_are_isolated_and_an_admin_allows_them_the_network(qtbot, tasks, backend):
    isolation = Isolation(kind=IsolationKind.BUBBLEWRAP, detail="Each runs under bubblewrap.")
    backend.engine = backend.engine.model_copy(update={"isolation": isolation})
    page = show_page(qtbot, tasks, backend)
    qtbot.waitUntil(lambda: page._model.settings is not None)

    page.network.click()

    qtbot.waitUntil(lambda: backend.settings.program_network and page.undo.isVisible())
    assert page.isolation.text() == "Programs are isolated. Each runs under bubblewrap."
    page.undo.click()
    qtbot.waitUntil(lambda: not backend.settings.program_network)
    qtbot.waitUntil(lambda: not page.network.isChecked())
