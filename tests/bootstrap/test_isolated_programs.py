"""What a program of a step can access in a running server: an attack that used to succeed."""

import os
from pathlib import Path

import pytest
from tests.support import flow_files as files
from tests.support.processes import Service

from patchbay.domain.engine import IsolationKind

ATTACK = """
import os, socket
def attempt(what):
    try:
        return what()
    except Exception as error:
        return f"{type(error).__name__}"
engine, data, secret, port = (inputs[name] for name in ("engine", "data", "passphrase", "port"))
return {
    "vault": attempt(lambda: open(data + "/vault.json").read()),
    "database": attempt(lambda: open(data + "/patchbay.db", "rb").read(16).hex()),
    "token": attempt(lambda: open(data + "/service.json").read()),
    "passphrase": attempt(lambda: open(secret).read()),
    "environment": attempt(lambda: open(f"/proc/{engine}/environ").read()),
    "memory": attempt(lambda: open(f"/proc/{engine}/mem", "rb").read(1)),
    "files": attempt(lambda: os.listdir(f"/proc/{engine}/fd")),
    "processes": attempt(lambda: max(int(name) for name in os.listdir("/proc") if name.isdigit()) < 10),
    "service": attempt(lambda: socket.create_connection(("127.0.0.1", int(port)), 5) and "connected"),
    "planted": attempt(lambda: open(data + "/planted", "w") and "written"),
}
"""
MISSING, REFUSED = "FileNotFoundError", "ConnectionRefusedError"


def code_step(service: Service, passphrase: Path) -> dict:
    rows = {
        "engine": str(service.process.pid),
        "data": str(service.data),
        "passphrase": str(passphrase),
        "port": service.address.rpartition(":")[2],
    }
    inputs = [{"key": key, "value": value} for key, value in rows.items()]
    return files.step("code", "runPython", inputs=inputs, codeSnippet=ATTACK)


def test_a_program_gets_at_nothing_of_the_service_that_runs_it(tmp_path):
    passphrase = tmp_path / "passphrase"
    passphrase.write_text("planted passphrase")
    passphrase.chmod(0o600)
    serving = Service(
        tmp_path / "data", "--passphrase-file", str(passphrase), env={"PLANTED": "planted-secret"}, fresh=True
    )
    with serving as service:
        status = service.command("engine", "status", "--json").json
        isolation = status["health"]["isolation"]
        if isolation["kind"] == IsolationKind.NONE:
            pytest.skip(f"no isolation on this computer: {isolation['detail']}")
        attack = files.flow("Attack", files.catch(), code_step(service, passphrase))
        file = files.write(tmp_path / "flow.json", [attack])
        made = service.command("flow", "import", file, "--publish", "--json")
        ran = service.command("flow", "run", made.json[0]["id"], "--input", "-", "--json", stdin="{}").json
        shown = service.command("execution", "show", ran["id"], "--json").json
        doctor = service.command("doctor", "--json").json

    assert shown["executionSteps"][-1]["dataOut"]["output"] == {
        "vault": MISSING,
        "database": MISSING,
        "token": MISSING,
        "passphrase": MISSING,
        "environment": MISSING,
        "memory": MISSING,
        "files": MISSING,
        "processes": True,
        "service": REFUSED,
        "planted": MISSING,
    }
    assert not os.path.exists(service.data / "planted")
    assert doctor["programs"] == f"isolated. {isolation['detail']}"


def test_an_admin_allows_the_network_and_a_computer_without_isolation_says_so(tmp_path):
    without = {"PATH": str(tmp_path / "empty")}
    with Service(tmp_path / "data", env=without) as service:
        before = service.command("engine", "settings", "--json").json
        changed = service.command("engine", "settings", "--program-network", "yes")
        after = service.command("engine", "settings", "--json").json
        status = service.command("engine", "status")
        doctor = service.command("doctor")

    assert (before["programNetwork"], after["programNetwork"]) == (False, True)
    assert "network access for programs: allowed" in changed.out
    for said in (status, doctor):
        assert "not isolated; only admins can run them. " in said.out
        assert "Bubblewrap isn't installed." in said.out or "can't be isolated" in said.out
