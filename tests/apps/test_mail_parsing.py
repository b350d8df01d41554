"""What the imap app tells of a message, odd ones included, and which messages a look takes."""

from base64 import b64decode
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patchbay.apps.imap import messages, search
from patchbay.apps.imap.messages import read_message
from patchbay.apps.imap.search import MailSearch


def raw(*lines: str | bytes) -> bytes:
    return b"\r\n".join(line.encode() if isinstance(line, str) else line for line in lines)


def test_encoded_words_addresses_and_dates_are_read():
    told: dict[str, Any] = read_message(
        raw(
            "From: =?utf-8?q?J=C3=B6rg?= <joerg@example.com>",
            "To: a@example.com, Team: b@example.com;",
            "Subject: =?iso-8859-1?q?Gr=FC=DFe?=",
            "Date: Mon, 2 Mar 2026 12:00:00 +0100",
            "Message-ID: <1@example.com>",
            "Received: one",
            "Received: two",
            "",
            "Hello",
        ),
        with_content=False,
    )

    assert told["from"] == {"name": "Jörg", "address": "joerg@example.com"}
    assert [one["address"] for one in told["to"]] == ["a@example.com", "b@example.com"]
    assert (told["subject"], told["date"]) == ("Grüße", "2026-03-02T12:00:00+01:00")
    assert (told["text"], told["messageId"]) == ("Hello", "<1@example.com>")
    assert told["headers"]["received"] == ["one", "two"]


@pytest.mark.parametrize(
    ("charset", "body"),
    [("iso-8859-1", b"Gr\xfc\xdfe"), ("no-such-charset", "Grüße".encode()), ("", "Grüße".encode())],
)
def test_texts_are_read_in_the_encoding_they_name(charset, body):
    kind = f"text/plain; charset={charset}" if charset else "text/plain"

    told: dict[str, Any] = read_message(raw(f"Content-Type: {kind}", "", body), with_content=False)

    assert told["text"] == "Grüße"


def test_files_pictures_and_forwarded_messages_are_attachments():
    message = EmailMessage()
    message.set_content("text")
    message.add_alternative("<img src='cid:a'>", subtype="html")
    html: Any = message.get_payload(1)
    html.add_related(b"\1", "image", "png", cid="<a@x>")
    message.add_attachment(b"\0\1", maintype="application", subtype="pdf", filename="ä.pdf")
    inner = EmailMessage()
    inner["Subject"] = "Inside"
    inner.set_content("forwarded text")
    message.add_attachment(inner)

    told: dict[str, Any] = read_message(message.as_bytes(), with_content=True)

    names = [(file["filename"], file["contentType"], file["inline"]) for file in told["attachments"]]
    assert names == [
        ("attachment", "image/png", True),
        ("ä.pdf", "application/pdf", False),
        ("message.eml", "message/rfc822", False),
    ]
    assert told["attachments"][0]["contentId"] == "a@x"
    assert b64decode(told["attachments"][1]["content"]) == b"\0\1"
    assert b"Subject: Inside" in b64decode(told["attachments"][2]["content"])
    assert "forwarded text" not in told["text"]


def test_attachments_that_are_too_large_come_without_content(monkeypatch):
    monkeypatch.setattr(messages, "MAX_FILE_BYTES", 4)
    monkeypatch.setattr(messages, "MAX_FILES_BYTES", 6)
    message = EmailMessage()
    message.set_content("text")
    for size in (5, 4, 3, 2):
        message.add_attachment(b"x" * size, maintype="a", subtype="b", filename=str(size))

    told: dict[str, Any] = read_message(message.as_bytes(), with_content=True)

    assert [(file["filename"], file["tooLarge"]) for file in told["attachments"]] == [
        ("5", True),
        ("4", False),
        ("3", True),
        ("2", False),
    ]


@settings(max_examples=150, deadline=None)
@given(content=st.binary(max_size=300))
def test_no_message_is_too_odd(content):
    told: dict[str, Any] = read_message(b"Subject: " + content, with_content=True)

    str(told).encode()
    assert set(told) >= {"subject", "from", "text", "html", "attachments", "headers"}


