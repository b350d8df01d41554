"""Files: the trigger that compares a folder with what it knew, and the actions."""

import base64
import os
import sys
import threading
from dataclasses import replace
from typing import Any

import pytest
from tests.support.forms import in_forms
from tests.support.shared_folder import SharedFolder

from patchbay.apps.files import actions, snapshot, triggers
from patchbay.apps.files.snapshot import Change, Found, Rules, Snapshot, compare
from patchbay.domain.errors import AppError, Conflict, Forbidden, Unreachable, ValidationFailed
from patchbay.integration.context import StopTrigger
from patchbay.integration.local_files import FileEntry

TRIGGER = "newOrChangedFile"
SECOND = 1000


@pytest.fixture
def shared(tmp_path) -> SharedFolder:
    folder = tmp_path / "shared"
    folder.mkdir()
    return SharedFolder("files", folder)


def write(shared: SharedFolder, name: str, text: str = "x") -> None:
    file = shared.path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)


async def settled(shared: SharedFolder, **parameters) -> list[tuple[str, str]]:
    """Poll twice, with the time in between that a file needs to count as settled."""
    found = await shared.poll(TRIGGER, **parameters)
    shared.now += 10 * SECOND
    found += await shared.poll(TRIGGER, **parameters)
    return [(item["change"], item["path"].removeprefix(f"{shared.path}/")) for item in found]


# The trigger


async def test_only_files_added_after_publishing_start_the_flow_and_only_once(shared):
    parameters = {"folder": str(shared.path), "pattern": "*.csv", "changes": "new"}
    write(shared, "old.csv")
    await shared.publish(TRIGGER, **parameters)
    write(shared, "new.csv", "a,b")
    write(shared, "new.txt")

    assert await settled(shared, **parameters) == [("new", "new.csv")]
    assert await settled(shared, **parameters) == []


async def test_an_event_says_what_the_file_is(shared):
    parameters = {"folder": str(shared.path), "changes": "new", "settleSeconds": "0"}
    await shared.publish(TRIGGER, **parameters)
    write(shared, "Report.CSV", "abc")
    os.utime(shared.path / "Report.CSV", (1_700_000_000, 1_700_000_000))

    (event,) = await shared.poll(TRIGGER, **parameters)

    assert event == {
        "change": "new",
        "path": shared.file("Report.CSV"),
        "name": "Report.CSV",
        "folder": str(shared.path),
        "extension": "csv",
        "size": 3,
        "modifiedAt": "2023-11-14T22:13:20Z",
    }


async def test_a_file_that_is_still_written_does_not_start_the_flow(shared):
    parameters = {"folder": str(shared.path), "changes": "new"}
    await shared.publish(TRIGGER, **parameters)

    for size in range(1, 4):
        write(shared, "growing.csv", "x" * size)
        shared.now += 60 * SECOND
        assert await shared.poll(TRIGGER, **parameters) == []
    shared.now += 9 * SECOND
    assert await shared.poll(TRIGGER, **parameters) == []
    shared.now += 1 * SECOND

    assert [item["size"] for item in await shared.poll(TRIGGER, **parameters)] == [3]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ("new", [("new", "c")]),
        ("newOrChanged", [("changed", "a"), ("new", "c")]),
        ("removed", [("removed", "b")]),
        ("all", [("changed", "a"), ("new", "c"), ("removed", "b")]),
    ],
)
async def test_the_chosen_changes_start_the_flow(shared, changes, expected):
    parameters = {"folder": str(shared.path), "changes": changes}
    write(shared, "a")
    write(shared, "b")
    await shared.publish(TRIGGER, **parameters)
    write(shared, "a", "longer")
    os.rename(shared.path / "b", shared.path / "c")

    assert sorted(await settled(shared, **parameters)) == expected
    assert await settled(shared, **parameters) == []


@pytest.mark.parametrize(("subfolders", "expected"), [(True, [("new", "sub/a.csv")]), (False, [])])
async def test_files_in_sub_folders_count_only_if_chosen(shared, subfolders, expected):
    parameters = {"folder": str(shared.path), "changes": "new", "subfolders": subfolders}
    await shared.publish(TRIGGER, **parameters)
    write(shared, "sub/a.csv")

    assert await settled(shared, **parameters) == expected


