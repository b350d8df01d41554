"""Addresses inside the network are blocked: whatever their spelling, after DNS, and on every redirect."""

import asyncio
import ipaddress
import socket
from dataclasses import replace
from typing import Any

import httpx
import pytest
from tests.support.app_calls import built_in_action, built_in_app, context
from tests.support.eavesdropper import eavesdropper
from tests.support.patience import PATIENCE
from tests.support.third_party import Reply, third_party

from patchbay.domain.base import FlowId
from patchbay.domain.errors import Forbidden, Unreachable, ValidationFailed
from patchbay.domain.outgoing import (
    OutgoingMode,
    block_reason,
    is_loopback,
    parse_allow_list,
    validate_entries,
)
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.http_transport import CheckedTransport
from patchbay.integration.outgoing_addresses import OutgoingGuard, connect_to_first, is_own_address

SPELLINGS = (
    "127.0.0.1",
    "127.1",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0.0.0.0",
    "0",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "127。0。0。1",
    "①②⑦.0.0.1",
)
BLOCKED = {
    "127.0.0.1": "loopback", "::1": "loopback", "::ffff:127.0.0.1": "loopback", "::127.0.0.1": "loopback",
    "::ffff:0:7f00:1": "loopback", "64:ff9b::7f00:1": "loopback", "64:ff9b:1::a00:1": "private",
    "2002:7f00:1::": "loopback", "2002:c0a8:101::1": "private", "2001:0:7f00:1::": "loopback",
    "2001:0:4136:e378:8000:63bf:80ff:fffe": "loopback", "fe80::5efe:10.0.0.1": "private",
    "2a00::200:5efe:a00:1": "private", "0.0.0.0": "this computer", "0.1.2.3": "this computer",
    "::": "this computer", "10.1.2.3": "private", "172.16.0.1": "private", "172.31.255.255": "private",
    "192.168.0.1": "private", "fc00::1": "private", "fd12:3456::1": "private", "fec0::1": "private",
    "169.254.1.1": "link-local", "fe80::1": "link-local", "100.64.0.1": "carrier-grade",
    "100.127.255.255": "carrier-grade", "224.0.0.1": "multicast", "ff02::1": "multicast",
    "240.0.0.1": "reserved", "255.255.255.255": "reserved", "192.0.2.1": "reserved",
    "198.18.0.1": "reserved", "198.51.100.7": "reserved", "203.0.113.7": "reserved",
    "2001:db8::1": "reserved", "100::1": "reserved", "192.0.0.1": "reserved", "4000::1": "reserved",
    "169.254.169.254": "metadata", "fd00:ec2::254": "metadata", "100.100.100.200": "metadata",
    "168.63.129.16": "metadata", "::ffff:169.254.169.254": "metadata", "64:ff9b::a9fe:a9fe": "metadata",
}  # fmt: skip
PUBLIC = ("1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "2a00:1450::1",
          "64:ff9b::808:808", "::ffff:8.8.8.8", "2002:808:808::1")  # fmt: skip
APPS: dict[str, Any] = {
    "changedetection": {"instanceUrl": "URL", "apiKey": "k"},
    "redmine": {"instanceUrl": "URL", "apiKey": "k"},
    "http": {"kind": "bearer", "baseUrl": "URL", "checkUrl": "/me", "token": "k"},
    "caldav": {"serverUrl": "URL", "username": "ann", "password": "k"},
    "smtp": {"host": "127.0.0.1", "port": "PORT", "useTls": False},
    "imap": {"host": "127.0.0.1", "port": "PORT", "useTls": False, "username": "ann", "password": "k"},
    "postgresql": {
        "host": "127.0.0.1",
        "port": "PORT",
        "enableSsl": "false",
        "database": "d",
        "user": "u",
        "password": "k",
    },
    "mysql": {
        "host": "127.0.0.1",
        "port": "PORT",
        "enableSsl": "false",
        "database": "d",
        "user": "u",
        "password": "k",
    },
}


@pytest.fixture
async def factory():
    made = HttpFactory(timeout=PATIENCE, network=OutgoingGuard(mode=OutgoingMode.EVERYBODY))
    yield made
    await made.aclose()


async def request(factory: HttpFactory, url: str, **headers: str) -> Any:
    rows = [{"key": name, "value": value} for name, value in headers.items()]
    ctx = context("http-request", {"method": "GET", "url": url, "headers": rows}, http_factory=factory)
    await built_in_action("http-request", "customRequest").run(ctx)
    return ctx.action_output


