"""`patchbay user`: who is in, and who is asked in."""

import argparse

from patchbay.cli import lookup, output
from patchbay.domain.backend import Backend
from patchbay.domain.errors import NotFound
from patchbay.domain.folders_and_users import User


async def run(backend: Backend, options: argparse.Namespace) -> int:
    command = {"list": _list, "create": _create, "invite": _invite, "remove": _remove}[options.action]
    await command(backend, options)
    return 0


async def _list(backend: Backend, options: argparse.Namespace) -> None:
    """Those who are in; with `--invited` those who have not come yet."""
    people = await (backend.list_invitations() if options.invited else backend.list_users())
    text = output.table(("ID", "NAME", "EMAIL", "ROLE", "STATUS"), [_row(person) for person in people])
    output.data([person.wire() for person in people], as_json=options.json, text=text)


def _row(person: User) -> tuple[str, ...]:
    role = person.role.name if person.role else "-"
    return person.id, person.full_name, person.email, role, person.status


async def _create(backend: Backend, options: argparse.Namespace) -> None:
    role_id = await _role_id(backend, options.role) if options.role else None
    made = await backend.create_user(options.name, options.email, role_id)
    output.data(made.wire(), as_json=options.json, text=made.id)
    output.print_message(f"{made.full_name} is in. A key for them: patchbay api-key create --user {made.id}")


async def _invite(backend: Backend, options: argparse.Namespace) -> None:
    role_id = await _role_id(backend, options.role)
    made = await backend.invite(options.name, options.email, role_id)
    output.data(made.wire(), as_json=options.json, text=made.accept_invitation_url or made.id)
    sent = f"The link was mailed to {made.email}." if made.mailed else ""
    output.print_message(" ".join(filter(None, (sent, made.notice, "It works once, for 72 hours."))))


async def _remove(backend: Backend, options: argparse.Namespace) -> None:
    """Remove a user, or withdraw an invitation: both go by the id of the person."""
    person = await lookup.user_id(backend, options.id, invited=True)
    try:
        await backend.delete_user(person)
    except NotFound:
        await backend.revoke_invitation(person)
    output.data({"id": person, "removed": True}, as_json=options.json, text="Removed.")


async def _role_id(backend: Backend, wanted: str) -> str:
    """The id of a role by its key, name or id: services have their own."""
    roles = await backend.list_roles()
    for role in roles:
        if wanted.casefold() in (role.key.casefold(), role.name.casefold(), role.id):
            return role.id
    known = ", ".join(role.key or role.name for role in roles) or "none that are known"
    raise output.WrongUsage("--role", f"There is no role “{wanted}” here.", f"Choose one of: {known}.")
