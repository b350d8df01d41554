"""What the window says about settings, servers, and backups that `bootstrap` handles."""

from collections.abc import Mapping
from pathlib import Path

from patchbay.bootstrap.known_servers import Leftovers
from patchbay.desktop.core.backups import counts_text
from patchbay.desktop.core.language import tr
from patchbay.domain.errors import SecretsUnavailable


def unreadable_settings_text(renamed: Path) -> str:
    """That the settings file couldn't be read, and what it is called now."""
    return tr(
        "The settings file couldn't be read, so the defaults are used. The old file was renamed to {file}.",
        file=renamed.name,
    )


def unsaved_key_text(problem: SecretsUnavailable) -> str:
    """Why the API key of a server couldn't be saved, and what to do."""
    return tr(
        "The API key works until Patchbay closes, but it couldn't be saved. {problem} "
        "Once the keyring works, enter the key again under Server settings.",
        problem=problem.happened,
    )


def leftovers_text(address: str, left: Leftovers) -> str:
    """What couldn't be deleted of a server; empty if all was."""
    sentences = []
    if left.key_problem is not None:
        text = tr("The API key for {address} couldn't be deleted from the keyring.", address=address)
        sentences += [text, left.key_problem.text()]
    if left.cache is not None:
        sentences.append(
            tr(
                "The cached data of {address} couldn't be deleted from {folder}.",
                address=address,
                folder=left.cache,
            )
        )
    return " ".join(sentences)


def restored_text(counts: Mapping[str, int]) -> str:
    """That a backup was restored, and what it contained."""
    return tr("The backup was restored: {contents}.", contents=counts_text(counts.items()))


def crash_text(report: str) -> str:
    """That an error was caught, and where its report is."""
    return tr("An internal error occurred. Patchbay keeps running. A crash report is in {file}.", file=report)
