"""`patchbay api-key`: create, list, and revoke API keys."""

import argparse

from patchbay.cli import lookup, output
from patchbay.domain.access import Scope
from patchbay.domain.backend import Backend


async def create_key(backend: Backend, options: argparse.Namespace) -> int:
    """Create a key. Only its value goes to standard output, so that scripts can capture it."""
    owner = await lookup.user_id(backend, options.user) if options.user else None
    made = await backend.create_api_key(options.name, Scope(options.scope), owner)
    document = {
        "id": made.key.id,
        "name": made.key.name,
        "key": made.value,
        "scope": made.key.scope,
        "userId": made.key.user_id,
    }
    output.data(document, as_json=options.json, text=made.value)
    output.print_message("Save this key now. It can't be shown again.")
    return 0


async def list_keys(backend: Backend, options: argparse.Namespace) -> int:
    """List the keys, with their owners and when each was last used."""
    keys = await backend.list_api_keys()
    people = {person.id: person.full_name for person in await backend.list_users()}
    rows = [
        (
            key.id,
            key.name,
            key.hint,
            key.scope,
            people.get(key.user_id, "deleted user") if key.user_id else "-",
            output.format_time(key.last_used_at),
        )
        for key in keys
    ]
    text = output.table(("ID", "NAME", "KEY", "SCOPE", "OWNER", "LAST USED"), rows)
    output.data([key.wire() for key in keys], as_json=options.json, text=text)
    return 0


async def revoke_key(backend: Backend, options: argparse.Namespace) -> int:
    """Revoke a key, chosen by ID or name."""
    key_id = await lookup.api_key_id(backend, options.id)
    await backend.revoke_api_key(key_id)
    output.data({"id": key_id, "revoked": True}, as_json=options.json, text="Revoked.")
    return 0
