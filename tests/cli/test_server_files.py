"""The files for operators of several machines name only what the program has."""

import contextlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from tests.support.compose_parts import SERVER, blocks, compose, create_database, run_script

from patchbay.cli.main import main
from patchbay.cli.parser import parse
from patchbay.domain.engine import EngineHealth, EngineState, StorageUsage
from patchbay.server.event_streams import EventStreams
from patchbay.server.metrics import Metrics, RequestLabels, engine_metrics_text
from patchbay.storage.postgresql import address

PAGES = sorted((SERVER.parents[1] / "docs" / "operate").glob("*.md"))
UNITS = sorted(SERVER.glob("*.service"))
_METRIC = re.compile(r"\b(?:patchbay|process)_\w+")


def test_the_commands_of_the_compose_file_are_valid():
    commands = {
        name: service["command"] for name, service in compose()["services"].items() if "command" in service
    }
    del commands["database"]

    assert {name: parse(command).entry.name for name, command in commands.items()} == {
        "serve-1": "serve",
        "serve-2": "serve",
        "worker-1": "worker",
        "worker-2": "worker",
    }


def test_the_parts_of_the_compose_file_name_each_other_and_have_time_to_stop():
    document = compose()
    services, network = document["services"], document["networks"]["default"]["ipam"]["config"][0]["subnet"]
    serve = parse(services["serve-1"]["command"])

    assert serve.trusted_proxy == [services["proxy"]["networks"]["default"]["ipv4_address"]]
    assert network == "172.30.87.0/24"
    assert serve.database_password_file.removeprefix("/run/secrets/") in document["secrets"]
    assert serve.data_key_file.removeprefix("/run/secrets/") in document["secrets"]
    assert int(services["serve-1"]["stop_grace_period"].removesuffix("s")) > serve.drain + 20
    for name in services["proxy"]["environment"]["PATCHBAY_SERVERS"].split():
        assert name.removesuffix(":8787") in services
    for volume in (mount for service in services.values() for mount in service["volumes"]):
        source = volume.split(":")[0]
        assert source.startswith("./") or source in document["volumes"]


def drop_database(server):
    for statement in ("DROP DATABASE patchbay WITH (FORCE)", "DROP ROLE patchbay", "DROP ROLE postgres"):
        with contextlib.suppress(AssertionError, subprocess.CalledProcessError):
            server.administer(statement)


def test_the_role_of_the_database_owns_it_and_is_no_superuser(
    postgres_databases, tmp_path, capsys, monkeypatch
):
    server, database = postgres_databases.server, compose()["services"]["database"]
    url = parse(compose()["services"]["serve-1"]["command"]).database
    assert "./create-database.sh:/docker-entrypoint-initdb.d/create-database.sh:ro" in database["volumes"]
    assert database["environment"]["POSTGRES_USER"] == "postgres"
    try:
        create_database(server, "pw'$\"\\93b1c")

        roles = "SELECT rolsuper OR rolcreaterole OR rolcreatedb FROM pg_roles WHERE rolname = 'patchbay'"
        owner = "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'patchbay'"
        can_connect = "SELECT has_database_privilege('ada', 'patchbay', 'CONNECT')"
        found = [server.administer(query).strip() for query in (roles, owner, can_connect)]
        passwords = server.administer("SELECT rolpassword IS NULL FROM pg_authid WHERE rolname = 'postgres'")
        monkeypatch.setattr(address, "_password", "pw'$\"\\93b1c")
        given = (
            "--data-dir",
            str(tmp_path),
            "--database",
            url.replace("@database", f"@127.0.0.1:{server.port}"),
        )
        assert main([*given, "flow", "list"]) == 0, capsys.readouterr().err
    finally:
        drop_database(server)

    assert (found, passwords.strip()) == (["f", "patchbay", "f"], "t")