@pytest.mark.parametrize(("address", "kind"), BLOCKED.items())
def test_blocked_addresses_are_reported_by_kind(address, kind):
    assert kind in (block_reason(ipaddress.ip_address(address)) or "it is not blocked")


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_not_blocked(address):
    assert block_reason(ipaddress.ip_address(address)) is None


@pytest.mark.parametrize("spelling", SPELLINGS)
async def test_no_spelling_of_loopback_is_called(factory, spelling):
    async with third_party(Reply(body={})) as inside:
        port = inside.url.rpartition(":")[2]
        with pytest.raises((Forbidden, ValidationFailed, Unreachable)):
            await request(factory, f"http://{spelling}:{port}/")

        assert inside.seen == []


@pytest.mark.parametrize("name", ["metadata.google.internal", "METADATA.google.internal.", "instance-data"])
async def test_names_of_metadata_are_blocked_wherever_they_lead(factory, name):
    async def resolve(host: str, port: int) -> list[str]:
        return ["8.8.8.8"]

    factory.network.resolve = resolve
    with pytest.raises(Forbidden, match="are blocked"):
        await request(factory, f"http://{name}/computeMetadata/v1/")


async def test_a_redirect_does_not_lead_inside(factory):
    async with third_party(Reply(body={"secret": 1})) as inside:
        port = inside.url.rpartition(":")[2]
        away = Reply(302, headers={"Location": f"http://localhost:{port}/admin"})
        async with third_party(away) as outside:
            factory.network.allowed = parse_allow_list([outside.url.removeprefix("http://")])
            with pytest.raises(Forbidden):
                await request(factory, outside.url)

            assert (len(outside.seen), inside.seen) == (1, [])


async def test_a_name_that_changes_its_address_is_resolved_once(factory):
    """DNS rebinding: the first answer is public, every later one leads inside."""
    asked = []

    async def rebinding(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["192.0.2.1" if len(asked) == 1 else "127.0.0.1"]

    async with third_party(Reply(body={})) as inside:
        port = int(inside.url.rpartition(":")[2])
        factory.network.resolve = rebinding
        factory.network.allowed = parse_allow_list(["192.0.2.0/24"])  # stands for the world outside
        connected = []

        async def connect(self, host, *_):
            connected.append(host)
            raise OSError("nobody is there")

        async with factory.client_for(factory.network.strictest) as client:
            backend = client._transport._direct._pool._network_backend
        backend._inner = type("Inner", (), {"connect_tcp": connect})()
        with pytest.raises(OSError, match="nobody"):
            await request(factory, f"http://rebind.example:{port}/")
        with pytest.raises(Forbidden, match="are blocked"):
            await request(factory, f"http://rebind.example:{port}/")

        assert (connected, inside.seen) == (["192.0.2.1"], [])


async def test_a_client_of_earlier_rules_is_closed_after_its_last_call(factory):
    policy = factory.network.strictest
    async with factory.client_for(policy) as first, factory.client_for(policy) as second:
        factory.network.set_open_to_others(True)
        async with factory.client_for(policy) as newer:
            pass
        still_open = not first.is_closed

    assert first is second
    assert newer is not first
    assert (still_open, first.is_closed, newer.is_closed) == (True, True, False)


async def test_an_unused_client_of_earlier_rules_is_closed_at_once(factory):
    policy = factory.network.strictest
    async with factory.client_for(policy) as first:
        pass
    factory.network.set_open_to_others(True)

    async with factory.client_for(policy):
        closed = first.is_closed

    assert closed


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("[::1]", True),
        ("::ffff:127.0.0.1", True),
        ("foo.localhost", False),
        ("10.0.0.1", False),
        ("example.org", False),
        ("", False),
        ("0.0.0.0", False),
    ],
)
def test_a_host_is_loopback_only_where_it_means_this_computer_everywhere(host, expected):
    assert is_loopback(host) is expected


async def test_of_several_addresses_only_those_outside_are_used():
    async def both(host: str, port: int) -> list[str]:
        return ["127.0.0.1", "10.0.0.1", "8.8.8.8", "::1"]

    guard = OutgoingGuard(mode=OutgoingMode.EVERYBODY, resolve=both)

    assert await guard.strictest.addresses_of("mixed.example", 80) == ["8.8.8.8"]


