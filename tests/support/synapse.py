"""A real Matrix homeserver, Synapse, on this computer: `with synapse(folder) as server:`."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from tests.support import patient
from tests.support.ports import free_port
from tests.support.python_services import PythonService

SYNAPSE = PythonService("synapse")
_FAST = {"per_second": 1000, "burst_count": 1000}
_NUMBERS = count(1)


@dataclass
class Member:
    """An account with its access token, and a chat program of its own."""

    address: str
    user_id: str
    token: str
    client: patient.Client = field(init=False)

    def __post_init__(self) -> None:
        headers = {"Authorization": f"Bearer {self.token}"}
        self.client = patient.Client(base_url=f"{self.address}/_matrix/client/v3", headers=headers)

    def create_room(self, name: str, *members: "Member") -> str:
        """A room that these members have joined; the answer is its ID."""
        room = self.post("/createRoom", name=name, preset="public_chat")["room_id"]
        for member in members:
            member.post(f"/join/{quote(room)}")
        return str(room)

    def send(self, room: str, text: str) -> str:
        """Send a message; the answer is the ID of its event."""
        path = f"/rooms/{quote(room)}/send/m.room.message/{next(_NUMBERS)}"
        answer = self.client.put(path, json={"msgtype": "m.text", "body": text})
        answer.raise_for_status()
        return str(answer.json()["event_id"])

    def messages(self, room: str) -> list[tuple[str, str]]:
        """Who said what in the room, oldest first."""
        answer = self.client.get(f"/rooms/{quote(room)}/messages", params={"dir": "f", "limit": 100})
        answer.raise_for_status()
        found = [event for event in answer.json()["chunk"] if event["type"] == "m.room.message"]
        return [(event["sender"], event["content"]["body"]) for event in found]

    def log_out(self) -> None:
        """From now on the server rejects the token."""
        self.post("/logout")

    def post(self, path: str, **values: Any) -> dict[str, Any]:
        answer = self.client.post(path, json=values)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found


@dataclass
class Synapse:
    """The running server."""

    address: str
    members: list[Member] = field(default_factory=list)
    """Whose chat programs are open."""

    def is_up(self) -> bool:
        return patient.get(f"{self.address}/health").is_success

    def register(self, name: str) -> Member:
        """A new account."""
        form = {"username": name, "password": "good-password-1234", "auth": {"type": "m.login.dummy"}}
        answer = patient.post(f"{self.address}/_matrix/client/v3/register", json=form)
        return self._member(answer)

    def sign_in(self, name: str) -> Member:
        """The account, with another access token."""
        form = {
            "type": "m.login.password",
            "identifier": {"type": "m.id.user", "user": name},
            "password": "good-password-1234",
        }
        answer = patient.post(f"{self.address}/_matrix/client/v3/login", json=form)
        return self._member(answer)

    def _member(self, answer: httpx.Response) -> Member:
        assert answer.status_code == 200, answer.text
        member = Member(self.address, answer.json()["user_id"], answer.json()["access_token"])
        self.members.append(member)
        return member


def _config(folder: Path, port: int) -> dict[str, Any]:
    """For the loopback address, without federation and rate limits. JSON is YAML as well."""
    listener = {"port": port, "type": "http", "bind_addresses": ["127.0.0.1"], "tls": False}
    return {
        "server_name": "example.test",
        "listeners": [{**listener, "resources": [{"names": ["client"]}]}],
        "database": {"name": "sqlite3", "args": {"database": str(folder / "homeserver.db")}},
        "media_store_path": str(folder / "media"),
        "signing_key_path": str(folder / "signing.key"),
        "log_config": str(folder / "log.json"),
        "pid_file": str(folder / "pid"),
        "macaroon_secret_key": "macaroon-secret-1234",
        "form_secret": "form-secret-1234",
        "report_stats": False,
        "trusted_key_servers": [],
        "suppress_key_server_warning": True,
        "federation_domain_whitelist": [],
        "enable_registration": True,
        "enable_registration_without_verification": True,
        "rc_message": _FAST,
        "rc_registration": _FAST,
        "rc_login": {"address": _FAST, "account": _FAST, "failed_attempts": _FAST},
    }


@contextmanager
def synapse(folder: Path) -> Iterator[Synapse]:
    """Run the server while the block runs: some ten seconds."""
    port = free_port()
    config = folder / "homeserver.json"
    config.write_text(json.dumps(_config(folder, port)))
    (folder / "log.json").write_text('{"version": 1, "root": {"level": "WARNING"}}')
    server = Synapse(f"http://127.0.0.1:{port}")
    words = ("-m", "synapse.app.homeserver", "--config-path", config)
    SYNAPSE.run_to_end(folder, *words, "--generate-keys")
    with SYNAPSE.running(folder / "synapse.log", server.is_up, *words):
        try:
            yield server
        finally:
            for member in server.members:
                member.client.close()
