"""Who answers for a call that flows and connections make: decides whether its addresses are bounded."""

from patchbay.domain.audit import Actor, ActorKind, acting
from patchbay.domain.base import ConnectionId, FlowId
from patchbay.domain.ports import Thing
from patchbay.storage.database import Database
from patchbay.storage.repositories import owners, users
from patchbay.storage.repositories.rows import Tx


class StoredRights:
    """Tells whether an admin answers for a call, by what is stored. Part of an `OutgoingGuard`.

    A flow runs for its owner: whoever causes a run, or holds the key for it, does not matter. Without a flow
    the owner of the connection and whoever acts must both be admins.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    async def has_full_rights(self, flow_id: FlowId | None, connection_id: ConnectionId | None) -> bool:
        """Whether nobody but admins has a say in where this call goes."""
        actor = None if flow_id else acting.get()
        return await self._db.read(lambda tx: _has_full_rights(tx, flow_id, connection_id, actor))


def _has_full_rights(
    tx: Tx, flow_id: FlowId | None, connection_id: ConnectionId | None, actor: Actor | None
) -> bool:
    admins = users.admins(tx)
    things = ((Thing.FLOW, flow_id), (Thing.CONNECTION, connection_id))
    for thing, thing_id in things:
        if thing_id is not None and owners.owners_of(tx, thing, [thing_id]).get(thing_id) not in admins:
            return False
    if actor is None or actor.kind is not ActorKind.KEY:
        return True
    return actor.user_id is None or actor.user_id in admins
