"""HTTP Request through the real service: credentials that servers check themselves, files, pages."""

import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.datastructures import Headers
from tests.support import flow_files as files
from tests.support.certificates import CLIENT_NAME, write_certificates
from tests.support.forms import long_form
from tests.support.login_services import (
    ACCESS_KEY,
    CLIENT_ID,
    CLIENT_SECRET,
    PASSWORD,
    REGION,
    SECRET_KEY,
    USER,
    DigestService,
    TokenService,
    aws_service,
)
from tests.support.processes import Interface, Service
from tests.support.third_party import Answer, Reply, Seen, ThirdParty, party_in_thread

from patchbay.server.webhooks import decode_body

pytestmark = pytest.mark.timeout(300)

ITEMS = [{"id": number} for number in range(1, 6)]
LOGIN = {"username": USER, "password": PASSWORD}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("served")
    passphrase = folder / "passphrase"
    passphrase.write_text("correct horse battery staple")
    passphrase.chmod(0o600)
    with Service(folder / "data", "--passphrase-file", str(passphrase)) as running:
        yield running


@pytest.fixture(scope="module")
def interface(service: Service) -> Iterator[Interface]:
    made = Interface(service)
    yield made
    made.close()


def connect(interface: Interface, party: ThirdParty, kind: str, **fields: str) -> str:
    """The ID of a new connection to the service."""
    form = {"screenName": kind, "baseUrl": party.url, "checkUrl": "/me", "kind": kind, **fields}
    answer = interface.http.post("/v1/connections", json={"key": "http", "formattedData": form})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["data"]["id"])


def run(interface: Interface, name: str, connection: str | None, **parameters: Any) -> Any:
    """What the request of a published flow with this name put out."""
    step = files.step("http-request", "customRequest", **{"method": "GET", **parameters})
    answer = interface.http.post("/v1/flows/import", json=files.flow(name, files.catch(), step))
    assert answer.status_code == 201, answer.text
    flow = answer.json()["data"]
    if connection is not None:
        change = {"connectionId": connection}
        interface.http.patch(f"/v1/steps/{flow['steps'][1]['id']}", json=change).raise_for_status()
    for each in flow["steps"]:
        interface.http.post(f"/v1/steps/{each['id']}/skip-test").raise_for_status()
    published = interface.http.patch(f"/v1/flows/{flow['id']}/status", json={"active": True})
    assert published.status_code == 200, published.text
    assert interface.http.post(f"/webhooks/flows/{flow['id']}", json={"file": FILE}).status_code == 204
    [execution] = interface.finished(name)
    assert execution["state"] == "success", execution["note"]
    return interface.steps(execution["id"])[-1]["dataOut"]


FILE = {"name": "a.bin", "contentType": "application/x-a", "size": 2, "base64": "AAE="}
AWS = {"accessKeyId": ACCESS_KEY, "secretAccessKey": SECRET_KEY, "awsRegion": REGION, "awsService": "s3"}
CLIENT = {"clientId": CLIENT_ID, "clientSecret": CLIENT_SECRET}


@long_form
@pytest.mark.parametrize(
    ("kind", "answer", "fields"),
    [
        ("digest", DigestService(), LOGIN),
        ("aws", aws_service, AWS),
        ("clientCredentials", TokenService(), CLIENT),
        ("login", TokenService(), LOGIN | {"loginUrl": "/login", "tokenPath": "data.token"}),
    ],
)
def test_a_run_signs_in_in_the_way_of_the_service(
    interface: Interface, service: Service, kind: str, answer: Answer, fields: dict[str, str]
):
    with party_in_thread(answer) as party:
        more = {"tokenUrl": f"{party.url}/token"} if kind == "clientCredentials" else {}
        made = run(interface, kind, connect(interface, party, kind, **fields, **more), url="/items")

    assert made["data"]["path"] == "/items"
    stored = b"".join(file.read_bytes() for file in service.data.rglob("*") if file.is_file())
    assert not any(secret.encode() in stored for secret in (PASSWORD, CLIENT_SECRET, SECRET_KEY))


def test_a_run_shows_the_client_certificate(interface: Interface, tmp_path: Path):
    write_certificates(tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / "server.pem", tmp_path / "server.key")
    tls.load_verify_locations(tmp_path / "authority.pem")
    tls.verify_mode = ssl.CERT_REQUIRED
    pem = {
        "clientTls": "certificate",
        "clientCertificate": (tmp_path / "client.pem").read_text(),
        "clientKey": (tmp_path / "client.key").read_text(),
        "caCertificate": (tmp_path / "authority.pem").read_text(),
    }
    with party_in_thread(lambda seen: Reply(body={"client": seen.client}), tls) as party:
        made = run(
            interface, "mutual TLS", connect(interface, party, "certificate", **pem), url=f"{party.url}/who"
        )

    assert made["data"] == {"client": CLIENT_NAME}


def test_a_file_of_a_webhook_is_uploaded_in_a_multipart_form(interface: Interface):
    parts = [{"key": "title", "value": "Ä"}, {"key": "file", "value": "{{step.#1.body.file}}"}]
    with party_in_thread(Reply(body={"ok": True})) as party:
        run(interface, "Upload", None, method="POST", url=party.url, bodyType="multipart", parts=parts)

    [seen] = party.seen
    assert decode_body(seen.body, Headers(seen.headers)) == {"title": "Ä", "file": FILE}


def test_a_list_is_read_page_by_page(interface: Interface):
    def pages(seen: Seen) -> Reply:
        start = int(dict(seen.query).get("start", 0))
        link = f"/items?start={start + 2}" if start + 2 < len(ITEMS) else None
        return Reply(body={"items": ITEMS[start : start + 2], "links": {"next": link}})

    paging = {"paging": "nextLink", "itemsPath": "items", "nextPath": "links.next"}
    with party_in_thread(pages) as party:
        made = run(interface, "Pages", None, url=f"{party.url}/items", **paging)

    assert (made["data"], made["pages"], made["complete"]) == (ITEMS, 3, True)
