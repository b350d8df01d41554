"""The built demo: how much there is, that it is the same each time, and that it is believable."""

import asyncio
import json
import re
from typing import Any

import pytest
from sqlalchemy import func, select
from tests.support.forms import long_form
from tests.support.storage_rows import NOW

from patchbay.demo.history import SEED, HistoryGenerator, build_workspace
from patchbay.domain.clock import DAY_MS
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.executions import ExecutionFilter, ExecutionState, ExecutionStatus
from patchbay.domain.flows import FlowFilter
from patchbay.domain.paging import PageRequest
from patchbay.service.key_stores import MemoryKeyStore
from patchbay.service.secret_encryption import SecretEncryption
from patchbay.storage import executions, statistics
from patchbay.storage.database import Database
from patchbay.storage.repositories import connections, flows, folders, templates, users
from patchbay.storage.tables import execution, execution_step, metadata, secret

LOOKS_SECRET = re.compile(
    r"gh[pousr]_\w{20}|sk[-_](live|test|proj)|xox[abp]-|AKIA[0-9A-Z]{12}|AIza[\w-]{20}|-----BEGIN|eyJ[\w-]{15}\."
    r"|(?<![0-9a-f-])[0-9a-f]{40,}|(password|secret|token|api_?key)\"?:\s*\"(?!demo)\w{6}",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def demo_file(tmp_path_factory):
    """One built demo for all tests that only look at it."""
    path = tmp_path_factory.mktemp("demo") / "demo.db"

    async def make():
        db = await Database.open(path)
        await build_workspace(db, NOW, SecretEncryption(db, MemoryKeyStore(), lambda: NOW).seal)
        await db.close()

    asyncio.run(make())
    return path


@pytest.fixture
async def demo(demo_file):
    db = await Database.open(demo_file)
    yield db
    await db.close()


async def test_there_is_plenty_to_look_at(demo):
    everything = PageRequest(limit=200)
    found = await demo.read(lambda tx: flows.find(tx, FlowFilter(), everything))
    owner = (await demo.read(users.find))[0]

    assert found.total == 24
    assert sum(flow.active for flow in found.items) == 18
    assert sum(flow.folder_id is None for flow in found.items) == 4
    assert len(await demo.read(lambda tx: folders.find(tx, owner.id))) == 5
    assert len(await demo.read(templates.find)) == 12
    assert {item.health for item in await demo.read(connections.find)} == set(ConnectionHealth)


async def test_the_history_has_20000_executions_of_90_days_in_every_state(demo):
    per_state = select(execution.c.status, func.count()).group_by(execution.c.status)
    counts = await demo.read(lambda tx: {state: number for state, number in tx.execute(per_state)})
    oldest, newest = await demo.read(
        lambda tx: tx.execute(
            select(func.min(execution.c.created_at), func.max(execution.c.created_at))
        ).one()
    )

    assert sum(counts.values()) == 20_000
    assert set(counts) == set(ExecutionState) - {ExecutionState.QUEUED}
    assert NOW - 90 * DAY_MS <= oldest < NOW - 89 * DAY_MS
    assert NOW - 60_000 < newest <= NOW


async def test_nothing_of_the_past_happens_in_the_future(demo):
    late = select(func.count()).where((execution.c.finished_at > NOW) | (execution.c.wake_at <= NOW))
    late_steps = select(func.count()).where(execution_step.c.finished_at > NOW)

    assert await demo.read(lambda tx: (tx.execute(late).scalar(), tx.execute(late_steps).scalar())) == (0, 0)


async def test_days_are_busier_than_nights_and_outages_show(demo):
    every = ExecutionFilter()
    hours = await demo.read(lambda tx: statistics.histogram(tx, every, NOW - 90 * DAY_MS, NOW, 90 * 24))
    days = await demo.read(lambda tx: statistics.histogram(tx, every, NOW - 90 * DAY_MS, NOW, 90))

    by_hour = [0] * 24
    for bar in hours.bars:
        by_hour[bar.start // 3_600_000 % 24] += bar.success
    failures = sorted(bar.failure for bar in days.bars)
    assert sum(by_hour[8:18]) > 3 * sum(by_hour[0:6])
    assert failures[-1] > 3 * failures[45]


async def test_a_failure_tells_what_happened_what_it_means_and_what_to_do(demo):
    failed = ExecutionFilter(states=(ExecutionState.FAILURE,))
    page = await demo.read(lambda tx: executions.list_executions(tx, failed, PageRequest(limit=50)))

    assert page.total > 200
    for run in page.items:
        last = (await demo.read(lambda tx, run=run: executions.execution_steps(tx, run.id)))[-1]
        assert {"kind", "happened", "meaning", "todo"} <= last.error_details.keys()
        assert run.note == last.error_details["happened"]
        assert (last.data_out, last.seq + 1) == (None, run.steps_done)


async def test_steps_agree_with_each_other(demo):
    where = ExecutionFilter(name="GitHub issue", status=ExecutionStatus.SUCCESS)
    page = await demo.read(lambda tx: executions.list_executions(tx, where, PageRequest(limit=5)))
    run = next(run for run in page.items if run.state is ExecutionState.SUCCESS)
    steps = await demo.read(lambda tx: executions.execution_steps(tx, run.id))

    issue = steps[0].data_out
    translated = steps[2].data_out
    task = steps[3].data_in
    assert steps[2].data_in["text"] == issue["title"]
    assert task["content"] == f"#{issue['number']} {translated['translations'][0]['text']}"
    assert issue["html_url"].endswith(f"/{issue['number']}")
    assert str(issue["id"]) == run.internal_id


async def test_credentials_are_only_in_encrypted_rows_and_nothing_looks_like_a_secret(demo):
    def texts(tx):
        for table in metadata.sorted_tables:
            if table is not secret:
                for row in tx.execute(select(table).limit(3000)):
                    yield f"{table.name}: {json.dumps([value for value in row if isinstance(value, str)])}"

    suspicious = await demo.read(
        lambda tx: [text for text in texts(tx) if LOOKS_SECRET.search(text.replace("\\", ""))]
    )
    stored = await demo.read(lambda tx: tx.execute(select(func.count()).select_from(secret)).scalar())
    assert suspicious == []
    assert stored == 30


@long_form
async def test_the_same_seed_and_moment_give_the_same_rows(demo, open_demo):
    again, _ = await open_demo("again", seed=SEED)
    same = [table for table in metadata.sorted_tables if table.name not in ("secret", "meta")]

    for table in same:
        query = select(table).order_by(*table.primary_key.columns)
        one, other = [await db.read(lambda tx, query=query: tx.execute(query).all()) for db in (demo, again)]
        assert one == other, table.name
    await again.close()


@long_form
async def test_another_seed_gives_another_history():
    ours, theirs = (next(HistoryGenerator(NOW, seed).batches())[0][0] for seed in (1, 2))

    assert ours.id != theirs.id


@long_form
async def test_the_newest_page_is_there_after_the_first_portion(open_demo):
    told: list[Any] = []
    db, _ = await open_demo("progress", progress=told.append)
    await db.close()

    assert told[0] == 2500
    assert told[-1] == 20_000
    first = next(HistoryGenerator(NOW, 1).batches())[0]
    assert first[0].created_at > first[-1].created_at > NOW - 20 * DAY_MS