async def test_the_error_says_what_why_and_what_to_do(factory):
    with pytest.raises(Forbidden) as refused:
        await request(factory, "http://localhost:1/")

    assert refused.value.happened.startswith("Requests to localhost are blocked")
    assert "127.0.0.1, a loopback address" in refused.value.meaning or "::1" in refused.value.meaning
    assert "--allow-address localhost" in refused.value.todo


@pytest.mark.parametrize("app_key", APPS)
async def test_no_app_connects_to_an_address_inside(factory, app_key):
    """Each protocol opens connections in its own way."""
    async with eavesdropper() as ears:
        values = {"URL": ears.url, "PORT": str(ears.port)}
        data = {
            key: values.get(value, value) if isinstance(value, str) else value
            for key, value in APPS[app_key].items()
        }
        ctx = context(app_key, {}, data={"screenName": "X", **data}, http_factory=factory)

        with pytest.raises(Forbidden):
            await built_in_app(app_key).auth.verify_credentials(ctx)

        assert ears.calls == 0


@pytest.mark.parametrize("host", ["/var/run/postgresql", "@abstract", "/tmp"])
async def test_databases_are_not_reached_over_sockets_of_this_computer(factory, host):
    data = {"host": host, "port": "5432", "database": "d", "user": "u", "password": "k"}
    ctx = context("postgresql", {}, data=data, http_factory=factory)

    with pytest.raises(Forbidden, match="are blocked"):
        await built_in_app("postgresql").auth.verify_credentials(ctx)


@pytest.mark.parametrize(("key", "begin"), [("tokenUrl", False), ("deviceUrl", True)])
async def test_addresses_of_a_sign_in_are_checked(factory, key, begin):
    async with eavesdropper() as ears:
        data = {
            "kind": "device" if begin else "oauth2",
            key: ears.url,
            "clientId": "c",
            "refreshToken": "r",
            "authorizeUrl": "",
        }
        ctx = context("http", {}, data=data, http_factory=factory)
        auth = built_in_app("http").auth
        with pytest.raises(Forbidden):
            await (auth.generate_auth_url if begin else auth.refresh_token)(ctx)

        assert ears.calls == 0


@pytest.mark.parametrize("entry", ["127.0.0.1", "127.0.0.0/8", "127.0.0.1:PORT", "localhost", "*.localhost"])
async def test_the_allow_list_lets_calls_through(factory, entry):
    async with third_party(Reply(body={})) as inside:
        port = inside.url.rpartition(":")[2]
        factory.network.allowed = parse_allow_list([entry.replace("PORT", port)])
        host = {"localhost": "localhost", "*.localhost": "a.localhost"}.get(entry, "127.0.0.1")
        if host == "a.localhost" and not _resolves(host):
            host, factory.network.allowed = "127.0.0.1", parse_allow_list(["127.0.0.1"])
        await request(factory, f"http://{host}:{port}/")

        assert len(inside.seen) == 1


def _resolves(host: str) -> bool:
    try:
        return bool(socket.getaddrinfo(host, 80))
    except OSError:
        return False


async def test_an_entry_with_a_port_allows_no_other_port(factory):
    async with third_party(Reply(body={})) as inside:
        factory.network.allowed = parse_allow_list(["127.0.0.1:1", "localhost:1"])
        with pytest.raises(Forbidden):
            await request(factory, inside.url)


async def test_a_connection_that_an_admin_opened_is_not_used_by_others():
    factory = HttpFactory(timeout=PATIENCE, network=OutgoingGuard(mode=OutgoingMode.MEMBERS))
    guard = factory.network

    async def full(flow_id: object, connection_id: object, known: bool) -> bool:
        return flow_id == "of an admin"

    guard.has_full_rights = full
    async with third_party(Reply(body={})) as inside:
        parameters = {"method": "GET", "url": inside.url}
        run = built_in_action("http-request", "customRequest").run
        ctx = context("http-request", parameters, http_factory=factory)
        await run(replace(ctx, network=await guard.policy(flow_id=FlowId("of an admin"))))
        with pytest.raises(Forbidden):
            await run(replace(ctx, network=await guard.policy(flow_id=FlowId("of an editor"))))

        assert len(inside.seen) == 1
    await factory.aclose()


async def test_a_change_of_the_rules_holds_for_the_next_call(factory):
    async with third_party(Reply(body={})) as inside:
        factory.network.configure(OutgoingMode.EVERYBODY, ["127.0.0.1"])
        await request(factory, inside.url)
        factory.network.configure(OutgoingMode.EVERYBODY, [])
        with pytest.raises(Forbidden):
            await request(factory, inside.url)

        assert len(inside.seen) == 1


