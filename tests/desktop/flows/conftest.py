"""The Flows tab over a fake workspace."""

import pytest
from tests.support.flow_screens import around, backend, flows, light_theme, notices, page, tab

from patchbay.desktop.core.services import Services
from patchbay.desktop.flows.view_models.commands import FlowCommands
from patchbay.desktop.flows.view_models.flow_list import FlowsViewModel

__all__ = ["around", "backend", "flows", "light_theme", "notices", "page", "tab"]


@pytest.fixture
def commands(around: Services, flows: FlowsViewModel) -> FlowCommands:
    return FlowCommands(around, flows, flows)
