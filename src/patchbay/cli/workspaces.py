"""Opens the workspace that a command works on, as given by the global options."""

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from patchbay.bootstrap.known_servers import KnownServers
from patchbay.bootstrap.listen_options import listen_options_from
from patchbay.bootstrap.local import open_local
from patchbay.cli.database_option import database_arguments
from patchbay.cli.output import key_from_stdin
from patchbay.domain.backend import Backend
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.remote_options import RemoteOptions, parse_remote_options
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile
from patchbay.platform.system_keyring import SystemKeyring


@asynccontextmanager
async def open_workspace_for(
    options: argparse.Namespace, paths: AppPaths, *, engine: bool, wait_for_history: bool = True
) -> AsyncIterator[Backend]:
    """Open the workspace given by `--workspace`, or else the data folder of this computer.

    `engine`: also start the engine, unless another program runs it. `wait_for_history`: wait until the demo
    is complete. Sets `options.listen`, which a command awaits before a browser has to return over HTTP, and
    `options.engine_stops`: whether the engine stops when the command ends.
    """
    requested = options.workspace or "local"
    options.listen = _do_nothing
    options.engine_stops = requested == "demo"
    if requested == "demo":
        from patchbay.bootstrap.demo import open_demo

        demo = await open_demo(paths, run=engine)
        try:
            if wait_for_history:
                await demo.filled()
            yield demo.backend
        finally:
            await demo.close()
        return
    if requested != "local":
        remote = await _open_remote(options, paths)
        try:
            yield remote
        finally:
            await remote.close()
        return
    settings = SettingsFile(paths.settings).value
    opened = await open_local(
        paths, settings, passphrase_file=options.passphrase_file, **database_arguments(options)
    )
    options.engine_stops = opened.runtime is not None

    async def listen() -> None:
        if opened.runtime is not None:
            await opened.listen(listen_options_from(settings.service), require_port=False)

    options.listen = listen
    try:
        if engine and opened.runtime is not None:
            await opened.runtime.start()
        yield opened.backend
    finally:
        await opened.close()


async def _open_remote(options: argparse.Namespace, paths: AppPaths) -> Backend:
    """Connect to a server with the given network options, or else with those last used in the window."""
    known = KnownServers(paths, SettingsFile(paths.settings), SystemKeyring())
    stored = known.network().get(options.workspace.rstrip("/"), RemoteOptions())
    given = parse_remote_options(
        options.proxy or stored.proxy,
        options.ca_file or stored.ca_file,
        options.pin_sha256 or stored.pinned_sha256,
    )
    if given.proxy_password is not None:
        raise ValidationFailed(
            {"proxy": ["Leave out the password."]},
            happened="The proxy password was passed as an argument.",
            meaning="Every program on this computer can read it there.",
            todo="Enter the proxy in the window, which saves it in the keyring, or set HTTPS_PROXY.",
        )
    options_to_use = given if given != stored else None
    return await known.open(
        options.workspace, api_key=key_from_stdin(options), options=options_to_use, for_command=True
    )


async def _do_nothing() -> None:
    """Listen to nothing: the server listens already, or the demo needs no sign-in."""