async def test_a_file_that_comes_back_starts_the_flow_again(shared):
    parameters = {"folder": str(shared.path), "changes": "new"}
    await shared.publish(TRIGGER, **parameters)
    write(shared, "a.csv")
    assert await settled(shared, **parameters) == [("new", "a.csv")]
    os.rename(shared.path / "a.csv", shared.path.parent / "a.csv")
    assert await settled(shared, **parameters) == []

    os.rename(shared.path.parent / "a.csv", shared.path / "a.csv")

    assert await settled(shared, **parameters) == [("new", "a.csv")]


async def test_nothing_is_missed_or_repeated_if_the_program_ends_between_a_poll_and_its_commit(shared):
    parameters = {"folder": str(shared.path), "changes": "all", "settleSeconds": "0"}
    await shared.publish(TRIGGER, **parameters)
    write(shared, "a.csv")

    lost = await shared.poll(TRIGGER, accept=False, **parameters)
    again = await shared.poll(TRIGGER, **parameters)
    os.chmod(shared.path / "a.csv", 0o600)
    nothing = await shared.poll(TRIGGER, **parameters)

    assert [one["name"] for one in lost] == [one["name"] for one in again] == ["a.csv"]
    assert nothing == []


async def test_what_changed_before_a_flow_is_published_again_counts_as_known(shared):
    parameters = {"folder": str(shared.path), "changes": "all"}
    await shared.publish(TRIGGER, **parameters)
    write(shared, "while-unpublished.csv")

    await shared.publish(TRIGGER, **parameters)

    assert await settled(shared, **parameters) == []


async def test_a_failed_publication_does_not_hide_files_from_the_version_that_still_runs(shared):
    parameters = {"folder": str(shared.path), "changes": "all"}
    await shared.publish(TRIGGER, **parameters)
    write(shared, "a.csv")

    await shared.poll(TRIGGER, baseline=True, accept=False, **parameters)

    assert await settled(shared, **parameters) == [("new", "a.csv")]


async def test_files_of_a_drive_that_is_not_connected_are_not_taken_as_deleted(shared):
    parameters = {"folder": str(shared.path), "changes": "all", "settleSeconds": "0"}
    write(shared, "a.csv")
    await shared.publish(TRIGGER, **parameters)
    [(key, state)] = shared.datastore.values.items()
    source, published, packed = state["published"]
    known = Snapshot.unpack(packed)
    elsewhere = Snapshot(known.device + 1, known.files).pack()
    shared.datastore.values[key] = {"published": [source, published, elsewhere]}
    os.unlink(shared.path / "a.csv")

    with pytest.raises(Unreachable, match="another disk"):
        await shared.poll(TRIGGER, **parameters)

    assert shared.datastore.values[key]["published"][2] == elsewhere


async def test_a_test_shows_the_newest_file_and_changes_nothing(shared):
    for number, name in enumerate(("a.csv", "c.csv", "b.csv")):
        write(shared, name)
        os.utime(shared.path / name, (number, number))
    ctx = shared.context({"folder": str(shared.path)}, test=True)

    with pytest.raises(StopTrigger):
        await triggers.run(ctx)

    assert [item.raw["name"] for item in ctx.trigger_items] == ["b.csv"]
    assert shared.datastore.values == {}


async def test_a_file_in_a_sub_folder_that_cannot_be_opened_is_not_gone_but_others_are(shared, monkeypatch):
    parameters = {"folder": str(shared.path), "changes": "removed", "subfolders": True, "settleSeconds": "0"}
    for name in ("closed/a", "open/b"):
        write(shared, name)
    await shared.publish(TRIGGER, **parameters)
    for name in ("closed/a", "open/b"):
        os.unlink(shared.path / name)
    listing = shared.access.listing

    async def partly(*args, **more):
        return replace(await listing(*args, **more), unreadable=frozenset({"closed"}))

    monkeypatch.setattr(shared.access, "listing", partly)

    assert [item["name"] for item in await shared.poll(TRIGGER, **parameters)] == ["b"]
    monkeypatch.undo()
    assert [item["name"] for item in await shared.poll(TRIGGER, **parameters)] == ["a"]


