"""What was done, in words people say."""

import re
from pathlib import Path

import pytest

import patchbay
from patchbay.desktop.settings.view_models.audit_log import (
    RESOURCE_FILTER_LABELS,
    actor_kind_label,
    describe_action,
    describe_actor,
    describe_entry,
    resource_label,
)
from patchbay.domain.audit_log import Actor, ActorKind, AuditAction, AuditEntry
from patchbay.domain.base import UserId
from patchbay.domain.changes import ResourceType

WRITTEN = re.compile(r"AuditAction\.([A-Z]+),\s*ResourceType\.([A-Z_]+)")
ANNA = Actor(kind=ActorKind.WINDOW, name="This computer")


def entry(deed: AuditAction, noun: ResourceType, subject: str = "") -> AuditEntry:
    return AuditEntry(id=1, at=0, actor=ANNA, deed=deed, noun=noun, subject=subject, subject_id="x")


@pytest.mark.parametrize(
    ("deed", "noun", "subject", "words"),
    [
        (AuditAction.RENAMED, ResourceType.FOLDER, "Operations", "renamed folder “Operations”"),
        (AuditAction.PUBLISHED, ResourceType.FLOW, "Nightly", "published flow “Nightly”"),
        (
            AuditAction.RECONNECTED,
            ResourceType.CONNECTION,
            "anna@todoist",
            "reconnected connection “anna@todoist”",
        ),
        (AuditAction.SIGNED_OUT, ResourceType.CONNECTION, "Ada", "signed out of connection “Ada”"),
        (
            AuditAction.SIGN_OUT_FAILED,
            ResourceType.CONNECTION,
            "Ada",
            "couldn't sign out of connection “Ada”",
        ),
        (AuditAction.CREATED, ResourceType.API_KEY, "Build server", "created API key “Build server”"),
        (AuditAction.DELETED, ResourceType.API_KEY, "Build server", "revoked API key “Build server”"),
        (AuditAction.INVITED, ResourceType.USER, "Dana Mori", "invited “Dana Mori”"),
        (AuditAction.JOINED, ResourceType.USER, "Dana Mori", "accepted the invitation"),
        (AuditAction.DELETED, ResourceType.USER, "Dana Mori", "removed “Dana Mori”"),
        (AuditAction.UPDATED, ResourceType.WORKSPACE, "", "changed the settings"),
        (AuditAction.UPDATED, ResourceType.WORKSPACE, "Engine settings", "changed the engine settings"),
        (AuditAction.PAUSED, ResourceType.WORKSPACE, "", "paused all runs"),
        (AuditAction.CLEANED_UP, ResourceType.WORKSPACE, "", "cleaned up the history"),
        (AuditAction.MOVED, ResourceType.WORKSPACE, "Secrets", "moved the credentials"),
        (AuditAction.UPDATED, ResourceType.WORKSPACE, "Secrets", "changed the encryption key"),
        (
            AuditAction.DELETED,
            ResourceType.WORKSPACE,
            "Secrets",
            "discarded credentials that couldn't be decrypted",
        ),
        (AuditAction.TESTED, ResourceType.WORKSPACE, "", "tested the public address"),
        (AuditAction.RETRIED, ResourceType.EXECUTION, "Nightly", "retried an execution of “Nightly”"),
        (AuditAction.CANCELLED, ResourceType.EXECUTION, "", "cancelled an execution"),
        (AuditAction.DELETED, ResourceType.EXECUTION, "", "deleted an execution"),
        (AuditAction.UPDATED, ResourceType.APP, "", "changed an app"),
    ],
)
def test_actions_have_readable_labels(deed, noun, subject, words):
    assert describe_action(entry(deed, noun, subject)) == words


def test_what_was_done_to_many_executions_at_once_says_how_many():
    retried = entry(AuditAction.RETRIED, ResourceType.EXECUTION, "12 failed executions")
    stopped = entry(AuditAction.CANCELLED, ResourceType.EXECUTION, "Retry of 12 executions")

    words = [describe_action(item.model_copy(update={"subject_id": None})) for item in (retried, stopped)]

    assert words == ["retried 12 failed executions", "cancelled the retry of 12 executions"]


@pytest.mark.parametrize("subject", ["", "Operations"])
def test_every_action_on_every_kind_of_resource_has_a_label(subject):
    said = {describe_action(entry(deed, noun, subject)) for deed in AuditAction for noun in ResourceType}

    assert all(words and "{" not in words and "None" not in words for words in said)
    assert all(resource_label(noun) for noun in ResourceType)
    assert set(RESOURCE_FILTER_LABELS) <= set(ResourceType)


def test_what_the_program_writes_down_can_be_filtered_by_its_kind():
    package = Path(patchbay.__file__).parent
    sources = [*(package / "service").rglob("*.py"), *(package / "server").rglob("*.py")]
    written = {pair for path in sources for pair in WRITTEN.findall(path.read_text("utf-8"))}

    assert written
    assert {ResourceType[noun] for _, noun in written} - set(RESOURCE_FILTER_LABELS) == set()


def test_a_sentence_says_who_and_what():
    assert (
        describe_entry(entry(AuditAction.RENAMED, ResourceType.FOLDER, "Ops"))
        == "This computer renamed folder “Ops”."
    )


def test_who_in_full_names_the_way_the_person_and_the_address():
    key = Actor(kind=ActorKind.KEY, name="Build server", id="k", user_id=UserId("u"), address="10.0.4.17")

    assert (
        describe_actor(key, {UserId("u"): "Bora Aydın"})
        == "Build server, API key, for Bora Aydın, from 10.0.4.17"
    )
    assert describe_actor(ANNA, {}) == "This computer, window"
    assert {actor_kind_label(Actor(kind=kind, name="")) for kind in ActorKind} == {
        "window",
        "command",
        "API key",
        "invitation",
        "automatically",
    }