@pytest.mark.parametrize(
    "head",
    [
        b"From: <<>>@@",
        b"From: =?utf-8?q?=FF?= <a@b",
        b"To: ,,;:;",
        b"Date: yesterday",
        b"Message-ID: <a",
        b"Subject: \xff\xfe",
        b"Content-Type: multipart/mixed",
        b'Content-Type: text/plain; charset="\xff"',
        b"Content-Disposition: attachment; filename*=x'y",
    ],
)
def test_broken_headers_leave_the_rest_of_the_message_readable(head):
    message: dict[str, Any] = read_message(head + b"\r\n\r\nbody", with_content=True)

    name, value = head.decode("utf-8", "replace").split(": ", 1)
    shown = message["headers"][name.lower()]
    assert shown == ("\N{REPLACEMENT CHARACTER} <a@b" if "=?" in value else value)
    assert [message["text"], *(b64decode(file["content"]) for file in message["attachments"])] in (
        ["body"],
        ["", b"body"],
    )


class Box:
    """A folder that answers as IMAPClient does. `sizes` are its messages by uid."""

    def __init__(self, sizes: dict[int, int], validity: int = 7) -> None:
        self.sizes, self.validity = sizes, validity

    def select_folder(self, folder: str, readonly: bool) -> dict[bytes, int]:
        assert readonly
        return {b"UIDVALIDITY": self.validity, b"UIDNEXT": max(self.sizes, default=0) + 1}

    def search(self, criteria: str) -> list[int]:
        first = int(criteria.split()[1].partition(":")[0])
        return [uid for uid in self.sizes if uid >= first] or list(self.sizes)[-1:]

    def fetch(self, uids: list[int], what: list[str]) -> dict[int, dict[bytes, Any]]:
        got = {
            uid: {b"RFC822.SIZE": self.sizes[uid], b"FLAGS": (), b"BODY[]": b"Subject: s\r\n\r\n"}
            for uid in uids
        }
        return {uid: {**one, b"INTERNALDATE": datetime(2026, 1, 1, tzinfo=UTC)} for uid, one in got.items()}


def look(box: Box, *known: str, only_newest: bool = False) -> tuple[str, list[str]]:
    """The mark and the ids a look gives."""
    asked = MailSearch("INBOX", (), False, frozenset(known), only_newest)
    found = asked(box)
    return found.mark, [message.id for message in found.messages]


def test_the_first_look_only_remembers():
    assert look(Box({1: 10, 5: 10})) == ("7:5", [])


def test_the_first_look_at_an_empty_folder_remembers_that():
    assert look(Box({})) == ("7:0", [])


def test_later_looks_give_what_is_beyond_the_mark_oldest_first():
    assert look(Box({1: 10, 5: 10, 6: 10}), "7:1", "7:0") == ("7:6", ["7:5", "7:6"])


def test_a_poll_without_new_items_returns_nothing():
    assert look(Box({1: 10, 5: 10}), "7:5") == ("7:5", [])


def test_a_renumbered_folder_is_read_from_the_start():
    assert look(Box({1: 10, 2: 10}, validity=8), "7:5") == ("8:2", [])


def test_more_than_one_look_takes_is_taken_oldest_first_and_marked_so_far(monkeypatch):
    monkeypatch.setattr(search, "MAX_MESSAGES", 2)

    assert look(Box({1: 10, 2: 10, 3: 10, 4: 10}), "7:1") == ("7:3", ["7:2", "7:3"])


def test_large_messages_are_taken_a_few_at_a_time_and_at_least_one(monkeypatch):
    monkeypatch.setattr(search, "MAX_TOTAL_BYTES", 15)

    assert look(Box({1: 99, 2: 20, 3: 10, 4: 3}), "7:1") == ("7:2", ["7:2"])
    assert look(Box({1: 99, 2: 20, 3: 10, 4: 3}), "7:2") == ("7:4", ["7:3", "7:4"])


def test_a_test_shows_the_newest_message_whatever_is_known():
    assert look(Box({1: 10, 5: 10}), "7:5", only_newest=True)[1] == ["7:5"]
