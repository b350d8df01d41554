"""Why secrets cannot be used, in words: what happened, what it means, what to do."""

from enum import StrEnum

from patchbay.domain.errors import SecretsUnavailable


class SecretsStatus(StrEnum):
    """What opening found. The values besides the first two are the reasons of `SecretsUnavailable`."""

    OK = "ok"
    EMPTY = "empty"
    """No secret was ever stored; the key is made when the first one is."""
    NO_KEYRING = "no_keyring"
    LOCKED = "locked"
    TIMED_OUT = "timed_out"
    KEY_NOT_FOUND = "key_not_found"
    KEY_WRONG = "key_wrong"

    @property
    def is_usable(self) -> bool:
        return self in (SecretsStatus.OK, SecretsStatus.EMPTY)


_LOCKED_OUT = "Flows and history are there, but no step that needs a connection can run."

_MESSAGES = {
    "no_keyring": (
        "There is no place to keep credentials safely.",
        "This computer offers no working system keyring.",
        "Install and start one (gnome-keyring, KWallet or KeePassXC), or set up a passphrase vault.",
    ),
    "locked": (
        "The credentials are locked.",
        _LOCKED_OUT,
        "Unlock the keyring (or enter the passphrase), then test a connection.",
    ),
    "timed_out": (
        "The system keyring did not answer in time.",
        _LOCKED_OUT,
        "Look for a window that asks for your keyring password, answer it, then test a connection.",
    ),
    "key_not_found": (
        "The key that opens your credentials is not here.",
        "The database came from another computer or user, or the key was removed. " + _LOCKED_OUT,
        "Bring the key back (the keyring of the computer the data came from, or a backup with its key); or "
        "give up the lost credentials under Settings, Secrets, and reconnect.",
    ),
    "key_wrong": (
        "The key found does not open your credentials.",
        "It belongs to other data, or the stored credentials were altered. " + _LOCKED_OUT,
        "Restore a backup with its key; or give up the lost credentials under Settings, Secrets, and "
        "reconnect.",
    ),
    "item_gone": (
        "The credentials of this connection are not in the keyring.",
        "Their item was deleted, or the database came from another computer or user.",
        "Reconnect, or bring the keyring back.",
    ),
}  # fmt: skip


def missing_item_error() -> SecretsUnavailable:
    """One connection's item is missing, which says nothing about the others."""
    happened, meaning, todo = _MESSAGES["item_gone"]
    return SecretsUnavailable(happened, reason="key_not_found", meaning=meaning, todo=todo)


def damaged_vault_error(name: str, detail: str = "It isn't as Patchbay wrote it.") -> SecretsUnavailable:
    """The file of the passphrase vault can't be used."""
    return SecretsUnavailable(
        f"The passphrase vault {name} is damaged. {detail}",
        reason="no_keyring",
        meaning=f"{_LOCKED_OUT} The file was left as it is.",
        todo=f"Put {name} back from a copy of the data folder, then restart Patchbay. Without one, "
        "move it away, give up the lost credentials under Settings, Secrets, and reconnect.",
    )


def wrong_passphrase_error() -> SecretsUnavailable:
    """The passphrase given isn't the one of the vault."""
    return SecretsUnavailable(
        "The credentials are locked: the passphrase is not the right one.",
        reason="locked",
        meaning=_LOCKED_OUT,
        todo="Enter the passphrase of this vault under Settings, Secrets, or restart with it in the file of "
        "--passphrase-file.",
    )


def secrets_unavailable(reason: str, place: str = "", detail: str = "") -> SecretsUnavailable:
    """The error for one of the five reasons; `place` and `detail` say more where they help."""
    happened, meaning, todo = _MESSAGES[reason]
    more = " ".join(part for part in (detail or meaning, place) if part)
    return SecretsUnavailable(happened, reason=reason, meaning=more, todo=todo)
