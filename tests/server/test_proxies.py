"""Who calls when proxies stand between: for throttling, the audit log and the log."""

import pytest
from tests.support import patient
from tests.support.contract_workspaces import served

from patchbay.domain.audit_log import AuditFilter
from patchbay.domain.paging import PageRequest
from patchbay.server.authentication import MAX_WRONG_KEYS
from patchbay.server.proxies import TrustedProxies, parse_networks

NEAR = TrustedProxies(parse_networks(["127.0.0.1", "10.0.0.0/8", "fd00::/8"]))
STANDARD = TrustedProxies(NEAR.networks, "forwarded")


def client(peer: str, *values: str, proxies: TrustedProxies = NEAR) -> str:
    return proxies.client(peer, [(proxies.header.encode(), value.encode("latin-1")) for value in values])


@pytest.mark.parametrize(
    ("peer", "values", "address"),
    [
        ("127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["198.51.100.1, 203.0.113.9, 10.1.2.3"], "203.0.113.9"),
        ("127.0.0.1", ["198.51.100.1", "203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["203.0.113.9:4711"], "203.0.113.9"),
        ("127.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
        ("127.0.0.1", ["2001:db8::1"], "2001:db8::1"),
        ("::ffff:127.0.0.1", ["::ffff:203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["10.9.9.9, 10.1.2.3"], "10.9.9.9"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", [""], "127.0.0.1"),
        ("127.0.0.1", ["203.0.113.9, nonsense"], "127.0.0.1"),
        ("127.0.0.1", ["nonsense, 10.1.2.3"], "10.1.2.3"),
        ("127.0.0.1", ["203.0.113.9, fe80::1%\x1b[31m"], "127.0.0.1"),
        ("127.0.0.1", ["203.0.113.9, " + "," * 20_000], "127.0.0.1"),
        ("127.0.0.1", ["1" * 20_000], "127.0.0.1"),
        ("203.0.113.5", ["198.51.100.1"], "203.0.113.5"),
        ("somewhere", ["198.51.100.1"], "somewhere"),
    ],
)
def test_the_right_most_address_that_is_no_trusted_proxy_calls(peer, values, address):
    assert client(peer, *values) == address


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("for=203.0.113.9", "203.0.113.9"),
        ('for=198.51.100.1, For="203.0.113.9:80";proto=https;by=10.0.0.1', "203.0.113.9"),
        ('for="[2001:db8::1]:80"', "2001:db8::1"),
        ("for=unknown", "127.0.0.1"),
        ("for=_hidden", "127.0.0.1"),
        ("proto=https", "127.0.0.1"),
        ('for="203.0.113.9', "127.0.0.1"),
        ("for=" * 5000, "127.0.0.1"),
    ],
)
def test_the_standard_header_is_read_where_it_was_chosen(value, address):
    assert client("127.0.0.1", value, proxies=STANDARD) == address


def test_a_header_that_was_not_chosen_is_not_believed():
    headers = [(b"forwarded", b"for=198.51.100.1"), (b"x-real-ip", b"198.51.100.2")]

    assert NEAR.client("127.0.0.1", headers) == "127.0.0.1"


@pytest.mark.parametrize("text", ["proxy.example.org", "", "10.0.0.0/99", "*"])
def test_proxies_are_addresses_or_networks(text):
    with pytest.raises(ValueError, match="does not appear"):
        parse_networks([text])


async def test_wrong_keys_behind_a_proxy_delay_only_their_sender(runtime, caplog):
    async with (
        served(runtime, proxies=NEAR) as service,
        patient.AsyncClient(base_url=service.base_url) as proxy,
    ):
        guesses = {"x-forwarded-for": "198.51.100.1, 203.0.113.9", "x-api-token": "0" * 96}
        answers = [await proxy.get("/v1/flows", headers=guesses) for _ in range(MAX_WRONG_KEYS + 1)]
        spoofed = await proxy.get("/v1/flows", headers={**guesses, "x-forwarded-for": "6.6.6.6, 203.0.113.9"})
        other = await proxy.get("/v1/flows", headers={**guesses, "x-forwarded-for": "203.0.113.10"})
        right = {"x-api-token": service.key}
        beside = await proxy.get("/v1/flows", headers={**right, "x-forwarded-for": "203.0.113.10"})
        throttled = {**right, "x-forwarded-for": "203.0.113.9"}
        same = await proxy.post("/v1/folders", headers=throttled, json={"name": "a"})
        entries = await runtime.backend.audit_log(AuditFilter(), PageRequest())

    assert [answer.status_code for answer in answers] == [401] * MAX_WRONG_KEYS + [429]
    assert (spoofed.status_code, other.status_code) == (429, 401)
    assert (beside.status_code, same.status_code) == (200, 201)
    assert "invalid keys from 203.0.113.9" in caplog.text
    assert entries.items[0].actor.address == "203.0.113.9"


async def test_without_trusted_proxies_nothing_is_believed(runtime, caplog):
    async with served(runtime) as service, patient.AsyncClient(base_url=service.base_url) as anybody:
        for number in range(MAX_WRONG_KEYS):
            headers = {"x-forwarded-for": f"203.0.113.{number}", "x-api-token": "0" * 96}
            await anybody.get("/v1/flows", headers=headers)

    assert "invalid keys from 127.0.0.1" in caplog.text