async def test_a_file_that_cannot_be_described_does_not_stop_the_others(shared, monkeypatch):
    parameters = {"folder": str(shared.path), "changes": "new", "settleSeconds": "0"}
    await shared.publish(TRIGGER, **parameters)
    for name in ("a", "bad", "c"):
        write(shared, name)
    wire = FileEntry.wire
    monkeypatch.setattr(FileEntry, "wire", lambda entry: 1 / 0 if entry.name == "bad" else wire(entry))

    found = await shared.poll(TRIGGER, **parameters)

    assert sorted(item["name"] for item in found if item) == ["a", "c"]


async def test_what_is_known_about_a_folder_is_stored_once_whatever_is_published(shared):
    for pattern in ("*.a", "*.b", "*.c"):
        parameters = {"folder": str(shared.path), "pattern": pattern, "changes": "new", "settleSeconds": "0"}
        await shared.publish(TRIGGER, **parameters)
    write(shared, "new.c")
    write(shared, "new.b")

    assert [item["name"] for item in await shared.poll(TRIGGER, **parameters)] == ["new.c"]
    assert len(shared.datastore.values) == 1


async def test_a_folder_whose_files_cannot_be_remembered_is_reported(shared, monkeypatch):
    parameters = {"folder": str(shared.path), "changes": "new", "settleSeconds": "0"}
    await shared.publish(TRIGGER, **parameters)
    write(shared, "a.csv")
    monkeypatch.setattr(snapshot, "MAX_UNPACKED", 20)

    with pytest.raises(ValidationFailed, match="too many files with long names"):
        await shared.poll(TRIGGER, **parameters)
    monkeypatch.undo()

    assert [item["name"] for item in await shared.poll(TRIGGER, **parameters)] == ["a.csv"]


@pytest.mark.parametrize("value", ["x", "-1", "100000"])
async def test_a_time_that_makes_no_sense_is_named(shared, value):
    with pytest.raises(ValidationFailed) as caught:
        await shared.poll(TRIGGER, folder=str(shared.path), settleSeconds=value)

    assert list(caught.value.by_field) == ["settleSeconds"]


@pytest.mark.parametrize("packed", ["x", "eJwx", "!!!!", "eJxTAAAAIQAh"])
async def test_a_damaged_snapshot_is_reported_and_does_not_make_all_files_known(shared, packed):
    parameters = {"folder": str(shared.path), "changes": "new", "settleSeconds": "0"}
    await shared.publish(TRIGGER, **parameters)
    [(key, state)] = shared.datastore.values.items()
    shared.datastore.values[key] = {"published": [*state["published"][:2], packed]}
    write(shared, "a.csv")

    with pytest.raises(AppError, match="is damaged"):
        await shared.poll(TRIGGER, **parameters)
    await shared.publish(TRIGGER, **parameters)

    assert await shared.poll(TRIGGER, **parameters) == []


