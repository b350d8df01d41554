"""A tab of executions over the fake backend."""

from typing import Any

import pytest
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.executions.tab import ExecutionsTab
from patchbay.desktop.executions.view_models import run_actions


@pytest.fixture
def backend(monkeypatch):
    monkeypatch.setattr(run_actions, "POLL_SECONDS", 0.01)
    return FakeBackend(executions=80)


@pytest.fixture
def around(tasks, backend):
    return services(tasks, backend)


@pytest.fixture
def tab(qtbot, around):
    tab = ExecutionsTab(around)
    qtbot.addWidget(tab)
    tab.resize(1280, 724)
    tab.show()
    tab.activate()
    qtbot.waitUntil(lambda: tab.runs.is_up_to_date and tab.rows.is_showing_rows)
    return tab


@pytest.fixture
def posted(around):
    told: list[Any] = []
    around.notices.posted.connect(told.append)
    return told
