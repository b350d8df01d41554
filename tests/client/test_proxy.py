"""Services behind a proxy, with a real one."""

import pytest
from tests.support.certificates import write_certificates, write_self_signed
from tests.support.tiny_service import TinyProxy, TinyService

from patchbay.client.remote import RemoteBackend
from patchbay.client.service_client import ServiceClient
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import FlowId
from patchbay.domain.errors import AuthRequired, Unreachable, ValidationFailed
from patchbay.domain.remote_options import RemoteOptions, UntrustedCertificate, parse_remote_options

KEY = "very-secret-key"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")
    write_certificates(folder)
    write_self_signed(folder, "flows.example.org")
    return folder


@pytest.fixture
async def service():
    running = TinyService()
    await running.start()
    yield running
    await running.stop()


@pytest.fixture
async def proxy():
    running = TinyProxy()
    await running.start()
    yield running
    await running.stop()


async def _apps(service, options):
    asked = ServiceClient(service.address, KEY, options=options)
    try:
        return (await asked.get("/v1/apps")).many(AppInfo)
    finally:
        await asked.close()


async def test_requests_go_through_the_proxy_that_was_chosen(service, proxy):
    assert await _apps(service, parse_remote_options(proxy=proxy.address)) == ()

    assert proxy.heads[0].startswith(f"GET {service.address}/v1/apps ")
    assert len(service.heads) == 1


async def test_the_proxy_sees_nothing_of_an_encrypted_service_but_its_name(proxy, certificates):
    service = TinyService(certificates)
    await service.start()

    options = parse_remote_options(proxy=proxy.address, ca_file=str(certificates / "authority.pem"))
    assert await _apps(service, options) == ()

    assert [head.split(" ")[:2] for head in proxy.heads] == [["CONNECT", f"127.0.0.1:{service.port}"]]
    assert KEY not in "".join(proxy.heads)
    await service.stop()


async def test_a_certificate_is_shown_and_pinned_through_a_proxy(proxy, certificates):
    service = TinyService(certificates, "flows.example.org")
    await service.start()
    with pytest.raises(UntrustedCertificate) as refused:
        await _apps(service, parse_remote_options(proxy=proxy.address))

    pin = refused.value.certificate.fingerprint
    assert await _apps(service, parse_remote_options(proxy=proxy.address, pinned_sha256=pin)) == ()
    await service.stop()


@pytest.mark.parametrize("encrypted", [False, True])
async def test_a_proxy_that_asks_for_a_password_gets_it_or_says_so(certificates, encrypted):
    proxy = TinyProxy("ada", "p@ss word")
    await proxy.start()
    service = TinyService(certificates if encrypted else None)
    await service.start()
    authority = str(certificates / "authority.pem")
    address = proxy.address.replace("://", "://ada:p%40ss%20word@")

    assert await _apps(service, parse_remote_options(proxy=address, ca_file=authority)) == ()
    with pytest.raises(AuthRequired, match="requires a user name"):
        await _apps(service, parse_remote_options(proxy=proxy.address, ca_file=authority))
    assert len(service.heads) == 1
    await service.stop()
    await proxy.stop()


async def test_a_proxy_that_is_not_there_is_named(service, proxy):
    await proxy.stop()

    with pytest.raises(Unreachable, match=f"through the proxy 127.0.0.1:{proxy.port}"):
        await _apps(service, parse_remote_options(proxy=proxy.address))


async def test_a_service_on_this_computer_is_asked_without_the_proxy_of_the_system(
    service, proxy, monkeypatch
):
    monkeypatch.setenv("HTTP_PROXY", proxy.address)

    assert await _apps(service, RemoteOptions()) == ()

    assert proxy.heads == []


@pytest.mark.parametrize(("choice", "asked"), [("system", True), ("none", False)])
async def test_elsewhere_the_proxy_of_the_system_is_used_unless_none_is_wanted(
    proxy, monkeypatch, choice, asked
):
    monkeypatch.setenv("HTTP_PROXY", proxy.address)
    monkeypatch.delenv("NO_PROXY", raising=False)
    remote = RemoteBackend("http://flows.invalid:80", KEY, options=RemoteOptions(proxy=choice))

    with pytest.raises(Unreachable):
        await remote.delete_flow(FlowId("x"))

    assert bool(proxy.heads) is asked
    await remote.close()


def test_a_password_is_no_part_of_what_is_written_down():
    options = parse_remote_options(proxy="http://ada:p%40ss@proxy.example.org:3128/")

    assert (options.proxy, options.proxy_password) == ("http://ada@proxy.example.org:3128", "p@ss")
    assert "p@ss" not in f"{options!r} {options.wire()} {options.model_dump()}"


@pytest.mark.parametrize(
    "typed", ["socks5://proxy:1080", "http://", "proxy", "http://proxy:port", "http://proxy:99999"]
)
def test_what_is_no_address_of_a_proxy_is_refused(typed):
    with pytest.raises(ValidationFailed) as refused:
        parse_remote_options(proxy=typed)

    assert list(refused.value.by_field) == ["proxy"]


def test_an_address_without_a_scheme_is_that_of_a_plain_proxy():
    assert parse_remote_options(proxy="proxy.example.org:3128").proxy == "http://proxy.example.org:3128"
