"""HTTP connections with a client certificate, against servers on this computer that ask for one."""

import socket
import ssl
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from tests.support.certificates import CLIENT_NAME, authority, write_certificates, write_self_signed
from tests.support.third_party import Reply, Seen, third_party
from tests.support.workspace import CATCH, WorkspaceRuntime, open_runtime

from patchbay.domain.base import AppKey
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.errors import AppError, ThirdPartyError, ValidationFailed
from patchbay.domain.flows import StepChange
from patchbay.integration.client_certificates import ClientCertificate
from patchbay.integration.registry import BUILT_IN, load_app

PASSPHRASE = "a passphrase of mine"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("certificates")
    write_certificates(made)
    write_self_signed(made, "stranger")
    return made


@pytest.fixture
async def runtime(tmp_path) -> AsyncIterator[WorkspaceRuntime]:
    apps = [load_app(AppKey(key), BUILT_IN) for key in ("http", "http-request")]
    made = await open_runtime(tmp_path, more_apps=apps)
    await made.engine.start()
    yield made
    await made.close()


def server_tls(folder: Path, mode: ssl.VerifyMode, version: ssl.TLSVersion | None = None) -> ssl.SSLContext:
    """A server that knows the certificates of the authority."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    context.load_verify_locations(folder / "authority.pem")
    context.verify_mode = mode
    if version is not None:
        context.maximum_version = version
    return context


@contextmanager
def rejecting_server(tls: ssl.SSLContext) -> Iterator[str]:
    """A server that says why it ends a handshake, as OpenSSL does and asyncio doesn't."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                accepted, _ = listener.accept()
            except OSError:
                return
            with tls.wrap_socket(accepted, server_side=True, do_handshake_on_connect=False) as connection:
                with suppress(ssl.SSLError):
                    connection.do_handshake()
                with suppress(OSError):  # until the client has read the reason and hangs up
                    connection.shutdown(socket.SHUT_WR)
                    while socket.socket.recv(connection, 4096):
                        pass

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def by_certificate(request: Seen) -> Reply:
    """Knows people by their certificates."""
    if request.client:
        return Reply(body={"client": request.client})
    return Reply(401, {"error": "Show a certificate."})


def values(folder: Path, url: str, **more: str) -> dict[str, Any]:
    return {
        "screenName": "Mine",
        "baseUrl": url,
        "kind": "certificate",
        "checkUrl": "/me",
        "clientTls": "certificate",
        "clientCertificate": (folder / "client.pem").read_text(),
        "clientKey": (folder / "client.key").read_text(),
        "caCertificate": (folder / "authority.pem").read_text(),
        **more,
    }


async def request(runtime: WorkspaceRuntime, connection: Any, url: str) -> Any:
    step = StepChange(
        app_key=AppKey("http-request"),
        key="customRequest",
        connection_id=connection.id,
        parameters={"method": "GET", "url": url},
    )
    flow = await runtime.flow(CATCH, step)
    return (await runtime.backend.test_step(flow.steps[1].id)).result


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("mode", [ssl.CERT_REQUIRED, ssl.CERT_OPTIONAL])
async def test_the_service_knows_who_connects(runtime, folder, mode, version):
    async with third_party(by_certificate, server_tls(folder, mode, version)) as service:
        made = await runtime.backend.add_connection(AppKey("http"), values(folder, service.url))
        result = await request(runtime, made, "/items")

    assert made.health in (ConnectionHealth.VALID, ConnectionHealth.EXPIRES_SOON)
    assert made.expires_at is not None
    assert result.data_out["data"] == {"client": CLIENT_NAME}


async def test_it_can_accompany_other_credentials(runtime, folder):
    def both(seen: Seen) -> Reply:
        return by_certificate(seen) if seen.headers.get("authorization") == "Bearer tk-12345" else Reply(403)

    async with third_party(both, server_tls(folder, ssl.CERT_REQUIRED)) as service:
        more = {"kind": "bearer", "token": "tk-12345"}
        made = await runtime.backend.add_connection(AppKey("http"), values(folder, service.url, **more))
        result = await request(runtime, made, "/items")

    assert result.data_out["data"] == {"client": CLIENT_NAME}


def encrypted(key: str) -> str:
    private = load_pem_private_key(key.encode(), None)
    scheme = BestAvailableEncryption(PASSPHRASE.encode())
    return private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, scheme).decode()


def traditional(key: str) -> str:
    private = load_pem_private_key(key.encode(), None)
    scheme = BestAvailableEncryption(PASSPHRASE.encode())
    return private.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, scheme).decode()


@pytest.mark.parametrize("convert", [str, encrypted, traditional])
async def test_certificate_and_key_can_be_pasted_into_one_line(runtime, folder, convert):
    typed = values(folder, "", clientKeyPassphrase="" if convert is str else PASSPHRASE)
    typed["clientKey"] = convert(typed["clientKey"])
    typed |= {key: str(typed[key]).replace("\n", " ") for key in ("clientKey", "clientCertificate")}
    async with third_party(by_certificate, server_tls(folder, ssl.CERT_REQUIRED)) as service:
        made = await runtime.backend.add_connection(AppKey("http"), typed | {"baseUrl": service.url})

    assert made.verified


