"""The Flows tab over a fake workspace."""

import pytest
from pytestqt.qtbot import QtBot
from tests.support.flow_screens import around, backend, light_theme, notices, page, tab

from patchbay.desktop.core.services import Services
from patchbay.desktop.flows.view_models.commands import FlowCommands
from patchbay.desktop.flows.view_models.flow_list import FlowsViewModel

__all__ = ["around", "backend", "light_theme", "notices", "page", "tab"]


@pytest.fixture
def flows(qtbot: QtBot, around: Services) -> FlowsViewModel:
    """The list, loaded with activity."""
    made = FlowsViewModel(around)
    made.load()
    qtbot.waitUntil(lambda: any(row.activity for row in made.rows))
    return made


@pytest.fixture
def commands(around: Services, flows: FlowsViewModel) -> FlowCommands:
    return FlowCommands(around, flows, flows)
