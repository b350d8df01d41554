"""The audit log without a widget: pages, filters, live, the way to things, export."""

import csv
import json
from typing import Any

import pytest
from tests.support.fake_workspace import NOW

from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.core.page_window import ListStatus
from patchbay.desktop.core.times import QuickRange
from patchbay.desktop.settings.view_models.audit_log import AuditExport, AuditLogViewModel, AuditQuery
from patchbay.domain.audit_log import Actor, ActorKind, AuditAction, AuditEntry
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import StorageFault

WINDOW = Actor(kind=ActorKind.WINDOW, name="This computer")


@pytest.fixture
def log(qtbot, around):
    made = AuditLogViewModel(around)
    made.load()
    qtbot.waitUntil(lambda: made.status is ListStatus.READY)
    return made


def entry(
    number: int, deed=AuditAction.RENAMED, noun=ResourceType.FLOW, key="flow-issues", name="Nightly"
) -> AuditEntry:
    return AuditEntry(
        id=number, at=NOW + number, actor=WINDOW, deed=deed, noun=noun, subject_id=key, subject=name
    )


def test_all_entries_are_rows_and_far_ones_are_read_when_looked_at(qtbot, log):
    assert log.window.total == 240
    assert log.window.peek(0).id == 1000
    assert log.window.item(239) is None

    qtbot.waitUntil(lambda: log.window.peek(239) is not None)


def test_words_kind_and_time_narrow_the_log(qtbot, log, backend):
    log.set_query(AuditQuery(text="operations", resource=ResourceType.FOLDER, when=QuickRange.WEEK))

    qtbot.waitUntil(lambda: log.window.total < 240 and log.status is ListStatus.READY)
    where = [arguments[0] for name, arguments in backend.calls if name == "audit_log"][-1]
    assert (where.text, where.noun, where.after) == ("operations", ResourceType.FOLDER, NOW - 7 * 86_400_000)

    log.set_query(AuditQuery(text="nobody did this"))
    qtbot.waitUntil(lambda: log.status is ListStatus.NO_MATCH)

    log.clear()
    qtbot.waitUntil(lambda: log.window.total == 240)


def test_an_empty_log_says_so(qtbot, around, backend):
    backend.audit = []
    log = AuditLogViewModel(around)

    log.load()

    qtbot.waitUntil(lambda: log.status is ListStatus.EMPTY)


def test_new_activity_appears_at_the_top(qtbot, log, backend, loop_thread):
    backend.audit.insert(0, entry(1001))
    loop_thread.loop.call_soon_threadsafe(backend.announce, ResourceType.FLOW, "flow-issues")

    qtbot.waitUntil(lambda: log.window.peek(0).id == 1001)
    assert log.window.total == 241


def test_new_entries_wait_while_the_list_is_scrolled_down(qtbot, log, backend):
    log.set_following(False)
    backend.audit.insert(0, entry(1001))
    log._check_newest()
    assert log.window.peek(0).id == 1000

    log.set_following(True)

    qtbot.waitUntil(lambda: log.window.peek(0).id == 1001)


def test_more_new_entries_than_one_page_reload_the_list(qtbot, log, backend):
    backend.audit[:0] = [entry(2000 - number) for number in range(80)]

    log._check_newest()

    qtbot.waitUntil(lambda: log.window.total == 320)
    assert log.window.peek(79).id == 1921


@pytest.mark.parametrize(
    ("noun", "key", "tab", "goes_to"),
    [
        (ResourceType.FLOW, "flow-issues", Tab.FLOWS, "flow-issues"),
        (ResourceType.CONNECTION, "con-todoist-1", Tab.MY_APPS, "todoist"),
        (ResourceType.FOLDER, "folder-ops", Tab.FOLDERS, "folder-ops"),
        (ResourceType.TEMPLATE, "tpl-1", Tab.TEMPLATES, "tpl-1"),
    ],
)
def test_an_entry_leads_to_what_it_is_about(qtbot, log, around, backend, noun, key, tab, goes_to):
    if noun is ResourceType.CONNECTION:
        key = next(item.id for item in backend.connections.values() if item.app_key == "todoist")

    places: list[Any] = []
    around.navigator.requested.connect(places.append)

    with qtbot.waitSignal(log.navigated_away):
        log.show(entry(1, noun=noun, key=key))

    [place] = places
    assert (place.tab, place.id) == (tab, goes_to)


def test_a_deleted_resource_is_reported(qtbot, log):
    with qtbot.waitSignal(log.entry_missing) as told:
        log.show(entry(1, key="flow-of-last-year"))

    assert told.args == ["“Nightly” no longer exists."]
    assert not log.can_show(entry(1, deed=AuditAction.DELETED))
    assert not log.can_show(entry(1, noun=ResourceType.WORKSPACE))


def test_a_log_that_cannot_be_read_says_why_and_is_read_again(qtbot, around, backend):
    backend.failing["audit_log"] = StorageFault("The disk is gone.")
    log = AuditLogViewModel(around)
    log.load()
    qtbot.waitUntil(lambda: log.status is ListStatus.FAILED)
    assert log.error.happened == "The disk is gone."

    del backend.failing["audit_log"]
    log.refresh()

    qtbot.waitUntil(lambda: log.status is ListStatus.READY)


def test_no_log_is_requested_from_a_workspace_without_one(around, backend):
    backend.capabilities = Capabilities(unavailable={Feature.ACCESS: "This service keeps none."})
    log = AuditLogViewModel(around)

    log.load()

    assert log.unavailable_reason == "This service keeps none."
    assert not [name for name, _ in backend.calls if name == "audit_log"]


def test_the_log_is_written_as_a_table_and_as_lines(qtbot, around, tmp_path):
    work = AuditExport(around)
    for name in ("log.csv", "log.jsonl"):
        with qtbot.waitSignal(work.ended):
            work.start(AuditQuery(resource=ResourceType.FOLDER), tmp_path / name)

    rows = list(csv.DictReader((tmp_path / "log.csv").read_text("utf-8").splitlines()))
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == len(lines) == 35
    assert (rows[0]["actor"], rows[0]["address"], rows[0]["deed"]) == ("Build server", "10.0.4.17", "renamed")
    assert lines[0]["subjectId"] == "folder-ops"


def test_an_export_that_is_stopped_leaves_no_file(qtbot, around, backend, tmp_path):
    backend.hold("audit_log")
    work = AuditExport(around)
    work.start(AuditQuery(), tmp_path / "log.csv")

    with qtbot.waitSignal(work.ended):
        work.cancel()

    assert list(tmp_path.iterdir()) == []
