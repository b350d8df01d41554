"""`patchbay data-key`: creates, checks, and applies the data key that several computers share."""

import argparse
from pathlib import Path

from patchbay.bootstrap.data_key import create_data_key, open_data_key
from patchbay.cli import output
from patchbay.platform.paths import AppPaths


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
