"""Whose certificate is believed, with real servers: authorities of one's own, and exactly one certificate."""

import hashlib
import ssl

import pytest
from tests.support.certificates import write_certificates, write_self_signed
from tests.support.tiny_service import TinyService

from patchbay.client.remote import RemoteBackend
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.remote_options import (
    RemoteOptions,
    UntrustedCertificate,
    format_fingerprint,
    parse_remote_options,
)

KEY = "very-secret-key"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")
    write_certificates(folder)
    write_self_signed(folder, "flows.example.org")
    write_self_signed(folder, "renewed.example.org")
    return folder


@pytest.fixture
async def service(certificates):
    running = TinyService(certificates)
    await running.start()
    yield running
    await running.stop()


@pytest.fixture
async def self_signed(certificates):
    running = TinyService(certificates, "flows.example.org")
    await running.start()
    yield running
    await running.stop()


def _pin(certificates, name):
    text = (certificates / f"{name}.pem").read_text()
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(text)).hexdigest()


async def _apps(service, **options):
    remote = RemoteBackend(service.address, KEY, options=RemoteOptions(**options))
    try:
        return await remote.list_apps()
    finally:
        await remote.close()


async def test_a_certificate_of_an_unknown_authority_is_refused_and_shown(service):
    with pytest.raises(UntrustedCertificate, match="isn't trusted") as refused:
        await _apps(service)

    seen = refused.value.certificate
    assert seen.names == ("127.0.0.1",)
    assert (seen.subject, seen.issuer) == ("CN=127.0.0.1", "CN=Tests of Patchbay")
    assert seen.valid_until - seen.valid_from == 25 * 3600 * 1000
    assert seen.shown_fingerprint in refused.value.todo
    assert service.heads == []


async def test_with_the_file_of_its_authority_it_is_believed(service, certificates):
    assert await _apps(service, ca_file=str(certificates / "authority.pem")) == ()


async def test_the_file_may_be_in_binary_form(service, certificates, tmp_path):
    text = (certificates / "authority.pem").read_text()
    (tmp_path / "authority.crt").write_bytes(ssl.PEM_cert_to_DER_cert(text))

    assert await _apps(service, ca_file=str(tmp_path / "authority.crt")) == ()


@pytest.mark.parametrize("content", [None, b"", b"hello", b"-----BEGIN CERTIFICATE-----\nxx\n"])
async def test_a_file_without_a_certificate_is_reported(service, tmp_path, content):
    if content is not None:
        (tmp_path / "authority.pem").write_bytes(content)

    with pytest.raises(ValidationFailed, match=r"authority\.pem") as refused:
        await _apps(service, ca_file=str(tmp_path / "authority.pem"))

    assert list(refused.value.by_field) == ["caFile"]
    assert service.connections == 0


async def test_the_fingerprint_that_was_shown_can_be_trusted_then(self_signed):
    with pytest.raises(UntrustedCertificate) as refused:
        await _apps(self_signed)
    assert refused.value.certificate.names == ("flows.example.org",)

    pinned = refused.value.certificate.fingerprint
    assert await _apps(self_signed, pinned_sha256=pinned) == ()


async def test_another_certificate_than_the_pinned_one_is_refused_even_from_a_known_authority(
    service, certificates
):
    pinned = _pin(certificates, "flows.example.org")

    with pytest.raises(UntrustedCertificate, match="isn't the one you trust") as refused:
        await _apps(service, pinned_sha256=pinned, ca_file=str(certificates / "authority.pem"))

    assert refused.value.pinned == pinned
    assert format_fingerprint(pinned) in refused.value.meaning
    assert refused.value.certificate.shown_fingerprint in refused.value.todo
    assert refused.value.certificate.fingerprint == _pin(certificates, "server")
    assert service.heads == []


async def test_a_certificate_that_changes_while_it_is_used_is_noticed_at_the_next_connection(
    self_signed, certificates
):
    pin = _pin(certificates, "flows.example.org")
    remote = RemoteBackend(self_signed.address, KEY, options=RemoteOptions(pinned_sha256=pin))
    assert await remote.list_apps() == ()
    asked = len(self_signed.heads)
    await self_signed.stop()
    self_signed.show(certificates, "renewed.example.org")
    await self_signed.start()

    with pytest.raises(UntrustedCertificate, match="isn't the one you trust"):
        await remote.list_apps()

    assert len(self_signed.heads) == asked
    await remote.close()


async def test_a_refused_certificate_is_not_tried_again(service):
    with pytest.raises(UntrustedCertificate):
        await _apps(service)

    assert service.connections <= 2  # once to ask, once to look at the certificate


@pytest.mark.parametrize("typed", ["AB" * 32, ":".join(["aB"] * 32), " SHA256:" + "ab " * 32])
def test_fingerprints_are_accepted_in_every_common_form(typed):
    assert parse_remote_options(pinned_sha256=typed).pinned_sha256 == "ab" * 32


def test_what_is_no_fingerprint_is_refused():
    with pytest.raises(ValidationFailed) as refused:
        parse_remote_options(pinned_sha256="abcd")

    assert list(refused.value.by_field) == ["pinnedSha256"]
