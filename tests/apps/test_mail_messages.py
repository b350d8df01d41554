"""What the smtp app makes of a step: addresses, attachments, and the message as it goes over the wire."""

import re
from base64 import b64encode
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.utils import parseaddr
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.app_calls import context

from patchbay.apps.smtp import attachments
from patchbay.apps.smtp import message as smtp_message
from patchbay.apps.smtp.attachments import parse_files
from patchbay.apps.smtp.message import OutgoingMessage, encode_message
from patchbay.domain.base import ExecutionId
from patchbay.domain.errors import ValidationFailed
from patchbay.integration import Context
from patchbay.integration.mail_addresses import parse_mailboxes

PLAIN: dict[str, Any] = {"fromEmail": "ada@example.com", "to": "grace@example.com", "subject": "Hello"}


def parse_message(ctx: Context) -> OutgoingMessage:
    """The letter of a step, as the step makes it in a worker process."""
    return smtp_message.parse_message(ctx.parameters, ctx.now, ctx.time_zone, smtp_message.message_key(ctx))


def sent(**parameters: Any) -> EmailMessage:
    """The message of a step, read back."""
    raw = encode_message(parse_message(context("smtp", {**PLAIN, **parameters})))
    return message_from_bytes(raw, policy=policy.default)


def addresses(value: Any) -> list[tuple[str, str]]:
    return [(box.name, box.address) for box in parse_mailboxes(value, "to", "To")]


def files(*rows: dict[str, Any]) -> list[tuple[str, bytes]]:
    return [(file.name, file.content) for file in parse_files({"attachments": list(rows)})]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("ada@example.com", [("", "ada@example.com")]),
        (" ada@example.com ; grace@example.com,", [("", "ada@example.com"), ("", "grace@example.com")]),
        ('"Lovelace, Ada" <ada@example.com>', [("Lovelace, Ada", "ada@example.com")]),
        ("Ada Lövelace <ada@example.com>", [("Ada Lövelace", "ada@example.com")]),
        ("ada@müller.example", [("", "ada@xn--mller-kva.example")]),
        ("<ada@example.com>\n", [("", "ada@example.com")]),
        ("ada+tag@[192.0.2.1]", [("", "ada+tag@[192.0.2.1]")]),
        ({"name": "Ada", "address": "ada@example.com"}, [("Ada", "ada@example.com")]),
        (
            [{"address": "ada@example.com"}, "grace@example.com"],
            [("", "ada@example.com"), ("", "grace@example.com")],
        ),
        ("", []),
    ],
)
def test_addresses_are_read_as_people_and_steps_write_them(value, found):
    assert addresses(value) == found


@pytest.mark.parametrize(
    "value",
    [
        "ada",
        "ada@",
        "@example.com",
        "ada@exa mple.com",
        "ada@@example.com",
        "a..b@example.com",
        "Ada <ada@example.com> x",
        "ada@example.com\nBcc: x@example.com",
        "ada@example.com\r\nBcc: <x@example.com>",
        "ada@example.com>\r\nDATA",
        "<ada@example.com>\nx",
        {"name": "no address"},
        "ada@-example-.com",
        'a"b@example.com',
        "ada@" + "ü" * 300 + ".com",
    ],
)
def test_an_invalid_address_is_rejected_with_a_clear_error(value):
    with pytest.raises(ValidationFailed) as refused:
        addresses(value)

    assert "isn't an email address" in refused.value.happened


def test_text_and_html_become_two_views_of_one_message():
    message = sent(body="Grüße\n", html="<p>Grüße</p>")

    assert message.get_content_type() == "multipart/alternative"
    assert [part.get_content().strip() for part in message.iter_parts()] == ["Grüße", "<p>Grüße</p>"]


@pytest.mark.parametrize(
    ("given", "kind"), [({"body": "x"}, "text/plain"), ({"html": "x"}, "text/html"), ({}, "text/plain")]
)
def test_one_body_stands_alone(given, kind):
    assert sent(**given).get_content_type() == kind


def test_the_message_is_dated_by_the_clock_of_the_step_and_named_by_its_try():
    ctx = context("smtp", PLAIN, idempotency_key="e-1:3")
    ctx.execution.id = ExecutionId("e-1")
    message = message_from_bytes(encode_message(parse_message(ctx)), policy=policy.default)

    assert message["Date"].datetime.isoformat() == "2026-03-02T12:00:00+00:00"
    assert message["Message-ID"] == "<e-1.3@example.com>"


def test_messages_outside_a_run_have_names_of_their_own():
    assert sent()["Message-ID"] != sent()["Message-ID"]


def test_blind_copies_are_recipients_and_no_header():
    ctx = context("smtp", {**PLAIN, "to": "", "bcc": "x@example.com, X@example.com"})
    letter = parse_message(ctx)

    assert [box.address for box in letter.recipients] == ["X@example.com"]
    assert b"x@example.com" not in encode_message(letter).lower()


def test_a_message_without_recipients_is_rejected():
    with pytest.raises(ValidationFailed, match="at least one recipient"):
        parse_message(context("smtp", {**PLAIN, "to": " "}))


def test_two_senders_are_refused():
    with pytest.raises(ValidationFailed, match="enter only one address"):
        parse_message(context("smtp", {**PLAIN, "fromEmail": "a@example.com, b@example.com"}))


def test_letters_beyond_ascii_before_the_at_need_a_server_that_takes_them():
    letter = parse_message(context("smtp", {**PLAIN, "to": "jörg@example.com"}))

    assert letter.needs_utf8
    assert "jörg@example.com".encode() in encode_message(letter)


