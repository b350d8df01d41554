"""`patchbay user`: list, create, invite, and remove users."""

import argparse

from patchbay.cli import lookup, output
from patchbay.domain.backend import Backend
from patchbay.domain.errors import NotFound


async def list_people(backend: Backend, options: argparse.Namespace) -> int:
    """List users, or with `--invited` open invitations."""
    people = await (backend.list_invitations() if options.invited else backend.list_users())
    rows = [
        (person.id, person.full_name, person.email, person.role.name if person.role else "-", person.status)
        for person in people
    ]
    text = output.table(("ID", "NAME", "EMAIL", "ROLE", "STATUS"), rows)
    output.data([person.wire() for person in people], as_json=options.json, text=text)
    return 0


async def create_user(backend: Backend, options: argparse.Namespace) -> int:
    """Create a user. Only the ID goes to standard output, so that scripts can capture it."""
    role_id = await _role_id(backend, options.role) if options.role else None
    made = await backend.create_user(options.name, options.email, role_id)
    output.data(made.wire(), as_json=options.json, text=made.id)
    output.print_message(
        f"{made.full_name} was created. Create their API key with: patchbay api-key create --user {made.id}"
    )
    return 0


async def invite(backend: Backend, options: argparse.Namespace) -> int:
    """Invite a user. Only the link goes to standard output."""
    role_id = await _role_id(backend, options.role)
    made = await backend.invite(options.name, options.email, role_id)
    output.data(made.wire(), as_json=options.json, text=made.accept_invitation_url or made.id)
    sent = f"The link was emailed to {made.email}." if made.mailed else ""
    output.print_message(
        " ".join(filter(None, (sent, made.notice, "It works once and expires in 72 hours.")))
    )
    return 0


async def remove(backend: Backend, options: argparse.Namespace) -> int:
    """Remove a user or revoke an invitation, by the ID, name, or email address of the person."""
    person = await lookup.user_id(backend, options.id, invited=True)
    try:
        await backend.delete_user(person)
    except NotFound:
        await backend.revoke_invitation(person)
    output.data({"id": person, "removed": True}, as_json=options.json, text="Removed.")
    return 0


async def _role_id(backend: Backend, wanted: str) -> str:
    """The ID of a role given by key, name, or ID. Other servers have their own roles."""
    roles = await backend.list_roles()
    for role in roles:
        if wanted.casefold() in (role.key.casefold(), role.name.casefold(), role.id):
            return role.id
    known = ", ".join(role.key or role.name for role in roles) or "none that are known"
    raise output.WrongUsage("--role", f"There is no role “{wanted}” here.", f"Choose one of: {known}.")