@pytest.mark.parametrize("count", in_forms([2_000, 100_000], short=[2_000]))
def test_many_files_are_known_at_publishing_and_come_in_parts_later(count):
    """100,000 files fit into a moderate snapshot. New ones come in parts, each of them once."""
    found = {f"folder/{number:06}.csv": (number, 1) for number in range(count)}
    rules = Rules(frozenset(Change), 0, count // 4)
    state = Snapshot(1, {})
    names, stored = [], set[str]()
    for _ in range(5):
        state = Snapshot.unpack(compare(state, Found(1, found), stored, 0, rules).pack())
        stored = {event.id for event in state.pending}
        names += [event.key for event in state.pending]

    assert sorted(names) == sorted(found)
    assert len(Snapshot(1, found).pack()) < 40 * count
    assert state.confirm(()) == found


async def test_the_watch_signals_changes_and_again_when_they_have_settled(shared, monkeypatch):
    monkeypatch.setattr(triggers, "SCAN_SECONDS", 0.01)
    monkeypatch.setattr(triggers, "_SHARE", 0)
    signals, count = triggers.watch(shared.context({"folder": str(shared.path), "settleSeconds": "0"})), 0

    for name in ("a.csv", "b.csv"):
        await anext(signals)  # what is there, and then the change
        write(shared, name)
        count += 1
    await anext(signals)
    await anext(signals)  # again, when it has settled
    await signals.aclose()

    assert count == 2


# The actions


async def test_text_is_written_and_read_in_an_encoding(shared):
    path = shared.file("sub/café.txt")

    written = await shared.run("writeFile", path=path, content="Grüße", encoding="windows-1252")
    read = await shared.run("readFile", path=path, format="text", encoding="windows-1252")

    assert (shared.path / "sub/café.txt").read_bytes() == "Grüße".encode("cp1252")
    assert (read["text"], read["size"], written["name"]) == ("Grüße", 5, "café.txt")
    with pytest.raises(ValidationFailed, match="isn't text in this encoding"):
        await shared.run("readFile", path=path, format="text", encoding="utf-8")
    with pytest.raises(ValidationFailed, match="this encoding doesn't have"):
        await shared.run("writeFile", path=path, content="日", mode="replace", encoding="windows-1252")


async def test_lines_are_added_to_the_end_of_a_file(shared):
    path = shared.file("log.txt")

    for line in ("one", "two\n"):
        await shared.run("writeFile", path=path, content=line, mode="append")
    await shared.run("writeFile", path=path, content="three", mode="append", lineBreak=False)

    assert (shared.path / "log.txt").read_text() == "one\ntwo\nthree"


async def test_json_is_read_and_other_values_are_written_as_json(shared):
    path = shared.file("a.json")

    await shared.run("writeFile", path=path, content={"a": [1, "ü"]})

    assert (await shared.run("readFile", path=path, format="json"))["json"] == {"a": [1, "ü"]}
    for text in ("{", "[" * 100_000, "text"):
        write(shared, "b.json", text)
        with pytest.raises(ValidationFailed, match="isn't valid JSON"):
            await shared.run("readFile", path=shared.file("b.json"), format="json")


async def test_a_nested_value_takes_no_more_space_than_its_parts(shared):
    value: list[Any] = [0] * 100
    path = shared.file("a.json")
    for _ in range(300):
        value = [value]

    await shared.run("writeFile", path=path, content=value)

    assert (shared.path / "a.json").stat().st_size == 300 * 2 + 201
    for _ in range(sys.getrecursionlimit()):
        value = [value]
    with pytest.raises(ValidationFailed, match="nested too deeply"):
        await shared.run("writeFile", path=path, content=value, mode="replace")


@pytest.mark.parametrize(
    ("function", "action", "more"),
    [
        ("encode_content", "writeFile", {"mode": "replace"}),
        ("decode_text", "readFile", {"format": "text"}),
        ("file_object", "readFile", {"format": "file"}),
        ("_first_files", "listFolder", {}),
    ],
)
async def test_what_takes_long_for_large_files_runs_in_a_thread(shared, monkeypatch, function, action, more):
    write(shared, "a.txt")
    real, threads = getattr(actions, function), []

    def recorded(*args, **named):
        threads.append(threading.current_thread())
        return real(*args, **named)

    monkeypatch.setattr(actions, function, recorded)
    await shared.run(action, path=shared.file("a.txt"), folder=str(shared.path), content="x", **more)

    assert len(threads) == 1
    assert threads[0] is not threading.current_thread()


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"mode": "append", "encoding": "utf-16"}, "encoding"),
        ({"mode": "append", "encoding": "UTF_16LE"}, "encoding"),
        ({"mode": "create", "encoding": "zip"}, "encoding"),
        ({"mode": "zip"}, "mode"),
        ({"mode": "create", "content": "x" * (11 << 20)}, "content"),
    ],
)
async def test_what_cannot_be_written_is_named(shared, parameters, field):
    with pytest.raises(ValidationFailed) as caught:
        await shared.run("writeFile", **{"path": shared.file("a.txt"), "content": "x", **parameters})

    assert list(caught.value.by_field) == [field]
    assert os.listdir(shared.path) == []


