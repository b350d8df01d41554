"""A bar says that webhook addresses have changed, because another program uses the port."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.shell import stub_tabs

from patchbay.desktop.core.taken_port import TakenPort
from patchbay.desktop.settings.window_options import ShellOptions
from patchbay.desktop.shell.work_area import WorkArea
from patchbay.desktop.tasks import Tasks

NEW_ADDRESS = "http://127.0.0.1:38039"
TAKEN = TakenPort(8787, NEW_ADDRESS)
Open = Callable[[FakeBackend, TakenPort | None], WorkArea]


class Listening:
    """A window that listens on this port instead of the usual one."""

    def __init__(self, taken: TakenPort | None) -> None:
        self.taken = taken

    async def taken_port(self) -> TakenPort | None:
        return self.taken


class Local(FakeBackend):
    """A workspace without a public address."""

    async def info(self) -> Any:
        return (await super().info()).model_copy(update={"webhook_address": NEW_ADDRESS})


class WithoutWebhooks(Local):
    """A workspace whose published flows start by themselves."""

    async def list_flows(self, where: Any, page: Any) -> Any:
        found = await super().list_flows(where, page)
        flows = tuple(flow for flow in found.items if flow.trigger and not flow.trigger.webhook_url)
        return found.model_copy(update={"items": flows, "total": len(flows)})


@pytest.fixture
def opened(qtbot: QtBot, tasks: Tasks) -> Open:
    def open_area(backend: FakeBackend, taken: TakenPort | None) -> WorkArea:
        around = replace(services(tasks, backend), listening=Listening(taken))
        area = WorkArea(around, stub_tabs(), ShellOptions(workspace="local"))
        area.resize(1280, 800)
        qtbot.addWidget(area)
        with qtbot.waitSignal(area.port.changed):
            area.show()
        return area

    return open_area


def test_the_bar_says_the_new_address_and_opens_the_settings(qtbot: QtBot, opened: Open) -> None:
    area = opened(Local(), TAKEN)

    assert area.port_bar.isVisible()
    assert area.port_bar.words.text() == (
        "Port 8787 is in use by another program, so webhook addresses have changed to "
        "http://127.0.0.1:38039. Requests to the old address don't arrive."
    )
    with qtbot.waitSignal(area.services.navigator.settings_requested) as requested:
        area.port_bar.settings.click()
    assert requested.args == ["Server"]


def test_a_dismissed_bar_stays_hidden(qtbot: QtBot, opened: Open) -> None:
    area = opened(Local(), TAKEN)

    area.port_bar.dismiss.click()
    assert area.port_bar.isHidden()

    with qtbot.waitSignal(area.port.changed):
        area.reload()
    assert area.port_bar.isHidden()


def test_with_a_public_address_the_bar_names_the_port_to_forward_to(opened: Open) -> None:
    area = opened(FakeBackend(), TAKEN)

    assert area.port_bar.words.text() == (
        "Port 8787 is in use by another program, so webhooks use port 38039. "
        "Requests forwarded to port 8787 don't arrive."
    )


@pytest.mark.parametrize(("backend", "taken"), [(WithoutWebhooks, TAKEN), (Local, None)])
def test_otherwise_there_is_no_bar(opened: Open, backend: type[FakeBackend], taken: TakenPort | None) -> None:
    assert opened(backend(), taken).port_bar.isHidden()
