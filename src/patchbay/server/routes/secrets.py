"""Where secrets are stored. Secrets themselves are never returned."""

from starlette.responses import Response

from patchbay.domain.base import Model
from patchbay.domain.connections import SecretsState, SecretsStorage
from patchbay.server.authentication import RequestBackend, admin_only
from patchbay.server.request_models import Body
from patchbay.server.responses import One, describe_responses, one
from patchbay.server.routing import ResourceRouter

router = ResourceRouter(prefix="/secrets", tags=["secrets"])


class MoveSecrets(Body):
    """The place to store secrets in."""

    to: SecretsStorage


class SecretCount(Model):
    """The number of secrets affected."""

    count: int


@router.get("", responses=describe_responses(One[SecretsState]))
async def secrets_state(backend: RequestBackend) -> Response:
    """Get where secrets are stored, and whether they can be decrypted."""
    return one(await backend.secrets_state())


@router.post("/move", responses=describe_responses(One[SecretsState], invalid=True, conflict=True))
@admin_only
async def move_secrets(backend: RequestBackend, body: MoveSecrets) -> Response:
    """Move all secrets to another store."""
    return one(await backend.move_secrets(body.to))


@router.post("/change-key", responses=describe_responses(One[SecretCount]))
@admin_only
async def change_secrets_key(backend: RequestBackend) -> Response:
    """Re-encrypt all secrets with a new key."""
    return one(SecretCount(count=await backend.change_secrets_key()))


@router.post("/give-up-lost", responses=describe_responses(One[SecretCount]))
@admin_only
async def discard_lost_secrets(backend: RequestBackend) -> Response:
    """Delete secrets whose encryption key is lost."""
    return one(SecretCount(count=await backend.discard_lost_secrets()))
