"""Every event of the apps that come with the program can be shown and chosen."""

from functools import cache

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from tests.support.app_calls import built_in
from tests.support.desktop import services

from patchbay.desktop.editor.view_models.event_catalog import EventCatalog
from patchbay.desktop.my_apps.app_page import fill_events
from patchbay.domain.base import AppKey
from patchbay.domain.flows import StepType


@cache
def infos():
    """Each app by its key."""
    return {app.key: built_in().info(AppKey(app.key)) for app in built_in().all()}


@pytest.fixture
def catalog(qtbot, tasks, backend):
    backend.apps = infos()
    around = services(tasks, backend)
    qtbot.waitUntil(lambda: len(around.apps.all) == len(infos()))
    made = EventCatalog(around)
    made.load()
    qtbot.waitUntil(lambda: not made.loading)
    return made


def test_every_event_can_be_chosen(catalog):
    for kind, events in ((StepType.TRIGGER, "triggers"), (StepType.ACTION, "actions")):
        offered = {(group.app.key, event.key) for group in catalog.groups(kind) for event in group.events}
        assert offered == {(app.key, event.key) for app in infos().values() for event in getattr(app, events)}


def test_what_happens_in_the_workspace_starts_a_flow_at_once(catalog):
    (group,) = catalog.groups(StepType.TRIGGER, "called by another flow")

    assert {event.key: event.tag for event in group.events}["called"] == "instant"


@pytest.mark.parametrize("key", sorted(app.key for app in built_in().infos()))
def test_the_page_of_an_app_lists_its_events(qtbot, key):
    holder = QWidget()
    qtbot.addWidget(holder)
    column = QVBoxLayout(holder)

    fill_events(column, infos()[key])

    assert column.count() > len(infos()[key].actions)


def test_events_that_a_list_has_need_no_details(qtbot, tasks, backend):
    backend.apps = {app.key: app for app in built_in().infos()}
    around = services(tasks, backend)
    qtbot.waitUntil(lambda: len(around.apps.all) == len(infos()))
    made = EventCatalog(around)

    made.load()

    assert not made.loading
    assert {group.app.key for group in made.groups(StepType.TRIGGER)} == {
        app.key for app in infos().values() if app.triggers
    }
