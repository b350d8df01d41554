"""The audit log in words: who, through what, did what to which thing."""

from collections.abc import Mapping

from patchbay.domain.audit import Actor, ActorKind, AuditEntry, Deed
from patchbay.domain.base import UserId
from patchbay.domain.changes import Noun

NOUNS: Mapping[Noun, str] = {
    Noun.FLOW: "flow",
    Noun.CONNECTION: "connection",
    Noun.EXECUTION: "execution",
    Noun.FOLDER: "folder",
    Noun.TEMPLATE: "template",
    Noun.APP: "app",
    Noun.USER: "person",
    Noun.API_KEY: "API key",
    Noun.WORKSPACE: "workspace",
}

KINDS: Mapping[Noun, str] = {
    Noun.FLOW: "Flows",
    Noun.CONNECTION: "Connections",
    Noun.EXECUTION: "Executions",
    Noun.FOLDER: "Folders",
    Noun.TEMPLATE: "Templates",
    Noun.USER: "People",
    Noun.API_KEY: "API keys",
    Noun.WORKSPACE: "Settings and engine",
}
"""The kinds of things one may filter by, in the order they are offered."""

_VERBS: Mapping[Deed, str] = {
    Deed.CREATED: "created",
    Deed.UPDATED: "changed",
    Deed.RENAMED: "renamed",
    Deed.MOVED: "moved",
    Deed.DELETED: "deleted",
    Deed.RESTORED: "brought back",
    Deed.PUBLISHED: "published",
    Deed.UNPUBLISHED: "unpublished",
    Deed.PAUSED: "paused",
    Deed.RESUMED: "resumed",
    Deed.RUN: "ran",
    Deed.RETRIED: "retried",
    Deed.REPLAYED: "ran again",
    Deed.CANCELLED: "cancelled",
    Deed.TESTED: "tested",
    Deed.RECONNECTED: "reconnected",
    Deed.INVITED: "invited",
    Deed.JOINED: "joined as",
    Deed.TIDIED: "tidied",
}

_OWN_WORDS: Mapping[tuple[Deed, Noun], str] = {
    (Deed.CREATED, Noun.CONNECTION): "added connection {name}",
    (Deed.CREATED, Noun.USER): "added {name}",
    (Deed.UPDATED, Noun.USER): "changed name or role of {name}",
    (Deed.RENAMED, Noun.USER): "renamed {name}",
    (Deed.DELETED, Noun.USER): "removed {name}",
    (Deed.INVITED, Noun.USER): "invited {name}",
    (Deed.JOINED, Noun.USER): "accepted the invitation",
    (Deed.CANCELLED, Noun.USER): "withdrew the invitation of {name}",
    (Deed.DELETED, Noun.API_KEY): "revoked API key {name}",
    (Deed.RUN, Noun.FLOW): "ran flow {name} by hand",
    (Deed.TESTED, Noun.FLOW): "tested a step of flow {name}",
    (Deed.RETRIED, Noun.FLOW): "retried failures of flow {name}",
    (Deed.RUN, Noun.EXECUTION): "ran flow {name} by hand",
    (Deed.RETRIED, Noun.EXECUTION): "retried an execution of {name}",
    (Deed.REPLAYED, Noun.EXECUTION): "ran an execution of {name} again",
    (Deed.CANCELLED, Noun.EXECUTION): "cancelled an execution of {name}",
    (Deed.DELETED, Noun.EXECUTION): "deleted an execution of {name}",
}
"""Where the plain verb and noun would not say it well; for things whose name is known."""

_NAMELESS: Mapping[tuple[Deed, Noun], str] = {
    (Deed.UPDATED, Noun.WORKSPACE): "changed the settings",
    (Deed.PAUSED, Noun.WORKSPACE): "paused all runs",
    (Deed.RESUMED, Noun.WORKSPACE): "resumed all runs",
    (Deed.TIDIED, Noun.WORKSPACE): "cleaned up the history",
    (Deed.TESTED, Noun.WORKSPACE): "tested the public address",
    (Deed.RESTORED, Noun.WORKSPACE): "restored a backup",
    (Deed.RETRIED, Noun.EXECUTION): "retried an execution",
    (Deed.REPLAYED, Noun.EXECUTION): "ran an execution again",
    (Deed.CANCELLED, Noun.EXECUTION): "cancelled an execution",
    (Deed.RUN, Noun.EXECUTION): "ran a flow by hand",
    (Deed.CANCELLED, Noun.USER): "withdrew an invitation",
    (Deed.JOINED, Noun.USER): "accepted the invitation",
    (Deed.DELETED, Noun.API_KEY): "revoked an API key",
}

_OF_SECRETS: Mapping[Deed, str] = {
    Deed.MOVED: "moved the secrets",
    Deed.UPDATED: "changed the key of the secrets",
    Deed.DELETED: "gave up secrets that could not be opened",
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
    if entry.noun is Noun.WORKSPACE:
        return _of_workspace(entry)
    if entry.noun is Noun.EXECUTION and entry.subject and entry.subject_id is None:
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


def noun_word(noun: Noun) -> str:
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
