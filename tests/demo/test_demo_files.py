"""Files in the demo: flows with files can be tried, and nothing on this computer is read or written."""

import pytest
from tests.support.app_calls import NOON, built_in_action, built_in_trigger, context

from patchbay.demo.offline import DemoServices
from patchbay.domain.errors import Conflict, Forbidden, NotFound
from patchbay.domain.ports import TriggerItem
from patchbay.integration.context import InMemoryDatastore, StopTrigger, collect_items
from patchbay.integration.local_files import FileAccess

FOLDER = "/Demo/Inbox"


@pytest.fixture
def files(monkeypatch) -> FileAccess:
    def no_disk(*words: object, **options: object) -> None:
        raise AssertionError("a file was opened")

    monkeypatch.setattr("os.open", no_disk)
    monkeypatch.setattr("os.scandir", no_disk)
    return FileAccess(DemoServices(lambda: NOON).files)


def names(item: TriggerItem) -> object:
    assert isinstance(item.raw, dict)
    return item.raw["name"]


async def run(files: FileAccess, action: str, **parameters):
    ctx = context("files", parameters, file_access=files)
    await built_in_action("files", action).run(ctx)
    return ctx.action_output


async def test_the_actions_work_with_sample_files(files):
    listed = await run(files, "listFolder", folder="/Demo", subfolders=True, pattern="*.csv")
    read = await run(files, "readFile", path=f"{FOLDER}/notes.txt", format="text")
    as_json = await run(files, "readFile", path="/Demo/Config/report.json", format="json")
    copied = await run(files, "copyFile", path=f"{FOLDER}/notes.txt", target="/Demo/Done/notes.txt")
    moved = await run(files, "moveFile", path=copied["path"], target="/Demo/Done/moved.txt")
    await run(files, "writeFile", path=moved["path"], content="Done.", mode="append")
    deleted = await run(files, "deleteFile", path=moved["path"], how="trash")

    assert [one["name"] for one in listed["files"]] == ["customers.csv", "orders-2026-11.csv"]
    assert read["text"].startswith("Call Harbour Cycles")
    assert as_json["json"]["weekly"] is True
    assert deleted["size"] == len(read["text"]) + len("Done.\n")
    for entered, error in (("/etc/passwd", Forbidden), ("/Demo/none.txt", NotFound)):
        with pytest.raises(error):
            await run(files, "readFile", path=entered, format="text")
    with pytest.raises(Conflict):
        await run(files, "writeFile", path=f"{FOLDER}/notes.txt", content="x")


async def test_a_flow_starts_for_a_file_that_is_written(files):
    trigger, datastore = built_in_trigger("files", "newOrChangedFile"), InMemoryDatastore()

    async def poll(**more):
        parameters = {"folder": FOLDER, "changes": "new", "settleSeconds": "0"}
        ctx = context("files", parameters, file_access=files, datastore=datastore, **more)
        return [names(item) for item in await collect_items(trigger.run, ctx) if item.starts]

    assert await poll(is_baseline=True) == []
    await run(files, "writeFile", path=f"{FOLDER}/new.txt", content="x")

    assert await poll() == ["new.txt"]
    tested = context("files", {"folder": FOLDER}, file_access=files, test=True)
    with pytest.raises(StopTrigger):
        await trigger.run(tested)
    assert names(tested.trigger_items[0]) == "new.txt"
