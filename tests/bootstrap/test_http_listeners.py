"""HTTP listeners: one port or two, base path, TLS, and addresses for this and other computers."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest
from tests.support import patient
from tests.support.certificates import write_certificates
from tests.support.desk import desk, tools
from tests.support.patience import PATIENCE
from tests.support.ports import free_port

from patchbay.bootstrap import http_server
from patchbay.bootstrap.listen_options import ListenOptions, listen_options_from
from patchbay.bootstrap.local import open_and_run, open_local
from patchbay.bootstrap.workspace_runtime import WorkspaceRuntime, open_runtime
from patchbay.client.remote import RemoteBackend
from patchbay.domain.clock import now_ms
from patchbay.domain.errors import AppError, Conflict, ValidationFailed
from patchbay.domain.hosting import ServiceSettings
from patchbay.integration.registry import AppRegistry
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Service, Settings
from patchbay.server.listening_socket import bind
from patchbay.service.key_stores import MemoryKeyStore

ANY = ListenOptions(port=0)
OUTSIDE = (f"/webhooks/flows/{uuid4()}", "/oauth/callback", "/webhooks/self-test/x")


@pytest.fixture
async def runtime(tmp_path) -> AsyncIterator[WorkspaceRuntime]:
    apps = AppRegistry([desk, tools], base_url="http://here", docs_url="http://docs")
    opened = await open_runtime(tmp_path / "patchbay.db", apps, MemoryKeyStore(), now_ms)
    await opened.start()
    yield opened
    await opened.close(grace=0)


@pytest.fixture
def pem(tmp_path) -> Path:
    write_certificates(tmp_path)
    return tmp_path


async def statuses(address: str, *paths: str, **options: Any) -> list[int]:
    async with patient.AsyncClient(base_url=address, **options) as client:
        return [(await client.get(path)).status_code for path in paths]


async def test_everything_is_served_on_one_port_by_default(runtime):
    http_listeners = await runtime.listen(ANY)

    assert http_listeners.address == http_listeners.webhooks == http_listeners.local
    assert await statuses(http_listeners.address, "/v1/flows", *OUTSIDE) == [401, 404, 400, 404]


async def test_on_demand_the_http_server_is_created_at_the_first_connection(runtime):
    http_listeners = await runtime.listen(ANY, on_demand=True)
    started_before = [listener.is_started for listener in http_listeners.listeners]

    found = await statuses(http_listeners.address, "/v1/flows", *OUTSIDE)

    assert started_before == [False]
    assert found == [401, 404, 400, 404]
    assert [listener.is_started for listener in http_listeners.listeners] == [True]


async def test_on_demand_simultaneous_first_connections_to_both_ports_are_all_answered(runtime):
    http_listeners = await runtime.listen(ListenOptions(port=0, webhook_port=free_port()), on_demand=True)

    found = await asyncio.gather(
        *(statuses(http_listeners.address, "/v1/flows") for _ in range(3)),
        *(statuses(http_listeners.webhooks, "/v1/flows") for _ in range(3)),
    )

    assert found == [*([[401]] * 3), *([[404]] * 3)]


async def test_a_listener_that_was_never_called_frees_its_port(runtime):
    http_listeners = await runtime.listen(ANY, on_demand=True)
    port = urlsplit(http_listeners.address).port
    assert port is not None

    await http_listeners.stop(grace=0)

    bind("127.0.0.1", port).close()


async def test_webhooks_and_the_interface_can_have_a_port_each(runtime):
    http_listeners = await runtime.listen(ListenOptions(port=0, webhook_port=0))

    assert http_listeners.webhooks != http_listeners.address
    assert await statuses(http_listeners.address, "/v1/flows", "/healthcheck", "/docs") == [401, 200, 200]
    strange = ("/v1/flows", "/docs", "/openapi.json", "/metrics", "/accept-invitation")
    assert await statuses(http_listeners.webhooks, *strange) == [404] * 5
    async with patient.AsyncClient() as client:
        inside = [(await client.get(http_listeners.address + path)).json()["errors"] for path in OUTSIDE]
        outside = [await client.get(http_listeners.webhooks + path) for path in OUTSIDE]
    assert all("on this server" in words["general"][0] for words in inside)
    assert "on this server" not in "".join(answer.text for answer in outside)
    info = await runtime.backend.info()
    assert (info.address, info.webhook_address) == (http_listeners.address, http_listeners.webhooks)


@pytest.mark.parametrize("named", [None, "https://inside.example.org"])
async def test_invitations_never_lead_to_an_origin_of_webhooks(runtime, named):
    await runtime.backend.change_service_settings(ServiceSettings(public_address="https://hooks.example.org"))
    http_listeners = await runtime.listen(
        ListenOptions(port=0, webhook_port=0, base_path="/api", interface_address=named)
    )

    [role, *_] = await runtime.backend.list_roles()
    made = await runtime.backend.invite("Eve", "eve@example.org", role.id)

    link = urlsplit(made.accept_invitation_url)
    assert f"{link.scheme}://{link.netloc}" == (named or http_listeners.address.removesuffix("/api"))
    host = {"host": link.netloc}
    assert await statuses(
        http_listeners.local.removesuffix("/api"), f"{link.path}?{link.query}", headers=host
    ) == [200]


async def test_the_interface_can_live_below_a_path_and_webhooks_stay_where_they_are(runtime):
    http_listeners = await runtime.listen(ListenOptions(port=0, base_path="/api"))

    assert http_listeners.address == f"{http_listeners.webhooks}/api"
    assert await statuses(http_listeners.webhooks, "/v1/flows", "/api/v1/flows", "/healthcheck") == [
        404,
        401,
        200,
    ]
    key = (await runtime.backend.create_api_key("one")).value
    remote = RemoteBackend(http_listeners.address, key)
    assert (await remote.info()).webhook_address == http_listeners.webhooks
    await remote.close()


async def test_with_a_certificate_nothing_is_said_in_the_clear(runtime, pem):
    http_listeners = await runtime.listen(
        ListenOptions(port=0, tls_cert=pem / "server.pem", tls_key=pem / "server.key")
    )

    assert http_listeners.address.startswith("https://127.0.0.1:")
    trusted = ssl.create_default_context(cafile=pem / "authority.pem")
    async with patient.AsyncClient(base_url=http_listeners.address, verify=trusted) as client:
        answer = await client.get("/healthcheck")
        named = await client.get("/healthcheck", headers={"host": "evil.example"})
    assert answer.status_code == 200
    assert "strict-transport-security" not in answer.headers  # this computer is not told to encrypt for ever
    assert named.status_code == 403
    with pytest.raises(httpx.TransportError):
        await statuses(http_listeners.address.replace("https:", "http:"), "/healthcheck")


async def test_old_versions_of_tls_are_refused(runtime, pem):
    http_listeners = await runtime.listen(
        ListenOptions(port=0, tls_cert=pem / "server.pem", tls_key=pem / "server.key")
    )
    old = ssl.create_default_context(cafile=pem / "authority.pem")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        old.maximum_version = ssl.TLSVersion.TLSv1_1

    with pytest.raises(httpx.ConnectError):
        await statuses(http_listeners.address, "/healthcheck", verify=old)


async def test_other_devices_are_asked_to_use_https_from_now_on(runtime, pem):
    await runtime.backend.change_service_settings(ServiceSettings(public_address="https://flows.example.org"))
    http_listeners = await runtime.listen(
        ListenOptions(port=0, tls_cert=pem / "server.pem", tls_key=pem / "server.key")
    )
    trusted = ssl.create_default_context(cafile=pem / "authority.pem")

    async with patient.AsyncClient(base_url=http_listeners.address, verify=trusted) as client:
        answer = await client.get("/healthcheck", headers={"host": "flows.example.org"})

    assert answer.headers["strict-transport-security"].startswith("max-age=")


async def test_programs_of_this_computer_attach_without_the_certificate(tmp_path, pem):
    paths = AppPaths.choose(tmp_path / "data")
    service = Service(
        port=0, base_path="/api", tls_cert=str(pem / "server.pem"), tls_key=str(pem / "server.key")
    )
    passphrase = tmp_path / "passphrase"
    passphrase.write_text("a long passphrase\n")
    passphrase.chmod(0o600)
    first = await open_and_run(paths, Settings(service=service), passphrase_file=str(passphrase))

    second = await open_local(paths, Settings())

    assert (first.runtime is None, second.runtime is None) == (False, True)
    assert (await second.backend.info()).webhook_address == first.runtime.listeners.webhooks
    assert first.runtime.listeners.address.startswith("https://")
    await second.close()
    await first.close(grace=0)


@pytest.mark.parametrize(
    ("cert", "key", "words"),
    [
        ("missing.pem", "server.key", "doesn't exist"),
        ("server.pem", "missing.key", "doesn't exist"),
        ("authority.pem", "server.key", "doesn't match"),
        ("server.key", "server.key", "can't be used for TLS"),
        ("server.pem", None, "can't be used for TLS"),
        ("nonsense", "nonsense", "can't be used for TLS"),
        ("server.pem", "locked.key", "is protected by a passphrase"),
    ],
)
async def test_a_certificate_that_cannot_be_used_is_reported(runtime, pem, cert, key, words):
    (pem / "nonsense").write_bytes(b"\x00\x01 nonsense")
    (pem / "locked.key").write_bytes(locked((pem / "server.key").read_bytes()))

    with pytest.raises(ValidationFailed) as refused:
        await runtime.listen(ListenOptions(port=0, tls_cert=pem / cert, tls_key=key and pem / key))

    assert words in refused.value.happened
    assert refused.value.todo
    assert runtime.listeners is None


def locked(key: bytes) -> bytes:
    from cryptography.hazmat.primitives import serialization as form

    plain = form.load_pem_private_key(key, None)
    secret = form.BestAvailableEncryption(b"secret")
    return plain.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, secret)


async def test_when_the_second_port_is_taken_the_first_is_let_go(runtime):
    taken = (await runtime.listen(ANY)).listeners
    port = int(runtime.listeners.address.rpartition(":")[2])
    free = free_port()

    with pytest.raises(Conflict):
        await runtime.listen(ListenOptions(port=free, webhook_port=port))

    with pytest.raises(httpx.ConnectError):
        await statuses(f"http://127.0.0.1:{free}", "/healthcheck")
    assert len(taken) == 1


async def test_a_window_takes_other_ports_and_says_so(runtime, tmp_path):
    first = await runtime.listen(ANY)
    port = int(first.address.rpartition(":")[2])

    second = await runtime.listen(ListenOptions(port=0, webhook_port=port), require_port=False)

    assert second.webhooks != first.address
    assert f"Port {port} is used by another program" in (runtime.workspace.notice() or "")
    await first.stop(grace=0)


async def test_on_every_address_programs_of_this_computer_use_loopback(runtime):
    http_listeners = await runtime.listen(ListenOptions(host="0.0.0.0", port=0))
    port = int(http_listeners.address.rpartition(":")[2])

    assert http_listeners.local == f"http://127.0.0.1:{port}"
    async with patient.AsyncClient(base_url=http_listeners.local) as client:
        found = [(await client.get("/healthcheck", headers={"host": host})).status_code for host in HOSTS]
        assert found == [200, 200, 200]  # nobody has said yet what others call it
        await runtime.backend.change_service_settings(
            ServiceSettings(public_address="https://flows.example.org")
        )
        found = [(await client.get("/healthcheck", headers={"host": host})).status_code for host in HOSTS]
        assert found == [200, 200, 403]


HOSTS = ("127.0.0.1", "flows.example.org", "evil.example")


@pytest.mark.parametrize(
    "wrong",
    [
        {"base_path": "/a b"},
        {"base_path": "/../x"},
        {"base_path": "/x?y"},
        {"base_path": "//x//y"},
        {"tls_key": "key.pem"},
        {"port": 8787, "webhook_port": 8787},
    ],
)
def test_what_cannot_be_listened_with_is_refused(wrong):
    with pytest.raises(AppError) as refused:
        listen_options_from(Service(**wrong))

    assert refused.value.todo


def test_a_base_path_is_written_in_one_way():
    spellings = ("", "/", "api", "/api/", "a/b")
    paths = [listen_options_from(Service(base_path=path)).base_path for path in spellings]

    assert paths == ["", "", "/api", "/api", "/a/b"]


def test_only_loopback_is_closed_to_others():
    hosts = ("127.0.0.1", "::1", "localhost", "0.0.0.0", "::", "10.0.0.1", "box")
    open_to_others = [host for host in hosts if ListenOptions(host=host).open_to_others]

    assert open_to_others == ["0.0.0.0", "::", "10.0.0.1", "box"]


class FailsOnce:
    """Stands for `HttpServerOnDemand`; it can't create a listener at first."""

    def __init__(self):
        self.failed = 0
        self.accepted: asyncio.Queue[socket.socket] = asyncio.Queue()

    def has_tls(self, served):
        return False

    async def listener(self, served, host, port):
        if not self.failed:
            self.failed += 1
            raise RuntimeError("out of memory")
        return self

    async def start(self, sock, first):
        self.accepted.put_nowait(first)

    async def stop(self, grace):
        pass


async def test_a_server_that_could_not_be_created_is_created_for_the_next_connection(monkeypatch, caplog):
    monkeypatch.setattr(http_server, "RETRY_SECONDS", 0)
    server = FailsOnce()
    listener = http_server.ListenerOnDemand(cast(Any, server), http_server.Served.INTERFACE, "127.0.0.1", 0)
    address = listener.address.removeprefix("http://").split(":")
    listener.start_at_first_connection()

    reader, writer = await asyncio.open_connection(*address)
    ended = await asyncio.wait_for(reader.read(), PATIENCE)
    second = await asyncio.open_connection(*address)
    accepted = await asyncio.wait_for(server.accepted.get(), PATIENCE)

    assert (ended, server.failed) == (b"", 1)
    assert "couldn't start" in caplog.text
    for end in (writer, second[1], accepted):
        end.close()
    await listener.stop(grace=0)
