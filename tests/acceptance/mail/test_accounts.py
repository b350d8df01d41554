"""Mail accounts at a real Postfix and Dovecot, over every kind of encryption."""

import logging
from base64 import b64encode
from typing import Any

import pytest
from tests.support.forms import long_form
from tests.support.living_flows import change, publish, runs, steps
from tests.support.mail_flows import WAYS, WRONG, connect, on_new_mail
from tests.support.mail_service import ADA, GRACE, PASSWORD, MailService, needs_mail_service
from tests.support.processes import program, run

from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.errors import DifferentAccount, ThirdPartyError, Unreachable
from patchbay.domain.executions import ExecutionState

pytestmark = needs_mail_service


@pytest.fixture
def trusted(server: MailService, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the computer knew the authority that signed the server's certificate."""
    monkeypatch.setenv("SSL_CERT_FILE", str(server.folder / "authority.pem"))


def by(ways: list[tuple[Any, ...]], short: list[tuple[Any, ...]]) -> pytest.MarkDecorator:
    """Ways to connect; those that aren't in `short` are in the long form only."""
    marked = [way if way in short else pytest.param(*way, marks=long_form) for way in ways]
    return pytest.mark.parametrize(("app", "port", "tls"), marked)


@long_form
@by(WAYS, short=[("smtp", "smtp", "starttls"), ("imap", "imap", False), ("imap", "imaps", True)])
async def test_good_credentials_are_accepted_over_every_kind_of_encryption(
    runtime, server, trusted, app, port, tls
):
    values = server.account(app, port=str(server.ports[port]), useTls=tls)

    made = await runtime.backend.add_connection(app, values)
    tested = await runtime.backend.test_connection(made.id)

    assert (made.screen_name, tested.health) == (f"Ada by {app}", ConnectionHealth.VALID)


@pytest.mark.parametrize(
    ("app", "code", "said"),
    [
        ("smtp", 535, "535 5.7.8 Error: authentication failed"),
        ("imap", "AUTHENTICATIONFAILED", "[AUTHENTICATIONFAILED] Authentication failed."),
    ],
)
async def test_a_wrong_password_is_reported_in_the_servers_words_and_nothing_is_kept(
    runtime, server, app, code, said
):
    with pytest.raises(ThirdPartyError) as refused:
        await connect(runtime, server, app, password=WRONG)

    assert said in refused.value.said
    assert isinstance(refused.value.details, dict)
    assert refused.value.details["code"] == code
    assert "user name or password" in refused.value.meaning
    assert WRONG not in repr(refused.value.extra()) + refused.value.text()
    assert await runtime.backend.list_connections() == ()


@by([way for way in WAYS if way[2]], short=[("smtp", "smtps", True), ("imap", "imap", "starttls")])
async def test_an_untrusted_certificate_is_rejected_with_a_readable_error(runtime, server, app, port, tls):
    values = server.account(app, port=str(server.ports[port]), useTls=tls)

    with pytest.raises(Unreachable) as refused:
        await runtime.backend.add_connection(app, values)

    assert "certificate" in refused.value.happened
    assert "issuer" in refused.value.meaning


@pytest.mark.parametrize("app", ["smtp", "imap"])
async def test_tls_on_a_port_without_it_says_that_they_do_not_fit(runtime, server, app):
    with pytest.raises(Unreachable) as refused:
        await connect(runtime, server, app, useTls=True)

    assert "encryption setting" in refused.value.meaning


@long_form
async def test_a_password_that_was_changed_shows_on_the_connection_and_reconnecting_mends_it(runtime, server):
    account = await connect(runtime, server, "smtp")
    server.set_password("another-one-1")
    try:
        broken = await runtime.backend.test_connection(account.id)
        values = server.account("smtp", password="another-one-1")
        mended = await runtime.backend.reconnect(account.id, values)
    finally:
        server.set_password(PASSWORD)

    assert broken.health is ConnectionHealth.NEEDS_ATTENTION
    assert "535" in str(broken.reason)
    assert mended.health is ConnectionHealth.VALID


async def test_another_account_on_the_same_connection_is_asked_about_first(runtime, server):
    account = await connect(runtime, server, "imap")

    with pytest.raises(DifferentAccount) as asked:
        await runtime.backend.reconnect(account.id, server.account("imap", username=GRACE))

    assert (ADA in asked.value.before, GRACE in asked.value.now) == (True, True)


@long_form
async def test_a_refused_step_marks_the_connection(runtime, server):
    account = await connect(runtime, server, "smtp")
    step = change("smtp", "sendEmail", account.id, fromEmail=ADA, to=GRACE, subject="Late")
    flow = await publish(runtime, change("tools", "catch"), step)
    server.set_password("another-one-1")
    try:
        await runtime.backend.run_flow(flow.id, {"start": True})
        [execution] = await runs(runtime, 1)
    finally:
        server.set_password(PASSWORD)

    marked = await runtime.backend.get_connection(account.id)
    assert execution.state is ExecutionState.FAILURE
    assert marked.health is ConnectionHealth.NEEDS_ATTENTION
    assert "535" in str(marked.reason)


@long_form
def test_accounts_are_connected_from_a_terminal(server, tmp_path):
    passphrase = tmp_path / "passphrase"
    passphrase.write_text("correct horse")
    passphrase.chmod(0o600)

    def add(app: str, password: str) -> list[str]:
        fields = {**server.account(app), "useTls": "false"}
        words = [f"--field={key}={value}" for key, value in fields.items() if key != "password"]
        command = ["connection", "add", "--app", app, *words, "--secret-stdin", "password", "--json"]
        return program("--passphrase-file", passphrase, *command, data=tmp_path / "data")

    good = [run(add(app, PASSWORD), stdin=f"{PASSWORD}\n") for app in ("smtp", "imap")]
    bad = run(add("smtp", WRONG), stdin=f"{WRONG}\n")

    assert [(done.code, done.json["health"]) for done in good] == [(0, "valid")] * 2
    assert (bad.code, bad.out) == (1, "")
    assert "535 5.7.8" in bad.err
    assert WRONG not in bad.err


@long_form
async def test_no_password_is_found_on_disk_in_logs_or_in_executions(runtime, server, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    await on_new_mail(runtime, server)
    account = await connect(runtime, server, "smtp")
    for app in ("smtp", "imap"):
        with pytest.raises(ThirdPartyError):
            await connect(runtime, server, app, password=WRONG)
    step = change("smtp", "sendEmail", account.id, fromEmail=ADA, to=ADA, subject="To myself")
    flow = await publish(runtime, change("tools", "catch"), step)

    await runtime.backend.run_flow(flow.id, {"start": True})
    done = await runs(runtime, 2)

    shown = repr([(one, await steps(runtime, one)) for one in done]) + caplog.text
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for secret in (PASSWORD, WRONG):
        for form in (secret.encode(), b64encode(secret.encode()), b64encode(f"\0{ADA}\0{secret}".encode())):
            assert form not in stored
            assert form.decode() not in shown
