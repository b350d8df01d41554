"""Servers whose certificate no known authority signed: connected through the program, over real TLS."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support.app_calls import built_in_app
from tests.support.certificates import authority, sha256_of, write_certificates, write_self_signed
from tests.support.counterparty import GOOD_KEY, Counterparty
from tests.support.kept_connection import add_words
from tests.support.patience import PATIENCE
from tests.support.processes import Done, Interface, Service

from patchbay.domain.errors import ValidationFailed
from patchbay.domain.fields import TRUSTED_CERTIFICATE
from patchbay.domain.outgoing import OutgoingMode
from patchbay.domain.remote_options import UntrustedCertificate
from patchbay.integration.context import Context, CurrentAuth
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.outgoing_addresses import OutgoingGuard
from patchbay.service.verification import merge_form_values


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates")
    write_certificates(folder)
    for name in ("nas", "other"):
        write_self_signed(folder, name)
    return folder


@pytest.fixture
def party(certificates: Path) -> Iterator[Counterparty]:
    """A server that shows a self-signed certificate, made out for another name at that."""
    with Counterparty(certificate=certificates / "nas.pem") as running:
        yield running


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("served")
    passphrase = folder / "passphrase"
    passphrase.write_text("correct horse battery staple")
    passphrase.chmod(0o600)
    with Service(folder / "data", "--passphrase-file", str(passphrase)) as running:
        yield running


def add(service: Service, party: Counterparty, *more: str) -> Done:
    return service.command(*add_words(party), *more, stdin=f"{party.key}\n")


def test_a_self_signed_certificate_is_shown_and_nothing_is_sent(service, party, certificates):
    refused = add(service, party)

    assert (refused.code, refused.out) == (1, "")
    assert f"--trust-certificate {sha256_of(certificates / 'nas.pem')}" in refused.err
    assert "127.0.0.1" in refused.err
    assert party.seen == []
    assert service.command("connection", "list", "--json").json == []


def test_a_certificate_is_trusted_by_its_fingerprint(service, party, certificates):
    added = add(service, party, "--trust-certificate", sha256_of(certificates / "nas.pem"))

    assert added.code == 0, added.err
    assert service.command("connection", "test", added.json["id"]).code == 0
    assert party.paths() == ["/api/v1/systeminfo", "/api/v1/systeminfo"]


def test_another_certificate_than_the_trusted_one_is_refused(service, party, certificates):
    refused = add(service, party, "--trust-certificate", sha256_of(certificates / "other.pem"))

    assert refused.code == 1
    assert "has changed" in refused.err
    assert sha256_of(certificates / "nas.pem") in refused.err
    assert party.seen == []


def test_a_file_with_the_certificate_of_an_authority_is_enough(service, certificates):
    with Counterparty(certificate=certificates / "server.pem") as party:
        added = add(service, party, "--trust-authority", str(certificates / "authority.pem"))

        assert added.code == 0, added.err
        assert service.command("connection", "test", added.json["id"]).code == 0


@pytest.mark.parametrize("option", ["--trust-authority", "--trust-certificate"])
def test_an_invalid_certificate_is_reported(service, party, tmp_path, option):
    file = tmp_path / "no.pem"
    file.write_text("hello")
    given = {"--trust-authority": str(file), "--trust-certificate": "AB:CD"}[option]

    refused = add(service, party, option, given)

    assert refused.code == 1
    assert "can't be read" in refused.err
    assert party.seen == []


def test_apps_with_a_fixed_address_have_no_certificates_to_trust(service):
    words = ("connection", "add", "--app", "better-stack", "--secret-stdin", "apiKey")
    refused = service.command(*words, "--trust-certificate", "AB", stdin="key\n")

    assert refused.code == 2
    assert "no setting for certificates" in refused.err


def test_trust_is_not_carried_to_another_address(service, party, certificates):
    """Neither when it isn't mentioned, nor as it stood in the form: it is bound to its host."""
    added = add(service, party, "--trust-certificate", sha256_of(certificates / "nas.pem"))
    path = f"/v1/connections/{added.json['id']}/verify"
    with closing(Interface(service)) as interface, Counterparty(certificate=party.certificate) as other:
        shown = interface.data(f"/v1/connections/{added.json['id']}")["formattedData"]
        pin = {TRUSTED_CERTIFICATE: shown[TRUSTED_CERTIFICATE]}
        elsewhere = other.address.replace("127.0.0.1", "localhost")
        for values in ({"instanceUrl": other.address}, {"instanceUrl": elsewhere, **pin}):
            answer = interface.http.post(path, json={"formattedData": {"apiKey": GOOD_KEY, **values}})

            assert answer.json()["meta"]["type"] == "UntrustedCertificate", answer.text
        assert other.seen == []


