"""The audit log in words: who, through what, did what to which thing."""

from collections.abc import Mapping

from patchbay.domain.audit import Actor, ActorKind, AuditAction, AuditEntry
from patchbay.domain.base import UserId
from patchbay.domain.changes import ResourceType

NOUNS: Mapping[ResourceType, str] = {
    ResourceType.FLOW: "flow",
    ResourceType.CONNECTION: "connection",
    ResourceType.EXECUTION: "execution",
    ResourceType.FOLDER: "folder",
    ResourceType.TEMPLATE: "template",
    ResourceType.APP: "app",
    ResourceType.USER: "person",
    ResourceType.API_KEY: "API key",
    ResourceType.WORKSPACE: "workspace",
}

KINDS: Mapping[ResourceType, str] = {
    ResourceType.FLOW: "Flows",
    ResourceType.CONNECTION: "Connections",
    ResourceType.EXECUTION: "Executions",
    ResourceType.FOLDER: "Folders",
    ResourceType.TEMPLATE: "Templates",
    ResourceType.USER: "People",
    ResourceType.API_KEY: "API keys",
    ResourceType.WORKSPACE: "Settings and engine",
}
"""The kinds of things one may filter by, in the order they are offered."""

_VERBS: Mapping[AuditAction, str] = {
    AuditAction.CREATED: "created",
    AuditAction.UPDATED: "changed",
    AuditAction.RENAMED: "renamed",
    AuditAction.MOVED: "moved",
    AuditAction.DELETED: "deleted",
    AuditAction.RESTORED: "brought back",
    AuditAction.PUBLISHED: "published",
    AuditAction.UNPUBLISHED: "unpublished",
    AuditAction.PAUSED: "paused",
    AuditAction.RESUMED: "resumed",
    AuditAction.RUN: "ran",
    AuditAction.RETRIED: "retried",
    AuditAction.REPLAYED: "ran again",
    AuditAction.CANCELLED: "cancelled",
    AuditAction.TESTED: "tested",
    AuditAction.RECONNECTED: "reconnected",
    AuditAction.INVITED: "invited",
    AuditAction.JOINED: "joined as",
    AuditAction.CLEANED_UP: "tidied",
}

_OWN_WORDS: Mapping[tuple[AuditAction, ResourceType], str] = {
    (AuditAction.CREATED, ResourceType.CONNECTION): "added connection {name}",
    (AuditAction.CREATED, ResourceType.USER): "added {name}",
    (AuditAction.UPDATED, ResourceType.USER): "changed name or role of {name}",
    (AuditAction.RENAMED, ResourceType.USER): "renamed {name}",
    (AuditAction.DELETED, ResourceType.USER): "removed {name}",
    (AuditAction.INVITED, ResourceType.USER): "invited {name}",
    (AuditAction.JOINED, ResourceType.USER): "accepted the invitation",
    (AuditAction.CANCELLED, ResourceType.USER): "withdrew the invitation of {name}",
    (AuditAction.DELETED, ResourceType.API_KEY): "revoked API key {name}",
    (AuditAction.RUN, ResourceType.FLOW): "ran flow {name} by hand",
    (AuditAction.TESTED, ResourceType.FLOW): "tested a step of flow {name}",
    (AuditAction.RETRIED, ResourceType.FLOW): "retried failures of flow {name}",
    (AuditAction.RUN, ResourceType.EXECUTION): "ran flow {name} by hand",
    (AuditAction.RETRIED, ResourceType.EXECUTION): "retried an execution of {name}",
    (AuditAction.REPLAYED, ResourceType.EXECUTION): "ran an execution of {name} again",
    (AuditAction.CANCELLED, ResourceType.EXECUTION): "cancelled an execution of {name}",
    (AuditAction.DELETED, ResourceType.EXECUTION): "deleted an execution of {name}",
}
"""Where the plain verb and noun would not say it well; for things whose name is known."""

