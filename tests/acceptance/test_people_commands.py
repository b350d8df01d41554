"""People by commands: beside a running service, and without one."""

from collections.abc import Iterator

import pytest
from tests.support import patient
from tests.support.forms import long_form
from tests.support.processes import Done, Service, program, run

pytestmark = long_form


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("people") / "data", "--debug") as running:
        yield running


def user(service: Service, *words: str) -> Done:
    return service.command("user", *words)


def test_a_person_is_made_listed_and_removed(service):
    made = user(service, "create", "--name", "Dana", "--email", "Dana@example.org", "--role", "viewer")
    listed = user(service, "list", "--json").json
    removed = user(service, "remove", made.out.strip(), "--json")

    [dana] = [person for person in listed if person["fullName"] == "Dana"]
    assert (made.code, made.out.strip()) == (0, dana["id"])
    assert (dana["email"], dana["role"]["key"]) == ("dana@example.org", "viewer")
    assert (removed.code, removed.json) == (0, {"id": dana["id"], "removed": True})
    assert "Dana" not in user(service, "list").out


def test_who_follows_the_printed_link_gets_a_key_that_works_and_neither_is_kept(service):
    invited = user(service, "invite", "--name", "Eve", "--email", "eve@example.org", "--json")
    link = invited.json["acceptInvitationUrl"]
    waiting = user(service, "list", "--invited", "--json").json

    page = patient.get(link)
    joined = patient.post(link.partition("?")[0], data={"token": link.partition("token=")[2]})

    assert [person["fullName"] for person in waiting] == ["Eve"]
    assert "Welcome, Eve" in page.text
    key = joined.text.partition('id="key">')[2].partition("<")[0]
    answer = patient.get(f"{service.address}/v1/flows", headers={"x-api-token": key})
    assert (answer.status_code, answer.json()["data"]) == (200, [])
    assert user(service, "list", "--invited").out.strip() == "No results."
    kept = {path.name: path.read_bytes() for path in service.data.rglob("*") if path.is_file()}
    secret = (link.partition("token=")[2].encode(), key.encode())
    assert "patchbay.log" in kept
    assert [name for name, found in kept.items() if any(word in found for word in secret)] == []


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["create", "--name", "X", "--email", "nonsense"], 1, "email address"),
        (["create", "--name", "X", "--email", "owner@localhost"], 1, "already exists"),
        (["create", "--name", "X", "--email", "x@example.org", "--role", "king"], 2, "admin, editor, viewer"),
        (["create", "--name", "X"], 2, "--email"),
        (["remove", "7b1c6c52-8d0f-4d0a-9f5a-0c7d1a7a2f11"], 1, "List them with: patchbay user list"),
    ],
)
def test_invalid_input_is_reported(service, words, code, says):
    done = user(service, *words)

    assert (done.code, done.out) == (code, "")
    assert says in done.err


def test_without_a_server_users_are_created_but_not_invited(tmp_path):
    words = ["--name", "Dana", "--email", "dana@example.org"]
    made = run(program("user", "create", *words, "--json", data=tmp_path))
    invited = run(program("user", "invite", "--name", "Eve", "--email", "eve@example.org", data=tmp_path))

    assert (made.code, made.json["role"]["key"]) == (0, "editor")
    assert invited.code == 1
    assert "patchbay serve" in invited.err
