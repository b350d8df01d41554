"""The window on its workspaces: alone, beside a running service, on a service elsewhere, on the demo."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot
from tests.support import flow_files as files
from tests.support import patient
from tests.support.counterparty import Counterparty
from tests.support.forms import in_forms, long_form
from tests.support.processes import Service, program, run
from tests.support.window import Window, open_window

from patchbay.desktop.core.navigation import Tab

NAMES = ["Flows", "Executions", "Folders", "Templates", "My Apps"]


@dataclass
class World:
    """A data folder with one published flow, and the windows a test opens on it."""

    data: Path
    flow: str
    qtbot: QtBot
    open: ExitStack

    def window(self, workspace: str, **options: Any) -> Window:
        return self.open.enter_context(open_window(self.qtbot, self.data, workspace, **options))

    def call(self, **body: Any) -> None:
        """Call the flow's webhook at whoever serves the folder now."""
        address = json.loads((self.data / "service.json").read_text())["address"]
        patient.post(f"{address}/webhooks/flows/{self.flow}", json=body).raise_for_status()


@pytest.fixture
def world(tmp_path: Path, party: Counterparty, qtbot: QtBot) -> Iterator[World]:
    file = files.write(tmp_path / "flow.json", files.orders(f"{party.address}/window"))
    [flow] = run(program("flow", "import", file, "--publish", "--json", data=tmp_path / "data")).json
    with ExitStack() as stack:
        yield World(tmp_path / "data", flow["id"], qtbot, stack)


def tab_names(window: Window) -> list[str]:
    bar = window.wait(lambda: window.desk.window.area).header.tabs
    assert [bar.tabText(place) for place in range(bar.count())] == NAMES
    return [bar.accessibleTabName(place) for place in range(bar.count())]


@long_form
@pytest.mark.parametrize("beside", in_forms([False, True], short=[True]), ids=["alone", "beside a service"])
def test_a_call_appears_in_the_executions_by_itself(world: World, beside: bool):
    if beside:
        world.open.enter_context(Service(world.data))
    window = world.window("local")
    window.wait(lambda: any("Orders" in row for row in window.rows("Flows")))
    window.tab(Tab.EXECUTIONS)
    window.wait(lambda: (world.data / "service.json").exists())

    world.call(customer=" Ada ", total=50)
    window.wait(lambda: window.rows("Executions"))

    assert tab_names(window) == NAMES
    window.wait(lambda: all(word in window.rows("Executions")[0] for word in ("Orders", "Success")))


@long_form
def test_a_service_elsewhere_is_shown_with_its_key(world: World):
    service = world.open.enter_context(Service(world.data))
    world.call(customer="Ada", total=50)
    key = service.command("api-key", "create", "--json").json["key"]
    world.data = world.data.with_name("elsewhere")

    window = world.window(service.address, api_key=key)

    window.wait(lambda: any("Orders" in row for row in window.rows("Flows")))
    window.tab(Tab.EXECUTIONS)
    window.wait(lambda: any("Orders" in row for row in window.rows("Executions")))
    assert tab_names(window) == NAMES
    assert key not in "".join(path.read_text() for path in world.data.glob("*.toml"))


@long_form
def test_every_tab_of_the_demo_shows_rows(qtbot: QtBot, tmp_path: Path):
    with open_window(qtbot, tmp_path / "data", "demo") as window:
        flows = window.wait(lambda: window.rows("Flows"))
        for tab, name in ((Tab.EXECUTIONS, "Executions"), (Tab.FOLDERS, "Folders"), (Tab.MY_APPS, "Apps")):
            window.tab(tab)
            window.wait(partial(window.rows, name))
        window.tab(Tab.TEMPLATES)
        window.wait(lambda: window.services.backend.capabilities is not None)

        assert tab_names(window) == NAMES
        assert len(flows) >= 12
        assert "Demo" in window.desk.window.windowTitle()
