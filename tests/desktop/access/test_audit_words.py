"""What was done, in words people say."""

import re
from pathlib import Path

import pytest

import patchbay
from patchbay.desktop.state.audit_words import KINDS, noun_word, sentence, through, what, who_in_full
from patchbay.domain.audit import Actor, ActorKind, AuditEntry, Deed
from patchbay.domain.changes import Noun

WRITTEN = re.compile(r"Deed\.([A-Z]+),\s*Noun\.([A-Z_]+)")
ANNA = Actor(kind=ActorKind.WINDOW, name="This computer")


def entry(deed: Deed, noun: Noun, subject: str = "") -> AuditEntry:
    return AuditEntry(id=1, at=0, actor=ANNA, deed=deed, noun=noun, subject=subject, subject_id="x")


@pytest.mark.parametrize(
    ("deed", "noun", "subject", "words"),
    [
        (Deed.RENAMED, Noun.FOLDER, "Operations", "renamed folder “Operations”"),
        (Deed.PUBLISHED, Noun.FLOW, "Nightly", "published flow “Nightly”"),
        (Deed.RECONNECTED, Noun.CONNECTION, "anna@todoist", "reconnected connection “anna@todoist”"),
        (Deed.CREATED, Noun.API_KEY, "Build server", "created API key “Build server”"),
        (Deed.DELETED, Noun.API_KEY, "Build server", "revoked API key “Build server”"),
        (Deed.INVITED, Noun.USER, "Dana Mori", "invited “Dana Mori”"),
        (Deed.JOINED, Noun.USER, "Dana Mori", "accepted the invitation"),
        (Deed.DELETED, Noun.USER, "Dana Mori", "removed “Dana Mori”"),
        (Deed.UPDATED, Noun.WORKSPACE, "", "changed the settings"),
        (Deed.UPDATED, Noun.WORKSPACE, "Engine settings", "changed the engine settings"),
        (Deed.PAUSED, Noun.WORKSPACE, "", "paused all runs"),
        (Deed.TIDIED, Noun.WORKSPACE, "", "cleaned up the history"),
        (Deed.MOVED, Noun.WORKSPACE, "Secrets", "moved the secrets"),
        (Deed.UPDATED, Noun.WORKSPACE, "Secrets", "changed the key of the secrets"),
        (Deed.DELETED, Noun.WORKSPACE, "Secrets", "gave up secrets that could not be opened"),
        (Deed.TESTED, Noun.WORKSPACE, "", "tested the public address"),
        (Deed.RETRIED, Noun.EXECUTION, "Nightly", "retried an execution of “Nightly”"),
        (Deed.CANCELLED, Noun.EXECUTION, "", "cancelled an execution"),
        (Deed.DELETED, Noun.EXECUTION, "", "deleted an execution"),
        (Deed.UPDATED, Noun.APP, "", "changed an app"),
    ],
)
def test_a_deed_reads_as_people_say_it(deed, noun, subject, words):
    assert what(entry(deed, noun, subject)) == words


def test_what_was_done_to_many_executions_at_once_says_how_many():
    retried = entry(Deed.RETRIED, Noun.EXECUTION, "12 failed executions")
    stopped = entry(Deed.CANCELLED, Noun.EXECUTION, "Retry of 12 executions")

    words = [what(item.model_copy(update={"subject_id": None})) for item in (retried, stopped)]

    assert words == ["retried 12 failed executions", "cancelled the retry of 12 executions"]


@pytest.mark.parametrize("subject", ["", "Operations"])
def test_every_deed_to_every_kind_of_thing_has_words(subject):
    said = {what(entry(deed, noun, subject)) for deed in Deed for noun in Noun}

    assert all(words and "{" not in words and "None" not in words for words in said)
    assert all(noun_word(noun) for noun in Noun)
    assert set(KINDS) <= set(Noun)


def test_what_the_program_writes_down_can_be_filtered_by_its_kind():
    package = Path(patchbay.__file__).parent
    sources = [*(package / "service").rglob("*.py"), *(package / "server").rglob("*.py")]
    written = {pair for path in sources for pair in WRITTEN.findall(path.read_text("utf-8"))}

    assert written
    assert {Noun[noun] for _, noun in written} - set(KINDS) == set()


def test_a_sentence_says_who_and_what():
    assert sentence(entry(Deed.RENAMED, Noun.FOLDER, "Ops")) == "This computer renamed folder “Ops”."


def test_who_in_full_names_the_way_the_person_and_the_address():
    key = Actor(kind=ActorKind.KEY, name="Build server", id="k", user_id="u", address="10.0.4.17")

    assert who_in_full(key, {"u": "Bora Aydın"}) == "Build server, API key, for Bora Aydın, from 10.0.4.17"
    assert who_in_full(ANNA, {}) == "This computer, window"
    assert {through(Actor(kind=kind, name="")) for kind in ActorKind} == {
        "window", "command", "API key", "invitation", "by itself",
    }  # fmt: skip
