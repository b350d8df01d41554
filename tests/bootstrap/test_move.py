"""`patchbay move`: a workspace of a data folder continues on a PostgreSQL server, and back in a folder."""

import asyncio
import json
import shutil

import pytest

from patchbay.bootstrap.local import open_local, open_worker
from patchbay.cli.main import main
from patchbay.cli.worker import require_ready
from patchbay.domain.base import AppKey
from patchbay.domain.errors import Conflict, SecretsUnavailable
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.flows import StepChange
from patchbay.domain.peers import WorkFilter
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Settings

CATCH = StepChange(app_key=AppKey("webhook"), key="catchRawWebhook")
SENDER = {"screenName": "Sender", "scheme": "basic", "username": "ada", "password": "pw-93b1c"}
WAIT = StepChange(
    app_key=AppKey("delay"), key="delayFor", parameters={"delayForUnit": "seconds", "delayForValue": "0"}
)


@pytest.fixture
def server(postgres_databases):
    return postgres_databases.create_empty()


@pytest.fixture
def paths(tmp_path, monkeypatch):
    monkeypatch.setenv("PATCHBAY_DATA_DIR", str(tmp_path / "unused"))
    (tmp_path / "password").touch(0o600)
    return AppPaths.choose(str(tmp_path / "data"))


def open_at(paths, database=None):
    return open_local(paths, Settings(), passphrase="correct horse", database=database)


async def fill(paths):
    """A connection with a secret, and a flow with executions that are queued."""
    opened = await open_at(paths)
    backend = opened.backend
    await backend.add_connection(AppKey("signing-secret"), SENDER)
    flow = await backend.create_flow("Wait")
    trigger, action = flow.steps
    await backend.update_step(trigger.id, CATCH)
    await backend.update_step(action.id, WAIT)
    for step in (trigger, action):
        await backend.skip_step_test(step.id)
    await backend.publish_flow(flow.id)
    await opened.runtime.start()
    await backend.pause_runs()
    for number in range(3):
        await backend.run_flow(flow.id, {"body": {"n": number}})
    counts = await backend.count_executions(ExecutionFilter())
    assert (counts.all, counts.success) == (3, 0)
    await opened.close()


async def use(paths, database=None):
    """Check that the secret can be read and that the executions finish."""
    opened = await open_at(paths, database)
    backend = opened.backend
    first, *_ = await backend.list_connections()
    await backend.duplicate_connection(first.id, "Copy")
    await opened.runtime.start()
    await backend.resume_runs()
    async with asyncio.timeout(60):
        while (await backend.count_executions(ExecutionFilter())).success < 3:  # noqa: ASYNC110
            await asyncio.sleep(0)
    await opened.close()


@pytest.fixture
def move(paths, server, tmp_path, capsys):
    """Runs `patchbay move`; returns its exit code and what it printed."""
    (tmp_path / "password").write_text(server.password)

    def run(source, target, *further):
        code = main(
            [
                "--database-password-file",
                str(tmp_path / "password"),
                "move",
                "--from",
                str(source),
                "--to",
                str(target),
                *further,
            ]
        )
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run


def test_a_workspace_moves_to_a_server_and_back_with_its_secrets_and_unfinished_runs(paths, server, move):
    asyncio.run(fill(paths))
    before = paths.database.read_bytes()

    code, printed = move(paths.data, server, "--dry-run", "--json")
    assert (code, json.loads(printed)["isDryRun"]) == (0, True)
    code, printed = move(paths.data, server, "--json")
    moved = json.loads(printed)
    assert code == 0, printed
    assert {table["name"]: table["rows"] for table in moved["tables"]}["execution"] == 3
    assert all(table["checksum"] for table in moved["tables"])
    assert paths.database.read_bytes() == before
    assert "already, from an earlier run" in move(paths.data, server)[1]
    with pytest.raises(Conflict, match="was moved to postgresql://"):
        asyncio.run(use(paths))
    asyncio.run(use(paths, server))

    back = AppPaths.choose(str(paths.data.parent / "back"))
    back.prepare()
    shutil.copy(paths.vault, back.vault)
    code, printed = move(server, back.data)
    assert code == 0, printed
    assert "checksums are equal" in printed
    asyncio.run(use(back))


async def test_a_worker_that_cannot_read_the_secrets_does_not_start(paths, server, move, tmp_path):
    await asyncio.to_thread(lambda: asyncio.run(fill(paths)))
    assert (await asyncio.to_thread(move, paths.data, server))[0] == 0
    (tmp_path / "passphrase").touch(0o600)
    (tmp_path / "passphrase").write_text("correct horse")

    async def start(folder):
        opened = await open_worker(
            AppPaths.choose(str(folder)),
            Settings(),
            passphrase_file=str(tmp_path / "passphrase"),
            database=server,
            work_filter=WorkFilter(),
        )
        try:
            await require_ready(opened.runtime, WorkFilter())
        finally:
            await opened.close()

    await start(paths.data)
    with pytest.raises(SecretsUnavailable, match="encryption key is missing"):
        await start(tmp_path / "other")


def test_what_is_used_or_has_a_workspace_is_not_touched(paths, server, move, tmp_path):
    async def while_it_is_open(database=None):
        opened = await open_at(paths, database)
        await opened.runtime.start()
        result = await asyncio.to_thread(move, paths.data, server)
        await opened.close()
        return result

    assert "There is no database in" in move(paths.data, server)[1]
    assert not paths.database.exists()
    code, printed = asyncio.run(while_it_is_open())
    assert (code, "Another Patchbay program is using this data folder" in printed) == (1, True)
    code, printed = move(paths.data, paths.data)
    assert (code, "between a data folder and a PostgreSQL server" in printed) == (2, True)

    code, printed = move(server, paths.data.parent / "new")
    assert (code, "There is no workspace in postgresql://" in printed) == (1, True)
    assert move(paths.data, server)[0] == 0
    other = AppPaths.choose(str(tmp_path / "other"))
    asyncio.run(_create(other))
    code, printed = move(other.data, server)
    assert (code, "isn't empty" in printed) == (1, True)
    code, printed = move(server, other.data)
    assert (code, "isn't empty" in printed) == (1, True)


async def _create(paths):
    opened = await open_at(paths)
    await opened.close()
