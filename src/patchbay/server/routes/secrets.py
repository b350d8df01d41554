"""Where secrets are kept. Secrets themselves never pass here."""

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.base import Model
from patchbay.domain.connections import SecretsState, SecretsStorage
from patchbay.server.authentication import RequestBackend, admin_only
from patchbay.server.request_models import Body
from patchbay.server.responses import One, describe_responses, one

router = APIRouter(prefix="/secrets", tags=["secrets"])


class MoveSecrets(Body):
    """Where secrets are to be kept."""

    to: SecretsStorage


class SecretCount(Model):
    """How many secrets it was about."""

    count: int


@router.get("", responses=describe_responses(One[SecretsState]))
async def secrets_state(backend: RequestBackend) -> Response:
    """How secrets are kept now, and whether they can be used."""
    return one(await backend.secrets_state())


@router.post("/move", responses=describe_responses(One[SecretsState], invalid=True, conflict=True))
@admin_only
async def move_secrets(backend: RequestBackend, body: MoveSecrets) -> Response:
    """Bring all secrets to the other home."""
    return one(await backend.move_secrets(body.to))


@router.post("/change-key", responses=describe_responses(One[SecretCount]))
@admin_only
async def change_secrets_key(backend: RequestBackend) -> Response:
    """Encrypt all secrets under a new key."""
    return one(SecretCount(count=await backend.change_secrets_key()))


@router.post("/give-up-lost", responses=describe_responses(One[SecretCount]))
@admin_only
async def discard_lost_secrets(backend: RequestBackend) -> Response:
    """Forget secrets whose key is lost."""
    return one(SecretCount(count=await backend.discard_lost_secrets()))
