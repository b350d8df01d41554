"""A whole workspace on a PostgreSQL server: opened, run, searched, and opened again."""

import argparse
import asyncio
import json
from pathlib import Path

import pytest
from tests.support.forms import long_form
from tests.support.other_systems import module_of
from tests.support.postgres_databases import location_on

from patchbay.bootstrap import workspace_runtime
from patchbay.bootstrap.listen_options import ListenOptions
from patchbay.bootstrap.local import open_local
from patchbay.bootstrap.private_files import read_private_text
from patchbay.cli.database_option import database_arguments, reject_server
from patchbay.cli.main import main
from patchbay.domain.base import AppKey, JsonObject, StepId
from patchbay.domain.errors import NotSupported, ValidationFailed
from patchbay.domain.executions import ExecutionFilter, ExecutionState
from patchbay.domain.flows import FlowFilter, StepChange
from patchbay.domain.paging import PageRequest
from patchbay.integration.local_files import LocalFiles
from patchbay.integration.local_files.protected import Protected
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Settings
from patchbay.storage.postgresql.address import PostgresAddress

CATCH = StepChange(app_key=AppKey("webhook"), key="catchRawWebhook")


@pytest.fixture
def location(request):
    yield from location_on("postgresql", request)


def options(**given):
    return argparse.Namespace(**{"database": None, "database_password_file": None, **given})


@long_form
async def test_a_workspace_on_a_server_runs_flows_and_keeps_them(location, tmp_path):
    paths = AppPaths.choose(str(tmp_path / "data"))
    opened = await open_local(paths, Settings(), passphrase="correct horse", database=location)
    backend = opened.backend
    await opened.runtime.start()
    flow = await backend.create_flow("Greet")
    trigger, action = flow.steps
    await backend.update_step(trigger.id, CATCH)
    await backend.update_step(action.id, _trimming(trigger.id))
    for step in (trigger, action):
        await backend.skip_step_test(step.id)
    await backend.publish_flow(flow.id)
    runs = [await backend.run_flow(flow.id, {"body": {"n": number}}) for number in range(3)]
    async with asyncio.timeout(60):
        while (await backend.count_executions(ExecutionFilter())).success < len(runs):  # noqa: ASYNC110
            await asyncio.sleep(0)

    found = await backend.list_executions(ExecutionFilter(name="GREET"), PageRequest())
    searched = await backend.search_executions("grüße 2", ExecutionFilter(), None)
    counts = await backend.count_executions(ExecutionFilter())

    assert [item.state for item in found.items] == [ExecutionState.SUCCESS] * 3
    assert [item.id for item in searched.items] == [runs[2]]
    assert (counts.success, counts.all) == (3, 3)
    await opened.close()
    assert not paths.database.exists()

    again = await open_local(paths, Settings(), passphrase="correct horse", database=location)
    assert [item.name for item in (await again.backend.list_flows(FlowFilter(), PageRequest())).items] == [
        "Greet"
    ]
    assert (await again.backend.storage_usage()).executions == 3
    await again.close()


def _trimming(trigger_id: StepId) -> StepChange:
    parameters: JsonObject = {
        "transform": "trimWhitespace",
        "input": f"  Grüße {{{{step.{trigger_id}.body.n}}}} ",
    }
    return StepChange(app_key=AppKey("formatter"), key="text", parameters=parameters)


def test_a_password_file_that_others_can_read_is_not_used(tmp_path):
    file = tmp_path / "password"
    file.write_text("secret\n")
    file.chmod(0o644)
    given = options(database="postgresql://ada@db.example/work", database_password_file=str(file))

    with pytest.raises(ValidationFailed, match="can be read by other users, so its password wasn't used"):
        database_arguments(given)

    file.chmod(0o600)
    found = database_arguments(given)
    assert isinstance(found["database"], PostgresAddress)
    assert found["database"].password == "secret"
    assert found["hidden_files"][0] == file


