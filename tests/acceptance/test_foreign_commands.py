"""Commands on a third-party server of the interface: they show what it answers now, and nothing else."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from tests.support.forms import long_form
from tests.support.patience import PATIENCE
from tests.support.processes import Done, program, run
from tests.support.recorded_service import KEY, RecordedService
from tests.support.tiny_service import Elsewhere

from patchbay.client.remote import RemoteBackend
from patchbay.domain.executions import HistoryCopyState
from patchbay.platform.paths import AppPaths
from patchbay.storage.remote_cache import StoredRemoteCache, cache_path

pytestmark = long_form

FLOW = "f1000001-0b1c-4d2e-8f30-000000000001"
RUN = "e1000004-0b1c-4d2e-8f30-000000000004"


@pytest.fixture(scope="module")
def server() -> Iterator[RecordedService]:
    """With 67 flows, of three people."""
    playing = RecordedService()
    flows, number = playing.state.flows, len(playing.state.flows)
    for at in range(number, 67):
        row = json.loads(json.dumps(flows[at % number]).replace("-000000000", f"-{at:03}000000"))
        flows.append(row | {"userId": playing.state.users[at % 3]["id"], "folderId": None})
    with Elsewhere() as loop:
        loop.start(playing)
        yield playing


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("commands") / "data"


def command(server: RecordedService, data: Path, *words: object) -> Done:
    """A command on the server; what was asked before it is forgotten."""
    server.asked.clear()
    options = ["--workspace", server.address, "--api-key-stdin"]
    return run(program(*options, *words, data=data), stdin=f"{KEY}\n")


async def copy_history(server: RecordedService, data: Path) -> None:
    """Copy the history of the server, as the window does."""
    paths = AppPaths.choose(data)
    paths.prepare()
    backend = RemoteBackend(
        server.address, KEY, remote_cache=StoredRemoteCache(cache_path(paths.services, server.address))
    )
    await backend.open()
    await backend.start_history_download()
    feed: Any = backend.changes()
    async with asyncio.timeout(PATIENCE), aclosing(feed) as changes:
        while (await backend.history_copy()).state is not HistoryCopyState.COMPLETE:
            await anext(changes)
    await backend.close()


def test_executions_never_come_from_the_copy_of_the_history(server, data):
    asyncio.run(copy_history(server, data))
    new: dict[str, Any] = {
        "id": "e9000001-0b1c-4d2e-8f30-000000000001",
        "testRun": False,
        "status": "failure",
        "flowId": FLOW,
        "createdAt": 1_731_900_000_000,
        "updatedAt": 1_731_900_000_900,
    }
    server.state.executions.append(new)

    of_flow = command(server, data, "execution", "list", "--flow", FLOW, "--json")
    failed = command(server, data, "execution", "list", "--status", "failure", "--limit", "1", "--json")

    assert (of_flow.code, of_flow.out) == (1, "")
    assert "filters executions only by flow name" in of_flow.err
    assert [row["id"] for row in failed.json] == [new["id"]]


def test_the_list_of_flows_asks_for_its_pages_and_little_else(server, data):
    listed = command(server, data, "flow", "list", "--json")

    assert len(listed.json) == 67
    assert len(server.asked) <= 10
    assert not {"userId", "folderId"} & listed.json[0].keys()


def test_what_the_server_does_not_tell_is_not_made_up(server, data, tmp_path):
    shown = command(server, data, "execution", "show", RUN, "--json")
    said = command(server, data, "execution", "show", RUN)
    exported = command(server, data, "execution", "export", "--format", "csv", tmp_path / "runs.csv")
    published = command(server, data, "flow", "publish", FLOW)

    assert (shown.code, shown.json["id"], shown.json["executionSteps"]) == (0, RUN, None)
    assert shown.json["stepsDone"] is None
    assert "API has no step results" in said.err
    assert "1. " in said.out
    assert exported.code == 0
    head, first = (tmp_path / "runs.csv").read_text("utf-8").splitlines()[:2]
    assert first.split(",")[head.split(",").index("stepsDone")] == ""
    assert "was already published.\n" in published.out


def test_a_flow_is_exported_with_all_that_the_server_shows(server, data):
    shown = command(server, data, "flow", "show", FLOW, "--json").json
    export = command(server, data, "flow", "export", FLOW)

    assert export.code == 0
    steps = [(step["appKey"], step["key"], step["parameters"]) for step in export.json["steps"]]
    ids = {old["id"]: new["id"] for old, new in zip(shown["steps"], export.json["steps"], strict=True)}
    text = json.dumps([[step["appKey"], step["key"], step["parameters"]] for step in shown["steps"]])
    for old, new in ids.items():
        text = text.replace(old, new)
    assert json.dumps([list(step) for step in steps]) == text
    assert ids.keys().isdisjoint(ids.values())
