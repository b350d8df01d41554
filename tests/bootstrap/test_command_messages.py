"""Messages of commands: rejected input, warnings, and why closing takes long."""

import asyncio
import json
from typing import Any

import pytest
from tests.support import flow_files as files
from tests.support.processes import program, run

from patchbay.bootstrap.listen_options import listen_options_from
from patchbay.cli import doctor as service
from patchbay.cli import parser, serve
from patchbay.domain.access import AccessGrant, ApiKey, Scope
from patchbay.domain.base import UserId
from patchbay.domain.errors import StorageFault, ValidationFailed
from patchbay.platform.settings import Service
from patchbay.server.authorization import describe_scope


def flows_in(data):
    return run(program("flow", "list", "--json", data=data)).json


def test_a_list_of_flows_is_imported_whole_or_not_at_all(tmp_path):
    names = ["One", "x" * 300, "Three"]
    flows = [files.flow(name, files.catch()) for name in names] + [{"id": "a", "steps": []}]
    file = tmp_path / "flows.json"
    file.write_text(json.dumps(flows))

    done = run(program("flow", "import", file, "--publish", data=tmp_path / "data"))

    assert (done.code, done.out) == (1, "")
    assert "2 of 4 flows can't be imported." in done.err
    assert "Flow 2 “xxx" in done.err
    assert "Use at most 255 characters." in done.err
    assert "Flow 4 isn't an exported flow. At name: This field is required." in done.err
    assert flows_in(tmp_path / "data") == []


def test_doctor_does_not_send_people_to_doctor(tmp_path):
    error = StorageFault("It is damaged.", todo="Restore a backup; run “patchbay doctor” to see more.")

    assert service._database_problem(error).startswith("It is damaged. Restore a backup with")


def test_a_refusal_names_the_role_that_bounds_a_key():
    key = ApiKey(id="k", name="k", scope=Scope.ADMIN, hint="", created_at=0)

    assert describe_scope(AccessGrant(key=key, scope=Scope.ADMIN)) == "Its scope is “admin”"
    assert describe_scope(AccessGrant(key=key, scope=Scope.OPERATE, person=UserId("p"))) == (
        "Its scope is “admin”, but the role of its owner allows only “operate”"
    )


def reach(*words):
    return serve._listen_options(parser.parse(["serve", *words]))


def test_a_wrong_proxy_is_rejected_with_a_clear_error():
    with pytest.raises(ValidationFailed) as caught:
        listen_options_from(Service(trusted_proxies=["10.0.0.1", "nonsense"]))

    assert caught.value.happened == "“nonsense” isn't an IP address or network."


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--trusted-proxy", "0.0.0.0/0"], "Warning: --trusted-proxy names all addresses"),
        (["--trusted-proxy", "::/0"], "Warning: --trusted-proxy names all addresses"),
        (["--trusted-proxy", "10.0.0.0/8"], ""),
        (["--interface-address", "https://a.example.org"], "Warning: without --webhook-port"),
        (["--interface-address", "https://a.example.org", "--webhook-port", "8788"], ""),
    ],
)
def test_options_that_do_something_else_than_they_seem_to_are_warned_of(capsys, words, said):
    reach(*words)

    printed = capsys.readouterr().err
    assert (said in printed) if said else (printed == "")


class StuckRuntime:
    """A workspace with a running step that delays closing until it is released."""

    def __init__(self):
        self.released = asyncio.Event()
        self.engine = self.runtime = self
        self.running = 1

    async def health(self):
        return self

    async def close(self):
        await self.released.wait()


async def test_stopping_says_that_it_waits_for_running_steps(capsys, monkeypatch):
    monkeypatch.setattr(serve, "CLOSE_NOTICE_SECONDS", 0.05)
    stuck: Any = StuckRuntime()
    closing = asyncio.create_task(serve.close_workspace(stuck))
    printed = ""
    while not printed:
        await asyncio.sleep(0)
        printed = capsys.readouterr().err
    stuck.released.set()
    await closing

    assert printed == "waiting for running steps (up to 15 s)\n"