def test_the_password_of_the_database_is_in_no_log_of_the_server(postgres_databases):
    server, password = postgres_databases.server, "pw-5d0e7"
    try:
        server.administer("CREATE ROLE postgres SUPERUSER LOGIN PASSWORD 'other'")
        server.administer("ALTER ROLE postgres SET log_statement = 'all'")
        server.administer("ALTER ROLE postgres SET log_min_duration_statement = 0")
        server.administer("CREATE ROLE patchbay")
        with pytest.raises(subprocess.CalledProcessError):
            run_script(server, password, "other")
        server.administer("DROP ROLE patchbay")
        run_script(server, password, "other")
    finally:
        drop_database(server)

    log = (server.folder / "log").read_text("utf-8")
    assert "SET log_min_error_statement" in log
    assert "already exists" in log
    assert password not in log


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_the_commands_of_the_units_are_valid(unit: Path):
    text = unit.read_text("utf-8").replace("\\\n", " ")
    [line] = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)
    settings = re.findall(r"^(\w+)=", (SERVER / "server.env").read_text("utf-8"), re.MULTILINE)
    known = {*settings, "STATE_DIRECTORY", "CREDENTIALS_DIRECTORY"}

    assert line.split()[0] == "/usr/local/bin/patchbay"
    assert parse(line.replace("%i", "8787").split()[1:]).entry.name in unit.name
    assert set(re.findall(r"\$\{(\w+)\}", line)) <= known


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd isn't installed")
def test_systemd_accepts_the_units(tmp_path: Path):
    for unit in UNITS:
        text = unit.read_text("utf-8").replace("/usr/local/bin/patchbay", "/bin/true")
        (tmp_path / unit.name.replace("@", "@8787")).write_text(text, "utf-8")

    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *map(str, tmp_path.iterdir())],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_the_units_leave_out_what_would_disable_the_isolation_of_programs():
    page = (SERVER.parents[1] / "docs" / "operate" / "program-isolation.md").read_text("utf-8")
    [row] = [line for line in page.splitlines() if line.startswith("| systemd ")]
    forbidden = re.findall(r"`(\w+=)`", row.split(";")[0])

    assert "ProtectKernelTunables=" in forbidden
    for unit in UNITS:
        options = re.findall(r"^(\w+=)", unit.read_text("utf-8"), re.MULTILINE)
        assert not set(forbidden) & set(options)
        assert "AF_NETLINK" in unit.read_text("utf-8")


def test_every_metric_of_the_alert_rules_is_exported():
    rules = yaml.safe_load((SERVER / "prometheus-rules.yml").read_text("utf-8"))["groups"][0]["rules"]
    metrics = Metrics("1")
    metrics.record_request(RequestLabels("POST", "/webhooks/flows/{flowId}", "500"), 0.1)
    metrics.deliveries["unavailable"] += 1
    health = EngineHealth(state=EngineState.RUNNING, running=0, waiting=0, queued=0)
    exported = metrics.text(health, StorageUsage(bytes=1, free_bytes=0, executions=1), EventStreams())[
        0
    ].decode()
    used = {metric for rule in rules for metric in _METRIC.findall(rule["expr"])}

    assert {metric for metric in used if f"\n{metric}" not in f"\n{exported}"} == set()
    for rule in rules:
        for name, value in re.findall(r'(\w+)="([^"]+)"', rule["expr"]):
            assert f'{name}="{value}"' in exported, rule["alert"]
    assert "patchbay_executions_finished_total" in engine_metrics_text(health, "1")[0].decode()


def test_every_alert_is_explained():
    rules = yaml.safe_load((SERVER / "prometheus-rules.yml").read_text("utf-8"))["groups"][0]["rules"]
    page = (SERVER.parents[1] / "docs" / "operate" / "several-machines.md").read_text("utf-8")

    assert [rule["alert"] for rule in rules if f"`{rule['alert']}`" not in page] == []
    for rule in rules:
        assert {"severity"} == set(rule["labels"])
        assert rule["annotations"]["summary"]


@pytest.mark.skipif(shutil.which("promtool") is None, reason="Prometheus isn't installed")
def test_prometheus_accepts_the_rules():
    words = ["promtool", "check", "rules", str(SERVER / "prometheus-rules.yml")]

    assert subprocess.run(words, capture_output=True, check=False).returncode == 0


def test_the_parts_named_by_the_pages_exist():
    named = {
        word
        for page in PAGES
        for block in blocks(page)
        for line in block
        if line.startswith("docker compose")
        for word in line.split()
        if re.fullmatch(r"(?:serve|worker)-\d", word)
    }

    assert named <= set(compose()["services"])
    assert named