async def test_the_service_is_not_called_under_its_own_names(factory):
    async def public(host: str, port: int) -> list[str]:
        return ["8.8.8.8"]

    factory.network.own_hosts = lambda: ("flows.example.org",)
    factory.network.resolve = public
    for url in ("https://flows.example.org/v1/keys", "https://FLOWS.example.org./"):
        with pytest.raises(Forbidden, match="are blocked"):
            await request(factory, url)


async def test_a_host_header_does_not_lead_to_another_site(factory):
    async with third_party(Reply(body={})) as front:
        factory.network.allowed = parse_allow_list(["127.0.0.1"])
        with pytest.raises(Forbidden, match="Host header"):
            await request(factory, front.url, Host="flows.example.org")

        assert front.seen == []


def test_addresses_of_this_computers_interfaces_are_its_own():
    assert is_own_address(ipaddress.ip_address("127.0.0.1"))
    assert not is_own_address(ipaddress.ip_address("8.8.8.8"))


@pytest.mark.parametrize("proxied", ["http_proxy", "all_proxy"])
async def test_the_proxy_gets_no_request_for_an_internal_address(factory, proxied, monkeypatch):
    async with third_party(Reply(body={})) as proxy:
        monkeypatch.setenv(proxied, proxy.url)
        monkeypatch.setenv("no_proxy", "")
        with pytest.raises(Forbidden):
            await request(factory, "http://10.0.0.1/")
        assert proxy.seen == []

        await request(factory, "http://1.1.1.1/")

        assert proxy.seen[0].target == "http://1.1.1.1/"


async def test_a_dead_address_does_not_hold_up_the_next():
    async def connect(address: str) -> str:
        if address == "dead":
            await asyncio.sleep(3600)
        if address == "refused":
            raise OSError("refused")
        return address

    async def close(address: str) -> None:
        raise AssertionError("only one was connected")

    async with asyncio.timeout(PATIENCE):
        assert await connect_to_first(["dead", "refused", "alive"], connect, close) == "alive"
    with pytest.raises(OSError, match="refused"):
        await connect_to_first(["refused", "refused"], connect, close)


def test_a_version_of_httpx_that_would_skip_the_checks_is_refused(monkeypatch):
    class Renamed(httpx.AsyncHTTPTransport):
        def __init__(self, **given):
            super().__init__(**given)
            self._connection_pool = self.__dict__.pop("_pool")

    monkeypatch.setattr(httpx, "AsyncHTTPTransport", Renamed)

    with pytest.raises(RuntimeError, match="check addresses"):
        CheckedTransport(OutgoingGuard().strictest, httpx.create_ssl_context())


async def test_of_addresses_that_answer_together_one_connection_stays_open(monkeypatch):
    monkeypatch.setattr("patchbay.integration.outgoing_addresses.STAGGER_SECONDS", 0)
    all_begun = asyncio.Event()
    begun = list[str]()
    closed = list[str]()
    ended = list[str]()

    async def connect(address: str) -> str:
        begun.append(address)
        if len(begun) == 3:
            all_begun.set()
        try:
            await all_begun.wait()
            if address == "slow":
                await asyncio.sleep(3600)
        finally:
            ended.append(address)
        return address

    async def close(address: str) -> None:
        closed.append(address)

    found = await connect_to_first(["one", "two", "slow"], connect, close)

    assert sorted([found, *closed]) == ["one", "two"]
    assert sorted(ended) == ["one", "slow", "two"]


@pytest.mark.parametrize(
    "entry",
    [
        "http://a.example",
        "a/b",
        "300.1.1.1",
        "10.0.0.0/99",
        "a b",
        "*",
        "*.*.example",
        "[::1",
        "a:0",
        "a:99999",
        "-a.example",
    ],
)
def test_entries_that_are_none_are_refused(entry):
    with pytest.raises(ValidationFailed):
        validate_entries([entry])


def test_entries_are_kept_in_one_spelling():
    given = [" NAS.example.lan ", "nas.example.lan", "", "10.0.0.0/8", "[::1]:8080", "10.1.2.3:80", "*.lan"]

    assert validate_entries(given) == ("nas.example.lan", "10.0.0.0/8", "[::1]:8080", "10.1.2.3:80", "*.lan")