def test_a_credential_of_systemd_may_have_the_mode_that_an_access_list_gives_it(tmp_path, monkeypatch):
    """For a service with a user of its own, it belongs to root, and its access list shows as mode 0440."""
    folder = tmp_path / "patchbay.service"
    folder.mkdir()
    for place in (folder, tmp_path):
        (place / "db-password").write_text("secret\n")
        (place / "db-password").chmod(0o440)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(folder))

    def password(file):
        return read_private_text(file, "password", "database_password_file")

    assert password(folder / "db-password") == "secret"
    with pytest.raises(ValidationFailed, match="can be read by other users"):
        password(tmp_path / "db-password")
    (folder / "link").symlink_to(tmp_path / "db-password")
    with pytest.raises(ValidationFailed, match="can be read by other users"):
        password(folder / "link")
    (folder / "db-password").chmod(0o444)
    with pytest.raises(ValidationFailed, match="can be read by other users"):
        password(folder / "db-password")


def test_steps_can_use_no_file_with_a_password_or_key_of_the_server(tmp_path, monkeypatch):
    for name in ("password", "pass", "service", "key", "home", "cert", "tls-key", "backup"):
        (tmp_path / name).touch(0o600)
    (tmp_path / "password").write_text("pw-93b1c")
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pass"))
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "service"))
    url = f"postgresql://ada@db.example/work?sslkey={tmp_path / 'key'}"
    given = database_arguments(options(database=url, database_password_file=tmp_path / "password"))
    listen_options = ListenOptions(tls_cert=tmp_path / "cert", tls_key=tmp_path / "tls-key")

    hidden = Protected([*given["hidden_files"], *listen_options.secret_files])

    assert [file.name for file in sorted(tmp_path.iterdir()) if file.stat() not in hidden] == [
        "backup",
        "home",
    ]
    monkeypatch.delenv("PGPASSFILE")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert tmp_path / ".pgpass" in database_arguments(options(database=url))["hidden_files"]


def test_on_windows_the_files_of_postgresql_are_in_the_folder_of_its_settings(tmp_path, monkeypatch):
    for name in ("PGPASSFILE", "PGSERVICEFILE", "PGSSLKEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("APPDATA", str(tmp_path))
    address = module_of(monkeypatch, "patchbay.storage.postgresql.address", "win32")

    found = address.secret_files(address.parse_address("postgresql://ada@db.example/work"))

    folder = tmp_path / "postgresql"
    assert set(found) == {folder / "pgpass.conf", folder / ".pg_service.conf", folder / "postgresql.key"}


async def test_steps_can_use_no_file_with_a_passphrase_or_key_of_the_settings(tmp_path, monkeypatch):
    built = []

    def build(*given):
        built.append(LocalFiles(*given))
        return built[-1]

    monkeypatch.setattr(workspace_runtime, "LocalFiles", build)
    names = ("backup", "cert", "tls-key", "other")
    for name in names:
        (tmp_path / name).touch()
    settings = Settings()
    settings.backups.passphrase_file = str(tmp_path / "backup")
    settings.service.tls_cert, settings.service.tls_key = str(tmp_path / "cert"), str(tmp_path / "tls-key")

    opened = await open_local(AppPaths.choose(str(tmp_path / "data")), settings, passphrase="correct horse")
    await opened.close()

    protected = Protected([Path(name) for name in built[0].own_folders()])
    assert [name for name in names if (tmp_path / name).stat() not in protected] == ["other"]


def test_only_known_kinds_of_databases_are_opened(tmp_path):
    assert database_arguments(options())["database"] is None
    assert database_arguments(options(database=f"sqlite:///{tmp_path}/x.db"))["database"] == tmp_path / "x.db"
    with pytest.raises(NotSupported, match="Only SQLite and PostgreSQL"):
        database_arguments(options(database="mysql://ada@db.example/work"))
    with pytest.raises(NotSupported, match="only with a database in a file"):
        reject_server(
            options(database="postgresql://ada@db.example/work"),
            AppPaths.choose(str(tmp_path)),
            "Use pg_dump.",
        )


async def test_doctor_finds_a_program_whose_database_is_on_a_server(location, tmp_path, capsys):
    paths = AppPaths.choose(str(tmp_path / "data"))
    opened = await open_local(paths, Settings(), passphrase="correct horse", database=location)

    code = await asyncio.to_thread(main, ["--data-dir", str(paths.data), "doctor", "--json"])
    found = json.loads(capsys.readouterr().out)
    await opened.close()

    assert (code, found["engine"]) == (0, "running in another program")
    assert "name it with --database" in found["database"]
