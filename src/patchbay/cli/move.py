"""`patchbay move`: a workspace moves from a data folder to a PostgreSQL server, or back."""

import argparse
import sys
import time
from pathlib import Path

from patchbay.bootstrap.data_key import open_data_key, require_no_key_in_environment
from patchbay.bootstrap.key_store import choose_key_store
from patchbay.bootstrap.move import MoveKeys, MoveResult, move_workspace
from patchbay.cli import output
from patchbay.cli.database_option import database_arguments
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile
from patchbay.storage.moving.workspace_move import MoveProgress
from patchbay.storage.postgresql.address import SCHEMES, PostgresAddress

_SECONDS_BETWEEN_LINES = 0.2


def run(options: argparse.Namespace, paths: AppPaths) -> int:
    """Move the workspace, or with `--dry-run` say what would be moved."""
    urls = [text for text in (options.source, options.target) if text.partition(":")[0] in SCHEMES]
    if len(urls) != 1:
        raise output.WrongUsage(
            "to",
            "A workspace moves between a data folder and a PostgreSQL server.",
            "Use --from DIR --to postgresql://USER@HOST/DATABASE, or the other way round.",
        )
    to_server = options.target == urls[0]
    folder = AppPaths.choose(Path(options.source if to_server else options.target))
    options.database = urls[0]
    server = database_arguments(options)["database"]
    assert isinstance(server, PostgresAddress)
    if not to_server:
        folder.prepare()
    keys = _keys(options, paths, folder)
    progress = _ProgressLine()
    try:
        result = move_workspace(
            folder, server, keys, to_server=to_server, on_progress=progress.show, dry_run=options.dry_run
        )
    except KeyboardInterrupt:
        progress.clear()
        output.print_message("Stopped. Run the same command again to continue.")
        return 130
    finally:
        progress.clear()
    _print_result(result, options)
    return 0


def _keys(options: argparse.Namespace, paths: AppPaths, folder: AppPaths) -> MoveKeys | None:
    """The keys that the secrets change; None without a data key, which is always that of the server."""
    require_no_key_in_environment()
    if paths.data_key is None:
        return None
    data_key = open_data_key(paths.data_key)
    own = choose_key_store(folder, SettingsFile(folder.settings).value, options.passphrase_file)
    return MoveKeys(own, data_key)


def _print_result(result: MoveResult, options: argparse.Namespace) -> None:
    document = {
        "rows": result.rows,
        "isDryRun": options.dry_run,
        "wasFinished": result.was_finished,
        "secrets": None if result.secrets is None else vars(result.secrets),
        "dataKeyFingerprint": result.fingerprint,
        "tables": [
            {
                "name": table.table,
                "rows": table.rows,
                "checksum": table.checksum,
                "nulCharacters": table.nul_characters,
                "longIds": table.long_ids,
            }
            for table in result.tables
        ],
    }
    if result.was_finished:
        text = f"{options.target} has this workspace already, from an earlier run.\n"
        text += _about_secrets(result, "are")
    elif options.dry_run:
        text = (
            f"{result.rows:,} rows would be moved to {options.target}.\n{_about_secrets(result, 'would be')}"
        )
    else:
        text = (
            f"Moved {result.rows:,} rows of {len(result.tables)} tables to {options.target}; counts and "
            f"checksums are equal. {options.source} is unchanged.\n{_about_secrets(result, 'were')}"
        )
    output.data(document, as_json=options.json, text=text)
    nul = sum(table.nul_characters for table in result.tables)
    long_ids = sum(table.long_ids for table in result.tables)
    if nul:
        output.print_message(f"{nul:,} NUL characters became “�”: PostgreSQL can't store them.")
    if long_ids:
        output.print_message(f"{long_ids:,} IDs of items were too long for PostgreSQL and were shortened.")


def _about_secrets(result: MoveResult, were: str) -> str:
    """What happens to the secrets, and what the target needs to read them."""
    with_data_key = (
        f"Start with the data key that has the fingerprint {result.fingerprint} (--data-key-file). "
        if result.fingerprint
        else ""
    )
    if result.secrets is None and result.fingerprint:
        return (
            f"Secrets stay encrypted with the data key. {with_data_key}If the data folder changes, copy "
            "settings.toml and your own apps to the new one."
        )
    if result.secrets is None:
        return (
            "Secrets stay encrypted with the same key. If the data folder changes, copy "
            "vault.json, settings.toml, and your own apps to the new one."
        )
    found = f"{result.secrets.connections:,} of connections, {result.secrets.webhooks:,} of webhooks"
    verified = "" if were == "would be" else ", and each was decrypted again"
    return (
        f"Secrets {were} encrypted with the target's key{verified}: {found}. "
        f"{with_data_key}If the data folder changes, copy settings.toml and your own apps to the new one."
    )


class _ProgressLine:
    """One line of a terminal, which is written again and again. Without a terminal, nothing is written."""

    def __init__(self) -> None:
        self._is_shown = False
        self._shown_at = -1.0

    def show(self, progress: MoveProgress) -> None:
        """Show the progress, unless it was shown a moment ago."""
        now = time.monotonic()
        if sys.stderr is None or not sys.stderr.isatty() or now < self._shown_at + _SECONDS_BETWEEN_LINES:
            return
        self._shown_at, self._is_shown = now, True
        of = f"{progress.rows:,} of {progress.total:,} rows"
        print(f"\r\x1b[K{progress.percent:3} %  {progress.phase}: {of}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Remove the line."""
        if self._is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._is_shown = False
