"""Which workspace a command works on, from the global options."""

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from patchbay.bootstrap.local import open_local
from patchbay.bootstrap.reach import reach_of
from patchbay.bootstrap.remote import open_remote
from patchbay.cli.output import key_from_stdin
from patchbay.domain.backend import Backend
from patchbay.platform.keyring_home import SystemKeyring
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile


@asynccontextmanager
async def open_for(options: argparse.Namespace, paths: AppPaths, *, engine: bool) -> AsyncIterator[Backend]:
    """The workspace asked for; without `--workspace` the data folder of this computer.

    `engine`: the command runs flows, so the engine is started when the folder is opened here.
    `options.listen` is set: a command awaits it when something must be able to come back over HTTP.
    """
    asked = options.workspace or "local"
    options.listen = _nothing_to_do
    if asked == "demo":
        from patchbay.bootstrap.demo import open_demo

        demo = await open_demo(paths, run=engine)
        try:
            await demo.filled()
            yield demo.backend
        finally:
            await demo.close()
        return
    if asked != "local":
        remote = await open_remote(asked, SystemKeyring(), api_key=key_from_stdin(options))
        try:
            yield remote
        finally:
            await remote.close()
        return
    settings = SettingsFile(paths.settings).value
    opened = await open_local(paths, settings, passphrase_file=options.passphrase_file)

    async def listen() -> None:
        if opened.house is not None:
            await opened.listen(reach_of(settings.service), exactly=False)

    options.listen = listen
    try:
        if engine and opened.house is not None:
            await opened.house.start()
        yield opened.backend
    finally:
        await opened.close()


async def _nothing_to_do() -> None:
    """Whoever holds the workspace listens already."""