async def test_a_key_that_was_pasted_with_the_certificate_is_found(runtime, folder):
    typed = values(folder, "")
    typed["clientCertificate"] += typed.pop("clientKey")
    async with third_party(by_certificate, server_tls(folder, ssl.CERT_REQUIRED)) as service:
        made = await runtime.backend.add_connection(AppKey("http"), typed | {"baseUrl": service.url})
        stored = await runtime.credentials.load(made.id)

    assert "PRIVATE KEY" in stored["clientKey"]
    assert "PRIVATE KEY" not in stored["clientCertificate"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"clientCertificate": "nothing of the kind"}, "clientCertificate"),
        ({"clientCertificate": ""}, "clientCertificate"),
        ({"clientKey": "nothing of the kind"}, "clientKey"),
        ({"clientKey": ""}, "clientKey"),
        ({"clientKey": "stranger"}, "clientKey"),
        ({"clientKey": "encrypted"}, "clientKeyPassphrase"),
        ({"clientKey": "encrypted", "clientKeyPassphrase": "wrong"}, "clientKeyPassphrase"),
        ({"clientTls": "none"}, "clientTls"),
    ],
)
async def test_a_certificate_that_cannot_be_used_is_reported_at_its_field(runtime, folder, change, field):
    typed = values(folder, "https://127.0.0.1:9") | change
    if typed["clientKey"] == "stranger":
        typed["clientKey"] = (folder / "stranger.key").read_text()
    elif typed["clientKey"] == "encrypted":
        typed["clientKey"] = encrypted((folder / "client.key").read_text())

    with pytest.raises(ValidationFailed) as caught:
        await runtime.backend.add_connection(AppKey("http"), typed)

    assert list(caught.value.by_field) == [field]


async def test_a_certificate_that_the_service_does_not_know_is_rejected(runtime, folder):
    stranger = {
        "clientCertificate": (folder / "stranger.pem").read_text(),
        "clientKey": (folder / "stranger.key").read_text(),
    }
    tls = server_tls(folder, ssl.CERT_REQUIRED)
    with rejecting_server(tls) as url, pytest.raises(ThirdPartyError) as caught:
        await runtime.backend.add_connection(AppKey("http"), values(folder, url, **stranger))

    assert "rejected the client certificate" in caught.value.happened
    assert caught.value.rejects_credentials


async def test_a_service_that_asks_for_a_certificate_says_so(runtime, folder):
    key = {"kind": "bearer", "token": "tk-12345", "clientTls": "none"}
    tls = server_tls(folder, ssl.CERT_REQUIRED)
    with rejecting_server(tls) as url, pytest.raises(ThirdPartyError) as caught:
        await runtime.backend.add_connection(AppKey("http"), values(folder, url, **key))

    assert "asks for a client certificate" in caught.value.happened


async def test_a_redirect_to_another_address_of_the_host_sees_no_certificate(runtime, folder):
    tls = server_tls(folder, ssl.CERT_OPTIONAL)
    async with third_party(Reply(), tls) as other:

        def moving(seen: Seen) -> Reply:
            moved = Reply(302, headers={"Location": f"{other.url}/x"})
            return moved if seen.path == "/old" else by_certificate(seen)

        async with third_party(moving, tls) as service:
            made = await runtime.backend.add_connection(AppKey("http"), values(folder, service.url))
            await request(runtime, made, "/old")

    assert [seen.client for seen in other.seen] == [""]
    assert service.seen[-1].client == CLIENT_NAME


async def test_a_request_to_another_address_of_the_host_is_not_sent(runtime, folder):
    tls = server_tls(folder, ssl.CERT_OPTIONAL)
    async with third_party(Reply(), tls) as other, third_party(by_certificate, tls) as service:
        made = await runtime.backend.add_connection(AppKey("http"), values(folder, service.url))
        result = await request(runtime, made, f"{other.url}/x")

    assert "This connection is for" in result.error_details["happened"]
    assert other.seen == []


async def test_certificate_and_key_are_stored_encrypted_and_shown_to_nobody(runtime, folder, tmp_path):
    async with third_party(by_certificate, server_tls(folder, ssl.CERT_REQUIRED)) as service:
        made = await runtime.backend.add_connection(AppKey("http"), values(folder, service.url))
        shown = str((made, await runtime.backend.list_connections()))
    lines = {line for name in ("client.pem", "client.key") for line in (folder / name).read_text().split()}
    public = (folder / "authority.pem").read_text()
    secrets = [line for line in lines if len(line) > 40 and line not in public]

    stored = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert len(secrets) > 4
    assert not any(line in shown or line.encode() in stored for line in secrets)


def test_the_key_is_on_disk_encrypted_and_only_for_a_moment(folder, monkeypatch):
    written: list[tuple[Path, bytes]] = []

    def note(context: ssl.SSLContext, file: Path, password: bytes) -> None:
        written.append((file, file.read_bytes()))

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", note)
    key = (folder / "client.key").read_text()
    ClientCertificate((folder / "client.pem").read_text(), key).load_into(
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    )

    [(file, content)] = written
    assert b"BEGIN ENCRYPTED PRIVATE KEY" in content
    assert not any(line in content for line in key.encode().split(b"\n") if len(line) > 40)
    assert not file.exists()
    assert not file.parent.exists()


def test_nothing_of_it_is_in_a_description(folder):
    certificate = ClientCertificate(authority("A"), (folder / "client.key").read_text(), PASSPHRASE)

    assert "BEGIN" not in repr(certificate)
    assert PASSPHRASE not in repr(certificate)


async def test_an_error_of_the_certificate_names_no_secret(runtime, folder):
    typed = values(folder, "https://127.0.0.1:9", clientKey=encrypted((folder / "client.key").read_text()))
    with pytest.raises(AppError) as caught:
        await runtime.backend.add_connection(AppKey("http"), typed | {"clientKeyPassphrase": "my-wrong-one"})

    assert "my-wrong-one" not in caught.value.text()
