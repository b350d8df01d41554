"""`patchbay api-key`: keys of the HTTP interface."""

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from patchbay.cli import lookup, output, workspaces
from patchbay.domain.access import ApiKey, Scope
from patchbay.domain.backend import Backend
from patchbay.platform.paths import AppPaths


async def run(options: argparse.Namespace, paths: AppPaths) -> int:
    command = {"create": _create, "list": _list, "revoke": _revoke}[options.action]
    async with _opened(options, paths) as backend:
        await command(backend, options)
    return 0


@asynccontextmanager
async def _opened(options: argparse.Namespace, paths: AppPaths) -> AsyncIterator[Backend]:
    """The workspace, without waiting for the history of the demo."""
    if options.workspace != "demo":
        async with workspaces.open_workspace_for(options, paths, engine=False) as backend:
            yield backend
        return
    from patchbay.bootstrap.demo import open_demo

    demo = await open_demo(paths, run=False)
    try:
        yield demo.backend
    finally:
        await demo.close()


async def _create(backend: Backend, options: argparse.Namespace) -> None:
    owner = await lookup.user_id(backend, options.user) if options.user else None
    made = await backend.create_api_key(options.name, Scope(options.scope), owner)
    document = {
        "id": made.key.id, "name": made.key.name, "key": made.value, "scope": made.key.scope,
        "userId": made.key.user_id,
    }  # fmt: skip
    output.data(document, as_json=options.json, text=made.value)
    output.print_message("Keep this key now: it is not shown again.")


async def _list(backend: Backend, options: argparse.Namespace) -> None:
    keys = await backend.list_api_keys()
    people = {person.id: person.full_name for person in await backend.list_users()}
    rows = [_row(key, people) for key in keys]
    text = output.table(("ID", "NAME", "KEY", "SCOPE", "OWNER", "LAST USED"), rows)
    output.data([key.wire() for key in keys], as_json=options.json, text=text)


def _row(key: ApiKey, people: dict[str, str]) -> tuple[str, ...]:
    owner = people.get(key.user_id, "gone") if key.user_id else "-"
    return key.id, key.name, key.hint, key.scope, owner, output.format_time(key.last_used_at)


async def _revoke(backend: Backend, options: argparse.Namespace) -> None:
    key_id = await lookup.api_key_id(backend, options.id)
    await backend.revoke_api_key(key_id)
    output.data({"id": key_id, "revoked": True}, as_json=options.json, text="Revoked.")
