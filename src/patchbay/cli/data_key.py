"""`patchbay data-key`: creates, checks, and applies the data key that several computers share."""

import argparse
from dataclasses import replace
from pathlib import Path

from patchbay.bootstrap.apply_data_key import apply_data_key
from patchbay.bootstrap.data_key import create_data_key, open_data_key
from patchbay.bootstrap.key_store import choose_key_store
from patchbay.bootstrap.local import open_local
from patchbay.cli import output
from patchbay.cli.database_option import database_arguments
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile


def create(options: argparse.Namespace, paths: AppPaths) -> int:
    """Create a data key in a new file."""
    del paths
    file = Path(options.file).absolute()
    fingerprint = create_data_key(file).fingerprint
    output.data(
        {"file": str(file), "fingerprint": fingerprint},
        as_json=options.json,
        text=f"Created {file}. Its fingerprint is {fingerprint}.\n"
        "Keep a copy in a safe place: without this key, secrets that it encrypts can't be read.",
    )
    return 0


def check(options: argparse.Namespace, paths: AppPaths) -> int:
    """Check that a file has a data key that only this user can read, and print the fingerprint."""
    del paths
    file = Path(options.file).absolute()
    fingerprint = open_data_key(file).fingerprint
    output.data({"file": str(file), "fingerprint": fingerprint}, as_json=options.json, text=fingerprint)
    return 0


async def apply(options: argparse.Namespace, paths: AppPaths) -> int:
    """Encrypt the secrets of a workspace with the data key. No other program may use it meanwhile."""
    if paths.data_key is None:
        raise output.WrongUsage(
            "data-key-file", "No data key was given.", "Use --data-key-file FILE, or create one first."
        )
    data_key = open_data_key(paths.data_key)
    old_file = options.old_data_key_file
    old_paths = replace(paths, data_key=None if old_file is None else Path(old_file))
    settings = SettingsFile(paths.settings).value
    old = choose_key_store(old_paths, settings, options.passphrase_file)
    opened = await open_local(
        old_paths, settings, passphrase_file=options.passphrase_file, **database_arguments(options)
    )
    try:
        done = await apply_data_key(opened, old, data_key)
    finally:
        await opened.close()
    output.data(
        {**vars(done), "fingerprint": data_key.fingerprint},
        as_json=options.json,
        text="Secrets are encrypted with the data key, and each was decrypted again: "
        f"{done.connections:,} of connections, {done.webhooks:,} of webhooks.\n"
        f"From now on, start with this data key (fingerprint {data_key.fingerprint}). "
        "The old key was left where it is.",
    )
    return 0
