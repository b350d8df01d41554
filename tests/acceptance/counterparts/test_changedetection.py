"""changedetection.io, from PyPI: when a watched page changes, another one is watched as well."""

from collections.abc import Iterator

import pytest
from tests.support import flow_files as files
from tests.support.changedetection import CHANGEDETECTION, ChangeDetection, changedetection
from tests.support.served_app_tests import ServedAppTests, changed

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(bool(CHANGEDETECTION.why_missing()), reason=CHANGEDETECTION.why_missing()),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChangeDetection]:
    with changedetection(tmp_path_factory.mktemp("changedetection")) as running:
        yield running


class TestChangeDetection(ServedAppTests):
    app = "changedetection"
    screen_name = "Prices"
    rejection = "Invalid access - API key invalid."
    bad = {"apiKey": "00000000000000000000000000000000"}

    def fields(self, server):
        return {"screenName": self.screen_name, "instanceUrl": server.address}

    def good(self, server):
        return {"apiKey": server.key}

    def withdrawn(self, server):
        return changed(server.set_key, "11111111111111111111111111111111", server.key)

    def test_the_dropdown_lists_the_watched_pages(self, patchbay, server):
        self.connected(patchbay, server)

        watches = patchbay.options(files.step(self.app, "deleteWatch"), "listWatches")

        assert watches[server.page] == server.watch_id

    def trigger(self, server):
        return files.step(self.app, "changedWatch", watchId=server.watch_id)

    def action(self, server):
        return files.step(self.app, "createWatch", url="{{step.#1.url}}?details")

    def happen(self, server):
        server.change_page("<p>Flour: 1.35</p>")

    def check_effect(self, server, trigger, action):
        assert trigger["last_changed"] > 0
        assert server.watches()[action["uuid"]]["url"] == f"{server.page}?details"
