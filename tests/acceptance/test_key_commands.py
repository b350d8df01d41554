"""API keys with scopes and owners by commands, and what the service makes of them."""

from pathlib import Path

import httpx
from tests.support import patient
from tests.support.forms import long_form
from tests.support.processes import Service, program, run


def _asked(service: Service, key: str, method: str = "GET", **body: str) -> httpx.Response:
    """Folders of whoever has the key, or a new one."""
    address = f"{service.address}/v1/folders"
    return patient.request(method, address, headers={"x-api-token": key}, json=body or None)


@long_form
def test_a_key_has_the_scope_and_the_owner_it_was_given(tmp_path: Path):
    data = tmp_path / "data"
    looks = run(program("api-key", "create", "--name", "Dashboard", "--scope", "read", "--json", data=data))
    with Service(data) as service:
        eve = service.command("user", "create", "--name", "Eve", "--email", "eve@example.org").out.strip()
        hers = service.command("api-key", "create", "--name", "Hers", "--user", eve, "--json").json
        listed = service.command("api-key", "list").out
        made = _asked(service, hers["key"], "POST", name="Eve’s")
        seen = [_asked(service, key).json()["data"] for key in (hers["key"], looks.json["key"])]
        refused = _asked(service, looks.json["key"], "POST", name="Not with this key")

    assert (looks.json["scope"], looks.json["userId"]) == ("read", None)
    assert (hers["scope"], hers["userId"]) == ("admin", eve)
    rows = [line.split() for line in listed.splitlines()[1:]]
    assert [[row[1], *row[3:5]] for row in rows] == [["Dashboard", "read", "-"], ["Hers", "admin", "Eve"]]
    assert (made.status_code, made.json()["data"]["userId"]) == (201, eve)
    assert [[folder["name"] for folder in folders] for folders in seen] == [["Eve’s"], []]
    assert refused.status_code == 403
