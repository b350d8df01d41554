"""How the mail apps meet servers that offer little, say odd things, or say nothing."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from tests.support.app_calls import act, built_in_trigger, context
from tests.support.bombs.mail import IMAP_FLOODS
from tests.support.talker import Talker, talker

from patchbay.apps.imap import bounded_client
from patchbay.apps.imap import session as imap_session
from patchbay.apps.smtp import session as smtp_session
from patchbay.domain.errors import (
    AppError,
    NotSupported,
    ThirdPartyError,
    TimedOut,
    Unreachable,
    ValidationFailed,
)
from patchbay.domain.outgoing import OutgoingMode, parse_allow_list
from patchbay.integration.outgoing_addresses import OutgoingGuard

PASSWORD = "planted-8817"
SMTP, IMAP = "220 mail.example ESMTP", "* OK ready"


def account(server: Talker | None = None, **changes: Any) -> dict[str, Any]:
    values = {"host": "127.0.0.1", "username": "ada", "password": PASSWORD, "useTls": False, **changes}
    return {"port": str(server.port if server else 1), **values}


async def refusal(app: str, data: dict[str, Any]) -> Any:
    """What connecting ends with; the password is in none of it."""
    ctx = context(app, {}, data=data)
    with pytest.raises(AppError) as refused:
        await ctx.app.auth.verify_credentials(ctx)
    error = refused.value
    assert PASSWORD not in error.text() + repr(error.extra())
    return error


def smtp(*offers: str, **answers: str | None) -> Callable[[str], str | None]:
    """A mail server with these extensions; `answers` by command overrule 250 OK."""

    def answer(line: str) -> str | None:
        word = (line.split() or [""])[0].lower()
        if word == "ehlo":
            return "\r\n".join(f"250-{name}" for name in ("mail.example", *offers)) + "\r\n250 HELP"
        return answers.get(word, "250 OK")

    return answer


def imap(capabilities: str, **answers: str | None) -> Callable[[str], str | None]:
    """A mailbox with these capabilities; `answers` by command overrule OK."""

    def answer(line: str) -> str | None:
        tag, word, *_ = [*line.split(), ""]
        if word == "CAPABILITY":
            return f"* CAPABILITY IMAP4rev1 {capabilities}\r\n{tag} OK done"
        said = answers.get(word.lower(), "OK done")
        return said and f"{tag} {said}"

    return answer


@asynccontextmanager
async def flooding(first: bytes, repeated: bytes) -> AsyncIterator[Talker]:
    """A mailbox that responds to LOGIN with `first`, then `repeated` up to 100 MB, and closes."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            writer.write(IMAP.encode() + b"\r\n")
            while b"LOGIN" not in (line := await reader.readline()) and line:
                writer.write(b"* CAPABILITY IMAP4rev1\r\n" + line.split()[0] + b" OK done\r\n")
            writer.write(first)
            for _ in range(100_000_000 // len(repeated)):
                writer.write(repeated)
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield Talker(server.sockets[0].getsockname()[1])
    finally:
        server.close()


@pytest.mark.parametrize(
    ("app", "changes", "field"),
    [
        ("smtp", {"host": "https://mail.example.com"}, "host"),
        ("smtp", {"host": "mail.example.com:25"}, "host"),
        ("imap", {"host": ""}, "host"),
        ("imap", {"host": "a\r\nb"}, "host"),
        ("smtp", {"port": "0"}, "port"),
        ("imap", {"port": "70000"}, "port"),
        ("imap", {"port": "1.5"}, "port"),
        ("smtp", {"password": ""}, "password"),
        ("imap", {"useTls": "perhaps"}, "useTls"),
    ],
)
async def test_what_can_be_no_server_is_refused_at_its_field(app, changes, field):
    error = await refusal(app, account(**changes))

    assert isinstance(error, ValidationFailed)
    assert list(error.by_field) == [field]


@pytest.mark.parametrize("app", ["smtp", "imap"])
async def test_a_host_that_does_not_exist_is_reported_with_its_name(app):
    error = await refusal(app, account(host="nowhere.invalid"))

    assert isinstance(error, Unreachable)
    assert "nowhere.invalid" in error.happened


@pytest.mark.parametrize("app", ["smtp", "imap"])
async def test_a_missing_response_is_reported(app):
    assert "127.0.0.1:1 refused the connection." in (await refusal(app, account())).happened


@pytest.mark.parametrize(("app", "module"), [("smtp", smtp_session), ("imap", imap_session)])
async def test_a_server_that_does_not_greet_is_given_up_with_a_hint_at_the_encryption(
    app, module, monkeypatch
):
    monkeypatch.setattr(module, "CONNECT_SECONDS", 0.1)
    async with talker("", lambda line: None) as server:
        error = await refusal(app, account(server))

    assert isinstance(error, TimedOut)
    assert "a different encryption" in error.meaning


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has more than one IPv4 loopback address")
@pytest.mark.parametrize(
    ("app", "module", "greeting", "answer"),
    [("smtp", smtp_session, SMTP, smtp("AUTH PLAIN")), ("imap", imap_session, IMAP, imap("AUTH=PLAIN"))],
)
async def test_an_address_that_does_not_greet_does_not_hide_the_next_one(
    app, module, greeting, answer, monkeypatch
):
    async def both(host: str, port: int) -> list[str]:
        return ["127.0.0.2", "127.0.0.1"]

    monkeypatch.setattr(module, "CONNECT_SECONDS", 0.5)
    guard = OutgoingGuard(OutgoingMode.EVERYBODY, parse_allow_list(["127.0.0.0/8"]), resolve=both)
    async with talker(greeting, answer) as server:
        with socket.create_server(("127.0.0.2", server.port)):
            data = account(server, host="mail.example")
            ctx = context(app, {}, data=data, network=guard.strictest)
            with pytest.raises(ThirdPartyError):  # by the one that greets
                await ctx.app.auth.verify_credentials(ctx)

    assert any("AUTH" in line.upper() for line in server.heard)


@pytest.mark.parametrize(
    ("app", "greeting", "answer"), [("smtp", SMTP, smtp()), ("imap", IMAP, imap("AUTH=PLAIN"))]
)
async def test_without_starttls_nothing_is_sent_in_the_clear(app, greeting, answer):
    async with talker(greeting, answer) as server:
        error = await refusal(app, account(server, useTls="starttls"))

    assert "doesn't support STARTTLS" in error.meaning
    assert not [line for line in server.heard if "AUTH" in line.upper() or "LOGIN" in line.upper()]


@pytest.mark.parametrize(
    ("app", "greeting", "answer"), [("smtp", SMTP, smtp()), ("imap", IMAP, imap("LOGINDISABLED"))]
)
async def test_a_server_that_wants_encryption_first_is_reported(app, greeting, answer):
    async with talker(greeting, answer) as server:
        error = await refusal(app, account(server))

    assert isinstance(error, ThirdPartyError)
    assert "without encryption" in error.meaning
    assert "Choose" in error.todo


async def test_a_server_that_offers_login_only_is_signed_in_to_by_it():
    def answer(line: str) -> str | None:
        first = line.split()[0].lower()
        if first == "auth":
            return "334 UGFzc3dvcmQ6"
        return "235 welcome" if first == "cgxhbnrlzc04ode3" else smtp("AUTH LOGIN")(line)

    async with talker(SMTP, answer) as server:
        ctx = context("smtp", {}, data=account(server))
        await ctx.app.auth.verify_credentials(ctx)

    assert ctx.auth.data["screenName"] == "ada"


async def test_a_wrong_password_is_tried_once_and_reported_with_its_code():
    answer = smtp("AUTH PLAIN LOGIN CRAM-MD5", auth=f"535 5.7.8 {PASSWORD} is wrong")
    async with talker(SMTP, answer) as server:
        error = await refusal("smtp", account(server))

    assert isinstance(error, ThirdPartyError)
    assert error.said == "535 5.7.8 ••• is wrong"
    assert (error.rejects_credentials, error.request) == (True, "AUTH PLAIN")
    assert len([line for line in server.heard if line.startswith("AUTH")]) == 1


async def test_a_server_that_is_busy_at_sign_in_does_not_reject_the_credentials():
    async with talker(SMTP, smtp("AUTH PLAIN", auth="454 4.7.0 Temporary failure")) as server:
        of_smtp = await refusal("smtp", account(server))
    async with talker(IMAP, imap("", login="NO [UNAVAILABLE] Try later")) as server:
        of_imap = await refusal("imap", account(server))

    assert not of_smtp.rejects_credentials
    assert not of_imap.rejects_credentials
    assert (of_imap.details["code"], of_imap.said) == ("UNAVAILABLE", "[UNAVAILABLE] Try later")


async def test_a_server_that_turns_us_away_at_the_door_is_quoted():
    async with talker("554 No service for you", lambda line: "221 bye") as server:
        of_smtp = await refusal("smtp", account(server))
    async with talker("* BYE Too many connections", lambda line: None) as server:
        of_imap = await refusal("imap", account(server))

    assert "554 No service for you" in of_smtp.happened
    assert "Too many connections" in of_imap.text()


@pytest.mark.parametrize("flood", IMAP_FLOODS.values(), ids=IMAP_FLOODS.keys())
async def test_a_mail_server_that_never_stops_sending_is_cut_off(flood, monkeypatch):
    monkeypatch.setattr(bounded_client, "MAX_SESSION_BYTES", 8 * 1024 * 1024)  # soon read, also when busy
    async with flooding(*flood) as server:
        async with asyncio.timeout(12):  # less than the 15 seconds after which a thread gives up by itself
            error = await refusal("imap", account(server))

    assert isinstance(error, NotSupported)
    assert "more than 8 MB" in error.happened


@pytest.mark.parametrize("app", ["smtp", "imap"])
async def test_a_port_without_a_mail_server_is_reported_as_such(app):
    async with talker("SSH-2.0-OpenSSH_9.2", lambda line: None) as server:
        error = await refusal(app, account(server))

    assert isinstance(error, Unreachable)
    assert "SSH-2.0" in error.text()


@pytest.mark.parametrize(
    ("app", "greeting", "answer"),
    [("smtp", SMTP, smtp("AUTH PLAIN", auth=None)), ("imap", IMAP, imap("AUTH=PLAIN", authenticate=None))],
)
async def test_a_server_that_hangs_up_is_unreachable(app, greeting, answer):
    async with talker(greeting, answer) as server:
        error = await refusal(app, account(server))

    assert isinstance(error, Unreachable)
    assert "closed the connection" in error.happened


async def test_a_message_larger_than_the_server_takes_is_not_sent():
    async with talker(SMTP, smtp("SIZE 100")) as server:
        data = account(server, username="", password="")
        with pytest.raises(ValidationFailed, match=r"takes 0\.0 MB"):
            await act(
                "smtp", "sendEmail", {"fromEmail": "a@b.c", "to": "d@e.f", "body": "x" * 200}, data=data
            )

    assert not [line for line in server.heard if line.startswith("MAIL")]


async def test_a_server_without_smtputf8_gets_no_such_address():
    async with talker(SMTP, smtp()) as server:
        data = account(server, username="", password="")
        with pytest.raises(NotSupported, match="non-ASCII characters"):
            await act("smtp", "sendEmail", {"fromEmail": "a@b.c", "to": "jörg@e.f"}, data=data)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"mail": "550 not you"}, "sending from this address"),
        ({"data": "354 go on"}, "wasn't sent to anyone"),
        ({"rcpt": "451 greylisted"}, "temporary"),
    ],
)
async def test_each_refusal_says_what_it_means(answers, words):
    def answer(line: str) -> str | None:
        if line == ".":
            return "552 too much spam"
        known = line.split()[:1] in (["EHLO"], ["MAIL"], ["RCPT"], ["DATA"], ["QUIT"])
        return smtp(**answers)(line) if known else ""

    message: dict[str, Any] = {"fromEmail": "a@b.c", "to": "d@e.f", "subject": "s"}
    async with talker(SMTP, answer) as server:
        data = account(server, username="", password="")
        with pytest.raises(ThirdPartyError) as refused:
            await act("smtp", "sendEmail", message, data=data)

    assert words in refused.value.text()


async def test_a_mailbox_without_idle_is_polled_only():
    ctx = context("imap", {}, data={})
    watch = built_in_trigger("imap", "newMail").watch
    assert watch is not None
    async with talker(IMAP, imap("")) as server:
        ctx.auth.data = account(server)
        with pytest.raises(NotSupported):
            await anext(watch(ctx))


async def test_a_watch_that_is_ended_while_it_signs_in_leaves_no_thread_behind():
    def answer(line: str) -> str | None:
        return "" if "LOGIN" in line else imap("")(line)

    async with talker(IMAP, answer) as server:
        watch = built_in_trigger("imap", "newMail").watch
        assert watch is not None
        waiting = asyncio.ensure_future(anext(watch(context("imap", {}, data=account(server)))))
        while not any("LOGIN" in line for line in server.heard):  # noqa: ASYNC110  only the server knows
            await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

        await _without_mail_threads()


async def _without_mail_threads() -> None:
    import threading

    async with asyncio.timeout(12):  # less than the 15 seconds after which a thread gives up by itself
        while any(thread.name == "imap" for thread in threading.enumerate()):  # noqa: ASYNC110  threads tell nobody
            await asyncio.sleep(0.01)