_NAMELESS: Mapping[tuple[AuditAction, ResourceType], str] = {
    (AuditAction.UPDATED, ResourceType.WORKSPACE): "changed the settings",
    (AuditAction.PAUSED, ResourceType.WORKSPACE): "paused all runs",
    (AuditAction.RESUMED, ResourceType.WORKSPACE): "resumed all runs",
    (AuditAction.CLEANED_UP, ResourceType.WORKSPACE): "cleaned up the history",
    (AuditAction.TESTED, ResourceType.WORKSPACE): "tested the public address",
    (AuditAction.RESTORED, ResourceType.WORKSPACE): "restored a backup",
    (AuditAction.RETRIED, ResourceType.EXECUTION): "retried an execution",
    (AuditAction.REPLAYED, ResourceType.EXECUTION): "ran an execution again",
    (AuditAction.CANCELLED, ResourceType.EXECUTION): "cancelled an execution",
    (AuditAction.RUN, ResourceType.EXECUTION): "ran a flow by hand",
    (AuditAction.CANCELLED, ResourceType.USER): "withdrew an invitation",
    (AuditAction.JOINED, ResourceType.USER): "accepted the invitation",
    (AuditAction.DELETED, ResourceType.API_KEY): "revoked an API key",
}

_OF_SECRETS: Mapping[AuditAction, str] = {
    AuditAction.MOVED: "moved the secrets",
    AuditAction.UPDATED: "changed the key of the secrets",
    AuditAction.DELETED: "gave up secrets that could not be opened",
}

_THROUGH: Mapping[ActorKind, str] = {
    ActorKind.WINDOW: "window",
    ActorKind.COMMAND: "command",
    ActorKind.KEY: "API key",
    ActorKind.INVITATION: "invitation",
    ActorKind.PROGRAM: "by itself",
}


def what(entry: AuditEntry) -> str:
    """What was done, without who: "renamed folder “Operations”"."""
    case = entry.deed, entry.noun
    if entry.noun is ResourceType.WORKSPACE:
        return _of_workspace(entry)
    if entry.noun is ResourceType.EXECUTION and entry.subject and entry.subject_id is None:
        return f"{_VERBS[entry.deed]} {_several(entry.subject)}"
    if entry.subject and case in _OWN_WORDS:
        return _OWN_WORDS[case].format(name=f"“{entry.subject}”")
    if entry.subject:
        return f"{_VERBS[entry.deed]} {noun_word(entry.noun)} “{entry.subject}”"
    return _NAMELESS.get(case) or f"{_VERBS[entry.deed]} {_a(noun_word(entry.noun))}"


def _several(words: str) -> str:
    """Executions that were told together: "12 failed executions", "the retry of 12 executions"."""
    return words if not words[:1].isalpha() else f"the {words[:1].lower()}{words[1:]}"


def _of_workspace(entry: AuditEntry) -> str:
    """What of the workspace is told by a name ("Secrets"), and the rest by what was done."""
    if entry.subject == "Secrets" and entry.deed in _OF_SECRETS:
        return _OF_SECRETS[entry.deed]
    if entry.subject:
        return f"{_VERBS[entry.deed]} the {entry.subject[:1].lower()}{entry.subject[1:]}"
    return _NAMELESS.get((entry.deed, entry.noun)) or f"{_VERBS[entry.deed]} the workspace"


def noun_word(noun: ResourceType) -> str:
    """What a kind of thing is called."""
    return NOUNS.get(noun) or noun.value.replace("_", " ")


def sentence(entry: AuditEntry) -> str:
    """Who and what as one sentence: "Build server renamed folder “Operations”."."""
    return f"{who(entry.actor)} {what(entry)}."


def who(actor: Actor) -> str:
    """The name of who acted; what has none says through what it acted."""
    return actor.name or through(actor).capitalize()


def through(actor: Actor) -> str:
    """Through what they acted, in a word or two."""
    return _THROUGH[actor.kind]


def who_in_full(actor: Actor, names: Mapping[UserId, str]) -> str:
    """Name, way, person and address. `names` are those of the people by id."""
    person = names.get(actor.user_id or "", "")
    parts = [who(actor), through(actor)]
    if person and person != actor.name:
        parts.append(f"for {person}")
    if actor.address:
        parts.append(f"from {actor.address}")
    return ", ".join(parts)


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiouA" else f"a {noun}"
