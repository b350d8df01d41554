"""Sign-ins in progress: the entered values and the expected response of the third party, encrypted."""

from dataclasses import dataclass

from sqlalchemy import RowMapping, delete, insert, select, update

from patchbay.domain.base import AppKey, ConnectionId, EpochMs
from patchbay.storage.repositories.rows import Tx, not_found
from patchbay.storage.repositories.secrets import Sealed
from patchbay.storage.tables import sign_in

_SEALED = ("format", "key_id", "nonce", "ciphertext")


@dataclass(frozen=True)
class PendingSignIn:
    """A row. `state_hash` finds it when the browser returns; only the first response sets `answered_at`."""

    id: str
    app_key: AppKey
    connection_id: ConnectionId | None
    state_hash: str | None
    created_at: EpochMs
    expires_at: EpochMs
    answered_at: EpochMs | None
    sealed: Sealed


def add(tx: Tx, item: PendingSignIn) -> None:
    """Insert a pending sign-in."""
    sealed = {name: getattr(item.sealed, name) for name in _SEALED}
    tx.execute(
        insert(sign_in).values(
            id=item.id,
            app_key=item.app_key,
            connection_id=item.connection_id,
            state_hash=item.state_hash,
            created_at=item.created_at,
            expires_at=item.expires_at,
            answered_at=item.answered_at,
            **sealed,
        )
    )


def get(tx: Tx, sign_in_id: str) -> PendingSignIn:
    """Return a pending sign-in. Raises `NotFound`."""
    row = tx.execute(select(sign_in).where(sign_in.c.id == sign_in_id)).mappings().first()
    if row is None:
        raise not_found("sign-in")
    return _pending(row)


def claim(tx: Tx, state_hash: str, now: EpochMs) -> PendingSignIn | None:
    """Claim the sign-in with this state, which works once; None if there is none, or it has expired."""
    waiting = sign_in.c.state_hash == state_hash, sign_in.c.answered_at.is_(None), sign_in.c.expires_at > now
    if not tx.execute(update(sign_in).where(*waiting).values(answered_at=now)).rowcount:
        return None
    found = select(sign_in).where(sign_in.c.state_hash == state_hash)
    return _pending(tx.execute(found).mappings().one())


def remove(tx: Tx, sign_in_id: str) -> None:
    """Delete a pending sign-in."""
    tx.execute(delete(sign_in).where(sign_in.c.id == sign_in_id))


def delete_older(tx: Tx, than: EpochMs) -> int:
    """Delete sign-ins created before `than`. Returns how many there were."""
    return tx.execute(delete(sign_in).where(sign_in.c.created_at < than)).rowcount


def delete_all(tx: Tx) -> int:
    """Delete all sign-ins. Returns how many there were."""
    return tx.execute(delete(sign_in)).rowcount


def items(tx: Tx) -> set[str]:
    """IDs of the keyring items or encryption keys that encrypt their values."""
    return set(tx.execute(select(sign_in.c.key_id)).scalars())


def _pending(row: RowMapping) -> PendingSignIn:
    values = {name: value for name, value in row.items() if name not in _SEALED}
    sealed = Sealed(row["id"], **{name: row[name] for name in _SEALED})
    return PendingSignIn(**values, sealed=sealed)
