"""Decides whether the addresses that flows and connections may call are restricted."""

from patchbay.domain.audit_log import Actor, current_actor
from patchbay.domain.base import ConnectionId, FlowId
from patchbay.domain.ports import OwnedResource
from patchbay.storage.database import Database
from patchbay.storage.repositories import connections, owners, users
from patchbay.storage.repositories.rows import Tx


class OutgoingPermissions:
    """Checks whether only users with full rights decide where a request goes. Part of an `OutgoingGuard`.

    The owner of the flow or connection and the current actor must both have full rights. Published versions
    aren't checked here: they record who published them.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    async def has_full_rights(
        self, flow_id: FlowId | None, connection_id: ConnectionId | None, actor_has_full_rights: bool
    ) -> bool:
        """Whether the owners of the flow and the connection, and the current actor, have full rights.

        `actor_has_full_rights` skips the check of the actor. Outside requests, the actor is the program,
        which has them.
        """
        actor = None if actor_has_full_rights else current_actor.get()
        return await self._db.read(lambda tx: _has_full_rights(tx, flow_id, connection_id, actor))

    async def is_approved(self, connection_id: ConnectionId) -> bool:
        """Whether a user with full rights entered the values of the connection."""
        return await self._db.read(lambda tx: connections.is_approved(tx, connection_id))


def _has_full_rights(
    tx: Tx, flow_id: FlowId | None, connection_id: ConnectionId | None, actor: Actor | None
) -> bool:
    admin_ids = users.admin_ids(tx)
    for resource, resource_id in ((OwnedResource.FLOW, flow_id), (OwnedResource.CONNECTION, connection_id)):
        if resource_id is None:
            continue
        if owners.find_owners(tx, resource, [resource_id]).get(resource_id) not in admin_ids:
            return False
    if actor is None:
        return True
    return actor.has_full_rights and (actor.user_id is None or actor.user_id in admin_ids)