def test_trusting_a_certificate_later_asks_for_the_secrets_again(service, certificates):
    """It changes how well they are protected on the way."""
    with Counterparty() as plain:
        added = add(service, plain)
    path = f"/v1/connections/{added.json['id']}/verify"
    pin = sha256_of(certificates / "nas.pem")
    with closing(Interface(service)) as interface:
        answer = interface.http.post(path, json={"formattedData": {TRUSTED_CERTIFICATE: pin}})

    assert answer.status_code == httpx.codes.UNPROCESSABLE_ENTITY
    assert list(answer.json()["errors"]) == ["apiKey"]


async def test_trust_and_blocked_addresses_hold_together(certificates):
    """The certificate is trusted only where an address may be called at all."""
    with Counterparty(certificate=certificates / "nas.pem") as party:
        data = {"instanceUrl": party.address, "apiKey": GOOD_KEY}
        guard = OutgoingGuard(OutgoingMode.EVERYBODY)
        guard.configure(OutgoingMode.EVERYBODY, ["127.0.0.1"])
        factory = HttpFactory(timeout=PATIENCE, network=guard)
        app = built_in_app("changedetection")

        def context(**more: Any) -> Context:
            return Context(
                app=app,
                auth=CurrentAuth(data={**data, **more}),
                http_factory=factory,
                now=0,
                network=guard.strictest,
            )

        with pytest.raises(UntrustedCertificate) as caught:
            await context().http.get("/api/v1/systeminfo")
        assert caught.value.host == "127.0.0.1"
        pin = f"127.0.0.1 {caught.value.certificate.fingerprint}"
        answer = await context(trustedCertificate=pin).http.get("/api/v1/systeminfo")
        await factory.aclose()

    assert answer.status == httpx.codes.OK
    assert len(party.seen) == 1


def test_several_hosts_may_each_have_a_certificate():
    app, values = built_in_app("http"), {"screenName": "H", "baseUrl": "https://nas", "checkUrl": "/me"}
    values |= {"kind": "bearer", "token": "t"}
    two = f"NAS SHA256:{'AB' * 32}; sso.local {'cd' * 32}"

    assert merge_form_values(app, {**values, TRUSTED_CERTIFICATE: two})[TRUSTED_CERTIFICATE] == (
        f"nas {'ab' * 32}; sso.local {'cd' * 32}"
    )
    assert (
        merge_form_values(app, {**values, TRUSTED_CERTIFICATE: "ab" * 32})[TRUSTED_CERTIFICATE]
        == f"nas {'ab' * 32}"
    )
    pem = authority("Mine")
    assert merge_form_values(app, {**values, "caCertificate": " ".join(pem.split())})["caCertificate"]
    for wrong in ({TRUSTED_CERTIFICATE: "nas ab"}, {"caCertificate": "-----BEGIN CERTIFICATE-----"}):
        with pytest.raises(ValidationFailed) as caught:
            merge_form_values(app, {**values, **wrong})
        assert list(caught.value.by_field) == list(wrong)
