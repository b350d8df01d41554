"""`patchbay backup` and `patchbay restore`: all data in one encrypted file."""

import argparse
import asyncio
import getpass
import sys
from pathlib import Path

from patchbay.bootstrap import backup
from patchbay.bootstrap.key_store import read_passphrase
from patchbay.cli import output
from patchbay.cli.database_option import reject_server
from patchbay.domain.errors import NotFound, NotSupported
from patchbay.platform.paths import AppPaths


def back_up(options: argparse.Namespace, paths: AppPaths) -> int:
    """Back up the data folder, also while another program uses it."""
    _require_local(options, paths)
    out = Path(options.out_file).absolute()
    backup.require_writable_target(out, force=options.force)
    passphrase = _passphrase(options, twice=True)
    done = asyncio.run(backup.back_up(paths, out, passphrase, _vault_passphrase(options)))
    _print_result("file", done, options, f"Backed up to {out}")
    return 0


def restore(options: argparse.Namespace, paths: AppPaths) -> int:
    """Restore a backup to an empty data folder, or with `--force` to any."""
    _require_local(options, paths)
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


def _require_local(options: argparse.Namespace, paths: AppPaths) -> None:
    if options.workspace not in (None, "local"):
        raise NotSupported(
            "Only the workspace on this computer can be backed up and restored.",
            todo="Leave out --workspace.",
        )
    todo = "Back up the server with pg_dump, and keep a copy of the data key or the vault (vault.json)."
    reject_server(options, paths, todo=todo)


def _print_result(what: str, done: backup.BackupResult, options: argparse.Namespace, sentence: str) -> None:
    counts = ", ".join(f"{count} {name}" for name, count in done.counts.items())
    document = {what: str(done.file), "bytes": done.size, **done.counts}
    output.data(document, as_json=options.json, text=f"{sentence}: {counts}; {done.size} bytes.")
    if done.missing_secrets:
        output.print_message(
            f"{done.missing_secrets} connections or webhooks had no secrets when they were backed up. "
            "Reconnect the connections; unpublish the flows with the webhooks, and publish them again."
        )


def _vault_passphrase(options: argparse.Namespace) -> str | None:
    """The passphrase of the data folder's vault; None if it is the same as the backup's."""
    if options.passphrase_file and options.backup_passphrase_file:
        return read_passphrase(Path(options.passphrase_file))
    return None


def _passphrase(options: argparse.Namespace, *, twice: bool) -> str:
    """The passphrase of the backup, from a file or else from the terminal. `twice` asks for confirmation."""
    if named := options.backup_passphrase_file or options.passphrase_file:
        return read_passphrase(Path(named))
    if not sys.stdin.isatty():
        raise output.WrongUsage(
            "backup-passphrase-file",
            "The backup needs a passphrase, and there is no terminal to enter it at.",
            "Use --backup-passphrase-file FILE with a file that only you can read.",
        )
    passphrase = getpass.getpass("Backup passphrase: ")
    if not passphrase:
        raise output.WrongUsage("passphrase", "The passphrase of a backup can't be empty.", "Try again.")
    if twice and getpass.getpass("Repeat the passphrase: ") != passphrase:
        raise output.WrongUsage("passphrase", "The passphrases don't match.", "Try again.")
    return passphrase
