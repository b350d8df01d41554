"""Reading mail: bounded for hostile messages, and the same as the standard library for ordinary ones."""

import json
from email import message_from_bytes, policy
from email.header import Header
from email.message import EmailMessage
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.support.bombs.mail import ADDRESSES, MAILS, PARAMETERS
from tests.support.bounded import bounded
from tests.support.fuzzing import fuzz

from patchbay.apps.imap.headers import decode_words, parse_addresses, parse_parameters
from patchbay.apps.imap.messages import describe_message, read_message


def read(raw: bytes) -> int:
    """The size of what a message becomes, which must be JSON that can be stored."""
    return len(json.dumps(read_message(raw, True), ensure_ascii=False).encode()) + len(
        describe_message(raw).encode()
    )


def test_no_message_takes_long_or_stops_the_reader():
    sizes = bounded(read, {name: (raw,) for name, raw in MAILS.items()}, seconds=3)

    largest = {name: size for name, size in sizes.items() if size > 16 * len(MAILS[name]) + 100_000}
    assert not largest


_PIECES = st.sampled_from(
    [
        b"\r\n",
        b"\n",
        b"\r",
        b": ",
        b"To",
        b"From",
        b"Subject",
        b"Date",
        b"Content-Type",
        b"; ",
        b"=",
        b'"',
        b"multipart/mixed",
        b"boundary=b",
        b"--b",
        b"--b--",
        b"message/rfc822",
        b"text/html",
        b"(",
        b")",
        b"<",
        b">",
        b",",
        b"@",
        b"\\",
        b"=?utf-8?q?",
        b"=?utf-16?b?",
        b"?=",
        b"a*0*=",
        b"charset=",
        b"Content-Transfer-Encoding: base64",
        b"quoted-printable",
        b"\0",
        b"\xff",
        b" ",
        b"\t",
        b"Mon, 2 Mar",
    ]
)


@fuzz(150)
@given(st.lists(_PIECES | st.binary(max_size=8), max_size=60))
def test_no_mixture_of_the_marks_of_a_message_stops_the_reader(pieces):
    raw = b"".join(pieces)

    assert read(raw) < 16 * len(raw) + 5000


@fuzz(150)
@given(
    st.text(max_size=80) | st.sampled_from([value.decode("latin-1")[:500] for value in PARAMETERS.values()])
)
def test_every_header_value_is_read_to_something_that_can_be_stored(value):
    found = [
        [[name, address] for name, address in parse_addresses(value)],
        list(parse_parameters(value)),
        decode_words(value),
    ]

    assert json.loads(json.dumps(found, ensure_ascii=False).encode()) == found


_LETTERS = st.sampled_from("abcXYZ019äöüßéñ日")
_WORDS = st.text(_LETTERS, min_size=1, max_size=8)
_NAMES = st.lists(_WORDS, min_size=1, max_size=3).map(" ".join)
_BOXES = st.from_regex(r"\A[a-z][a-z0-9.+-]{0,10}[a-z]@[a-z]{1,10}\.example\Z")


@fuzz(80)
@given(
    subject=_NAMES,
    to=st.lists(st.tuples(_NAMES, _BOXES), min_size=1, max_size=3),
    text=st.text(_LETTERS, max_size=200),
    files=st.dictionaries(_WORDS, st.binary(max_size=100), max_size=3),
    html=st.booleans(),
)
def test_ordinary_messages_are_read_as_the_standard_library_reads_them(subject, to, text, files, html):
    message = EmailMessage()
    message["Subject"] = subject
    message["To"] = "nobody@a.example"
    message.set_content(text)
    if html:
        message.add_alternative(f"<p>{text}</p>", subtype="html")
    for name, content in files.items():
        message.add_attachment(content, maintype="application", subtype="x-test", filename=name)
    boxes = ", ".join(f"{Header(name, 'utf-8').encode()} <{address}>" for name, address in to).encode()
    raw = message.as_bytes(policy=policy.SMTP).replace(b"nobody@a.example", boxes)
    standard = message_from_bytes(raw, policy=policy.default)

    told: Any = read_message(raw, True)

    assert told["subject"] == str(standard["Subject"])
    assert told["to"] == [{"name": name, "address": address} for name, address in to]
    assert told["text"] == standard.get_body(("plain",)).get_content().replace("\r\n", "\n")
    assert [(file["filename"], file["size"]) for file in told["attachments"]] == [
        (part.get_filename(), len(part.get_content())) for part in standard.iter_attachments()
    ]


def test_the_attacks_on_addresses_still_give_the_addresses_around_them():
    for name, value in ADDRESSES.items():
        assert len(parse_addresses("good@a.example, " + value.decode("latin-1"))) >= 1, name
