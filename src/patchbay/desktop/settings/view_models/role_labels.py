"""The names of roles in the language of the window. Roles of other servers keep the name from there."""

from patchbay.desktop.core.language import tr
from patchbay.domain.people import ADMIN, EDITOR, VIEWER, Role

LABELS = {ADMIN.name: tr("Admin"), EDITOR.name: tr("Editor"), VIEWER.name: tr("Viewer")}
PHRASES = {
    ADMIN.name: tr("admin", "role in a sentence"),
    EDITOR.name: tr("editor", "role in a sentence"),
    VIEWER.name: tr("viewer", "role in a sentence"),
}
DESCRIPTIONS = {
    ADMIN.description: tr(
        "Full access to everyone's flows and connections, and to people, keys, and settings."
    ),
    EDITOR.description: tr(
        "Can create and run their own flows, and manage their own connections and executions."
    ),
    VIEWER.description: tr("Read-only access to their own flows and executions."),
}


def role_label(role: Role) -> str:
    """The name of a role, as lists show it."""
    return LABELS.get(role.name) or role.name


def role_phrase(role: Role) -> str:
    """The name of a role inside a sentence."""
    return PHRASES.get(role.name) or role.name.lower()


def role_description(role: Role) -> str:
    """What a role allows."""
    return DESCRIPTIONS.get(role.description) or role.description