async def test_a_file_of_an_earlier_step_is_written_and_read_as_one(shared):
    path, content = shared.file("a.png"), bytes(range(256))
    upload = {"name": "x.png", "contentType": "image/png", "base64": base64.b64encode(content).decode()}

    await shared.run("writeFile", path=path, content=upload)
    read = await shared.run("readFile", path=path, format="file")

    assert (shared.path / "a.png").read_bytes() == content
    assert read["file"] == {**upload, "name": "a.png", "size": 256}


async def test_a_file_is_not_replaced_unless_that_was_chosen(shared):
    path = shared.file("a.txt")
    write(shared, "a.txt", "old")

    with pytest.raises(Conflict):
        await shared.run("writeFile", path=path, content="new")
    await shared.run("writeFile", path=path, content="new", mode="replace")

    assert (shared.path / "a.txt").read_text() == "new"


async def test_files_are_moved_copied_and_deleted(shared):
    write(shared, "a.txt")

    copied = await shared.run("copyFile", path=shared.file("a.txt"), target=shared.file("sub/b.txt"))
    moved = await shared.run("moveFile", path=shared.file("a.txt"), target=shared.file("c.txt"))
    trashed = await shared.run("deleteFile", path=shared.file("c.txt"), how="trash")
    gone = await shared.run("deleteFile", path=shared.file("sub/b.txt"), how="permanently")

    assert (copied["copiedFrom"], moved["movedFrom"]) == (shared.file("a.txt"),) * 2
    assert trashed["trashPath"].startswith(f"{shared.path}/.patchbay-trash/")
    assert (gone["name"], gone["trashPath"]) == ("b.txt", None)
    assert os.listdir(shared.path / "sub") == []


async def test_a_folder_is_listed_in_order_and_up_to_a_number(shared):
    for number, name in enumerate(("b.csv", "A.csv", "c.txt", "sub/d.csv")):
        write(shared, name)
        os.utime(shared.path / name, (number, number))

    async def names(**parameters):
        found = await shared.run("listFolder", folder=str(shared.path), **parameters)
        return [one["name"] for one in found["files"]], found["total"]

    assert await names() == (["A.csv", "b.csv", "c.txt"], 3)
    assert await names(pattern="*.csv, *.md", subfolders=True, order="newest") == (
        ["d.csv", "A.csv", "b.csv"],
        3,
    )
    assert await names(includeFolders=True, limit="2") == (["A.csv", "b.csv"], 4)


@pytest.mark.parametrize(
    ("action", "field"),
    [
        ("readFile", "path"),
        ("writeFile", "path"),
        ("deleteFile", "path"),
        ("moveFile", "path"),
        ("moveFile", "target"),
        ("copyFile", "path"),
        ("copyFile", "target"),
        ("listFolder", "folder"),
    ],
)
async def test_every_path_of_every_action_is_checked(shared, action, field):
    write(shared, "a.txt")
    outside = shared.path.parent / "outside.txt"
    outside.write_text("outside")
    inside = {"path": shared.file("a.txt"), "target": shared.file("b.txt"), "folder": str(shared.path)}

    for entered in (str(outside), "/etc/passwd", f"{shared.path}/../outside.txt", "outside.txt", ""):
        with pytest.raises((Forbidden, ValidationFailed)):
            await shared.run(action, **{**inside, field: entered})
    shared.allowed.clear()
    with pytest.raises(Forbidden, match="Steps can't use"):
        await shared.run(action, **inside)

    assert outside.read_text() == "outside"
    assert os.listdir(shared.path) == ["a.txt"]


def test_a_poll_has_a_limit_of_events():
    assert Rules(frozenset(Change), 0).limit == snapshot.MAX_EVENTS
