"""Flows imported from another workspace: what stays behind, and imports that are refused or repeated."""

import hashlib
import hmac
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.support import flow_files as files
from tests.support.forms import long_form
from tests.support.processes import Interface, Service, at_once, program

SECRET = "a secret of both sides"
BODY = b'{"body": 1}'


def served(folder: Path) -> Service:
    """A service whose secrets are in a passphrase vault: there may be no keyring here."""
    passphrase = folder / "passphrase"
    passphrase.write_text("in a test only\n", "utf-8")
    passphrase.chmod(0o600)
    return Service(folder / "data", "--passphrase-file", str(passphrase))


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Where the flows come from."""
    with served(tmp_path_factory.mktemp("office")) as running:
        yield running


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Where they are imported."""
    with served(tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture
def signed(office, tmp_path):
    """A flow whose webhook only accepts signed requests, exported to a file."""
    file = files.write(tmp_path / "flow.json", files.flow("Signed", files.catch(), files.trimmed("a")))
    secret = add_secret(office)
    [flow] = office.command("flow", "import", file, "--json").json
    interface = Interface(office)
    trigger = office.command("flow", "show", flow["id"], "--json").json["steps"][0]
    step = {"connectionId": secret}
    assert interface.http.patch(f"/v1/steps/{trigger['id']}", json=step).status_code == 200
    interface.close()
    export = tmp_path / "export.json"
    export.write_text(office.command("flow", "export", flow["id"]).out)
    return export


def add_secret(service: Service) -> str:
    words = ["--field", "screenName=Both", "--field", "scheme=github", "--secret-stdin", "secret", "--json"]
    made = service.command("connection", "add", "--app", "signing-secret", *words, stdin=f"{SECRET}\n")
    return str(made.json["id"])


def call(service: Service, flow_id: str, *, sign: bool) -> int:
    """The status of one delivery to the flow's webhook."""
    signature = hmac.new(SECRET.encode(), BODY, hashlib.sha256).hexdigest()
    headers = {"content-type": "application/json"} | (
        {"x-hub-signature-256": f"sha256={signature}"} if sign else {}
    )
    return httpx.post(
        f"{service.address}/webhooks/flows/{flow_id}", content=BODY, headers=headers
    ).status_code


@long_form
def test_a_signed_webhook_stays_closed_when_its_flow_is_imported(home, signed):
    missing = home.command("flow", "import", signed, "--publish", "--json")
    [flow] = missing.json
    as_draft = call(home, flow["id"], sign=False)
    add_secret(home)
    again = home.command("flow", "import", signed, "--publish", "--use-accounts", "--json")
    said = at_once(
        {
            "show": program("flow", "show", flow["id"], data=home.data),
            "list": program("flow", "list", data=home.data),
        }
    )

    assert (missing.code, flow["published"]) == (1, False)
    assert "only accepts signed requests" in flow["missing"][0]
    assert as_draft == 401
    assert (again.code, again.json[0]["id"], again.json[0]["published"]) == (0, flow["id"], True)
    assert [call(home, flow["id"], sign=sign) for sign in (False, True)] == [401, 204]
    assert "Signed: requests without a valid signature are rejected." in said["show"].out
    assert [line.split()[3] for line in said["list"].out.splitlines()[:2]] == ["WEBHOOK", "signed"]


def test_a_list_with_wrong_flows_imports_none_and_names_each(home, tmp_path):
    before = home.command("flow", "list", "--json").json
    good = [files.flow(f"Good {number}", files.catch(), files.trimmed("a")) for number in range(3)]
    wrong = [files.flow("Empty"), {"name": "No steps at all"}, files.flow("Headless", files.trimmed("a"))]
    wrong[2]["steps"][0]["type"] = "action"
    file = files.write(tmp_path / "list.json", [good[0], wrong[0], good[1], *wrong[1:], good[2]])

    refused = home.command("flow", "import", file)

    assert (refused.code, refused.out) == (1, "")
    assert "3 of 6 flows can't be imported." in refused.err
    for name in ("Flow 2 “Empty”", "Flow 4 “No steps at all”", "Flow 5 “Headless”"):
        assert name in refused.err
    assert home.command("flow", "list", "--json").json == before


@long_form
def test_flows_that_are_published_with_their_accounts_are_all_imported_or_none(home, tmp_path):
    before = home.command("flow", "list", "--json").json
    good = [files.flow(f"Together {number}", files.catch(), files.trimmed("a")) for number in range(2)]
    last = files.flow(
        "Together, last", files.catch(), files.step("formatter", "text", transform="trimWhitespace")
    )
    options = ("--publish", "--use-accounts")

    refused = home.command("flow", "import", files.write(tmp_path / "list.json", [*good, last]), *options)
    between = home.command("flow", "list", "--json").json
    imported = home.command("flow", "import", files.write(tmp_path / "good.json", good), *options, "--json")

    assert (refused.code, refused.out) == (1, "")
    assert "1 of 3 flows can't be published." in refused.err
    assert "Flow 3 “Together, last”: Step 2" in refused.err
    assert between == before
    assert [(flow["imported"], flow["published"]) for flow in imported.json] == [(True, True)] * 2


@long_form
def test_an_import_can_be_repeated_and_imports_nothing_twice(home, tmp_path):
    unknown = files.flow("Unknown app", files.catch(), files.step("not-here", "anything"))
    known = files.flow("Known apps", files.catch(), files.trimmed("a"))
    file = files.write(tmp_path / "list.json", [unknown, known])

    first = home.command("flow", "import", file, "--use-accounts", "--json")
    second = home.command("flow", "import", file, "--publish", "--json")
    copied = home.command("flow", "import", file, "--copy", "--json")
    names = [flow["name"] for flow in home.command("flow", "list", "--json").json]

    assert (first.code, second.code, copied.code) == (0, 1, 0)
    assert first.json[0]["missing"] == ["The app “not-here” isn't installed here."]
    assert [flow["id"] for flow in second.json] == [flow["id"] for flow in first.json]
    assert [(flow["imported"], flow["published"]) for flow in second.json] == [(False, False), (False, True)]
    assert [names.count(name) for name in ("Unknown app", "Known apps")] == [2, 2]
