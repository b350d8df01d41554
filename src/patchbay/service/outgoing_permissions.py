"""Who answers for a call that flows and connections make: decides whether its addresses are bounded."""

from patchbay.domain.audit_log import Actor, current_actor
from patchbay.domain.base import ConnectionId, FlowId
from patchbay.domain.ports import OwnedResource
from patchbay.storage.database import Database
from patchbay.storage.repositories import connections, owners, users
from patchbay.storage.repositories.rows import Tx


class OutgoingPermissions:
    """Tells whether only admins have a say in where a call goes. Part of an `OutgoingGuard`.

    The owner of the flow or connection and whoever acts must both have full rights. Versions that were
    published are not asked about here: they carry who published them.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    async def has_full_rights(
        self, flow_id: FlowId | None, connection_id: ConnectionId | None, is_actor_checked: bool
    ) -> bool:
        """Whether an admin answers for it. Nobody acting means whoever opened the workspace."""
        actor = None if is_actor_checked else current_actor.get()
        return await self._db.read(lambda tx: _has_full_rights(tx, flow_id, connection_id, actor))

    async def is_approved(self, connection_id: ConnectionId) -> bool:
        """Whether somebody with full rights entered its values."""
        return await self._db.read(lambda tx: connections.is_approved(tx, connection_id))


def _has_full_rights(
    tx: Tx, flow_id: FlowId | None, connection_id: ConnectionId | None, actor: Actor | None
) -> bool:
    admin_ids = users.admin_ids(tx)
    for thing, thing_id in ((OwnedResource.FLOW, flow_id), (OwnedResource.CONNECTION, connection_id)):
        if thing_id is not None and owners.find_owners(tx, thing, [thing_id]).get(thing_id) not in admin_ids:
            return False
    if actor is None:
        return True
    return actor.has_full_rights and (actor.user_id is None or actor.user_id in admin_ids)