@settings(max_examples=150, deadline=None)
@given(text=st.text(max_size=60))
@example(text="a\r\nBcc: x@example.com\r\n\r\nbody")
@example(text="=?utf-8?q?a=0d=0aBcc:_x?=")
@example(text="\x0b\x0c\x1c\x85\u2028Bcc: x")
@example(text="\ud800")
def test_no_text_in_subject_name_or_file_name_makes_a_header(text):
    rows = [{"name": text, "content": "x", "kind": "text"}]
    raw = encode_message(
        parse_message(context("smtp", {**PLAIN, "subject": text, "fromName": text, "attachments": rows}))
    )

    head, _, body = raw.partition(b"\r\n\r\n")
    parts = [part.partition(b"\r\n")[2].partition(b"\r\n\r\n")[0] for part in body.split(b"--===")[1:-1]]
    wanted = {b"Date", b"Message-ID", b"From", b"To", b"Subject", b"MIME-Version", b"Content-Type"}
    assert names(head) == sorted(wanted)
    allowed = {b"Content-Type", b"Content-Transfer-Encoding", b"Content-Disposition", b"MIME-Version"}
    assert len(parts) == 2
    assert all({*names(part)} <= allowed for part in parts)
    assert all(len(line) <= 998 for line in raw.split(b"\r\n"))


def names(head: bytes) -> list[bytes]:
    """The headers of a head, as every server reads it."""
    assert b"\n" not in head.replace(b"\r\n", b"")
    assert b"\r" not in head.replace(b"\r\n", b"")
    return sorted(line.partition(b":")[0] for line in head.split(b"\r\n") if line[:1] not in b" \t")


@settings(max_examples=150, deadline=None)
@given(text=st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=90))
@example(text="=?utf-8?q?a?=")
@example(text='Lovelace, "Ada" <x@y>')
@example(text="é" * 200)
@example(text="x" * 200)
def test_what_people_write_is_read_back_as_they_wrote_it(text):
    row = {"name": f"a{text}", "content": "x"}
    raw = encode_message(
        parse_message(context("smtp", {**PLAIN, "subject": text, "fromName": text, "attachments": [row]}))
    )
    message: Any = message_from_bytes(raw)

    assert read(message["Subject"]) == text
    assert read(parseaddr(message["From"])[0]) == text[:200]
    name = re.split(r"[/\\]", f"a{text}")[-1].strip(". ")[:200]
    assert message.get_payload()[1].get_filename() == (name or "attachment-1.txt")


def read(header: str) -> str:
    return str(make_header(decode_header(header)))


def test_several_files_travel_in_one_message():
    rows = [{"name": name, "content": name, "kind": "text"} for name in ("ä.txt", "b.txt", "c.txt")]

    assert [part.get_filename() for part in sent(attachments=rows).iter_attachments()] == [
        "ä.txt",
        "b.txt",
        "c.txt",
    ]


def test_attachments_are_texts_base64_and_files_of_earlier_steps():
    data = b64encode(b"\0\1").decode()

    found = files(
        {"name": "a.txt", "content": "ä", "kind": "text"},
        {"name": "b.bin", "content": data, "kind": "base64"},
        {"name": "", "content": f"data:image/png;base64,{data}", "kind": "base64"},
        {"name": "", "content": {"filename": "c.pdf", "content": data, "contentType": "application/pdf"}},
        {"name": "", "content": [{"filename": "d", "content": data}, {"filename": "e", "content": data}]},
        {"name": "order.json", "content": {"total": 3}},
        {"name": "empty", "content": {"filename": "empty", "content": "", "size": 0}},
        {"name": "", "content": ""},
    )

    assert found == [
        ("a.txt", "ä".encode()),
        ("b.bin", b"\0\1"),
        ("attachment-3", b"\0\1"),
        ("c.pdf", b"\0\1"),
        ("d", b"\0\1"),
        ("e", b"\0\1"),
        ("order.json", b'{\n  "total": 3\n}'),
        ("empty", b""),
    ]


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\x\\y.txt", "y.txt"),
        ("a\r\nb.txt", "a b.txt"),
        ("..", "attachment-1.txt"),
    ],
)
def test_file_names_lead_nowhere(name, kept):
    assert files({"name": name, "content": "x"}) == [(kept, b"x")]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"name": "a.png", "content": "not base64!", "kind": "base64"}, "isn't valid base64"),
        ({"name": "", "content": {"filename": "a.png", "size": 3}}, "has no content"),
    ],
)
def test_an_invalid_file_is_rejected_with_a_clear_error(row, words):
    with pytest.raises(ValidationFailed, match=words):
        files(row)


def test_too_much_to_attach_is_refused(monkeypatch):
    monkeypatch.setattr(attachments, "MAX_TOTAL_BYTES", 3)

    with pytest.raises(ValidationFailed, match="too large"):
        files({"name": "a", "content": "1234"})


@pytest.mark.parametrize(
    ("name", "typed", "kind"),
    [
        ("a.pdf", "", "application/pdf"),
        ("a.nothing", "", "application/octet-stream"),
        ("a", "x/y\r\nz: 1", "application/octet-stream"),
        ("a.eml", "message/rfc822", "application/octet-stream"),
        ("a", "image/webp", "image/webp"),
    ],
)
def test_the_type_of_a_file_is_given_or_guessed(name, typed, kind):
    message = sent(attachments=[{"content": {"filename": name, "content": "AAE=", "contentType": typed}}])

    assert [part.get_content_type() for part in message.iter_attachments()] == [kind]
