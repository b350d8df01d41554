"""`patchbay backup` and `restore`: one encrypted file with everything."""

import argparse
import asyncio
import getpass
import sys
from pathlib import Path

from patchbay.bootstrap import backup
from patchbay.bootstrap.key_store import read_passphrase
from patchbay.cli import output
from patchbay.domain.errors import NotFound, NotSupported
from patchbay.platform.paths import AppPaths


def run(options: argparse.Namespace, paths: AppPaths) -> int:
    if options.workspace not in (None, "local"):
        raise NotSupported(
            "Only the data of this computer can be backed up and restored.", todo="Leave out --workspace."
        )
    return (_back_up if options.command == "backup" else _restore)(options, paths)


def _back_up(options: argparse.Namespace, paths: AppPaths) -> int:
    out = Path(options.out_file).absolute()
    backup.require_writable_target(out, force=options.force)
    passphrase = _passphrase(options, twice=True)
    done = asyncio.run(backup.back_up(paths, out, passphrase, _vault_passphrase(options)))
    _print_result("file", done, options, f"Backed up to {out}")
    return 0


def _restore(options: argparse.Namespace, paths: AppPaths) -> int:
    file = Path(options.file).absolute()
    if not file.is_file():
        raise NotFound(f"There is no file {file}.")
    backup.require_empty_folder(paths, force=options.force)
    passphrase, vault = _passphrase(options, twice=False), options.vault == "passphrase"
    own = _vault_passphrase(options)
    work = backup.restore(paths, file, passphrase, own, force=options.force, passphrase_vault=vault)
    done = asyncio.run(work)
    _print_result("database", done, options, f"Restored to {done.file}")
    return 0


def _print_result(what: str, done: backup.BackupResult, options: argparse.Namespace, sentence: str) -> None:
    counts = ", ".join(f"{count} {name}" for name, count in done.counts.items())
    document = {what: str(done.file), "bytes": done.size, **done.counts}
    output.data(document, as_json=options.json, text=f"{sentence}: {counts}; {done.size} bytes.")
    if done.missing_secrets:
        output.print_message(
            f"{done.missing_secrets} connections had lost their credentials before; those need reconnecting."
        )


def _vault_passphrase(options: argparse.Namespace) -> str | None:
    """That of the data folder's passphrase vault; None where it is the backup's too."""
    if options.passphrase_file and options.backup_passphrase_file:
        return read_passphrase(Path(options.passphrase_file))
    return None


def _passphrase(options: argparse.Namespace, *, twice: bool) -> str:
    """The backup's, from the file that was named, else asked for at the terminal."""
    if named := options.backup_passphrase_file or options.passphrase_file:
        return read_passphrase(Path(named))
    if not sys.stdin.isatty():
        raise output.WrongUsage(
            "backup-passphrase-file",
            "The backup needs a passphrase, and there is no terminal to ask for it.",
            "Give a file that only you can read: --backup-passphrase-file FILE",
        )  # fmt: skip
    passphrase = getpass.getpass("Passphrase of the backup: ")
    if not passphrase:
        raise output.WrongUsage("passphrase", "A backup cannot have an empty passphrase.", "Try again.")
    if twice and getpass.getpass("Once more: ") != passphrase:
        raise output.WrongUsage("passphrase", "The two passphrases differ.", "Try again.")
    return passphrase
